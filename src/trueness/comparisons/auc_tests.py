"""DeLong: differences of AUCs on a test set, without refitting (DeLong, DeLong & Clarke-Pearson 1988)."""

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Literal

import numpy as np
from scipy import stats

from trueness.checks import check_choice
from trueness.comparisons.registry import SEPARATE_SETS, comparison
from trueness.errors import InputError
from trueness.result.estimate import Estimate
from trueness.result.grouped import few_groups
from trueness.result.joint import paired_test
from trueness.result.notes import NO_VARIANCE, Note, inherited
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.result.words import DELONG, FIXED_RULES, INDEPENDENT_CASES, INDEPENDENT_GROUPS, LARGE_CLASSES
from trueness.sample.answers import Answers
from trueness.sample.scored import MIN_CASES_FOR_NORMAL, delong_of_groups
from trueness.sample.scores import numbers
from trueness.typing import Alternative, Floats, Ints, Label, Labels, Scores

COVARIANCE_KNOWN = "there are enough cases to estimate the covariance of the AUCs well."
MIN_CLASS_FOR_CHI2 = 100  # cases of the smaller class: below it a note gives Hotelling's F as well


@comparison("scores", "Same AUC?", "delong_1988")
def delong(
    y: Labels,
    s1: Scores,
    s2: Scores,
    *,
    positive: Label | None = None,
    alternative: Alternative = "two-sided",
    groups: Labels | None = None,
) -> TestResult:
    """Compare two AUCs on the same cases.

    z = (AUC_1 − AUC_2) / √Var,  Var = Σ_i (g_1i − g_2i)², with g the influence vectors of the AUCs, so the covariance
    of the two curves is included (DeLong et al. 1988, eq. 5). Where a class has fewer than 20 cases z is compared with
    Student's t with Satterthwaite's degrees of freedom over the two classes, otherwise with the normal law.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    s1, s2 : array-like of shape (n,)
        Scores of the two rules, higher for the positive class.
    positive : label, optional
        The positive label; may be omitted for 0/1, −1/1, no/yes and booleans.
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
    (0.3333, 0.2879)
    """
    rules = Answers.of_scores(y, (s1, s2), positive, groups)
    d = rules.aucs().difference()
    if groups is None:
        return by_difference(d, "DeLong, paired", alternative, (FIXED_RULES, INDEPENDENT_CASES, LARGE_CLASSES))
    return by_difference(d, "DeLong, paired, groups", alternative, (FIXED_RULES, INDEPENDENT_GROUPS))


def by_difference(
    d: Estimate,
    name: str,
    alternative: Alternative = "two-sided",
    assumptions: tuple[str, ...] = (),
) -> TestResult:
    """The test of a difference of two curves; an error where it has no standard error although the areas differ."""
    test = paired_test(d, name, alternative, assumptions)
    if test is None:
        raise zero_variance("s1")
    return test.noting(*inherited(d.notes, "data", "test"))


@comparison("two sets", "Same AUC?", "delong_1988")
def delong_unpaired(
    y1: Labels,
    s1: Scores,
    y2: Labels,
    s2: Scores,
    *,
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
    d = unpaired_difference(y1, s1, y2, s2, positive, groups1, groups2)
    grouped = groups1 is not None or groups2 is not None
    independent = (INDEPENDENT_GROUPS,) if grouped else (INDEPENDENT_CASES, LARGE_CLASSES)
    name, assumptions = "DeLong, unpaired" + ", groups" * grouped, (FIXED_RULES, *independent, SEPARATE_SETS)
    test = by_difference(d, name, alternative, assumptions)
    if all(np.asarray(a).tolist() == np.asarray(b).tolist() for a, b in ((y1, y2), (s1, s2))):
        test = test.noting(Note("same-test-set"))
    return test


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
    found, notes = [], list[Note]()
    for k, (y, s, groups) in enumerate(((y1, s1, groups1), (y2, s2, groups2)), start=1):
        auc = Answers.of_scores(y, {f"s{k}": s}, positive, groups, param=f"groups{k}").aucs()
        e, df = Estimate(float(auc.values[0]), se=float(np.linalg.norm(auc.alone))), len(auc.codes) - 1.0
        if auc.groups is not None:
            e = delong_of_groups(e, auc.alone[0], auc.codes, auc.groups)
            df = e.df or auc.units - 1.0
        found.append((e.value, (e.se or 0.0) ** 2, df))
        notes += [note.about(f"set {k}", set=k) for note in e.notes]
    (a, va, of_a), (b, vb, of_b) = found
    d = Estimate(a - b, math.sqrt(va + vb), metric="auc difference", se_method=DELONG, bounds=(-1.0, 1.0))
    if va + vb < 1e-28:
        return d.with_(se=None).noting(*notes, NO_VARIANCE)
    return d.with_(df=(va + vb) ** 2 / (va**2 / of_a + vb**2 / of_b)).noting(*notes)


@comparison("scores", "Same AUC of several rules?", "delong_1988")
def delong_many(
    y: Labels,
    scores: Scores | Mapping[str, Scores],
    *,
    positive: Label | None = None,
    groups: Labels | None = None,
    method: Literal["chi2", "hotelling"] | None = None,
) -> TestResult:
    """Compare several AUCs at once: χ² = (Lθ)ᵀ (L S Lᵀ)⁻ (Lθ) with r = rank(L S Lᵀ) degrees of freedom, L each rule
    against the last.

    Where a class has fewer than 20 cases, and with groups, S is too uncertain to count as known, and the statistic is
    Hotelling's F = χ² (ν − r + 1)/(r ν) with r and ν − r + 1 degrees of freedom. With two rules this is the square of
    `delong`'s t: ν = r(r + 1) / Σ_c (tr A_c² + (tr A_c)²)/(n_c − 1), A_c the share of class c in the covariance
    (Krishnamoorthy & Yu 2004), is Satterthwaite's for r = 1.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    scores : array-like of shape (n, k), or mapping of str to array-like of shape (n,)
        One column per rule.
    positive : label, optional
        The positive label.
    groups : array-like of shape (n,), optional
        The group of each case, as in `delong`; ν is the fewest degrees of freedom of a difference of two, G − 1 for equal
        groups.
    method : {"chi2", "hotelling"}, optional
        χ², as DeLong et al. (1988) have it whatever the number of cases, or Hotelling's F. By default as above.

    Returns
    -------
    TestResult
    """
    if not isinstance(scores, Mapping):
        table = numbers(scores, "scores")
        scores = {f"s{k + 1}": column for k, column in enumerate(table.T)} if table.ndim == 2 else {}
    if len(scores) < 2:
        raise InputError(
            "Scores of two or more rules are required", param="scores", fix="Pass (n, k) or {name: scores}"
        )
    aucs = Answers.of_scores(y, scores, positive, groups).aucs()
    theta, g = aucs.values, aucs.sums(aucs.influence)  # (k,), (k, G)
    L = np.hstack([np.eye(len(theta) - 1), -np.ones((len(theta) - 1, 1))])
    least, known_methods = aucs.units, ("chi2", "hotelling")[groups is not None :]
    if method is None:
        method = "hotelling" if groups is not None or least < MIN_CASES_FOR_NORMAL else "chi2"
    check_choice("method", method, known_methods, "The method is unknown, or not for cases in groups")
    # S = G Gᵀ, so L S Lᵀ = U diag(s²) Uᵀ of L G = U diag(s) Vᵀ: rank and inverse from the same singular values
    u, s, vt = np.linalg.svd(L @ g, full_matrices=False)
    keep = s > max(1e-14, 1e-10 * s.max())
    rank, parts = int(keep.sum()), u.T @ (L @ theta)  # (r,)
    if np.abs(parts[~keep]).max(initial=0.0) > 1e-9:
        raise zero_variance("scores")
    chi2 = float(((parts[keep] / s[keep]) ** 2).sum())
    name, independent, notes = "DeLong, several curves", INDEPENDENT_CASES, [Note("auc-values", values=theta.tolist())]
    if aucs.groups is not None:
        name, independent = f"{name}, groups", INDEPENDENT_GROUPS
        counted = Note("groups", cases=len(aucs.codes), groups=g.shape[1], design_effect=None)
        notes += [note for note in (counted, few_groups(least)) if note is not None]
    assumptions = (FIXED_RULES, independent)
    if rank == 0:
        return TestResult(name, 0.0, 1.0, df=0, assumptions=assumptions, notes=(NO_DIFFERENCE,))
    if method == "chi2":
        if least < MIN_CLASS_FOR_CHI2:
            notes.append(Note("covariance-estimated", cases=least, p_value=hotelling_p(chi2, rank, least)))
        about = (*assumptions, COVARIANCE_KNOWN), tuple(notes)
        return TestResult(name, chi2, float(stats.chi2.sf(chi2, rank)), rank, "two-sided", None, *about)
    if aucs.groups is None:
        known = _common_df(vt[keep], aucs.codes)
    else:  # the fewest that a difference of two has, so that two rules have the p-value of `delong`
        dfs = (aucs.difference(i, j).df for i, j in combinations(range(len(theta)), 2))
        known = min((df for df in dfs if df is not None), default=least - 1.0)
    below = known - rank + 1
    if below <= 0:
        problem = f"A test of {rank} differences needs more than {rank} cases (or groups) of each class"
        raise InputError(problem, param="scores", got=least, fix="Compare fewer rules at once")
    f, of_f = chi2 * below / (rank * (below + rank - 1)), (float(rank), float(below))
    return TestResult(name, f, float(stats.f.sf(f, *of_f)), of_f, assumptions=assumptions, notes=tuple(notes))


def _common_df(spread: Floats, codes: Ints) -> float:
    """ν of a covariance that two classes add up to, from the standardized influences (r, n) (Krishnamoorthy & Yu 2004,
    Modified Nel and Van der Merwe test): a Wishart matrix of ν degrees of freedom has as large an E tr (S − I)²."""
    total, r = 0.0, len(spread)
    for code in np.unique(codes):
        of = codes == code
        a = spread[:, of] @ spread[:, of].T
        total += float((a**2).sum() + np.trace(a) ** 2) / max(int(of.sum()) - 1, 1)
    return r * (r + 1) / total


def hotelling_p(chi2: float, rank: int, cases: int) -> float:
    """p of F = χ² (m − r)/(r (m − 1)) with r and m − r degrees of freedom: Hotelling's T² of r means of m cases.

    The covariance of an AUC is estimated from two classes; m of the smaller one is the cautious choice. 1 where m ≤ r.
    """
    if cases <= rank:
        return 1.0
    return float(stats.f.sf(chi2 * (cases - rank) / (rank * (cases - 1)), rank, cases - rank))


def zero_variance(param: str) -> InputError:
    problem, fix = (
        "The variance of the difference is 0 although the values differ",
        "Use venkatraman or venkatraman_unpaired",
    )
    return InputError(problem, param=param, fix=fix)
