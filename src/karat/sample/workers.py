"""The check of `n_jobs`, for every function that has it."""

from __future__ import annotations

import numpy as np

from karat.errors import InputError


def check_workers(n_jobs: object) -> None:
    """An error unless `n_jobs` is None or a whole number other than 0; negative numbers count from all cores."""
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (whole and n_jobs != 0):
        raise InputError(
            "n_jobs must be a whole number other than 0",
            param="n_jobs",
            got=repr(n_jobs),
            fix="Use 1 for one worker, −1 for all cores",
        )
