"""Columns that are called like an identifier, or hold one."""

import re

import numpy as np
import pandas as pd

from trueness.typing import Array, Floats

OF_CASES = "subjects?|subj|patients?|pat|persons?|participants?|cases?|customers?|clients?|users?|donors?|animals?"
OF_A_CASE = re.compile(rf"({OF_CASES})([_. -]?(id|no|nr|num|number|code|key))?", re.IGNORECASE)
OF_A_ROW = re.compile(r"(unnamed: ?\d+|row ?names?|row\.names|row|index|id[_. ].*|nr|no)", re.IGNORECASE)
IDENTIFIER = re.compile(r"(.*[_. -])?(?i:id|pid|uid|mrn)|.*[a-z]I[Dd]")  # PatientID
MOST_A_VALUE, NEARLY_ALL = 50, 0.9  # rows per value at most; share of different values from which rows are cases
EVENLY = 10  # times the mean that a value may have rows
REPEATED = 0.5  # share of the rows, at least, that have another one of their value
MIN_ROWS = 20


def called_identifier(name: str | int) -> bool:
    """Whether a column is called like an identifier: id, patient_id, PID, PatientID.

    >>> called_identifier("PID"), called_identifier("PatientID"), called_identifier("fluid")
    (True, True, False)
    """
    return bool(IDENTIFIER.fullmatch(str(name).strip()))


def values_of_repeated(name: str | int, values: Array) -> int:
    """How many values a column has that is called like an identifier, or like cases (patient, subject_no), with several
    rows for most of them; 0 for others.

    >>> values_of_repeated("patient", np.arange(60) // 3), values_of_repeated("patient", np.arange(60))
    (20, 0)
    """
    n = len(values)
    if n < MIN_ROWS or not (called_identifier(name) or OF_A_CASE.fullmatch(str(name).strip())):
        return 0
    if values.dtype.kind in "fc" and not (values == np.round(values)).all():
        return 0  # fractions, or gaps
    sizes = np.bincount(pd.factorize(values, use_na_sentinel=False)[0])
    few = not max(n / MOST_A_VALUE, MIN_ROWS / 2) <= len(sizes) <= NEARLY_ALL * n
    uneven = sizes.max() > EVENLY * n / len(sizes) or sizes[sizes > 1].sum() < REPEATED * n
    return 0 if few or uneven else len(sizes)


def identifies(values: Floats, log_alpha: float, called: bool) -> bool:
    """Whether whole numbers are all different where chance would repeat some, or mostly different and named as such.

    n independent draws from R whole numbers are all different with probability at most exp(−n(n − 1)/2R); equal
    probabilities make it largest.
    """
    n, different, steps = len(values), len(np.unique(values)), np.diff(values)
    if not (values == np.round(values)).all() or (different < n and not called):
        return False
    by_chance = -n * (n - 1) / (2 * (np.ptp(values) + 1))
    return bool(
        (called and 2 * different > n) or (different == n and ((steps == steps[0]).all() or by_chance < log_alpha))
    )
