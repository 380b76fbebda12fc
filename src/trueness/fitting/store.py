"""The fits done so far, in one SQLite file: a run that was killed goes on where it stopped, to the same bits.

The file is of one recipe, what the numbers depend on. Whatever is killed when, it holds whole blocks; several processes may
use it at a time. It holds numbers and texts, and nothing in it is ever executed.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import shorten
from typing import Any, ClassVar

import numpy as np
from sklearn import get_config

from trueness.checks import path_of
from trueness.errors import InputError, TruenessError
from trueness.fitting.described import described, libraries, versions
from trueness.result.shown import Page, Table
from trueness.sample.asked import Answer
from trueness.sample.design import Design
from trueness.sample.sample import Sample
from trueness.typing import Array, Record

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
        known, asked = recipe_of(self.path), json.loads(text)
        if not known:
            with self.opened() as file:
                file.execute("create table if not exists recipe (text text not null)")
                for table in self.tables.split(";"):
                    file.execute(table)
                file.execute("insert into recipe select ? where not exists (select * from recipe)", (text,))
            known = recipe_of(self.path)
        if known != asked:
            raise InputError(
                self.refused,
                param="store",
                got=first_difference(known, asked),
                fix="Pass another file, or delete this one",
            )

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """One transaction that writes all or nothing."""
        with _usable(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)) as file:
                if file.execute("pragma journal_mode").fetchone()[0] != "wal":
                    file.execute("pragma journal_mode = wal")
                file.execute("pragma synchronous = normal")
                file.execute("begin immediate")
                yield file
                file.execute("commit")


@contextmanager
def reading(path: str | Path) -> Iterator[sqlite3.Connection]:
    """A store that exists, to be read."""
    known = checked(path)
    if not known.exists():
        raise InputError("There is no such store", param="store", got=str(path))
    still = not (os.access(known.parent, os.W_OK) or known.with_name(f"{known.name}-wal").exists())
    uri = f"{known.absolute().as_uri()}?mode=rw&immutable={still:d}"  # a changing one has files beside it
    with _usable(known), closing(sqlite3.connect(uri, uri=True, timeout=WAIT)) as file:
        _tables(file, known)
        yield file


def recipe_of(path: str | Path) -> Mapping[str, Any]:
    """The recipe of a store; empty where the file does not exist, or its process was killed before it wrote any."""
    if checked(path).exists():
        with reading(path) as file:
            if _tables(file, Path(path)):
                return dict(json.loads(file.execute("select text from recipe").fetchone()[0]))
    return {}


def checked(path: object) -> Path:
    """The path of a store, which need not exist; an error where it holds something else. SQLite would write into a very
    short file."""
    found = path_of("store", path)
    if found.exists():
        with _usable(found), found.open("rb") as file:
            if file.read(16) not in (b"", b"SQLite format 3\0"):
                raise _no_store(found)
    return found


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    """Within it, what SQLite and damaged contents raise is an error about the store."""
    try:
        yield
    except TruenessError:
        raise
    except (sqlite3.Error, OSError, ValueError, TypeError, EOFError, MemoryError, OverflowError) as error:
        raise unusable(path, error) from None


def unusable(path: str | Path, reason: object) -> InputError:
    """The error where a store is locked, damaged or cannot be written."""
    fix = "Pass another file, or a copy of this one; finished work is kept"
    return InputError("The store cannot be used", param="store", got=str(path), reason=str(reason), fix=fix)


def _tables(file: sqlite3.Connection, path: Path) -> set[str]:
    """Their names; an error where the file has some, but no recipe."""
    found = {name for (name,) in file.execute("select name from sqlite_master where type = 'table'")}
    if found and "recipe" not in found:
        raise _no_store(path)
    return found


def _no_store(path: Path) -> InputError:
    return InputError("The file is not a store of trueness", param="store", got=str(path), fix="Pass another file")


def checksum(*cells: object) -> bytes:
    """By which a block is known to be what was written: SQLite does not notice a changed byte."""
    hashes = [hashlib.blake2b(cell if isinstance(cell, bytes) else repr(cell).encode()).digest() for cell in cells]
    return hashlib.blake2b(b"".join(hashes), digest_size=16).digest()


def first_difference(known: Mapping[str, object], asked: Mapping[str, object]) -> str:
    """The first thing in which two recipes differ."""
    key = next((key for key in sorted({*known, *asked}) if known.get(key) != asked.get(key)), "recipe")
    ours, theirs = known.get(key), asked.get(key)
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return first_difference(ours, theirs)
    return f"{key} {in_words(ours)} in the store, {in_words(theirs)} asked for"


def in_words(value: object) -> str:
    """A value of a recipe: a seed is kept as its entropy and spawn key, and known by its number."""
    match value:
        case [[int(number)], []]:
            return str(number)
    return str(value)


def contents(path: str | Path) -> Page:
    """The runs in a store, how much of each is done, and what their numbers depend on."""
    recipe = dict(recipe_of(path))
    table = Table((), ())
    with reading(path) as file:
        tables = _tables(file, Path(path))
        if "runs" in tables:
            table = _runs(file)
        elif "chunks" in tables:
            asked = "select cell, sum(stop - start) from chunks group by cell order by cell"
            table = Table(("cell", "trials done"), [(cell, str(done)) for cell, done in file.execute(asked)])
    about = [f"{name}: {in_words(value)}" for name, value in recipe.items()]
    return Page(title=str(path), tables=(table,), footer="\n".join(about))


def _runs(file: sqlite3.Connection) -> Table:
    rows = []
    for run, model, plan, fits, begun in file.execute("select run, model, plan, fits, begun from runs order by run"):
        done: set[int] = set()
        failed: set[int] = set()
        for start, stop, answers in file.execute("select start, stop, answers from blocks where run = ?", (run,)):
            done.update(range(start, stop))
            failed.update(start + k for k, (error, _) in enumerate(json.loads(answers)) if error)
        rows.append(
            (str(run), shorten(model, 40, placeholder="…"), plan, f"{len(done)} of {fits}", str(len(failed)), begun)
        )
    return Table(("run", "model", "plan", "fits done", "failed", "begun"), rows)


DIGEST = 8  # bytes that tell one training set from another


class RunStore(StoreFile):
    """Fits of one or several models on one design, or on longer ones that begin with it; created where it is missing.

    Fits of other cases, of another seed or of another kind of design are refused; training sets are compared one by
    one.
    """

    refused = "The store holds fits of other data, another plan or seed, or other versions of libraries"
    tables = """
    create table if not exists runs (
        run integer primary key, fingerprint text not null unique, model text not null, plan text not null,
        fits integer not null, begun text not null
    );
    create table if not exists blocks (
        run integer not null, start integer not null, stop integer not null, sets blob not null, answers text not null,
        numbers blob not null, checksum blob not null, primary key (run, start, stop)
    )
    """

    def __init__(self, path: str | Path, sample: Sample, design: Design) -> None:
        labels = [sample.codes, sample.classes, sample.positive, sample.groups]
        truths = () if sample.numbers is None else (sample.numbers,)
        recipe = {
            "cases": sample.cases_and_groups,
            "labels": f"fingerprint {_hash(described([*labels, *truths]))}",
            "features": f"fingerprint {_hash(described(sample.X))}",
            "plan": design.kind,
            "seed": _plain(design.seed),
            "set_output": str(get_config()["transform_output"]),
            "versions": versions() | libraries(),
        }
        super().__init__(path, recipe)

    def run(self, model: object, design: Design, scores: str, labels: Array | None = None) -> StoredRun:
        """What is stored of one model, told apart by class and parameters, on one part of the design with these
        scores, trained with these `labels` in place of those of y.
        """
        encoded = [] if labels is None else [labels.tolist()]
        fingerprint = _hash([described(model), _plain(design.seed), design.kind, scores, *encoded])
        with reading(self.path) as file:
            for (number,) in file.execute(
                "select run from runs where fingerprint = ? and fits >= ?", (fingerprint, design.n_fits)
            ):
                return StoredRun(self, number, design)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self.opened() as file:
            file.execute(
                "insert into runs (fingerprint, model, plan, fits, begun) values (?, ?, ?, ?, ?)"
                " on conflict (fingerprint) do update set plan = excluded.plan, fits = excluded.fits"
                " where excluded.fits > fits",
                (fingerprint, " ".join(repr(model).split()), str(design.plan), design.n_fits, now),
            )
        return self.run(model, design, scores, labels)


@dataclass(frozen=True)
class StoredRun:
    """The blocks of one run."""

    file: RunStore
    number: int
    design: Design

    def finished(self) -> Iterator[tuple[range, list[Answer]]]:
        """Blocks of fits in their order, each fit once; an error where their training sets are not the design's."""
        with reading(self.file.path) as file:
            asked = "select start, stop from blocks where run = ? order by start, stop"
            known = [range(*row) for row in file.execute(asked, (self.number,))]
        reached = 0
        for block in known:
            fits = range(max(block.start, reached), min(block.stop, self.design.n_fits))
            if fits:
                answers = self._block(block)
                yield fits, answers[fits.start - block.start : fits.stop - block.start]
                reached = fits.stop

    def _block(self, block: range) -> list[Answer]:
        with reading(self.file.path) as file:
            asked = "select * from blocks where run = ? and start = ? and stop = ?"
            *row, written = file.execute(asked, (self.number, block.start, block.stop)).fetchone()
            if checksum(*row) != written:
                raise unusable(self.file.path, f"fits {block.start} to {block.stop - 1} are not as they were written")
            sets, answers, numbers = row[3:]
            if not sets.startswith(_digests(self.design, block)):
                raise InputError(
                    "The store holds fits of another plan",
                    param="store",
                    got=f"{self.design.plan} asked for, and training sets {block.start} to {block.stop - 1} differ",
                    fix="Pass another file, or delete this one",
                )
            with np.load(io.BytesIO(numbers), allow_pickle=False) as known:
                return [
                    Answer(known.get(f"scores{k}"), known.get(f"predictions{k}"), error, warned)
                    for k, (error, warned) in enumerate(json.loads(answers))
                ]

    def put(self, fits: range, answers: Sequence[Answer]) -> None:
        """Keep a block, whole or not at all."""
        said: Record = {f"scores{k}": answer.scores for k, answer in enumerate(answers)}
        said |= {f"predictions{k}": answer.predictions for k, answer in enumerate(answers)}
        np.savez(numbers := io.BytesIO(), **{name: values for name, values in said.items() if values is not None})
        troubles = json.dumps([[answer.error, answer.warned] for answer in answers])
        row = (self.number, fits.start, fits.stop, _digests(self.design, fits), troubles, numbers.getvalue())
        with self.file.opened() as file:
            file.execute("insert or ignore into blocks values (?, ?, ?, ?, ?, ?, ?)", (*row, checksum(*row)))


def _digests(design: Design, fits: range) -> bytes:
    """A hash of each training set; of those that the design has."""
    rows = np.asarray(design.rows(slice(fits.start, fits.stop)), dtype=np.uint32)
    return b"".join(hashlib.blake2b(row.tobytes(), digest_size=DIGEST).digest() for row in rows)


def _hash(thing: object) -> str:
    return hashlib.sha256(json.dumps(thing, sort_keys=True).encode()).hexdigest()[:16]


def _plain(seed: np.random.SeedSequence) -> list[list[int]]:
    """Entropy and spawn key."""
    return [np.atleast_1d(np.asarray(seed.entropy, dtype=object)).tolist(), list(seed.spawn_key)]


def stored_seed(path: str | Path | None) -> np.random.SeedSequence | None:
    """The seed of the runs in a store, so that a run without a seed goes on; None where there is none."""
    seed = None if path is None else recipe_of(path).get("seed")
    if not isinstance(seed, list):  # a study keeps a text
        return None
    entropy, spawn_key = seed
    return np.random.SeedSequence(entropy[0] if len(entropy) == 1 else entropy, spawn_key=spawn_key)
