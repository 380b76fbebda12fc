"""The version, as citations and ledgers have it."""

__version__ = "0.3.0.dev0"
