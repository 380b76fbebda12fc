"""Test sets that stay sealed: split and encrypt, open once, keep a ledger of every opening."""

from __future__ import annotations

from trueness.sealed.seal import seal
from trueness.sealed.unseal import Opening, unseal
from trueness.sealed.verify import Ledger, verify

__all__ = ["Ledger", "Opening", "seal", "unseal", "verify"]
