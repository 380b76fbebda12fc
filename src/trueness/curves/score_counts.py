"""ScoreCounts: the ROC and PR areas and the tables of decisions of more scores than memory holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

import numpy as np
import pandas as pd

from trueness.checks import check_whole, is_iterable, is_number
from trueness.curves.common import (
    SCORES,
    above_all,
    below_chance,
    infinite_top,
    kept,
)
from trueness.curves.pr import Area, area_estimate
from trueness.errors import InputError
from trueness.figures.figure import Figure, Line, roc_panel
from trueness.files.score_file import (
    Paths,
    TwoLabels,
    blocks_of,
    counts_of_files,
    merge_runs,
    swapped,
)
from trueness.formulas.auc import CountedAuc
from trueness.formulas.pr import STEPS
from trueness.kernels.auc import count_scores
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.json import encoded
from trueness.result.notes import Note, warn
from trueness.result.shown import Drawn, Result
from trueness.result.words import EMPIRICAL, with_interval
from trueness.sample.labels import (
    check_same_index,
    label_array,
    require_positive,
)
from trueness.sample.rows import MappedRows, Rows
from trueness.sample.scored import auc_of_counts
from trueness.sample.scores import score_array
from trueness.typing import Floats, Ints, Label, Labels, Record, Scores

MAX_DRAWN = 400  # points of the curve


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCounts(Result, Drawn):
    """How many cases of each label there are at every distinct score: all that curves of independent cases need.

    Parts of a data set have counts of their own, and `merge` gives those of all cases, exactly: in any order, however
    the cases were divided. Make them with `of` and `read`. More counts than 256 MiB are kept in a temporary file and
    read in blocks, so that memory does not grow with the number of cases.

    There are no groups: of cases that are not independent `trueness.roc(..., groups=...)` gives the standard error.

    See Also
    --------
    trueness.roc : ROC curves of scores in memory, with rates, thresholds, bands and tests.
    trueness.pr : Precision–recall curves of scores in memory.

    Examples
    --------
    >>> import trueness
    >>> first = trueness.curves.ScoreCounts.of([0, 0, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> second = trueness.curves.ScoreCounts.of([1, 1, 0, 1], [0.35, 0.6, 0.4, 0.8])
    >>> c = trueness.curves.ScoreCounts.merge([first, second])
    >>> print(c.auc)
    auc empirical: 0.84 ± 0.15
    >>> c.table(0.5)
    {'tp': 3, 'fn': 1, 'fp': 1, 'tn': 3}
    >>> print(trueness.diagnose(**c.table(0.5)).ppv)
    ppv cohort: 0.75 ± 0.22
    """

    counts: Rows  # score, cases of the first and of the second label
    labels: tuple[object, ...]
    positive: Label | None = None
    level: float = 0.95

    heading = "{described}, distinct scores: {n_scores}"
    footnote = "Assumes: independent cases; scores from one fixed rule; for PR areas, the prevalence of this sample."
    columns: ClassVar[Columns] = {"area": Column("area"), "value": Column("value", "estimate")}

    @classmethod
    def of(cls, y: Labels, scores: Scores, positive: Label | None = None) -> ScoreCounts:
        """Counts of labels and scores in memory, e.g. of one partition of a distributed table.

        Parameters
        ----------
        y : array-like of shape (n,)
            Labels; a part may hold only one of the two.
        scores : array-like of shape (n,)
            High for the positive class; ±inf is allowed, NaN is not.
        positive : label, optional
            The positive class; may be omitted where the labels are 0/1, −1/1, no/yes or booleans.

        Returns
        -------
        ScoreCounts
        """
        labels, known = label_array(y), TwoLabels("y")
        values = score_array(scores, len(labels))
        check_same_index("scores", scores, "y", y)
        return cls(count_scores(values, ~known.are_second(labels)), tuple(known.found), positive)

    @classmethod
    def read(cls, path: Paths, label: str, score: str, positive: Label | None = None) -> ScoreCounts:
        """Counts of a Parquet or CSV file of any size.

        Some million rows are read at a time, sorted and written to the folder of temporary files (TMPDIR), and the
        sorted parts are merged: at most 48 bytes per case are on disk at a time.

        Parameters
        ----------
        path : path or list of paths
            Files, or folders with such files.
        label, score : str
            Names of the columns.
        positive
            As in `of`.

        Returns
        -------
        ScoreCounts
        """
        rows, labels = counts_of_files(path, label, score)
        if labels.others:
            warn(Note("labels-in-one-spelling", labels=list(labels.others)))
        one = labels.others.get(positive, positive) if isinstance(positive, str) else positive
        return cls(rows, tuple(labels.found), one)

    @classmethod
    def merge(cls, parts: Iterable[ScoreCounts]) -> ScoreCounts:
        """The counts of all cases of the parts together.

        Parameters
        ----------
        parts : iterable of ScoreCounts

        Returns
        -------
        ScoreCounts
        """
        several = list(parts) if is_iterable(parts) else []
        if not several or not all(isinstance(part, ScoreCounts) for part in several):
            raise InputError("parts must be one or more ScoreCounts", param="parts", got=repr(parts))
        known = TwoLabels("parts")
        runs = []
        for part in several:
            places = [known.place(label) for label in part.labels]
            runs.append(MappedRows(part.counts, swapped) if places[0] == 1 else part.counts)
        positives = {part.positive for part in several} - {None}
        if len(positives) > 1:
            raise InputError("The parts have different positive classes", param="parts", got=str(positives))
        return cls(merge_runs(runs), tuple(known.found), next(iter(positives), None))

    def __reduce__(self) -> tuple[object, ...]:  # a temporary file stays on its machine
        return ScoreCounts, (self.counts[:], self.labels, self.positive)

    # -- cases ----------------------------------------------------------------------------------

    @cached_property
    def classes(self) -> tuple[object, object]:
        """The labels: negative, positive."""
        labels = np.array(self.labels)
        code = require_positive(labels, self.positive)
        return self.labels[1 - code], self.labels[code]

    @cached_property
    def n(self) -> int:
        """Number of cases."""
        return sum(int(b["first"].sum() + b["second"].sum()) for b in blocks_of(self.counts))

    @property
    def n1(self) -> int:
        """Number of positives."""
        return self._counted.n1

    @property
    def n0(self) -> int:
        """Number of negatives."""
        return self._counted.n0

    @property
    def n_scores(self) -> int:
        """Number of distinct scores."""
        return int(self.counts.shape[0])

    def _blocks(self) -> Iterator[tuple[Floats, Ints, Ints]]:
        """Distinct scores from high to low, positives and negatives at each."""
        down, up = ("first", "second") if self.classes[1] == self.labels[1] else ("second", "first")
        for block in blocks_of(self.counts):
            yield block["score"], np.ascontiguousarray(block[up]), np.ascontiguousarray(block[down])

    def _running(self) -> Iterator[tuple[Floats, Ints, Ints]]:
        """Distinct scores from high to low; positives and negatives above the first of a block and at or above each."""
        t0 = f0 = 0
        for scores, ups, downs in self._blocks():
            tp, fp = np.cumsum(np.append(t0, ups)), np.cumsum(np.append(f0, downs))
            t0, f0 = int(tp[-1]), int(fp[-1])
            yield scores, tp, fp

    @cached_property
    def _counted(self) -> CountedAuc:
        return CountedAuc.of((ups, downs) for _, ups, downs in self._blocks())

    # -- areas ----------------------------------------------------------------------------------

    @cached_property
    def auc(self) -> Estimate:
        """Mann–Whitney's AUC, ties counting ½, with DeLong's standard error and the interval of `trueness.roc`."""
        out = auc_of_counts(self._counted)
        notes = kept(infinite_top(float(self.counts[0:1]["score"][0])), below_chance(out.value), *out.notes)
        return out.with_(method=EMPIRICAL, estimand=SCORES, notes=notes)

    @cached_property
    def average_precision(self) -> Estimate:
        """Area under the PR curve by rectangles, Σ (r_i − r_{i−1}) p_i."""
        return self._pr_area("average_precision")

    @cached_property
    def pr_auc(self) -> Estimate:
        """Area under the PR curve by trapezoids from (0, 1): `trueness.pr(...).auc`."""
        return self._pr_area("auc")

    @cached_property
    def pr_auc_interpolated(self) -> Estimate:
        """Area under the PR curve by the interpolation of Davis & Goadrich (2006): `trueness.pr(...).auc_interpolated`."""
        return self._pr_area("auc_interpolated")

    def _pr_area(self, area: Area) -> Estimate:
        sums = []
        for scores, tp, fp in self._running():
            counts = np.array([tp[:-1], fp[:-1], tp[1:], fp[1:]], dtype=float)[:, scores > -np.inf]
            sums.append(float(STEPS[area](*counts).sum()))
        return area_estimate(area, min(1.0, math.fsum(sums) / self.n1), self.n1, self.n0)

    # -- decisions ------------------------------------------------------------------------------

    def table(self, threshold: float) -> dict[str, int]:
        """Counts of the decision score ≥ threshold: `trueness.diagnose(**c.table(0.5))` gives all measures of the table.

        Parameters
        ----------
        threshold : float

        Returns
        -------
        dict
            `tp`, `fn`, `fp`, `tn`.
        """
        if not is_number(threshold) or math.isnan(lowest := float(threshold)):
            raise InputError("threshold must be a number", param="threshold", got=repr(threshold))
        tp = fp = 0
        for scores, ups, downs in self._running():
            above = int(np.searchsorted(-scores, -lowest, side="right"))
            tp, fp = int(ups[above]), int(downs[above])
            if above < len(scores):
                break
        return {"tp": tp, "fn": self.n1 - tp, "fp": fp, "tn": self.n0 - fp}

    def frame(self, n_points: int = 1000) -> pd.DataFrame:
        """Points of the ROC and PR curve, all of them where there are no more than `n_points`.

        Parameters
        ----------
        n_points : int, default 1000
            Each is an exact point of the curve; the steps of TPF + FPF between them are about equal.

        Returns
        -------
        DataFrame
            `threshold`, `fpf`, `tpf`, `precision` (NaN at −∞), from a threshold above all scores to the lowest
            score.
        """
        check_whole("n_points", n_points, 2)
        few = self.n_scores < n_points
        points = [np.array([[above_all(float(self.counts[0:1]["score"][0]))], [0.0], [0.0], [1.0]])]
        for scores, tp, fp in self._running():
            level = np.floor((tp / self.n1 + fp / self.n0) / 2 * (n_points - 1))
            at, t, f = np.flatnonzero((np.diff(level) > 0) | few), tp[1:], fp[1:]
            precision = np.where(scores > -np.inf, t / (t + f), np.nan)
            points.append(np.stack([scores, f / self.n0, t / self.n1, precision])[:, at])
        names = ("threshold", "fpf", "tpf", "precision")
        return pd.DataFrame(dict(zip(names, np.concatenate(points, axis=1), strict=True)))

    # -- showing --------------------------------------------------------------------------------

    def figure(self) -> Figure:
        """The ROC curve."""
        points = self.frame(MAX_DRAWN)
        line = Line(points["fpf"], points["tpf"], f"AUC {with_interval(self.auc, 0.95)}", width=1.8)
        return Figure("ROC curve", (roc_panel([line]),))

    @property
    def described(self) -> str:
        """ "60 cases, 20 of class b (positive) and 40 of class a"."""
        if len(self.labels) < 2:
            return f"{self.n} cases of label {self.labels[0]}"
        down, up = self.classes
        return f"{self.n} cases, {self.n1} of class {up} (positive) and {self.n0} of class {down}"

    def rows(self) -> list[Record]:
        """The four areas; none of a part that holds one label."""
        if len(self.labels) < 2:
            return []
        areas = (self.auc, self.average_precision, self.pr_auc, self.pr_auc_interpolated)
        return [{"area": e.metric.replace("_", " "), "value": e} for e in areas]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know."""
        return kept(*(note for row in self.rows() for note in row["value"].notes))

    def to_dict(self) -> Record:
        """The areas; the counts themselves are not kept."""
        return cast(Record, encoded({"cases": self.n, "scores": self.n_scores, "areas": self.rows()}))
