"""Nadeau and Bengio's corrected t: splits of one data set, their dependence allowed for."""

from __future__ import annotations

from typing import Any

from karat.comparisons.inputs import values_of
from karat.comparisons.paired_t import NO_SPREAD_OF_SPLITS, t_of
from karat.comparisons.registry import comparison
from karat.comparisons.tails import check_alternative
from karat.errors import InputError
from karat.result.test_result import TestResult

CORRELATED = (
    "the results of two splits are correlated by n_test/(n_train + n_test): a convention that works, not a theorem."
)
SAME = "each split gives one difference, both models trained and tested on the same cases of it."


@comparison("splits", "Do two models do equally well, over random splits or folds of one data set?")
def corrected_t(differences: Any, n_train: float, n_test: float, alternative: str = "two-sided") -> TestResult:
    """t = mean / √((1/J + n_test/n_train) s²), J − 1 degrees of freedom (Nadeau & Bengio 2003).

    Parameters
    ----------
    differences
        (J,) first − second on J splits (random splits, or the folds of a repeated cross-validation).
    n_train, n_test
        Cases in the training and in the test part of a split.

    Examples
    --------
    >>> from karat import comparisons
    >>> t = comparisons.corrected_t([0.05, -0.02, 0.04, 0.03, 0.01, 0.02], n_train=90, n_test=10)
    >>> round(t.statistic, 4), round(t.p_value, 4)
    (1.6555, 0.1587)
    """
    check_alternative(alternative)
    x = values_of(differences, "differences", 1)
    ratio = check_split(len(x), n_train, n_test)
    d, statistic, p, notes = t_of(x, 1 / len(x) + ratio, len(x) - 1, alternative, NO_SPREAD_OF_SPLITS)
    return TestResult(
        "Corrected resampled t (Nadeau–Bengio)",
        statistic,
        p,
        df=len(x) - 1,
        alternative=alternative,
        difference=d.with_(se_method="nadeau-bengio"),
        assumptions=(SAME, CORRELATED, "the differences are about normal."),
        notes=notes,
    )


def check_split(splits: int, n_train: float, n_test: float) -> float:
    """n_test / n_train, where both make sense."""
    if splits < 2:
        raise InputError("at least 2 splits are needed", got=splits)
    if not (n_train > 0 and n_test > 0):
        raise InputError("n_train and n_test must be positive", got=f"{n_train} and {n_test}")
    return n_test / n_train
