"""DeLong: differences of AUCs on a test set, without refitting (DeLong, DeLong & Clarke-Pearson 1988)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import stats

from trueness.checks import number_array
from trueness.comparisons.assumptions import (
    FIXED_RULES,
    INDEPENDENT_CASES,
    INDEPENDENT_GROUPS,
    LARGE_CLASSES,
    SEPARATE_SETS,
)
from trueness.comparisons.inputs import TwoRules, check_alternative, groups_of, scores_of
from trueness.comparisons.p_values import tail
from trueness.comparisons.registry import comparison
from trueness.errors import InputError
from trueness.formulas.auc import delong_influence
from trueness.formulas.groups import count_groups, delong_in_groups, group_sums, groups_by_class
from trueness.result import Estimate, Note
from trueness.result.grouped import few_groups
from trueness.result.named import DELONG
from trueness.result.test_result import NO_DIFFERENCE, TestResult, shown_p
from trueness.sample.auc_estimate import delong_of_groups
from trueness.sample.scores import numbers
from trueness.typing import Alternative, Bools, Ints, Label, Labels, Scores

COVARIANCE_KNOWN = (
    "there are enough cases, and enough errors among them, to estimate the covariance of the AUCs well: with many "
    "rules of few errors χ² rejects too often (docs/comparison.md)."
)
MIN_CLASS_FOR_CHI2 = 100  # cases of the smaller class: below it a note gives Hotelling's F as well


@comparison("scores", "Do two rules have the same AUC, on one test set?", "delong_1988")
def delong(
    y: Labels,
    s1: Scores,
    s2: Scores,
    positive: Label | None = None,
    alternative: Alternative = "two-sided",
    groups: Labels | None = None,
) -> TestResult:
    """Compare two AUCs on the same cases.

    z = (AUC_1 − AUC_2) / √Var,  Var = Σ_i (g_1i − g_2i)², with g the influence vectors of the AUCs, so the covariance
    of the two curves is included (DeLong et al. 1988, eq. 5).

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    s1, s2 : array-like of shape (n,)
        Scores of the two rules, higher for the positive class.
    positive : label, optional
        The positive label; may be omitted for 0/1, −1/1 and booleans.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For AUC_1 − AUC_2.
    groups : array-like of shape (n,), optional
        The group of each case, where only whole groups are independent: influence is summed within groups (Obuchowski
        1997), and z is compared with Student's t with G − 1 degrees of freedom, G the groups of the class with fewest.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> from trueness import comparisons
    >>> t = comparisons.delong([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6], [1, 4, 5, 2, 3, 6])
    >>> round(t.difference.value, 4), round(t.p_value, 4)
    (0.3333, 0.2207)
    """
    check_alternative(alternative)
    rules = TwoRules.of(y, s1, s2, positive, groups)
    d = auc_difference(rules)
    z, p, notes = wald_test(d, alternative)
    d = without_zero_se(d, rules.identical)
    if rules.groups is None:
        cases = (FIXED_RULES, INDEPENDENT_CASES, LARGE_CLASSES)
        return TestResult("DeLong, paired", z, p, None, alternative, d, cases, notes)
    assumptions, notes = (FIXED_RULES, INDEPENDENT_GROUPS), (*notes, *about_groups(d))
    return TestResult("DeLong, paired, groups", z, p, d.df, alternative, d, assumptions, notes)


def about_groups(d: Estimate) -> tuple[Note, ...]:
    """What a test says of groups: how many, and whether they are few."""
    return tuple(note for code in ("groups", "few-groups") if (note := d.noted(code)) is not None)


@comparison("two sets", "Do two rules have the same AUC, each on its own test set?", "delong_1988")
def delong_unpaired(
    y1: Labels,
    s1: Scores,
    y2: Labels,
    s2: Scores,
    positive: Label | None = None,
    alternative: Alternative = "two-sided",
    groups1: Labels | None = None,
    groups2: Labels | None = None,
) -> TestResult:
    """Compare two AUCs on different cases.

    Var = Var_1 + Var_2, with Satterthwaite's degrees of freedom
    (Var_1 + Var_2)² / (Var_1²/(n_1 − 1) + Var_2²/(n_2 − 1)) for test sets of n_1 and n_2 cases, or of n_k groups in the
    class that has the fewest.

    Parameters
    ----------
    y1, s1 : array-like of shape (n_1,)
        Labels and scores of the first test set.
    y2, s2 : array-like of shape (n_2,)
        Labels and scores of the second test set.
    positive : label, optional
        The positive label of both sets.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For AUC_1 − AUC_2.
    groups1, groups2 : array-like of shape (n_1,) and (n_2,), optional
        The group of each case of a set, where only whole groups are independent (Obuchowski 1997). A group with the
        same name in both sets counts as two: the sets are independent.

    Returns
    -------
    TestResult
    """
    check_alternative(alternative)
    d = unpaired_difference(y1, s1, y2, s2, positive, groups1, groups2)
    t, p, notes = wald_test(d, alternative, "venkatraman_unpaired")
    if notes:
        notes = (Note("no-errors", "The two AUCs are equal, and neither test set has an error to estimate a spread."),)
    if all(np.asarray(a).tolist() == np.asarray(b).tolist() for a, b in ((y1, y2), (s1, s2))):
        message = "Both test sets have the same labels and scores. If they are one test set, use delong."
        notes = (*notes, Note("same-test-set", message))
    grouped = groups1 is not None or groups2 is not None
    independent = (INDEPENDENT_GROUPS,) if grouped else (INDEPENDENT_CASES, LARGE_CLASSES)
    notes += tuple(note for note in d.notes if note.code in ("groups", "few-groups"))
    name = "DeLong, unpaired, groups" if grouped else "DeLong, unpaired"
    return TestResult(name, t, p, d.df, alternative, d, (FIXED_RULES, *independent, SEPARATE_SETS), notes)


def unpaired_difference(
    y1: Labels,
    s1: Scores,
    y2: Labels,
    s2: Scores,
    positive: Label | None,
    groups1: Labels | None = None,
    groups2: Labels | None = None,
) -> Estimate:
    """AUC_1 − AUC_2 of two test sets; without a standard error where neither set has an error and the formula gives
    0."""
    parts, notes = [], []
    for k, (y, s, groups) in enumerate(((y1, s1, groups1), (y2, s2, groups2)), start=1):
        up, scores = scores_of(y, s, positive=positive, names=(f"s{k}",))
        units = groups_of(groups, y, up, f"groups{k}")
        value, g = delong_influence(scores, up)
        variance, n = float((g**2).sum()), len(up)
        if units is not None:
            e = delong_of_groups(Estimate(value), g, up.astype(np.intp), units)
            variance, n = 0.0 if e.se is None else e.se**2, int(groups_by_class(units, up.astype(np.intp)).min())
            notes += [note.about(f"set {k}", set=k) for note in e.notes]
        parts.append((value, variance, n))
    (a, va, na), (b, vb, nb) = parts
    d = Estimate(a - b, math.sqrt(va + vb), metric="auc difference", se_method=DELONG, bounds=(-1.0, 1.0))
    d = d.noting(*notes)
    if va + vb < 1e-28:
        message = "No standard error: DeLong's formula gives 0 because neither test set has an error."
        return d.with_(se=None).noting(Note("no-se-zero-variance", message))
    return d.with_(df=(va + vb) ** 2 / (va**2 / (na - 1) + vb**2 / (nb - 1)))


@comparison("scores", "Do several rules have the same AUC, on one test set?", "delong_1988")
def delong_many(
    y: Labels,
    scores: Scores,
    positive: Label | None = None,
    contrasts: npt.ArrayLike | None = None,
    groups: Labels | None = None,
) -> TestResult:
    """Compare several AUCs at once: χ² = (Lθ)ᵀ (L S Lᵀ)⁻ (Lθ) with rank(L S Lᵀ) degrees of freedom.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    scores : array-like of shape (n, k)
        One column per rule.
    positive : label, optional
        The positive label.
    contrasts : array-like of shape (r, k), optional
        Rows L with sum 0. By default each rule against the last, which tests that all are equal.
    groups : array-like of shape (n,), optional
        The group of each case, as in `delong`. The statistic is then Hotelling's F = χ² (G − r)/(r (G − 1)) with r and
        G − r degrees of freedom; with two rules it is the square of `delong`'s.

    Returns
    -------
    TestResult
    """
    table = numbers(scores, "scores")
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError("scores must have shape (n, k) with k ≥ 2 rules", param="scores", got=f"shape {table.shape}")
    up, *columns = scores_of(y, *table.T, positive=positive)
    values, vectors = zip(*(delong_influence(column, up) for column in columns), strict=True)
    theta, g = np.array(values), np.stack(vectors)  # (k,), (k, n)
    units = groups_of(groups, y, up)
    if units is not None:
        g = group_sums(delong_in_groups(g, up.astype(np.intp), units), units)  # (k, G)
    k = len(theta)
    L = np.hstack([np.eye(k - 1), -np.ones((k - 1, 1))])
    if contrasts is not None:
        L = np.atleast_2d(number_array("contrasts", contrasts))
    if L.shape[1] != k or not np.allclose(L.sum(axis=1), 0):
        raise InputError(
            "contrasts must be rows of k numbers with sum 0",
            param="contrasts",
            got=f"shape {L.shape} for k = {k} rules",
        )
    # S = G Gᵀ, so L S Lᵀ = U diag(s²) Uᵀ of L G = U diag(s) Vᵀ: rank and inverse from the same singular values
    u, s, _ = np.linalg.svd(L @ g, full_matrices=False)
    keep = s > max(1e-14, 1e-10 * s.max())
    rank, parts = int(keep.sum()), u.T @ (L @ theta)  # (r,)
    if np.abs(parts[~keep]).max(initial=0.0) > 1e-9:
        raise _zero_variance("venkatraman", "scores")
    chi2 = float(((parts[keep] / s[keep]) ** 2).sum())
    assumptions = (FIXED_RULES, INDEPENDENT_CASES, COVARIANCE_KNOWN)
    name = "DeLong, several curves"
    if rank == 0:
        return TestResult(name, 0.0, 1.0, df=0, assumptions=assumptions, notes=(NO_DIFFERENCE,))
    aucs = theta.tolist()
    notes = [Note("auc-values", f"AUCs: {', '.join(f'{v:.4f}' for v in aucs)}.", values=aucs)]
    if units is not None:
        return _hotelling(chi2, rank, units, up, tuple(notes))
    least = int(min(up.sum(), (~up).sum()))
    if least < MIN_CLASS_FOR_CHI2:
        p = hotelling_p(chi2, rank, least)
        message = (
            f"χ² treats the covariance as known. With {least} cases in the smaller class, Hotelling's F, which does "
            f"not, gives {shown_p(p)}."
        )
        notes.append(Note("covariance-estimated", message, cases=least, p_value=p))
    p = float(stats.chi2.sf(chi2, rank))
    return TestResult(name, chi2, p, df=rank, assumptions=assumptions, notes=tuple(notes))


def _hotelling(chi2: float, rank: int, groups: Ints, up: Bools, notes: tuple[Note, ...]) -> TestResult:
    """The test of groups: their covariance is estimated, so F takes the place of χ²."""
    g = int(groups_by_class(groups, up.astype(np.intp)).min())
    if g <= rank:
        raise InputError(
            f"The class with fewest groups has {g}; a test of {rank} differences needs more than {rank}",
            param="groups",
            fix="Compare fewer rules at once",
        )
    f = chi2 * (g - rank) / (rank * (g - 1))
    every = count_groups(groups)
    counted = Note("groups", f"{len(groups)} cases in {every} groups.", groups=every, design_effect=None)
    notes += tuple(note for note in (counted, few_groups(g)) if note is not None)
    assumptions = (FIXED_RULES, INDEPENDENT_GROUPS)
    p, df = hotelling_p(chi2, rank, g), (float(rank), float(g - rank))
    return TestResult("DeLong, several curves, groups", f, p, df, assumptions=assumptions, notes=notes)


def hotelling_p(chi2: float, rank: int, cases: int) -> float:
    """p of F = χ² (m − r)/(r (m − 1)) with r and m − r degrees of freedom: Hotelling's T² of r means of m cases.

    The covariance of an AUC is estimated from two classes; m of the smaller one is the cautious choice. 1 where m ≤ r.
    """
    if cases <= rank:
        return 1.0
    return float(stats.f.sf(chi2 * (cases - rank) / (rank * (cases - 1)), rank, cases - rank))


def auc_difference(rules: TwoRules) -> Estimate:
    """AUC_1 − AUC_2 on the same cases, with DeLong's standard error, over groups Obuchowski's."""
    up = rules.up
    (a, ga), (b, gb) = delong_influence(rules.first, up), delong_influence(rules.second, up)
    out = Estimate(
        a - b,
        se=float(np.linalg.norm(ga - gb)),
        influence=ga - gb,
        metric="auc difference",
        se_method=DELONG,
        bounds=(-1.0, 1.0),
        estimand="these two rules",
        cases=int(min(up.sum(), (~up).sum())),
    )
    return out if rules.groups is None else delong_of_groups(out, ga - gb, up.astype(np.intp), rules.groups)


def without_zero_se(d: Estimate, identical: bool) -> Estimate:
    """The difference without its standard error where that is 0 although the two inputs differ."""
    if d.se is None or d.se >= 1e-14:
        return d
    if identical:
        return d.with_(value=0.0, se=0.0).noting(Note("identical-inputs", "The two inputs are equal in every case."))
    message = "No standard error: the formula gives 0 although the two rules score these cases differently."
    return d.with_(se=None, influence=None).noting(Note("no-se-zero-variance", message))


def wald_test(
    d: Estimate, alternative: Alternative, instead: str = "venkatraman"
) -> tuple[float, float, tuple[Note, ...]]:
    """Statistic, p-value and notes of value / se; p is 1 where there is no difference and no spread."""
    if d.se is None or d.se < 1e-14:
        if abs(d.value) > 1e-12:
            raise _zero_variance(instead)
        return 0.0, 1.0, (NO_DIFFERENCE,)
    z = d.value / d.se
    return z, tail(z, alternative, d.df), ()


def _zero_variance(instead: str, param: str = "s1") -> InputError:
    return InputError(
        "The variance of the difference is 0 although the values differ: each rule separates the classes, inverts "
        "them, or gives all cases the same score",
        param=param,
        fix=f"Use {instead}, which needs no variance",
    )
