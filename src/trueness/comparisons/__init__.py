"""Tests of two or more models, one file per test. All return a TestResult with its assumptions.

`tests()` lists them. `trueness.compare` fits models and applies the suitable ones.
"""

from trueness.comparisons.bayes import bayes_correlated_t, bayes_signed_rank
from trueness.comparisons.bootstrap import bootstrap
from trueness.comparisons.cochran import cochran_q
from trueness.comparisons.corrected_t import corrected_t
from trueness.comparisons.curve_parts import at_fpf, at_tpf, partial_auc
from trueness.comparisons.delong import delong, delong_many, delong_unpaired
from trueness.comparisons.five_by_two import five_by_two_f, five_by_two_t
from trueness.comparisons.friedman import friedman
from trueness.comparisons.mcnemar import mcnemar, mcnemar_counts, tango
from trueness.comparisons.p_values import critical_value, holm
from trueness.comparisons.paired_t import paired_t, resampled_t
from trueness.comparisons.permutation import permutation
from trueness.comparisons.posthoc import conover, holm_ranks, nemenyi
from trueness.comparisons.registry import frame, tests
from trueness.comparisons.results_table import ranks, results_table
from trueness.comparisons.simulated_power import simulated_power
from trueness.comparisons.size_for_auc import power_for_auc_difference, size_for_auc, size_for_auc_difference
from trueness.comparisons.size_for_rates import (
    power_for_error_difference,
    size_for_error_difference,
    size_for_proportion,
)
from trueness.comparisons.splits import overlap, split_mean
from trueness.comparisons.tost import equivalence, non_inferiority
from trueness.comparisons.venkatraman import venkatraman, venkatraman_unpaired
from trueness.comparisons.wilcoxon import sign, wilcoxon

__all__ = [
    "at_fpf", "at_tpf", "bayes_correlated_t", "bayes_signed_rank", "bootstrap", "cochran_q", "conover", "corrected_t",
    "critical_value", "delong", "delong_many", "delong_unpaired", "equivalence", "five_by_two_f", "five_by_two_t",
    "frame", "friedman", "holm", "holm_ranks", "mcnemar", "mcnemar_counts", "nemenyi", "non_inferiority", "overlap",
    "paired_t", "partial_auc", "permutation", "power_for_auc_difference", "power_for_error_difference", "ranks",
    "resampled_t", "results_table", "sign", "simulated_power", "size_for_auc", "size_for_auc_difference",
    "size_for_error_difference", "size_for_proportion", "split_mean", "tango", "tests", "venkatraman",
    "venkatraman_unpaired", "wilcoxon",
]  # fmt: skip
