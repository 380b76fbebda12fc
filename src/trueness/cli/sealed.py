"""trueness seal, unseal and verify: a test set that is opened once, on record."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from trueness.cli import options as o
from trueness.cli.checks import check_given
from trueness.cli.names import MODEL_HELP
from trueness.cli.output import show, write_files

STUDY_HELP = "Folder that trueness seal made."
KEY_HELP = "File that opens the test set; without it a passphrase is asked for (or taken from TRUENESS_PASSPHRASE)."

KeyFile = Annotated[Path | None, o.plain("FILE", KEY_HELP)]


def seal(
    data: o.DataArgument,
    target: o.Target,
    out: Annotated[Path, o.plain("FOLDER", "Folder to make.")] = Path("study"),
    test_size: Annotated[float, o.plain("SHARE", "Share of the cases to seal.")] = 0.3,
    groups: o.Groups = None,
    time: Annotated[str | None, o.plain("COLUMN", "Column with times: the latest cases are sealed.")] = None,
    key_file: KeyFile = None,
    seed: o.FixedSeed = 0,
) -> None:
    """Split a table: the design set stays readable, the test set is encrypted until trueness unseal."""
    from trueness.sealed import seal as make

    made = make(
        data,
        target,
        test_size=test_size,
        out=out,
        passphrase=_passphrase(key_file, confirm=True),
        key_file=key_file,
        groups=groups,
        time=time,
        rng=seed,
    )
    cases = made.manifest["cases"]
    typer.echo(
        f"Sealed {cases['test']} cases in {out}; {cases['design']} cases to work with: {out / made.manifest['design']}"
    )
    typer.echo(f"Keep {data} where the work on the model cannot reach it. Ledger head: {made.records[-1]['hash']}")


def unseal(
    study: Annotated[Path, typer.Argument(help=STUDY_HELP)],
    model: Annotated[str, o.modelled(f"{MODEL_HELP}.")],
    metric: o.Metrics = None,
    positive: o.Positive = None,
    threshold: Annotated[float | None, o.plain("NUMBER", "Declared threshold of the score.")] = None,
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
    """
    from trueness.fitting.models import model_by_name
    from trueness.sealed import unseal as open_study

    check_given()
    found = open_study(
        study,
        partial(model_by_name, model),
        passphrase=_passphrase(key_file),
        key_file=key_file,
        metrics=metric or ("error", "auc"),
        positive=positive,
        threshold=threshold,
        level=level,
        again=again,
        drop=drop or (),
        prepared=True,
    )
    show(found)
    write_files(found, report)


def verify(
    study: Annotated[Path, typer.Argument(help=STUDY_HELP)],
    head: Annotated[str | None, o.plain("HASH", "A hash that was the head of the ledger.")] = None,
    format_: o.FormatOption = o.Format.text,
    report: o.Report = None,
) -> None:
    """Check every hash of a sealed study and list its openings."""
    from trueness.sealed import verify as check

    check_given()
    found = check(study, head)
    show(found)
    write_files(found, report)


def _passphrase(key_file: Path | None, confirm: bool = False) -> str | None:
    import os

    if key_file is not None:
        return None
    return os.environ.get("TRUENESS_PASSPHRASE") or str(
        typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm)
    )
