"""Test sets that stay sealed: split and encrypt, open once, keep a ledger of every opening."""

from trueness.sealed.study import Ledger, seal, verify
from trueness.sealed.unseal import Opening, unseal

__all__ = ["Ledger", "Opening", "seal", "unseal", "verify"]
