"""The generic path of `fit`: one fit after another, in batches that workers take.

After Ctrl-C what is finished is not lost where it makes a shorter design of the same plan.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from trueness.checks import FIT, FULL, child, quietly
from trueness.errors import Interrupted
from trueness.fitting.engine import check_failures
from trueness.fitting.inner import apart, copies_note, mixing_groups
from trueness.fitting.one import (
    Answer,
    Collected,
    Fitter,
    before_all_others,
    encoding_notes,
    first_line,
    train_encoding,
    with_generators,
)
from trueness.fitting.progress import Progress, clock
from trueness.fitting.store import RunStore, StoredRun
from trueness.fitting.workers import TimeLimit, gaps, run_chunks, workers_of
from trueness.plans.bootstrap import Bootstrap, CvBootstrap
from trueness.plans.splits import KFold
from trueness.result.notes import Note
from trueness.sample.asked import AnswerTable, answers, offers_of, response_of
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
    workers = workers_of(n_jobs)
    same = full.labels.tolist() == sample.classes.tolist()
    taken = sample if same else replace(sample, classes=full.labels)
    _ = taken.alike  # once, before the workers get the sample
    collected = Collected(AnswerTable(design, sample, scored=full.response != "none"), bar, earlier)
    run = None if stored is None else stored.run(model, design, wanted, None if same else full.labels)
    todo = gaps([range(collected.before), *_known(run, collected)], design.n_fits)

    def fits(design: Design) -> Fits:
        failed, warned = collected.troubles(design.n_fits)
        notes = (*encoding_notes(sample, taken), *inner_notes(model, sample, design))
        found = collected.table.fits(full.response, failed, warned, design)
        return replace(found, full_scores=full.scores, full_predictions=full.predictions, notes=notes)

    try:
        fitter = Fitter(model, taken, full.response, held_out_only=design.folds is not None, limit=limit)
        for batch, found in _run(
            fitter, design, todo, n_jobs, batch_size, full.seconds, lambda each: bar.announce(each, workers)
        ):
            if run is not None and not any(answer.try_again for answer in found):
                run.put(batch, found)
            collected.take(batch, found)
            if limit is not None:  # do not wait for the others
                check_failures(collected.troubles(design.n_fits)[0], design)
    except KeyboardInterrupt:
        whole = beginning(design, unbroken(collected.by_fit, collected.before))
        raise Interrupted(None if whole is None else fits(whole), collected.done, design.n_fits) from None
    return fits(design)


def _known(run: StoredRun | None, collected: Collected) -> Iterator[range]:
    """Fits that a store has, and that are not among the earlier ones; their answers are taken."""
    for batch, found in () if run is None else run.finished():
        if batch.stop > collected.before:
            skipped = max(collected.before - batch.start, 0)
            collected.take(batch[skipped:], found[skipped:])
            yield batch[skipped:]


def _run(
    fitter: Fitter,
    design: Design,
    todo: list[range],
    n_jobs: Workers,
    batch_size: int | None,
    seconds: float,
    timed: Callable[[float], None],
) -> Iterator[tuple[range, list[Answer]]]:
    """The answers of the fits that are to do, batch by batch, in any order; one fit takes about so many `seconds`, which
    `timed` is told before most of them."""

    def arguments(batch: range) -> tuple[Integers, list[np.random.SeedSequence]]:
        return np.asarray(design.rows(slice(batch.start, batch.stop))), [child(design.seed, FIT, f) for f in batch]

    if todo and seconds < TIMED_AGAIN:
        begun = clock()
        (one,) = run_chunks(Fitter.fits, fitter, [todo[0][:1]], arguments, 1, limit=fitter.limit)
        seconds = min(seconds, clock() - begun)
        yield one
        todo = [todo[0][1:], *todo[1:]]
    timed(seconds)
    batches = _batches(todo, fitter.sample, workers_of(n_jobs), batch_size, seconds)
    longest = seconds * max(map(len, batches), default=0)
    yield from run_chunks(Fitter.fits, fitter, batches, arguments, n_jobs, longest, fitter.limit)


def inner_notes(model: Classifier, sample: Sample, design: Design) -> Iterator[Note]:
    """Of splits inside the model that mix copies of cases, or groups."""
    names = apart(model, sample.n)
    if names and any((design.rows(slice(f, f + 1)) > 1).any() for f in range(min(design.n_fits, 10))):
        yield copies_note(names)
    if sample.groups is not None and (names := mixing_groups(model)):
        yield Note("inner-split-mixes-groups", estimators=tuple(names))


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


LEAST_REPLICATES = 20  # of a bootstrap
LEAST_REPEATS = 2  # of a cross-validation: one has hardly any standard error


def beginning(design: Design, done: int) -> Design | None:
    """The longest design of the plan that the first `done` fits of this one are; None where it would be too short.

    Of a cross-validation with a bootstrap whose cross-validation was not finished, that of its whole repeats alone.
    """
    plan = design.plan
    if isinstance(plan, CvBootstrap):
        cv = design.parts[0]
        if done < cv.n_fits + LEAST_REPLICATES:
            return beginning(cv, min(done, cv.n_fits))
        return replace(plan, n_resamples=done - cv.n_fits).draw(design.sample, rng=design.seed)
    if isinstance(plan, Bootstrap) and done >= LEAST_REPLICATES:
        return plan.of_size(done).draw(design.sample, rng=design.seed)
    if isinstance(plan, KFold) and done >= LEAST_REPEATS * design.n_folds:
        return replace(plan, repeats=done // design.n_folds).draw(design.sample, rng=design.seed)
    return None


def unbroken(finished: Collection[int], before: int) -> int:
    """How many fits from the first on are finished; `before` are known."""
    while before in finished:
        before += 1
    return before
