"""Run an engine over a design, in blocks of training sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import softmax

from karat.checks import is_client
from karat.fitting.engines.base import Engine, Floats, LeavesOneOut, Rules
from karat.fitting.one import Answer, Fitter, Model, troubles, warning_note
from karat.fitting.progress import Progress
from karat.fitting.store import Store
from karat.fitting.threads import one_thread
from karat.sample.design import Design
from karat.sample.fits import Fits
from karat.sample.sample import Sample
from karat.sample.seeds import FIT, child
from karat.typing import Workers


def run_engine(
    engine: Engine,
    model: Model,
    sample: Sample,
    design: Design,
    response: str,
    n_jobs: Workers,
    bar: Progress,
    earlier: Fits | None = None,
) -> Fits | None:
    """All training sets of the design and the fit on all cases; None where the closed form cannot do the latter.

    Training sets that the engine does not trust itself with are fitted by scikit-learn. Of `earlier` fits, on the first
    training sets of this design, whole blocks are kept: the last bits depend on the size of a block.
    """
    store = Store(design, sample)
    todo = blocks(design)
    if earlier is not None and not leaves_one_out(earlier.design):
        store.copy(earlier.held, earlier.held_predictions)
        todo = [fits for fits in todo if fits.stop > earlier.n_fits]
    done = todo[0].start if todo else design.n_fits
    alone: list[tuple[int, Answer]] = []

    @cache
    def fitter() -> Fitter:
        return Fitter(model, sample, response, held_out_only=False)

    def refit(counts: npt.NDArray[np.integer], f: int) -> Answer:
        return fitter().fits(counts[None], [child(design.seed, FIT, f)])[0]

    def block(fits: range) -> list[tuple[int, Answer]]:
        counts = design.rows(slice(fits.start, fits.stop))
        rules = engine.rules(counts, store.rows(fits))
        store.put_block(fits, *answers(rules, response, sample, sample.alike))
        refits = [(fits[row], refit(counts[row], fits[row])) for row in np.flatnonzero(~rules.trusted).tolist()]
        for f, answer in refits:
            store.put(f, answer.scores, answer.predictions)
        return refits

    def single_cases(rules: Rules) -> Iterator[tuple[int, Answer]]:
        store.put_repeat(*answers(rules, response, sample, alike_in_class(sample)))
        for case in np.flatnonzero(~rules.trusted).tolist():
            fold = int(design.folds[0, case]) if design.folds is not None else case
            answer = refit((np.arange(sample.n) != case).astype(np.uint8), fold)
            store.put(fold, answer.scores, answer.predictions)
            yield fold, answer

    with one_thread():
        full = engine.rules(np.ones((1, sample.n), dtype=np.uint8))
        if not full.trusted[0]:
            return None
        bar.advance(done)
        results: Iterable[list[tuple[int, Answer]]]
        by_case = engine.leave_one_out() if isinstance(engine, LeavesOneOut) and leaves_one_out(design) else None
        if by_case is not None:
            todo, results = [range(design.n_fits)], [list(single_cases(by_case))]
        elif is_client(n_jobs) or effective_n_jobs(n_jobs) == 1:  # blocks fill one table here
            results = (block(fits) for fits in todo)
        else:
            calls = (delayed(block)(fits) for fits in todo)
            results = Parallel(n_jobs=n_jobs, prefer="threads", require="sharedmem", return_as="generator")(calls)
        for fits, refits in zip(todo, results, strict=True):
            alone += refits
            bar.advance(len(fits))
    failed, warned = troubles(alone, earlier, done)
    before = () if earlier is None else (f for f in earlier.one_by_one if f < done)
    one_by_one = (*before, *(f for f, _ in alone))
    full_scores, full_predictions = answers(full, response, sample, sample.alike)
    return Fits(
        design=design,
        held=store.scores,
        held_predictions=store.predictions,
        full_scores=full_scores[0],
        full_predictions=full_predictions[0],
        probabilities=response == "predict_proba",
        log_odds=response == "log_odds",
        failed=failed,
        warned=warned,
        one_by_one=one_by_one,
        engine=engine.name + (f" ({len(one_by_one)} of {design.n_fits} fits one by one)" if one_by_one else ""),
        notes=warning_note(warned, design.n_fits),
    )


def blocks(design: Design) -> list[range]:
    """Training sets that are fitted together. It depends on the design alone, never on workers: the last bits of a
    matrix product depend on its shape."""
    rows = min(512, max(64, 2**17 // design.n))
    return [range(start, min(start + rows, design.n_fits)) for start in range(0, design.n_fits, rows)]


def leaves_one_out(design: Design) -> bool:
    """Whether every case is a fold of its own; repeated K-fold may have as many fits as there are cases."""
    return design.folds is not None and len(design.folds) == 1 and design.n_fits == design.n


def alike_in_class(sample: Sample) -> npt.NDArray[np.integer] | None:
    """(n,) the first case with the features and the class of each: all others train the same rule without either."""
    if sample.alike is None:
        return None
    _, first, kind = np.unique(sample.alike * sample.n_classes + sample.codes, return_index=True, return_inverse=True)
    return np.asarray(first[kind])


def answers(
    rules: Rules, response: str, sample: Sample, alike: npt.NDArray[np.integer] | None
) -> tuple[Floats, npt.NDArray[np.int16]]:
    """Scores for the positive class and predicted classes, as `fitting.one.answers` gives them.

    Cases have the answer of the case that is `alike`: the last bits of a matrix product depend on the place of a case
    in it, and an AUC would see them.
    """
    values, two = rules.values, sample.n_classes == 2
    if rules.predictions is not None:
        predictions = rules.predictions.astype(np.int16)
    else:
        predictions = (values > 0 if two else values.argmax(axis=2)).astype(np.int16)
    with np.errstate(invalid="ignore", over="ignore"):
        if two and sample.positive == 0:
            np.subtract(1 if rules.probabilities else 0, values, out=values)
        if response == "predict_proba" and not rules.probabilities:
            values = logistic(values) if two else softmax(values, axis=2)
    if alike is not None:
        values, predictions = values[:, alike], predictions[:, alike]
    return values, predictions


def logistic(values: Floats) -> Floats:
    """1/(1 + exp(−x)), in place."""
    np.negative(values, out=values)
    np.exp(values, out=values)
    values += 1
    return np.divide(1, values, out=values)
