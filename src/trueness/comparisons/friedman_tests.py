"""Friedman's test of several models over several data sets, with Iman and Davenport's F."""

from __future__ import annotations

import math

import pandas as pd
from scipy import stats

from trueness.comparisons.assumptions import COMPARABLE_RANKS, INDEPENDENT_ROWS
from trueness.comparisons.friedman_exact import exact_p, least_p
from trueness.comparisons.registry import comparison
from trueness.comparisons.results import Results, checked_ranks
from trueness.result import Note
from trueness.result.test_result import FriedmanResult

APPROXIMATE = (
    "χ² and F are approximations; both kept their level with 5, 8 and 12 data sets of 4 models in simulations "
    "(docs/comparison.md)."
)
SIGN_TEST = Note("sign-test", "With two models the p-value is that of the sign test.")


@comparison("table", "Do several models do equally well over data sets?", "demsar_2006", "iman_davenport_1980")
def friedman(table: Results, higher_is_better: bool = True) -> FriedmanResult:
    """Friedman's χ², corrected for ties, and Iman and Davenport's F.

    χ² = (k − 1) Σ_j (R_j − N(k + 1)/2)² / (Σ_ij r_ij² − N k (k + 1)²/4),   k − 1 degrees of freedom;
    F = (N − 1) χ² / (N(k − 1) − χ²),   k − 1 and (k − 1)(N − 1) degrees of freedom (Demšar 2006, section 3.2.1).
    Where all permutations of the ranks within the data sets can be counted (up to 10⁹ of them, and few enough in each
    step: up to 8 models, or 9 on two data sets), `f_p_value` is the exact one, and the p-value of χ² is never below it;
    for two models both are the sign test's.

    Parameters
    ----------
    table : DataFrame or array-like
        Rows are data sets, columns models; `results_table` converts other forms.
    higher_is_better : bool, default True
        False for error rates. It decides which rank is 1 and does not change the p-values.

    Returns
    -------
    FriedmanResult
    """
    r = checked_ranks(table, higher_is_better)
    n, k = r.shape
    chi2 = _chi2(r)
    f, p, f_p = 0.0, 1.0, 1.0
    notes: tuple[Note, ...] = (Note("equal-mean-ranks", "The mean ranks are all equal."),)
    if chi2 > 0:
        rest = n * (k - 1) - chi2
        f = math.inf if rest <= 1e-9 * n else (n - 1) * chi2 / rest  # ∞: all data sets rank the models alike
        exact = exact_p(r.to_numpy())
        least = least_p(r.to_numpy()) if exact is None else exact
        f_p = max(float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))), least) if exact is None else exact
        p = f_p if k == 2 else max(float(stats.chi2.sf(chi2, k - 1)), least)
        notes = _notes(k, f, exact)
    return FriedmanResult(
        "Friedman",
        chi2,
        p,
        k - 1,
        assumptions=(INDEPENDENT_ROWS, COMPARABLE_RANKS, APPROXIMATE),
        notes=notes,
        ranks=r.mean(axis=0),
        f_statistic=f,
        f_df=(float(k - 1), float((k - 1) * (n - 1))),
        f_p_value=f_p,
    )


def _notes(k: int, f: float, exact: float | None) -> tuple[Note, ...]:
    """Where the p-values come from."""
    if k == 2:
        return (SIGN_TEST,)
    if exact is not None:
        message = (
            "Few data sets: the p-value of F is exact, from all permutations of the ranks within each data set, and "
            "that of χ² is never below it."
        )
        return (Note("exact-p-value", message, p_value=exact),)
    if math.isinf(f):
        message = "All data sets rank the models alike; the p-value of F is that of the permutations."
        return (Note("same-ranking", message),)
    return ()


def _chi2(r: pd.DataFrame) -> float:
    n, k = r.shape
    spread = float((r.to_numpy() ** 2).sum()) - n * k * (k + 1) ** 2 / 4
    if spread <= 1e-9:
        return 0.0  # ties everywhere
    sums = r.sum(axis=0).to_numpy()
    return float((k - 1) * ((sums - n * (k + 1) / 2) ** 2).sum() / spread)
