"""Thresholds with a guarantee: a TPF, FPF or PPV that is met in the population with a given confidence.

Of one test set. A rate falls (or rises) with the threshold, so the laxest (or strictest) threshold at which the hypothesis
"the rate is not met" is rejected at level δ = 1 − confidence keeps the promise with probability 1 − δ: only the first
threshold that does not meet the rate matters, and it is tested at level δ (fixed-sequence testing; Bates et al. 2021,
theorem 1, for monotone risks).

- Independent cases: the exact binomial test, so that the threshold is an order statistic of the scores of a class, and
  the bound Clopper and Pearson's (1934).
- Groups: the share of cases of each group that are missed is a number from 0 to 1, and groups are the units. The p-value is
  Hoeffding's or Bentkus's, whichever is smaller (Bates et al. 2021, eq. 11), valid for any law on [0, 1]. The rate that is
  kept is the mean over groups of the group's own rate.
- PPV: not monotone by itself. Numbers m of cases called positive are tested in turn, each by the binomial test of the m
  cases with the highest scores, from several starting points that share δ (Bonferroni). Exact where a stricter threshold
  does not have a lower PPV. With groups, the units are the groups with a case that is called positive, and the PPV is the
  mean of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy import special

from trueness.checks import fraction, is_number
from trueness.curves.common import as_threshold
from trueness.curves.empirical import EmpiricalRoc
from trueness.errors import InputError, UndefinedError
from trueness.figures.figure import Figure
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.json import json_value
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Result
from trueness.result.words import capitalized, shown
from trueness.sample.scored import Scored
from trueness.typing import Array, Bools, Floats, Label, Labels, Scores

Rate = Literal["tpf", "fpf", "ppv"]
STARTS = 4  # numbers of called cases from which the sequence of a PPV may begin
STEPS = 100  # numbers of called cases that are looked at
WORDS = {"tpf": ("a TPF", "of at least"), "fpf": ("an FPF", "of at most"), "ppv": ("a PPV", "of at least")}
TESTS = {
    False: "the binomial test (Clopper and Pearson's bound [@clopper_pearson_1934])",
    True: "the smaller of Hoeffding's and Bentkus's bound of the mean over groups, whatever the dependence within them",
}
UNITS = {"tpf": "positives", "fpf": "negatives", "ppv": "cases that are called positive"}
ALL_NEGATIVE = Note("all-negative")


def promise_words(rate: Rate, wanted: float, grouped: bool) -> str:
    """ "a TPF of at least 0.9"; "a TPF, as mean over groups, of at least 0.9"."""
    name, bound = WORDS[rate]
    return f"{name}{', as mean over groups,' * grouped} {bound} {wanted:g}"


def mean_over_groups(rate: Rate, positive: Bools, called: Bools | Floats, groups: Array | None) -> float:
    """The mean over groups of each one's own rate, of groups that have one; `called` says which cases are called positive,
    or the share of times that each is. NaN where no group has a rate."""
    called = np.asarray(called, dtype=float)
    of, right = {"tpf": (positive, called), "fpf": (~positive, called), "ppv": (called, positive)}[rate]
    units, weights = _units(of, groups)
    return float(weights @ right) if units else math.nan


def _units(of: Bools | Floats, groups: Array | None) -> tuple[int, Floats]:
    """The number of units with a case `of`, and (n,) what each case adds to the mean over units of their own shares."""
    codes = np.arange(len(of)) if groups is None else np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(codes, of)
    units = int(np.count_nonzero(sizes))
    return units, of / np.where(sizes > 0, sizes, 1.0)[codes] / max(units, 1)


def about_groups(rate: Rate, wanted: float, pooled: float) -> Note:
    """What a promise of a mean over groups is not: one of all cases together."""
    worse = pooled > wanted if rate == "fpf" else pooled < wanted
    return Note("mean-over-groups-only" if worse else "mean-over-groups", pooled=json_value(pooled))


def how_promised(rate: Rate, wanted: float, confidence: float, grouped: bool) -> str:
    """How the confidence comes about, for a paper; sources as [@key]."""
    of_ppv = (
        f" The sequences have {STARTS} starting points that share the level (Bonferroni), and the confidence holds where "
        "a stricter threshold does not have a lower PPV."
    )
    return (
        f"Thresholds were tested in a fixed sequence [@angelopoulos_2021; @bates_2021] at level {1 - confidence:.3g}, and "
        f"the last was taken that has {promise_words(rate, wanted, grouped)} by {TESTS[grouped]}.{of_ppv * (rate == 'ppv')}"
    )


def least_units(rate: Rate, wanted: float, delta: float) -> int:
    """Fewest units (all of them right) that can show the rate: n with r^n ≤ δ, r the share that is wanted."""
    share = 1 - wanted if rate == "fpf" else wanted
    return math.ceil(math.log(delta) / math.log(share) - 1e-9) if share > 0 else 1


def p_not_met(wrong: Floats | float, units: float, allowed: float, exact: bool) -> Floats:
    """P of so small a mean share of wrong answers if it is `allowed` or more in the population: binomial for counts of
    independent cases, else the smaller of Hoeffding's and Bentkus's for shares of groups."""
    wrong = np.asarray(wrong)
    if exact:
        return np.asarray(special.bdtr(np.round(wrong * units), int(units), allowed))
    r = np.minimum(wrong, allowed)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = special.xlogy(r, r / allowed) + special.xlogy(1 - r, (1 - r) / (1 - allowed))
    bentkus = math.e * special.bdtr(np.ceil(units * wrong - 1e-9), int(units), allowed)
    return np.asarray(np.minimum(np.exp(-units * entropy), bentkus))


def guaranteed(scores: Floats, positive: Bools, groups: Array | None, rate: Rate, wanted: float, delta: float) -> float:
    """The threshold (∞: no case is called positive); an UndefinedError where there are too few units for any."""
    of = {"tpf": positive, "fpf": ~positive, "ppv": np.ones(len(scores), dtype=bool)}[rate]
    units, weights = _units(of, groups)
    least = least_units(rate, wanted, delta / STARTS if rate == "ppv" else delta)
    if units < least:
        raise UndefinedError(
            f"{capitalized(promise_words(rate, wanted, groups is not None))} with confidence {1 - delta:g} is impossible "
            f"with {units} {'groups with ' * (groups is not None)}{UNITS[rate]}: at least {least} are needed",
            param="confidence",
            fix="Use more cases, a lower confidence, or a rate that is easier to meet",
        )
    if rate == "ppv":
        return _of_ppv(scores, positive, groups, wanted, delta)
    order = np.append(np.unique(scores), np.inf)
    called = np.cumsum(np.bincount(np.searchsorted(order, scores), weights, len(order))[::-1])[::-1].clip(0, 1)
    if rate == "tpf":  # the highest threshold that misses few enough
        met = p_not_met(1 - called, units, 1 - wanted, groups is None) <= delta
        return float(order[np.flatnonzero(met)[-1]])
    met = p_not_met(called, units, wanted, groups is None) <= delta
    return float(order[np.flatnonzero(met)[0]])


def _of_ppv(scores: Floats, positive: Bools, groups: Array | None, wanted: float, delta: float) -> float:
    """The lowest threshold of the sequences; ∞ where none is certain."""
    n, least = len(scores), least_units("ppv", wanted, delta / STARTS)
    ordered = np.sort(scores)[::-1]
    numbers = np.unique(np.geomspace(least, max(n - 1, least), STEPS).astype(int))
    starts = np.unique(np.linspace(0, 2 * len(numbers) // 3, STARTS).astype(int))
    best = np.inf
    for start in starts:
        for m in numbers[start:]:
            called = scores > ordered[min(m, n - 1)]  # given this score, a sample of the cases above it
            units, weights = _units(called, groups)
            wrong = float(weights @ ~positive)
            if not units or p_not_met(wrong, units, 1 - wanted, groups is None) > delta / len(starts):
                break
            best = min(best, float(scores[called].min()))
    return best


def guarantee(
    y: Labels,
    scores: Scores,
    *,
    tpf: float | None = None,
    fpf: float | None = None,
    ppv: float | None = None,
    confidence: float = 0.95,
    positive: Label | None = None,
    groups: Labels | None = None,
) -> Guarantee:
    """The threshold whose TPF, FPF or PPV in the population is as wanted with this confidence, from one test set.

    Parameters
    ----------
    y : array-like of shape (n,)
        Two labels, of cases that neither trained nor tuned the rule.
    scores : array-like of shape (n,)
        High for the positive class.
    tpf, fpf, ppv : float, optional
        What is wanted, one of them: a TPF (sensitivity) or PPV of at least this, or an FPF of at most this.
    confidence : float, default 0.95
        1 − δ: in at most δ of samples the threshold does not keep the promise.
    positive : label, optional
        The positive class; may be left out for labels 0/1, −1/1, no/yes and booleans.
    groups : array-like of shape (n,), optional
        Group of each case, where only whole groups are independent. The rate is then the mean over groups of their own
        rates, and the bound Hoeffding's and Bentkus's: each group counts once, whatever its size, and nothing is promised
        of all cases together.

    Returns
    -------
    Guarantee
        `.threshold`: decide positive where score ≥ threshold.

    Raises
    ------
    UndefinedError
        Where there are too few cases for such a promise; the message says how many are needed.

    References
    ----------
    Clopper & Pearson (1934); Bates, Angelopoulos, Lei, Malik & Jordan (2021); Angelopoulos, Bates, Candès, Jordan & Lei
    (2021).

    Examples
    --------
    >>> import numpy as np
    >>> from trueness.curves import guarantee
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> g = guarantee(y, rng.normal(size=200) + 2 * y, tpf=0.9, confidence=0.95)
    >>> print(g.answer())
    Decide positive where score ≥ 0.06...: a TPF of at least 0.9 with confidence 0.95. On these cases TPF 0.96, FPF 0.50.
    """
    data = Scored.of(y, scores, positive, groups)
    rate, wanted = one_rate(tpf, fpf, ppv)
    threshold = guaranteed(data.scores, data.positive, data.groups, rate, wanted, delta_of(confidence))
    return Guarantee(rate, wanted, confidence, threshold, data)


def one_rate(tpf: float | None, fpf: float | None, ppv: float | None) -> tuple[Rate, float]:
    """The one rate that is wanted; an error for none, several, or one that is trivial."""
    given: dict[Rate, float | None] = {"tpf": tpf, "fpf": fpf, "ppv": ppv}
    asked = [name for name, value in given.items() if value is not None]
    if len(asked) != 1:
        raise InputError("Pass one of tpf, fpf and ppv", param=asked[1] if asked else "tpf", got=str(len(asked)))
    rate = asked[0]
    wanted = fraction(rate, given[rate])
    if wanted in (0.0, 1.0):
        raise InputError(f"{rate} must lie between 0 and 1", param=rate, got=f"{wanted:g}")
    return rate, wanted


def delta_of(confidence: object) -> float:
    """1 − confidence, checked."""
    if not is_number(confidence) or not 0 < confidence < 1:
        raise InputError("confidence must lie between 0 and 1", param="confidence", got=repr(confidence))
    return 1 - float(confidence)


@dataclass(frozen=True, eq=False, repr=False)
class Guarantee(Result, Drawn, Cited):
    """A threshold that keeps a promise; what `trueness.curves.guarantee` returns.

    Attributes
    ----------
    rate : {"tpf", "fpf", "ppv"}
        What is promised.
    wanted : float
        A TPF or PPV of at least this, an FPF of at most this.
    confidence : float
        Probability, over samples, that the promise is kept.
    threshold : float
        Decide positive where score ≥ threshold.
    data : Scored
        The cases.
    """

    rate: Rate
    wanted: float
    confidence: float
    threshold: float
    data: Scored

    heading = "Threshold with a guarantee: {data.described}"
    template = "Decide positive where score ≥ {printed}: {promise}. On these cases {rates}."
    footnote = "Assumes: independent {data.units}, none of which trained or tuned the rule."
    columns: ClassVar[Columns] = {
        name: Column("")
        for name in ("rate", "wanted", "confidence", "threshold", "tpf", "fpf", "ppv", "mean_over_groups")
    }

    @property
    def printed(self) -> str:
        """The threshold in digits."""
        return as_threshold(self.threshold)

    @property
    def tpf(self) -> float:
        """On these cases."""
        return float((self.data.up >= self.threshold).mean())

    @property
    def fpf(self) -> float:
        """On these cases."""
        return float((self.data.down >= self.threshold).mean())

    @property
    def ppv(self) -> float:
        """On these cases; NaN where none is called positive."""
        return mean_over_groups("ppv", self.data.positive, self.data.scores >= self.threshold, None)

    @property
    def mean_over_groups(self) -> float | None:
        """The mean over groups of their own rates, which the promise is about, on these cases; None without groups."""
        if self.data.groups is None:
            return None
        return mean_over_groups(self.rate, self.data.positive, self.data.scores >= self.threshold, self.data.groups)

    @property
    def promise(self) -> str:
        """ "a TPF of at least 0.9 with confidence 0.95"."""
        words = promise_words(self.rate, self.wanted, self.data.groups is not None)
        return f"{words} with confidence {self.confidence:g}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Where the threshold calls no case positive, and what a promise of groups is about."""
        pooled = getattr(self, self.rate)
        grouped = self.data.groups is not None and not math.isnan(pooled)
        of_groups = (about_groups(self.rate, self.wanted, pooled),) if grouped else ()
        return (*of_groups, *((ALL_NEGATIVE,) * math.isinf(self.threshold)))

    @property
    def rates(self) -> str:
        """What the threshold does on these cases: the mean over groups where the promise is about that, TPF and FPF, and
        the PPV that was promised."""
        found = {f"{self.rate.upper()}, mean over groups": self.mean_over_groups, "TPF": self.tpf, "FPF": self.fpf}
        found |= {"PPV": self.ppv} if self.rate == "ppv" else {}
        return ", ".join(f"{name} {shown(value, 0.1)}" for name, value in found.items() if value is not None)

    def figure(self) -> Figure:
        """The ROC curve of the cases."""
        return EmpiricalRoc.of(self.data).figure(band=None)

    def _named(self) -> list[tuple[str, Estimate]]:
        rates = {name: getattr(self, name) for name in ("threshold", "tpf", "fpf", "ppv")}
        return [(name, Estimate(value, metric=name)) for name, value in rates.items() if math.isfinite(value)]
