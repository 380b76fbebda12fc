"""V_1 and V_2 of a bootstrap estimate, and how well B replicates determine them.

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

ADD_MONTE_CARLO_BELOW = 500  # with fewer replicates the Monte-Carlo variance of the estimate is added
TRUSTED_NOISE = 0.5  # the noise of V_2, as a share of V_1, up to which V_2 counts in full


def pade(v1: float, v2: float, weight: float = 1.0) -> float:
    """V_1 / (1 + weight · V_2/V_1), V_2 clipped to 0 … V_1."""
    return v1 / (1 + weight * min(max(v2, 0.0) / v1, 1.0)) if v1 > 0 else 0.0


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
