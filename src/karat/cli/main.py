"""karat on the command line. Commands live in files of their own and import their rooms when they run."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import click
import typer

from karat.cli.assess import assess
from karat.cli.demo import demo
from karat.errors import KaratError, KaratWarning

app = typer.Typer(
    name="karat",
    help="How good is a classifier really, how sure are we, and is it better than the other one?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(assess)
app.command()(demo)


def _version(wanted: bool) -> None:
    if wanted:
        from karat import __version__

        typer.echo(f"karat {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    pass


def _show_warning(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, KaratWarning):
        typer.echo(f"Warning: {message}", err=True)


def run(arguments: list[str] | None = None) -> int:
    """Exit code: 0 done, 2 the input was wrong, 1 anything else, 130 interrupted."""
    warnings.showwarning = _show_warning
    try:
        code = app(arguments, standalone_mode=False)
    except KaratError as error:
        typer.echo(f"karat: {error}", err=True)
        return 2
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        typer.echo("karat: interrupted", err=True)
        return 130
    return int(code or 0)


def main() -> None:
    sys.exit(run())
