"""Answers: what M rules (models, systems, markers, tests) say about the same n cases.

It is to one test set what Fits are to many training sets, and the one place where rules on the same cases are put side
by side: `delong`, `mcnemar`, `roc` of several scores, `systems.compare` and the estimates of a test set read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trueness.errors import InputError
from trueness.formulas.groups import count_groups
from trueness.result.estimate import Estimate
from trueness.result.interval import WALD, WILSON
from trueness.result.notes import Note
from trueness.result.words import BINOMIAL, PAIRED
from trueness.sample.fits import Fits
from trueness.sample.labels import check_same_index, check_same_length, codes_among, group_codes, label_array
from trueness.sample.measured import Aucs, Means
from trueness.sample.rows import Block, taken
from trueness.sample.sample import Sample
from trueness.sample.scores import score_array
from trueness.typing import Bools, Floats, Ints, Label, Labels, Scores


@dataclass(frozen=True, eq=False)
class Answers:
    """What M rules say about the same cases, in R runs.

    Attributes
    ----------
    rules : tuple of str
        Names, M of them.
    values : ndarray of shape (M, R, n) or (M, R, n, C)
        Scores, or correctness (0 or 1) or any other value of each case; of fits without scores the predicted class. NaN
        where a rule has fewer runs of a case than others; every rule answers every case at least once.
    positive : ndarray of shape (n,), optional
        Which cases are positive, where the values are scores of two classes.
    groups : ndarray of shape (n,), optional
        The group of each case, where only whole groups are independent.
    notes : tuple of Note
        What the reader should know.
    sample : Sample, optional
        The cases from which those of a test set are taken.
    tested : Block, optional
        Scores and predictions of the rules, one row each, as metrics read them.
    places : ndarray of shape (n,), optional
        The places of the cases in the sample.
    """

    rules: tuple[str, ...]
    values: Floats
    positive: Bools | None = None
    groups: Ints | None = None
    notes: tuple[Note, ...] = ()
    sample: Sample | None = None
    tested: Block | None = None
    places: Ints | None = None

    @classmethod
    def of_fits(cls, *fits: Fits) -> Answers:
        """The one test set of some fits of one design, each of which has one rule."""
        for f in fits:
            if f.n_fits != 1:
                raise InputError(
                    "A holdout has one fit",
                    param="fits",
                    got=f"{f.n_fits} fits",
                    fix="Use plan='cv' and method='cv'",
                )
        blocks, places, sample = [next(f.tests()) for f in fits], fits[0].design.tested(0), fits[0].sample
        block = Block.joined(blocks, axis=0)
        said = block.predictions if block.scores is None else block.scores
        assert said is not None
        groups = taken(sample.groups, places)
        rules = tuple(f"fits {k + 1}" for k in range(len(fits)))
        return cls(rules, said[:, None], None, groups, (), sample, block, places)

    @classmethod
    def of_scores(
        cls,
        y: Labels,
        scores: Mapping[str, Scores] | Sequence[Scores],
        positive: Label | None = None,
        groups: Labels | None = None,
        *,
        param: str = "groups",
    ) -> Answers:
        """Scores of two classes, high for the positive one; two or more cases, and groups, of each class.

        A mapping names the rules; those of a sequence are called s1, s2, … as the parameters of tests are.
        """
        named = scores if isinstance(scores, Mapping) else {f"s{k + 1}": s for k, s in enumerate(scores)}
        sample = Sample.of(y, positive=positive)
        up, columns = sample.is_positive(), []
        for name, given in named.items():
            columns.append(score_array(given, sample.n, name))
            check_same_index(name, given, "y", y)
        units = group_codes(groups, y, len(up), param)
        for of, word in ((up, "positive"), (~up, "negative")):
            if units is not None and count_groups(units[of]) < 2:
                raise InputError(
                    f"All {word} cases are in one group; at least 2 groups per class are required", param=param
                )
        return cls(tuple(named), np.stack(columns)[:, None], up, units)

    @classmethod
    def of_decisions(cls, y: Labels, decisions: Sequence[Labels], groups: Labels | None = None) -> Answers:
        """Correctness of predicted classes p1, p2, …; their labels are those of y."""
        truth, right = label_array(y), []
        for k, given in enumerate(decisions):
            param = f"p{k + 1}"
            predicted = label_array(given, param)
            check_same_length(param, len(predicted), len(truth))
            check_same_index(param, given, "y", y)
            if truth.dtype.kind in "iub" and predicted.dtype.kind not in "iub":
                kinds = f"{predicted.dtype} and {truth.dtype}"
                raise InputError(f"{param} and y hold labels of different types", param=param, got=kinds)
            known = np.unique(truth)
            if len(known) > 1:  # cases of one class do not tell the name of the other
                codes_among(predicted, known, param, fix="Use the same labels as in y")
            right.append(np.asarray(predicted == truth, dtype=float))
        names = tuple(f"p{k + 1}" for k in range(len(right)))
        return cls(names, np.stack(right)[:, None], None, group_codes(groups, y, len(truth)))

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.values.shape[2])

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return int(self.values.shape[1])

    @property
    def n_units(self) -> int:
        """Number of independent units: groups, or cases."""
        return self.n if self.groups is None else count_groups(self.groups)

    @property
    def up(self) -> Bools:
        """(n,) which cases are positive."""
        assert self.positive is not None
        return self.positive

    @property
    def block(self) -> Block:
        """What metrics read, of fits."""
        assert self.tested is not None
        return self.tested

    @property
    def whole(self) -> Sample:
        """The sample that the cases of a test set are from."""
        assert self.sample is not None
        return self.sample

    def among_all(self, e: Estimate) -> Estimate:
        """The estimate with the influence of all cases of the sample, 0 for those that were not tested."""
        if e.influence is None:
            return e
        influence = np.zeros(self.whole.n)
        influence[self.places] = e.influence
        return e.with_(influence=influence)

    @cached_property
    def pair(self) -> tuple[Floats, Floats]:
        """(n,) the first run of the first two rules."""
        return self.values[0, 0], self.values[1, 0]

    @property
    def identical(self) -> bool:
        """Whether the first two rules say the same of every case."""
        return np.array_equal(self.values[0], self.values[1], equal_nan=True)

    def aucs(self) -> Aucs:
        """The AUC of every rule, of several runs their mean."""
        rules = [[(scores, self.up) for scores in runs if not np.isnan(scores).any()] for runs in self.values]
        return Aucs.over(rules, self.up.astype(np.intp), self.groups)

    def means(self, metric: str = "accuracy") -> Means:
        """The mean of every rule over the cases, of several runs the mean of their means: "accuracy" and "error" of
        correctness, any other name for scores."""
        values = 1 - self.values if metric == "error" else self.values
        right, means = metric in ("accuracy", "error"), np.nanmean(values, axis=1)
        binary = right and bool(np.isin(means, (0.0, 1.0)).all())  # also where all runs say the same
        return Means.over(
            means,
            self.groups,
            metric=metric,
            binary=binary,
            se_method=BINOMIAL if binary else PAIRED,
            bounds=(0.0, 1.0) if right else (-np.inf, np.inf),
            interval=WILSON if right else WALD,
            said=values,
        )
