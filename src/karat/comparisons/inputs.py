"""What the tests are given: checked once, here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from karat.errors import InputError
from karat.result.digits import counted
from karat.sample.sample import Sample, single
from karat.sample.seeds import seed_sequence

NO_SPREAD = 1e-12  # differences that differ by less than this share of their size are the same


def scores_of(y: Any, *scores: Any, positive: Any = None, names: tuple[str, ...] = ()) -> tuple[np.ndarray, ...]:
    """(n,) which cases are positive, and each model's scores as floats (n,)."""
    sample = Sample.of(y, positive=positive, least=1)
    if (sample.sizes < 2).any():
        raise InputError(
            f"{single(sample.classes[sample.sizes < 2].tolist())}, which cannot show how much cases of the class vary",
            fix="Collect more cases of such a class",
        )
    out = [sample.is_positive()]
    for k, given in enumerate(scores):
        out.append(_one_score(given, sample.n, names[k] if names else f"s{k + 1}"))
    return tuple(out)


def _one_score(given: Any, n: int, name: str) -> np.ndarray:
    try:
        values = np.asarray(given.to_numpy() if hasattr(given, "to_numpy") else given, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers", got=str(error)) from None
    if values.shape != (n,):
        raise InputError(f"{name} must hold one score a case", got=f"shape {values.shape} for {n} cases")
    if np.isnan(values).any():
        raise InputError(
            f"{name} has {counted(int(np.isnan(values).sum()), 'missing score')}", fix="Drop such cases from all"
        )
    return values


def correct_of(y: Any, *predictions: Any) -> tuple[np.ndarray, ...]:
    """For each model (n,) bool: which cases it got right."""
    truth = _column(y, "y")
    out = []
    for k, given in enumerate(predictions):
        said = _column(given, f"p{k + 1}")
        if said.shape != truth.shape:
            raise InputError(
                f"y and p{k + 1} have different lengths", got=f"{len(truth)} and {len(said)}", fix="Give the same cases"
            )
        if truth.dtype.kind in "fiub" and said.dtype.kind not in "fiub":
            raise InputError(f"p{k + 1} and y hold labels of different types", got=f"{said.dtype} and {truth.dtype}")
        if said.dtype.kind == "f" and (said != np.round(said)).any():
            raise InputError(f"p{k + 1} holds numbers that are no labels", fix="Give decisions, not scores")
        known = set(truth.tolist())
        strange = [label for label in dict.fromkeys(said.tolist()) if label not in known]
        if strange and len(known) > 1:  # cases of one class cannot tell what the other is called
            raise InputError(
                f"p{k + 1} holds labels that y never has",
                got=", ".join(repr(label) for label in strange[:3]),
                fix="Code decisions and labels alike",
            )
        out.append(said == truth)
    return tuple(out)


def _column(given: Any, name: str) -> np.ndarray:
    values = np.asarray(given.to_numpy() if hasattr(given, "to_numpy") else given)
    if values.ndim != 1 or not values.size:
        raise InputError(f"{name} must hold one label a case", got=f"shape {values.shape}")
    if pd.isna(values).any():
        raise InputError(f"{name} has missing labels")
    return values


def paired_values(e1: Any, e2: Any, least: int = 2) -> np.ndarray:
    """(n,) e1 − e2 of values that belong together pair by pair."""
    a, b = (values_of(e, name, 1) for e, name in ((e1, "e1"), (e2, "e2")))
    if a.shape != b.shape:
        raise InputError(
            "e1 and e2 must be paired: the same data sets in the same order", got=f"{len(a)} and {len(b)} values"
        )
    indexed = isinstance(e1, pd.Series) and isinstance(e2, pd.Series)
    if indexed and not e1.index.equals(e2.index):
        raise InputError("e1 and e2 have different indexes, so their values may not belong together")
    if len(a) < least:
        raise InputError(f"at least {least} pairs are needed", got=f"{len(a)}")
    return _rounded(a - b, np.maximum(np.abs(a), np.abs(b)).max())


def _rounded(d: np.ndarray, size: float) -> np.ndarray:
    """0 where two values are the same but for the last bits."""
    return np.where(np.abs(d) <= NO_SPREAD * size, 0.0, d)


def values_of(given: Any, name: str, ndim: int) -> np.ndarray:
    """Finite numbers."""
    try:
        values = np.asarray(given.to_numpy() if hasattr(given, "to_numpy") else given, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers", got=str(error)) from None
    if values.ndim != ndim or not values.size:
        raise InputError(f"{name} has the wrong shape", got=f"{values.shape}; {ndim} dimensions are needed")
    if not np.isfinite(values).all():
        raise InputError(f"{name} has missing or infinite values", got=f"{int((~np.isfinite(values)).sum())} of them")
    return values


def constant(values: np.ndarray) -> bool:
    """Whether the values are all the same, up to rounding."""
    return bool(np.ptp(values) <= NO_SPREAD * np.abs(values).max(initial=0.0))


def check_counts(**counts: Any) -> None:
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
            raise InputError(f"{name} must be a whole number ≥ 0", got=repr(value))


def generator_of(rng: Any) -> np.random.Generator:
    """None, an int, a SeedSequence or a Generator, as a Generator."""
    return np.random.default_rng(seed_sequence(rng))
