"""What karat answers with: frozen results that know how to show themselves."""

from typing import TYPE_CHECKING

from karat import lazily

if TYPE_CHECKING:
    from karat.result.assessment import Assessment
    from karat.result.comparison import Comparison
    from karat.result.estimate import Estimate
    from karat.result.interval import Interval, IntervalRule
    from karat.result.joint import Simultaneous
    from karat.result.note import Note
    from karat.result.sample_size import SampleSize
    from karat.result.test_result import TestResult

__getattr__ = lazily(
    __name__,
    {
        "Assessment": "karat.result.assessment",
        "Comparison": "karat.result.comparison",
        "Estimate": "karat.result.estimate",
        "Interval": "karat.result.interval",
        "IntervalRule": "karat.result.interval",
        "Note": "karat.result.note",
        "SampleSize": "karat.result.sample_size",
        "Simultaneous": "karat.result.joint",
        "TestResult": "karat.result.test_result",
    },
)

__all__ = [
    "Assessment",
    "Comparison",
    "Estimate",
    "Interval",
    "IntervalRule",
    "Note",
    "SampleSize",
    "Simultaneous",
    "TestResult",
]
