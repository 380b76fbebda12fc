"""Functions of files and of other programs' objects, as functions of values that hypothesis can draw and damage."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.sealed.chain import appended, line_of, sha256, write_chain

SECRET = "a passphrase of the fuzzer"
STUDY = ("manifest.json", "ledger.jsonl", "design.csv", "test.sealed")
content = st.none() | st.binary(max_size=60) | st.sampled_from([b"{}", b"[]", b'{"sha256": 1}', b"\n", b"y,a\n0,1\n"])
places = st.integers(0, 400)


@cache
def home() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="trueness-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def table() -> Path:
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    frame = pd.DataFrame({"y": y, "a": rng.normal(size=60) + y, "g": np.arange(60) // 2, "t": np.arange(60)})
    frame.to_csv(home() / "data.csv", index=False)
    return home() / "data.csv"


@cache
def study() -> Path:
    trueness.sealed.seal(table(), "y", out=home() / "study", passphrase=SECRET)
    trueness.sealed.unseal(home() / "study", GaussianNB(), passphrase=SECRET)
    return home() / "study"


def damaged(data: bytes, at: int, new: bytes | None) -> bytes:
    """Some bytes of a file replaced, from somewhere on; all of them where `at` is 0. None leaves it as it is."""
    if new is None:
        return data
    at = min(at, len(data))
    return data[:at] + new + data[at + len(new) :] if at else new


def sealing(
    data: Any = None,
    target: Any = "y",
    test_size: Any = 0.3,
    out: Any = None,
    passphrase: Any = SECRET,
    key_file: Any = None,
    groups: Any = None,
    time: Any = None,
    rng: Any = 0,
) -> Any:
    """`trueness.sealed.seal` of a table into a fresh folder, then removed; a path is never drawn, so that none is written."""
    with tempfile.TemporaryDirectory(dir=home()) as folder:
        source = table() if data is None else data
        if isinstance(data, bytes):
            source = Path(folder) / "data.csv"
            source.write_bytes(data)
        target_folder = Path(folder) / "study" if out is None else out
        if isinstance(out, str):
            target_folder = Path(folder) / out.replace("/", "").replace(".", "")
        options = {"passphrase": passphrase, "key_file": key_file, "groups": groups, "time": time, "rng": rng}
        return trueness.sealed.seal(source, target, test_size=test_size, out=target_folder, **options)


def verifying(name: Any = STUDY[0], at: int = 0, new: bytes | None = None, head: Any = None, study_: Any = None) -> Any:
    """`trueness.sealed.verify` of a study with some bytes changed."""
    if study_ is not None:
        return trueness.sealed.verify(study_, head=head)
    with tempfile.TemporaryDirectory(dir=home()) as folder:
        return trueness.sealed.verify(_copy(folder, name, at, new), head=head)


def forging(field: Any = "design", value: Any = None, head: Any = None) -> Any:
    """`trueness.sealed.verify` of a study of somebody who knows how hashes are made: a field of the manifest or of the first
    record has another value, and all hashes fit."""
    with tempfile.TemporaryDirectory(dir=home()) as folder:
        copy, field, value = _copy(folder, "", 0, None), str(field), _plain(value)
        manifest = json.loads((copy / "manifest.json").read_bytes())
        inner = manifest["key"] if field in manifest["key"] else manifest
        more = {}
        if field in ("event", "time", "opening"):
            more = {field: value}
        else:
            inner[field] = value
        (copy / "manifest.json").write_text(json.dumps(manifest))
        sealed = appended([], "sealed", manifest=sha256((copy / "manifest.json").read_bytes()))[0]
        record = {k: v for k, v in sealed.items() if k != "hash"} | more
        write_chain(copy / "ledger.jsonl", [{**record, "hash": sha256(line_of(record).encode())}])
        return trueness.sealed.verify(copy, head=head)


def _plain(value: Any) -> Any:
    """The value where JSON can write it, else as text."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return str(value)
    return value


def unsealing(
    name: Any = STUDY[0],
    at: Any = 0,
    new: Any = None,
    model: Any = None,
    passphrase: Any = SECRET,
    metrics: Any = "auc",
    positive: Any = None,
    threshold: Any = None,
    level: Any = 0.95,
    again: Any = "fuzz",
) -> Any:
    """`trueness.sealed.unseal` of a study with some bytes changed."""
    with tempfile.TemporaryDirectory(dir=home()) as folder:
        rule = GaussianNB() if model is None else model
        copy = _copy(folder, name, at, new)
        options = {"metrics": metrics, "positive": positive, "threshold": threshold, "level": level, "again": again}
        return trueness.sealed.unseal(copy, rule, passphrase=passphrase, **options)


def _copy(folder: str, name: Any, at: int, new: bytes | None) -> Path:
    copy = Path(shutil.copytree(study(), Path(folder) / "copy"))
    if isinstance(name, str) and name in STUDY and isinstance(at, int) and isinstance(new, bytes):
        (copy / name).write_bytes(damaged((copy / name).read_bytes(), max(at, 0), new))
    return copy


def reading(at: int = 0, new: bytes | None = None, trust: Any = (), suffix: str = ".skops") -> Any:
    """`trueness.files.read_model` of a file with some bytes changed."""
    path = home() / f"model{str(suffix)[:99]}".replace("\0", "")
    path.write_bytes(damaged(_skops(), at, new) if isinstance(at, int) and isinstance(new, bytes) else _skops())
    trueness.files.read_model(path, trust)


@cache
def _skops() -> bytes:
    from skops import io

    rng = np.random.default_rng(0)
    return bytes(io.dumps(LogisticRegression().fit(rng.normal(size=(20, 2)), np.arange(20) % 2)))
