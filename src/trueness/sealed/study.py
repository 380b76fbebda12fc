"""The folder of a sealed study: the design set to read, the test set encrypted, the manifest, the ledger."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from trueness.checks import path_of
from trueness.errors import InputError
from trueness.files.text_format import EXACT, MISSING
from trueness.leaks import CODES
from trueness.leaks.check import findings_of
from trueness.leaks.findings import Findings
from trueness.result.shown import Shown
from trueness.sample import Sample
from trueness.sealed.chain import read_bytes, read_chain, sha256
from trueness.typing import Record

DESIGN, SEALED, MANIFEST, LEDGER, LOCK = "design", "test.sealed", "manifest.json", "ledger.jsonl", ".lock"


@dataclass(frozen=True, repr=False)
class Study(Shown):
    """A study whose files were checked against their hashes.

    Attributes
    ----------
    folder : Path
        Where it is.
    manifest : mapping
        What was sealed, and how.
    records : list of dict
        The ledger.
    """

    folder: Path
    manifest: Mapping[str, Any]
    records: list[Record]

    def __repr__(self) -> str:
        cases = self.manifest["cases"]
        opened = f"opened {self.openings} times" if self.openings != 1 else "opened once"
        return f"<Study in {self.folder}: {cases['design']} cases to design, {cases['test']} sealed, {opened}>"

    @property
    def results(self) -> list[Record]:
        """One record per finished opening."""
        return [r for r in self.records if r["event"] == "result"]

    @property
    def pending(self) -> Record | None:
        """The last opening, where its result is not recorded: it was interrupted, or failed on the test set."""
        unfinished = self.unfinished
        openings = [r for r in self.records if r["event"] == "opening"]
        return openings[-1] if unfinished and unfinished[-1] == len(openings) else None

    @property
    def unfinished(self) -> list[int]:
        """The numbers of the openings without a result."""
        done = {r["opening"] for r in self.results}
        return [k for k in range(1, self.openings + 1) if k not in done]

    @property
    def openings(self) -> int:
        """How many times the test set was opened, those without a result included."""
        return sum(r["event"] == "opening" for r in self.records)

    def resumptions(self, opening: int) -> int:
        """How many times an opening without a result was taken up again by the same call."""
        return sum(r["event"] == "resumed" and r["opening"] == opening for r in self.records)

    def design(self) -> pd.DataFrame:
        """The design set."""
        name = self.manifest["design"]
        return table_of(read_bytes(self.folder / name), Path(name).suffix, self.manifest["dtypes"])


def read_study(folder: str | Path) -> Study:
    """A study, checked: every file must be what the ledger says it was.

    Raises
    ------
    InputError
        Where the folder holds no study, or a file was changed.
    """
    folder = path_of("study", folder)
    if not (folder / LEDGER).exists():
        raise InputError(f"There is no sealed study in {folder}", param="study", fix="Make one with trueness seal")
    records = read_chain(folder / LEDGER)
    manifest_bytes = read_bytes(folder / MANIFEST)
    if records[0].get("manifest") != sha256(manifest_bytes):
        raise _changed(folder / MANIFEST)
    manifest = _manifest(manifest_bytes, folder / MANIFEST)
    for name, known in manifest["sha256"].items():
        if sha256(read_bytes(folder / name)) != known:
            raise _changed(folder / name)
    return Study(folder, manifest, records)


def _manifest(data: bytes, path: Path) -> Record:
    """The manifest, whose files are in its folder; hashes of one that somebody else wrote may fit, too."""
    try:
        found: Record = json.loads(data)
        names = [*found["sha256"], found["design"]]
        texts = [*names, found["target"], found["source"]["name"], found["key"]["known"], found["key"]["salt"]]
        counts = [found["cases"]["design"], found["cases"]["test"]]
        bytes.fromhex(found["key"]["salt"])
        whole = (
            {found["design"], SEALED} <= set(found["sha256"])
            and all(isinstance(text, str) for text in texts)
            and all(Path(name).name == name for name in names)
            and all(isinstance(count, int) for count in counts)
            and isinstance(found["groups"], str | None)
            and isinstance(found["dtypes"], dict)
            and isinstance(found["missing"], list)
        )
    except (ValueError, LookupError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise InputError("The manifest is not one that trueness wrote", param="study", got=str(path))
    return found


@contextmanager
def locked(folder: str | Path) -> Iterator[None]:
    """One process at a time; the operating system takes the lock back from a killed one."""
    try:
        from filelock import FileLock, Timeout
    except ImportError:
        raise InputError("Sealing needs filelock", fix="Run pip install cryptography filelock") from None
    folder = path_of("study", folder)
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}", param="study")
    try:
        lock = FileLock(folder / LOCK, timeout=0)
        lock.acquire()
    except Timeout:
        raise InputError("Another process is opening this study", param="study", fix="Wait until it is done") from None
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}", param="study") from None
    try:
        yield
    finally:
        lock.release()


def features_of(table: pd.DataFrame, target: str, groups: str | None) -> pd.DataFrame:
    """The columns that a model may read."""
    return table.drop(columns=[c for c in (target, groups) if c is not None])


def in_both(design: Sample, X_test: pd.DataFrame) -> Findings:
    """Whether rows of the test set stand in the design set (L008)."""
    return findings_of(design, frozenset(CODES) - {"L008"}, X_test=X_test)


def bytes_of(table: pd.DataFrame, suffix: str) -> bytes:
    """A table as the bytes of a CSV or Parquet file."""
    if suffix == ".parquet":
        buffer = io.BytesIO()
        table.to_parquet(buffer, index=False)
        return buffer.getvalue()
    return str(table.to_csv(index=False)).encode()


def table_of(data: bytes, suffix: str, dtypes: Mapping[str, str]) -> pd.DataFrame:
    """The table of such bytes; both sets of a study are read with the types of the whole table."""
    if suffix == ".parquet":
        return pd.read_parquet(io.BytesIO(data))
    return pd.read_csv(io.BytesIO(data), dtype=dict(dtypes), keep_default_na=False, na_values=MISSING, **EXACT)


def _changed(path: Path) -> InputError:
    return InputError(
        f"{path.name} was changed after it was sealed",
        param="study",
        got=str(path),
        fix="Restore it from a copy; nothing was opened",
    )
