"""From the probability before the test to that after it: post-test odds = pre-test odds × DLR  (seeds/003)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from scipy import special

from karat.diagnostic.prevalence import Prevalence
from karat.result import Estimate
from karat.result.digits import shown, with_se
from karat.result.interval_rules import LOGIT


class PostTest(NamedTuple):
    """P(positive class) before the test, and after a positive and a negative result."""

    pre_test: float
    positive: Estimate
    negative: Estimate

    def __str__(self) -> str:
        lines = [f"P(positive class) before the test: {self.pre_test:.4g}"]
        for result, e in (("positive", self.positive), ("negative", self.negative)):
            row = e.row()
            limits = "" if row["low"] is None else f" (95 %: {shown(row['low'], e.se)} to {shown(row['high'], e.se)})"
            lines.append(f"after a {result} result: {with_se(e.value, e.se)}{limits}")
        notes = dict.fromkeys(note for e in (self.positive, self.negative) for note in e.notes)
        return "\n".join([*lines, *[f"Note: {note}" for note in notes]])


def post_test(dlr_positive: Estimate, dlr_negative: Estimate, pre_test: Any) -> PostTest:
    rho = Prevalence.of(pre_test)
    return PostTest(float(rho.shares[1]), _after(dlr_positive, rho, "+"), _after(dlr_negative, rho, "−"))


def _after(dlr: Estimate, rho: Prevalence, result: str) -> Estimate:
    """logit P(D | result) = logit ρ + ln DLR; the two are independent, so the squares of their errors add."""
    name = f"post-test probability {result}"
    if math.isnan(dlr.value):
        return dlr.with_(metric=name)
    assert dlr.se is not None
    p = float(special.expit(rho.logit + math.log(dlr.value)))
    se = p * (1 - p) * math.hypot(dlr.se / dlr.value, rho.logit_se)
    return Estimate(
        p,
        se=se,
        se_method="delta",
        metric=name,
        method=dlr.method,
        estimand=f"this rule at a pre-test probability of {float(rho.shares[1]):.4g}",
        bounds=(0.0, 1.0),
        interval=LOGIT,
        notes=dlr.notes,
    )
