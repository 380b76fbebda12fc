"""From the probability before a test to the probability after it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from trueness.figures import Area, Figure, Line, Mark, Panel, Points, Text
from trueness.result import Estimate
from trueness.result.digits import sentence, with_interval
from trueness.result.interval import LOGIT
from trueness.result.named import DELTA
from trueness.tables.prevalence import Prevalence, PrevalenceLike
from trueness.tables.table_result import TableResult

PERCENT = np.array([0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99, 99.5, 99.8, 99.9])
RATIOS = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])


@dataclass(frozen=True, eq=False, repr=False)
class PostTest(TableResult):
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

    def figure(self) -> Figure:
        """Fagan's nomogram (1975): straight lines from the probability before the test to those after it.

        logit(after) = logit(before) + ln DLR: with −logit(before) on the left and logit(after) on the right, the middle
        of a line is at ½ ln DLR.
        """
        odds, start = special.logit(PERCENT / 100), -special.logit(self.pre_test)
        marks: list[Mark] = []
        for result, e, color in (("positive", self.positive, "accent"), ("negative", self.negative, "C0")):
            end, ends = special.logit(e.value), special.logit(e.ci(self.level))
            marks.append(Area([0, 2, 2], [start, *ends.clip(-7, 7)], color=color))
            marks.append(Line([0, 2], [start, end], f"{result}: {with_interval(e, self.level)}", "-o", color))
        for x, at, numbers in ((0, -odds, PERCENT), (1, np.log(RATIOS) / 2, RATIOS), (2, odds, PERCENT)):
            side = 0.03 if x == 2 else -0.03
            marks.append(Line([x, x], [at.min(), at.max()], color="soft", width=0.9))
            for place, number in zip(at.tolist(), numbers.tolist(), strict=True):
                marks.append(Line([x, x + side], [place, place], color="soft", width=0.9))
                marks.append(Text(x + 1.6 * side, place, f"{number:g}", "start" if x == 2 else "end"))
        for x, words in enumerate(("before the test (%)", "likelihood ratio", "after the test (%)")):
            marks.append(Text(x, -7.7, words))
        marks.append(Points([0], [start], color="ink", size=20))
        panel = Panel(marks, x_limits=(-0.45, 2.45), y_limits=(-8.0, 8.6), frame=False, legend="upper center")
        return Figure("Fagan's nomogram", (panel,), size=(5.6, 7.2))

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
