"""The command for reader studies."""

from typing import Annotated

import typer

from trueness.cli import options as o
from trueness.cli.output import check_given, draw_and_say, show, write_files
from trueness.errors import InputError

DESIGNS = ("crossed", "cases-in-readers", "cases-in-modalities", "split-plot")  # help must not wait; a test compares
COVARIANCES = ("delong", "jackknife", "unbiased")


def readers(
    data: Annotated[str, typer.Argument(metavar="FILE", help=f"One row per reader, case and modality. {o.DATA_HELP}")],
    reader: Annotated[str, o.column("Column that names the reader.")] = "reader",
    case: Annotated[str, o.column("Column that names the case.")] = "case",
    truth: Annotated[str, o.column("Column with the true labels.")] = "truth",
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
    from trueness.files.table_file import column, read_table
    from trueness.reading.study import readers as analysed

    check_given(data)
    if format_ not in (o.Format.text, o.Format.json) and (margin is not None or detect is not None):
        param = "margin" if margin is not None else "detect"
        raise InputError("This is shown as text or JSON", param=param, got=f"--format {format_.value}")
    if first is not None and margin is None:
        raise InputError("The first modality is that of the margin", param="first", fix="Pass {margin=}")
    table = read_table(data)
    named = {"reader": reader, "case": case, "truth": truth, "score": score, "modality": modality, "model": model}
    for param, name in named.items():
        if name is not None:
            column(table, name, param)
    result = analysed(
        table,
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
        positive=positive,
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
