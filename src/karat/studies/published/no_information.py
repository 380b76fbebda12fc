"""The lemma of the no-information AUC (seeds/004, lemma 1), and estimators where there is nothing to learn."""

from __future__ import annotations

import numpy as np
import pandas as pd

from karat.estimators.estimation import bind, estimate
from karat.estimators.point632 import weighted
from karat.fitting.textbook import lda, nearest_neighbours, qda
from karat.kernels.auc import auc
from karat.metrics.metric import CaseLoss
from karat.plans import Bootstrap
from karat.result.picture import Panel, Picture, Points
from karat.sample.populations import two_gaussians
from karat.studies.laboratory import cells_of, laboratory_trial
from karat.studies.registry import study
from karat.studies.result import Claim, StudyResult
from karat.studies.runner import Run
from karat.studies.summary import mean
from karat.studies.trial import Trial

MODELS = {"LDA": lda, "QDA": qda, "1-NN": nearest_neighbours}


def no_information_auc(scores: np.ndarray, positive: np.ndarray) -> float:
    """AUC of the (n1 + n2)² cases in which every score has met every label: the lemma says ½."""
    n = len(scores)
    of_positives = np.repeat(scores, positive.sum())  # every score with the label of every positive …
    of_negatives = np.repeat(scores, n - positive.sum())  # … and of every negative
    return auc(of_positives, of_negatives)


def distinct(draws: int, cases: int) -> np.ndarray:
    """(draws + 1,) chances of so many different cases in so many draws with replacement, one draw after another."""
    chance = np.zeros(draws + 1)
    chance[0] = 1.0
    seen = np.arange(draws + 1)
    for _ in range(draws):
        again = chance * np.minimum(seen / cases, 1)
        chance = again + np.concatenate([[0.0], (chance * np.maximum(1 - seen / cases, 0))[:-1]])
    return chance


def nearest_on_noise(n: int) -> float:
    """Expected LOOB of 1-NN on noise, n cases of each class: E D2/(D1 + D2).

    A left-out case meets D1 different cases of its own class (n draws from the n − 1 others) and D2 of the other (n
    from n), and the nearest is any of them with the same chance. A little above ½, so .632 of it above .316.
    """
    own, other = distinct(n, n - 1), distinct(n, n)
    d1, d2 = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    return float((np.outer(own, other) * d2 / np.maximum(d1 + d2, 1)).sum())


def estimates(trial: Trial) -> dict[str, float]:
    """γ by its double sum and by its formula, the lemma, and the estimators of error and AUC."""
    fits = trial.fits()
    full, loss = fits.full(), bind(fits, "error")
    assert isinstance(loss, CaseLoss)
    assert full.scores is not None
    assert full.predictions is not None
    said, y = full.predictions[0], trial.y
    p1, q1 = y.mean(), said.mean()
    out = {
        "γ error, double sum": float((y[:, None] != said[None, :]).mean()),  # seeds/000, eq. 39
        "γ error, formula": float(p1 * (1 - q1) + (1 - p1) * q1),  # eq. 40
        "γ error, karat": loss.no_information(fits.sample, full),
        "γ AUC, lemma": no_information_auc(full.scores[0], y == 1),
    }
    for metric in ("error", "auc"):
        left_out = "loob" if metric == "error" else "star"
        for method in ("apparent", left_out, "632", "632+"):
            out[f"{metric} {method}"] = estimate(fits, metric, method).value
        out[f"{metric} 632+ printed"] = estimate(fits, metric, "632+", rule="printed").value
    return out


@study(
    "no-information",
    title="Nothing to learn: the no-information AUC is ½, and what estimators make of noise",
    source="seeds/000, lemma 2 and 3.3.4; seeds/004, lemma 1",
    trials=200,
    sizes=(20,),
    least=10,  # QDA of 3 features on a bootstrap
    resamples=100,
)
def no_information(run: Run) -> StudyResult:
    models = {name: make() for name, make in MODELS.items()}
    plan = Bootstrap(run.options["resamples"])
    cells = cells_of(run, two_gaussians(3, 0.0), models, {"all": estimates}, "error", plan, run.sizes, 1000)
    frames = run.simulate(cells, laboratory_trial)
    rows, exact = [], []
    for cell, frame in zip(cells, frames, strict=True):
        for name in frame.columns:
            if name.startswith(("error ", "auc ")):
                metric, _, method = name.partition(" ")
                value, error = mean(frame[name].to_numpy())
                rows.append(
                    {**cell.labels, "metric": metric, "estimator": method, "mean": value, "true": 0.5, "mean_mc": error}
                )
        gap = frame["γ error, double sum"] - frame[["γ error, formula", "γ error, karat"]].T
        exact.append(
            {
                **cell.labels,
                "largest |γ double sum − formula|": float(gap.abs().to_numpy().max()),
                "largest |γ AUC − ½|": float((frame["γ AUC, lemma"] - 0.5).abs().max()),
            }
        )
    table, lemma = pd.DataFrame(rows), pd.DataFrame(exact)
    return StudyResult(
        name="no-information",
        title="Nothing to learn",
        source="seeds/000, lemma 2 and 3.3.4",
        tables={"means": table, "lemma": lemma},
        claims=_claims(table, lemma),
        pictures=(_picture(table),),
        notes=(
            "1-NN never errs on its own training cases, so .632 promises about .632 × ½ = .316 on noise (Breiman's "
            "example), exactly .632 E D2/(D1 + D2), D the different cases of the own and the other class in a "
            "stratified bootstrap without the case. .632+ corrects that where its rule is clipped, and jumps back to "
            ".632 where it is as printed.",
        ),
    )


def _claims(table: pd.DataFrame, lemma: pd.DataFrame) -> tuple[Claim, ...]:
    nearest = table[(table["model"] == "1-NN") & (table["metric"] == "error")]
    breiman = nearest[nearest["estimator"] == "632"]
    expected = np.array([weighted(0.0, nearest_on_noise(int(n))) for n in breiman["size"]])
    clipped, printed = (nearest[nearest["estimator"] == name]["mean"].mean() for name in ("632+", "632+ printed"))
    return (
        Claim(
            "the AUC of the no-information sample is ½ exactly, for every rule and sample",
            bool((lemma["largest |γ AUC − ½|"] < 1e-12).all()),
        ),
        Claim(
            "γ of the error is p1(1 − q1) + (1 − p1)q1 exactly",
            bool((lemma["largest |γ double sum − formula|"] < 1e-12).all()),
        ),
        Claim(
            ".632 of 1-NN on noise is .632 E D2/(D1 + D2), within 4 Monte-Carlo errors",
            bool(((breiman["mean"] - expected).abs() < 4 * breiman["mean_mc"]).all()),
            ", ".join(f"{v:.4f}, exact {e:.4f}" for v, e in zip(breiman["mean"], expected, strict=True)),
        ),
        Claim(
            "clipped .632+ of 1-NN on noise is nearer to ½ than the printed rule",
            bool(abs(clipped - 0.5) < abs(printed - 0.5)),
            f"clipped {clipped:.3f}, printed {printed:.3f}",
        ),
    )


def _picture(table: pd.DataFrame) -> Picture:
    panels = []
    for metric, part in table.groupby("metric", sort=False):
        names = list(dict.fromkeys(part["estimator"]))
        marks = tuple(
            Points([names.index(e) for e in rows["estimator"]], rows["mean"], str(model))
            for model, rows in part.groupby("model", sort=False)
        )
        panels.append(
            Panel(
                marks,
                f"{metric}: the truth is ½",
                "",
                "mean",
                x_ticks={float(i): name.replace(" ", "\n") for i, name in enumerate(names)},
            )
        )
    return Picture("means", tuple(panels), columns=2)
