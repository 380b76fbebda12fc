"""From log-odds to what a rule says: its decisions, and its scores for the positive class."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from karat.kernels.compiled import twin


@twin
def two_class_answers(scores: np.ndarray, predictions: np.ndarray, turned: bool, logistic: bool) -> None:
    """`scores` (b, n) come as log-odds of the second class; decisions are written to `predictions` (b, n).

    Then the scores, in place, speak for the first class where they are `turned`, and become probabilities
    1/(1 + e^−x) where they are `logistic`.
    """
    np.greater(scores, 0, out=predictions)
    if turned:
        np.negative(scores, out=scores)
    if logistic:
        expit(scores, out=scores)
