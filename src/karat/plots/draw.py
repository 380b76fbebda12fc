"""`draw(obj, ax)`: the one way to a picture. Each file of this room registers what it can draw."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

from karat.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@singledispatch
def draw(obj: Any, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a result into matplotlib axes and return them."""
    raise InputError(f"There is no picture of a {type(obj).__name__}", param="obj")
