"""Commands from functions: the options of a command, their types, choices, defaults and help are those of parameters of the
library, read from signatures and numpydoc docstrings. One table names those whose option is called otherwise."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import typer

from trueness.errors import InputError, TruenessError, visible
from trueness.result.notes import Note
from trueness.result.shown import Result

R = TypeVar("R")
Answers = Result | Iterator[tuple[str, Result, Mapping[str, Any] | None]] | None
"""What a command gives: a result, several by name with the options of their reports (None: no report), or nothing."""

NAMES = {
    "rng": "seed",
    "n_jobs": "jobs",
    "metrics": "metric",
    "systems": "system",
    "components": "component",
    "readers": "reader",
    "predictions": "prediction",
    "json_file": "json",
    "csv_file": "csv",
    "scores_file": "scores",
    "format_": "format",
    "all_": "all",
    "list_": "list",
    **dict.fromkeys(("tpf", "fpf", "ppv", "confidence"), "guarantee"),
    **dict.fromkeys(("n_resamples", "n_folds", "n_splits", "repeats"), "plan"),
    **dict.fromkeys(("X_train", "y_train"), "train"),
    **dict.fromkeys(("X_test", "y_test"), "test"),
    **dict.fromkeys(("groups_train", "groups_test"), "groups"),
    **dict.fromkeys(("p", "s1", "s2"), "score"),
    "criterion": "best",
    "passphrase": "key-file",
}
"""The option of a parameter that is called otherwise; commands add their own, as that of y."""
TYPES: dict[str, Any] = {"plan": str, "n_jobs": int}
"""What a word on the command line is, where the types of a parameter are many."""
COLUMNS = (
    "target",
    "label",
    "prediction",
    "predictions",
    "by",
    "groups",
    "drop",
    "truth",
    "reader",
    "case",
    "modality",
)
SIMPLE = (Path, str, bool, int, float)


class Options(NamedTuple):
    """Options that are parameters of a function of the library, and their group in the help."""

    panel: str
    function: Callable[..., Any]
    names: str


class Option(NamedTuple):
    """One option: what typer needs to know."""

    name: str
    type: Any
    default: Any
    help: str
    panel: str | None = None


def helps(function: Callable[..., Any]) -> dict[str, str]:
    """The first sentence about every parameter in a numpydoc docstring."""
    section = (inspect.getdoc(function) or "").partition("Parameters\n----------\n")[2].split("\n\n")[0]
    entries = re.findall(r"^(\S.*)\n((?: +\S.*(?:\n|$))*)", section, re.MULTILINE)
    first = {
        head.partition(" : ")[0]: re.split(r"(?<=[\w\")])\. (?=[A-Z\"])", " ".join(text.split()))[0]
        for head, text in entries
    }
    return {
        name: visible(text.replace("`", "").removesuffix(".") + ".")
        for names, text in first.items()
        for name in names.split(", ")
    }


def type_of(hint: Any) -> Any:
    """What typer reads for the type of a parameter: one of its values, several of them, or one of a few words."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    for part in parts:
        if get_origin(part) is Literal:
            return Enum("Choice", {str(word): word for word in get_args(part)})
    within = [part for part in parts if get_origin(part) in (list, Sequence, Iterable)]
    known = {*parts, *(each for part in within for each in (*get_args(part), *get_args(get_args(part)[0])))}
    one: Any = next((each for each in SIMPLE if each in known), str)
    return list[one] if within else one


def options_of(function: Callable[..., Any], panel: str | None = None, names: str = "") -> Iterator[Option]:
    """The parameters of a function as options: all keywords, or those that are named."""
    said, wanted = helps(function), names.split()
    whole = inspect.unwrap(function)
    for name, p in inspect.signature(function).parameters.items():
        if name in wanted if wanted else p.kind is p.KEYWORD_ONLY:
            own = type(name, (), {"__annotations__": {name: p.annotation}})
            of = TYPES.get(name) or type_of(get_type_hints(own, whole.__globals__)[name])
            default = None if isinstance(p.default, tuple) else p.default
            yield Option(name, of, default, said.get(name, ""), panel)


@dataclass(frozen=True)
class Command:
    """A command: a function that gets what was `Given`, its arguments (positional) and its own options (keywords)."""

    function: Callable[..., Answers]
    shared: tuple[Options, ...]
    renamed: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.function.__name__.rstrip("_").replace("_", "-")

    @cached_property
    def options(self) -> dict[str, Option]:
        """By parameter: those of the function itself, and those of the library."""
        found = {o.name: o for o in options_of(self.function, None)}
        for panel, function, names in self.shared:
            found |= {o.name: o for o in options_of(function, panel, names) if o.name not in found}
        return found

    @cached_property
    def own(self) -> list[str]:
        """Options of the function itself."""
        return [name for name, p in inspect.signature(self.function).parameters.items() if p.kind is p.KEYWORD_ONLY]

    @cached_property
    def arguments(self) -> dict[str, inspect.Parameter]:
        found = inspect.signature(self.function).parameters.items()
        return {name: p for name, p in found if p.kind is p.POSITIONAL_ONLY and name != "given"}

    def flag(self, param: str | None) -> str | None:
        """The option of a parameter, or the argument; None where the command has none."""
        name = self.renamed.get(param or "", NAMES.get(param or "", param or "")).replace("_", "-")
        if param in self.arguments or name in self.arguments:
            return name.upper()
        known = {self.renamed.get(each, NAMES.get(each, each)).replace("_", "-") for each in self.options}
        return f"--{name}" if name in known else None

    def message(self, error: TruenessError) -> str:
        """The error with the option of its parameter before it."""
        about, said = error.about or self.flag(error.param), error.message()
        for named in (error.param, (about or "").removeprefix("--")):  # once is enough
            said = said.removeprefix(f"{named}: ")
        return f"{about}: {said}" if about else said

    def signature(self) -> inspect.Signature:
        """What typer makes the command of."""
        hints, said = get_type_hints(self.function), helps(self.function)
        found: list[tuple[str, Any, Any]] = []
        for name, p in self.arguments.items():
            info = typer.Argument(help=said.get(name), metavar=name.upper())
            found.append((name, Annotated[type_of(hints[name]), info], p.default))
        for name, o in self.options.items():
            flag = self.flag(name) or ""
            flags = [f"{flag}/--no-{flag[2:]}" if o.default is True else flag, *["-q"] * (name == "quiet")]
            metavar = "COLUMN" if name in COLUMNS and o.type in (str, list[str]) else None
            more: Any = {} if o.type is bool else {"metavar": metavar}
            option = typer.Option(*flags, help=o.help, rich_help_panel=o.panel, **more)
            found.append((name, Annotated[o.type, option], o.default))
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Signature([inspect.Parameter(n, kind, default=d, annotation=a) for n, a, d in found])


@dataclass
class Given:
    """What a command was given, and what it says beside its result."""

    command: Command
    values: dict[str, Any]  # by parameter; not those that were left out
    failed: bool = False
    told: tuple[Note, ...] = ()  # notes that stand above the result already

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name)

    @property
    def format(self) -> str:
        return self["format_"] or "text"

    @property
    def progress(self) -> bool | None:
        """Whether to show progress: on a terminal, unless the command was asked to be quiet."""
        return False if self["quiet"] else None

    def to(self, function: Callable[..., R], *arguments: Any, **more: Any) -> R:
        """Call a function of the library with the options that are its parameters."""
        shared = {name for _, _, names in self.command.shared for name in names.split()}
        known = shared & set(inspect.signature(function).parameters)
        return function(*arguments, **{name: self.values[name] for name in known if name in self.values} | more)

    def only(self, names: Iterable[str], problem: str) -> None:
        """An error where another option was given than these."""
        defaults = {name: option.default for name, option in self.command.options.items()}
        for name, value in self.values.items():
            if name not in names and name in defaults and value != getattr(defaults[name], "value", defaults[name]):
                raise InputError(problem, param=name, fix="Leave it out")

    def say(self, text: str) -> None:
        """A remark beside the result: on standard error where a program may read standard output."""
        if not self["quiet"]:
            typer.echo(visible(text), err=self.format != "text")

    def fail(self, error: TruenessError) -> None:
        """Tell an error about a part of the answer; the rest is still worth having."""
        self.failed = True
        typer.echo(f"trueness: {self.command.message(error)}", err=True)


COMMANDS: dict[str, Command] = {}
"""By name; a file adds its own when it is imported."""


def command(*shared: Options, **renamed: str) -> Callable[[Callable[..., Answers]], Callable[..., Answers]]:
    """Declare a command: options of the library, and those that are called otherwise than the parameters of the library, as
    y="label"."""

    def declare(function: Callable[..., Answers]) -> Callable[..., Answers]:
        made = Command(function, shared, renamed)
        COMMANDS[made.name] = made
        return function

    return declare
