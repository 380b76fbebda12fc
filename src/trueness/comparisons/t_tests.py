"""Student's t of paired values and of splits, and equivalence by two one-sided tests."""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import stats

from trueness.checks import check_flag, check_whole, generator_of
from trueness.comparisons.rank_tests import wilcoxon
from trueness.comparisons.registry import (
    INDEPENDENT_PAIRS,
    PAIRED_SPLITS,
    PAIRED_VALUES,
    blocks,
    check_inside,
    comparison,
    constant,
    paired_values,
    split_values,
    values_of,
    without_se,
)
from trueness.errors import InputError
from trueness.formulas.intervals import tail
from trueness.metrics.registry import canonical, resolve
from trueness.result.estimate import Estimate
from trueness.result.joint import IDENTICAL, beyond
from trueness.result.notes import Note, warn
from trueness.result.test_result import NO_DIFFERENCE, BayesResult, TestResult
from trueness.result.words import NADEAU_BENGIO, StandardError
from trueness.typing import Alternative, Floats, Rng

NORMAL = "the differences are normally distributed."
MIN_PAIRS_FOR_CHECK = 5
INVALID = Note("invalid-for-splits")


@comparison("values", "Equally good on average?")
def paired_t(e1: npt.ArrayLike, e2: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """t = x̄ / (s/√n), x_j = e_1j − e_2j, with n − 1 degrees of freedom (Wu 2018, eq. 33–35, algorithm 2).

    Parameters
    ----------
    e1, e2 : array-like of shape (n,)
        Error rates (or any values) of the two models on n data sets.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        "less": the values of the first model are smaller.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> from trueness import comparisons
    >>> t = comparisons.paired_t([0.11, 0.09, 0.20, 0.15], [0.10, 0.05, 0.16, 0.14])
    >>> round(t.statistic, 4), t.df, round(t.p_value, 4)
    (2.8868, 3, 0.0632)
    """
    x = paired_values(e1, e2)
    t = t_test("Paired t", x, 1 / len(x), alternative, (PAIRED_VALUES, INDEPENDENT_PAIRS, NORMAL), "e1")
    return t.noting(*_checks(x, values_of(e1, "e1", 1), values_of(e2, "e2", 1))) if x.any() else t


def t_test(
    name: str, x: Floats, factor: float, alternative: Alternative, assumptions: tuple[str, ...], param: str
) -> TestResult:
    """t = x̄ / √(factor · s²) with n − 1 degrees of freedom; p = 1 where all x are 0, an error where all are equal."""
    mean, df, se = float(x.mean()), len(x) - 1, math.sqrt(factor * x.var(ddof=1))
    d = Estimate(mean, se=se, df=df, metric="mean difference")
    if not x.any():
        return TestResult(name, 0.0, 1.0, df, alternative, d, assumptions, (NO_DIFFERENCE,))
    if constant(x):
        raise InputError("All differences are equal", param=param, got=f"{mean:g}", fix="Use larger test sets")
    return TestResult(name, mean / se, tail(mean / se, alternative, df), df, alternative, d, assumptions)


def _checks(x: Floats, e1: Floats, e2: Floats) -> list[Note]:
    """The three assumptions, as far as the data show them."""
    notes, n = [], len(x)
    if n >= 3:
        if (p := float(stats.shapiro(x).pvalue)) < 0.05:
            notes.append(Note("not-normal", p_value=p))
        if np.cov(e1, e2)[0, 1] < 0:
            notes.append(Note("negative-correlation"))
    if n < MIN_PAIRS_FOR_CHECK:
        notes.append(Note("few-pairs", pairs=n))
    return notes


@comparison("splits", "NOT VALID, provided to measure its error")
def resampled_t(differences: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """The t test of differences on k random splits of one data set, as if they were independent.

    It is provided to be measured. Training sets overlap, so s²/k is far too small a variance of the mean, and the more
    splits, the more often a difference is found where there is none (docs/comparison.md). Use `corrected_t`.

    Parameters
    ----------
    differences : array-like of shape (k,)
        first − second on k splits.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        For the mean difference.

    Returns
    -------
    TestResult

    Warns
    -----
    TruenessWarning
        Always.
    """
    x = split_values(differences, "differences")
    warn(INVALID)
    assumptions = ("the splits are independent, which splits of one data set never are.",)
    t = t_test("Resampled t (not valid)", x, 1 / len(x), alternative, assumptions, "differences")
    return t.noting(INVALID)


CORRELATED = "the results of two splits have correlation n_test/(n_train + n_test)."


@comparison("splits", "Equally good?", "nadeau_bengio_2003")
def corrected_t(
    differences: npt.ArrayLike, n_train: float, n_test: float, *, alternative: Alternative = "two-sided"
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
    x, factor = splits_of(differences, "differences", n_train, n_test)
    assumptions = (PAIRED_SPLITS, CORRELATED, "the differences are about normal.")
    name = "Corrected resampled t (Nadeau–Bengio)"
    t = t_test(name, x, factor, alternative, assumptions, "differences")
    return replace(t, difference=t.difference and t.difference.with_(se_method=NADEAU_BENGIO))


def splits_of(differences: npt.ArrayLike, name: str, n_train: float, n_test: float) -> tuple[Floats, float]:
    """The differences, and 1/J + n_test/n_train."""
    x = split_values(differences, name)
    check_inside("n_train", n_train)
    check_inside("n_test", n_test)
    return x, 1 / len(x) + n_test / n_train


ASSUMED = (
    "the estimate is about normal (or t) with its standard error.",
    "the margin was chosen before seeing the data.",
)


@comparison("estimate", "Is a difference smaller than what matters?", "schuirmann_1987")
def equivalence(difference: Estimate, margin: float) -> TestResult:
    """Two one-sided tests: p is the larger p-value of (d + margin)/se and (margin − d)/se.

    A small p shows that the difference lies within ± margin; p < α is equivalent to the 1 − 2α interval lying inside.

    Parameters
    ----------
    difference : Estimate
        A difference with a standard error; its degrees of freedom are used where it has them.
    margin : float
        The largest difference that does not matter.

    Returns
    -------
    TestResult
    """
    _check_testable(difference, margin)
    (lower, df), (above, _) = (beyond(difference, end, 0.9) for end in (-margin, margin))
    t, notes = min(lower, -above), (IDENTICAL,) * difference.identical
    return TestResult("Equivalence (TOST)", t, tail(t, "greater", df), df, "equivalent", difference, ASSUMED, notes)


@comparison("estimate", "Is the first not worse by more than what matters?")
def non_inferiority(difference: Estimate, margin: float, *, higher_is_better: bool | None = None) -> TestResult:
    """One-sided test: a small p shows first − second > −margin, or < margin where lower is better.

    It agrees with the interval: p < .025 where the 95 % interval lies on the right side of the margin. That of two shares
    of the same cases is Tango's (1998).

    Parameters
    ----------
    difference : Estimate
        A difference with a standard error.
    margin : float
        The largest loss that does not matter.
    higher_is_better : bool, optional
        Whether a higher value is better; required where the metric of the difference does not say so. It is False for FPF
        and error rates, which are known.

    Returns
    -------
    TestResult

    Raises
    ------
    InputError
        Where it is not known, or not as given, whether a higher value is better.

    Examples
    --------
    >>> import trueness
    >>> from trueness import comparisons
    >>> first = trueness.diagnose([0] * 100 + [1] * 50, [0] * 92 + [1] * 8 + [1] * 45 + [0] * 5)
    >>> second = trueness.diagnose([0] * 100 + [1] * 50, [0] * 86 + [1] * 14 + [1] * 45 + [0] * 5)
    >>> print(comparisons.non_inferiority(first.versus(second).difference("fpf"), 0.05).answer())
    First − second: -0.060 (95 % CI -0.125 to -0.021). Non-inferior: the margin is 0.05 (p = 0.00033, \
one-sided level 0.025).
    """
    _check_testable(difference, margin)
    if higher_is_better is not None:
        check_flag("higher_is_better", higher_is_better)
    known = canonical(difference.of)
    found = {higher_is_better, None if known is None else resolve(known).higher_is_better} - {None}
    if len(found) != 1:
        raise InputError(
            f"Whether a higher {difference.of or 'difference'} is better must be known",
            param="higher_is_better",
            got=higher_is_better,
            fix="Pass higher_is_better=True or higher_is_better=False, as the metric has it",
        )
    sign = 2 * bool(found.pop()) - 1
    t, df = beyond(difference, -sign * margin, 0.95)
    name, p, notes = f"Non-inferiority, margin {margin:g}", tail(sign * t, "greater", df), (IDENTICAL,)
    about = difference, ASSUMED, notes * difference.identical
    return TestResult(name, sign * t, p, df, "not worse", *about, bound=-sign * margin)


def _check_testable(estimate: Estimate, margin: float) -> None:
    if not isinstance(estimate, Estimate):
        got = type(estimate).__name__
        raise InputError("difference must be an Estimate", param="difference", got=got)
    check_inside("margin", margin, 0, estimate.bounds[1])
    scored = not estimate.interval.needs_se and estimate.has_interval  # Tango's has length without a standard error
    if not (estimate.se or estimate.identical or scored):
        raise InputError("The difference has no standard error above 0", param="difference", got=str(estimate))


MIN_PAIRS_FOR_POSTERIOR = 8
PRIOR = 0.5  # weight of the pseudo-observation


@comparison("splits", "How probable is it that one is better?")
def bayes_correlated_t(d: npt.ArrayLike, n_train: float, n_test: float, rope: float = 0.01) -> BayesResult:
    """Posterior of the mean difference: t(J − 1) about d̄ with scale √((1/J + n_test/n_train) s²), with a flat prior.

    The p-value is twice the smaller posterior tail at 0, and equals that of `corrected_t`.

    Parameters
    ----------
    d : array-like of shape (J,)
        first − second on J splits.
    n_train, n_test : float
        Cases in the training and in the test part of a split.
    rope : float, default 0.01
        Half-width of the region of practical equivalence.

    Returns
    -------
    BayesResult
        `.probabilities`: "left" that first − second is below −rope, "rope" within ± rope, "right" above.
    """
    check_inside("rope", rope, ends=True)
    x, factor = splits_of(d, "d", n_train, n_test)
    assumptions = (PAIRED_SPLITS, CORRELATED, "nothing is known beforehand of mean and variance (flat prior).")
    t = t_test("Bayesian correlated t", x, factor, "two-sided", assumptions, "d")
    estimate = t.difference
    assert estimate is not None
    left, right = 0.0, 0.0
    if estimate.se:
        law = stats.t(t.df, estimate.value, estimate.se)
        left, right = float(law.cdf(-rope)), float(law.sf(rope))
    return BayesResult(
        t.test,
        t.statistic,
        t.p_value,
        t.df,
        difference=estimate.with_(se_method=StandardError("posterior", "the standard deviation of the posterior")),
        assumptions=assumptions,
        notes=t.notes,
        probabilities={"left": left, "rope": max(0.0, 1 - left - right), "right": right},
        rope=rope,
    )


@comparison("values", "How probable is it that one is better?")
def bayes_signed_rank(
    e1: npt.ArrayLike,
    e2: npt.ArrayLike,
    *,
    rope: float = 0.01,
    n_draws: int = 50_000,
    rng: Rng = None,
) -> BayesResult:
    """Posterior probability that a Walsh average lies left of, within or right of ± rope.

    Dirichlet process: weights w ~ Dirichlet(½, 1, …, 1) on a pseudo-observation at 0 and the differences
    z_1 … z_q; θ_right = Σ_ij w_i w_j [z_i + z_j > 2 rope], likewise left and rope. A probability is the share of draws
    in which its θ is the largest.

    The pseudo-observation at 0 never counts against a difference, so twice the smaller posterior tail can be far
    smaller than the signs justify. The p-value is that tail, but never less than Wilcoxon's exact p-value.

    Parameters
    ----------
    e1, e2 : array-like of shape (n,)
        Values of the two models on n data sets.
    rope : float, default 0.01
        Half-width of the region of practical equivalence.
    n_draws : int, default 50000
        Draws from the posterior, at least 100.
    rng : int, SeedSequence or Generator, optional
        Seed.

    Returns
    -------
    BayesResult
    """
    check_inside("rope", rope, ends=True)
    check_whole("n_draws", n_draws, 100)
    z = np.concatenate([[0.0], paired_values(e1, e2)])
    n = len(z) - 1
    sums = z[:, None] + z[None, :]
    left, right, lower, upper = (m.astype(float) for m in (sums < -2 * rope, sums > 2 * rope, sums < 0, sums > 0))
    generator, votes, below, above = generator_of(rng), np.zeros(3), 0, 0
    for b in blocks(n_draws, len(z)):
        w = generator.dirichlet(np.concatenate([[PRIOR], np.ones(n)]), size=b)
        theta = np.stack([_quadratic(w, left), np.zeros(b), _quadratic(w, right)], axis=1)
        theta[:, 1] = 1 - theta[:, 0] - theta[:, 2]
        best = theta >= theta.max(axis=1, keepdims=True) - 1e-12
        votes += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)  # ties share their draw
        gap = _quadratic(w, upper) - _quadratic(w, lower)
        below, above = below + int((gap <= 0).sum()), above + int((gap >= 0).sum())
    posterior = min(1.0, 2 * (1 + min(below, above)) / (1 + n_draws))
    median = float(np.median(z[1:]))
    p, notes = max(wilcoxon(e1, e2).p_value, posterior), [Note("few-pairs", pairs=n)][n >= MIN_PAIRS_FOR_POSTERIOR :]
    if not z.any():
        p, notes = 1.0, [NO_DIFFERENCE]
    return BayesResult(
        "Bayesian signed rank",
        median,
        p,
        difference=without_se(median, "median difference"),
        assumptions=(PAIRED_VALUES, INDEPENDENT_PAIRS, "the prior is a pseudo-observation without a difference."),
        notes=tuple(notes),
        probabilities=dict(zip(("left", "rope", "right"), (votes / n_draws).tolist(), strict=True)),
        rope=rope,
    )


def _quadratic(w: Floats, a: Floats) -> Floats:
    """(b,) wᵀ A w of each row of w."""
    return np.asarray(np.einsum("bi,bi->b", w @ a, w))
