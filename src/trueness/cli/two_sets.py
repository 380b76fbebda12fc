"""trueness two-sets: a model with a training table and an independent test table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trueness.checks import unwarned
from trueness.cli import options as o
from trueness.cli.checks import check_different, check_given
from trueness.cli.names import MODEL_HELP
from trueness.cli.output import draw_and_say, progress, say, show, write_files
from trueness.errors import InputError

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
    groups: o.Groups = None,
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
    import pandas as pd

    from trueness.api.two_sets import two_sets as assess_two_sets
    from trueness.cli.plans import plan_by_name
    from trueness.files.features import read_two
    from trueness.fitting.models import model_by_name

    recipe = plan_by_name(plan)
    check_given(train, test)
    names = model or ["lda"]
    check_different("model", names)
    if len(names) > 2:
        raise InputError("One model, or two for their difference", param="model", got=", ".join(names))
    training, testing = read_two(train, test, target, groups, drop or ())
    say(f"{training.words}\n{testing.words}\n{training.features.words}\n")
    both = pd.concat([training.X, testing.X])  # either set may have missing values
    chosen = {name: model_by_name(name, both) for name in names}
    with unwarned():  # they are among the notes
        found = assess_two_sets(
            chosen if len(chosen) == 2 else chosen[names[0]],
            training.X,
            training.y,
            testing.X,
            testing.y,
            metric=metric,
            plan=recipe,
            level=level,
            positive=positive,
            rng=seed,
            n_jobs=jobs,
            progress=progress(),
            fit_seconds=fit_seconds,
            groups_train=training.groups,
            groups_test=testing.groups,
        )
    show(found)
    write_files(found, report, json_file)
    if plot is not None:
        draw_and_say(found.plot(), plot)
