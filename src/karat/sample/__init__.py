"""The cases, what a plan drew from them, and what the trained rules said of them."""

from karat.sample.design import Design
from karat.sample.fits import Fits
from karat.sample.sample import Sample

__all__ = ["Design", "Fits", "Sample"]
