"""Compiled twin of karat.kernels.byte_sums."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels import byte_sums as plain
from karat.kernels.fast.byte_products import AVAILABLE, WIDE, byte_dots
from karat.kernels.fast.inner import inner

__all__ = ["AVAILABLE", "byte_digits", "byte_sums", "largest_products"]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)  # a maximum may be sought in any order
def _largest_products(columns, first, second, out):
    for k in range(len(first)):
        one, other, largest = columns[first[k]], columns[second[k]], 0.0
        for i in range(len(one)):
            largest = max(largest, abs(one[i] * other[i]))
        out[k] = largest


def largest_products(columns, first, second):
    out = np.empty(len(first))
    _largest_products(np.ascontiguousarray(columns), first, second, out)
    return out


@njit(
    cache=True, nogil=True, error_model="numpy", fastmath=True
)  # the bias may be summed in any order; nothing else is
def _byte_digits(columns, first, second, quantum, out, bias):
    digits, m = out.shape[1], columns.shape[1]
    whole = np.empty(m, np.int64)
    half = np.int64(0)  # 128 in every digit: what makes all of them positive, so that they are the bytes of the sum
    for _ in range(digits):
        half = half * 256 + 128
    for k in range(len(first)):
        one, other, unit = columns[first[k]], columns[second[k]], quantum[k]
        wrong = 0.0
        for i in range(m):
            phi = one[i] * other[i]
            value = np.rint(phi / unit)
            wrong += phi - value * unit
            whole[i] = np.int64(value) + half
        for d in range(digits):
            to = out[k, d]
            for i in range(m):
                to[i] = np.int8(((whole[i] >> (8 * d)) & 255) - 128)
        bias[k] = wrong / m


def byte_digits(columns, first, second, digits, quantum):
    q, m = len(first), columns.shape[1]
    out, bias = np.empty((q, digits, -(-m // 4) * 4), np.int8), np.empty(q)
    out[:, :, m:] = 0
    _byte_digits(np.ascontiguousarray(columns), first, second, quantum, out, bias)
    return out, bias


@inner
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
    pairs = all(len(quantum) > 1 for digits, quantum in parts if digits.shape[1] == 3)
    if not AVAILABLE or counts.dtype != np.uint8 or not pairs or not len(cases):
        return plain.byte_sums.reference(parts, counts, cases)
    out = np.empty((sum(len(quantum) for _, quantum in parts), -(-len(counts) // WIDE) * WIDE))
    packed = np.empty((-(-len(cases) // 4), WIDE, 4), np.uint8)
    counts, cases = np.ascontiguousarray(counts), cases.astype(np.uint32)  # unsigned: no place counts from the end
    at = 0
    for digits, quantum in parts:
        _byte_sums(digits, quantum, counts, cases, packed, out[at : at + len(quantum)])
        at += len(quantum)
    return out[:, : len(counts)]
