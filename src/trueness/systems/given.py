"""What is compared: a wide table, a long one, answers judged in pairs, or logs, told apart by their columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from trueness.checks import is_iterable
from trueness.errors import InputError
from trueness.result.notes import Note
from trueness.sample.frame import as_pandas, column_of
from trueness.systems.evals import (
    AskedOfLogs,
    Source,
    is_plain,
    item_column,
    read_evals,
    read_log,
    run_column,
    shared_item,
    system_column,
)

Sources: TypeAlias = "Source | Mapping[str, Source | Sequence[str | Path]] | Sequence[str | Path]"

JUDGED = ["model_a", "model_b", "winner"]  # columns of answers that a judge compared, as Chatbot Arena names them
POINTS = dict.fromkeys(("model_a", "a", "1", "first", "left"), 1.0)  # of the first of two answers
POINTS |= dict.fromkeys(("model_b", "b", "2", "second", "right"), 0.0) | dict.fromkeys(("tie", "draw", "both"), 0.5)
SYSTEMS = "Pass systems=[...] with one column per system, or systems= with the column that names the system"


@dataclass(frozen=True, eq=False)
class GivenTable:
    """A table, and the names of its columns."""

    table: pd.DataFrame
    item: str
    systems: str | Sequence[str]  # one column per system, or the column that names the system
    run: str | None = None
    score: str = "score"
    notes: tuple[Note, ...] = ()
    judged: bool = False  # shares of wins, which are no accuracy


def given_of(source: object, more: Sequence[str | Path], names: Sequence[str], asked: AskedOfLogs) -> GivenTable:
    """The table that `compare` is given, or that its files hold; `names` are those of systems."""
    if not isinstance(source, (str, Path, Mapping, list, tuple)):
        if more:
            raise InputError("Only files can be given several at a time", param="frame", got=type(source).__name__)
        return _of_table(as_pandas(source), names, asked)
    if isinstance(source, Mapping):
        return _of_logs(source, names, asked)
    files = [*([source] if isinstance(source, (str, Path)) else source), *more]
    if not all(isinstance(each, (str, Path)) for each in files):
        raise InputError("frame must be a DataFrame, or paths of tables or logs", param="frame", got="list")
    if len(files) == 1 and not Path(files[0]).is_dir():
        table = read_log(files[0])
        return _of_table(table, names, asked) if is_plain(table) else _of_logs(files, names, asked)
    if not names or len(files) == 1:
        return _of_logs(files, names, asked)
    if len(names) != len(files):
        problem = "Give one name per file, or none; a name given again has several tasks"
        raise InputError(problem, param="systems", got=f"{len(names)} names for {len(files)} files")
    named = pd.Series(files, dtype=object).groupby(list(names), sort=False).agg(list)
    return _of_logs(dict(named), (), asked)


def _of_logs(sources: object, names: Sequence[str], asked: AskedOfLogs) -> GivenTable:
    """From logs, of which several may be tasks of one system."""
    table = read_evals(sources, **vars(asked))
    known = [str(name) for name in table["system"].unique()]
    if unknown := [name for name in names if name not in known]:
        problem, fix = "There is no such system in the log", f"Systems: {', '.join(known)}"
        raise InputError(problem, param="systems", got=unknown[0], fix=fix)
    if len(known) < 2:
        raise InputError("A comparison needs at least two systems", param="frame", got=known[0], fix=SYSTEMS)
    table = table[table["system"].isin(names or known)]
    return GivenTable(table, "id", "system", "run" if "run" in table else None)


def _of_table(table: pd.DataFrame, names: Sequence[str], asked: AskedOfLogs) -> GivenTable:
    """From one table: answers judged in pairs, one column per system, or one row per answer."""
    columns = {*table.columns}
    if not is_plain(table):  # a frame of inspect_ai
        return _of_logs(table, names, asked)
    if columns.issuperset(JUDGED) and columns.isdisjoint(names):
        return _judged(table, names, asked)
    if asked.filter is not None:
        raise InputError("Only logs of lm-evaluation-harness have filters", param="filter", got=repr(asked.filter))
    item = asked.item or item_column(table) or "id"
    by = system_column(table)
    if len(names) > 1 and (by is None or not columns.isdisjoint(names)):
        return GivenTable(table, item, names, asked.run or run_column(table, [item]))
    repeated = [c for c in (item, asked.run) if c in columns]
    if len(names) == 1:
        by = str(column_of(table, names[0], "systems").name)
    if by is None or (len(names) == 1 and item in columns and not table.duplicated(repeated).any()):
        got = f"columns {', '.join(map(str, table.columns))}"
        raise InputError("Which columns are the systems?", param="systems", got=got, fix=SYSTEMS)
    item, score = asked.item or shared_item(table, by) or "id", asked.score or "score"
    words = score in columns and asked.truth is None and any(isinstance(value, str) for value in table[score])
    if columns.issuperset([item, by, score]) and len(names) < 2 and not words:
        return GivenTable(table, item, by, asked.run or run_column(table, [item, by]), score)
    return _of_logs(table, names if len(names) > 1 else (), replace(asked, system=by))


def _judged(table: pd.DataFrame, names: Sequence[str], asked: AskedOfLogs) -> GivenTable:
    """Two systems of which a judge said for each item whose answer is better: 1 to the winner, ½ to both in a tie. Where
    an item was judged again, as in the other order, its points are averaged."""
    pairs = table[["model_a", "model_b"]].astype(str)
    known = list(dict.fromkeys(pairs.to_numpy().T.ravel()))
    names = names or known
    if len(names) != 2 or not {*names} <= {*known}:
        problem, got = "Answers judged in pairs compare two systems at a time", ", ".join(names)
        raise InputError(problem, param="systems", got=got, fix=f"Name two of {', '.join(known)}")
    between = pairs.isin(list(names)).all(axis=1) & (pairs["model_a"] != pairs["model_b"])
    table = table[between].reset_index(drop=True)
    first = np.array([_points(*row) for row in table[JUDGED].astype(object).itertuples(index=False)])
    points = np.where(table["model_a"].astype(str) == names[0], first, 1 - first)
    item = asked.item or item_column(table)
    ids = pd.Series(range(len(table))) if item is None else column_of(table, item, "item")
    others = table[[c for c in table.columns if c not in (*JUDGED, "id", *names)]]
    out = others.assign(**{"id": ids, names[0]: points, names[1]: 1 - points})
    again = None
    if ids.duplicated().any():
        again = "judged again"
        out[again] = out.groupby("id").cumcount()
    won, lost, tied = (int((points == p).sum()) for p in (1.0, 0.0, 0.5))
    note = Note("judged-in-pairs", won=won, lost=lost, tied=tied)
    return GivenTable(out, "id", names, again, notes=(note,), judged=True)


def _points(first: object, second: object, won: object) -> float:
    """Of the first of two answers; NaN where the judge gave no answer."""
    if not isinstance(won, str) and pd.isna(won):
        return np.nan
    said, points = str(won).strip(), {**POINTS, str(second): 0.0, str(first): 1.0}
    for word in (said, said.casefold(), *re.findall("^[a-z]+", said.casefold())):
        if word in points:
            return points[word]
    fix = "Write model_a, model_b, the name of a model, or tie"
    raise InputError("A winner is neither of the two models, nor a tie", param="score", got=repr(won), fix=fix)


def names_of(systems: str | Sequence[str] | None, columns: Mapping[str, object]) -> list[str]:
    """The names of systems that were given; an error where `columns` are not names."""
    if systems is not None and not is_iterable(systems):
        raise InputError("systems must name columns", param="systems", got=repr(systems), fix=SYSTEMS)
    for param, column in columns.items():
        if not isinstance(column, str) and is_iterable(column):
            got, fix = type(column).__name__, "Put the values into a column of the table and pass its name"
            raise InputError(f"{param} must name a column", param=param, got=got, fix=fix)
    if isinstance(systems, str):
        return [systems]
    return [] if systems is None else list(systems)
