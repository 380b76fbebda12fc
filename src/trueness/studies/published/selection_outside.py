"""Features selected on all cases, or inside every training set: noise that seems to predict  (Hastie, Tibshirani &
Friedman 2009, section 7.10.2)."""

import warnings
from math import sqrt

import numpy as np
import pandas as pd
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from trueness.checks import child
from trueness.errors import TruenessWarning
from trueness.estimators.estimation import estimate
from trueness.figures.figure import Figure, Line, Panel
from trueness.fitting.engine import fit
from trueness.plans.splits import KFold
from trueness.result.notes import Note
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean, sd

N_FOLDS = 5
TRUE = 0.5  # labels do not depend on features, and classes are equally frequent
PUBLISHED = {"outside": 0.03}
WHERE = ("outside", "inside")


def noise_trial(settings: tuple[int, int, int], seed: np.random.SeedSequence) -> dict[str, float]:
    """Cross-validated error of 1-NN on the features that differ most between the classes, selected in both ways."""
    size, n_features, kept = settings
    X = np.random.default_rng(child(seed, 0)).normal(size=(size, n_features))
    y = np.arange(size) % 2
    design = KFold(N_FOLDS).draw(y, rng=child(seed, 1))
    select, rule = SelectKBest(f_classif, k=kept), KNeighborsClassifier(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruenessWarning)  # 1-NN has two scores only, and no AUC is asked for
        outside = fit(rule, select.fit_transform(X, y), y, design, progress=False)  # the mistake
        inside = fit(make_pipeline(select, rule), X, y, design, progress=False)
    found = (estimate(f, "error", "cv").value for f in (outside, inside))
    return dict(zip(WHERE, found, strict=True))


@study(
    "selection-outside",
    title="Selection of features outside and inside cross-validation, on pure noise",
    source="Hastie, Tibshirani & Friedman (2009), section 7.10.2",
    trials=50,
    sizes=(50,),
    one_size=True,
    least=2 * N_FOLDS,
    features=5000,
    kept=100,
)
def selection_outside(run: Run) -> StudyResult:
    size, features = run.sizes[0], run.options["features"]
    kept = min(run.options["kept"], features)
    (frame,) = run.simulate([Cell({"size": size}, (size,), (size, features, kept))], noise_trial, chunk=5)
    rows = [
        {
            "selection": where,
            **entry("error", mean(frame[where].to_numpy())),
            **entry("sd", sd(frame[where].to_numpy())),
        }
        for where in WHERE
    ]
    table = errors_last(pd.DataFrame(rows).assign(true=TRUE))
    marks = tuple(Line(np.sort(frame[where]), np.arange(1, len(frame) + 1) / len(frame), where, "-") for where in WHERE)
    return StudyResult(
        tables={"error": table},
        printed=pd.DataFrame({"selection": list(PUBLISHED), "error": list(PUBLISHED.values())}),
        claims=_claims(table),
        pictures=(
            Figure("errors", (Panel(marks, f"{features} noise features", "error", "share of samples"),), columns=1),
        ),
        notes=(
            Note(
                "study-theory",
                text="Features and labels are independent, and every fold holds equally many cases of both classes, so the "
                "expected error of any rule is exactly .5, and so is its cross-validated error if selection is inside.",
            ),
            Note(
                "study-setting",
                text="The features with the largest F statistic (the largest absolute correlation with the label), 1-NN, "
                f"{N_FOLDS} folds; the number of folds is not published.",
            ),
        ),
    )


def _claims(table: pd.DataFrame) -> tuple[Claim, ...]:
    outside, inside = (table[table["selection"] == where].iloc[0] for where in WHERE)
    z = abs(inside["error"] - TRUE) / inside["error_mc"]
    gap = TRUE - outside["error"]
    error = sqrt(outside["error_mc"] ** 2 + inside["error_mc"] ** 2)
    return (
        Claim("outside: the error seems to be below .1", bool(outside["error"] < 0.1), f"{outside['error']:.3f}"),
        Claim("inside: the error is .5, within 4 Monte Carlo errors", bool(z < 4), f"{inside['error']:.3f}, {z:.1f}"),
        Claim("the two differ by more than 10 Monte Carlo errors", bool(gap > 10 * error), f"{gap:.3f} ± {error:.3f}"),
    )
