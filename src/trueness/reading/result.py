"""ReaderStudy: the mean over readers of every modality, their differences, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from trueness.checks import level_of
from trueness.comparisons.t_tests import non_inferiority
from trueness.curves.empirical import EmpiricalRoc
from trueness.errors import InputError
from trueness.figures.figure import Dot, Figure, Line, Panel, forest_panel, roc_panel
from trueness.formulas.roc import height
from trueness.reading.analysis import Analysis, ReaderComponents, labelled, words_of_random
from trueness.reading.merits import reading_difference, reading_estimate
from trueness.reading.moments import BCK_CASES, BCK_PAIRS
from trueness.reading.readings import DESIGN_WORDS
from trueness.reading.sizes import ReaderSizes, size_for_readers
from trueness.result.estimate import Estimate
from trueness.result.joint import paired_test
from trueness.result.json import json_value
from trueness.result.notes import Note, warnings_first
from trueness.result.shown import Cited, Drawn, Page, Result, Table, kept_provenance
from trueness.result.test_result import TestResult, assumes
from trueness.result.words import cells, counted, equal_p, rounded_p, sentence, shown_df, spoken, titled
from trueness.sample.scored import Scored
from trueness.typing import Floats, Label, Record

if TYPE_CHECKING:
    from trueness.reading.model import ModelAmongReaders

Pair = tuple[Label, Label]
Of = Literal["study", "readers", "components", "moments"]
OFS: tuple[Of, ...] = ("study", "readers", "components", "moments")
GRID = 201  # points of a mean curve
COVARIANCE_WORDS = {
    "delong": "DeLong's covariances",
    "jackknife": "jackknife covariances",
    "unbiased": "covariances without bias",
}
METHOD_WORDS = {
    "or": "Obuchowski–Rockette analysis with Hillis' degrees of freedom",
    "u": "one-shot U-statistics (Gallas)",
}


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

    @property
    def auc(self) -> Mapping[Label, Estimate]:
        """The mean over readers of each modality; of another figure of merit, that."""
        return self.estimates

    @property
    def difference(self) -> Estimate:
        """First − second modality."""
        if not self.differences:
            raise InputError("One modality has no difference", fix="Name the column of the modalities by modality=")
        return next(iter(self.differences.values()))

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
        names = list(self.estimates)
        if len(names) < 2:
            raise InputError("One modality has no difference", fix="Name the column of the modalities by modality=")
        a = names[0] if first is None else labelled(self.estimates, first, "first")
        b = next(name for name in names if name != a) if second is None else second
        test = non_inferiority(self.between(a, b), margin, higher_is_better=higher_is_better)
        return replace(test, names=(str(a), str(labelled(self.estimates, b, "second"))))

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
        level = level_of(level, self.level)
        if of == "study":
            return self._study_frame(level)
        if of == "readers":
            return self._reader_frame(level)
        if of == "components":
            return self._component_frame()
        if of == "moments":
            moments = self.analysis.moments
            if moments is None:
                raise InputError(f"{self.metric} has no moments: it is no mean over pairs or cases", param="of")
            return moments.frame(tuple(self.estimates))
        raise InputError(f"of must be one of {', '.join(OFS)}", param="of", got=repr(of))

    def _study_frame(self, level: float) -> pd.DataFrame:
        rows = [{"modality": m, "minus": None, **numbers_of(e, level)} for m, e in self.estimates.items()]
        for (a, b), d in self.differences.items():
            test = self.tests.get((a, b))
            rows.append(
                {"modality": a, "minus": b, **numbers_of(d, level), "statistic": None if test is None else test.statistic,
                 "p_value": None if test is None else test.p_value, "p_adjusted": self.adjusted.get((a, b))}
            )  # fmt: skip
        columns = ["modality", "minus", "value", "se", "df", "low", "high", "statistic", "p_value", "p_adjusted"]
        return pd.DataFrame(rows, columns=columns).assign(minus=pd.Series([r["minus"] for r in rows], dtype=object))

    def _reader_frame(self, level: float) -> pd.DataFrame:
        merits = self.analysis.merits
        readings, rows = merits.readings, []
        for k, (m, r) in enumerate(zip(readings.modality, readings.reader, strict=True)):
            up = readings.up[readings.read[k]]
            rows.append(
                {"reader": readings.readers[r], "modality": readings.modalities[m], "minus": None,
                 **numbers_of(reading_estimate(merits, k), level), "positives": int(up.sum()), "negatives": int((~up).sum())}
            )  # fmt: skip
        for i, j in merits.pairs():
            table, common = readings.table(np.array([i, j]))
            for (k, l), r in zip(table.T, common, strict=True):
                d = reading_difference(merits, int(k), int(l))
                test = paired_test(d, "difference of a reader")
                rows.append(
                    {"reader": readings.readers[r], "modality": readings.modalities[i], "minus": readings.modalities[j],
                     **numbers_of(d, level), "p_value": None if test is None else test.p_value}
                )  # fmt: skip
        columns = [
            *("reader", "modality", "minus", "value", "se", "df", "low", "high"),
            "p_value",
            "positives",
            "negatives",
        ]
        minus = pd.Series([r["minus"] for r in rows], dtype=object)
        return pd.DataFrame(rows).reindex(columns=columns).assign(minus=minus)

    def _component_frame(self) -> pd.DataFrame:
        """One row per component: `kind` (OR, DBM, BCK), `first`, `second`, `component`, `value`."""
        c = self.components
        rows: list[tuple[object, ...]] = [("OR", None, None, name, value) for name, value in c.to_dict().items()]
        rows += [("DBM", None, None, name, value) for name, value in c.dbm.items()]
        moments, names = self.analysis.moments, list(self.estimates)
        if moments is not None:
            kinds = BCK_PAIRS if moments.kinds == 8 else BCK_CASES
            for i, a in enumerate(names):
                for j, b in list(enumerate(names))[i:]:
                    rows += [("BCK", a, b, k, v) for k, v in zip(kinds, moments.components(i, j), strict=True)]
        return pd.DataFrame(rows, columns=["kind", "first", "second", "component", "value"])

    def answer(self, level: float | None = None) -> str:
        """What the study says, in sentences."""
        level = level_of(level, self.level)
        name = titled(self.metric)
        if not self.differences:
            return sentence(next(iter(self.estimates.values())), level, f"Mean {name} of the readers:")
        said = [sentence(d, level, f"{a} − {b}:") for (a, b), d in self.differences.items()]
        if self.p_value is not None:
            word = "differ" if self.p_value < 1 - level else "are not shown to differ"
            said.append(f"The modalities {word} (p {equal_p(self.p_value)}, {words_of_random(self.analysis.random)}).")
        return " ".join(said)

    def page(self, level: float | None = None) -> Page:
        level = level_of(level, self.level)
        title = f"Reader study: {self.provenance['words']}\n{DESIGN_WORDS[self.design].capitalize()}. {self._how()}"
        tables = self.study_tables(level)
        if self.model is not None:
            tables += list(self.model.page(level).tables)
        test = self.equality
        footer = "" if test is None else assumes(test.assumptions)
        answer = self.answer(level)
        if self.model is not None:
            answer += f" {self.model.page(level).answer}"
        return Page(title, answer, tuple(tables), warnings_first(self.notes), footer)

    def study_tables(self, level: float) -> list[Table]:
        """Means, differences, components and single readers, rounded."""
        differences = [self._differences_table(level)] if self.differences else []
        return [self._means_table(level), *differences, self._components_table(), self._readers_table(level)]

    def _how(self) -> str:
        a = self.analysis
        kind = "covariances of the cases" if a.merits.by_cases else COVARIANCE_WORDS[a.merits.by]
        covariances = "" if a.method == "u" else f", {kind}"
        kept = {"both": "readers and cases random", "readers": "cases fixed", "cases": "readers fixed"}[a.random]
        at = "" if a.merits.threshold is None else f"; positive where score ≥ {a.merits.threshold:g}"
        return f"{titled(self.metric)}{at}; {METHOD_WORDS[a.method]}{covariances}; {kept}."

    def _means_table(self, level: float) -> Table:
        rows = [(str(m), *cells(e, level)[:3], shown_df(e.df)) for m, e in self.estimates.items()]
        heads = ("modality", f"mean {spoken(self.metric)}", "std. error", f"{100 * level:g} % interval", "df")
        return Table.of(heads, rows, "Mean over readers")

    def _differences_table(self, level: float) -> Table:
        rows = []
        for (a, b), d in self.differences.items():
            test, p = self.tests.get((a, b)), self.adjusted.get((a, b))
            found = ("", "") if test is None else (f"{test.statistic:.3f}", rounded_p(test.p_value))
            rows.append((f"{a} − {b}", *cells(d, level)[:3], shown_df(d.df), *found, "" if p is None else rounded_p(p)))
        heads = ("difference", "value", "std. error", f"{100 * level:g} % interval", "df", "t", "p", "p (Holm)")
        title = "Differences"
        if self.equality is not None and len(self.differences) > 1:
            e = self.equality
            title += f"; all equal: {e.test} = {e.statistic:.4g}, df {shown_df(e.df)}, p {equal_p(e.p_value)}"
        one = len(self.differences) == 1
        return Table.of(heads[:-1] if one else heads, [row[:-1] if one else row for row in rows], title)

    def _components_table(self) -> Table:
        c = self.components
        names = {
            "ms_t": "MS(T)", "ms_r": "MS(R)", "ms_tr": "MS(T:R)", "var": "Var", "cov1": "Cov1", "cov2": "Cov2",
            "cov3": "Cov3", "var_r": "readers", "var_tr": "modality:readers",
        }  # fmt: skip
        known = {head: c[name] for name, head in names.items() if not np.isnan(c[name])}
        if c.n_modalities == 1:
            known = {h: v for h, v in known.items() if h not in ("Cov1", "Cov3", "modality:readers")}
        return Table.of(list(known), [[f"{v:.6g}" for v in known.values()]], "Mean squares and components")

    def _readers_table(self, level: float) -> Table:
        merits = self.analysis.merits
        readings = merits.readings
        rows = []
        for r, label in enumerate(readings.readers):
            row = [str(label)]
            for m in range(len(readings.modalities)):
                k = np.flatnonzero((readings.modality == m) & (readings.reader == r))
                row.append(_value_cell(reading_estimate(merits, int(k[0])), level) if len(k) else "")
            if len(readings.modalities) == 2:
                table, common = readings.table(np.array([0, 1]))
                at = np.flatnonzero(common == r)
                row.append(
                    _value_cell(reading_difference(merits, *map(int, table[:, at[0]])), level) if len(at) else ""
                )
            rows.append(row)
        heads = ["reader", *map(str, readings.modalities)]
        heads += [f"{readings.modalities[0]} − {readings.modalities[1]}"] if len(readings.modalities) == 2 else []
        return Table.of(heads, rows, f"Every reader, about this reader, {100 * level:g} % intervals")

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
        panels, at = [], grid
        for m, found in self.curves().items():
            marks = [Line(fpf, tpf, f"reader {name}", color=f"C{k % 8}", width=1.1, opacity=0.75)
                     for k, (name, fpf, tpf) in enumerate(found)]  # fmt: skip
            mean = np.mean([height(fpf, tpf, at) for _, fpf, tpf in found], axis=0) if found else at
            marks.append(Line(np.append(0.0, at), np.append(0.0, mean), "mean", color="ink", width=2.4))
            named = isinstance(m, str) and not m.replace(".", "").isdigit()  # a number alone is no title
            title = "" if len(self.estimates) == 1 and m == "all" else str(m) if named else f"modality {m}"
            panels.append(roc_panel(marks, title=title))
        forest = self._forest(level)
        return Figure("Reader study", [*panels, *([] if forest is None else [forest])], 3, (5.2, 5.2))

    def _forest(self, level: float) -> Panel | None:
        interval = f"{100 * level:g} % interval"
        table = self._reader_frame(level)
        dots: list[Dot] = []
        if not self.differences:
            for row in table.itertuples():
                dots.append(_dot(f"reader {row.reader}", row))
            mean = next(iter(self.estimates.values()))
            return forest_panel([*dots, mean.dot("mean", level)], f"{titled(self.metric)}, {interval}")
        several = len(self.differences) > 1
        for (a, b), d in self.differences.items():
            if not several:
                dots += [_dot(f"reader {row.reader}", row) for row in table[table.minus == b].itertuples()]
            dots.append(d.dot(f"{a} − {b}" if several else "mean", level))
        (a, b), *_ = self.differences
        axis = f"difference of {titled(self.metric)}" if several else f"{a} − {b}"
        return forest_panel(dots, f"{axis}, {interval}", zero=True, title="Differences" if several else "Difference")

    # -- keeping -------------------------------------------------------------------------------

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        for m, e in self.estimates.items():
            yield (self.metric if len(self.estimates) == 1 else f"{self.metric}.{m}"), e
        for (a, b), d in self.differences.items():
            yield f"{a}_minus_{b}", d

    def to_dict(self) -> Record:
        c = self.components.to_dict()
        return {
            "schema": "trueness/readers/1",
            "metric": self.metric,
            "level": self.level,
            "means": {str(m): e.to_dict(self.level) for m, e in self.estimates.items()},
            "differences": [
                {"first": str(a), "second": str(b), **d.to_dict(self.level),
                 "p_value": json_value(self.tests[a, b].p_value) if (a, b) in self.tests else None,
                 "p_adjusted": json_value(self.adjusted.get((a, b)))}
                for (a, b), d in self.differences.items()
            ],
            "equality": None if self.equality is None else self.equality.to_dict(),
            "components": {name: json_value(value) for name, value in c.items()},
            "model": None if self.model is None else self.model.to_dict(),
            "also": [result.to_dict() for result in self.also],
            "notes": [note.to_dict() for note in self.notes],
            "provenance": {k: json_value(v) for k, v in kept_provenance(self.provenance).items()},
        }  # fmt: skip

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


def _value_cell(e: Estimate, level: float) -> str:
    value, _, limits, *_ = cells(e, level)
    return f"{value} ({limits})" if limits else value


def _dot(name: str, row: Any) -> Dot:
    low, high = (None if pd.isna(v) else float(v) for v in (row.low, row.high))
    return Dot(name, float(row.value), low, high, "", "minor")
