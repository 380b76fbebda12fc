"""Bayesian comparisons with a region of practical equivalence (Corani & Benavoli 2015; Benavoli et al. 2014, 2017)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import stats

from trueness.checks import check_whole, generator_of, is_number
from trueness.comparisons.assumptions import INDEPENDENT_PAIRS, PAIRED_SPLITS, PAIRED_VALUES
from trueness.comparisons.inputs import blocks, check_positive, constant, paired_values
from trueness.comparisons.rank_tests import wilcoxon
from trueness.comparisons.registry import comparison
from trueness.comparisons.t_tests import splits_of
from trueness.errors import InputError
from trueness.result import Estimate, Note
from trueness.result.named import StandardError
from trueness.result.test_result import NO_DIFFERENCE, BayesResult
from trueness.typing import Floats, Rng

MIN_PAIRS_FOR_POSTERIOR = 8


@comparison("splits", "How probable is it that one model is better, or both practically the same? Splits of one set")
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
    rope = _rope(rope)
    x, ratio = splits_of(d, "d", n_train, n_test)
    mean, df = float(x.mean()), len(x) - 1
    if not x.any():
        se, p, probabilities = 0.0, 1.0, {"left": 0.0, "rope": 1.0, "right": 0.0}
    elif constant(x):
        raise InputError(
            "All differences are equal, so the posterior has no spread", param="d", got=f"{len(x)} times {mean:g}"
        )
    else:
        se = math.sqrt((1 / len(x) + ratio) * x.var(ddof=1))
        law = stats.t(df, mean, se)
        left, right = float(law.cdf(-rope)), float(law.sf(rope))
        probabilities = {"left": left, "rope": max(0.0, 1 - left - right), "right": right}
        p = float(2 * min(law.cdf(0), law.sf(0)))
    correlation = f"the results of two splits have correlation {ratio / (1 + ratio):.3g} = n_test/n."
    return BayesResult(
        "Bayesian correlated t",
        mean / se if se else 0.0,
        p,
        df,
        difference=Estimate(
            mean,
            se=se,
            df=df,
            metric="mean difference",
            se_method=StandardError("posterior", "the standard deviation of the posterior"),
        ),
        assumptions=(PAIRED_SPLITS, correlation, "nothing is known beforehand of mean and variance (flat prior)."),
        notes=() if x.any() else (NO_DIFFERENCE,),
        probabilities=probabilities,
        rope=rope,
    )


@comparison("values", "How probable is it that one model is better, or both practically the same? Over data sets")
def bayes_signed_rank(
    e1: npt.ArrayLike,
    e2: npt.ArrayLike,
    *,
    rope: float = 0.01,
    prior: float = 0.5,
    n_draws: int = 50_000,
    rng: Rng = None,
) -> BayesResult:
    """Posterior probability that a Walsh average lies left of, within or right of ± rope.

    Dirichlet process: weights w ~ Dirichlet(prior, 1, …, 1) on a pseudo-observation at 0 and the differences
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
    prior : float, default 0.5
        Weight of the pseudo-observation.
    n_draws : int, default 50000
        Draws from the posterior, at least 100.
    rng : int, SeedSequence or Generator, optional
        Seed.

    Returns
    -------
    BayesResult
    """
    rope = _rope(rope)
    check_whole("n_draws", n_draws, 100)
    check_positive("prior", prior)
    z = np.concatenate([[0.0], paired_values(e1, e2)])
    n = len(z) - 1
    sums = z[:, None] + z[None, :]
    left, right, lower, upper = (m.astype(float) for m in (sums < -2 * rope, sums > 2 * rope, sums < 0, sums > 0))
    generator, votes, below, above = generator_of(rng), np.zeros(3), 0, 0
    for b in blocks(n_draws, len(z)):
        w = generator.dirichlet(np.concatenate([[float(prior)], np.ones(n)]), size=b)
        theta = np.stack([_quadratic(w, left), np.zeros(b), _quadratic(w, right)], axis=1)
        theta[:, 1] = 1 - theta[:, 0] - theta[:, 2]
        best = theta >= theta.max(axis=1, keepdims=True) - 1e-12
        votes += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)  # ties share their draw
        gap = _quadratic(w, upper) - _quadratic(w, lower)
        below, above = below + int((gap <= 0).sum()), above + int((gap >= 0).sum())
    posterior = min(1.0, 2 * (1 + min(below, above)) / (1 + n_draws))
    median = float(np.median(z[1:]))
    notes: tuple[Note, ...] = (NO_DIFFERENCE,)
    if z.any():
        message = f"With only {n} pairs the posterior is more certain than {n} signs justify; p is at least Wilcoxon's."
        notes = (Note("few-pairs", message, pairs=n),) if n < MIN_PAIRS_FOR_POSTERIOR else ()
    no_se = Note("no-se-method", "No standard error: see the probabilities.")
    pseudo = f"the prior is a pseudo-observation without a difference, of weight {prior:g}."
    return BayesResult(
        "Bayesian signed rank",
        median,
        max(wilcoxon(e1, e2).p_value, posterior) if z.any() else 1.0,
        difference=Estimate(median, metric="median difference").noting(no_se),
        assumptions=(PAIRED_VALUES, INDEPENDENT_PAIRS, pseudo),
        notes=notes,
        probabilities=dict(zip(("left", "rope", "right"), (votes / n_draws).tolist(), strict=True)),
        rope=rope,
    )


def _rope(rope: float) -> float:
    if not (is_number(rope) and 0 <= rope < math.inf):
        raise InputError("rope must be a number ≥ 0, e.g. 0.01", param="rope", got=repr(rope))
    return float(rope)


def _quadratic(w: Floats, a: Floats) -> Floats:
    """(b,) wᵀ A w of each row of w."""
    return np.asarray(np.einsum("bi,bi->b", w @ a, w))
