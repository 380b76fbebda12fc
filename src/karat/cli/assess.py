"""karat assess: one or more models on a table."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.checks import check_level
from karat.cli.checks import PAGE, REPORT_HELP, check_different, check_output, write_and_say, write_pages
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
from karat.cli.spelling import spell, tell
from karat.errors import InputError, KaratError, KaratWarning, Setting

if TYPE_CHECKING:
    from karat.api.design import PlanLike
    from karat.result import Assessment
    from karat.typing import Classifier


def assess(
    data: Annotated[str, typer.Argument(help=DATA_HELP)],
    target: Annotated[str, typer.Option(help="Column with the labels.")],
    model: Annotated[list[str] | None, typer.Option(help=f"{MODEL_HELP}; repeatable. [default: lda]")] = None,
    plan: Annotated[str, typer.Option(help=HELP)] = "cv+bootstrap",
    metric: Annotated[list[str] | None, typer.Option(help=f"{METRIC_HELP}; repeatable. [default: error, auc]")] = None,
    positive: Annotated[str | None, typer.Option(help="The positive label.")] = None,
    groups: Annotated[str | None, typer.Option(help=GROUPS_HELP)] = None,
    drop: Annotated[list[str] | None, typer.Option(help=DROP_HELP)] = None,
    checks: Annotated[bool, typer.Option(help=CHECKS_HELP)] = True,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    every: Annotated[bool, typer.Option("--all", help="Print all estimators, not only the recommended.")] = False,
    report: Annotated[Path | None, typer.Option(help=f"{REPORT_HELP}; several models: one each.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results as JSON.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write the table as CSV.")] = None,
    jobs: Annotated[int, typer.Option(help=JOBS_HELP)] = 1,
    seed: Annotated[int | None, typer.Option(help=SEED_HELP)] = None,
    store: Annotated[Path | None, typer.Option(help=STORE_HELP)] = None,
    cluster: Annotated[str | None, typer.Option(help=CLUSTER_HELP)] = None,
    fit_seconds: Annotated[float | None, typer.Option(help=FIT_SECONDS_HELP)] = None,
    model_file: Annotated[Path | None, typer.Option(help="Fitted model (.skops); DATA is its test set.")] = None,
    trust: Annotated[list[str] | None, typer.Option(help="Type in the model file to accept; repeatable.")] = None,
) -> None:
    """Assess models on a table: estimates of their performance, with standard errors and intervals.

    Imputation, scaling and one-hot encoding are fitted inside every resample. Several models share one
    design, so their numbers can be compared; of a bootstrap without a number each takes as many replicates as
    it needs.
    """
    from karat.api.assess import assess as assess_model
    from karat.api.design import design_of, sample_of
    from karat.checks import check_workers
    from karat.cli.data import columns, findings_in, read_table, split
    from karat.cli.plans import plan_by_name
    from karat.fitting.cluster import connected
    from karat.fitting.model_file import read_model
    from karat.fitting.models import model_by_name
    from karat.fitting.run_store import stored_seed
    from karat.metrics import resolve

    if model_file is not None and (model or plan != "cv+bootstrap"):
        fix = ("Remove ", Setting("model" if model else "plan"))
        raise InputError("The model in the file is fitted: the data are its test set", param="model_file", fix=fix)
    recipe: PlanLike = plan_by_name(plan) if model_file is None else "prefit"
    check_level(level)
    check_workers(jobs)
    check_output("report", report, PAGE)
    check_output("json_file", json_file, data=data)
    check_output("csv_file", csv_file, data=data)
    check_output("store", store, data=data)
    names = model or ["lda"]
    check_different("model", names)
    X, y, group = split(read_table(data), target, groups, drop or ())
    models: dict[str, Classifier] = {name: model_by_name(name, X) for name in names}
    if model_file is not None:
        models = {model_file.name: read_model(model_file, trust or ())}
    sample = sample_of(models.values(), X, y, recipe, positive, group)
    metrics = metric or ["error", "auc"]
    for each in metrics:  # what is wrong for all models is said once
        resolve(each).bind(sample)
    design = design_of(recipe, sample, stored_seed(store) if seed is None else seed)
    typer.echo(columns(X))
    found = findings_in(X, y, group) if checks else ()
    results: dict[str, Assessment] = {}
    errors: list[KaratError] = []
    with connected(cluster, jobs) as workers:
        for name, each_model in models.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", KaratWarning)  # they are among the notes
                    results[name] = assess_model(
                        each_model,
                        X,
                        y,
                        plan=design if model_file is None else "prefit",
                        metrics=metrics,
                        level=level,
                        positive=positive,
                        groups=group,
                        n_jobs=workers,
                        store=store,
                        fit_seconds=fit_seconds,
                        checks=False,  # printed above, once for all models
                    )
            except KaratError as error:  # of one model; the others are still worth having
                errors.append(error.of(name))
                continue
            typer.echo(f"\n{name}: {results[name].text(spell, all=every)}")
    results = {name: replace(a, notes=(*found, *a.notes)) for name, a in results.items()}
    if results and report is not None:
        write_pages(report, {name: a.report() for name, a in results.items()})
    _write(results, json_file, csv_file)
    for each_error in errors:
        tell(each_error)
    if errors:
        raise typer.Exit(2)


def _write(results: dict[str, Assessment], json_file: Path | None, csv_file: Path | None) -> None:
    if results and json_file is not None:
        found = {name: a.to_dict() for name, a in results.items()}
        write_and_say(json_file, json.dumps(found, indent=2, ensure_ascii=False))
    if results and csv_file is not None:
        import pandas as pd

        from karat.result.csv import csv_text

        tables = [a.frame().assign(model=name) for name, a in results.items()]
        write_and_say(csv_file, csv_text(pd.concat(tables)))
