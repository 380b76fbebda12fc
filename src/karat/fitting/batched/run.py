"""Run an engine over a design: whole blocks of one size, grouped by workers, never cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from karat.errors import FitError
from karat.fitting.batched.base import Batched, LeavesOneOut, Margins, write_answers
from karat.fitting.one import Answer, one_fit
from karat.fitting.progress import Progress
from karat.fitting.threads import one_thread
from karat.sample.design import Design
from karat.sample.fits import Failure, Fits
from karat.sample.rows import Rows, empty_rows
from karat.sample.sample import Sample
from karat.sample.seeds import FIT, child

FEW = 16  # rows of a block for few training sets, and for the fit on all cases where it stands alone
ROUND = 64  # the rows of a block that all training sets and the fit on all cases go into are a multiple of it


def block_size(design: Design) -> int:
    """Training sets a block. It depends on the design alone, never on workers: the last bits of a matrix product
    depend on its shape. A block that is not full is padded."""
    # few calls for few cases; what stays in the cache for more; more again where products of features are dearer
    most = 512 if design.n <= 256 else 256 if design.n <= 2048 else 512 if design.n <= 20_000 else 64
    return FEW if design.n_fits < FEW else min(most, (design.n_fits // ROUND + 1) * ROUND)


def blocks(design: Design) -> list[range]:
    """Training sets of each block; number `n_fits` is the fit on all cases."""
    rows, n = block_size(design), design.n_fits
    last = n + 1 if n % rows else n  # the fit on all cases goes where the last block has room
    whole = [range(start, min(start + rows, last)) for start in range(0, last, rows)]
    return whole if last > n else [*whole, range(n, n + 1)]


def leaves_one_out(design: Design) -> bool:
    """Whether every case is a fold of its own; repeated K-fold may have as many fits as there are cases."""
    return design.folds is not None and len(design.folds) == 1 and design.n_fits == design.n


def run_batched(
    batched: Batched,
    model: Any,
    sample: Sample,
    design: Design,
    response: str,
    n_jobs: int | None,
    progress: bool | None,
) -> Fits:
    """All training sets of the design, and the fit on all cases."""

    def one(counts: np.ndarray, f: int) -> Answer:
        return one_fit(model, sample, counts.astype(np.intp), child(design.seed, FIT, f), response, held_out_only=False)

    with one_thread():
        if leaves_one_out(design) and isinstance(batched, LeavesOneOut):
            held, predictions, full, failed, single = _leave_one_out(batched, sample, design, response, one)
        else:
            held, predictions, full, failed, single = _blocks(batched, sample, design, response, one, n_jobs, progress)
    if failed and failed[-1].fit == design.n_fits:
        raise FitError(f"The model does not fit on all {sample.n} cases: {failed[-1].error}")
    return Fits(
        design=design,
        held=held,
        held_predictions=predictions,
        full_scores=full[0],
        full_predictions=full[1],
        probabilities=response == "predict_proba",
        failed=tuple(failed),
        engine=batched.name + (f" ({single} of {design.n_fits} fits one by one)" if single else ""),
    )


# scores, predictions, those of the fit on all cases, failures, how many training sets were fitted one by one
Result = tuple[Rows, Rows, tuple[np.ndarray, np.ndarray], list[Failure], int]
One = Callable[[np.ndarray, int], Answer]


def _blocks(
    batched: Batched,
    sample: Sample,
    design: Design,
    response: str,
    one: One,
    n_jobs: int | None,
    progress: bool | None,
) -> Result:
    tables = Tables(design, sample)
    todo = blocks(design)
    failed: list[Failure] = []
    single = 0

    def block(fits: range) -> tuple[list[Failure], int]:
        counts = _counts(design, fits)
        scores, predictions = tables.room(fits, len(counts))
        margins = batched.margins(counts, out=scores if scores.ndim == 2 else None)
        write_answers(margins, response, sample, scores, predictions)
        tie(sample.alike, scores, predictions)
        wrong = []
        undecided = margins.undecided[margins.undecided < len(fits)].tolist()
        for row in undecided:  # the closed form cannot answer: one by one
            answer = one(counts[row], fits[row])
            if answer.error:
                wrong.append(Failure(fits[row], answer.error))
                scores[row], predictions[row] = np.nan, -1
            else:
                scores[row], predictions[row] = answer.scores, answer.predictions
        tables.keep(fits, scores, predictions)
        return wrong, sum(fits[row] < design.n_fits for row in undecided)

    with Progress(design.n_fits, progress) as bar:
        if effective_n_jobs(n_jobs) == 1:
            results = map(block, todo)
        else:
            calls = (delayed(block)(fits) for fits in todo)
            results = Parallel(n_jobs=n_jobs, prefer="threads", require="sharedmem", return_as="generator")(calls)
        for fits, (wrong, some) in zip(todo, results, strict=True):
            failed += wrong
            single += some
            bar.advance(min(fits.stop, design.n_fits) - fits.start)
    return *tables.tables(), tables.full, failed, single


class Tables:
    """Where the answers go. Counts in memory: blocks write straight into the table, which has room for whole blocks."""

    def __init__(self, design: Design, sample: Sample) -> None:
        n_rows = len(design.folds) if design.folds is not None else design.n_fits
        self.cell = (sample.n,) if sample.n_classes == 2 else (sample.n, sample.n_classes)
        self.design = design
        self.n_rows = n_rows
        self.full: tuple[np.ndarray, np.ndarray]
        self.direct = False
        if design.folds is None:
            padded = len(blocks(design)) * block_size(design)
            self.scores = empty_rows((padded, *self.cell))
            self.direct = isinstance(self.scores, np.ndarray)
        if self.direct:
            self.predictions: Rows = np.empty((padded, sample.n), dtype=np.int16)
        else:
            self.scores = empty_rows((n_rows, *self.cell))
            self.predictions = empty_rows((n_rows, sample.n), np.int16)

    def room(self, fits: range, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Scores (b, n) or (b, n, C) and predictions (b, n) to be written for a block."""
        if self.direct:
            return self.scores[fits.start : fits.start + rows], self.predictions[fits.start : fits.start + rows]
        return np.empty((rows, *self.cell)), np.empty((rows, self.design.n), dtype=np.int16)

    def keep(self, fits: range, scores: np.ndarray, predictions: np.ndarray) -> None:
        """What a block wrote: the fit on all cases apart, and the rest where it belongs."""
        if fits.stop > self.design.n_fits:
            at = self.design.n_fits - fits.start
            self.full = scores[at].copy(), predictions[at].copy()
            fits = range(fits.start, self.design.n_fits)
        if self.design.folds is not None:
            for row, f in enumerate(fits):  # few repeats: these tables are small and stay in memory
                repeat, cases = f // self.design.n_folds, self.design.tested(f)
                for table, values in ((self.scores, scores), (self.predictions, predictions)):
                    current = table[repeat : repeat + 1]
                    current[0, cases] = values[row, cases]
                    table[repeat : repeat + 1] = current
        elif not self.direct:
            self.scores[fits.start : fits.stop] = scores[: len(fits)]
            self.predictions[fits.start : fits.stop] = predictions[: len(fits)]

    def tables(self) -> tuple[Rows, Rows]:
        if self.direct:
            return self.scores[0 : self.n_rows], self.predictions[0 : self.n_rows]
        return self.scores, self.predictions


def tie(alike: np.ndarray | None, *tables: np.ndarray) -> None:
    """Give cases with the same features the same answers (b, n, ...): the last bits of a matrix product depend on where
    a case stands in it, and an AUC would see them."""
    if alike is not None:
        again = np.flatnonzero(alike != np.arange(len(alike)))
        for table in tables:
            table[:, again] = table[:, alike[again]]


def _counts(design: Design, fits: range) -> np.ndarray:
    """(b, n); the fit on all cases, and the padding, have every case once."""
    rows = block_size(design) if fits.start < design.n_fits else FEW
    drawn = design.rows(slice(fits.start, min(fits.stop, design.n_fits)))
    if len(drawn) == rows:
        return drawn
    counts = np.ones((rows, design.n), dtype=drawn.dtype)
    counts[: len(drawn)] = drawn
    return counts


def _leave_one_out(batched: Any, sample: Sample, design: Design, response: str, one: One) -> Result:
    """Each case by the rule trained on the others, all from one set of moments."""
    assert design.folds is not None
    out, everyone = batched.leave_one_out(), np.ones((1, sample.n), dtype=np.uint8)
    full = batched.margins(everyone)
    scores, predictions = _answers(replace(out, values=out.values[None]), response, sample)
    full_scores, full_predictions = _answers(full, response, sample)
    tie(sample.alike, full_scores, full_predictions)
    failed = []
    for case in out.undecided.tolist():
        fold = int(design.folds[0, case])
        answer = one(np.arange(sample.n) != case, fold)
        if answer.error:
            failed.append(Failure(fold, answer.error))
            scores[0, case], predictions[0, case] = np.nan, -1
        else:
            assert answer.scores is not None
            assert answer.predictions is not None
            scores[0, case], predictions[0, case] = answer.scores[case], answer.predictions[case]
    if len(full.undecided):
        answer = one(everyone[0], design.n_fits)
        if answer.error:
            failed.append(Failure(design.n_fits, answer.error))
        else:
            full_scores[0], full_predictions[0] = answer.scores, answer.predictions
    return scores, predictions, (full_scores[0], full_predictions[0]), failed, len(out.undecided)


def _answers(margins: Margins, response: str, sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    scores, predictions = np.empty(margins.values.shape), np.empty(margins.values.shape[:2], dtype=np.int16)
    write_answers(margins, response, sample, scores, predictions)
    return scores, predictions
