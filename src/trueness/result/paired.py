"""A difference of two rules on the same cases: what it says where there is no spread, Tango's interval of two shares, and
the test that goes with it."""

import math
from dataclasses import dataclass

from trueness.formulas.groups import DesignEffect
from trueness.formulas.intervals import tail
from trueness.formulas.proportions import DEFAULT, NAMES, mcnemar_p, tango
from trueness.result.estimate import Estimate
from trueness.result.interval import Interval, IntervalRule
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.result.words import BINOMIAL, SMALLEST_P, Named, Note
from trueness.typing import Alternative

ROUNDING = 1e-12  # a spread this small, relative to the values, is 0

IDENTICAL = Note("identical-inputs", "The two inputs are equal in every case.")
ZERO_VARIANCE = Note(
    "no-se-zero-variance",
    "No standard error: the formula gives 0. ci() is Tango's interval, which has positive length.",
)
NO_SPREAD = Note(
    "no-se-zero-spread",
    "No standard error: the formula gives 0 although the two rules answer these cases differently.",
)
NO_DISCORDANT = Note("no-discordant", "No case is classified correctly by one rule and wrongly by another.")


@dataclass(frozen=True, eq=False)
class Tango(IntervalRule):
    """Tango's score interval of a difference of two shares of the same n cases, which has length even without a
    discordant case; and the test that goes with it."""

    first: int  # discordant cases: counted for the first rule only, for the second only
    second: int
    n: int  # all cases
    effect: DesignEffect | None = None  # where they come in groups: counts are divided by it
    z: float | None = None  # in groups, (x − y) over its standard error under the null hypothesis (Obuchowski 1998)
    name = Named("tango", "Tango's", "tango_1998")
    needs_se = False

    @property
    def discordant(self) -> int:
        return self.first + self.second

    def limits(self, e: Estimate, level: float) -> Interval:
        d = 1.0 if self.effect is None else self.effect.divisor(level)
        low, high = tango(self.first / d, self.second / d, self.n / d, level=level)
        return self.clipped(e, low, high, level)

    def test(self, alternative: Alternative = "two-sided") -> tuple[str, float, float, int | None]:
        """Name, statistic, p-value and degrees of freedom."""
        if self.z is None:
            return NAMES[DEFAULT], *mcnemar_p(self.first, self.second, DEFAULT, alternative), None
        p = tail(self.z, alternative) if self.discordant else 1.0
        return "McNemar, groups (Obuchowski)", self.z**2, p, 1


def paired_test(
    d: Estimate, name: str, alternative: Alternative = "two-sided", assumptions: tuple[str, ...] = ()
) -> TestResult | None:
    """The test of a paired difference by its own law: McNemar's of two shares, else value / se by Student's t or the
    normal law under this `name`. p is 1 where nothing differs; None where there is no standard error."""
    if isinstance(d.interval, Tango):
        called, statistic, p, df = d.interval.test(alternative)
        notes = () if d.interval.discordant else (NO_DISCORDANT,)
        return TestResult(called, statistic, p, df, alternative, d, assumptions, notes)
    if not d.se or math.isnan(d.se):
        equal = TestResult(name, 0.0, 1.0, d.df, alternative, d, assumptions, (NO_DIFFERENCE,))
        return equal if d.value == 0 else None
    t = d.nearest(0.0) / d.se
    p = tail(t, alternative, d.df)
    return TestResult(name, t, p, d.df, alternative, d, assumptions, p_range=p_over_seeds(d, alternative))


OF_SEEDS = 1.96  # standard deviations: 95 % of the seeds


def p_over_seeds(d: Estimate, alternative: Alternative = "two-sided") -> tuple[float, float] | None:
    """The p-values that 95 % of other seeds would give on the same cases; None where it is not known.

    The statistic T = d/se has the SD √(mc(d)² + T² mc(se)²)/se over seeds, by the delta method.
    """
    if not d.se or d.se_mc_se is None or d.mc_se is None:
        return None
    t = d.nearest(0.0) / d.se
    half = OF_SEEDS * math.hypot(d.mc_se, t * d.se_mc_se) / d.se
    ends = [t - half, t + half] if alternative != "two-sided" else [max(0.0, abs(t) - half), abs(t) + half]
    low, high = sorted(tail(end, alternative, d.df) for end in ends)
    return max(low, SMALLEST_P), min(high, 1.0)


def difference_of_shares(x: int, y: int, n: int, metric: str = "error") -> Estimate:
    """(x − y)/n from the cases counted for the first rule only and for the second only, of n independent ones;
    Var = (x + y − (x − y)²/n)/n²."""
    variance = max(x + y - (x - y) ** 2 / n, 0.0) / n**2
    out = Estimate(
        (x - y) / n,
        metric=f"{metric} difference",
        estimand="these two rules",
        bounds=(-1.0, 1.0),
        interval=Tango(x, y, n),
        cases=n,
        tested=n,
    )
    if variance < ROUNDING**2:
        return out.noting(ZERO_VARIANCE)
    return out.with_(se=math.sqrt(variance), se_method=BINOMIAL)


def without_zero_se(d: Estimate, identical: bool, size: float = 1.0) -> Estimate:
    """The difference without a standard error that is 0 although the two inputs differ, for values of this size."""
    if abs(d.value) < ROUNDING * size:
        d = d.with_(value=0.0)
    if d.se is None or not d.se < ROUNDING * size:
        return d
    if identical:
        return d.with_(value=0.0, se=0.0, identical=True).noting(IDENTICAL)
    return d.with_(se=None, se_method=None, influence=None).noting(NO_SPREAD)
