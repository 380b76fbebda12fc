"""diagnose: from labels and decisions, or from four counts, to a Diagnosis."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trueness.checks import check_level, refuses_foreign
from trueness.errors import InputError
from trueness.formulas.proportions import ProportionMethod
from trueness.result.digits import counted
from trueness.sample.labels import group_codes
from trueness.tables.diagnosis import Diagnosis
from trueness.tables.labels import Decided, missing_labels
from trueness.tables.prevalence import PrevalenceLike
from trueness.tables.proportion import check_method, whole_number
from trueness.tables.several_classes import SeveralClasses
from trueness.tables.study_designs import DesignName, study_design
from trueness.typing import Label, Labels


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
        Prevalence of the positive class in a case-control study: a number taken as known, an interval, or an Estimate,
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
        for param, given in (("positive", positive), ("classes", classes), ("groups", groups)):
            if given is not None:
                raise InputError(
                    f"{param} is used with labels only"
                    + ("" if param == "groups" else "; with counts, tp and fn are the positive cases"),
                    param=param,
                    got=type(given).__name__ if param == "groups" else repr(given),
                    fix="Omit it, or pass {y=} and {predictions=}",
                )
        return _from_counts(counts, hidden, interval, design, prevalence, level)
    mixed = [param for param, value in {**counts, **hidden}.items() if value is not None]
    if mixed:
        raise InputError(
            "Pass either y and predictions or counts, not both", param=mixed[0], got=f"y and {', '.join(mixed)}"
        )
    if y is None or predictions is None:
        param = "y" if y is None else "predictions"
        raise InputError(f"{param} is missing; both y and predictions are needed", param=param)
    selected = isinstance(design, str) and design == "selected"
    if not selected:
        _check_all_known(y)
    decided = Decided.of(y, predictions, classes=classes, unknown=selected)
    units = group_codes(groups, y, len(decided.said))
    if len(decided.classes) > 2:
        if units is not None:
            raise InputError(
                "groups is used with two classes only",
                param="groups",
                got=f"{len(decided.classes)} classes",
                fix="Use diagnose(y == label, predictions == label, groups=groups) for one class against the rest",
            )
        if positive is not None:
            raise InputError(
                "positive is used with two classes only",
                param="positive",
                got=f"{positive!r} for {list(decided.classes)}",
                fix="Omit it, or use diagnose(y == label, predictions == label) for one class against the rest",
            )
        made = study_design(design, decided.counts(), decided.unknown_counts(), prevalence)
        return SeveralClasses(made, decided.classes, interval, decided.cells(), level)
    decided = decided.positive_last(positive)
    made = study_design(design, decided.counts(), decided.unknown_counts(), prevalence)
    return Diagnosis(made, interval, decided.classes, decided.cells(), level, units)


def _check_all_known(y: Labels) -> None:
    missing = missing_labels(y)
    if missing.ndim == 1 and missing.any():
        raise InputError(
            f"y has {counted(int(missing.sum()), 'missing label')}",
            param="y",
            got=f"the first one in row {int(np.flatnonzero(missing)[0])} (counted from 0)",
            fix="Pass {design='selected'} if the decision determined who was verified, or drop them",
        )


def _from_counts(
    counts: Mapping[str, int | None],
    hidden: Mapping[str, int | None],
    interval: ProportionMethod,
    design: DesignName,
    prevalence: PrevalenceLike | None,
    level: float,
) -> Diagnosis:
    absent = [param for param, value in counts.items() if value is None]
    if absent:
        raise InputError(
            f"A table of two classes has four counts; missing: {', '.join(absent)}",
            param=absent[0],
            fix="Pass all four, or {y=} and {predictions=}",
        )
    tp, fn, fp, tn = (whole_number(value, param) for param, value in counts.items())
    unknown = np.array([0 if value is None else whole_number(value, param) for param, value in hidden.items()])
    if tp + fn + fp + tn == 0:
        raise InputError("The table is empty", param="tp", got="0 cases")
    return Diagnosis(study_design(design, np.array([[tn, fp], [fn, tp]]), unknown, prevalence), interval, level=level)
