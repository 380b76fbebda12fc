"""The words of NumPy's default generator, PCG64 (O'Neill 2014, PCG: XSL-RR 128/64), many steps side by side."""

from __future__ import annotations

import numpy as np
from numba import njit

LANES = 512  # states, a step apart from each other, that are moved together by as many steps: a power of two
LOW, HALF, TOP, WORD, MOST = np.uint64(2**32 - 1), np.uint64(32), np.uint64(58), np.uint64(64), np.uint64(63)


def _leap(steps: int) -> tuple[int, int]:
    """(a, c) of s ← a s + c · inc, which is so many steps of s ← multiplier · s + inc: a power of two."""
    a, c = 0x2360ED051FC65DA44385DF649FCCF645, 1
    while steps > 1:  # twice s ← a s + c is s ← a² s + (a + 1) c
        a, c, steps = a * a % 2**128, (a + 1) * c % 2**128, steps // 2
    return a, c


(STEP, _), (LEAP, INCREMENTS) = _leap(1), _leap(LANES)


class Stream:
    """What `generator.random_raw` would give; the generator itself stays where it is."""

    def __init__(self, generator: np.random.PCG64) -> None:
        now = generator.state["state"]
        numbers = (now["state"], STEP, now["inc"], LEAP, INCREMENTS * now["inc"] % 2**128)
        halves = np.array([half for number in numbers for half in divmod(number, 2**64)], dtype=np.uint64)
        self._high, self._low = _lanes(halves)
        self._leap = halves[6:]

    def raw(self, n: int) -> np.ndarray:
        """The next 64-bit words, n of them or some more."""
        return _next(self._high, self._low, self._leap, n)


@njit(cache=True, error_model="numpy", inline="always")
def _moved(high, low, a1, a0, c1, c0):
    """(high, low) · (a1, a0) + (c1, c0) mod 2¹²⁸."""
    low0, low1, b0, b1 = low & LOW, low >> HALF, a0 & LOW, a0 >> HALF
    p00, p01, p10 = low0 * b0, low0 * b1, low1 * b0
    middle = (p00 >> HALF) + (p01 & LOW) + (p10 & LOW)
    upper = low1 * b1 + (p01 >> HALF) + (p10 >> HALF) + (middle >> HALF) + high * a0 + low * a1
    lower = (p00 & LOW) | (middle << HALF)
    total = lower + c0
    return upper + c1 + np.uint64(total < lower), total


@njit(cache=True, error_model="numpy")
def _lanes(halves):
    high, low = np.empty(LANES, dtype=np.uint64), np.empty(LANES, dtype=np.uint64)
    h, w, a1, a0, c1, c0 = halves[0], halves[1], halves[2], halves[3], halves[4], halves[5]
    for lane in range(LANES):
        h, w = _moved(h, w, a1, a0, c1, c0)
        high[lane], low[lane] = h, w
    return high, low


@njit(cache=True, error_model="numpy")
def _next(high, low, leap, n):
    a1, a0, c1, c0 = leap[0], leap[1], leap[2], leap[3]
    out = np.empty(((n + LANES - 1) // LANES, LANES), dtype=np.uint64)
    for row in out:
        for lane in range(LANES):
            h, w = high[lane], low[lane]
            mixed, turn = h ^ w, h >> TOP
            row[lane] = (mixed >> turn) | (mixed << ((WORD - turn) & MOST))
            high[lane], low[lane] = _moved(h, w, a1, a0, c1, c0)
    return out.ravel()
