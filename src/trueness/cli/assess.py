"""trueness assess: one or more models on a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueness.checks import unwarned
from trueness.cli import options as o
from trueness.cli.checks import check_different, check_given
from trueness.cli.output import (
    assessments_csv,
    assessments_json,
    introduce,
    progress,
    say,
    show_assessments,
    show_page,
    write_and_say,
    write_pages,
)
from trueness.cli.spelling import given, tell
from trueness.errors import InputError, TruenessError

if TYPE_CHECKING:
    from trueness.api.call import PlanLike
    from trueness.files.features import CaseTable
    from trueness.result import Assessment
    from trueness.typing import Classifier


def assess(
    data: o.DataArgument,
    target: o.Target,
    model: o.Models = None,
    plan: o.PlanWord = "cv+bootstrap",
    metric: o.Metrics = None,
    positive: o.Positive = None,
    groups: o.Groups = None,
    drop: o.Drop = None,
    checks: o.Checks = True,
    level: o.Level = 0.95,
    every: Annotated[
        bool, typer.Option("--all", help="Show all estimators, not only the recommended.", rich_help_panel=o.OUTPUT)
    ] = False,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    report: o.Reports = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
    jobs: o.Jobs = 1,
    seed: o.Seed = None,
    store: o.Store = None,
    cluster: o.Cluster = None,
    fit_seconds: o.FitSeconds = None,
    model_file: Annotated[
        Path | None, o.method("FILE", "Fitted model (.skops, .onnx); the table is its test set.")
    ] = None,
    trust: Annotated[list[str] | None, o.method("TYPE", "Type in the model file to accept; repeatable.")] = None,
) -> None:
    """Assess models on a table: how good is each, and how sure is that?

    Imputation, scaling and one-hot encoding are fitted inside every resample. Several models share one
    design, so their numbers can be compared; of a bootstrap without a number each takes as many replicates as
    it needs.

    **Examples**

    - trueness assess data.csv --target outcome
    - trueness assess data.csv --target outcome --positive sick --model logistic --model forest
    - trueness assess data.csv.gz --target outcome --drop id --groups patient --report r.html
    - trueness assess data.csv --target outcome --format json --quiet > result.json
    """
    from trueness.api.call import design_of, sample_of
    from trueness.cli.plans import plan_by_name
    from trueness.files.features import read_cases
    from trueness.files.model_file import read_model
    from trueness.fitting.cluster import connected
    from trueness.fitting.models import model_by_name
    from trueness.metrics import resolve

    if model_file is not None and (model or plan != "cv+bootstrap"):
        fix = f"Remove {{{'model' if model else 'plan'}=}}"
        raise InputError("The model in the file is fitted: the data are its test set", param="model_file", fix=fix)
    recipe: PlanLike = plan_by_name(plan) if model_file is None else "prefit"
    check_given(data)
    names, metrics = model or ["lda"], metric or ["error", "auc"]
    check_different("model", names)
    fitted = {} if model_file is None else {model_file.name: read_model(model_file, trust or ())}
    cases = read_cases(data, target, groups, drop or (), *fitted.values())
    models: dict[str, Classifier] = fitted or {name: model_by_name(name, cases.X) for name in names}
    sample = sample_of(models.values(), cases.X, cases.y, recipe, positive, cases.groups)
    for each in metrics:  # what is wrong for all models is said once
        resolve(each).bind(sample)
    cases = introduce(cases, checks)
    design = design_of(recipe, sample, seed, store)
    with connected(cluster, jobs) as workers:
        results, errors = _assess_all(
            models,
            cases,
            every,
            plan=design if model_file is None else "prefit",
            metrics=metrics,
            level=level,
            positive=positive,
            n_jobs=workers,
            store=store,
            fit_seconds=fit_seconds,
        )
    if results:
        show_assessments(results, every)
        _write(results, report, json_file, csv_file)
    for error in errors:
        tell(error)
    if errors:
        raise typer.Exit(2)


def _assess_all(
    models: dict[str, Classifier], cases: CaseTable, every: bool, **asked: Any
) -> tuple[dict[str, Assessment], list[TruenessError]]:
    """The results by model, each shown when it is done, and the errors of those that failed."""
    from trueness.api.assess import assess as assess_model
    from trueness.fitting.progress import called

    results: dict[str, Assessment] = {}
    errors: list[TruenessError] = []
    for name, model in models.items():
        try:
            with unwarned(), called(name):  # they are among the notes
                found = assess_model(
                    model, cases.X, cases.y, groups=cases.groups, progress=progress(), checks=False, **asked
                )
        except TruenessError as error:  # of one model; the others are still worth having
            errors.append(error.of(name))
            continue
        if given("format_") == o.Format.text:
            say("")
            show_page(replace(found.page(all=every), title=f"{name}: {found.provenance['design']}"))
        results[name] = replace(found, notes=(*cases.notes, *found.notes))
    return results, errors


def _write(results: dict[str, Assessment], report: Path | None, json_file: Path | None, csv_file: Path | None) -> None:
    if report is not None:
        write_pages(report, {name: a.report() for name, a in results.items()})
    if json_file is not None:
        write_and_say(json_file, assessments_json(results))
    if csv_file is not None:
        write_and_say(csv_file, assessments_csv(results))
