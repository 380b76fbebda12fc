"""What assess and compare do after Ctrl-C: the result of what is finished, at a prompt; the interrupt, in a program."""

from __future__ import annotations

import sys
from dataclasses import replace

from trueness.api.replicates import noted
from trueness.errors import Interrupted
from trueness.result.note import Note
from trueness.sample import Fits


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
