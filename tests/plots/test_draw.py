"""draw: one way to a figure, by type."""

import pytest

from trueness.errors import InputError
from trueness.plots import draw
from trueness.plots.forest import ForestDisplay
from trueness.result import Comparison


def test_every_figure_is_registered():
    assert {ForestDisplay, Comparison} <= set(draw.registry)


def test_what_has_no_figure_says_so():
    with pytest.raises(InputError, match="no figure of a int"):
        draw(3)
