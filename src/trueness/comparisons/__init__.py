"""Tests of two or more models. All return a TestResult with its assumptions.

`tests()` lists them. `trueness.compare` fits models and applies the suitable ones.
"""

from trueness.comparisons.auc_tests import delong, delong_many, delong_unpaired
from trueness.comparisons.curve_tests import at_fpf, at_tpf, bootstrap, partial_auc, venkatraman, venkatraman_unpaired
from trueness.comparisons.decision_tests import cochran_q, mcnemar, mcnemar_counts
from trueness.comparisons.model_size import size_for_development, size_for_validation
from trueness.comparisons.rank_tables import conover, friedman, holm_ranks, nemenyi, ranks, results_table
from trueness.comparisons.rank_tests import permutation, sign, wilcoxon
from trueness.comparisons.registry import holm, tests
from trueness.comparisons.sample_size import (
    power_for_auc_difference,
    power_for_error_difference,
    size_for_auc,
    size_for_auc_difference,
    size_for_error_difference,
    size_for_proportion,
)
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
from trueness.formulas.proportions import tango

__all__ = [
    "at_fpf",
    "at_tpf",
    "bayes_correlated_t",
    "bayes_signed_rank",
    "bootstrap",
    "cochran_q",
    "conover",
    "corrected_t",
    "delong",
    "delong_many",
    "delong_unpaired",
    "equivalence",
    "five_by_two_f",
    "five_by_two_t",
    "friedman",
    "holm",
    "holm_ranks",
    "mcnemar",
    "mcnemar_counts",
    "nemenyi",
    "non_inferiority",
    "overlap",
    "paired_t",
    "partial_auc",
    "permutation",
    "power_for_auc_difference",
    "power_for_error_difference",
    "ranks",
    "resampled_t",
    "results_table",
    "sign",
    "size_for_auc",
    "size_for_auc_difference",
    "size_for_development",
    "size_for_error_difference",
    "size_for_proportion",
    "size_for_validation",
    "split_mean",
    "tango",
    "tests",
    "venkatraman",
    "venkatraman_unpaired",
    "wilcoxon",
]
