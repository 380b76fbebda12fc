"""The cases, the training sets that a plan drew from them, and the scores of the trained rules."""

from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.sample import Sample

__all__ = ["Design", "Fits", "Sample"]
