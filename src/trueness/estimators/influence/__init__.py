"""Influence functions of the bootstrap and of cross-validation, and what they read: the losses of a rule, or of a
difference of two (`Contrast`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from trueness.estimators.method import Undefined
from trueness.sample.fits import Fits
from trueness.typing import Array, Floats

KEPT_LOSSES = 2**22  # up to this many losses are kept with the fits; more of them are computed again in each pass

Losses = Callable[[], Iterator[tuple[Array, Floats]]]
"""Gives blocks of (counts, losses), both (b, n), as often as it is called."""


Linear = TypeVar("Linear", float, Floats)


@dataclass(frozen=True, eq=False)
class Contrast:
    """A rule, or its difference from another rule on the same design: what is linear is read of both, and subtracted
    before anything is squared (Yousef, ML Assessment, eq. 64-66). It is what every estimator is given."""

    fits: Fits
    metric: Any  # a Metric; a CaseLoss where losses are read
    other: Fits | None = None
    other_metric: Any = None  # where the other has one of its own, as linear forms of a table measure are
    se: str | None = None  # the standard error that is asked for
    undefined: Undefined = "raise"

    @property
    def rules(self) -> tuple[tuple[float, Fits], ...]:
        """With their signs."""
        return ((1.0, self.fits),) if self.other is None else ((1.0, self.fits), (-1.0, self.other))

    def read(self, function: Callable[[Fits, Any], Linear]) -> Linear:
        """`function(fits, metric)` of the rule, less that of the other."""
        mine = function(self.fits, self.metric)
        return mine if self.other is None else mine - function(self.other, self.other_metric or self.metric)

    def losses(self, most: float = math.inf) -> Losses:
        """Of the cases that each training set left out, of at most so many of the training sets, the first; of two rules on
        those that failed for neither."""
        keep = np.logical_and.reduce([rule.kept for _, rule in self.rules])
        keep = keep & (keep.cumsum() <= most)

        def blocks() -> Iterator[tuple[Array, Floats]]:
            for mine, *theirs in zip(*(rule.blocks(keep) for _, rule in self.rules), strict=True):
                losses = self.metric.left_out_losses(mine)
                for block in theirs:
                    losses = losses - (self.other_metric or self.metric).left_out_losses(block)
                yield mine.counts, np.where(mine.left_out, losses, 0.0)

        if int(keep.sum()) * self.fits.sample.n > KEPT_LOSSES:
            return blocks
        kept = list(blocks()) if self.other is not None else None
        kept = kept or self.fits.latest("losses", (self.metric.key, keep.tobytes()), lambda: list(blocks()))
        return lambda: iter(kept)

    def part(self, k: int) -> Contrast:
        """On one part of the design."""
        return replace(self, fits=self.fits.parts[k], other=None if self.other is None else self.other.parts[k])


def identical(a: Fits, b: Fits) -> bool:
    """Whether two models have the same scores for every case in every fit."""
    if a.parts:
        return all(identical(one, other) for one, other in zip(a.parts, b.parts, strict=True))
    return all(
        one.scores is not None and other.scores is not None and np.array_equal(one.scores, other.scores, equal_nan=True)
        for one, other in zip(a.blocks(), b.blocks(), strict=False)
    )
