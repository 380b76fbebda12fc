"""Systems compared by their answers to the same items, without models; readers of their logs."""

from typing import TYPE_CHECKING

from trueness import exported, lazily

if TYPE_CHECKING:
    from trueness.systems.compare_systems import SystemsComparison as SystemsComparison
    from trueness.systems.compare_systems import compare as compare
    from trueness.systems.evals import read_evals as read_evals

_HOME = exported(__name__)
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)
