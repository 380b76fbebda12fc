"""What is checked before the work starts, so that hours are not lost to a typing mistake."""

from __future__ import annotations

import os
from pathlib import Path

from trueness.checks import check_level, check_workers, path_of
from trueness.cli.spelling import given
from trueness.errors import InputError

OUTPUTS = {"report": (".html", ".htm"), "plot": (".png", ".svg"), "json_file": (), "csv_file": (), "store": ()}
"""Options that name a file to write, and how its name must end."""


def check_given(*data: str | None) -> None:
    """An error where the running command was given a level, workers or files to write that cannot be; no file may be
    one with the data."""
    if (level := given("level")) is not None:
        check_level(level)
    if (jobs := given("jobs")) is not None:
        check_workers(jobs)
    for param, endings in OUTPUTS.items():
        for source in data or (None,):
            check_output(param, given(param), endings, source)


def check_different(param: str, names: list[str]) -> None:
    """An error where a name is given twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError("The same name is given twice", param=param, got=", ".join(twice))


def check_output(param: str, path: Path | None, endings: tuple[str, ...] = (), data: Path | str | None = None) -> None:
    """An error where the file that an option names cannot be written, holds the data, or has another ending."""
    if path is None:
        return
    path_of(param, path)
    if data is not None and path.exists() and Path(data).exists() and path.samefile(data):
        raise InputError(f"{path} holds the data", param=param, fix="Name another file")
    if path.is_dir():
        raise InputError(f"{path} is a folder", param=param, fix="Name a file in it")
    _check_folder(param, path, path.absolute().parent)
    if endings and path.suffix.lower() not in endings:
        fix = f"Name it e.g. {path.with_suffix(endings[0]).name}"
        raise InputError(f"The name of the file must end in {' or '.join(endings)}", param=param, got=path, fix=fix)


def check_output_folder(param: str, path: Path | None) -> None:
    """An error where a folder cannot be made or written to at the place that an option names."""
    if path is None:
        return
    there = path.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    _check_folder(param, path, there)


def _check_folder(param: str, path: Path, folder: Path) -> None:
    if not folder.exists():
        fix = "Create the folder first, or choose another one"
        raise InputError(f"{path} cannot be written: there is no folder {folder}", param=param, fix=fix)
    if not folder.is_dir():
        raise InputError(f"{path} cannot be written: {folder} is a file, not a folder", param=param)
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(f"{path} cannot be written: permission denied", param=param)
