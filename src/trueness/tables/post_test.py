"""From the probability before a test to the probability after it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import special

from trueness.result import Estimate
from trueness.result.digits import sentence
from trueness.result.interval import LOGIT
from trueness.result.named import DELTA
from trueness.result.shown import Drawn
from trueness.tables.prevalence import Prevalence, PrevalenceLike
from trueness.tables.table_result import TableResult


@dataclass(frozen=True, eq=False, repr=False)
class PostTest(TableResult, Drawn):
    """P(positive class) before a test, and after a positive and a negative result; `plot()` draws Fagan's nomogram."""

    pre_test: float
    dlr_positive: Estimate
    dlr_negative: Estimate
    positive: Estimate
    negative: Estimate
    level: float = 0.95

    @classmethod
    def of(cls, dlr_positive: Estimate, dlr_negative: Estimate, pre_test: PrevalenceLike, level: float) -> PostTest:
        rho = Prevalence.of(pre_test, param="pre_test")
        positive, negative = _after(dlr_positive, rho, "+"), _after(dlr_negative, rho, "−")
        return cls(float(rho.shares[1]), dlr_positive, dlr_negative, positive, negative, level)

    def shown_estimates(self) -> list[Estimate]:
        return [self.dlr_positive, self.dlr_negative, self.positive, self.negative]

    def _title(self) -> str:
        return f"Probability of the positive class before the test: {self.pre_test:.4g}"

    def _answer(self, level: float) -> str:
        after = ((self.positive, "After a positive result:"), (self.negative, "After a negative result:"))
        return " ".join(sentence(e, level, name) for e, name in after)

    def _facts(self) -> dict[str, object]:
        return {"pre_test": self.pre_test}


def _after(dlr: Estimate, rho: Prevalence, result: str) -> Estimate:
    """logit P(D | result) = logit ρ + ln DLR; the two are independent, so their variances add."""
    name = f"post-test probability {result}"
    if math.isnan(dlr.value) or dlr.se is None:
        return dlr.with_(metric=name)
    p = float(special.expit(rho.logit + math.log(dlr.value)))
    return Estimate(
        p,
        se=p * (1 - p) * math.hypot(dlr.se / dlr.value, rho.logit_se),
        se_method=DELTA,
        df=dlr.df,
        metric=name,
        method=dlr.method,
        estimand=f"this rule at a pre-test probability of {float(rho.shares[1]):.4g}",
        bounds=(0.0, 1.0),
        interval=LOGIT,
        notes=tuple(note for note in dlr.notes if note.code != "interval-reaches-limit"),
    )
