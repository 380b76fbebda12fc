"""Commands about data: trueness check for leaks; seal, unseal and verify for a test set that is opened once, on record."""

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from trueness.cli import options as o
from trueness.cli.options import MODEL_HELP, columns
from trueness.cli.output import check_given, introduce, say, show, table_of, write_files
from trueness.cli.spelling import START, STUDIES, command
from trueness.errors import InputError


@command(START, 20, y="target", X_test="test")
def check(
    data: o.DataArgument,
    target: o.Target,
    groups: o.Groups = None,
    batch: Annotated[
        str | None,
        typer.Option(help="Column with batches (plate, scanner, day).", metavar="COLUMN", autocompletion=columns),
    ] = None,
    test: Annotated[
        Path | None, o.plain("FILE", "Table with the test set: rows that the first table has, too, are found.")
    ] = None,
    drop: o.Drop = None,
    missing: o.Missing = None,
    ignore: Annotated[list[str] | None, o.plain("CODE", "Code that is not looked for, e.g. L003; repeatable.")] = None,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    json_file: o.JsonFile = None,
) -> None:
    """Look for leaks: columns that give the target away, identifiers, copies of rows, batches, …

    Every finding has a code; trueness help CODE explains it.

    **Examples**

    - trueness check data.csv --target outcome
    - trueness check train.csv --target outcome --test test.csv --groups patient --ignore L003
    """
    from trueness.files.features import in_one_spelling, split
    from trueness.files.numbers import with_numbers
    from trueness.files.table_file import column
    from trueness.leaks.check import check as check_data
    from trueness.result.words import counted

    check_given(data)
    table = table_of(data)
    in_batches = None if batch is None else column(table, batch, "batch")
    left_out = [*(drop or ()), *([] if batch is None or batch == groups else [batch])]
    X, y, group = split(table, target, groups, left_out)
    known = y.notna()
    if not known.all() and known.any():  # as trueness assess does
        say(f"{counted(int((~known).sum()), 'row')} without a label left out.")
        X, y = with_numbers(X[known].reset_index(drop=True))[0], y[known].reset_index(drop=True)
        group = None if group is None else group[known].reset_index(drop=True)
        in_batches = None if in_batches is None else in_batches[known].reset_index(drop=True)
    spelled = in_one_spelling(y)
    y = spelled.y
    if spelled.note is not None:
        say(spelled.note.message)
    X_test = None
    if test is not None:
        X_test = table_of(str(test))
        missing = [str(c) for c in X.columns if c not in X_test.columns]
        if missing:
            raise InputError("The test set lacks columns of the data", param="test", got=", ".join(missing))
        X_test = X_test[X.columns]
    found = check_data(X, y, groups=group, ignore=ignore or (), X_test=X_test, batch=in_batches)
    show(found)
    write_files(found, json_file=json_file)


STUDY_HELP = "Folder that trueness seal made."
KEY_HELP = "File that opens the test set; without it a passphrase is asked for (or taken from TRUENESS_PASSPHRASE)."

KeyFile = Annotated[Path | None, o.plain("FILE", KEY_HELP)]


@command(STUDIES, 30, rng="seed", y="target", passphrase="key_file")
def seal(
    data: o.DataArgument,
    target: o.Target,
    out: Annotated[Path, o.plain("FOLDER", "Folder to make.")] = Path("study"),
    test_size: Annotated[float, o.plain("SHARE", "Share of the cases to seal.")] = 0.3,
    groups: o.Groups = None,
    time: Annotated[str | None, o.plain("COLUMN", "Column with times: the latest cases are sealed.")] = None,
    missing: o.Missing = None,
    checks: o.Checks = True,
    key_file: KeyFile = None,
    seed: o.FixedSeed = 0,
) -> None:
    """Split a table: the design set stays readable, the test set is encrypted until trueness unseal.

    What trueness check finds in the table is said first.

    **Examples**

    - trueness seal patients.csv --target outcome --out study
    - trueness seal visits.csv --target outcome --groups patient --out study --key-file key
    """
    from trueness.files.features import read_cases
    from trueness.sealed.study import SEALED, size_of
    from trueness.sealed.study import seal as make

    if not out.exists():  # else the error comes first
        with suppress(InputError):  # that of `seal`, which asks for less
            introduce(read_cases(data, target, groups, missing=missing or ()), checks)
    made = make(
        data,
        target,
        test_size=test_size,
        out=out,
        passphrase=_passphrase(key_file, confirm=True),
        key_file=key_file,
        groups=groups,
        time=time,
        missing=missing or (),
        rng=seed,
    )
    test, design = size_of(made.manifest, "test"), size_of(made.manifest, "design")
    typer.echo(f"Sealed {test} ({out / SEALED}); {design} to work with ({out / made.manifest['design']})")
    typer.echo(f"Keep {data} where the work on the model cannot reach it, and this line where others can see it:")
    typer.echo(made.receipt)


@command(STUDIES, 40, metrics="metric", passphrase="key_file")
def unseal(
    study: Annotated[Path, typer.Argument(help=STUDY_HELP)],
    model: Annotated[str, o.modelled(f"{MODEL_HELP}.")],
    metric: o.Metrics = None,
    positive: o.Positive = None,
    threshold: Annotated[
        float | None,
        o.plain(
            "NUMBER",
            "Declared threshold of the probability (else of the score); the model's own by default. Without --metric it "
            "asks for tpf, fpf, ppv and npv, too.",
        ),
    ] = None,
    by: o.Subgroups = None,
    level: o.Level = 0.95,
    drop: o.Drop = None,
    again: Annotated[str | None, o.plain("REASON", "Why the test set is opened again; it is recorded.")] = None,
    key_file: KeyFile = None,
    format_: o.FormatOption = o.Format.text,
    report: o.Report = None,
) -> None:
    """Fit the declared model on the design set, assess it once on the sealed test set, and record that.

    Features are prepared as by trueness assess on the design set; give the same --drop. All of it is rehearsed on the
    design set before the test set is opened.

    **Examples**

    - trueness unseal study --model logistic --positive ill --report report.html
    - trueness unseal study --model logistic --positive ill --threshold 0.3 --metric tpf --metric fpf --by sex
    """
    from trueness.fitting.models import model_by_name
    from trueness.sample.labels import looks_numeric
    from trueness.sealed import unseal as open_study
    from trueness.sealed.study import read_study

    check_given()
    known = read_study(study)
    target = known.design()[known.manifest["target"]]
    found = open_study(
        study,
        partial(model_by_name, model, kind="regression" if looks_numeric(target) else "classification"),
        passphrase=_passphrase(key_file),
        key_file=key_file,
        metrics=metric,
        positive=positive,
        threshold=threshold,
        by=by or (),
        level=level,
        again=again,
        drop=drop or (),
        prepared=True,
    )
    show(found)
    write_files(found, report)


@command(STUDIES, 50)
def verify(
    study: Annotated[Path, typer.Argument(help=STUDY_HELP)],
    head: Annotated[str | None, o.plain("HASH", "A hash that was the head of the ledger, or its receipt.")] = None,
    format_: o.FormatOption = o.Format.text,
    report: o.Report = None,
) -> None:
    """Check every hash of a sealed study and list its openings."""
    from trueness.sealed.study import verify as check

    check_given()
    found = check(study, head=head)
    show(found)
    write_files(found, report)


def _passphrase(key_file: Path | None, confirm: bool = False) -> str | None:
    import os

    if key_file is not None:
        return None
    return os.environ.get("TRUENESS_PASSPHRASE") or str(
        typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm)
    )
