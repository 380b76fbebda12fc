"""The no-information AUC is ½, and estimators on classes without a difference.

Yousef, AUC: Nonparametric Estimators, lemma 1; Yousef, ML Assessment, section 3.3.4.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from trueness.estimators.estimation import bind, estimate
from trueness.estimators.replicates import weighted
from trueness.figures.figure import Figure, Panel, Points
from trueness.kernels.auc import auc
from trueness.metrics.metric import CaseLoss
from trueness.plans.bootstrap import Bootstrap
from trueness.result.notes import Note
from trueness.studies.evaluation import cells_of, evaluation_trial
from trueness.studies.models import lda, nearest_neighbours, qda
from trueness.studies.populations import two_gaussians
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Run
from trueness.studies.summary import entry, errors_last, mean
from trueness.studies.trial import Trial
from trueness.typing import Bools, Classifier, Floats

MODELS: dict[str, Callable[[], Classifier]] = {"LDA": lda, "QDA": qda, "1-NN": nearest_neighbours}


def no_information_auc(scores: Floats, positive: Bools) -> float:
    """AUC of the (n1 + n2)² cases in which every score occurs with every label; ½ by the lemma."""
    n = len(scores)
    of_positives = np.repeat(scores, positive.sum())  # every score with the label of every positive
    of_negatives = np.repeat(scores, n - positive.sum())  # and of every negative
    return auc(of_positives, of_negatives)


def distinct(draws: int, cases: int) -> Floats:
    """(draws + 1,) distribution of the number of different cases in `draws` draws with replacement."""
    chance = np.zeros(draws + 1)
    chance[0] = 1.0
    seen = np.arange(draws + 1)
    for _ in range(draws):
        again = chance * np.minimum(seen / cases, 1)
        chance = again + np.concatenate([[0.0], (chance * np.maximum(1 - seen / cases, 0))[:-1]])
    return chance


def nearest_on_noise(n: int) -> float:
    """Expected LOOB of 1-NN without a class difference, n cases per class: E D2/(D1 + D2).

    The training set of a left-out case has D1 different cases of its class (n draws from the n − 1 others) and D2 of
    the other class (n from n), and each is the nearest with the same probability.
    """
    own, other = distinct(n, n - 1), distinct(n, n)
    d1, d2 = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    return float((np.outer(own, other) * d2 / np.maximum(d1 + d2, 1)).sum())


def estimates(trial: Trial) -> dict[str, float]:
    """γ by its double sum and by its formula, the no-information AUC, and estimators of error and AUC."""
    fits = trial.fits()
    full, loss = fits.full(), bind(fits, "error")
    assert isinstance(loss, CaseLoss)
    assert full.scores is not None
    assert full.predictions is not None
    predicted, y = full.predictions[0], trial.y
    p1, q1 = y.mean(), predicted.mean()
    out = {
        "γ error, double sum": float((y[:, None] != predicted[None, :]).mean()),  # Yousef, ML Assessment, eq. 39
        "γ error, formula": float(p1 * (1 - q1) + (1 - p1) * q1),  # eq. 40
        "γ error, trueness": loss.no_information(fits.sample, full),
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
    title="No class difference: the no-information AUC, and estimators on noise",
    source="Yousef, ML Assessment, lemma 2 and section 3.3.4; Yousef, AUC: Nonparametric Estimators, lemma 1",
    trials=200,
    sizes=(20,),
    least=10,  # QDA of 3 features on a bootstrap sample
    resamples=100,
)
def no_information(run: Run) -> StudyResult:
    models = {name: make() for name, make in MODELS.items()}
    plan = Bootstrap(run.options["resamples"])
    cells = cells_of(run, two_gaussians(3, 0.0), models, {"all": estimates}, "error", plan, run.sizes, 1000)
    frames = run.simulate(cells, evaluation_trial)
    rows, exact = [], []
    for cell, frame in zip(cells, frames, strict=True):
        for name in frame.columns:
            metric, _, method = name.partition(" ")
            if metric in ("error", "auc"):
                number = entry("mean", mean(frame[name].to_numpy()))
                rows.append({**cell.labels, "metric": metric, "estimator": method, **number, "true": 0.5})
        gap = frame["γ error, double sum"] - frame[["γ error, formula", "γ error, trueness"]].T
        exact.append(
            {
                **cell.labels,
                "largest |γ double sum − formula|": float(gap.abs().to_numpy().max()),
                "largest |γ AUC − ½|": float((frame["γ AUC, lemma"] - 0.5).abs().max()),
            }
        )
    table, lemma = errors_last(pd.DataFrame(rows)), pd.DataFrame(exact)
    return StudyResult(
        tables={"means": table, "lemma": lemma},
        claims=_claims(table, lemma),
        pictures=(_picture(table),),
        notes=(
            Note(
                "study-theory",
                text="1-NN has no training error, so without a class difference .632 is about .632 × ½ = .316 (Breiman's "
                "example), exactly .632 E D2/(D1 + D2) with D1 and D2 the numbers of different cases of the own and "
                "the other class in a replicate without the case. The clipped rule of .632+ corrects this; the printed "
                "rule returns to .632.",
            ),
        ),
    )


def _claims(table: pd.DataFrame, lemma: pd.DataFrame) -> tuple[Claim, ...]:
    nearest = table[(table["model"] == "1-NN") & (table["metric"] == "error")]
    breiman = nearest[nearest["estimator"] == "632"]
    expected = np.array([weighted(0.0, nearest_on_noise(int(n))) for n in breiman["size"]])
    clipped, printed = (nearest[nearest["estimator"] == name]["mean"].mean() for name in ("632+", "632+ printed"))
    return (
        Claim(
            "the no-information AUC is exactly ½, for every rule and sample",
            bool((lemma["largest |γ AUC − ½|"] < 1e-12).all()),
        ),
        Claim(
            "γ of the error is exactly p1(1 − q1) + (1 − p1)q1",
            bool((lemma["largest |γ double sum − formula|"] < 1e-12).all()),
        ),
        Claim(
            ".632 of 1-NN is .632 E D2/(D1 + D2), within 4 Monte Carlo errors",
            bool(((breiman["mean"] - expected).abs() < 4 * breiman["mean_mc"]).all()),
            ", ".join(f"{v:.4f}, exact {e:.4f}" for v, e in zip(breiman["mean"], expected, strict=True)),
        ),
        Claim(
            "the clipped .632+ of 1-NN is closer to ½ than the printed rule",
            bool(abs(clipped - 0.5) < abs(printed - 0.5)),
            f"clipped {clipped:.3f}, printed {printed:.3f}",
        ),
    )


def _picture(table: pd.DataFrame) -> Figure:
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
    return Figure("means", tuple(panels), columns=2)
