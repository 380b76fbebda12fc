"""The test of a difference of two models on one design, of one metric or of several together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trueness.checks import is_iterable
from trueness.errors import InputError
from trueness.estimators.estimation import bind, difference
from trueness.estimators.influence import identical
from trueness.estimators.registry import available, recommend
from trueness.metrics.metric import Metric
from trueness.metrics.scorer import MetricLike
from trueness.result.estimate import Estimate
from trueness.result.joint import JointTest, Tango, paired_test
from trueness.result.pairs import Pair, Pairs
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.result.words import INDEPENDENT_CASES, INDEPENDENT_GROUPS, spoken
from trueness.sample.fits import Fits

if TYPE_CHECKING:
    from trueness.api.comparison import Comparison


def judged(a: Fits, b: Fits, d: Estimate, metric: Metric) -> Estimate:
    """The difference d = first − second of two models on one design; 0 where it is a sum in another order."""
    if abs(d.value) < metric.rounding:
        d = d.with_(value=0.0)
    same = d.value == 0 and identical(a, b)
    if isinstance(d.interval, Tango):
        return d.with_(identical=same)
    return d.with_(identical=same, se=0.0 if same and d.se is None else d.se)


def judge(d: Estimate, in_groups: bool = False) -> TestResult | None:
    """value / se, by t where the difference has degrees of freedom; McNemar's test of two shares; None where there is
    no standard error."""
    law = "normal" if d.df is None else "Student's t"
    assumes = (d.se_method.assumes if d.se_method else ()) or (INDEPENDENT_CASES,)
    if in_groups:
        assumes = tuple(dict.fromkeys(INDEPENDENT_GROUPS if a == INDEPENDENT_CASES else a for a in assumes))
    return paired_test(d, f"Difference of the {spoken(d.of)} over its standard error, {law}", assumptions=assumes)


JOINTLY_NORMAL = "the differences are jointly normal, correlated as their influence functions are."
CHOSEN_PAIR = "the pair was chosen without looking at the data; the p-value is not adjusted for other pairs of models."


def joint_test(k: Comparison, metrics: Iterable[MetricLike], pair: Pair) -> JointTest:
    """The test of `Comparison.joint_test`."""
    a = k.fits[pair[0]]
    asked: list[MetricLike] = list(metrics) if is_iterable(metrics) and not isinstance(metrics, str) else [metrics]
    if not asked:
        raise InputError("metrics is empty; at least 1 metric is required", param="metrics")
    b, kind, differences = k.fits[pair[1]], a.design.kind, dict[str, Estimate]()
    for metric in asked:
        bound = bind(a, metric)
        if bound.name == k.metric and pair in k.differences:
            differences[bound.name] = k.differences[pair]
            continue
        method = k.method if k.method in {e.name for e in available(kind, bound)} else recommend(kind, bound)
        d = difference(a, b, metric, method, undefined=k.undefined)
        differences[bound.name] = judged(a, b, d, bound)
    grouped = a.sample.groups is not None
    # a Wald statistic would invert the covariance: metrics of one model are nearly collinear, so it would rest on the
    # directions that are known worst (docs/metrics.md); the law is the same in whatever order the metrics are asked for
    named = {(name, ""): differences[name] for name in sorted(differences)}
    pairs = Pairs.of(named, lambda d: judge(d, grouped), a.design.unit_sums)
    tests = {name: pairs.tests[name, ""] for name in differences if (name, "") in pairs.tests}
    without = [n for n, d in differences.items() if n not in tests or (d.influence is None and d.value != 0)]
    if without:
        fix = "Leave them out; methods that have one are cv+training, loob, lpob and holdout"
        problem = "These differences have no standard error from an influence function"
        raise InputError(problem, param="metrics", got=", ".join(without), fix=fix)
    alone = {name: test.p_value for name, test in tests.items()}
    adjusted = {name: pairs.adjusted[name, ""] for name in tests}
    first, law = min(alone, key=lambda name: alone[name]), pairs.law
    assert law is not None
    assumptions = dict.fromkeys(a for test in tests.values() for a in test.assumptions)
    return JointTest(
        f"Equality in all metrics, max-t: {' − '.join(pair)}",
        law.at(alone[first]),
        adjusted[first],
        law.df,
        assumptions=(*assumptions, JOINTLY_NORMAL, *[CHOSEN_PAIR] * (len(k.differences) > 1)),
        notes=(NO_DIFFERENCE,) if all(d.value == 0 for d in differences.values()) else (),
        differences=differences,
        alone=alone,
        adjusted=adjusted,
    )
