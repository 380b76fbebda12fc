"""TwoSets: a model assessed with a training set and an independent test set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from trueness.checks import level_of
from trueness.errors import InputError
from trueness.estimators.two_sets import Components, Moments
from trueness.figures.figure import Figure, Line, Mark, Panel, Points, forest
from trueness.result.columns import Column, Columns, cells_of
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Page, Result, Table
from trueness.result.words import sentence, shortened, spoken
from trueness.sample.fits import Fits
from trueness.typing import Record

ABOUT = {"metric": Column("metric"), "about": Column("about"), "value": Column("value", "estimate")}
SIZES = {
    "n_train": Column("training cases"),
    "n_test": Column("test cases"),
    "value": Column("mean of rules", ".3f"),
    "training": Column("variance, training", ".2g"),
    "testing": Column("variance, testing", ".2g"),
    "se": Column("SD, total", ".2g"),
}
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

    heading = "{model}\n{provenance[design]}"
    columns: ClassVar[Columns] = {
        "metric": Column("metric"),
        "method": Column("method"),
        "value": Column("value", "estimate"),
    }

    def answer(self) -> str:
        """This rule, and rules of other training sets."""
        this, others = (sentence(e, self.level) for e in (self.fixed, self.mean))
        return f"This rule: {this} Rules of other training sets: {others}"

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
        trains = [*self.moments, 2 * self.n_train, 4 * self.n_train] if n_train is None else n_train
        usual = (max(round(f * self.n_test), self._least) for f in (0.5, 1, 2, 4, 10))
        tests = sorted(set(usual if n_test is None else n_test))
        return pd.DataFrame([self._row(m, n) for m in sorted(set(trains)) for n in tests])

    @property
    def _least(self) -> int:
        """Test cases, of which each stratum has two."""
        return math.ceil(2 * self.n_test / min(self.strata))

    def _row(self, n_train: int, n_test: int) -> Record:
        smaller = [m for m in self.moments if m <= n_train]
        if not smaller:
            fix = f"Use {min(self.moments)} or more"
            raise InputError("No rules were fitted on so few training cases", param="n_train", got=n_train, fix=fix)
        if n_test < self._least:
            fix = f"Use {self._least} or more"
            raise InputError("Too few test cases of a class", param="n_test", got=n_test, fix=fix)
        nearest = max(smaller)
        c = self.moments[nearest].components([max(2, round(n * n_test / self.n_test)) for n in self.strata])
        training = c.training * nearest / n_train
        total = max(training, 0.0) + max(c.testing, 0.0)
        fitted = nearest == n_train
        return {
            "n_train": n_train,
            "n_test": n_test,
            "value": self.means[nearest] if fitted else None,
            "training": training,
            "testing": c.testing,
            "total": total,
            "se": math.sqrt(total),
            "fitted": fitted,
        }

    def estimates(self) -> tuple[Estimate, Estimate, Estimate]:
        """The three estimates: this rule, the mean over training sets, the mean over bootstrap replicates."""
        return self.fixed, self.mean, self.bootstrap

    def figure(self, of: Literal["variance", "estimates"] = "variance") -> Figure:
        """The total variance against the number of test cases, or the estimates with their intervals.

        The variance has one line per size of the training set, dashed where no rules of this size were fitted, and a dot
        for the study. A line that becomes flat has reached its training variance: more test cases buy nothing.
        """
        name = spoken(self.fixed.metric)
        if of == "estimates":
            rows = zip(("this rule", "mean of rules", "bootstrap mean"), self.estimates(), strict=True)
            dots, axis = [e.dot(row, self.level) for row, e in rows], f"{name}, {100 * self.level:g} % interval"
            return forest(dots, f"{shortened(self.model, 40)}: {name}", axis, zero=self.fixed.bounds[0] < 0)
        tests = np.unique(np.maximum(np.round(TIMES * self.n_test).astype(int), self._least))
        table = self.sizes(n_test=tests.tolist())
        marks: list[Mark] = []
        for k, (n_train, rows) in enumerate(table[table.total > 0].groupby("n_train")):  # a logarithmic axis has no 0
            style, said = "-" if n_train in self.moments else "--", f"{n_train} training cases"
            marks.append(Line(rows.n_test, rows.total, said, style, f"C{k % 8}", width=1.2))
            if n_train == self.n_train:
                now = rows[rows.n_test == self.n_test]
                marks.append(Points(now.n_test, now.total, color=f"C{k % 8}", size=49))
        axes = "test cases", f"variance of the {name}"
        return Figure("Variance", (Panel(marks, shortened(self.model, 60), *axes, True, True),), size=(6.4, 4.6))

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        names = (f"{self.fixed.metric}.{name}" for name in ("fixed", "mean", "bootstrap"))
        return zip(names, self.estimates(), strict=True)

    def rows(self) -> Iterator[Record]:
        for e in self.estimates():
            yield {"metric": e.metric, "method": e.method, "about": e.estimand, "value": e}

    def _tables(self) -> tuple[Table, ...]:
        sizes = self.sizes(n_test=[self.n_test, 4 * self.n_test]).astype(object)
        heads, rows = cells_of(SIZES, sizes.where(sizes.notna(), None).to_dict("records"), self)
        variances = [(name, f"{value:.2g}", f"{math.sqrt(max(value, 0)):.2g}") for name, value in self.variance.items()]
        title = f"Variance of the {self.fixed.metric} of one rule on one test set"
        variance = Table(("source", "variance", "SD"), variances, title)
        return (
            Table(*cells_of(ABOUT, self.rows(), self)),
            variance,
            Table(heads, rows, "With other numbers of cases"),
        )

    def _beside(self, level: float) -> Record:
        return {"variance": self.variance}


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

    heading = "{difference.model}\n{provenance[design]}"

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
        """That of the difference."""
        return self.difference.figure(of)

    def sizes(self, n_train: Iterable[int] | None = None, n_test: Iterable[int] | None = None) -> pd.DataFrame:
        """`TwoSets.sizes` of both models and of the difference, with a column "model"."""
        trains, tests = (None if v is None else list(v) for v in (n_train, n_test))
        found = {name: part.sizes(trains, tests) for name, part in self.parts.items()}
        return pd.concat(found, names=["model"]).reset_index("model").reset_index(drop=True)

    columns: ClassVar[Columns] = {"model": Column("model"), **TwoSets.columns}

    def rows(self) -> Iterator[Record]:
        return ({"model": name, **row} for name, part in self.parts.items() for row in part.rows())

    @property
    def notes(self) -> tuple[Note, ...]:
        """Those of both models and of the difference."""
        return tuple(dict.fromkeys(note for part in self.parts.values() for note in part.notes))

    @property
    def provenance(self) -> Mapping[str, Any]:
        """That of the difference."""
        return self.difference.provenance

    def page(self, level: float | None = None) -> Page:
        level = level_of(level, self.level)
        each = {name: replace(part, level=level) for name, part in self.parts.items()}
        of = replace(self, models={name: each[name] for name in self.models}, difference=each[self.difference.model])
        return super(TwoSetsPair, of).page()

    def _tables(self) -> tuple[Table, ...]:
        about = cells_of({"model": Column("model"), **ABOUT}, self.rows(), self)
        return Table(*about), *self.difference._tables()[1:]

    def answer(self) -> str:
        """Of both rules, and of their difference."""
        return " ".join(f"{name}: {sentence(part.fixed, part.level)}" for name, part in self.parts.items())
