"""decision_curve: at which thresholds of risk a model does more good than treating everybody or nobody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from trueness.checks import check_level, check_open_share, number_array
from trueness.errors import InputError
from trueness.estimators.estimation import check_paired, difference, recommended_estimate
from trueness.figures.figure import Figure, Line, Mark, Panel, Rule, band
from trueness.formulas.intervals import quantile, wilson
from trueness.metrics.probabilities import NetBenefit
from trueness.probabilities.given import Given
from trueness.result.estimate import Estimate
from trueness.result.joint import correlations, largest_of
from trueness.result.notes import SEVERAL_RULES, Note
from trueness.result.shown import Cited, Drawn, Result, Table
from trueness.result.words import listed
from trueness.sample.fits import Assessed, Fits
from trueness.typing import Bools, Floats, Label, Labels, Scores

DEFAULT = tuple(k / 100 for k in range(1, 100))
OF_RESAMPLES = tuple(k / 40 for k in range(1, 40))  # fits of many rules are read once per threshold
MANY_SCORES = 2_000_000  # of fits, above which every second threshold is left out: 200 of them at 10⁴ cases
CLOSE = 0.05  # thresholds that are further apart say nothing of those between
MOST_ROWS = 30  # of thresholds that were asked for
ROWS_SHOWN = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
NEAR_AN_END = 0.05  # thresholds that come so close to 0 or 1 have an axis that reaches it
ALL, NONE = "treat all", "treat none"
OF_INTERVALS = ("se", "low", "high", "low_simultaneous", "high_simultaneous")
ENDS = Note("threshold-ends")
ASSUMES = (
    "Net benefit: TP/n − FP/n · t/(1 − t), in true positives per case. An interval holds at one threshold, the "
    "simultaneous one at all of them together (max-t)."
)
WORTH = (
    "Worth using: better than treating all and none together, the simultaneous interval above 0, and at each threshold fewer "
    "positives than the threshold below it and more above it, by exact binomial tests; so the range may be shorter than that "
    "of an interval above 0."
)


@dataclass(frozen=True, eq=False)
class Benefit:
    """Net benefit of one rule at T thresholds, over acting on nobody and over acting on everybody."""

    _kept: ClassVar[bool] = False  # in a file

    given: Given
    metrics: tuple[NetBenefit, ...]  # (T,)
    estimates: tuple[Estimate, ...]  # (T,)
    value: Floats  # (T,)
    influence: Floats  # (T, U)
    over_all: Floats  # (T,) net benefit less that of treating everybody
    over_all_influence: Floats  # (T, U)
    events: Floats  # (T, 2, 2) cases (below, from the threshold) × (all, positive), as far as they are independent

    def useful(self, level: float, each: float) -> tuple[tuple[float, float], ...]:
        """Ranges of thresholds at which it is better than both, and its simultaneous interval above 0; neighbours that are
        close make a range, unless it is worse between. `each` is the level of the simultaneous intervals."""
        t, better = np.array([m.threshold for m in self.metrics]), self._better(level)
        if not better.any():  # not even at one threshold alone
            return ()
        better = self._better(_together(level, self.influence, self.over_all_influence))
        at = np.flatnonzero(better & [_limits(e, each)[0] > 0 for e in self.estimates])
        worse = self._worse()
        parted = [
            k + 1
            for k, (a, b) in enumerate(pairwise(at.tolist()))
            if b > a + 1 or t[b] - t[a] > CLOSE + 1e-9 or ((worse > t[a]) & (worse < t[b])).any()
        ]
        return tuple((float(t[run[0]]), float(t[run[-1]])) for run in np.split(at, parted) if len(run))

    def _worse(self) -> Floats:
        """Risks of the cases at which, as a threshold, the net benefit is not above those of treating all and none."""
        j = self.given.judged
        order = np.argsort(j.p, kind="stable")
        p, y, w = j.p[order], j.y[order], j.w[order]
        here = j.prevalence
        prior = self.metrics[0].prevalence or here
        each = w * np.where(y, prior / here, (1 - prior) / (1 - here))  # as in the population
        up, down = np.cumsum(each * y), np.cumsum(each * ~y)
        odds = p / np.maximum(1 - p, 1e-12)
        first, last = np.searchsorted(p, p), np.searchsorted(p, p, side="right") - 1
        below = up[first] - (each * y)[first], down[first] - (each * ~y)[first]
        acted = (prior - below[0]) - odds * (1 - prior - below[1])  # on all with this risk or more
        over_all = odds * down[last] - up[last]  # just above it, where they are no longer acted on
        return np.unique(p[(acted <= 0) | (over_all <= 0)])

    def _better(self, each: float) -> Bools:
        """(T,) where it is better than treating all and none, by limits of this level."""
        z, tail = quantile(each), (1 - each) / 2
        se, se_over = (np.linalg.norm(moves, axis=1) for moves in (self.influence, self.over_all_influence))
        above = (self.value > z * se) & (self.over_all > z * se_over)
        (n_low, x_low), (n_high, x_high) = self.events[:, 0].T, self.events[:, 1].T
        here = self.given.judged.prevalence
        prior = self.metrics[0].prevalence or here
        odds = np.array([m.odds for m in self.metrics]) * (here / (1 - here)) / (prior / (1 - prior))
        t = odds / (1 + odds)  # of the risk among these cases, for that of the population
        few_below = special.bdtr(np.floor(x_low), np.ceil(n_low).astype(int), t)  # P(X ≤ x) if the share is t
        few_above = special.bdtrc(np.ceil(x_high) - 1, np.ceil(n_high).astype(int), t)  # P(X ≥ x)
        return np.asarray(above & (few_below <= tail) & (x_high >= 1) & (few_above <= tail))


def _together(level: float, *influences: Floats, coarser: int = 3) -> float:
    """The level of each interval at which those of all these statistics hold together."""
    return largest_of(correlations(np.concatenate(influences)), coarser=coarser).level_per_statistic(level)


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Result, Drawn, Cited):
    """Net benefit over thresholds; what `trueness.decision_curve` returns.

    Attributes
    ----------
    thresholds : ndarray of shape (T,)
        Risks from which one acts.
    table : DataFrame
        What `frame()` gives.
    ranges : mapping of str to tuple
        Thresholds at which each model is worth using; what `useful()` gives.
    treat_all : ndarray of shape (T,)
        Net benefit of acting on everybody; that of acting on nobody is 0.
    prevalence : float
        Given, or the share of positives.
    models : mapping of str to Benefit
        Net benefit of every model; not kept in a file.
    level : float
        Of the intervals.
    notes : tuple of Note
        What the reader should know.
    provenance : mapping
        Of an assessment: design, seed, versions; and prevalence, thresholds and, of a test set, a hash of the data.
    """

    heading = "Decision curve, prevalence {prevalence:.3g}"
    footnote = f"{ASSUMES}\n{WORTH}"

    thresholds: Floats
    table: pd.DataFrame
    ranges: Mapping[str, tuple[tuple[float, float], ...]]
    treat_all: Floats
    prevalence: float
    models: Mapping[str, Benefit] = field(repr=False)
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        return (
            (f"{name}.{t:g}", e)
            for name, b in self.models.items()
            for t, e in zip(self.thresholds.tolist(), b.estimates, strict=True)
        )

    def frame(self) -> pd.DataFrame:
        """One row per model and threshold, "treat all" and "treat none" among the models.

        Columns `model`, `threshold`, `net_benefit`, `se`, `low`, `high`, `low_simultaneous`, `high_simultaneous`,
        `standardized` (over the prevalence, so that 1 is the most), `avoided` (interventions avoided per 100 cases without
        missing more positives than treating everybody).
        """
        return self.table.copy()

    def difference(self, first: str, second: str = ALL) -> BenefitDifference:
        """Net benefit of one model less that of another, of "treat all" or of "treat none".

        Parameters
        ----------
        first, second : str
            Names of models, "treat all" or "treat none".

        Returns
        -------
        BenefitDifference
            `.frame()`: `threshold`, `difference`, `se`, `low`, `high` and simultaneous limits.
        """
        known = {name: (b.value, b.influence) for name, b in self.models.items()}
        some = self.models.get(first, self.models.get(second, next(iter(self.models.values()))))
        known[NONE] = (np.zeros_like(some.value), np.zeros_like(some.influence))
        known[ALL] = (self.treat_all, some.influence - some.over_all_influence)
        for name in (first, second):
            if name not in known:
                raise InputError(f"There is no model {name!r}", param="first", fix=f"Available: {', '.join(known)}")
        (a, of_a), (b, of_b) = known[first], known[second]
        value, moves = a - b, of_a - of_b
        se = np.linalg.norm(moves, axis=1)
        se[se == 0] = np.nan
        one, other = self.models.get(first), self.models.get(second)
        exact: list[Estimate] = []  # with the intervals that suit few cases, of a test set
        if one is not None and one.given.of_test_set and first != second:
            over = [m if second == NONE else replace(m, over="all") for m in one.metrics]
            exact = (
                [recommended_estimate(one.given.fits, m) for m in over]
                if other is None
                else [difference(one.given.fits, other.given.fits, m, "holdout") for m in one.metrics]
            )
        out = {"threshold": self.thresholds, "difference": value, "se": se}
        for level, which in ((self.level, ""), (_together(self.level, moves, coarser=2), "_simultaneous")):
            half = quantile(level) * se
            limits = np.stack([value - half, value + half], axis=1)
            if exact:
                limits = np.array([e.ci(level) if e.has_interval else (np.nan, np.nan) for e in exact])
            out[f"low{which}"], out[f"high{which}"] = limits.T
        wide = np.abs(out["high_simultaneous"][np.isfinite(se)])
        reach = 3 * float(np.median(wide)) if len(wide) else 1.0
        if ALL in (first, second):  # which costs ever more
            reach = min(reach, 1.3 * self._most)
        return BenefitDifference(pd.DataFrame(out), (first, second), self.level, reach)

    def useful(self, model: str | None = None) -> list[tuple[float, float]]:
        """Ranges of thresholds at which a model beats both treating all and treating none.

        With probability `level` no threshold in any of them is wrong: two-sided limits hold for all thresholds and both
        comparisons together (max-t), the simultaneous interval of the net benefit is above 0, and at every threshold
        the share of positives below it must be smaller, and above it larger, than the threshold by an exact binomial
        test at the same level, which few cases do not pass.
        """
        name = next(iter(self.ranges)) if model is None else model
        if name not in self.ranges:
            raise InputError(f"There is no model {name!r}", param="model", fix=f"Available: {', '.join(self.ranges)}")
        return list(self.ranges[name])

    def sentence(self, model: str | None = None) -> str:
        """Where a model is worth using, in one sentence."""
        name = next(iter(self.ranges)) if model is None else model
        where = listed(f"{a:g} to {b:g}" for a, b in self.useful(name)) or "none shown"
        return (
            f"{name} is worth using at thresholds: {where} (it beats both treat-all and treat-none there, with "
            f"{100 * self.level:g} % confidence at all of them together)."
        )

    def answer(self) -> str:
        """Where each model is worth using, one sentence per model."""
        return " ".join(map(self.sentence, self.ranges))

    @property
    def _most(self) -> float:
        """The largest net benefit of a model, or of one without errors."""
        return max(self.prevalence, float(self.table.net_benefit.max()))

    def figure(self) -> Figure:
        """Net benefit of every model with its simultaneous band, of treating all and none."""
        bands: list[Mark] = []
        lines: list[Mark] = []
        rows = self.table.groupby("model")
        for k, name in enumerate(self.ranges):
            of, color = rows.get_group(name), f"C{k % 8}"
            bands.append(band(self.thresholds, of.low_simultaneous, of.high_simultaneous, color=color))
            lines.append(Line(self.thresholds, of.net_benefit, name, color=color))
        lines.append(Line(self.thresholds, self.treat_all, ALL, style="--", color="ink", width=1.2))
        panel = Panel(
            [*bands, *lines, Rule(y=0.0, label=NONE, color="soft", style="-")],
            x_label="threshold of risk",
            y_label="net benefit",
            x_limits=_shown(self.thresholds),
            y_limits=(-0.15 * self._most, 1.3 * self._most),
        )
        return Figure(f"Decision curve with {100 * self.level:g} % simultaneous bands", (panel,))

    def _tables(self) -> tuple[Table, ...]:
        ends = [end for ranges in self.ranges.values() for each in ranges for end in each]
        rows = self.table[self.table.model != NONE].drop(columns="standardized")
        return (_rounded(rows, self.thresholds, ends),)


def _shown(thresholds: Floats) -> tuple[float, float]:
    """The axis of the thresholds: all risks, or those that were asked for."""
    low, high = float(thresholds[0]), float(thresholds[-1])
    if low == high:
        low, high = low - NEAR_AN_END, high + NEAR_AN_END
    return low if low > NEAR_AN_END else 0.0, high if high < 1 - NEAR_AN_END else 1.0


def _limits(e: Estimate, level: float) -> tuple[float, float]:
    """Of the estimate; where no case makes a difference, those of one share of 0 among its cases."""
    if e.has_interval and (e.se is None or e.se > 0):
        return tuple(e.ci(level))  # type: ignore[return-value]
    low, high = e.bounds
    most = wilson(0.0, float(e.cases or 1), quantile(level))[1]
    return max(low, e.value + low * most), min(high, e.value + high * most)


@dataclass(frozen=True, eq=False, repr=False)
class BenefitDifference(Result, Drawn):
    """Net benefit of one policy less that of another, over thresholds; what `DecisionCurve.difference` returns.

    Attributes
    ----------
    table : DataFrame
        What `frame()` gives.
    names : (str, str)
        First and second.
    level : float
        Of the limits.
    """

    heading = "Net benefit: {names[0]} − {names[1]}"

    table: pd.DataFrame
    names: tuple[str, str]
    level: float = 0.95
    reach: float = field(default=1.0, repr=False)  # of the axis

    @property
    def value(self) -> Floats:
        """(T,) the difference at each threshold."""
        return np.asarray(self.table.difference)

    def frame(self) -> pd.DataFrame:
        """One row per threshold: `threshold`, `difference`, `se`, `low`, `high`, `low_simultaneous`, `high_simultaneous`.

        Where both policies act alike in every case, the standard error is not known and the limits are NaN.
        """
        return self.table.copy()

    def figure(self) -> Figure:
        """The difference with its pointwise and simultaneous limits."""
        f, known = self.table, self.table.dropna()
        percent = f"{100 * self.level:g} %"
        marks: list[Mark] = [
            band(known.threshold, known.low_simultaneous, known.high_simultaneous, f"{percent} simultaneous"),
            band(known.threshold, known.low, known.high, f"{percent} pointwise", opacity=0.3),
            Rule(y=0.0),
            Line(f.threshold, f.difference, " − ".join(self.names), color="C0"),
        ]
        panel = Panel(
            marks,
            x_label="threshold of risk",
            y_label="difference in net benefit",
            x_limits=_shown(f.threshold.to_numpy()),
            y_limits=(-self.reach, 1.4 * self.reach),
        )
        return Figure(f"Net benefit: {' − '.join(self.names)}", (panel,))

    def _tables(self) -> tuple[Table, ...]:
        return (_rounded(self.table, self.table.threshold.to_numpy()),)


def _rounded(frame: pd.DataFrame, thresholds: Floats, ends: Sequence[float] = ()) -> Table:
    """Words as they are, numbers in four digits; of many thresholds those nearest to round ones and to the `ends`."""
    if len(thresholds) > MOST_ROWS:
        near = np.abs(np.subtract.outer([*ROWS_SHOWN, *ends], thresholds)).argmin(axis=1)
        frame = frame[frame.threshold.isin(thresholds[near])]
    text = frame.map(lambda value: value if isinstance(value, str) else "" if np.isnan(value) else f"{value:z.4g}")
    return Table([str(name).replace("_", " ") for name in text], text.to_numpy().tolist())


def decision_curve(
    y: Labels | Fits | Assessed | Mapping[str, Fits | Assessed],
    p: Scores | Mapping[str, Scores] | None = None,
    *,
    thresholds: npt.ArrayLike | None = None,
    prevalence: float | None = None,
    positive: Label | None = None,
    groups: Labels | None = None,
    level: float = 0.95,
) -> DecisionCurve:
    """Net benefit of acting on a predicted risk of at least t, over thresholds t.

    Parameters
    ----------
    y : array-like of shape (n,), Fits or Assessment, or mapping of str to these
        Outcomes; or fits of any plan on one design whose scores are probabilities: benefits are then those of left-out
        cases.
    p : array-like of shape (n,), or mapping of str to such arrays
        Probabilities of the positive class, of one model or of several by name.
    thresholds : sequence of float, optional
        Above 0 and below 1; 0.01, 0.02, …, 0.99 by default (of fits every 0.025, with more than 2·10⁶ scores every
        0.05).
    prevalence : float, optional
        That of the population, where the cases do not have it (a case-control study).
    positive, groups, level
        As in `trueness.calibration`.

    Returns
    -------
    DecisionCurve
        `frame()`, `answer()`, `sentence("a")`, `useful()`, `difference("a", "b")`, `difference("a", "treat all")`, `plot()`.

    Raises
    ------
    InputError
        Where values are no probabilities, or a threshold or the prevalence is not above 0 and below 1.

    Notes
    -----
    net benefit = TP/n − FP/n · t/(1 − t); with a prevalence π: π TPF − (1 − π) FPF t/(1 − t).

    References
    ----------
    Vickers & Elkin (2006); Vickers, Van Calster & Steyerberg (2016).

    Examples
    --------
    >>> import numpy as np, trueness
    >>> rng = np.random.default_rng(1)
    >>> risk = rng.uniform(size=500)
    >>> y = rng.uniform(size=500) < risk
    >>> v = trueness.decision_curve(y, risk)
    >>> print(v.sentence())
    model is worth using at thresholds: 0... to 0... (it beats both treat-all and treat-none there, with 95 % ...
    """
    check_level(level)
    if isinstance(y, Mapping):
        given = {str(name): Given.of(fits, p, positive, groups) for name, fits in y.items()}
    elif isinstance(p, Mapping):
        given = {str(name): Given.of(y, each, positive, groups) for name, each in p.items()}
    else:
        given = {"model": Given.of(y, p, positive, groups)}
    if not given:
        raise InputError("There are no models", param="p")
    if {ALL, NONE} & given.keys():
        raise InputError(f"A model cannot be called {ALL!r} or {NONE!r}", param="p", fix="Give it another name")
    first, *others = given.values()
    for other in others:
        check_paired(first.fits, other.fits)
    at, notes = _thresholds(thresholds, first)
    several = [SEVERAL_RULES] * (SEVERAL_RULES in first.fits.design.notes)  # a file says so
    one = next(iter(y.values())) if isinstance(y, Mapping) else y
    provenance = dict(one.provenance) if isinstance(one, Assessed) else first.provenance()
    provenance["thresholds"] = f"{len(at)} from {at[0]:g} to {at[-1]:g}"
    if prevalence is not None:
        check_open_share("prevalence", prevalence)
    sample = first.fits.sample
    plain = (NetBenefit(threshold=float(t), prevalence=prevalence) for t in at)
    metrics = tuple(replace(m.bind_priors(sample), positive=sample.require_positive()) for m in plain)
    found = {name: _benefit(g, metrics) for name, g in given.items()}
    share = first.judged.prevalence if prevalence is None else prevalence
    odds = at / (1 - at)
    treat_all = share - (1 - share) * odds
    provenance["prevalence"] = f"{share:.4g}" + ", given" * (prevalence is not None)
    each = {name: _together(level, b.influence) for name, b in found.items()}
    curves = {}
    for name, b in found.items():
        limits = [(e.se, *_limits(e, level), *_limits(e, each[name])) for e in b.estimates]
        curves[name] = (b.value, b.over_all, *np.array(limits, dtype=float).T)
    none, zero = (np.full(len(at), np.nan),) * 5, np.zeros(len(at))
    curves |= {ALL: (treat_all, zero, *none), NONE: (zero, -treat_all, *none)}
    frames = [
        pd.DataFrame(
            {"model": name, "threshold": at, "net_benefit": value, **dict(zip(OF_INTERVALS, limits, strict=True))}
            | {"standardized": value / share, "avoided": 100 * gain / odds}  # Vickers & Elkin (2006)
        )
        for name, (value, gain, *limits) in curves.items()
    ]
    table, ranges = pd.concat(frames, ignore_index=True), {n: b.useful(level, each[n]) for n, b in found.items()}
    return DecisionCurve(at, table, ranges, treat_all, share, found, level, (*several, *notes), provenance)


def _thresholds(thresholds: npt.ArrayLike | None, given: Given) -> tuple[Floats, tuple[Note, ...]]:
    """Sorted, without 0 and 1, which are named."""
    if thresholds is None:
        many = given.fits.n_fits * given.fits.sample.n > MANY_SCORES
        return np.array(DEFAULT if given.of_test_set else OF_RESAMPLES[1::2] if many else OF_RESAMPLES), ()
    values = np.unique(number_array("thresholds", thresholds))
    inside = values[(values > 0) & (values < 1)]
    if not len(inside) or not ((values >= 0) & (values <= 1)).all():
        problem = "thresholds must be from 0 to 1, and at least one above 0 and below 1"
        raise InputError(problem, param="thresholds", got=values.tolist())
    return inside, () if len(inside) == len(values) else (ENDS,)


def _benefit(given: Given, metrics: tuple[NetBenefit, ...]) -> Benefit:
    """Net benefit at every threshold. What treating everybody gains does not depend on training, so its influence is that
    of the cases alone, and the gain over it needs no estimate of its own."""
    j, sample, design = given.judged, given.fits.sample, given.design
    found = [(e := recommended_estimate(given.fits, m), given.influence(m, e)) for m in metrics]  # both read its losses
    estimates, influence = tuple(e for e, _ in found), np.stack([units for _, units in found])
    value = np.array([e.value for e in estimates])
    tested = design.tested(0) if given.of_test_set else np.arange(sample.n)
    positive, n = sample.codes[tested] == metrics[0].positive, len(tested)
    weights = metrics[0].class_weights
    over, over_influence = np.empty_like(value), np.empty_like(influence)
    for k, m in enumerate(metrics):
        gain = np.where(positive, 1.0, -m.odds)
        if weights is None:
            everybody, moves = float(gain.mean()), (gain - gain.mean()) / n
        else:  # the prevalence is given: treating everybody has no error
            everybody, moves = float(weights[m.positive] - weights[1 - m.positive] * m.odds), np.zeros(n)
        whole = np.zeros(sample.n)
        whole[tested] = moves
        over[k] = value[k] - everybody
        over_influence[k] = influence[k] - design.unit_sums(whole)
    place = np.searchsorted([m.threshold for m in metrics], j.p, side="right")
    of = np.stack([np.bincount(place, w, minlength=len(metrics) + 1) for w in (j.w, j.w * j.y)], axis=1)
    below = of.cumsum(axis=0)[:-1]
    events = j.n * np.stack([below, of.sum(axis=0) - below], axis=1)
    if not given.of_test_set or sample.groups is not None:
        events *= min(1.0, design.n_units / j.n)
    return Benefit(given, metrics, estimates, value, influence, over, over_influence, events)
