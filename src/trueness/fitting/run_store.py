"""The fits done so far, in one SQLite file: a run that was killed goes on where it stopped, to the same bits."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from sklearn import get_config

from trueness.errors import InputError
from trueness.fitting.answer_table import Answer
from trueness.fitting.described import described, libraries, versions
from trueness.fitting.store_file import StoreFile, checksum, damaged, ranges, reading, recipe_of
from trueness.sample.design import Design
from trueness.sample.sample import Sample
from trueness.typing import Array

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
        scores blob, predictions blob, checksum blob not null, primary key (run, start, stop)
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

    def run(self, model: object, design: Design, scores: str) -> StoredRun:
        """What is stored of one model, told apart by class and parameters, on one part of the design with these
        scores.
        """
        fingerprint = _hash([described(model), _plain(design.seed), design.kind, scores])
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self.opened() as file:
            file.execute(
                "insert into runs (fingerprint, model, plan, fits, begun) values (?, ?, ?, ?, ?)"
                " on conflict (fingerprint) do update set plan = excluded.plan, fits = excluded.fits"
                " where excluded.fits > fits",
                (fingerprint, " ".join(repr(model).split()), str(design.plan), design.n_fits, now),
            )
            number = file.execute("select run from runs where fingerprint = ?", (fingerprint,)).fetchone()[0]
        return StoredRun(self, number, design)


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
            known = ranges(self.file.path, file.execute(asked, (self.number,)))
        reached = 0
        for block in known:
            fits = range(max(block.start, reached), min(block.stop, self.design.n_fits))
            if fits:
                answers = self._block(block)
                yield fits, answers[fits.start - block.start : fits.stop - block.start]
                reached = fits.stop

    def _block(self, block: range) -> list[Answer]:
        with reading(self.file.path) as file:
            *row, written = file.execute(
                "select run, start, stop, sets, answers, scores, predictions, checksum from blocks"
                " where run = ? and start = ? and stop = ?",
                (self.number, block.start, block.stop),
            ).fetchone()
        if checksum(*row) != written:
            raise damaged(self.file.path, f"fits {block.start} to {block.stop - 1} are not as they were written")
        sets, answers, *blobs = row[3:]
        if not sets.startswith(_digests(self.design, block)):
            raise InputError(
                "The store holds fits of another plan",
                param="store",
                got=f"{self.design.plan} asked for, and training sets {block.start} to {block.stop - 1} differ",
                fix="Pass another file, or delete this one",
            )
        try:
            arrays = (None if blob is None else np.load(io.BytesIO(blob), allow_pickle=False) for blob in blobs)
            return _unpacked(json.loads(answers), *arrays)
        except (
            ValueError,
            TypeError,
            EOFError,
            MemoryError,
            OverflowError,
        ) as error:  # also of sizes that a header claims
            raise damaged(self.file.path, error) from None

    def put(self, fits: range, answers: Sequence[Answer]) -> None:
        """Keep a block, whole or not at all."""
        row = (self.number, fits.start, fits.stop, _digests(self.design, fits), *_packed(answers))
        with self.file.opened() as file:
            file.execute("insert or ignore into blocks values (?, ?, ?, ?, ?, ?, ?, ?)", (*row, checksum(*row)))


def _digests(design: Design, fits: range) -> bytes:
    """A hash of each training set; of those that the design has."""
    rows = np.asarray(design.rows(slice(fits.start, fits.stop)), dtype=np.uint32)
    return b"".join(hashlib.blake2b(row.tobytes(), digest_size=DIGEST).digest() for row in rows)


def _packed(answers: Sequence[Answer]) -> tuple[str, bytes | None, bytes | None]:
    """Number of answers, error and warning of each fit; all scores in one array, and all predictions."""
    said = [answer.scores if answer.predictions is None else answer.predictions for answer in answers]
    sizes = [0 if values is None else len(values) for values in said]
    about = [[size, answer.error, answer.warned] for size, answer in zip(sizes, answers, strict=True)]
    scores = [answer.scores for answer in answers if answer.scores is not None]
    predictions = [answer.predictions for answer in answers if answer.predictions is not None]
    return json.dumps(about), _bytes(scores), _bytes(predictions)


def _unpacked(about: list[tuple[int, str, str]], scores: Array | None, predictions: Array | None) -> list[Answer]:
    ends, nothing = np.cumsum([size for size, _, _ in about]).tolist(), scores is None and predictions is None

    def part(table: Array | None, end: int, size: int) -> Array | None:
        return None if table is None else table[end - size : end]

    return [
        Answer(None, None, error, warned)
        if error or nothing
        else Answer(part(scores, end, size), part(predictions, end, size), warned=warned)
        for end, (size, error, warned) in zip(ends, about, strict=True)
    ]


def _bytes(arrays: Sequence[Array]) -> bytes | None:
    if not arrays:
        return None
    out = io.BytesIO()
    np.save(out, np.concatenate(arrays), allow_pickle=False)
    return out.getvalue()


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
