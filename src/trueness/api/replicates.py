"""How many bootstrap replicates are enough, where the plan does not say; and going on from a finished run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from trueness.checks import unwarned
from trueness.plans import Bootstrap
from trueness.result import Estimate
from trueness.result.note import Note
from trueness.sample import Design, Fits

STOPPED = frozenset({"enough-replicates", "stopped-early", "interrupted"})  # codes

FitsOf = dict[str, Fits]
"""The fits of each model, all on one design."""


def enough_replicates(
    design: Design,
    fit_all: Callable[[Design, FitsOf], FitsOf],
    estimates: Callable[[FitsOf], Iterable[Estimate | None]],
) -> FitsOf:
    """The fits on the design; where its plan is a bootstrap without a number, on as many replicates as are needed.

    All models have the same replicates, and stop when each estimate is precise; one that needs more replicates to be
    defined is None. After every block the design, of which the first block was drawn, is drawn again from its seed: it
    begins with the earlier one, so that `fit_all` fits the new replicates only.
    """
    begun = time.monotonic()
    fits = fit_all(design, {})
    plan = design.plan
    if not isinstance(plan, Bootstrap) or plan.n_resamples is not None:
        return fits
    with unwarned():  # those of the fits were issued, those of the estimates will be
        while (why := _reason_to_stop(plan, design.n_fits, estimates(fits), time.monotonic() - begun)) is None:
            size = plan.next_size(design.n_fits)
            design = plan.of_size(size).draw(design.sample, rng=design.seed)
            fits = fit_all(design, fits)
    note = stopped(plan, design.n_fits, why)
    return {name: noted(f, note) for name, f in fits.items()}


def _reason_to_stop(
    plan: Bootstrap, replicates: int, estimates: Iterable[Estimate | None], elapsed: float
) -> str | None:
    """ "precise", "at_most" or "seconds"; None to go on."""
    if all(e is not None and is_precise(e, plan.until) for e in estimates):
        return "precise"
    if replicates >= plan.at_most:
        return "at_most"
    if plan.seconds is not None and elapsed * plan.next_size(replicates) / replicates > plan.seconds:
        return "seconds"
    return None


def is_precise(e: Estimate, until: float) -> bool:
    """Whether the Monte-Carlo errors of an estimate and of its standard error are below this share of the latter.

    An estimate without a standard error has nothing to be compared with: the first block must do. One whose own note
    asks for more replicates is not precise, whatever share is asked for.
    """
    if e.se is None:
        return True
    if e.noted("few-replicates") is not None:
        return False
    return all(error is None or error <= until * e.se for error in (e.mc_se, e.se_mc_se))


def stopped(plan: Bootstrap, replicates: int, why: str) -> Note:
    """Why there are so many replicates."""
    goal = f"the Monte-Carlo errors of estimates and standard errors are below {plan.until:g} standard errors"
    if why == "precise":
        message = f"Stopped after {replicates} replicates: {goal}."
        return Note("enough-replicates", message, replicates=replicates, until=plan.until)
    limit = f"at_most={plan.at_most}" if why == "at_most" else f"seconds={plan.seconds:g}"
    message = f"Stopped after {replicates} replicates because of {limit}, before {goal}."
    if why == "seconds":
        message += f" Another run may stop elsewhere; Bootstrap({replicates}) repeats this one."
    return Note("stopped-early", message, "warning", replicates=replicates, until=plan.until, why=why)


def noted(fits: Fits, note: Note) -> Fits:
    """With the note, and of a bootstrap with the plan that draws the same replicates, which had no number."""
    plan, notes = fits.design.plan, (*fits.notes, note)
    if not isinstance(plan, Bootstrap):
        return replace(fits, notes=notes)
    return replace(fits, design=replace(fits.design, plan=plan.of_size(fits.n_fits)), notes=notes)


def why_stopped(fits: Fits) -> tuple[Note, ...]:
    """The note that says why a run stopped, where it did so by itself or was interrupted."""
    return tuple(note for note in fits.notes if note.code in STOPPED)
