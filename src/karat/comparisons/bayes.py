"""Bayesian comparisons with a region of practical equivalence (Corani & Benavoli 2015; Benavoli et al. 2014, 2017)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from karat.comparisons.corrected_t import SAME, check_split
from karat.comparisons.inputs import constant, generator_of, paired_values, values_of
from karat.comparisons.paired_t import INDEPENDENT, PAIRED
from karat.comparisons.registry import comparison
from karat.comparisons.wilcoxon import wilcoxon
from karat.errors import InputError
from karat.plans.plan import whole
from karat.result import Estimate
from karat.result.rank_result import BayesResult

BLOCK = 4_000_000
FEW = 8  # pairs: fewer than this are noted


def _rope(rope: float) -> float:
    if not (rope >= 0 and math.isfinite(rope)):
        raise InputError("rope is a half-width: a number ≥ 0, e.g. 0.01", got=rope)
    return float(rope)


@comparison("splits", "How probable is it that one model is better, or both practically the same? Splits of one set")
def bayes_correlated_t(d: Any, n_train: float, n_test: float, rope: float = 0.01) -> BayesResult:
    """Posterior of the mean difference: t(J − 1) about d̄ with scale √((1/J + n_test/n_train) s²).

    Corani & Benavoli 2015, with a flat prior.
    `.probabilities`: "left" first − second below −rope, "rope" within, "right" above. The p-value is
    twice the smaller posterior tail at 0, and equals that of `corrected_t`.

    Parameters
    ----------
    d
        (J,) first − second on J splits.
    rope
        Differences up to this size do not matter.
    """
    rope = _rope(rope)
    x = values_of(d, "d", 1)
    ratio = check_split(len(x), n_train, n_test)
    mean = float(x.mean())
    correlation = f"the results of two splits are correlated by {ratio / (1 + ratio):.3g} = n_test/n."
    if not x.any():
        se, p, probabilities = 0.0, 1.0, {"left": 0.0, "rope": 1.0, "right": 0.0}
    elif constant(x):
        raise InputError(
            "all differences are the same, so the posterior is a point and not to be believed",
            got=f"{len(x)} times {mean:g}",
        )
    else:
        se = math.sqrt((1 / len(x) + ratio) * x.var(ddof=1))
        law = stats.t(len(x) - 1, mean, se)
        left, right = float(law.cdf(-rope)), float(law.sf(rope))
        probabilities = {"left": left, "rope": max(0.0, 1 - left - right), "right": right}
        p = float(2 * min(law.cdf(0), law.sf(0)))
    return BayesResult(
        "Bayesian correlated t",
        mean / se if se else 0.0,
        p,
        df=len(x) - 1,
        difference=Estimate(mean, se=se, df=len(x) - 1, metric="mean difference", se_method="posterior"),
        assumptions=(SAME, correlation, "nothing is known beforehand of the mean and the spread (flat prior)."),
        notes=() if x.any() else ("The two have no difference at all.",),
        probabilities=probabilities,
        rope=rope,
    )


@comparison("values", "How probable is it that one model is better, or both practically the same? Over data sets")
def bayes_signed_rank(
    e1: Any,
    e2: Any,
    rope: float = 0.01,
    prior: float = 0.5,
    n_draws: int = 50_000,
    rng: Any = None,
) -> BayesResult:
    """Posterior probability that a Walsh average lies left of, within or right of ± rope (Benavoli et al. 2014).

    Dirichlet process: weights w ~ Dirichlet(prior, 1, …, 1) on a pseudo-observation at 0 and the
    differences z_1 … z_q; θ_right = Σ_ij w_i w_j [z_i + z_j > 2 rope], likewise left and rope. A
    probability is the share of draws in which its θ is the largest.

    The pseudo-observation at 0 never speaks against a difference, so twice the smaller posterior tail can be far
    smaller than any order of signs justifies. The p-value is that tail, but never less than Wilcoxon's exact one.
    """
    rope = _rope(rope)
    whole("n_draws", n_draws, 100)
    if not prior > 0:
        raise InputError("prior is the weight of the pseudo-observation: positive", got=prior)
    z = np.concatenate([[0.0], paired_values(e1, e2)])
    floor = wilcoxon(e1, e2).p_value
    sums = z[:, None] + z[None, :]
    left, right = (sums < -2 * rope).astype(float), (sums > 2 * rope).astype(float)
    lower, upper = (sums < 0).astype(float), (sums > 0).astype(float)
    alpha = np.concatenate([[prior], np.ones(len(z) - 1)])
    generator, votes, below, above, done = generator_of(rng), np.zeros(3), 0.0, 0.0, 0
    while done < n_draws:
        b = min(max(1, BLOCK // len(z)), n_draws - done)
        w = generator.dirichlet(alpha, size=b)
        theta = np.stack([_quadratic(w, left), np.zeros(b), _quadratic(w, right)], axis=1)
        theta[:, 1] = 1 - theta[:, 0] - theta[:, 2]
        best = theta >= theta.max(axis=1, keepdims=True) - 1e-12
        votes += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)  # ties share their draw
        gap = _quadratic(w, upper) - _quadratic(w, lower)
        below, above = below + (gap <= 0).sum(), above + (gap >= 0).sum()
        done += b
    votes /= n_draws
    same = not z.any()
    return BayesResult(
        "Bayesian signed rank",
        float(np.median(z[1:])),
        1.0 if same else max(floor, min(1.0, 2 * (1 + min(below, above)) / (1 + n_draws))),
        difference=Estimate(float(np.median(z[1:])), metric="median difference").noting(
            "No standard error: see the probabilities."
        ),
        assumptions=(
            PAIRED,
            INDEPENDENT,
            f"before the data: a pseudo-observation without a difference, of weight {prior:g}.",
        ),
        notes=_few(z) if z.any() else ("The two have no difference at all.",),
        probabilities=dict(zip(("left", "rope", "right"), votes.tolist(), strict=True)),
        rope=rope,
    )


def _few(z: np.ndarray) -> tuple[str, ...]:
    n = len(z) - 1
    if n >= FEW:
        return ()
    return (f"With {n} pairs the posterior is surer than {n} signs can be; the p-value is not below Wilcoxon's.",)


def _quadratic(w: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(b,) wᵀ A w of each row of w."""
    return np.einsum("bi,bi->b", w @ a, w)
