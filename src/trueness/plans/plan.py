"""What every plan has: checks, strata, the draw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Self, TypedDict

import numpy as np

from trueness.checks import DRAW, check_open_share, check_whole, child, is_one_of, seed_sequence
from trueness.errors import InputError
from trueness.result.notes import Note
from trueness.result.shown import Page, Shown, Table
from trueness.sample.design import Design, Kind
from trueness.sample.labels import Task, is_numeric
from trueness.sample.rows import Rows
from trueness.sample.sample import Sample
from trueness.typing import Array, Bools, Ints, Labels, Rng

MIXED_GROUPS = Note("not-stratified")


class DrawnParts(TypedDict, total=False):
    """The part of a Design that a plan draws: counts or folds, and the repeats and unused cases where they matter."""

    stored: Rows
    folds: Array
    repeat: Ints
    unused: Bools


@dataclass(frozen=True)
class Plan(Shown, ABC):
    """A recipe for training sets. `draw` makes the Design on which all models to be compared are fitted.

    A new plan is one file with a frozen dataclass that derives from `DrawnPlan`, with a `kind` and a method `_draw`.
    """

    kind: ClassVar[Kind]
    least: ClassVar[Mapping[str, int]] = {}  # parameters that are whole numbers, and the least that each may be
    words: ClassVar[str]  # a template with its fields
    form: ClassVar[str]  # how the command line writes it, e.g. "kfold:K or kfold:KxR"; "" where it cannot
    given: ClassVar[tuple[str, ...]] = ()  # parameters that stand after the colon there, with x between them

    def page(self, level: float | None = None) -> Page:
        """Its parameters; what the plan does is the first sentence of its docstring."""
        said = " ".join((type(self).__doc__ or "").split("\n\n")[0].split())
        rows = [(f.name, repr(getattr(self, f.name))) for f in fields(self) if f.repr]
        return Page(f"Plan {type(self).__name__}: {said}", tables=(Table(("parameter", "value"), rows),))

    def __post_init__(self) -> None:
        stratified = getattr(self, "stratified", True)
        if not isinstance(stratified, (bool, np.bool_)) and not is_one_of(stratified, ("fixed",)):
            raise InputError('stratified must be True, False or "fixed"', param="stratified", got=repr(stratified))
        for name, least in self.least.items():
            value = getattr(self, name)
            if value is not None or getattr(type(self), name) is not None:  # None where that is the default
                check_whole(name, value, least)
        check_open_share("test_size", getattr(self, "test_size", 0.5))

    @classmethod
    def of_word(cls, numbers: str) -> Self:
        """The plan of a word on the command line, from what stands after the colon; a ValueError where it is wrong."""
        values = numbers.split("x") if numbers else []
        if len(values) > len(cls.given):
            raise ValueError(numbers)
        kinds = {field.name: float if isinstance(field.default, float) else int for field in fields(cls)}
        return cls(**{name: kinds[name](value) for name, value in zip(cls.given, values, strict=False)})

    def in_words(self, n_fits: int | None = None) -> str:
        """The plan in words, with the number of replicates that were drawn."""
        return self.words.format(**vars(self))

    @abstractmethod
    def draw(
        self, y: Labels | Sample, groups: Labels | None = None, rng: Rng = None, *, kind: Task | None = None
    ) -> Design:
        """Draw the training sets.

        Parameters
        ----------
        y : array-like of shape (n,) or Sample
            Labels, or numbers that are to be predicted.
        groups : array-like of shape (n,), optional
            Group of each case. A group is never on both sides of a split, and a bootstrap draws whole groups.
        rng : int, SeedSequence, Generator or None, default None
            The same seed gives the same design.
        kind : {"classification", "regression"}, optional
            Whether y holds labels, within which cases are drawn, or numbers. By default numbers are those with
            fractions, and more than ten whole numbers of which most occur once or twice.

        Returns
        -------
        Design

        Examples
        --------
        >>> import trueness
        >>> design = trueness.KFold(2).draw([0, 0, 1, 1], rng=0)
        >>> design.n_fits, design.n
        (2, 4)
        """

    def longer(self, n: int, design: Design) -> Plan:
        """The plan whose design begins with this one's `design` and has n more replicates or repeats.

        Raises
        ------
        InputError
            Where there is none: a longer design of this plan would have other training sets.
        """
        raise InputError(
            "Only bootstraps and repeated cross-validations can be continued",
            param="plan",
            got=str(self),
            fix="Use Bootstrap, KFold, NestedKFold or CvBootstrap",
        )

    def within(self, fits: int, sample: Sample) -> Plan:
        """The longest plan of at most so many fits whose design this one's begins with; where that would be too few for
        a standard error, the shortest that has one. One whose number of fits is fixed has no other."""
        return self


def drawn_sample(y: Labels | Sample, groups: Labels | None, kind: Task | None = None) -> Sample:
    """The cases of a design, without features; of numbers where these are asked for, or cannot be labels."""
    if kind is None and not isinstance(y, Sample):
        kind = "regression" if is_numeric(y) else "classification"
    return replace(Sample.of(y, groups=groups, kind=kind or "classification"), X=None)


class DrawnPlan(Plan):
    """A plan that draws its training sets by itself, within classes where that is asked for and groups allow it, or joins
    the designs of several others on the same cases."""

    def draw(
        self, y: Labels | Sample, groups: Labels | None = None, rng: Rng = None, *, kind: Task | None = None
    ) -> Design:
        sample = drawn_sample(y, groups, kind)
        seed = seed_sequence(rng)
        wanted = getattr(self, "stratified", False)
        stratified = bool(wanted) and sample.groups_are_pure and sample.numbers is None
        parts = tuple(plan.draw(sample, rng=child(seed, k)) for k, plan in enumerate(self._plans(sample)))
        drawn = {} if parts else self._draw(sample, stratified, np.random.default_rng(child(seed, DRAW)))
        return Design(
            kind=self.kind,
            plan=self,
            sample=sample,
            stratified=stratified,
            fixed_sizes=stratified and wanted == "fixed",
            seed=seed,
            notes=(MIXED_GROUPS,) if wanted and not sample.groups_are_pure else (),
            parts=parts,
            **drawn,
        )

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        """`stored` counts or `folds`, and `repeat` where it matters."""
        raise NotImplementedError

    def _plans(self, sample: Sample) -> tuple[Plan, ...]:
        """The plans that it joins, for these cases; an error where the cases are too few for them."""
        return ()


def units_of(sample: Sample) -> tuple[Ints, Ints, Ints]:
    """Unit (case or group) of each case (n,), and of each unit its class (of its first case) and its size (U,)."""
    if sample.groups is None:
        return np.arange(sample.n), sample.codes, np.ones(sample.n, dtype=np.intp)
    _, first = np.unique(sample.groups, return_index=True)
    return sample.groups, sample.codes[first], np.bincount(sample.groups)


def strata_of(codes: Ints, stratified: bool) -> list[Ints]:
    """Units of each stratum: of each class, or all of them."""
    if not stratified:
        return [np.arange(len(codes))]
    return [np.flatnonzero(codes == c) for c in np.flatnonzero(np.bincount(codes))]
