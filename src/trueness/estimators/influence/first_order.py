"""V_1, the first-order variance of a bootstrap estimate, and how well B replicates determine it.

V_1 = b + (V_1 − b): b is the variance of the cases as test cases, which a few replicates show well; the rest is due to
the cases as training cases. With U_i = c_i + τ_i and ν_i = Σ_b y_bi² the noise that is subtracted from U_i²,

    SD(V_1) ≈ √(Σ_i 2 ν_i² + 4 c_i² ν_i)/n²,    about √(2n) mc², which falls like 1/B and grows with √n.

A limit that does not grow with n is T, the variance of the performance over bootstrap training sets: it has the first
order t = Σ τ_i²/n² and all higher ones (Hoeffding), so that V_1 ≤ (√b + √t)² ≤ (√b + √T)². T is the variance over
replicates without that of their left-out cases, T = B Σ_b [(Σ_j ρ_bj)² − Σ_j ρ_bj²]/n². A safe lower limit is b_1, the
variance of the cases as test cases of a single rule (p(1 − p)/n for an error rate): b and what rules vary by in a case.
Where SD(V_1) is more than half of b, V_1 is held to b_1 … max(b_1, (√b + √T)²).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from trueness.result.note import Note
from trueness.typing import Floats

TRUSTED_NOISE = 0.5  # noise as a share of what it is in, up to which a term counts in full
MOSTLY_NOISE = 0.05  # a variance below this share of what it was subtracted from is not relied on


@dataclass(frozen=True)
class FirstOrder:
    """V_1 and its parts."""

    total: float  # V_1 without the noise of the replicates; it may be negative
    tested: float  # b, the variance of the cases as test cases alone
    of_one_rule: float  # b_1, the same for a single rule
    trained: float  # T, the variance over bootstrap training sets
    sd: float  # SD of V_1 over repetitions of the resampling
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
        if self.noise > TRUSTED_NOISE:
            return self._few(self.noise)
        if self.variance == self.total or self.sd > TRUSTED_NOISE * self.tested:
            return None
        return Note(
            "variance-not-positive",
            "The variance of the influence function is not positive, or nearly 0; the standard error is that of "
            "the cases as test cases of one rule.",
        )

    def held(self) -> Note | None:
        """A note where V_1 is held to its limits: in a difference, where most of b cancels, they are wide."""
        if self.variance == self.total or self.sd <= TRUSTED_NOISE * self.tested:
            return None
        return self._few(self.sd / self.tested)

    def _few(self, noise: float) -> Note:
        needed = math.ceil(self.replicates * noise / TRUSTED_NOISE / 100) * 100
        return Note(
            "few-replicates",
            f"{self.replicates} replicates are few for so many cases: they do not show exactly how much the estimate "
            "depends on the training cases, so this part of the standard error is held between limits. "
            f"About {needed} replicates are needed.",
            replicates=self.replicates,
            noise=noise,
            needed=needed,
        )
