"""The verdict about two rules: an outcome as a value, one plain sentence that states it, and how many times as many cases
would show a difference, or equivalence, if the difference stays the same."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from scipy import optimize

from trueness.formulas.intervals import quantile, tail
from trueness.formulas.mcnemar import detectable_by_mcnemar, mcnemar_power, smallest
from trueness.result.estimate import Estimate
from trueness.result.grouped import VERY_FEW_GROUPS
from trueness.result.joint import Tango
from trueness.result.notes import Note
from trueness.result.words import Estimand, between, p_between, shown, shown_p, spoken

Outcome = Literal[
    "identical",  # the two answer every case alike
    "no-test",  # the difference has no standard error
    "hint",  # significant, but by a standard error that is too small
    "open-naive",  # not significant, even by a standard error that is too small
    "noisy",  # the Monte-Carlo error exceeds the standard error
    "better",  # significant (of a metric without a direction: the two differ)
    "better-beyond-margin",
    "better-within-margin",
    "better-margin-open",
    "equivalent",  # not significant, and within the margin
    "open",  # neither a difference nor equivalence is shown
]

SAID: dict[Outcome, str] = {
    "identical": "{first} and {second} answer alike, so their {metric} is the same.",
    "no-test": "{who}, but this difference has no standard error and cannot be tested.",
    "hint": "{who} ({test}): significant at level {alpha}, but only by a standard error that ignores the training sets "
    "and is too small; repeat the cross-validation for a valid test.",
    "open-naive": "{who} ({test}): not significant at level {alpha}, even by a standard error that ignores the training "
    "sets and is too small.",
    "noisy": "{who} ({test}): the Monte-Carlo error exceeds the standard error; use more replicates.",
    "better": "{who} ({test}): {better}.{seed}",
    "better-beyond-margin": "{who} ({test}): {better}, by more than the margin of {margin}.{seed}",
    "better-within-margin": "{who} ({test}): {better}, but by less than the margin of {margin}.{seed}",
    "better-margin-open": "{who} ({test}): {better}, but not clearly by more or less than the margin of {margin}.{seed}",
    "equivalent": "{who} ({test}): the two are equivalent within the margin of {margin}.{seed}",
    "open": "{who} ({test}): the difference is not significant at level {alpha}{more}.{seed}",
}
BESIDE: dict[Outcome, str] = {  # a baseline
    "identical": "the same answers",
    "no-test": "not tested",
    "hint": "not validly tested",
    "open-naive": "not validly tested",
    "noisy": "too few replicates",
    "better": "{way}",
    "better-beyond-margin": "{way} by more than the margin",
    "better-within-margin": "{way} by less than the margin",
    "better-margin-open": "{way}",
    "equivalent": "equivalent",
    "open": "not shown to differ",
}


@dataclass(frozen=True)
class Question:
    """What the verdict is about."""

    first: str  # names; `difference` is first − second
    second: str
    metric: str  # name of the metric
    higher_is_better: bool | None  # None where the direction of the metric is unknown; then no rule is called better
    difference: Estimate  # first − second
    # p-value of no difference, adjusted where there are several pairs; None where no test can be made
    p_value: float | None
    level: float = 0.95  # 1 − α
    margin: float | None = None  # the largest difference that does not matter
    pairs: int = 1  # number of pairs compared
    each: float | None = None  # level of an interval alone where those of all pairs hold together at `level`
    unit: str = "case"  # what more of would be needed: case, item or cluster
    units: int | None = None  # how many clusters there are
    p_range: tuple[float, float] | None = None  # over seeds, adjusted as the p-value is

    @property
    def way(self) -> str:
        """ "better" where the first is, "worse", or "different" where the metric has no direction."""
        if self.higher_is_better is None:
            return "different"
        return "better" if (self.difference.value > 0) == self.higher_is_better else "worse"


def outcome(q: Question) -> Outcome:
    """What the numbers show."""
    d = q.difference
    if d.identical and d.value == 0:
        return "identical"
    if q.p_value is None or (not d.se and not isinstance(d.interval, Tango)):
        return "no-test"
    significant = q.p_value < 1 - q.level
    if d.se_method and d.se_method.ignores_training:
        return "hint" if significant else "open-naive"
    if d.se and (d.mc_se or 0.0) > d.se:
        return "noisy"
    if q.margin is None:
        return "better" if significant else "open"
    same, beyond = _against_margin(q, q.margin)
    if not significant:
        return "equivalent" if same else "open"
    return "better-beyond-margin" if beyond else "better-within-margin" if same else "better-margin-open"


def _against_margin(q: Question, margin: float) -> tuple[bool, bool]:
    """Whether the difference is within the margin, by two one-sided tests (Schuirmann 1987), or beyond it."""
    alpha = (1 - q.level) / q.pairs  # Bonferroni: the pair was picked among them
    low, high = q.difference.ci(max(1 - 2 * alpha, 1e-9))
    same = -margin < low and high < margin
    low, high = q.difference.ci(1 - alpha)
    return same, low > margin or high < -margin


def verdict(q: Question) -> str:
    """The outcome in one sentence: which rule is better, by how much, and if nothing is shown how many cases would be
    needed."""
    found, d, metric = outcome(q), q.difference, spoken(q.metric)
    way = "higher" if d.value > 0 else "lower"
    who = f"{q.first}'s {metric} is {way} than {q.second}'s by {shown(abs(d.value), d.se)}"
    who += f" ± {shown(d.se, d.se)}" if d.se else ""
    winner = q.first if q.way == "better" else q.second
    better = f"the two differ; whether a higher {metric} is better is not known"
    return SAID[found].format(
        first=q.first,
        second=q.second,
        metric=metric,
        who=who if d.value else f"{q.first} and {q.second} have the same {metric}",
        test=_test(q),
        alpha=f"{1 - q.level:.2g}",
        margin=f"{q.margin or 0.0:g}",
        better=better if q.higher_is_better is None else f"{winner} is better",
        more=_more_cases(q) if found == "open" else "",
        seed=_of_the_seed(q),
    )


def _test(q: Question) -> str:
    if q.p_value is None:
        return ""
    said, rule = shown_p(q.p_value), q.difference.interval
    if q.pairs > 1:
        return f"{said}, adjusted for {q.pairs} pairs"
    if not isinstance(rule, Tango):
        return said
    limits, name = between(*q.difference.ci(q.level), q.difference.se), "Obuchowski's test"
    name = "McNemar's exact test" if rule.z is None else name
    return f"{said} by {name}, Tango's {100 * q.level:g} % interval {limits}"


def _of_the_seed(q: Question) -> str:
    """A sentence where another seed could turn what is significant into what is not, or back."""
    if q.p_range is None or not q.p_range[0] < 1 - q.level <= q.p_range[1]:
        return ""
    return f" This depends on the seed: p is between {p_between(q.p_range).replace(' to ', ' and ')} over seeds."


TOO_MANY_TIMES = 100  # beyond this factor the number itself does not matter
POWER = 0.8  # of what is called detectable, or needed


def _more_cases(q: Question) -> str:
    """How many times as many cases would be needed: for a difference, or for equivalence if that takes fewer."""
    d, about = q.difference, q.difference.estimand
    if isinstance(about, Estimand) and about.of_bootstrap_sets:  # more cases would change what is compared
        return ""
    if q.unit == "cluster" and (q.units or 0) < VERY_FEW_GROUPS:
        return ""
    alpha = (1 - q.level) / q.pairs  # of the tests against the margin
    needed = {"a difference of this size": for_a_difference(d, alpha if q.each is None else 1 - q.each)}
    if q.margin is not None:
        needed["equivalence"] = for_equivalence(d, q.margin, alpha)
    goal = min(needed, key=lambda name: needed[name])
    if needed[goal] <= TOO_MANY_TIMES:
        many = f"about {needed[goal]:.1f}" if needed[goal] < 10 else f"about {needed[goal]:.0f}"
    elif d.value or q.margin is not None:
        many = f"more than {TOO_MANY_TIMES}"
    else:
        return ""
    return f"; {many} times as many {q.unit}s would be needed to show {goal} with a power of {100 * POWER:g} %"


def for_a_difference(d: Estimate, alpha: float) -> float:
    """Factor on the number of cases at which a true difference of this size is found with a power of 80 %, as its se
    falls like 1/√n: ((t_{1−α/2} + t_{0.8}) se / |d|)²; of shares by McNemar's exact test; inf where none will do."""
    if d.value == 0:
        return math.inf
    rule = d.interval
    if isinstance(rule, Tango) and rule.z is None:
        first, second = rule.first / rule.n, rule.second / rule.n

        def found(n: int) -> bool:
            return mcnemar_power(n, first, second, alpha) >= POWER - 1e-12

        return smallest(found, 2) / rule.n if found(TOO_MANY_TIMES * rule.n) else math.inf
    least = detectable(d, 1 - alpha)
    return math.inf if least is None else (least / abs(d.value)) ** 2


def detectable(d: Estimate, level: float) -> float | None:
    """The smallest true difference that is found with a power of 80 % on as many cases: (t_{1−α/2} + t_{0.8}) se (Bloom
    1995); of shares by McNemar's exact test. None where no difference would be, or there is no standard error."""
    rule = d.interval
    if isinstance(rule, Tango) and rule.z is None:
        return detectable_by_mcnemar(rule.n, rule.discordant / rule.n, level, POWER)
    return (quantile(level, d.df) + quantile(2 * POWER - 1, d.df)) * d.se if d.se else None


def for_equivalence(d: Estimate, margin: float, alpha: float) -> float:
    """Factor on the number of cases at which the 1 − 2α interval lies within ± margin with a power of 80 %, if the
    difference stays the same; α is the level of each of the two one-sided tests; inf where no number of cases would do.

    Both tests reject with a probability of at least F(√times a − c) + F(√times b − c) − 1, with a and b the distances
    from the two margins in standard errors (of shares Tango's scores), c the critical value and F Student's law.
    """
    rule, df = d.interval, d.df
    if abs(d.value) >= margin:
        return math.inf
    if isinstance(rule, Tango):
        ends, df = [-s * rule.score(s * margin, 1 - 2 * alpha) for s in (1, -1)], None
    elif d.se:
        ends = [(margin - s * d.value) / d.se for s in (1, -1)]
    else:
        return math.inf
    c = quantile(1 - 2 * alpha, df)

    def lacking(times: float) -> float:
        return 1 - POWER - sum(tail(math.sqrt(times) * end - c, "greater", df) for end in ends)

    # with one margin far away 20 % are left to the other, with both as near 10 %
    low, high = (((c + quantile(2 * power - 1, df)) / min(ends)) ** 2 for power in (POWER, (1 + POWER) / 2))
    return float(optimize.brentq(lacking, low * (1 - 1e-9), high * (1 + 1e-9)))


def disagreement(d: Estimate, p_value: float | None, level: float, each: float) -> Note | None:
    """A note where the p-value and Tango's interval disagree about 0; `each` is the level of the interval alone where
    those of several pairs hold together at `level`, and the p-value is adjusted likewise."""
    rule = d.interval
    if not isinstance(rule, Tango) or p_value is None:
        return None
    excludes = not d.ci(each).covers(0.0)
    if excludes == (p_value < 1 - level):
        return None
    return Note("interval-and-test-disagree", excludes=excludes)
