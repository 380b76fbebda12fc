"""`assess`, `compare` and `two_sets`: short functions that put the parts together."""

from trueness.api.assessment import Assessment
from trueness.api.comparison import Comparison

__all__ = [
    "Assessment",
    "Comparison",
]
