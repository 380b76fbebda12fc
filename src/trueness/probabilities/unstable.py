"""instability: how much predicted risks depend on which cases a model was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.checks import check_level, refuses_foreign
from trueness.errors import InputError
from trueness.metrics.probabilities import check_open_share
from trueness.probabilities.given import fits_of
from trueness.result.shown import Drawn, Page, Result, Table, records
from trueness.result.words import Note
from trueness.sample.fits import Fits, check_fits
from trueness.typing import Record

if TYPE_CHECKING:
    from trueness.figures import Figure, Mark

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
