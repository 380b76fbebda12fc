"""The analysis of a reader study: how much the mean over readers of each modality varies, and each difference, by
Obuchowski and Rockette's method or by U-statistics; and the test that all modalities are equal."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy import stats

from trueness.errors import InputError
from trueness.reading.anova import Anova, Random, Spread, off_diagonal, spread_of_independent, spread_of_mean
from trueness.reading.merits import Merits
from trueness.reading.moments import ReaderMoments
from trueness.result.notes import Note
from trueness.result.words import SMALLEST_P, StandardError
from trueness.typing import Floats, Ints, Label, Record

Method = Literal["or", "u"]
METHODS: tuple[Method, ...] = ("or", "u")
RANDOM: tuple[Random, ...] = ("both", "readers", "cases")

OBUCHOWSKI_ROCKETTE = StandardError(
    "obuchowski-rockette",
    "Obuchowski and Rockette's method with Hillis' degrees of freedom",
    "obuchowski_rockette_1995",
    "hillis_2007",
)
ONE_SHOT = StandardError(
    "one-shot", "the one-shot U-statistics of Gallas", "gallas_2006", "gallas_2009", "obuchowski_gallas_hillis_2012"
)
COVARIANCES = {
    "delong": StandardError("delong", "covariances of the cases by DeLong", "delong_1988"),
    "cases": StandardError("cases", "the usual covariances of means over cases"),
    "jackknife": StandardError("jackknife", "covariances of the cases by the jackknife", "efron_1982"),
    "unbiased": StandardError("unbiased", "covariances of the cases without bias", "gallas_2006"),
}


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
        if name not in self.to_dict():
            raise InputError(f"There is no component {name!r}", fix=f"Components: {', '.join(self.to_dict())}")
        return float(self.to_dict()[name])

    def to_dict(self) -> Record:
        """All by name."""
        names = ("ms_t", "ms_r", "ms_tr", "var", "cov1", "cov2", "cov3", "var_r", "var_tr")
        sizes = ("n_modalities", "n_readers", "n_cases", "n_read")
        return {name: getattr(self, name) for name in (*names, *sizes)}


@dataclass(frozen=True)
class Equality:
    """The test that all modalities are equal."""

    name: str
    statistic: float
    df: float | tuple[float, float] | None
    p_value: float
    sources: tuple[str, ...] = ()


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
    def moments(self) -> ReaderMoments | None:
        """M1 … M8; None where the figure of merit is neither a mean over pairs nor over cases."""
        readings = self.merits.readings
        return None if self.merits.sums is None else ReaderMoments(self.merits.sums, readings.modality, readings.reader)

    @cached_property
    def anova(self) -> Anova | None:
        """Of the readers who read in every modality; None where there are too few."""
        readings = self.merits.readings
        table, common = readings.table(np.arange(len(readings.modalities)))
        if len(common) < (1 if self.random == "cases" else 2):
            return None
        return Anova(self.merits.values[table], self._covariances(table), readings.block[common])

    def _covariances(self, table: Ints) -> Floats:
        flat = table.ravel()
        return self.merits.covariance[np.ix_(flat, flat)].reshape(*table.shape, *table.shape)

    def mean(self, i: int) -> Spread:
        """The mean over readers of a modality."""
        if self.method == "u" and self.moments is not None:
            return self.moments.spread(self.random, i)
        readings, of = self.merits.readings, self.merits.readings.of(i)
        covariance = self.merits.covariance[np.ix_(of, of)]
        return spread_of_mean(self.merits.values[of], covariance, readings.block[readings.reader[of]], self.random)

    def difference(self, i: int, j: int) -> Spread:
        """Of two modalities."""
        if self.method == "u" and self.moments is not None:
            return self.moments.spread(self.random, i, j)
        readings, anova = self.merits.readings, self.anova
        if len(readings.modalities) > 2 and anova is not None and readings.design != "mixed":
            below, df = anova.denominator(self.random)
            value = float(anova.values[i].mean() - anova.values[j].mean())
            return Spread(value, 2 * below / anova.r, df, anova.ms_tr, anova.cov2 - anova.cov3, anova.cov2 < anova.cov3)
        table, common = readings.table(np.array([i, j]))
        if len(common) >= (1 if self.random == "cases" else 2):
            return self._paired(table, readings.block[common])
        if len(common) and self.random != "cases":
            problem = f"Only one reader read in both modalities {readings.modalities[i]} and {readings.modalities[j]}"
            raise InputError(problem, param="reader", fix="Pass method='u', which uses all readings")
        first, second = readings.of(i), readings.of(j)
        cross = float(self.merits.covariance[np.ix_(first, second)].mean())
        return spread_of_independent(self.mean(i), self.mean(j), (len(first), len(second)), cross, self.random)

    def _paired(self, table: Ints, block: Ints) -> Spread:
        values, c = self.merits.values[table], self._covariances(table)
        covariance = c[0, :, 0, :] + c[1, :, 1, :] - c[0, :, 1, :] - c[1, :, 0, :]
        return spread_of_mean(values[0] - values[1], covariance, block, self.random)

    def equality(self) -> Equality | None:
        """The test that all modalities are equal; None with one modality."""
        t = len(self.merits.readings.modalities)
        if t == 1:
            return None
        if t == 2:
            return self._of_two(self.difference(0, 1))
        if self.anova is not None and self.merits.readings.design != "readers-in-modalities":
            return self._of_several(self.anova)
        found = [self._of_two(self.difference(i, j)) for i, j in self.merits.pairs()]
        p = min(1.0, len(found) * min(e.p_value for e in found if e is not None))
        return Equality("Smallest of all pairs, Bonferroni", math.nan, None, p)

    def _of_two(self, d: Spread) -> Equality | None:
        if d.variance <= 0:
            return Equality("No spread", 0.0, None, 1.0) if d.value == 0 else None
        square = d.value**2 / d.variance
        name = self.test_name
        if d.df is None:
            return Equality(f"{name}, χ²", square, 1.0, max(float(stats.chi2.sf(square, 1)), SMALLEST_P))
        return Equality(f"{name}, F", square, (1.0, d.df), max(float(stats.f.sf(square, 1, d.df)), SMALLEST_P))

    def _of_several(self, anova: Anova) -> Equality | None:
        """Obuchowski and Rockette's with method "u" too, with covariances without bias: U-statistics have no F of several."""
        (below, df), df1 = anova.denominator(self.random), float(anova.t - 1)
        if below <= 0:
            return Equality("No spread", 0.0, None, 1.0) if anova.ms_t == 0 else None
        f = anova.ms_t / below
        if df is None:
            p = float(stats.chi2.sf(df1 * f, df1))
            return Equality("Obuchowski–Rockette, χ²", df1 * f, df1, max(p, SMALLEST_P), self._anova_se.sources)
        p = max(float(stats.f.sf(f, df1, df)), SMALLEST_P)
        return Equality("Obuchowski–Rockette, F", f, (df1, df), p, self._anova_se.sources)

    @property
    def test_name(self) -> str:
        """Name of the tests."""
        return "Obuchowski–Rockette" if self.method == "or" else "One-shot U-statistics"

    @property
    def se_method(self) -> StandardError:
        """Which standard error it is."""
        return ONE_SHOT if self.method == "u" else self._anova_se

    @property
    def _anova_se(self) -> StandardError:
        return OBUCHOWSKI_ROCKETTE.plus(COVARIANCES["cases" if self.merits.by_cases else self.merits.by])

    @cached_property
    def components(self) -> ReaderComponents:
        """Of the readers who read in every modality; of all where these are too few."""
        readings, anova = self.merits.readings, self.anova
        n = int(self.merits.counted.sum())
        if anova is not None:
            own = anova.t == 1
            ms_r = self.mean(0).ms if own and self.method == "or" and self.random != "cases" else anova.ms_r
            return ReaderComponents(
                anova.ms_t, ms_r, anova.ms_tr, anova.var, 0.0 if own else anova.cov1, anova.cov2,
                0.0 if own else anova.cov3, anova.t, anova.r, n, self._n_read,
            )  # fmt: skip
        c, reader, modality = self.merits.covariance, readings.reader, readings.modality
        same = reader[:, None] == reader, modality[:, None] == modality
        means = np.array([self.merits.values[readings.of(m)].mean() for m in range(len(readings.modalities))])
        sizes = np.array([len(readings.of(m)) for m in range(len(readings.modalities))])
        whole = float(self.merits.values.mean())
        ms_t = float((sizes * (means - whole) ** 2).sum() / (len(sizes) - 1))
        ms_r = float(((self.merits.values - means[modality]) ** 2).sum() / max(1, len(reader) - len(sizes)))
        return ReaderComponents(
            ms_t, ms_r, math.nan, float(np.diag(c).mean()), off_diagonal(c, same[0] & ~same[1]),
            off_diagonal(c, ~same[0] & same[1]), off_diagonal(c, ~same[0] & ~same[1]),
            len(sizes), len(readings.readers), n, self._n_read,
        )  # fmt: skip

    @property
    def _n_read(self) -> float:
        read = self.merits.readings.read[:, self.merits.counted].astype(float)
        both, n = read @ read.T, read.sum(axis=1)
        return float((np.outer(n, n)[both > 0] / both[both > 0]).mean())


def notes_of(spread: Spread, analysis: Analysis) -> tuple[Note, ...]:
    """What the reader of a standard error should know."""
    if not spread.truncated or analysis.random != "both" or spread.variance == 0:
        return ()
    if analysis.method == "u":
        return (Note("negative-variance", variance=spread.cov2),)
    return (Note("negative-covariance", covariance=spread.cov2),)


def words_of_random(random: Random) -> str:
    """What a study like this one would draw anew."""
    return {
        "both": "readers and cases like these",
        "readers": "readers like these, on these cases",
        "cases": "these readers, on cases like these",
    }[random]


def labelled(values: Mapping[Label, object], label: Label, param: str) -> Label:
    """The key that is meant: as it is, or as text."""
    for key in values:  # names are different as texts too
        if str(key) == str(label):
            return key
    raise InputError(f"There is no modality {label!r}", param=param, fix=f"Modalities: {', '.join(map(str, values))}")
