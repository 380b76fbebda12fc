"""What karat answers with: frozen results that know how to show themselves."""

from karat.result.estimate import Estimate
from karat.result.interval import Interval

__all__ = ["Estimate", "Interval"]
