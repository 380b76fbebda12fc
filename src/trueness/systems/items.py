"""What several systems answered to the same items, read from a table of predictions, correctness or scores."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from trueness.errors import InputError, near
from trueness.metrics.registry import aliases, canonical
from trueness.result.notes import Note
from trueness.result.words import counted
from trueness.sample.answers import Answers
from trueness.sample.frame import as_pandas, column_of, complete_column
from trueness.sample.labels import classes_of, label_array, listed, positive_code, require_positive
from trueness.sample.scores import numbers
from trueness.typing import Array, Bools, Floats, Ints, Label

SystemMetric = Literal["accuracy", "error", "score", "auc"]
Missing = Literal["error", "wrong", "drop"]  # what is done with missing answers
METRICS: tuple[SystemMetric, ...] = ("accuracy", "error", "score", "auc")
SCORES = (
    "correct", "is_correct", "right", "passed", "pass", "resolved", "success", "score", "acc", "accuracy",
    "exact_match", "grade",
)  # fmt: skip
READ_AS_SCORE = "read_as_score"  # in `attrs` of a table of logs: the fields that became its column "score"


def metric_named(name: str) -> SystemMetric:
    """The metric under any of its names, as `trueness.compare` knows them ("roc_auc", "AUROC"); "score" is a mean."""
    known = name if name == "score" else canonical(name)
    for metric in METRICS:
        if metric == known:
            return metric
    fix = near(name, [*METRICS, *aliases()]).strip()
    raise InputError(f"metric must be one of {', '.join(METRICS)}", param="metric", got=repr(name), fix=fix)


def answers_of(
    frame: object,
    item: str,
    systems: str | Sequence[str],
    truth: str | None,
    cluster: str | None,
    run: str | None,
    metric: SystemMetric,
    *,
    score: str,
    positive: Label | None,
    missing: Missing,
) -> Answers:
    """Read a wide table (one column per system) or a long one (`systems` names the column of systems)."""
    table = as_pandas(frame)
    names = _names(table, systems)
    parts = [item, *(c for c in (run, truth, cluster) if c is not None)]
    for column, param in ((item, "item"), (run, "run"), (truth, "truth"), (cluster, "cluster")):
        if column is not None:
            complete_column(table, column, param)
    if isinstance(systems, str):
        column_of(table, score, "score")
        long = table[list(dict.fromkeys(parts))].assign(_system=table[systems].astype(str), _value=table[score])
    else:
        taken = [name for name in names if name in parts]
        if taken:
            raise InputError(f"Column {taken[0]!r} is named twice", param="systems", fix="Name the systems alone")
        wide = table[list(dict.fromkeys(parts))]
        each = [wide.assign(_system=name, _value=table[name].astype(object)) for name in names]
        long = pd.concat(each, ignore_index=True)
    which, ids = pd.factorize(_alike(long[item]), sort=True)
    of_run = np.zeros(len(long), dtype=np.intp) if run is None else pd.factorize(long[run], sort=True)[0]
    of_system = pd.Categorical(long["_system"], categories=list(names)).codes.astype(np.intp)
    ids = np.asarray(ids)
    _refuse_duplicates(which, of_run, of_system, ids, names, run)
    value, notes = _values(long["_value"], None if truth is None else long[truth], of_system, names, metric)
    if isinstance(systems, str) and score == "score":
        notes += _read_as_score(table, truth, metric)
    values = np.full((len(names), int(of_run.max()) + 1, len(ids)), np.nan)
    values[of_system, of_run, which] = value
    recorded = np.zeros(values.shape, dtype=bool)
    recorded[of_system, of_run, which] = True
    if not isinstance(systems, str):  # a run of which a column says nothing is none of this system
        said = (~np.isnan(values)).any(axis=2, keepdims=True)
        recorded &= said | ~said.any(axis=1, keepdims=True)
    gaps = Gaps.of(values, recorded, ids, names, metric)
    notes += gaps.noted(missing)
    if missing == "drop":
        kept = gaps.kept
        rows = kept[which]
        long, which, ids, values = long[rows], (np.cumsum(kept) - 1)[which[rows]], ids[kept], values[:, :, kept]
    elif missing == "wrong":
        values = gaps.as_wrong()
    notes += _unequal_runs(values, gaps, missing)
    if len(ids) < 2:
        raise InputError("At least 2 items are required", param="item", got=len(ids))
    up = _positive(long, which, ids, truth, positive) if metric == "auc" else None
    return Answers(names, values, up, None if cluster is None else _clusters(long, which, ids, cluster), notes)


def _alike(ids: pd.Series) -> pd.Series:
    """Items that are numbers for one system and text for another, as 7 and "7", are matched as text."""
    text = ids.map(lambda value: isinstance(value, str))
    if text.all() or not text.any():
        return ids
    return ids.map(lambda v: str(int(v)) if isinstance(v, float) and v.is_integer() else str(v))


def _names(table: pd.DataFrame, systems: str | Sequence[str]) -> tuple[str, ...]:
    """The systems: those of a column, or the columns named."""
    if isinstance(systems, str):
        names = [str(name) for name in pd.unique(complete_column(table, systems, "systems"))]
        if len(names) < 2:
            raise InputError(
                "A comparison needs at least two systems",
                param="systems",
                got=f"column {systems!r} with {names} only",
                fix="Pass one column per system as a list, or the column that names the system",
            )
        return tuple(names)
    names = list(systems)
    for name in names:
        column_of(table, name, "systems")
    if len(set(names)) < len(names):
        raise InputError("A system is named twice", param="systems", got=names)
    if len(names) < 2:
        raise InputError("A comparison needs at least two systems", param="systems", got=names)
    return tuple(names)


def _refuse_duplicates(
    which: Ints, of_run: Ints, of_system: Ints, ids: Array, names: Sequence[str], run: str | None
) -> None:
    twice = pd.DataFrame({"item": which, "run": of_run, "system": of_system}).duplicated().to_numpy()
    if not twice.any():
        return
    at = int(twice.argmax())
    raise InputError(
        f"{counted(int(twice.sum()), 'value repeats', 'values repeat')} an item"
        + (" within one run" if run is not None else ""),
        param="item" if run is None else "run",
        got=f"item {ids[which[at]]} again for system {names[of_system[at]]!r}",
        fix="If these are repeated runs, name their column by run=" if run is None else "",
    )


def _values(
    given: pd.Series, truth: pd.Series | None, of_system: Ints, names: Sequence[str], metric: SystemMetric
) -> tuple[Floats, tuple[Note, ...]]:
    """One number per row: correctness of labels, or the numbers given; NaN where nothing is given. And notes."""
    if truth is not None and metric == "score":
        fix = "Drop it, or use metric='auc'"
        raise InputError("A mean of scores does not use the true labels", param="truth", fix=fix)
    known, out = given.notna().to_numpy(), np.full(len(given), np.nan)
    if truth is not None and metric in ("accuracy", "error"):
        said, true = label_array(given[known].tolist(), "systems"), label_array(truth[known].to_numpy(), "truth")
        out[known] = _correct(said, true)
        return out, tuple(_never_true(said, true, of_system[known], names))
    for k, name in enumerate(names):
        mine = of_system == k
        out[mine] = _numbers(given[mine], name, metric)
    return out, ()


def _read_as_score(table: pd.DataFrame, truth: str | None, metric: SystemMetric) -> tuple[Note, ...]:
    """Which fields of logs were read as the values, where the user did not name one."""
    fields = table.attrs.get(READ_AS_SCORE)
    if not fields:
        return ()
    return (Note("read-as-score", fields=fields),)


def _never_true(said: Array, true: Array, of_system: Ints, names: Sequence[str]) -> Iterator[Note]:
    """A note about each system with answers that are no true label; a warning where this may be a matter of spelling
    ("A." or "(a)" for "A"), or none of its answers is one."""
    known = np.unique(true)
    alike = {_bare(label) for label in known.tolist()}
    for k, name in enumerate(names):
        mine = said[of_system == k]
        other = mine[~np.isin(mine, known)]
        if not len(other):
            continue
        spelled = [label for label in other.tolist() if _bare(label) in alike]
        code = "labels-misspelled" if spelled or len(other) == len(mine) else "labels-never-true"
        yield Note(code, system=name, answers=len(other), spelled=len(spelled))


def _bare(label: object) -> object:
    """A label without case and the punctuation around it."""
    return re.sub(r"^\W+|\W+$", "", label).casefold() or label if isinstance(label, str) else label


OF_TEXT = (
    "If these are predicted labels, name the column of the true ones by truth=; if they say whether an answer is right, "
    "write 1 and 0"
)


def _numbers(given: pd.Series, name: str, metric: SystemMetric) -> Floats:
    """The numbers of one system; 0 and 1 alone where they are correctness."""
    try:
        out = numbers(given.where(given.notna(), np.nan).tolist(), "systems", f"System {name!r}")
    except InputError as error:
        error.fix = OF_TEXT
        raise
    if any(isinstance(value, str) for value in given):
        raise InputError(
            f"System {name!r} holds text instead of numbers", param="systems", got=repr(given.iloc[0]), fix=OF_TEXT
        )
    if np.isinf(out).any():
        raise InputError(f"System {name!r} holds infinite values", param="systems")
    known = out[~np.isnan(out)]
    if metric in ("accuracy", "error") and not np.isin(known, (0.0, 1.0)).all():
        raise InputError(
            f"System {name!r} holds numbers other than 0 and 1, which are not correctness",
            param="systems",
            got=f"e.g. {float(known[~np.isin(known, (0.0, 1.0))][0]):g}",
            fix="Use metric='score' for the mean of scores, or name the true labels by truth=",
        )
    return out


def _correct(said: Array, true: Array) -> Bools:
    """Which predicted labels are the true ones. A label that is never true, such as "no answer", is wrong."""
    numeric = [labels.dtype.kind in "iub" for labels in (said, true)]
    if numeric[0] != numeric[1] or not np.isin(said, true).any():
        examples = f"e.g. {said.tolist()[0]!r} and {true.tolist()[0]!r}"
        raise InputError(
            "No predicted label is among the true ones", param="truth", got=examples, fix="Write both alike"
        )
    return np.asarray(said == true)


@dataclass(frozen=True, eq=False)
class Gaps:
    """Missing answers: records without a value, and records that a system lacks beside the others."""

    values: Floats  # (M, R, n), NaN where there is no answer
    recorded: Bools  # (M, R, n) where there is a record, with an answer or without
    empty: Ints  # (M, n) records without an answer
    absent: Ints  # (M, n) answers without a record: fewer than another system has, of as many runs as this one has
    wanted: Ints  # (M,) answers of each system
    ids: Array
    names: Sequence[str]
    metric: SystemMetric

    @classmethod
    def of(cls, values: Floats, recorded: Bools, ids: Array, names: Sequence[str], metric: SystemMetric) -> "Gaps":
        records, runs = recorded.sum(axis=1), recorded.any(axis=2).sum(axis=1)
        wanted = np.minimum(runs[:, None], records.max(axis=0))
        empty, absent = (recorded & np.isnan(values)).sum(axis=1), np.maximum(wanted - records, 0)
        return cls(values, recorded, empty, absent, np.maximum(wanted, records).sum(axis=1), ids, names, metric)

    @property
    def kept(self) -> Bools:
        """(n,) the items of which no answer is missing."""
        return np.asarray((self.empty + self.absent == 0).all(axis=0))

    def as_wrong(self) -> Floats:
        """The values with 0 for every missing answer."""
        free = self.recorded.any(axis=2, keepdims=True) & ~self.recorded  # cells of the runs of a system
        added = free & (np.cumsum(free, axis=1) <= self.absent[:, None, :])
        return np.where(added | (self.recorded & np.isnan(self.values)), 0.0, self.values)

    def counts(self, missing: Ints) -> dict[str, int]:
        """How many answers each system lacks, of those that lack any."""
        return {name: int(k) for name, k in zip(self.names, missing.sum(axis=1), strict=True) if k}

    def said(self, missing: Ints) -> str:
        """ "m2 lacks 175 of 1788 answers, …"."""
        of = dict(zip(self.names, self.wanted.tolist(), strict=True))
        return ", ".join(
            f"{name} lacks {k} of {counted(of[name], 'answer')}" for name, k in self.counts(missing).items()
        )

    def noted(self, how: Missing) -> tuple[Note, ...]:
        """A note on what was done with missing answers; an error where that was not said, or cannot be done."""
        self._refuse_other_items()
        nowhere = np.isnan(self.values).all(axis=1)  # (M, n)
        if how == "error":
            refused = self.empty + np.where(nowhere, self.absent, 0)
            if refused.any():
                raise self._error(refused)
            return ()
        lacking = self.empty + self.absent
        if not lacking.any():
            return ()
        if how == "wrong" and not self._can_be_wrong:
            why = "An AUC has no" if self.metric == "auc" else "Scores outside 0 to 1 have no"
            raise InputError(f"{why} value of a wrong answer", param="missing", got=repr(how), fix=self._advice)
        items = int((~self.kept).sum())
        return (Note("missing-answers", how=how, lacking=self.counts(lacking), items=items),)

    @property
    def _can_be_wrong(self) -> bool:
        known = self.values[~np.isnan(self.values)]
        return self.metric != "auc" and bool(((known >= 0) & (known <= 1)).all())

    @property
    def _advice(self) -> str:
        drop = "missing='drop' leaves these items out for all systems"
        if not self._can_be_wrong:
            return f"Give these answers a value; {drop}"
        return f"A system that failed on an item usually counts as wrong there: missing='wrong'; {drop}"

    def _error(self, missing: Ints) -> InputError:
        lacking, items = missing > 0, int((missing > 0).any(axis=0).sum())
        of = {name: self.ids[own] for name, own in zip(self.names, lacking, strict=True) if own.any()}
        where = "in some run" if self.values.shape[1] > 1 else "for some system"
        return InputError(
            f"{counted(items, 'item has', 'items have')} no value {where}: {self.said(missing)}",
            param="frame",
            got="items " + "; ".join(f"{name!r}: {listed(own, str)}" for name, own in of.items()),
            fix=self._advice,
        )

    def _refuse_other_items(self) -> None:
        """An error where the systems have no item in common."""
        answered = np.asarray((~np.isnan(self.values)).any(axis=1))
        if answered.all(axis=0).any():
            return
        examples = (
            f"{name!r}: {self.ids[own.argmax()]}" for name, own in zip(self.names, answered, strict=True) if own.any()
        )
        raise InputError(
            "No item was answered by all systems",
            param="item",
            got=f"e.g. {', '.join(examples)}",
            fix="Name a column that has the same value for an item in all systems by item=",
        )


def _unequal_runs(values: Floats, gaps: Gaps, missing: Missing) -> tuple[Note, ...]:
    """A note where items have different numbers of runs, and of which system records are missing."""
    answered = ~np.isnan(values)  # (M, R, n)
    runs = answered.sum(axis=1)
    if runs.min() == runs.max():
        return ()
    if gaps.metric == "auc" and not (answered.all(axis=2) == answered.any(axis=2)).all():
        got = f"{runs.min()} to {runs.max()} runs"
        fix = "missing='drop' leaves the items out that lack one"
        raise InputError("An AUC needs every run of a system on all items", param="run", got=got, fix=fix)
    lacking = gaps.counts(gaps.absent) if missing == "error" else {}
    return (Note("unequal-runs", fewest=int(runs.min()), most=int(runs.max()), lacking=lacking),)


def _one_per_item(long: pd.DataFrame, which: Ints, ids: Array, column: str, param: str, what: str) -> Array:
    """(n,) the value of each item; an error where two rows of an item contradict each other."""
    found = long[column].to_numpy()
    first = np.empty(len(ids), dtype=found.dtype)
    first[which[::-1]] = found[::-1]
    differs = found != first[which]
    if differs.any():
        at = int(differs.argmax())
        raise InputError(
            f"{counted(len(np.unique(which[differs])), 'item has', 'items have')} more than one {what}",
            param=param,
            got=f"item {ids[which[at]]} with {first[which[at]]} and {found[at]}",
            fix="A cluster must hold whole items, with the answers of all systems" if param == "cluster" else "",
        )
    return first


def _clusters(long: pd.DataFrame, which: Ints, ids: Array, cluster: str) -> Ints:
    codes = pd.factorize(_one_per_item(long, which, ids, cluster, "cluster", "cluster"), sort=True)[0].astype(np.intp)
    if codes.max() == 0:
        raise InputError(
            "All items are in one cluster; at least 2 are required", param="cluster", got=f"column {cluster!r}"
        )
    return np.asarray(codes)


def _positive(long: pd.DataFrame, which: Ints, ids: Array, truth: str | None, positive: Label | None) -> Bools:
    if truth is None:
        raise InputError("An AUC needs the true labels", param="truth", fix="Name their column by truth=")
    labels = label_array(_one_per_item(long, which, ids, truth, "truth", "true label"), "truth")
    known, codes = classes_of(labels)
    if len(known) != 2:
        raise InputError("An AUC of systems needs exactly two classes", param="truth", got=known.tolist()[:10])
    if np.bincount(codes).min() < 2:
        raise InputError("A class has only 1 item; at least 2 are required", param="truth")
    return np.asarray(codes == require_positive(known, positive_code(known, positive)))
