"""Bootstrap against jackknife (seeds/000, 2.3): linear, quadratic, smooth and non-smooth statistics."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from karat.plans.draws import bootstrap_counts
from karat.result.picture import Line, Panel, Picture
from karat.sample.seeds import child
from karat.studies.registry import study
from karat.studies.result import Claim, StudyResult
from karat.studies.runner import Cell, Run
from karat.studies.summary import mean, mean_influence, ratio, rms, rms_influence, sd, sd_influence

# of rows: (b, n) → (b,)
STATISTICS: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "mean": ("linear", lambda x: x.mean(axis=1)),
    "variance": ("quadratic", lambda x: x.var(axis=1)),  # the plug-in one
    "standard deviation": ("smooth", lambda x: x.std(axis=1)),
    "median": ("not smooth", lambda x: np.median(x, axis=1)),
}


def jackknife_trial(settings: tuple[int, int], seed: np.random.SeedSequence) -> dict[str, float]:
    """Value, bias and standard error of every statistic, by both, on one sample of the exponential distribution."""
    n, resamples = settings
    x = np.random.default_rng(child(seed, 0)).exponential(size=n)
    counts = bootstrap_counts(np.random.default_rng(child(seed, 1)), n, resamples)
    drawn = np.repeat(np.tile(x, resamples), counts.ravel()).reshape(resamples, n)  # (B, n)
    without = np.tile(x, (n, 1))[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    out = {}
    for name, (_, statistic) in STATISTICS.items():
        value = float(statistic(x[None])[0])
        replicates, deleted = statistic(drawn), statistic(without)
        out[name] = value
        out[f"{name} bootstrap se"] = float(replicates.std(ddof=1))  # seeds/000, eq. 12
        out[f"{name} bootstrap bias"] = float(replicates.mean()) - value  # eq. 11
        out[f"{name} jackknife se"] = float(math.sqrt((n - 1) / n * ((deleted - deleted.mean()) ** 2).sum()))  # eq. 18
        out[f"{name} jackknife bias"] = float((n - 1) * (deleted.mean() - value))  # eq. 17
    return out


@study(
    "bootstrap-jackknife",
    title="Bootstrap against jackknife: mean, variance, standard deviation, median",
    source="seeds/000, 2.3 and eq. (11)–(21)",
    trials=1000,
    sizes=(10, 20, 51, 101),
    least=4,
    resamples=500,
)
def bootstrap_jackknife(run: Run) -> StudyResult:
    cells = [Cell({"size": n}, (n,), (n, run.options["resamples"])) for n in run.sizes]
    frames = run.simulate(cells, jackknife_trial, chunk=50)
    table = pd.DataFrame(
        [
            _row(cell.labels["size"], name, frame)
            for cell, frame in zip(cells, frames, strict=True)
            for name in STATISTICS
        ]
    )
    return StudyResult(
        name="bootstrap-jackknife",
        title="Bootstrap against jackknife",
        source="seeds/000, 2.3",
        tables={"standard errors": table},
        claims=_claims(table),
        pictures=(_picture(table),),
        notes=(
            "bias gap = bootstrap bias − (n − 1)/n × jackknife bias.",
            "Exponential data. For a linear statistic the ideal bootstrap gives √((n − 1)/n) times the jackknife, and "
            "for the bias of a quadratic one (n − 1)/n times.",
            "The jackknife variance of the median does not settle: it depends on one or two spacings, and its mean "
            "tends to 2 times the true variance for even n (Efron 1982, 3.4), 1.5 times for odd n; "
            "`karat.statistics.jackknife` refuses to give it.",
        ),
    )


def _row(n: int, name: str, frame: pd.DataFrame) -> dict[str, object]:
    boot, jack = frame[f"{name} bootstrap se"].to_numpy(), frame[f"{name} jackknife se"].to_numpy()
    true, true_error = sd(frame[name].to_numpy())
    both, both_error = ratio(rms_influence(boot, 0.0), rms_influence(jack, 0.0))
    of_boot, of_jack = (frame[f"{name} {kind} bias"].to_numpy() for kind in ("bootstrap", "jackknife"))
    boot_bias, jack_bias = mean(of_boot), mean(of_jack)
    gap = mean(of_boot - (n - 1) / n * of_jack)  # of the same samples: 0 for a quadratic statistic
    of_spread = [ratio(sd_influence(se), mean_influence(se)) for se in (boot, jack)]  # SD over mean
    return {
        "size": n,
        "statistic": name,
        "kind": STATISTICS[name][0],
        "true sd": true,
        "bootstrap se": rms(boot, 0.0)[0],
        "jackknife se": rms(jack, 0.0)[0],
        "ratio": both,
        "expected ratio": math.sqrt((n - 1) / n) if name == "mean" else math.nan,
        "spread of bootstrap se": of_spread[0][0],
        "spread of jackknife se": of_spread[1][0],
        "bootstrap bias": boot_bias[0],
        "jackknife bias": jack_bias[0],
        "bias gap": gap[0],
        "true sd_mc": true_error,
        "bootstrap se_mc": rms(boot, 0.0)[1],
        "jackknife se_mc": rms(jack, 0.0)[1],
        "ratio_mc": both_error,
        "spread of bootstrap se_mc": of_spread[0][1],
        "spread of jackknife se_mc": of_spread[1][1],
        "bootstrap bias_mc": boot_bias[1],
        "jackknife bias_mc": jack_bias[1],
        "bias gap_mc": gap[1],
    }


def _claims(table: pd.DataFrame) -> tuple[Claim, ...]:
    linear = table[table["statistic"] == "mean"]
    z = (linear["ratio"] - linear["expected ratio"]) / linear["ratio_mc"]
    quadratic = table[table["statistic"] == "variance"]
    # the plug-in variance: jackknife bias −v/(n − 1), bootstrap bias −v/n, on every sample
    z_bias = quadratic["bias gap"] / quadratic["bias gap_mc"]
    rough, last = table[table["statistic"] == "median"], table["size"].max()
    wide = (rough["spread of jackknife se"] / rough["spread of bootstrap se"])[rough["size"] == last].iloc[0]
    return (
        Claim(
            "mean: bootstrap/jackknife = √((n − 1)/n), within 4 Monte-Carlo errors",
            bool(z.abs().max() < 4),
            f"largest {z.abs().max():.1f}",
        ),
        Claim(
            "variance: the bootstrap's bias is (n − 1)/n times the jackknife's on the same samples, within 4 "
            "Monte-Carlo errors",
            bool(z_bias.abs().max() < 4),
            f"largest {z_bias.abs().max():.1f}",
        ),
        Claim(
            f"median, n = {last}: the jackknife's standard error varies more than the bootstrap's",
            bool(wide > 1.2),
            f"{wide:.2f} times as much",
        ),
    )


def _picture(table: pd.DataFrame) -> Picture:
    panels = []
    for name in STATISTICS:
        part = table[table["statistic"] == name]
        marks = tuple(
            Line(part["size"], part[column] / part["true sd"], column, style)
            for column, style in (("bootstrap se", "-o"), ("jackknife se", "--s"))
        )
        flat = Line(part["size"], np.ones(len(part)), color="0.7")
        panels.append(
            Panel((flat, *marks), f"{name} ({STATISTICS[name][0]})", "n", "√mean se² / true SD", y_limits=(0.6, 1.6))
        )
    return Picture("standard errors", tuple(panels), columns=4)
