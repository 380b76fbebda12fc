"""Commands for scores and ratings that you have: calibration and benefit of probabilities, subgroups, reader studies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueness.cli import options as o
from trueness.cli.output import (
    check_different,
    check_given,
    complete,
    draw_and_say,
    labelled,
    require_two,
    say,
    show,
    show_page,
    table_of,
    write_files,
)
from trueness.cli.spelling import OWN, command
from trueness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from trueness.result.shown import Result
    from trueness.sample.fits import Fits


Probabilities = Annotated[list[str], o.column("Column with the probability of the positive label; repeatable.")]


@command(OWN, 20, y="label", p="score")
def calibration(
    scores: o.DataArgument,
    label: o.TrueLabels,
    score: Probabilities,
    positive: o.Positive = None,
    groups: o.Units = None,
    drop_missing: o.DropMissing = False,
    missing: o.Missing = None,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    plot: o.Plot = None,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """Calibration of predicted probabilities: intercept, slope, O/E, ICI, Brier score; of two scores the differences.

    **Examples**

    - trueness calibration scores.csv --label y --score p --plot calibration.png
    - trueness calibration scores.csv --label y --score p1 --score p2 --groups patient
    """
    from trueness.probabilities.calibrated import Calibration
    from trueness.probabilities.calibrated import calibration as of

    check_given(scores)
    if len(score) > 2:
        raise InputError("Two scores can be compared at a time", param="score", got=", ".join(score))
    given = _read(scores, label, score, groups, drop_missing, positive)
    found = {name: of(fits, level=level) for name, fits in given.items()}
    result: Result = next(iter(found.values()))
    drawn: Any = result
    parts: Mapping[str, Result] = {}
    if len(found) == 2:
        from trueness.cli.two_scores import TwoCalibrations

        of_two = {name: q for name, q in found.items() if isinstance(q, Calibration)}
        (a, first), (b, second) = of_two.items()
        result = drawn = both = TwoCalibrations(of_two, replace(first.versus(second), names=(a, b)), level)
        parts = both.parts
    if format_ == o.Format.text and parts:
        for k, (name, part) in enumerate(parts.items()):
            page = part.page()
            typer.echo("\n" * (k > 0), nl=False)
            show_page(replace(page, title=f"{name}: {page.title}" if name in found else page.title))
    else:
        show(result)
    if plot is not None:
        draw_and_say(drawn.figure().draw(), plot)
    write_files(result, report, json_file, csv_file)


@command(OWN, 30, y="label", p="score")
def benefit(
    scores: o.DataArgument,
    label: o.TrueLabels,
    score: Probabilities,
    positive: o.Positive = None,
    groups: o.Units = None,
    drop_missing: o.DropMissing = False,
    missing: o.Missing = None,
    prevalence: Annotated[
        float | None, o.data("NUMBER", "Prevalence of the population, for case-control data.")
    ] = None,
    thresholds: Annotated[
        str | None, o.data("T,T,… or FROM:TO:STEP", "Thresholds of risk, above 0 and below 1; by default 0.01 to 0.99.")
    ] = None,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    plot: o.Plot = None,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """Decision curve: net benefit over thresholds of risk, and where a model is worth using.

    **Examples**

    - trueness benefit scores.csv --label y --score p --plot benefit.png
    - trueness benefit scores.csv --label y --score p1 --score p2 --prevalence 0.05
    - trueness benefit scores.csv --label y --score p --thresholds 0.05:0.3:0.01 --plot benefit.png
    """
    from trueness.probabilities.benefit import decision_curve

    check_given(scores)
    given = _read(scores, label, score, groups, drop_missing, positive)
    at = None if thresholds is None else _thresholds(thresholds)
    found = decision_curve(given, thresholds=at, prevalence=prevalence, level=level)
    result: Result = found
    parts: Mapping[str, Result] = {}
    if len(given) == 2:
        from trueness.cli.two_scores import TwoBenefits

        result = both = TwoBenefits(found, found.difference(*given), level)
        parts = both.parts
    if format_ == o.Format.text and parts:
        for k, part in enumerate(parts.values()):
            typer.echo("\n" * (k > 0), nl=False)
            show(part)
    else:
        show(result)
    if plot is not None:
        draw_and_say(found.figure().draw(), plot)
    write_files(result, report, json_file, csv_file)


def _thresholds(text: str) -> list[float]:
    """0.1,0.2,0.3 or 0.05:0.3:0.01, the last one included."""
    try:
        if ":" not in text:
            return [float(part) for part in text.split(",")]
        low, high, step = (float(part) for part in text.split(":"))
        if step > 0 and low <= high:
            return [round(low + k * step, 12) for k in range(int((high - low) / step + 1e-9) + 1)]
    except ValueError:
        pass
    fix = "Write e.g. 0.1,0.2,0.3 or 0.05:0.3:0.01"
    raise InputError("Not thresholds", param="thresholds", got=repr(text), fix=fix)


def _read(
    scores: str, label: str, score: list[str], groups: str | None, drop_missing: bool, positive: str | None
) -> dict[str, Fits]:
    """Test sets with probabilities, by name."""
    from trueness.files.table_file import column
    from trueness.probabilities.given import fits_of
    from trueness.sample.left_out import marked
    from trueness.sample.scores import numbers

    check_different("score", score)
    if label in score:
        raise InputError("A score is the column of the labels", param="score", got=label, fix="Name a column of scores")
    named = {label: "label", **dict.fromkeys(score, "score")} | ({} if groups is None else {groups: "groups"})
    table = complete(table_of(scores), drop_missing, named)
    units = None if groups is None else column(table, groups, "groups")
    found, columns = labelled(table, label, positive), {name: column(table, name, "score") for name in score}
    for name, values in columns.items():
        try:
            numbers(values, "score")
        except InputError as error:
            raise error.of(f"--score {name}") from None
        _check_probabilities(name, values)
    require_two(found.y)
    return {name: marked(fits_of(found.y, p, found.positive, units), table) for name, p in columns.items()}


def _check_probabilities(name: str, values: pd.Series) -> None:
    """Numbers outside [0, 1], with what helps where there is no model; what is no number is told by the library."""
    import pandas as pd

    from trueness.result.words import counted

    outside = values[(values < 0) | (values > 1)] if pd.api.types.is_numeric_dtype(values) else values[:0]
    if outside.empty:
        return
    percent = "Divide percentages by 100. " if outside.between(1, 100).all() else ""
    fix = (
        f"{percent}Name a column with probabilities (of log-odds x, 1/(1 + exp(−x))); scores of another kind are for "
        "trueness roc, and trueness assess makes probabilities of the features"
    )
    problem = f"{name} must hold probabilities; {counted(len(outside), 'value is', 'values are')} outside [0, 1]"
    raise InputError(problem, param="score", got=f"e.g. {outside.iloc[0]:.6g}", fix=fix)


@command(OWN, 70, y="label", scores="score", predictions="prediction")
def subgroups(
    scores: o.DataArgument,
    label: o.Target,
    by: Annotated[str, o.column("Column with the group of each case: sex, age band, site.")],
    score: Annotated[str | None, o.column("Column with scores, high for the positive class.")] = None,
    prediction: Annotated[str | None, o.column("Column with predicted labels, for metrics of decisions.")] = None,
    metric: Annotated[str, o.measured(f"{o.METRIC_HELP}.")] = "auc",
    threshold: Annotated[float | None, o.method("NUMBER", "Positive where score ≥ this, without --prediction.")] = None,
    sites: Annotated[
        bool,
        typer.Option("--sites", help="Random-effects mean, and what a new site may have.", rich_help_panel=o.METHOD),
    ] = False,
    positive: o.Positive = None,
    groups: o.Units = None,
    drop_missing: o.DropMissing = False,
    missing: o.Missing = None,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    plot: o.Plot = None,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """A metric in every group of cases, with intervals that hold together, and a test of equality.

    **Examples**

    - trueness subgroups scores.csv --label y --score s --by sex
    - trueness subgroups scores.csv --label y --score s --by site --sites --plot sites.png
    - trueness subgroups scores.csv --label y --prediction p --metric sensitivity --by age_band
    """
    from trueness.api.subgroups import as_test_set
    from trueness.api.subgroups import subgroups as by_group
    from trueness.files.features import in_quarters
    from trueness.files.table_file import column
    from trueness.sample.left_out import marked

    check_given(scores)
    named = {label: "label", score: "score", prediction: "prediction", groups: "groups"}
    table = complete(table_of(scores), drop_missing, {name: param for name, param in named.items() if name})
    cases = labelled(table, label, positive, prediction)
    groups_of = column(table, by, "by")
    if not sites and (binned := in_quarters(groups_of)) is not groups_of:  # sites may be numbered
        say(f"{by}: {groups_of.nunique()} different numbers, as {binned.nunique()} groups of about the same size.")
        groups_of = binned
    values = None if score is None else column(table, score, "score")
    units = None if groups is None else column(table, groups, "groups")
    fits = as_test_set(cases.y, values, metric, cases.predictions, threshold, cases.positive, units)
    found = by_group(marked(fits, table), metric, by=groups_of, level=level)
    result = found.sites() if sites else found
    show(result)
    if plot is not None:
        draw_and_say(result.plot(), plot)
    write_files(result, report, json_file, csv_file)


DESIGNS = ("crossed", "cases-in-readers", "cases-in-modalities", "split-plot")  # help must not wait; a test compares
COVARIANCES = ("delong", "jackknife", "unbiased")


@command(OWN, 60, frame="data")
def readers(
    data: Annotated[str, typer.Argument(metavar="FILE", help=f"One row per reader, case and modality. {o.DATA_HELP}")],
    reader: Annotated[str, o.column("Column that names the reader.")] = "reader",
    case: Annotated[str, o.column("Column that names the case.")] = "case",
    truth: o.TrueLabels = "truth",
    score: Annotated[str, o.column("Column with the scores or ratings, high for the positive class.")] = "score",
    modality: Annotated[str | None, o.column("Column that names the modality; without it there is one.")] = None,
    model: Annotated[str | None, o.column("Column with the score of a model, one per case.")] = None,
    positive: o.Positive = None,
    design: Annotated[str, o.method("NAME", f"What the name of a case means: {', '.join(DESIGNS)}.")] = "crossed",
    method: Annotated[str, o.method("NAME", "or (Obuchowski–Rockette, Hillis) or u (one-shot U-statistics).")] = "or",
    metric: Annotated[str, o.measured("Figure of merit of a reader: auc, or a measure of decisions.")] = "auc",
    threshold: Annotated[float | None, o.method("NUMBER", "Positive where score ≥ this, for decisions.")] = None,
    covariance: Annotated[str | None, o.method("NAME", f"For method or: {', '.join(COVARIANCES)}.")] = None,
    random: Annotated[str, o.method("NAME", "What another study draws anew: both, readers or cases.")] = "both",
    margin: Annotated[
        float | None, o.method("NUMBER", "Test that the first modality is not worse by more than this.")
    ] = None,
    first: Annotated[str | None, o.method("NAME", "The modality that --margin is about, first − other.")] = None,
    detect: Annotated[
        float | None, o.method("NUMBER", "Readers and cases to detect this difference, with this study as the pilot.")
    ] = None,
    power: Annotated[float, o.method("NUMBER", "Power for --detect.")] = 0.8,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    plot: o.Plot = None,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """Reader studies: several readers, several modalities, the same cases (MRMC).

    **Examples**

    - trueness readers study.csv --modality device --score rating --report study.html
    - trueness readers study.csv --modality device --metric sensitivity --threshold 3 --margin 0.05
    """
    from trueness.files.table_file import column
    from trueness.reading.study import readers as analysed

    check_given(data)
    if format_ not in (o.Format.text, o.Format.json) and (margin is not None or detect is not None):
        param = "margin" if margin is not None else "detect"
        raise InputError("This is shown as text or JSON", param=param, got=f"--format {format_.value}")
    if first is not None and margin is None:
        raise InputError("The first modality is that of the margin", param="first", fix="Pass --margin")
    table = table_of(data)
    named = {"reader": reader, "case": case, "truth": truth, "score": score, "modality": modality, "model": model}
    for param, name in named.items():
        if name is not None:
            column(table, name, param)
    cases = labelled(table, truth, positive)
    result = analysed(
        table.assign(**{truth: cases.y}),
        reader=reader,
        case=case,
        truth=truth,
        score=score,
        modality=modality,
        design=design,
        method=method,  # type: ignore[arg-type]  # checked there
        metric=metric,
        covariance=covariance,  # type: ignore[arg-type]
        random=random,  # type: ignore[arg-type]
        threshold=threshold,
        model=model,
        positive=cases.positive,
        level=level,
    )
    test = None if margin is None else result.non_inferiority(margin, first)
    sizes = None if detect is None else result.sizes(detect, power=power, level=level)
    more = [found for found in (test, sizes) if found is not None]
    result = result.beside(*more)
    show(result)
    for found in more if format_ == o.Format.text else ():
        typer.echo()
        show(found)
    if plot is not None:
        draw_and_say(result.plot(), plot)
    write_files(result, report, json_file, csv_file)
