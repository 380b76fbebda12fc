"""What a store holds, as a table: runs of assess, or trials of a study."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from textwrap import shorten

from trueness.fitting.store_file import damaged, in_words, reading, recipe_of
from trueness.result.table import Page, Table

MODEL_WIDTH = 40  # characters of a model's description


def contents(path: str | Path) -> Page:
    """The runs in a store, how much of each is done, and what their numbers depend on."""
    recipe = dict(recipe_of(path))
    with reading(path) as file:
        tables = {name for (name,) in file.execute("select name from sqlite_master where type = 'table'")}
        try:
            table = _runs(file) if "runs" in tables else _trials(file) if "chunks" in tables else Table((), ())
        except (ValueError, TypeError) as error:
            raise damaged(path, error) from None
    if not table.rows:
        return Page(title=str(path), answer="No fits are stored. Models with a closed form are not kept.")
    versions = ", ".join(f"{name} {version}" for name, version in recipe.pop("versions", {}).items())
    about = [f"{name}: {in_words(value)}" for name, value in recipe.items()]
    return Page(title=str(path), tables=(table,), footer="\n".join([*about, f"versions: {versions}"]))


def _runs(file: sqlite3.Connection) -> Table:
    rows = []
    for run, model, plan, fits, begun in file.execute("select run, model, plan, fits, begun from runs order by run"):
        done: set[int] = set()
        failed: set[int] = set()
        for start, stop, answers in file.execute("select start, stop, answers from blocks where run = ?", (run,)):
            done.update(range(start, stop))
            failed.update(start + k for k, (_, error, _) in enumerate(json.loads(answers)) if error)
        rows.append(
            (
                str(run),
                shorten(model, MODEL_WIDTH, placeholder="…"),
                plan,
                f"{len(done)} of {fits}",
                str(len(failed)),
                begun,
            )
        )
    return Table.of(("run", "model", "plan", "fits done", "failed", "begun"), rows)


def _trials(file: sqlite3.Connection) -> Table:
    asked = "select cell, sum(stop - start) from chunks group by cell order by cell"
    return Table.of(("cell", "trials done"), [(cell, str(done)) for cell, done in file.execute(asked)])
