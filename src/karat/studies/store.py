"""The trials done so far, in one SQLite file: an interrupted study goes on where it stopped, to the same bits."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from karat.errors import InputError

_TABLES = """
create table if not exists recipe (text text not null);
create table if not exists chunks (
    cell text not null, start integer not null, stop integer not null, columns text not null, numbers blob not null,
    primary key (cell, start, stop)
);
"""


class TrialStore:
    """Chunks of trials by cell and range; float64 as they are, so nothing is lost in writing.

    Parameters
    ----------
    path
        The file; made where it is missing.
    recipe
        What the trials depend on (study, seed, options, versions). A file with another recipe is refused.
    """

    def __init__(self, path: str | Path, recipe: Mapping[str, Any]) -> None:
        self.path = Path(path)
        text = json.dumps(dict(recipe), sort_keys=True, default=str)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path)) as file:
                file.executescript(_TABLES)
                known = file.execute("select text from recipe").fetchone()
                if known is None:
                    file.execute("insert into recipe values (?)", (text,))
                    file.commit()
        except (sqlite3.Error, OSError) as error:
            raise InputError("the store cannot be opened", got=f"{path}: {error}", fix="Give another file") from None
        if known is not None and known[0] != text:
            raise InputError(
                "this store holds the trials of another study, seed, option or version",
                got=_first_difference(json.loads(known[0]), json.loads(text)),
                fix="Give another file, or delete this one",
            )

    def get(self, cell: str, start: int, stop: int) -> tuple[list[str], np.ndarray] | None:
        """Column names and numbers (stop − start, columns), or None where they are not there yet."""
        with closing(sqlite3.connect(self.path)) as file:
            found = file.execute(
                "select columns, numbers from chunks where cell = ? and start = ? and stop = ?", (cell, start, stop)
            ).fetchone()
        if found is None:
            return None
        columns = json.loads(found[0])
        return columns, np.frombuffer(found[1], dtype=np.float64).reshape(stop - start, len(columns))

    def put(self, cell: str, start: int, stop: int, columns: list[str], numbers: np.ndarray) -> None:
        """Keep a chunk, whole or not at all."""
        blob = np.ascontiguousarray(numbers, dtype=np.float64).tobytes()
        with closing(sqlite3.connect(self.path)) as file, file:
            file.execute(
                "insert or replace into chunks values (?, ?, ?, ?, ?)", (cell, start, stop, json.dumps(columns), blob)
            )


def _first_difference(known: dict[str, Any], asked: dict[str, Any]) -> str:
    for key in sorted(set(known) | set(asked)):
        if known.get(key) != asked.get(key):
            return f"{key} {known.get(key)!r} in the store, {asked.get(key)!r} asked for"
    return "another recipe"
