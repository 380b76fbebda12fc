"""AUC by buckets: the reference class goes into many buckets of equal width, about one value each; a value is compared
with its own bucket only, and everything in the buckets before it is below. Exact for any values: a bucket that holds
many values (ties, outliers) is sorted and searched.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from karat.kernels import auc as reference
from karat.kernels.fast.inner import inner

ONE, TWO = np.uint64(1), np.uint64(2)  # unsigned indices need no check for negative ones
FIRST = np.int64(0)  # a literal would be a type of its own
SMALL = np.uint64(16)  # a bucket with more values is sorted and searched
BUCKETS = 4  # buckets a value
PART = 1 << 14  # values that stay in the cache
COPIES = 4  # whole weights are counted out up to this many copies a case; larger ones are left to the reference
LARGE = 1 << 17  # more values than these are first parted into ranges that stay in the cache


@inner
def _range(x):
    """Least finite value, last bucket, and buckets a unit of x, for `len(x)` values."""
    low, high = x[0], x[0]
    for v in x:
        low = v if v < low else low
        high = v if v > high else high
    if low == -np.inf or high == np.inf:
        low, high = np.inf, -np.inf
        for v in x:
            if -np.inf < v < np.inf:
                low, high = min(low, v), max(high, v)
    width = high - low
    last = np.float64(BUCKETS * len(x))
    if not (0 < width < np.inf and last / width < 1e300):
        return 0.0, 0.0, 0.0  # one value, none that is finite, or a range that overflows: one bucket
    return low, last, last / width


@njit(cache=True, error_model="numpy", inline="always")
def _bucket(v, low, last, scale):
    """Monotone in v, so buckets are in order; infinite values go to the first and the last one."""
    k = (v - low) * scale
    k = k if k > 0.0 else 0.0  # also where k is NaN
    k = k if k < last else last
    return np.uint32(np.int64(k))


@inner
def _sift(a, root, end):
    value = a[root]
    while True:
        child = 2 * root + 1
        if child >= end:
            break
        if child + 1 < end and a[child + 1] > a[child]:
            child += 1
        if a[child] <= value:
            break
        a[root] = a[child]
        root = child
    a[root] = value


@inner
def _heapsort(a):
    n = len(a)
    for start in range(n // 2 - 1, -1, -1):
        _sift(a, start, n)
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        _sift(a, FIRST, end)


@inner
def _fill(x, ordered, starts, where):
    """Put x into buckets: bucket k is ordered[starts[k]:starts[k + 1]]. Returns what `_bucket` needs."""
    m = len(x)
    buckets = BUCKETS * m + 1
    low, last, scale = _range(x)
    starts[: buckets + 2] = 0
    for i in range(m):
        k = _bucket(x[i], low, last, scale)
        where[i] = k
        starts[k + TWO] += ONE
    total, most = np.uint32(0), np.uint32(0)
    for k in range(2, buckets + 2):  # the last bucket's own size, too: it may be the only large one
        size = starts[k]
        most = size if size > most else most
        total = np.uint32(total + size)
        starts[k] = total
    for i in range(m):
        k = where[i] + ONE
        at = starts[k]
        ordered[at] = x[i]
        starts[k] = at + ONE
    if most > SMALL:
        for k in range(buckets):
            if np.int64(starts[k + 1]) - np.int64(starts[k]) > 16:
                _heapsort(ordered[starts[k] : starts[k + 1]])
    return low, last, scale


@inner
def _search(ordered, a, b, s):
    """How many values are below s, and how many up to it, if those from a to b are the ones to ask."""
    low, high = np.int64(a), np.int64(b)
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < s:
            low = middle + 1
        else:
            high = middle
    below, high = low, np.int64(b)
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] <= s:
            low = middle + 1
        else:
            high = middle
    return below, low


@njit(cache=True, error_model="numpy", inline="always")
def _twice_below(s, ordered, starts, low, last, scale):
    """2 × the number of values below s, plus the number equal to it."""
    k = _bucket(s, low, last, scale)
    a, b = np.uint64(starts[k]), np.uint64(starts[k + ONE])
    v = ordered[a]
    twice = np.int64(2 * a) + (np.int64(v < s) + np.int64(v <= s)) * np.int64(b > a)
    if b > a + ONE:
        if b <= a + SMALL:
            i = a + ONE
            while i < b:
                v = ordered[i]
                twice += np.int64(v < s) + np.int64(v <= s)
                i += ONE
        else:
            least, most = _search(ordered, a, b, s)
            twice = least + most
    return twice


@inner
def _room(m):
    return np.empty(m + 1), np.empty(BUCKETS * m + 3, np.uint32), np.empty(m, np.uint32)


@inner
def _twice_psi(up, down, ordered, starts, where):
    low, last, scale = _fill(down, ordered, starts, where)
    total = np.int64(0)
    for s in up:
        total += _twice_below(s, ordered, starts, low, last, scale)
    return total


@inner
def _part(x, low, last, scale, parts, out):
    """x parted into `parts` ranges of equal width: range after range in `out`; returns where each begins."""
    begins = np.zeros(parts + 1, np.int64)
    for v in x:
        begins[_bucket(v, low, last, scale) + 1] += 1
    for k in range(parts):
        begins[k + 1] += begins[k]
    at = begins.copy()
    for v in x:
        k = _bucket(v, low, last, scale)
        out[at[k]] = v
        at[k] += 1
    return begins


@njit(cache=True, error_model="numpy")
def _large(up, down, u, d):
    """_twice_psi of arrays too large for the cache: range by range, in the room of `u` and `d`."""
    low, last, scale = _range(down)
    parts = (len(down) >> 13) + 1
    scale *= (parts - 1) / (BUCKETS * len(down))
    last = min(last, parts - 1.0)
    u_begins = _part(up, low, last, scale, parts, u)
    d_begins = _part(down, low, last, scale, parts, d)
    ordered, starts, where = _room(PART)
    total = np.int64(0)
    for k in range(parts):
        us, ds = u[u_begins[k] : u_begins[k + 1]], d[d_begins[k] : d_begins[k + 1]]
        total += np.int64(2) * len(us) * d_begins[k]
        if len(us) and len(ds):
            if len(ds) > len(where):
                ordered, starts, where = _room(len(ds))
            total += _twice_psi(us, ds, ordered, starts, where)
    return total


@njit(cache=True, error_model="numpy")
def _small(up, down):
    ordered, starts, where = _room(len(down))
    return _twice_psi(up, down, ordered, starts, where)


def twice_psi(positives, negatives):
    up, down = (np.ascontiguousarray(part, dtype=float) for part in (positives, negatives))
    if len(up) + len(down) <= LARGE:
        return _small(up, down)
    return _large(up, down, np.empty(len(up)), np.empty(len(down)))  # NumPy asks for large pages, numba does not


@njit(cache=True, error_model="numpy")
def _placements(values, reference):
    ordered, starts, where = _room(len(reference))
    low, last, scale = _fill(reference, ordered, starts, where)
    out = np.empty(len(values))
    for i in range(len(values)):
        out[i] = _twice_below(values[i], ordered, starts, low, last, scale) / (2 * len(reference))
    return out


def placements(values, reference):
    return _placements(np.ascontiguousarray(values, dtype=float), np.ascontiguousarray(reference, dtype=float))


@njit(cache=True, error_model="numpy")
def _auc_rows(scores, ups, downs):
    b, n1, n2 = len(scores), len(ups), len(downs)
    up, down, out = np.empty(n1), np.empty(n2), np.empty(b)
    ordered, starts, where = _room(n2)
    for r in range(b):
        row = scores[r]
        for i in range(n1):
            up[i] = row[ups[i]]
        for i in range(n2):
            down[i] = row[downs[i]]
        out[r] = _twice_psi(up, down, ordered, starts, where) / (2 * n1 * n2)
    return out


@njit(cache=True, error_model="numpy")
def _split(scores, positive, up, down):
    """The scores of the positives, and of the negatives; both have room for one more."""
    i, j = 0, 0
    for k in range(len(scores)):
        up[i] = down[j] = scores[k]  # no branch: the one that is wrong is overwritten
        i += positive[k]
        j += not positive[k]


def auc_rows(scores, positive):
    scores = np.ascontiguousarray(scores, dtype=float)
    if len(positive) <= LARGE:
        return _auc_rows(scores, np.flatnonzero(positive), np.flatnonzero(~positive))
    positive = np.ascontiguousarray(positive, dtype=np.bool_)
    n1 = int(np.count_nonzero(positive))
    n2 = len(positive) - n1
    up, down, u, d, out = np.empty(n1 + 1), np.empty(n2 + 1), np.empty(n1), np.empty(n2), np.empty(len(scores))
    for r, row in enumerate(scores):
        _split(row, positive, up, down)
        out[r] = _large(up[:n1], down[:n2], u, d) / (2 * n1 * n2)
    return out


@inner
def _room_for(weights, members):
    """Values that the members stand for, each as often as its weight says; −1 where a weight is not whole."""
    total, whole = 0.0, True
    for i in members:
        w = weights[i]
        if w > 0.0:
            total += w
            whole &= w == np.floor(w)
    return np.int64(total) if whole and total <= COPIES * len(members) else np.int64(-1)


@inner
def _gather(row, weights, members, values):
    m = 0
    for i in members:
        w = weights[i]
        values[m] = row[i]
        m += w > 0.0  # no branch: most weights are 0 or 1
        if w > 1.0:
            for _ in range(np.int64(w) - 1):
                values[m] = row[i]
                m += 1
    return m


@njit(cache=True, error_model="numpy")
def _weighted_auc_rows(scores, ups, downs, weights):
    """NaN where a class has no weight, −1 where the weights are not whole and small."""
    b, n1, n2 = len(scores), len(ups), len(downs)
    up, down = np.empty(COPIES * n1 + 1), np.empty(COPIES * n2 + 1)
    ordered, starts, where = _room(n2)
    out = np.empty(b)
    for r in range(b):
        m1, m2 = _room_for(weights[r], ups), _room_for(weights[r], downs)
        if m1 < 0 or m2 < 0:
            out[r] = -1.0
        elif m1 == 0 or m2 == 0:
            out[r] = np.nan
        else:
            _gather(scores[r], weights[r], ups, up)
            _gather(scores[r], weights[r], downs, down)
            if m2 > len(where):
                ordered, starts, where = _room(m2)
            out[r] = _twice_psi(up[:m1], down[:m2], ordered, starts, where) / (2 * m1 * m2)
    return out


def weighted_auc_rows(scores, positive, weights):
    out = _weighted_auc_rows(
        np.ascontiguousarray(scores, dtype=float),
        np.flatnonzero(positive),
        np.flatnonzero(~positive),
        np.ascontiguousarray(weights, dtype=float),
    )
    rest = out == -1.0
    if rest.any():
        out[rest] = reference.weighted_auc_rows.reference(scores[rest], positive, weights[rest])
    return out


@njit(cache=True, error_model="numpy")
def _auc_of_counts(order, first, up, counts):
    """`order` sorts the cases by score, `first` is True where a new value begins, `up` says who is positive."""
    b, n = counts.shape
    out = np.empty(b)
    for r in range(b):
        row = counts[r]
        total, below, ups, here_up, here_down = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for k in range(n):
            if first[k]:  # the pairs of the value before: those below count 2, ties 1
                total += here_up * (2 * below + here_down)
                below += here_down
                ups += here_up
                here_up, here_down = np.int64(0), np.int64(0)
            c = np.int64(row[order[k]])
            here_up += c * up[k]
            here_down += c * (1 - up[k])
        total += here_up * (2 * below + here_down)
        below += here_down
        ups += here_up
        out[r] = total / (2 * ups * below) if ups * below else np.nan
    return out


def auc_of_counts(scores, positive, counts):
    order = np.argsort(scores, kind="stable")
    first = np.concatenate([[False], reference.steps(scores[order])])
    narrow = counts if counts.dtype == np.uint8 else np.ascontiguousarray(counts, dtype=np.int64)
    return _auc_of_counts(order.astype(np.int32), first, positive[order].astype(np.int64), narrow)
