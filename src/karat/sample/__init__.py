"""The cases, the training sets that a plan drew from them, and the scores of the trained rules."""

from karat.sample.design import Design
from karat.sample.fits import Fits
from karat.sample.sample import Sample

__all__ = ["Design", "Fits", "Sample"]
