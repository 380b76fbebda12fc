"""Test sets that stay sealed: split and encrypt, open once, keep a ledger of every opening."""

from __future__ import annotations

from karat.sealed.seal import seal
from karat.sealed.unseal import Opening, unseal
from karat.sealed.verify import Ledger, verify

__all__ = ["Ledger", "Opening", "seal", "unseal", "verify"]
