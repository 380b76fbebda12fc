"""A threshold from an assessment: chosen and judged on different cases.

The threshold is a part of the rule, so it is chosen inside every training set, and the rule with its own threshold is judged
on the cases that this training set left out. Nothing is fitted again: the scores that the threshold of a training set is
chosen on are held-out ones,

- cross-validation: the scores of the training cases by the rules of the other folds of the same repeat,
- bootstrap: the scores of the training cases by the next replicate that left each of them out,
- a test set of a fitted rule: its own scores; the cases are split as by `CvBootstrap`.

scikit-learn's TunedThresholdClassifierCV fits again inside each training set instead. The estimators of the plan then give
TPF, FPF and cost, with standard errors in which the threshold varies from training set to training set. The threshold to
use is the one chosen by the same rule on the held-out scores of all cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from trueness.api.comparison import Comparison
from trueness.checks import cost_matrix, fraction, refuse_turned_costs, unwarned
from trueness.curves.choice import (
    ALL_NEGATIVE,
    ALL_POSITIVE,
    ChoiceRule,
    rule_for,
    tpf_of,
)
from trueness.curves.promised import ALL_NEGATIVE as NONE_KEEPS_IT
from trueness.curves.promised import (
    Rate,
    about_groups,
    delta_of,
    guaranteed,
    mean_over_groups,
    one_rate,
    promise_words,
)
from trueness.errors import InputError, UndefinedError, visible
from trueness.estimators.estimation import recommended_estimate
from trueness.figures.figure import Figure, forest
from trueness.leaks.findings import Finding
from trueness.metrics.cost import Cost, names_of_decisions, priced
from trueness.metrics.metric import decided
from trueness.metrics.scorer import MetricLike
from trueness.plans.bootstrap import CvBootstrap
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.interval import RULES
from trueness.result.notes import Note, inherited
from trueness.result.shown import Cited, Drawn, Result, Table
from trueness.result.words import BOOTSTRAP, headed, sentence, shown, significant
from trueness.sample.among import among
from trueness.sample.fits import Fits
from trueness.sample.rows import Block
from trueness.typing import Array, Bools, Floats, Ints, Record

Pick = Callable[[Floats, Bools, Floats, Array | None], float]
"""(scores, positive, weights, groups) → threshold."""

PARTS = "Use a test set, a cross-validation that tests every case (KFold), or a bootstrap"
OF_RULES = Note("threshold-of-refit")
ALIKE = Note("thresholds-alike")
NOT_EXACT = Note("guarantee-of-refit")
NO_PROMISE = Note("no-promise-inside")
ERRORS = ((0, 1), (1, 0))  # costs of an error


@dataclass(frozen=True, eq=False)
class Wanted:
    """What a threshold is chosen for; parameters of `Assessment.threshold`."""

    costs: npt.ArrayLike | None = None
    prevalence: float | None = None
    tpf: float | None = None
    fpf: float | None = None
    ppv: float | None = None
    confidence: float | None = None

    def pick(self, share: float, classes: list[object], grouped: bool) -> tuple[Pick, str, Rate | None, float]:
        """How a threshold is chosen on some cases, the same in words, and the rate that is promised, of at least so much;
        `share` is that of the positives."""
        if self.confidence is not None:
            rate, least = one_rate(self.tpf, self.fpf, self.ppv)
            for name in ("costs", "prevalence")[: 1 + (rate == "ppv")]:
                if getattr(self, name) is not None:
                    fix = f"Leave {name}= out"
                    raise InputError("A guarantee is of one rate, on cases as they come", param=name, fix=fix)
            words = f"{promise_words(rate, least, grouped)} with confidence {self.confidence:g}"
            delta = delta_of(self.confidence)

            def promised(scores: Floats, positive: Bools, weights: Floats, groups: Array | None) -> float:
                return guaranteed(scores, positive, groups, rate, least, delta)

            return promised, words, rate, least
        rates = self.tpf, self.fpf
        if self.ppv is None:
            prevalence = self.prevalence if rates == (None, None) else None
            rule, _ = rule_for(None, *rates, self.costs, prevalence, share, classes)
        elif (self.costs, *rates) != (None, None, None):
            raise InputError("An operating point is chosen by one criterion", param="ppv", fix="Pass only one of them")
        else:
            rule = at_least_ppv(fraction("ppv", self.ppv), share if self.prevalence is None else self.prevalence)

        def best(scores: Floats, positive: Bools, weights: Floats, groups: Array | None) -> float:
            """On the ROC curve of weighted cases."""
            order, place = np.unique(-scores, return_inverse=True)
            sums = (np.cumsum(np.bincount(place, weights * of)) for of in (~positive, positive))
            at, _ = rule.pick(*(np.concatenate([[0.0], x]) / x[-1] for x in sums))
            return float(np.concatenate([[np.inf], -order])[at])

        return best, rule.words, None, 0.0


def threshold_of(
    fits: Fits, wanted: Wanted, level: float = 0.95, model: str = "", provenance: Mapping[str, Any] | None = None
) -> ThresholdChoice:
    """`Assessment.threshold`."""
    sample, prevalence = fits.sample, wanted.prevalence
    if sample.n_classes != 2 or sample.numbers is not None:
        got = "numbers" if sample.numbers is not None else f"{sample.n_classes} classes"
        fix = "Assess one class against the rest, y == label"
        raise InputError("A threshold needs two classes", param="fits", got=got, fix=fix)
    share, up = float(sample.is_positive().mean()), sample.require_positive()
    classes = sample.classes[[1 - up, up]].tolist()
    if prevalence is not None and fraction("prevalence", prevalence) in (0.0, 1.0):
        raise InputError("prevalence must lie between 0 and 1", param="prevalence", got=prevalence)
    costs = None if wanted.costs is None else refuse_turned_costs(cost_matrix(wanted.costs, 2, classes=classes))
    wanted = replace(wanted, costs=costs)
    pick, words, promised, least = wanted.pick(share, classes, sample.groups is not None)
    if fits.first.held is None:
        raise InputError("A threshold needs scores, and these fits have predictions only", param="fits")
    held_out = fits.design.kind == "holdout"
    chosen, cut, replicates, scores = _judged(_split(fits) if held_out else fits, pick, promised)
    chosen = replace(_full_decided(chosen, cut), notes=(*chosen.notes, Note("threshold-inside")))
    chosen = replace(chosen, name=fits.name, model=fits.model, libraries=fits.libraries)
    rho = share if prevalence is None else prevalence
    loss = Cost(matrix=ERRORS if costs is None else costs, priors=None if prevalence is None else (1 - rho, rho))
    with unwarned():
        found = {name: _rate(chosen, name) for name in ("tpf", "fpf")}
        found["cost"], predicted = _rate(chosen, loss), None
        with suppress(UndefinedError):  # where some training sets call no case positive
            predicted = _rate(chosen, "ppv") if prevalence is None else None
    mean, notes = None, list[Note]()
    if promised and sample.groups is not None:
        mean = _mean_over_groups(chosen, promised, {**found, "ppv": predicted}[promised])
        notes = [] if mean is None else [about_groups(promised, least, mean.provenance["pooled"])]
    if not held_out:
        notes.append(NOT_EXACT if promised else OF_RULES)
    if fits.design.kind == "cv":
        notes.append(ALIKE)
    if cut == np.inf:
        notes.append(NONE_KEEPS_IT if promised else ALL_NEGATIVE)
    elif cut <= np.nanmin(scores):
        notes.append(ALL_POSITIVE)
    few = {note for e in found.values() for note in inherited(e.notes, "data", "fits")}
    return ThresholdChoice(
        # of a promise bootstrap samples say nothing: they have fewer different cases, and so stricter bounds
        threshold=_with_quantiles(cut, _NONE if promised else replicates, level),
        **found,
        ppv=predicted,
        criterion=words,
        level=level,
        prevalence=rho,
        notes=(*notes, *few),
        always=None if costs is None else tuple((np.array([1 - rho, rho]) @ costs).tolist()),
        scale="probability" if fits.probabilities else "log-odds" if fits.log_odds else "score",
        classes=names_of_decisions(classes),
        costs=costs,
        name=fits.name,
        model=model,
        provenance=provenance or {},
        fits=chosen,
        mean_over_groups=mean,
        _loss=loss,
    )


def _rate(fits: Fits, metric: MetricLike) -> Estimate:
    """On the cases that were left out; NaN where a training set has no threshold."""
    return Estimate(math.nan).noting(NO_PROMISE) if NO_PROMISE in fits.notes else recommended_estimate(fits, metric)


def _with_quantiles(cut: float, replicates: Floats, level: float) -> Estimate:
    """The threshold with quantiles over bootstrap samples; without them at an end of the scores, where samples with fewer
    different cases choose otherwise."""
    out = Estimate(cut, metric="threshold", estimand="the same choice on other cases")
    spread = replicates[np.isfinite(replicates)]
    if len(spread) < 3 or not np.quantile(spread, (1 - level) / 2) <= cut <= np.quantile(spread, (1 + level) / 2):
        return out
    how = {"se_method": BOOTSTRAP, "interval": RULES["quantile"], "replicates": spread}
    return out.with_(se=float(spread.std(ddof=1)), **how)


def _mean_over_groups(fits: Fits, rate: Rate, pooled: Estimate | None) -> Estimate | None:
    """The mean over groups of their own rates, which a promise is about; None where no group has one."""
    code, groups = fits.require_positive(), fits.sample.groups
    assert groups is not None

    def called(block: Block) -> Floats:
        decisions = decided(block, rate)
        return np.where(decisions < 0, np.nan, decisions == code)

    shares = fits.first.means_left_out(called)
    known = ~np.isnan(shares)
    mean = mean_over_groups(rate, fits.sample.is_positive()[known], shares[known], groups[known])
    if pooled is None or np.isnan(mean + pooled.value):
        return None
    return Estimate(mean, metric=rate, method=pooled.method, bounds=(0.0, 1.0), provenance={"pooled": pooled.value})


def at_least_ppv(wanted: float, prevalence: float) -> ChoiceRule:
    """PPV at least this, the largest TPF; no case is called positive where no threshold has it."""

    def certain(fpf: Floats, tpf: Floats) -> Bools:
        hits, called = prevalence * tpf, prevalence * tpf + (1 - prevalence) * fpf
        return (called > 0) & (hits >= wanted * called - 1e-12)

    return ChoiceRule(f"PPV at least {wanted:g} at prevalence {prevalence:.4g}", tpf_of, 1, certain, laxest=True)


def _split(fits: Fits) -> Fits:
    """The test cases of one rule as if its threshold were trained on parts of them."""
    if fits.n_fits != 1 or fits.failed:
        raise UndefinedError("A holdout has one fit", param="fits", fix=PARTS)
    cases = fits.design.tested(0)
    test = among(fits, cases)
    assert test.held is not None
    folds = min(10, test.design.independent_units([[0], [1]]))
    if folds < 2:
        raise UndefinedError("A class has a single test case; a threshold cannot be judged on others", param="fits")
    design = CvBootstrap(n_folds=folds).draw(test.sample, rng=0)
    scores = np.asarray(test.held[0:1], dtype=float)
    parts = []
    for part in design.parts:
        rows = len(part.folds) if part.folds is not None else part.n_fits
        held = np.repeat(scores, rows, axis=0)
        parts.append(replace(test, design=part, held=held, held_predictions=None, full_scores=None))
    return Fits.joined(design, tuple(parts))


class Chosen(NamedTuple):
    """Fits whose decisions are by the threshold of each training set; the threshold of all cases; those of the bootstrap
    replicates, where there are any; and the rows of left-out scores of all cases that it was chosen on."""

    fits: Fits
    threshold: float
    replicates: Floats
    scores: Floats


def _judged(fits: Fits, pick: Pick, promised: Rate | None) -> Chosen:
    if fits.parts:
        found = [_judged(part, pick, promised) for part in fits.parts]
        spread = np.concatenate([f.replicates for f in found])
        joined = Fits.joined(fits.design, tuple(f.fits for f in found))
        return found[0]._replace(fits=joined, replicates=spread)
    if fits.design.kind == "cv":
        return _by_folds(fits, pick, promised)
    if fits.design.kind == "bootstrap":
        return _by_replicates(fits, pick)
    raise UndefinedError("This plan has no threshold of its own", param="plan", fix=PARTS)


def _decided(fits: Fits, scores: Floats, thresholds: Floats) -> Fits:
    unknown = np.isnan(thresholds) & ~np.isnan(scores)
    notes = fits.notes + (NO_PROMISE,) * bool(unknown.any())
    held = _decisions(fits, scores, thresholds)
    return replace(fits, held_predictions=held, threshold=None, full_predictions=None, notes=notes)


def _decisions(fits: Fits, scores: Floats, thresholds: Floats | float) -> Ints:
    code = fits.require_positive()
    return np.where(np.isnan(scores) | np.isnan(thresholds), -1, np.where(scores >= thresholds, code, 1 - code))


def _full_decided(fits: Fits, threshold: float) -> Fits:
    """With decisions of the rule trained on all cases by the threshold that is chosen for it."""
    scores = fits.full_scores
    if scores is None:
        return fits
    parts = tuple(_full_decided(part, threshold) for part in fits.parts)
    return replace(fits, full_predictions=_decisions(fits, scores, threshold), parts=parts)


def _inside(fits: Fits, pick: Pick, scores: Floats, counts: Ints) -> float:
    """The threshold of a training set; NaN where there are too few cases to promise."""
    used = (counts > 0) & ~np.isnan(scores)
    up = fits.sample.is_positive()[used]
    if not 0 < up.sum() < len(up):
        raise UndefinedError("A training set lacks a class", param="plan", fix=PARTS)
    groups = None if fits.sample.groups is None else fits.sample.groups[used]
    try:
        return pick(scores[used], up, counts[used].astype(float), groups)
    except UndefinedError:
        return math.nan


def _of_all(fits: Fits, pick: Pick, scores: Floats) -> float:
    """The threshold chosen on rows of held-out scores of all cases; an error where there are too few to promise."""
    up = np.broadcast_to(fits.sample.is_positive(), scores.shape)
    known = ~np.isnan(scores)
    groups = None if fits.sample.groups is None else np.broadcast_to(fits.sample.groups, scores.shape)[known]
    return pick(scores[known], up[known], np.ones(int(known.sum())), groups)


def _by_folds(fits: Fits, pick: Pick, promised: Rate | None) -> Chosen:
    pooled = fits.pooled()
    if pooled is None or pooled.scores is None:
        why = "some fits failed" if fits.failed else "its splits do not test every case once per repeat"
        raise UndefinedError(f"A threshold inside this cross-validation is not defined: {why}", param="plan", fix=PARTS)
    scores, repeats = np.asarray(pooled.scores, dtype=float), fits.design.repeats
    whole = _of_all(fits, pick, scores[:1] if promised else scores)
    each = np.array(
        [_inside(fits, pick, scores[repeats[f]], fits.design.rows(slice(f, f + 1))[0]) for f in range(fits.n_fits)]
    )
    if fits.design.folds is not None:
        cuts = each.reshape(-1, fits.design.n_folds)[np.arange(len(scores))[:, None], fits.design.folds]
        return Chosen(_decided(fits, scores, cuts), whole, _NONE, scores)
    assert fits.held is not None
    held = np.asarray(fits.held[0 : fits.n_fits], dtype=float)
    return Chosen(_decided(fits, held, each[:, None]), whole, _NONE, scores)


_NONE: Floats = np.array([])


def _by_replicates(fits: Fits, pick: Pick) -> Chosen:
    assert fits.held is not None
    scores, counts = np.asarray(fits.held[0 : fits.n_fits], dtype=float), fits.counts
    usable = (counts == 0) & ~np.isnan(scores) & fits.kept[:, None]
    following = np.full(fits.sample.n, np.nan)  # score by the next replicate that left a case out
    for f in reversed(range(fits.n_fits)):  # the first of them, for those after the last
        following = np.where(usable[f], scores[f], following)
    first, each = following.copy(), np.full(fits.n_fits, np.nan)
    for f in reversed(range(fits.n_fits)):
        if fits.kept[f]:
            each[f] = _inside(fits, pick, following, counts[f])
        following = np.where(usable[f], scores[f], following)
    return Chosen(_decided(fits, scores, each[:, None]), _of_all(fits, pick, first[None]), each, first[None])


def compared_at_costs(
    k: Comparison, costs: npt.ArrayLike, prevalence: float | None, margin: float | None
) -> Comparison:
    """`Comparison.threshold`."""
    from trueness.api.compare import comparison_of

    if not k.fits:
        raise InputError("Thresholds need the fits behind the comparison, which it does not hold")
    wanted = Wanted(costs=costs, prevalence=prevalence)
    chosen = {name: threshold_of(fits, wanted) for name, fits in k.fits.items()}
    fits = {name: h.fits for name, h in chosen.items() if h.fits is not None}
    loss = next(iter(chosen.values()))._loss
    out = comparison_of(fits, loss, level=k.level, margin=margin, baseline=k.baseline)
    found = (note for note in k.notes if isinstance(note, Finding))
    inside = (note for f in fits.values() for note in inherited(f.notes, "fits"))
    costs_now = {"costs": out.provenance["costs"]}
    notes = tuple(dict.fromkeys((*found, *inside, *out.notes)))
    return replace(out, notes=notes, provenance={**out.provenance, **k.provenance, **costs_now})


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdChoice(Result, Drawn, Cited):
    """A threshold, and what it will achieve on other cases; what `Assessment.threshold` returns.

    Attributes
    ----------
    threshold : Estimate
        Decide positive where score ≥ threshold. Its interval holds the quantiles over bootstrap training sets; with a
        `confidence` it has none.
    tpf, fpf, cost : Estimate
        Of rules whose threshold was chosen without the cases that they are judged on; NaN, with the reason as a note, where
        a training set has too few cases for the promise.
    ppv : Estimate or None
        The same; None where `prevalence` was given, or no case is called positive.
    criterion : str
        What the threshold was chosen for.
    level : float
        Level of the intervals.
    prevalence : float
        Of the positives: given, or the share in the sample.
    notes : tuple of Note
        What the reader should know.
    scale : str
        What the threshold is of: "score", "probability" of the positive class, or its "log-odds".
    always : (float, float) or None
        Where costs were given, the cost per case of always deciding negative and of always deciding positive.
    classes : tuple of str
        The labels, negative and positive; these words where the labels are 0 and 1.
    costs : ndarray of shape (2, 2) or None
        Where they were given: `costs[i][j]` of deciding `classes[j]` where the truth is `classes[i]`.
    name, model : str
        What the user calls the model, and its description.
    provenance : mapping
        Of the assessment.
    fits : Fits
        The same fits with decisions by the threshold of each training set, for `trueness.assess`, `compare`, `estimate` and
        `subgroups`.
    mean_over_groups : Estimate or None
        With a `confidence` and groups: the mean over groups of their own rates, which the promise is about, on other cases.
    """

    threshold: Estimate
    tpf: Estimate
    fpf: Estimate
    cost: Estimate
    ppv: Estimate | None
    criterion: str
    level: float
    prevalence: float
    notes: tuple[Note, ...] = ()
    scale: Literal["score", "probability", "log-odds"] = "score"
    always: tuple[float, float] | None = None
    classes: tuple[str, ...] = ("negative", "positive")
    costs: Floats | None = None
    name: str = ""
    model: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    fits: Fits | None = None
    mean_over_groups: Estimate | None = None
    _loss: Any = field(default=None, repr=False)

    heading = "Threshold: {criterion}\n{design}"
    footnote = "The threshold was chosen and judged on different cases."
    columns: ClassVar[Columns] = {"measure": Column("metric"), "value": Column("value", "estimate")}

    @property
    def design(self) -> str:
        """The model, the data and the plan."""
        return "\n".join(filter(None, (headed(self.name, self.model), self.provenance.get("design"))))

    @property
    def probability(self) -> Estimate | None:
        """The threshold as a probability of the positive class, with its interval; None where the scores do not tell."""
        e = self.threshold
        if self.scale != "log-odds":
            return e if self.scale == "probability" else None
        spread = None if e.replicates is None else np.asarray(expit(e.replicates))
        se = None if spread is None or e.se is None else float(spread.std(ddof=1))
        return e.with_(value=float(expit(e.value)), se=se, replicates=spread, bounds=(0.0, 1.0))

    @property
    def measures(self) -> dict[str, Estimate]:
        """The numbers by name."""
        found = {"threshold": self.threshold, "tpf": self.tpf, "fpf": self.fpf, "ppv": self.ppv, "cost": self.cost}
        if self.scale == "log-odds":
            found = {"threshold": self.threshold, "as probability": self.probability, **found}
        if (mean := self.mean_over_groups) is not None:
            found[f"{mean.metric}, mean over groups"] = mean
        return {name: e for name, e in found.items() if e is not None}

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        return self.measures.items()

    def rows(self) -> list[Record]:
        return [{"measure": name, "value": e} for name, e in self.measures.items()]

    def answer(self) -> str:
        """The threshold and what it will achieve."""
        cut, (no, yes), known = self.threshold.value, self.classes, self.probability or self.threshold
        said = f"Decide {yes} where {self.scale} ≥ {significant(cut, 4)}"
        if cut == np.inf:
            said = f"Decide {no} for every case"
        elif known is not self.threshold:
            said += f", a probability of {significant(known.value, 3)}"
        if known.has_interval and np.isfinite(cut):
            low, high = (significant(limit, 3) for limit in known.ci(self.level))
            said += f", {low} to {high} in {100 * self.level:g} % of bootstrap samples"  # not a confidence interval
        priced_at = "" if self.costs is None else f"; {priced(self.costs, self.classes)}"
        said += f" ({self.criterion}{priced_at}). On other cases, with thresholds chosen in this way: "
        if (mean := self.mean_over_groups) is not None:
            said += f"mean over groups of the {mean.metric.upper()} {mean.value:.3f}. Of all cases together: "
        rates = {"TPF": self.tpf, "FPF": self.fpf, "PPV": self.ppv if self.criterion.startswith("PPV") else None}
        said += " ".join(sentence(e, self.level, name) for name, e in rates.items() if e is not None)
        if self.always is not None:
            never, ever = (shown(cost, self.cost.se) for cost in self.always)
            said += f" {sentence(self.cost, self.level, 'Cost per case')}"
            said += f" Always deciding {no} costs {never}, always {yes} {ever}."
            if self.cost.has_interval and self.cost.ci(self.level).high >= min(self.always):
                constant = self.classes[int(np.argmin(self.always))]
                said += f" No threshold is shown to be cheaper than always deciding {constant}."
        return visible(said)

    def figure(self) -> Figure:
        """TPF, FPF and PPV with their intervals."""
        dots = [e.dot(name.upper(), self.level) for name, e in self.measures.items() if name in ("tpf", "fpf", "ppv")]
        at = f"at {self.scale} ≥ {significant(self.threshold.value, 4)}, {100 * self.level:g} % interval"
        return forest(dots, "What the threshold will achieve", at)

    def _tables(self) -> tuple[Table, ...]:
        if self.costs is None:
            return super()._tables()
        rows = [(label, *(f"{x:g}" for x in row)) for label, row in zip(self.classes, self.costs, strict=True)]
        heads = ("truth", *(f"decided {label}" for label in self.classes))
        return *super()._tables(), Table(heads, rows, "Costs")
