"""Second-order variance of LOOB and LPOB, for differences above all.

The influence variance V_1 counts the part of the variance in which c cases interact c times (Hoeffding), so it is too
large where the first order cancels: in a difference. With V_2, the sum of squared second derivatives over pairs of
cases, Var = V_1 − V_2 + V_3 − …, and the Padé form

    V = V_1 / (1 + min(V_2/V_1, 1))

is exact where the orders fall geometrically, and never below V_1/2. See docs/math.md, section "Second-order variance of
a difference".

V_2 is Σ_{k<l} [(Σ_b z_kl)² − Σ_b z_kl²] / n². Where the replicates hold nothing but noise, z_kl is about
(N_k − 1)(N_l − 1) r_b with uncorrelated factors, so that the standard deviation of V_2 over repetitions of the
resampling is, with mc² = Σ_b r_b²/n² the Monte-Carlo variance of the estimate itself,

    SD(V_2) ≈ √(2 · n²/2) mc² = n mc²,    noise = SD(V_2)/V_1, which falls like 1/B.

V_2 is clipped to 0 … V_1. Noise of the size of V_1 sends it to either end at random: V is V_1/2 nearly half of the
time, and a test rejects too often. Nearly all of the noise comes from pairs of two training cases. So beyond a noise
of ½, V_2 is the sum over the other derivatives alone, by a test case and a training case or by two test cases
(`with_a_test_case`); it is usually smaller, so that V is rather too large. Beyond a noise of ½ of its own it counts by
(½/noise)² only: V goes to the first order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trueness.errors import InputError
from trueness.estimators.influence.case_influence import CaseMeans, training_noise
from trueness.estimators.influence.draws import MultisetDraws
from trueness.estimators.influence.first_order import TRUSTED_NOISE
from trueness.estimators.influence.pair_influence import PairMeans
from trueness.estimators.influence.second_derivatives import Stratum, across, between, with_a_test_case, within
from trueness.kernels.pairs import residual_squares
from trueness.result.note import Note
from trueness.typing import Floats, Ints

ADD_MONTE_CARLO_BELOW = 500  # with fewer replicates the Monte-Carlo variance of the estimate is added


def pade(v1: float, v2: float, weight: float = 1.0) -> float:
    """V_1 / (1 + weight · V_2/V_1), V_2 clipped to 0 … V_1."""
    return v1 / (1 + weight * min(max(v2, 0.0) / v1, 1.0)) if v1 > 0 else 0.0


@dataclass(frozen=True)
class VarianceOrders:
    """Terms of the variance of an estimate."""

    v1: float  # first and second order; V_2 is not clipped
    v2: float
    sd_v2: float  # of V_2 over repetitions of the resampling
    monte_carlo: float  # Monte-Carlo variance of the estimate
    cases: int  # how many of them the terms come from
    replicates: int

    @property
    def noise(self) -> float:
        """SD(V_2)/V_1 from the resampling alone."""
        return self.sd_v2 / self.v1 if self.v1 > 0 else math.inf

    @property
    def variance(self) -> float:
        """V; 0 where V_1 is not positive, so that the variance is unknown."""
        if self.v1 <= 0:
            return 0.0
        weight = 1.0 if self.noise <= TRUSTED_NOISE else (TRUSTED_NOISE / self.noise) ** 2
        return pade(self.v1, self.v2, weight) + (self.monte_carlo if self.replicates < ADD_MONTE_CARLO_BELOW else 0.0)

    def sd(self, sd_of_v1: float) -> float:
        """SD of V over repetitions of the resampling, were V_2 to count in full: with x = V_2/V_1,
        dV = [(1 + 2x) dV_1 − dV_2]/(1 + x)²."""
        x = min(max(self.v2 / self.v1, 0.0), 1.0) if self.v1 > 0 else 0.0
        return math.hypot((1 + 2 * x) * sd_of_v1, self.sd_v2) / (1 + x) ** 2

    def too_few(self) -> Note | None:
        """A note where the replicates are too few for so many cases."""
        if self.v1 <= 0 or self.noise <= TRUSTED_NOISE:
            return None
        needed = math.ceil(self.replicates * self.noise / TRUSTED_NOISE / 100) * 100
        return Note(
            "few-replicates",
            f"{self.replicates} replicates are few for the second-order variance of {self.cases} cases: the "
            f"Monte-Carlo error of its second term is {self.noise:.1f} times the first term, so it counts only in part "
            "and the standard error tends to the first-order one, which is usually too large. "
            f"About {needed} replicates are needed.",
            replicates=self.replicates,
            cases=self.cases,
            noise=self.noise,
            needed=needed,
        )


def missing(means: CaseMeans | PairMeans) -> str:
    """Why the second order is not available for these; "" where it is."""
    if means.design.sample.groups is not None:
        return "it is not available for groups"
    if isinstance(means.draws, MultisetDraws):
        return "it is derived for ordered draws"
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
            f"There is no second-order standard error: {why}", param="se", fix="Use {se='influence-corrected'}"
        )
    if isinstance(means, PairMeans):
        return VarianceOrders(*orders_of_pairs(means), cases=means.design.n, replicates=int(means.keep.sum()))
    return VarianceOrders(*orders_of_cases(means), cases=means.design.n, replicates=means.n_replicates)


def orders_of_cases(means: CaseMeans) -> tuple[float, float, float, float]:
    """V_1, V_2 (not clipped), SD(V_2) and the Monte-Carlo variance of LOOB, or of a difference of two."""
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
    pairs = [(k, l) for i, k in enumerate(strata) for l in strata[i:]]
    sd = n * float(T @ T)  # n mc², times n²
    if sd <= TRUSTED_NOISE * v1:
        v2 = sum((within(k, T) if k is l else between(k, l, T)).total() for k, l in pairs)
    else:
        parts = [with_a_test_case(k, l) for k, l in pairs]
        v2, sd = sum(part.total() for part in parts), math.sqrt(sum(part.variance() for part in parts))
    return v1 / n**2, v2 / n**2, sd / n**2, float(T @ T) / n**2


def orders_of_pairs(means: PairMeans) -> tuple[float, float, float, float]:
    """V_1, V_2 (not clipped), SD(V_2) and the Monte-Carlo variance of LPOB, or of a difference of two."""
    _, first = means.parts[0]
    up, times = first.positive, first.times
    mean = np.sum([c * part.means for c, part in means.parts], axis=0)
    pairs, squares = mean.size, 0.0
    for block in range(len(means.counts)):
        squares += residual_squares([(c, *part.scores[block]) for c, part in means.parts], mean, times)
    N = np.concatenate(means.counts).astype(float)
    each = [(c, np.concatenate([s.each for s in part.residuals])) for c, part in means.parts]
    rho = pairs * np.sum([c * sums for c, sums in each], axis=0)
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
    sd = means.design.n * float(r @ r)  # n mc², times the squared number of pairs
    if sd <= TRUSTED_NOISE * v1:
        v2 = within(positives, r).total() + within(negatives, r).total()
        v2 += across(positives, negatives, squares).total(interaction)
    else:
        parts = [(with_a_test_case(of, of), None) for of in (positives, negatives)]
        parts.append((with_a_test_case(positives, negatives, squares), interaction))
        v2, sd = sum(p.total(added) for p, added in parts), math.sqrt(sum(p.variance(added) for p, added in parts))
    return v1 / pairs**2, v2 / pairs**2, sd / pairs**2, float(r @ r) / pairs**2


def _members(strata: Ints) -> list[Ints]:
    return [np.flatnonzero(strata == s) for s in np.unique(strata)]


def _bessel(strata: Ints) -> Floats:
    m = np.bincount(strata)[strata]
    return np.asarray(m / (m - 1))
