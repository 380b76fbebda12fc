"""fit: any scikit-learn classifier on all training sets of a design, and what it refuses before it fits anything."""

from __future__ import annotations

import reprlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from trueness.checks import check_whole, check_workers, is_one_of, refuses_foreign
from trueness.errors import FitError, InputError, Interrupted
from trueness.fitting.described import describe, libraries_of
from trueness.fitting.engines.registry import find
from trueness.fitting.engines.run import run_engine
from trueness.fitting.one import warning_notes
from trueness.fitting.progress import Progress, name_of
from trueness.fitting.store import RunStore
from trueness.fitting.workers import check_fit_seconds, limited, one_thread
from trueness.plans.plan import Plan
from trueness.result.notes import Note
from trueness.sample.asked import AnswerTable, answers, offers_of, response_of, task_of, with_log_odds
from trueness.sample.design import Design
from trueness.sample.fits import Failure, Fits
from trueness.sample.labels import Task
from trueness.sample.rows import SPILL_BYTES, require_memory
from trueness.sample.sample import Sample
from trueness.sample.scores import notes_of_scores, warned
from trueness.typing import AnyModel, Classifier, Features, Label, Labels, Rng, Workers

if TYPE_CHECKING:
    from trueness.fitting.generic import FullFit

ScoresFrom = Literal["auto", "decision_function", "predict_proba"]
NOT_STORED = Note("not-stored")


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
    require_task(sample, kind)
    if sample.X is None:
        raise InputError("There are no features to fit a model on", param="X", got="None")
    sample, design = _drawn(design, sample, rng)
    check_options(model, engine, batch_size)
    check_workers(n_jobs)
    check_fit_seconds(fit_seconds)
    if design.kind == "holdout" and not design.counts.any():
        return _run_fitted(model, sample, design, scores)
    found = find(model, sample) if engine == "auto" else None
    check_memory(sample, design)
    check_earlier(earlier, design)
    stored = None
    if store is not None:
        stored = RunStore(store, sample, design)
    parts: list[Fits] = []
    full: FullFit | None = None
    with Progress(design.n_fits, progress, name_of(model)) as bar:
        for k, part in enumerate(design.parts or (design,)):
            known = earlier.parts[k] if earlier is not None and earlier.parts else earlier
            fits: Fits | None = None
            if found is not None and not isinstance(found, Note):
                response = response_of(found.responses, scores, sample)
                fits = run_engine(found, model, sample, part, response, n_jobs, bar, known)
                if fits is not None and store is not None:
                    fits = replace(fits, notes=(*fits.notes, NOT_STORED))
            if fits is None:
                from trueness.fitting.generic import FullFit, run_generic

                try:
                    with limited(fit_seconds) as limit:
                        full = full or FullFit.of(model, sample, part, scores, limit)
                        how = (scores, n_jobs, batch_size, bar, known, stored, limit)
                        fits = run_generic(model, sample, part, full, *how)
                except Interrupted as stop:
                    raise _with_parts(stop, design, parts) from None
                fits = replace(fits, notes=(*((found,) if isinstance(found, Note) else ()), *fits.notes))
            check_failures(fits.failed, part)
            parts.append(fits)
    fits = with_log_odds(Fits.joined(design, tuple(parts)) if design.parts else parts[0], model)
    notes = (*fits.notes, *warning_notes(fits.warned, fits.n_fits, "" if full is None else full.warned))
    return _with_cautions(_of_model(replace(fits, notes=notes), model))


def _of_model(fits: Fits, model: AnyModel) -> Fits:
    """With the name, the description and the libraries of the model."""
    return replace(fits, name=name_of(model), model=describe(model), libraries=libraries_of(model))


def _drawn(design: Design | Plan, sample: Sample, rng: Rng) -> tuple[Sample, Design]:
    """The cases with the groups of the design, and the design of these cases."""
    if isinstance(design, Plan):
        return sample, design.draw(sample, rng=rng)
    check_design(design, sample, rng)
    sample = replace(sample, groups=design.sample.groups)
    labels = sample.labels_only()
    parts = tuple(replace(part, sample=labels) for part in design.parts)
    return sample, replace(design, sample=labels, parts=parts)


def _with_cautions(fits: Fits) -> Fits:
    """With notes about the scores of the rule trained on all cases; warnings are issued."""
    full = fits.full_scores if fits.sample.numbers is None else None
    cautions = notes_of_scores(None if full is None else full[None], fits.probabilities)
    warned((*(note for note in fits.notes if note.severity == "warning"), *cautions))
    return replace(fits, notes=(*fits.notes, *cautions)) if cautions else fits


def _with_parts(stop: Interrupted, design: Design, parts: list[Fits]) -> Interrupted:
    """With the parts of the design that were finished before."""
    from trueness.fitting.generic import beginning

    before = sum(part.n_fits for part in parts)
    fits, done = stop.fits, before + stop.done
    if before and fits is None:
        whole = beginning(design, before)
        fits = None if whole is None else parts[0]
    elif before and fits is not None:
        whole = beginning(design, before + fits.n_fits)
        fits = None if whole is None else Fits.joined(whole, (*parts, fits))
    return Interrupted(fits, done, design.n_fits)


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
    table.put(0, values, predictions)
    of_classes = None if values is None or sample.numbers is not None else values[None]
    notes = notes_of_scores(of_classes, response == "predict_proba")
    fits = replace(table.fits(response), engine="prefit", notes=warned(notes))
    return _of_model(with_log_odds(fits, model), model)


MOST_FAILURES = 0.10


def check_options(model: object, engine: object, batch_size: object) -> None:
    if batch_size is not None:
        check_whole("batch_size", batch_size, 1)
    # a stacking classifier has predict() once it is fitted, its class always
    if isinstance(model, type) or not hasattr(model, "fit") or not hasattr(type(model), "predict"):
        raise InputError(
            "model must be an object with fit and predict methods, like scikit-learn's models",
            param="model",
            got=reprlib.repr(model),
        )
    if not is_one_of(engine, ("auto", "generic")):
        raise InputError('engine must be "auto" or "generic"', param="engine", got=repr(engine))


def require_task(sample: Sample, kind: Task) -> None:
    """An error where a Sample holds labels and the model predicts numbers, or the other way round."""
    if sample.kind != kind:
        holds, model = ("labels", "regressor") if kind == "regression" else ("numbers", "classifier")
        fix = f"Make it with kind={kind!r}, or use another model"
        raise InputError(f"The model is a {model}, and the Sample holds {holds}", param="y", fix=fix)


def check_memory(sample: Sample, design: Design) -> None:
    """An error, before the first fit, where what is certain to be needed is more than the machine has: the features, and
    the answers that stay in memory (larger tables go to files)."""
    features = sample.X.size if isinstance(sample.X, np.ndarray) else 0
    cell = 8 * (1 if sample.n_classes == 2 else sample.n_classes) + 2
    needed = 8.0 * features
    for part in design.parts or (design,):
        rows = None if part.folds is None else len(part.folds)
        needed += min(cell * sample.n * part.n_fits, 2 * SPILL_BYTES) if rows is None else cell * sample.n * rows
    fix = "Use a plan with fewer fits, KFold(10) or Holdout(0.3), or fewer cases"
    require_memory(needed, f"the fits on {sample.n} cases", fix, "plan")


def check_design(design: object, sample: Sample, rng: object) -> None:
    """An error unless the design was drawn for these cases."""
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


def check_earlier(earlier: Fits | None, design: Design) -> None:
    """An error unless the design begins with the training sets of these fits, and has their seed."""
    if earlier is None:
        return
    if not isinstance(earlier, Fits):
        raise InputError("earlier must be fits of trueness.fit", param="earlier", got=repr(earlier))
    pairs = list(zip(earlier.design.parts or (earlier.design,), design.parts or (design,), strict=False))
    same = earlier.design.kind == design.kind and len(earlier.design.parts) == len(design.parts)
    if not same or not all(_begins(longer, with_=shorter) for shorter, longer in pairs):
        raise InputError(
            "The design does not begin with the training sets of the earlier fits",
            param="earlier",
            got=f"{earlier.design!r} for {design!r}",
            fix="Draw a longer design of the same plan from the same cases with the same seed",
        )


def _begins(design: Design, with_: Design) -> bool:
    same = (design.seed.entropy, design.seed.spawn_key) == (with_.seed.entropy, with_.seed.spawn_key)
    same &= design.n == with_.n and np.array_equal(design.sample.truth, with_.sample.truth)
    return same and all(
        rows.stop <= design.n_fits and np.array_equal(design.rows(rows), with_.rows(rows)) for rows in with_.slices()
    )


def check_failures(failed: tuple[Failure, ...], design: Design) -> None:
    if len(failed) > MOST_FAILURES * design.n_fits:
        raise FitError(
            f"{len(failed)} of {design.n_fits} fits failed, more than 10 %",
            param="model",
            reason=min(f.error for f in failed),
            fix="Use a stratified plan, a simpler or a regularised model, or more fit_seconds where these ran out",
        )
