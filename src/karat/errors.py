"""One family of errors: what is wrong, what was given, what to do."""

from __future__ import annotations


class KaratError(Exception):
    """The parent of every error that karat raises on purpose."""


class InputError(KaratError, ValueError):
    """The input is wrong: the message says what, what was given and what to do."""

    def __init__(self, what: str, *, got: object = None, do: str = "") -> None:
        parts = [what.rstrip(".") + "."]
        if got is not None:
            parts.append(f"Got {got}.")
        if do:
            parts.append(do.rstrip(".") + ".")
        super().__init__(" ".join(" ".join(parts).split()))  # one line, whatever a library said


class UndefinedError(InputError):
    """The estimate does not exist for these fits, e.g. a case that no rule left out."""


class FitError(KaratError, RuntimeError):
    """Too many fits failed, or the fit on all cases did."""


class KaratWarning(UserWarning):
    """Something the reader of the numbers should know."""
