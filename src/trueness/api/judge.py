"""The test of one pair of models, the estimator it uses, and the interval that goes with it."""

from __future__ import annotations

import math

from trueness.comparisons.decision_tests import McNemarResult, Tango, mcnemar_counts
from trueness.comparisons.p_values import tail
from trueness.errors import InputError
from trueness.estimators import difference
from trueness.estimators.estimation import identical
from trueness.estimators.influence.case_influence import variance
from trueness.estimators.registry import available, recommended
from trueness.metrics import CaseLoss, Metric, MetricLike, Rate
from trueness.result import Estimate, Note
from trueness.result.digits import counted, spoken
from trueness.result.named import INDEPENDENT_CASES
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


def judge_pair(
    a: Fits, b: Fits, metric: Metric, method: str, d: Estimate, level: float
) -> tuple[Estimate, TestResult | None]:
    """The test of the difference d = first − second of two models on one design, and d with the interval that suits it.

    No test where there is no standard error.
    """
    if abs(d.value) < ROUNDING_ERROR:
        d = d.with_(value=0.0)
    if d.se is None and d.value == 0 and identical(a, b):  # also where a model alone has no standard error
        d = d.with_(se=0.0)
    mcnemar = mcnemar_of(a, b, metric) if method == "holdout" else None
    if mcnemar is not None:
        return with_tango(d, mcnemar, level), mcnemar
    return d, judge(d)


def judge(d: Estimate) -> TestResult | None:
    """value / se, by t where the difference has degrees of freedom; None where it has no standard error."""
    if d.se is None or math.isnan(d.se) or (d.se == 0 and d.value != 0):
        return None
    t = 0.0 if d.se == 0 else d.value / d.se
    p = 1.0 if d.se == 0 else tail(t, "two-sided", d.df)
    of = spoken(d.metric.removesuffix(" difference"))
    law = "normal" if d.df is None else "Student's t"
    name = f"Difference of the {of} over its standard error, {law}"
    assumptions = (d.se_method.assumes if d.se_method else ()) or (INDEPENDENT_CASES,)
    notes = (NO_DIFFERENCE,) if d.se == 0 else ()
    return TestResult(name, t, p, df=d.df, difference=d, assumptions=assumptions, notes=notes)


def with_tango(d: Estimate, test: McNemarResult, level: float) -> Estimate:
    """The same difference with Tango's interval, from the cases that McNemar's test counts."""
    assert test.n is not None
    discordant = test.b + test.c
    cases = counted(discordant, "discordant case")
    out = d.with_(interval=Tango(test.c, test.b, test.n), cases=test.n, se=d.se or None)
    mid_p = Note(
        "mcnemar-mid-p",
        f"The p-value is McNemar's mid-p for {cases}; the interval is Tango's score interval.",
        discordant=discordant,
    )
    no_se = Note("no-se-zero-variance", "No standard error: the formula gives 0. Tango's interval has positive length.")
    return out.noting(mid_p, no_se if d.se == 0 else None, _disagreement(out, test, level))


def _disagreement(d: Estimate, test: McNemarResult, level: float) -> Note | None:
    """A note where p-value and interval disagree about 0."""
    excludes = not d.ci(level).covers(0.0)
    if excludes == (test.p_value < 1 - level):
        return None
    cases = counted(test.b + test.c, "discordant case")
    return Note(
        "interval-and-test-disagree",
        f"Tango's {100 * level:g} % interval {'excludes' if excludes else 'includes'} 0 although "
        f"{shown_p(test.p_value)}. Its normal approximation is rough with {cases}; rely on the exact mid-p.",
        p_value=test.p_value,
        discordant=test.b + test.c,
    )


def mcnemar_of(a: Fits, b: Fits, metric: Metric) -> McNemarResult | None:
    """McNemar's mid-p test of two error rates (or accuracies) on one test set; None for other metrics and for groups.

    Discordant cases are usually few, and a normal approximation is rough for few.
    """
    if not isinstance(metric, Rate) or metric.priors is not None or a.sample.groups is not None:
        return None
    first, second = (metric.losses(next(f.tests()))[0] for f in (a, b))
    return mcnemar_counts(int((first < second).sum()), int((first > second).sum()), "mid-p", n=len(first))


def other_errors(a: Fits, b: Fits, metric: MetricLike, method: str, d: Estimate) -> dict[str, float]:
    """The first-order standard errors beside the second-order one."""
    if d.se_method != "second-order" or d.influence is None:
        return {}
    corrected = difference(a, b, metric, method, se="influence-corrected").se
    known = {} if corrected is None else {"influence-corrected": corrected}
    return known | {"influence": math.sqrt(variance(a.design, d.influence))}
