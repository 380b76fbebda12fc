"""Second-order variance of LOOB and LPOB, for differences above all (karat's own: MATH 5).

The influence variance V_1 counts the part of the variance in which c cases interact c times
(Hoeffding), so it is too large where the first order cancels: in a difference. With V_2, the sum of
squared second derivatives over pairs of cases, Var = V_1 − V_2 + V_3 − …, and the Padé form

    V = V_1 / (1 + min(V_2/V_1, 1))

is exact where the orders fall geometrically, and never below V_1/2.
"""

from __future__ import annotations

import numpy as np

from karat.errors import InputError
from karat.kernels.second_order import case_terms, pair_terms
from karat.metrics.metric import known
from karat.uncertainty.case_influence import CaseMeans
from karat.uncertainty.pair_influence import PairMeans

FEW = 500  # below this number of replicates the Monte-Carlo variance of the estimate is added


def pade(v1: float, v2: float) -> float:
    v1, v2 = max(v1, 0.0), max(v2, 0.0)
    return v1 / (1 + min(v2 / v1, 1.0)) if v1 > 0 else 0.0


def missing(means: CaseMeans | PairMeans) -> str:
    """Why the second order is not worked out for these; "" where it is."""
    if means.design.sample.groups is not None:
        return "it is not worked out for groups"
    if isinstance(means, PairMeans):
        if len(means.metric.targets) != 1:
            return "of an AUC it is worked out for two classes"
        if not means.design.stratified:
            return "of an AUC it needs a stratified bootstrap"
        return "some pairs were never left out together" if means.skipped else ""
    if means.by_class and not means.design.stratified:
        return "of a class-weighted loss it needs a stratified bootstrap"
    return ""


def _require(means: CaseMeans | PairMeans) -> None:
    if why := missing(means):
        raise InputError(f"there is no second-order standard error here: {why}", do='Use se="influence-corrected"')


def second_order_cases(means: CaseMeans) -> float:
    """V of the leave-one-out bootstrap, or of a difference of two."""
    v1, v2, monte_carlo = orders_of_cases(means)
    return pade(v1, v2) + (monte_carlo if means.n_replicates < FEW else 0.0)


def second_order_pairs(means: PairMeans) -> float:
    """V of the leave-pair-out bootstrap, or of a difference of two."""
    v1, v2, monte_carlo = orders_of_pairs(means)
    return pade(v1, v2) + (monte_carlo if int(means.keep.sum()) < FEW else 0.0)


def orders_of_cases(means: CaseMeans) -> tuple[float, float, float]:
    """V_1, V_2 (not clipped) and the Monte-Carlo variance of LOOB, or of a difference of two."""
    _require(means)
    design, n = means.design, means.design.n
    factor = _bessel(design.strata)
    first, first_noise = np.zeros(n), np.zeros(n)
    sums, squares = np.zeros((n, n)), np.zeros((n, n))
    monte_carlo = 0.0
    for counts, rho in means.blocks_of_residuals():
        y, z, z2 = case_terms(counts.astype(float), rho, design.strata)
        first += y.sum(axis=0)
        whole = y + rho - means.centres(rho)
        first_noise += (whole**2).sum(axis=0)
        sums += z
        squares += z2
        monte_carlo += float((rho.sum(axis=1) ** 2).sum())
    v1 = float((factor * ((means.centred() + first) ** 2 - first_noise)).sum())
    upper = np.triu_indices(n, 1)
    v2 = float((np.outer(factor, factor) * (sums**2 - squares))[upper].sum())
    return v1 / n**2, v2 / n**2, monte_carlo / n**2


def orders_of_pairs(means: PairMeans) -> tuple[float, float, float]:
    """V_1, V_2 (not clipped) and the Monte-Carlo variance of LPOB, or of a difference of two."""
    _require(means)
    up = means.parts[0].positive
    mean = np.sum([p.coefficient * p.means for p in means.parts], axis=0)
    v1 = v2 = monte_carlo = 0.0
    totals = None
    for counts, blocks in means.blocks():
        scores = []
        for part, block in zip(means.parts, blocks, strict=True):
            whole = known(next(iter(means.metric.parts(block)))[0], block.left_out, means.metric.name)
            scores.append((part.coefficient, whole[:, up], whole[:, ~up]))
        terms = pair_terms(
            counts[:, up].astype(float), counts[:, ~up].astype(float), scores, mean, means.parts[0].times
        )
        totals = terms if totals is None else tuple(a + b for a, b in zip(totals, terms, strict=True))
    assert totals is not None
    y1, y2, noise1, noise2, z1, z1_squares, z2, z2_squares, w, w_squares, monte_carlo = totals
    n1, n2 = mean.shape
    c1, c2 = n1 / (n1 - 1), n2 / (n2 - 1)
    rows, cols, overall = mean.mean(axis=1), mean.mean(axis=0), mean.mean()
    v1 += c1 * float(((n2 * (rows - overall) + y1) ** 2 - noise1).sum())
    v1 += c2 * float(((n1 * (cols - overall) + y2) ** 2 - noise2).sum())
    v2 += c1**2 * float((z1**2 - z1_squares)[np.triu_indices(n1, 1)].sum())
    v2 += c2**2 * float((z2**2 - z2_squares)[np.triu_indices(n2, 1)].sum())
    interaction = mean - rows[:, None] - cols[None, :] + overall  # C_kl
    v2 += c1 * c2 * float(((interaction + w) ** 2 - w_squares).sum())
    pairs = (n1 * n2) ** 2
    return v1 / pairs, v2 / pairs, monte_carlo / pairs


def _bessel(strata: np.ndarray) -> np.ndarray:
    m = np.bincount(strata)[strata]
    return m / (m - 1)
