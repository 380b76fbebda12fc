"""Sums over the cases of many training sets, Σ_i N_bi φ_ki, of numbers in fixed point: bytes times counts.

A processor that multiplies bytes does 64 of them at once and adds them to whole numbers of 32 bits, eight times what it
does in double precision. So φ_k is rounded to a multiple of a quantum (a power of two), and written with some signed
digits to the base 256. Their sums are exact, in any order; what is lost is the rounding of φ.
"""

from __future__ import annotations

import numpy as np

from karat.kernels.compiled import compiled, twin

LARGEST = 1.98  # of a number in units of 2^(8·digits − 2): 127 (256^digits − 1)/255 is 1.99 of them


def multiplies_bytes() -> bool:
    """Whether this processor does, and numba is here to ask it to."""
    fast = compiled("byte_sums")
    return fast is not None and fast.AVAILABLE


@twin
def largest_products(columns: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(q,) the largest |φ| of each φ_k = columns[first[k]] · columns[second[k]], columns (1 + p, m)."""
    return np.abs(columns[first] * columns[second]).max(axis=1)


def quanta(largest: np.ndarray, digits: int) -> np.ndarray:
    """(q,) powers of two, of which numbers with that many digits count up to the largest."""
    exponent = np.ceil(np.log2(np.maximum(largest, np.finfo(float).tiny) / LARGEST)) - (8 * digits - 2)
    return np.exp2(exponent)


@twin
def byte_digits(
    columns: np.ndarray,  # (1 + p, m) 1 and the features of m cases
    first: np.ndarray,  # (q,) φ_k = columns[first[k]] · columns[second[k]]
    second: np.ndarray,
    digits: int,
    quantum: np.ndarray,  # (q,)
) -> tuple[np.ndarray, np.ndarray]:
    """Digits (q, digits, m') int8 of φ, the lowest first, m' a multiple of four; and the mean of the rounding errors
    (q,)."""
    phi = columns[first] * columns[second]
    q, m = phi.shape
    whole = np.rint(phi / quantum[:, None]).astype(np.int64)
    bias = (phi - whole * quantum[:, None]).mean(axis=1)
    out = np.zeros((q, digits, -(-m // 4) * 4), dtype=np.int8)
    for d in range(digits):
        digit = ((whole + 128) & 255) - 128
        out[:, d, :m] = digit
        whole = (whole - digit) >> 8
    return out, bias


Part = tuple[np.ndarray, np.ndarray]  # digits (q, digits, m') and quanta (q,)


@twin
def byte_sums(parts: list[Part], counts: np.ndarray, cases: np.ndarray) -> np.ndarray:
    """(q, b) Σ_i N_bi φ_ki over these cases (m,), with counts (b, n) uint8 of all cases; φ of all parts in a row."""
    drawn, out = counts[:, cases].T.astype(np.int64), []
    for digits, quantum in parts:
        whole = sum(digits[:, d, : len(cases)].astype(np.int64) << 8 * d for d in range(digits.shape[1]))
        out.append((whole @ drawn) * quantum[:, None])
    return np.concatenate(out)
