"""What several systems answered to the same items, read from a table of predictions, correctness or scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.metrics.registry import canonical
from trueness.result.notes import Note
from trueness.sample.answers import Answers
from trueness.sample.frame import column_of, complete_column
from trueness.sample.labels import classes_of, label_array, listed, require_positive
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


@dataclass(frozen=True, eq=False)
class GivenTable:
    """A table, and the names of its columns."""

    table: pd.DataFrame
    item: str
    systems: str | Sequence[str]  # one column per system, or the column that names the system
    run: str | None = None
    score: str = "score"


def answers_of(
    given: GivenTable,
    truth: str | None,
    cluster: str | None,
    metric: SystemMetric,
    *,
    positive: Label | None,
    missing: Missing,
) -> Answers:
    """Read a wide table (one column per system) or a long one (`systems` names the column of systems)."""
    table, item, run, systems = given.table, given.item, given.run, given.systems
    if metric == "auc" and truth is None:
        raise InputError("An AUC needs the true labels", param="truth", fix="Name their column by truth=")
    if metric == "score" and truth is not None:
        raise InputError("A mean of scores does not use the true labels", param="truth", fix="Use metric='auc'")
    named = {"item": item, "run": run, "truth": truth, "cluster": cluster}
    for param, column in named.items():
        if column is not None:
            complete_column(table, column, param)
    parts = table[list(dict.fromkeys(column for column in named.values() if column is not None))]
    long, names, notes = _long(given, parts)
    which, ids = pd.factorize(_alike(long[item]), sort=True)
    of_run = np.zeros(len(long), dtype=np.intp) if run is None else pd.factorize(long[run], sort=True)[0]
    of_system = pd.Categorical(long["_system"], categories=list(names)).codes.astype(np.intp)
    places = (of_system, of_run, which)
    for at in np.flatnonzero(pd.DataFrame(np.transpose(places)).duplicated())[:1]:
        raise InputError(
            "A system answers an item twice in one run",
            param="item" if run is None else "run",
            got=f"item {long[item].iloc[at]} again for system {long['_system'].iloc[at]!r}",
            fix="Name the column of repeated runs by run=, or drop the copies",
        )
    value, never = _values(long, of_system, names, truth, metric)
    notes += never
    values = np.full((len(names), int(of_run.max()) + 1, len(ids)), np.nan)
    recorded = np.zeros(values.shape, dtype=bool)
    values[places], recorded[places] = value, True
    if not isinstance(systems, str):  # a run of which a column says nothing is none of this system
        said = (~np.isnan(values)).any(axis=2, keepdims=True)
        recorded &= said | ~said.any(axis=1, keepdims=True)
    values, kept, of_gaps = _without_gaps(values, recorded, np.asarray(ids), names, metric, missing)
    long = long.assign(_item=which)[kept[which]]
    first = long.drop_duplicates("_item").sort_values("_item")
    for param, column in (("cluster", cluster), ("truth", truth if metric == "auc" else None)):
        if column is None:
            continue
        expected = long["_item"].map(first.set_index("_item")[column])
        for at in np.flatnonzero(expected.to_numpy() != long[column].to_numpy())[:1]:
            got = f"item {long[item].iloc[at]} with {expected.iloc[at]} and {long[column].iloc[at]}"
            raise InputError(f"Items have more than one value of {column!r}", param=param, got=got)
    codes, up = None, None
    if cluster is not None:
        codes = pd.factorize(first[cluster], sort=True)[0].astype(np.intp)
        if codes.max() == 0:
            raise InputError("All items are in one cluster; at least 2 are required", param="cluster")
    if metric == "auc":
        classes, of_item = classes_of(label_array(np.asarray(first[truth]), "truth"))
        if len(classes) != 2 or np.bincount(of_item).min() < 2:
            problem = "An AUC of systems needs two classes with at least 2 items each"
            raise InputError(problem, param="truth", got=classes.tolist()[:10])
        up = np.asarray(of_item == require_positive(classes, positive))
    return Answers(names, values, up, codes, (*notes, *of_gaps))


def _long(given: GivenTable, parts: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...], list[Note]]:
    """One row per answer, with its `_system` and `_value`; the names of the systems, and what was read as a score."""
    table, systems = given.table, given.systems
    notes = list[Note]()
    if isinstance(systems, str):
        values = column_of(table, given.score, "score")
        long = parts.assign(_system=complete_column(table, systems, "systems").astype(str), _value=values)
        names = tuple(long["_system"].unique())
        fields = table.attrs.get(READ_AS_SCORE)
        notes += [Note("read-as-score", fields=fields)] * bool(fields and given.score == "score")
    else:
        names = tuple(systems)
        each = [parts.assign(_system=name, _value=column_of(table, name, "systems").astype(object)) for name in names]
        long = pd.concat(each, ignore_index=True)
    if len(names) < 2 or len({*names, *parts.columns}) < len(names) + parts.shape[1]:
        problem = "A comparison needs two or more systems with columns of their own"
        raise InputError(problem, param="systems", got=", ".join(map(repr, names)))
    return long, names, notes


def _values(
    long: pd.DataFrame, of_system: Ints, names: Sequence[str], truth: str | None, metric: SystemMetric
) -> tuple[Floats, list[Note]]:
    """Numbers, or which predicted labels are the true ones; a note about each system with labels that are never true."""
    value = np.full(len(long), np.nan)
    if truth is None or metric == "auc":
        for k, name in enumerate(names):
            value[of_system == k] = _numbers(long.loc[of_system == k, "_value"], name, metric)
        return value, []
    known = long["_value"].notna().to_numpy()
    said, true = label_array(long["_value"][known].tolist(), "systems"), label_array(long[truth][known], "truth")
    never = ~np.isin(said, true)  # such as "no answer"; it is wrong
    if (said.dtype.kind in "iub") != (true.dtype.kind in "iub") or never.all():
        examples, fix = f"e.g. {said.tolist()[0]!r} and {true.tolist()[0]!r}", "Write both alike"
        raise InputError("No predicted label is among the true ones", param="truth", got=examples, fix=fix)
    value[known] = said == true
    counts = zip(names, np.bincount(of_system[known][never], minlength=len(names)).tolist(), strict=True)
    return value, [Note("labels-never-true", system=name, answers=k) for name, k in counts if k]


def _alike(ids: pd.Series) -> pd.Series:
    """Items that are numbers for one system and text for another, as 7 and "7", are matched as text."""
    text = ids.map(lambda value: isinstance(value, str))
    if text.all() or not text.any():
        return ids
    return ids.map(lambda v: str(int(v)) if isinstance(v, float) and v.is_integer() else str(v))


OF_TEXT = "Write 1 and 0 for right and wrong, name true labels by truth=, or use metric='score' for a mean of scores"


def _numbers(given: pd.Series, name: str, metric: SystemMetric) -> Floats:
    """The numbers of one system, NaN where nothing is given; 0 and 1 alone where they are correctness."""
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


def _without_gaps(
    values: Floats, recorded: Bools, ids: Array, names: Sequence[str], metric: SystemMetric, how: Missing
) -> tuple[Floats, Bools, tuple[Note, ...]]:
    """Values (M, R, n) of the items that are compared, NaN where there is no answer, and which these are: with 0 for every
    missing answer that counts as wrong; an error where the user must choose.

    Missing are records without a value, and answers without a record: fewer than another system has, of as many runs as
    this one has.
    """
    known, records, runs = ~np.isnan(values), recorded.sum(axis=1), recorded.any(axis=2).sum(axis=1)
    answered = np.asarray(known.any(axis=1))  # (M, n)
    if not answered.all(axis=0).any():
        got = ", ".join(f"{name!r}: {ids[own.argmax()]}" for name, own in zip(names, answered, strict=True))
        problem, fix = "No item was answered by all systems", "Name the column that all systems share by item="
        raise InputError(problem, param="item", got=f"e.g. {got}", fix=fix)
    absent = np.maximum(np.minimum(runs[:, None], records.max(axis=0)) - records, 0)
    lacking, notes = absent + (recorded & ~known).sum(axis=1), list[Note]()
    kept = np.asarray((lacking == 0).all(axis=0) | (how != "drop"))
    counts = {name: int(k) for name, k in zip(names, lacking.sum(axis=1), strict=True) if k}
    if how == "error" and counts:
        items = {name: listed(ids[lacking[names.index(name)] > 0], str) for name in counts}
        got = "; ".join(f"{name!r}: {k}, items {items[name]}" for name, k in counts.items())
        fix = "missing='wrong' counts them as wrong; missing='drop' leaves their items out for all systems"
        raise InputError("Answers are missing", param="frame", got=got, fix=fix)
    if counts:
        notes.append(Note("missing-answers", how=how, lacking=counts, items=int(lacking.any(axis=0).sum())))
    if how == "wrong" and counts:
        if metric == "auc" or not ((values[known] >= 0) & (values[known] <= 1)).all():
            problem = "Scores outside 0 to 1 and those of an AUC have no value of a wrong answer"
            raise InputError(problem, param="missing", got=repr(how), fix="Use missing='drop'")
        free = recorded.any(axis=2, keepdims=True) & ~recorded  # cells of the runs of a system
        added = free & (np.cumsum(free, axis=1) <= absent[:, None, :])
        values = np.where(added | (recorded & ~known), 0.0, values)
    elif metric == "auc" and (answered[:, None] & ~known & known.any(axis=2, keepdims=True))[:, :, kept].any():
        problem, fix = "An AUC needs every run of a system on all items", "Use missing='drop'"
        raise InputError(problem, param="run", got=f"{values.shape[1]} runs", fix=fix)
    if kept.sum() < 2:
        raise InputError("At least 2 items are required", param="item", got=int(kept.sum()))
    values = values[:, :, kept]
    found = (~np.isnan(values)).sum(axis=1)
    if found.min() < found.max():
        notes.append(Note("unequal-runs", fewest=int(found.min()), most=int(found.max())))
    return values, kept, tuple(notes)
