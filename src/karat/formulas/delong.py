"""DeLong's variance of an AUC, as a vector with one entry per case."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from karat.kernels.auc import placements

Floats = npt.NDArray[np.float64]


def delong_influence(scores: Floats, positive: npt.NDArray[np.bool_]) -> tuple[float, Floats]:
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
    v10, v01 = placements(up, down), 1 - placements(down, up)
    value = float(v10.mean())
    g = np.empty(len(scores))
    g[positive], g[~positive] = _scaled(v10 - value), _scaled(v01 - value)
    return value, g


def class_extremes(scores: Floats, positive: npt.NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """The lowest and the highest score of a positive, and of a negative."""
    up, down = scores[positive], scores[~positive]
    return float(up.min()), float(up.max()), float(down.min()), float(down.max())


def _scaled(centred: Floats) -> Floats:
    m = len(centred)
    return centred / np.sqrt(m * (m - 1)) if m > 1 else np.full(m, np.nan)
