"""Losses without an upper limit: a few cases may make up most of them, and their variance may be infinite.

Hill's estimator (1975) of the tail index of the k largest losses, α = k/Σ ln(L_(i)/L_(k+1)), has the standard error α/√k.
A mean of losses has a standard error only where α > 2. Where its upper 95 % limit is below 2 with k = √n, the interval is
probably too short, which a note says; where it is with k = ½√n too, there is none.

No rule can find all such samples: those whose largest losses happen to be missing look harmless, and it is their intervals
that miss (docs/regression.md).
"""

import math

import numpy as np

from trueness.estimators.influence import Contrast
from trueness.metrics.metric import CaseLoss, Metric
from trueness.result import Estimate
from trueness.result.note import Note
from trueness.sample.fits import Fits
from trueness.typing import Floats

LEAST_CASES = 30  # with fewer, a tail cannot be seen
LEAST_LARGEST = 5
LARGEST_SHARE = 0.01  # of the cases
MOST_OF_THE_LOSS = 0.5
UPPER = 1.645  # normal quantile of the one-sided 95 % limit
FINITE_VARIANCE = 2.0  # tail index


def tail_index(losses: Floats, k: int) -> tuple[float, float]:
    """Hill's tail index of the k largest losses, and its upper 95 % limit; infinite where they are 0 or all equal.

    >>> pareto = (1 - np.linspace(0, 1, 10_000, endpoint=False)) ** (-1 / 1.5)  # P(L > x) = x^−1.5
    >>> round(tail_index(pareto, 100)[0], 1)
    1.5
    """
    largest = -np.sort(-losses)[: k + 1]
    if len(largest) <= k or not largest[k] > 0 or not (spread := float(np.log(largest[:k] / largest[k]).mean())) > 0:
        return math.inf, math.inf
    return 1 / spread, (1 + UPPER / math.sqrt(k)) / spread


def share_of_largest(losses: Floats) -> float:
    """The share of all losses that is due to the largest 1 % of the cases (at least one)."""
    total = float(losses.sum())
    m = max(1, math.ceil(LARGEST_SHARE * len(losses)))
    return float(-np.sort(-losses)[:m].sum()) / total if total > 0 else 0.0


def judged(result: Estimate, c: Contrast) -> Estimate:
    """Without a standard error where the variance of the losses is apparently infinite, with a note where a few cases make
    up most of the loss; as it is where the losses have an upper limit."""
    loss = _loss(c.metric)
    if loss is None or not result.se:
        return result
    losses = np.abs(c.read(lambda fits, _: _held_out(fits, loss)))
    losses = losses[~np.isnan(losses)]
    n, root = len(losses), math.sqrt(len(losses))
    if n < LEAST_CASES:
        return result
    few, many = (max(LEAST_LARGEST, round(size)) for size in (root / 2, root))
    share = share_of_largest(losses)
    (index, limit), heavy = tail_index(losses, few), tail_index(losses, many)[1] < FINITE_VARIANCE
    cases = max(1, math.ceil(LARGEST_SHARE * n))
    largest = f"The largest {'loss is' if cases == 1 else f'{cases} losses are'} {share:.0%} of the total"
    of = result.metric or c.metric.name
    other = "" if c.metric.name == "mae" else " See mae."
    if heavy and limit < FINITE_VARIANCE:
        message = (
            f"No standard error of {of}: the variance of the losses is apparently infinite (Hill's tail index {index:.1f}, "
            f"below 2). {largest}.{other}"
        )
        data = {"metric": of, "tail_index": index, "share": share}
        return result.with_(se=None, se_method=None, influence=None, df=None).noting(
            Note("no-se-heavy-tails", message, "warning", **data)
        )
    if heavy or (share > MOST_OF_THE_LOSS and cases < n / 10):
        message = f"The losses of {of} have a heavy tail, and its interval is probably too short. {largest}.{other}"
        return result.noting(Note("heavy-tails", message, "warning", metric=of, share=share))
    return result


def _loss(metric: Metric) -> CaseLoss | None:
    """The loss whose variance a standard error rests on; None where it is limited, or no mean."""
    from trueness.metrics.moments import MomentMeasure
    from trueness.metrics.numbers import MSE, NumberLoss

    if isinstance(metric, MomentMeasure):
        return None if all(map(math.isfinite, metric.bounds)) else MSE()
    return metric if isinstance(metric, NumberLoss) else None


def _held_out(fits: Fits, loss: CaseLoss) -> Floats:
    """(n,) the mean loss of each case under the rules that left it out; NaN where there is none."""
    part = fits.parts[0] if fits.parts else fits

    def compute() -> Floats:
        total, times = np.zeros(part.sample.n), np.zeros(part.sample.n)
        for block in part.blocks():
            total += np.where(block.left_out, loss.left_out_losses(block), 0.0).sum(axis=0)
            times += block.left_out.sum(axis=0)
        with np.errstate(invalid="ignore"):
            return np.asarray(total / np.where(times > 0, times, np.nan))

    return part.cached(("held-out losses", loss.key), compute)
