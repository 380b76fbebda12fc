"""karat assess: a table in a file, models by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli.checks import check_level, check_output, write_and_say
from karat.cli.plans import HELP
from karat.cli.words import in_words, worded
from karat.errors import InputError, KaratError, KaratWarning

NAMES = "lda, qda, logistic, naive-bayes, knn:5, ridge, svm, forest, boosting, tree"


def assess(
    data: Annotated[str, typer.Argument(help="CSV, TSV or Parquet file; - reads CSV from standard input.")],
    target: Annotated[str, typer.Option(help="Column with the labels.")],
    model: Annotated[list[str] | None, typer.Option(help=f"One of {NAMES}; repeat for several. [default: lda]")] = None,
    plan: Annotated[str, typer.Option(help=HELP)] = "bootstrap:1000",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="error, auc, fnf, fpf, brier or a scikit-learn scorer; repeat for several. [default: error, auc]"
        ),
    ] = None,
    positive: Annotated[str | None, typer.Option(help="The positive label.")] = None,
    groups: Annotated[str | None, typer.Option(help="Column with groups that must stay together.")] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results as JSON.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write the table as CSV.")] = None,
    jobs: Annotated[int, typer.Option(help="Workers; they never change a number.")] = 1,
    seed: Annotated[int | None, typer.Option(help="Seed: the same one gives the same numbers.")] = None,
) -> None:
    """How good is a model on this table, and how sure are we?

    Imputation, scaling and one-hot encoding are fitted inside every resample. Several models share one
    design, so their numbers can be compared.
    """
    from karat.cli.data import columns, read_table, split
    from karat.cli.plans import plan_by_name
    from karat.metrics import resolve
    from karat.sample import Sample
    from karat.sample.workers import check_workers

    recipe = plan_by_name(plan)
    check_level(level)
    check_workers(jobs)
    check_output("--json", json_file, data=data)
    check_output("--csv", csv_file, data=data)
    X, y, group = split(read_table(data), target, groups)
    names = model or ["lda"]
    if len(set(names)) < len(names):
        raise InputError("a model is named twice", got=", ".join(names))
    models = {name: model_of(name, X) for name in names}
    sample = Sample.of(y, X=X, positive=positive, groups=group)
    metrics = metric or ["error", "auc"]
    for each in metrics:  # what is wrong for all models is said once
        resolve(each).bind(sample)
    design = recipe.draw(sample, rng=seed)
    typer.echo(columns(X))
    results, mistakes = assessed(
        models,
        X,
        y,
        plan=design,
        metrics=metrics,
        level=level,
        positive=positive,
        groups=group,
        n_jobs=jobs,
    )
    _keep(results, json_file, csv_file)
    if mistakes:
        raise KaratError(" ".join(mistakes))


def model_of(name: str, X: Any) -> Any:
    """The model that a word such as "lda" or "knn:5" stands for, for these columns."""
    from karat.fitting.models import model_by_name

    base, _, number = name.partition(":")
    if base == "knn" and number and not (number.isdecimal() and int(number) > 0):
        raise InputError(
            "knn takes the number of neighbours, a whole number from 1", got=f"--model {name}", fix="Use e.g. knn:5"
        )
    return model_by_name(name, X)


def assessed(models: dict[str, Any], X: Any, y: Any, **options: Any) -> tuple[dict[str, Any], list[str]]:
    """Assessments by name, shown as they come; one model's mistake does not throw the others away."""
    import warnings

    from karat.api.assess import assess as assess_model

    results, mistakes = {}, []
    for name, model in models.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", KaratWarning)  # the report says them
                results[name] = assess_model(model, X, y, **options)
        except KaratError as error:
            mistakes.append(f"{name}: {in_words(error)}")
            continue
        typer.echo(f"\n{name}: {worded(results[name])}")
    return results, mistakes


def _keep(results: dict[str, Any], json_file: Path | None, csv_file: Path | None) -> None:
    if results and json_file is not None:
        found = {name: a.to_dict() for name, a in results.items()}
        write_and_say(json_file, json.dumps(found, indent=2, ensure_ascii=False))
    if results and csv_file is not None:
        import pandas as pd

        tables = [a.table().assign(model=name) for name, a in results.items()]
        write_and_say(csv_file, pd.concat(tables).to_csv(index=False))
