"""One family of errors: what is wrong, what was given, what to do."""

from __future__ import annotations

import html
import re
from typing import Self

HIDDEN = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""Characters that move, hide or reorder what stands around them: controls (not line feeds), marks and overrides of the
direction of writing, separators, halves of characters."""


def visible(text: str) -> str:
    """The text with hidden characters of names in it as Python writes them; for terminals and HTML alike.

    >>> print(visible("a\\u202eb\\x1b[2J"))
    a\\u202eb\\x1b[2J
    """
    return HIDDEN.sub(lambda m: repr(m[0])[1:-1], text)


def escape(text: str) -> str:
    """The text for HTML and SVG: `visible`, so that no character reorders what stands around it."""
    return html.escape(visible(text))


MINUS = re.compile(r"(?<!\w)-(?=[\d∞])")


def typeset(text: str) -> str:
    """With real minus signs before numbers, as readers of pages and pictures have them; programs read "-".

    >>> typeset("-0.35 (-0.5 to 1e-05), 632-bootstrap")
    '−0.35 (−0.5 to 1e-05), 632-bootstrap'
    """
    return MINUS.sub("−", text)


class TruenessError(Exception):
    """The parent of every error that trueness raises on purpose.

    Parameters
    ----------
    problem : str
        What is wrong, in one sentence.
    param : str, optional
        The parameter at fault; the command line shows its option.
    got : object, optional
        What was given.
    reason : str, optional
        What another library said.
    fix : str, optional
        What to do, with parameters as Python writes them: "Pass positive='a' or leave groups= out".
    """

    def __init__(
        self, problem: str, *, param: str | None = None, got: object = None, reason: str = "", fix: str = ""
    ) -> None:
        self.problem, self.param, self.got, self.reason, self.fix = problem, param, got, reason, fix
        self.about = ""
        super().__init__(problem)

    def of(self, about: str) -> Self:
        """The same error, about one of several models or columns: `raise error.of("svm")`."""
        self.about = about
        return self

    def message(self) -> str:
        """The whole message: problem, what was given, what to do."""
        got = "" if self.got is None else f"Got {self.got}"
        reason = f"Reason: {self.reason}" if self.reason else ""
        parts = (" ".join(part.split()) for part in (self.problem, got, reason))
        fix = re.sub(r"\s*\n\s*", " ", self.fix)  # blanks in a value stay
        return visible(
            " ".join(part if part.endswith((".", "?", "!")) else f"{part}." for part in (*parts, fix) if part)
        )

    def __str__(self) -> str:
        return f"{visible(self.about)}: {self.message()}" if self.about else self.message()

    def __reduce__(self) -> tuple[object, ...]:  # workers send errors home by pickle
        return _rebuild, (type(self), self.__dict__)


def _rebuild(cls: type[TruenessError], fields: dict[str, object]) -> TruenessError:
    error = cls(str(fields["problem"]))
    error.__dict__.update(fields)
    return error


class InputError(TruenessError, ValueError):
    """The input is wrong: `InputError(problem, param=..., got=..., fix=...)`."""


class UndefinedError(InputError):
    """The estimate does not exist for these fits, for example because no rule left a case out."""


class FitError(TruenessError, RuntimeError):
    """Too many fits failed, or the fit on all cases did; `reason` quotes the model's library."""


class TruenessWarning(UserWarning):
    """Something the reader of the numbers should know."""


class LongRunWarning(UserWarning):
    """A run will take long; issued after the first fits."""
