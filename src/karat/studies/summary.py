"""What trials say: mean, SD, RMS and correlation of an estimator, each with its Monte-Carlo error."""

from __future__ import annotations

import math

import numpy as np


def mean(x: np.ndarray) -> tuple[float, float]:
    """Mean over trials and its Monte-Carlo error."""
    return float(x.mean()), _error(x - x.mean())


def sd(x: np.ndarray) -> tuple[float, float]:
    """SD over trials (divisor G − 1); error from the fourth moment: IF = ((x − m)² − s²)/(2s)."""
    s = float(x.std(ddof=1))
    return s, _error(((x - x.mean()) ** 2 - s**2) / (2 * s)) if s > 0 else 0.0


def rms(x: np.ndarray, truth: np.ndarray | float) -> tuple[float, float]:
    """√ mean (x − truth)²  (seeds/000, eq. 61)."""
    squares = (x - truth) ** 2
    r = math.sqrt(squares.mean())
    return r, _error((squares - r**2) / (2 * r)) if r > 0 else 0.0


def rms_around_mean(x: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """√ mean (x − mean truth)²: the estimator as one of the mean performance  (seeds/000, 5.2)."""
    centre = truth.mean()
    squares = (x - centre) ** 2
    r = math.sqrt(squares.mean())
    if r == 0:
        return 0.0, 0.0
    return r, _error((squares - r**2 - 2 * (x.mean() - centre) * (truth - centre)) / (2 * r))


def correlation(x: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """ρ over trials; IF = z_x z_y − ρ (z_x² + z_y²)/2. NaN where one of the two does not vary."""
    if x.std() == 0 or truth.std() == 0:
        return math.nan, math.nan
    zx, zy = (x - x.mean()) / x.std(), (truth - truth.mean()) / truth.std()
    r = float((zx * zy).mean())
    return r, _error(zx * zy - r * (zx**2 + zy**2) / 2)


def accuracy(x: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """One row of table 2 of seeds/000: every number, and its Monte-Carlo error as <name>_mc."""
    numbers = {
        "mean": mean(x),
        "sd": sd(x),
        "rms": rms(x, truth),
        "rms_around_mean": rms_around_mean(x, truth),
        "correlation": correlation(x, truth),
    }
    return {name: value for name, (value, _) in numbers.items()} | {
        f"{name}_mc": error for name, (_, error) in numbers.items()
    }


def decomposition(x: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """The four parts of eq. (63) of seeds/000, all divided by σ_S σ_Ŝ (divisor G, so that it holds exactly):

    MSE(Ŝ, S) = MSE(Ŝ, E S) + σ_S/σ_Ŝ − 2ρ
    """
    s_x, s_t, centre = x.std(), truth.std(), truth.mean()
    scale = s_x * s_t
    errors, around = (x - truth) ** 2, (x - centre) ** 2
    # relative influence of a trial on σ_Ŝ and σ_S, then by the rules of products and quotients
    u, v = ((x - x.mean()) / s_x) ** 2 / 2 - 0.5, ((truth - centre) / s_t) ** 2 / 2 - 0.5
    of_errors = errors / errors.mean() - 1
    of_around = (around - 2 * (x.mean() - centre) * (truth - centre)) / around.mean() - 1
    mse, mse_around_mean, ratio = errors.mean() / scale, around.mean() / scale, s_t / s_x
    rho, rho_error = correlation(x, truth)
    return {
        "mse": float(mse),
        "mse_around_mean": float(mse_around_mean),
        "sd_ratio": float(ratio),
        "correlation": rho,
        "mse_mc": mse * _error(of_errors - u - v),
        "mse_around_mean_mc": mse_around_mean * _error(of_around - u - v),
        "sd_ratio_mc": ratio * _error(v - u),
        "correlation_mc": rho_error,
    }


def share(hits: np.ndarray) -> tuple[float, float]:
    """A share of trials and its binomial error."""
    p = float(np.mean(hits))
    return p, math.sqrt(p * (1 - p) / len(hits))


def _error(influence: np.ndarray) -> float:
    """SD of the influence of a trial / √G."""
    g = len(influence)
    return float(math.sqrt((influence**2).sum() / max(g - 1, 1) / g))
