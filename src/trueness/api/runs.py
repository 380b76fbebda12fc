"""How many fits a call makes (of the default plan by the model, `fits=`, as many as fit into `seconds=`, or as many
replicates as are enough), and how the result was made, for reports, JSON and methods sections.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from trueness.api.call import PlanLike, design_of
from trueness.checks import check_whole, is_number, unwarned
from trueness.errors import InputError
from trueness.estimators.registry import available, recommend
from trueness.fitting.described import described, versions
from trueness.fitting.engines.registry import find
from trueness.fitting.progress import PACE, Pace, clock, paced
from trueness.leaks.findings import Findings
from trueness.metrics.cost import Cost
from trueness.metrics.metric import Metric
from trueness.plans.bootstrap import FIRST_LOOK, LEAST_FITS, Bootstrap, CvBootstrap, bootstrap_counts
from trueness.plans.plan import Plan
from trueness.plans.splits import KFold
from trueness.result.estimate import Estimate
from trueness.result.notes import Note, inherited
from trueness.result.words import counted
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.sample import Sample
from trueness.typing import Record, Rng

FITS = 100
"""Fits of the default plan for a model that is fitted one by one (docs/how-many-fits.md)."""
LEAST_OF_CLOSED_FORMS = 200
CLOSED_FORM_FITS = 2400  # of models with a closed form: another seed changes the standard error by 1 to 5 %
MOST_SCORES = 1_600_000  # cases × fits of these: about half a second
MOST_PRODUCTS = 4e9  # cases × features² × fits of these
MOST_FITS = 1600  # in limited time: more would hardly change the interval
PROBED = 8  # bootstrap samples on which a closed form is tried

FitsOf = dict[str, Fits]
"""The fits of each model, all on one design."""


def plan_of(
    plan: PlanLike | None,
    models: Iterable[Any],
    sample: Sample,
    methods: Iterable[tuple[Metric, str | None]],
    fits: int | None,
    seconds: float | None = None,
) -> PlanLike:
    """The plan as given; or the default plan with as many fits as are asked for, as suit the models, or as a limited
    time may need. Where cross-validation alone answers for all metrics (by these methods), it has no bootstrap."""
    if fits is not None:
        if plan is not None:
            problem = "fits is the number of fits of the default plan; another plan has its own"
            raise InputError(problem, param="fits", got=fits, fix="Leave plan= or fits= out")
        check_whole("fits", fits, LEAST_FITS)
    if seconds is not None:
        if not (is_number(seconds) and 0 < seconds < math.inf):
            raise InputError("seconds must be a positive number", param="seconds", got=repr(seconds))
        if fits is not None:
            fix = "Leave seconds= or fits= out"
            raise InputError("seconds and fits both say how many fits are made", param="seconds", fix=fix)
    if plan is not None:
        return plan
    methods = list(methods)
    number = fits or (MOST_FITS if seconds is not None else 0)
    if not number:  # a function that is called for every fit takes longer than the fits of a closed form
        slow = any(metric.called_per_fit for metric, _ in methods)
        number = FITS if slow else default_fits(models, sample)
    whole = CvBootstrap.of_fits(number, sample)
    if any(needs_bootstrap(metric, method) for metric, method in methods):
        return whole
    folds = whole.folds_of(sample)
    return KFold(folds, max(2, number // folds) if fits else max(FITS // folds, whole.repeats))


def default_fits(models: Iterable[Any], sample: Sample) -> int:
    """Fits of the default plan: more where all models have a closed form, whose fits cost next to nothing. Such a model
    has an engine that trusts itself with these cases, and with some bootstrap samples of them, the same for every seed
    and whichever engine makes the fits."""
    for model in models:
        known = find(model, sample)
        if isinstance(known, Note | None):
            return FITS
        counts = np.vstack([np.ones(sample.n), bootstrap_counts(np.random.default_rng(0), sample.n, PROBED)])
        if not known.rules(counts.astype(np.uint8)).trusted.all():
            return FITS
    features = int(np.shape(sample.X)[1])
    most = min(CLOSED_FORM_FITS, MOST_SCORES // sample.n, int(MOST_PRODUCTS / (sample.n * features**2)))
    return max(LEAST_OF_CLOSED_FORMS, most // 100 * 100)


def needs_bootstrap(metric: Metric, method: str | None) -> bool:
    """Whether the bootstrap part of the default plan serves the metric, by this method or the recommended one."""
    usable = {e.name: e for e in available("cv+bootstrap", metric)}
    chosen = method or recommend("cv+bootstrap", metric)
    return chosen not in usable or "cv" not in usable[chosen].method.kinds


def drawn(
    plan: PlanLike, sample: Sample, rng: Rng, store: str | Path | None, seconds: float | None
) -> tuple[Design, object]:
    """The design to begin with, and in limited time the plan that it may grow to; None where it is whole."""
    if seconds is None:
        return design_of(plan, sample, rng, store), None
    if isinstance(plan, str) and plan == "prefit":
        raise InputError("With plan 'prefit' nothing is fitted", param="seconds", fix="Leave seconds= out")
    if isinstance(plan, Bootstrap) and plan.n_resamples is None:  # it stops by itself
        return design_of(replace(plan, seconds=plan.seconds or seconds), sample, rng, store), None
    design = design_of(plan.within(0, sample) if isinstance(plan, Plan) else plan, sample, rng, store)
    return design, plan if isinstance(plan, (Plan, Design)) else design.plan


def grown(design: Design, plan: object, pace: Pace, fit_all: Callable[[Design, FitsOf], FitsOf]) -> FitsOf:
    """The fits of as long a design of the plan as fits into the time: at least this one, which it begins with. The time
    of a fit is measured again whenever there are four times as many."""
    assert pace.seconds is not None
    fits = fit_all(design, {})  # an error after the first of them, where they would take too long
    while isinstance(plan, Plan):
        room = math.floor(design.n_fits * pace.seconds / max(pace.spent, 1e-9))
        wanted = plan.within(min(room, 4 * design.n_fits), design.sample)
        if room < 1.1 * design.n_fits or wanted == design.plan:
            break
        longer = wanted.draw(design.sample, rng=design.seed)
        if longer.n_fits <= design.n_fits:
            break
        with paced(replace(pace, enough=True)):
            design, fits = longer, fit_all(longer, fits)
    note = Note("within-seconds", fits=design.n_fits, seconds=pace.seconds)
    return {name: replace(f, notes=(*f.notes, note)) for name, f in fits.items()}


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
    begun, fits, plan = clock(), fit_all(design, {}), design.plan
    if not isinstance(plan, Bootstrap) or plan.n_resamples is not None:
        return fits
    known: Record = {"replicates": design.n_fits, "until": plan.until}
    with unwarned():  # those of the fits were issued, those of the estimates will be
        while not all(e is not None and is_precise(e, plan.until) for e in estimates(fits)):
            step = math.ceil(design.n_fits / 4 / FIRST_LOOK) * FIRST_LOOK
            size, why = min(design.n_fits + step, plan.at_most), ""
            if design.n_fits >= plan.at_most:
                why = "at_most"
            elif plan.seconds is not None and (clock() - begun) * size / design.n_fits > plan.seconds:
                why = "seconds"
            if why:
                note = Note("stopped-early", **known, why=why)
                break
            design = plan.of_size(size).draw(design.sample, rng=design.seed)
            known["replicates"] = design.n_fits
            with paced(replace(PACE.get(), enough=True)):
                fits = fit_all(design, fits)
        else:
            note = Note("enough-replicates", **known)
    return {name: noted(f, note) for name, f in fits.items()}


def is_precise(e: Estimate, until: float) -> bool:
    """Whether the Monte-Carlo errors of an estimate and of its standard error are below this share of the latter.

    An estimate without a standard error has nothing to be compared with: the first block must do. One that needs more
    replicates is not precise, whatever share is asked for.
    """
    errors = (e.mc_se, e.se_mc_se)
    return e.se is None or (e.needed is None and all(error is None or error <= until * e.se for error in errors))


def noted(fits: Fits, note: Note) -> Fits:
    """With the note, and of a bootstrap with the plan that draws the same replicates, which had no number."""
    if isinstance(plan := fits.design.plan, Bootstrap):
        fits = replace(fits, design=replace(fits.design, plan=plan.of_size(fits.n_fits)))
    return replace(fits, notes=(*fits.notes, note))


def provenance_of(fits: Fits, *metrics: Metric) -> Record:
    """What the fits of one model know, and what decisions cost by bound metrics that are costs, by their names where there
    are several."""
    stopped = inherited(fits.notes, "run")
    costs = {metric.name: metric.told(fits.sample) for metric in metrics if type(metric) is Cost}
    said = "; ".join(f"{name}: {words}" if len(costs) > 1 else words for name, words in costs.items())
    known = {
        "design": f"{fits.sample.described}; {in_words(fits.design)}",
        "plan": str(fits.design.plan),
        "engine": fits.engine,
        "fits": fits.n_fits,
        "fingerprint": fits.design.fingerprint,
        "seed": None if fits.engine == "prefit" else fits.design.seed.entropy,  # nothing was drawn
        **versions(),
    }
    more = {"libraries": dict(fits.libraries), "stopped": " ".join(map(str, stopped[:1])), "costs": said}
    return known | {name: value for name, value in more.items() if value}


def in_words(design: Design) -> str:
    """How the training sets were drawn, and how many there are.

    Examples
    --------
    >>> import trueness
    >>> in_words(trueness.KFold(5, repeats=2).draw([0, 1] * 20, rng=0))
    '5-fold cross-validation, 2 times; 10 fits'
    """
    if design.plan == "prefit":
        return PREFIT
    drawn = [  # a small class has fewer folds than the plan
        part.leaves_one_out or (part.plan.in_words(part.n_fits) if isinstance(part.plan, Plan) else str(part.plan))
        for part in (design.parts if design.kind == "cv+bootstrap" else (design,))
    ]
    wanted = getattr(design.plan, "stratified", None)
    mixed = wanted and not design.stratified and design.sample.numbers is None  # groups of several classes
    return f"{', and '.join(drawn)}{STRATA.get(False if mixed else wanted, '')}; {counted(design.n_fits, 'fit')}"


def made(begun: datetime, *samples: Sample, found: Findings | None = None) -> Record:
    """SHA-256 of the data (labels, groups and features, in their order) where features have stable bytes; when and how
    long a call ran; and the codes of the checks that were made."""
    hashes = []
    with suppress(InputError):
        for sample in samples:
            numbers = () if sample.numbers is None else (sample.numbers,)
            parts = described([sample.codes, sample.classes, sample.positive, sample.groups, sample.X, *numbers])
            hashes.append("sha256:" + hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32])
    return {
        **({"data": ", ".join(hashes)} if len(hashes) == len(samples) else {}),
        "begun": begun.isoformat(timespec="seconds"),
        "seconds": round((datetime.now(UTC) - begun).total_seconds(), 1),
        **({} if found is None else {"checks": list(found.checked)}),
    }
