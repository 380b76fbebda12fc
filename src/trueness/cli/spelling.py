"""Errors, notes and warnings on the command line: parameters of the library are spelled as options of the command."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from trueness.errors import TruenessError

SEED_AND_JOBS = {"rng": "seed", "n_jobs": "jobs"}
PLAN = dict.fromkeys(("n_resamples", "n_folds", "n_splits", "repeats", "test_size"), "plan")

START, OWN, STUDIES, MORE = PANELS = (
    "Start here",
    "With scores, decisions or answers that you have",
    "Studies",
    "More",
)


@dataclass(frozen=True)
class DeclaredCommand:
    """A command, where it stands in the help, and parameters of the library whose option has another name."""

    function: Callable[..., None]
    panel: str
    place: int
    renamed: Mapping[str, str]


DECLARED: dict[str, DeclaredCommand] = {}
"""By the name of the function."""


def command(panel: str, place: int, **renamed: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare a command: its panel in the help, its place there, and options that are called otherwise than the
    parameters of the library, as `y="label"`."""

    def declare(function: Callable[..., None]) -> Callable[..., None]:
        DECLARED[function.__name__] = DeclaredCommand(function, panel, place, renamed)
        return function

    return declare


# options that name a column: shown with its name
COLUMNS = ("target", "label", "prediction", "by", "groups", "truth", "cluster_by", "run")


@dataclass(frozen=True)
class Running:
    """The running command."""

    flags: Mapping[str, str]  # "--seed" of `seed`; "DATA" of an argument
    given: Mapping[str, object]  # what was given, by name
    renamed: Mapping[str, str]  # what it declares

    def flag(self, param: str) -> str | None:
        """The option of a parameter, with the column that it names; None where the command has none."""
        name = self.renamed.get(param, param)
        column = self.given.get(name)
        if name in self.flags and name in COLUMNS and isinstance(column, str):
            return f"{self.flags[name]} {shlex.quote(column)}"
        return self.flags.get(name)


_RUNNING: ContextVar[Running | None] = ContextVar("running", default=None)


@contextmanager
def running(command: Callable[..., None], given: Mapping[str, object]) -> Iterator[None]:
    """While a command runs, `spell` and `message` knows its options."""
    declared = DECLARED.get(command.__name__)
    state = Running(_flags(command), given, {} if declared is None else declared.renamed)
    before = _RUNNING.set(state)
    try:
        yield
    finally:
        _RUNNING.reset(before)


def given(name: str, default: object = None) -> Any:
    """The value of an option of the running command; the default where it has none."""
    state = _RUNNING.get()
    return default if state is None else state.given.get(name, default)


def _flags(command: Callable[..., None]) -> dict[str, str]:
    flags = {}
    for name, hint in get_type_hints(command, include_extras=True).items():
        for info in getattr(hint, "__metadata__", ()):
            if isinstance(info, ArgumentInfo):
                flags[name] = str(info.metavar or name.upper())
            elif isinstance(info, OptionInfo):
                named = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
                flags[name] = named[0] if named else f"--{name.replace('_', '-')}"
    return flags


def message(error: TruenessError) -> str:
    """The error as the command line shows it: `--positive: <problem>. Got …. <fix>.`"""
    state = _RUNNING.get()
    flag = state.flag(error.param) if state is not None and error.param is not None else None
    about, said = error.about or flag, error.message()
    if not about:
        return said
    for named in (error.param, about.removeprefix("--")):  # once is enough
        said = said.removeprefix(f"{named}: ")
    return f"{about}: {said}"


def tell(error: TruenessError) -> None:
    """Show an error on standard error."""
    typer.echo(f"trueness: {message(error)}", err=True)
