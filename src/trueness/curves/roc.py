"""roc: the one call for a ROC curve of scores, by any method; of several scores on the same cases, with DeLong's test of
every pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import ClassVar, Literal, overload

import numpy as np

from trueness.checks import check_choice, level_of, refuses_foreign
from trueness.curves.common import left_out_scores
from trueness.curves.curve import RocCurve, roc_figure
from trueness.curves.empirical import EmpiricalRoc
from trueness.curves.fitted import BinormalRoc, NormalRoc, SemiparametricRoc
from trueness.errors import InputError
from trueness.figures.figure import Figure
from trueness.result.columns import Column, Columns, cells_of, frame_of
from trueness.result.estimate import Estimate
from trueness.result.joint import paired_test
from trueness.result.notes import SEVERAL_RULES, Note
from trueness.result.pairs import Pair, Pairs
from trueness.result.shown import Cited, Drawn, Result, Table, records
from trueness.result.test_result import TestResult
from trueness.result.words import OF_FIXED_RULES, Estimand, equal_p, with_interval
from trueness.sample.fits import Assessed, Fits
from trueness.sample.measured import Aucs
from trueness.sample.scored import Scored
from trueness.typing import Label, Labels, Record, Scores

MOST_PAIRS = 3  # in the answer; the table has all


@dataclass(frozen=True, eq=False, repr=False)
class RocCurves(Result, Drawn, Cited):
    """What `trueness.roc` returns for {name: scores}: a curve of each, and the differences of their areas.

    Attributes
    ----------
    curves : mapping of str to RocCurve
        By the name of the score; also `c["name"]`.
    level : float
        Level of the intervals in tables.
    """

    curves: Mapping[str, RocCurve]
    level: float = field(default=0.95, kw_only=True)
    several_rules: bool = field(default=False, kw_only=True)  # whose left-out scores these are

    heading = "{data.described}"
    columns: ClassVar[Columns] = {
        "score": Column("score"),
        "asked": Column(""),
        "value": Column("AUC", "estimate"),
    }

    def __getitem__(self, name: str) -> RocCurve:
        if name not in self.curves:
            raise InputError(f"There is no score {name!r}", param="name", fix=f"Choose one of {', '.join(self.curves)}")
        return self.curves[name]

    @property
    def areas(self) -> Mapping[str, Estimate]:
        """The area under each curve."""
        found = {name: curve.auc for name, curve in self.curves.items()}
        if self.several_rules:
            found = {name: e.with_(estimand=Estimand.LEFT_OUT).noting(SEVERAL_RULES) for name, e in found.items()}
        return found

    @cached_property
    def _pairs(self) -> Pairs:
        first, each = self.data, [*enumerate(self.curves)]
        rules = [[(curve.data.scores, first.positive)] for curve in self.curves.values()]
        aucs = Aucs.over(rules, first.positive.astype(np.intp), first.groups)
        found = {(a, b): aucs.difference(i, j) for (i, a), (j, b) in combinations(each, 2)}
        return Pairs.of(found, _delong, aucs.sums)

    @property
    def differences(self) -> Mapping[Pair, Estimate]:
        """First − second of every pair."""
        return self._pairs.differences

    @property
    def tests(self) -> Mapping[Pair, TestResult]:
        """DeLong's test of every pair that has one."""
        return self._pairs.tests

    @property
    def adjusted(self) -> Mapping[Pair, float]:
        """p-values adjusted for all pairs, by the law of the largest |t|, as in `trueness.systems.compare`."""
        return self._pairs.adjusted

    @property
    def pair_level(self) -> float:
        """Level of the interval of each difference at which all of them hold together at `level`; of one pair this level."""
        return self._pairs.level_of_each(self.level) if len(self.tests) > 1 else self.level

    def pair_rows(self) -> list[Record]:
        """One row per pair: difference with limits that hold for all pairs together, statistic and p-values."""
        return [
            {
                "scores": " − ".join(pair),
                "difference": d,
                "statistic": getattr(self.tests.get(pair), "statistic", None),
                "p_value": getattr(self.tests.get(pair), "p_value", None),
                "p_adjusted": self.adjusted.get(pair) if len(self.tests) > 1 else None,
            }
            for pair, d in self.differences.items()
        ]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know."""
        named = {**self.areas, **{" − ".join(pair): d for pair, d in self.differences.items()}}
        return tuple(note.about(name) for name, e in named.items() for note in e.notes)

    def figure(self, level: float | None = None) -> Figure:
        """The curves in one picture, with their areas and intervals of this level."""
        return roc_figure(self.curves, level_of(level, self.level))

    def rows(self) -> list[Record]:
        """The area of each score."""
        return [{"score": name, "asked": "AUC", "value": e} for name, e in self.areas.items()]

    def _tables(self) -> tuple[Table, ...]:
        found = cells_of(PAIRS, self.pair_rows(), self)
        return (*super()._tables(), *([Table(*found)] if self.differences else []))

    @property
    def data(self) -> Scored:
        """The cases, with the first of the scores."""
        return next(iter(self.curves.values())).data

    @property
    def provenance(self) -> dict[str, str]:
        """Hashes of the data, one per score."""
        return {"data": ", ".join(curve.provenance["data"] for curve in self.curves.values())}

    def answer(self) -> str:
        """The areas, and the differences with their p-values."""
        said = [f"AUC of {name} {with_interval(e, self.level)}." for name, e in self.areas.items()]
        said += [
            f"{' − '.join(pair)} {with_interval(self.differences[pair], self.pair_level)}, p {equal_p(p)}."
            for pair, p in sorted(self.adjusted.items(), key=lambda each: each[1])[:MOST_PAIRS]
        ]
        return " ".join(said)

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        yield from ((f"auc.{name}", e) for name, e in self.areas.items())
        yield from ((f"auc.{a} - {b}", d) for (a, b), d in self.differences.items())

    def _beside(self, level: float) -> Record:
        """What JSON has for readers beside the fields."""
        tables = {"auc": (self.columns, RocCurves.rows(self)), "delong": (PAIRS, self.pair_rows())}
        return {name: records(frame_of(columns, rows, self)) for name, (columns, rows) in tables.items()}


def _delong(d: Estimate) -> TestResult | None:
    return paired_test(d, "DeLong, paired", assumptions=d.se_method.assumes if d.se_method else OF_FIXED_RULES)


PAIRS: Columns = {
    "scores": Column("DeLong's test"),
    "difference": Column("difference", "estimate", level="pair_level"),
    "statistic": Column("statistic", ".3f"),
    "p_value": Column("p", "p"),
    "p_adjusted": Column("p (all pairs)", "p"),
}
METHODS: dict[str, type[RocCurve]] = {
    kind.method: kind for kind in (EmpiricalRoc, BinormalRoc, SemiparametricRoc, NormalRoc)
}


@overload
def roc(
    y: Labels,
    scores: Mapping[str, Scores],
    method: str = "empirical",
    *,
    positive: Label | None = None,
    groups: Labels | None = None,
) -> RocCurves: ...
@overload
def roc(
    y: Labels,
    scores: Scores,
    method: Literal["empirical"] = "empirical",
    *,
    positive: Label | None = None,
    groups: Labels | None = None,
) -> EmpiricalRoc: ...
@overload
def roc(
    y: Labels, scores: Scores, method: str, *, positive: Label | None = None, groups: Labels | None = None
) -> RocCurve: ...
@refuses_foreign
def roc(
    y: Labels | Assessed | Fits,
    scores: Scores | Mapping[str, Scores] | None = None,
    method: str = "empirical",
    *,
    positive: Label | None = None,
    groups: Labels | None = None,
) -> RocCurve | RocCurves:
    """ROC curve of scores, with the area and its standard error.

    Parameters
    ----------
    y : array-like of shape (n,), Assessment or Fits
        Two labels; or what was assessed, `roc(a)`, for the curve of one score per case by a rule that was not trained on
        it (`fits.left_out()` says which).
    scores : array-like of shape (n,), or mapping of str to such arrays
        High for the positive class; ±inf is allowed, NaN is not. Several by name give their curves together, with
        DeLong's test of every pair.
    method : {"empirical", "binormal", "semiparametric", "normal"}, default "empirical"
        "empirical": all thresholds, DeLong's standard error. "binormal": maximum likelihood on the order of the scores,
        or on ordinal ratings. "semiparametric": one shape for both classes, location and scale from the data.
        "normal": the scores are normal in both classes.
    positive : label, optional
        The positive class; may be omitted where the labels are 0/1, −1/1, no/yes or booleans.
    groups : array-like of shape (n,), optional
        The group of each case (patient, site, document), where only whole groups are independent. Standard errors and
        intervals of the empirical curve then count groups (docs/groups.md); fitted curves have no theory for it here.

    Returns
    -------
    EmpiricalRoc, BinormalRoc, SemiparametricRoc or NormalRoc; RocCurves of several scores
        With `fpf`, `tpf`, `thresholds`, `auc` (an Estimate), `partial_auc`, `tpf_at`, `fpf_at`, `best`, `band`,
        `frame` and `plot`.

    Raises
    ------
    UndefinedError
        Where a fitted curve does not exist, e.g. a binormal one of perfectly separated classes.

    See Also
    --------
    trueness.pr : Precision and recall.
    trueness.curves.operating_points : Operating points with standard errors, from cross-validation.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Dorfman & Alf (1969); Metz, Herman & Shen (1998); Obuchowski (1997).

    Examples
    --------
    >>> import trueness
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> c = trueness.roc(y, [0.1, 0.3, 0.4, 0.6, 0.35, 0.6, 0.8, 0.9])
    >>> print(c.auc)
    auc empirical: 0.84 ± 0.15
    >>> c.tpf_at(0.25).value
    0.75

    Two scores of each patient:

    >>> c = trueness.roc(y, [0.1, 0.3, 0.4, 0.6, 0.35, 0.6, 0.8, 0.9], groups=[1, 1, 2, 2, 3, 3, 4, 4])
    >>> c.auc.df, c.auc.noted("very-few-groups").data["groups"]
    (1.0, 2)
    """
    check_choice("method", method, METHODS, f"There is no ROC curve by the method {method!r}")
    if groups is not None and method != EmpiricalRoc.method:
        raise InputError(
            f"The {method} curve assumes independent cases and has no standard error for groups",
            param="groups",
            fix="Use method='empirical', or leave groups= out",
        )
    if isinstance(y, (Assessed, Fits)):
        return METHODS[method].of(left_out_scores("ROC curve", y, scores=scores, positive=positive, groups=groups))
    if scores is None:
        raise InputError("scores are required", param="scores", fix="Pass scores, or an assessment in place of y")
    if isinstance(scores, Mapping):
        if method != EmpiricalRoc.method:
            raise InputError("Several scores have empirical curves", param="method", got=repr(method))
        if not scores:
            raise InputError("scores is empty; at least 1 score is required", param="scores")
        return RocCurves({str(name): EmpiricalRoc.of(Scored.of(y, s, positive, groups)) for name, s in scores.items()})
    return METHODS[method].of(Scored.of(y, scores, positive, groups))
