"""Tables, scores and models read from files."""

from trueness.files.features import read_cases
from trueness.files.model_file import read_model

__all__ = [
    "read_cases",
    "read_model",
]
