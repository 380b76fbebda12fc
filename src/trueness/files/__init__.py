"""Tables, scores and models read from files."""

from typing import TYPE_CHECKING

from trueness import exported, lazily

if TYPE_CHECKING:
    from trueness.files.features import read_cases as read_cases
    from trueness.files.model_file import read_model as read_model

_HOME = exported(__name__)
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)
