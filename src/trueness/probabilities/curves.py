"""Calibration curves: smooth, in parts, and isotonic (CORP)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy import special

from trueness.checks import generator_of
from trueness.errors import UndefinedError
from trueness.estimators.cv import naive_influence
from trueness.estimators.estimation import estimate, recommended_estimate
from trueness.estimators.influence import Contrast
from trueness.figures.figure import Figure, Intervals, Line, Mark, Points, band, unit_square
from trueness.formulas.calibration import Judged, log_odds_of
from trueness.formulas.groups import count_groups
from trueness.formulas.intervals import MaxT, quantile, wilson
from trueness.metrics.calibration import InfluenceLoss
from trueness.probabilities.given import Given
from trueness.result.grouped import share_in_groups
from trueness.result.shown import Drawn, Result, Table
from trueness.result.words import Named
from trueness.sample.fits import Fits
from trueness.typing import Floats, Rng

PLACES = 101  # probabilities at which a smooth curve is given
SMOOTH = Named("smooth", "logistic regression on restricted cubic splines of the log-odds", "harrell_2015")
BINS = Named("bins", "parts with as many cases each")
ISOTONIC = Named("isotonic", "isotonic regression (CORP)", "dimitriadis_2021")
NAMES = {str(name): name for name in (SMOOTH, BINS, ISOTONIC)}
BANDS = {
    "smooth": "pointwise; the frame has simultaneous ones",
    "bins": "Wilson's intervals of the observed share",
    "isotonic": "where the curve would be for calibrated probabilities",
}


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationCurve(Result, Drawn):
    """Observed against predicted probability.

    Attributes
    ----------
    method : str
        "smooth", "bins" or "isotonic".
    predicted, observed : ndarray of shape (k,)
        The curve.
    low, high : ndarray of shape (k,)
        Pointwise limits; of "isotonic" the consistency band.
    simultaneous : tuple of two ndarrays, optional
        Limits within which the whole smooth curve lies with probability `level`.
    share : ndarray of shape (k,)
        Share of the cases at each place; of the smooth curve 0.
    level : float
        Of the limits.
    """

    heading = "Calibration curve by {words}"
    footnote = "Limits at {percent}: {limits}."

    method: str
    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    share: Floats
    level: float
    simultaneous: tuple[Floats, Floats] | None = None

    def frame(self) -> pd.DataFrame:
        """One row per place: `predicted`, `observed`, `low`, `high`, and what else the method has."""
        out = {"predicted": self.predicted, "observed": self.observed, "low": self.low, "high": self.high}
        if self.simultaneous is not None:
            out["low_simultaneous"], out["high_simultaneous"] = self.simultaneous
        return pd.DataFrame(out if self.method == SMOOTH else out | {"share": self.share})

    def figure(self) -> Figure:
        """The curve with its limits, beside the diagonal of perfect calibration."""
        marks: list[Mark] = [Line([0, 1], [0, 1], style="--", color="soft", width=0.9)]
        said = f"{100 * self.level:g} %"
        if self.method == BINS:
            names = [f"{p:.3f} predicted, {o:.3f} observed" for p, o in zip(self.predicted, self.observed, strict=True)]
            marks.append(Intervals(self.predicted, self.low, self.high, width=1.6, color="C1"))
            marks.append(
                Points(self.predicted, self.observed, f"parts, {said} intervals", color="C1", size=30, names=names)
            )
        elif self.method == SMOOTH:
            assert self.simultaneous is not None
            marks.append(band(self.predicted, *self.simultaneous, f"{said} simultaneous"))
            marks.append(band(self.predicted, self.low, self.high, f"{said} pointwise", opacity=0.3))
            marks.append(Line(self.predicted, self.observed, "smooth curve", color="C0"))
        else:
            marks.append(band(self.predicted, self.low, self.high, f"{said} consistency band", color="soft"))
            marks.append(Line(self.predicted, self.observed, "isotonic (CORP)", color="C0"))
        panel = unit_square(marks, "predicted probability", "observed share")
        return Figure(f"Calibration curve, {self.method}", (panel,))

    @property
    def words(self) -> str:
        """The method in words."""
        return NAMES[self.method].words

    @property
    def limits(self) -> str:
        """What the limits are."""
        return BANDS[self.method]

    def _tables(self) -> tuple[Table, ...]:
        return _some(self.frame()[["predicted", "observed", "low", "high"]])


def _some(frame: pd.DataFrame) -> tuple[Table, ...]:
    """At most eleven rows, evenly over all."""
    places = np.unique(np.linspace(0, len(frame) - 1, 11).round().astype(int))
    rows = [[f"{value:.3f}" for value in row] for row in frame.iloc[places].itertuples(index=False)]
    return (Table(list(frame), rows),)


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedCurve(Result, Drawn):
    """A smooth calibration curve corrected for optimism by the bootstrap; what `validate(fits).curve()` returns.

    corrected = apparent − mean over replicates of (curve on the replicate itself − curve on all cases), as in rms::calibrate.
    It has no limits: no standard error of it is known.

    Attributes
    ----------
    table : DataFrame
        `predicted` probabilities and observed shares there: `apparent`, of the rule trained on all cases, on these;
        `optimism`, by how much too good; `corrected`, without that, between 0 and 1.
    distance : float
        Mean over cases of |predicted − corrected|.
    replicates : int
        How many the optimism is the mean of.
    """

    heading = f"Calibration curve by {SMOOTH.words}, corrected for optimism by {{replicates}} bootstrap replicates"
    template = "Corrected for optimism, observed and predicted differ by {distance:.3f} on average over the cases."
    footnote = "No standard error of a corrected curve is known; that of the slope is in validate(fits)."

    table: pd.DataFrame
    distance: float
    replicates: int

    def frame(self) -> pd.DataFrame:
        """One row per place."""
        return self.table.copy()

    def figure(self) -> Figure:
        """Both curves beside the diagonal."""
        marks: list[Mark] = [
            Line([0, 1], [0, 1], style="--", color="soft", width=0.9),
            Line(self.table.predicted, self.table.apparent, "apparent", style=":", color="C1"),
            Line(self.table.predicted, self.table.corrected, "corrected for optimism", color="C0"),
        ]
        panel = unit_square(marks, "predicted probability", "observed share")
        return Figure("Calibration curve corrected for optimism", (panel,))

    def _tables(self) -> tuple[Table, ...]:
        return _some(self.table)


def corrected_curve(fits: Fits) -> CorrectedCurve:
    """Of the rules of a bootstrap, from the lowest to the highest probability of the rule trained on all cases."""
    full, up = fits.full(), fits.sample.require_positive()
    assert full.scores is not None
    p = full.scores[0]
    all_cases = Judged.of(fits.sample.codes == up, p)
    ends = log_odds_of(np.array([p.min(), p.max()]))
    at = special.expit(np.linspace(ends[0], ends[1], PLACES))
    found = []
    for block in fits.blocks():
        if block.scores is None:
            continue
        for risks, counts in zip(block.scores, block.counts, strict=True):
            if np.isnan(risks).any():
                continue
            y = block.codes == up
            each = [Judged.of(y, risks, w) for w in (counts.astype(float), None)]
            if all(j.both for j in each):
                found.append(_curve_at(each[0], at) - _curve_at(each[1], at))
    if not found or not all_cases.both:
        raise UndefinedError(
            "No rule has probabilities of all cases, those of its training set among them",
            param="fits",
            fix="Use trueness.fit with Bootstrap(200)",
        )
    optimism, apparent = np.mean(found, axis=0), _curve_at(all_cases, at)
    corrected = (apparent - optimism).clip(0.0, 1.0)
    distance = float(np.abs(p - np.interp(log_odds_of(p), log_odds_of(at), corrected)).mean())
    table = pd.DataFrame({"predicted": at, "apparent": apparent, "optimism": optimism, "corrected": corrected})
    return CorrectedCurve(table, distance, len(found))


def _curve_at(judged: Judged, p: Floats) -> Floats:
    """The smooth curve at other probabilities."""
    smooth = judged.smooth
    return np.asarray(special.expit(smooth.basis(p) @ smooth.fit.coefficients))


def smooth_curve(given: Given, level: float) -> CalibrationCurve:
    """Limits on the scale of the log-odds. Test cases move the whole curve as they move its coefficients; how much larger the
    standard error is with the variation of training sets is known at the knots of the spline, and log-linear between."""
    judged = given.judged
    smooth = judged.smooth
    b = smooth.fit.coefficients
    if not np.isfinite(b).all():
        raise UndefinedError(
            "There is no smooth curve: a class has no cases, or the probabilities separate the classes",
            param="p",
            fix='curve("bins") and curve("isotonic") always exist',
        )
    knots = smooth.spline.knots
    at_knots = smooth.spline.basis(knots)  # (k, k)
    moved, larger = zip(*(_influence(given, row) for row in at_knots), strict=True)
    units = np.linalg.solve(at_knots, np.stack(moved))  # (k, U)
    low, high = judged.p.min(), judged.p.max()
    ends = log_odds_of(np.array([low, high]))
    at = special.expit(np.linspace(ends[0], ends[1], PLACES)) if low < high else np.array([low])
    basis = smooth.basis(at)
    loads = basis @ units
    se = np.linalg.norm(loads, axis=1) * np.exp(np.interp(log_odds_of(at), knots, np.log(larger)))
    values, vectors = np.linalg.eigh(units @ units.T)
    root = basis @ (vectors * np.sqrt(np.maximum(values, 0)))
    norms = np.linalg.norm(root, axis=1)
    together = MaxT(root / np.where(norms > 0, norms, 1.0)[:, None], coarser=2).level_per_statistic(level)
    eta, q, wide = basis @ b, quantile(level), quantile(together)
    limits = [np.asarray(special.expit(eta + sign * z * se)) for z in (q, wide) for sign in (-1, 1)]
    curve = np.asarray(special.expit(eta))
    return CalibrationCurve(SMOOTH, at, curve, limits[0], limits[1], np.zeros(len(at)), level, (limits[2], limits[3]))


def _influence(given: Given, along: Floats) -> tuple[Floats, float]:
    """(U,) how units as test cases move a linear form (k,) of the coefficients of the smooth curve, and how many times
    its standard error is larger than their norm.

    Of a cross-validation the standard error is Nadeau & Bengio's (2003), or that of the test cases where this is larger.
    Replicates of a bootstrap beside it are not read: their rules give probabilities to a class where the curve has no
    cases of it and no finite slope, so that a linear form says nothing of how far the curve moves.
    """
    form = partial(given.judged.smooth.moves, along=along)
    loss = InfluenceLoss(form=form, positive=given.fits.sample.require_positive())
    folds = given.fits.part(("cv",))
    if folds.design.kind != "cv":
        return given.influence(loss, recommended_estimate(given.fits, loss)), 1.0
    units = given.design.unit_sums(naive_influence(Contrast(folds, loss)))
    se, norm = estimate(folds, loss, "cv", undefined="failed").se, float(np.linalg.norm(units))
    return units, max(1.0, se / norm) if se is not None and norm > 0 else 1.0


def bins_curve(given: Given, level: float, bins: int) -> CalibrationCurve:
    """Equal values of p stay together. With groups, Wilson's interval has the effective number of cases; of resampled rules
    a unit (case or group) counts once."""
    j = given.judged
    order = np.argsort(j.p, kind="stable")
    share = np.cumsum(j.w[order]) - j.w[order] / 2
    place = np.minimum((share * bins).astype(int), bins - 1)
    _, first, which = np.unique(j.p[order], return_index=True, return_inverse=True)
    place = place[first][which]  # of equal probabilities that of the first
    groups = given.fits.sample.groups if given.of_test_set else None
    units = None if groups is None else groups[given.fits.design.tested(0)][order]
    rows = []
    for part in np.unique(place):
        of = place == part
        w, y = j.w[order][of], j.y[order][of]
        mass, p = float(w.sum()), float(w @ j.p[order][of]) / float(w.sum())
        x = float(w @ y) / mass
        if units is not None and count_groups(units[of]) > 1:
            low, high = share_in_groups(y, units[of], "wilson").ci(level)
        else:
            low, high = wilson(x, mass * j.n, quantile(level))
        rows.append((p, x, low, high, mass))
    predicted, observed, low_, high_, masses = (np.array(column) for column in zip(*rows, strict=True))
    return CalibrationCurve(BINS, predicted, observed, low_, high_, masses, level)


def isotonic_curve(given: Given, level: float, n_resamples: int, rng: Rng) -> CalibrationCurve:
    """The consistency band holds, at every probability, the middle of the isotonic regressions of outcomes drawn from the
    probabilities themselves (Dimitriadis, Gneiting & Jordan 2021). Units (cases or groups) are drawn independently."""
    j, draw = given.judged, generator_of(rng)
    levels, where = np.unique(j.p, return_inverse=True)
    mass = np.asarray(np.bincount(where, j.w), dtype=float)
    fitted = np.zeros(len(levels))
    fitted[where] = j.isotonic
    p = j.p
    if not given.of_test_set or given.fits.sample.groups is not None:  # quantiles of the weighted probabilities
        order, n = np.argsort(p, kind="stable"), int(j.n)
        at = np.searchsorted(np.cumsum(j.w[order]), (np.arange(n) + 0.5) / n)
        p = p[order][at.clip(max=len(order) - 1)]
    drawn = np.empty((n_resamples, len(levels)))
    for k in range(n_resamples):
        again = Judged.of(draw.random(len(p)) < p, p)
        at, first = np.unique(p, return_index=True)
        drawn[k] = np.interp(levels, at, again.isotonic[first])
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return CalibrationCurve(ISOTONIC, levels, fitted, low, high, mass, level)
