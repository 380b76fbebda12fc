"""Run an engine over a design, in blocks of training sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from scipy.special import softmax

from trueness.checks import FIT, child, is_client
from trueness.fitting.engines import Engine, Rules
from trueness.fitting.one import Answer, Fitter, troubles
from trueness.fitting.progress import Progress
from trueness.fitting.workers import one_thread, workers_of
from trueness.sample.asked import AnswerTable
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.sample import Sample
from trueness.typing import Classifier, Floats, Integers, Workers

T = TypeVar("T")
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
    run = EngineRun(engine, model, sample, design, response)
    todo = blocks(design, getattr(engine, "numbers", 1))
    if earlier is not None:
        run.table.copy(earlier.held, earlier.held_predictions)
        todo = [fits for fits in todo if fits.stop > earlier.n_fits]
    done = todo[0].start if todo else design.n_fits
    alone: list[tuple[int, Answer]] = []
    with one_thread():
        full = engine.rules(np.ones((1, sample.n), dtype=np.uint8))
        if not full.trusted[0]:
            return None
        bar.advance(done)
        for fits, refits in zip(todo, _in_threads(run.block, todo, n_jobs), strict=True):
            alone += refits
            bar.advance(len(fits))
    failed, warned = troubles(alone, earlier, done)
    before = () if earlier is None else (f for f in earlier.one_by_one if f < done)
    one_by_one = (*before, *(f for f, _ in alone))
    full_scores, full_predictions = answers(full, response, sample, sample.alike)
    return replace(
        run.table.fits(response, failed, warned),
        full_scores=full_scores[0],
        full_predictions=None if full_predictions is None else full_predictions[0],
        one_by_one=one_by_one,
        engine=engine.name + (f" ({len(one_by_one)} of {design.n_fits} fits one by one)" if one_by_one else ""),
    )


class EngineRun:
    """An engine on the training sets of a design; where it does not trust itself, scikit-learn fits again."""

    def __init__(self, engine: Engine, model: Classifier, sample: Sample, design: Design, response: str) -> None:
        self.engine, self.model, self.sample, self.design, self.response = engine, model, sample, design, response
        self.table = AnswerTable(design, sample)

    @cached_property
    def fitter(self) -> Fitter:
        return Fitter(self.model, self.sample, self.response, held_out_only=False)

    def block(self, fits: range) -> list[tuple[int, Answer]]:
        """Fit some training sets in a row; returns the answers of those that were fitted again."""
        counts = self.design.rows(slice(fits.start, fits.stop))
        rules = self.engine.rules(counts, self.table.rows(fits))
        self.table.put_block(fits, *answers(rules, self.response, self.sample, self.sample.alike))
        return [(fits[row], self.refit(fits[row], counts[row])) for row in np.flatnonzero(~rules.trusted).tolist()]

    def refit(self, f: int, counts: Integers) -> Answer:
        """The answer of scikit-learn, which replaces that of the engine."""
        (answer,) = self.fitter.fits(counts[None], [child(self.design.seed, FIT, f)])
        self.table.put(f, answer.scores, answer.predictions)
        return answer


def _in_threads(function: Callable[[range], T], todo: list[range], n_jobs: Workers) -> Iterable[T]:
    """What the function returns for each, in order. All write into one table here, so a cluster does not help."""
    workers = 1 if is_client(n_jobs) else workers_of(n_jobs)
    if workers == 1:
        return map(function, todo)
    calls = (delayed(function)(fits) for fits in todo)
    results: Iterable[T] = Parallel(n_jobs=workers, prefer="threads", require="sharedmem", return_as="generator")(calls)
    return results


def blocks(design: Design, numbers: int = 1) -> list[range]:
    """Training sets that are fitted together, of an engine that needs so many numbers for each. It never depends on
    workers: the last bits of a matrix product depend on its shape."""
    rows = max(1, min(512, max(64, 2**17 // design.n), MAX_NUMBERS // numbers))
    return [range(start, min(start + rows, design.n_fits)) for start in range(0, design.n_fits, rows)]


def answers(
    rules: Rules, response: str, sample: Sample, alike: Integers | None
) -> tuple[Floats, npt.NDArray[np.int16] | None]:
    """Scores for the positive class and predicted classes, as `sample.asked.answers` gives them.

    Cases have the answer of the case that is `alike`: the last bits of a matrix product depend on the place of a case
    in it, and an AUC would see them.
    """
    values, two = rules.values, sample.n_classes == 2
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
