"""karat compare: is one model better than another, on a table?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from karat.checks import check_level
from karat.cli.checks import PAGE, REPORT_HELP, check_different, check_output, write_and_say
from karat.cli.names import (
    CHECKS_HELP,
    CLUSTER_HELP,
    DATA_HELP,
    DROP_HELP,
    FIT_SECONDS_HELP,
    GROUPS_HELP,
    JOBS_HELP,
    METRIC_HELP,
    MODEL_HELP,
    SEED_HELP,
    STORE_HELP,
)
from karat.cli.plans import HELP
from karat.cli.spelling import spell
from karat.errors import InputError, Setting


def compare(
    data: Annotated[str, typer.Argument(help=DATA_HELP)],
    target: Annotated[str, typer.Option(help="Column with the labels.")],
    model: Annotated[list[str] | None, typer.Option(help=f"{MODEL_HELP}; at least two.")] = None,
    plan: Annotated[str, typer.Option(help=HELP)] = "cv+bootstrap",
    metric: Annotated[str, typer.Option(help=f"{METRIC_HELP}.")] = "auc",
    method: Annotated[
        str | None, typer.Option(help="lpob, loob, 632+, cv, …; the best for plan and metric by default.")
    ] = None,
    se: Annotated[str | None, typer.Option(help="Standard error; the best available by default.")] = None,
    margin: Annotated[float | None, typer.Option(help="Largest difference that does not matter.")] = None,
    positive: Annotated[str | None, typer.Option(help="The positive label.")] = None,
    groups: Annotated[str | None, typer.Option(help=GROUPS_HELP)] = None,
    drop: Annotated[list[str] | None, typer.Option(help=DROP_HELP)] = None,
    checks: Annotated[bool, typer.Option(help=CHECKS_HELP)] = True,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    report: Annotated[Path | None, typer.Option(help=f"{REPORT_HELP}.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results as JSON.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write the table of pairs as CSV.")] = None,
    jobs: Annotated[int, typer.Option(help=JOBS_HELP)] = 1,
    seed: Annotated[int | None, typer.Option(help=SEED_HELP)] = None,
    store: Annotated[Path | None, typer.Option(help=STORE_HELP)] = None,
    cluster: Annotated[str | None, typer.Option(help=CLUSTER_HELP)] = None,
    fit_seconds: Annotated[float | None, typer.Option(help=FIT_SECONDS_HELP)] = None,
) -> None:
    """Compare models on a table. The first line of the answer is the verdict; leaks in the data come before it.

    All models are fitted on the same training sets, so their differences are paired.
    """
    from karat.api.compare import compare as compare_models
    from karat.cli.data import findings_in, read_table, split
    from karat.cli.plans import plan_by_name
    from karat.fitting.cluster import connected
    from karat.fitting.models import model_by_name

    names = model or []
    check_different("model", names)
    if len(names) < 2:
        fix = ("Use e.g. ", Setting("model", "lda"), " ", Setting("model", "qda"))
        raise InputError(
            "A comparison needs at least two models", param="model", got=", ".join(names) or "none", fix=fix
        )
    check_level(level)
    check_output("report", report, PAGE)
    check_output("json_file", json_file, data=data)
    check_output("csv_file", csv_file, data=data)
    check_output("store", store, data=data)
    recipe = plan_by_name(plan)
    X, y, group = split(read_table(data), target, groups, drop or ())
    found = findings_in(X, y, group) if checks else ()
    if found:
        typer.echo()
    with connected(cluster, jobs) as workers:
        k = compare_models(
            {name: model_by_name(name, X) for name in names},
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
            n_jobs=workers,
            store=store,
            fit_seconds=fit_seconds,
            checks=False,  # printed above
        )
    typer.echo(k.text(spell))
    k = replace(k, notes=(*found, *k.notes))
    if report is not None:
        write_and_say(report, k.report())
    if json_file is not None:
        write_and_say(json_file, k.to_json())
    if csv_file is not None:
        write_and_say(csv_file, k.to_csv())
