"""The generic path of `fit`: one fit after another, in batches that workers take."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from trueness.checks import FIT, FULL, child, quietly
from trueness.fitting.inner import apart, mixing_groups
from trueness.fitting.one import (
    Fitter,
    before_all_others,
    check_failures,
    encoding_notes,
    first_line,
    train_encoding,
    with_generators,
)
from trueness.fitting.progress import Progress, clock
from trueness.fitting.store import RunStore
from trueness.fitting.workers import TimeLimit, gaps, run_chunks, workers_of
from trueness.result.notes import Note
from trueness.sample.asked import Answer, AnswerTable, answers, offers_of, response_of
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.sample import Sample
from trueness.typing import Array, Classifier, Floats, Integers, Workers

BATCH_BYTES = 32 * 2**20
BATCH_SECONDS = 0.5  # what a worker does before it answers: a sign of life, and a killed one loses no more
TIMED_AGAIN = 30.0  # seconds of the fit on all cases, which may have loaded libraries or started workers, up to which
# another one is timed


@dataclass(frozen=True)
class FullFit:
    """The answers of the rule trained on all cases, and the labels that the model takes: those of y, or 0, 1, …"""

    labels: Array
    scores: Floats | None
    predictions: Integers | None
    response: str
    warned: str  # the first warning
    seconds: float = 0.0  # that it took

    @classmethod
    def of(cls, model: Classifier, sample: Sample, design: Design, wanted: str, limit: TimeLimit | None) -> FullFit:
        """Fit on all cases, before anything else; one serves all parts of a design."""
        begun, everyone = clock(), ["the fit on all cases"]
        ((_, full),) = run_chunks(_full_fit, limit, everyone, lambda _: (model, sample, design, wanted), 1, limit=limit)
        return replace(full, seconds=clock() - begun)


def _full_fit(limit: TimeLimit | None, model: Classifier, sample: Sample, design: Design, scores: str) -> FullFit:
    seed = child(design.seed, FULL)
    with before_all_others(limit, f"all {sample.n} cases"), quietly() as warned:
        rule, taken = train_encoding(model, sample, np.arange(sample.n), seed)
        response = response_of(offers_of(rule), scores, taken)
        values, predictions = with_generators(seed, lambda: answers(rule, taken, None, response))
    return FullFit(taken.classes, values, predictions, response, "".join(map(first_line, warned[:1])))


def run_generic(
    model: Classifier,
    sample: Sample,
    design: Design,
    full: FullFit,
    wanted: str,
    n_jobs: Workers,
    batch_size: int | None,
    bar: Progress,
    earlier: Fits | None = None,
    stored: RunStore | None = None,
    limit: TimeLimit | None = None,
) -> Fits:
    """One fit after another, in batches that workers take; every fit has a seed of its own."""
    same = full.labels.tolist() == sample.classes.tolist()
    taken = sample if same else replace(sample, classes=full.labels)
    _ = taken.alike  # once, before the workers get the sample
    before = 0 if earlier is None else earlier.n_fits
    table = AnswerTable(design, sample, full.response != "none", earlier, before)
    run = None if stored is None else stored.run(model, design, wanted, None if same else full.labels)

    def take(batch: range, found: list[Answer]) -> range:
        for f, answer in zip(batch, found, strict=True):
            table.put(f, answer)
        bar.advance(len(batch))
        return batch

    bar.advance(before)
    done = [range(before)]
    for batch, found in () if run is None else run.finished():
        if batch.stop > before:
            skipped = max(before - batch.start, 0)
            done.append(take(batch[skipped:], found[skipped:]))
    fitter = Fitter(model, taken, full.response, held_out_only=design.folds is not None, limit=limit)
    for batch, found in _run(fitter, design, gaps(done, design.n_fits), n_jobs, batch_size, full.seconds, bar):
        if run is not None and not any(answer.try_again for answer in found):
            run.put(batch, found)
        take(batch, found)
        if limit is not None:  # do not wait for the others
            check_failures(table.failed, design.n_fits)
    check_failures(table.failed, design.n_fits)
    notes = list(encoding_notes(sample, taken))  # and on splits inside the model that mix copies of cases, or groups
    names = apart(model, sample.n)
    if names and any((design.rows(slice(f, f + 1)) > 1).any() for f in range(min(design.n_fits, 10))):
        notes.append(Note("copies-in-inner-split", estimators=tuple(names)))
    if sample.groups is not None and (names := mixing_groups(model)):
        notes.append(Note("inner-split-mixes-groups", estimators=tuple(names)))
    fits = Fits.of_table(table, full.response)
    return replace(fits, full_scores=full.scores, full_predictions=full.predictions, notes=tuple(notes))


def _run(
    fitter: Fitter,
    design: Design,
    todo: list[range],
    n_jobs: Workers,
    batch_size: int | None,
    seconds: float,
    bar: Progress,
) -> Iterator[tuple[range, list[Answer]]]:
    """The answers of the fits that are to do, batch by batch, in any order; one fit takes about so many `seconds`."""

    def arguments(batch: range) -> tuple[Integers, list[np.random.SeedSequence]]:
        return np.asarray(design.rows(slice(batch.start, batch.stop))), [child(design.seed, FIT, f) for f in batch]

    if todo and seconds < TIMED_AGAIN:
        begun = clock()
        (one,) = run_chunks(Fitter.fits, fitter, [todo[0][:1]], arguments, 1, limit=fitter.limit)
        seconds = min(seconds, clock() - begun)
        yield one
        todo = [todo[0][1:], *todo[1:]]
    workers = workers_of(n_jobs)
    bar.announce(seconds, workers)
    if batch_size is None:
        batch_size = size_of_batches(sum(map(len, todo)), fitter.sample, workers, seconds)
    batches = [fits[start : start + batch_size] for fits in todo for start in range(0, len(fits), batch_size)]
    longest = seconds * max(map(len, batches), default=0)
    yield from run_chunks(Fitter.fits, fitter, batches, arguments, n_jobs, longest, fitter.limit)


def size_of_batches(fits: int, sample: Sample, workers: int, seconds: float) -> int:
    """Fits that are sent to a worker together: some seconds of work with not too many scores to return, and some
    batches per worker. One fit takes about so many `seconds`."""
    most = min(BATCH_BYTES // (8 * sample.n * sample.n_classes), int(BATCH_SECONDS / max(seconds, 1e-6)))
    return max(1, min(most, math.ceil(fits / (8 * workers))))
