"""What is checked before the work, so that hours of it are not lost to a slip; and how its results are written."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from karat.errors import InputError

PAGE = (".html", ".htm")
PICTURE = (".png", ".svg")


def check_level(level: float) -> None:
    """An error unless --level lies between 0 and 1."""
    if not 0 < level < 1:
        raise InputError("--level must lie between 0 and 1", got=f"{level:g}", fix="Use e.g. --level 0.95")


def check_output(option: str, path: Path | None, endings: tuple[str, ...] = (), data: Path | str | None = None) -> None:
    """An error where the file that an option names cannot be written, or is the one that holds the data, or has none of
    the `endings` of its kind."""
    if path is None:
        return
    if data is not None and path.exists() and Path(data).exists() and path.samefile(data):
        raise _no_place(f"{option} {path} is the file that the data are in", "Name another file")
    if path.is_dir():
        raise _no_place(f"{option} {path} is a folder", "Name a file in it")
    _check_folder(option, path, path.absolute().parent)
    if endings and path.suffix.lower() not in endings:
        wanted = path.with_suffix(endings[0]).name
        raise InputError(
            f"{option} writes a file whose name ends in {' or '.join(endings)}",
            got=str(path),
            fix=f"Name it e.g. {wanted}",
        )


def check_output_folder(option: str, path: Path | None) -> None:
    """An error where a folder cannot be made, or written in, at the place that an option names."""
    if path is None:
        return
    there = path.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    _check_folder(option, path, there)


def _check_folder(option: str, path: Path, folder: Path) -> None:
    if not folder.exists():
        raise _no_place(f"{option} {path}: there is no folder {folder}", "Make the folder first, or choose another")
    if not folder.is_dir():
        raise _no_place(f"{option} {path}: {folder} is a file, not a folder", "Choose another place")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise _no_place(f"{option} {path}: no permission to write there", "Choose another place")


def _no_place(why: str, fix: str) -> InputError:
    return InputError("the results cannot be written", got=why, fix=fix)


def write(path: Path, text: str) -> None:
    """Write a file; an error in words where that fails."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _no_place(f"{path}: {error.strerror}", "") from None


def write_and_say(path: Path, text: str) -> None:
    """Write a file, and say where."""
    write(path, text)
    typer.echo(f"Wrote {path}")
