"""Block: the scores and predictions of some rules on some cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.typing import Array, Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Block:
    """b rules by m cases."""

    codes: Ints  # (m,) class of each case
    counts: Array  # (b, m) how often each case entered the training set of each rule
    # (b, m) or (b, m, C) of the positive class, or of every class; NaN where a rule did not score a case. None where
    # the model has none.
    scores: Floats | None
    # (b, m) predicted class; −1 where a rule did not predict a case. None where predictions are not known.
    predictions: Array | None
    fits: Ints  # (b,) indexes of the training sets

    @property
    def left_out(self) -> Bools:
        """(b, m) I_i^b: True where case i was not in training set b."""
        return np.asarray(self.counts == 0)

    @property
    def ones(self) -> Floats:
        """(b, m) equal weights."""
        return np.ones(self.counts.shape)
