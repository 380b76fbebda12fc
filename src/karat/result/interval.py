"""An interval: two limits that unpack, and what they are."""

from __future__ import annotations

from typing import Any

from karat.result.note import Note


class Interval(tuple[float, float]):
    """A pair (low, high) that also knows its level, its method and a note about it.

    Examples
    --------
    >>> low, high = Interval(0.71, 0.93, level=0.95, method="logit")
    """

    level: float
    method: str
    note: Note | None

    def __new__(cls, low: float, high: float, *, level: float, method: str, note: Note | None = None) -> Interval:
        self = super().__new__(cls, (float(low), float(high)))
        self.level, self.method, self.note = level, method, note
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[float, ...], dict[str, Any]]:  # so that it pickles and copies
        return tuple(self), {"level": self.level, "method": self.method, "note": self.note}

    @property
    def low(self) -> float:
        return self[0]

    @property
    def high(self) -> float:
        return self[1]

    def covers(self, value: float) -> bool:
        """Whether the interval includes a value."""
        return self.low <= value <= self.high

    def __repr__(self) -> str:
        note = f", note={str(self.note)!r}" if self.note else ""
        return f"Interval({self.low:.6g}, {self.high:.6g}, level={self.level}, method={self.method!r}{note})"
