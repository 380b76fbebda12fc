"""DeLong's variance of an AUC, as a vector with one entry per case."""

from __future__ import annotations

import numpy as np

from karat.kernels.auc import twice_below
from karat.typing import Bools, Floats


def delong_influence(scores: Floats, positive: Bools) -> tuple[float, Floats]:
    """AUC and a vector g with Σ g_i² = DeLong's variance.

    V10_i is the share of negatives below positive i, V01_j the share of positives above negative j, and
    Var = S10/n1 + S01/n2 with S the sample variances (divisor n − 1). The difference of the vectors of two curves gives
    DeLong's variance of the difference.

    Parameters
    ----------
    scores : (n,) array
    positive : (n,) bool array

    Returns
    -------
    value : float
    g : (n,) array
        NaN in a class of one case, which has no sample variance.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, 837-845.
    """
    scores = np.asarray(scores, dtype=float)
    up, down = scores[positive], scores[~positive]
    twice = twice_below(up, down)
    value = int(twice.sum()) / (2 * len(up) * len(down))  # of whole numbers: nothing is rounded before the division
    v10, v01 = twice / (2 * len(down)), 1 - twice_below(down, up) / (2 * len(up))
    g = np.empty(len(scores))
    g[positive], g[~positive] = _scaled(v10 - value), _scaled(v01 - value)
    return value, g


def class_extremes(scores: Floats, positive: Bools) -> tuple[float, float, float, float]:
    """The lowest and the highest score of a positive, and of a negative."""
    up, down = scores[positive], scores[~positive]
    return float(up.min()), float(up.max()), float(down.min()), float(down.max())


def _scaled(centred: Floats) -> Floats:
    m = len(centred)
    return centred / np.sqrt(m * (m - 1)) if m > 1 else np.full(m, np.nan)
