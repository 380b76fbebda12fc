"""trueness compare-systems: is one system better than another, on the same items? From a table or from logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trueness.cli import options as o
from trueness.cli.checks import check_different, check_given
from trueness.cli.output import draw_and_say, show, write_files
from trueness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from trueness.systems.items import SystemMetric

METRICS = ("accuracy", "error", "score", "auc")  # help must not wait for imports; a test compares


def compare_systems(
    items: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="A table (CSV, TSV, Parquet; - reads CSV from standard input), or logs: samples_*.jsonl of "
            "lm-evaluation-harness, or inspect_ai's sample frames, one file per system.",
        ),
    ],
    item: Annotated[str, o.plain("COLUMN", "Column that names the item.")] = "id",
    system: Annotated[
        list[str] | None,
        o.plain(
            "NAME",
            "Column of a system; repeatable. Given once: the column that says which system a row is of. With "
            "several files: their names, in the same order.",
        ),
    ] = None,
    truth: Annotated[str | None, o.plain("COLUMN", "Column with the true labels.")] = None,
    cluster_by: Annotated[str | None, o.plain("COLUMN", "Column with the cluster of each item.")] = None,
    run: Annotated[str | None, o.plain("COLUMN", "Column that distinguishes repeated runs of an item.")] = None,
    metric: Annotated[str, o.plain("METRIC", f"One of {', '.join(METRICS)}.")] = "accuracy",
    score: Annotated[
        str | None, o.plain("COLUMN", "Column with the values, where rows name the system; of logs, which metric.")
    ] = None,
    filter: Annotated[str | None, o.plain("NAME", "Which filter of lm-evaluation-harness.")] = None,
    positive: Annotated[str | None, o.plain("LABEL", "The positive label, for an AUC.")] = None,
    level: Annotated[float, o.plain("LEVEL", "Level of the intervals, for all pairs together.")] = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    plot: o.Plot = None,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """Compare systems on the same items. The first line of the answer is the verdict.

    No model is fitted: a table of answers, correctness or scores is enough. Differences are paired item by item.

    **Examples**

    - trueness compare-systems items.csv --system a --system b --truth answer
    - trueness compare-systems samples_a.jsonl samples_b.jsonl
    """
    from trueness.files.table_file import read_table
    from trueness.systems.compare_systems import compare
    from trueness.systems.evals import read_evals

    check_given(*items)
    check_different("system", system or [])
    chosen: SystemMetric = metric  # type: ignore[assignment]  # compare checks it
    logs = _logs(items, system or [])
    if logs is not None:
        given = {"truth": truth, "run": run, "positive": positive}
        if unused := [name for name, value in given.items() if value is not None]:
            raise InputError("Logs say this themselves", param=unused[0], fix="Leave it out")
        table = read_evals(logs, score=score, filter=filter)
        runs = "run" if "run" in table else None
        k = compare(table, cluster=cluster_by, run=runs, metric=chosen, level=level)
    else:
        if filter is not None:
            raise InputError("A table has no filters; logs (.jsonl) do", param="filter", got=repr(filter))
        table = read_table(items[0])
        systems, value = _systems(table, system or []), score or "score"
        k = compare(table, item, systems, truth, cluster_by, run, chosen, score=value, positive=positive, level=level)
    show(k)
    if plot is not None:
        draw_and_say(k.plot(), plot)
    write_files(k, report, json_file, csv_file)


def _systems(table: pd.DataFrame, given: list[str]) -> str | list[str]:
    """Columns of systems, or the one column that names them."""
    if len(given) == 1:
        return given[0]
    if not given and "system" in table.columns:
        return "system"
    if not given:
        raise InputError(
            "Which columns are the systems?",
            param="systems",
            got=f"a table with columns {', '.join(map(str, table.columns))}",
            fix="Use e.g. {systems='a'} {systems='b'}",
        )
    return given


def _logs(files: list[str], names: list[str]) -> dict[str, str] | list[str] | pd.DataFrame | None:
    """Where logs are to be read from; None for a table whose columns the options name."""
    if len(files) > 1 or files[0].endswith((".jsonl", ".json")):
        if names and len(names) != len(files):
            raise InputError(
                "Give one name per file, or none", param="systems", got=f"{len(names)} names for {len(files)} files"
            )
        return dict(zip(names, files, strict=True)) if names else files
    if names or files[0] == "-":
        return None
    from trueness.files.table_file import read_table

    table = read_table(files[0])
    is_log = "epoch" in table.columns and any(str(c).startswith("score_") for c in table.columns)
    return table if is_log else None
