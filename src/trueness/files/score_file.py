"""Labels and scores in files larger than memory, some rows at a time: counts of two labels at each distinct score.

A run is a table (v,) of `COUNTS`, the distinct scores from high to low. The merge of two runs is that of all their
cases, whatever was in which.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from trueness.checks import is_iterable, path_of
from trueness.errors import InputError
from trueness.files.table_file import NUMBER, PARQUET_FILES, check_columns, opened, parquet_file, text_blocks
from trueness.kernels.auc import COUNTS, add_equal, count_scores
from trueness.sample.labels import folded_label, label_array
from trueness.sample.rows import FileRows, Rows, empty_rows
from trueness.sample.scores import refuse_merged
from trueness.typing import Array, Bools, Floats

BLOCK_ROWS = 2**20  # of a table that is read: results must not depend on the runs that it was merged from
MERGED_ROWS = 2**22  # held at a time while runs are merged


def blocks_of(rows: Rows, size: int = BLOCK_ROWS) -> Iterator[Array]:
    """The table in blocks."""
    return (rows[start : start + size] for start in range(0, rows.shape[0], size))


def merge_runs(runs: Sequence[Rows]) -> Rows:
    """All runs together, in memory where it fits, else in a temporary file."""
    if len(runs) == 1:
        return runs[0]
    most = sum(run.shape[0] for run in runs)
    table, end = empty_rows((most,), COUNTS), 0
    for block in merged_blocks(runs):
        table[end : end + len(block)] = block
        end += len(block)
    if isinstance(table, FileRows):
        table.shape = (end,)
        return table
    return table[:end]


def merged_blocks(runs: Iterable[Rows]) -> Iterator[Array]:
    """Blocks of all runs together: of every run some rows are held, and those down to the highest of their last scores
    are complete."""
    runs = [run for run in runs if run.shape[0]]
    readers = [blocks_of(run, max(1, MERGED_ROWS // len(runs))) for run in runs]
    held = [next(reader) for reader in readers]
    while held:
        bound = max(block["score"][-1] for block in held)
        cuts = [int(np.searchsorted(-block["score"], -bound, side="right")) for block in held]
        yield add_equal(np.concatenate([block[:cut] for block, cut in zip(held, cuts, strict=True)]))
        rest = [block[cut:] for block, cut in zip(held, cuts, strict=True)]
        rest = [block if len(block) else next(reader, block) for block, reader in zip(rest, readers, strict=True)]
        readers = [reader for reader, block in zip(readers, rest, strict=True) if len(block)]
        held = [block for block in rest if len(block)]


def swapped(block: Array) -> Array:
    """The counts of the two labels exchanged."""
    out = block.copy()
    out["first"], out["second"] = block["second"], block["first"]
    return out


CHUNK_ROWS = 2**21
LARGE_BYTES, LARGE_PARQUET = 2**30, 2**28  # larger tables are read in blocks
TEXT = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
WHOLE = re.compile(r"[+-]?\d+")
BOOLEANS = {"true": True, "false": False}

Paths = str | Path | Sequence[str | Path]


class TwoLabels:
    """The labels found so far, at most two; errors name `param`. Those of files (`in_files`) that differ in case or blanks
    only count as one, spelled as the first."""

    def __init__(self, param: str, in_files: bool = False) -> None:
        self.param, self.in_files = param, in_files
        self.found: list[object] = []
        self.others: dict[str, str] = {}  # the spelling that counts, by each of the other ones

    def are_second(self, labels: Array) -> Bools:
        """(n,) whether each label is the second of the two."""
        codes, different = pd.factorize(labels)
        places = np.array([self.place(label) for label in different.tolist()])
        return np.asarray(places[codes] == 1)

    def place(self, label: object) -> int:
        """0 or 1."""
        if self.in_files and isinstance(label, str) and label not in self.found:
            for known in self.found:
                if isinstance(known, str) and folded_label(known) == folded_label(label):
                    self.others[label] = label = known
        if label not in self.found:
            self.found.append(label)
        got, texts = ", ".join(map(repr, self.found)), {isinstance(label, str) for label in self.found}
        if len(self.found) > 2:
            problem = "ROC and PR curves need exactly two classes"
            raise InputError(problem, param=self.param, got=got)
        if len(texts) == 2:
            problem = "The labels mix different types"
            raise InputError(problem, param=self.param, got=got, fix="Convert them to one type")
        return self.found.index(label)


def counts_of_files(paths: Paths, label: str, score: str) -> tuple[Rows, TwoLabels]:
    """The merged run of all files, and the labels."""
    if label == score:
        raise InputError("The score is the column of the labels", param="score", got=score)
    labels, runs = TwoLabels("label", in_files=True), []
    for path in files_of(paths):
        start = 0
        for chunk in chunks(path, label, score):
            for name, param in ((label, "label"), (score, "score")):
                _refuse(chunk[name].isna(), chunk[name], param, path, start)
            values = _scores(chunk[score], path, start)
            run = count_scores(values, ~labels.are_second(_labels(chunk[label], path)))
            rows = FileRows(run.shape, COUNTS)  # in a temporary file
            rows[: len(run)] = run
            runs.append(rows)
            start += len(chunk)
    if not any(run.shape[0] for run in runs):
        raise InputError("The table has no rows", got=str(paths))
    return merge_runs(runs), labels


def files_of(paths: Paths) -> list[Path]:
    """The files: a file, the Parquet and CSV files of a folder by name, or several of them."""
    given = [paths] if isinstance(paths, (str, Path)) or not is_iterable(paths) else paths
    found = [file for path in given for file in _parts(path_of("path", path))]
    if not found:
        raise InputError("There are no Parquet or CSV files", param="path", got=repr(paths))
    return found


def _parts(path: Path) -> list[Path]:
    """The files of a folder by name; those that begin with . or _ are not data, as in other programs."""
    if not path.is_dir():
        return [path]
    seen = sorted(p for p in path.iterdir() if not p.name.startswith((".", "_")))
    folders = [p.name for p in seen if p.is_dir()]
    if folders:
        problem = "The folder has folders in it, which are not read"
        raise InputError(problem, got=f"{path}: {', '.join(folders[:3])}", fix="Name a folder of files")
    return [p for p in seen if p.name.lower().endswith((*PARQUET_FILES, *TEXT))]


def is_large(source: str) -> bool:
    """Whether a table should be read in blocks: a folder of files, or a file that fills much of the memory."""
    path = Path(source)
    limit = dict.fromkeys(PARQUET_FILES, LARGE_PARQUET).get(path.suffix.lower(), LARGE_BYTES)
    return os.path.isdir(source) or (os.path.isfile(source) and path.stat().st_size > limit)


def chunks(path: Path, label: str, score: str) -> Iterator[pd.DataFrame]:
    """Blocks of rows of the two columns; labels of text files as they are written."""
    if path.suffix.lower() not in PARQUET_FILES:
        yield from text_blocks(path, label, score, CHUNK_ROWS)
        return
    with opened(path) as file, parquet_file(file, path) as parquet:
        check_columns([str(name) for name in parquet.schema_arrow.names], label, score)
        for batch in parquet.iter_batches(CHUNK_ROWS, columns=[label, score]):
            yield batch.to_pandas()


def _labels(values: pd.Series, path: Path) -> Array:
    """Labels; of text files as a column of such texts would hold them: booleans, integers or texts."""
    if path.suffix.lower() in PARQUET_FILES:
        return label_array(values)
    codes, different = pd.factorize(values)
    typed = np.empty(len(different), dtype=object)
    for k, text in enumerate(different):
        typed[k] = BOOLEANS.get(text.lower(), text)
        if WHOLE.fullmatch(text.strip()):
            typed[k] = int(text)
        elif NUMBER.fullmatch(text.strip()):
            typed[k] = label_array([float(text)], "label").item()
    return np.asarray(typed[codes])


def _scores(values: pd.Series, path: Path, start: int) -> Floats:
    exact = pd.to_numeric(values, errors="coerce")
    numbers = exact.astype("float64")
    _refuse(numbers.isna(), values, "score", path, start)
    refuse_merged(exact.to_numpy(), numbers.to_numpy(), "score", f"Column {values.name!r} of {path.name}")
    return np.asarray(numbers, dtype=float)


def _refuse(wrong: pd.Series, values: pd.Series, param: str, path: Path, start: int) -> None:
    for row in np.flatnonzero(wrong)[:1]:
        raise InputError(
            f"Column {values.name!r} of {path.name} holds a missing or wrong value",
            param=param,
            got=f"{values.iloc[row]} in row {start + row} (counting from 0)",
            fix="Drop such cases or complete them",
        )
