"""`draw(obj, ax)`: the one way to a figure. Each file of this room registers what it can draw."""

from __future__ import annotations

from functools import singledispatch

from trueness.errors import InputError
from trueness.typing import Axes


@singledispatch
def draw(obj: object, ax: Axes | None = None, **options: object) -> Axes:
    """Draw a result into matplotlib axes.

    Parameters
    ----------
    obj : object
        A result with a figure, e.g. a ROC curve or a Comparison.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes by default.
    **options
        As the figure takes them.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        Where the object has no figure.
    """
    raise InputError(f"There is no figure of a {type(obj).__name__}", param="obj")
