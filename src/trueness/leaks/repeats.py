"""L018: a column called like an identifier has several rows per value, as where patients have several visits."""

import math
import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import norm

from trueness.leaks.findings import ALPHA, Data, Finding, Name, leak_check
from trueness.result.words import SMALLEST_P
from trueness.typing import Array, Ints

OF_CASES = "subjects?|subj|patients?|pat|persons?|participants?|cases?|customers?|clients?|users?|donors?|animals?"
NAMES = re.compile(rf"({OF_CASES})([_. -]?(id|no|nr|num|number|code|key))?", re.IGNORECASE)
IDENTIFIER, ENDS_IN_ID = (
    re.compile(r"(.*[_. -])?(id|pid|uid|mrn)", re.IGNORECASE),
    re.compile(r".*[a-z]I[Dd]"),
)  # PatientID
MOST_A_VALUE, NEARLY_ALL = 50, 0.9  # rows per value at most; share of different values from which rows are cases
EVENLY = 10  # times the mean that a value may have rows
REPEATED = 0.5  # share of the rows, at least, that have another one of their value
MIN_ROWS = 20


@leak_check(L018="several rows per patient or object")
def several_rows(data: Data) -> Iterator[Finding]:
    """Identifiers with several rows per value; a warning where these rows are alike beyond chance."""
    for name in repeated(data):
        labels = _values(data, name)
        alike = _alike(data, name, labels)
        rows, values = len(data.rows), int(labels.max()) + 1
        yield Finding(
            "L018",
            f"Column {name!r} has {values} values in {rows} rows: several rows per patient or object? Then pass it "
            f"as groups=. Alike in rows of one value: {', '.join(alike[:3])}.",
            "warning" if alike else "info",
            columns=(name,),
            values=values,
            alike=alike,
        )


def repeated(data: Data) -> list[Name]:
    """Columns that are called like an identifier, with several rows for most values; none that the groups contain."""
    if "repeated" not in data.known:
        data.known["repeated"] = [name for name in (*data.names, *data.texts) if _is_repeated(data, name)]
    return data.known["repeated"]


def are_groups(data: Data, name: Name) -> bool:
    """Whether the values of a column are the groups themselves."""
    groups = data.sample.groups
    return groups is not None and np.array_equal(_values(data, name), pd.factorize(groups[data.rows])[0])


def called_identifier(name: Name) -> bool:
    """Whether a column is called like an identifier: id, patient_id, PID, PatientID.

    >>> called_identifier("PID"), called_identifier("PatientID"), called_identifier("fluid")
    (True, True, False)
    """
    return isinstance(name, str) and bool(IDENTIFIER.fullmatch(name.strip()) or ENDS_IN_ID.fullmatch(name))


def values_of_repeated(name: Name, values: Array) -> int:
    """How many values a column has that is called like an identifier, with several rows for most of them; 0 for others.

    >>> values_of_repeated("patient", np.arange(60) // 3), values_of_repeated("patient", np.arange(60))
    (20, 0)
    """
    n = len(values)
    if n < MIN_ROWS or not called_case(name):
        return 0
    if values.dtype.kind in "fc" and not (values == np.round(values)).all():
        return 0  # fractions, or gaps
    sizes = np.bincount(pd.factorize(values, use_na_sentinel=False)[0])
    if not n / MOST_A_VALUE <= len(sizes) <= NEARLY_ALL * n or len(sizes) < MIN_ROWS / 2:
        return 0
    if sizes.max() > EVENLY * n / len(sizes) or sizes[sizes > 1].sum() < REPEATED * n:
        return 0
    return len(sizes)


def called_case(name: Name) -> bool:
    """Whether a column is called like an identifier, or like cases: patient, subject_no."""
    return isinstance(name, str) and (called_identifier(name) or bool(NAMES.fullmatch(name.strip())))


def _is_repeated(data: Data, name: Name) -> bool:
    different = values_of_repeated(name, _column(data, name)) if called_case(name) else 0
    if not different:
        return False
    labels = _values(data, name)
    groups = data.sample.groups
    return groups is None or len(np.unique(np.stack([labels, groups[data.rows]]), axis=1)[0]) > different


def _column(data: Data, name: Name) -> Array:
    return np.asarray(data.number(name) if name in data.names else data.texts[str(name)])


def _values(data: Data, name: Name) -> Ints:
    return np.asarray(pd.factorize(_column(data, name), use_na_sentinel=False)[0])


def _alike(data: Data, name: Name, labels: Ints) -> list[str]:
    """What agrees in pairs of rows of one value more often than in others: "the target", and columns."""
    columns: dict[str, Array] = {"the target": data.codes}
    columns |= {repr(other): data.number(other) for other in data.names if other != name}
    columns |= {repr(other): texts for other, texts in data.texts.items() if other != name}
    return [
        other
        for other, values in columns.items()
        if agreement(labels, pd.factorize(values, use_na_sentinel=False)[0]) * len(columns) < ALPHA
    ]


def agreement(labels: Ints, codes: Ints) -> float:
    """p-value of the number of pairs with one label that agree in their code, by its normal approximation.

    With shares p of the codes, a pair agrees with probability Σp²; two pairs that share a row both agree with Σp³, others
    are independent.

    >>> agreement(np.arange(60) // 2, np.arange(60) // 2 % 2) < 1e-6  # pairs of rows with one code
    True
    >>> round(agreement(np.arange(60) // 2, np.arange(60) % 2), 3)  # no pair agrees
    1.0
    """
    n, rows, of_code = len(labels), np.bincount(labels).astype(float), np.bincount(codes).astype(float)
    together = np.unique(labels.astype(np.int64) * len(of_code) + codes, return_counts=True)[1].astype(float)
    pairs, agreeing = (rows * (rows - 1)).sum() / 2, (together * (together - 1)).sum() / 2
    two, three = ((of_code / n) ** 2).sum(), ((of_code / n) ** 3).sum()
    chains = (rows * (rows - 1) * (rows - 2)).sum() / 2
    variance = pairs * two * (1 - two) + 2 * chains * (three - two**2)
    if variance <= 0 or agreeing - pairs * two < 3:  # and no few pairs of rare values
        return 1.0
    return max(float(norm.sf((agreeing - pairs * two) / math.sqrt(variance))), SMALLEST_P)
