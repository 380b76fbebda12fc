"""Run an engine over a design, in blocks of training sets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from scipy.special import expit, softmax

from trueness.checks import FIT, child, is_client
from trueness.fitting.engines import Engine, Rules
from trueness.fitting.one import Fitter, check_failures
from trueness.fitting.progress import Progress
from trueness.fitting.workers import one_thread, workers_of
from trueness.sample.asked import AnswerTable
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.rows import taken
from trueness.sample.sample import Sample
from trueness.typing import Classifier, Floats, Workers

MAX_NUMBERS = 2**24  # that an engine needs besides scores for the training sets it fits together: some 500 MB in all


def run_engine(
    engine: Engine,
    model: Classifier,
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
    todo = blocks(design, getattr(engine, "numbers", 1))
    if earlier is not None:
        todo = [fits for fits in todo if fits.stop > earlier.n_fits]
    done = todo[0].start if todo else design.n_fits
    table = AnswerTable(design, sample, earlier=earlier, done=done)

    def block(fits: range) -> list[int]:
        """Fit some training sets in a row; returns those that scikit-learn fitted again."""
        counts = design.rows(slice(fits.start, fits.stop))
        rules = engine.rules(counts, table.rows(fits))
        table.put_block(fits, *answers(rules, response, sample))
        again = [fits[row] for row in np.flatnonzero(~rules.trusted).tolist()]
        if again:
            fitter = Fitter(model, sample, response, held_out_only=design.folds is not None)
            seeds = [child(design.seed, FIT, f) for f in again]
            for f, answer in zip(again, fitter.fits(counts[~rules.trusted], seeds), strict=True):
                table.put(f, answer)
        return again

    alone = [] if earlier is None else [f for f in earlier.one_by_one if f < done]
    with one_thread():
        full = engine.rules(np.ones((1, sample.n), dtype=np.uint8))
        if not full.trusted[0]:
            return None
        bar.advance(done)
        # all write into one table here, so a cluster does not help
        workers = Parallel(1 if is_client(n_jobs) else workers_of(n_jobs), require="sharedmem", return_as="generator")
        for fits, again in zip(todo, workers(delayed(block)(fits) for fits in todo), strict=True):
            alone += again
            bar.advance(len(fits))
    check_failures(table.failed, design.n_fits)
    scores, predictions = answers(full, response, sample)
    return replace(
        Fits.of_table(table, response),
        full_scores=scores[0],
        full_predictions=taken(predictions, 0),
        one_by_one=tuple(alone),
        engine=engine.name + (f" ({len(alone)} of {design.n_fits} fits one by one)" if alone else ""),
    )


def blocks(design: Design, numbers: int = 1) -> list[range]:
    """Training sets that are fitted together, of an engine that needs so many numbers for each. It never depends on
    workers: the last bits of a matrix product depend on its shape."""
    rows = max(1, min(512, max(64, 2**17 // design.n), MAX_NUMBERS // numbers))
    return [range(start, min(start + rows, design.n_fits)) for start in range(0, design.n_fits, rows)]


def answers(rules: Rules, response: str, sample: Sample) -> tuple[Floats, npt.NDArray[np.int16] | None]:
    """Scores for the positive class and predicted classes, as `sample.asked.answers` gives them.

    Cases have the answer of the case that is `alike`: the last bits of a matrix product depend on the place of a case
    in it, and an AUC would see them.
    """
    values, two, alike = rules.values, sample.n_classes == 2, sample.alike
    if sample.numbers is not None:
        return values if alike is None else values[:, alike], None
    if rules.predictions is not None:
        predictions = rules.predictions.astype(np.int16)
    else:
        predictions = (values > 0 if two else values.argmax(axis=2)).astype(np.int16)
    with np.errstate(invalid="ignore", over="ignore"):
        if two and sample.positive == 0:
            np.subtract(1 if rules.probabilities else 0, values, out=values)
        if response == "predict_proba" and not rules.probabilities:
            values = expit(values, out=values) if two else softmax(values, axis=2)
    if alike is not None:
        values, predictions = values[:, alike], predictions[:, alike]
    return values, predictions
