"""Labels and scores in files larger than memory, some rows at a time: counts of two labels at each distinct score.

A run is a table (v,) of `COUNTS`, the distinct scores from high to low. The merge of two runs is that of all their
cases, whatever was in which.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from trueness.checks import is_iterable, path_of
from trueness.errors import InputError
from trueness.files.table_file import NUMBER, column, text_blocks
from trueness.kernels.auc import COUNTS, add_equal, count_scores
from trueness.sample.labels import folded_label, label_array, one_spelling
from trueness.sample.rows import FileRows, Rows, empty_rows
from trueness.sample.scores import refuse_merged
from trueness.typing import Array, Bools, Floats

BLOCK_ROWS = 2**20  # of a table that is read: results must not depend on the runs that it was merged from
MERGED_ROWS = 2**22  # held at a time while runs are merged


def run_of(scores: Floats, second: Bools) -> Array:
    """(v,) the distinct scores, high to low, with the number of cases of each label. −0 is 0."""
    return count_scores(scores, ~second)


def rounded_down(scores: Floats, bits: int | None) -> Floats:
    """The scores with so many binary digits, so that few are distinct; order is kept, and None rounds nothing."""
    if bits is None:
        return scores
    digits, exponent = np.frexp(scores)  # of any range, so that parts need not agree on one
    return np.asarray(np.ldexp(np.floor(np.ldexp(digits, bits)), exponent - bits))


def in_file(run: Array) -> Rows:
    """The same run in a temporary file."""
    rows = FileRows(run.shape, COUNTS)
    rows[: len(run)] = run
    return rows


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
LARGE_ROWS, LARGE_BYTES = 20_000_000, 2**30  # of Parquet, of text: larger tables are read in blocks
PARQUET = (".parquet", ".pq")
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
            known = {folded_label(each): each for each in self.found if isinstance(each, str)}
            if folded_label(label) in known:
                self.others[label] = known[folded_label(label)]
                label = self.others[label]
        if label not in self.found:
            self.found.append(label)
        if len(self.found) > 2:
            raise InputError(
                "ROC and PR curves need exactly two classes",
                param=self.param,
                got=f"at least {len(self.found)}: {', '.join(map(repr, self.found))}",
                fix=one_spelling(self.found),
            )
        if len({isinstance(label, str) for label in self.found}) == 2:
            first, second = (type(label).__name__ for label in self.found)
            raise InputError(
                "The labels mix different types",
                param=self.param,
                got=f"{first} and {second}: {', '.join(map(repr, self.found))}",
                fix="Convert them to one type",
            )
        return self.found.index(label)


def counts_of_files(paths: Paths, label: str, score: str, bits: int | None = None) -> tuple[Rows, TwoLabels]:
    """The merged run of all files (`score_runs`), and the labels; scores are rounded down to `bits`."""
    if label == score:
        raise InputError("The score is the column of the labels", param="score", got=score)
    labels, runs = TwoLabels("label", in_files=True), []
    for path in files_of(paths):
        start = 0
        for chunk in chunks(path, label, score):
            values = rounded_down(_scores(chunk[score], score, path, start), bits)
            runs.append(in_file(run_of(values, labels.are_second(_labels(chunk[label], label, path, start)))))
            start += len(chunk)
    if not any(run.shape[0] for run in runs):
        raise InputError("The table has no rows", got=str(paths))
    return merge_runs(runs), labels


def files_of(paths: Paths) -> list[Path]:
    """The files: a file, the Parquet and CSV files of a folder by name, or several of them."""
    given = [paths] if isinstance(paths, (str, Path)) or not is_iterable(paths) else paths
    several = [path_of("path", path) for path in given]
    if not several:
        raise InputError("There are no files", param="path", got="an empty list")
    found: list[Path] = []
    for path in several:
        if not path.exists():
            raise InputError("There is no such file", got=str(path))
        inside = _parts(path) if path.is_dir() else [path]
        if not inside:
            raise InputError("The folder has no Parquet or CSV files", got=str(path))
        found += inside
    return found


def _parts(folder: Path) -> list[Path]:
    """The files of a folder by name; those that begin with . or _ are not data, as in other programs."""
    seen = sorted(p for p in folder.iterdir() if not p.name.startswith((".", "_")))
    folders = [p.name for p in seen if p.is_dir()]
    if folders:
        raise InputError(
            "The folder has folders in it, which are not read",
            got=f"{folder}: {', '.join(folders[:3])}",
            fix="Name a folder of files, or pass a list of files in Python",
        )
    return [p for p in seen if p.name.lower().endswith((*PARQUET, *TEXT))]


def is_large(source: str) -> bool:
    """Whether a table should be read in blocks: a folder of files, or a file that fills much of the memory."""
    path = Path(source)
    try:
        if path.is_dir():
            return True
        if path.suffix.lower() not in PARQUET:
            return path.is_file() and path.stat().st_size > LARGE_BYTES
        from pyarrow.parquet import read_metadata

        return bool(read_metadata(path).num_rows > LARGE_ROWS)
    except Exception:  # whoever reads it says what is wrong
        return False


def chunks(path: Path, label: str, score: str) -> Iterator[pd.DataFrame]:
    """Blocks of rows of the two columns."""
    if path.suffix.lower() in PARQUET:
        return _parquet(path, label, score)
    return text_blocks(path, [label], [score], CHUNK_ROWS)


def _parquet(path: Path, label: str, score: str) -> Iterator[pd.DataFrame]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise InputError("Parquet files need pyarrow", fix="Run pip install pyarrow") from None
    try:
        with ParquetFile(path) as file:
            _check_columns([str(name) for name in file.schema_arrow.names], label, score)
            for batch in file.iter_batches(CHUNK_ROWS, columns=[label, score]):
                if batch.num_rows:
                    yield batch.to_pandas(strings_to_categorical=True)
    except (OSError, ArrowException) as error:
        raise InputError("The Parquet file cannot be read", got=f"{path}: {error}") from None


def _check_columns(names: Sequence[str], label: str, score: str) -> None:
    for name, param in ((label, "label"), (score, "score")):
        column(pd.DataFrame(columns=list(names)), name, param)
        if list(names).count(name) > 1:
            raise InputError("Two columns have the same name", param=param, got=repr(name), fix="Rename one of them")


def _labels(values: pd.Series, name: str, path: Path, start: int) -> Array:
    _refuse(values.isna(), "missing", "label", name, path, start)
    if isinstance(values.dtype, pd.CategoricalDtype) or path.suffix.lower() in PARQUET:
        found = values.astype(object) if isinstance(values.dtype, pd.CategoricalDtype) else values
        return label_array(found, "label")
    codes, texts = pd.factorize(values)
    typed = np.empty(len(texts), dtype=object)
    typed[:] = [_typed(text) for text in texts]
    return np.asarray(typed[codes])


def _typed(text: str) -> object:
    """The label that a column of such texts would hold: a boolean, an integer or the text."""
    if text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    if WHOLE.fullmatch(text.strip()):
        return int(text)
    return label_array([float(text)], "label").item() if NUMBER.fullmatch(text.strip()) else text


def _scores(values: pd.Series, name: str, path: Path, start: int) -> Floats:
    exact = pd.to_numeric(values, errors="coerce")
    numbers = exact.astype("float64")
    words = values[numbers.isna() & values.notna()]
    if len(words):
        _refuse(numbers.isna() & values.notna(), f"not a number: {words.iloc[0]!r}", "score", name, path, start)
    _refuse(numbers.isna(), "NaN", "score", name, path, start)
    refuse_merged(exact.to_numpy(), numbers.to_numpy(), "score", f"Column {name!r} of {path.name}")
    return np.asarray(numbers, dtype=float)


def _refuse(wrong: pd.Series, what: str, param: str, name: str, path: Path, start: int) -> None:
    if wrong.any():
        raise InputError(
            f"Column {name!r} of {path.name}, row {start + int(wrong.to_numpy().argmax())} (counting from 0): {what}",
            param=param,
            fix="Drop such cases or complete them",
        )
