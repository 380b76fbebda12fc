"""trueness check: leaks and other mistakes in a table, before a model is assessed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trueness.cli import options as o
from trueness.cli.checks import check_given
from trueness.cli.completion import columns
from trueness.cli.output import show, write_files
from trueness.errors import InputError


def check(
    data: o.DataArgument,
    target: o.Target,
    groups: o.Groups = None,
    batch: Annotated[
        str | None,
        typer.Option(help="Column with batches (plate, scanner, day).", metavar="COLUMN", autocompletion=columns),
    ] = None,
    test: Annotated[
        Path | None, o.plain("FILE", "Table with the test set: rows that the first table has, too, are found.")
    ] = None,
    drop: o.Drop = None,
    ignore: Annotated[list[str] | None, o.plain("CODE", "Code that is not looked for, e.g. L003; repeatable.")] = None,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    json_file: o.JsonFile = None,
) -> None:
    """Look for leaks: columns that give the target away, identifiers, copies of rows, batches, …

    Every finding has a code; docs/checks explains it.

    **Examples**

    - trueness check data.csv --target outcome
    - trueness check train.csv --target outcome --test test.csv --groups patient --ignore L003
    """
    from trueness.files.features import split
    from trueness.files.table_file import column, read_table
    from trueness.leaks.check import check as check_data

    check_given(data)
    table = read_table(data)
    in_batches = None if batch is None else column(table, batch, "batch")
    left_out = [*(drop or ()), *([] if batch is None or batch == groups else [batch])]
    X, y, group = split(table, target, groups, left_out)
    X_test = None
    if test is not None:
        X_test = read_table(str(test))
        missing = [str(c) for c in X.columns if c not in X_test.columns]
        if missing:
            raise InputError("The test set lacks columns of the data", param="test", got=", ".join(missing))
        X_test = X_test[X.columns]
    found = check_data(X, y, group, ignore or (), X_test=X_test, batch=in_batches)
    show(found)
    write_files(found, json_file=json_file)
