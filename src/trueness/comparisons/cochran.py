"""Cochran's Q: several rules' decisions about the same cases (Cochran 1950)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from trueness.comparisons.assumptions import FIXED_RULES, JUDGED_BY_ALL
from trueness.comparisons.decision_tests import few_discordant
from trueness.comparisons.inputs import values_of
from trueness.comparisons.registry import comparison
from trueness.errors import InputError
from trueness.result import Note, TestResult
from trueness.result.paired import NO_DISCORDANT

MIN_CELLS_FOR_CHI2 = 24  # discordant cases × rules


@comparison("right or wrong", "Do several rules have the same error rate, on one test set?")
def cochran_q(correct: npt.ArrayLike | pd.DataFrame) -> TestResult:
    """Q = (k − 1)(k Σ_j C_j² − T²) / (k T − Σ_i R_i²), k − 1 degrees of freedom.

    C_j and R_i are the column and row sums of `correct`, T is its total. For two rules Q is McNemar's χ².

    Parameters
    ----------
    correct : array-like of shape (n, k)
        1 where rule j classifies case i correctly, else 0.

    Returns
    -------
    TestResult
    """
    x = values_of(correct, "correct", 2)
    if not np.isin(x, (0, 1)).all():
        raise InputError("correct must contain only 0 and 1", param="correct", fix="Pass predictions == y")
    n, k = x.shape
    if k < 2:
        raise InputError("correct must have at least 2 columns, one per rule", param="correct", got=k)
    columns, rows, total = x.sum(axis=0), x.sum(axis=1), x.sum()
    scale = k * total - (rows**2).sum()
    q, p, notes = 0.0, 1.0, [NO_DISCORDANT]
    if scale > 0:
        q = float((k - 1) * (k * (columns**2).sum() - total**2) / scale)
        p = float(stats.chi2.sf(q, k - 1)) if q > 0 else 1.0
        rates = (1 - columns / n).tolist()
        notes = [Note("error-rates", f"Error rates: {', '.join(f'{v:.4f}' for v in rates)}.", values=rates)]
        discordant = int(((rows > 0) & (rows < k)).sum())
        if discordant * k < MIN_CELLS_FOR_CHI2:
            notes.append(few_discordant(discordant, -(-MIN_CELLS_FOR_CHI2 // k)))
    assumptions = (FIXED_RULES, JUDGED_BY_ALL, "the rules disagree on enough cases for the χ² approximation.")
    return TestResult("Cochran's Q", q, p, df=k - 1, assumptions=assumptions, notes=tuple(notes))
