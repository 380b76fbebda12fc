"""Compiled twin of karat.kernels.byte_sums."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from karat.kernels.byte_sums import LARGEST
from karat.kernels.fast.byte_products import AVAILABLE, WIDE, byte_dots

__all__ = ["AVAILABLE", "byte_digits", "byte_sums"]


@njit(cache=True, error_model="numpy", fastmath=True)  # the bias may be summed in any order; nothing else is
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
        unit = 2.0 ** (math.ceil(math.log2(largest / LARGEST)) - (8 * digits - 2))
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
    out = np.zeros((q, digits, -(-m // 4) * 4), np.int8)
    quantum, bias = np.empty(q), np.empty(q)
    _byte_digits(np.ascontiguousarray(columns), first, second, digits, out, quantum, bias)
    return out, quantum, bias


@njit(cache=True, error_model="numpy")
def _pack(counts, cases, b0, packed):
    """Four cases of a training set side by side, WIDE training sets, and on with the next four cases."""
    wide = min(WIDE, len(counts) - b0)
    packed[-1] = 0
    packed[:, wide:] = 0
    for r in range(wide):
        row = counts[b0 + r]
        for i in range(len(cases)):
            packed[i >> 2, r, i & 3] = row[cases[i]]


@njit(cache=True, error_model="numpy")
def _byte_sums(digits, quantum, counts, cases, packed, out):
    q, n_digits, plane = digits.shape
    where, to = packed.ctypes.data, out.ctypes.data
    for b0 in range(0, len(counts), WIDE):
        _pack(counts, cases, b0, packed)
        for k in range(q):
            here, there = digits.ctypes.data + k * n_digits * plane, to + 8 * (k * out.shape[1] + b0)
            if n_digits == 5:
                byte_dots(where, here, plane, 5, len(packed), quantum[k], there)
            else:
                byte_dots(where, here, plane, 6, len(packed), quantum[k], there)


def byte_sums(digits, quantum, counts, cases):
    q, n_digits, plane = digits.shape
    b = len(counts)
    if not AVAILABLE or n_digits not in (5, 6) or counts.dtype != np.uint8:
        from karat.kernels import byte_sums as plain

        return plain.byte_sums.reference(digits, quantum, counts, cases)
    packed, out = np.empty((plane // 4, WIDE, 4), np.uint8), np.empty((q, -(-b // WIDE) * WIDE))
    _byte_sums(digits, quantum, np.ascontiguousarray(counts), cases, packed, out)
    return out[:, :b]
