"""draw: one way to a figure, by type."""

import pytest

from karat.errors import InputError
from karat.plots import draw
from karat.plots.forest import ForestDisplay
from karat.result import Comparison


def test_every_figure_is_registered():
    assert {ForestDisplay, Comparison} <= set(draw.registry)


def test_what_has_no_figure_says_so():
    with pytest.raises(InputError, match="no figure of a int"):
        draw(3)
