"""check: leaks and other mistakes in data, before a model is assessed."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from trueness.checks import check_choice, check_flag, given_array, is_iterable, quietly, seed_sequence
from trueness.errors import InputError
from trueness.leaks.classes import classes
from trueness.leaks.columns import (
    determining,
    drift,
    many_values,
    misread_numbers,
    numbered_rows,
    standardized,
)
from trueness.leaks.copies import confounded_batches, split_groups, test_rows
from trueness.leaks.duplicates import duplicates
from trueness.leaks.findings import Finding, Findings, LeakCheck, data_of
from trueness.leaks.gaps import codes_of_gaps
from trueness.leaks.relations import encoded_target, informative_gaps, near_copies, selected_columns
from trueness.leaks.repeats import several_rows
from trueness.leaks.survival import follow_up
from trueness.result.words import counted
from trueness.sample.design import Design, design_of_splits
from trueness.sample.labels import Task, check_same_length, column_array, is_numeric, other_spellings
from trueness.sample.sample import Sample, are_texts
from trueness.typing import Features, Labels

CHECKS: list[LeakCheck] = [
    classes,
    duplicates,
    test_rows,
    split_groups,
    confounded_batches,
    several_rows,
    follow_up,
    determining,
    many_values,
    misread_numbers,
    standardized,
    numbered_rows,
    drift,
    codes_of_gaps,
    near_copies,
    encoded_target,
    informative_gaps,
    selected_columns,
]
LOOKED_FOR = dict(sorted(pair for check in CHECKS for pair in check.looks_for.items()))
"""What is looked for, by code."""
CODES = list(LOOKED_FOR)


def check(
    X: Features,
    y: Labels,
    *,
    groups: Labels | None = None,
    ignore: str | Iterable[str] = (),
    X_test: Features = None,
    batch: Labels | None = None,
    plan: object = None,
    fast: bool = False,
    kind: Task | None = None,
) -> Findings:
    """Look for leaks: data that make a model look better than it is.

    Every finding has a stable code, with a page in docs/checks. Checks that do not apply to the data are skipped.

    Parameters
    ----------
    X : array, DataFrame or sparse matrix of shape (n, p), or n texts
        Features, as they go into the model.
    y : array-like of shape (n,)
        Labels, or numbers that are to be predicted; of these, the halves below and above the median are looked at as
        classes.
    groups : array-like of shape (n,), optional
        Group of each case (patient, site).
    ignore : str or iterable of str, default ()
        Codes that are not looked for, e.g. ("L003",).
    X_test : like X, optional
        Features of a test set: rows that also stand in X are found.
    batch : array-like of shape (n,), optional
        Batch of each case (plate, scanner, day). Up to 20 large groups are taken as batches where it is not given.
    plan : splitter or iterable of (train, test), optional
        Your own splits: groups on both sides are found.
    fast : bool, default False
        Whether to read about 2 million cells of X, a fixed random part of the rows of larger tables. `trueness.assess`
        does.
    kind : {"classification", "regression"}, optional
        Whether y holds labels or numbers. By default numbers are those with fractions, and more than ten whole numbers
        of which most occur once or twice.

    Returns
    -------
    Findings
        A sequence of findings with `.code`, `.severity`, `.message`, `.columns` and `.data`; `.frame()` is the table.

    See Also
    --------
    trueness.assess : Makes these checks first, in the fast mode.

    Examples
    --------
    >>> import trueness
    >>> import pandas as pd
    >>> weight = [2400 + 10 * ((7 * i) % 31) for i in range(60)]
    >>> X = pd.DataFrame({"weight": weight, "age": [20 + (11 * i) % 17 for i in range(60)]})
    >>> for finding in trueness.check(X, [w < 2500 for w in weight]):
    ...     print(finding.code, finding.severity, finding.columns)
    L001 warning ('weight',)
    """
    ignored = ignored_codes(ignore)
    check_flag("fast", fast)
    sample = Sample.of(
        y, X=X, groups=groups, least=1, kind=kind or ("regression" if is_numeric(y) else "classification")
    )
    if X is None:
        raise InputError("There are no features to check", param="X")
    if X_test is not None:
        if are_texts(sample.X) != are_texts(X_test):
            raise InputError("X and X_test are of different kinds", param="X_test", got=type(X_test).__name__)
        shape = X_test.shape if hasattr(X_test, "shape") else given_array("X_test", X_test, "be a table").shape
        if shape[1:] != np.shape(sample.X)[1:]:
            got = f"shapes {np.shape(sample.X)} and {shape}"
            raise InputError("X and X_test must have the same columns", param="X_test", got=got)
    if batch is not None:
        batch = column_array(batch, "batch", "have one value per case")
        check_same_length("batch", len(batch), sample.n)
        batch = pd.factorize(batch, use_na_sentinel=False)[0]
    return findings_of(sample, ignored, fast=fast, X_test=X_test, batch=batch, design=_design(plan, sample))


def findings_of(sample: Sample, ignored: frozenset[str] = frozenset(), *, fast: bool = True, **given: Any) -> Findings:
    """The findings for cases that have been checked as input; `given` are fields of the data."""
    found: list[Finding] = []
    labels = sample.classes.tolist()
    if sample.numbers is not None:  # as two classes, below and above their median
        least = min(np.nextafter(np.median(sample.numbers), np.inf), sample.numbers.max())  # which may be the median
        high = sample.numbers >= least
        sample = replace(sample, codes=high.astype(np.intp), classes=np.array(["low", "high"]), numbers=None)
    # labels that differ in upper and lower case or in blanks only are one: a copy of the target may have any
    elif others := other_spellings(dict(zip(labels, sample.sizes.tolist(), strict=True)), 2):
        classes, codes = np.unique([others.get(label, label) for label in labels], return_inverse=True)
        sample = replace(sample, codes=codes[sample.codes].astype(np.intp), classes=classes, positive=None)
    data = data_of(sample, fast, **given)
    with np.errstate(all="ignore"):  # infinite values
        for each in CHECKS:
            if not ignored.issuperset(each.looks_for):
                found += [f for f in each.function(data) if f.code not in ignored]
    found.sort(key=lambda f: (f.severity != "warning", f.code))
    checked = tuple(code for code in CODES if code not in ignored)
    what = "texts" if are_texts(sample.X) else counted(data.n_columns, "column")
    return Findings(tuple(found), checked, f"{sample.cases_and_groups}, {what}")


def ignored_codes(ignore: str | Iterable[str]) -> frozenset[str]:
    """The codes of `ignore`; an error where one is unknown."""
    codes = list(ignore) if is_iterable(ignore) and not isinstance(ignore, str) else [ignore]
    for code in codes:
        check_choice("ignore", code, CODES, f"There is no check of code {code!r}")
    return frozenset(codes)


def _design(plan: object, sample: Sample) -> Design | None:
    """Given splits of the cases, whether or not they keep groups together."""
    if plan is None:
        return None
    given: Any = plan
    try:
        with quietly():  # that groups are not used is what is looked for
            cases = np.zeros((sample.n, 1)), sample.truth, sample.groups
            pairs = list(given.split(*cases) if hasattr(given, "split") else given)
    except (TypeError, ValueError) as error:
        fix = "Use a scikit-learn splitter, or pairs (train, test); trueness's plans keep groups together"
        raise InputError(
            "plan must hold your own splits", param="plan", got=repr(plan), reason=str(error), fix=fix
        ) from None
    return design_of_splits(pairs, replace(sample, X=None, groups=None), plan, seed_sequence(0))
