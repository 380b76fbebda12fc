"""karat demo: the main job on a data set that ships with scikit-learn."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options as o
from karat.cli.checks import check_output_folder
from karat.cli.output import show_page


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("karat-demo"),
    jobs: o.Jobs = 1,
) -> None:
    """Assess LDA and logistic regression on the Wisconsin breast cancer data, and compare them."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import karat

    check_output_folder("out", out)
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, np.asarray(data.target_names)[data.target]
    design = karat.CvBootstrap().draw(y, rng=2026)
    models = {
        "LDA": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }
    results = {}
    typer.echo("Can these 30 measurements of a biopsy tell malignant from benign tumours?\n")
    for name, model in models.items():
        results[name] = a = karat.assess(model, X, y, plan=design, positive="malignant", n_jobs=jobs)
        show_page(replace(a.page(), title=f"{name}: {a.provenance['design']}", footer=""))
        typer.echo()
    fits = {name: a.fits for name, a in results.items()}
    typer.echo("Is one better?")
    for metric in ("error", "auc"):
        typer.echo(f"- {karat.compare(fits, metric=metric).verdict}")
    out.mkdir(parents=True, exist_ok=True)
    found = {name: a.to_dict() for name, a in results.items()}
    (out / "demo.json").write_text(json.dumps(found, indent=2, ensure_ascii=False), encoding="utf-8")
    for name, a in results.items():
        a.to_csv(out / f"{name.replace(' ', '-').lower()}.csv")
        a.report(out / f"{name.replace(' ', '-').lower()}.html")
    typer.echo(f"\nWrote demo.json, two tables and two reports (.html) to {out}/")
    typer.echo("Next: karat assess your.csv --target COLUMN")
