"""karat check: leaks and other mistakes in a table, before a model is assessed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli.checks import check_output, write_and_say
from karat.cli.names import DATA_HELP, DROP_HELP, GROUPS_HELP
from karat.cli.spelling import spell
from karat.errors import InputError


def check(
    data: Annotated[str, typer.Argument(help=DATA_HELP)],
    target: Annotated[str, typer.Option(help="Column with the labels.")],
    groups: Annotated[str | None, typer.Option(help=GROUPS_HELP)] = None,
    batch: Annotated[str | None, typer.Option(help="Column with batches (plate, scanner, day).")] = None,
    test: Annotated[
        Path | None, typer.Option(help="Table with the test set: rows that are in DATA, too, are found.")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help=DROP_HELP)] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(help="Code that is not looked for, e.g. K003; repeatable.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the findings as JSON.")] = None,
) -> None:
    """Look for leaks: columns that give the target away, identifiers, copies of rows, batches, …

    Every finding has a code; docs/checks explains it.
    """
    from karat.cli.data import column, columns, read_table, split
    from karat.hygiene.check import check as check_data

    check_output("json_file", json_file, data=data)
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
    typer.echo(columns(X))
    typer.echo(found.text(spell))
    if json_file is not None:
        write_and_say(json_file, found.to_json())
