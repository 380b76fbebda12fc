"""Run an engine over a design: whole blocks of one size, grouped by workers, never cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from joblib import Parallel, delayed

from karat.fitting.batched.base import Batched, predictions_of, scores_of
from karat.fitting.one import Answer
from karat.sample.design import Design
from karat.sample.sample import Sample

# rows of a block that worked (positions in it), their scores and predictions, and the rows fitted one by one
BlockAnswer = tuple[np.ndarray, np.ndarray, dict[int, Answer]]


def block_size(design: Design) -> int:
    """Training sets a block. It depends on the design alone, never on workers: the last bits of a matrix product
    depend on its shape. A block that is not full is padded."""
    most = 512 if design.n <= 20_000 else 64
    return next((size for size in (16, 128) if design.n_fits < size), most)


def blocks(design: Design) -> list[range]:
    """Training sets of each block; the one after the last is the fit on all cases."""
    rows, total = block_size(design), design.n_fits + 1
    return [range(start, min(start + rows, total)) for start in range(0, total, rows)]


def run(
    batched: Batched,
    sample: Sample,
    design: Design,
    response: str,
    one: Callable[[np.ndarray, int], Answer],
    n_jobs: int | None,
) -> Iterator[tuple[range, BlockAnswer]]:
    """Answers of every block, in order. `one(counts, f)` fits a training set that the closed form cannot."""
    todo = blocks(design)
    calls = (delayed(_block)(batched, sample, _counts(design, fits), fits, response, one) for fits in todo)
    results = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator", batch_size=1)(calls)
    yield from zip(todo, results, strict=True)


def _counts(design: Design, fits: range) -> np.ndarray:
    """(b, n); the fit on all cases, and the padding, have every case once."""
    stop = min(fits.stop, design.n_fits)
    drawn = design.rows(slice(fits.start, stop))
    counts = np.ones((block_size(design), design.n), dtype=drawn.dtype)  # small: engines make floats of it
    counts[: stop - fits.start] = drawn
    return counts


def _block(
    batched: Batched,
    sample: Sample,
    counts: np.ndarray,
    fits: range,
    response: str,
    one: Callable[[np.ndarray, int], Answer],
) -> BlockAnswer:
    margins = batched.margins(counts)
    values = margins.values[: len(fits)]
    scores = scores_of(values, response, sample, margins.probabilities)
    decided = margins.predictions
    predictions = predictions_of(values, sample) if decided is None else decided[: len(fits)].astype(np.int16)
    hard = [int(row) for row in margins.undecided if row < len(fits)]
    return scores, predictions, {row: one(counts[row].astype(np.intp), fits[row]) for row in hard}
