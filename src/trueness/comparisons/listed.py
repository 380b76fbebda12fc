"""The tests.

To add a test, write a function under `@comparison` that returns a TestResult, and name it in `TESTS` and in `__init__.py`.
The common checks (tests/comparisons/test_common_checks.py) then run on it.
"""

from collections.abc import Callable

import pandas as pd

from trueness.comparisons.auc_tests import delong, delong_many, delong_unpaired
from trueness.comparisons.curve_tests import at_fpf, at_tpf, bootstrap, partial_auc, venkatraman, venkatraman_unpaired
from trueness.comparisons.decision_tests import cochran_q, mcnemar, mcnemar_counts
from trueness.comparisons.rank_tables import conover, friedman, holm_ranks, nemenyi
from trueness.comparisons.rank_tests import permutation, sign, wilcoxon
from trueness.comparisons.registry import DECLARED, DeclaredTest
from trueness.comparisons.splits import five_by_two_f, five_by_two_t, overlap, split_mean
from trueness.comparisons.t_tests import (
    bayes_correlated_t,
    bayes_signed_rank,
    corrected_t,
    equivalence,
    non_inferiority,
    paired_t,
    resampled_t,
)
from trueness.result.estimate import Estimate
from trueness.result.test_result import TestResult

TESTS: list[Callable[..., TestResult | Estimate]] = [
    delong,
    delong_many,
    delong_unpaired,
    at_fpf,
    at_tpf,
    bootstrap,
    partial_auc,
    venkatraman,
    venkatraman_unpaired,
    cochran_q,
    mcnemar,
    mcnemar_counts,
    conover,
    friedman,
    holm_ranks,
    nemenyi,
    permutation,
    sign,
    wilcoxon,
    five_by_two_f,
    five_by_two_t,
    overlap,
    split_mean,
    bayes_correlated_t,
    bayes_signed_rank,
    corrected_t,
    equivalence,
    non_inferiority,
    paired_t,
    resampled_t,
]


def tests() -> list[DeclaredTest]:
    """All declared tests, including `split_mean`, which returns an Estimate.

    Returns
    -------
    list of DeclaredTest
    """
    return [DECLARED[test.__name__] for test in TESTS]


def frame() -> pd.DataFrame:
    """The tests as a table.

    Returns
    -------
    DataFrame
        One row per test: `test`, `given`, `question`, `returns`.
    """
    rows = [{"test": c.name, "given": c.given, "question": c.question, "returns": c.returns} for c in tests()]
    return pd.DataFrame(rows)
