"""What trueness answers with: frozen results that know how to show themselves."""

from typing import TYPE_CHECKING

from trueness import exported, lazily

if TYPE_CHECKING:
    from trueness.api.assessment import Assessment as Assessment
    from trueness.api.comparison import Comparison as Comparison
    from trueness.result.estimate import Estimate as Estimate
    from trueness.result.interval import Interval as Interval
    from trueness.result.interval import IntervalRule as IntervalRule
    from trueness.result.joint import Simultaneous as Simultaneous
    from trueness.result.test_result import SampleSize as SampleSize
    from trueness.result.test_result import TestResult as TestResult
    from trueness.result.words import Note as Note

_HOME = exported(__name__)
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)
