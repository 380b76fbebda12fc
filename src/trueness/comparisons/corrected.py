"""Nadeau and Bengio's corrected t (2003): splits of one data set, with their dependence allowed for."""

from __future__ import annotations

from dataclasses import replace

import numpy.typing as npt

from trueness.comparisons.assumptions import PAIRED_SPLITS
from trueness.comparisons.inputs import check_positive, split_values
from trueness.comparisons.registry import comparison
from trueness.comparisons.t_tests import FIX_FOR_SPLITS, t_test
from trueness.result import TestResult
from trueness.result.named import NADEAU_BENGIO
from trueness.typing import Alternative, Floats

CORRELATED = "the results of two splits have correlation n_test/(n_train + n_test): a useful convention, not a theorem."


@comparison(
    "splits", "Do two models do equally well, over random splits or folds of one data set?", "nadeau_bengio_2003"
)
def corrected_t(
    differences: npt.ArrayLike, n_train: float, n_test: float, alternative: Alternative = "two-sided"
) -> TestResult:
    """t = mean / √((1/J + n_test/n_train) s²), J − 1 degrees of freedom.

    Parameters
    ----------
    differences : array-like of shape (J,)
        first − second on J splits (random splits, or the folds of a repeated cross-validation).
    n_train, n_test : float
        Cases in the training and in the test part of a split.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For the mean difference.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> from trueness import comparisons
    >>> t = comparisons.corrected_t([0.05, -0.02, 0.04, 0.03, 0.01, 0.02], n_train=90, n_test=10)
    >>> round(t.statistic, 4), round(t.p_value, 4)
    (1.6555, 0.1587)
    """
    x, ratio = splits_of(differences, "differences", n_train, n_test)
    assumptions = (PAIRED_SPLITS, CORRELATED, "the differences are about normal.")
    name = "Corrected resampled t (Nadeau–Bengio)"
    t = t_test(name, x, 1 / len(x) + ratio, alternative, assumptions, "differences", FIX_FOR_SPLITS)
    return replace(t, difference=t.difference and t.difference.with_(se_method=NADEAU_BENGIO))


def splits_of(differences: npt.ArrayLike, name: str, n_train: float, n_test: float) -> tuple[Floats, float]:
    """The differences, and n_test / n_train."""
    x = split_values(differences, name)
    check_positive("n_train", n_train)
    check_positive("n_test", n_test)
    return x, n_test / n_train
