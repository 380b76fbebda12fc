"""Test sets that stay sealed: split and encrypt, open once, keep a ledger of every opening."""

from trueness.sealed.study import Study, seal, verify
from trueness.sealed.unseal import Opening, unseal

__all__ = ["Opening", "Study", "seal", "unseal", "verify"]
