"""One SQLite file that keeps finished work, of one recipe: what the numbers depend on.

Whatever is killed when, the file holds whole blocks; several processes may use it at a time. It holds numbers and
texts, and nothing in it is ever executed.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from textwrap import shorten
from typing import Any, ClassVar

from trueness.checks import path_of
from trueness.errors import InputError, TruenessError
from trueness.result.shown import Page, Table
from trueness.typing import Record

WAIT = 60.0  # seconds for another process that is writing


class StoreFile:
    """A file with tables of its own, created where it is missing, and a recipe: what the numbers depend on. A file with
    another recipe is refused.
    """

    tables: ClassVar[str]
    refused: ClassVar[str]  # what a file with another recipe holds

    def __init__(self, path: str | Path, recipe: Mapping[str, object]) -> None:
        self.path = checked(path)
        text = json.dumps(dict(recipe), sort_keys=True, default=str)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unusable(self.path, error) from None
        _check_kind(self.path)
        with self.opened() as file:
            _tables(file, self.path)
            file.execute("create table if not exists recipe (text text not null)")
            for table in self.tables.split(";"):
                file.execute(table)
            file.execute("insert into recipe select ? where not exists (select * from recipe)", (text,))
            known = file.execute("select text from recipe").fetchone()[0]
        if known != text:
            raise InputError(
                self.refused,
                param="store",
                got=first_difference(_recipe(self.path, known), json.loads(text)),
                fix="Pass another file, or delete this one",
            )

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """One transaction that writes all or nothing."""
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)) as file:
                if file.execute("pragma journal_mode").fetchone()[0] != "wal":
                    file.execute("pragma journal_mode = wal")
                file.execute("pragma synchronous = normal")
                file.execute("begin immediate")
                yield file
                file.execute("commit")
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes bytes of a damaged file
            raise _unusable(self.path, error) from None


@contextmanager
def reading(path: str | Path) -> Iterator[sqlite3.Connection]:
    """A store that exists, to be read."""
    path = checked(path)
    if not path.is_file():
        raise InputError("There is no such store", param="store", got=str(path))
    _check_kind(path)
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=WAIT)) as file:
            _tables(file, path)
            yield file
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise _unusable(path, error) from None


def recipe_of(path: str | Path) -> Mapping[str, Any]:
    """The recipe of a store; empty where the file does not exist, or its process was killed before it wrote any."""
    if not checked(path).exists():
        return {}
    with reading(path) as file:
        found = file.execute("select text from recipe").fetchone() if _tables(file, path) else None
    return {} if found is None else _recipe(path, found[0])


def _recipe(path: str | Path, text: str) -> Record:
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(path, error) from None


def checked(path: object) -> Path:
    """The path of a store; an error where it is none, or a folder or a device."""
    found = path_of("store", path)
    if found.exists() and not found.is_file():
        kind = "a folder" if found.is_dir() else "no ordinary file"
        raise InputError(f"store is {kind}", param="store", got=str(path), fix="Name a file, which may be new")
    return found


def checksum(*cells: object) -> bytes:
    """By which a block is known to be what was written: SQLite does not notice a changed byte."""
    hashes = [hashlib.blake2b(cell if isinstance(cell, bytes) else repr(cell).encode()).digest() for cell in cells]
    return hashlib.blake2b(b"".join(hashes), digest_size=16).digest()


def ranges(path: str | Path, rows: Iterable[tuple[int, int]]) -> list[range]:
    """Rows of start and stop."""
    try:
        return [range(*row) for row in rows]
    except TypeError as error:
        raise damaged(path, error) from None


def damaged(path: str | Path, reason: object) -> InputError:
    """The error where a store does not hold what trueness wrote."""
    fix = "Take a copy of the file from before, or delete it and run again"
    return InputError("The store is damaged", param="store", got=str(path), reason=str(reason), fix=fix)


def _check_kind(path: Path) -> None:
    """An error where a file holds something else; SQLite would write into a very short one."""
    try:
        with path.open("rb") as file:
            begin = file.read(16)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unusable(path, error) from None
    if begin and begin != b"SQLite format 3\0":
        raise _no_store(path)


def _tables(file: sqlite3.Connection, path: str | Path) -> set[str]:
    """Their names; an error where the file has some, but no recipe."""
    found = {name for (name,) in file.execute("select name from sqlite_master where type = 'table'")}
    if found and "recipe" not in found:
        raise _no_store(path)
    return found


def _no_store(path: str | Path) -> InputError:
    return InputError("The file is not a store of trueness", param="store", got=str(path), fix="Pass another file")


def _unusable(path: Path, error: Exception) -> TruenessError:
    code = getattr(error, "sqlite_errorcode", None)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or isinstance(error, UnicodeDecodeError):
        return damaged(path, error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return InputError(
            "Another program has locked the store",
            param="store",
            got=str(path),
            fix="Run again when it has ended; finished work is kept",
        )
    return InputError(
        "The store cannot be read or written",
        param="store",
        got=f"{path}: {error}",
        fix="Check the file and the space left on the disk; finished work is kept",
    )


def first_difference(known: Mapping[str, object], asked: Mapping[str, object]) -> str:
    """The first thing in which two recipes differ."""
    for key in sorted(set(known) | set(asked)):
        ours, theirs = known.get(key), asked.get(key)
        if ours == theirs:
            continue
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
            return first_difference(ours, theirs)
        return f"{key} {in_words(ours)} in the store, {in_words(theirs)} asked for"
    return "another recipe"


def in_words(value: object) -> str:
    """A value of a recipe: a seed is kept as its entropy and spawn key, and known by its number."""
    match value:
        case str():
            return value
        case [[int(number)], []]:
            return str(number)
    return "none" if value is None else json.dumps(value, ensure_ascii=False)


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
