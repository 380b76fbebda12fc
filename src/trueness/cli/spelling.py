"""Errors, notes and warnings on the command line: parameters of the library are spelled as options of the command."""

import ast
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from trueness.errors import SPELLING, TruenessError

SEED_AND_JOBS = {"rng": "seed", "n_jobs": "jobs"}
PLAN = dict.fromkeys(("n_resamples", "n_folds", "n_splits", "repeats", "test_size"), "plan")
OPERATING = {"criterion": "best", **dict.fromkeys(("tpf", "fpf", "ppv", "confidence"), "guarantee")}
VALUES = dict.fromkeys(("auc", "auc1", "auc2", "error", "error1", "error2", "p"), "value")

OPTIONS: Mapping[str, Mapping[str, str]] = {
    "assess": {"y": "target", "metrics": "metric", **PLAN, **SEED_AND_JOBS},
    "compare": {"y": "target", "models": "model", **PLAN, **SEED_AND_JOBS},
    "compare_systems": {
        "frame": "items",
        "source": "items",
        "systems": "system",
        "cluster": "cluster_by",
    },
    "benefit": {"y": "label", "p": "score"},
    "calibration": {"y": "label", "p": "score"},
    "check": {"y": "target", "X_test": "test"},
    "demo": SEED_AND_JOBS,
    "diagnose": {"y": "label", "predictions": "prediction"},
    "readers": {"frame": "data"},
    "roc": {
        "y": "label",
        "scores": "score",
        "s1": "score",
        "s2": "score",
        "method": "band",
        "criterion": "best",
        **dict.fromkeys(("tpf", "fpf", "ppv", "confidence"), "guarantee"),
    },
    "seal": {"rng": "seed", "y": "target", "passphrase": "key_file"},
    "size": {
        "y": "label",
        "components": "component",
        "difference": "value",
        "readers": "reader",
        **VALUES,
        **dict.fromkeys(("s1", "s2", "p1", "p2"), "score"),
    },
    "subgroups": {"y": "label", "scores": "score", "predictions": "prediction"},
    "unseal": {"metrics": "metric", "passphrase": "key_file"},
    "study": {**SEED_AND_JOBS, "store": "out"},
    "two_sets": {
        "X_train": "train",
        "y_train": "train",
        "X_test": "test",
        "y_test": "test",
        "groups_train": "groups",
        "groups_test": "groups",
        **PLAN,
        **SEED_AND_JOBS,
    },
}
"""By command: parameters of the library whose option has another name; a command without them needs no row."""

# options that name a column: shown with its name
COLUMNS = ("target", "label", "prediction", "by", "groups", "truth", "cluster_by", "run")


@dataclass(frozen=True)
class Running:
    """The running command."""

    flags: Mapping[str, str]  # "--seed" of `seed`; "DATA" of an argument
    given: Mapping[str, object]  # what was given, by name
    renamed: Mapping[str, str]  # its row of OPTIONS

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
    """While a command runs, `spell` and `message` know its options, and notes and errors name them in every format."""
    state = Running(_flags(command), given, OPTIONS.get(command.__name__, {}))
    before, spelling = _RUNNING.set(state), SPELLING.set(spell)
    try:
        yield
    finally:
        SPELLING.reset(spelling)
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
                flags[name] = name.upper()
            elif isinstance(info, OptionInfo):
                named = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
                flags[name] = named[0] if named else f"--{name.replace('_', '-')}"
    return flags


def spell(param: str, value: str) -> str:
    """`--positive sick` for positive='sick'; Python where the command has no such option."""
    state = _RUNNING.get()
    name = param if state is None else state.renamed.get(param, param)
    if state is None or name not in state.flags:
        return f"{param}={value} (in Python)"
    flag = state.flags[name]
    if param in PLAN:  # a part of what --plan says
        return f"{param}={value} in {flag}"
    return f"{flag} {_value(value)}" if value else flag


def _value(value: str) -> str:
    """What to type for a value that Python writes so: sick for 'sick', kfold:10 for KFold(10)."""
    from trueness import plans

    try:
        parsed = ast.parse(value, mode="eval").body
        if not isinstance(parsed, ast.Call):
            return shlex.quote(str(ast.literal_eval(parsed)))
        named = {str(each.arg): ast.literal_eval(each.value) for each in parsed.keywords}
        plan: plans.Plan = getattr(plans, ast.unparse(parsed.func))(*map(ast.literal_eval, parsed.args), **named)
        return plan.word
    except (SyntaxError, ValueError, AttributeError, TypeError):
        return shlex.quote(value)


def message(error: TruenessError) -> str:
    """The error as the command line shows it: `--positive: <problem>. Got …. <fix>.`"""
    state = _RUNNING.get()
    flag = state.flag(error.param) if state is not None and error.param is not None else None
    about = error.about or flag
    return f"{about}: {error.message()}" if about else error.message()


def tell(error: TruenessError) -> None:
    """Show an error on standard error."""
    typer.echo(f"trueness: {message(error)}", err=True)
