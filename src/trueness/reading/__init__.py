"""Reader studies: several readers, several modalities, the same cases (MRMC)."""

from typing import TYPE_CHECKING

from trueness import exported, lazily

if TYPE_CHECKING:
    from trueness.reading.model import ModelAmongReaders as ModelAmongReaders
    from trueness.reading.result import ReaderStudy as ReaderStudy
    from trueness.reading.sizes import power_for_readers as power_for_readers
    from trueness.reading.sizes import size_for_readers as size_for_readers
    from trueness.reading.study import readers as readers

_HOME = exported(__name__)
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)
