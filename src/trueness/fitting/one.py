"""One fit: train a clone on the rows of one training set, and ask it about the cases; and what may go wrong."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from copy import deepcopy
from dataclasses import replace
from typing import TypeVar

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.preprocessing import TargetEncoder
from sklearn.utils import check_random_state

from trueness.checks import Shared, quietly
from trueness.errors import FitError, InputError
from trueness.fitting.inner import (
    fit_with_validation_set,
    inner_splits,
    keep_together,
    leaves_one_out,
    owners,
    stops_early,
)
from trueness.fitting.workers import TimeLimit, quiet_settings
from trueness.result.notes import Note
from trueness.sample.asked import Answer, Failure, answers, rows_of
from trueness.sample.rows import taken
from trueness.sample.sample import Sample
from trueness.typing import AnyModel, Array, Classifier, Integers


def warning_notes(warned: Sequence[Failure], n_fits: int, full: str = "") -> tuple[Note, ...]:
    """A note on the fits that gave warnings, if any did; `full` is the first of the fit on all cases."""
    first = next((f.error for f in warned), full)
    return (Note("fit-warnings", fits=len(warned), of=n_fits, first=first),) if first else ()


MOST_FAILURES = 0.10


def check_failures(failed: Mapping[int, str], n_fits: int) -> None:
    """An error where too many fits failed, with what their libraries said."""
    if len(failed) > MOST_FAILURES * n_fits:
        raise FitError(
            f"{len(failed)} of {n_fits} fits failed, more than 10 %",
            param="model",
            reason=min(failed.values()),
            fix="Use a stratified plan, a simpler or a regularised model, or more fit_seconds where these ran out",
        )


R = TypeVar("R")


def seeded(model: Classifier, seed: np.random.SeedSequence) -> AnyModel:
    """A clone whose open random states are filled from the seed of the fit; those that are set are left alone.

    `copy=False` of a step becomes True: all fits share the table, and none may change it. Boosting libraries get one
    thread where their number is open.
    """
    try:
        copy = clone(model)
    except RuntimeError:  # of models that change their parameters, as CatBoost does with lists
        copy = deepcopy(model)
    params = copy.get_params(deep=True)
    writes = (
        name for name, value in params.items() if name.rpartition("__")[2] in ("copy", "copy_X") and value is False
    )
    changes: dict[str, object] = dict.fromkeys(writes, True)
    every = list(owners(copy))
    changes |= quiet_settings(every)
    open_states = sorted(n for n, v in params.items() if n.rpartition("__")[2] == "random_state" and v is None)
    states = seed.generate_state(len(open_states)).tolist() if open_states else []
    changes.update((name, state % 2**31) for name, state in zip(open_states, states, strict=True))
    rng = np.random.default_rng(seed)
    for name, value in params.items():
        # splitters such as StratifiedKFold(shuffle=True) inside a search are no estimators
        splitter = getattr(value, "random_state", 0) is None and not hasattr(value, "get_params")
        if splitter and getattr(value, "shuffle", True):
            changes[name] = deepcopy(value)
            changes[name].random_state = int(rng.integers(0, 2**31))  # type: ignore[attr-defined]
    for prefix, owner in every:  # it shuffles, and has no seed of its own any more
        if isinstance(owner, TargetEncoder) and isinstance(owner.cv, int) and isinstance(owner.random_state, str):
            from sklearn.model_selection import StratifiedKFold

            changes[f"{prefix}cv"] = StratifiedKFold(owner.cv, shuffle=True, random_state=int(rng.integers(0, 2**31)))
    return copy.set_params(**changes) if changes else copy


def train(model: Classifier, sample: Sample, rows: Integers, seed: np.random.SeedSequence) -> AnyModel:
    """A fitted clone of the model; the model itself is never changed."""
    labels, inner = sample.truth, inner_splits(model)
    return with_generators(seed, lambda: fit_rows(seeded(model, seed), sample, labels, rows, inner, copied=False))


def train_encoding(
    model: Classifier, sample: Sample, rows: Integers, seed: np.random.SeedSequence
) -> tuple[AnyModel, Sample]:
    """A fitted clone, and the sample with the labels that the model takes: XGBoost takes none but 0, 1, …

    Of two classes the positive one is 1, which weights such as `scale_pos_weight` are for.
    """
    try:
        return train(model, sample, rows, seed), sample
    except (ValueError, TypeError) as first:
        codes = np.arange(sample.n_classes)
        if sample.numbers is not None or sorted(sample.classes.tolist()) == codes.tolist():
            raise
        encoded = replace(sample, classes=codes[::-1] if (sample.n_classes, sample.positive) == (2, 0) else codes)
        try:
            return train(model, encoded, rows, seed), encoded
        except (ValueError, TypeError) as second:  # with labels that it takes it says what else it refuses
            raise second from None
        except (Exception, SystemExit):
            raise first from None


def encoding_notes(sample: Sample, taken: Sample) -> tuple[Note, ...]:
    """Where the model was trained with other labels."""
    if taken is sample:
        return ()
    return (Note("labels-encoded", codes=dict(zip(sample.classes.tolist(), taken.classes.tolist(), strict=True))),)


def fit_rows(
    fresh: AnyModel, sample: Sample, labels: Array, rows: Integers, inner: list[str], copied: bool
) -> AnyModel:
    """Fit a model of its own on rows of the table, in the order of the cases; copies stay together in inner splits."""
    X, y = rows_of(sample.X, rows), labels[rows]
    if inner and (copied or sample.groups is not None):
        keep_together(fresh, inner, rows, taken(sample.groups, rows))
    if copied and stops_early(fresh, len(rows)) is not None:
        return fit_with_validation_set(fresh, X, y, rows)
    return fresh.fit(X, y)


class Fitter:
    """Fits a model on many training sets of the same cases; what does not change between them is computed once.

    The model was fitted on all cases before, so that its parameters and the table have been checked. Rules are asked
    about the same cases, or about a test set.
    """

    def __init__(
        self,
        model: Classifier,
        sample: Sample,
        response: str,
        held_out_only: bool,
        test: Sample | None = None,
        limit: TimeLimit | None = None,
    ) -> None:
        self.model, self.sample, self.response, self.held_out_only = model, sample, response, held_out_only
        self.asked = sample if test is None else test
        self.limit = limit
        self.labels = sample.truth
        self.places = np.arange(sample.n)
        self.inner = inner_splits(model)
        self.one_out = leaves_one_out(model)
        # that of the caller holds in workers too, e.g. metadata routing and transform_output
        self.config = {**get_config(), "skip_parameter_validation": True}

    def fits(self, counts: Integers, seeds: Sequence[np.random.SeedSequence]) -> list[Answer]:
        """Train on the cases as often as the rows of `counts` say; answer about all cases, or the held-out ones."""
        with config_context(**self.config), _generators_kept:
            return [self._one(row, seed) for row, seed in zip(counts, seeds, strict=True)]

    def _one(self, counts: Integers, seed: np.random.SeedSequence) -> Answer:
        name, cases = "-".join(map(str, seed.spawn_key)), np.flatnonzero(counts == 0) if self.held_out_only else None
        if self.limit is not None and self.limit.exceeded_by(name):
            return Answer(None, None, self.limit.reason, try_again=True)
        with nullcontext() if self.limit is None else self.limit.watching(name), quietly() as caught:
            try:
                scores, predictions = with_generators(
                    seed, lambda: answers(self._train(counts, seed), self.asked, cases, self.response)
                )
            except InputError:  # answers of another form, which no other fit repairs
                raise
            except (Exception, SystemExit) as error:  # a model may raise anything
                return Answer(None, None, first_line(error), try_again=isinstance(error, MemoryError))
        return Answer(scores, predictions, warned="".join(map(first_line, caught[:1])))

    def _train(self, counts: Integers, seed: np.random.SeedSequence) -> AnyModel:
        fresh, copied = seeded(self.model, seed), bool(counts.max() > 1)
        if self.one_out and copied:  # left out, a weighted case is left out as a whole
            rows = np.flatnonzero(counts)
            return fresh.fit(rows_of(self.sample.X, rows), self.labels[rows], sample_weight=counts[rows])
        rows = np.repeat(self.places, counts)
        return fit_rows(fresh, self.sample, self.labels, rows, self.inner, copied)


def with_generators(seed: np.random.SeedSequence, call: Callable[[], R]) -> R:
    """`call()` with the global generators of Python, NumPy and PyTorch, from which models draw, set to the seed of the
    fit, and then set back. Threads of one process share them."""
    number = int(seed.generate_state(1)[0])

    def fresh() -> R:
        random.seed(number)
        with suppress(TypeError):  # the user may have put another generator in place of NumPy's
            check_random_state(None).seed(number)
        return call()

    with _generators_kept:
        if "torch" not in sys.modules:
            result = fresh()
            if "torch" not in sys.modules:
                return result
        # a call that was the first to load PyTorch is made again: its generator had no seed
        torch = sys.modules["torch"]
        started = torch.cuda.is_initialized()
        try:
            with torch.random.fork_rng(devices=range(torch.cuda.device_count()) if started else ()):
                torch.manual_seed(int(seed.generate_state(1, np.uint64)[0] >> 1))
                return fresh()
        finally:
            if not started:  # the seed with which CUDA would have started
                torch.cuda.manual_seed_all(torch.initial_seed())


@Shared
@contextmanager
def _generators_kept() -> Iterator[None]:
    """Set the global generators of Python and NumPy back."""
    python, numpy = random.getstate(), check_random_state(None).get_state(legacy=False)
    try:
        yield
    finally:
        random.setstate(python)
        check_random_state(None).set_state(numpy)


@contextmanager
def before_all_others(limit: TimeLimit | None, cases: str) -> Iterator[None]:
    """The fit on all cases: where it fails or takes too long, nothing else is worth trying."""
    if limit is not None and limit.exceeded_by("all"):
        raise FitError(
            f"The fit on {cases} was not done after {limit.seconds:g} s",
            param="fit_seconds",
            fix="Allow more time, or change the model",
        )
    try:
        with nullcontext() if limit is None else limit.watching("all"):
            yield
    except InputError:
        raise
    except (Exception, SystemExit) as error:  # a model may raise anything
        raise FitError(
            f"The model does not fit on {cases}",
            param="model",
            reason=f"{type(error).__name__}: {' '.join(str(error).split())}",
            fix="Change the model or the data",
        ) from (None if isinstance(error, StopIteration) else error)  # contextlib would raise that one again


def first_line(error: BaseException) -> str:
    """The kind of an error or a warning, and the first line of what it says."""
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
