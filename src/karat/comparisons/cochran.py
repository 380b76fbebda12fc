"""Cochran's Q: several rules' decisions about the same cases (Cochran 1950)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from karat.comparisons.delong import FIXED
from karat.comparisons.inputs import values_of
from karat.comparisons.mcnemar import INDEPENDENT
from karat.comparisons.registry import comparison
from karat.errors import InputError
from karat.result.test_result import TestResult


@comparison("right or wrong", "Do several rules have the same error rate, on one test set?")
def cochran_q(correct: Any) -> TestResult:
    """Q = (k − 1)(k Σ_j C_j² − T²) / (k T − Σ_i R_i²), k − 1 degrees of freedom.

    Parameters
    ----------
    correct
        (n, k): 1 where rule j is right about case i, else 0. C_j and R_i are its column and row sums. For
        two rules Q is McNemar's χ².
    """
    x = values_of(correct, "correct", 2)
    if not np.isin(x, (0, 1)).all():
        raise InputError("correct must hold 0 and 1 only", got="other values", fix="Give predictions == y")
    n, k = x.shape
    if k < 2:
        raise InputError("at least 2 rules are needed", got=k)
    columns, rows, total = x.sum(axis=0), x.sum(axis=1), x.sum()
    room = k * total - (rows**2).sum()
    mixed = int(((rows > 0) & (rows < k)).sum())
    if room == 0:
        q, p = 0.0, 1.0
        notes: tuple[str, ...] = ("All rules are right about the same cases: nothing speaks for a difference.",)
    else:
        q = float((k - 1) * (k * (columns**2).sum() - total**2) / room)
        p = float(stats.chi2.sf(q, k - 1)) if q > 0 else 1.0
        notes = (f"Error rates: {', '.join(f'{v:.4f}' for v in 1 - columns / n)}.",)
        if mixed * k < 24:
            notes += (f"{mixed} cases speak; χ² wants about {-(-24 // k)} or more.",)
    return TestResult(
        "Cochran's Q",
        q,
        p,
        df=k - 1,
        assumptions=(FIXED, INDEPENDENT, "enough cases are judged differently by the rules for χ²."),
        notes=notes,
    )
