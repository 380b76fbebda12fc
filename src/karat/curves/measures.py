"""Measures of decisions of two classes, from the counts of one fold or of many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Measure = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # tp, fn, fp, tn


def tpf(tp: np.ndarray, fn: np.ndarray, fp: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return tp / (tp + fn)


def fpf(tp: np.ndarray, fn: np.ndarray, fp: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return fp / (fp + tn)


def error(tp: np.ndarray, fn: np.ndarray, fp: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return (fn + fp) / (tp + fn + fp + tn)


def youden(tp: np.ndarray, fn: np.ndarray, fp: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return tpf(tp, fn, fp, tn) - fpf(tp, fn, fp, tn)


def ppv(tp: np.ndarray, fn: np.ndarray, fp: np.ndarray, tn: np.ndarray) -> np.ndarray:
    """Precision; NaN where nobody is called positive."""
    with np.errstate(invalid="ignore"):
        return tp / (tp + fp)


def npv(tp: np.ndarray, fn: np.ndarray, fp: np.ndarray, tn: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return tn / (tn + fn)


MEASURES: dict[str, Measure] = {"tpf": tpf, "fpf": fpf, "error": error, "youden": youden, "ppv": ppv, "npv": npv}


TITLES = {"tpf": "TPF", "fpf": "FPF", "ppv": "PPV", "npv": "NPV", "youden": "Youden's index"}


def title(measure: Any) -> str:
    """A measure in the words of a legend: its own name where it has no other."""
    name = getattr(measure, "__name__", str(measure))
    return TITLES.get(name, name.replace("_", " "))
