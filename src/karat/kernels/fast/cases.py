"""Compiled twins of karat.kernels.cases."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def _looked_up(rows, predictions, out):
    """`rows` (n, C): the row of the table for each case."""
    for b in range(len(predictions)):
        said, to = predictions[b], out[b]
        for j in range(len(said)):
            to[j] = rows[j, said[j]] if said[j] >= 0 else np.nan


def looked_up(table, codes, predictions):
    out = np.empty(predictions.shape)
    _looked_up(np.ascontiguousarray(table[codes]), _short(predictions), out)
    return out


@njit(cache=True, error_model="numpy")
def _case_sums(counts, losses, total, times):
    for b in range(len(counts)):
        drawn, lost = counts[b], losses[b]
        for j in range(len(drawn)):
            out = drawn[j] == 0
            total[j] += lost[j] if out else 0.0
            times[j] += 1.0 if out else 0.0


def case_sums(counts, losses):
    total, times = np.zeros(counts.shape[1]), np.zeros(counts.shape[1])
    _case_sums(_narrow(counts), losses, total, times)
    return total, times


@njit(cache=True, error_model="numpy")
def _residual_sums(counts, losses, means, scale, out):
    n = counts.shape[1]
    for b in range(len(counts)):
        drawn, lost = counts[b], losses[b]
        even, odd = 0.0, 0.0  # two sums go on at the same time
        for j in range(0, n - 1, 2):
            one, other = (lost[j] - means[j]) * scale[j], (lost[j + 1] - means[j + 1]) * scale[j + 1]
            even += one if drawn[j] == 0 else 0.0
            odd += other if drawn[j + 1] == 0 else 0.0
        if n % 2:
            one = (lost[n - 1] - means[n - 1]) * scale[n - 1]
            even += one if drawn[n - 1] == 0 else 0.0
        out[b] = even + odd


def residual_sums(counts, losses, means, scale):
    out = np.empty(len(counts))
    _residual_sums(_narrow(counts), losses, means, scale, out)
    return out


@njit(cache=True, error_model="numpy")
def _case_sums_looked_up(counts, rows, predictions, total, times):
    n = len(rows)
    for b in range(len(counts)):
        drawn, said = counts[b], predictions[b]
        for j in range(n):
            out = drawn[j] == 0
            loss = rows[j, said[j] if said[j] > 0 else 0]
            total[j] += loss if out else 0.0
            times[j] += 1.0 if out else 0.0


def case_sums_looked_up(counts, rows, predictions):
    total, times = np.zeros(counts.shape[1]), np.zeros(counts.shape[1])
    _case_sums_looked_up(_narrow(counts), rows, _short(predictions), total, times)
    return total, times


@njit(cache=True, error_model="numpy")
def _residual_sums_looked_up(counts, rows, predictions, out):
    n = len(rows)
    for b in range(len(counts)):
        drawn, said = counts[b], predictions[b]
        even, odd = 0.0, 0.0
        for j in range(0, n - 1, 2):
            one, other = rows[j, said[j] if said[j] > 0 else 0], rows[j + 1, said[j + 1] if said[j + 1] > 0 else 0]
            even += one if drawn[j] == 0 else 0.0
            odd += other if drawn[j + 1] == 0 else 0.0
        if n % 2:
            one = rows[n - 1, said[n - 1] if said[n - 1] > 0 else 0]
            even += one if drawn[n - 1] == 0 else 0.0
        out[b] = even + odd


def residual_sums_looked_up(counts, rows, predictions):
    out = np.empty(len(counts))
    _residual_sums_looked_up(_narrow(counts), rows, _short(predictions), out)
    return out


def _short(predictions):
    return np.ascontiguousarray(predictions, dtype=np.int16)


def _narrow(counts):
    """Whether a case was drawn at all is all that matters here."""
    if counts.dtype == np.uint8:
        return np.ascontiguousarray(counts)
    return (counts > 0).astype(np.uint8)
