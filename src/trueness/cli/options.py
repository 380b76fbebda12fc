"""Options that several commands share: their help, their group in the help, and what the shell completes. The registries
hold the names that help texts list, but help must not wait for scikit-learn; a test compares."""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from trueness.errors import InputError, near
from trueness.metrics.registry import names
from trueness.plans import PLANS
from trueness.plans.plan import Plan

FORMS = {form.partition(" ")[0].partition(":")[0]: form for form in (plan.form for plan in PLANS)}
PLAN_HELP = ", ".join(FORMS.values())


def plan_by_name(text: str) -> Plan:
    """The plan that a word stands for, e.g. "bootstrap:1000" or "kfold:10x5"."""
    word, _, numbers = text.partition(":")
    chosen = next((plan for plan in PLANS if word and FORMS.get(word) == plan.form), None)
    if chosen is None or (numbers and not chosen.given):
        raise InputError(f"There is no plan {text!r}", param="plan", fix=f"{near(word, FORMS)}Use {PLAN_HELP}")
    try:
        return chosen.of_word(numbers)
    except InputError:
        raise
    except ValueError:
        raise InputError(f"Cannot read the plan {text!r}", param="plan", fix=f"Use {FORMS[word]}") from None


MODELS = ("lda", "qda", "logistic", "logit", "naive-bayes", "ols", "knn", "ridge", "svm", "forest", "boosting", "tree")
METRICS = tuple(names())
INTERVALS = (
    "wald",
    "wilson",
    "exact",
    "agresti-coull",
    "jeffreys",
    "uniform",
    "logit",
    "cloglog",
    "likelihood",
    "mid-p",
)

MODEL_HELP = f"One of {', '.join(MODELS)} (knn:5 for 5 neighbours), or module:object of your own"
METRIC_HELP = f"{', '.join(METRICS)}, another name of these (sensitivity, recall), or a scikit-learn scorer"
BANDS = ("fixed-width", "kolmogorov", "binomial", "vertical", "bootstrap")
CRITERIA = ("youden", "closest")


TABLES = ("data", "scores", "train")  # what commands call the argument that names a table


def models(incomplete: str) -> list[str]:
    """Models that begin so."""
    return _beginning(MODELS, incomplete)


def metrics(incomplete: str) -> list[str]:
    """Metrics that begin so."""
    return _beginning(METRICS, incomplete)


def plans(incomplete: str) -> list[str]:
    """Plans that begin so."""
    return _beginning(FORMS, incomplete)


def columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Columns of the table that is the first argument; none where it cannot be read."""
    from trueness.errors import TruenessError
    from trueness.files.table_file import column_names

    words = [ctx.params.get(name) for name in TABLES] + list(ctx.args)  # args: all, before the option has a value
    source = next((word for word in words if isinstance(word, str) and os.path.isfile(word)), "")
    try:
        return _beginning(column_names(source), incomplete)
    except (TruenessError, OSError):
        return []


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


DATA, METHOD, OUTPUT, RUNNING = "Data", "Method", "Output", "Running"  # groups of the help

DATA_HELP = "Table: CSV or other text (also .gz), or Parquet; - reads standard input."
GROUPS_HELP = "Column with groups (patient, site); a group never stands on both sides."
UNITS_HELP = "Column with groups (patient, site); only whole groups count as independent."
SEED_HELP = "Seed; the same seed gives the same numbers."
REPORT_HELP = "Write a report, one .html file that needs no network"


def option(panel: str | None, metavar: str, help: str, *names: str, **more: Any) -> Any:
    """An option in a group of the help."""
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=panel, **more)


plain = partial(option, None)
data, method, output, running = (partial(option, panel) for panel in (DATA, METHOD, OUTPUT, RUNNING))
column = partial(data, "COLUMN", autocompletion=columns)
modelled = partial(method, "MODEL", autocompletion=models)
measured = partial(method, "METRIC", autocompletion=metrics)


class Format(StrEnum):
    """How a result is printed."""

    text = "text"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


class TargetKind(StrEnum):
    """What a target column holds."""

    auto = "auto"
    classification = "classification"
    regression = "regression"


class Skipped(StrEnum):
    """What is done with folds, cases and pairs that cannot be evaluated."""

    failed = "failed"
    skip = "skip"
    raise_ = "raise"


class Fitted(StrEnum):
    """How models are fitted."""

    auto = "auto"
    generic = "generic"


DataArgument = Annotated[str, typer.Argument(help=DATA_HELP, metavar="FILE")]
Target = Annotated[str, column("Column with the labels, or with numbers to predict.")]
TrueLabels = Annotated[str, column("Column with the true labels.")]
KIND_HELP = (
    "classification or regression: what the target holds; by default numbers to predict are those with fractions, or more "
    "than 20 different ones."
)
Kind = Annotated[TargetKind, data("KIND", KIND_HELP)]
Positive = Annotated[str | None, data("LABEL", "The positive label.")]
Groups = Annotated[str | None, column(GROUPS_HELP)]
Units = Annotated[str | None, column(UNITS_HELP)]
DropMissing = Annotated[
    bool,
    typer.Option("--drop-missing", help="Leave out rows with a gap in a named column.", rich_help_panel=DATA),
]
Drop = Annotated[list[str] | None, column("Column that is no feature; repeatable.")]
Missing = Annotated[list[str] | None, data("CODE", "Code of missing values in the table, e.g. -999; repeatable.")]
Subgroups = Annotated[list[str] | None, column("Column with subgroups (sex, site), shown one by one; repeatable.")]
Checks = Annotated[bool, typer.Option(help="Look for leaks in the data first (trueness check).", rich_help_panel=DATA)]

Models = Annotated[list[str] | None, modelled(f"{MODEL_HELP}; repeatable.", show_default="lda; of numbers ols")]
PlanWord = Annotated[str, method("PLAN", f"{PLAN_HELP}.", autocompletion=plans)]
Metrics = Annotated[
    list[str] | None, measured(f"{METRIC_HELP}; repeatable.", show_default="error, auc; of numbers rmse, mae, r2")
]
Costs = Annotated[
    str | None,
    method(
        "MISS,FALSE",
        "Costs of a missed and of a false positive, 5,1: the cheapest threshold, chosen in each training set.",
    ),
]
Level = Annotated[float, method("LEVEL", "Level of the intervals.")]

FormatOption = Annotated[Format, output("FORMAT", f"How to print the result: {', '.join(Format)}.", "--format")]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Print the result and warnings only: no remarks, no progress.", rich_help_panel=OUTPUT
    ),
]
Report = Annotated[Path | None, output("FILE", f"{REPORT_HELP}.")]
Reports = Annotated[Path | None, output("FILE", f"{REPORT_HELP}; one each for several models.")]
JsonFile = Annotated[Path | None, output("FILE", "Write the results to a file, as JSON.", "--json")]
CsvFile = Annotated[Path | None, output("FILE", "Write the table to a file, as CSV.", "--csv")]
Plot = Annotated[Path | None, output("FILE", "Write a picture, .png or .svg.")]

ScoresFile = Annotated[
    Path | None,
    output(
        "FILE", "Write one left-out score per case, as CSV, for roc, calibration, benefit and subgroups.", "--scores"
    ),
]

Jobs = Annotated[int, running("N", "Number of parallel workers, at most one per core (results do not depend on it).")]
FixedSeed = Annotated[int, running("N", SEED_HELP, min=0)]
Seed = Annotated[int | None, running("N", SEED_HELP, min=0)]
Store = Annotated[Path | None, running("FILE", "File that keeps finished fits; run again to go on.")]
Cluster = Annotated[str | None, running("ADDRESS", "Address of a dask scheduler, e.g. tcp://host:8786.")]
ENGINE_HELP = "Fit all training sets at once where that is faster (auto), or one by one (generic)."
Engine = Annotated[Fitted, running("HOW", ENGINE_HELP)]
FitNumber = Annotated[
    int | None, method("N", "Fits of the default plan, at least 60; 100, or more for closed forms.", "--fits")
]
SECONDS_HELP = "Time for the fits of all models: as many as fit into it, at least 60 each."
Seconds = Annotated[float | None, running("SECONDS", SECONDS_HELP, min=1e-3)]
FIT_SECONDS_HELP = "Longest time of one fit; longer ones count as failed."
FitSeconds = Annotated[float | None, running("SECONDS", FIT_SECONDS_HELP, min=1e-3)]
SKIPPED_HELP = "Folds, cases, pairs without a value: leave out those of failed fits (failed), all (skip), none (raise)."
Undefined = Annotated[Skipped, method("HOW", SKIPPED_HELP)]
