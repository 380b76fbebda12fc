"""Run an engine over a design: whole blocks of one size, grouped by workers, never cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from joblib import Parallel, delayed

from karat.fitting.batched.base import ROWS, Batched, predictions_of, scores_of
from karat.fitting.one import Answer
from karat.sample.design import Design
from karat.sample.sample import Sample

# rows of a block that worked (positions in it), their scores and predictions, and the rows fitted one by one
BlockAnswer = tuple[np.ndarray, np.ndarray, dict[int, Answer]]


def blocks(design: Design) -> list[range]:
    """Training sets of each block; the one after the last is the fit on all cases."""
    return [range(start, min(start + ROWS, design.n_fits + 1)) for start in range(0, design.n_fits + 1, ROWS)]


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
    """(ROWS, n); the fit on all cases, and the padding, have every case once."""
    counts = np.ones((ROWS, design.n))
    stop = min(fits.stop, design.n_fits)
    counts[: stop - fits.start] = design.rows(slice(fits.start, stop))
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
    scores, predictions = scores_of(values, response, sample), predictions_of(values, sample)
    hard = [int(row) for row in margins.undecided if row < len(fits)]
    return scores, predictions, {row: one(counts[row].astype(np.intp), fits[row]) for row in hard}
