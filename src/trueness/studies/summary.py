"""Summaries of trials: mean, SD, RMS and correlation of an estimator, each with its Monte Carlo error.

Every number is a function of the G trials with an influence (G,), the effect of each trial on it; its Monte Carlo error
is the SD of the influence over √G. Influences are additive: the error of an average of numbers that share their trials
is that of the average influence.
"""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from trueness.typing import Bools, Floats

Influence = tuple[float, Floats]
"""A number, and the influence (G,) of every trial on it."""

Number = tuple[float, float]
"""A number and its Monte Carlo error."""


def mean_influence(x: Floats) -> Influence:
    return float(x.mean()), x - x.mean()


def sd_influence(x: Floats) -> Influence:
    """SD over trials (divisor G − 1): IF = ((x − m)² − s²)/(2s)."""
    if constant(x):
        return 0.0, np.zeros(len(x))
    s = float(x.std(ddof=1)) if len(x) > 1 else math.nan
    return s, ((x - x.mean()) ** 2 - s**2) / (2 * s)


def rms_influence(x: Floats, truth: Floats | float) -> Influence:
    """√ mean (x − truth)²  (Yousef, ML Assessment, eq. 61)."""
    squares = (x - truth) ** 2
    r = math.sqrt(squares.mean())
    return r, (squares - r**2) / (2 * r) if r > 0 else np.zeros(len(x))


def rms_around_mean_influence(x: Floats, truth: Floats) -> Influence:
    """√ mean (x − mean truth)²: the estimator as one of the mean performance  (Yousef, ML Assessment, section 5.2)."""
    centre = truth.mean()
    squares = (x - centre) ** 2
    r = math.sqrt(squares.mean())
    if r == 0:
        return 0.0, np.zeros(len(x))
    return r, (squares - r**2 - 2 * (x.mean() - centre) * (truth - centre)) / (2 * r)


def correlation_influence(x: Floats, truth: Floats) -> Influence:
    """ρ over trials; IF = z_x z_y − ρ (z_x² + z_y²)/2. NaN where one of the two does not vary."""
    if constant(x) or constant(truth):
        return math.nan, np.full(len(x), math.nan)
    zx, zy = (x - x.mean()) / x.std(), (truth - truth.mean()) / truth.std()
    r = float((zx * zy).mean())
    return r, zx * zy - r * (zx**2 + zy**2) / 2


def mean(x: Floats) -> Number:
    """Mean over trials and its Monte Carlo error."""
    return _with_error(mean_influence(x))


def sd(x: Floats) -> Number:
    """SD over trials and its Monte Carlo error."""
    return _with_error(sd_influence(x))


def rms(x: Floats, truth: Floats | float) -> Number:
    """RMS error and its Monte Carlo error."""
    return _with_error(rms_influence(x, truth))


def correlation(x: Floats, truth: Floats) -> Number:
    """Correlation and its Monte Carlo error."""
    return _with_error(correlation_influence(x, truth))


def ratio_influence(top: Influence, bottom: Influence) -> Influence:
    """Quotient of two numbers of the same trials."""
    r = top[0] / bottom[0] if bottom[0] else math.nan
    return r, (top[1] - r * bottom[1]) / bottom[0] if bottom[0] else np.full(len(top[1]), math.nan)


def ratio(top: Influence, bottom: Influence) -> Number:
    """Quotient of two numbers of the same trials and its Monte Carlo error."""
    return _with_error(ratio_influence(top, bottom))


ACCURACY: dict[str, Callable[[Floats, Floats], Influence]] = {
    "mean": lambda x, truth: mean_influence(x),
    "sd": lambda x, truth: sd_influence(x),
    "rms": rms_influence,
    "rms_around_mean": rms_around_mean_influence,
    "correlation": correlation_influence,
}


def accuracy(x: Floats, truth: Floats) -> dict[str, float]:
    """One row of Yousef, ML Assessment, table 2: every number, then the Monte Carlo errors as <name>_mc."""
    numbers = {name: _with_error(of(x, truth)) for name, of in ACCURACY.items()}
    return {name: value for name, (value, _) in numbers.items()} | {
        f"{name}_mc": error for name, (_, error) in numbers.items()
    }


def decomposition(x: Floats, truth: Floats) -> dict[str, float]:
    """The four parts of Yousef, ML Assessment, eq. 63, divided by σ_S σ_Ŝ (with divisor G, so that it holds exactly):

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
        "mse_mc": mse * error_of(of_errors - u - v),
        "mse_around_mean_mc": mse_around_mean * error_of(of_around - u - v),
        "sd_ratio_mc": ratio * error_of(v - u),
        "correlation_mc": rho_error,
    }


def share(hits: Bools | pd.Series) -> Number:
    """A share of trials and its binomial error √(p̃(1 − p̃)/G), p̃ = (hits + ½)/(G + 1), which is never 0."""
    g = len(hits)
    p = float(np.mean(hits))
    middle = (p * g + 0.5) / (g + 1)
    return p, math.sqrt(middle * (1 - middle) / g)


def entry(name: str, number: Number) -> dict[str, float]:
    """A number and its Monte Carlo error as two columns of a table, <name> and <name>_mc."""
    return {name: number[0], f"{name}_mc": number[1]}


def errors_last(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the columns of Monte Carlo errors moved to the end."""
    errors = [c for c in table.columns if str(c).endswith("_mc")]
    return table[[c for c in table.columns if c not in errors] + errors]


def constant(x: Floats) -> bool:
    """Whether all trials are equal up to rounding."""
    return bool(np.ptp(x) <= 1e-12 * max(1.0, float(np.abs(x).max())))


def error_of(influence: Floats) -> float:
    """SD of the influence / √G; NaN for a single trial."""
    g = len(influence)
    return float(math.sqrt((influence**2).sum() / (g - 1) / g)) if g > 1 else math.nan


def _with_error(number: Influence) -> Number:
    value, influence = number
    return value, error_of(influence)
