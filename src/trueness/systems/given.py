"""What is compared: a wide table, a long one, answers judged in pairs, or logs, told apart by their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from trueness.checks import is_iterable
from trueness.errors import InputError
from trueness.result.notes import Note
from trueness.sample.frame import as_pandas, column_of
from trueness.systems.evals import (
    RUNS,
    SEEDS,
    Log,
    Source,
    is_grade,
    item_column,
    read_evals,
    read_log,
    run_column,
    shared_item,
    system_column,
)
from trueness.systems.items import SCORES

Sources: TypeAlias = "Source | Mapping[str, Source | Sequence[str | Path]] | Sequence[str | Path]"

JUDGED = ("model_a", "model_b", "winner")  # columns of answers that a judge compared, as Chatbot Arena names them
FIRST, SECOND = ("model_a", "a", "1", "first", "left"), ("model_b", "b", "2", "second", "right")


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


@dataclass(frozen=True)
class Asked:
    """The columns that were named."""

    item: str | None
    systems: str | Sequence[str] | None
    truth: str | None
    cluster: str | None
    run: str | None
    score: str | None
    filter: str | None

    def __post_init__(self) -> None:
        if self.systems is not None and not is_iterable(self.systems):
            fix = "Pass one column per system as a list, or the column that names the system"
            raise InputError("systems must name columns", param="systems", got=repr(self.systems), fix=fix)
        for param in ("item", "truth", "cluster", "run", "score"):
            column = getattr(self, param)
            if not isinstance(column, str) and is_iterable(column):
                got, fix = type(column).__name__, "Put the values into a column of the table and pass its name"
                raise InputError(f"{param} must name a column", param=param, got=got, fix=fix)

    @property
    def names(self) -> list[str]:
        """What was named as systems."""
        return [] if self.systems is None else [self.systems] if isinstance(self.systems, str) else list(self.systems)


def given_of(source: object, more: Sequence[str | Path], asked: Asked) -> GivenTable:
    """The table that `compare` is given, or that its files hold."""
    if not isinstance(source, (str, Path, Mapping, list, tuple)):
        if more:
            got, fix = type(source).__name__, "Pass paths only, or one table"
            raise InputError("Only files can be given several at a time", param="frame", got=got, fix=fix)
        return _of_table(as_pandas(source), asked)
    sources = list(source) if isinstance(source, (list, tuple)) else source
    if isinstance(sources, list) and not all(isinstance(each, (str, Path)) for each in sources):
        raise InputError("frame must be a DataFrame, or paths of tables or logs", param="frame", got="list")
    if more:
        sources = [*(sources if isinstance(sources, list) else [sources]), *more]
    if isinstance(sources, list) and len(sources) == 1:
        sources = sources[0]
    if isinstance(sources, (str, Path)) and not Path(sources).is_dir():
        table = read_log(sources)
        if Log.of("", table).kind == "plain":
            return _of_table(table, asked, sources)
    return _of_logs(sources, asked)


def _of_logs(sources: object, asked: Asked) -> GivenTable:
    """From logs that were named, of which several may be tasks of one system."""
    names = asked.names
    several = isinstance(sources, list)
    table = read_evals(
        _by_name(sources, names) if isinstance(sources, list) and names else sources,
        score=asked.score,
        filter=asked.filter,
        item=asked.item,
        run=asked.run,
        truth=asked.truth,
    )
    if names and not several:
        table = _only(table, names)
    if table["system"].nunique() < 2:
        got = str(sources) if isinstance(sources, (str, Path)) else f"{table['system'].iloc[0]} only"
        fix = "Give one file per system, or systems= with the column that names the system"
        raise InputError("A comparison needs at least two systems", param="frame", got=got, fix=fix)
    return GivenTable(table, "id", "system", "run" if "run" in table else None)


def _by_name(files: list[str | Path], names: Sequence[str]) -> dict[str, list[str | Path]]:
    """The files of each system; a name that is given again has several tasks."""
    if len(names) != len(files):
        raise InputError(
            "Give one name per file, or none; a name given again has several tasks",
            param="systems",
            got=f"{len(names)} names for {len(files)} files",
        )
    of: dict[str, list[str | Path]] = {}
    for name, file in zip(names, files, strict=True):
        of.setdefault(name, []).append(file)
    return of


def _of_table(table: pd.DataFrame, asked: Asked, path: str | Path | None = None) -> GivenTable:
    """From one table; `path` where it was read from a file."""
    if Log.of("", table).kind != "plain":  # a frame of inspect_ai
        return _of_logs(table, asked)
    if set(JUDGED) <= set(table.columns) and (asked.systems is None or not set(asked.names) & set(table.columns)):
        return _judged(table, asked)
    if asked.filter is not None:
        raise InputError("Only logs of lm-evaluation-harness have filters", param="filter", got=repr(asked.filter))
    if _is_wide(table, asked):
        item = asked.item or item_column(table) or "id"
        return GivenTable(table, item, asked.names, asked.run or run_column(table, [item]))
    by = asked.names[0] if len(asked.names) == 1 else None
    system, score = by or "system", asked.score or "score"
    item = asked.item or (shared_item(table, system) if system in table.columns else None) or "id"
    named = path is None and {item, system, score} <= set(table.columns) and len(asked.names) < 2
    if named and (asked.truth is not None or not any(isinstance(value, str) for value in table[score])):
        return GivenTable(table, item, system, asked.run or run_column(table, [item, system]), score)
    how = {"score": asked.score, "item": asked.item, "run": asked.run, "truth": asked.truth}
    log = read_evals(table, system=by, **how)
    log = _only(log, asked.names) if len(asked.names) > 1 else log
    return GivenTable(log, "id", "system", "run" if "run" in log else None)


def _only(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The rows of these systems."""
    known = [str(name) for name in table["system"].unique()]
    unknown = [name for name in names if name not in known]
    if unknown:
        fix = f"Systems: {', '.join(known)}"
        raise InputError("There is no such system in the log", param="systems", got=unknown[0], fix=fix)
    return table[table["system"].isin(names)]


def _is_wide(table: pd.DataFrame, asked: Asked) -> bool:
    """Whether the table has one column per system; a log has one row per answer, and a column of systems."""
    names, item, truth = asked.names, asked.item, asked.truth
    by = names[0] if len(names) == 1 and names[0] in table.columns else system_column(table)
    key = item_column(table, item) if item is None or item in table.columns else None
    parts = [c for c in (key, asked.run) if c is not None and c in table.columns]
    once = key is not None and not table.duplicated(parts).any()
    if len(names) == 1 and (once or by != names[0]):
        listed = [part.strip() for part in str(names[0]).split(",")]
        if names[0] not in table.columns and len(listed) > 1 and set(listed) <= set(table.columns):
            fix = f"Use systems={listed!r}"
            raise InputError("These are several columns in one name", param="systems", got=repr(names[0]), fix=fix)
        column_of(table, names[0], "systems")
        fix = f"Name a second one, as in {_example(table, names, key, truth)}"
        raise InputError("Only one column of a system is given", param="systems", got=names[0], fix=fix)
    if len(names) > 1:
        return by is None or any(name in table.columns for name in names)
    if by is None:
        example, usual = _example(table, [], key, truth), [c for c in table.columns if str(c).casefold() in SCORES]
        if usual and ("NAME" in example or any(repr(c) in example for c in usual)):
            problem = "These are the answers of one system; a comparison needs at least two"
            fix = "Give one file per system, or systems= with the column that names the system"
            raise InputError(problem, param="systems", got=f"columns {', '.join(map(str, table.columns))}", fix=fix)
        got = f"a table with columns {', '.join(map(str, table.columns))}"
        raise InputError("Which columns are the systems?", param="systems", got=got, fix=f"Use e.g. {example}")
    return False


def _example(table: pd.DataFrame, names: list[str], item: str | None, truth: str | None) -> str:
    """Parameters that name two systems of this table, and its item where that has no usual name."""
    rest = [str(c) for c in table.columns if c not in (item, truth, *names, *RUNS, *SEEDS)]
    grades = rest if truth is not None else [c for c in rest if is_grade(table[c]) and table[c].nunique() <= 2]
    unnamed = next((c for c in rest if table[c].is_unique), None) if item is None else None
    systems = [*names, *(c for c in grades if c not in (item, unnamed)), "NAME", "NAME"][:2]
    return " ".join([*([f"item={unnamed!r}"] if unnamed is not None else []), f"systems={systems!r}"])


def _judged(table: pd.DataFrame, asked: Asked) -> GivenTable:
    """Two systems of which a judge said for each item whose answer is better: 1 to the winner, ½ to both in a tie. Where
    an item was judged again, as in the other order, its points are averaged."""
    names = asked.names or list(dict.fromkeys(pd.concat([table["model_a"], table["model_b"]]).astype(str)))
    if len(names) != 2:
        raise InputError(
            "Answers judged in pairs compare two systems at a time",
            param="systems",
            got=", ".join(map(str, names)),
            fix=f"Use e.g. systems={[*names, 'NAME'][:2]!r}",
        )
    a, b = table["model_a"].astype(str).to_numpy(), table["model_b"].astype(str).to_numpy()
    kept = ((a == names[0]) & (b == names[1])) | ((a == names[1]) & (b == names[0]))
    if not kept.any():
        known = ", ".join(dict.fromkeys([*a, *b]))
        raise InputError(
            "No answers of these two were judged", param="systems", got=" and ".join(names), fix=f"Systems: {known}"
        )
    table, a, b = table[kept].reset_index(drop=True), a[kept], b[kept]
    first = np.array([_points(won, one, other) for won, one, other in zip(table["winner"], a, b, strict=True)])
    points = np.where(a == names[0], first, 1 - first)
    item = asked.item or item_column(table)
    ids = table[column_of(table, item, "item").name] if item is not None else pd.Series(range(len(table)))
    others = table[[c for c in table.columns if c not in (*JUDGED, "id", *names)]]
    out = others.assign(**{"id": ids, names[0]: points, names[1]: 1 - points})
    again = ids.duplicated().any()
    if again:
        out["judged again"] = out.groupby("id").cumcount()
    won, lost, tied = (int((points == p).sum()) for p in (1.0, 0.0, 0.5))
    note = Note("judged-in-pairs", won=won, lost=lost, tied=tied)
    return GivenTable(out, "id", names, "judged again" if again else None, notes=(note,), judged=True)


def _points(won: object, first: str, second: str) -> float:
    """Of the first of two answers; NaN where the judge gave no answer."""
    if not isinstance(won, str) and pd.isna(won):
        return np.nan
    said = str(won).strip()
    if said in (first, second):
        return float(said == first)
    word = said.casefold()
    if word in (*FIRST, *SECOND):
        return float(word in FIRST)
    if word.startswith(("tie", "draw", "both", "equal")):
        return 0.5
    fix = "Write model_a, model_b, the name of a model, or tie"
    raise InputError("A winner is neither of the two models, nor a tie", param="score", got=repr(won), fix=fix)
