"""The verdict of a comparison: an outcome as a value, one plain sentence that states it, and how many times as many cases
would show a difference, or equivalence, if the difference stays the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from scipy import optimize

from trueness.api.comparison import Comparison
from trueness.checks import is_iterable, is_one_of
from trueness.comparisons.registry import critical_value
from trueness.comparisons.sample_size import detectable_by_mcnemar, mcnemar_power, smallest
from trueness.errors import InputError, near, visible
from trueness.estimators.estimation import bind, difference
from trueness.estimators.influence import identical
from trueness.estimators.influence.case_influence import variance
from trueness.estimators.method import Undefined
from trueness.estimators.registry import available, recommend
from trueness.formulas.intervals import quantile, tail
from trueness.metrics.metric import Metric
from trueness.metrics.scorer import MetricLike
from trueness.result.estimate import Estimate
from trueness.result.grouped import VERY_FEW_GROUPS
from trueness.result.joint import JointTest, Tango, largest_difference, paired_test
from trueness.result.notes import Note
from trueness.result.pairs import Pair, Paired, mirrored
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.result.words import (
    INDEPENDENT_CASES,
    INDEPENDENT_GROUPS,
    Estimand,
    between,
    counted,
    p_between,
    shown,
    shown_p,
    spoken,
    with_se,
)
from trueness.sample.fits import Fits

Outcome = Literal[
    "identical",  # the two score every case alike
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

Answered = TypeVar("Answered", bound=Paired)


@dataclass(frozen=True)
class Question:
    """What the verdict is about."""

    first: str  # names; `difference` is first − second
    second: str
    metric: str  # name of the metric
    higher_is_better: bool | None  # None where the direction of the metric is unknown; then no model is called better
    difference: Estimate  # first − second
    # p-value of no difference, adjusted where there are several pairs; None where no test can be made
    p_value: float | None
    level: float = 0.95  # 1 − α
    margin: float | None = None  # the largest difference that does not matter
    pairs: int = 1  # number of pairs compared
    each: float | None = None  # level of an interval alone where those of all pairs hold together at `level`
    unit: str = "case"  # what more of would be needed: case, item or cluster
    units: int | None = None  # how many of them there are, where the verdict shall say how many would be needed
    identical: bool = False  # whether the two scored every case alike: only then is a standard error of 0 right
    p_range: tuple[float, float] | None = None  # over seeds, adjusted as the p-value is
    settle: str = "more fits"  # what would end that

    @classmethod
    def of(cls, k: Paired, pair: Pair, **more: Any) -> Question:
        """About a pair of a comparison, first − second."""
        d = k.differences.get(pair) or mirrored(k.differences[pair[::-1]])
        own = pair if pair in k.differences else pair[::-1]
        question = cls(*pair, k.metric, k.higher_is_better, d, k.adjusted.get(own), k.level, pairs=len(k.differences))
        return replace(question, each=k.pair_level, p_range=k.p_range_of(own), **more)


def answered(k: Answered, ask: Callable[[Pair], Question], leader: Callable[[Answered], str]) -> Answered:
    """The comparison with its verdict; of more than two, after a sentence about the one that comes first, or about each
    beside the baseline."""
    q = ask(k.pair)
    if k.baseline is not None and len(k.differences) > 1:
        said = _beside_baseline({pair[0]: ask(pair) for pair in k.differences})
    else:
        said = verdict(q) if len(k.estimates) == 2 else f"{leader(k)} {verdict(q)}"
    return replace(k, verdict=visible(said), outcome=outcome(q))


MOST_VERDICTS, MOST_NAMES = 4, 8
SUMMED_UP: dict[Outcome, str] = {
    "identical": "as good as {baseline} on every {unit}",
    "better": "{better} than {baseline}",
    "better-beyond-margin": "{better} than {baseline} by more than {margin}",
    "better-within-margin": "{better} than {baseline}, but by less than {margin}",
    "better-margin-open": "{better} than {baseline}, but not clearly by more or less than {margin}",
    "equivalent": "equivalent to {baseline} within {margin}",
    "open": "not shown to differ from {baseline}",
}


def _beside_baseline(questions: Mapping[str, Question]) -> str:
    """What is shown of the others beside the baseline, best first, and the verdict about the best of them; each verdict
    where there is more to say than that."""
    outcomes = {name: outcome(q) for name, q in questions.items()}
    if any(found not in SUMMED_UP for found in outcomes.values()):
        said = [verdict(q) for q in questions.values()][:MOST_VERDICTS]
        more = len(questions) - MOST_VERDICTS
        return " ".join([*said, *([f"{more} others are in the table."] if more > 0 else [])])
    groups: dict[str, list[str]] = {}
    for name, q in questions.items():
        better = "better" if (q.difference.value > 0) == q.higher_is_better else "worse"
        better = "other" if q.higher_is_better is None else better
        margin = "" if q.margin is None else f"the margin of {q.margin:g}"
        unit = "case" if q.unit == "case" else "item"
        shown = SUMMED_UP[outcomes[name]].format(baseline=q.second, better=better, margin=margin, unit=unit)
        groups.setdefault(shown, []).append(name)
    said = []
    for shown, names in groups.items():
        first = (
            names if len(names) <= MOST_NAMES else [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} others"]
        )
        several = " and ".join([", ".join(first[:-1]), first[-1]]) if len(first) > 1 else first[0]
        are = "is" if len(names) == 1 else "are all" if len(groups) == 1 and len(names) > 2 else "are"
        said.append(f"{several} {are} {shown}")
    return f"{'; '.join(said)}. {verdict(next(iter(questions.values())))}"


def check_baseline(baseline: object, named: Collection[str], what: str = "models") -> None:
    """An error unless it is one of the names."""
    if baseline is not None and not is_one_of(baseline, named):
        fix = f"{near(baseline, named)}Names: {', '.join(named)}"
        raise InputError(
            f"baseline must be the name of one of the {what}", param="baseline", got=repr(baseline), fix=fix
        )


def outcome(q: Question) -> Outcome:
    """What the numbers show."""
    d = q.difference
    if q.identical and d.value == 0:
        return "identical"
    if q.p_value is None or (not d.se and not isinstance(d.interval, Tango)):
        return "no-test"
    significant = q.p_value < 1 - q.level
    if d.se_method and d.se_method.ignores_training:
        return "hint" if significant else "open-naive"
    if is_noisy(d):
        return "noisy"
    if q.margin is None:
        return "better" if significant else "open"
    same, beyond = _against_margin(q, q.margin)
    if not significant:
        return "equivalent" if same else "open"
    return "better-beyond-margin" if beyond else "better-within-margin" if same else "better-margin-open"


def is_noisy(d: Estimate) -> bool:
    """Whether another run of the resampling would move the difference by more than its standard error."""
    return bool(d.se) and d.mc_se is not None and d.se is not None and d.mc_se > d.se


def _against_margin(q: Question, margin: float) -> tuple[bool, bool]:
    """Whether the difference is within the margin, by two one-sided tests (Schuirmann 1987), or beyond it."""
    alpha = (1 - q.level) / q.pairs  # Bonferroni: the pair was picked among them
    low, high = q.difference.ci(max(1 - 2 * alpha, 1e-9))
    same = -margin < low and high < margin
    low, high = q.difference.ci(1 - alpha)
    return same, low > margin or high < -margin


def verdict(q: Question) -> str:
    """The outcome in one sentence: which model is better, by how much, and if nothing is shown how many cases would be
    needed."""
    found = outcome(q)
    if found == "identical":
        every = "case" if q.unit == "case" else "item"
        return f"{q.first} and {q.second} score every {every} alike, so their {spoken(q.metric)} is the same."
    if found == "no-test":
        return f"{_who(q)}, but this difference has no standard error and cannot be tested."
    assert q.p_value is not None
    adjusted = f", adjusted for {q.pairs} pairs" if q.pairs > 1 else ""
    said = f"{_who(q)} ({shown_p(q.p_value)}{adjusted}{_tango(q)})"
    level, margin = f"{1 - q.level:.2g}", f"the margin of {q.margin:g}" if q.margin is not None else ""
    ends: dict[Outcome, str] = {
        "hint": f"this is significant at level {level}, but only by a standard error that ignores the training sets "
        "and is too small; repeat the cross-validation for a valid test",
        "open-naive": f"this is not significant at level {level}, even by a standard error that is too small",
        "noisy": "the Monte-Carlo error of the difference is larger than its standard error; use more resamples",
        "better": f"{_better(q)}{_direction(q)}",
        "better-beyond-margin": f"{_better(q)}, by more than {margin}{_direction(q)}",
        "better-within-margin": f"{_better(q)}, but by less than {margin}{_direction(q)}",
        "better-margin-open": f"{_better(q)}, but not clearly by more or less than {margin}{_direction(q)}",
        "equivalent": f"the two are equivalent within {margin}",
    }
    neither = f"neither a difference nor equivalence within {margin} is shown"
    difference = f"the difference is not significant at level {level}"
    end = ends.get(found) or (neither if margin else difference) + _more_cases(q)
    return f"{said}: {end}.{_of_the_seed(q)}"


def _of_the_seed(q: Question) -> str:
    """A sentence where another seed could turn what is significant into what is not, or back."""
    if q.p_range is None or not depends_on_seed(q.p_range, q.level):
        return ""
    between = p_between(q.p_range).replace(" to ", " and ")
    return f" This depends on the seed: p is between {between} over seeds; {q.settle} would settle it."


def depends_on_seed(p_range: tuple[float, float] | None, level: float) -> bool:
    """Whether another seed could turn what is significant into what is not, or back."""
    return p_range is not None and p_range[0] < 1 - level <= p_range[1]


def _more_cases(q: Question) -> str:
    """How many times as many cases would be needed: for a difference, or for equivalence if that takes fewer."""
    about = q.difference.estimand
    if isinstance(about, Estimand) and about.of_bootstrap_sets:
        return ""  # more cases would change what is compared: training sets of another size
    if q.unit == "cluster" and q.units is not None and q.units < VERY_FEW_GROUPS:
        return f"; {q.units} clusters do not tell how many more would be needed"
    d, alpha = q.difference, (1 - q.level) / q.pairs  # of the tests against the margin
    difference = for_a_difference(d, alpha if q.each is None else 1 - q.each)
    same = for_equivalence(d, q.margin, alpha) if q.margin is not None else math.inf
    times, goal = (same, "equivalence") if same < difference else (difference, "a difference of this size")
    if times <= TOO_MANY_TIMES:
        amount = "slightly more" if times < 1.05 else f"about {_times(times)} times as many"
        number = "" if q.units is None else f" (about {_about(times, q.units):,})"
        return f"; {amount} {q.unit}s{number} would be needed to show {goal} {WITH_POWER}"
    if d.value == 0 and q.margin is None:
        return ""
    if not d.se and not isinstance(d.interval, Tango):
        return ""
    goal = "either" if q.margin is not None else goal
    return f"; more than {TOO_MANY_TIMES} times as many {q.unit}s would be needed to show {goal} {WITH_POWER}"


def _times(times: float) -> str:
    return f"{times:.1f}" if times < 10 else f"{times:.0f}"


def _about(times: float, units: int) -> int:
    """So many times as many, rounded as the factor is; never below as many as there are."""
    exact = math.ceil(times * units)
    return max(round(exact, 2 - len(str(exact))), exact if times < 1.05 else 0)


def _who(q: Question) -> str:
    """ "LDA's AUC is higher than QDA's by 0.070 ± 0.050"."""
    d, name = q.difference, spoken(q.metric)
    if d.value == 0:
        return f"{q.first} and {q.second} have the same {name}" + (f", ± {shown(d.se, d.se)}" if d.se else "")
    way = "higher" if d.value > 0 else "lower"
    return f"{q.first}'s {name} is {way} than {q.second}'s by {with_se(abs(d.value), d.se)}"


def _better(q: Question) -> str:
    if q.higher_is_better is None:
        return "the two differ"
    return f"{q.first if (q.difference.value > 0) == q.higher_is_better else q.second} is better"


def _direction(q: Question) -> str:
    """What to do where the direction of the metric is unknown."""
    if q.higher_is_better is not None:
        return ""
    return (
        f" (trueness does not know whether a higher {spoken(q.metric)} is better; use Scorer(f, higher_is_better=...))"
    )


def _tango(q: Question) -> str:
    d, rule = q.difference, q.difference.interval
    if not isinstance(rule, Tango) or q.p_value is None:
        return ""
    each, together = (q.each or q.level), " for all pairs" if q.pairs > 1 else ""
    test = "McNemar's exact test" if rule.z is None else "Obuchowski's test"
    said = f" by {test}, Tango's {100 * q.level:g} % interval{together} {between(*d.ci(each), d.se)}"
    note = disagreement(d, q.p_value, q.level, each)
    if note is None:
        return said if q.pairs == 1 else ""  # the table has intervals of all pairs
    excludes = bool(note.data["excludes"])
    return f"{said}, which {'excludes' if excludes else 'includes'} 0; {_why(rule, excludes)}"


TOO_MANY_TIMES = 100  # beyond this factor the number itself does not matter
POWER = 0.8  # of what is called detectable, or needed
WITH_POWER = f"with a power of {100 * POWER:g} %"


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
    c = critical_value(1 - alpha, df=df, alternative="greater")

    def lacking(times: float) -> float:
        return 1 - POWER - sum(tail(math.sqrt(times) * end - c, "greater", df) for end in ends)

    # with one margin far away 20 % are left to the other, with both as near 10 %
    low, high = (((c + quantile(2 * power - 1, df)) / min(ends)) ** 2 for power in (POWER, (1 + POWER) / 2))
    return float(optimize.brentq(lacking, low * (1 - 1e-9), high * (1 + 1e-9)))


def judge_pair(a: Fits, b: Fits, d: Estimate, metric: Metric) -> tuple[Estimate, TestResult | None]:
    """The test of the difference d = first − second of two models on one design, and d with notes about it.

    No test where there is no standard error.
    """
    if abs(d.value) < metric.rounding:  # sums in another order
        d = d.with_(value=0.0)
    if isinstance(d.interval, Tango):
        test = judge(d, a.sample.groups is not None)
        assert test is not None
        d = d.noting(_exact(d.interval))
        return d, replace(test, difference=d)
    if d.se is None and d.value == 0 and identical(a, b):  # also where a model alone has no standard error
        d = d.with_(se=0.0)
    return d, judge(d, a.sample.groups is not None)


def judge(d: Estimate, in_groups: bool = False) -> TestResult | None:
    """value / se, by t where the difference has degrees of freedom; McNemar's test of two shares; None where there is
    no standard error."""
    of = spoken(d.of)
    law = "normal" if d.df is None else "Student's t"
    name = f"Difference of the {of} over its standard error, {law}"
    assumes = (d.se_method.assumes if d.se_method else ()) or (INDEPENDENT_CASES,)
    if in_groups:
        assumes = tuple(dict.fromkeys(INDEPENDENT_GROUPS if a == INDEPENDENT_CASES else a for a in assumes))
    return paired_test(d, name, assumptions=assumes)


def _exact(rule: Tango) -> Note | None:
    if rule.z is not None:
        return None
    return Note(
        "mcnemar-exact",
        f"The p-value is McNemar's exact one for {counted(rule.discordant, 'discordant case')}; the interval is Tango's "
        "score interval.",
        discordant=rule.discordant,
    )


def disagreement(d: Estimate, p_value: float | None, level: float, each: float) -> Note | None:
    """A note where the p-value and Tango's interval disagree about 0; `each` is the level of the interval alone where
    those of several pairs hold together at `level`, and the p-value is adjusted likewise."""
    rule = d.interval
    if not isinstance(rule, Tango) or p_value is None:
        return None
    excludes = not d.ci(each).covers(0.0)
    if excludes == (p_value < 1 - level):
        return None
    together = " for all pairs" if each != level else ""
    return Note(
        "interval-and-test-disagree",
        f"Tango's {100 * level:g} % interval{together} {'excludes' if excludes else 'includes'} 0 although p is "
        f"{'not ' if excludes else ''}below {1 - level:.2g}: {_why(rule, excludes)}.",
        excludes=excludes,
    )


def noted(
    differences: Mapping[Pair, Estimate], adjusted: Mapping[Pair, float], level: float, each: float
) -> dict[Pair, Estimate]:
    """The differences with that note."""
    return {pair: d.noting(disagreement(d, adjusted.get(pair), level, each)) for pair, d in differences.items()}


def _why(rule: Tango, excludes: bool) -> str:
    """Why interval and test disagree, and which of them to rely on."""
    if rule.z is None:
        return "the test is exact and the interval is not, so rely on the p-value"
    if excludes:
        return "the two estimate the variance between groups differently, so rely on the p-value"
    return "the interval is the more cautious, as it allows for the number of groups and takes no design effect below 1"


def other_errors(
    a: Fits, b: Fits, metric: MetricLike, method: str, d: Estimate, undefined: Undefined
) -> dict[str, float]:
    """The first-order standard errors beside the second-order one."""
    if d.se_method != "second-order" or d.influence is None:
        return {}
    corrected = difference(a, b, metric, method, se="influence-corrected", undefined=undefined).se
    known = {} if corrected is None else {"influence-corrected": corrected}
    return known | {"influence": math.sqrt(variance(a.design, d.influence))}


JOINTLY_NORMAL = "the differences are jointly normal, correlated as their influence functions are."
CHOSEN_PAIR = "the pair was chosen without looking at the data; the p-value is not adjusted for other pairs of models."
NAME = "Equality in all metrics, max-t"


def joint_test(k: Comparison, metrics: Iterable[MetricLike], pair: Pair, undefined: Undefined = "failed") -> JointTest:
    """The test of `Comparison.joint_test`."""
    k[pair]  # an error where there is no such pair
    judged = dict(_judged(k, metric, pair, undefined) for metric in _several(metrics))
    differences = {name: d for name, (d, _) in judged.items()}
    tests = {name: test for name, (_, test) in judged.items() if test is not None}
    without = [name for name, (d, test) in judged.items() if test is None or (d.influence is None and d.value != 0)]
    if without:
        raise InputError(
            "These differences have no standard error from an influence function",
            param="metrics",
            got=", ".join(without),
            fix="Leave them out; methods that have one are cv+training, loob, lpob and holdout",
        )
    alone = {name: test.p_value for name, test in tests.items()}
    # a Wald statistic would invert the covariance: metrics of one model are nearly collinear, so it would rest on the
    # directions that are known worst (docs/metrics.md); the law is the same in whatever order the metrics are asked for
    law = largest_difference([differences[name] for name in sorted(differences)], k.fits[pair[0]].design.unit_sums)
    adjusted = {name: law.adjusted(p) for name, p in alone.items()}
    said = [a for test in tests.values() for a in test.assumptions]
    assumptions = (*dict.fromkeys(said), JOINTLY_NORMAL, *((CHOSEN_PAIR,) if len(k.differences) > 1 else ()))
    first = min(alone, key=lambda name: alone[name])
    return JointTest(
        f"{NAME}: {' − '.join(pair)}",
        law.at(alone[first]),
        adjusted[first],
        law.df,
        assumptions=assumptions,
        notes=(NO_DIFFERENCE,) if all(d.value == 0 for d in differences.values()) else (),
        differences=differences,
        alone=alone,
        adjusted=adjusted,
    )


def _several(metrics: Iterable[MetricLike]) -> list[MetricLike]:
    asked: list[MetricLike] = list(metrics) if is_iterable(metrics) and not isinstance(metrics, str) else [metrics]
    if not asked:
        raise InputError("metrics is empty; at least 1 metric is required", param="metrics")
    return asked


def _judged(
    k: Comparison, metric: MetricLike, pair: Pair, undefined: Undefined
) -> tuple[str, tuple[Estimate, TestResult | None]]:
    """The difference and the test of one metric; those of the comparison where it is its own."""
    a, b = (k.fits[name] for name in pair)
    bound = bind(a, metric)
    if bound.name == k.metric and pair in k.differences:
        return bound.name, (k.differences[pair], k.tests.get(pair))
    kind = a.design.kind
    offered = {e.name for e in available(kind, bound)}
    method = k.method if k.method in offered else recommend(kind, bound)
    d = difference(a, b, metric, method, undefined=undefined)
    return bound.name, judge_pair(a, b, d, bound)
