"""How many readers and cases a reader study needs, and what power it has.

By Obuchowski and Rockette's model with components of a pilot study or published ones: error variance and covariances fall
like 1/cases, and with r readers and c the ratio of the cases of the pilot to those of the study

    V = σ²_TR + c [Var − Cov1 + (r − 1) max(Cov2 − Cov3, 0)],   λ = r Δ²/(2 V),
    df₂ = V² (r − 1) / {σ²_TR + c [Var − Cov1 − max(Cov2 − Cov3, 0)]}²

is the power that of F with 1 and df₂ degrees of freedom and noncentrality λ (Hillis, Obuchowski & Berbaum 2011, eq. 10).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
from scipy import stats

from trueness.checks import check_choice, check_level, check_whole, is_number, refuses_foreign
from trueness.comparisons.registry import check_inside
from trueness.comparisons.sample_size import check_difference, smallest
from trueness.errors import InputError
from trueness.figures import Figure, Line, Mark, Panel
from trueness.reading.analysis import RANDOM, ReaderComponents
from trueness.reading.anova import Random
from trueness.result.shown import Drawn, Result, records
from trueness.result.table import Page, Table
from trueness.result.test_result import assumes
from trueness.typing import Record

if TYPE_CHECKING:
    from trueness.reading.result import ReaderStudy

READERS = (3, 4, 5, 6, 8, 10, 12, 15, 20)
ASSUMPTIONS = (
    "variance components are those of the pilot, and the cases of the study are like its cases, with the same share of "
    "positives.",
    "every reader reads every case in both modalities.",
)
PUBLISHED = ("var_tr", "var", "cov1", "cov2", "cov3", "n_cases")
MAX_CASES = 10**6


@dataclass(frozen=True)
class Pilot:
    """Components that a size rests on: σ²_TR, and error variances per case."""

    var_tr: float
    var: float  # Var − Cov1 of one case
    shared: float  # max(Cov2 − Cov3, 0) of one case

    @classmethod
    def of(cls, components: ReaderStudy | ReaderComponents | Mapping[str, float]) -> Pilot:
        """From a study, its components, or published ones by name."""
        found = getattr(components, "components", components)
        if isinstance(found, ReaderComponents):
            if found.n_modalities < 2:
                raise InputError("The pilot study must have two modalities", param="components")
            given = found.to_dict()
            if math.isnan(given["var_tr"]):
                raise InputError("The pilot study has no reader in both modalities", param="components")
        elif isinstance(found, Mapping):
            given = _published(found)
        else:
            fix = f"Pass a ReaderStudy, or a mapping with {', '.join(PUBLISHED)}"
            raise InputError(
                "components must be those of a study", param="components", got=type(found).__name__, fix=fix
            )
        n, shared = given["n_cases"], max(given["cov2"] - given["cov3"], 0.0)
        # σ²_TR as an estimate may be below 0; covariances are truncated as in the test (Hillis et al. 2011)
        var_tr = given["var_tr"]
        if given["cov2"] < given["cov3"] and isinstance(found, ReaderComponents):
            var_tr -= given["cov2"] - given["cov3"]
        return cls(max(var_tr, 0.0), n * (given["var"] - given["cov1"]), n * shared)

    def variance(self, readers: int, cases: float, random: Random) -> tuple[float, float | None]:
        """Of a difference of two modalities, and its degrees of freedom."""
        if random == "readers":
            v = self.var_tr + (self.var - self.shared) / cases
            return 2 * v / readers, readers - 1.0
        if random == "cases":
            return 2 * (self.var + (readers - 1) * self.shared) / cases / readers, None
        v = self.var_tr + (self.var + (readers - 1) * self.shared) / cases
        ms = self.var_tr + (self.var - self.shared) / cases
        return 2 * v / readers, (v / ms) ** 2 * (readers - 1) if ms > 0 else None

    def power(self, difference: float, readers: int, cases: float, level: float, random: Random) -> float:
        """Of the two-sided test."""
        variance, df = self.variance(readers, cases, random)
        if variance <= 0:
            return 1.0
        noncentrality = difference**2 / variance
        if df is None:
            return float(stats.ncx2.sf(stats.chi2.ppf(level, 1), 1, noncentrality))
        return float(stats.ncf.sf(stats.f.ppf(level, 1, df), 1, df, noncentrality))


def _published(given: Mapping[str, float]) -> dict[str, float]:
    """Covariances may be given as correlations r1, r2, r3 of the error variance `var`."""
    known = dict(given)
    for k in (1, 2, 3):
        if f"r{k}" in known and "var" in known:
            known.setdefault(f"cov{k}", known[f"r{k}"] * known["var"])
    missing = [name for name in PUBLISHED if name not in known]
    wrong = [name for name in PUBLISHED if name in known and not is_number(known[name])]
    if missing or wrong:
        raise InputError(
            "Components are missing or not numbers",
            param="components",
            got=f"no {', '.join(missing)}" if missing else f"{wrong[0]} = {known[wrong[0]]!r}",
            fix=f"Needed: {', '.join(PUBLISHED)}; cov1 to cov3 also as correlations r1 to r3",
        )
    if known["n_cases"] < 2 or known["var"] <= 0:
        raise InputError("var must be positive and n_cases at least 2", param="components", got=dict(given))
    return {name: float(known[name]) for name in PUBLISHED}


@refuses_foreign
def power_for_readers(
    n_readers: int,
    n_cases: int,
    difference: float,
    *,
    components: ReaderStudy | ReaderComponents | Mapping[str, float],
    level: float = 0.95,
    random: Random = "both",
) -> float:
    """Power of the test of two modalities in a crossed study.

    Parameters
    ----------
    n_readers, n_cases : int
        Size of the study; cases of both classes together.
    difference : float
        The true difference of the two modalities.
    components : ReaderStudy, ReaderComponents or mapping
        A pilot study, or published components: `var_tr`, `var`, `cov1`, `cov2`, `cov3` (or correlations `r1`, `r2`, `r3`)
        and the `n_cases` they belong to.
    level : float, default 0.95
        1 − α of the test.
    random : {"both", "readers", "cases"}, default "both"
        What another study would draw anew.

    Returns
    -------
    float

    Examples
    --------
    >>> published = {"var_tr": 0.0002, "var": 0.0008, "r1": 0.43, "r2": 0.43, "r3": 0.30, "n_cases": 114}
    >>> round(power_for_readers(6, 200, 0.05, components=published), 3)
    0.845
    """
    check_whole("n_readers", n_readers, 1 if random == "cases" else 2)
    check_whole("n_cases", n_cases, 4)
    check_level(level)
    check_choice("random", random, RANDOM, f"random must be one of {', '.join(RANDOM)}")
    check_inside("difference", difference, -1, 1)
    return Pilot.of(components).power(difference, n_readers, n_cases, level, random)


@refuses_foreign
def size_for_readers(
    difference: float,
    *,
    components: ReaderStudy | ReaderComponents | Mapping[str, float],
    power: float = 0.8,
    readers: int | Iterable[int] = READERS,
    level: float = 0.95,
    random: Random = "both",
) -> ReaderSizes:
    """Numbers of readers and cases for the test of two modalities to detect a difference.

    Parameters
    ----------
    difference : float
        The true difference of the two modalities.
    components : ReaderStudy, ReaderComponents or mapping
        A pilot study or published components, as `power_for_readers` takes them.
    power : float, default 0.8
        Probability of detecting the difference.
    readers : int or iterable of int
        Numbers of readers for which the cases are found; 3 to 20 by default.
    level : float, default 0.95
        1 − α of the test.
    random : {"both", "readers", "cases"}, default "both"
        What another study would draw anew.

    Returns
    -------
    ReaderSizes
        `.frame()` has one row per number of readers.

    Examples
    --------
    >>> published = {"var_tr": 0.0002, "var": 0.0008, "r1": 0.43, "r2": 0.43, "r3": 0.30, "n_cases": 114}
    >>> size_for_readers(0.05, components=published, readers=[4, 8]).frame()[["readers", "cases"]].values.tolist()
    [[4, 360], [8, 134]]
    """
    check_inside("difference", difference, -1, 1)
    check_difference(difference, "difference")
    check_inside("power", power, 0, 1)
    check_level(level)
    check_choice("random", random, RANDOM, f"random must be one of {', '.join(RANDOM)}")
    numbers = [readers] if isinstance(readers, int) else list(readers)
    if not numbers:
        raise InputError("readers must name at least one number", param="readers", got="none")
    for n in numbers:
        check_whole("readers", n, 1 if random == "cases" else 2)
    pilot = Pilot.of(components)
    rows: list[tuple[int, int | None, float]] = []
    for n in numbers:
        best, cases = pilot.power(difference, n, math.inf, level, random), None
        if best > power:
            found = smallest(lambda c, n=n: pilot.power(difference, n, c, level, random) >= power, 4)  # type: ignore[misc]
            cases = found if found <= MAX_CASES else None
        rows.append((n, cases, best if cases is None else pilot.power(difference, n, cases, level, random)))
    return ReaderSizes(difference, power, level, random, pilot, tuple(rows))


@dataclass(frozen=True, eq=False, repr=False)
class ReaderSizes(Result, Drawn):
    """How many cases each number of readers needs.

    Attributes
    ----------
    difference, power, level, random
        What was asked for.
    pilot : Pilot
        The components.
    rows : tuple of (int, int or None, float)
        Readers, cases, and the power reached; without a number of cases, the power with any number of cases.
    """

    difference: float
    power: float
    level: float
    random: Random
    pilot: Pilot
    rows: tuple[tuple[int, int | None, float], ...]

    def frame(self) -> pd.DataFrame:
        """One row per number of readers: `readers`, `cases`, `power`. Where no number of cases suffices, `cases` is
        missing and `power` is that of infinitely many."""
        out = pd.DataFrame(self.rows, columns=["readers", "cases", "power"])
        return out.astype({"cases": "Int64"})

    def page(self, level: float | None = None) -> Page:
        enough = [(n, c) for n, c, _ in self.rows if c is not None]
        goal = f"Difference of {self.difference:g}, power {self.power:g} at level {self.level:g}"
        said = f"{goal}: no number of cases suffices with these readers."
        if enough:
            n, c = min(enough, key=lambda row: row[0] * row[1])
            said = f"{goal}: {n} readers and {c} cases need the fewest readings ({n * c} per modality)."
        rows = [(str(n), "no number suffices" if c is None else str(c), f"{p:.3f}") for n, c, p in self.rows]
        table = Table.of(("readers", "cases", "power"), rows)
        return Page("Readers and cases", said, (table,), footer=assumes(ASSUMPTIONS))

    def figure(self) -> Figure:
        """Power against the number of cases, one line per number of readers."""
        known = [c for _, c, _ in self.rows if c is not None]
        top = 2 * max(known) if known else 1000
        cases = [max(4, round(top * k / 60)) for k in range(1, 61)]
        marks: list[Mark] = []
        for k, (n, _, _) in enumerate(self.rows):
            powers = [self.pilot.power(self.difference, n, c, self.level, self.random) for c in cases]
            marks.append(Line(cases, powers, f"{n} readers", color=f"C{k % 8}"))
        panel = Panel(marks, f"difference {self.difference:g}", "cases", "power", y_limits=(0.0, 1.02))
        return Figure("Power of a reader study", (panel,), size=(6.4, 4.6))

    def to_dict(self) -> Record:
        return {
            "difference": self.difference,
            "power": self.power,
            "level": self.level,
            "random": self.random,
            "sizes": records(self.frame().astype(object).where(self.frame().notna(), None)),
            "assumptions": list(ASSUMPTIONS),
        }
