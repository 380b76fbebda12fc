"""SampleSize: how many cases a study needs, and what that number assumes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SampleSize:
    """The answer to "how many cases?".

    Attributes
    ----------
    goal
        What the cases are for.
    n_positive, n_negative
        Cases of each class, where classes matter.
    n
        All cases; of each set, where there are two sets.
    power
        Probability to find the difference, or None where an interval was asked for.
    half_width
        Of the interval, or None where a power was asked for.
    assumptions
        What the number rests on.
    """

    goal: str
    n: int
    n_positive: int | None = None
    n_negative: int | None = None
    power: float | None = None
    half_width: float | None = None
    level: float = 0.95
    assumptions: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = "" if self.n_positive is None else f" ({self.n_positive} positive, {self.n_negative} negative)"
        reached = f"power {self.power:.3f}" if self.power is not None else f"half-width {self.half_width:.4f}"
        lines = [f"{self.goal}: {self.n} cases{parts}, {reached} at level {self.level:g}"]
        return "\n".join(lines + [f"It takes for granted: {a}" for a in self.assumptions])

    def to_dict(self) -> dict[str, Any]:
        return {
            "goal": self.goal,
            "n": self.n,
            "n_positive": self.n_positive,
            "n_negative": self.n_negative,
            "power": self.power,
            "half_width": self.half_width,
            "level": self.level,
            "assumptions": list(self.assumptions),
        }
