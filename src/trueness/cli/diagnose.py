"""Commands for decisions and answers that you have, and for how many cases to collect: diagnose, compare-systems, size."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from trueness.cli import options as o
from trueness.cli.options import INTERVALS
from trueness.cli.output import (
    check_different,
    check_given,
    complete,
    draw_and_say,
    labelled,
    show,
    table_of,
    write_files,
)
from trueness.cli.spelling import OWN, STUDIES, command, given
from trueness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from trueness.result.test_result import SampleSize
    from trueness.typing import Record

Given = TypeVar("Given", int, float)


@command(OWN, 40, y="label", predictions="prediction")
def diagnose(
    data: Annotated[str | None, typer.Argument(help=f"Labels and predictions. {o.DATA_HELP}")] = None,
    tp: Annotated[int | None, o.plain("N", "True positives.")] = None,
    fn: Annotated[int | None, o.plain("N", "False negatives.")] = None,
    fp: Annotated[int | None, o.plain("N", "False positives.")] = None,
    tn: Annotated[int | None, o.plain("N", "True negatives.")] = None,
    label: o.TrueLabels = "y",
    prediction: Annotated[str, o.column("Column with the predictions.")] = "prediction",
    positive: o.Positive = None,
    groups: o.Units = None,
    drop_missing: o.DropMissing = False,
    missing: o.Missing = None,
    interval: Annotated[str, o.plain("NAME", f"One of {', '.join(INTERVALS)}.")] = "wilson",
    design: Annotated[str, o.plain("NAME", "cohort, case-control or selected.")] = "cohort",
    prevalence: Annotated[
        str | None,
        o.plain(
            "NUMBER",
            "Of a case-control study, or of another population: 0.1, or the limits of its 95 % interval, 0.05,0.2.",
        ),
    ] = None,
    unverified_positive: Annotated[
        int | None, o.plain("N", "Selected design: cases decided positive whose truth is unknown.")
    ] = None,
    unverified_negative: Annotated[
        int | None, o.plain("N", "Selected design: cases decided negative whose truth is unknown.")
    ] = None,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """Measures of a table of true and decided classes, with standard errors and intervals.

    **Examples**

    - trueness diagnose --tp 10 --fn 5 --fp 24 --tn 61
    - trueness diagnose decisions.csv --label truth --prediction test --positive sick --groups patient
    """
    from trueness.files.table_file import column
    from trueness.tables.diagnose import diagnose as diagnose_table

    check_given(data)
    given: Record = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    given |= {"unverified_positive": unverified_positive, "unverified_negative": unverified_negative}
    if data is not None:
        counts = [name for name, value in given.items() if value is not None]
        if counts:
            raise InputError("Give either a file or counts, not both", param=counts[0], got=f"{data} and counts")
        if label == prediction:
            raise InputError("Labels and predictions are the same column", param="prediction")
        named = {prediction: "prediction"} | ({} if groups is None else {groups: "groups"})
        if design != "selected":  # which uses the cases whose label is missing
            named = {label: "label"} | named
        verified = "; where the decision determined who was verified, pass --design selected"
        table = complete(table_of(data), drop_missing, named, {"label": verified})
        cases = labelled(table, label, positive, prediction)
        given, positive = {"y": cases.y, "predictions": cases.predictions}, cases.positive
        if groups is not None:
            if groups in (label, prediction):
                raise InputError("The groups are the labels or the predictions", param="groups")
            given["groups"] = column(table, groups, "groups")
    elif groups is not None:
        raise InputError("Counts do not tell the groups of the cases", param="groups", fix="Name a file of cases")
    elif all(value is None for value in given.values()):
        raise InputError("Give four counts or a file", fix="Use --tp, --fn, --fp and --tn, or name a file")
    options: Record = {"interval": interval, "design": design, "positive": positive, "level": level}
    result = diagnose_table(**given, **options, prevalence=_prevalence(prevalence))
    show(result)
    write_files(result, report, csv_file=csv_file)
    if json_file is not None:
        result.to_json(json_file)  # without a message: a program may read standard output


def _prevalence(text: str | None) -> float | list[float] | None:
    """A number, or several with commas between."""
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        problem = "prevalence must be a number, or two numbers with a comma between them"
        raise InputError(problem, param="prevalence", got=repr(text)) from None
    return numbers[0] if len(numbers) == 1 else numbers


class MissingAnswer(StrEnum):
    """What is done with missing answers."""

    error = "error"
    wrong = "wrong"
    drop = "drop"


METRICS = ("accuracy", "error", "score", "auc")  # help must not wait for imports; a test compares


@command(OWN, 50, frame="items", source="items", systems="system", cluster="cluster_by", missing="missing_answer")
def compare_systems(
    items: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="A table (CSV, TSV, Parquet; - reads CSV from standard input), or logs, one file per system: "
            "JSON lines with id, run and correct, samples_*.jsonl of lm-evaluation-harness, per_instance_stats.json of "
            "HELM, or inspect_ai's sample frames. One log of several systems has a column system.",
        ),
    ],
    item: Annotated[str | None, o.plain("COLUMN", "Column that names the item.", show_default="id")] = None,
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
    missing_answer: Annotated[
        MissingAnswer, o.plain("HOW", "Missing answers: refuse (error), count as wrong, or drop their items for all.")
    ] = MissingAnswer.error,
    baseline: Annotated[
        str | None, o.plain("NAME", "The system that all others are compared with, instead of all pairs.")
    ] = None,
    margin: Annotated[
        float | None, o.plain("NUMBER", "Largest difference that does not matter; the verdict is about it, too.")
    ] = None,
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
    - trueness compare-systems a.jsonl b.jsonl
    - trueness compare-systems answers.jsonl --system model --run seed
    """
    from trueness.systems.compare_systems import compare

    check_given(*items)
    if len(items) == 1:
        check_different("system", system or [])
    k = compare(
        items[0] if len(items) == 1 else items,
        item=item,
        systems=system[0] if system and len(system) == 1 else system,
        truth=truth,
        cluster=cluster_by,
        run=run,
        metric=metric,
        score=score,
        filter=filter,
        positive=positive,
        missing=missing_answer.value,
        level=level,
        margin=margin,
        baseline=baseline,
    )
    show(k)
    if plot is not None:
        draw_and_say(k.plot(), plot)
    write_files(k, report, json_file, csv_file)


class What(StrEnum):
    """What the cases are for."""

    auc = "auc"
    proportion = "proportion"
    auc_difference = "auc-difference"
    error_difference = "error-difference"
    development = "development"
    validation = "validation"
    readers = "readers"


# help must not wait; a test compares
READER_DESIGNS = ("crossed", "split-plot", "cases-in-readers", "cases-in-modalities", "readers-in-modalities")
PILOT = "--pilot FILE --label COL --score COL --score COL"

OF_MODELS = ("parameters", "prevalence", "r2", "mean", "sd", "shrinkage", "lp_mean", "lp_sd", "threshold")
OPTIONS = (
    *("half_width", "power", "correlation", "discordant", "ratio", "pilot", "label", "score", "positive"),
    *OF_MODELS,
    *("component", "reader", "design", "groups"),
)
BELONGS = {
    What.auc: {"half_width", "ratio"},
    What.proportion: {"half_width"},
    What.auc_difference: {"power", "correlation", "ratio", "pilot", "label", "score", "positive"},
    What.error_difference: {"power", "discordant", "pilot", "label", "score"},
    What.development: {"parameters", "prevalence", "r2", "mean", "sd", "shrinkage"},
    What.validation: {"prevalence", "lp_mean", "lp_sd", "threshold"},
    What.readers: {"power", "component", "reader", "design", "groups"},
}


@command(
    STUDIES,
    10,
    y="label",
    components="component",
    difference="value",
    readers="reader",
    **dict.fromkeys(("auc", "auc1", "auc2", "error", "error1", "error2", "p"), "value"),
    **dict.fromkeys(("s1", "s2", "p1", "p2"), "score"),
)
def size(
    what: Annotated[What, typer.Argument(help="What the cases are for; a sensitivity or an error is a proportion.")],
    value: Annotated[
        list[float] | None, o.plain("NUMBER", "Expected value: one number, or two for a difference.")
    ] = None,
    half_width: Annotated[float | None, o.plain("NUMBER", "Half the length of the interval. [default: 0.05]")] = None,
    power: Annotated[float | None, o.plain("NUMBER", "Probability of detecting the difference. [default: 0.8]")] = None,
    correlation: Annotated[
        float | None, o.plain("NUMBER", "Correlation of the two scores within a class; without it, two test sets.")
    ] = None,
    discordant: Annotated[
        float | None, o.plain("SHARE", "Share of cases that only one rule gets right; without it, two test sets.")
    ] = None,
    ratio: Annotated[
        float | None, o.plain("NUMBER", "Negatives per positive. [default: 1, or that of the pilot]")
    ] = None,
    pilot: Annotated[str | None, o.plain("FILE", "Table of a pilot study, for spread and correlation.")] = None,
    label: Annotated[
        str | None,
        o.plain("COLUMN", "Column of the pilot with the labels; none where the scores say right (1) or wrong (0)."),
    ] = None,
    score: Annotated[list[str] | None, o.plain("COLUMN", "Two columns of the pilot, scores or decisions.")] = None,
    positive: Annotated[str | None, o.plain("LABEL", "The positive label of the pilot.")] = None,
    parameters: Annotated[int | None, o.plain("NUMBER", "Candidate predictor parameters of a model.")] = None,
    prevalence: Annotated[float | None, o.plain("SHARE", "Expected share of positives, for a model.")] = None,
    r2: Annotated[float | None, o.plain("NUMBER", "Expected R² (two classes: Cox–Snell); or --value, an AUC.")] = None,
    mean: Annotated[float | None, o.plain("NUMBER", "Mean of the number that a model predicts.")] = None,
    sd: Annotated[float | None, o.plain("NUMBER", "SD of the number that a model predicts.")] = None,
    shrinkage: Annotated[float | None, o.plain("NUMBER", "Least shrinkage of a model. [default: 0.9]")] = None,
    lp_mean: Annotated[float | None, o.plain("NUMBER", "Mean of the log-odds of a model to be validated.")] = None,
    lp_sd: Annotated[float | None, o.plain("NUMBER", "SD of the log-odds of a model to be validated.")] = None,
    threshold: Annotated[float | None, o.plain("RISK", "Risk at which the net benefit is validated.")] = None,
    component: Annotated[
        list[str] | None,
        o.plain(
            "NAME=NUMBER", "Of a reader study: var_tr, var, cov1, cov2, cov3 (or r1, r2, r3) and n_cases; repeatable."
        ),
    ] = None,
    reader: Annotated[list[int] | None, o.plain("N", "Number of readers of a reader study; repeatable.")] = None,
    design: Annotated[
        str | None,
        o.plain("NAME", f"Of a reader study: {', '.join(READER_DESIGNS)}. [default: crossed]"),
    ] = None,
    groups: Annotated[int | None, o.plain("N", "Groups of readers of a split-plot study. [default: 2]")] = None,
    level: Annotated[float, o.plain("LEVEL", "Level of the interval, or 1 − α of the test.")] = 0.95,
    format_: o.FormatOption = o.Format.text,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """Number of cases for an interval of a given width, to detect a difference, or for a prediction model.

    **Examples**

    - trueness size auc --value .8 --half-width .05
    - trueness size auc-difference --value .85 --value .8 --correlation .5 --power .9
    - trueness size error-difference --pilot pilot.csv --label y --score a --score b
    - trueness size development --parameters 24 --prevalence .174 --r2 .288
    - trueness size validation --prevalence .018 --value .8 --lp-mean -5 --lp-sd 2.5
    - trueness size readers --value .05 --component var_tr=2e-4 --component var=8e-4 --component r1=.43 …
    """
    from trueness import comparisons as C

    check_given()
    _check_options(what)
    half_width, power = 0.05 if half_width is None else half_width, 0.8 if power is None else power
    if what is What.readers:
        from trueness.reading.sizes import READERS, size_for_readers

        parts, wanted = _components(component), reader or READERS
        options = {"design": design, "groups": 2 if groups is None else groups, "power": power, "level": level}
        show(size_for_readers(_numbers(value, 1)[0], components=parts, readers=wanted, **options))  # type: ignore[arg-type]
        return
    answer: SampleSize
    if what is What.development:
        answer = C.size_for_development(
            _required("parameters", parameters),
            prevalence=prevalence,
            r2=r2,
            auc=_numbers(value, 1)[0] if value else None,
            mean=mean,
            sd=sd,
            shrinkage=0.9 if shrinkage is None else shrinkage,
        )
    elif what is What.validation:
        if (lp_mean is None) != (lp_sd is None):
            raise InputError("--lp-mean and --lp-sd belong together", param="lp_sd" if lp_sd is None else "lp_mean")
        predictor = None if lp_mean is None or lp_sd is None else (lp_mean, lp_sd)
        share, auc = _required("prevalence", prevalence), _numbers(value, 1)[0]
        answer = C.size_for_validation(share, auc, linear_predictor=predictor, threshold=threshold)
    elif what in (What.auc, What.proportion):
        one = _numbers(value, 1)[0]
        if what is What.auc:
            answer = C.size_for_auc(one, half_width, ratio=1.0 if ratio is None else ratio, level=level)
        else:
            answer = C.size_for_proportion(one, half_width, level=level)
    else:
        if not value and pilot is None and not (label or score):
            raise InputError("2 values are needed", param="value", fix=f"Use --value twice, or a pilot study: {PILOT}")
        first, second = _numbers(value, 2) if value else (None, None)
        study, positive = _pilot(what, pilot, label, score, positive)
        if what is What.auc_difference:
            answer = C.size_for_auc_difference(
                first,
                second,
                power=power,
                correlation=correlation,
                ratio=ratio,
                level=level,
                pilot=study,
                positive=positive,
            )
        else:
            answer = C.size_for_error_difference(
                first, second, power=power, discordant=discordant, level=level, pilot=study
            )
    show(answer)
    write_files(answer, report, json_file, csv_file)


def _components(given: list[str] | None) -> dict[str, float]:
    """Numbers by name."""
    out = {}
    for word in given or []:
        name, _, number = word.partition("=")
        try:
            out[name.strip()] = float(number)
        except ValueError:
            raise InputError(
                "A component is a name and a number", param="component", got=word, fix="E.g. var=0.0008"
            ) from None
    return out


def _check_options(what: What) -> None:
    """An error for an option that does not affect the answer, which would look as if it did."""
    unused = [name for name in OPTIONS if name not in BELONGS[what] and given(name) is not None]
    if unused:
        known = ["--value", "--level", *(f"--{name.replace('_', '-')}" for name in sorted(BELONGS[what]))]
        raise InputError(
            f"The size for {what.value} does not depend on this option", param=unused[0], fix=f"Use {', '.join(known)}"
        )


def _required(name: str, value: Given | None) -> Given:
    if value is None:
        raise InputError(f"{name} is required", param=name)
    return value


def _numbers(value: list[float] | None, wanted: int) -> list[float]:
    if value is None or len(value) != wanted:
        raise InputError(
            "1 value is needed" if wanted == 1 else f"{wanted} values are needed",
            param="value",
            got=f"{len(value or [])}",
        )
    return value


def _pilot(
    what: What, pilot: str | None, label: str | None, score: list[str] | None, positive: str | None
) -> tuple[tuple[pd.Series, pd.Series, pd.Series] | None, str | None]:
    """Labels and two scores of the pilot study, and the positive label as it is spelled there."""
    import pandas as pd

    from trueness.files.table_file import column, read_table

    if pilot is None:
        if label or score:
            raise InputError(
                "This option belongs to a pilot study", param="label" if label else "score", fix="Use --pilot FILE"
            )
        return None, positive
    if label is None and score is not None and len(score) == 2 and what is What.error_difference:
        table = read_table(pilot)
        first, second = (column(table, name, "score") for name in score)
        if all(set(each.unique()) <= {0, 1} for each in (first, second)):
            return (first * 0 + 1, first * 1, second * 1), positive  # right or wrong: the true label of "right" is 1
    if label is None or score is None or len(score) != 2:
        raise InputError("A pilot study needs a label column and two score columns", param="pilot", fix=f"Use {PILOT}")
    table = read_table(pilot)
    cases = labelled(table, label, positive)
    first, second = (column(table, name, "score") for name in score)
    if what is What.error_difference:
        for name, values in zip(score, (first, second), strict=True):
            if pd.api.types.is_float_dtype(values) and bool((values.dropna() % 1 != 0).any()):
                raise InputError(
                    "Errors are of decisions, and the column holds scores",
                    param="score",
                    got=f"{name}, e.g. {values.dropna().iloc[0]:g}",
                    fix="Name columns of decided labels, or use trueness size auc-difference for scores",
                )
    return (cases.y, first, second), cases.positive
