"""The trials done so far, in one SQLite file: an interrupted study continues where it stopped, to the same bits."""

import json

import numpy as np

from trueness.fitting.store import StoreFile, checksum, reading, unusable
from trueness.typing import Floats


class TrialStore(StoreFile):
    """Chunks of trials by cell and range, as float64 without rounding."""

    refused = "The store holds trials of another study, seed, option or version"
    tables = """
    create table if not exists chunks (
        cell text not null, start integer not null, stop integer not null, columns text not null, numbers blob not null,
        checksum blob not null, primary key (cell, start, stop)
    )
    """

    def get(self, cell: str, start: int, stop: int) -> tuple[list[str], Floats] | None:
        """Column names and numbers (stop − start, columns); None where they are missing."""
        with reading(self.path) as file:
            found = file.execute(
                "select columns, numbers, checksum from chunks where cell = ? and start = ? and stop = ?",
                (cell, start, stop),
            ).fetchone()
        if found is None:
            return None
        if checksum(cell, start, stop, *found[:2]) != found[2]:
            raise unusable(self.path, f"trials {start} to {stop - 1} of {cell} are not as they were written")
        columns = json.loads(found[0])
        return columns, np.frombuffer(found[1], dtype=np.float64).reshape(stop - start, len(columns))

    def put(self, cell: str, start: int, stop: int, columns: list[str], numbers: Floats) -> None:
        """Keep a chunk, whole or not at all."""
        blob = np.ascontiguousarray(numbers, dtype=np.float64).tobytes()
        row = (cell, start, stop, json.dumps(columns), blob)
        with self.opened() as file:
            file.execute("insert or replace into chunks values (?, ?, ?, ?, ?, ?)", (*row, checksum(*row)))
