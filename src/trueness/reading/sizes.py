"""How many readers and cases a reader study needs, and what power it has.

By Obuchowski and Rockette's model with components of a pilot study or published ones: error variance and covariances fall
like 1/cases. With r readers (of each modality), s the variance that readers add, and v, k what one case adds to the error
of a difference and to what two readers share of it, a study with n cases of each reading has

    MS = s + (v − k)/n,   V = MS + ρ k/n,   Var = 2V/r,   df₂ = (V/MS)² d,

and the power is that of F with 1 and df₂ degrees of freedom and noncentrality Δ²/Var (Hillis, Obuchowski & Berbaum 2011,
eq. 10, for crossed studies; Hillis 2014 for the others, with the zeros and mean squares of the analysis):

| design | s | v | k | ρ | d |
|---|---|---|---|---|---|
| crossed | σ²_TR | Var − Cov1 | Cov2 − Cov3 | r | r − 1 |
| split-plot, groups of r_g readers | σ²_TR | Var − Cov1 | Cov2 − Cov3 | Σ r_g²/r | r − G |
| cases in readers | σ²_TR | Var − Cov1 | 0 | – | r − 1 |
| cases in modalities | σ²_TR | Var | Cov2 | r | r − 1 |
| readers in modalities | σ²_R + σ²_TR | Var − Cov3 | Cov2 − Cov3 | r | 2 (r − 1) |
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import pandas as pd
from scipy import stats

from trueness.checks import check_choice, check_level, check_whole, is_number
from trueness.comparisons.registry import check_inside
from trueness.comparisons.sample_size import check_difference
from trueness.errors import InputError
from trueness.figures.figure import Figure, Line, Mark, Panel
from trueness.reading.analysis import RANDOM, ReaderComponents
from trueness.reading.anova import Random
from trueness.reading.readings import DESIGN_WORDS
from trueness.result.columns import Column, Columns
from trueness.result.shown import Drawn, Result
from trueness.typing import Record

if TYPE_CHECKING:
    from trueness.reading.result import ReaderStudy

    Components: TypeAlias = ReaderStudy | ReaderComponents | Mapping[str, float]

READERS = (3, 4, 5, 6, 8, 10, 12, 15, 20)
PLANNED = {  # and the covariances that are not counted there
    "crossed": (),
    "split-plot": (),
    "cases-in-readers": ("cov2", "cov3"),
    "cases-in-modalities": ("cov1", "cov3"),
    "readers-in-modalities": ("cov1",),
}
LIKE_PILOT = (
    "variance components are those of the pilot, and the cases of the study are like its cases, with the same share of "
    "positives."
)
DBM = ("modality:reader", "case", "modality:case", "reader:case", "error")
MAX_CASES = 10**6
GRID = sorted(
    {*(round(4 * 2 ** (k / 2)) for k in range(36)), MAX_CASES}
)  # numbers of cases at which power is looked at


@dataclass(frozen=True)
class Pilot:
    """What a size rests on: the variance that readers add, and what one case adds (the table above)."""

    of_readers: float
    error: float
    shared: float
    design: str = "crossed"
    groups: int = 1

    @classmethod
    def of(cls, components: Components, design: str | None = None, groups: int = 2) -> Pilot:
        """From a study, its components, or published ones by name."""
        found, own = getattr(components, "components", components), getattr(components, "design", "crossed")
        if design is None:
            design = own if own in PLANNED else "crossed"
        check_choice("design", design, PLANNED, "The design is unknown, or is none to be planned")
        check_whole("groups", groups, 2)
        apart, estimated = design == "readers-in-modalities", isinstance(found, ReaderComponents)
        if isinstance(found, ReaderComponents):
            if found.n_modalities < 2:
                raise InputError("The pilot study must have two modalities", param="components")
            # what a nested study does not show, no other design can be planned with
            if own != design and own in PLANNED and PLANNED[own]:
                problem, fix = "The pilot study does not show what this design needs", f"Pass design={own!r}"
                raise InputError(problem, param="design", got=design, fix=fix)
            known = found.to_dict() | {"n_cases": found.n_read}
            if apart and math.isnan(found.ms_tr):  # MS(R) within modalities
                known |= {"var_r": found.ms_r - found.var + found.cov2, "var_tr": 0.0}
        elif isinstance(found, Mapping):
            known = dict(found)
            if all(is_number(known.get(name)) for name in (*DBM, "n_cases")):  # Hillis et al. (2005)
                of_reader, case, modality, reader, error = (known[name] for name in DBM)
                totals = {"cov3": case, "cov2": case + modality, "cov1": case + reader}
                totals["var"] = case + modality + reader + error
                known |= {name: total / known["n_cases"] for name, total in totals.items()}
                known |= {"var_tr": of_reader, "var_r": known.get("reader", math.nan)}
            for name in ("cov1", "cov2", "cov3"):
                if name not in known and is_number(known.get(f"r{name[-1]}")):
                    known[name] = known[f"r{name[-1]}"] * known["var"]
        else:
            problem, got = "components must be a ReaderStudy, or numbers by name", type(found).__name__
            raise InputError(problem, param="components", got=got)
        covariances = [name for name in ("cov1", "cov2", "cov3") if name not in PLANNED[design]]
        needed = [*["var_r"] * apart, "var_tr", "var", *covariances, "n_cases"]
        wrong = [name for name in needed if not is_number(known.get(name)) or not math.isfinite(known[name])]
        if wrong:
            fix = f"Needed: {', '.join(needed)}; covariances also as correlations r1 to r3 of var; or {', '.join(DBM)}"
            got = ", ".join(f"{name} = {known.get(name)!r}" for name in wrong)
            raise InputError("Components are missing or not numbers", param="components", got=got, fix=fix)
        if known["n_cases"] < 2 or known["var"] <= 0 or any(abs(known[c]) > known["var"] for c in covariances):
            problem = "var must be positive and above the covariances, and n_cases at least 2"
            raise InputError(problem, param="components", got={name: known[name] for name in needed})
        n, var = float(known["n_cases"]), float(known["var"])
        cov1, cov2, cov3 = (0.0 if c in PLANNED[design] else float(known[c]) for c in ("cov1", "cov2", "cov3"))
        of_readers, error, shared = float(known["var_tr"]), var - cov1, cov2 - cov3
        if apart:
            of_readers, error = of_readers + known["var_r"], var - cov3
        if shared > error * (1 + 1e-9) and not estimated:
            problem = "No study has such components: cov2 − cov3 cannot be above var − cov1"
            raise InputError(problem, param="components", got=f"{shared:.3g} and {error:.3g}")
        # σ²_TR as an estimate may be below 0; covariances are truncated as in the test (Hillis et al. 2011)
        if estimated:
            of_readers -= min(shared, 0.0)
        return cls(max(of_readers, 0.0), n * error, n * max(shared, 0.0), design, groups)

    def least(self, random: Random) -> int:
        """The smallest number of readers that can be analysed."""
        return 1 if random == "cases" else {"split-plot": self.groups + 1}.get(self.design, 2)

    def total(self, readers: int, cases: int) -> int:
        """All cases, where each reading has so many."""
        sets = {"split-plot": self.groups, "cases-in-readers": readers, "cases-in-modalities": 2}
        return cases * sets.get(self.design, 1)

    def variance(self, readers: int, cases: float, random: Random) -> tuple[float, float | None]:
        """Of a difference of two modalities, and its degrees of freedom."""
        together, df = float(readers), readers - 1.0
        if self.design == "split-plot":
            small, larger = divmod(readers, self.groups)
            together = (larger * (small + 1) ** 2 + (self.groups - larger) * small**2) / readers
            df = float(readers - self.groups)
        elif self.design == "readers-in-modalities":
            df *= 2
        ms, shared = self.of_readers + (self.error - self.shared) / cases, together * self.shared / cases
        if random == "readers":
            return 2 * ms / readers, df
        if random == "cases":
            return 2 * ((self.error - self.shared) / cases + shared) / readers, None
        total = ms + shared
        return 2 * total / readers, (total / ms) ** 2 * df if ms > 0 else None

    def power(self, difference: float, readers: int, cases: float, level: float, random: Random) -> float:
        """Of the two-sided test."""
        variance, df = self.variance(readers, cases, random)
        if variance <= 0:
            return 1.0
        noncentrality = difference**2 / variance
        if df is None:
            return float(stats.ncx2.sf(stats.chi2.ppf(level, 1), 1, noncentrality))
        return float(stats.ncf.sf(stats.f.ppf(level, 1, df), 1, df, noncentrality))


def power_for_readers(
    n_readers: int,
    n_cases: int,
    difference: float,
    *,
    components: Components,
    level: float = 0.95,
    random: Random = "both",
    design: str | None = None,
    groups: int = 2,
) -> float:
    """Power of the test of two modalities.

    Parameters
    ----------
    n_readers, n_cases : int
        Readers (of each modality), and cases that each of them reads in a modality, both classes together.
    difference : float
        The true difference of the two modalities.
    components : ReaderStudy, ReaderComponents or mapping
        A pilot study, or published components: `var_tr`, `var`, `cov1`, `cov2`, `cov3` (or correlations `r1`, `r2`, `r3`)
        and the `n_cases` they belong to, for readers in modalities also `var_r`; or those of Dorfman, Berbaum and Metz,
        as `ReaderComponents.dbm` names them, and `n_cases`.
    level : float, default 0.95
        1 − α of the test.
    random : {"both", "readers", "cases"}, default "both"
        What another study would draw anew.
    design : {"crossed", "split-plot", "cases-in-readers", "cases-in-modalities", "readers-in-modalities"}, optional
        Of the study that is planned; by default that of the pilot, and crossed for published components.
    groups : int, default 2
        Groups of readers of a split-plot study, of about the same size.

    Returns
    -------
    float

    Examples
    --------
    >>> published = {"var_tr": 0.0002, "var": 0.0008, "r1": 0.43, "r2": 0.43, "r3": 0.30, "n_cases": 114}
    >>> round(power_for_readers(6, 200, 0.05, components=published), 3)
    0.845
    """
    check_whole("n_cases", n_cases, 4)
    check_level(level)
    check_choice("random", random, RANDOM, "What is random is unknown")
    check_inside("difference", difference, -1, 1)
    pilot = Pilot.of(components, design, groups)
    check_whole("n_readers", n_readers, pilot.least(random))
    return pilot.power(difference, n_readers, n_cases, level, random)


def size_for_readers(
    difference: float,
    *,
    components: Components,
    power: float = 0.8,
    readers: int | Iterable[int] = READERS,
    level: float = 0.95,
    random: Random = "both",
    design: str | None = None,
    groups: int = 2,
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
        Numbers of readers (of each modality) for which the cases are found; 3 to 20 by default.
    level : float, default 0.95
        1 − α of the test.
    random : {"both", "readers", "cases"}, default "both"
        What another study would draw anew.
    design : {"crossed", "split-plot", "cases-in-readers", "cases-in-modalities", "readers-in-modalities"}, optional
        Of the study that is planned; by default that of the pilot, and crossed for published components.
    groups : int, default 2
        Groups of readers of a split-plot study, of about the same size.

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
    check_choice("random", random, RANDOM, "What is random is unknown")
    pilot, rows = Pilot.of(components, design, groups), list[tuple[int, int | None, float]]()
    for n in [readers] if isinstance(readers, int) else readers:
        check_whole("readers", n, pilot.least(random))
        rows.append((n, *_cases_for(power, lambda c, n=n: pilot.power(difference, n, c, level, random))))  # type: ignore[misc]
    return ReaderSizes(difference, power, level, random, pilot, tuple(rows))


def _cases_for(power: float, reached: Callable[[float], float]) -> tuple[int | None, float]:
    """The smallest number of cases up to MAX_CASES, and the power reached; None and the largest power of any number.

    Power is not monotone in the cases: with more of them Var falls, but so does df₂, to that of the readers alone. It
    rises to a peak, and falls from there to its limit, so that the first step of a grid that suffices is before the peak.
    """
    if reached(GRID[0]) >= power:
        return GRID[0], reached(GRID[0])
    powers = [reached(c) for c in GRID]
    k = max(range(len(GRID)), key=powers.__getitem__)
    near = range(GRID[max(k - 1, 0)], GRID[min(k + 1, len(GRID) - 1)] + 1)
    turn = near[bisect_left(near[:-1], True, key=lambda c: reached(c + 1) <= reached(c))]
    peak = max(turn, GRID[k], key=reached)  # rounding may hide the turn
    if reached(peak) < power:
        return None, max(reached(peak), reached(math.inf))
    enough = next((i for i, p in enumerate(powers[: k + 1]) if p >= power), None)
    low, high = (near[0], peak) if enough is None else (GRID[enough - 1], GRID[enough])
    cases = low + bisect_left(range(low, high), True, key=lambda c: reached(c) >= power)
    return cases, reached(cases)


@dataclass(frozen=True, eq=False, repr=False)
class ReaderSizes(Result, Drawn):
    """How many cases each number of readers needs.

    Attributes
    ----------
    difference, power, level, random
        What was asked for.
    pilot : Pilot
        The components.
    designs : tuple of (int, int or None, float)
        Readers, cases of each reading, and the power reached; where no number up to a million suffices, None and the
        largest power of any number of cases.
    """

    difference: float
    power: float
    level: float
    random: Random
    pilot: Pilot
    designs: tuple[tuple[int, int | None, float], ...]

    columns: ClassVar[Columns] = {
        "readers": Column("readers"),
        "cases": Column("cases of each reading"),
        "power": Column("largest power", ".3f"),
        "total": Column("all cases"),
    }
    heading = "Readers and cases, {design}"
    template = "Difference of {difference:g}, power {power:g} at level {level:g}: {fewest}."

    def rows(self) -> list[Record]:
        """One row per number of readers."""
        totals = [None if c is None else self.pilot.total(n, c) for n, c, _ in self.designs]
        of = zip(self.designs, totals, strict=True)
        return [{"readers": n, "cases": c, "power": p, "total": total} for (n, c, p), total in of]

    def frame(self) -> pd.DataFrame:
        """One row per number of readers: `readers` (of each modality), `cases` that each of them reads in a modality,
        `power`, and the `total` of all cases. Where no number of cases up to a million suffices, `cases` is
        missing and `power` is the largest that any number gives."""
        return super().frame().astype({"cases": "Int64", "total": "Int64"})

    @property
    def design(self) -> str:
        """Of the study that is planned."""
        return self.pilot.design

    @property
    def fewest(self) -> str:
        """The readers and cases that need the fewest readings."""
        enough = [(n * c, n, c) for n, c, _ in self.designs if c is not None]
        if not enough:
            return f"no number of cases up to {MAX_CASES:,} suffices with these readers"
        readings, n, c = min(enough)
        return f"{n} readers and {c} cases need the fewest readings ({readings} per modality)"

    @property
    def assumptions(self) -> tuple[str, str]:
        """What the sizes take for granted."""
        return LIKE_PILOT, f"{DESIGN_WORDS[self.pilot.design]}."

    def figure(self) -> Figure:
        """Power against the number of cases, one line per number of readers."""
        known = [c for _, c, _ in self.designs if c is not None]
        top = 2 * max(known) if known else 1000
        cases = [max(4, round(top * k / 60)) for k in range(1, 61)]
        marks: list[Mark] = []
        for k, (n, _, _) in enumerate(self.designs):
            powers = [self.pilot.power(self.difference, n, c, self.level, self.random) for c in cases]
            marks.append(Line(cases, powers, f"{n} readers", color=f"C{k % 8}"))
        panel = Panel(marks, f"difference {self.difference:g}", "cases of each reading", "power", y_limits=(0.0, 1.02))
        return Figure("Power of a reader study", (panel,), size=(6.4, 4.6))
