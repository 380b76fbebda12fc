"""One family of errors: what is wrong, what was given, what to do."""

from __future__ import annotations


class KaratError(Exception):
    """The parent of every error that karat raises on purpose."""


class InputError(KaratError, ValueError):
    """The input is wrong: the message says what, what was given and what to do."""

    def __init__(self, what: str, *, got: object = None, do: str = "") -> None:
        parts = [what, "" if got is None else f"Got {got}", do]
        super().__init__(" ".join(_sentence(part) for part in parts if part))


def _sentence(text: str) -> str:
    """One line with one stop at its end, whatever a library said."""
    line = " ".join(text.split())
    return line if line.endswith((".", "?", "!")) else f"{line}."


class UndefinedError(InputError):
    """The estimate does not exist for these fits, e.g. a case that no rule left out."""


class FitError(KaratError, RuntimeError):
    """Too many fits failed, or the fit on all cases did."""


class KaratWarning(UserWarning):
    """Something the reader of the numbers should know."""
