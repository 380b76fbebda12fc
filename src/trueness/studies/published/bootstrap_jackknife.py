"""Bootstrap and jackknife for linear, quadratic, smooth and non-smooth statistics.

Yousef, ML Assessment, section 2.3.
"""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from trueness.checks import child
from trueness.figures.figure import Figure, Line, Panel
from trueness.plans.bootstrap import bootstrap_counts
from trueness.result.notes import Note
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import (
    entry,
    errors_last,
    mean,
    mean_influence,
    ratio,
    rms,
    rms_influence,
    sd,
    sd_influence,
)
from trueness.typing import Floats

# statistics of rows: (b, n) → (b,)
STATISTICS: dict[str, tuple[str, Callable[[Floats], Floats]]] = {
    "mean": ("linear", lambda x: x.mean(axis=1)),
    "variance": ("quadratic", lambda x: x.var(axis=1)),  # plug-in
    "standard deviation": ("smooth", lambda x: x.std(axis=1)),
    "median": ("not smooth", lambda x: np.median(x, axis=1)),
}


def jackknife_trial(settings: tuple[int, int], seed: np.random.SeedSequence) -> dict[str, float]:
    """Value, bias and standard error of every statistic by both methods, on one exponential sample."""
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
        out[f"{name} bootstrap se"] = float(replicates.std(ddof=1))  # eq. 12
        out[f"{name} bootstrap bias"] = float(replicates.mean()) - value  # eq. 11
        out[f"{name} jackknife se"] = float(math.sqrt((n - 1) / n * ((deleted - deleted.mean()) ** 2).sum()))  # eq. 18
        out[f"{name} jackknife bias"] = float((n - 1) * (deleted.mean() - value))  # eq. 17
    return out


@study(
    "bootstrap-jackknife",
    title="Bootstrap and jackknife: mean, variance, standard deviation, median",
    source="Yousef, ML Assessment, section 2.3 and eq. 11–21",
    trials=1000,
    sizes=(10, 20, 51, 101),
    least=4,
    resamples=500,
)
def bootstrap_jackknife(run: Run) -> StudyResult:
    cells = [Cell({"size": n}, (n,), (n, run.options["resamples"])) for n in run.sizes]
    frames = run.simulate(cells, jackknife_trial, chunk=50)
    rows = [_row(n, name, frame) for n, frame in zip(run.sizes, frames, strict=True) for name in STATISTICS]
    table = errors_last(pd.DataFrame(rows))
    return StudyResult(
        tables={"standard errors": table},
        claims=_claims(table),
        pictures=(_picture(table),),
        notes=(
            Note(
                "study-columns",
                text="Exponential data. bias gap = bootstrap bias − (n − 1)/n × jackknife bias. Spread of a standard error "
                "is its SD over its mean.",
            ),
            Note(
                "study-theory",
                text="For a linear statistic the standard error of the ideal bootstrap is √((n − 1)/n) times that of the "
                "jackknife; for a quadratic one the bias is (n − 1)/n times. The jackknife variance of the median is "
                "inconsistent: it depends on one or two spacings, and its mean tends to 2 times the true variance for "
                "even n (Efron 1982, section 3.4), 1.5 times for odd n.",
            ),
        ),
    )


def _row(n: int, name: str, frame: pd.DataFrame) -> dict[str, object]:
    boot, jack = frame[f"{name} bootstrap se"].to_numpy(), frame[f"{name} jackknife se"].to_numpy()
    boot_bias, jack_bias = (frame[f"{name} {kind} bias"].to_numpy() for kind in ("bootstrap", "jackknife"))
    return {
        "size": n,
        "statistic": name,
        "kind": STATISTICS[name][0],
        **entry("true sd", sd(frame[name].to_numpy())),
        **entry("bootstrap se", rms(boot, 0.0)),
        **entry("jackknife se", rms(jack, 0.0)),
        **entry("ratio", ratio(rms_influence(boot, 0.0), rms_influence(jack, 0.0))),
        "expected ratio": math.sqrt((n - 1) / n) if name == "mean" else math.nan,
        **entry("spread of bootstrap se", ratio(sd_influence(boot), mean_influence(boot))),
        **entry("spread of jackknife se", ratio(sd_influence(jack), mean_influence(jack))),
        **entry("bootstrap bias", mean(boot_bias)),
        **entry("jackknife bias", mean(jack_bias)),
        **entry("bias gap", mean(boot_bias - (n - 1) / n * jack_bias)),  # 0 for a quadratic statistic
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
            "mean: bootstrap/jackknife = √((n − 1)/n), within 4 Monte Carlo errors",
            bool(z.abs().max() < 4),
            f"largest {z.abs().max():.1f}",
        ),
        Claim(
            "variance: the bootstrap bias is (n − 1)/n times the jackknife bias on the same samples, within 4 Monte "
            "Carlo errors",
            bool(z_bias.abs().max() < 4),
            f"largest {z_bias.abs().max():.1f}",
        ),
        Claim(
            f"median, n = {last}: the jackknife standard error varies more than the bootstrap one",
            bool(wide > 1.2),
            f"{wide:.2f} times as much",
        ),
    )


def _picture(table: pd.DataFrame) -> Figure:
    panels = []
    for name in STATISTICS:
        part = table[table["statistic"] == name]
        marks = tuple(
            Line(part["size"], part[column] / part["true sd"], column, style)
            for column, style in (("bootstrap se", "-o"), ("jackknife se", "--s"))
        )
        flat = Line(part["size"], np.ones(len(part)), color="soft")
        panels.append(
            Panel((flat, *marks), f"{name} ({STATISTICS[name][0]})", "n", "√mean se² / true SD", y_limits=(0.6, 1.6))
        )
    return Figure("standard errors", tuple(panels), columns=4)
