"""fit: any scikit-learn classifier on all training sets of a design, and what it refuses before it fits anything."""

from __future__ import annotations

import reprlib
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from trueness.checks import check_whole, check_workers, is_one_of, refuses_foreign
from trueness.errors import FitError, InputError
from trueness.fitting.described import describe, libraries_of
from trueness.fitting.engines.registry import find
from trueness.fitting.engines.run import run_engine
from trueness.fitting.generic import FullFit, run_generic
from trueness.fitting.one import warning_notes
from trueness.fitting.progress import Progress, name_of
from trueness.fitting.store import RunStore
from trueness.fitting.workers import check_fit_seconds, limited, one_thread
from trueness.plans.plan import Plan
from trueness.result.notes import Note, warn_of
from trueness.sample.asked import Answer, AnswerTable, answers, offers_of, response_of, task_of, with_log_odds
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.rows import SPILL_BYTES, require_memory
from trueness.sample.sample import Sample
from trueness.sample.scores import notes_of_scores
from trueness.typing import AnyModel, Classifier, Features, Label, Labels, Rng, Workers

ScoresFrom = Literal["auto", "decision_function", "predict_proba"]


@refuses_foreign
def fit(
    model: Classifier,
    X: Features,
    y: Labels | Sample,
    design: Design | Plan,
    *,
    rng: Rng = None,
    n_jobs: Workers = None,
    positive: Label | None = None,
    groups: Labels | None = None,
    scores: ScoresFrom = "auto",
    engine: Literal["auto", "generic"] = "auto",
    progress: bool | None = None,
    batch_size: int | None = None,
    earlier: Fits | None = None,
    store: str | Path | None = None,
    fit_seconds: float | None = None,
) -> Fits:
    """Fit a model on every training set of a design, and once on all cases.

    Parameters
    ----------
    model : estimator
        A scikit-learn classifier or Pipeline. It is cloned, never changed. A `random_state` of None is set from the
        seed of each fit; one that is set is left alone.
    X : array-like, DataFrame or sparse matrix of shape (n, p), or n texts
        Features.
    y : array-like of shape (n,) or Sample
        Labels, or a Sample, which has groups and the positive class of its own; with features of its own, X is None.
    design : Design or Plan
        `plan.draw(y)`, so that several models share it, or a plan, which is drawn with `rng`. On a design whose only
        training set is empty (a test set) nothing is fitted: the model must be.
    rng : int, SeedSequence, Generator or None, default None
        Seed of the draw. A design has its own seed.
    n_jobs : int, dask Client or None, default None
        Number of parallel workers, or a cluster (results do not depend on it). None means 1 unless in a
        `joblib.parallel_config` context.
    positive : label, optional
        The positive class; required for an AUC unless labels are 0/1, −1/1, no/yes or booleans.
    groups : array-like of shape (n,), optional
        Group of each case, where a plan is given.
    scores : {"auto", "decision_function", "predict_proba"}, default "auto"
        Method of the fitted model that gives scores. "auto" takes decision_function for two classes (probabilities can
        saturate into ties), or the log-odds of a model that computes them (naive Bayes; metrics that need
        probabilities get these), and predict_proba for several (decision values of different cases need not be
        comparable within one class), and the other one where it is missing.
    engine : {"auto", "generic"}, default "auto"
        "auto" fits all training sets at once where the model has a closed form (`Fits.engine` names it) and that is
        faster by a count of operations, "generic" fits them one by one. The two agree to 1e-8; logistic regression
        agrees to the tolerance of its solver.
    progress : bool or None, default None
        Whether to show how far the run is; None shows it on a terminal and in a notebook.
    batch_size : int or None, default None
        Fits per task of a worker (results do not depend on it).
    earlier : Fits, optional
        Of this model, with these options, on a shorter design of the same seed: its training sets are not fitted again.
        The result is that of a run without it, to the last bit.
    store : path, optional
        File that keeps the fits as they are done: the same call goes on where another one was killed, to the same bits.
        A file of other data or another plan is refused. Models with a closed form are computed again.
    fit_seconds : float, optional
        Longest time of one fit in seconds: one that takes longer counts as failed. All fits then run in worker
        processes, also with one job. Models with a closed form have no limit.

    Returns
    -------
    Fits
    """
    kind = task_of([model])
    sample = Sample.of(y, X=X, positive=positive, groups=groups, kind=kind)
    if sample.kind != kind:
        fix = f"Make it with kind={kind!r}, or use another model"
        raise InputError(f"The model is one for {kind}, and the Sample is not", param="y", fix=fix)
    if sample.X is None:
        raise InputError("There are no features to fit a model on", param="X", got="None")
    if isinstance(design, Plan):
        design = design.draw(sample, rng=rng)
    else:
        sample, design = _of_cases(design, sample, rng)
    check_options(model, engine, batch_size)
    check_workers(n_jobs)
    check_fit_seconds(fit_seconds)
    if design.kind == "holdout" and not design.counts.any():
        return _run_fitted(model, sample, design, scores)
    found = find(model, sample) if engine == "auto" else None
    check_memory(sample, design)
    if earlier is not None:
        check_earlier(earlier, design)
    stored = None if store is None else RunStore(store, sample, design)
    parts: list[Fits] = []
    full: FullFit | None = None
    with Progress(design.n_fits, progress, name_of(model)) as bar:
        for k, part in enumerate(design.parts or (design,)):
            known = earlier.parts[k] if earlier is not None and earlier.parts else earlier
            fits: Fits | None = None
            if found is not None and not isinstance(found, Note):
                response = response_of(found.responses, scores, sample)
                fits = run_engine(found, model, sample, part, response, n_jobs, bar, known)
            if fits is None:
                with limited(fit_seconds) as limit:
                    full = full or FullFit.of(model, sample, part, scores, limit)
                    how = (scores, n_jobs, batch_size, bar, known, stored, limit)
                    fits = run_generic(model, sample, part, full, *how)
                if isinstance(found, Note):
                    fits = replace(fits, notes=(found, *fits.notes))
            parts.append(fits)
    fits = with_log_odds(Fits.joined(design, tuple(parts)) if design.parts else parts[0], model)
    scored = None if fits.full_scores is None or sample.numbers is not None else fits.full_scores[None]
    notes = (*fits.notes, *warning_notes(fits.warned, fits.n_fits, "" if full is None else full.warned))
    warn_of(*notes)
    cautions = notes_of_scores(scored, fits.probabilities)
    return replace(
        fits,
        notes=(*notes, *cautions),
        name=name_of(model),
        model=describe(model),
        libraries=libraries_of(model),
    )


def _of_cases(design: object, sample: Sample, rng: object) -> tuple[Sample, Design]:
    """The cases with the groups of the design, and the design of these cases; an error where it was drawn for others."""
    if not isinstance(design, Design):
        raise InputError("design must be a design (plan.draw(y)) or a plan", param="design", got=repr(design))
    drawn, groups = design.sample, sample.groups
    alike = drawn.kind == sample.kind and drawn.classes.tolist() == sample.classes.tolist()
    if not alike or not np.array_equal(drawn.truth, sample.truth):
        fix = "Draw it from the same y, in its order"
        raise InputError("The design was drawn for other labels than y", param="design", fix=fix)
    if groups is not None and (drawn.groups is None or not np.array_equal(drawn.groups, groups)):
        raise InputError("The design was drawn with other groups", param="groups", fix="Pass groups= to plan.draw")
    if rng is not None:
        raise InputError("A design has its own seed", param="rng", fix="Pass rng= to plan.draw")
    sample = replace(sample, groups=drawn.groups)
    labels = replace(sample, X=None)
    parts = tuple(replace(part, sample=labels) for part in design.parts)
    return sample, replace(design, sample=labels, parts=parts)


def _run_fitted(model: AnyModel, sample: Sample, design: Design, scores: str) -> Fits:
    """A fitted model on a test set."""
    with one_thread():
        response = response_of(offers_of(model), scores, sample)
        try:
            values, predictions = answers(model, sample, None, response)
        except InputError:
            raise
        except (Exception, SystemExit) as error:
            why = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise FitError("The fitted model cannot score these cases", param="model", reason=why) from error
    table = AnswerTable(design, sample, scored=values is not None)
    table.put(0, Answer(values, predictions))
    of_classes = None if values is None or sample.numbers is not None else values[None]
    notes = notes_of_scores(of_classes, response == "predict_proba")
    return replace(
        with_log_odds(Fits.of_table(table, response, "prefit"), model),
        notes=notes,
        name=name_of(model),
        model=describe(model),
        libraries=libraries_of(model),
    )


def check_options(model: object, engine: object, batch_size: object) -> None:
    if batch_size is not None:
        check_whole("batch_size", batch_size, 1)
    # a stacking classifier has predict() once it is fitted, its class always
    missing = [name for name in ("fit", "predict", "predict_proba") if not hasattr(type(model), name)]
    if "fit" in missing or len(missing) > 1:
        raise InputError(
            "model must be an object with fit and predict (or predict_proba) methods",
            param="model",
            got=reprlib.repr(model),
            reason=", ".join(f"no {name}" for name in missing if not hasattr(model, name)),
        )
    if not is_one_of(engine, ("auto", "generic")):
        raise InputError('engine must be "auto" or "generic"', param="engine", got=repr(engine))


def check_memory(sample: Sample, design: Design) -> None:
    """An error, before the first fit, where what is certain to be needed is more than the machine has: the features, and
    the answers that stay in memory (larger tables go to files)."""
    needed = 8.0 * sample.X.size if isinstance(sample.X, np.ndarray) else 0.0
    row = sample.n * (2 + 8 * (1 if sample.n_classes == 2 else sample.n_classes))
    for part in design.parts or (design,):
        needed += min(row * part.n_fits, 2 * SPILL_BYTES) if part.folds is None else row * len(part.folds)
    fix = "Use a plan with fewer fits, KFold(10) or Holdout(0.3), or fewer cases"
    require_memory(needed, f"the fits on {sample.n} cases", fix, "plan")


def check_earlier(earlier: object, design: Design) -> None:
    """An error unless the design begins with the training sets of these fits, and has their seed."""
    if not isinstance(earlier, Fits):
        raise InputError("earlier must be fits of trueness.fit", param="earlier", got=repr(earlier))
    known = earlier.design
    same = known.kind == design.kind and np.array_equal(known.sample.truth, design.sample.truth)
    for long, short in zip(design.parts or (design,), known.parts or (known,), strict=False):
        same &= (long.seed.entropy, long.seed.spawn_key) == (short.seed.entropy, short.seed.spawn_key)
        same = same and all(
            rows.stop <= long.n_fits and np.array_equal(long.rows(rows), short.rows(rows)) for rows in short.slices()
        )
    if not same:
        raise InputError(
            "The design does not begin with the training sets of the earlier fits",
            param="earlier",
            got=f"{known!r} for {design!r}",
            fix="Draw a longer design of the same plan from the same cases with the same seed",
        )
