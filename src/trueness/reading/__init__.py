"""Reader studies: several readers, several modalities, the same cases (MRMC)."""

from trueness.reading.model import ModelAmongReaders
from trueness.reading.result import ReaderStudy
from trueness.reading.sizes import power_for_readers, size_for_readers
from trueness.reading.study import readers

__all__ = [
    "ModelAmongReaders",
    "ReaderStudy",
    "power_for_readers",
    "readers",
    "size_for_readers",
]
