"""From the probability before a test to the probability after it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd
from scipy import special

from karat.diagnostic.prevalence import Prevalence, PrevalenceLike
from karat.diagnostic.table_result import measures_table, notes_by_measure
from karat.result import Estimate
from karat.result.interval_rules import LOGIT
from karat.result.shown import Drawn, Result
from karat.result.table import Page


@dataclass(frozen=True, eq=False, repr=False)
class PostTest(Result, Drawn):
    """P(positive class) before and after a test; `plot()` draws Fagan's nomogram.

    Attributes
    ----------
    pre_test : float
        Probability before the test.
    positive, negative : Estimate
        Probability after a positive and after a negative result.
    dlr_positive, dlr_negative : Estimate
        The likelihood ratios.
    level : float
        Level of the intervals shown.
    """

    pre_test: float
    positive: Estimate
    negative: Estimate
    dlr_positive: Estimate
    dlr_negative: Estimate
    level: float = 0.95

    @classmethod
    def of(cls, dlr_positive: Estimate, dlr_negative: Estimate, pre_test: PrevalenceLike, level: float) -> PostTest:
        rho = Prevalence.of(pre_test, param="pre_test")
        positive, negative = _after(dlr_positive, rho, "+"), _after(dlr_negative, rho, "−")
        return cls(float(rho.shares[1]), positive, negative, dlr_positive, dlr_negative, level)

    def page(self, level: float | None = None) -> Page:
        estimates = [self.positive, self.negative]
        return Page(
            f"Probability of the positive class before the test: {self.pre_test:.4g}",
            tables=(measures_table(estimates, self.level if level is None else level),),
            notes=notes_by_measure(estimates),
        )

    def frame(self) -> pd.DataFrame:
        """One row per test result: `result`, `pre_test`, `dlr`, `dlr_low`, `dlr_high`, `post_test`, `low`, `high`."""
        rows = []
        for result, dlr, post in (
            ("positive", self.dlr_positive, self.positive),
            ("negative", self.dlr_negative, self.negative),
        ):
            of_dlr, of_post = dlr.row(self.level), post.row(self.level)
            ratio = {"dlr": dlr.value, "dlr_low": of_dlr["low"], "dlr_high": of_dlr["high"]}
            after = {"post_test": post.value, "low": of_post["low"], "high": of_post["high"]}
            rows.append({"result": result, "pre_test": self.pre_test, **ratio, **after})
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, object]:
        after = {"positive": self.positive, "negative": self.negative}
        return {"pre_test": self.pre_test, **{result: e.to_dict(self.level) for result, e in after.items()}}


def _after(dlr: Estimate, rho: Prevalence, result: str) -> Estimate:
    """logit P(D | result) = logit ρ + ln DLR; the two are independent, so their variances add."""
    name = f"post-test probability {result}"
    if math.isnan(dlr.value) or dlr.se is None:
        return dlr.with_(metric=name)
    p = float(special.expit(rho.logit + math.log(dlr.value)))
    return Estimate(
        p,
        se=p * (1 - p) * math.hypot(dlr.se / dlr.value, rho.logit_se),
        se_method="delta",
        metric=name,
        method=dlr.method,
        estimand=f"this rule at a pre-test probability of {float(rho.shares[1]):.4g}",
        bounds=(0.0, 1.0),
        interval=LOGIT,
        notes=tuple(note for note in dlr.notes if note.code != "interval-reaches-limit"),
    )
