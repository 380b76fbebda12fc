"""What a metric declares, and the two kinds: a loss of one case, and a measure of a set."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar, Literal, Self

import numpy as np

from trueness.checks import number_array
from trueness.errors import InputError
from trueness.result.interval import WALD, IntervalRule
from trueness.result.words import OTHER_NAMES, WORDS, bare
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Array, Bools, Floats

Needs = Literal["predictions", "scores", "probabilities", "any"]
Target = Literal["classes", "numbers", "any"]
SCORES_READ = 500_000.0  # of replicates, where a result reads them for dozens of measures or thresholds
ROUNDING = 1e-12  # a sum of thirds may miss the end of the range by this much


@dataclass(frozen=True, eq=False)
class Metric(ABC):
    """A measure of how good a rule is.

    Attributes
    ----------
    name : str
        Its name in tables and on the command line.
    title : str
        What it is, in full. A class that declares one is found by its name, and must work without parameters.
    aliases : str
        Other names by which it is found, in upper or lower case, separated by commas: words of other fields,
        scikit-learn's scorers ("neg_..." where that turns the sign). It and the two before are literals, as the files
        are read for them.
    words : dict
        By name or alias: how it is written before a value, and inside a sentence. Otherwise "log_loss" is "Log loss"
        and "log loss", and up to three letters are capitals.
    arity : int
        1: a mean over cases; 2: a mean over pairs; 0: of the whole set.
    higher_is_better : bool or None
        Direction: True unless declared, False for a `CaseLoss`; None where it is not known (a function of the user's
        own).
    bounds : tuple of float
        Range; no interval leaves it.
    interval : IntervalRule
        The default interval of an estimate with a standard error; Wilson and logit need finite bounds.
    needs : {"predictions", "scores", "probabilities", "any"}
        What it is computed from; "any" where only the metric itself knows (a scorer).
    target : {"classes", "numbers", "any"}
        What the cases must have: classes, or numbers that are predicted; `bind` refuses samples of another kind. A
        metric that depends on the classes or the numbers has a method `bound(sample)`.
    called_per_fit : bool
        Whether a function is called for every training set, which takes longer than its fit where that has a closed form.
    called : str or None
        Another name for it, of the user's own.
    """

    called: str | None = field(default=None, kw_only=True)
    name: ClassVar[str]
    title: ClassVar[str]
    aliases: ClassVar[str] = ""
    words: ClassVar[Mapping[str, tuple[str, str]]] = {}
    arity: ClassVar[int] = 0
    higher_is_better: ClassVar[bool | None] = True
    needs: ClassVar[Needs] = "scores"
    target: ClassVar[Target] = "classes"
    called_per_fit: ClassVar[bool] = False
    undefined_where: ClassVar[str] = "a class has no cases, or none is predicted"

    def __init_subclass__(cls) -> None:
        WORDS.update(cls.words)
        if "aliases" in cls.__dict__:
            OTHER_NAMES.update({bare(alias): cls.name for alias in cls.aliases.split(", ")})

    def __post_init__(self) -> None:
        if self.called is not None:
            object.__setattr__(self, "name", self.called)

    @property
    def bounds(self) -> tuple[float, float]:
        return (-math.inf, math.inf)

    @property
    def interval(self) -> IntervalRule:
        return WALD

    @property
    def key(self) -> Hashable:
        """Equal for two metrics that measure the same: what shared sums are cached by."""
        return (type(self), *(_hashable(getattr(self, f.name)) for f in fields(self) if f.name != "called"))

    def bind(self, sample: Sample) -> Self:
        """The metric for these classes: which one is positive, how many there are; an error where the cases have classes
        and the metric is about numbers, or the other way round."""
        has = "classes" if sample.numbers is None else "numbers"
        if self.target in ("any", has):
            return self.bound(sample)
        fix = "Use e.g. error or auc for classes, rmse or mae for numbers"
        raise InputError(f"{self.name} is a metric of {self.target}", param="metric", got=f"{has} as y", fix=fix)

    def bound(self, sample: Sample) -> Self:
        """The metric for cases of its kind."""
        return self

    @property
    def rounding(self) -> float:
        """A difference this small is 0 but for rounding."""
        return ROUNDING

    def reading(self, probabilities: bool) -> Self:
        """The metric for scores that are probabilities, or are not; an error where it needs them."""
        if self.needs == "probabilities" and not probabilities:
            raise InputError(
                f"{self.name} needs probabilities, and these scores are not probabilities",
                param="metric",
                fix="Use models that have predict_proba (with trueness.fit: scores='predict_proba')",
            )
        return self

    def class_sets(self, sample: Sample) -> list[list[int]]:
        """Sets of classes that the metric averages over: one set of all for a plain mean, one per class otherwise."""
        return [list(range(sample.n_classes))]

    @abstractmethod
    def rows(self, block: Block, weights: Floats) -> Floats:
        """(b,) the metric of each rule over its weighted cases; NaN where it is undefined."""


class SetMetric(Metric):
    """A metric of a whole set of scores, without a per-case or per-pair form."""

    def class_sets(self, sample: Sample) -> list[list[int]]:
        return [[c] for c in np.flatnonzero(sample.sizes).tolist()]  # the smallest class limits what is known


@dataclass(frozen=True, eq=False)
class CaseLoss(Metric):
    """A loss of one case; the metric is its mean, plain or weighted by given class probabilities.

    Attributes
    ----------
    priors : array-like of shape (C,) or None
        Weights P_c of Σ_c P_c · (mean loss of class c), Yousef, ML Assessment, eq. 1c; None for the plain mean over
        cases (eq. 4c). Two classes are given in the order negative, positive, several in sorted order.
    """

    priors: Floats | Sequence[float] | None = None
    arity: ClassVar[int] = 1
    higher_is_better: ClassVar[bool | None] = False
    offset: ClassVar[bool] = False  # whether a case moves the value the other way as a training case
    scores_read: ClassVar[float] = math.inf  # of replicates, for the training part of a standard error (cv_training)

    @abstractmethod
    def losses(self, block: Block) -> Floats:
        """(b, m) loss of each case under each rule; NaN where a rule did not answer."""

    def mean_if(self, block: Block, code: int) -> float:
        """The mean loss if every case were of this class."""
        return float(self.losses(replace(block, codes=np.full_like(block.codes, code))).mean())

    def left_out_losses(self, block: Block) -> Floats:
        """(b, m) losses, defined wherever a case was left out."""
        return require_used(self.losses(block), block.left_out, self.name)

    @property
    def class_weights(self) -> Floats | None:
        """(C,) the priors as an array; None for a plain mean over cases."""
        return None if self.priors is None else number_array("priors", self.priors)

    def class_sets(self, sample: Sample) -> list[list[int]]:
        if self.class_weights is None:
            return [list(range(sample.n_classes))]
        return [[c] for c in np.flatnonzero(self.class_weights).tolist()]

    def case_weights(self, sample: Sample) -> Floats:
        """(n,) w_i with mean(w L) = the metric: 1, or P_c n / n_c."""
        if self.class_weights is None:
            return np.ones(sample.n)
        return np.asarray((self.class_weights * sample.n / sample.sizes)[sample.codes])

    def rows(self, block: Block, weights: Floats) -> Floats:
        used = weights > 0
        losses = require_used(self.losses(block), used, self.name)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.class_weights is None:
                return np.asarray((weights * losses).sum(axis=1) / weights.sum(axis=1))
            total = np.zeros(len(losses))
            for code in np.flatnonzero(self.class_weights):
                of = block.codes == code
                total += self.class_weights[code] * (weights * losses)[:, of].sum(axis=1) / weights[:, of].sum(axis=1)
            return total

    def no_information(self, sample: Sample, full: Block) -> float:
        """γ: the loss if labels and rule were independent, 1/n² Σ_i Σ_j L(y_i, rule(x_j)) (Efron & Tibshirani 1997;
        Yousef, ML Assessment, eq. 39)."""
        shares = sample.sizes / sample.n if self.class_weights is None else self.class_weights
        return float(sum(p * self.mean_if(full, c) for c, p in enumerate(shares) if p))

    def bind_priors(self, sample: Sample) -> Self:
        """The same with the priors in the order of the sample's classes."""
        given = self.class_weights
        if given is None:
            return self
        problem = "priors must have one probability per class, with sum 1"
        if given.shape != (sample.n_classes,) or (given < 0).any() or not np.isclose(given.sum(), 1):
            raise InputError(problem, param="priors", got=self.priors, fix=f"Classes: {sample.classes.tolist()}")
        if sample.n_classes == 2 and sample.require_positive() == 0:  # given as negative, positive
            given = given[::-1]
        if (given[sample.sizes == 0] > 0).any():
            raise InputError("A class without cases has a prior", param="priors", got=self.priors)
        return replace(self, priors=given)


def require_used(values: Floats, used: Bools, name: str) -> Floats:
    """`values` with 0 where they are not used; an error where a used one is missing (NaN)."""
    missing = np.isnan(values)
    if missing.any():
        refuse_missing(missing & used, name)
        values = np.where(missing, 0.0, values)
    return values


def refuse_missing(needed: Bools, name: str) -> None:
    """An error where a score or prediction is needed and missing."""
    if needed.any():
        raise InputError(
            f"{name} needs scores or predictions that are missing (NaN)",
            param="scores",
            got=int(needed.sum()),
            fix="Use loob, star, 632, 632+ or lpob, which need only cases that a training set left out",
        )


def _hashable(value: object) -> Hashable:
    if isinstance(value, (np.ndarray, list, tuple)):
        array = np.asarray(value)
        return array.shape, array.dtype.str, array.tobytes()
    try:
        hash(value)
    except TypeError:
        return object()  # equal to nothing: such a metric is computed anew
    return value


def decided(block: Block, name: str) -> Array:
    """(b, m) predicted classes; an error where there are none."""
    if block.predictions is None:
        fix = "Give predictions or a threshold where the Fits are made"
        raise InputError(f"{name} needs predictions, and there are scores only", param="predictions", fix=fix)
    return block.predictions


def scores_of(block: Block, name: str) -> Floats:
    """(b, m) or (b, m, C) scores; an error where there are none."""
    if block.scores is None:
        fix = "Use a model with decision_function or predict_proba, or another metric"
        raise InputError(f"{name} needs scores, and this model predicts labels only", param="metric", fix=fix)
    return block.scores


def positive_of_two(sample: Sample, name: str) -> int:
    """Index of the positive class; an error that names the metric where there are not two classes."""
    if sample.n_classes != 2:
        fix = "Use e.g. error, balanced_accuracy, f1 or auc"
        raise InputError(f"{name} needs two classes", param="metric", got=f"{sample.n_classes} classes", fix=fix)
    return sample.require_positive()
