"""ReaderStudy: the mean over readers of every modality, their differences, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import pandas as pd

from trueness.checks import check_choice, level_of
from trueness.comparisons.t_tests import non_inferiority
from trueness.curves.empirical import EmpiricalRoc
from trueness.errors import InputError
from trueness.figures.figure import Figure, Line, Panel, forest_panel, roc_panel
from trueness.formulas.roc import height
from trueness.reading.analysis import Analysis, ReaderComponents, labelled, words_of_random
from trueness.reading.merits import reading_difference, reading_estimate
from trueness.reading.moments import BCK_CASES, BCK_PAIRS
from trueness.reading.readings import DESIGN_WORDS
from trueness.reading.sizes import ReaderSizes, size_for_readers
from trueness.result.columns import Column, Columns, frame_of
from trueness.result.estimate import Estimate
from trueness.result.joint import paired_test
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Result, Table
from trueness.result.test_result import TestResult
from trueness.result.words import counted, equal_p, sentence, titled, with_interval
from trueness.sample.scored import Scored
from trueness.typing import Floats, Label, Record

if TYPE_CHECKING:
    from trueness.reading.model import ModelAmongReaders

Pair = tuple[Label, Label]
Of = Literal["study", "readers", "components", "moments"]
OFS: tuple[Of, ...] = ("study", "readers", "components", "moments")
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
COMPONENTS = ("ms_t", "ms_r", "ms_tr", "var", "cov1", "cov2", "cov3", "var_r", "var_tr")
GRID = 201  # points of a mean curve


@dataclass(frozen=True, eq=False, repr=False)
class ReaderStudy(Result, Drawn, Cited):
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
    differences: Mapping[Pair, Estimate]
    tests: Mapping[Pair, TestResult]
    adjusted: Mapping[Pair, float]
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
    heading = "Reader study: {words}\n{how}"

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

    def with_model(self, model: ModelAmongReaders) -> ReaderStudy:
        """The same with a model among the readers."""
        return replace(self, model=model, notes=tuple(dict.fromkeys((*self.notes, *model.notes))))

    def beside(self, *results: TestResult | ReaderSizes) -> ReaderStudy:
        """The same, with tests of non-inferiority and sizes of the next study in its report, methods and JSON."""
        return replace(self, also=(*self.also, *results))

    def between(self, first: Label, second: Label) -> Estimate:
        """first − second of two modalities, in this order."""
        a, b = (labelled(self.estimates, label, param) for label, param in ((first, "first"), (second, "second")))
        if a == b:
            raise InputError("A modality has no difference from itself", param="second", got=repr(second))
        if (a, b) in self.differences:
            return self.differences[a, b]
        d = self.differences[b, a]
        return d.with_(value=-d.value)

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
        a = labelled(self.estimates, self.pair[0] if first is None else first, "first")
        other = next(name for name in self.estimates if name != a)
        b = labelled(self.estimates, other if second is None else second, "second")
        test = non_inferiority(self.between(a, b), margin, higher_is_better=higher_is_better)
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
        of : {"study", "readers", "components", "moments"}, default "study"
            One row per modality and per difference; one row per reader and modality, and per reader and difference;
            variance components of every kind; moments M1 to M8 with their coefficients.
        level : float, optional
            Level of the intervals.

        Returns
        -------
        pandas.DataFrame
        """
        of_level = replace(self, level=level_of(level, self.level))
        check_choice("of", of, OFS, f"of must be one of {', '.join(OFS)}")
        if of == "study":
            return _frame(self.columns, of_level.rows(), of_level)
        if of == "readers":
            return _frame(OF_READERS, self.by_reader(), of_level)
        if of == "components":
            return self._component_frame()
        moments = self.analysis.moments
        if moments is None:
            raise InputError(f"{self.metric} has no moments: it is no mean over pairs or cases", param="of")
        return moments.frame(tuple(self.estimates))

    def rows(self) -> list[Record]:
        """One row per modality and per difference."""
        rows: list[Record] = [
            {
                "modality": m,
                "minus": None,
                "value": e,
                "df": e.df,
                "statistic": None,
                "p_value": None,
                "p_adjusted": None,
            }
            for m, e in self.estimates.items()
        ]
        for (a, b), d in self.differences.items():
            row: Record = {"modality": a, "minus": b, "value": d, "df": d.df}
            if (test := self.tests.get((a, b))) is not None:
                row |= {"statistic": test.statistic, "p_value": test.p_value, "p_adjusted": self.adjusted[a, b]}
            rows.append(row)
        return rows

    def by_reader(self) -> list[Record]:
        """One row per reader and modality, and per reader and difference."""
        merits = self.analysis.merits
        readings, rows = merits.readings, []
        for k, (m, r) in enumerate(zip(readings.modality, readings.reader, strict=True)):
            e, up = reading_estimate(merits, k), readings.up[readings.read[k]]
            row: Record = {"reader": readings.readers[r], "modality": readings.modalities[m], "minus": None, "value": e}
            rows.append(row | {"df": e.df, "p_value": None, "positives": int(up.sum()), "negatives": int((~up).sum())})
        for i, j in merits.pairs():
            table, common = readings.table(np.array([i, j]))
            for (k, l), r in zip(table.T, common, strict=True):
                d = reading_difference(merits, int(k), int(l))
                test = paired_test(d, "difference of a reader")
                row = {"reader": readings.readers[r], "modality": readings.modalities[i]}
                row |= {"minus": readings.modalities[j], "value": d, "df": d.df}
                rows.append(row | {"p_value": None if test is None else test.p_value})
        return rows

    def _component_frame(self) -> pd.DataFrame:
        """One row per component: `kind` (OR, DBM, BCK), `first`, `second`, `component`, `value`."""
        c = self.components
        rows: list[tuple[object, ...]] = [("OR", None, None, name, value) for name, value in c.to_dict().items()]
        rows += [("DBM", None, None, name, value) for name, value in c.dbm.items()]
        moments = self.analysis.moments
        if moments is not None:
            kinds = BCK_PAIRS if moments.kinds == 8 else BCK_CASES
            for (i, a), (j, b) in combinations_with_replacement(enumerate(self.estimates), 2):
                rows += [("BCK", a, b, k, v) for k, v in zip(kinds, moments.components(i, j), strict=True)]
        return pd.DataFrame(rows, columns=["kind", "first", "second", "component", "value"])

    def answer(self) -> str:
        """What the study says, in sentences."""
        beside = [] if self.model is None else [replace(self.model, level=self.level).answer()]
        if self.equality is None or not self.differences:
            said = [sentence(e, self.level, f"{m}, mean {titled(self.metric)}:") for m, e in self.estimates.items()]
            return " ".join([*said, *beside])
        said = [sentence(d, self.level, f"{a} − {b}:") for (a, b), d in self.differences.items()]
        p = f"Equality of the modalities: p {equal_p(self.equality.p_value)}, {words_of_random(self.analysis.random)}."
        return " ".join([*said, p, *beside])

    @property
    def how(self) -> str:
        """The design, and how the study was analysed."""
        a = self.analysis
        parts = [titled(self.metric), a.se_method.words, f"about {words_of_random(a.random)}"]
        if a.merits.threshold is not None:
            parts.append(f"positive where score ≥ {a.merits.threshold:g}")
        return f"{DESIGN_WORDS[self.design].capitalize()}. {'; '.join(parts)}."

    @property
    def words(self) -> str:
        """The sizes of the study."""
        return str(self.provenance["words"])

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the tests take for granted."""
        return () if self.equality is None else self.equality.assumptions

    def _tables(self) -> tuple[Table, ...]:
        """Means and differences, components and single readers; the model among them."""
        means = replace(super()._tables()[0], title="Mean over readers")
        known = {name: f"{v:.6g}" for name in COMPONENTS if not np.isnan(v := self.components[name])}
        by_reader: dict[str, dict[str, str]] = {}
        for row in self.by_reader():
            what = " − ".join(str(m) for m in (row["modality"], row["minus"]) if m is not None)
            by_reader.setdefault(str(row["reader"]), {})[what] = with_interval(row["value"], self.level)
        heads = list(dict.fromkeys(what for cells in by_reader.values() for what in cells))
        rows = [(reader, *(cells.get(what, "") for what in heads)) for reader, cells in by_reader.items()]
        each = Table.of(("reader", *heads), rows, f"Every reader, about this reader, {100 * self.level:g} % intervals")
        beside = () if self.model is None else self.model.page(self.level).tables
        return (means, Table.of(list(known), [list(known.values())], "Mean squares and components"), each, *beside)

    # -- pictures ------------------------------------------------------------------------------

    def curves(self) -> dict[Label, list[tuple[Label, Floats, Floats]]]:
        """By modality: reader, FPF and TPF of the empirical curve of each."""
        readings = self.analysis.merits.readings
        out: dict[Label, list[tuple[Label, Floats, Floats]]] = {m: [] for m in readings.modalities}
        for k, mine in enumerate(readings.read):
            up = readings.up[mine]
            if up.any() and not up.all():
                curve = EmpiricalRoc.of(Scored(readings.values[k, mine], up))
                place = readings.modalities[readings.modality[k]]
                out[place].append((readings.readers[readings.reader[k]], curve.fpf, curve.tpf))
        return out

    def figure(self, level: float | None = None) -> Figure:
        """One panel per modality with each reader's curve and their mean (of the TPF at each FPF), and the difference of
        each reader and of the mean with its interval."""
        level, grid = level_of(level, self.level), np.linspace(0, 1, GRID)
        panels = []
        for m, found in self.curves().items():
            marks = [Line(fpf, tpf, f"reader {name}", color=f"C{k % 8}", width=1.1, opacity=0.75)
                     for k, (name, fpf, tpf) in enumerate(found)]  # fmt: skip
            if found:
                mean = np.mean([height(fpf, tpf, grid) for _, fpf, tpf in found], axis=0)
                marks.append(Line(np.append(0.0, grid), np.append(0.0, mean), "mean", color="ink", width=2.4))
            panels.append(roc_panel(marks, title=f"modality {m}"))
        return Figure("Reader study", [*panels, *filter(None, [self._forest(level)])], 3, (5.2, 5.2))

    def _forest(self, level: float) -> Panel | None:
        """Each reader and the mean; of three modalities and more the mean differences alone."""
        named = {f"{a} − {b}": d for (a, b), d in self.differences.items()} or {
            "mean": next(iter(self.estimates.values()))
        }
        wanted = [len(self.differences) == 1] * bool(self.differences)
        dots = [
            row["value"].dot(f"reader {row['reader']}", level, "minor")
            for row in self.by_reader()
            if len(named) == 1 and (row["minus"] is not None) == bool(wanted)
        ]
        dots += [e.dot(name, level) for name, e in named.items()]
        axis = f"{titled(self.metric)}, {100 * level:g} % interval"
        return forest_panel(dots, axis, zero=bool(wanted), title="Difference" * bool(wanted))

    # -- keeping -------------------------------------------------------------------------------

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        for m, e in self.estimates.items():
            yield (self.metric if len(self.estimates) == 1 else f"{self.metric}.{m}"), e
        for (a, b), d in self.differences.items():
            yield f"{a}_minus_{b}", d

    def described(self) -> str:
        """ "5 readers, 114 cases …; every reader read every case in every modality"."""
        return f"{self.provenance['words']}; {DESIGN_WORDS[self.design]}"

    def counts(self) -> str:
        """How many readings there are, and are missing."""
        readings = self.analysis.merits.readings
        return f"{counted(int(readings.read.sum()), 'reading')}, {readings.gaps} missing"


def numbers_of(e: Estimate, level: float) -> Record:
    row = e.row(level)
    return {"value": e.value, "se": e.se, "df": e.df, "low": row["low"], "high": row["high"]}


def _frame(columns: Columns, rows: list[Record], study: ReaderStudy) -> pd.DataFrame:
    """The table; labels of modalities keep their types."""
    return frame_of(columns, rows, study).assign(minus=pd.Series([row["minus"] for row in rows], dtype=object))
