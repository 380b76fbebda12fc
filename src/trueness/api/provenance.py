"""How a result was made: data, plan, seed, times and versions, for reports, JSON and methods sections."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

from trueness.api.replicates import why_stopped
from trueness.errors import InputError
from trueness.fitting.described import described, versions
from trueness.leaks.findings import Findings
from trueness.plans import Plan
from trueness.result.digits import counted
from trueness.sample import Design, Fits, Sample
from trueness.typing import Record

STRATA = {False: ", classes not kept in proportion", "fixed": ", class sizes fixed by design"}
PREFIT = "a fitted model on a test set"


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
        parts = described([sample.codes, sample.classes, sample.positive, sample.groups, sample.X])
    except InputError:
        return None
    return "sha256:" + hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
