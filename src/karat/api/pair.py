"""One pair of models: the test of its difference, and what is said beside it."""

from __future__ import annotations

import math
from typing import Any

from karat.comparisons.assumptions import FIXED_RULES as FIXED
from karat.comparisons.assumptions import INDEPENDENT_CASES as CASES
from karat.comparisons.assumptions import LARGE_CLASSES as LARGE
from karat.comparisons.mcnemar import McNemarResult, Tango, mcnemar_counts
from karat.comparisons.p_values import tail
from karat.estimators import difference
from karat.estimators.influence.case_influence import variance
from karat.metrics import Error, Metric
from karat.result import Estimate
from karat.result.test_result import NO_DIFFERENCE, TestResult, shown_p
from karat.sample import Fits

AVERAGE = (
    "what is compared is the mean over training sets of this size, not the two rules fitted on all cases; bootstrap "
    "training sets hold about 63 % of the cases."
)
SECOND = (
    "the variance is of second order, right to leading order in 1/n; t with min(n1, n2) − 1 degrees of freedom is a "
    "convention that held its level in simulations (docs/comparison.md)."
)
FIRST = "the influence function counts interactions of cases more than once: the p-value is too large as a rule."
SPLITS = "two splits are correlated by n_test/n: a convention that works, not a theorem."
NAIVE = "tested cases are independent, which leaves out that training sets vary: the p-value is too small."
ROUNDING = 1e-12  # a difference this small is none: sums in another order
ASSUMED = {
    "second-order": (CASES, AVERAGE, SECOND),
    "influence-corrected": (CASES, AVERAGE, FIRST),
    "influence": (CASES, AVERAGE, FIRST),
    "nadeau-bengio": (CASES, SPLITS),
    "naive": (NAIVE,),
    "delong": (FIXED, CASES, LARGE),
    "binomial": (FIXED, CASES, LARGE),
}


def judged(
    a: Fits, b: Fits, metric: Metric, method: str, d: Estimate, level: float
) -> tuple[Estimate, TestResult | None]:
    """The difference with the interval that suits it, and its test; None where no standard error can be defended."""
    if abs(d.value) < ROUNDING:
        d = d.with_(value=0.0)
    mcnemar = mcnemar_of(a, b, metric) if method == "holdout" else None
    if mcnemar is not None:
        return with_tango(d, mcnemar, level), mcnemar
    return d, judge(d)


def judge(d: Estimate) -> TestResult | None:
    """value / se, by t where the difference has degrees of freedom; None where it has no standard error."""
    if d.se is None or math.isnan(d.se):
        return None
    name = f"{d.metric}, {d.method}, {d.se_method} standard error"
    assumptions = ASSUMED.get(d.se_method or "", (CASES,))
    if d.se == 0:
        if d.value != 0:
            return None  # nothing to judge it by
        return TestResult(name, 0.0, 1.0, df=d.df, difference=d, assumptions=assumptions, notes=(NO_DIFFERENCE,))
    t = d.value / d.se
    return TestResult(name, t, tail(t, "two-sided", d.df), df=d.df, difference=d, assumptions=assumptions)


def with_tango(d: Estimate, test: McNemarResult, level: float) -> Estimate:
    """The same difference with Tango's interval, of the cases that McNemar's test counts."""
    assert test.n is not None
    out = d.with_(interval=Tango(test.c, test.b, test.n), cases=test.n, se=d.se or None)
    return out.noting(
        f"The p-value is McNemar's mid-p of {test.b + test.c} discordant cases, the interval Tango's score interval.",
        "" if d.se else "No standard error: the formula gives 0 here; Tango's interval has length.",
        _disagreement(out, test, level),
    )


def _disagreement(d: Estimate, test: McNemarResult, level: float) -> str:
    """Words where p-value and interval say different things about 0."""
    leaves_out = not d.ci(level).covers(0.0)
    if leaves_out == (test.p_value < 1 - level):
        return ""
    return (
        f"Tango's {level:.0%} interval {'leaves 0 out' if leaves_out else 'holds 0'} although {shown_p(test.p_value)}: "
        f"its normal approximation is rough for {test.b + test.c} discordant cases; the exact mid-p decides."
    )


def mcnemar_of(a: Fits, b: Fits, metric: Metric) -> McNemarResult | None:
    """Mid-p for two error rates on one test set: few cases speak, and a normal law is rough for them."""
    if not isinstance(metric, Error) or metric.name != "error" or a.sample.groups is not None:
        return None
    losses = [metric.losses(next(f.tests()))[0] for f in (a, b)]
    return mcnemar_counts(
        int((losses[0] < losses[1]).sum()), int((losses[0] > losses[1]).sum()), "mid-p", n=len(losses[0])
    )


def other_errors(a: Fits, b: Fits, metric: Any, method: str, d: Estimate) -> dict[str, float]:
    """The first-order standard errors beside the second-order one."""
    if d.se_method != "second-order" or d.influence is None:
        return {}
    corrected = difference(a, b, metric, method, se="influence-corrected")
    return {
        "influence-corrected": float(corrected.se or math.nan),
        "influence": math.sqrt(variance(a.design, d.influence)),
    }
