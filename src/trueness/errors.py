"""One family of errors: what is wrong, what was given, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from trueness.sample.fits import Fits


@dataclass(frozen=True)
class Setting:
    """A parameter with a value to try, as a part of a message: `positive='sick'` in Python, `--positive sick` on the
    command line.

    Attributes
    ----------
    param : str
        Name of the parameter.
    value : object
        What to pass; None names the parameter alone.
    """

    param: str
    value: object = None

    def __str__(self) -> str:
        return f"{self.param}=" if self.value is None else f"{self.param}={self.value!r}"


Text = str | tuple[str | Setting, ...]
"""A sentence, or its parts where it names parameters that each front end spells its own way."""


SPELLING: ContextVar[Callable[[Setting], str]] = ContextVar("spelling", default=str)
"""How parameters are spelled where nothing else is said: as in Python, and while a command runs as its options."""


def render(text: Text, spell: Callable[[Setting], str] | None = None) -> str:
    """The sentence, with every Setting spelled by `spell`; by default as the front end that runs spells it."""
    if isinstance(text, str):
        return text
    spell = spell or SPELLING.get()
    return "".join(spell(part) if isinstance(part, Setting) else part for part in text)


def near(name: object, known: Iterable[str], n: int = 1) -> str:
    """ "Did you mean 'lda'? " for a name that is almost one of the known; "" where none is near."""
    if not isinstance(name, str):
        return ""
    folded = {each.casefold(): each for each in known}
    found = [folded[each] for each in get_close_matches(name.strip().casefold(), folded, n=n)]
    return f"Did you mean {' or '.join(map(repr, found))}? " if found else ""


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
    fix : str or tuple, optional
        What to do. A tuple may hold a `Setting` for each parameter that it names.
    """

    def __init__(
        self, problem: str, *, param: str | None = None, got: object = None, reason: str = "", fix: Text = ""
    ) -> None:
        self.problem, self.param, self.got, self.reason, self.fix = problem, param, got, reason, fix
        self.about = ""
        super().__init__(problem)

    def of(self, about: str) -> Self:
        """The same error, about one of several models or columns: `raise error.of("svm")`."""
        self.about = about
        return self

    def text(self) -> tuple[str | Setting, ...]:
        """The whole message: problem, what was given, what to do; parameters are not spelled yet."""
        got = "" if self.got is None else f"Got {self.got}"
        reason = f"Reason: {self.reason}" if self.reason else ""
        before = " ".join(_sentence(part) for part in (self.problem, got, reason) if part)
        if isinstance(self.fix, str):
            return (f"{before} {_sentence(self.fix)}" if self.fix else before,)
        return f"{before} ", *self.fix, *(() if _ends(render(self.fix)) else (".",))

    def rendered(self, spell: Callable[[Setting], str] | None = None) -> str:
        """The whole message, parameters spelled by `spell`."""
        return render(self.text(), spell)

    def __str__(self) -> str:
        return f"{self.about}: {self.rendered()}" if self.about else self.rendered()

    def __reduce__(self) -> tuple[object, ...]:  # workers send errors home by pickle
        return _rebuild, (type(self), self.__dict__)


def _rebuild(cls: type[TruenessError], fields: dict[str, object]) -> TruenessError:
    error = cls(str(fields["problem"]))
    error.__dict__.update(fields)
    return error


def _sentence(text: str) -> str:
    """One line that ends with one stop, whatever a library said."""
    line = " ".join(text.split())
    return line if _ends(line) else f"{line}."


def _ends(text: str) -> bool:
    return text.endswith((".", "?", "!"))


class InputError(TruenessError, ValueError):
    """The input is wrong: `InputError(problem, param=..., got=..., fix=...)`."""


class UndefinedError(InputError):
    """The estimate does not exist for these fits, for example because no rule left a case out."""


class FitError(TruenessError, RuntimeError):
    """Too many fits failed, or the fit on all cases did; `reason` quotes the model's library."""


class Interrupted(KeyboardInterrupt):
    """A run was interrupted.

    Parameters
    ----------
    fits : Fits or None
        Those of the shorter design that is complete; None where there is none.
    done, of : int
        Fits that were finished, and those that were asked for.
    """

    def __init__(self, fits: Fits | None, done: int, of: int) -> None:
        super().__init__(f"Interrupted after {done} of {of} fits.")
        self.fits, self.done, self.of = fits, done, of


class TruenessWarning(UserWarning):
    """Something the reader of the numbers should know."""
