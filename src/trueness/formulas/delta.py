"""The delta method: the variance of a function of counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trueness.typing import Array, Floats

STEP = 1e-30  # no difference is taken, so it can be arbitrarily small

Function = Callable[[Array], Array]  # (m, ...) tables → (m,) numbers, without abs, real or comparisons


def gradient(function: Function, at: Floats, variances: Floats | None = None) -> Floats:
    """∂f/∂x_k at `at`, by complex step: Im f(x + i h e_k)/h, exact to rounding (Squire & Trapp 1998).

    With `variances` it is 0 where x_k has none, as an empty cell, since f may have no derivative there.
    """
    size = at.size
    moved = np.broadcast_to(at.ravel(), (size, size)) + 1j * STEP * np.eye(size)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(function(moved.reshape(size, *at.shape)).imag.reshape(at.shape) / STEP)
    return found if variances is None else np.where(variances > 0, found, 0.0)


def variance(gradient: Floats, variances: Floats) -> float:
    """Σ_k Var_k (∂f/∂x_k)² for independent x_k.

    Counts may be treated as independent Poisson numbers, Var n_k = n_k, although their total (or the totals of their
    rows) are fixed: f is a function of shares, so Σ n_k ∂f/∂n_k = 0 over every fixed total (Euler), and the
    multinomial correction −(Σ n_k u_k)²/n is 0.
    """
    return float((variances * gradient**2).sum())
