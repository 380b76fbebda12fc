"""validate: a panel of measures corrected for optimism by the bootstrap, in the layout of rms::validate; instability: how
much predicted risks depend on which cases a model was trained on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.checks import check_level, refuses_foreign
from trueness.errors import InputError, UndefinedError
from trueness.estimators import estimate
from trueness.estimators.estimation import bind
from trueness.estimators.replicates import apparent_value, replicate_values
from trueness.formulas.intervals import quantile
from trueness.metrics.probabilities import check_open_share
from trueness.probabilities.given import fits_of
from trueness.result import Estimate
from trueness.result.shown import Drawn, Page, Result, Table, records
from trueness.result.words import Note
from trueness.sample.fits import Fits, check_fits
from trueness.typing import Record

if TYPE_CHECKING:
    from trueness.figures import Figure, Mark


PANEL = {  # name in rms → metric
    "Dxy": "auc",
    "R2": "nagelkerke_r2",
    "Intercept": "recalibration_intercept",
    "Slope": "calibration_slope",
    "D": "d_index",
    "U": "u_index",
    "Q": "q_index",
    "B": "brier",
    "g": "g_index",
    "gp": "gp_index",
    "ICI": "ici",
    "O/E": "o_e",
    "CITL": "calibration_intercept",
}
CALLED = {"R2": "R2 (Nagelkerke)", "Q": "Q (D − U)"}  # in a table for readers
OF_LEFT_OUT = {"auc": "lpob"}  # the others by the leave-one-out bootstrap
SHIFTED = Note(
    "shifted-interval",
    "Intervals: the corrected value ± z times the standard error of the leave-one-out bootstrap of the same measure, which "
    "counts test and training cases. They are about the mean over rules trained on samples of this size. They hold the value "
    "of the one rule at hand less often, above all its slope. rms gives none.",
)
ESTIMAND = "mean over rules trained on samples of this size"


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Result, Drawn):
    """Apparent values, optimism and corrected values of a panel of measures; what `validate` returns.

    Attributes
    ----------
    table : DataFrame
        One row per measure, with the columns of rms::validate (`apparent`, `training`, `test`, `optimism`, `corrected`, `n`)
        `se`, `low`, `high` of the corrected value, and `estimand`: what the interval is about, not the rule at hand.
    cases : str
        How many cases there are, and of which classes.
    level : float
        Of the intervals.
    notes : tuple of Note
        What the reader should know.
    """

    table: pd.DataFrame
    cases: str = ""
    level: float = 0.95
    notes: tuple[Note, ...] = (SHIFTED,)

    def answer(self) -> str:
        """The corrected AUC and calibration slope, and what their intervals are about."""
        rows = self.table.set_index("measure")
        said = []
        for name, title, scale, shift in (("Dxy", "AUC", 0.5, 0.5), ("Slope", "calibration slope", 1.0, 0.0)):
            value, low, high = rows.loc[name, ["corrected", "low", "high"]].astype(float) * scale + shift
            limits = "" if np.isnan(low) else f" ({100 * self.level:g} % CI {low:.3f} to {high:.3f})"
            said += [] if np.isnan(value) else [f"{title} {value:.3f}{limits}"]
        return f"Corrected for optimism: {', '.join(said)}; the {ESTIMAND}." if said else ""

    def frame(self) -> pd.DataFrame:
        """One row per measure."""
        return self.table.copy()

    def figure(self) -> Figure:
        """Corrected values with intervals, and apparent ones."""
        from trueness.figures import Dot, forest

        dots = []
        for row in self.table.itertuples():
            if np.isfinite(row.corrected):
                low, high = (None, None) if np.isnan(row.low) else (row.low, row.high)
                dots.append(Dot(row.measure, row.corrected, low, high, f"{row.corrected:.3f}"))
        return forest(dots, "Corrected for optimism", f"corrected value, {100 * self.level:g} % interval")

    def page(self, level: float | None = None) -> Page:
        def cell(value: float) -> str:
            return "" if np.isnan(value) else f"{value:.4f}"

        rows = []
        for row in self.table.itertuples(index=False):
            limits = "" if np.isnan(row.low) else f"{row.low:.3f} to {row.high:.3f}"
            numbers = (row.apparent, row.training, row.test, row.optimism, row.corrected, row.se)
            rows.append((CALLED.get(row.measure, row.measure), *map(cell, numbers), limits, str(row.n)))
        heads = ("measure", "apparent", "training", "test", "optimism", "corrected", "std. error")
        return Page(
            f"Measures corrected for optimism by the bootstrap\n{self.cases}",
            self.answer(),
            tables=(Table.of((*heads, f"{100 * self.level:g} % interval", "replicates"), rows),),
            notes=self.notes,
            footer=f"Intervals are about the {ESTIMAND}.",
        )

    def to_dict(self) -> Record:
        return {
            "level": self.level,
            "cases": self.cases,
            "measures": records(self.table),
            "notes": [n.to_dict() for n in self.notes],
        }


@refuses_foreign
def validate(fits: Fits, *, level: float = 0.95) -> Validation:
    """A panel of measures of predicted probabilities, corrected for optimism (Efron 1983; Harrell 2015).

    corrected = apparent − mean over replicates of (value on the replicate itself − value on all cases): the refined
    bootstrap `rb` of `trueness.estimate`, for many measures at once, in the layout of rms::validate.

    Parameters
    ----------
    fits : Fits
        Of a `Bootstrap` plan with probabilities, of two classes; the bootstrap part of the default plan serves, too.
    level : float, default 0.95
        Of the intervals.

    Returns
    -------
    Validation

    Notes
    -----
    Values and intervals are about the mean over rules trained on samples of this size, not about the rule at hand, whose
    slope, intercept and ICI the intervals hold less often.

    Examples
    --------
    >>> import numpy as np, trueness
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> fits = trueness.fit(LogisticRegression(C=np.inf), X[:, :2], y, trueness.Bootstrap(40), rng=0)
    >>> v = trueness.probabilities.validate(fits)
    >>> v.frame().set_index("measure").loc["Slope", "apparent"].round(3)
    np.float64(1.0)
    """
    check_level(level)
    check_fits(fits)
    part = fits.part(("bootstrap",))
    if part.design.kind != "bootstrap":
        raise InputError(
            "Optimism is measured by a bootstrap",
            param="fits",
            got=f"a {fits.design.kind} design",
            fix="Use Bootstrap(200)",
        )
    part = fits_of(part, None, None, None)
    rows = [_row(part, name, metric, level) for name, metric in PANEL.items()]
    table = pd.DataFrame(rows)
    at = table.index[table.measure == "Slope"][0] + 1
    table = pd.concat([table.iloc[:at], pd.DataFrame([_emax(table)]), table.iloc[at:]], ignore_index=True)
    return Validation(table.assign(estimand=ESTIMAND), f"{part.sample.described}; {part.design.plan}", level)


def _row(fits: Fits, name: str, metric: str, level: float) -> Record:
    bound = bind(fits, metric)
    drawn, all_cases = (replicate_values(fits, bound, cases) for cases in ("as drawn", "all"))
    known = ~np.isnan(drawn) & ~np.isnan(all_cases)
    apparent = apparent_value(fits, bound)
    if not known.any() or np.isnan(apparent):
        empty = dict.fromkeys(("apparent", "training", "test", "optimism", "corrected", "se", "low", "high"), np.nan)
        return {"measure": name, **empty, "n": int(known.sum())}
    training, test = float(drawn[known].mean()), float(all_cases[known].mean())
    corrected = apparent - (training - test)
    found = _spread(fits, metric)
    se = np.nan if found is None or found.se is None else found.se
    half = quantile(level) * se
    (least, most), (factor, shift) = bound.bounds, (2.0, -1.0) if name == "Dxy" else (1.0, 0.0)
    values = {"apparent": apparent, "training": training, "test": test}
    moved = {key: factor * value + shift for key, value in values.items()}
    low, high = max(corrected - half, least), min(corrected + half, most)
    return {
        "measure": name,
        **moved,
        "optimism": factor * (training - test),
        "corrected": factor * corrected + shift,
        "se": factor * se,
        "low": factor * low + shift,
        "high": factor * high + shift,
        "n": int(known.sum()),
    }


def _spread(fits: Fits, metric: str) -> Estimate | None:
    try:
        return estimate(fits, metric, OF_LEFT_OUT.get(metric, "loob"), undefined="skip")
    except UndefinedError:
        return None


def _emax(table: pd.DataFrame) -> Mapping[str, object]:
    """The largest |p − expit(a + b logit p)| over all p, for the corrected intercept and slope (rms::validate)."""
    from scipy.special import expit, logit

    a, b = (float(table.corrected[table.measure == name].iloc[0]) for name in ("Intercept", "Slope"))
    p = np.arange(0.0005, 1, 0.0005)
    emax = float(np.abs(p - expit(a + b * logit(p))).max())
    empty = {"apparent": 0.0, "training": 0.0, "test": emax, "optimism": emax, "corrected": emax}
    return {"measure": "Emax", **empty, "se": np.nan, "low": np.nan, "high": np.nan, "n": int(table.n.iloc[0])}


MOST_POINTS = 2000  # cases that are drawn
LEFT_OUT_ONLY = Note(
    "left-out-only", "These fits hold left-out scores only, so the spread of a case is over the rules that left it out."
)


@dataclass(frozen=True, eq=False, repr=False)
class Instability(Result, Drawn):
    """How predicted risks vary over training sets (Riley & Collins 2023); what `instability` returns.

    Attributes
    ----------
    table : DataFrame
        One row per case: `risk` of the model trained on all cases, `low` and `high` quantiles over replicates, `mape` (mean
        absolute prediction error: mean |risk of a replicate − risk|), `changed` (classification instability: share of
        replicates on the other side of the threshold).
    mape : float
        Mean of `mape` over cases.
    changed : float
        Mean of `changed` over cases.
    threshold : float
        Of the classification.
    level : float
        Share of replicates between `low` and `high`.
    """

    table: pd.DataFrame
    threshold: float
    level: float
    replicates: int
    notes: tuple[Note, ...] = ()

    @property
    def mape(self) -> float:
        """Mean absolute prediction error, over cases."""
        return float(self.table.mape.mean())

    @property
    def changed(self) -> float:
        """Classification instability, over cases."""
        return float(self.table.changed.mean())

    def frame(self) -> pd.DataFrame:
        """One row per case."""
        return self.table.copy()

    def figure(self) -> Figure:
        """Spread of each risk, mean absolute prediction error, and classification instability, by risk."""
        from trueness.figures import Figure, Intervals, Line, Panel, Points, Rule, unit_square

        step = max(1, len(self.table) // MOST_POINTS)
        t = self.table.sort_values("risk").iloc[::step]
        diagonal = Line([0, 1], [0, 1], style="--", color="soft", width=0.9)
        spread: list[Mark] = [Intervals(t.risk, t.low, t.high, width=0.8, opacity=0.5), diagonal]
        name, risk = "risk by the model on all cases", t.risk.to_numpy()
        error = Points(risk, t.mape.to_numpy(), size=8, color="C0", opacity=0.5)
        changed = Points(risk, t.changed.to_numpy(), size=8, color="C0", opacity=0.5)
        limits = (-0.01, 1.01)
        top = max(0.05, 1.05 * float(t.mape.max()))
        return Figure(
            "Instability of predictions",
            (
                unit_square(spread, name, f"risk by replicates, middle {100 * self.level:g} %"),
                Panel(
                    [error],
                    x_label=name,
                    y_label="mean absolute prediction error",
                    x_limits=limits,
                    y_limits=(0.0, top),
                ),
                Panel(
                    [Rule(x=self.threshold), changed],
                    x_label=name,
                    y_label=f"share of replicates across {self.threshold:g}",
                    x_limits=limits,
                    y_limits=(0.0, 1.02),
                ),
            ),
        )

    def page(self, level: float | None = None) -> Page:
        width = self.table.high - self.table.low
        said = (
            f"Over {self.replicates} training sets the risk of a case differs from that of the model on all cases by "
            f"{self.mape:.3f} on average, and {self.changed:.1%} of the classifications at {self.threshold:g} change."
        )
        rows = [
            ("mean absolute prediction error", f"{self.mape:.4f}", f"{self.table.mape.max():.4f}"),
            (f"width of the middle {100 * self.level:g} %", f"{width.mean():.4f}", f"{width.max():.4f}"),
            ("classification instability", f"{self.changed:.4f}", f"{self.table.changed.max():.4f}"),
        ]
        return Page("Instability of predictions", said, (Table.of(("", "mean", "largest"), rows),), self.notes)

    def to_dict(self) -> Record:
        return {
            "threshold": self.threshold,
            "level": self.level,
            "replicates": self.replicates,
            "mape": self.mape,
            "changed": self.changed,
            "cases": records(self.table),
            "notes": [note.to_dict() for note in self.notes],
        }


@refuses_foreign
def instability(fits: Fits, *, threshold: float = 0.5, level: float = 0.95) -> Instability:
    """How much predicted risks vary over bootstrap training sets.

    Parameters
    ----------
    fits : Fits
        Of a `Bootstrap` plan (the bootstrap part of the default plan serves), with probabilities of two classes.
    threshold : float, default 0.5
        Of the classification whose instability is counted.
    level : float, default 0.95
        Share of the replicates between `low` and `high` of each case.

    Returns
    -------
    Instability

    References
    ----------
    Riley & Collins (2023).

    Examples
    --------
    >>> import numpy as np, trueness
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> fits = trueness.fit(LogisticRegression(C=np.inf), X[:, :2], y, trueness.Bootstrap(50), rng=0)
    >>> i = trueness.probabilities.instability(fits)
    >>> 0 < i.mape < 0.03
    True
    """
    check_level(level)
    check_open_share("threshold", threshold)
    check_fits(fits)
    part = fits.part(("bootstrap",))
    if part.design.kind != "bootstrap":
        raise InputError(
            "The spread of predictions is over bootstrap training sets", param="fits", fix="Use Bootstrap(200)"
        )
    part = fits_of(part, None, None, None)
    if part.sample.n_classes != 2 or part.full_scores is None:
        raise InputError("This needs two classes, and the rule trained on all cases", param="fits")
    risks = np.concatenate([block.scores for block in part.blocks() if block.scores is not None])
    full = part.full_scores
    missing = bool(np.isnan(risks).any())
    low, high = np.nanquantile(risks, [(1 - level) / 2, (1 + level) / 2], axis=0)
    table = pd.DataFrame(
        {
            "risk": full,
            "low": low,
            "high": high,
            "mape": np.nanmean(np.abs(risks - full), axis=0),
            "changed": np.nanmean(
                np.where(np.isnan(risks), np.nan, (risks >= threshold) != (full >= threshold)), axis=0
            ),
        }
    )
    return Instability(table, threshold, level, len(risks), (LEFT_OUT_ONLY,) if missing else ())
