"""V_1 and V_2 of a bootstrap estimate, and how well B replicates determine them.

V_1 = b + (V_1 − b): b is the variance of the cases as test cases, which a few replicates show well; the rest is due to
the cases as training cases. With U_i = c_i + τ_i and ν_i = Σ_b y_bi² the noise that is subtracted from U_i²,

    SD(V_1) ≈ √(Σ_i 2 ν_i² + 4 c_i² ν_i)/n²,    about √(2n) mc², which falls like 1/B and grows with √n.

A limit that does not grow with n is T, the variance of the performance over bootstrap training sets: it has the first
order t = Σ τ_i²/n² and all higher ones (Hoeffding), so that V_1 ≤ (√b + √t)² ≤ (√b + √T)². T is the variance over
replicates without that of their left-out cases, T = B Σ_b [(Σ_j ρ_bj)² − Σ_j ρ_bj²]/n². A safe lower limit is b_1, the
variance of the cases as test cases of a single rule (p(1 − p)/n for an error rate): b and what rules vary by in a case.
Where SD(V_1) is more than half of b, V_1 is held to b_1 … max(b_1, (√b + √T)²).

V_2 is Σ_{k<l} [(Σ_b z_kl)² − Σ_b z_kl²] / n². Where the replicates hold nothing but noise, z_kl is about
(N_k − 1)(N_l − 1) r_b with uncorrelated factors, so that the standard deviation of V_2 over repetitions of the
resampling is, with mc² = Σ_b r_b²/n² the Monte-Carlo variance of the estimate itself,

    SD(V_2) ≈ √(2 · n²/2) mc² = n mc²,    noise = SD(V_2)/V_1, which falls like 1/B.

V_2 is clipped to 0 … V_1. Noise of the size of V_1 sends it to either end at random: V is V_1/2 nearly half of the
time, and a test rejects too often. So beyond a noise of ½, V_2 counts by (½/noise)² only: V goes to the first order.
See docs/math.md, section "Second-order variance of a difference".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from karat.result.note import Note
from karat.typing import Floats

ADD_MONTE_CARLO_BELOW = 500  # with fewer replicates the Monte-Carlo variance of the estimate is added
TRUSTED_NOISE = 0.5  # the noise of V_2 as a share of V_1, or of V_1 as a share of b, up to which it counts in full
MOSTLY_NOISE = 0.05  # a variance below this share of what it was subtracted from is not relied on


def pade(v1: float, v2: float, weight: float = 1.0) -> float:
    """V_1 / (1 + weight · V_2/V_1), V_2 clipped to 0 … V_1."""
    return v1 / (1 + weight * min(max(v2, 0.0) / v1, 1.0)) if v1 > 0 else 0.0


@dataclass(frozen=True)
class FirstOrder:
    """V_1 and its parts.

    Attributes
    ----------
    total : float
        V_1 without the noise of the replicates; it may be negative.
    tested : float
        b, the variance of the cases as test cases alone.
    of_one_rule : float
        b_1, the same for a single rule.
    trained : float
        T, the variance over bootstrap training sets.
    sd : float
        SD of V_1 over repetitions of the resampling.
    replicates : int
    """

    total: float
    tested: float
    of_one_rule: float
    trained: float
    sd: float
    replicates: int

    @classmethod
    def of(
        cls, u: Floats, noise: Floats, c: Floats, noise_of_c: Floats, within: float, trained: float, replicates: int
    ) -> FirstOrder:
        """From the influence u and its first term c of each unit (U,), Σ_b y² of both, b_1 − b and T."""
        tested, squares = float((c**2 - noise_of_c).sum()), float((c**2).sum())
        sd = math.sqrt(float((2 * noise**2 + 4 * c**2 * noise).sum()))
        tested = tested if tested > MOSTLY_NOISE * squares else squares  # where no case is harder than another
        return cls(float((u**2 - noise).sum()), tested, tested + within, trained, sd, replicates)

    @property
    def noise(self) -> float:
        """SD(V_1)/V, V the variance that is used."""
        return self.sd / self.variance if self.variance > 0 else 0.0

    @property
    def variance(self) -> float:
        """V_1, held to its limits where the replicates do not determine it."""
        if self.sd > TRUSTED_NOISE * self.tested:
            most = (math.sqrt(self.tested) + math.sqrt(max(self.trained, 0.0))) ** 2
            return max(min(self.total, most), self.of_one_rule)
        return self.total if self.total >= MOSTLY_NOISE * self.tested else self.of_one_rule

    def doubt(self) -> Note | None:
        """A note where V_1 is not used as it is, or is mostly noise."""
        if self.noise <= TRUSTED_NOISE:
            if self.variance == self.total or self.sd > TRUSTED_NOISE * self.tested:
                return None
            return Note(
                "variance-not-positive",
                "The variance of the influence function is not positive, or nearly 0; the standard error is that of "
                "the cases as test cases of one rule.",
            )
        needed = math.ceil(self.replicates * self.noise / TRUSTED_NOISE / 100) * 100
        return Note(
            "few-replicates",
            f"{self.replicates} replicates are few for so many cases: they do not show exactly how much the estimate "
            "depends on the training cases, so this part of the standard error is held between limits. "
            f"About {needed} replicates are needed.",
            replicates=self.replicates,
            noise=self.noise,
            needed=needed,
        )


@dataclass(frozen=True)
class VarianceOrders:
    """Terms of the variance of an estimate.

    Attributes
    ----------
    v1, v2 : float
        First and second order; V_2 is not clipped.
    monte_carlo : float
        Monte-Carlo variance of the estimate.
    cases, replicates : int
        How many of them the terms come from.
    """

    v1: float
    v2: float
    monte_carlo: float
    cases: int
    replicates: int

    @property
    def noise(self) -> float:
        """SD(V_2)/V_1 from the resampling alone."""
        return self.cases * self.monte_carlo / self.v1 if self.v1 > 0 else math.inf

    @property
    def variance(self) -> float:
        """V; 0 where V_1 is not positive, so that the variance is unknown."""
        if self.v1 <= 0:
            return 0.0
        weight = 1.0 if self.noise <= TRUSTED_NOISE else (TRUSTED_NOISE / self.noise) ** 2
        return pade(self.v1, self.v2, weight) + (self.monte_carlo if self.replicates < ADD_MONTE_CARLO_BELOW else 0.0)

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
