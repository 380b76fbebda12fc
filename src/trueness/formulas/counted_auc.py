"""The AUC and DeLong's variance from counts of positives and negatives at each score, in whole numbers.

With the scores from high to low, w = 2 #(negatives above) + #(negatives equal) of a positive and z, the same with the
classes exchanged, are whole numbers. DeLong's placements are 1 − w/2n0 and z/2n1 (DeLong et al. 1988), so that

    AUC = Σ z / 2 n1 n0,   S10 = (n1 Σ w² − (Σ w)²) / (4 n0² n1 (n1 − 1)),   S01 likewise with z,

and nothing is rounded before the last division: the result does not depend on the order of the cases, nor on how they
were divided and put together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from trueness.typing import Ints

LIMB_BITS, LIMBS = 12, 3  # sums of squares are exact up to 2^35 cases


@dataclass(frozen=True)
class CountedAuc:
    """What an AUC, its standard error and its interval need to know."""

    n1: int  # positives
    n0: int  # negatives
    value: float  # Mann–Whitney's AUC, ties counting ½
    # S01/n0 and S10/n1: the negatives' and the positives' part of DeLong's variance; NaN in a class of one case
    parts: tuple[float, float]
    # positives at or below the highest negative, and negatives at or above the lowest positive
    overlapping: tuple[int, int]
    overlapping_inverted: tuple[int, int]  # the same with the scores negated
    constant: bool  # whether all cases have the same score

    @staticmethod
    def of(blocks: Iterable[tuple[Ints, Ints]]) -> CountedAuc:
        """From blocks of positives and negatives at each score, high to low; no score is without a case."""
        n_scores = n1 = n0 = w1 = w2 = z1 = z2 = 0
        before_first_up = before_first_down = None  # of the other class
        until_last_up = until_last_down = 0
        for ups, downs in blocks:
            tp, fp = n1 + np.cumsum(ups), n0 + np.cumsum(downs)
            w, z = 2 * fp - downs, 2 * tp - ups
            w1, w2 = w1 + _sum(ups, w), w2 + _squares(ups, w)
            z1, z2 = z1 + _sum(downs, z), z2 + _squares(downs, z)
            if (at := np.flatnonzero(ups)).size:
                if before_first_up is None:
                    before_first_up = int(fp[at[0]] - downs[at[0]])
                until_last_up = int(fp[at[-1]])
            if (at := np.flatnonzero(downs)).size:
                if before_first_down is None:
                    before_first_down = int(tp[at[0]] - ups[at[0]])
                until_last_down = int(tp[at[-1]])
            n_scores, n1, n0 = n_scores + len(ups), int(tp[-1]), int(fp[-1])
        return CountedAuc(
            n1=n1,
            n0=n0,
            value=z1 / (2 * n1 * n0),
            parts=(_variance_of_mean(z1, z2, n0, n1), _variance_of_mean(w1, w2, n1, n0)),
            overlapping=(n1 - (before_first_down or 0), until_last_up),
            overlapping_inverted=(until_last_down, n0 - (before_first_up or 0)),
            constant=n_scores == 1,
        )


def _sum(counts: Ints, values: Ints) -> int:
    """Σ counts · values, exact."""
    return sum(int(counts @ limb) << (LIMB_BITS * k) for k, limb in enumerate(_limbs(values)))


def _squares(counts: Ints, values: Ints) -> int:
    """Σ counts · values², exact."""
    return sum(_sum(counts * limb, values) << (LIMB_BITS * k) for k, limb in enumerate(_limbs(values)))


def _limbs(values: Ints) -> list[Ints]:
    """The values in limbs of 12 bits, low to high, whose products do not overflow."""
    return [(values >> (LIMB_BITS * k)) & (2**LIMB_BITS - 1) for k in range(LIMBS)]


def _variance_of_mean(total: int, squares: int, m: int, other: int) -> float:
    """Sample variance of total/m, of m placements that are whole numbers over 2 · other."""
    return (m * squares - total**2) / (4 * other**2 * m**2 * (m - 1)) if m > 1 else float("nan")
