"""What is compared: a wide table, a long one, or logs, told apart by their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pandas as pd

from trueness.checks import is_iterable
from trueness.errors import InputError
from trueness.sample.frame import as_pandas, column_of
from trueness.systems.evals import (
    AskedOfLogs,
    Source,
    is_plain,
    item_column,
    read_evals,
    read_log,
    run_column,
    system_column,
)
from trueness.systems.items import GivenTable

Sources: TypeAlias = "Source | Mapping[str, Source | Sequence[str | Path]] | Sequence[str | Path]"

SYSTEMS = "Pass systems=[...] with one column per system, or systems= with the column that names the system"


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
    """From one table: one column per system, or one row per answer."""
    columns = {*table.columns}
    if not is_plain(table):  # a frame of inspect_ai
        return _of_logs(table, names, asked)
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
    item, score = asked.item or item_column(table, by) or "id", asked.score or "score"
    words = score in columns and asked.truth is None and any(isinstance(value, str) for value in table[score])
    if columns.issuperset([item, by, score]) and len(names) < 2 and not words:
        return GivenTable(table, item, by, asked.run or run_column(table, [item, by]), score)
    return _of_logs(table, names if len(names) > 1 else (), replace(asked, system=by))


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
