"""diagnose: from labels and decisions, or from four counts, to a Diagnosis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from trueness.checks import check_level, given_array, refuses_foreign
from trueness.errors import InputError
from trueness.formulas.proportions import ProportionMethod
from trueness.sample.labels import (
    OBVIOUS_LABELS,
    check_same_index,
    check_same_length,
    classes_of,
    codes_among,
    group_codes,
    label_array,
    require_positive,
)
from trueness.tables.diagnosis import Diagnosis
from trueness.tables.proportion import check_method, whole_number
from trueness.tables.several_classes import SeveralClasses
from trueness.tables.study_designs import DesignName, PrevalenceLike, study_design
from trueness.typing import Array, Ints, Label, Labels

ALL_LABELS = "Pass all labels as classes="
UNVERIFIED = "Pass design='selected' if the decision determined who was verified, or drop these cases"
OF_LABELS = "Pass predicted labels, or all labels as classes="
UNKNOWN = -1  # the code of a case whose truth is not known


@dataclass(frozen=True, eq=False)
class Decided:
    """Cases with a true class and a decision."""

    truth: Ints  # (n,) index of the true class; −1 where it is not known
    said: Ints  # (n,) index of the decided class
    # the labels, sorted; two of them in the order negative, positive where `positive_last` was called
    classes: tuple[Label, ...]

    @classmethod
    def of(cls, y: Labels, predictions: Labels, *, classes: Labels | None = None, unknown: bool = False) -> Decided:
        """Check labels and decisions; `unknown` allows missing labels in y."""
        check_same_index("predictions", predictions, "y", y)
        known, given = np.ones(1, dtype=bool), y
        if unknown:
            values = given_array("y", y)
            known = ~np.asarray(pd.isna(values))
            given = np.array(values.astype(object)[known].tolist())
            if not len(given):
                raise InputError("y has no label that is not missing", param="y")
        labels, said = label_array(given, missing=UNVERIFIED), label_array(predictions, "predictions")
        n = len(known) if unknown else len(labels)
        check_same_length("predictions", len(said), n)
        of = _classes(labels, said, classes)
        truth = np.full(n, UNKNOWN, dtype=np.intp)
        truth[np.broadcast_to(known, n)] = codes_among(labels, of, fix=ALL_LABELS)
        return cls(truth, codes_among(said, of, "predictions", OF_LABELS), of)

    def positive_last(self, positive: Label | None) -> Decided:
        """Two classes in the order negative, positive; an error where the positive class is not known."""
        if require_positive(self.classes, positive) == 1:
            return self
        swap = np.array([1, 0, UNKNOWN])  # index −1 stays −1
        return Decided(swap[self.truth], swap[self.said], self.classes[::-1])

    def counts(self) -> Ints:
        """(C, C) cases of each true class and decision."""
        c, known = len(self.classes), self.truth >= 0
        return np.bincount(self.truth[known] * c + self.said[known], minlength=c * c).reshape(c, c)

    def unknown_counts(self) -> Ints:
        """(C,) cases of each decision whose truth is not known."""
        return np.bincount(self.said[self.truth < 0], minlength=len(self.classes))

    def cells(self) -> Ints:
        """(n,) place of every case in the flattened table, the row of unknown truth last."""
        row = np.where(self.truth >= 0, self.truth, len(self.classes))
        return row * len(self.classes) + self.said


def _classes(labels: Array, said: Array, classes: Labels | None) -> tuple[Label, ...]:
    if classes is not None:
        known = label_array(classes, "classes").tolist()
        if len(set(known)) != len(known) or len(known) < 2:
            raise InputError("classes must hold two or more different labels", param="classes", got=classes)
        return tuple(known)
    found = classes_of(labels)[0].tolist()
    both = {*found, *classes_of(said)[0].tolist()}
    if both in OBVIOUS_LABELS:  # 0 and 1: two classes even where y has only one of them
        return tuple(sorted(both))
    if len(found) == 1 and both == set(found):
        raise InputError("y has one class only; at least 2 are required", param="y", got=found, fix=ALL_LABELS)
    return tuple(found)


def _refuse_given(problem: str, fix: str, **given: object) -> None:
    """An error where one of these parameters is given."""
    for param, value in given.items():
        if value is not None:
            raise InputError(f"{param} {problem}", param=param, fix=fix)


@refuses_foreign
def diagnose(
    y: Labels | None = None,
    predictions: Labels | None = None,
    *,
    tp: int | None = None,
    fn: int | None = None,
    fp: int | None = None,
    tn: int | None = None,
    interval: ProportionMethod = "wilson",
    design: DesignName = "cohort",
    prevalence: PrevalenceLike | None = None,
    positive: Label | None = None,
    classes: Labels | None = None,
    unverified_positive: int | None = None,
    unverified_negative: int | None = None,
    level: float = 0.95,
    groups: Labels | None = None,
) -> Diagnosis | SeveralClasses:
    """Measures of a table of true classes and decisions, with standard errors and intervals.

    Pass either `y` and `predictions`, or the four counts of a table of two classes.

    Parameters
    ----------
    y, predictions : array-like of shape (n,), optional
        True labels and decisions, one per case.
    tp, fn, fp, tn : int, optional
        Counts of a table of two classes.
    interval : str, default "wilson"
        Method of the intervals of plain proportions; see `proportion_interval`.
    design : {"cohort", "case-control", "selected"}, default "cohort"
        "cohort": cases sampled from the population. "case-control": fixed numbers of each class; measures that depend
        on the prevalence, such as PPV, NPV and accuracy, need `prevalence`. "selected": a cohort in which the decision
        determined who was verified; y is missing (None, NaN) for the others, and the verification bias is corrected
        (Begg & Greenes 1983).
    prevalence : float, (low, high), Interval, Estimate or array-like of shape (C,), optional
        Prevalence of the positive class where the decisions are used, which a case-control study cannot estimate; of a
        cohort, that of another population, to which its TPF and FPF are carried. A number taken as known, an interval,
        or an Estimate,
        whose standard error is propagated. Two bare limits are a 95 % interval, normal on the logit scale with the
        estimate at its midpoint there (0.05 to 0.2 gives 0.103). For several classes one share per class.
    positive : label, optional
        The positive label of two; required unless the labels are {0, 1}, {-1, 1} or booleans.
    classes : array-like, optional
        All labels, where some may be absent from y.
    unverified_positive, unverified_negative : int, optional
        With four counts and design="selected": cases decided positive and negative whose truth is unknown.
    level : float, default 0.95
        Level of the intervals in tables; `d.tpf.ci(level)` takes any other.
    groups : array-like of shape (n,), optional
        The group of each case of y and predictions (patient, site, document), where only whole groups are independent.
        Standard errors then come from sums within groups, and intervals from the table divided by the design effect
        (docs/groups.md). For two classes.

    Returns
    -------
    Diagnosis or SeveralClasses
        Diagnosis for two classes.

    Raises
    ------
    InputError
        Where labels and counts are mixed or incomplete, or where an option does not belong to the design.

    See Also
    --------
    confusion : The table itself.
    proportion_interval : Interval of a single proportion.

    References
    ----------
    Begg & Greenes (1983), Assessment of diagnostic tests when disease verification is subject to selection bias,
    Biometrics 39.
    Rao & Scott (1992), A simple method for the analysis of clustered binary data, Biometrics 48.
    Popovici, Classification.

    Examples
    --------
    A test that predicts pathologic complete response (Popovici, Classification, example "pCR"):

    >>> import trueness
    >>> d = trueness.diagnose(tp=10, fn=5, fp=24, tn=61)
    >>> print(d.tpf, d.fpf, d.dlr_positive, sep="; ")
    tpf cohort: 0.67 ± 0.12; fpf cohort: 0.282 ± 0.049; dlr_positive cohort: 2.36 ± 0.59
    >>> [round(limit, 3) for limit in d.tpf.ci(0.95)]
    [0.417, 0.848]
    """
    check_method(interval, "interval")
    check_level(level)
    counts = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    hidden = {"unverified_negative": unverified_negative, "unverified_positive": unverified_positive}
    if y is None and predictions is None:
        fix = "Pass all four counts, or y= and predictions="
        _refuse_given("is used with labels only", fix, positive=positive, classes=classes, groups=groups)
        absent = [param for param, value in counts.items() if value is None]
        if absent:
            problem = f"A table of two classes has four counts; missing: {', '.join(absent)}"
            raise InputError(problem, param=absent[0], fix=fix)
        table = np.array([whole_number(counts[param], param) for param in ("tn", "fp", "fn", "tp")]).reshape(2, 2)
        unknown = np.array([whole_number(0 if value is None else value, param) for param, value in hidden.items()])
        if not table.any():
            raise InputError("The table is empty", param="tp", got="0 cases")
        return Diagnosis(study_design(design, table, unknown, prevalence), interval, level=level)
    _refuse_given("is used without labels only", "Pass either y and predictions or counts", **counts, **hidden)
    if y is None or predictions is None:
        param = "y" if y is None else "predictions"
        fix = "Counts are passed by name: tp=, fn=, fp=, tn="
        raise InputError(f"{param} is missing; both y and predictions are needed", param=param, fix=fix)
    decided = Decided.of(y, predictions, classes=classes, unknown=isinstance(design, str) and design == "selected")
    units = group_codes(groups, y, len(decided.said))
    two = len(decided.classes) == 2
    if two:
        decided = decided.positive_last(positive)
    made = study_design(design, decided.counts(), decided.unknown_counts(), prevalence)
    if two:
        return Diagnosis(made, interval, decided.classes, decided.cells(), level, units)
    fix = "Use diagnose(y == label, predictions == label) for one class against the rest"
    _refuse_given("is used with two classes only", fix, groups=groups, positive=positive)
    return SeveralClasses(made, decided.classes, interval, decided.cells(), level)


def confusion(
    y: Labels,
    predictions: Labels,
    *,
    classes: Labels | None = None,
) -> pd.DataFrame:
    """Confusion matrix: cases by true class (rows) and decision (columns).

    Parameters
    ----------
    y, predictions : array-like of shape (n,)
        True labels and decisions, one per case.
    classes : array-like, optional
        All labels in the order wanted, where some may be absent from y; those of y, sorted, by default.

    Returns
    -------
    DataFrame

    See Also
    --------
    trueness.diagnose : Measures of the table, with standard errors and intervals.

    Examples
    --------
    >>> confusion(["a", "a", "b", "c"], ["a", "b", "b", "b"])
    decision  a  b  c
    truth
    a         1  1  0
    b         0  1  0
    c         0  1  0
    """
    decided = Decided.of(y, predictions, classes=classes)
    truths, decisions = (pd.Index(decided.classes, name=name) for name in ("truth", "decision"))
    return pd.DataFrame(decided.counts(), index=truths, columns=decisions)
