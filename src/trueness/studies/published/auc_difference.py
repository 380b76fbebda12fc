"""The difference of two AUCs and its estimated standard error  (Yousef, ML Assessment, table 4)."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from trueness.checks import child
from trueness.estimators.estimation import difference, estimate
from trueness.figures.figure import Figure, Line, Mark, Panel, Points
from trueness.fitting.engine import fit
from trueness.plans.bootstrap import Bootstrap
from trueness.result.notes import Note
from trueness.studies.models import lda, qda
from trueness.studies.populations import Gaussians, two_gaussians
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import Number, entry, errors_last, mean, mean_influence, ratio, sd, sd_influence
from trueness.studies.trial import CASES, DESIGN, Trial
from trueness.studies.truth import DrawnTestSet, test_set

N_FEATURES, SIZE, DISTANCE = 4, 20, 1.2  # Δ is not published: it was fitted to the table (docs/appendix/studies.md)
COLUMNS = ("lda", "qda", "difference")
FORMS = {"influence": "exact", "influence-corrected": "corrected", "second-order": "second-order"}

TABLE_4 = {
    "E M_t": (0.7706, 0.7163, 0.0543),
    "SD M_t": (0.0313, 0.0442, 0.0343),
    "E LPOB": (0.7437, 0.6679, 0.0758),
    "SD LPOB": (0.0879, 0.0944, 0.0533),
    "E SD^": (0.0898, 0.1003, 0.0708),
    "SD SD^": (0.0192, 0.0163, 0.0228),
}

# largest distance from the published row, at 1000 trials and 1000 resamples (docs/appendix/studies.md)
BOUNDS = {"E M_t": 0.012, "SD M_t": 0.004, "E LPOB": 0.010, "SD LPOB": 0.006}
SE_ABOVE = 0.09  # E SD^ of one rule: between 0 and 9 % above the published one
SE_AROUND = 0.06  # E SD^ of the difference: within 6 %
PUBLISHED_TRIALS = 1000  # and resamples


@dataclass(frozen=True, eq=False)
class PairSetting:
    """What a trial needs."""

    population: Gaussians
    truth: DrawnTestSet
    size: int
    resamples: int


def difference_trial(setting: PairSetting, seed: np.random.SeedSequence) -> dict[str, float]:
    """True AUCs, LPOB and its standard errors of LDA, QDA and LDA − QDA, on the same replicates."""
    X, y = setting.population.draw((setting.size,) * 2, np.random.default_rng(child(seed, CASES)))
    plan = Bootstrap(setting.resamples)
    design = plan.draw(y, rng=child(seed, DESIGN))
    out, fits = {}, {}
    for name, model in (("lda", lda()), ("qda", qda())):
        out[f"{name} true"] = setting.truth.of(Trial(X, y, model, plan, seed).rule, "auc")
        fits[name] = fit(model, X, y, design, n_jobs=1, progress=False)
    out["difference true"] = out["lda true"] - out["qda true"]
    for se, form in FORMS.items():
        for name in COLUMNS:
            if name == "difference":
                found = difference(fits["lda"], fits["qda"], "auc", "lpob", se=se)
            else:
                found = estimate(fits[name], "auc", "lpob", se=se)
            assert found.se is not None
            out[f"{name} lpob"] = found.value
            out[f"{name} {form}"] = found.se
    return out


@study(
    "auc-difference",
    title="The difference of two AUCs and its standard error: LDA − QDA, 4 features, Δ = 1.2, 20 cases per class",
    source="Yousef, ML Assessment, table 4",
    trials=1000,
    resamples=1000,
    test_size=10_000,
)
def auc_difference(run: Run) -> StudyResult:
    """The true AUCs are measured on one fixed test set of 10,000 cases per class."""
    population = two_gaussians(N_FEATURES, DISTANCE)
    truth = test_set(population, run.options["test_size"], run.shared_seed())
    setting = PairSetting(population, truth, SIZE, run.options["resamples"])
    (frame,) = run.simulate([Cell({"size": SIZE}, (SIZE,), setting)], difference_trial, chunk=5)
    table = summary(frame)
    printed = pd.DataFrame.from_dict(TABLE_4, orient="index", columns=list(COLUMNS))
    return StudyResult(
        tables={"table 4": table, "calibration": calibration(frame)},
        printed=printed,
        claims=claims(table, run.trials, run.options["resamples"]),
        pictures=(_picture(table),),
        notes=(
            Note(
                "study-columns",
                text="E SD^ and SD SD^ are of the exact influence function, as published; the corrected form is the default "
                "for one rule, the second-order form for a difference.",
            ),
            Note(
                "study-setting",
                text="Δ was fitted to the published E M_t, so that row is no evidence.",
                distance=DISTANCE,
            ),
        ),
    )


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows as published, then the other two forms of the standard error."""
    rows: dict[str, dict[str, float]] = {}

    def put(row: str, column: str, number: Number) -> None:
        rows.setdefault(row, {}).update(entry(column, number))

    for name in COLUMNS:
        true, lpob = frame[f"{name} true"].to_numpy(), frame[f"{name} lpob"].to_numpy()
        put("E M_t", name, mean(true))
        put("SD M_t", name, sd(true))
        put("E LPOB", name, mean(lpob))
        put("SD LPOB", name, sd(lpob))
        for form in FORMS.values():
            suffix = "" if form == "exact" else f" {form}"
            given = frame[f"{name} {form}"].to_numpy()
            put(f"E SD^{suffix}", name, mean(given))
            put(f"SD SD^{suffix}", name, sd(given))
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table[[*COLUMNS, *(f"{name}_mc" for name in COLUMNS)]]


def calibration(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean standard error over the true SD of the estimator, for every form; 1 is right."""
    rows: dict[str, dict[str, float]] = {}
    for form in FORMS.values():
        rows[form] = {}
        for name in COLUMNS:
            given, lpob = (frame[f"{name} {what}"].to_numpy() for what in (form, "lpob"))
            rows[form] |= entry(name, ratio(mean_influence(given), sd_influence(lpob)))
    rows["as printed"] = {name: TABLE_4["E SD^"][i] / TABLE_4["SD LPOB"][i] for i, name in enumerate(COLUMNS)}
    return errors_last(pd.DataFrame.from_dict(rows, orient="index"))


def noise(row: str, column: int, trials: int) -> float:
    """Monte Carlo error from the published SDs, for runs of few trials: SD/√G, and SD/√(2G) for an SD."""
    statistic, _, what = row.partition(" ")
    return TABLE_4[f"SD {what}"][column] / math.sqrt(2 * trials if statistic == "SD" else trials)


def claims(table: pd.DataFrame, trials: int, resamples: int) -> tuple[Claim, ...]:
    """The bounds of docs/appendix/studies.md; with fewer trials than published, or 3 Monte Carlo errors."""
    out = []
    few = trials < PUBLISHED_TRIALS
    slack = " (or 3 Monte Carlo errors)" if few else ""
    for row, bound in BOUNDS.items():
        off = {name: table.loc[row, name] - TABLE_4[row][i] for i, name in enumerate(COLUMNS)}
        room = {n: max(bound, 3 * noise(row, i, trials)) if few else bound for i, n in enumerate(COLUMNS)}
        out.append(
            Claim(
                f"{row} is within {bound} of the published one{slack}",
                all(abs(off[name]) <= room[name] for name in COLUMNS),
                ", ".join(f"{name} {off[name]:+.4f}" for name in COLUMNS),
            )
        )
    if resamples >= PUBLISHED_TRIALS:  # with fewer, the exact form includes the noise of the replicates
        printed = dict(zip(COLUMNS, TABLE_4["E SD^"], strict=True))
        above = {name: table.loc["E SD^", name] / printed[name] - 1 for name in COLUMNS}
        more = {n: 3 * noise("E SD^", i, trials) / printed[n] if few else 0.0 for i, n in enumerate(COLUMNS)}
        out.append(
            Claim(
                f"E SD^ of one rule is between 0 and {SE_ABOVE:.0%} above the published one{slack}",
                all(-more[name] <= above[name] <= SE_ABOVE + more[name] for name in ("lda", "qda")),
                f"lda {above['lda']:+.1%}, qda {above['qda']:+.1%}",
            )
        )
        out.append(
            Claim(
                f"E SD^ of the difference is within {SE_AROUND:.0%} of the published one{slack}",
                abs(above["difference"]) <= SE_AROUND + more["difference"],
                f"{above['difference']:+.1%}",
            )
        )
    return tuple(out)


def _picture(table: pd.DataFrame) -> Figure:
    """True SD of the estimator and the mean of each estimate of it."""
    at = {name: float(i) for i, name in enumerate(COLUMNS)}
    marks: list[Mark] = [
        Line(list(at.values()), [table.loc["SD LPOB", n] for n in at], "true SD of LPOB", "--o", "ink"),
        Points(list(at.values()), TABLE_4["E SD^"], "E SD^ as published", marker="x", color="soft", size=40),
    ]
    for form in FORMS.values():
        row = table.loc["E SD^" if form == "exact" else f"E SD^ {form}"]
        marks.append(Points(list(at.values()), [row[n] for n in at], f"E SD^ {form}"))
    ticks = {i: name for name, i in at.items()}
    return Figure("standard errors", (Panel(tuple(marks), y_label="standard deviation", x_ticks=ticks),))
