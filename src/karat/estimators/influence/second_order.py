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
from karat.estimators.influence.case_influence import CaseMeans, training_noise
from karat.estimators.influence.orders import Orders
from karat.estimators.influence.pair_influence import PairMeans
from karat.kernels.second_order import across_terms, between_terms, residual_squares, within_terms
from karat.metrics.metric import require_used
from karat.sample.block import Block


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
        raise InputError(f"there is no second-order standard error here: {why}", fix='Use se="influence-corrected"')


def orders_of(means: CaseMeans | PairMeans) -> Orders:
    """The orders of LOOB or LPOB, or of a difference of two, with what they were made from."""
    if isinstance(means, PairMeans):
        return Orders(*orders_of_pairs(means), cases=means.design.n, replicates=int(means.keep.sum()))
    return Orders(*orders_of_cases(means), cases=means.design.n, replicates=means.n_replicates)


class Curvature:
    """Σ_b z_kl between two strata (or within one), and what its noise adds to Σ_kl (Σ_b z_kl)²."""

    def __init__(self, first: int, second: int, same: bool = False) -> None:
        self.sums, self.noise, self.same = np.zeros((first, second)), 0.0, same

    def add(self, terms: tuple[np.ndarray, float]) -> None:
        self.sums += terms[0]
        self.noise += terms[1]

    def total(self) -> float:
        """Σ over pairs of cases of the squared second derivative, its noise taken away, with the factors m/(m − 1)."""
        m, k = self.sums.shape
        squares = self.sums**2
        pairs = squares[np.triu_indices(m, 1)].sum() if self.same else squares.sum()
        return float(m / (m - 1) * k / (k - 1) * (pairs - self.noise))


def orders_of_cases(means: CaseMeans) -> tuple[float, float, float]:
    """V_1, V_2 (not clipped) and the Monte-Carlo variance of LOOB, or of a difference of two."""
    _require(means)
    design, n = means.design, means.design.n
    strata = [np.flatnonzero(design.strata == s) for s in np.unique(design.strata)]
    curved = {
        (g, h): Curvature(len(strata[g]), len(strata[h]), g == h) for h in range(len(strata)) for g in range(h + 1)
    }
    first, first_noise = np.zeros(n), np.zeros(n)
    monte_carlo = 0.0
    for counts, rho in means.blocks_of_residuals():
        N, T = counts.astype(float), rho.sum(axis=1)
        y = training_noise(design, means.draws, counts, rho, T)
        first += y.sum(axis=0)
        first_noise += ((y + rho - means.centres(rho)) ** 2).sum(axis=0)
        parts = [(N[:, of], rho[:, of]) for of in strata]
        for (g, h), curvature in curved.items():
            curvature.add(within_terms(*parts[g], T) if g == h else between_terms(*parts[g], *parts[h], T))
        monte_carlo += float((T**2).sum())
    v1 = float((_bessel(design.strata) * ((means.centred() + first) ** 2 - first_noise)).sum())
    v2 = sum(curvature.total() for curvature in curved.values())
    return v1 / n**2, v2 / n**2, monte_carlo / n**2


def orders_of_pairs(means: PairMeans) -> tuple[float, float, float]:
    """V_1, V_2 (not clipped) and the Monte-Carlo variance of LPOB, or of a difference of two."""
    _require(means)
    up, times = means.parts[0].positive, means.parts[0].times
    mean = np.sum([p.coefficient * p.means for p in means.parts], axis=0)
    sizes = mean.shape
    classes = [Curvature(m, m, same=True) for m in sizes]
    both = Curvature(*sizes)
    y, noise = [np.zeros(m) for m in sizes], [np.zeros(m) for m in sizes]
    monte_carlo = 0.0
    for number, (counts, blocks) in enumerate(means.blocks()):
        margins = [part.margins(number, drop=1) for part in means.parts]  # R and Q of each rule
        rho = [
            np.sum([p.coefficient * m[k] for p, m in zip(means.parts, margins, strict=True)], axis=0) for k in (0, 1)
        ]
        N = [counts[:, up].astype(float), counts[:, ~up].astype(float)]
        r = rho[0].sum(axis=1)
        for k, m in enumerate(sizes):
            training = (N[k] - m / (m - 1)) * (r[:, None] - rho[k])
            y[k] += training.sum(axis=0)
            noise[k] += ((training + rho[k] - r[:, None] / m) ** 2).sum(axis=0)
            classes[k].add(within_terms(N[k], rho[k], r))
        out = counts == 0
        squares = residual_squares(out[:, up], out[:, ~up], _scores(means, blocks, up), mean, times)
        both.add(across_terms(N[0], rho[0], N[1], rho[1], squares))
        monte_carlo += float((r**2).sum())
    rows, cols, overall = mean.mean(axis=1), mean.mean(axis=0), mean.mean()
    both.sums += mean - rows[:, None] - cols[None, :] + overall  # C_kl
    centred = sizes[1] * (rows - overall), sizes[0] * (cols - overall)
    v1 = sum(m / (m - 1) * float(((centred[k] + y[k]) ** 2 - noise[k]).sum()) for k, m in enumerate(sizes))
    v2 = classes[0].total() + classes[1].total() + both.total()
    pairs = mean.size**2
    return v1 / pairs, v2 / pairs, monte_carlo / pairs


def _scores(means: PairMeans, blocks: list[Block], up: np.ndarray) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """Of each rule its coefficient, and its scores of the positives and of the negatives."""
    out = []
    for part, block in zip(means.parts, blocks, strict=True):
        whole = require_used(next(iter(means.metric.parts(block)))[0], block.left_out, means.metric.name)
        out.append((part.coefficient, whole[:, up], whole[:, ~up]))
    return out


def _bessel(strata: np.ndarray) -> np.ndarray:
    m = np.bincount(strata)[strata]
    return m / (m - 1)
