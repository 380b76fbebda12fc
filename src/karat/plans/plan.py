"""What every plan does: check the cases, say whether strata are possible, draw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.errors import InputError
from karat.sample.design import Design
from karat.sample.sample import Sample
from karat.sample.seeds import DRAW, child, seed_sequence


@dataclass(frozen=True)
class Plan(ABC):
    """A recipe. `draw` makes the Design that every model to be compared is fitted on."""

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        for name in ("stratified", "ordered"):
            value = getattr(self, name, True)
            if not isinstance(value, (bool, np.bool_)):
                raise InputError(f"{name} must be True or False", got=repr(value))

    def draw(self, y: Any, groups: Any = None, rng: Any = None) -> Design:
        """Draw the training sets.

        Parameters
        ----------
        y
            Labels, or a Sample.
        groups
            Group of each case: a group never stands on both sides, and a bootstrap draws whole groups.
        rng
            None, an int, a SeedSequence or a Generator. The same seed gives the same design.
        """
        sample = y.labels_only() if isinstance(y, Sample) else Sample.of(y, groups=groups)
        seed = seed_sequence(rng)
        stratified, note = self._strata(sample)
        rng = np.random.default_rng(child(seed, DRAW))
        return Design(
            kind=self.kind,
            plan=self,
            sample=sample,
            stratified=stratified,
            seed=seed,
            notes=(note,) if note else (),
            **self._draw(sample, stratified, rng),
        )

    @abstractmethod
    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> dict[str, Any]:
        """The stored part of the Design: `stored` counts or `folds`, and `repeat` where it matters."""

    def _strata(self, sample: Sample) -> tuple[bool, str]:
        if not getattr(self, "stratified", False):
            return False, ""
        if sample.groups is not None and not groups_are_pure(sample):
            return False, "not stratified: some groups hold cases of several classes"
        return True, ""


def groups_are_pure(sample: Sample) -> bool:
    """Whether every group has one class."""
    if sample.groups is None:
        return True
    pairs = np.unique(np.stack([sample.groups, sample.codes]), axis=1)
    return bool(pairs.shape[1] == sample.groups.max() + 1)


def units_of(sample: Sample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit of each case (n,), and of each unit its class (of its first case) and its size (U,)."""
    if sample.groups is None:
        return np.arange(sample.n), sample.codes, np.ones(sample.n, dtype=np.intp)
    _, first = np.unique(sample.groups, return_index=True)
    return sample.groups, sample.codes[first], np.bincount(sample.groups)


def strata_of(codes: np.ndarray, stratified: bool) -> list[np.ndarray]:
    """Units of each stratum."""
    if not stratified:
        return [np.arange(len(codes))]
    return [np.flatnonzero(codes == c) for c in np.flatnonzero(np.bincount(codes))]


def whole(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}", got=repr(value))
