"""Systems compared by their answers to the same items, without models; readers of their logs."""

from trueness.systems.compare_systems import SystemsComparison, compare
from trueness.systems.evals import read_evals

__all__ = [
    "SystemsComparison",
    "compare",
    "read_evals",
]
