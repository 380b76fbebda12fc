"""What trueness answers with: frozen results that know how to show themselves."""

from typing import TYPE_CHECKING

from trueness import lazily

if TYPE_CHECKING:
    from trueness.result.assessment import Assessment
    from trueness.result.comparison import Comparison
    from trueness.result.estimate import Estimate
    from trueness.result.interval import Interval, IntervalRule
    from trueness.result.joint import Simultaneous
    from trueness.result.note import Note
    from trueness.result.test_result import SampleSize, TestResult

__getattr__ = lazily(
    __name__,
    {
        "Assessment": "trueness.result.assessment",
        "Comparison": "trueness.result.comparison",
        "Estimate": "trueness.result.estimate",
        "Interval": "trueness.result.interval",
        "IntervalRule": "trueness.result.interval",
        "Note": "trueness.result.note",
        "SampleSize": "trueness.result.test_result",
        "Simultaneous": "trueness.result.joint",
        "TestResult": "trueness.result.test_result",
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
