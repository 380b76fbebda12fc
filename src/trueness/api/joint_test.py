"""One test of several metrics: are two models equal in all of them?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from trueness.api.judge import default_method, judge_pair
from trueness.checks import is_iterable
from trueness.errors import InputError
from trueness.estimators import difference
from trueness.estimators.estimation import bind
from trueness.estimators.registry import available
from trueness.formulas.max_t import MaxT
from trueness.metrics import MetricLike
from trueness.result import Estimate
from trueness.result.comparison import Comparison, Pair
from trueness.result.joint import JointTest, correlations, largest_of
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.sample import Design

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
    law = law_of(k.fits[pair[0]].design, differences)
    adjusted = {name: p if law is None or p == 1 else law.adjusted(p) for name, p in alone.items()}
    said = [a for test in tests.values() for a in test.assumptions]
    assumptions = (*dict.fromkeys(said), JOINTLY_NORMAL, *((CHOSEN_PAIR,) if len(k.differences) > 1 else ()))
    first = min(alone, key=lambda name: alone[name])
    return JointTest(
        f"{NAME}: {' − '.join(pair)}",
        0.0 if law is None else law.at(alone[first]),
        adjusted[first],
        None if law is None else law.df,
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


def law_of(design: Design, differences: Mapping[str, Estimate]) -> MaxT | None:
    """The law of the largest |t| of the differences that any case moves, in whatever order; None where there is none.

    A Wald statistic would invert the covariance: metrics of one model are nearly collinear, so it would rest on the
    directions that are known worst (docs/metrics.md).
    """
    moving = [d for _, d in sorted(differences.items()) if d.influence is not None and d.influence.any()]
    if not moving:
        return None
    influence = np.stack([np.asarray(d.influence) for d in moving])
    least = min((d.df for d in moving if d.df is not None), default=None)
    return largest_of(correlations(design.unit_sums(influence)), least)
