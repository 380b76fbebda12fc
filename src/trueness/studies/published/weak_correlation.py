"""Weak correlation of estimates with the true performance of the rule  (Yousef, ML Assessment, figure 3 and eq. 63)."""

import numpy as np
import pandas as pd

from trueness.figures.figure import Figure, Line, Mark, Panel
from trueness.result.notes import Note
from trueness.studies.accuracy import decomposition_table
from trueness.studies.published.auc_estimators import PRINTED_TRIALS, printed, simulated
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Run
from trueness.studies.summary import Number, correlation_influence, error_of, errors_last, ratio_influence, sd_influence
from trueness.typing import Floats

SHOWN = 15  # trials in the figure
PRINTED_AVERAGE = 0.413 - 2 * 0.290  # σ_S/σ_Ŝ − 2ρ of star, averaged over the ten sizes (section 5.3)


@study(
    "weak-correlation",
    title="Weak correlation of estimates with the true performance of the rule",
    source="Yousef, ML Assessment, figure 3 and eq. 63",
    trials=400,
    sizes=(20, 50, 100),
    least=15,
    resamples=100,
    test_size=1000,
)
def weak_correlation(run: Run) -> StudyResult:
    cells, frames = simulated(run)
    parts = decomposition_table(cells, frames)
    gains = {
        (cell.settings.size[0], name): gain(frame[name].to_numpy(), frame["true"].to_numpy())
        for cell, frame in zip(cells, frames, strict=True)
        for name in frame.columns
    }
    found = [gains[size, name] for size, name in zip(parts["size"], parts["estimator"], strict=True)]
    parts = errors_last(parts.assign(gain=[value for value, _ in found], gain_mc=[error for _, error in found]))
    return StudyResult(
        tables={"decomposition": parts},
        printed=printed_parts()[lambda t: t["size"].isin(run.sizes)].reset_index(drop=True),
        claims=claims(parts, run.trials),
        pictures=(links(frames[0], run.sizes[0]),),
        notes=(
            Note(
                "study-columns",
                text=f"gain = σ_S/σ_Ŝ − 2ρ; published for star over ten sizes: {PRINTED_AVERAGE:.3f}. With a correlation "
                "this weak the estimate describes the mean over training sets rather than this rule.",
                published_gain=round(PRINTED_AVERAGE, 3),
            ),
        ),
    )


def gain(x: Floats, truth: Floats) -> Number:
    """σ_S/σ_Ŝ − 2ρ, the scaled MSE around S minus that around E S, and its Monte Carlo error."""
    spread, rho = ratio_influence(sd_influence(truth), sd_influence(x)), correlation_influence(x, truth)
    return spread[0] - 2 * rho[0], error_of(spread[1] - 2 * rho[1])


def printed_parts() -> pd.DataFrame:
    """The parts of eq. 63 from the published table 2."""
    rows = []
    for size, part in printed().groupby("size", sort=False):
        sigma = float(part.loc[part["estimator"] == "true", "sd"].iloc[0])
        for _, row in part[part["estimator"] != "true"].iterrows():
            scale = sigma * row["sd"]
            rows.append(
                {
                    "size": size,
                    "estimator": row["estimator"],
                    "mse": row["rms"] ** 2 / scale,
                    "mse_around_mean": row["rms_around_mean"] ** 2 / scale,
                    "sd_ratio": sigma / row["sd"],
                    "correlation": row["correlation"],
                    "gain": sigma / row["sd"] - 2 * row["correlation"],
                }
            )
    return pd.DataFrame(rows)


def claims(parts: pd.DataFrame, trials: int) -> tuple[Claim, ...]:
    both = parts.merge(printed_parts(), on=["size", "estimator"], suffixes=("", "_printed"))
    error = np.hypot(1 / np.sqrt(trials), 1 / np.sqrt(PRINTED_TRIALS))  # of ρ where it is small
    z = (both["correlation"] - both["correlation_printed"]) / error
    out = [
        Claim(
            "no correlation exceeds ½ by more than 3 Monte Carlo errors",
            bool((parts["correlation"] < 0.5 + 3 / np.sqrt(trials)).all()),
            f"{parts['correlation'].min():.2f} to {parts['correlation'].max():.2f}",
        )
    ]
    if len(both):
        out.append(
            Claim(
                "every correlation is within 3 joint Monte Carlo errors of the published one",
                bool(z.abs().max() < 3),
                f"largest {z.abs().max():.2f}",
            )
        )
    return tuple(out)


def links(frame: pd.DataFrame, size: int) -> Figure:
    """Fifteen trials: the estimate on the left, the truth on the right, joined by a line."""
    panels = []
    for name in ("star", "632+", "apparent"):
        marks: list[Mark] = [
            Line([0, 1], [estimate, truth], style="-o", color="soft", width=0.8)
            for estimate, truth in frame[[name, "true"]].iloc[:SHOWN].to_numpy()
        ]
        centres = [frame[name].mean(), frame["true"].mean()]
        marks.append(Line([0, 1], centres, label="means over all trials", style="--", color="accent", width=2))
        panels.append(
            Panel(tuple(marks), f"{name}, {size} cases per class", "", "AUC", x_ticks={0: "estimate", 1: "truth"})
        )
    return Figure("links", tuple(panels))
