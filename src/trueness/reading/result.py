"""ReaderStudy: the mean over readers of every modality, their differences, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd

from trueness.checks import check_choice, level_of
from trueness.comparisons.t_tests import non_inferiority
from trueness.curves.empirical import EmpiricalRoc
from trueness.errors import InputError
from trueness.figures.figure import Figure, Line, Mark, forest_panel, roc_panel
from trueness.formulas.roc import height
from trueness.reading.analysis import COMPONENTS, RANDOM, Analysis, ReaderComponents
from trueness.reading.merits import reading_difference, reading_estimate
from trueness.reading.readings import DESIGN_WORDS
from trueness.reading.sizes import ReaderSizes, size_for_readers
from trueness.result.columns import Column, Columns, cells_of, frame_of
from trueness.result.estimate import Estimate
from trueness.result.joint import paired_test
from trueness.result.notes import Note
from trueness.result.pairs import Pair, Pairs
from trueness.result.shown import Cited, Drawn, Result, Table
from trueness.result.test_result import TestResult
from trueness.result.words import equal_p, sentence, titled
from trueness.sample.scored import Scored
from trueness.typing import Label, Record

if TYPE_CHECKING:
    from trueness.reading.model import ModelAmongReaders

Of = Literal["study", "readers", "components"]
OF_READERS: Columns = {
    "reader": Column("reader"),
    "modality": Column("modality"),
    "minus": Column("minus"),
    "value": Column("value", "estimate"),
    "df": Column("df", "df"),
    "p_value": Column("p", "p"),
    "positives": Column(""),
    "negatives": Column(""),
}
GRID = 201  # points of a mean curve


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ReaderStudy(Pairs, Result, Drawn, Cited):
    """What `trueness.readers` returns.

    Attributes
    ----------
    estimates : mapping of label to Estimate
        The mean over readers of each modality, also as `auc`; "all" is the name of a single modality.
    differences : mapping of (label, label) to Estimate
        first − second of every pair of modalities.
    tests : mapping of (label, label) to TestResult
        The test of every pair, not adjusted.
    adjusted : mapping of (label, label) to float
        p-values of the pairs adjusted by Holm.
    equality : TestResult, optional
        The test that all modalities are equal.
    model : ModelAmongReaders, optional
        The model beside the readers, where one was given.
    analysis : Analysis
        Figures of merit, covariances, mean squares and moments.
    level : float
        Level of the intervals in tables.
    notes : tuple of Note
        What the reader should know.
    provenance : mapping
        Sizes of the study, and how it was analysed.
    also : tuple of TestResult and ReaderSizes
        What the report, the methods and the JSON hold besides (`beside`).
    """

    analysis: Analysis
    estimates: Mapping[Label, Estimate]
    equality: TestResult | None
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    model: ModelAmongReaders | None = None
    also: tuple[TestResult | ReaderSizes, ...] = ()

    columns: ClassVar[Columns] = {
        "modality": Column("modality"),
        "minus": Column("minus"),
        "value": Column("{metric:words}", "estimate"),
        "df": Column("df", "df"),
        "statistic": Column("t", ".3f"),
        "p_value": Column("p", "p"),
        "p_adjusted": Column("p (Holm)", "p"),
    }
    heading = "Reader study: {provenance[words]}\n{how}"

    @property
    def auc(self) -> Mapping[Label, Estimate]:
        """The mean over readers of each modality; of another figure of merit, that."""
        return self.estimates

    @property
    def pair(self) -> Pair:
        """The first two modalities."""
        if not self.differences:
            raise InputError("One modality has no difference", fix="Name the column of the modalities by modality=")
        return next(iter(self.differences))

    @property
    def difference(self) -> Estimate:
        """First − second modality."""
        return self.differences[self.pair]

    @property
    def p_value(self) -> float | None:
        """Of the test that all modalities are equal; None with one modality."""
        return None if self.equality is None else self.equality.p_value

    @property
    def df(self) -> float | None:
        """Degrees of freedom of that test, of the denominator of F; with one modality those of its mean. None: normal."""
        if not self.differences:
            return next(iter(self.estimates.values())).df
        df = None if self.equality is None else self.equality.df
        return df[1] if isinstance(df, tuple) else df

    @property
    def components(self) -> ReaderComponents:
        """Mean squares, covariances and variance components."""
        return self.analysis.components

    @property
    def design(self) -> str:
        """What the table shows: "crossed", "cases-in-readers", "cases-in-modalities", "readers-in-modalities",
        "split-plot", "mixed" or "unbalanced"."""
        return self.analysis.merits.readings.design

    @property
    def metric(self) -> str:
        """The figure of merit."""
        return self.analysis.merits.name

    def beside(self, *results: TestResult | ReaderSizes) -> ReaderStudy:
        """The same, with tests of non-inferiority and sizes of the next study in its report, methods and JSON."""
        return replace(self, also=(*self.also, *results))

    def non_inferiority(
        self,
        margin: float,
        first: Label | None = None,
        second: Label | None = None,
        *,
        higher_is_better: bool | None = None,
    ) -> TestResult:
        """Is the first modality not worse than the second by more than the margin?

        Parameters
        ----------
        margin : float
            The largest loss that does not matter, chosen before the study.
        first, second : label, optional
            The modalities; by default the first two.
        higher_is_better : bool, optional
            Required where the figure of merit does not say so.

        Returns
        -------
        TestResult
            One-sided: a small p shows first − second > −margin, or < margin where a lower value is better.
        """
        names = {str(label): label for label in self.estimates}
        a = self.pair[0] if first is None else names.get(str(first), first)
        b = next(name for name in self.estimates if name != a) if second is None else names.get(str(second), second)
        test = non_inferiority(self.minus((a, b)), margin, higher_is_better=higher_is_better)
        return replace(test, names=(str(a), str(b)))

    def sizes(self, difference: float, **options: Any) -> ReaderSizes:
        """How many readers and cases a study like this one needs, with this one as the pilot study.

        Parameters
        ----------
        difference : float
            The difference to detect.
        **options
            `power`, `readers`, `level`, `random`, `design`, `groups`, as `trueness.reading.size_for_readers` has them.

        Returns
        -------
        ReaderSizes
        """
        return size_for_readers(difference, components=self, **options)

    # -- tables --------------------------------------------------------------------------------

    def frame(self, of: Of = "study", level: float | None = None) -> pd.DataFrame:
        """The tidy, unrounded table.

        Parameters
        ----------
        of : {"study", "readers", "components"}, default "study"
            One row per modality and per difference; one row per reader and modality, and per reader and difference;
            variance components of Obuchowski and Rockette, and of Dorfman, Berbaum and Metz.
        level : float, optional
            Level of the intervals.

        Returns
        -------
        pandas.DataFrame
        """
        check_choice("of", of, get_args(Of), "There is no such table")
        if of == "components":
            c = self.components
            rows = [(kind, *each) for kind, by in (("OR", c.to_dict()), ("DBM", c.dbm)) for each in by.items()]
            return pd.DataFrame(rows, columns=["kind", "component", "value"])
        study = replace(self, level=level_of(level, self.level))
        columns, found = (OF_READERS, self.by_reader()) if of == "readers" else (self.columns, self.rows())
        minus = pd.Series([row["minus"] for row in found], dtype=object)  # labels keep their types
        return frame_of(columns, found, study).assign(minus=minus)

    def rows(self) -> list[Record]:
        """One row per modality and per difference."""
        blank: Record = dict.fromkeys(self.columns)
        rows = [blank | {"modality": m, "value": e, "df": e.df} for m, e in self.estimates.items()]
        for (a, b), d in self.differences.items():
            row = blank | {"modality": a, "minus": b, "value": d, "df": d.df, "p_adjusted": self.adjusted.get((a, b))}
            if (test := self.tests.get((a, b))) is not None:
                row |= {"statistic": test.statistic, "p_value": test.p_value}
            rows.append(row)
        return rows

    def by_reader(self) -> list[Record]:
        """One row per reader and modality, and per reader and difference."""
        merits, blank = self.analysis.merits, dict[str, Any].fromkeys(OF_READERS)
        readings, rows = merits.readings, list[Record]()
        for k, (m, r) in enumerate(zip(readings.modality, readings.reader, strict=True)):
            e, up = reading_estimate(merits, k), readings.up[readings.read[k]]
            row = blank | {"reader": readings.readers[r], "modality": readings.modalities[m], "value": e, "df": e.df}
            rows.append(row | {"positives": int(up.sum()), "negatives": int((~up).sum())})
        for i, j in combinations(range(len(readings.modalities)), 2):
            table, common = readings.table(np.array([i, j]))
            for (k, l), r in zip(table.T, common, strict=True):
                d = reading_difference(merits, int(k), int(l))
                test = paired_test(d, "difference of a reader")
                row = blank | {"reader": readings.readers[r], "value": d, "df": d.df, "p_value": test and test.p_value}
                rows.append(row | {"modality": readings.modalities[i], "minus": readings.modalities[j]})
        return rows

    def answer(self) -> str:
        """What the study says, in sentences."""
        said = [sentence(d, self.level, f"{a} − {b}:") for (a, b), d in self.differences.items()]
        if self.equality is None:
            said = [sentence(e, self.level, f"{m}, mean {titled(self.metric)}:") for m, e in self.estimates.items()]
        else:
            p = equal_p(self.equality.p_value)
            said.append(f"Equality of the modalities: p {p}, {RANDOM[self.analysis.random]}.")
        if self.model is not None:
            said.append(replace(self.model, level=self.level).answer())
        return " ".join(said)

    @property
    def how(self) -> str:
        """The design, and how the study was analysed."""
        a = self.analysis
        parts = [titled(self.metric), a.se_method.words, f"about {RANDOM[a.random]}"]
        if a.merits.threshold is not None:
            parts.append(f"positive where score ≥ {a.merits.threshold:g}")
        return f"{DESIGN_WORDS[self.design].capitalize()}. {'; '.join(parts)}."

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the tests take for granted."""
        return () if self.equality is None else self.equality.assumptions

    def _tables(self) -> tuple[Table, ...]:
        """Means and differences, components and single readers; the model among them."""
        means = replace(super()._tables()[0], title="Mean over readers")
        known = {name: f"{v:.6g}" for name in COMPONENTS if not np.isnan(v := self.components[name])}
        each = Table(*cells_of(OF_READERS, self.by_reader(), self), "Every reader, about this reader")
        beside = () if self.model is None else self.model.page(self.level).tables
        return (means, Table(list(known), [list(known.values())], "Mean squares and components"), each, *beside)

    def figure(self, level: float | None = None) -> Figure:
        """One panel per modality with each reader's curve and their mean (of the TPF at each FPF), and the difference of
        each reader and of the mean with its interval; of three modalities and more the mean differences alone."""
        level, grid, panels = level_of(level, self.level), np.linspace(0, 1, GRID), []
        readings = self.analysis.merits.readings
        for m, modality in enumerate(readings.modalities):
            marks, heights = list[Mark](), []
            for k in readings.of(m):
                scored = Scored(readings.values[k, readings.read[k]], readings.up[readings.read[k]])
                if 0 < scored.positive.sum() < len(scored.positive):
                    curve, name = EmpiricalRoc.of(scored), f"reader {readings.readers[readings.reader[k]]}"
                    look: Record = {"color": f"C{len(marks) % 8}", "width": 1.1, "opacity": 0.75}
                    marks.append(Line(curve.fpf, curve.tpf, name, **look))
                    heights.append(height(curve.fpf, curve.tpf, grid))
            if heights:
                mean = np.append(0.0, np.mean(heights, axis=0))
                marks.append(Line(np.append(0.0, grid), mean, "mean", color="ink", width=2.4))
            panels.append(roc_panel(marks, title=f"modality {modality}"))
        paired = bool(self.differences)
        named = {f"{a} − {b}": d for (a, b), d in self.differences.items()}
        named = named or dict.fromkeys(["mean"], *self.estimates.values())
        dots = [
            row["value"].dot(f"reader {row['reader']}", level, "minor")
            for row in self.by_reader()
            if len(named) == 1 and (row["minus"] is not None) == paired
        ]
        dots += [e.dot(name, level) for name, e in named.items()]
        axis = f"{titled(self.metric)}, {100 * level:g} % interval"
        forest = forest_panel(dots, axis, zero=paired, title="Difference" * paired)
        return Figure("Reader study", [*panels, *filter(None, [forest])], 3, (5.2, 5.2))

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        for m, e in self.estimates.items():
            yield (self.metric if len(self.estimates) == 1 else f"{self.metric}.{m}"), e
        for (a, b), d in self.differences.items():
            yield f"{a}_minus_{b}", d
