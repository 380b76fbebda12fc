"""What karat answers with: frozen results that know how to show themselves."""

from karat.result.assessment import Assessment
from karat.result.estimate import Estimate
from karat.result.interval import Interval

__all__ = ["Assessment", "Estimate", "Interval"]
