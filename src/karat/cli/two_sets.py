"""karat two-sets: a model with a training table and an independent test table."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from karat.checks import check_level
from karat.cli.checks import PAGE, PICTURE, REPORT_HELP, check_different, check_output, write_and_say
from karat.cli.names import JOBS_HELP, MODEL_HELP, SEED_HELP
from karat.cli.spelling import spell
from karat.errors import InputError, KaratWarning


def two_sets(
    train: Annotated[str, typer.Argument(help="Training set: CSV, TSV or Parquet file.")],
    test: Annotated[str, typer.Argument(help="Independent test set with the same columns.")],
    target: Annotated[str, typer.Option(help="Column with the labels.")],
    model: Annotated[
        list[str] | None, typer.Option(help=f"{MODEL_HELP}; twice for a difference. [default: lda]")
    ] = None,
    metric: Annotated[str, typer.Option(help="auc, error, fnf, fpf or brier.")] = "auc",
    plan: Annotated[
        str, typer.Option(help="Bootstrap training sets of each size, e.g. bootstrap:200.")
    ] = "bootstrap:200",
    positive: Annotated[str | None, typer.Option(help="The positive label.")] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    report: Annotated[Path | None, typer.Option(help=f"{REPORT_HELP}.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results as JSON.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the variance against both sizes: .png or .svg.")] = None,
    jobs: Annotated[int, typer.Option(help=JOBS_HELP)] = 1,
    seed: Annotated[int | None, typer.Option(help=SEED_HELP)] = None,
) -> None:
    """Assess a model on an independent test set: this rule, rules from other training sets, and what more cases buy.

    \b
    karat two-sets train.csv test.csv --target y
    karat two-sets train.csv test.csv --target y --model lda --model qda --metric error
    """
    import pandas as pd

    from karat.api.two_sets import two_sets as assess_two_sets
    from karat.checks import check_workers
    from karat.cli.data import columns, read_table, split
    from karat.cli.plans import plan_by_name
    from karat.fitting.models import model_by_name

    recipe = plan_by_name(plan)
    check_level(level)
    check_workers(jobs)
    check_output("report", report, PAGE)
    for data in (train, test):
        check_output("json_file", json_file, data=data)
        check_output("plot", plot, PICTURE, data=data)
    names = model or ["lda"]
    check_different("model", names)
    if len(names) > 2:
        raise InputError("One model, or two for their difference", param="model", got=", ".join(names))
    if train == test:
        raise InputError(
            "The test set is the training set", param="test", got=test, fix="Use karat assess for one data set"
        )
    X_train, y_train, _ = split(read_table(train), target, None)
    X_test, y_test, _ = split(read_table(test), target, None)
    both = pd.concat([X_train, X_test])  # either may have missing values
    models = {name: model_by_name(name, both) for name in names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KaratWarning)  # they are among the notes
        found = assess_two_sets(
            models if len(models) == 2 else models[names[0]],
            X_train,
            y_train,
            X_test,
            y_test,
            metric=metric,
            plan=recipe,
            level=level,
            positive=positive,
            rng=seed,
            n_jobs=jobs,
        )
    typer.echo(columns(X_train))
    typer.echo(f"\n{found.text(spell)}")
    if report is not None:
        write_and_say(report, found.report())
    if json_file is not None:
        write_and_say(json_file, found.to_json())
    if plot is not None:
        figure = found.plot().get_figure(root=True)
        assert figure is not None
        try:
            figure.savefig(plot, dpi=150)
        except OSError as error:
            raise InputError(f"{plot} cannot be written: {error.strerror}", param="plot") from None
        typer.echo(f"Wrote {plot}")
