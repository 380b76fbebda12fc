"""calibration: whether predicted probabilities are what happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from trueness.checks import check_choice, check_level, check_whole
from trueness.errors import InputError, UndefinedError
from trueness.estimators.estimation import check_paired, difference, recommended_estimate
from trueness.figures.figure import Figure, by_class, forest
from trueness.formulas.calibration import quantile_of
from trueness.metrics.calibration import DiscriminationSlope, OfDistance
from trueness.probabilities.by_outcome import QUANTILES, Risks
from trueness.probabilities.curves import NAMES, CalibrationCurve, bins_curve, isotonic_curve, smooth_curve
from trueness.probabilities.given import Given, fits_of
from trueness.result.columns import Column
from trueness.result.estimate import Estimate
from trueness.result.joint import paired_test
from trueness.result.notes import SEVERAL_RULES, Note
from trueness.result.shown import Cited, Drawn, Result, Table, records
from trueness.result.words import sentence, spoken, titled
from trueness.sample.among import against_rest
from trueness.sample.fits import Assessed, Fits
from trueness.typing import Label, Labels, Record, Rng, Scores

MEASURES = {  # what is ideal
    "calibration_intercept": 0.0,
    "calibration_slope": 1.0,
    "o_e": 1.0,
    "ici": 0.0,
    "e50": 0.0,
    "e90": 0.0,
    "brier": 0.0,
    "log_loss": 0.0,
    "discrimination_slope": 1.0,
}
OF_VALIDATION = ("recalibration_intercept", "nagelkerke_r2", "d_index", "u_index", "q_index", "g_index", "gp_index")
BEYOND_DOUBT = (
    "The probabilities are so close to 0 and 1 that less than one case is in doubt, and no case contradicts them: these "
    "cases do not show how well they are calibrated."
)
ASSUMES = (
    "The intercept has the slope fixed at 1. ICI, E50 and E90 are the mean, the median and the 90 % quantile of |p − m(p)|, "
    "m the smooth curve: a logistic regression on restricted cubic splines of the log-odds with four knots."
)
SHOWS = {  # what an interval below the ideal shows, and one above it
    "calibration_intercept": ("Risks are predicted too high.", "Risks are predicted too low."),
    "calibration_slope": (
        "Risks are too extreme: high ones are predicted too high, low ones too low.",
        "Risks are too alike: high ones are predicted too low, low ones too high.",
    ),
    "ici": ("", "The smooth curve shows miscalibration."),
}


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition(Result):
    """Brier score = miscalibration − discrimination + uncertainty (CORP; Dimitriadis, Gneiting & Jordan 2021).

    Attributes
    ----------
    brier : float
        The Brier score.
    miscalibration : float
        How much isotonic regression of the outcomes on the probabilities would improve it; at least 0, and above 0 also
        for calibrated probabilities of few cases.
    discrimination : float
        How much better than the prevalence the recalibrated probabilities are; at least 0.
    uncertainty : float
        The Brier score of the prevalence, π(1 − π).
    """

    columns = {name: Column(name, ".4f") for name in ("brier", "miscalibration", "discrimination", "uncertainty")}
    heading = "Brier score = miscalibration − discrimination + uncertainty (CORP)"

    brier: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def _measure(name: str, about: str) -> property:
    return property(lambda self: self[name], doc=about)


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Result, Drawn, Cited):
    """How well predicted probabilities agree with what happens; what `trueness.calibration` returns.

    Attributes
    ----------
    intercept : Estimate
        Calibration in the large: a of logit P(y = 1) = a + logit p. 0 is ideal.
    slope : Estimate
        b of logit P(y = 1) = a + b logit p. 1 is ideal.
    o_e : Estimate
        Share of positives over the mean probability. 1 is ideal.
    ici, e50, e90 : Estimate
        Mean, median and 90 % quantile of the distance between the probability and the smooth curve.
    brier, log_loss : Estimate
        Mean losses.
    discrimination_slope : Estimate
        Mean probability of positives less that of negatives.
    decomposition : Decomposition
        Of the Brier score.
    level : float
        Level of the intervals.
    notes : tuple of Note
        What the reader should know.
    provenance : mapping
        Of an assessment: design, seed, versions.
    """

    columns = {
        "metric": Column(""),
        "method": Column(""),
        "measure": Column("measure"),
        "value": Column("value", "estimate"),
        "ideal": Column("ideal", "g"),
    }
    heading = "{about}"
    footnote = ASSUMES

    given: Given = field(repr=False)
    estimates: Mapping[str, Estimate]
    undefined: Mapping[str, Note]
    level: float = 0.95
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, fits: Fits, level: float, provenance: Mapping[str, Any] | None) -> Calibration:
        given, estimates, undefined = Given(fits), dict[str, Estimate](), dict[str, Note]()
        for name in MEASURES:
            try:
                estimates[name] = recommended_estimate(fits, name)
            except UndefinedError as error:
                undefined[name] = Note("undefined-measure", metric=name, reason=error.message())
        return cls(given, estimates, undefined, level, given.provenance() if provenance is None else provenance)

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        return self.estimates.items()

    def __getitem__(self, name: str) -> Estimate:
        """The estimate of a measure, by its name in `trueness.metrics` or its attribute; also of those of `validate`, such as
        "recalibration_intercept" and "u_index"."""
        if name in OF_VALIDATION:
            return recommended_estimate(self.given.fits, name)
        metric = name if name in MEASURES else f"calibration_{name}"
        if metric not in MEASURES:
            fix = f"Available: {', '.join((*MEASURES, *OF_VALIDATION))}"
            raise InputError(f"There is no measure {name!r}", fix=fix)
        if metric in self.undefined:
            raise InputError(str(self.undefined[metric]))
        return self.estimates[metric]

    intercept = _measure("calibration_intercept", "Calibration in the large; 0 is ideal.")
    slope = _measure("calibration_slope", "Calibration slope; 1 is ideal.")
    o_e = _measure("o_e", "Observed/expected ratio; 1 is ideal.")
    ici = _measure("ici", "Integrated calibration index: mean distance from the smooth curve.")
    e50 = _measure("e50", "Median distance from the smooth curve.")
    e90 = _measure("e90", "90 % quantile of the distance from the smooth curve.")
    brier = _measure("brier", "Brier score.")
    log_loss = _measure("log_loss", "Log-loss.")
    discrimination_slope = _measure("discrimination_slope", "Mean probability of positives less that of negatives.")

    @cached_property
    def decomposition(self) -> Decomposition:
        """The Brier score in three parts, by isotonic regression."""
        j = self.given.judged
        brier, recalibrated = (float(j.w @ (p - j.y) ** 2) for p in (j.p, j.isotonic))
        uncertainty = j.prevalence * (1 - j.prevalence)
        return Decomposition(brier, brier - recalibrated, uncertainty - recalibrated, uncertainty)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know."""
        about = [Note("bootstrap-calibration")] * (self.given.fits.design.kind == "bootstrap" and bool(self.estimates))
        about += [note for note in self.undefined.values() if not self.given.judged.beyond_doubt]
        rule = self.estimates["ici"].interval if "ici" in self.estimates else None
        if isinstance(rule, OfDistance):
            about.append(Note("distance-biased", expected=rule.if_calibrated()))
        ends = int(np.isin(self.given.judged.p, (0, 1)).sum())
        if ends:
            about.append(Note("probabilities-at-ends", number=ends))
        about += [SEVERAL_RULES] * (SEVERAL_RULES in self.given.fits.design.notes)  # a file says so
        return tuple(dict.fromkeys(about))

    @property
    def risks(self) -> Risks:
        """The distribution of the probabilities by outcome, with the discrimination slope."""
        j, sample = self.given.judged, self.given.fits.sample
        positive = self.given.fits.require_positive()
        names = tuple(str(sample.classes[c]) for c in (1 - positive, positive))
        rows, of_class = [], [(j.p[of], j.w[of]) for of in (~j.y, j.y)]
        for name, (p, w) in zip(names, of_class, strict=True):
            quantiles = zip(QUANTILES, quantile_of(p, w, QUANTILES).tolist(), strict=True)
            spread = {f"{100 * q:g} %": value for q, value in quantiles}
            rows.append({"outcome": name, "mean": float(w @ p / w.sum()), **spread})
        risks, weights = zip(*of_class, strict=True)
        figure = by_class(risks, names, "Risks by outcome", "predicted probability", (0.0, 1.0), weights)
        return Risks(pd.DataFrame(rows), self["discrimination_slope"], figure, self.level)

    def curve(
        self,
        method: Literal["smooth", "bins", "isotonic"] = "smooth",
        *,
        bins: int = 10,
        n_resamples: int = 500,
        rng: Rng = None,
    ) -> CalibrationCurve:
        """The calibration curve.

        Parameters
        ----------
        method : {"smooth", "bins", "isotonic"}, default "smooth"
            "smooth": logistic regression on restricted cubic splines of the log-odds, with a pointwise and a simultaneous
            band. "bins": parts with as many cases each, with Wilson's intervals. "isotonic": the CORP reliability curve,
            with its consistency band: where it would be for calibrated probabilities.
        bins : int, default 10
            Number of parts, where they are asked for.
        n_resamples : int, default 500
            Draws of outcomes for the consistency band.
        rng : int, SeedSequence, Generator or None
            For these draws.

        Returns
        -------
        CalibrationCurve
        """
        check_choice("method", method, tuple(NAMES), f"There is no curve {method!r}")
        if method == "smooth":
            return smooth_curve(self.given, self.level)
        if method == "bins":
            check_whole("bins", bins, 2)
            return bins_curve(self.given, self.level, bins)
        check_whole("n_resamples", n_resamples, 20)
        return isotonic_curve(self.given, self.level, n_resamples, rng)

    def ece(self, *, bins: int = 10) -> Estimate:
        """Expected calibration error: Σ_b w_b |observed − mean p| over parts with as many cases each.

        It is biased upwards, by as much as its note says for calibrated probabilities, and the more so the more parts
        there are; no standard error would tell. Prefer the ICI, whose interval allows for its bias.
        """
        check_whole("bins", bins, 2)
        c = bins_curve(self.given, self.level, bins)
        spread = np.sqrt(2 / np.pi * c.predicted * (1 - c.predicted) / np.maximum(c.share * self.given.judged.n, 1))
        bias, value = float(c.share @ spread), float(c.share @ np.abs(c.observed - c.predicted))  # E|Z| of a normal Z
        out = Estimate(value, metric="ece", bounds=(0.0, 1.0), bias=bias)
        return out.noting(Note("distance-biased", expected=bias))

    def versus(self, other: Calibration) -> CalibrationDifference:
        """The paired difference of every measure from that of another model on the same cases and design; none of the
        discrimination slope, which miscalibration can increase."""
        if not isinstance(other, Calibration):
            raise InputError("other must be a calibration", param="other", got=type(other).__name__)
        a, b = self.given.fits, other.given.fits
        check_paired(a, b)
        found = {
            name: difference(a, b, name, e.method, undefined="failed")
            for name, e in self.estimates.items()
            if name in other.estimates and name != DiscriminationSlope.name
        }
        names = (a.name, b.name) if a.name and b.name and a.name != b.name else ("first", "second")
        return CalibrationDifference(found, self.level, names)

    def figure(self) -> Figure:
        """The smooth curve with its bands, parts with intervals, and the distribution of the probabilities by outcome."""
        if "ici" in self.undefined:
            return self.curve("bins").figure()
        smooth, parts = self.curve("smooth").figure(), self.curve("bins").figure()
        panel = replace(smooth.panels[0], marks=[*smooth.panels[0].marks, *parts.panels[0].marks[1:]])
        return Figure("Calibration", (panel, *self.risks.drawn.panels), 2, smooth.size)

    def rows(self) -> Iterator[Record]:
        for name, e in self.estimates.items():
            yield {"metric": name, "method": e.method, "measure": titled(name), "value": e, "ideal": MEASURES[name]}

    def frame(self) -> pd.DataFrame:
        """One row per measure: `metric`, `method`, `value`, `se`, `low`, `high`, `ideal`."""
        return super().frame().drop(columns="measure", errors="ignore")

    def verdict(self) -> str:
        """What the intervals of the intercept, the slope and the ICI show; "" where they have none, and of a bootstrap
        alone, whose rules are those of fewer cases.

        They never show that probabilities are calibrated, only that a deviation is not shown.
        """
        if self.given.judged.beyond_doubt:
            return BEYOND_DOUBT
        limits = {name: e.ci(self.level) for name, e in self.estimates.items() if e.has_interval and name in SHOWS}
        if self.given.fits.design.kind == "bootstrap" or not {"calibration_intercept", "calibration_slope"} & {*limits}:
            return ""
        missed = {name: ends for name, ends in limits.items() if not ends.covers(MEASURES[name])}
        shown = [SHOWS[name][ends[0] > MEASURES[name]] for name, ends in missed.items()]
        return " ".join(shown) or "No miscalibration is shown, which does not show that there is none."

    def answer(self) -> str:
        """The verdict, and intercept and slope in one or two sentences; those that are defined."""
        both = ("calibration_intercept", "calibration_slope")
        found = (sentence(self.estimates[m], self.level) for m in both if m in self.estimates)
        return " ".join(filter(None, (self.verdict(), *found)))

    @property
    def about(self) -> str:
        """The cases, and what the numbers are about."""
        methods = dict.fromkeys(f"{e.estimand} ({e.method})" for e in self.estimates.values())
        return f"Calibration of {self.given.fits.sample.described}\n" + "; ".join(methods)

    def _tables(self) -> tuple[Table, ...]:
        (parts,) = self.decomposition._tables()
        return (*super()._tables(), replace(parts, title=self.decomposition.heading))

    def to_dict(self) -> Record:
        return {
            "level": self.level,
            "estimates": [e.to_dict(self.level) for e in self.estimates.values()],
            "decomposition": vars(self.decomposition),
            "curve": records(self.curve("smooth").frame()) if "ici" in self.estimates else [],
            "notes": [note.to_dict() for note in self.notes],
        }


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationDifference(Result, Drawn):
    """Measures of one model less those of another on the same cases; what `Calibration.versus` returns.

    Attributes
    ----------
    differences : mapping of str to Estimate
        By the name of the measure; first − second.
    level : float
        Level of the intervals.
    names : (str, str)
        Of the two models.
    """

    columns = {
        "metric": Column(""),
        "measure": Column("measure"),
        "difference": Column("difference", "estimate"),
        "p_value": Column("p", "p"),
    }
    heading = "Paired differences in calibration, {names[0]} − {names[1]}"

    differences: Mapping[str, Estimate]
    level: float = 0.95
    names: tuple[str, str] = ("first", "second")

    def p_value(self, name: str) -> float | None:
        """Of a difference of 0; None where there is no standard error."""
        test = paired_test(self.differences[name], "paired")
        return None if test is None else test.p_value

    def rows(self) -> Iterator[Record]:
        for name, d in self.differences.items():
            yield {"metric": name, "measure": titled(name), "difference": d, "p_value": self.p_value(name)}

    def frame(self) -> pd.DataFrame:
        """One row per measure: `metric`, `difference`, `se`, `low`, `high`, `p_value`."""
        frame = super().frame().drop(columns="measure", errors="ignore")
        return frame.rename(columns=lambda name: name.removeprefix("difference_"))

    def figure(self) -> Figure:
        """The difference in every measure."""
        dots = [d.dot(titled(name), self.level) for name, d in self.differences.items()]
        axis = f"{' − '.join(self.names)}, {100 * self.level:g} % interval"
        return forest(dots, "Differences in calibration", axis, zero=True)

    def answer(self) -> str:
        """The differences in intercept and slope; those that are defined."""
        return " ".join(
            sentence(self.differences[m], self.level, f"Difference in {spoken(m)}:")
            for m in ("calibration_intercept", "calibration_slope")
            if m in self.differences
        )


@dataclass(frozen=True, eq=False, repr=False)
class SeveralCalibrations(Result, Drawn, Cited):
    """Calibration of several classes, each against the rest; `q["setosa"]` is that of one.

    Attributes
    ----------
    classes : mapping of str to Calibration
        By label.
    """

    columns = {"class": Column("class against the rest")} | {
        m: Column(f"{titled(m)}, {{percent}} interval", "ci")
        for m in ("calibration_intercept", "calibration_slope", "o_e", "ici")
    }
    heading = "Calibration of several classes, one against the rest"
    footnote = ASSUMES

    classes: Mapping[str, Calibration]
    level: float = 0.95
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, label: object) -> Calibration:
        if str(label) not in self.classes:
            raise InputError(f"There is no class {label!r}", fix=f"Available: {', '.join(self.classes)}")
        return self.classes[str(label)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.classes)

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        return ((f"{label}.{name}", e) for label, q in self.classes.items() for name, e in q.estimates.items())

    def frame(self) -> pd.DataFrame:
        """As of one class, with the column `class`."""
        parts = [q.frame().assign(**{"class": label}) for label, q in self.classes.items()]
        return pd.concat(parts, ignore_index=True)

    def figure(self) -> Figure:
        """The smooth curve of each class."""
        panels = []
        for label, q in self.classes.items():
            curve = q.curve("smooth" if "ici" in q.estimates else "bins").figure().panels[0]
            panels.append(replace(curve, title=f"{label} against the rest"))
        return Figure("Calibration, one class against the rest", panels)

    def answer(self) -> str:
        """The verdict about each class."""
        return " ".join(
            f"{label} against the rest: {q.verdict() or 'no verdict.'}" for label, q in self.classes.items()
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """A note that several classes have stands once."""
        found = {note.code: note.about(label) for label, q in [*self.classes.items()][::-1] for note in q.notes}
        return tuple(found.values())

    def rows(self) -> Iterator[Record]:
        for label, q in self.classes.items():
            yield {"class": label, **q.estimates}

    def to_dict(self) -> Record:
        return {"classes": {label: q.to_dict() for label, q in self.classes.items()}}


def calibration(
    y: Labels | Fits | Assessed,
    p: Scores | None = None,
    *,
    positive: Label | None = None,
    groups: Labels | None = None,
    level: float = 0.95,
) -> Calibration | SeveralCalibrations:
    """Whether predicted probabilities are what happens, with standard errors.

    Parameters
    ----------
    y : array-like of shape (n,), Fits or Assessment
        Outcomes: two labels, or several. Or fits of any plan (those of an assessment) whose scores are probabilities or
        log-odds: the measures are then those of left-out cases.
    p : array-like of shape (n,) or (n, C)
        Probability of the positive class; of several classes one column each, in sorted order.
    positive : label, optional
        The positive class; may be omitted where the labels are 0/1, −1/1, no/yes or booleans.
    groups : array-like of shape (n,), optional
        Group of each case, where only whole groups are independent.
    level : float, default 0.95
        Level of the intervals.

    Returns
    -------
    Calibration, or SeveralCalibrations of several classes (one against the rest)
        `intercept`, `slope`, `o_e`, `ici`, `e50`, `e90`, `brier`, `log_loss`, `discrimination_slope` (Estimates),
        `decomposition`, `curve(method)`, `versus(other)`, `frame()`, `plot()`.

    Raises
    ------
    InputError
        Where values are outside [0, 1], or the scores of fits are not probabilities.

    Notes
    -----
    Intercept and slope are those of logistic recalibration (Cox 1958), with the sandwich variance. ICI, E50 and E90 (Austin &
    Steyerberg 2019) depend on the smoother, which here is a logistic regression on restricted cubic splines of the log-odds
    with knots at the 5, 35, 65 and 95 % quantiles; with loess they differ by some per cent. They are biased upwards, and
    their intervals, by inversion of a test, hold 0 wherever calibrated probabilities would look like these.

    References
    ----------
    Cox (1958); Austin & Steyerberg (2019); Dimitriadis, Gneiting & Jordan (2021); Van Calster et al. (2019).

    Examples
    --------
    >>> import numpy as np, trueness
    >>> rng = np.random.default_rng(1)
    >>> risk = rng.uniform(size=400)
    >>> y = rng.uniform(size=400) < risk
    >>> q = trueness.calibration(y, risk)
    >>> print(q.slope)
    calibration_slope holdout: 1.0... ± 0...
    >>> bool(q.ici.ci().low == 0)
    True
    """
    check_level(level)
    provenance = y.provenance if isinstance(y, Assessed) else None
    fits = fits_of(y, p, positive, groups)
    if fits.sample.n_classes == 2:
        fits.sample.require_positive()
        return Calibration.of(fits, level, provenance)
    parts = {str(label): against_rest(fits, k) for k, label in enumerate(fits.sample.classes) if fits.sample.sizes[k]}
    found = {label: Calibration.of(part, level, provenance or {}) for label, part in parts.items()}
    return SeveralCalibrations(found, level, provenance or {})
