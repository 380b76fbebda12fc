"""What several systems answered to the same items, read from a table of predictions, correctness or scores."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.metrics.registry import canonical
from trueness.result.notes import Note
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
    raise InputError(f"metric must be one of {', '.join(METRICS)}", param="metric", got=repr(name))


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
    named = {"item": item, "run": run, "truth": truth, "cluster": cluster}
    for param, column in named.items():
        if column is not None:
            complete_column(table, column, param)
    parts = table[list(dict.fromkeys(column for column in named.values() if column is not None))]
    notes: tuple[Note, ...] = ()
    if isinstance(systems, str):
        values = column_of(table, score, "score")
        long = parts.assign(_system=complete_column(table, systems, "systems").astype(str), _value=values)
        names = tuple(long["_system"].unique())
        fields = table.attrs.get(READ_AS_SCORE)
        notes = (Note("read-as-score", fields=fields),) if fields and score == "score" else ()
    else:
        names = tuple(systems)
        each = [parts.assign(_system=name, _value=column_of(table, name, "systems").astype(object)) for name in names]
        long = pd.concat(each, ignore_index=True)
    if len(names) < 2 or len({*names, *parts.columns}) < len(names) + parts.shape[1]:
        problem = "A comparison needs two or more systems with columns of their own"
        raise InputError(problem, param="systems", got=", ".join(map(repr, names)))
    which, ids = pd.factorize(_alike(long[item]), sort=True)
    of_run = np.zeros(len(long), dtype=np.intp) if run is None else pd.factorize(long[run], sort=True)[0]
    of_system = pd.Categorical(long["_system"], categories=list(names)).codes.astype(np.intp)
    places = (of_system, of_run, which)
    _refuse_duplicates(*places, long, item, run)
    if truth is not None and metric in ("accuracy", "error"):
        value, never = _correct(long["_value"], long[truth], of_system, names)
        notes += never
    else:
        value = np.empty(len(long))
        for k, name in enumerate(names):
            value[of_system == k] = _numbers(long.loc[of_system == k, "_value"], name, truth, metric)
    values = np.full((len(names), int(of_run.max()) + 1, len(ids)), np.nan)
    recorded = np.zeros(values.shape, dtype=bool)
    values[places], recorded[places] = value, True
    if not isinstance(systems, str):  # a run of which a column says nothing is none of this system
        said = (~np.isnan(values)).any(axis=2, keepdims=True)
        recorded &= said | ~said.any(axis=1, keepdims=True)
    gaps = Gaps(values, recorded, np.asarray(ids), names, metric)
    values, kept = gaps.filled(missing), gaps.kept(missing)
    if kept.sum() < 2:
        raise InputError("At least 2 items are required", param="item", got=int(kept.sum()))
    notes += gaps.notes(missing)
    long = long.assign(_item=which)[kept[which]]
    first = long.drop_duplicates("_item").sort_values("_item")
    codes = None if cluster is None else _clusters(_one_per_item(long, first, item, cluster, "cluster"))
    up = _positive(_one_per_item(long, first, item, truth, "truth"), positive) if metric == "auc" else None
    return Answers(names, values[:, :, kept], up, codes, notes)


def _alike(ids: pd.Series) -> pd.Series:
    """Items that are numbers for one system and text for another, as 7 and "7", are matched as text."""
    text = ids.map(lambda value: isinstance(value, str))
    if text.all() or not text.any():
        return ids
    return ids.map(lambda v: str(int(v)) if isinstance(v, float) and v.is_integer() else str(v))


def _refuse_duplicates(
    of_system: Ints, of_run: Ints, which: Ints, long: pd.DataFrame, item: str, run: str | None
) -> None:
    twice = pd.DataFrame({"item": which, "run": of_run, "system": of_system}).duplicated().to_numpy()
    if twice.any():
        first = long[twice].iloc[0]
        raise InputError(
            "A system answers an item twice in one run",
            param="item" if run is None else "run",
            got=f"item {first[item]} again for system {first['_system']!r}",
            fix="Name the column of repeated runs by run=, or drop the copies",
        )


OF_TEXT = "Write 1 and 0 for right and wrong, name true labels by truth=, or use metric='score' for a mean of scores"


def _numbers(given: pd.Series, name: str, truth: str | None, metric: SystemMetric) -> Floats:
    """The numbers of one system, NaN where nothing is given; 0 and 1 alone where they are correctness."""
    if truth is not None and metric == "score":
        raise InputError("A mean of scores does not use the true labels", param="truth", fix="Use metric='auc'")
    wrong: list[object] = [value for value in given if isinstance(value, str)]
    if not wrong:
        out = numbers(given.where(given.notna(), np.nan).tolist(), "systems", f"System {name!r}")
        known = out[~np.isnan(out)]
        grades = metric in ("accuracy", "error")
        wrong = known[np.isinf(known) | (grades & ~np.isin(known, (0.0, 1.0)))].tolist()
    if wrong:
        problem = f"System {name!r} holds values that metric {metric!r} cannot use"
        raise InputError(problem, param="systems", got=f"e.g. {wrong[0]!r}", fix=OF_TEXT)
    return out


def _correct(
    given: pd.Series, truth: pd.Series, of_system: Ints, names: Sequence[str]
) -> tuple[Floats, tuple[Note, ...]]:
    """Which predicted labels are the true ones; a label that is never true, such as "no answer", is wrong. And a note
    about each system with such answers: a warning where they may be a matter of spelling ("A." or "(a)" for "A")."""
    known, out = given.notna().to_numpy(), np.full(len(given), np.nan)
    said, true = label_array(given[known].tolist(), "systems"), label_array(truth[known].to_numpy(), "truth")
    numeric = [labels.dtype.kind in "iub" for labels in (said, true)]
    if numeric[0] != numeric[1] or not np.isin(said, true).any():
        examples, fix = f"e.g. {said.tolist()[0]!r} and {true.tolist()[0]!r}", "Write both alike"
        raise InputError("No predicted label is among the true ones", param="truth", got=examples, fix=fix)
    out[known] = said == true
    bare, notes = set(map(_bare, np.unique(true).tolist())), []
    for k, name in enumerate(names):
        mine = said[of_system[known] == k]
        other = mine[~np.isin(mine, true)].tolist()
        spelled = sum(_bare(label) in bare for label in other)
        if other:
            code = "labels-misspelled" if spelled or len(other) == len(mine) else "labels-never-true"
            notes.append(Note(code, system=name, answers=len(other), spelled=spelled))
    return out, tuple(notes)


def _bare(label: object) -> object:
    """A label without case and the punctuation around it."""
    return re.sub(r"^\W+|\W+$", "", label).casefold() or label if isinstance(label, str) else label


@dataclass(frozen=True, eq=False)
class Gaps:
    """Missing answers: records without a value, and records that a system lacks beside the others."""

    values: Floats  # (M, R, n), NaN where there is no answer
    recorded: Bools  # (M, R, n) where there is a record, with an answer or without
    ids: Array
    names: Sequence[str]
    metric: SystemMetric

    @cached_property
    def empty(self) -> Ints:
        """(M, n) records without an answer."""
        return np.asarray((self.recorded & np.isnan(self.values)).sum(axis=1))

    @cached_property
    def absent(self) -> Ints:
        """(M, n) answers without a record: fewer than another system has, of as many runs as this one has."""
        records, runs = self.recorded.sum(axis=1), self.recorded.any(axis=2).sum(axis=1)
        return np.asarray(np.maximum(np.minimum(runs[:, None], records.max(axis=0)) - records, 0))

    @property
    def lacking(self) -> Ints:
        """(M, n) answers that are missing."""
        return self.empty + self.absent

    def kept(self, how: Missing) -> Bools:
        """(n,) the items that are compared."""
        return np.asarray((self.lacking == 0).all(axis=0) | (how != "drop"))

    def filled(self, how: Missing) -> Floats:
        """The values, with 0 for every missing answer that counts as wrong; an error where the user must choose."""
        known, (_, runs, _) = ~np.isnan(self.values), self.values.shape
        answered = np.asarray(known.any(axis=1))
        if not answered.all(axis=0).any():
            got = ", ".join(
                f"{name!r}: {self.ids[own.argmax()]}" for name, own in zip(self.names, answered, strict=True)
            )
            problem, fix = "No item was answered by all systems", "Name the column that all systems share by item="
            raise InputError(problem, param="item", got=f"e.g. {got}", fix=fix)
        refused = self.empty + np.where(answered, 0, self.absent)
        if how == "error" and refused.any():
            fix = "missing='wrong' counts them as wrong; missing='drop' leaves their items out for all systems"
            raise InputError("Answers are missing", param="frame", got=self._examples(refused), fix=fix)
        if how == "wrong" and self.lacking.any():
            if self.metric == "auc" or not ((self.values[known] >= 0) & (self.values[known] <= 1)).all():
                problem = "Scores outside 0 to 1 and those of an AUC have no value of a wrong answer"
                raise InputError(problem, param="missing", got=repr(how), fix="Use missing='drop'")
            free = self.recorded.any(axis=2, keepdims=True) & ~self.recorded  # cells of the runs of a system
            added = free & (np.cumsum(free, axis=1) <= self.absent[:, None, :])
            return np.where(added | (self.recorded & ~known), 0.0, self.values)
        partly = (known.any(axis=1, keepdims=True) & ~known & known.any(axis=2, keepdims=True))[:, :, self.kept(how)]
        if self.metric == "auc" and partly.any():
            fix = "missing='drop' leaves the items out that lack one"
            raise InputError(
                "An AUC needs every run of a system on all items", param="run", got=f"{runs} runs", fix=fix
            )
        return self.values

    def counts(self, missing: Ints) -> dict[str, int]:
        """How many answers each system lacks, of those that lack any."""
        return {name: int(k) for name, k in zip(self.names, missing.sum(axis=1), strict=True) if k}

    def _examples(self, missing: Ints) -> str:
        """ "b: 3, items 2, 5 and 7"."""
        items = {name: self.ids[own > 0] for name, own in zip(self.names, missing, strict=True)}
        return "; ".join(f"{name!r}: {k}, items {listed(items[name], str)}" for name, k in self.counts(missing).items())

    def notes(self, how: Missing) -> tuple[Note, ...]:
        """What was done with missing answers, and where items have different numbers of runs."""
        found = []
        if how != "error" and self.lacking.any():
            items = int((~self.kept("drop")).sum())
            found.append(Note("missing-answers", how=how, lacking=self.counts(self.lacking), items=items))
        runs = (~np.isnan(self.filled(how)[:, :, self.kept(how)])).sum(axis=1)
        if runs.min() < runs.max():
            lacking = self.counts(self.absent) if how == "error" else {}
            found.append(Note("unequal-runs", fewest=int(runs.min()), most=int(runs.max()), lacking=lacking))
        return tuple(found)


def _one_per_item(long: pd.DataFrame, first: pd.DataFrame, item: str, column: str | None, param: str) -> Array:
    """(n,) the value of each item; an error where two rows of an item contradict each other."""
    if column is None:
        raise InputError("An AUC needs the true labels", param=param, fix="Name their column by truth=")
    expected = long["_item"].map(first.set_index("_item")[column])
    for at in np.flatnonzero(expected.to_numpy() != long[column].to_numpy())[:1]:
        got = f"item {long[item].iloc[at]} with {expected.iloc[at]} and {long[column].iloc[at]}"
        raise InputError(f"Items have more than one value of {column!r}", param=param, got=got)
    return np.asarray(first[column])


def _clusters(labels: Array) -> Ints:
    codes = pd.factorize(labels, sort=True)[0].astype(np.intp)
    if codes.max() == 0:
        raise InputError("All items are in one cluster; at least 2 are required", param="cluster")
    return np.asarray(codes)


def _positive(truth: Array, positive: Label | None) -> Bools:
    known, codes = classes_of(label_array(truth, "truth"))
    if len(known) != 2 or np.bincount(codes).min() < 2:
        problem = "An AUC of systems needs two classes with at least 2 items each"
        raise InputError(problem, param="truth", got=known.tolist()[:10])
    return np.asarray(codes == require_positive(known, positive_code(known, positive)))
