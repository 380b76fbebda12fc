"""Ctrl-C during fits: what is finished is not lost where it makes a shorter design of the same plan."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from trueness.plans import Bootstrap, CvBootstrap, KFold
from trueness.sample.design import Design

LEAST_REPLICATES = 20  # of a bootstrap
LEAST_REPEATS = 2  # of a cross-validation: one has hardly any standard error


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
