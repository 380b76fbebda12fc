"""One fit: train a clone on the rows of one training set, and ask it about the cases."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB
from sklearn.utils import _safe_indexing

from karat.errors import InputError
from karat.sample.sample import Sample

SUMMING = (BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB)


@dataclass(frozen=True)
class Answer:
    """What one rule said of the cases it was asked about, or why it could not."""

    scores: np.ndarray | None
    predictions: np.ndarray | None
    error: str = ""
    warned: str = ""  # the first warning of the fit


def seeded(model: Any, seed: np.random.SeedSequence) -> Any:
    """A clone whose open random states are filled from the fit's own seed; set ones are left alone.

    `copy=False` of a step becomes True: all fits share the table, and must find it as it was.
    """
    copy = clone(model)
    overwriting = [name for name, value in copy.get_params(deep=True).items() if overwrites(name, value)]
    if overwriting:
        copy.set_params(**dict.fromkeys(overwriting, True))
    open_states = sorted(
        name
        for name, value in copy.get_params(deep=True).items()
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    )
    if open_states:
        numbers = seed.generate_state(len(open_states)).tolist()
        copy.set_params(**{name: number % 2**31 for name, number in zip(open_states, numbers, strict=True)})
    _seeded_splitters(copy, np.random.default_rng(seed))
    return copy


def overwrites(name: str, value: Any) -> bool:
    """Whether a parameter lets a step write into the table that it is given."""
    return name.rpartition("__")[2] in ("copy", "copy_X") and value is False


def _seeded_splitters(copy: Any, numbers: np.random.Generator) -> None:
    """Splitters such as StratifiedKFold(shuffle=True) inside a search are no estimators: seed them by hand."""
    for name, value in copy.get_params(deep=True).items():
        open_state = getattr(value, "random_state", 0) is None and not hasattr(value, "get_params")
        if open_state and getattr(value, "shuffle", True):
            mended = deepcopy(value)
            mended.random_state = int(numbers.integers(0, 2**31))
            copy.set_params(**{name: mended})


def train(model: Any, sample: Sample, rows: np.ndarray, seed: np.random.SeedSequence) -> Any:
    """A fitted clone of the model; the model itself is never touched."""
    return seeded(model, seed).fit(_safe_indexing(sample.X, rows), sample.classes[sample.codes[rows]])


def answers(rule: Any, sample: Sample, cases: np.ndarray | None, response: str) -> tuple[np.ndarray | None, np.ndarray]:
    """Scores and predicted classes of a fitted rule; `cases` None asks about all of them."""
    X = sample.X if cases is None else _safe_indexing(sample.X, cases)
    if not hasattr(rule, "classes_"):
        raise InputError("the fitted model has no classes_: karat needs a classifier", got=type(rule).__name__)
    known = np.asarray(rule.classes_)
    if len(known) < sample.n_classes:
        raise ValueError(f"the training set lacks a class: the rule knows {known.tolist()}")
    code = {label: i for i, label in enumerate(sample.classes.tolist())}
    predictions = np.array([code[label] for label in known.tolist()])[
        np.searchsorted(known, np.asarray(rule.predict(X)))
    ]
    if response == "none":
        return None, predictions
    scores = np.asarray(getattr(rule, response)(X), dtype=float)
    positive = 1 if sample.positive is None else sample.positive
    if sample.n_classes == 2:
        if scores.ndim == 2:
            scores = scores[:, positive]
        elif positive == 0:  # decision_function speaks for the second class
            scores = -scores
    elif scores.shape != (len(predictions), sample.n_classes):
        raise ValueError(f"scores of shape {scores.shape} instead of one column a class")
    if not np.isfinite(scores).all():
        raise ValueError(f"{int((~np.isfinite(scores)).sum())} scores are NaN or infinite")
    return scores, predictions


class Fitter:
    """Fits a model on many training sets of the same cases: what does not change between them is found out once.

    The model was fitted on all cases before, so that its parameters and the table have been checked.
    """

    def __init__(self, model: Any, sample: Sample, response: str, held_out_only: bool) -> None:
        self.model, self.sample, self.response, self.held_out_only = model, sample, response, held_out_only
        self.labels = sample.classes[sample.codes]
        self.places = np.arange(sample.n)
        self.copies = Copies.of(model)
        # these sum up their cases, so that a case that is there twice is a case of weight 2
        self.weighted = type(model) in SUMMING
        simple = self.copies is not None and isinstance(sample.X, np.ndarray) and sample.X.dtype.kind in "fiub"
        self.finite = simple and bool(np.isfinite(sample.X).all())

    def fits(self, counts: np.ndarray, seeds: list[np.random.SeedSequence]) -> list[Answer]:
        """Train on the cases as often as the rows of counts say, answer about all cases or the held-out ones."""
        with config_context(skip_parameter_validation=True, assume_finite=self.finite):
            return [self._one(row, seed) for row, seed in zip(counts, seeds, strict=True)]

    def _one(self, counts: np.ndarray, seed: np.random.SeedSequence) -> Answer:
        cases = np.flatnonzero(counts == 0) if self.held_out_only else None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                rule = self._train(counts, seed)
                scores, predictions = answers(rule, self.sample, cases, self.response)
            except Exception as error:
                first = str(error).splitlines()[0] if str(error) else ""
                return Answer(None, None, f"{type(error).__name__}: {first}")
        first = f"{caught[0].category.__name__}: {str(caught[0].message).splitlines()[0]}" if caught else ""
        return Answer(scores, predictions, warned=first)

    def _train(self, counts: np.ndarray, seed: np.random.SeedSequence) -> Any:
        fresh = seeded(self.model, seed) if self.copies is None else self.copies.fresh(seed)
        rows = np.flatnonzero(counts) if self.weighted else np.repeat(self.places, counts)
        X = self.sample.X[rows] if isinstance(self.sample.X, np.ndarray) else _safe_indexing(self.sample.X, rows)
        if self.weighted:
            return fresh.fit(X, self.labels[rows], sample_weight=counts[rows])
        return fresh.fit(X, self.labels[rows])


@dataclass(frozen=True)
class Copies:
    """Fresh copies of a scikit-learn model whose parameters are plain values: what clone and set_params would give."""

    kind: type
    params: dict[str, Any]
    open_state: bool  # whether random_state is to be filled

    @classmethod
    def of(cls, model: Any) -> Copies | None:
        """None where a parameter is not a plain value, or the model carries more than its parameters."""
        if not type(model).__module__.startswith("sklearn.") or not hasattr(model, "get_params"):
            return None
        params = model.get_params(deep=True)
        plain = all(value is None or isinstance(value, (bool, int, float, str)) for value in params.values())
        if not plain or any(name.startswith("_") for name in vars(model)):
            return None
        if any(overwrites(*param) for param in params.items()):
            return None
        return cls(type(model), params, "random_state" in params and params["random_state"] is None)

    def fresh(self, seed: np.random.SeedSequence) -> Any:
        if not self.open_state:
            return self.kind(**self.params)
        return self.kind(**{**self.params, "random_state": seed.generate_state(1).tolist()[0] % 2**31})


def one_fit(
    model: Any,
    sample: Sample,
    counts: np.ndarray,
    seed: np.random.SeedSequence,
    response: str,
    held_out_only: bool,
) -> Answer:
    """One training set."""
    return Fitter(model, sample, response, held_out_only).fits(counts[None], [seed])[0]
