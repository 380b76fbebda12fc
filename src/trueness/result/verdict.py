"""The verdict about two rules: an outcome as a value, one plain sentence that states it, and how many times as many cases
would show a difference of this size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from trueness.formulas.intervals import quantile
from trueness.formulas.mcnemar import detectable_by_mcnemar, mcnemar_power, smallest
from trueness.result.estimate import Estimate
from trueness.result.grouped import VERY_FEW_GROUPS
from trueness.result.joint import Tango
from trueness.result.words import Estimand, between, rounded_p, shown_p, spoken, with_se

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
    each: float = 0.95  # level of an interval alone where those of all pairs hold together at `level`
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
    alpha = (1 - q.level) / q.pairs  # Bonferroni: the pair was picked among them
    low, high = d.ci(max(1 - 2 * alpha, 1e-9))
    same = -q.margin < low and high < q.margin  # two one-sided tests (Schuirmann 1987)
    low, high = d.ci(1 - alpha)
    beyond = low > q.margin or high < -q.margin
    if not significant:
        return "equivalent" if same else "open"
    return "better-beyond-margin" if beyond else "better-within-margin" if same else "better-margin-open"


def verdict(q: Question) -> str:
    """The outcome in one sentence: which rule is better, by how much, and if nothing is shown how many cases would be
    needed."""
    found, d, metric, rule = outcome(q), q.difference, spoken(q.metric), q.difference.interval
    who, test, seed = f"{q.first} and {q.second} have the same {metric}", "", ""
    if d.value:
        way = ("lower", "higher")[d.value > 0]
        who = f"{q.first}'s {metric} is {way} than {q.second}'s by {with_se(abs(d.value), d.se or None)}"
    if q.p_value is not None:
        test = shown_p(q.p_value)
        if q.pairs > 1:
            test += f", adjusted for {q.pairs} pairs"
        elif isinstance(rule, Tango):
            name = ("Obuchowski's test", "McNemar's exact test")[rule.z is None]
            limits = between(*d.ci(q.level), d.se)
            test += f" by {name}, Tango's {100 * q.level:g} % interval {limits}"
    if q.p_range is not None and q.p_range[0] < 1 - q.level <= q.p_range[1]:
        seed = f" This depends on the seed: p is between {' and '.join(map(rounded_p, q.p_range))} over seeds."
    better = {
        "better": f"{q.first} is better",
        "worse": f"{q.second} is better",
        "different": f"the two differ; whether a higher {metric} is better is not known",
    }
    return SAID[found].format(
        first=q.first,
        second=q.second,
        metric=metric,
        who=who,
        test=test,
        alpha=f"{1 - q.level:.2g}",
        margin=f"{q.margin or 0.0:g}",
        better=better[q.way],
        more=_more_cases(q) * (found == "open"),
        seed=seed,
    )


TOO_MANY_TIMES = 100  # beyond this factor the number itself does not matter
POWER = 0.8  # of what is called detectable, or needed


def _more_cases(q: Question) -> str:
    """How many times as many cases would be needed for a difference."""
    d, about = q.difference, q.difference.estimand
    if isinstance(about, Estimand) and about.of_bootstrap_sets:  # more cases would change what is compared
        return ""
    if d.value == 0 or (q.unit == "cluster" and (q.units or 0) < VERY_FEW_GROUPS):
        return ""
    times = for_a_difference(d, 1 - q.each)
    many = f"more than {TOO_MANY_TIMES}" if times > TOO_MANY_TIMES else f"about {times:.1f}"
    goal = f"a difference of this size with a power of {100 * POWER:g} %"
    return f"; {many} times as many {q.unit}s would be needed to show {goal}"


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
