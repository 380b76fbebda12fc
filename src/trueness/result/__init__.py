"""What trueness answers with: frozen results that know how to show themselves."""

from trueness.result.estimate import Estimate
from trueness.result.interval import Interval, IntervalRule
from trueness.result.joint import Simultaneous
from trueness.result.notes import Note
from trueness.result.test_result import SampleSize, TestResult

__all__ = [
    "Estimate",
    "Interval",
    "IntervalRule",
    "Note",
    "SampleSize",
    "Simultaneous",
    "TestResult",
]
