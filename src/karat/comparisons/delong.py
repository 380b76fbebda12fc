"""DeLong: differences of AUCs on a test set, without refitting (DeLong, DeLong & Clarke-Pearson 1988)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from karat.comparisons.inputs import scores_of
from karat.comparisons.registry import comparison
from karat.comparisons.tails import check_alternative, no_difference, tail
from karat.errors import InputError
from karat.formulas.delong import delong_influence
from karat.result import Estimate
from karat.result.test_result import IDENTICAL, TestResult, shown_p

FIXED = "the rules are fixed: neither was trained or tuned on these cases, and no training set is averaged over."
CASES = "the cases are independent draws, positives and negatives, from the population that matters."
LARGE = (
    "each class has enough cases for a mean to be normal (with 10 of each it held its level in simulations, "
    "docs/comparison.md)."
)
KNOWN = (
    "there are enough cases, and enough errors among them, to know the covariance of the curves: with many rules that "
    "hardly err χ² rejects too often (docs/comparison.md)."
)
KNOWN_WELL = 100  # cases of the smaller class: with fewer the note gives Hotelling's F too


@comparison("scores", "Do two rules have the same AUC, on one test set?")
def delong(y: Any, s1: Any, s2: Any, positive: Any = None, alternative: str = "two-sided") -> TestResult:
    """Two AUCs of the same cases.

    z = (AUC_1 − AUC_2) / √Var,  Var = Σ_i (g_1i − g_2i)², g the vectors of `delong_influence`: the
    covariance of the two curves is part of it (DeLong et al. 1988, eq. 5).

    Parameters
    ----------
    y
        (n,) labels.
    s1, s2
        (n,) scores of the two rules, high for the positive class.
    positive
        The positive label, where it is not obvious.

    Examples
    --------
    >>> from karat import comparisons
    >>> t = comparisons.delong([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6], [1, 4, 5, 2, 3, 6])
    >>> round(t.difference.value, 4), round(t.p_value, 4)
    (0.3333, 0.2207)
    """
    check_alternative(alternative)
    up, first, second = scores_of(y, s1, s2, positive=positive)
    (a, ga), (b, gb) = delong_influence(first, up), delong_influence(second, up)
    d = auc_difference(a - b, ga - gb, up)
    z, p, notes = wald_test(d, alternative, "DeLong's")
    d = defended(d, np.array_equal(first, second))
    return TestResult(
        "DeLong, paired", z, p, alternative=alternative, difference=d, assumptions=(FIXED, CASES, LARGE), notes=notes
    )


@comparison("two sets", "Do two rules have the same AUC, each on a test set of its own?")
def delong_unpaired(
    y1: Any, s1: Any, y2: Any, s2: Any, positive: Any = None, alternative: str = "two-sided"
) -> TestResult:
    """Two AUCs of different cases: Var = Var_1 + Var_2, with Satterthwaite's degrees of freedom

    df = (Var_1 + Var_2)² / (Var_1²/(n_1 − 1) + Var_2²/(n_2 − 1)), n the cases of each set.
    """
    check_alternative(alternative)
    d = unpaired_difference(y1, s1, y2, s2, positive)
    t, p, notes = wald_test(d, alternative, "DeLong's", "venkatraman_unpaired")
    if notes:
        notes = ("The two AUCs are the same, and neither set has an error to judge them by.",)
    same = [np.array_equal(np.asarray(a), np.asarray(b)) for a, b in ((y1, y2), (s1, s2))]
    if all(same):
        notes = (*notes, "Both sets hold the same labels and scores: if they are one test set, delong is the test.")
    return TestResult(
        "DeLong, unpaired",
        t,
        p,
        df=d.df,
        alternative=alternative,
        difference=d,
        assumptions=(FIXED, CASES, "the two test sets have no case in common.", LARGE),
        notes=notes,
    )


def unpaired_difference(y1: Any, s1: Any, y2: Any, s2: Any, positive: Any) -> Estimate:
    """AUC_1 − AUC_2 of two test sets, with Var_1 + Var_2 and Satterthwaite's degrees of freedom.

    The standard error is None where neither set holds an error and the formula gives 0.
    """
    parts = []
    for k, (y, s) in enumerate(((y1, s1), (y2, s2))):
        up, scores = scores_of(y, s, positive=positive, names=(f"s{k + 1}",))
        value, g = delong_influence(scores, up)
        parts.append((value, float((g**2).sum()), len(up)))
    (a, va, na), (b, vb, nb) = parts
    d = Estimate(a - b, math.sqrt(va + vb), metric="auc difference", se_method="delong", bounds=(-1.0, 1.0))
    if va + vb < 1e-28:
        return d.with_(se=None).noting("No standard error: the formula gives 0 where neither set holds an error.")
    return d.with_(df=(va + vb) ** 2 / (va**2 / (na - 1) + vb**2 / (nb - 1)))


@comparison("scores", "Do several rules have the same AUC, on one test set?")
def delong_many(y: Any, scores: Any, positive: Any = None, contrasts: Any = None) -> TestResult:
    """Several AUCs at once: χ² = (Lθ)ᵀ (L S Lᵀ)⁻ (Lθ) with rank(L S Lᵀ) degrees of freedom.

    Parameters
    ----------
    scores
        (n, k): a column a rule.
    contrasts
        (r, k) rows L with sum 0; None: each rule against the last, so that all are equal without a difference.
    """
    try:
        table = np.asarray(scores.to_numpy() if hasattr(scores, "to_numpy") else scores, dtype=float)
    except (TypeError, ValueError):
        raise InputError("scores must be a table of numbers: a row a case, a column a rule") from None
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError("scores must have a column a rule, at least two", got=f"shape {table.shape}")
    up, *columns = scores_of(y, *table.T, positive=positive)
    values, vectors = zip(*(delong_influence(column, up) for column in columns), strict=True)
    theta, g = np.array(values), np.stack(vectors)  # (k,), (k, n)
    k = len(theta)
    if contrasts is None:
        contrasts = np.hstack([np.eye(k - 1), -np.ones((k - 1, 1))])
    try:
        L = np.atleast_2d(np.asarray(contrasts, dtype=float))
    except (TypeError, ValueError):
        raise InputError("contrasts must be rows of numbers", got=repr(contrasts)) from None
    if L.shape[1] != k or not np.allclose(L.sum(axis=1), 0):
        raise InputError("contrasts must be rows of k numbers with sum 0", got=f"shape {L.shape} for {k} rules")
    away = L @ theta
    # S = G Gᵀ, so L S Lᵀ = U diag(s²) Uᵀ of L G = U diag(s) Vᵀ: rank and inverse from the same singular values
    u, s, _ = np.linalg.svd(L @ g, full_matrices=False)
    keep = s > max(1e-14, 1e-10 * s.max())
    rank = int(keep.sum())
    names = "DeLong, several curves"
    assumptions = (FIXED, CASES, KNOWN)
    if rank == 0:
        if np.abs(away).max() > 0:
            raise InputError(_CERTAIN.format("DeLong's"), fix="Use venkatraman")
        return TestResult(names, 0.0, 1.0, df=0, assumptions=assumptions, notes=("The curves are the same.",))
    parts = u.T @ away  # (r,)
    if np.abs(parts[~keep]).max(initial=0.0) > 1e-9:
        raise InputError(_CERTAIN.format("DeLong's"), fix="Use venkatraman")
    chi2 = float(((parts[keep] / s[keep]) ** 2).sum())
    notes: tuple[str, ...] = (f"AUCs: {', '.join(f'{v:.4f}' for v in theta)}.",)
    least = int(min(up.sum(), (~up).sum()))
    if least < KNOWN_WELL:
        said = f"χ² takes the covariance for known. Allowing for the {least} cases of the smaller class, Hotelling's F "
        notes = (*notes, said + f"gives {shown_p(hotelling_p(chi2, rank, least))}: the safe side.")
    return TestResult(names, chi2, float(stats.chi2.sf(chi2, rank)), df=rank, assumptions=assumptions, notes=notes)


def hotelling_p(chi2: float, rank: int, cases: int) -> float:
    """p of F = χ² (m − r)/(r (m − 1)) with r and m − r degrees of freedom, m cases: T² of a mean of r numbers.

    The covariance of an AUC comes from two classes; the smaller one's m is the cautious choice. 1 where m ≤ r.
    """
    if cases <= rank:
        return 1.0
    return float(stats.f.sf(chi2 * (cases - rank) / (rank * (cases - 1)), rank, cases - rank))


_CERTAIN = (
    "{} variance is 0 although the values differ: neither rule ranks two cases of a class differently against the "
    "other class (it separates the classes, inverts them, or scores all cases alike)"
)


def auc_difference(value: float, influence: np.ndarray, up: np.ndarray) -> Estimate:
    """A difference of AUCs, within (−1, 1)."""
    return Estimate(
        value,
        se=float(np.linalg.norm(influence)),
        influence=influence,
        metric="auc difference",
        se_method="delong",
        bounds=(-1.0, 1.0),
        estimand="these two rules",
        cases=int(min(up.sum(), (~up).sum())),
    )


def defended(d: Estimate, identical: bool) -> Estimate:
    """The difference without its standard error where that is 0 although the two score differently."""
    if d.se is None or d.se >= 1e-14:
        return d
    if identical:
        return d.with_(value=0.0, se=0.0).noting(IDENTICAL)
    return d.with_(se=None, influence=None).noting(
        "No standard error: the formula gives 0 here although the two score these cases differently."
    )


def wald_test(
    d: Estimate, alternative: str, whose: str, instead: str = "venkatraman"
) -> tuple[float, float, tuple[str, ...]]:
    """Statistic, p and notes of value / se; 1 where the inputs are the same."""
    if d.se is None or d.se < 1e-14:
        if abs(d.value) > 1e-12:
            raise InputError(_CERTAIN.format(whose), fix=f"Use {instead}, which needs no variance")
        return 0.0, no_difference(alternative), ("The two have no difference at all in these cases.",)
    z = d.value / d.se
    return z, tail(z, alternative, d.df), ()
