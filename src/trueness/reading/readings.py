"""Readings: what several readers said about the same cases, in one modality or several, read from a table.

A reading is one reader in one modality. All readings are the rules of one table of answers (`sample/answers.py`); a case
that a reader did not read is NaN there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from trueness.checks import check_choice
from trueness.errors import InputError
from trueness.result.notes import Note
from trueness.sample.answers import Answers
from trueness.sample.frame import as_pandas, column_of, complete_column
from trueness.sample.labels import classes_of, label_array, listed, require_positive
from trueness.sample.scores import numbers
from trueness.typing import Array, Bools, Floats, Ints, Label

DesignName = Literal["crossed", "cases-in-readers", "cases-in-modalities", "split-plot"]
DESIGNS: tuple[DesignName, ...] = ("crossed", "cases-in-readers", "cases-in-modalities", "split-plot")
DESIGN_WORDS = {
    "crossed": "every reader read every case in every modality",
    "cases-in-readers": "every reader read cases of their own",
    "cases-in-modalities": "every modality had cases of its own",
    "readers-in-modalities": "every modality had readers of its own",
    "split-plot": "groups of readers read cases of their own",
    "mixed": "some modalities had the same cases, others cases of their own",
    "unbalanced": "some readers did not read some cases",
}


@dataclass(frozen=True, eq=False)
class Readings:
    """K readings of n cases.

    Attributes
    ----------
    answers : Answers
        Scores (K, 1, n), NaN where a case was not read, and which cases are positive.
    modality, reader : ndarray of shape (K,)
        Index of the modality and of the reader of each reading; sorted by modality, then reader.
    modalities, readers, cases : tuple
        Their labels.
    classes : tuple
        The negative and the positive label.
    notes : tuple of Note
        What the reader should know.
    """

    answers: Answers
    modality: Ints
    reader: Ints
    modalities: tuple[Label, ...]
    readers: tuple[Label, ...]
    cases: tuple[object, ...]
    classes: tuple[object, object] = (0, 1)
    notes: tuple[Note, ...] = ()

    @property
    def values(self) -> Floats:
        """(K, n) scores."""
        return self.answers.values[:, 0]

    @property
    def up(self) -> Bools:
        """(n,) which cases are positive."""
        return self.answers.up

    @cached_property
    def read(self) -> Bools:
        """(K, n) which cases were read."""
        return ~np.isnan(self.values)

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.answers.n

    def __len__(self) -> int:
        return len(self.modality)

    @cached_property
    def shared(self) -> Bools:
        """(K, K) whether two readings have a case in common."""
        read = self.read.astype(float)
        return np.asarray(read @ read.T > 0)

    @cached_property
    def together(self) -> Ints:
        """(K,) the set of each reading: readings that share cases, directly or through others."""
        return np.asarray(connected_components(self.shared, directed=False)[1], dtype=np.intp)

    @cached_property
    def block(self) -> Ints:
        """(readers,) the group of each reader: readers who share cases, directly or through others."""
        linked = np.eye(len(self.readers), dtype=bool)
        np.logical_or.at(linked, (self.reader[:, None], self.reader[None, :]), self.shared)
        return np.asarray(connected_components(linked, directed=False)[1], dtype=np.intp)

    @cached_property
    def gaps(self) -> int:
        """Readings that are missing: cases of a set of readings that some of them did not read, and readers who did not
        read in every modality of their set."""
        missing = 0
        for part in np.unique(self.together):
            mine = self.together == part
            missing += int((~self.read[mine][:, self.read[mine].any(axis=0)]).sum())
        return missing

    @cached_property
    def design(self) -> str:
        """What the table shows: a key of `DESIGN_WORDS`."""
        t, r = len(self.modalities), len(self.readers)
        sets = int(self.together.max()) + 1
        if t > 1 and len(self) == len(np.unique(self.reader)):
            return "readers-in-modalities"
        if self.gaps or len(self) < t * r:
            return "unbalanced"
        if sets == 1:
            return "crossed"
        if sets == t and all(len(np.unique(self.together[self.modality == m])) == 1 for m in range(t)):
            return "cases-in-modalities"
        n_blocks = int(self.block.max()) + 1
        if n_blocks == r:
            return "cases-in-readers"
        return "split-plot" if n_blocks > 1 else "mixed"

    def of(self, modality: int) -> Ints:
        """Indexes of the readings of a modality."""
        return np.flatnonzero(self.modality == modality)

    def table(self, of: Ints) -> tuple[Ints, Ints]:
        """Readings (T, R) of the modalities `of` by the readers who read in all of them, and these readers."""
        place = np.full((len(self.modalities), len(self.readers)), -1)
        place[self.modality, self.reader] = np.arange(len(self))
        common = np.flatnonzero((place[of] >= 0).all(axis=0))
        return place[np.ix_(of, common)], common

    def name(self, reading: int) -> str:
        """ "reader 3 in modality CT"."""
        return f"reader {self.readers[self.reader[reading]]} in modality {self.modalities[self.modality[reading]]}"


def readings_of(
    frame: object,
    *,
    reader: str,
    case: str,
    truth: str,
    score: str,
    modality: str | None,
    design: str,
    positive: Label | None,
) -> Readings:
    """Read a table with one row per reading of a case; rows without a score are readings that are missing."""
    table = as_pandas(frame)
    check_choice("design", design, DESIGNS, "The design is unknown")
    _check_columns(table, {"reader": reader, "case": case, "truth": truth, "score": score, "modality": modality})
    if modality is None and design == "cases-in-modalities":
        raise InputError("Cases in modalities need the column of the modalities", param="modality")
    score_column = column_of(table, score, "score")
    missing = score_column.isna().to_numpy()
    found = finite_numbers(score_column.tolist(), missing, "score", f"Column {score!r}")
    if missing.all():
        raise InputError(f"Column {score!r} has no values", param="score")
    kept = table[~missing]
    which_modality, modalities = np.zeros(len(kept), dtype=np.intp), list[Label](["all"])
    if modality is not None:
        which_modality, modalities = _factor(kept, modality, "modality")
    which_reader, readers = _factor(kept, reader, "reader")
    which_case, found_cases = _factor(kept, case, "case")
    cases: list[object] = list(found_cases)
    owned = {"cases-in-readers": (which_reader, readers), "cases-in-modalities": (which_modality, modalities)}
    if design in owned:  # the same number is another case elsewhere
        inside, owners = owned[design]
        both, which_case = np.unique(np.stack([inside, which_case]), axis=1, return_inverse=True)
        cases, which_case = [(owners[i], cases[k]) for i, k in both.T], which_case.ravel()
    twice = pd.DataFrame({"m": which_modality, "r": which_reader, "c": which_case}).duplicated().to_numpy()
    for at in np.flatnonzero(twice)[:1]:
        raise InputError(
            "Readings are given more than once",
            param="case",
            got=f"case {cases[which_case[at]]} again for reader {readers[which_reader[at]]}",
            fix="Name several modalities by modality=. As numbers 1.10 and 1.1 are equal: read such names as text",
        )
    labels = _truth(kept[truth], which_case, cases)
    known, codes = classes_of(labels)
    if len(known) != 2:
        raise InputError("A reader study needs exactly two classes", param="truth", got=listed(known.tolist()))
    code = require_positive(known, positive)
    pairs, row = np.unique(np.stack([which_modality, which_reader]), axis=1, return_inverse=True)
    values = np.full((pairs.shape[1], 1, len(cases)), np.nan)
    values[row.ravel(), 0, which_case] = found[~missing]
    names = tuple(f"{modalities[m]}, {readers[r]}" for m, r in pairs.T)
    out = Readings(
        Answers(names, values, np.asarray(codes == code)),
        pairs[0],
        pairs[1],
        tuple(modalities),
        tuple(readers),
        tuple(cases),
        (known.tolist()[1 - code], known.tolist()[code]),
    )
    return _noted(out, design, int(missing.sum()))


def finite_numbers(values: Sequence[object], missing: Bools, param: str, name: str) -> Floats:
    """As floats, NaN where they are missing; an error where one is no number, or infinite."""
    known = [math.nan if gone else value for value, gone in zip(values, missing, strict=True)]
    found = numbers(known, param, name)
    if np.isinf(found).any():
        raise InputError(f"{name} has infinite values", param=param, fix="Use a large number instead")
    return found


def _check_columns(table: pd.DataFrame, given: Mapping[str, str | None]) -> None:
    for param, name in given.items():
        if param == "score":
            column_of(table, name, param)
        elif name is not None or param != "modality":
            complete_column(table, name, param)
        if name is not None and list(given.values()).count(name) > 1:
            raise InputError(f"Column {name!r} is named twice", param=param)


def _factor(table: pd.DataFrame, name: str, param: str) -> tuple[Ints, list[Label]]:
    """(rows,) codes, and the labels in the order of a categorical column, else sorted, else as they come."""
    try:
        codes, labels = pd.factorize(table[name], sort=True)
    except TypeError:  # numbers and texts
        codes, labels = pd.factorize(table[name])
    names = np.asarray(labels).tolist()
    if len({str(x) for x in names}) < len(names):
        raise InputError(f"Column {name!r} has both texts and numbers", param=param, fix="Use one type in the column")
    return np.asarray(codes, dtype=np.intp), names


def _truth(column: pd.Series, case: Ints, cases: Sequence[object]) -> Array:
    """(n,) the true label of each case; an error where rows of a case contradict each other."""
    labels = label_array(column.tolist(), "truth")
    first = np.empty(len(cases), dtype=labels.dtype)
    first[case[::-1]] = labels[::-1]
    differs = labels != first[case]
    if differs.any():
        at = int(differs.argmax())
        got = f"case {cases[case[at]]} with {first[case[at]]} and {labels[at]}"
        fix = "If the same number means different cases for different readers, pass design='cases-in-readers'"
        raise InputError("Cases have more than one true label", param="truth", got=got, fix=fix)
    return first


def _noted(readings: Readings, declared: str, missing: int) -> Readings:
    """With notes where the table is not what was declared, and where readings are missing."""
    found, notes = readings.design, []
    if declared == "split-plot" and int(readings.block.max()) == 0:
        problem, got = "The table is no split-plot study", f"a table in which {DESIGN_WORDS[found]}"
        raise InputError(problem, param="design", got=got, fix="Name cases of different groups differently")
    if found not in (declared, "unbalanced"):
        notes.append(Note("design-found", design=found))
    if readings.gaps or missing:
        in_all = int(readings.read.all(axis=0).sum())
        notes.append(Note("missing-readings", missing=readings.gaps, complete=in_all, cases=readings.n))
    return replace(readings, notes=tuple(notes))
