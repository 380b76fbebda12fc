"""Ctrl-C during fits: what is finished is not lost where it makes a shorter design of the same plan."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from karat.plans import Bootstrap, CvBootstrap, KFold
from karat.sample.design import Design

if TYPE_CHECKING:
    from karat.sample.fits import Fits

LEAST_REPLICATES = 20  # of a bootstrap
LEAST_REPEATS = 2  # of a cross-validation: one has hardly any standard error


class Interrupted(KeyboardInterrupt):
    """A run was interrupted.

    Parameters
    ----------
    fits : Fits or None
        Those of the shorter design that is complete; None where there is none.
    done, of : int
        Fits that were finished, and those that were asked for.
    """

    def __init__(self, fits: Fits | None, done: int, of: int) -> None:
        super().__init__(f"Interrupted after {done} of {of} fits.")
        self.fits, self.done, self.of = fits, done, of


def beginning(design: Design, done: int) -> Design | None:
    """The longest design of the plan that the first `done` fits of this one are; None where it would be too short.

    Of a cross-validation with a bootstrap whose cross-validation was not finished, that of its whole repeats alone.
    """
    plan = design.plan
    if isinstance(plan, CvBootstrap):
        cv = design.parts[0]
        if done < cv.n_fits + LEAST_REPLICATES:
            return beginning(cv, min(done, cv.n_fits))
        return replace(plan, n_resamples=done - cv.n_fits).draw(design.sample, rng=design.seed)
    if isinstance(plan, Bootstrap) and done >= LEAST_REPLICATES:
        return plan.of_size(done).draw(design.sample, rng=design.seed)
    if isinstance(plan, KFold) and done >= LEAST_REPEATS * design.n_folds:
        return replace(plan, repeats=done // design.n_folds).draw(design.sample, rng=design.seed)
    return None


def unbroken(finished: Collection[int], before: int) -> int:
    """How many fits from the first on are finished; `before` are known."""
    while before in finished:
        before += 1
    return before
