"""Block: what some of the rules said of some of the cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Block:
    """b rules by m cases.

    Attributes
    ----------
    codes
        (m,) class of each case.
    counts
        (b, m) how often each case trained each rule.
    scores
        (b, m) of the positive class, or (b, m, C); NaN = not scored. None where the model has none.
    predictions
        (b, m) predicted class; −1 = not predicted. None where they are not known.
    fits
        (b,) which training sets these are.
    """

    codes: np.ndarray
    counts: np.ndarray
    scores: np.ndarray | None
    predictions: np.ndarray | None
    fits: np.ndarray

    @property
    def left_out(self) -> np.ndarray:
        """(b, m) I_i^b: True where case i did not train rule b."""
        return self.counts == 0

    @property
    def ones(self) -> np.ndarray:
        return np.ones(self.counts.shape)
