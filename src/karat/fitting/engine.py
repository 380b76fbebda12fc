"""fit: any scikit-learn classifier on all training sets of a design, with joblib."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from karat.errors import FitError, InputError
from karat.fitting.batched import find
from karat.fitting.batched.run import run_batched
from karat.fitting.one import Answer, Fitter, answers, train
from karat.fitting.progress import Progress
from karat.fitting.threads import one_thread
from karat.plans.plan import Plan
from karat.result.note import Note, warn
from karat.sample.design import Design
from karat.sample.duplicates import duplicates_note
from karat.sample.fits import Failure, Fits
from karat.sample.rows import Rows, empty_rows
from karat.sample.sample import Sample
from karat.sample.scores import hard_labels_note
from karat.sample.seeds import FIT, child
from karat.sample.workers import check_workers

RESPONSES = ("decision_function", "predict_proba")
MOST_FAILURES = 0.10
BATCH_BYTES = 32 * 2**20


def fit(
    model: Any,
    X: Any,
    y: Any,
    design: Design | Plan,
    *,
    rng: Any = None,
    n_jobs: int | None = None,
    positive: Any = None,
    groups: Any = None,
    scores: str = "auto",
    engine: str = "auto",
    progress: bool | None = None,
    batch_size: int | None = None,
) -> Fits:
    """Fit a model on every training set of a design, and once on all cases.

    Parameters
    ----------
    model
        A scikit-learn classifier or Pipeline. It is cloned, never changed; a `random_state` of None is
        filled from the fit's own seed, one that is set is left alone.
    X
        Features: NumPy, pandas, polars or scipy sparse.
    y
        Labels, or a Sample, which has features, groups and the positive class of its own.
    design
        From `plan.draw(y)`, so that several models share it, or a plan (then `rng` seeds the draw).
    rng
        None, an int, a SeedSequence or a Generator; with a design given, the design's own seed is used.
    n_jobs
        Workers of joblib; None is 1 unless in a `joblib.parallel_config` context. It never changes a number.
    positive
        The positive label; needed for an AUC unless labels are 0/1, −1/1 or booleans.
    groups
        Group of each case, where a plan is given.
    scores
        "auto", "decision_function" or "predict_proba". Auto takes decision_function for two classes
        (probabilities can saturate into ties) and predict_proba for several (decision values of
        different cases need not be comparable within one class), and the other one where it is missing.
    engine
        "auto": all training sets at once where the model has a closed form (`Fits.engine` says which),
        "generic": one fit after another. They agree to 1e-8 wherever scikit-learn itself keeps its digits
        (features far from 0 cost it some), logistic regression to 1e-6 of its exact minimum.
    progress
        True or False; None: a bar with the time left, on a terminal only.
    batch_size
        Fits a task; None chooses. It never changes a number.

    Returns
    -------
    Fits
    """
    sample = y if isinstance(y, Sample) else Sample.of(y, X=X, positive=positive, groups=groups)
    if isinstance(design, Plan):
        design = design.draw(sample, rng=rng)
    else:
        _check_design(design, sample, rng)
        sample = replace(sample, groups=design.sample.groups)
        design = replace(design, sample=sample.labels_only())
    if batch_size is not None and batch_size < 1:
        raise InputError("batch_size must be at least 1", got=batch_size)
    check_workers(n_jobs)
    if isinstance(model, type) or not hasattr(model, "fit") or not hasattr(model, "predict"):
        raise InputError(
            "the model must be an object with fit and predict, as scikit-learn's classifiers are", got=repr(model)
        )
    if engine not in ("auto", "generic"):
        raise InputError('engine must be "auto" or "generic"', got=repr(engine))
    batched = find(model, sample) if engine == "auto" else None
    if batched is not None:
        fits = run_batched(
            batched, model, sample, design, _response(batched.responses, scores, sample), n_jobs, progress
        )
    else:
        fits = _run_generic(model, sample, design, scores, n_jobs, batch_size, progress)
    _too_many(fits.failed, design)
    full = fits.full_scores
    cautions = [duplicates_note(sample), hard_labels_note(full[None] if full is not None and full.ndim == 1 else None)]
    for note in cautions:
        if note is not None:
            warn(note)
    return replace(fits, notes=(*fits.notes, *(note for note in cautions if note is not None)))


def _check_design(design: Any, sample: Sample, rng: Any) -> None:
    """An error unless it was drawn for these cases."""
    if not isinstance(design, Design):
        raise InputError("the fourth argument is a design (plan.draw(y)) or a plan", got=repr(design))
    same = design.n == sample.n and (design.sample.codes == sample.codes).all()
    if not same or design.sample.classes.tolist() != sample.classes.tolist():
        raise InputError(
            "the design was drawn for other labels than y", fix="Draw it from the same y, in the same order"
        )
    drawn, given = design.sample.groups, sample.groups
    if given is not None and (drawn is None or not np.array_equal(drawn, given)):
        raise InputError("the design was drawn with other groups", fix="Give groups= to plan.draw")
    if rng is not None:
        raise InputError("a design has its own seed", fix="Give rng= to plan.draw instead")


def _response(offers: Iterable[str], wanted: str, sample: Sample) -> str:
    """Which method of the fitted rule gives the scores; "none" where it has none."""
    order = RESPONSES if sample.n_classes == 2 else RESPONSES[::-1]
    offered = [name for name in order if name in offers]
    if wanted == "auto":
        return offered[0] if offered else "none"
    if wanted not in RESPONSES:
        raise InputError('scores must be "auto", "decision_function" or "predict_proba"', got=repr(wanted))
    if wanted not in offered:
        raise InputError(f"the model has no {wanted}", fix=f"It has {', '.join(offered) or 'no scores at all'}")
    return wanted


def _full_fit(model: Any, sample: Sample, design: Design, scores: str) -> tuple[np.ndarray | None, np.ndarray, str]:
    """The rule trained on all cases; if that fails, nothing else is worth trying."""
    seed = child(design.seed, FIT, design.n_fits)
    try:
        rule = train(model, sample, np.arange(sample.n), seed)
        response = _response([name for name in RESPONSES if hasattr(rule, name)], scores, sample)
        values, predictions = answers(rule, sample, None, response)
    except InputError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise FitError(f"The model does not fit on all {sample.n} cases: {why}") from error
    return values, predictions, response


def _room(sample: Sample, design: Design, response: str) -> tuple[Rows | None, Rows]:
    """Where scores and predictions go: a row a fit, or a row a repeat of cross-validation."""
    n_rows = len(design.folds) if design.folds is not None else design.n_fits
    shape = (n_rows, sample.n) if sample.n_classes == 2 else (n_rows, sample.n, sample.n_classes)
    return None if response == "none" else empty_rows(shape), empty_rows((n_rows, sample.n), np.int16)


def _run_generic(
    model: Any,
    sample: Sample,
    design: Design,
    wanted: str,
    n_jobs: int | None,
    batch_size: int | None,
    progress: bool | None,
) -> Fits:
    with one_thread():
        full_scores, full_predictions, response = _full_fit(model, sample, design, wanted)
    by_fold = design.folds is not None
    held, predictions = _room(sample, design, response)
    failed: list[Failure] = []
    warned: list[str] = []
    workers = effective_n_jobs(n_jobs)
    batches = list(_batches(design, sample, workers, batch_size))
    tasks = (
        delayed(_batch)(
            model, sample, _counts_of(design, batch), [child(design.seed, FIT, f) for f in batch], response, by_fold
        )
        for batch in batches
    )
    with Progress(design.n_fits, progress) as bar:
        results = Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1, pre_dispatch="2*n_jobs")(tasks)
        for batch, batch_answers in zip(batches, results, strict=True):
            for f, answer in zip(batch, batch_answers, strict=True):
                warned += [answer.warned] if answer.warned else []
                if answer.error:
                    failed.append(Failure(f, answer.error))
            _write(design, held, predictions, batch, batch_answers)
            bar.advance(len(batch))
    notes: tuple[Note, ...] = ()
    if warned:
        message = f"{len(warned)} of {design.n_fits} fits gave warnings, the first: {warned[0].rstrip('.')}."
        notes = (Note("fit-warnings", message, fits=len(warned), of=design.n_fits, first=warned[0]),)
    return Fits(
        design=design,
        held=held,
        held_predictions=predictions,
        full_scores=full_scores,
        full_predictions=full_predictions,
        probabilities=response == "predict_proba",
        failed=tuple(failed),
        engine="generic",
        notes=notes,
    )


def _batches(design: Design, sample: Sample, workers: int, batch_size: int | None) -> Iterator[range]:
    """Fits that travel together: some dozens of tasks a worker, none with too many scores to send back."""
    if batch_size is None:
        most = max(1, BATCH_BYTES // (8 * sample.n * sample.n_classes))
        batch_size = min(most, max(1, math.ceil(design.n_fits / (32 * workers))))
    for start in range(0, design.n_fits, batch_size):
        yield range(start, min(start + batch_size, design.n_fits))


def _counts_of(design: Design, batch: range) -> np.ndarray:
    return np.asarray(design.rows(slice(batch.start, batch.stop)))


def _batch(
    model: Any, sample: Sample, counts: np.ndarray, seeds: list, response: str, held_out_only: bool
) -> list[Answer]:
    """What one worker does. BLAS is held to one thread: more of them fight for the same cores."""
    with one_thread():
        return Fitter(model, sample, response, held_out_only).fits(counts, seeds)


def _write(design: Design, held: Rows | None, predictions: Rows, batch: range, batch_answers: list[Answer]) -> None:
    """Put the answers where they belong: a row a fit, or the held-out cases of a repeat's row."""
    for f, answer in zip(batch, batch_answers, strict=True):
        by_fold = design.folds is not None
        row = slice(f // design.n_folds, f // design.n_folds + 1) if by_fold else slice(f, f + 1)
        for table, values, nothing in ((held, answer.scores, np.nan), (predictions, answer.predictions, -1)):
            if table is None:
                continue
            if by_fold:  # few repeats: these tables are small and stay in memory
                current = table[row]
                current[0, design.tested(f)] = nothing if values is None else values
                table[row] = current
            else:
                table[row] = np.full((1, *table.shape[1:]), nothing) if values is None else values[None]


def _too_many(failed: tuple[Failure, ...], design: Design) -> None:
    if len(failed) > MOST_FAILURES * design.n_fits:
        reason = min(f.error for f in failed).rstrip(".")
        raise FitError(
            f"{len(failed)} of {design.n_fits} fits failed, more than 10 %. The first reason: {reason}. "
            "Use a stratified plan, a simpler model, or one that copes with such training sets (regularisation)."
        )
