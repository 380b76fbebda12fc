"""The test of one pair of models, the estimator it uses, and the interval that goes with it; one test of several metrics:
are two models equal in all of them?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from trueness.checks import is_iterable
from trueness.errors import InputError
from trueness.estimators import difference
from trueness.estimators.estimation import bind, identical
from trueness.estimators.influence.case_influence import variance
from trueness.estimators.registry import available, recommended
from trueness.metrics import CaseLoss, Metric, MetricLike
from trueness.result import Estimate, Note
from trueness.result.comparison import Comparison, Pair
from trueness.result.digits import counted, spoken
from trueness.result.joint import JointTest, largest_difference
from trueness.result.named import INDEPENDENT_CASES
from trueness.result.paired import Tango, paired_test
from trueness.result.test_result import NO_DIFFERENCE, TestResult, shown_p
from trueness.sample import Fits
from trueness.sample.design import Kind

ROUNDING_ERROR = 1e-12  # a difference this small is 0: sums in another order


def default_method(kind: Kind, metric: Metric) -> str:
    """The estimator whose difference can be tested best, for a design and a metric."""
    if kind == "nested" and not isinstance(metric, CaseLoss):
        raise InputError(
            f"A nested cross-validation cannot estimate {metric.name}; it needs a metric that is a mean of case losses",
            param="plan",
            fix="Use {plan=Bootstrap(1000)} or {plan=KFold(10, repeats=10)}, or {metric='error'}",
        )
    offered = {e.name for e in available(kind, metric)}
    return next(name for name in recommended(kind) if name in offered)


def judge_pair(a: Fits, b: Fits, d: Estimate, level: float) -> tuple[Estimate, TestResult | None]:
    """The test of the difference d = first − second of two models on one design, and d with notes about it.

    No test where there is no standard error.
    """
    if abs(d.value) < ROUNDING_ERROR:
        d = d.with_(value=0.0)
    if isinstance(d.interval, Tango):
        test = judge(d)
        assert test is not None
        d = d.noting(_exact(d.interval), _disagreement(d, d.interval, test, level))
        return d, replace(test, difference=d)
    if d.se is None and d.value == 0 and identical(a, b):  # also where a model alone has no standard error
        d = d.with_(se=0.0)
    return d, judge(d)


def judge(d: Estimate) -> TestResult | None:
    """value / se, by t where the difference has degrees of freedom; McNemar's test of two shares; None where there is
    no standard error."""
    of = spoken(d.metric.removesuffix(" difference"))
    law = "normal" if d.df is None else "Student's t"
    name = f"Difference of the {of} over its standard error, {law}"
    return paired_test(d, name, assumptions=(d.se_method.assumes if d.se_method else ()) or (INDEPENDENT_CASES,))


def _exact(rule: Tango) -> Note | None:
    if rule.z is not None:
        return None
    return Note(
        "mcnemar-exact",
        f"The p-value is McNemar's exact one for {counted(rule.discordant, 'discordant case')}; the interval is Tango's "
        "score interval.",
        discordant=rule.discordant,
    )


def _disagreement(d: Estimate, rule: Tango, test: TestResult, level: float) -> Note | None:
    """A note where p-value and interval disagree about 0."""
    excludes = not d.ci(level).covers(0.0)
    if excludes == (test.p_value < 1 - level):
        return None
    cases = counted(rule.discordant, "discordant case")
    return Note(
        "interval-and-test-disagree",
        f"Tango's {100 * level:g} % interval {'excludes' if excludes else 'includes'} 0 although "
        f"{shown_p(test.p_value)}. Its normal approximation is rough with {cases}; rely on the exact p-value.",
        p_value=test.p_value,
        discordant=rule.discordant,
    )


def other_errors(a: Fits, b: Fits, metric: MetricLike, method: str, d: Estimate) -> dict[str, float]:
    """The first-order standard errors beside the second-order one."""
    if d.se_method != "second-order" or d.influence is None:
        return {}
    corrected = difference(a, b, metric, method, se="influence-corrected").se
    known = {} if corrected is None else {"influence-corrected": corrected}
    return known | {"influence": math.sqrt(variance(a.design, d.influence))}


JOINTLY_NORMAL = "the differences are jointly normal, correlated as their influence functions are."
CHOSEN_PAIR = "the pair was chosen without looking at the data; the p-value is not adjusted for other pairs of models."
NAME = "Equality in all metrics, max-t"


def joint_test(k: Comparison, metrics: Iterable[MetricLike], pair: Pair) -> JointTest:
    """The test of `Comparison.joint_test`."""
    k[pair]  # an error where there is no such pair
    judged = dict(_judged(k, metric, pair) for metric in _several(metrics))
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


def _judged(k: Comparison, metric: MetricLike, pair: Pair) -> tuple[str, tuple[Estimate, TestResult | None]]:
    """The difference and the test of one metric; those of the comparison where it is its own."""
    a, b = (k.fits[name] for name in pair)
    bound = bind(a, metric)
    if bound.name == k.metric and pair in k.differences:
        return bound.name, (k.differences[pair], k.tests.get(pair))
    kind = a.design.kind
    offered = {e.name for e in available(kind, bound)}
    method = k.method if k.method in offered else default_method(kind, bound)
    d = difference(a, b, metric, method)
    return bound.name, judge_pair(a, b, d, k.level)
