"""The folder of a sealed study: the design set to read, the test set encrypted, the manifest, the ledger. seal makes it,
verify checks it."""

import io
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from trueness.api.cautions import WITHOUT_MODEL
from trueness.checks import check_open_share, check_whole, path_of, write_file, writing
from trueness.errors import InputError
from trueness.files.features import are_whole, as_dates, date_format, features_of, spellings, split
from trueness.files.table_file import EXACT, MISSING, column, read_and_describe, with_plain_numbers
from trueness.leaks.check import CODES, findings_of
from trueness.result.columns import Column, Columns
from trueness.result.notes import Note, warn_of
from trueness.result.shown import Result
from trueness.result.words import headed
from trueness.sample.labels import Task, looks_numeric
from trueness.sample.sample import Sample
from trueness.sealed.chain import KNOWN, SCRYPT, appended, box, read_bytes, read_chain, secret_of, sha256, write_chain
from trueness.typing import Bools, Record
from trueness.version import __version__

INTEGER = "integer"  # the type of whole numbers too long for others
DESIGN, SEALED, MANIFEST, LEDGER, LOCK = "design", "test.sealed", "manifest.json", "ledger.jsonl", ".lock"


@dataclass(frozen=True, repr=False)
class Study(Result):
    """A study whose files were checked against their hashes; what `trueness.sealed.seal` and `verify` return.

    Attributes
    ----------
    folder : Path
        Where it is.
    manifest : mapping
        What was sealed, and how.
    records : list of dict
        The ledger.
    """

    columns: ClassVar[Columns] = {
        **{"number": Column("record"), "time": Column("time"), "event": Column("event"), "about": Column("about")},
        "hash": Column(""),
    }
    heading: ClassVar[str] = "{manifest[source][name]}: {sizes}"
    template: ClassVar[str] = "All hashes fit. Openings of the test set: {openings}."
    footnote: ClassVar[str] = "{receipt}"

    folder: Path
    manifest: Mapping[str, Any]
    records: list[Record]

    def rows(self) -> Iterator[Record]:
        return ({**record, "about": _about(record)} for record in self.records)

    @property
    def sizes(self) -> str:
        """ "398 cases to design, 171 cases sealed", with groups how many of these, too."""
        return f"{size_of(self.manifest, 'design')} to design, {size_of(self.manifest, 'test')} sealed"

    @property
    def head(self) -> str:
        """The last hash: kept elsewhere, it shows whether the ledger was cut, replaced, or gone on with in a copy."""
        return str(self.records[-1]["hash"])

    @property
    def receipt(self) -> str:
        """One line to keep elsewhere (protocol, e-mail, git, time stamp); `verify(study, head=receipt)` checks it."""
        about = f"{self.manifest['source']['name']}, {self.sizes}, openings: {self.openings}"
        return f"trueness receipt: {about}, {self.records[-1]['time']}, head {self.head}"

    @property
    def results(self) -> list[Record]:
        """One record per finished opening."""
        return [r for r in self.records if r["event"] == "result"]

    @property
    def pending(self) -> Record | None:
        """The last opening, where its result is not recorded: it was interrupted, or failed on the test set."""
        last = [r for r in self.records if r["event"] == "opening"][-1:]
        return last[0] if last and last[0]["opening"] in self.unfinished else None

    @property
    def unfinished(self) -> list[int]:
        """The numbers of the openings without a result."""
        return sorted({*range(1, self.openings + 1)} - {r["opening"] for r in self.results})

    @property
    def openings(self) -> int:
        """How many times the test set was opened, those without a result included."""
        return _openings(self.records)

    @property
    def state(self) -> Literal["sealed", "opened without result", "result recorded"]:
        """What the ledger says of the test set: never decrypted; decrypted, and the result of the last opening is not
        recorded; decrypted, and it is."""
        if not self.openings:
            return "sealed"
        return "result recorded" if self.pending is None else "opened without result"

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is wrong with the record although all hashes fit: openings that were interrupted or failed, and records
        whose time is before that of the one before them, or in the future."""
        times = [*(str(r["time"]) for r in self.records), datetime.now(UTC).isoformat(timespec="seconds")]
        pairs = enumerate(pairwise(map(_moment, times)), 1)
        early = [k for k, (before, after) in pairs if after < before - SLACK]
        found = [Note("clock-went-back", records=early)] * bool(early)
        if self.unfinished:
            pending = self.pending is not None
            found.insert(0, Note("opening-without-result", openings=self.unfinished, pending=pending))
        return tuple(found)

    def design(self) -> pd.DataFrame:
        """The design set."""
        name = self.manifest["design"]
        return table_of(read_bytes(self.folder / name), Path(name).suffix, self.manifest["dtypes"])

    def to_dict(self) -> Record:
        known = {"manifest": dict(self.manifest), "records": self.records}
        return {"state": self.state, **known, "head": self.head, "receipt": self.receipt}


def _openings(records: Sequence[Record]) -> int:
    return sum(r["event"] == "opening" for r in records)


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
        raise _changed(folder / MANIFEST, records)
    manifest = _manifest(manifest_bytes, folder / MANIFEST)
    for name, known in manifest["sha256"].items():
        if sha256(read_bytes(folder / name)) != known:
            raise _changed(folder / name, records)
    return Study(folder, manifest, records)


def _manifest(data: bytes, path: Path) -> Record:
    """The manifest, whose files are in its folder; hashes of one that somebody else wrote may fit, too."""
    try:
        found: Record = json.loads(data)
        names, key, split = [*found["sha256"], found["design"]], found["key"], found["split"]
        both = {"design", "test"}
        counts = [found["cases"], found["group_counts"] or found["cases"]]
        texts = [*names, found["target"], found["source"]["name"], key["known"], key["salt"]]
        texts += [each["message"] for each in found["findings"]]
        bytes.fromhex(key["salt"])
        whole = (
            {found["design"], SEALED} <= set(found["sha256"])
            and all(isinstance(text, str) for text in texts)
            and all(Path(name).name == name for name in names)
            and all(both <= set(sizes) and all(isinstance(n, int) for n in sizes.values()) for sizes in counts)
            and all(isinstance(name, str | None) for name in (found["groups"], split["column"]))
            and split["by"] in ("time", "groups", "class", "chance")
            and (type(found["dtypes"]), type(found["missing"])) == (dict, list)
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
        return with_plain_numbers(pd.read_parquet(io.BytesIO(data)))
    whole = [name for name, each in dtypes.items() if each == INTEGER]
    types = {**dtypes, **dict.fromkeys(whole, "str")}
    table = pd.read_csv(io.BytesIO(data), dtype=types, keep_default_na=False, na_values=MISSING, **EXACT)
    for name in whole:
        table[name] = table[name].astype(object).map(int, na_action="ignore")
    return table


def _changed(path: Path, records: Sequence[Record]) -> InputError:
    return InputError(
        f"{path.name} was changed after it was sealed",
        param="study",
        got=str(path),
        fix=f"Restore it from a copy. Openings of the test set, by the ledger: {_openings(records)}",
    )


def size_of(manifest: Mapping[str, Any], part: Literal["design", "test"]) -> str:
    """ "398 cases", or "398 cases in 66 groups"."""
    groups = manifest["group_counts"]
    return f"{manifest['cases'][part]} cases" + (f" in {groups[part]} groups" if groups else "")


MIN_TEST_CASES = 2  # of each class
EITHER = ("%m/%d/%Y", "%d/%m/%Y")  # formats of dates that may both fit
SLACK = timedelta(minutes=2)  # by which clocks of two machines may differ


def seal(
    data: str | Path,
    target: str,
    *,
    test_size: float = 0.3,
    out: str | Path = "study",
    passphrase: str | None = None,
    key_file: str | Path | None = None,
    groups: str | None = None,
    time: str | None = None,
    missing: Sequence[str] = (),
    rng: int = 0,
) -> Study:
    """Split a file; the design set stays readable, the test set is encrypted until `trueness.sealed.unseal`.

    Writes into the folder `out`: the design set, the encrypted test set (`test.sealed`), `manifest.json` with the
    hashes of both, and `ledger.jsonl`, the hash-chained record of every opening. The original file is left as
    it is; keep it where the work on the model cannot reach it.

    Parameters
    ----------
    data : path
        CSV, TSV or Parquet file.
    target : str
        Column with the labels, or with numbers to predict (those with fractions, or more than 20 different ones).
    test_size : float, default 0.3
        Share of the cases (of the groups, with `groups`) in the test set.
    out : path, default "study"
        A folder that does not exist yet.
    passphrase : str, optional
        Opens the test set. One of `passphrase` and `key_file` is needed.
    key_file : path, optional
        A file whose content opens the test set.
    groups : str, optional
        Column with groups (patient, site): whole groups are sealed.
    time : str, optional
        Column with times or dates: the latest cases are sealed. Without it the split is random, stratified by class.
    missing : sequence of str, default ()
        Codes of missing values in this file, e.g. ("-999",).
    rng : int, default 0
        Seed of a random split; it is in the manifest.

    Returns
    -------
    Study
        Its `manifest` and `records`.

    See Also
    --------
    trueness.sealed.unseal : Fit the declared model, and assess it once on the test set.
    trueness.sealed.verify : Check every hash, list the openings.
    """
    source, folder = path_of("data", data), path_of("out", out)
    secret = secret_of(passphrase, key_file)
    check_open_share("test_size", test_size)
    check_whole("rng", rng, 0)
    if groups is not None and time is not None:
        raise InputError("A split by time cannot keep groups together", param="time", fix="Name one of the two")
    if folder.exists():
        raise InputError(f"{folder} exists already", param="out", fix="Name a folder that does not exist yet")
    table, _ = read_and_describe(str(source), missing)
    y = column(table, target, "target")
    if y.isna().any():
        raise InputError(f"Column {target!r} has missing labels", param="target", fix="Drop these rows first")
    spelled = spellings(y)  # as trueness assess reads them
    y = table[target] = y.replace(spelled)
    kind: Task = "regression" if looks_numeric(y) else "classification"
    held = _held_out(table, y, test_size, groups, time, rng, kind)
    chosen_by = {"time": time, "groups": groups, "class": kind == "classification", "chance": True}
    by = next(name for name, applies in chosen_by.items() if applies)
    if kind == "classification":
        _check_classes(y, held, by.replace("class", "test_size"))
    X, y, _ = split(table, target, groups)
    # what is wrong with the test set must be said before it is sealed
    Sample.of(y[held], X=X[held], least=1, kind=kind)
    left = Sample.of(y[~held], X=X[~held], least=1, kind=kind)
    both = findings_of(left, frozenset(CODES) - {"L008"}, X_test=X[held])
    warn_of(*both)
    suffix = ".parquet" if source.suffix.lower() in (".parquet", ".pq") else ".csv"
    salt = os.urandom(16)
    fernet = box(secret, salt)
    design = bytes_of(table[~held], suffix)
    token = fernet.encrypt(bytes_of(table[held], suffix))
    name = DESIGN + suffix
    sides = {"design": table[~held], "test": table[held]}
    manifest = {
        "trueness": __version__,
        "source": {"name": source.name, "sha256": sha256(read_bytes(source))},
        "target": target,
        "groups": groups,
        "split": {"by": by, "column": time or groups, "seed": rng},
        "design": name,
        "cases": {name: len(side) for name, side in sides.items()},
        "group_counts": groups and {name: int(side[groups].nunique()) for name, side in sides.items()},
        "dtypes": {str(c): INTEGER if are_whole(table[c]) else str(t) for c, t in table.dtypes.items()},
        "missing": _with_gaps(X, held),
        "spelled": spelled,
        "findings": [found.to_dict() for found in both],
        "key": {"scrypt": SCRYPT, "salt": salt.hex(), "known": fernet.encrypt(KNOWN).decode()},
        "sha256": {name: sha256(design), SEALED: sha256(token)},
    }
    _write(folder, {name: design, SEALED: token, MANIFEST: json.dumps(manifest, indent=2).encode()})
    return read_study(folder)


def _with_gaps(X: pd.DataFrame, held: Bools) -> list[str]:
    """Columns with missing values in either set, such as text in a column whose dates the design set shows."""
    gaps = X.isna().any()
    with suppress(InputError):  # where there is no feature for the commands; a model of one's own may read the columns
        gaps |= features_of(X[~held]).of(X).isna().any().reindex(gaps.index, fill_value=False)
    return [str(name) for name in gaps.index[gaps]]


def _held_out(
    table: pd.DataFrame, y: pd.Series, share: float, groups: str | None, time: str | None, seed: int, kind: Task
) -> Bools:
    rng = np.random.default_rng(seed)
    held = np.zeros(len(table), dtype=bool)
    if time is not None:
        when = _times(column(table, time, "time"))
        first = np.sort(when)[len(when) - max(1, round(share * len(when)))]
        return np.asarray(when >= first)  # cases of one moment stay together
    if groups is not None:
        codes, names = pd.factorize(column(table, groups, "groups"))
        if (codes < 0).any():
            raise InputError(f"Column {groups!r} has missing groups", param="groups")
        taken = rng.permutation(len(names))[: max(1, round(share * len(names)))]
        return np.asarray(np.isin(codes, taken))
    for label in pd.unique(y) if kind == "classification" else [None]:  # numbers have no strata
        rows = np.arange(len(y)) if label is None else np.flatnonzero(y == label)
        held[rng.permutation(rows)[: max(1, round(share * len(rows)))]] = True
    return held


def _times(values: pd.Series) -> np.ndarray:
    """Numbers as they are; text as dates, unless it may mean two days, as 03/04/2024 does."""
    when = values
    if not pd.api.types.is_numeric_dtype(values):
        form = date_format(values)
        ambiguous = form in EITHER and all(as_dates(values, each).notna().all() for each in EITHER)
        when = values if form == "" else as_dates(values, "ISO8601" if form is None or ambiguous else form)
    if when.isna().any():
        bad = values[when.isna()].iloc[0]
        raise InputError("The times must be numbers or dates such as 2024-12-31", param="time", got=repr(bad))
    return np.asarray(when.astype("int64") if when.dtype.kind == "M" else when)


def _check_classes(y: pd.Series, held: Bools, cause: str) -> None:
    for name, part in (("test", y[held]), ("design", y[~held])):
        sizes = part.value_counts().reindex(pd.unique(y), fill_value=0)
        if len(sizes) < 2:
            raise InputError("The target has one class only", param="target", got=repr(sizes.index.tolist()[0]))
        if sizes.min() < MIN_TEST_CASES:
            label = sizes.index.tolist()[int(sizes.argmin())]
            raise InputError(
                f"The {name} set would have {sizes.min()} of class {label!r}; it needs {MIN_TEST_CASES}",
                param=cause,
                fix=f"Change {cause}=",
            )


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """All files or none: they are written beside the folder's place and moved there in one step."""
    with writing(folder, "out"):
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            for name, content in files.items():
                write_file(fresh / name, content)
            write_chain(fresh / LEDGER, appended([], "sealed", manifest=sha256(files[MANIFEST]), trueness=__version__))
            fresh.chmod(0o755)
            fresh.rename(folder)
        except (OSError, InputError):
            shutil.rmtree(fresh, ignore_errors=True)
            raise


def verify(study: str | Path, *, head: str | None = None) -> Study:
    """Check a sealed study: manifest, design set, sealed test set and ledger against their hashes.

    Parameters
    ----------
    study : path
        Folder that `trueness.sealed.seal` made.
    head : str, optional
        A hash that was the head of the ledger, or the receipt that holds it: it must still be in the ledger. Only this
        finds records cut off the end, a folder whose hashes were all computed anew, and an opening of another copy.

    Returns
    -------
    Study
        Its `records`; `openings`, `state`, `head`, `receipt`.

    Raises
    ------
    InputError
        Where anything was changed.
    """
    found = read_study(study)
    if head is not None:
        hashes = re.findall(r"\b[0-9a-f]{64}\b", str(head).casefold())
        if not hashes:
            problem = "A head is a hash of 64 digits, or the receipt with it"
            raise InputError(problem, param="head", got=repr(head))
        if hashes[-1] not in [r["hash"] for r in found.records]:
            problem = "The ledger lacks the record with this hash: it was cut or replaced, or another copy was opened"
            raise InputError(problem, param="head", got=hashes[-1])
    return found


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:  # a ledger that somebody else wrote
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _about(record: Record) -> str:
    """What was declared, or the results: they are here, should the screen or the report be lost."""
    declared = record.get("declared", {})
    known = {
        "model": headed("", declared.get("model", "")).partition("\n")[0],
        "threshold": declared.get("threshold", ""),
        "without": ", ".join(declared.get("dropped", ())),
        "by": ", ".join(declared.get("by", ())),
        "again": record.get("reason") or "",
    }
    said = [f"{name} {value}" for name, value in known.items() if value != ""]
    for e in record.get("estimates", ()):
        if e["method"] not in WITHOUT_MODEL:  # a PPV is undefined where no test case is called positive
            value, low, high = ("undefined" if x is None else f"{x:.3f}" for x in (e["value"], e["low"], e["high"]))
            of = " ".join(str(e[name]) for name in ("metric", "by", "group") if name in e)
            said.append(f"{of} {value} ({low} to {high})")
    return "; ".join(said)
