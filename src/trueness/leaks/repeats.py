"""L018: a column called like an identifier has several rows per value, as where patients have several visits."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import norm

from trueness.leaks.findings import ALPHA, Data, Finding, leak_check
from trueness.result.words import SMALLEST_P
from trueness.typing import Ints


@leak_check(L018="several rows per patient or object")
def several_rows(data: Data) -> Iterator[Finding]:
    """Identifiers with several rows per value; a warning where the target or other columns agree in pairs of rows of one
    value more often than in others, beyond chance."""
    for name, labels in data.repeated.items():
        columns = {"the target": data.codes} | {repr(o): v for o, v in data.columns.items() if o != name}
        numbered = {other: pd.factorize(values, use_na_sentinel=False)[0] for other, values in columns.items()}
        alike = [other for other, codes in numbered.items() if agreement(labels, codes) * len(columns) < ALPHA]
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
