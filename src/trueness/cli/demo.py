"""trueness demo: the main job on a data set that ships with scikit-learn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trueness.cli import options as o
from trueness.cli.checks import check_output_folder
from trueness.cli.output import show_page

if TYPE_CHECKING:
    import pandas as pd

    from trueness.sample.left_out import LeftOut


def demo(
    out: Annotated[Path, o.plain("FOLDER", "Folder for the results.")] = Path("trueness-demo"),
    jobs: o.Jobs = 1,
) -> None:
    """Assess LDA and logistic regression on the Wisconsin breast cancer data, and compare them.

    Leaves the data behind as patients.csv, and scores of both models as scores.csv: files to try other commands on.
    """
    import numpy as np
    from sklearn.datasets import load_breast_cancer
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import trueness

    check_output_folder("out", out)
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, np.asarray(data.target_names)[data.target]
    design = trueness.CvBootstrap().draw(y, rng=2026)
    models = {
        "LDA": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }
    results = {}
    typer.echo("Can these 30 measurements of a biopsy tell malignant from benign tumours?\n")
    for name, model in models.items():
        results[name] = a = trueness.assess(model, X, y, plan=design, positive="malignant", n_jobs=jobs)
        show_page(replace(a.page(), title=f"{name}: {a.provenance['design']}", footer=""))
        typer.echo()
    fits = {name: a.fits for name, a in results.items()}
    typer.echo("Is one better?")
    for metric in ("error", "auc"):
        typer.echo(f"- {trueness.compare(fits, metric=metric).verdict}")
    out.mkdir(parents=True, exist_ok=True)
    write_tables(out, X.assign(outcome=y), {name: a.fits.left_out() for name, a in results.items()})
    found = {name: a.to_dict() for name, a in results.items()}
    (out / "demo.json").write_text(json.dumps(found, indent=2, ensure_ascii=False), encoding="utf-8")
    for name, a in results.items():
        a.to_csv(out / f"{name.replace(' ', '-').lower()}.csv")
        a.report(out / f"{name.replace(' ', '-').lower()}.html")
    data_file, score_file = out / "patients.csv", out / "scores.csv"
    typer.echo(f"\nWrote two reports (lda.html, logistic-regression.html), their tables and demo.json to {out}/.")
    typer.echo("Next, on the same data, or on a file of yours:")
    typer.echo(f"  trueness assess {data_file} --target outcome --positive malignant --model lda --report report.html")
    typer.echo(f"  trueness roc {score_file} --label outcome --positive malignant --score lda --score logistic")


def write_tables(out: Path, table: pd.DataFrame, left_out: Mapping[str, LeftOut | None]) -> None:
    """patients.csv: the data. scores.csv: for every case the label, and the score by a rule of each model that was not
    trained on it."""
    table.to_csv(out / "patients.csv", index=False)
    scores = {name.split()[0].lower(): left.data.scores for name, left in left_out.items() if left is not None}
    table[["outcome"]].assign(**scores).round(6).to_csv(out / "scores.csv", index=False)
