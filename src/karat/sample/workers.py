"""Workers: how many is asked for in many calls, and checked here."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.errors import InputError


def check_workers(n_jobs: Any) -> None:
    """An error unless it is None or a whole number other than 0; negative ones count from all cores, as in joblib."""
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (whole and n_jobs != 0):
        raise InputError(
            "n_jobs must be a whole number, and not 0", got=repr(n_jobs), fix="Use 1 for one worker, −1 for all cores"
        )
