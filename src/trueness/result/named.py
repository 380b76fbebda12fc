"""Names that carry what is known about them: methods, standard errors and intervals with words and sources, and what an
estimate is about.

They are strings, so that tables, JSON and `e.se_method == "delong"` need nothing else, and values: no sentence is read to
learn what was done.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Self

FIXED_RULES = (
    "the rules are fixed: neither was trained or tuned on these cases, nor is the result about other training sets."
)
INDEPENDENT_CASES = "the cases are independent draws from the population of interest."
INDEPENDENT_GROUPS = "the groups are independent draws; cases of one group may depend on each other in any way."
LARGE_CLASSES = (
    "each class has enough cases for a mean to be normal (in simulations 10 per class sufficed, docs/comparison.md)."
)


class Named(str):
    """A name with the words for it inside a sentence, which are the name itself by default, and its sources.

    Examples
    --------
    >>> loob = Named("loob", "the leave-one-out bootstrap", "efron_tibshirani_1997")
    >>> loob, loob.words, loob.sources
    ('loob', 'the leave-one-out bootstrap', ('efron_tibshirani_1997',))
    """

    words: str
    sources: tuple[str, ...]  # keys of report/references.bib

    def __new__(cls, name: str, words: str = "", *sources: str, **more: Any) -> Self:
        self = super().__new__(cls, name)
        self.__dict__.update(words=words or name, sources=sources, **more)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __reduce__(self) -> tuple[Any, ...]:  # so that it pickles and copies
        return _restored, (type(self), str(self), vars(self))

    @classmethod
    def of(cls, name: str) -> Self:
        """A plain name has no words and no sources."""
        return name if isinstance(name, cls) else cls(name)


def _restored(of_class: type[Named], name: str, known: dict[str, Any]) -> Named:
    self = str.__new__(of_class, name)
    self.__dict__.update(known)
    return self


class StandardError(Named):
    """Which standard error it is. One with parts (`plus`) has their names, words and sources together.

    Examples
    --------
    >>> error = DELONG.plus(GROUPS)
    >>> error, error.words, error.sources
    ('delong, groups', "DeLong's standard error, groups as the independent units", ('delong_1988', 'obuchowski_1997'))
    """

    assumes: tuple[str, ...]  # sentences that continue "Assumes: ", for a test of a difference
    ignores_training: bool  # whether it is too small because training sets do not vary in it
    parts: tuple[str, ...]  # names

    def __new__(
        cls, name: str, words: str = "", *sources: str, assumes: tuple[str, ...] = (), ignores_training: bool = False
    ) -> Self:
        return super().__new__(
            cls, name, words, *sources, assumes=assumes, ignores_training=ignores_training, parts=(name,)
        )

    def plus(self, part: StandardError) -> StandardError:
        """With a part that is added to it, or a correction."""
        assumes = dict.fromkeys((*self.assumes, *part.assumes))
        if INDEPENDENT_GROUPS in assumes:
            assumes.pop(INDEPENDENT_CASES, None)
        out = StandardError(f"{self}, {part}", f"{self.words}, {part.words}", *self.sources, *part.sources)
        out.__dict__.update(
            assumes=tuple(assumes), ignores_training=self.ignores_training, parts=(*self.parts, *part.parts)
        )
        return out


class Estimand(StrEnum):
    """What an estimate is about, where something depends on it; elsewhere it is any sentence."""

    def __repr__(self) -> str:
        return repr(self.value)

    RULE = "this rule, trained on all cases"
    TRAINED = "the rule trained on the training part"
    FITTED = "this rule, as it was fitted"
    N_CASES = "mean over training sets of n cases"
    FOLD_SETS = "mean over training sets of the folds, smaller than n"
    BOOTSTRAP_SETS = "mean over bootstrap training sets (about 63 % distinct cases)"
    MULTISETS = "mean over training sets that are multisets of the cases (about 50 % distinct cases)"
    # the same of a function of the table of truth and decision
    N_CASES_TABLE = "measure of the mean table over training sets of n cases"
    FOLD_TABLES = "measure of the mean table over training sets of the folds, smaller than n"
    BOOTSTRAP_TABLES = "measure of the mean table over bootstrap training sets (about 63 % distinct cases)"
    # the same of a function of means over cases, such as R²
    N_CASES_MEANS = "function of the means over cases and training sets of n cases"
    FOLD_MEANS = "function of the means over cases and training sets of the folds, smaller than n"
    BOOTSTRAP_MEANS = "function of the means over cases and bootstrap training sets (about 63 % distinct cases)"
    # the same of a metric of a set of scores
    N_CASES_SET = "metric of many cases, mean over training sets of n cases"
    FOLD_SETS_SET = "metric of many cases, mean over training sets of the folds, smaller than n"
    # the same of a functional of outcome and probability
    N_CASES_POOLED = "measure of the left-out probabilities, pooled over training sets of n cases"
    FOLD_POOLED = "measure of the left-out probabilities, pooled over training sets of the folds, smaller than n"
    BOOTSTRAP_POOLED = "measure of the left-out probabilities, pooled over bootstrap training sets"
    GIVEN = "given"  # a number that the user gave

    @property
    def of_bootstrap_sets(self) -> bool:
        """Whether it is about training sets that repeat cases, so that more cases change what is estimated."""
        return self in (
            Estimand.BOOTSTRAP_SETS,
            Estimand.MULTISETS,
            Estimand.BOOTSTRAP_TABLES,
            Estimand.BOOTSTRAP_MEANS,
            Estimand.BOOTSTRAP_POOLED,
        )


EMPIRICAL = Named("empirical", "the empirical curve")

# Standard errors that several rooms give; others stand in the file of their estimator.
OF_FIXED_RULES = (FIXED_RULES, INDEPENDENT_CASES, LARGE_CLASSES)
BINOMIAL = StandardError("binomial", "the binomial standard error", assumes=OF_FIXED_RULES)
BOOTSTRAP = StandardError("bootstrap", "the standard deviation over bootstrap resamples")
DELONG = StandardError("delong", "DeLong's standard error", "delong_1988", assumes=OF_FIXED_RULES)
DELTA = StandardError("delta", "the standard error of the delta method", assumes=OF_FIXED_RULES)
INFLUENCE = StandardError("influence", "the standard error of the influence function", "efron_tibshirani_1997")
JACKKNIFE = StandardError("jackknife", "the jackknife", "efron_1982", assumes=OF_FIXED_RULES)
NADEAU_BENGIO = StandardError(
    "nadeau-bengio",
    "Nadeau and Bengio's corrected standard error",
    "nadeau_bengio_2003",
    assumes=(
        INDEPENDENT_CASES,
        "two splits are correlated by n_test/n, a convention that works in practice and not a theorem.",
    ),
)
OF_A_MEAN = StandardError("mean", "the standard error of a mean", assumes=OF_FIXED_RULES)
PAIRED = StandardError("paired", "the standard error of paired differences")
POSITIVES = StandardError("positives", "the binomial standard error of the positives", "boyd_2013")
# parts
CLASS_SIZES = StandardError("class sizes", "the variance of the class sizes added")
GROUPS = StandardError("groups", "groups as the independent units", "obuchowski_1997", assumes=(INDEPENDENT_GROUPS,))
HALF_ADDED = StandardError("½ added", "½ added to every cell")
