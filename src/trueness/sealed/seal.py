"""seal: split a file into a design set to work with and a test set that stays unseen."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from trueness import __version__
from trueness.checks import check_whole, is_number, path_of, writing
from trueness.errors import InputError, Setting
from trueness.files.table_file import column, read_table
from trueness.result.note import warn_of
from trueness.sample import Sample
from trueness.sample.spellings import refuses_foreign
from trueness.sealed.box import KNOWN, SCRYPT, box, secret_of
from trueness.sealed.chain import appended, read_bytes, sha256, write_chain, write_whole
from trueness.sealed.study import DESIGN, LEDGER, MANIFEST, SEALED, Study, bytes_of, features_of, in_both, read_study
from trueness.typing import Bools

MIN_TEST_CASES = 2  # of each class


@refuses_foreign
def seal(
    data: str | Path,
    target: str,
    test_size: float = 0.3,
    out: str | Path = "study",
    passphrase: str | None = None,
    key_file: str | Path | None = None,
    groups: str | None = None,
    time: str | None = None,
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
        Column with the labels.
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
    if not is_number(test_size) or not 0 < test_size < 1:
        raise InputError("test_size is a share between 0 and 1", param="test_size", got=test_size)
    check_whole("rng", rng, 0)
    if groups is not None and time is not None:
        raise InputError("A split by time cannot keep groups together", param="time", fix="Name one of the two")
    if folder.exists():
        raise InputError(f"{folder} exists already", param="out", fix="Name a folder that does not exist yet")
    table = read_table(str(source))
    y = column(table, target, "target")
    if y.isna().any():
        raise InputError(f"Column {target!r} has missing labels", param="target", fix="Drop these rows first")
    held = _held_out(table, y, test_size, groups, time, rng)
    _check_classes(y, held, Setting("time") if time else Setting("groups") if groups else Setting("test_size"))
    X = features_of(table, target, groups)
    warn_of(*in_both(Sample.of(y[~held], X=X[~held], least=1), X[held]))
    suffix = ".parquet" if source.suffix.lower() in (".parquet", ".pq") else ".csv"
    salt = os.urandom(16)
    fernet = box(secret, salt)
    design = bytes_of(table[~held], suffix)
    token = fernet.encrypt(bytes_of(table[held], suffix))
    name = DESIGN + suffix
    manifest = {
        "trueness": __version__,
        "source": {"name": source.name, "sha256": sha256(read_bytes(source))},
        "target": target,
        "groups": groups,
        "split": {"by": "time" if time else "groups" if groups else "class", "column": time or groups, "seed": rng},
        "design": name,
        "cases": {"design": int((~held).sum()), "test": int(held.sum())},
        "dtypes": {str(c): str(t) for c, t in table.dtypes.items()},
        "missing": [str(c) for c in table.columns[table.isna().any()]],
        "key": {"scrypt": SCRYPT, "salt": salt.hex(), "known": fernet.encrypt(KNOWN).decode()},
        "sha256": {name: sha256(design), SEALED: sha256(token)},
    }
    _write(folder, {name: design, SEALED: token, MANIFEST: json.dumps(manifest, indent=2).encode()})
    return read_study(folder)


def _held_out(
    table: pd.DataFrame, y: pd.Series, share: float, groups: str | None, time: str | None, seed: int
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
    for label in pd.unique(y):
        rows = np.flatnonzero(y == label)
        held[rng.permutation(rows)[: max(1, round(share * len(rows)))]] = True
    return held


def _times(values: pd.Series) -> np.ndarray:
    """Numbers as they are; text as ISO dates, because 03/04/2024 means two days."""
    when = (
        values
        if pd.api.types.is_numeric_dtype(values)
        else pd.to_datetime(values, format="ISO8601", errors="coerce", utc=True)
    )
    if when.isna().any():
        bad = values[when.isna()].iloc[0]
        raise InputError("The times must be numbers or dates such as 2024-12-31", param="time", got=repr(bad))
    return np.asarray(when.astype("int64") if when.dtype.kind == "M" else when)


def _check_classes(y: pd.Series, held: Bools, cause: Setting) -> None:
    for name, part in (("test", y[held]), ("design", y[~held])):
        sizes = part.value_counts().reindex(pd.unique(y), fill_value=0)
        if len(sizes) < 2:
            raise InputError("The target has one class only", param="target", got=repr(sizes.index.tolist()[0]))
        if sizes.min() < MIN_TEST_CASES:
            label = sizes.index.tolist()[int(sizes.argmin())]
            raise InputError(
                f"The {name} set would have {sizes.min()} of class {label!r}; it needs {MIN_TEST_CASES}",
                param=cause.param,
                fix=("Change ", cause),
            )


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """All files or none: they are written beside the folder's place and moved there in one step."""
    with writing(folder, "out"):
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            for name, content in files.items():
                write_whole(fresh / name, content)
            write_chain(fresh / LEDGER, appended([], "sealed", manifest=sha256(files[MANIFEST]), trueness=__version__))
            fresh.chmod(0o755)
            fresh.rename(folder)
        except (OSError, InputError):
            shutil.rmtree(fresh, ignore_errors=True)
            raise
