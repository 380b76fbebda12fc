"""trueness on the command line. Commands live in files of this folder, under `@command`, and import their rooms when they
run."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import FrameType
from typing import Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from trueness.cli.options import columns
from trueness.cli.spelling import DECLARED, PANELS, running, tell
from trueness.errors import TruenessError, TruenessWarning, visible

MOST_LISTED = 20  # columns
OTHER_SPELLINGS = {
    "--cv": "--plan",
    "--scoring": "--metric",
    "--pos-label": "--positive",
    "--random-state": "--seed",
    "--n-jobs": "--jobs",
    "--target": "--label",
    "--label": "--target",
    "--cluster": "--groups",
    "--cutoff": "--threshold",
    "--folds": "--plan",
    "--model": "--system",
    "--response": "--label",
    "--predictor": "--score",
    "--outcome": "--label",
    "--truth": "--label",
    "--probability": "--score",
    "--conf-level": "--level",
    "--ignore": "--drop",
    "--exclude": "--drop",
}
"""Options of other programs or commands, and what they are called where a command does not have them."""


ONE_VALUE = ("COLUMN", "METRIC")


UsageError: type[Exception] = typer.BadParameter.__mro__[1]
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


class _Plain:
    """Usage without braces; flags without a type."""

    def get_params(self, ctx: object) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params

    def collect_usage_pieces(self, ctx: object) -> list[str]:
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [piece.replace("{", "").replace("}", "") for piece in pieces]


class Command(_Plain, TyperCommand):
    """A command of trueness; where the name of a column is missing, it lists the columns of the table, and an option that
    names one column or metric is refused where it is given twice: only the last would count."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given = list(args)  # the parser takes from the list
        known_options = {name for param in self.get_params(ctx) for name in param.opts}
        for flag in (word.partition("=")[0] for word in given):
            own = OTHER_SPELLINGS.get(flag)
            if own in known_options and flag not in known_options:
                raise typer.BadParameter(f"There is no option {flag}. It is called {own}", ctx=ctx)
        try:
            rest = super().parse_args(ctx, args)
        except typer.BadParameter as error:
            known = columns(ctx, "") if getattr(error.param, "metavar", "") == "COLUMN" else []
            if known:
                listed = ", ".join(known[:MOST_LISTED])
                more = f", …, {known[-1]}" if len(known) > MOST_LISTED else ""  # the last is often the target
                error.message = visible(f"Columns: {listed}{more}")
            elif (value := _value_of(error.param, given)) and DECIMAL_COMMA.fullmatch(value):
                error.message = f"{value!r} is not a number. Write a decimal point: {value.replace(',', '.')}"
            raise
        except UsageError as error:
            said: Any = error
            if said.message.startswith("Got unexpected extra argument") and len(_files(given)) > 1:
                joined = "Join the files into one table, with a column that says which rows are from which"
                said.message = f"One table at a time. Got {', '.join(_files(given))}. {joined} (as --groups)"
            raise
        order = self.make_parser(ctx).parse_args(given)[2]
        for param in order:
            if (
                isinstance(param, TyperOption)
                and param.metavar in ONE_VALUE
                and not param.multiple
                and order.count(param) > 1
            ):
                raise typer.BadParameter("It takes one value, and is given more than once", ctx=ctx, param=param)
        return rest


def _value_of(param: Any, words: list[str]) -> str:
    """The value that a command line has for an option; "" where it is not found."""
    for word, value in zip(words, [*words[1:], ""], strict=False):
        name, _, own = word.partition("=")
        if name in getattr(param, "opts", ()):
            return own or value
    return ""


def _files(words: list[str]) -> list[str]:
    """The words of a command line that are files."""
    return [word for word in words if os.path.isfile(word)]


class Group(_Plain, TyperGroup):
    """trueness itself."""


INTERRUPTED = 130  # exit code
SAME = 1.0  # seconds within which another Ctrl-C is the same one: a key held down, a wrapper that passes it on


class Interrupts:
    """What SIGINT does. A second one must not break into the clean-up of the first, where Python would print what it
    ignored and go on."""

    def __init__(self) -> None:
        self.first: float | None = None
        self.said = False

    def install(self) -> None:
        """From now on, in this process; workers leave Ctrl-C to it, and end with it."""
        signal.signal(signal.SIGINT, self._arrived)
        sys.unraisablehook = self._ignored

    def say(self, more: str = "") -> None:
        """One line."""
        self.said = True
        typer.echo(f"trueness: interrupted{more}", err=True)

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self.first is None:
            self.first = now
            raise KeyboardInterrupt
        if now - self.first > SAME:
            self._leave()

    def _ignored(self, what: sys.UnraisableHookArgs) -> None:
        """Where an interrupt arrived in a place that cannot raise it, such as `__del__`, nothing else would end."""
        if issubclass(what.exc_type, KeyboardInterrupt):
            self._leave()
        sys.__unraisablehook__(what)

    def _leave(self) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\x1b[?25h")  # a progress bar hides the cursor
        if not self.said:
            self.say()
        os._exit(INTERRUPTED)


interrupts = Interrupts()


app = typer.Typer(
    name="trueness",
    cls=Group,
    help="How good is a model, how sure are we, and is it better than another one?",
    epilog="Exit codes: 0 done, 2 the input was wrong, 130 interrupted, 1 anything else.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def register(command: Callable[..., None], panel: str) -> None:
    """Make a function a command. A user's mistake is one message and exit code 2, an interrupt is 130."""

    @functools.wraps(command)
    def guarded(**options: object) -> None:
        with running(command, options):
            try:
                import_module("trueness.public")
                command(**options)
            except TruenessError as error:
                tell(error)
                raise typer.Exit(2) from None
            except KeyboardInterrupt:
                interrupts.say(_go_on(options))
                raise typer.Exit(INTERRUPTED) from None

    app.command(cls=Command, rich_help_panel=panel)(guarded)


def _go_on(options: Mapping[str, object]) -> str:
    """How an interrupted run can be continued, where the command can keep its fits."""
    if "store" not in options:
        return ""
    if options["store"] is None:
        return "; with --store FILE the next run goes on where that one ended"
    return "; run the same command again to go on"


for _file in ("assess", "data", "diagnose", "predictions", "roc", "study"):  # declare the commands
    import_module(f"trueness.cli.{_file}")
COMMANDS = {
    panel: [each.function for each in sorted(DECLARED.values(), key=lambda each: each.place) if each.panel == panel]
    for panel in PANELS
}
for _panel, _commands in COMMANDS.items():
    for _command in _commands:
        register(_command, _panel)

FIRST_STEPS = """\
trueness tells how good a classifier is, how sure that is, and whether another one is better.

You have a table with a column of labels:
  trueness check data.csv --target outcome      are there leaks in it?
  trueness assess data.csv --target outcome     how good is a model?
  trueness compare data.csv --target outcome --model lda --model forest

You have labels and scores, or counts of right and wrong decisions:
  trueness roc scores.csv --label outcome --score s
  trueness calibration probabilities.csv --label outcome --score p      (and: trueness benefit)
  trueness diagnose --tp 10 --fn 5 --fp 24 --tn 61

Or see an example first, in a few seconds:
  trueness demo

trueness --help lists all commands, trueness COMMAND --help explains one,
trueness help explains the words of the tables and shows the documentation."""


def _version(wanted: bool) -> None:
    if wanted:
        from trueness.version import __version__

        typer.echo(f"trueness {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    ctx: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(FIRST_STEPS)


def _warnings_once() -> Callable[..., None]:
    """Shows each warning of trueness once, parameters spelled as options; warnings of other libraries are not shown."""
    shown: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        said = str(message.args[0] if isinstance(message, Warning) and message.args else message)
        if not issubclass(category, TruenessWarning) or said in shown:
            return
        shown.add(said)
        with contextlib.suppress(OSError):  # a full standard error stops no work
            typer.echo(f"Warning: {said}", err=True)

    return show


def run(arguments: list[str] | None = None) -> int:
    """Run a command. Exit code: 0 done, 2 the input was wrong, 1 anything else, 130 interrupted."""
    warnings.showwarning = _warnings_once()
    for stream in (sys.stdout, sys.stderr):  # a terminal without these characters shows question marks
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        app(arguments)
    except SystemExit as done:
        return int(done.code or 0)
    except OSError as error:  # a closed pipe is none
        return _failed(error)
    return 0


class Piped:
    """Standard output or error. Where its reader has gone, as after `| head -1`, the rest is not written, and the command
    goes on: it may have files to write."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._quietly():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._quietly():
            self._stream.flush()

    @contextlib.contextmanager
    def _quietly(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


def _failed(error: OSError) -> int:
    """One line about what the system refused, e.g. writing to a full disk, and the exit code."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    what = "the output cannot be written: " if full else ""
    where = f": {error.filename}" if error.filename else ""
    with contextlib.suppress(OSError):  # standard error may be full, too
        typer.echo(visible(f"trueness: {what}{error.strerror or error}{where}"), err=True)
    return 1


def main() -> None:
    """Entry point of the `trueness` script."""
    interrupts.install()
    if sys.stdout is not None and sys.stderr is not None:
        sys.stdout, sys.stderr = Piped(sys.stdout), Piped(sys.stderr)
    code = run()
    if code == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Python sets the handlers back before it has ended
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        code = code or _failed(error)
        # Python would try to write the rest once more at exit, and complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


if __name__ == "__main__":
    main()
