"""karat compare: is one model better than another, on a table in a file?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli.assess import NAMES, model_of
from karat.cli.checks import PAGE, check_level, check_output, write_and_say
from karat.cli.plans import HELP
from karat.cli.words import worded


def compare(
    data: Annotated[str, typer.Argument(help="CSV, TSV or Parquet file; - reads CSV from standard input.")],
    target: Annotated[str, typer.Option(help="Column with the labels.")],
    model: Annotated[list[str] | None, typer.Option(help=f"One of {NAMES}; at least two.")] = None,
    plan: Annotated[str, typer.Option(help=HELP)] = "bootstrap:1000",
    metric: Annotated[str, typer.Option(help="error, auc, fnf, fpf, brier or a scikit-learn scorer.")] = "auc",
    method: Annotated[str | None, typer.Option(help="lpob, loob, 632+, cv, …; the best for plan and metric.")] = None,
    se: Annotated[str | None, typer.Option(help="Standard error; the best there is unless named.")] = None,
    margin: Annotated[float | None, typer.Option(help="Largest difference that does not matter.")] = None,
    positive: Annotated[str | None, typer.Option(help="The positive label.")] = None,
    groups: Annotated[str | None, typer.Option(help="Column with groups that must stay together.")] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    report: Annotated[Path | None, typer.Option(help="Write a page (.html) with verdict, tables and plot.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results as JSON.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write the table of pairs as CSV.")] = None,
    jobs: Annotated[int, typer.Option(help="Workers; they never change a number.")] = 1,
    seed: Annotated[int | None, typer.Option(help="Seed: the same one gives the same numbers.")] = None,
) -> None:
    """Is one model better than another on this table?

    All models are fitted on the same training sets, so their differences are paired. The first line of
    the answer is the verdict.
    """
    from karat.api.compare import compare as compare_models
    from karat.cli.data import read_table, split
    from karat.cli.plans import plan_by_name
    from karat.errors import InputError

    names = model or []
    twice = sorted({n for n in names if names.count(n) > 1})
    if len(names) < 2 or twice:
        raise InputError(
            "a comparison needs at least two different models",
            got=", ".join(names) or "none",
            fix="Use e.g. --model lda --model qda",
        )
    check_level(level)
    check_output("--report", report, PAGE)
    check_output("--json", json_file, data=data)
    check_output("--csv", csv_file, data=data)
    recipe = plan_by_name(plan)
    X, y, group = split(read_table(data), target, groups)
    k = compare_models(
        {name: model_of(name, X) for name in names},
        X,
        y,
        metric=metric,
        method=method,
        plan=recipe,
        se=se,
        level=level,
        margin=margin,
        positive=positive,
        groups=group,
        rng=seed,
        n_jobs=jobs,
    )
    typer.echo(worded(k))
    if report is not None:
        from karat.report.comparison import comparison_page

        write_and_say(report, comparison_page(k))
    if json_file is not None:
        write_and_say(json_file, k.to_json())
    if csv_file is not None:
        write_and_say(csv_file, k.table().to_csv(index=False))
