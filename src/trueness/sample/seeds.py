"""Seeds: one child of a SeedSequence per fit, so that the order of work cannot change a number."""

from __future__ import annotations

import numpy as np

from trueness.checks import is_whole
from trueness.errors import InputError
from trueness.typing import Rng

DRAW, FIT, FULL = 0, 1, 2  # the first spawn key of the design's draw, of its fits, and of the fit on all cases


def seed_sequence(rng: Rng) -> np.random.SeedSequence:
    """A SeedSequence from None (fresh entropy), an int, a SeedSequence or a Generator."""
    if rng is None:
        return np.random.SeedSequence()
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence(rng.integers(0, 2**32, size=4).tolist())
    if is_whole(rng) and rng >= 0:
        return np.random.SeedSequence(int(rng))
    raise InputError("rng must be None, a whole number ≥ 0, a SeedSequence or a Generator", param="rng", got=repr(rng))


def generator_of(rng: Rng) -> np.random.Generator:
    """NumPy's `default_rng`, with trueness's error where `rng` is none of what it may be; a Generator is used itself."""
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(seed_sequence(rng))


def child(seed: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """The child at `key`; unlike spawn() it does not change the parent."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key))
