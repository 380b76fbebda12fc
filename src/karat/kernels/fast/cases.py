"""Compiled twins of karat.kernels.cases."""

from __future__ import annotations

import numpy as np
from numba import njit

FULL = 2**16 - 1  # what two bytes can count


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
def _tally(counts, predictions, tally):
    for b in range(len(counts)):
        drawn, said = counts[b], predictions[b]
        for c in range(len(tally)):
            to, code = tally[c], np.int16(c)  # everything of two bytes: 32 cases side by side
            for j in range(len(drawn)):
                to[j] += np.uint16((drawn[j] == 0) & (said[j] == code))


def case_sums_looked_up(counts, rows, predictions):
    """How often each case was left out and given each class: whole numbers, exact in any order."""
    times = np.zeros(rows.T.shape)  # (C, n)
    for start in range(0, len(counts), FULL):
        some, tally = slice(start, start + FULL), np.zeros(times.shape, np.uint16)
        _tally(_narrow(counts[some]), _short(predictions[some]), tally)
        times += tally
    return (times * rows.T).sum(axis=0), times.sum(axis=0)


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "nsz"})
def _residual_sums_looked_up(counts, values, predictions, out):
    """Added in the order that suits the machine's vectors: the last bits are its own, as those of a matrix product."""
    for b in range(len(counts)):
        drawn, said = counts[b], predictions[b]
        total = 0.0
        for c in range(len(values)):
            value, code = values[c], np.int16(c)
            for j in range(len(drawn)):
                if (drawn[j] == 0) & (said[j] == code):
                    total += value[j]
        out[b] = total


def residual_sums_looked_up(counts, rows, predictions):
    out = np.empty(len(counts))
    _residual_sums_looked_up(_narrow(counts), np.ascontiguousarray(rows.T), _short(predictions), out)
    return out


def _short(predictions):
    return np.ascontiguousarray(predictions, dtype=np.int16)


def _narrow(counts):
    """Whether a case was drawn at all is all that matters here."""
    if counts.dtype == np.uint8:
        return np.ascontiguousarray(counts)
    return (counts > 0).astype(np.uint8)
