"""How many fits a call makes: of the default plan by the model, `fits=`, or as many as fit into `seconds=`."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from trueness.api.call import PlanLike, design_of
from trueness.checks import check_whole, is_number, is_whole
from trueness.errors import InputError
from trueness.estimators.registry import available, recommended
from trueness.fitting.engines import find
from trueness.fitting.pace import Pace, paced
from trueness.metrics import Metric
from trueness.plans import Bootstrap, CvBootstrap, KFold, Plan
from trueness.plans.bootstrap import LEAST_FITS, bootstrap_counts
from trueness.result.words import Note
from trueness.sample import Design, Fits, Sample
from trueness.typing import Rng

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
    engine: str,
    seconds: float | None = None,
) -> PlanLike:
    """The plan as given; or the default plan with as many fits as are asked for, as suit the models, or as a limited
    time may need. Where cross-validation alone answers for all metrics (by these methods), it has no bootstrap."""
    _check_fits(fits, plan)
    _check_seconds(seconds, fits)
    if plan is not None:
        return plan
    number = fits or (MOST_FITS if seconds is not None else 0)
    if not number:
        number = default_fits(models, sample, engine)
    whole = CvBootstrap.of_fits(number, sample)
    if any(needs_bootstrap(metric, method) for metric, method in methods):
        return whole
    folds = whole.folds_of(sample)
    repeats = max(2, number // folds) if fits else max(FITS // folds, whole.repeats)
    return KFold(folds, repeats)


def default_fits(models: Iterable[Any], sample: Sample, engine: str) -> int:
    """Fits of the default plan: more where all models have a closed form, whose fits cost next to nothing."""
    if engine != "auto" or not all(closed_form(model, sample) for model in models):
        return FITS
    features = int(np.shape(sample.X)[1])
    most = min(CLOSED_FORM_FITS, MOST_SCORES // sample.n, int(MOST_PRODUCTS / (sample.n * features**2)))
    return max(LEAST_OF_CLOSED_FORMS, most // 100 * 100)


def closed_form(model: Any, sample: Sample) -> bool:
    """Whether the model is fitted on all training sets at once: it has an engine that trusts itself with these cases,
    and with some bootstrap samples of them, the same for every seed."""
    engine = find(model, sample)
    if engine is None or isinstance(engine, Note):
        return False
    drawn = bootstrap_counts(np.random.default_rng(0), sample.n, PROBED)
    return bool(engine.rules(np.concatenate([np.ones((1, sample.n)), drawn]).astype(np.uint8)).trusted.all())


def needs_bootstrap(metric: Metric, method: str | None) -> bool:
    """Whether the bootstrap part of the default plan serves the metric, by this method or the recommended one."""
    usable = {e.name: e for e in available("cv+bootstrap", metric)}
    chosen = method or next((name for name in recommended("cv+bootstrap") if name in usable), None)
    return chosen not in usable or "cv" not in usable[chosen].kinds


def drawn(
    plan: PlanLike, sample: Sample, rng: Rng, store: str | Path | None, seconds: float | None
) -> tuple[Design, object]:
    """The design to begin with, and in limited time the plan that it may grow to; None where it is whole."""
    if seconds is None:
        return design_of(plan, sample, rng, store), None
    if isinstance(plan, str) and plan == "prefit":
        raise InputError("With plan 'prefit' nothing is fitted", param="seconds", fix="Leave {seconds=} out")
    if isinstance(plan, Bootstrap) and plan.n_resamples is None:  # it stops by itself
        return design_of(replace(plan, seconds=plan.seconds or seconds), sample, rng, store), None
    design = design_of(plan.within(0, sample) if isinstance(plan, Plan) else plan, sample, rng, store)
    return design, plan if isinstance(plan, (Plan, Design)) else design.plan


def can_grow(plan: object) -> bool:
    """Whether a plan of this kind has shorter and longer designs; others are fitted whole, or not at all."""
    return isinstance(plan, Plan) and type(plan).within is not Plan.within


def grown(
    design: Design, plan: object, default: bool, pace: Pace, fit_all: Callable[[Design, FitsOf], FitsOf]
) -> FitsOf:
    """The fits of as long a design of the plan as fits into the time: at least this one, which it begins with. The time
    of a fit is measured again whenever there are four times as many."""
    assert pace.seconds is not None
    fits, least = fit_all(design, {}), design.n_fits  # an error after the first of them, where they would take too long
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
    note = _within(design, plan, default, pace, least)
    return {name: replace(f, notes=(*f.notes, note)) for name, f in fits.items()}


def _within(design: Design, plan: object, default: bool, pace: Pace, least: int) -> Note:
    """How many fits there was time for, and how to make them again."""
    n, again = design.n_fits, f"{{fits={design.n_fits}}}" if default else f"{{plan={design.plan}}}"
    if not can_grow(plan):
        message = f"All {n} fits were made in {pace.spent:.0f} of {pace.seconds:g} s; the plan has no shorter form."
        return Note("within-seconds", message, fits=n, seconds=pace.seconds)
    if design.plan == plan:
        why = f"All {n} fits of the plan were made in {pace.spent:.0f} of {pace.seconds:g} s."
    else:
        why = f"{n} fits were made in {pace.spent:.0f} of {pace.seconds:g} s{', the fewest' if n == least else ''}."
    wider = _wider(design) if default and n < FITS else ""
    message = f"{why}{wider} Another run may make more or fewer; {again} repeats this one."
    return Note("within-seconds", message, fits=n, seconds=pace.seconds)


def _wider(design: Design) -> str:
    """How much wider the interval is by Student's quantile than that of the usual number of fits."""
    cv = design.parts[0] if design.parts else design
    usual = CvBootstrap.of_fits(FITS, design.sample).repeats * cv.n_folds
    ratio = stats.t.ppf(0.975, cv.n_fits - 1) / stats.t.ppf(0.975, usual - 1)
    percent = f"{100 * (ratio - 1):.0f}"
    return "" if percent == "0" else f" The interval allows for so few: it is about {percent} % wider than with {FITS}."


def advice(plan: object) -> str:
    """What would shorten a run, of the arguments that assess and compare have."""
    fewer = f"{{fits={LEAST_FITS}}} makes the fewest, for a wider interval; " if plan is None else ""
    limited = "{seconds=600} limits the time; " if plan is None or is_whole(plan) or can_grow(plan) else ""
    return f"{fewer}{limited}{{n_jobs=}} uses more workers."


def _check_fits(fits: object, plan: object) -> None:
    if fits is None:
        return
    if plan is not None:
        raise InputError(
            "fits is the number of fits of the default plan; another plan has its own",
            param="fits",
            got=f"fits {fits} and a plan",
            fix="Leave {plan=} or {fits=} out",
        )
    if not is_whole(fits) or fits < LEAST_FITS:
        check_whole("fits", fits, 1)
        raise InputError(
            f"An interval needs at least {LEAST_FITS} fits", param="fits", got=fits, fix=f"Use {{fits={LEAST_FITS}}}"
        )


def _check_seconds(seconds: object, fits: object) -> None:
    if seconds is None:
        return
    if not (is_number(seconds) and 0 < seconds < math.inf):
        raise InputError("seconds must be a positive number", param="seconds", got=repr(seconds))
    if fits is not None:
        raise InputError(
            "seconds and fits both say how many fits are made", param="seconds", fix="Leave {seconds=} or {fits=} out"
        )
