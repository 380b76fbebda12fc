"""TwoSets: a model assessed with a training set and an independent test set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from trueness.checks import level_of
from trueness.errors import InputError
from trueness.estimators.two_sets import Components, Moments
from trueness.figures.figure import Figure, Line, Mark, Panel, Points, forest_panel, forest_size
from trueness.result.estimate import Estimate
from trueness.result.notes import Note, warnings_first
from trueness.result.shown import Cited, Drawn, Page, Result, Table, kept_provenance, tidy
from trueness.result.words import cells, how, sentence, shortened, spoken
from trueness.sample.fits import Fits
from trueness.typing import Record

TIMES = np.geomspace(0.25, 16, 37)  # times as many test cases


@dataclass(frozen=True, eq=False, repr=False)
class TwoSets(Result, Drawn, Cited):
    """What `trueness.two_sets` returns for one model, and for the difference of two.

    Attributes
    ----------
    fixed : Estimate
        Performance of the rule trained on the training set; its standard error is about the test set alone.
    mean : Estimate
        Mean performance over training sets of this size: the same value, with the standard error √total, since
        another training set would have given another rule.
    bootstrap : Estimate
        Mean performance of the rules trained on bootstrap replicates of the training set.
    moments : mapping of int to moments
        Moments of the metric by size of the training set; the largest size is that of the training set.
    means : mapping of int to float
        Mean performance of the rules, by size of the training set.
    n_train, n_test : int
        Number of cases.
    strata : tuple of int
        Test cases that the variance counts: (positives, negatives) for an AUC, all cases, or those of each class.
    fits : Fits, optional
        The rule trained on the training set, on the test cases; None for a difference.
    """

    model: str
    fixed: Estimate
    mean: Estimate
    bootstrap: Estimate
    moments: Mapping[int, Moments] = field(repr=False)
    means: Mapping[int, float] = field(repr=False)
    n_train: int = 0
    n_test: int = 0
    strata: tuple[int, ...] = ()
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    fits: Fits | None = field(default=None, repr=False)

    @property
    def components(self) -> Components:
        """The variance components at the sizes of the two sets."""
        return self.moments[self.n_train].components(self.strata)

    @property
    def variance(self) -> dict[str, float]:
        """Variance of the metric of one rule on one test set: "training", "testing" and their sum "total".

        Estimates without bias can be negative; a note says where one is.
        """
        c = self.components
        return {"training": c.training, "testing": c.testing, "total": c.total}

    def sizes(self, n_train: Iterable[int] | None = None, n_test: Iterable[int] | None = None) -> pd.DataFrame:
        """What other numbers of training and test cases would give.

        Parameters
        ----------
        n_train : iterable of int, optional
            Sizes of the training set; by default those that were fitted, and twice and four times the largest.
        n_test : iterable of int, optional
            Sizes of the test set, with the same shares of the classes; by default ½, 1, 2, 4 and 10 times as many.

        Returns
        -------
        pandas.DataFrame
            One row per pair of sizes: n_train, n_test, value (mean performance of the rules), training, testing,
            total, se = √total, and fitted. Where fitted is False, rules of this size were not fitted: the training
            variance falls like 1/n_train from the next smaller fitted size, the testing variance is that of this size,
            and value is None. A negative training variance counts as 0 in total.
        """
        trains = [*self.moments, 2 * self.n_train, 4 * self.n_train] if n_train is None else list(n_train)
        tests = [round(f * self.n_test) for f in (0.5, 1, 2, 4, 10)] if n_test is None else list(n_test)
        least = math.ceil(2 * self.n_test / min(self.strata))
        if n_test is None:
            tests = [max(n, least) for n in tests]
        return pd.DataFrame([self._row(m, n, least) for m in sorted(set(trains)) for n in sorted(set(tests))])

    def _row(self, n_train: int, n_test: int, least: int) -> Record:
        smaller = [m for m in self.moments if m <= n_train]
        if not smaller:
            raise InputError(
                "No rules were fitted on so few training cases",
                param="n_train",
                got=n_train,
                fix=f"Use {min(self.moments)} or more",
            )
        if n_test < least:
            raise InputError("Too few test cases of a class", param="n_test", got=n_test, fix=f"Use {least} or more")
        nearest = max(smaller)
        sizes = [max(2, round(n * n_test / self.n_test)) for n in self.strata]
        c = self.moments[nearest].components(sizes)
        training = c.training * nearest / n_train
        total = max(training, 0.0) + max(c.testing, 0.0)
        return {
            "n_train": n_train,
            "n_test": n_test,
            "value": self.means[nearest] if nearest == n_train else None,
            "training": training,
            "testing": c.testing,
            "total": total,
            "se": math.sqrt(total),
            "fitted": nearest == n_train,
        }

    def estimates(self) -> tuple[Estimate, Estimate, Estimate]:
        """The three estimates: this rule, the mean over training sets, the mean over bootstrap replicates."""
        return self.fixed, self.mean, self.bootstrap

    def figure(self, of: Literal["variance", "estimates"] = "variance") -> Figure:
        """The total variance against the number of test cases, or the estimates with their intervals.

        The variance has one line per size of the training set, dashed where no rules of this size were fitted, and a
        dot for the study. A line that becomes flat has reached its training variance: more test cases buy nothing.
        """
        name = spoken(self.fixed.metric)
        if of == "estimates":
            kinds = {"this rule": "mark", "mean of rules": "mark", "bootstrap mean": "minor"}
            named = zip(kinds.items(), self.estimates(), strict=True)
            dots = [e.dot(row, self.level, kind) for (row, kind), e in named]
            axis = f"{shortened(self.model, 40)}: {name}, {100 * self.level:g} % interval"
            panel = forest_panel(dots, axis, zero=self.fits is None)
            return Figure(f"{self.model}: {name}", () if panel is None else (panel,), 1, forest_size(dots))
        least = math.ceil(2 * self.n_test / min(self.strata))
        tests = np.unique(np.maximum(np.round(TIMES * self.n_test).astype(int), least))
        table = self.sizes(n_test=tests.tolist())
        marks: list[Mark] = []
        for k, (n_train, rows) in enumerate(table[table.total > 0].groupby("n_train")):  # a logarithmic axis has no 0
            fitted, here = bool(rows.fitted.iloc[0]), n_train == self.n_train
            value = f", {name} {rows.value.iloc[0]:.3f}" if fitted else ", training variance ∝ 1/n"
            style, width = "-" if fitted else "--", 2.2 if here else 1.2
            marks.append(
                Line(rows.n_test, rows.total, f"{n_train} training cases{value}", style, f"C{k % 8}", width=width)
            )
            now = rows[rows.n_test == self.n_test]
            marks += [Points(now.n_test, now.total, color=f"C{k % 8}", size=49)] if here else []
        return Figure(
            "Variance",
            (Panel(marks, shortened(self.model, 60), "test cases", f"variance of the {name}", True, True),),
            size=(6.4, 4.6),
        )

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        names = (f"{self.fixed.metric}.{name}" for name in ("fixed", "mean", "bootstrap"))
        return zip(names, self.estimates(), strict=True)

    def frame(self, level: float | None = None, *, details: bool = False) -> pd.DataFrame:
        """One row per estimate, unrounded; with `details` also what each is about, and its notes."""
        return tidy((e.row(level_of(level, self.level)) for e in self.estimates()), details)

    def page(self, level: float | None = None) -> Page:
        level = level_of(level, self.level)
        return Page(
            title=f"{self.model}\n{self.provenance.get('design', '')}".rstrip("\n"),
            answer=(
                f"This rule: {sentence(self.fixed, level)} Rules of other training sets: {sentence(self.mean, level)}"
            ),
            tables=(
                Table.of(
                    ("metric", "about", "value", "std. error", f"{100 * level:g} % interval", "how"),
                    [(e.metric, e.estimand, *cells(e, level)[:3], how(e, level)) for e in self.estimates()],
                ),
                Table.of(
                    ("source", "variance", "SD", "share"),
                    [self._variance_row(name, value) for name, value in self.variance.items()],
                    f"Variance of the {self.fixed.metric} of one rule on one test set",
                ),
                self._sizes_table(),
            ),
            notes=warnings_first(self.notes),
        )

    def _variance_row(self, name: str, value: float) -> tuple[str, ...]:
        if value < 0:
            return name, f"{value:.2g}", "", "below 0, see the warning"
        share = (
            f"{value / self.components.total:.0%}" if min(self.variance.values()) >= 0 < self.components.total else ""
        )
        return name, f"{value:.2g}", f"{math.sqrt(value):.2g}", share

    def _sizes_table(self) -> Table:
        found = self.sizes(n_test=[self.n_test, 4 * self.n_test])
        rows = [
            (
                str(r.n_train),
                str(r.n_test),
                "" if pd.isna(r.value) else f"{r.value:.3f}",
                f"{math.sqrt(max(r.training, 0)):.2g}",
                f"{math.sqrt(max(r.testing, 0)):.2g}",
                f"{r.se:.2g}",
                "" if r.fitted else "not fitted: training variance taken as ∝ 1/n",
            )
            for r in found.itertuples()
        ]
        heads = ("training cases", "test cases", "mean of rules", "SD, training", "SD, testing", "SD, total", "")
        return Table.of(heads, rows, "With other numbers of cases")

    def to_dict(self) -> Record:
        rows = self.sizes().astype(object)
        return {
            "schema": "trueness/two-sets/1",
            "model": self.model,
            "level": self.level,
            "fixed": self.fixed.to_dict(self.level),
            "mean": self.mean.to_dict(self.level),
            "bootstrap": self.bootstrap.to_dict(self.level),
            "variance": self.variance,
            "sizes": rows.where(rows.notna(), None).to_dict("records"),
            "notes": [note.to_dict() for note in self.notes],
            "provenance": kept_provenance(self.provenance),
        }


@dataclass(frozen=True, eq=False, repr=False)
class TwoSetsPair(Result, Drawn, Cited):
    """What `trueness.two_sets` returns for two models: `t["lda"]` is a TwoSets, `t.difference` that of the difference.

    Attributes
    ----------
    models : mapping of str to TwoSets
        By name.
    difference : TwoSets
        First − second, on the same training and test sets.
    """

    models: Mapping[str, TwoSets]
    difference: TwoSets

    def __getitem__(self, name: str) -> TwoSets:
        if name not in self.models:
            raise InputError(f"There is no model {name!r}", fix=f"Models: {', '.join(self.models)}")
        return self.models[name]

    @property
    def parts(self) -> dict[str, TwoSets]:
        """Both models and their difference, by name."""
        return {**self.models, self.difference.model: self.difference}

    @property
    def level(self) -> float:
        """Level of the intervals in tables."""
        return self.difference.level

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        parts = {**self.models, "_minus_".join(self.models): self.difference}
        return ((f"{name}.{of}", e) for name, part in parts.items() for of, e in part._named())

    def figure(self, of: Literal["variance", "estimates"] = "variance") -> Figure:
        """The variance of the difference, or the estimates of both models and of the difference."""
        if of == "variance":
            return self.difference.figure()
        each = [part.figure(of) for part in self.parts.values()]
        size = max(f.size[0] for f in each), max(f.size[1] for f in each)
        return Figure("Two models", [panel for f in each for panel in f.panels], 1, size)

    def sizes(self, n_train: Iterable[int] | None = None, n_test: Iterable[int] | None = None) -> pd.DataFrame:
        """`TwoSets.sizes` of both models and of the difference, with a column "model"."""
        trains, tests = (None if v is None else list(v) for v in (n_train, n_test))
        return _by_model({name: part.sizes(trains, tests) for name, part in self.parts.items()})

    def frame(self, level: float | None = None, *, details: bool = False) -> pd.DataFrame:
        """One row per model and estimate, unrounded; `details` as in `TwoSets.frame`."""
        return _by_model({name: part.frame(level, details=details) for name, part in self.parts.items()})

    def page(self, level: float | None = None) -> Page:
        pages = {name: part.page(level) for name, part in self.parts.items()}
        tables = [
            Table(t.heads, t.rows, f"{name}: {t.title}".removesuffix(": "))
            for name, page in pages.items()
            for t in page.tables[:2]
        ]
        tables.append(pages[self.difference.model].tables[2])
        return Page(
            title=pages[self.difference.model].title,
            answer=" ".join(
                f"{name}: {sentence(part.fixed, level_of(level, part.level))}" for name, part in self.parts.items()
            ),
            tables=tuple(tables),
            notes=warnings_first(note for part in self.parts.values() for note in part.notes),
        )

    def to_dict(self) -> Record:
        models = {name: part.to_dict() for name, part in self.models.items()}
        return {"models": models, "difference": self.difference.to_dict()}


def _by_model(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(
        [frame.assign(model=name)[["model", *frame.columns]] for name, frame in frames.items()], ignore_index=True
    )
