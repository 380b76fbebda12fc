"""Measured: a metric of M rules on the same n cases, and what each case adds to it.

Everything that is asked of several rules on one test set follows from here, once: the standard error of each rule and
of each difference, with and without groups, their degrees of freedom and design effect, the interval that suits the
metric, the p-value of a difference (result/joint.py), and the joint law of all differences (result/joint.py).

| metric | one rule | difference |
|---|---|---|
| share of cases (`Means` of 0/1) | Wilson, of effective cases | Tango; McNemar's exact test, in groups Obuchowski's χ² |
| mean of other values (`Means`) | Wald or Wilson, Student's t | paired t |
| AUC (`Aucs`) | logit with DeLong's se (scored.py) | DeLong's; t where a class is small, or in groups |
| other measure of a table (`Tables` of trueness.tables.rules) | that of the table | MOVER; value over its se |
| any other (`Measured`) | that of the metric | Wald, by the difference of the influences |
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from trueness.formulas.auc import delong_influence
from trueness.formulas.groups import (
    DesignEffect,
    delong_in_groups,
    group_factor,
    group_sizes,
    group_sums,
    sizes_by_class,
)
from trueness.result.estimate import Estimate
from trueness.result.grouped import few_groups, in_groups, share_in_groups
from trueness.result.interval import LOGIT, WALD, WILSON, IntervalRule
from trueness.result.joint import ROUNDING, Tango, difference_of_shares, without_zero_se
from trueness.result.notes import NO_VARIANCE
from trueness.result.words import BINOMIAL, DELONG, DELTA, GROUPS, StandardError
from trueness.sample.scored import (
    ONE_CASE,
    Scored,
    auc_of_influence,
    auc_of_scores,
    delong_of_groups,
    equal_ranks,
    satterthwaite,
)
from trueness.typing import Array, Bools, Floats, Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class Measured:
    """A metric of M rules on the same cases. `influence` is the one place where cases enter: weights of the cases would
    multiply it."""

    metric: str
    values: Floats  # (M,)
    influence: Floats  # (M, n) summed within groups, the squares add up to the variance
    said: Array  # (M, ...) what the rules said: where two are equal, a standard error of 0 is right
    groups: Ints | None = None  # (n,)
    # (n,) the part that a case belongs to, where several are averaged, −1 for none: Satterthwaite's df is over these
    codes: Ints | None = None
    bounds: tuple[float, float] = (-math.inf, math.inf)
    interval: IntervalRule = WALD  # of one rule
    se_method: StandardError = DELTA

    def sums(self, influence: Floats) -> Floats:
        """(..., n) summed within groups."""
        return influence if self.groups is None else group_sums(influence, self.groups)

    @property
    def size(self) -> float:
        """Relative to which a spread is 0 but for rounding."""
        return 1.0

    def difference(self, i: int = 0, j: int = 1) -> Estimate:
        """first − second: the influences are subtracted, so that what both owe to the same cases cancels."""
        return self._checked(self._difference(self.influence[i] - self.influence[j], i, j), i, j)

    def _difference(self, influence: Floats, i: int, j: int) -> Estimate:
        low, high = self.bounds
        out = Estimate(
            float(self.values[i] - self.values[j]),
            se=float(np.linalg.norm(self.sums(influence))),
            influence=influence,
            metric=f"{self.metric} difference",
            se_method=self.se_method,
            estimand="these two rules",
            bounds=(low - high, high - low),
            df=self._df(influence),
        )
        if not np.isnan(influence).any():
            return out
        return out.with_(se=None, se_method=None, influence=None, df=None).noting(few_groups(1))

    def _df(self, influence: Floats) -> float | None:
        """Satterthwaite's, where a part has few cases; groups have their own."""
        if self.groups is not None or self.codes is None:
            return None
        used = self.codes >= 0
        return satterthwaite(influence[used], self.codes[used])

    def _checked(self, d: Estimate, i: int, j: int) -> Estimate:
        return without_zero_se(d, self._same(i, j), self.size)

    def _same(self, i: int, j: int) -> bool:
        return np.array_equal(self.said[i], self.said[j], equal_nan=self.said.dtype.kind == "f")

    def correlation(self, i: int, j: int) -> float | None:
        """Of two rules over the cases; None where one does not vary."""
        a, b = self.influence[i], self.influence[j]
        spread = float(np.linalg.norm(a) * np.linalg.norm(b))
        return float(a @ b) / spread if spread > 0 else None


@dataclass(frozen=True, eq=False, kw_only=True)
class Means(Measured):
    """Means over cases of a value of each: correctness, a loss, a score."""

    cases: Floats  # (M, n) the value of each case; those outside `of` are not read
    of: Bools  # (n,) the cases that count
    binary: bool  # whether every value is 0 or 1 by its meaning: the metric is a share
    rounding: float = 0.0  # a value this small is 0 but for rounding, where values have a unit

    @classmethod
    def over(
        cls,
        cases: Floats,
        groups: Ints | None = None,
        *,
        metric: str,
        of: Bools | None = None,
        binary: bool = False,
        plug_in: bool = False,
        bounds: tuple[float, float] = (-math.inf, math.inf),
        interval: IntervalRule = WALD,
        se_method: StandardError = BINOMIAL,
        said: Array | None = None,
        rounding: float = 0.0,
    ) -> Self:
        """Var = Σ (v − v̄)²/n² for shares, and for costs of a table (`plug_in`); s²/n for other values; over groups
        Σ_g (Σ_{i in g} (v_i − v̄))²/(1 − w_g)/n²."""
        of = np.ones(cases.shape[1], dtype=bool) if of is None else of
        n, means = int(of.sum()), cases[:, of].mean(axis=1)
        factor: Floats | float
        if groups is not None:
            factor = group_factor(groups[of])
        else:
            factor = 1.0 if binary or plug_in else n / (n - 1) if n > 1 else math.nan
        influence = np.zeros(cases.shape)
        influence[:, of] = (cases[:, of] - means[:, None]) / n * np.sqrt(factor)
        return cls(
            metric=metric,
            values=means,
            influence=influence,
            said=cases if said is None else said,
            groups=groups,
            codes=np.where(of, 0, -1) if plug_in else None,
            bounds=bounds,
            interval=interval,
            se_method=se_method,
            cases=cases,
            of=of,
            binary=binary,
            rounding=rounding,
        )

    @property
    def size(self) -> float:
        return max(float(np.abs(self.cases[:, self.of]).max()), self.rounding or ROUNDING)

    @property
    def n(self) -> int:
        return int(self.of.sum())

    def estimate(self, k: int = 0) -> Estimate:
        """The mean of one rule: a share has Wilson's interval, in groups of the effective number of cases."""
        if self.binary and self.groups is not None:
            return share_in_groups(self.cases[k], self.groups, "wilson", self.of, metric=self.metric)
        value, n, influence = float(self.values[k]), self.n, self.influence[k]
        out = Estimate(
            value,
            se=float(np.linalg.norm(self.sums(influence))),
            influence=influence,
            metric=self.metric,
            se_method=self.se_method,
            bounds=self.bounds,
            interval=self.interval,
            cases=n,
            tested=n,
            plain=self.binary,
        )
        if self.binary:
            return out.with_(se=math.sqrt(value * (1 - value) / n), interval=WILSON)
        if self.groups is not None:
            out = out.with_(se_method=self.se_method.plus(GROUPS))
            out = in_groups(out, self._effect(k)).with_(cases=n)
        elif self.codes is None:
            out = out.with_(df=float(n - 1))
        at_end = any(abs(value - end) <= self.rounding for end in self.bounds)
        if out.se is not None and out.se < ROUNDING * self.size and not at_end:
            return out.with_(se=None, se_method=None, influence=None).noting(NO_VARIANCE)
        return out

    def _effect(self, i: int, j: int | None = None) -> DesignEffect:
        values = self.cases[i, self.of] if j is None else (self.cases[i] - self.cases[j])[self.of]
        influence = self.influence[i] if j is None else self.influence[i] - self.influence[j]
        variance, alone = float((self.sums(influence) ** 2).sum()), float(values.var(ddof=1)) / self.n
        assert self.groups is not None
        return DesignEffect.of(variance, alone, self.n, group_sizes(self.groups[self.of]))

    def _difference(self, influence: Floats, i: int, j: int) -> Estimate:
        if self.binary:
            return self._of_shares(influence, (self.cases[i] - self.cases[j])[self.of], i, j)
        out = super()._difference(influence, i, j).with_(cases=self.n, tested=self.n)
        if self.groups is None:
            return out if self.codes is not None else out.with_(df=float(self.n - 1))
        return in_groups(out.with_(se_method=self.se_method.plus(GROUPS)), self._effect(i, j))

    def _of_shares(self, influence: Floats, gap: Floats, i: int, j: int) -> Estimate:
        x, y = int((gap > 0).sum()), int((gap < 0).sum())
        out = difference_of_shares(x, y, self.n, self.metric)
        if self.groups is None:
            return out if out.se is None else out.with_(influence=influence)
        # Obuchowski's variance under the null hypothesis centres the correct cases of a group at n_g times the pooled
        # share of both rules, so that the centres cancel and Σ_g (x_g − y_g)² remains
        effect, sums = self._effect(i, j), group_sums(gap, self.groups[self.of])
        null = float((sums**2).sum()) * len(sums) / max(len(sums) - 1, 1)
        rule = Tango(x, y, self.n, effect, (x - y) / math.sqrt(null) if null > 0 else 0.0)
        se = float(np.linalg.norm(self.sums(influence)))
        known = {"se": se, "se_method": BINOMIAL.plus(GROUPS), "influence": influence, "notes": ()}
        if se < ROUNDING:
            known = {"se": None, "se_method": None, "notes": (NO_VARIANCE,)}
        return in_groups(out.with_(interval=rule, **known), effect)

    def _checked(self, d: Estimate, i: int, j: int) -> Estimate:
        return d.with_(identical=self._same(i, j)) if self.binary else super()._checked(d, i, j)


@dataclass(frozen=True, eq=False, kw_only=True)
class Aucs(Measured):
    """Mann–Whitney AUCs, ties counting ½; several runs of a rule, or several classes, are averaged."""

    alone: Floats  # (M, n) DeLong's vectors, as of independent cases
    codes: Ints  # (n,) class of each case
    scored: tuple[Scored, ...] = ()  # of two classes and one run

    @classmethod
    def over(cls, rules: Sequence[Sequence[tuple[Floats, Bools]]], codes: Ints, groups: Ints | None = None) -> Self:
        """From the parts of each rule that are averaged: scores (n,) and which cases are positive (n,)."""
        found = [[delong_influence(*part) for part in parts] for parts in rules]
        alone = np.array([np.mean([g for _, g in parts], axis=0) for parts in found])
        scored: tuple[Scored, ...] = ()
        if all(len(parts) == 1 for parts in rules) and len(np.unique(codes)) == 2:
            scored = tuple(Scored(*parts[0], groups=groups) for parts in rules)
            for one, (known,) in zip(scored, found, strict=True):
                one.__dict__["delong"] = known  # it is computed once
        return cls(
            metric="auc",
            values=np.array([np.mean([value for value, _ in parts]) for parts in found]),
            influence=alone if groups is None else delong_in_groups(alone, codes, groups),
            said=np.array([[scores for scores, _ in parts] for parts in rules]),
            groups=groups,
            bounds=(0.0, 1.0),
            se_method=DELONG,
            alone=alone,
            codes=codes,
            scored=scored,
        )

    @property
    def units(self) -> int:
        """Independent cases, or groups, of the class that has the fewest."""
        units = np.arange(len(self.codes)) if self.groups is None else self.groups
        return min(map(len, sizes_by_class(units, self.codes)))

    def estimate(self, k: int = 0) -> Estimate:
        """The AUC of one rule, as `trueness.roc` has it."""
        if self.scored:
            return auc_of_scores(self.scored[k])
        value = float(self.values[k])
        out = Estimate(
            value, metric="auc", bounds=self.bounds, interval=LOGIT, cases=self.units, tested=len(self.codes)
        )
        return auc_of_influence(out, self.alone[k], self.codes, self.groups)

    def _difference(self, influence: Floats, i: int, j: int) -> Estimate:
        out = super()._difference(influence, i, j).with_(cases=self.units)
        why = ONE_CASE if np.isnan(influence).any() else None
        if out.se is not None and out.se >= ROUNDING:
            kinds, two = np.unique(self.codes), self.values[[i, j]]
            parts = np.bincount(self.codes, (self.alone[i] - self.alone[j]) ** 2)[kinds]
            why = equal_ranks(float(np.maximum(two, 1 - two).max()), parts, np.bincount(self.codes)[kinds])
        if why is not None:
            return out.with_(se=None, se_method=None, influence=None, df=None, notes=(why,))
        if self.groups is None:
            return out
        return delong_of_groups(out, self.alone[i] - self.alone[j], self.codes, self.groups)
