"""Tests of two or more models. All return a TestResult with its assumptions.

`tests()` lists them. `trueness.compare` fits models and applies the suitable ones.
"""

from typing import TYPE_CHECKING

from trueness import exported, lazily

if TYPE_CHECKING:
    from trueness.comparisons.auc_tests import delong as delong
    from trueness.comparisons.auc_tests import delong_many as delong_many
    from trueness.comparisons.auc_tests import delong_unpaired as delong_unpaired
    from trueness.comparisons.curve_tests import at_fpf as at_fpf
    from trueness.comparisons.curve_tests import at_tpf as at_tpf
    from trueness.comparisons.curve_tests import bootstrap as bootstrap
    from trueness.comparisons.curve_tests import partial_auc as partial_auc
    from trueness.comparisons.curve_tests import venkatraman as venkatraman
    from trueness.comparisons.curve_tests import venkatraman_unpaired as venkatraman_unpaired
    from trueness.comparisons.decision_tests import cochran_q as cochran_q
    from trueness.comparisons.decision_tests import mcnemar as mcnemar
    from trueness.comparisons.decision_tests import mcnemar_counts as mcnemar_counts
    from trueness.comparisons.decision_tests import tango as tango
    from trueness.comparisons.model_size import size_for_development as size_for_development
    from trueness.comparisons.model_size import size_for_validation as size_for_validation
    from trueness.comparisons.rank_tables import conover as conover
    from trueness.comparisons.rank_tables import friedman as friedman
    from trueness.comparisons.rank_tables import holm_ranks as holm_ranks
    from trueness.comparisons.rank_tables import nemenyi as nemenyi
    from trueness.comparisons.rank_tables import ranks as ranks
    from trueness.comparisons.rank_tables import results_table as results_table
    from trueness.comparisons.rank_tests import permutation as permutation
    from trueness.comparisons.rank_tests import sign as sign
    from trueness.comparisons.rank_tests import wilcoxon as wilcoxon
    from trueness.comparisons.registry import critical_value as critical_value
    from trueness.comparisons.registry import frame as frame
    from trueness.comparisons.registry import holm as holm
    from trueness.comparisons.registry import tests as tests
    from trueness.comparisons.sample_size import power_for_auc_difference as power_for_auc_difference
    from trueness.comparisons.sample_size import power_for_error_difference as power_for_error_difference
    from trueness.comparisons.sample_size import simulated_power as simulated_power
    from trueness.comparisons.sample_size import size_for_auc as size_for_auc
    from trueness.comparisons.sample_size import size_for_auc_difference as size_for_auc_difference
    from trueness.comparisons.sample_size import size_for_error_difference as size_for_error_difference
    from trueness.comparisons.sample_size import size_for_proportion as size_for_proportion
    from trueness.comparisons.splits import five_by_two_f as five_by_two_f
    from trueness.comparisons.splits import five_by_two_t as five_by_two_t
    from trueness.comparisons.splits import overlap as overlap
    from trueness.comparisons.splits import split_mean as split_mean
    from trueness.comparisons.t_tests import bayes_correlated_t as bayes_correlated_t
    from trueness.comparisons.t_tests import bayes_signed_rank as bayes_signed_rank
    from trueness.comparisons.t_tests import corrected_t as corrected_t
    from trueness.comparisons.t_tests import equivalence as equivalence
    from trueness.comparisons.t_tests import non_inferiority as non_inferiority
    from trueness.comparisons.t_tests import paired_t as paired_t
    from trueness.comparisons.t_tests import resampled_t as resampled_t

# no file has the name of a public function: importing it would hide the function
HOMES = exported(__name__)
__getattr__ = lazily(__name__, HOMES)
__all__ = sorted(HOMES)
