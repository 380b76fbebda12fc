"""fit: any scikit-learn classifier on all training sets of a design."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import is_regressor

from karat.checks import check_workers, is_one_of
from karat.errors import FitError, InputError, Setting
from karat.fitting.engines.registry import find
from karat.fitting.engines.run import run_engine
from karat.fitting.inner import apart, copies_note, mixing_groups, owners, require_groups
from karat.fitting.interrupted import Interrupted, beginning, unbroken
from karat.fitting.one import (
    Answer,
    Fitter,
    Floats,
    Integers,
    Model,
    encoding_note,
    train_encoding,
    troubles,
    warning_note,
)
from karat.fitting.progress import Progress
from karat.fitting.store import Store
from karat.fitting.threads import one_thread, own_threads
from karat.fitting.workers import gaps, run_chunks, workers_of
from karat.plans.plan import Plan
from karat.result.note import Note, warn
from karat.sample.answers import answers, offers_of, response_of
from karat.sample.design import Design
from karat.sample.fits import Failure, Fits
from karat.sample.sample import Sample
from karat.sample.scores import notes_of_scores
from karat.sample.seeds import FIT, FULL, child
from karat.typing import Features, Label, Labels, Rng, Workers

if TYPE_CHECKING:
    from karat.fitting.run_store import RunStore

ScoresFrom = Literal["auto", "decision_function", "predict_proba"]
MOST_FAILURES = 0.10
BATCH_BYTES = 32 * 2**20
BATCH_SECONDS = 0.5  # what a worker does before it answers: a sign of life, and a killed one loses no more
FEWER = "A quarter of the fits would take a quarter of the time and double the Monte-Carlo errors."


def fit(
    model: Model,
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
        Labels, or a Sample, which has features, groups and the positive class of its own.
    design : Design or Plan
        `plan.draw(y)`, so that several models share it, or a plan, which is drawn with `rng`. On a design whose only
        training set is empty (a test set) nothing is fitted: the model must be.
    rng : int, SeedSequence, Generator or None, default None
        Seed of the draw. A design has its own seed.
    n_jobs : int, dask Client or None, default None
        Number of parallel workers, or a cluster (results do not depend on it). None means 1 unless in a
        `joblib.parallel_config` context.
    positive : label, optional
        The positive class; required for an AUC unless labels are 0/1, −1/1 or booleans.
    groups : array-like of shape (n,), optional
        Group of each case, where a plan is given.
    scores : {"auto", "decision_function", "predict_proba"}, default "auto"
        Method of the fitted model that gives scores. "auto" takes decision_function for two classes (probabilities can
        saturate into ties), or the log-odds of a model that computes them (naive Bayes; metrics that need
        probabilities get these), and predict_proba for several (decision values of different cases need not be
        comparable within one class), and the other one where it is missing.
    engine : {"auto", "generic"}, default "auto"
        "auto" fits all training sets at once where the model has a closed form (`Fits.engine` names it), "generic"
        fits them one by one. The two agree to 1e-8; logistic regression agrees to the tolerance of its solver.
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

    Returns
    -------
    Fits

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C; its attribute `fits` has those of the replicates or repeats that were finished, or None.
    """
    sample = y if isinstance(y, Sample) else Sample.of(y, X=X, positive=positive, groups=groups)
    if isinstance(design, Plan):
        design = design.draw(sample, rng=rng)
    else:
        _check_design(design, sample, rng)
        sample = replace(sample, groups=design.sample.groups)
        labels = sample.labels_only()
        design = replace(design, sample=labels, parts=tuple(replace(part, sample=labels) for part in design.parts))
    check_options(model, engine, batch_size)
    check_workers(n_jobs)
    if design.kind == "holdout" and not design.counts.any():
        return _run_fitted(model, sample, design, scores)
    if sample.groups is None:
        require_groups(model)
    _check_earlier(earlier, design)
    stored = None if store is None else _run_store(store, sample, design)
    found = find(model, sample) if engine == "auto" else None
    parts: list[Fits] = []
    with Progress(design.n_fits, progress, name_of(model)) as bar:
        for k, part in enumerate(design.parts or (design,)):
            known = earlier.parts[k] if earlier is not None and earlier.parts else earlier
            fits: Fits | None = None
            if found is not None and not isinstance(found, Note):
                response = response_of(found.responses, scores, sample)
                fits = run_engine(found, model, sample, part, response, n_jobs, bar, known)
            if fits is None:
                try:
                    fits = _run_generic(model, sample, part, scores, n_jobs, batch_size, bar, known, stored)
                except Interrupted as stop:
                    raise _with_parts(stop, design, parts) from None
                fits = replace(fits, notes=(*((found,) if isinstance(found, Note) else ()), *fits.notes))
            check_failures(fits.failed, part)
            parts.append(fits)
    fits = Fits.joined(design, tuple(parts)) if design.parts else parts[0]
    full = fits.full_scores
    cautions = notes_of_scores(None if full is None else full[None], fits.probabilities)
    for note in (*(note for note in fits.notes if note.severity == "warning"), *cautions):
        warn(note)
    return replace(fits, notes=(*fits.notes, *cautions)) if cautions else fits


def _with_parts(stop: Interrupted, design: Design, parts: list[Fits]) -> Interrupted:
    """With the parts of the design that were finished before."""
    before = sum(part.n_fits for part in parts)
    fits, done = stop.fits, before + stop.done
    if before and fits is None:
        whole = beginning(design, before)
        fits = None if whole is None else parts[0]
    elif before and fits is not None:
        whole = beginning(design, before + fits.n_fits)
        fits = None if whole is None else Fits.joined(whole, (*parts, fits))
    return Interrupted(fits, done, design.n_fits)


def _run_store(path: str | Path, sample: Sample, design: Design) -> RunStore:
    from karat.fitting.run_store import RunStore  # and SQLite, where a store is asked for

    return RunStore(path, sample, design)


def check_options(model: object, engine: object, batch_size: object) -> None:
    if batch_size is not None and (not isinstance(batch_size, (int, np.integer)) or batch_size < 1):
        raise InputError("batch_size must be a whole number of at least 1", param="batch_size", got=repr(batch_size))
    # a stacking classifier has predict() once it is fitted, its class always
    if isinstance(model, type) or not hasattr(model, "fit") or not hasattr(type(model), "predict"):
        raise InputError(
            "model must be an object with fit and predict methods, like scikit-learn's classifiers",
            param="model",
            got=repr(model),
        )
    if _is_regressor(model):
        raise InputError(
            "The model predicts numbers; a classifier is required",
            param="model",
            got=type(model).__name__,
            fix="Use a classifier, e.g. LogisticRegression() instead of LinearRegression()",
        )
    if not is_one_of(engine, ("auto", "generic")):
        raise InputError('engine must be "auto" or "generic"', param="engine", got=repr(engine))


def _is_regressor(model: Any) -> bool:
    try:
        return bool(is_regressor(model))
    except (AttributeError, TypeError):  # not derived from scikit-learn's BaseEstimator
        return False


def _check_design(design: object, sample: Sample, rng: object) -> None:
    """An error unless the design was drawn for these cases."""
    if not isinstance(design, Design):
        raise InputError("design must be a design (plan.draw(y)) or a plan", param="design", got=repr(design))
    same = design.n == sample.n and (design.sample.codes == sample.codes).all()
    if not same or design.sample.classes.tolist() != sample.classes.tolist():
        raise InputError(
            "The design was drawn for other labels than y", param="design", fix="Draw it from the same y, in its order"
        )
    drawn, given = design.sample.groups, sample.groups
    if given is not None and (drawn is None or not np.array_equal(drawn, given)):
        fix = ("Pass ", Setting("groups"), " to plan.draw")
        raise InputError("The design was drawn with other groups", param="groups", fix=fix)
    if rng is not None:
        raise InputError("A design has its own seed", param="rng", fix=("Pass ", Setting("rng"), " to plan.draw"))


def _check_earlier(earlier: Fits | None, design: Design) -> None:
    """An error unless the design begins with the training sets of these fits, and has their seed."""
    if earlier is None:
        return
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
    same &= design.n == with_.n and np.array_equal(design.sample.codes, with_.sample.codes)
    return same and all(
        rows.stop <= design.n_fits and np.array_equal(design.rows(rows), with_.rows(rows)) for rows in with_.slices()
    )


def name_of(model: object) -> str:
    """The class of a model, or of the last step of a pipeline."""
    return type(model[-1] if hasattr(model, "steps") else model).__name__  # type: ignore[index]  # a pipeline


def _run_fitted(model: Any, sample: Sample, design: Design, scores: str) -> Fits:
    """A fitted model on a test set."""
    with one_thread():
        response = response_of(offers_of(model), scores, sample)
        try:
            values, predictions = answers(model, sample, None, response)
        except InputError:
            raise
        except Exception as error:
            why = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise FitError("The fitted model cannot score these cases", param="model", reason=why) from error
    notes = notes_of_scores(None if values is None else values[None], response == "predict_proba")
    for note in notes:
        warn(note, stacklevel=3)
    return Fits(
        design=design,
        held=None if values is None else values[None],
        held_predictions=predictions[None],
        probabilities=response == "predict_proba",
        log_odds=response == "log_odds",
        engine="prefit",
        notes=notes,
    )


def _full_fit(model: Model, sample: Sample, design: Design, scores: str) -> tuple[Sample, Floats | None, Integers, str]:
    """The answers of the rule trained on all cases, and the sample with the labels that the model takes.

    If that fails, nothing else is worth trying.
    """
    try:
        rule, sample = train_encoding(model, sample, np.arange(sample.n), child(design.seed, FULL))
        response = response_of(offers_of(rule), scores, sample)
        values, predictions = answers(rule, sample, None, response)
    except InputError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise FitError(
            f"The model does not fit on all {sample.n} cases",
            param="model",
            reason=why,
            fix="Change the model or the data",
        ) from error
    return sample, values, predictions, response


def _run_generic(
    model: Model,
    sample: Sample,
    design: Design,
    wanted: str,
    n_jobs: Workers,
    batch_size: int | None,
    bar: Progress,
    earlier: Fits | None = None,
    stored: RunStore | None = None,
) -> Fits:
    """One fit after another, in batches that workers take; every fit has a seed of its own."""
    begun = time.monotonic()
    with one_thread():
        taken, full_scores, full_predictions, response = _full_fit(model, sample, design, wanted)
    seconds, workers = time.monotonic() - begun, workers_of(n_jobs)
    _ = taken.alike  # once, before the workers get the sample
    fitter = Fitter(model, taken, response, held_out_only=design.folds is not None)
    store = Store(design, sample, scored=response != "none")
    run = None if stored is None else stored.run(model, design, wanted)
    everything: dict[int, Answer] = {}
    done = 0
    if earlier is not None:
        store.copy(earlier.held, earlier.held_predictions)
        done = earlier.n_fits
    bar.advance(done)

    def take(batch: range, found: list[Answer]) -> None:
        for f, answer in zip(batch, found, strict=True):
            store.put(f, answer.scores, answer.predictions)
            everything[f] = replace(answer, scores=None, predictions=None)
        bar.advance(len(batch))

    def keep(batch: range, found: list[Answer]) -> None:
        if run is not None:
            run.put(batch, found)
        take(batch, found)

    def arguments(batch: range) -> tuple[Integers, list[np.random.SeedSequence]]:
        return np.asarray(design.rows(slice(batch.start, batch.stop))), [child(design.seed, FIT, f) for f in batch]

    known = [range(done)] if done else []
    for batch, found in () if run is None else run.finished():
        if batch.stop > done:  # earlier fits are known
            skipped = max(done - batch.start, 0)
            take(batch[skipped:], found[skipped:])
            known.append(batch[skipped:])
    bar.announce(seconds, workers, FEWER if design.repeats().max() >= 3 else "")
    todo = gaps(known, design.n_fits)
    asked, interrupted = design.n_fits, False
    try:
        if todo and seconds < BATCH_SECONDS:  # the fit on all cases may have loaded libraries: time another one
            begun = time.monotonic()
            (one,) = run_chunks(Fitter.fits, fitter, [todo[0][:1]], arguments, 1)
            seconds = time.monotonic() - begun
            keep(*one)
            todo[0] = todo[0][1:]
        batches = _batches(todo, sample, workers, batch_size, seconds)
        longest = seconds * max(map(len, batches), default=0)
        for batch, found in run_chunks(Fitter.fits, fitter, batches, arguments, n_jobs, longest):
            keep(batch, found)
    except KeyboardInterrupt:
        interrupted, whole = True, beginning(design, unbroken(everything, done))
        if whole is None:
            raise Interrupted(None, done + len(everything), asked) from None
        design = whole
    rows = design.n_fits if design.folds is None else len(design.folds)
    failed, warned = troubles(((f, a) for f, a in everything.items() if f < design.n_fits), earlier, done)
    fits = Fits(
        design=design,
        held=store.scores if store.scores is None or not interrupted else store.scores[:rows],
        held_predictions=store.predictions[:rows] if interrupted else store.predictions,
        full_scores=full_scores,
        full_predictions=full_predictions,
        probabilities=response == "predict_proba",
        log_odds=response == "log_odds",
        failed=failed,
        warned=warned,
        engine="generic",
        notes=(*_model_notes(model, sample, taken, design, n_jobs), *warning_note(warned, design.n_fits)),
    )
    if interrupted:
        raise Interrupted(fits, done + len(everything), asked)
    return fits


def _model_notes(model: Model, sample: Sample, taken: Sample, design: Design, n_jobs: Workers) -> Iterator[Note]:
    """What the model asked for that the reader should know: other labels, inner splits, threads of its own."""
    yield from encoding_note(sample, taken)
    names = apart(model, sample.n)
    if names and any((design.rows(slice(f, f + 1)) > 1).any() for f in range(min(design.n_fits, 10))):
        yield copies_note(names)
    if sample.groups is not None and (names := mixing_groups(model)):
        message = (
            f"{', '.join(names)} splits its training set without the groups. Give it a splitter that keeps groups "
            "together, e.g. cv=StratifiedGroupKFold(5); it gets the groups of its training set."
        )
        yield Note("inner-split-mixes-groups", message, "warning", estimators=tuple(names))
    threads = own_threads(owners(model))
    if threads and workers_of(n_jobs) > 1:
        message = (
            f"{', '.join(threads)} runs threads of its own in each of the workers, and they compete for the cores. "
            "Leave its number of threads out, and it has one per worker."
        )
        yield Note("inner-threads", message, settings=tuple(threads))


def _batches(todo: list[range], sample: Sample, workers: int, batch_size: int | None, seconds: float) -> list[range]:
    """Fits that are sent to a worker together: some seconds of work with not too many scores to return, and some
    batches per worker. One fit takes about so many `seconds`."""
    if batch_size is None:
        most = min(BATCH_BYTES // (8 * sample.n * sample.n_classes), int(BATCH_SECONDS / max(seconds, 1e-6)))
        batch_size = max(1, min(most, math.ceil(sum(map(len, todo)) / (8 * workers))))
    return [
        range(start, min(start + batch_size, fits.stop))
        for fits in todo
        for start in range(fits.start, fits.stop, batch_size)
    ]


def check_failures(failed: tuple[Failure, ...], design: Design) -> None:
    if len(failed) > MOST_FAILURES * design.n_fits:
        raise FitError(
            f"{len(failed)} of {design.n_fits} fits failed, more than 10 %",
            param="model",
            reason=min(f.error for f in failed),
            fix="Use a stratified plan, a simpler model, or a regularised one",
        )
