"""validate: a panel of measures corrected for optimism by the bootstrap, in the layout of rms::validate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from trueness.checks import check_level
from trueness.errors import InputError, UndefinedError
from trueness.estimators.estimation import bind, estimate
from trueness.estimators.replicates import apparent_value, replicate_values
from trueness.figures.figure import Figure, forest
from trueness.formulas.calibration import log_odds_of
from trueness.metrics.auc import CHANCE
from trueness.probabilities.curves import CorrectedCurve, corrected_curve
from trueness.probabilities.given import Given
from trueness.result.columns import Column
from trueness.result.estimate import Estimate, of_seeds
from trueness.result.notes import Note, warnings_first
from trueness.result.shown import Cited, Drawn, Result
from trueness.result.words import Named, StandardError, sentence
from trueness.sample.fits import Fits, check_fits
from trueness.typing import Record

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
LEAST, FEW = 20, 100  # replicates below which there is no standard error, and how many are asked for then
COLUMNS = ("apparent", "training", "test", "optimism", "corrected")
OF_LEFT_OUT = {"auc": "lpob"}  # the others by the leave-one-out bootstrap
MEANINGS = (
    "Emax is the largest distance of the linear recalibration (Intercept, Slope), as in rms; ICI is the mean distance of a "
    "curve by splines, so it may be above Emax."
)
RB = Named("rb", "the refined bootstrap", "harrell_2015")
OF_LOOB = StandardError(
    "of loob", "the standard error of the leave-one-out bootstrap of the same measure", "efron_tibshirani_1997"
)
RUN_OFF, NEAR = 10.0, 5.0  # |log-odds| in a replicate, and by the rule trained on all cases, of a case that has run off
LEAST_RUN_OFF, LEAST_SEPARATED = 0.05, 0.01  # shares of the cases of a replicate, and of the replicates
ESTIMAND = "mean over rules trained on samples of this size"
ABOUT = f"Intervals are about the {ESTIMAND}."


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Result, Drawn, Cited):
    """Apparent values, optimism and corrected values of a panel of measures; what `validate` returns.

    Attributes
    ----------
    table : DataFrame
        One row per measure, with the columns of rms::validate (`apparent`, `training`, `test`, `optimism`, `corrected`, `n`)
        `se`, `low`, `high` of the corrected value, `se_mc_se` (by how much another seed would change the `se`, one SD,
        as far as these replicates show),
        and `estimand`: what the interval is about, not the rule at hand. `se`, `low` and `high` are NaN where the
        replicates are too few for them; a note says how many are needed.
    cases : str
        How many cases there are, and of which classes.
    level : float
        Of the intervals.
    notes : tuple of Note
        What the reader should know.
    estimates : dict of str to Estimate
        The corrected values by measure.
    fits : Fits
        What it was made of; `curve()` reads it.
    """

    columns = (
        {"measure": Column("measure")}
        | {name: Column(name, ".4f") for name in COLUMNS}
        | {
            "se": Column("std. error", ".4f"),
            "interval": Column("{percent} interval", "limits"),
            "n": Column("replicates"),
        }
    )
    heading = "Measures corrected for optimism by the bootstrap\n{cases}"
    footnote = f"{ABOUT} {MEANINGS} {{seeds}}"

    table: pd.DataFrame
    cases: str = ""
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    estimates: Mapping[str, Estimate] = field(default_factory=dict, repr=False)
    fits: Fits | None = field(default=None, repr=False)

    @property
    def provenance(self) -> Record:
        """Seed and libraries."""
        return {} if self.fits is None else Given(self.fits).provenance()

    def curve(self) -> CorrectedCurve:
        """The calibration curve corrected for optimism, as by rms::calibrate, with splines in place of lowess.

        Returns
        -------
        CorrectedCurve
            `frame()`: `predicted`, `apparent`, `optimism`, `corrected`.
        """
        if self.fits is None:
            raise InputError("This validation was made without its fits")
        return corrected_curve(self.fits)

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        return self.estimates.items()

    def answer(self) -> str:
        """The corrected AUC and calibration slope, and what their intervals are about."""
        dxy, slope = self.estimates["Dxy"], self.estimates["Slope"]
        auc = dxy.with_(value=(1 + dxy.value) / 2, se=dxy.se and dxy.se / 2, bounds=(0.0, 1.0))
        said = (sentence(auc, self.level, "AUC"), sentence(slope, self.level, "Calibration slope"))
        return f"Corrected for optimism, {ESTIMAND}: {' '.join(said)}"

    def frame(self) -> pd.DataFrame:
        """One row per measure."""
        return self.table.copy()

    def figure(self) -> Figure:
        """Corrected values with intervals, and apparent ones."""
        known = [(name, e) for name, e in self.estimates.items() if not np.isnan(e.value)]
        dots = [e.dot(name, self.level) for name, e in known]
        return forest(dots, "Corrected for optimism", f"corrected value, {100 * self.level:g} % interval")

    def rows(self) -> Iterator[Record]:
        for row in self.table.to_dict("records"):
            yield {str(name): value for name, value in row.items()} | {"interval": self.estimates.get(row["measure"])}

    @property
    def seeds(self) -> str:
        """What another seed would change."""
        return of_seeds(self.estimates.values(), f"as far as these {self.table.n.max()} replicates show")


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
    slope, intercept and ICI the intervals hold less often. A case that moves the slope up as a test case moves it down as a
    training case, so the corrected slope is nearly the same in every sample, whatever the rule at hand is like; the standard
    errors of all measures but Dxy and B are therefore at least those of the cases as test cases of one rule. `se_mc_se` is
    the SD of a standard error over seeds, as far as these replicates show it (they may have none of the rules that one
    replicate in 500 has); where it is more than a quarter of it there is no interval, and a note says how many replicates
    are needed.

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
    part = _of_bootstrap(fits)
    found = {name: _corrected(part, name, metric) for name, metric in PANEL.items()}
    rows = [_row(name, *of, level) for name, of in found.items()]
    rows.insert([row["measure"] for row in rows].index("Slope") + 1, _emax(found))
    few = {name: e.needed for name, (_, e) in found.items() if e.needed is not None}
    notes = [*_separated(part)]
    if few:
        needed = math.ceil(max(*few.values(), 2 * part.n_fits) / 100) * 100
        notes.append(Note("few-replicates", replicates=part.n_fits, needed=needed))
    table = pd.DataFrame(rows, columns=["measure", *COLUMNS, "se", "se_mc_se", "low", "high", "n"]).assign(
        estimand=ESTIMAND
    )
    estimates = {name: e for name, (_, e) in found.items()}
    drawn = f"{part.n_fits} {'stratified ' * part.design.stratified}bootstrap samples"
    return Validation(table, f"{part.sample.described}; {drawn}", level, warnings_first(notes), estimates, part)


def _of_bootstrap(fits: Fits) -> Fits:
    """Bootstrap training sets of two classes, with probabilities."""
    check_fits(fits)
    part = fits.part(("bootstrap",))
    if part.design.kind != "bootstrap":
        got = f"a {fits.design.kind} design"
        raise InputError("This needs bootstrap training sets", param="fits", got=got, fix="Use Bootstrap(200)")
    return Given.of(part, None).fits


def _corrected(fits: Fits, name: str, metric: str) -> tuple[Record, Estimate]:
    """The columns of rms, and the corrected value with its standard error where the replicates are enough for one."""
    bound = bind(fits, metric)
    drawn, all_cases = (replicate_values(fits, bound, cases) for cases in ("as drawn", "all"))
    known = ~np.isnan(drawn) & ~np.isnan(all_cases)
    apparent, n = apparent_value(fits, bound), int(known.sum())
    if not n or np.isnan(apparent):
        return dict.fromkeys(COLUMNS, np.nan) | {"n": n}, Estimate(np.nan)
    factor, shift = (2.0, -1.0) if name == "Dxy" else (1.0, 0.0)
    training, test = float(drawn[known].mean()), float(all_cases[known].mean())
    least, most = bound.bounds
    e = Estimate(
        factor * (apparent - (training - test)) + shift,
        metric="Somers' Dxy" if name == "Dxy" else metric,
        method=RB,
        estimand=ESTIMAND,
        bounds=(factor * least + shift, factor * most + shift),
    )
    with suppress(UndefinedError):
        spread = estimate(fits, metric, OF_LEFT_OUT.get(metric, "loob"), undefined="skip")
        if spread.se is not None:
            unsure = None if spread.se_mc_se is None else factor * spread.se_mc_se
            e = e.with_(se=factor * spread.se, se_mc_se=unsure, se_method=OF_LOOB, needed=spread.needed)
    if n < LEAST and e.se is not None:  # nothing tells how far they are from others
        e = e.with_(needed=FEW)
    if e.needed is not None or not e.se:  # 0, or mostly noise
        e = e.with_(se=None, se_mc_se=None)
    values = (factor * apparent + shift, factor * training + shift, factor * test + shift, factor * (training - test))
    return dict(zip(COLUMNS, (*values, e.value), strict=True)) | {"n": n}, e


def _row(name: str, values: Record, e: Estimate, level: float) -> Record:
    low, high = e.ci(level) if e.se is not None else (None, None)
    spread = {"se": e.se, "se_mc_se": e.se_mc_se, "low": low, "high": high}
    return {"measure": name, **values, **{key: np.nan if v is None else v for key, v in spread.items()}}


def _separated(fits: Fits) -> Iterator[Note]:
    """A warning where rules separate the classes of their training cases, or give many of them probabilities near 0 and 1
    that the rule trained on all cases does not: coefficients without a limit, as of a category with one class."""
    if fits.full_scores is None:
        return
    full, run_off = np.abs(log_odds_of(fits.full_scores)), []
    for block in fits.blocks():
        assert block.scores is not None
        far = (np.abs(log_odds_of(block.scores)) > RUN_OFF) & (full < NEAR)
        run_off += ((far * block.counts).sum(axis=1) >= LEAST_RUN_OFF * block.counts.sum(axis=1)).tolist()
    auc, slope = (replicate_values(fits, bind(fits, name), "as drawn") for name in ("auc", "calibration_slope"))
    apart, n = int((np.array(run_off) | (np.isnan(slope) & (auc > CHANCE))).sum()), len(run_off)
    if apart and apart >= LEAST_SEPARATED * n:
        yield Note("separation", separated=apart, of=n)


def _emax(found: Mapping[str, tuple[Record, Estimate]]) -> Record:
    """The largest |p − expit(a + b logit p)| over all p, for the corrected intercept and slope (rms::validate)."""
    from scipy.special import expit, logit

    a, b = (found[name][1].value for name in ("Intercept", "Slope"))
    p = np.arange(0.0005, 1, 0.0005)
    emax = float(np.abs(p - expit(a + b * logit(p))).max())
    values = dict(zip(COLUMNS, (0.0, 0.0, emax, emax, emax), strict=True)) | {"n": found["Dxy"][0]["n"]}
    return _row("Emax", values, Estimate(emax), 0.95)
