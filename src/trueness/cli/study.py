"""seal, unseal and verify: a test set that is opened once, on record; study: published tables, reproduced; demo: the main job
on an example; runs: what a store holds; help: the documentation that is installed with the package."""

import os
from functools import partial
from pathlib import Path

import numpy as np
import typer
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from trueness import sealed, studies
from trueness.api.assess import assess
from trueness.api.compare import compare
from trueness.checks import write_file
from trueness.cli.answers import numbers
from trueness.cli.command import Given, Options, command
from trueness.cli.output import OUTPUT, check_folder, introduce, show
from trueness.errors import InputError
from trueness.files.features import read_cases
from trueness.fitting.models import model_by_name
from trueness.fitting.store import contents
from trueness.plans import CvBootstrap
from trueness.result.glossary import documentation, word
from trueness.result.shown import Result
from trueness.sample.labels import looks_numeric
from trueness.sample.left_out import table_of
from trueness.sealed.study import SEALED, read_study, size_of
from trueness.studies.registry import find


@command(Options("Data", sealed.seal, "target out test_size groups time missing key_file rng"), y="target")
def seal(given: Given, data: str, /, *, checks: bool = True) -> None:
    """Split a table: the design set stays readable, the test set is encrypted until trueness unseal.

    What trueness check finds in the table is said first. Without a key file a passphrase is asked for, or taken from
    TRUENESS_PASSPHRASE.

    **Examples**

    - trueness seal patients.csv --target outcome --out study
    - trueness seal visits.csv --target outcome --groups patient --out study --key-file key

    Parameters
    ----------
    data : str
        Table: CSV, TSV or Parquet.
    checks : bool, default True
        Look for leaks in the data first.
    """
    out = given["out"]
    if not out.exists() and checks:  # else the error comes first
        cases = read_cases(data, given["target"], given["groups"], missing=given["missing"] or ())
        introduce(given, cases, checks)
    made = given.to(sealed.seal, data, passphrase=_passphrase(given, confirm=True))
    test, design = size_of(made.manifest, "test"), size_of(made.manifest, "design")
    typer.echo(f"Sealed {test} ({out / SEALED}); {design} to work with ({out / made.manifest['design']})")
    typer.echo(f"Keep {data} where the work on the model cannot reach it, and this line where others can see it:")
    typer.echo(made.receipt)


@command(Options("Method", sealed.unseal, "metrics positive threshold by level drop again key_file"), OUTPUT)
def unseal(given: Given, study: Path, /, *, model: str) -> Result:
    """Fit the declared model on the design set, assess it once on the sealed test set, and record that.

    Features are prepared as by trueness assess on the design set; give the same --drop. All of it is rehearsed on the
    design set before the test set is opened.

    **Examples**

    - trueness unseal study --model logistic --positive ill --report report.html
    - trueness unseal study --model logistic --positive ill --threshold 0.3 --metric tpf --metric fpf --by sex

    Parameters
    ----------
    study : path
        Folder that trueness seal made.
    model : str
        A model by the names of trueness assess.
    """
    known = read_study(study)
    numeric = looks_numeric(known.design()[known.manifest["target"]])
    declared = partial(model_by_name, model, kind="regression" if numeric else "classification")
    return given.to(sealed.unseal, study, declared, passphrase=_passphrase(given), prepared=True)


@command(Options("Method", sealed.verify, "head"), OUTPUT)
def verify(given: Given, study: Path, /) -> Result:
    """Check every hash of a sealed study and list its openings.

    Parameters
    ----------
    study : path
        Folder that trueness seal made.
    """
    return given.to(sealed.verify, study)


def _passphrase(given: Given, confirm: bool = False) -> str | None:
    if given["key_file"] is not None:
        return None
    known = os.environ.get("TRUENESS_PASSPHRASE")
    return known or str(typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm))


@command(Options("Study", studies.run, "trials n_jobs"), store="out")
def study(
    given: Given,
    name: str | None = None,
    /,
    *,
    sizes: str | None = None,
    rng: int = 0,
    out: Path | None = None,
    list_: bool = False,
) -> None:
    """Reproduce a published table or figure beside the original. Exit code 1 where a claim does not hold.

    **Examples**

    - trueness study --list
    - trueness study error-estimators --trials 200 --out results

    Parameters
    ----------
    name : str, optional
        Name of the study; --list shows all.
    sizes : str, optional
        Sample sizes, e.g. 20,50; as published by default.
    rng : int, default 0
        Seed; the same seed gives the same numbers.
    out : path, optional
        Folder for tables, figures, a page and the trials; run again to resume.
    list_ : bool, default False
        List the studies.
    """
    if list_ or name is None:
        width = max(map(len, studies.names()))
        for each in studies.names():
            found = find(each)
            typer.echo(f"{each.ljust(width)}  {found.title} ({found.source})")
        return
    check_new("out", out)
    wanted = None if sizes is None else tuple(map(int, numbers(sizes, "sizes")))
    store = None if out is None else out / "trials.db"
    result = given.to(studies.run, name, sizes=wanted, rng=rng, store=store)
    typer.echo(str(result))
    typer.echo(f"{result.seconds:.1f} s")
    if out is not None:
        for path in result.write(out):
            typer.echo(f"Wrote {path}")
    if not result.checks():
        raise typer.Exit(1)


def check_new(param: str, path: Path | None) -> None:
    """An error where a folder cannot be made or written to."""
    if path is not None:
        there = path.absolute()
        check_folder(param, path, next(each for each in (there, *there.parents) if each.exists()))


@command(Options("Running", assess, "n_jobs"))
def demo(given: Given, /, *, out: Path = Path("trueness-demo")) -> None:
    """Assess LDA and logistic regression on the Wisconsin breast cancer data, and compare them.

    Leaves the data behind as patients.csv, and scores of both models as scores.csv: files to try other commands on.

    Parameters
    ----------
    out : path, default "trueness-demo"
        Folder for the results.
    """
    check_new("out", out)
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, np.asarray(data.target_names)[data.target]
    design = CvBootstrap().draw(y, rng=2026)
    models = {
        "lda": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }
    out.mkdir(parents=True, exist_ok=True)  # before the work starts
    typer.echo("Can these 30 measurements of a biopsy tell malignant from benign tumours?\n")
    results = {}
    for name, model in models.items():
        results[name] = given.to(assess, model, X, y, plan=design, positive="malignant", name=name)
        show(given, results[name].page())
        typer.echo()
    fits = {name: a.fits for name, a in results.items() if a.fits is not None}
    typer.echo("Is one better?")
    for metric in ("error", "auc"):
        typer.echo(f"- {compare(fits, metric=metric).verdict}")
    scores = table_of(fits, outcome=X.assign(outcome=y)["outcome"]).round(6)
    write_file(out / "patients.csv", X.assign(outcome=y).to_csv(index=False), "out")
    write_file(out / "scores.csv", scores.to_csv(index=False), "out")
    for name, a in results.items():
        a.report(out / f"{name}.html")
    typer.echo(f"\nWrote two reports, lda.html and logistic.html, to {out}/. Next:")
    assessed = "--target outcome --positive malignant --model lda --report report.html"
    typer.echo(f"  trueness assess {out / 'patients.csv'} {assessed}")
    typer.echo(f"  trueness roc {out / 'scores.csv'} --label outcome --positive malignant --score lda --score logistic")


@command()
def runs(given: Given, store: Path, /) -> None:
    """List the runs in a store: models, plans, how many fits are done, seed and versions.

    Parameters
    ----------
    store : path
        File that --store named, or the trials.db of a study.
    """
    show(given, contents(store))


@command()
def help(given: Given, page: str | None = None, /) -> None:
    """List the pages of the documentation, show one, or explain a word of a table.

    **Examples**

    - trueness help
    - trueness help jobs/churn
    - trueness help L003
    - trueness help cv+training

    Parameters
    ----------
    page : str, optional
        Name of a page, the code of a check, or a word of a table.
    """
    root = documentation()
    found = sorted(root.rglob("*.md"), key=lambda each: (len(each.parts), each))
    pages = {each.relative_to(root).with_suffix("").as_posix(): each for each in found}
    if page is None:
        width = max(map(len, pages), default=0)
        for name, each in pages.items():
            typer.echo(
                f"{name.ljust(width)}  {each.read_text(encoding='utf-8').partition(chr(10))[0].removeprefix('# ')}"
            )
        return
    asked = page.lower()
    for name, each in pages.items():
        if asked in (name.lower(), name.lower().rpartition("/")[2]):
            typer.echo(each.read_text(encoding="utf-8"))
            return
    if (known := word(page)) is None:
        raise InputError("There is no such page", param="page", got=page, fix="trueness help lists them")
    typer.echo(f"{known.name}\n  {known.says}")
