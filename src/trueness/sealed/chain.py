"""What keeps a study honest: encryption of the test set, and the ledger file.

Encryption: scrypt (Percival 2009) makes a key of a passphrase or a key file, Fernet (cryptography) does the rest.
Ledger: one JSON record per line, each holding the hash of the one before it. A byte that is changed by accident breaks the
chain. Who can write the folder can compute all hashes anew, cut records off, or open a copy: a head (the last hash) that
is kept elsewhere shows that, since it is then missing from the ledger.
"""

import base64
import hashlib
import importlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trueness.checks import path_of, write_file
from trueness.errors import InputError
from trueness.typing import Record

SCRYPT = {"n": 2**15, "r": 8, "p": 1}  # 32 MB
MIN_SECRET = 8  # bytes
MEMORY = 2**26

KNOWN = b"trueness"  # encrypted beside the test set, so that a wrong passphrase is found without opening anything


def secret_of(passphrase: str | None, key_file: str | Path | None) -> bytes:
    """The bytes of a passphrase or of a key file; one of them must be given."""
    if (passphrase is None) == (key_file is None):
        fix = "Pass passphrase= or key_file="
        raise InputError("One secret is needed: a passphrase or a key file", param="passphrase", fix=fix)
    param, secret = "passphrase", str(passphrase).encode()
    if key_file is not None:
        param = "key_file"
        try:
            secret = path_of(param, key_file).read_bytes()
        except OSError as error:
            fix = f"Name a file of {MIN_SECRET} bytes or more, made before sealing (openssl rand -out key 32)"
            raise InputError(f"{key_file} cannot be read: {error.strerror}", param=param, fix=fix) from None
    if len(secret) < MIN_SECRET:
        raise InputError(f"The secret is shorter than {MIN_SECRET} bytes", param=param, got=f"{len(secret)} bytes")
    return secret


def box(secret: bytes, salt: bytes) -> Any:
    """Fernet with the key of this secret."""
    fernet = _library("fernet")
    key = hashlib.scrypt(secret, salt=salt, dklen=32, maxmem=MEMORY, **SCRYPT)
    return fernet.Fernet(base64.urlsafe_b64encode(key))


def opened(fernet: Any, token: bytes, problem: str, fix: str) -> bytes:
    """The content of an encrypted token; an InputError where the key does not fit."""
    try:
        return bytes(fernet.decrypt(token))
    except _library("fernet").InvalidToken:
        raise InputError(problem, param="passphrase", fix=fix) from None


def _library(name: str) -> Any:
    try:
        return importlib.import_module(f"cryptography.{name}")
    except ImportError:
        raise InputError("Sealing needs cryptography", fix="Run pip install cryptography filelock") from None


START = "0" * 64  # "previous" of the first record
FIELDS = {
    "sealed": ("manifest",),
    "opening": ("opening", "declared", "reason"),
    "resumed": ("opening",),
    "result": ("opening", "level", "estimates"),
}
ESTIMATE = {"metric", "method", "value", "low", "high"}


def line_of(record: Mapping[str, object]) -> str:
    """The one spelling of a record, so that every byte of the file counts."""
    return json.dumps(record, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def appended(records: list[Record], event: str, **data: object) -> list[Record]:
    """The records and a new one."""
    previous = records[-1]["hash"] if records else START
    record = {
        "number": len(records) + 1,
        "event": event,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "previous": previous,
        **data,
    }
    return [*records, {**record, "hash": sha256(line_of(record).encode())}]


def read_chain(path: Path) -> list[Record]:
    """The records of a ledger.

    Raises
    ------
    InputError
        Where it cannot be read or a byte was changed.
    """
    data = read_bytes(path)
    records: list[Record] = []
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as error:
        raise broken(path, data[: error.start].count(b"\n") + 1) from None
    if lines.pop() != "" or not lines:
        raise broken(path, len(lines) + 1)
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            claimed = record.pop("hash")
            whole = {**record, "hash": claimed}
            same = claimed == sha256(line_of(record).encode()) and line_of(whole) == line
        except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
            raise broken(path, number) from None
        follows = record.get("previous") == (records[-1]["hash"] if records else START)
        if not same or not follows or not _is_record(record):
            raise broken(path, number)
        records.append(whole)
    return records


def _is_record(record: Record) -> bool:
    """Whether it has the fields of its event: hashes of a ledger that somebody else wrote may fit, too."""
    event = record.get("event")
    if not isinstance(record.get("time"), str):
        return False
    if not isinstance(event, str) or not {"number", "time", *FIELDS.get(event, ("?",))} <= record.keys():
        return False
    if event == "opening":
        return isinstance(record["declared"], dict) and {"model", "threshold"} <= record["declared"].keys()
    if event == "result":
        rows = record["estimates"]
        return isinstance(rows, list) and all(isinstance(row, dict) and row.keys() >= ESTIMATE for row in rows)
    return True


def write_chain(path: Path, records: list[Record]) -> None:
    """Replace the ledger in one step: after a crash it is the old or the new one, never a part."""
    write_file(path, "".join(f"{line_of(r)}\n" for r in records).encode())


def read_bytes(path: Path) -> bytes:
    """The bytes of a file of a study; an InputError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", param="study") from None


def broken(path: Path, number: int) -> InputError:
    return InputError(
        f"The ledger was changed: record {number} does not fit",
        param="study",
        got=str(path),
        fix="Restore the folder from a copy; what was recorded cannot be trusted",
    )
