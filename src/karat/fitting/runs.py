"""What a store holds, as a table: runs of assess, or trials of a study."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from karat.fitting.store_file import reading
from karat.result.table import Page, Table


def contents(path: str | Path) -> Page:
    """The runs in a store, how much of each is done, and what their numbers depend on."""
    with reading(path) as file:
        found = file.execute("select text from recipe").fetchone()
        kinds = file.execute("select name from sqlite_master where name = 'runs'").fetchall()
        table = _runs(file) if kinds else _trials(file)
    recipe = json.loads(found[0]) if found else {}
    versions = ", ".join(f"{name} {version}" for name, version in recipe.pop("versions", {}).items())
    about = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in recipe.items()]
    return Page(title=str(path), tables=(table,), footer="\n".join([*about, f"versions: {versions}"]))


def _runs(file: sqlite3.Connection) -> Table:
    rows = []
    for run, model, plan, fits, begun in file.execute("select run, model, plan, fits, begun from runs order by run"):
        done: set[int] = set()
        failed: set[int] = set()
        for start, stop, answers in file.execute("select start, stop, answers from blocks where run = ?", (run,)):
            done.update(range(start, stop))
            failed.update(start + k for k, (_, error, _) in enumerate(json.loads(answers)) if error)
        rows.append((str(run), model, plan, f"{len(done)} of {fits}", str(len(failed)), begun))
    return Table.of(("run", "model", "plan", "fits done", "failed", "begun"), rows)


def _trials(file: sqlite3.Connection) -> Table:
    asked = "select cell, sum(stop - start) from chunks group by cell order by cell"
    return Table.of(("cell", "trials done"), [(cell, str(done)) for cell, done in file.execute(asked)])
