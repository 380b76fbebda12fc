"""trueness study: published tables and figures, reproduced."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from trueness.cli import options as o
from trueness.cli.checks import check_output_folder
from trueness.errors import InputError


def study(
    name: Annotated[str | None, typer.Argument(help="Name of the study; --list shows all.")] = None,
    trials: Annotated[int | None, o.plain("N", "Monte-Carlo trials; as published by default.")] = None,
    sizes: Annotated[str | None, o.plain("N,N", "Sample sizes, e.g. 20,50; as published by default.")] = None,
    seed: o.FixedSeed = 0,
    out: Annotated[
        Path | None, o.plain("FOLDER", "Folder for tables, figures, a page and the trials; run again to resume.")
    ] = None,
    jobs: Annotated[
        int, o.plain("N", "Number of parallel workers, -1 for all cores (results do not depend on it).")
    ] = -1,
    show: Annotated[bool, typer.Option("--list", help="List the studies.")] = False,
) -> None:
    """Reproduce a published table or figure beside the original. Exit code 1 where a claim does not hold.

    **Examples**

    - trueness study --list
    - trueness study error-estimators --trials 200 --out results
    """
    from trueness import studies
    from trueness.studies.registry import find

    if show or name is None:
        width = max(map(len, studies.names()))
        for each in studies.names():
            found = find(each)
            typer.echo(f"{each.ljust(width)}  {found.title} ({found.source})")
        return
    check_output_folder("out", out)
    with _terminated_like_interrupted():
        result = studies.run(
            name,
            trials=trials,
            sizes=None if sizes is None else _numbers(sizes),
            rng=seed,
            n_jobs=jobs,
            store=None if out is None else out / "trials.db",
        )
    typer.echo(str(result))
    typer.echo(f"{result.seconds:.1f} s")
    if out is not None:
        for path in result.write(out):
            typer.echo(f"Wrote {path}")
    if not result.checks():
        raise typer.Exit(1)


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM ends the study as Ctrl-C does: workers end too, and finished trials are kept."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # only the main thread may handle signals
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            "sizes must be whole numbers with commas between them",
            param="sizes",
            got=text,
            fix="Use e.g. {sizes='20,50'}",
        ) from None
