"""trueness on the command line. Commands live in files of this folder, under `@command`; `TABLE` lists them, so that
`trueness --help` loads none."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Collection
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer

from trueness.errors import TruenessError, visible
from trueness.version import __version__

if TYPE_CHECKING:
    from trueness.cli.command import Command

TABLE = {
    "Start here": {
        "demo": ("study", "Assess and compare two models, as an example."),
        "check": (
            "cases",
            "Look for leaks.",
        ),
        "assess": ("cases", "How good is each model, and how sure is that?"),
        "compare": ("cases", "Is one model better, and how sure is that?"),
        "validate": (
            "cases",
            "Correct measures of probabilities for optimism.",
        ),
    },
    "With scores, decisions or answers that you have": {
        "roc": ("answers", "ROC curves: AUCs and their differences."),
        "calibration": ("answers", "Calibration of predicted probabilities."),
        "benefit": ("answers", "Net benefit over thresholds of risk."),
        "diagnose": ("answers", "Measures of true and decided classes."),
        "compare-systems": ("answers", "Compare systems on the same items."),
        "readers": ("answers", "Reader studies (MRMC)."),
        "subgroups": ("answers", "A metric in every group of cases."),
    },
    "Studies": {
        "size": ("answers", "Number of cases for a study."),
        "two-sets": ("cases", "Assess a model on an independent test set."),
        "seal": ("study", "Split a table; the test set is encrypted."),
        "unseal": ("study", "Assess the declared model on the sealed test set."),
        "verify": ("study", "Check a sealed study."),
    },
    "More": {
        "help": ("study", "Show the documentation."),
        "runs": ("study", "List the runs in a store."),
        "study": ("study", "Reproduce a published table."),
    },
}
"""By panel of the help: commands, the file of each, and what it does."""
INTERRUPTED = 130  # exit code


def guarded(command: Command) -> Callable[..., None]:
    """The function that typer makes a command of. A user's mistake is one message and exit code 2, an interrupt is 130."""

    from trueness.cli.command import Given
    from trueness.cli.output import check_given, deliver, telling

    def run_command(**options: Any) -> None:
        values = {name: value.value if isinstance(value, Enum) else value for name, value in options.items()}
        arguments = [values.pop(name) for name in command.arguments]
        given = Given(command, {name: value for name, value in values.items() if value not in (None, [])})
        try:
            check_given(given, arguments)
            with telling(given):
                answer = command.function(given, *arguments, **{name: values[name] for name in command.own})
                given.to(deliver, answer, given)
        except TruenessError as error:
            given.fail(error)
        except KeyboardInterrupt:
            typer.echo("trueness: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        if given.failed:
            raise typer.Exit(2)

    signature = command.signature()
    run_command.__signature__ = signature  # type: ignore[attr-defined]
    run_command.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
    run_command.__doc__ = (command.function.__doc__ or "").partition("    Parameters\n")[0]
    return run_command


FIRST_STEPS = """\
trueness demo                                 an example, in a few seconds
trueness check data.csv --target outcome      are there leaks?
trueness assess data.csv --target outcome     how good is a model?
trueness compare data.csv --target outcome --model lda --model forest
trueness roc scores.csv --label outcome --score s
trueness diagnose --tp 10 --fn 5 --fp 24 --tn 61

trueness --help lists all commands, trueness COMMAND --help explains one."""


def _start(ctx: typer.Context, version: bool = typer.Option(False, "--version", help="Show the version.")) -> None:
    if version or ctx.invoked_subcommand is None:
        typer.echo(f"trueness {__version__}" if version else FIRST_STEPS)
        raise typer.Exit()


def application(used: Collection[str] | None = None) -> typer.Typer:
    """The whole command line; only the commands that are used, by default all, have options."""
    app = typer.Typer(
        name="trueness",
        help="How good is a model, how sure are we, and is it better than another one?",
        epilog="Exit codes: 0 done, 2 the input was wrong, 130 interrupted, 1 anything else.",
        invoke_without_command=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    app.callback()(_start)
    for panel, commands in TABLE.items():
        for name, (file, does) in commands.items():
            if used is None or name in used:
                import_module(f"trueness.cli.{file}")
                from trueness.cli.command import COMMANDS

                app.command(name, rich_help_panel=panel)(guarded(COMMANDS[name]))
            else:
                app.command(name, help=does, rich_help_panel=panel)(lambda: None)
    return app


def run(arguments: list[str] | None = None) -> int:
    """Run a command. Exit code: 0 done, 2 the input was wrong, 1 anything else, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):  # a terminal without these characters shows question marks
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings():  # those of trueness are notes
            warnings.simplefilter("ignore")
            words = sys.argv[1:] if arguments is None else arguments
            application(words[:1])(arguments)
    except SystemExit as done:
        return int(done.code or 0)
    except OSError as error:  # e.g. a full disk; a closed pipe is an exit of typer
        parts = ("trueness", error.strerror or str(error), error.filename)
        with contextlib.suppress(OSError):  # standard error may be full, too
            typer.echo(visible(": ".join(str(part) for part in parts if part)), err=True)
        return 1
    return 0


def main() -> None:
    """Entry point of the `trueness` script."""
    code = run()
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # Python would write the rest at exit, and complain
        code = 1
    sys.exit(code)


if __name__ == "__main__":
    main()
