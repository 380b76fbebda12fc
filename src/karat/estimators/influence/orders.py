"""V_1 and V_2 of a bootstrap estimate, and how far B replicates can tell them (MATH 5).

V_2 is Σ_{k<l} [(Σ_b z_kl)² − Σ_b z_kl²] / n². Where the replicates hold nothing but noise, z_kl is about
(N_k − 1)(N_l − 1) r_b with uncorrelated factors, so that the standard deviation of V_2 over repetitions of the
resampling is, with mc² = Σ_b r_b²/n² the Monte-Carlo variance of the estimate itself,

    SD(V_2) ≈ √(2 · n²/2) mc² = n mc²,    noise = SD(V_2)/V_1, which falls like 1/B.

V_2 is clipped to 0 … V_1. Noise of the size of V_1 sends it to either end at random: V is V_1/2 nearly half of the
time, and a test rejects too often. So beyond a noise of ½, V_2 counts by (½/noise)² only: V goes to the first order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

FEW = 500  # below this number of replicates the Monte-Carlo variance of the estimate is added
BELIEVED = 0.5  # the noise of V_2, as a share of V_1, up to which it counts in full


def pade(v1: float, v2: float, weight: float = 1.0) -> float:
    """V_1 / (1 + weight · V_2/V_1), V_2 clipped to 0 … V_1."""
    return v1 / (1 + weight * min(max(v2, 0.0) / v1, 1.0)) if v1 > 0 else 0.0


@dataclass(frozen=True)
class Orders:
    """V_1, V_2 (not clipped), the Monte-Carlo variance of the estimate, and from how many cases and replicates."""

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
        """V; 0 where V_1 is not positive, so that nothing can be said."""
        if self.v1 <= 0:
            return 0.0
        weight = 1.0 if self.noise <= BELIEVED else (BELIEVED / self.noise) ** 2
        return pade(self.v1, self.v2, weight) + (self.monte_carlo if self.replicates < FEW else 0.0)

    def too_few(self) -> str:
        """A note where the replicates are too few for so many cases; "" where they are enough."""
        if self.v1 <= 0 or self.noise <= BELIEVED:
            return ""
        enough = math.ceil(self.replicates * self.noise / BELIEVED / 100) * 100
        return (
            f"{self.replicates} replicates are few for the second-order variance of {self.cases} cases: the "
            f"Monte-Carlo error of its second term is {self.noise:.1f} times the first term, so it counts in part and "
            "the standard error tends to the first-order one, too large as a rule. "
            f"About {enough} replicates would do."
        )
