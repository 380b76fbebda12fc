"""diagnose: from labels and decisions, or from four numbers, to a Diagnosis."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.diagnostic.designs import study_design
from karat.diagnostic.diagnosis import Diagnosis
from karat.diagnostic.labels import Decided, missing_labels
from karat.diagnostic.proportion import check_method, whole
from karat.diagnostic.several import SeveralClasses
from karat.errors import InputError
from karat.result.digits import counted


def diagnose(
    y: Any = None,
    predictions: Any = None,
    *,
    tp: int | None = None,
    fn: int | None = None,
    fp: int | None = None,
    tn: int | None = None,
    interval: str = "wilson",
    design: str = "cohort",
    prevalence: Any = None,
    positive: Any = None,
    classes: Any = None,
    unverified_positive: int | None = None,
    unverified_negative: int | None = None,
) -> Any:
    """Everything that a table of true and decided classes says, each number with its standard error and interval.

    Parameters
    ----------
    y, predictions
        True labels and decisions, one a case; or
    tp, fn, fp, tn
        the four counts of a table of two classes.
    interval
        Method of the intervals of plain proportions: see `proportion_interval`.
    design
        "cohort": cases as they come. "case-control": so many of each class were chosen; PPV, NPV, accuracy and
        all that depends on the prevalence need `prevalence`. "selected": a cohort whose truth is known only for
        some cases, chosen by the decision; y is missing (None, NaN) for the others, and the verification bias is
        corrected (Begg & Greenes 1983).
    prevalence
        Of the positive class in the population: a number, the two limits of a 95 % interval (taken as normal on the
        logit scale, with the estimate in the middle there: .05 to .2 is .103), or an Estimate; its uncertainty is
        carried into PPV and NPV. Of several classes: one share a class.
    positive
        The positive label of two; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    classes
        All labels, where some may be absent from y.
    unverified_positive, unverified_negative
        With the four counts of a selected design: cases decided positive and negative whose truth is not known.

    Returns
    -------
    Diagnosis
        of two classes, or SeveralClasses.

    Examples
    --------
    The test for a complete response of seeds/003:

    >>> import karat
    >>> d = karat.diagnose(tp=10, fn=5, fp=24, tn=61)
    >>> print(d.tpf, d.fpf, d.dlr_positive, sep="; ")
    tpf cohort: 0.67 ± 0.12; fpf cohort: 0.282 ± 0.049; dlr_positive cohort: 2.36 ± 0.59
    >>> [round(limit, 3) for limit in d.tpf.ci(0.95)]
    [0.417, 0.848]
    """
    check_method(interval)
    numbers = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    hidden = {"unverified_negative": unverified_negative, "unverified_positive": unverified_positive}
    if y is None and predictions is None:
        if positive is not None or classes is not None:
            raise InputError(
                "positive= and classes= belong to labels, and there are none: tp and fn are the positive cases",
                got=f"positive={positive!r}" if positive is not None else f"classes={classes!r}",
                fix="Leave it out, or give y and predictions",
            )
        return _from_counts(numbers, hidden, interval, design, prevalence)
    given = [name for name, value in (*numbers.items(), *hidden.items()) if value is not None]
    if given:
        raise InputError("give either labels and predictions or counts, not both", got=f"{', '.join(given)} beside y")
    if y is None or predictions is None:
        raise InputError("both y and predictions are needed", got="one of them")
    if design != "selected":
        _check_all_known(y)
    decided = Decided.of(y, predictions, classes=classes, unknown=design == "selected")
    if len(decided.classes) > 2:
        if positive is not None:
            raise InputError(
                "there are more than two classes, and none of them is the positive one",
                got=f"positive={positive!r} for {list(decided.classes)}",
                fix="Leave it out, or use diagnose(y == label, predictions == label) for one class against the rest",
            )
        made = study_design(design, decided.counts(), decided.unknown_counts(), prevalence)
        return SeveralClasses(made, decided.classes, interval, decided.cells())
    decided = decided.positive_last(positive)
    made = study_design(design, decided.counts(), decided.unknown_counts(), prevalence)
    return Diagnosis(made, interval, decided.classes, decided.cells())


def _check_all_known(y: Any) -> None:
    missing = missing_labels(y)
    if missing.ndim == 1 and missing.any():
        raise InputError(
            f"y has {counted(int(missing.sum()), 'missing label')}",
            param="y",
            got=f"the first at row {int(np.flatnonzero(missing)[0])}, counting from 0",
            fix='Say design="selected" if the decision chose whose truth is known, or drop these cases if accident did',
        )


def _from_counts(numbers: dict, hidden: dict, interval: str, design: str, prevalence: Any) -> Diagnosis:
    absent = [name for name, value in numbers.items() if value is None]
    if absent:
        raise InputError(
            "a table of two classes has four counts",
            got="no " + ", ".join(absent),
            fix="Pass tp=, fn=, fp= and tn=, or y and predictions",
        )
    tp, fn, fp, tn = (whole(numbers[name], name) for name in ("tp", "fn", "fp", "tn"))
    unknown = np.array([0 if value is None else whole(value, name) for name, value in hidden.items()])
    if tp + fn + fp + tn == 0:
        raise InputError("the table is empty", got="0 cases")
    return Diagnosis(study_design(design, np.array([[tn, fp], [fn, tp]]), unknown, prevalence), interval)
