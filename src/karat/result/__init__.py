"""What karat answers with: frozen results that know how to show themselves."""

from karat.result.assessment import Assessment
from karat.result.comparison import Comparison
from karat.result.estimate import Estimate
from karat.result.interval import Interval
from karat.result.interval_rules import IntervalRule
from karat.result.note import Note
from karat.result.sample_size import SampleSize
from karat.result.test_result import TestResult

__all__ = ["Assessment", "Comparison", "Estimate", "Interval", "IntervalRule", "Note", "SampleSize", "TestResult"]
