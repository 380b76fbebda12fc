"""trueness two-sets: a model with a training table and an independent test table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trueness.checks import unwarned
from trueness.cli import options as o
from trueness.cli.checks import check_different, check_given
from trueness.cli.names import MODEL_HELP
from trueness.cli.output import draw_and_say, progress, say, show, write_files
from trueness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

METRICS = ("auc", "error", "fnf", "fpf", "brier")


def two_sets(
    train: Annotated[str, typer.Argument(help=f"Training set. {o.DATA_HELP}")],
    test: Annotated[str, typer.Argument(help="Independent test set with the same columns.")],
    target: o.Target,
    model: Annotated[list[str] | None, o.modelled(f"{MODEL_HELP}; twice for a difference.", show_default="lda")] = None,
    metric: Annotated[str, o.method("METRIC", f"One of {', '.join(METRICS)}.")] = "auc",
    plan: Annotated[
        str, o.method("PLAN", "Bootstrap training sets of each size, e.g. bootstrap:200.")
    ] = "bootstrap:200",
    positive: o.Positive = None,
    drop: o.Drop = None,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    plot: Annotated[Path | None, o.output("FILE", "Draw the variance against both sizes: .png or .svg.")] = None,
    jobs: o.Jobs = 1,
    seed: o.Seed = None,
    fit_seconds: o.FitSeconds = None,
) -> None:
    """Assess a model on an independent test set: this rule, rules from other training sets, and what more cases buy.

    **Examples**

    - trueness two-sets train.csv test.csv --target y
    - trueness two-sets train.csv test.csv --target y --model lda --model qda --metric error
    """
    from trueness.api.two_sets import two_sets as assess_two_sets
    from trueness.cli.plans import plan_by_name
    from trueness.fitting.models import model_by_name

    recipe = plan_by_name(plan)
    check_given(train, test)
    names = model or ["lda"]
    check_different("model", names)
    if len(names) > 2:
        raise InputError("One model, or two for their difference", param="model", got=", ".join(names))
    X, y, n_train = _both(train, test, target, drop or [])
    chosen = {name: model_by_name(name, X) for name in names}  # either set may have missing values
    with unwarned():  # they are among the notes
        found = assess_two_sets(
            chosen if len(chosen) == 2 else chosen[names[0]],
            X[:n_train],
            y[:n_train],
            X[n_train:],
            y[n_train:],
            metric=metric,
            plan=recipe,
            level=level,
            positive=positive,
            rng=seed,
            n_jobs=jobs,
            progress=progress(),
            fit_seconds=fit_seconds,
        )
    show(found)
    write_files(found, report, json_file)
    if plot is not None:
        draw_and_say(found.plot(), plot)


def _both(train: str, test: str, target: str, drop: list[str]) -> tuple[pd.DataFrame, pd.Series, int]:
    """Features and labels of both sets, read as one table, and the number of training cases."""
    import pandas as pd

    from trueness.cli.data import read_table, split
    from trueness.cli.features import features_of

    if train == test:
        raise InputError(
            "The test set is the training set", param="test", got=test, fix="Use trueness assess for one data set"
        )
    X_train, y_train, _ = split(read_table(train), target, None, drop)
    X_test, y_test, _ = split(read_table(test), target, None, drop)
    if different := sorted(set(X_train.columns) ^ set(X_test.columns)):
        raise InputError("The two tables have different columns", param="test", got=", ".join(different))
    features = features_of(pd.concat([X_train, X_test[X_train.columns]], ignore_index=True), drop)
    say(f"{train}: {len(X_train)} rows; {test}: {len(X_test)} rows.\n{features.words}\n")
    return features.X, pd.concat([y_train, y_test], ignore_index=True), len(X_train)
