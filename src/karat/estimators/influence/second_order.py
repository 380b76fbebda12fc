"""Second-order variance of LOOB and LPOB, for differences above all.

The influence variance V_1 counts the part of the variance in which c cases interact c times (Hoeffding), so it is too
large where the first order cancels: in a difference. With V_2, the sum of squared second derivatives over pairs of
cases, Var = V_1 − V_2 + V_3 − …, and the Padé form

    V = V_1 / (1 + min(V_2/V_1, 1))

is exact where the orders fall geometrically, and never below V_1/2. See docs/math.md, section "Second-order variance of
a difference".
"""

from __future__ import annotations

import numpy as np

from karat.errors import InputError, Setting
from karat.estimators.influence.case_influence import CaseMeans, training_noise
from karat.estimators.influence.pair_influence import PairMeans
from karat.estimators.influence.second_derivatives import Stratum, across, between, within
from karat.estimators.influence.variance_orders import VarianceOrders
from karat.kernels.pairs import residual_squares
from karat.typing import Floats, Ints


def missing(means: CaseMeans | PairMeans) -> str:
    """Why the second order is not available for these; "" where it is."""
    if means.design.sample.groups is not None:
        return "it is not available for groups"
    if isinstance(means, PairMeans):
        if len(means.metric.targets) != 1:
            return "for an AUC it requires two classes"
        if not means.design.stratified:
            return "for an AUC it requires a stratified bootstrap"
        return "some pairs were never left out together" if means.skipped else ""
    if means.by_class and not means.design.stratified:
        return "for a class-weighted loss it requires a stratified bootstrap"
    return ""


def orders_of(means: CaseMeans | PairMeans) -> VarianceOrders:
    """The orders of LOOB or LPOB, or of a difference of two."""
    if why := missing(means):
        raise InputError(
            f"There is no second-order standard error: {why}",
            param="se",
            fix=("Use ", Setting("se", "influence-corrected")),
        )
    if isinstance(means, PairMeans):
        return VarianceOrders(*orders_of_pairs(means), cases=means.design.n, replicates=int(means.keep.sum()))
    return VarianceOrders(*orders_of_cases(means), cases=means.design.n, replicates=means.n_replicates)


def orders_of_cases(means: CaseMeans) -> tuple[float, float, float]:
    """V_1, V_2 (not clipped) and the Monte-Carlo variance of LOOB, or of a difference of two."""
    design, n = means.design, means.design.n
    training, noise = np.zeros(n), np.zeros(n)
    blocks = list(means.residuals(drop=1))
    for counts, rho in blocks:
        y = training_noise(design, means.draws, counts, rho, rho.sum(axis=1))
        training += y.sum(axis=0)
        noise += ((y + rho - means.centres(rho)) ** 2).sum(axis=0)
    v1 = float((_bessel(design.strata) * ((means.centred() + training) ** 2 - noise)).sum())
    N, rho = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    T = rho.sum(axis=1)
    strata = [Stratum(N[:, of].astype(float), rho[:, of]) for of in _members(design.strata)]
    v2 = sum(within(k, T).total() for k in strata)
    v2 += sum(between(k, l, T).total() for i, k in enumerate(strata) for l in strata[i + 1 :])
    return v1 / n**2, v2 / n**2, float(T @ T) / n**2


def orders_of_pairs(means: PairMeans) -> tuple[float, float, float]:
    """V_1, V_2 (not clipped) and the Monte-Carlo variance of LPOB, or of a difference of two."""
    up, times = means.parts[0].positive, means.parts[0].times
    mean = np.sum([p.coefficient * p.means for p in means.parts], axis=0)
    pairs, squares = mean.size, 0.0
    for block in range(len(means.counts)):
        squares += residual_squares([(p.coefficient, *p.ranks[block]) for p in means.parts], mean, times)
    N = np.concatenate(means.counts).astype(float)
    rho = pairs * np.concatenate(
        [
            np.sum([p.coefficient * s.each for p, s in zip(means.parts, sums, strict=True)], axis=0)
            for sums in means.residuals
        ]
    )
    positives, negatives = (Stratum(N[:, of], rho[:, of]) for of in (up, ~up))
    r = positives.sums()
    rows, cols, overall = mean.mean(axis=1), mean.mean(axis=0), mean.mean()
    v1 = 0.0
    for stratum, centred in ((positives, len(cols) * (rows - overall)), (negatives, len(rows) * (cols - overall))):
        m = stratum.size
        training = (stratum.N - m / (m - 1)) * (r[:, None] - stratum.rho)
        noise = ((training + stratum.rho - r[:, None] / m) ** 2).sum(axis=0)
        v1 += m / (m - 1) * float(((centred + training.sum(axis=0)) ** 2 - noise).sum())
    interaction = mean - rows[:, None] - cols[None, :] + overall
    v2 = within(positives, r).total() + within(negatives, r).total()
    v2 += across(positives, negatives, squares).total(interaction)
    return v1 / pairs**2, v2 / pairs**2, float(r @ r) / pairs**2


def _members(strata: Ints) -> list[Ints]:
    return [np.flatnonzero(strata == s) for s in np.unique(strata)]


def _bessel(strata: Ints) -> Floats:
    m = np.bincount(strata)[strata]
    return np.asarray(m / (m - 1))
