"""Encryption: scrypt (Percival 2009) makes a key of a passphrase or a key file, Fernet (cryptography) does the rest."""

from __future__ import annotations

import base64
import hashlib
import importlib
from pathlib import Path
from typing import Any

from trueness.checks import path_of
from trueness.errors import InputError, Setting

SCRYPT = {"n": 2**15, "r": 8, "p": 1}  # 32 MB
MIN_SECRET = 8  # bytes
MEMORY = 2**26

KNOWN = b"trueness"  # encrypted beside the test set, so that a wrong passphrase is found without opening anything


def secret_of(passphrase: str | None, key_file: str | Path | None) -> bytes:
    """The bytes of a passphrase or of a key file; one of them must be given."""
    if (passphrase is None) == (key_file is None):
        raise InputError(
            "One secret is needed: a passphrase or a key file",
            param="passphrase",
            fix=("Pass ", Setting("passphrase"), " or ", Setting("key_file")),
        )
    if passphrase is not None:
        secret, param = str(passphrase).encode(), "passphrase"
    else:
        assert key_file is not None
        try:
            secret, param = path_of("key_file", key_file).read_bytes(), "key_file"
        except OSError as error:
            raise InputError(f"{key_file} cannot be read: {error.strerror}", param="key_file") from None
    if len(secret) < MIN_SECRET:
        what = "passphrase" if param == "passphrase" else "key file"
        raise InputError(f"The {what} is shorter than {MIN_SECRET} bytes", param=param, got=f"{len(secret)} bytes")
    return secret


def box(secret: bytes, salt: bytes) -> Any:
    """Fernet with the key of this secret."""
    fernet = _library("fernet")
    key = hashlib.scrypt(secret, salt=salt, dklen=32, maxmem=MEMORY, **SCRYPT)
    return fernet.Fernet(base64.urlsafe_b64encode(key))


def opened(fernet: Any, token: bytes, problem: str) -> bytes:
    """The content of an encrypted token; an InputError with `problem` where the key does not fit."""
    try:
        return bytes(fernet.decrypt(token))
    except _library("fernet").InvalidToken:
        raise InputError(problem, param="passphrase", fix="Nothing was opened, and nothing was changed") from None


def _library(name: str) -> Any:
    try:
        return importlib.import_module(f"cryptography.{name}")
    except ImportError:
        raise InputError("Sealing needs cryptography", fix="Run pip install cryptography filelock") from None
