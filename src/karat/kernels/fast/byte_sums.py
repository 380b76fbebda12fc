"""Compiled twin of karat.kernels.byte_sums."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from karat.kernels import byte_sums as plain
from karat.kernels.fast.byte_products import AVAILABLE, WIDE, byte_dots

__all__ = ["AVAILABLE", "byte_digits", "byte_sums"]


@njit(
    cache=True, nogil=True, error_model="numpy", fastmath=True
)  # the bias may be summed in any order; nothing else is
def _byte_digits(columns, first, second, digits, out, quantum, bias):
    m = columns.shape[1]
    phi, whole = np.empty(m), np.empty(m, np.int64)
    half = np.int64(0)  # 128 in every digit: what makes all of them positive, so that they are the bytes of the sum
    for _ in range(digits):
        half = half * 256 + 128
    for k in range(len(first)):
        one, other = columns[first[k]], columns[second[k]]
        largest = 1e-300
        for i in range(m):
            phi[i] = one[i] * other[i]
            largest = max(largest, abs(phi[i]))
        unit = 2.0 ** (math.ceil(math.log2(largest / plain.LARGEST)) - (8 * digits - 2))
        wrong = 0.0
        for i in range(m):
            value = np.rint(phi[i] / unit)
            wrong += phi[i] - value * unit
            whole[i] = np.int64(value) + half
        for d in range(digits):
            to = out[k, d]
            for i in range(m):
                to[i] = np.int8(((whole[i] >> (8 * d)) & 255) - 128)
        quantum[k], bias[k] = unit, wrong / m


def byte_digits(columns, first, second, digits):
    q, m = len(first), columns.shape[1]
    out = np.empty((q, digits, -(-m // 4) * 4), np.int8)
    out[:, :, m:] = 0
    quantum, bias = np.empty(q), np.empty(q)
    _byte_digits(np.ascontiguousarray(columns), first, second, digits, out, quantum, bias)
    return out, quantum, bias


@njit(cache=True, nogil=True, error_model="numpy")
def _pack(counts, cases, b0, packed):
    """Four cases of a training set side by side, WIDE training sets, and on with the next four cases."""
    wide = min(WIDE, len(counts) - b0)
    packed[-1] = 0
    packed[:, wide:] = 0
    for r in range(wide):
        row = counts[b0 + r]
        for i in range(len(cases)):
            packed[i >> 2, r, i & 3] = row[cases[i]]


@njit(cache=True, nogil=True, error_model="numpy")
def _byte_sums(digits, quantum, counts, cases, packed, out):
    q, n_digits, plane = digits.shape
    steps, row, unit, to = len(packed), 8 * out.shape[1], quantum.ctypes.data, out.ctypes.data
    drawn, table = packed.ctypes.data, digits.ctypes.data
    for b0 in range(0, len(counts), WIDE):
        _pack(counts, cases, b0, packed)
        if n_digits == 3:  # two columns at once; the last one twice where their number is odd
            for j in range(0, q, 2):
                k = min(j, q - 2)
                here, there = table + k * n_digits * plane, to + k * row + 8 * b0
                byte_dots(drawn, here, plane, 2, 3, steps, unit + 8 * k, there, row)
            continue
        for k in range(q):
            here, there = table + k * n_digits * plane, to + k * row + 8 * b0
            if n_digits == 5:
                byte_dots(drawn, here, plane, 1, 5, steps, unit + 8 * k, there, row)
            elif n_digits == 6:
                byte_dots(drawn, here, plane, 1, 6, steps, unit + 8 * k, there, row)
            else:
                raise ValueError("3, 5 or 6 digits")


def byte_sums(parts, counts, cases):
    if not AVAILABLE or counts.dtype != np.uint8:
        return plain.byte_sums.reference(parts, counts, cases)
    out = np.empty((sum(len(quantum) for _, quantum in parts), -(-len(counts) // WIDE) * WIDE))
    packed = np.empty((-(-len(cases) // 4), WIDE, 4), np.uint8)
    at = 0
    for digits, quantum in parts:
        _byte_sums(digits, quantum, np.ascontiguousarray(counts), cases, packed, out[at : at + len(quantum)])
        at += len(quantum)
    return out[:, : len(counts)]
