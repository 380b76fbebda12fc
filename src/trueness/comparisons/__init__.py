"""Tests of two or more models. All return a TestResult with its assumptions.

`tests()` lists them. `trueness.compare` fits models and applies the suitable ones.
"""

from typing import TYPE_CHECKING

from trueness import lazily

if TYPE_CHECKING:
    from trueness.comparisons.auc_tests import delong, delong_many, delong_unpaired
    from trueness.comparisons.bayes import bayes_correlated_t, bayes_signed_rank
    from trueness.comparisons.cochran import cochran_q
    from trueness.comparisons.corrected import corrected_t
    from trueness.comparisons.curve_parts import at_fpf, at_tpf, partial_auc
    from trueness.comparisons.curve_tests import bootstrap
    from trueness.comparisons.decision_tests import mcnemar, mcnemar_counts, tango
    from trueness.comparisons.five_by_two import five_by_two_f, five_by_two_t
    from trueness.comparisons.friedman_tests import friedman
    from trueness.comparisons.p_values import critical_value, holm
    from trueness.comparisons.permutations import permutation
    from trueness.comparisons.posthoc import conover, holm_ranks, nemenyi
    from trueness.comparisons.power import simulated_power
    from trueness.comparisons.rank_tests import sign, wilcoxon
    from trueness.comparisons.registry import frame, tests
    from trueness.comparisons.results import ranks, results_table
    from trueness.comparisons.sample_size import power_for_auc_difference, size_for_auc, size_for_auc_difference
    from trueness.comparisons.size_for_rates import (
        power_for_error_difference,
        size_for_error_difference,
        size_for_proportion,
    )
    from trueness.comparisons.splits import overlap, split_mean
    from trueness.comparisons.t_tests import paired_t, resampled_t
    from trueness.comparisons.tost import equivalence, non_inferiority
    from trueness.comparisons.whole_curves import venkatraman, venkatraman_unpaired

# no file has the name of a public function: importing it would hide the function
_FILES = {
    "auc_tests": "delong delong_many delong_unpaired",
    "bayes": "bayes_correlated_t bayes_signed_rank",
    "cochran": "cochran_q",
    "corrected": "corrected_t",
    "curve_parts": "at_fpf at_tpf partial_auc",
    "curve_tests": "bootstrap",
    "decision_tests": "mcnemar mcnemar_counts tango",
    "five_by_two": "five_by_two_f five_by_two_t",
    "friedman_tests": "friedman",
    "p_values": "critical_value holm",
    "permutations": "permutation",
    "posthoc": "conover holm_ranks nemenyi",
    "power": "simulated_power",
    "rank_tests": "sign wilcoxon",
    "registry": "frame tests",
    "results": "ranks results_table",
    "sample_size": "power_for_auc_difference size_for_auc size_for_auc_difference",
    "size_for_rates": "power_for_error_difference size_for_error_difference size_for_proportion",
    "splits": "overlap split_mean",
    "t_tests": "paired_t resampled_t",
    "tost": "equivalence non_inferiority",
    "whole_curves": "venkatraman venkatraman_unpaired",
}
HOMES = {name: f"{__name__}.{file}" for file, names in _FILES.items() for name in names.split()}
__getattr__ = lazily(__name__, HOMES)
__all__ = [
    "at_fpf", "at_tpf", "bayes_correlated_t", "bayes_signed_rank", "bootstrap", "cochran_q", "conover", "corrected_t",
    "critical_value", "delong", "delong_many", "delong_unpaired", "equivalence", "five_by_two_f", "five_by_two_t",
    "frame", "friedman", "holm", "holm_ranks", "mcnemar", "mcnemar_counts", "nemenyi", "non_inferiority", "overlap",
    "paired_t", "partial_auc", "permutation", "power_for_auc_difference", "power_for_error_difference", "ranks",
    "resampled_t", "results_table", "sign", "simulated_power", "size_for_auc", "size_for_auc_difference",
    "size_for_error_difference", "size_for_proportion", "split_mean", "tango", "tests", "venkatraman",
    "venkatraman_unpaired", "wilcoxon",
]  # fmt: skip
