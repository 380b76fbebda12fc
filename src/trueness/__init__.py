"""trueness: how good is a classifier really, how sure are we, is it better than the other one, and where to set
its threshold.

The names are those of `trueness.public`, which is loaded when the first of them is used: `trueness --help` needs none.
"""

import importlib
from typing import TYPE_CHECKING, Any

from trueness.version import __version__ as __version__

if TYPE_CHECKING:
    from trueness.public import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module 'trueness' has no attribute {name!r}")
    public = importlib.import_module("trueness.public")
    if not hasattr(public, name):
        raise AttributeError(f"module 'trueness' has no attribute {name!r}")
    globals()[name] = found = getattr(public, name)
    return found


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__"]
