"""The analysis of a reader study: how much the mean over readers of each modality varies, and each difference, by
Obuchowski and Rockette's method or by U-statistics; and the test that all modalities are equal."""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy import stats

from trueness.errors import InputError
from trueness.reading.anova import Anova, Random, Spread, off_diagonal, spread_of_independent, spread_of_mean
from trueness.reading.merits import Merits
from trueness.reading.moments import ReaderMoments
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.test_result import TestResult
from trueness.result.words import INDEPENDENT_CASES, StandardError
from trueness.typing import Floats, Ints, Record

Method = Literal["or", "u"]
METHODS = {"or": "Obuchowski–Rockette", "u": "One-shot U-statistics"}
RANDOM = {  # what a study like this one would draw anew
    "both": "readers and cases like these",
    "readers": "readers like these, on these cases",
    "cases": "these readers, on cases like these",
}
DRAWN_READERS = "the readers are draws from those of interest, independent of each other."
ASSUMED = {
    "both": (DRAWN_READERS, INDEPENDENT_CASES),
    "readers": (DRAWN_READERS, "the result is about these cases alone."),
    "cases": ("the result is about these readers alone.", INDEPENDENT_CASES),
}

OBUCHOWSKI_ROCKETTE = StandardError(
    "obuchowski-rockette",
    "Obuchowski and Rockette's method with Hillis' degrees of freedom",
    "obuchowski_rockette_1995",
    "hillis_2007",
)
ONE_SHOT = StandardError(
    "one-shot", "the one-shot U-statistics of Gallas", "gallas_2006", "gallas_2009", "obuchowski_gallas_hillis_2012"
)
COMPONENTS = ("ms_t", "ms_r", "ms_tr", "var", "cov1", "cov2", "cov3", "var_r", "var_tr")


@dataclass(frozen=True)
class ReaderComponents:
    """Mean squares and covariances of Obuchowski and Rockette's model, and what follows from them.

    Attributes
    ----------
    ms_t, ms_r, ms_tr : float
        Mean squares of modalities, readers and their interaction (within groups of readers in a split-plot study); NaN
        where there is one modality.
    var, cov1, cov2, cov3 : float
        Error variance of one reading, and covariances: same reader, same modality, neither. They fall like 1/n_cases.
    n_modalities, n_readers, n_cases : int
        Sizes of the study.
    n_read : float
        The cases that these variances belong to: those of one reading where readers or modalities have cases of their
        own, and of all readings that share cases where some are missing (mean of n_k n_l/n_kl over pairs of readings).
    """

    ms_t: float
    ms_r: float
    ms_tr: float
    var: float
    cov1: float
    cov2: float
    cov3: float
    n_modalities: int
    n_readers: int
    n_cases: int
    n_read: float

    @property
    def var_r(self) -> float:
        """Variance over readers, σ²_R (Hillis 2007); may be negative."""
        if self.n_modalities == 1:
            return self.ms_r - self.var + self.cov2
        return (self.ms_r - self.ms_tr) / self.n_modalities - self.cov1 + self.cov3

    @property
    def var_tr(self) -> float:
        """Variance of readers between modalities, σ²_TR; may be negative."""
        return self.ms_tr - self.var + self.cov1 + self.cov2 - self.cov3

    @property
    def dbm(self) -> dict[str, float]:
        """Dorfman, Berbaum and Metz' components, from those of Obuchowski and Rockette (Hillis et al. 2005): of readers,
        cases, their interactions with modalities (t), and the error."""
        n, c1, c2, c3 = self.n_read, self.cov1, self.cov2, self.cov3
        return {
            "reader": self.var_r,
            "case": n * c3,
            "modality:reader": self.var_tr,
            "modality:case": n * (c2 - c3),
            "reader:case": n * (c1 - c3),
            "error": n * (self.var - c1 - c2 + c3),
        }

    def __getitem__(self, name: str) -> float:
        known = self.to_dict()
        if name not in known:
            raise InputError(f"There is no component {name!r}", fix=f"Components: {', '.join(known)}")
        return float(known[name])

    def to_dict(self) -> Record:
        """All by name."""
        return {name: getattr(self, name) for name in (*COMPONENTS, "n_modalities", "n_readers", "n_cases", "n_read")}


@dataclass(frozen=True, eq=False)
class Analysis:
    """Everything that follows from the figures of merit and their covariances.

    Attributes
    ----------
    merits : Merits
        Of every reading.
    method : {"or", "u"}
        Obuchowski and Rockette's, or U-statistics.
    random : {"both", "readers", "cases"}
        What would be drawn anew in another study.
    """

    merits: Merits
    method: Method
    random: Random

    def __post_init__(self) -> None:
        if self.method == "u" and self.merits.sums is None:
            problem = f"Method 'u' needs a mean over pairs or cases, and {self.merits.name} is none"
            raise InputError(problem, param="method", fix="Pass method='or'")
        readings = self.merits.readings
        for m, label in enumerate(readings.modalities):
            if self.random != "cases" and len(readings.of(m)) < 2:
                problem, fix = "One reader does not show how readers vary", "Pass random='cases' for this reader alone"
                raise InputError(problem, param="reader", got=f"1 in modality {label}", fix=fix)

    @cached_property
    def moments(self) -> ReaderMoments:
        """Of method "u"."""
        readings, sums = self.merits.readings, self.merits.sums
        assert sums is not None
        return ReaderMoments(sums, readings.modality, readings.reader)

    @cached_property
    def anova(self) -> Anova | None:
        """Of the readers who read in every modality; None where there are too few."""
        readings = self.merits.readings
        table, common = readings.table(np.arange(len(readings.modalities)))
        if len(common) < 1 + (self.random != "cases"):
            return None
        return Anova(self.merits.values[table], self._covariances(table), readings.block[common])

    def _covariances(self, table: Ints) -> Floats:
        flat = table.ravel()
        return self.merits.covariance[np.ix_(flat, flat)].reshape(*table.shape, *table.shape)

    def mean(self, i: int) -> Spread:
        """The mean over readers of a modality."""
        if self.method == "u":
            return self.moments.spread(self.random, i)
        readings, of = self.merits.readings, self.merits.readings.of(i)
        covariance = self.merits.covariance[np.ix_(of, of)]
        return spread_of_mean(self.merits.values[of], covariance, readings.block[readings.reader[of]], self.random)

    def difference(self, i: int, j: int) -> Spread:
        """Of two modalities."""
        if self.method == "u":
            return self.moments.spread(self.random, i, j)
        readings, anova = self.merits.readings, self.anova
        if len(readings.modalities) > 2 and anova is not None and readings.design != "mixed":
            below, df = anova.denominator(self.random)
            value = float(anova.values[i].mean() - anova.values[j].mean())
            *_, cov2, cov3 = anova.covariances
            return Spread(value, 2 * below / anova.r, df, anova.interaction[0], cov2 - cov3, cov2 < cov3)
        table, common = readings.table(np.array([i, j]))
        if len(common) >= 1 + (self.random != "cases"):
            values, c = self.merits.values[table], self._covariances(table)
            covariance = c[0, :, 0, :] + c[1, :, 1, :] - c[0, :, 1, :] - c[1, :, 0, :]
            return spread_of_mean(values[0] - values[1], covariance, readings.block[common], self.random)
        if len(common) and self.random != "cases":
            problem = f"Only one reader read in both modalities {readings.modalities[i]} and {readings.modalities[j]}"
            raise InputError(problem, param="reader", fix="Pass method='u', which uses all readings")
        first, second = readings.of(i), readings.of(j)
        cross = float(self.merits.covariance[np.ix_(first, second)].mean())
        return spread_of_independent(self.mean(i), self.mean(j), (len(first), len(second)), cross, self.random)

    def estimate(self, spread: Spread, name: str, bounds: tuple[float, float], **more: Any) -> Estimate:
        """Of a mean over readers."""
        notes: tuple[Note, ...] = ()
        if spread.truncated and self.random == "both" and spread.variance != 0:
            notes = (Note("negative-covariance", covariance=spread.cov2),)
            if self.method == "u":
                notes = (Note("negative-variance", variance=spread.cov2),)
        return Estimate(
            spread.value,
            se=math.sqrt(max(spread.variance, 0.0)),
            df=spread.df,
            metric=name,
            estimand=f"mean over {RANDOM[self.random]}",
            se_method=self.se_method,
            bounds=bounds,
            notes=notes,
            **more,
        )

    def equality(self) -> TestResult | None:
        """The test that all modalities are equal; None with one modality, and where there is no spread. Of several it is
        Obuchowski and Rockette's with method "u" too, with covariances without bias: U-statistics have no F of several."""
        readings, anova = self.merits.readings, self.anova
        t = len(readings.modalities)
        if t > 2 and anova is not None and readings.design != "readers-in-modalities":
            below, df = anova.denominator(self.random)
            return self._f(anova.ms_t, below, t - 1.0, df, METHODS["or"], self._anova_se)
        pairs = [self.difference(i, j) for i, j in combinations(range(t), 2)]
        found = [self._f(d.value**2, d.variance, 1.0, d.df, METHODS[self.method], self.se_method) for d in pairs]
        if t < 3:
            return next(iter(found), None)
        p = min(1.0, len(found) * min(e.p_value for e in found if e is not None))
        name = "Smallest of all pairs, Bonferroni"
        return TestResult(name, 0.0, p, assumptions=self.assumptions, sources=self.se_method.sources)

    def _f(
        self, above: float, below: float, df1: float, df2: float | None, name: str, se: StandardError
    ) -> TestResult | None:
        about: Record = {"assumptions": self.assumptions, "sources": se.sources}
        if below <= 0:
            return TestResult("No spread", 0.0, 1.0, **about) if above == 0 else None
        f = above / below
        if df2 is None:
            return TestResult(f"{name}, χ²", df1 * f, float(stats.chi2.sf(df1 * f, df1)), df1, **about)
        return TestResult(f"{name}, F", f, float(stats.f.sf(f, df1, df2)), (df1, df2), **about)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Of the tests."""
        return (*ASSUMED[self.random], "the mean over readers is about normal.")

    @property
    def se_method(self) -> StandardError:
        """Which standard error it is."""
        return ONE_SHOT if self.method == "u" else self._anova_se

    @property
    def _anova_se(self) -> StandardError:
        return OBUCHOWSKI_ROCKETTE.plus(self.merits.se_method)

    @cached_property
    def components(self) -> ReaderComponents:
        """Of the readers who read in every modality; of all where these are too few."""
        merits, readings, anova = self.merits, self.merits.readings, self.anova
        read = readings.read[:, merits.counted].astype(float)
        both, of_each = read @ read.T, read.sum(axis=1)
        n_read = float((np.outer(of_each, of_each)[both > 0] / both[both > 0]).mean())
        n = int(merits.counted.sum())
        if anova is not None:
            ms_r = anova.ms_r
            if anova.t == 1 and self.method == "or" and self.random != "cases":
                ms_r = self.mean(0).ms
            squares = anova.ms_t, ms_r, anova.interaction[0]
            var, cov1, cov2, cov3 = anova.covariances
            return ReaderComponents(*squares, var, cov1, cov2, cov3, anova.t, anova.r, n, n_read)
        c, values, reader, modality = merits.covariance, merits.values, readings.reader, readings.modality
        same, alike = reader[:, None] == reader, modality[:, None] == modality
        sizes = np.bincount(modality)
        means = np.bincount(modality, values) / sizes
        ms_t = float((sizes * (means - values.mean()) ** 2).sum() / (len(sizes) - 1))
        ms_r = float(((values - means[modality]) ** 2).sum() / max(1, len(reader) - len(sizes)))
        cov1, cov2, cov3 = (off_diagonal(c, of) for of in (same & ~alike, ~same & alike, ~same & ~alike))
        numbers = ms_t, ms_r, math.nan, float(np.diag(c).mean())
        return ReaderComponents(*numbers, cov1, cov2, cov3, len(sizes), len(readings.readers), n, n_read)
