"""Compiled twins of karat.kernels.neighbours."""

from __future__ import annotations

import numpy as np
from numba import njit

TILE = 64


@njit(cache=True, nogil=True, error_model="numpy")
def _shrink(values, members, size, keep):
    """The `keep` least of values[:size] to the front (quickselect); returns the greatest of them."""
    low, high = 0, size - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                members[i], members[j] = members[j], members[i]
                i += 1
                j -= 1
        if keep - 1 <= j:
            high = j
        elif keep - 1 >= i:
            low = i
        else:
            break
    greatest = values[0]
    for i in range(1, keep):
        greatest = max(greatest, values[i])
    return greatest


@njit(cache=True, nogil=True, error_model="numpy")
def _first_limit(row, few, values, members):
    """A guess, from every eighth value, of a limit below which some more than `few` values lie."""
    size = len(row) // 8
    keep = few // 8 + few // 16 + 4
    if keep >= size:
        return np.float32(np.inf)
    for j in range(size):
        values[j], members[j] = row[8 * j], j
    return _shrink(values, members, size, keep)


@njit(cache=True, nogil=True, error_model="numpy")
def _order_candidates(near, x, start, candidates, error, order, gaps):
    n, p = x.shape
    m = order.shape[1]
    values, members, exact = np.empty(n, np.float32), np.empty(n, np.int32), np.empty(n)
    for r in range(len(near)):
        row, own = near[r], x[start + r]
        norm = 0.0
        for k in range(p):
            norm += own[k] * own[k]
        few = candidates
        while True:
            # the least of the row: what is below the limit comes in; thinned out where it is too much
            room = min(n, 2 * few + 64)
            size, limit = 0, _first_limit(row, few, values, members)
            while True:
                for j in range(n):
                    v = row[j]
                    if v < limit:
                        values[size], members[size] = v, j
                        size += 1
                        if size == room and room < n:
                            limit = _shrink(values, members, size, few)
                            size = few
                if size >= few:
                    break
                size, limit = 0, np.float32(np.inf)  # the guess was too low
            if size > few:
                limit = _shrink(values, members, size, few)
            for i in range(few):
                other = x[members[i]]
                total = 0.0
                for k in range(p):
                    away = other[k] - own[k]
                    total += away * away
                exact[i] = total
            for i in range(1, few):  # insertion
                v, member = exact[i], members[i]
                j = i
                while j > 0 and exact[j - 1] > v:
                    exact[j], members[j] = exact[j - 1], members[j - 1]
                    j -= 1
                exact[j], members[j] = v, member
            if few == n or exact[m - 1] < limit + norm - 2 * error:
                break
            few = min(4 * few, n)
        least = np.inf
        for i in range(1, min(m + 1, few)):
            least = min(least, (exact[i] - exact[i - 1]) / max(exact[i], 1e-300))
        gaps[r] = least
        for i in range(m):
            order[r, i] = members[i]


def order_candidates(near, x, start, candidates, error, order, gaps):
    _order_candidates(near, x, start, candidates, error, order, gaps)
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _votes(counts, order, codes, k, found, enough):
    """`counts` (n, b): all training sets side by side walk along the neighbours of a case."""
    n, b = counts.shape
    m = order.shape[1]
    n_classes = len(found)
    zero = np.uint8(0)
    left, tile = np.empty(b, np.uint8), np.empty((n_classes, TILE, b), np.uint8)
    for i0 in range(0, n, TILE):
        rows = min(TILE, n - i0)
        tile[:] = zero
        for i in range(rows):
            left[:] = k
            for j in range(m):
                other = order[i0 + i, j]
                there, mine = counts[other], tile[codes[other], i]
                for l in range(b):
                    taken = there[l] if there[l] < left[l] else left[l]
                    mine[l] = np.uint8(mine[l] + taken)
                    left[l] = np.uint8(left[l] - taken)
                if j % 4 == 3:
                    most = zero
                    for l in range(b):
                        most = max(most, left[l])
                    if most == zero:
                        break
            for l in range(b):
                if left[l] > zero:
                    enough[l] = False
        for c in range(n_classes):
            for l in range(b):
                to = found[c, l, i0 : i0 + rows]
                for i in range(rows):
                    to[i] = tile[c, i, l]


def votes(counts, order, codes, k, n_classes):
    if k > 255:
        from karat.kernels import neighbours

        return neighbours.votes.reference(counts, order, codes, k, n_classes)
    found, enough = np.empty((n_classes, *counts.shape), np.uint8), np.ones(len(counts), np.bool_)
    few = np.ascontiguousarray(np.minimum(counts, k).astype(np.uint8, copy=False).T)
    _votes(few, order, codes, np.uint8(k), found, enough)
    return found, enough
