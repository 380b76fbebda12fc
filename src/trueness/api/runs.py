"""How a run went: how many replicates are enough where the plan does not say, what is kept after Ctrl-C, and how the result
was made, for reports, JSON and methods sections."""

import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime

from trueness.api.budget import FitsOf
from trueness.checks import unwarned
from trueness.errors import InputError, Interrupted
from trueness.fitting import pace
from trueness.fitting.described import described, versions
from trueness.leaks.findings import Findings
from trueness.plans import Bootstrap, Plan
from trueness.result import Estimate
from trueness.result.words import Note, counted
from trueness.sample import Design, Fits, Sample
from trueness.typing import Record

STOPPED = frozenset({"enough-replicates", "stopped-early", "interrupted", "within-seconds"})  # codes

STRATA = {False: ", classes not kept in proportion", "fixed": ", class sizes fixed by design"}
PREFIT = "a fitted model on a test set"


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
    begun = pace.clock()
    fits = fit_all(design, {})
    plan = design.plan
    if not isinstance(plan, Bootstrap) or plan.n_resamples is not None:
        return fits
    with unwarned():  # those of the fits were issued, those of the estimates will be
        while (why := _reason_to_stop(plan, design.n_fits, estimates(fits), pace.clock() - begun)) is None:
            size = plan.next_size(design.n_fits)
            design = plan.of_size(size).draw(design.sample, rng=design.seed)
            with pace.paced(replace(pace.current(), enough=True)):
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

    An estimate without a standard error has nothing to be compared with: the first block must do. One that needs more
    replicates is not precise, whatever share is asked for.
    """
    if e.se is None:
        return True
    return e.needed is None and all(error is None or error <= until * e.se for error in (e.mc_se, e.se_mc_se))


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


def at_prompt() -> bool:
    """Whether a person will see the result: a Python prompt, IPython or a notebook. A program must not go on."""
    return hasattr(sys, "ps1")


def kept(stop: Interrupted, stored: bool) -> Fits:
    """The fits that are finished, with a note; the interrupt again where there are none, or no person to see them."""
    if stop.fits is None or not at_prompt():
        further = "The same call goes on where it stopped." if stored else "With store= a run goes on where it stopped."
        stop.args = (f"Interrupted after {stop.done} of {stop.of} fits. {further}",)
        raise stop
    message = (
        f"Interrupted after {stop.done} of {stop.of} fits: this is the result of {stop.fits.design.plan}. "
        "continue_() goes on."
    )
    note = Note("interrupted", message, "warning", fits=stop.fits.n_fits, done=stop.done, of=stop.of)
    return replace(stop.fits, notes=(*stop.fits.notes, note))


def finished_models(stop: KeyboardInterrupt, fits: dict[str, Fits], names: list[str]) -> dict[str, Fits]:
    """The models whose fits are complete, with a note; the interrupt again where they are fewer than two."""
    left = [name for name in names if name not in fits]
    if len(fits) < 2 or not at_prompt():
        done = f" Finished: {', '.join(fits)}." if fits else ""
        stop.args = (f"Interrupted while {(left or names)[0]} was fitted.{done}",)
        raise stop
    about = f"without {', '.join(left)}" if left else f"with {next(iter(fits.values())).n_fits} fits per model"
    note = Note("interrupted", f"Interrupted: this is the result {about}.", "warning", models=tuple(left))
    return {name: noted(f, note) for name, f in fits.items()}


def provenance_of(fits: Fits, engine: bool = True) -> Record:
    """What the fits of one model know; of several models on one design, without the engine."""
    stopped = why_stopped(fits)
    return {
        "design": f"{fits.sample.described}; {in_words(fits.design)}",
        "plan": str(fits.design.plan),
        **({"engine": fits.engine} if engine else {}),
        "fits": fits.n_fits,
        "fingerprint": fits.design.fingerprint,
        "seed": None if fits.engine == "prefit" else fits.design.seed.entropy,  # nothing was drawn
        **versions(),
        **({"stopped": str(stopped[0])} if stopped else {}),
    }


def in_words(design: Design) -> str:
    """How the training sets were drawn, and how many there are.

    Examples
    --------
    >>> import trueness
    >>> in_words(trueness.KFold(5, repeats=2).draw([0, 1] * 20, rng=0))
    '5-fold cross-validation, 2 times; 10 fits'
    """
    plan = design.plan
    if plan == "prefit":
        return PREFIT
    strata = STRATA.get(getattr(plan, "stratified", True), "")
    return f"{_drawn_in_words(design)}{strata}; {counted(design.n_fits, 'fit')}"


def _drawn_in_words(design: Design) -> str:
    if design.kind == "cv+bootstrap":  # a small class has fewer folds than the plan
        return ", and ".join(_drawn_in_words(part) for part in design.parts)
    return design.plan.in_words(design.n_fits) if isinstance(design.plan, Plan) else str(design.plan)


def made(begun: datetime, *samples: Sample) -> Record:
    """A hash of the data, and when and how long a call ran."""
    known = [data_hash(sample) for sample in samples]
    return {
        **({} if None in known else {"data": ", ".join(str(each) for each in known)}),
        "begun": begun.isoformat(timespec="seconds"),
        "seconds": round((datetime.now(UTC) - begun).total_seconds(), 1),
    }


def checked(found: Findings | None) -> Record:
    """The codes of the checks that were made."""
    return {} if found is None else {"checks": list(found.checked)}


def data_hash(sample: Sample) -> str | None:
    """SHA-256 of labels, groups and features, in their order; None where features have no stable bytes."""
    try:
        numbers = () if sample.numbers is None else (sample.numbers,)
        parts = described([sample.codes, sample.classes, sample.positive, sample.groups, sample.X, *numbers])
    except InputError:
        return None
    return "sha256:" + hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
