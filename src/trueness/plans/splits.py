"""Splits: K folds, repeated if asked, leave-one-out, nested; random ones, many (Monte-Carlo cross-validation) or one (a
holdout); those of a scikit-learn splitter, or given.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Self

import numpy as np

from trueness.checks import DRAW, child, is_iterable, seed_sequence
from trueness.errors import InputError
from trueness.plans.plan import DrawnParts, DrawnPlan, Plan, drawn_sample, strata_of, units_of
from trueness.result.words import counted
from trueness.sample.design import Design, Pairs, design_of_splits, require_all_tested
from trueness.sample.labels import Task
from trueness.sample.sample import Sample
from trueness.typing import Array, Features, Ints, Labels, Rng, Stratified

LEAST_REPEATS = 2  # of a cross-validation in limited time: one has hardly any standard error
LEAST_NESTED = 10


@dataclass(frozen=True)
class KFold(DrawnPlan):
    """Each case is tested once per repeat, by the rule trained on the other K − 1 folds.

    Parameters
    ----------
    n_folds : int, default 10
        Number of folds K.
    repeats : int, default 1
        Number of independent partitions; the standard errors of Nadeau and Bengio and of the influence function need
        at least two.
    stratified : bool or "fixed", default True
        Spread the cases of each class evenly over the folds. "fixed" as in `Bootstrap`.
    """

    n_folds: int = 10
    repeats: int = 1
    stratified: Stratified = True
    kind = "cv"
    form = "kfold:K or kfold:KxR (R repeats)"
    given = ("n_folds", "repeats")
    least = {"n_folds": 2, "repeats": 1}

    def longer(self, n: int, design: Design) -> KFold:
        return replace(self, repeats=self.repeats + n)

    def within(self, fits: int, sample: Sample) -> KFold:
        return replace(self, repeats=min(self.repeats, max(LEAST_REPEATS, fits // self.n_folds)))

    def in_words(self, n_fits: int | None = None) -> str:
        return f"{self.n_folds}-fold cross-validation" + f", {self.repeats} times" * (self.repeats > 1)

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        rows = [deal(sample, self.n_folds, stratified, rng) for _ in range(self.repeats)]
        return {"folds": np.stack(rows)}


def deal(sample: Sample, n_folds: int, stratified: bool, rng: np.random.Generator) -> Array:
    """(n,) fold of each case: units are shuffled, then each goes to the fold that has fewest cases of its classes so far.

    Groups of one class are dealt class by class, those of the largest octave of sizes first. Groups that hold several
    classes are dealt together, those with the largest shares of a class first, so that folds keep the classes as far as
    groups allow.
    """
    unit, codes, sizes = units_of(sample)
    fold = np.empty(len(codes), dtype=np.int32)
    total = np.zeros(n_folds, dtype=np.intp)
    held = np.zeros((len(codes), sample.n_classes))  # cases of each class in each unit
    if sample.groups is not None:
        np.add.at(held, (unit, sample.codes), 1)
    shares = held / np.maximum(sample.sizes, 1)
    for stratum in strata_of(codes, stratified):
        if len(stratum) < n_folds:
            got, fix = f"{n_folds} folds for {len(stratum)}", f"Use at most {len(stratum)} folds"
            raise InputError(
                "There are more folds than cases, or groups, of a class", param="n_folds", got=got, fix=fix
            )
        shuffled = stratum[rng.permutation(len(stratum))]
        if sample.groups is not None:  # large groups first, or the last one would unbalance the folds
            first = sizes if sample.groups_are_pure else shares.max(axis=1)
            own = np.zeros((n_folds, sample.n_classes))  # of each fold, the share of each class that it has
            # in random order within an octave of sizes, or all repeats would be alike
            octave = np.floor(np.log2(first / first.max()))
            for u in shuffled[np.argsort(-octave[shuffled], kind="stable")]:
                k = np.lexsort((total, own @ shares[u]))[0]
                fold[u] = k
                own[k] += shares[u]
                total[k] += sizes[u]
        else:  # the same for units of size 1: in rounds, beginning with the smallest folds
            order = np.argsort(total, kind="stable")
            fold[shuffled] = order[np.arange(len(shuffled)) % n_folds]
            total += np.bincount(fold[shuffled], minlength=n_folds)
    return fold[unit]


@dataclass(frozen=True)
class LeaveOneOut(DrawnPlan):
    """Each case (or each group) is tested by the rule trained on all others (Yousef, ML Assessment, eq. 28)."""

    kind = "cv"
    form = "loo"
    words = "leave-one-out cross-validation"

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        unit, _, _ = units_of(sample)
        return {"folds": unit[None].astype(np.int32)}


@dataclass(frozen=True)
class NestedKFold(DrawnPlan):
    """K folds; each repeat has the K fits that leave one fold out and the K(K − 1)/2 that leave two out.

    The pairs estimate the mean squared error of cross-validation, which one pass of K-fold cannot.

    Parameters
    ----------
    n_folds : int, default 10
        Number of folds K, at least 3.
    repeats : int, default 20
        Number of partitions; the authors use 200, and 20 or more are needed for a stable answer.
    stratified : bool or "fixed", default True
        Spread the cases of each class evenly over the folds. "fixed" as in `Bootstrap`.

    References
    ----------
    Bates, Hastie & Tibshirani (2024), J. Am. Stat. Assoc. 119, 1434–1445, algorithm 1.
    """

    n_folds: int = 10
    repeats: int = 20
    stratified: Stratified = True
    kind = "nested"
    form = "nested:K or nested:KxR"
    words = "nested {n_folds}-fold cross-validation, {repeats} times"
    given = ("n_folds", "repeats")
    least = {"n_folds": 3, "repeats": 1}

    @property
    def left_out(self) -> list[tuple[int, ...]]:
        """Folds left out by each fit of a repeat: singles first, then pairs."""
        k = range(self.n_folds)
        return [(a,) for a in k] + list(combinations(k, 2))

    def longer(self, n: int, design: Design) -> NestedKFold:
        return replace(self, repeats=self.repeats + n)

    def within(self, fits: int, sample: Sample) -> NestedKFold:
        return replace(self, repeats=min(self.repeats, max(LEAST_NESTED, fits // len(self.left_out))))

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        rows = []
        for _ in range(self.repeats):
            fold = deal(sample, self.n_folds, stratified, rng)
            rows += [~np.isin(fold, out) for out in self.left_out]
        counts = np.stack(rows).astype(np.uint8)
        if (counts.sum(axis=1) == 0).any():
            raise InputError("Two folds hold all cases", param="n_folds", fix="Use more folds")
        return {"stored": counts, "repeat": np.repeat(np.arange(self.repeats), len(self.left_out))}


@dataclass(frozen=True, eq=False, repr=False)
class Splits(Plan):
    """Splits by a scikit-learn splitter, or given as pairs of index arrays.

    Passes that test every case once (`StratifiedKFold`, `RepeatedKFold`, `LeaveOneGroupOut`) are recognised as a
    cross-validation with repeats, one split as a holdout.

    Parameters
    ----------
    splits : splitter or iterable of (train, test)
        An object with a method `split(X, y, groups)`, or pairs of positions (or masks) of cases. A `random_state` of
        None is filled from `rng`. Of given pairs, each case must be tested by at least one, unless there is only one
        pair; a splitter may leave cases untested, as `TimeSeriesSplit` does, and gets a note.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.model_selection import RepeatedStratifiedKFold
    >>> plan = trueness.plans.Splits(RepeatedStratifiedKFold(n_splits=5, n_repeats=2))
    >>> plan.draw([0] * 10 + [1] * 10, rng=0)
    <Design of Splits(RepeatedStratifiedKFold(n_repeats=2, n_splits=5, random_state=None)): 10 training sets of 20 ...>
    >>> trueness.plans.Splits([([0, 1, 2, 3], [4, 5])]).draw([0, 1, 0, 1, 0, 1]).kind
    'holdout'
    """

    splits: Any
    kind = "cv"
    form = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        own = hasattr(self.splits, "split") and not isinstance(self.splits, (type, str, bytes))
        if not own and (isinstance(self.splits, (type, str, bytes, dict)) or not is_iterable(self.splits)):
            problem = "splits must be a scikit-learn splitter or an iterable of (train, test)"
            raise InputError(problem, param="plan", got=repr(self.splits))
        if not own:
            object.__setattr__(self, "splits", tuple(self.splits))  # a generator can be read once

    def __repr__(self) -> str:
        return f"Splits({self.in_words()})"

    def in_words(self, n_fits: int | None = None) -> str:
        if isinstance(self.splits, tuple):
            return counted(len(self.splits), "given split")
        return " ".join(repr(self.splits).split())

    def draw(
        self,
        y: Labels | Sample,
        groups: Labels | None = None,
        rng: Rng = None,
        X: Features = None,
        *,
        kind: Task | None = None,
    ) -> Design:
        """Draw the training sets.

        Parameters
        ----------
        y : array-like of shape (n,) or Sample
            Labels.
        groups : array-like of shape (n,), optional
            Group of each case, for splitters that use them. A group is on both sides of a split in order of time only: for
            the standard error.
        rng : int, SeedSequence, Generator or None, default None
            Fills a `random_state` of None; the same seed gives the same design.
        X : array-like of n rows, optional
            Features, for splitters that look at them.
        kind : {"classification", "regression"}, optional
            As in `Plan.draw`.

        Returns
        -------
        Design
        """
        sample = Sample.of(y if isinstance(y, Sample) else drawn_sample(y, groups, kind), X=X, groups=groups)
        seed = seed_sequence(rng)
        given = isinstance(self.splits, tuple)
        pairs = self.splits if given else _split(self.splits, sample, child(seed, DRAW))
        design = design_of_splits(pairs, replace(sample, X=None), self, seed)
        if given:
            require_all_tested(design)
        return design


def _split(splitter: Any, sample: Sample, seed: np.random.SeedSequence) -> Pairs:
    """What the splitter yields for these cases; the splitter itself is not changed."""
    own = deepcopy(splitter)
    if getattr(own, "random_state", 0) is None and getattr(own, "shuffle", True):
        own.random_state = int(seed.generate_state(1)[0] % 2**31)
    X = np.zeros((sample.n, 1)) if sample.X is None else sample.X
    try:
        labels = sample.truth
        if type(own).__module__.startswith("sklearn.") and not _uses_groups(own):  # it would warn about them
            return list(own.split(X, labels))
        return list(own.split(X, labels, sample.groups))
    except Exception as error:
        name = type(splitter).__name__
        fix = "Pass groups=" if sample.groups is None and _uses_groups(splitter) else ""
        raise InputError(f"{name} cannot split these cases", param="plan", reason=str(error), fix=fix) from error


def _uses_groups(splitter: Any) -> bool:
    """Whether a splitter asks for groups, by scikit-learn's metadata routing."""
    routing = getattr(splitter, "get_metadata_routing", None)
    return routing is not None and bool(routing().consumes("split", ["groups"]))


LEAST_SPLITS = 20  # in limited time: 19 degrees of freedom, as two repeats of 10 folds have


@dataclass(frozen=True)
class MonteCarlo(DrawnPlan):
    """Random splits into a training and a test part.

    Parameters
    ----------
    n_splits : int, default 100
        Number of splits.
    test_size : float, default 0.2
        Share of the cases (with groups, of the groups) in the test part.
    stratified : bool or "fixed", default True
        Split each class separately. "fixed" as in `Bootstrap`.
    """

    n_splits: int = 100
    test_size: float = 0.2
    stratified: Stratified = True
    kind = "cv"
    form = "monte-carlo:N"
    words = "random splits, each with {test_size:.0%} of the cases for testing"
    given = ("n_splits",)
    least = {"n_splits": 1}

    def longer(self, n: int, design: Design) -> Self:
        return replace(self, n_splits=self.n_splits + n)

    def within(self, fits: int, sample: Sample) -> Self:
        return replace(self, n_splits=min(self.n_splits, max(LEAST_SPLITS, fits)))

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        sizes = test_sizes(sample, self.test_size, stratified)
        return {"stored": split_counts(sample, self.n_splits, sizes, stratified, rng)}


def test_sizes(sample: Sample, test_size: float, stratified: bool) -> Ints:
    """Units (cases or groups) of each stratum in a test part, by largest remainders so that the whole has the share; at
    least one, and one left to train on."""
    units = np.array([len(stratum) for stratum in strata_of(units_of(sample)[1], stratified)])
    if units.min() < 2:
        fix = "Use stratified=False, or more groups"
        raise InputError("A class with a single group cannot be split", param="groups", fix=fix)
    sizes = np.floor(test_size * units).astype(int)
    missing = round(test_size * units.sum()) - sizes.sum()
    sizes[np.argsort(sizes - test_size * units, kind="stable")[:missing]] += 1
    return np.asarray(np.clip(sizes, 1, units - 1))


def split_counts(sample: Sample, n_splits: int, sizes: Ints, stratified: bool, rng: np.random.Generator) -> Array:
    """(F, n) 1 = trained on, 0 = tested; `sizes` are the test units of each stratum."""
    unit, codes, _ = units_of(sample)
    trained = np.ones((n_splits, len(codes)), dtype=np.uint8)
    strata = list(zip(strata_of(codes, stratified), sizes, strict=True))
    for row in trained:  # split by split: more of them begin with fewer
        for stratum, n_test in strata:
            row[stratum[rng.permutation(len(stratum))[:n_test]]] = 0
    return trained[:, unit]


@dataclass(frozen=True)
class Holdout(DrawnPlan):
    """One split: the rule trained on one part is tested on the other.

    Parameters
    ----------
    test_size : float, default 0.3
        Share of the cases in the test part.
    stratified : bool or "fixed", default True
        Split each class separately. "fixed" as in `Bootstrap`.
    """

    test_size: float = 0.3
    stratified: Stratified = True
    kind = "holdout"
    form = "holdout:SHARE"
    words = "one random split, with {test_size:.0%} of the cases for testing"
    given = ("test_size",)

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        return {"stored": split_counts(sample, 1, test_sizes(sample, self.test_size, stratified), stratified, rng)}
