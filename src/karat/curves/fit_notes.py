"""What to say of a fitted ROC curve that the cases speak against."""

from __future__ import annotations

import numpy as np

from karat.sample.scored import Scored

FAR = 1.0  # standard errors; where the model is right two estimates of one area are rarely half as far apart
VALUES = 20  # distinct scores below which a shape cannot be seen in them


def far_from_cases(data: Scored, area: float) -> str:
    """A note where a fitted area and Mann–Whitney's are further apart than DeLong's standard error."""
    if data.n1 < 2 or data.n0 < 2:
        return ""
    empirical, g = data.delong
    se = float(np.linalg.norm(g))
    if se == 0 or abs(area - empirical) <= FAR * se:
        return ""
    return (
        f"Mann and Whitney's AUC, which assumes nothing, is {empirical:.3f}: {abs(area - empirical) / se:.1f} standard "
        "errors from the fitted one. The scores are not what the model takes them for (skewed, or of few values); use "
        "the empirical curve."
    )


def few_values(data: Scored) -> str:
    """A note where scores have so few values that their shape cannot be seen."""
    n = len(np.unique(data.scores))
    if n >= VALUES:
        return ""
    return (
        f"The scores have {n} distinct values: a curve from their shape is not to be trusted. Use the empirical curve, "
        "or the binormal one, which takes ratings as they are."
    )
