"""Seeds: one SeedSequence child a fit, so that no order of work can change a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.errors import InputError

DRAW, FIT = 0, 1  # the first spawn key of the design's draw and of the fits


def seed_sequence(rng: Any) -> np.random.SeedSequence:
    """None (fresh entropy), an int, a SeedSequence or a Generator, as a SeedSequence."""
    if rng is None:
        return np.random.SeedSequence()
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence(rng.integers(0, 2**32, size=4).tolist())
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and rng >= 0:
        return np.random.SeedSequence(int(rng))
    raise InputError("rng must be None, a whole number ≥ 0, a SeedSequence or a Generator", got=repr(rng))


def child(seed: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """The child at `key`; unlike spawn() it leaves the parent alone."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key))
