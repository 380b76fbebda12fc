"""Rules from moments: the compiled kernels against their plain references, and those against covariances."""

import numpy as np
import pytest

from karat.kernels import discriminants as kernels
from karat.kernels.naive_bayes import naive_bayes_weights


def training_sets(seed, b, n, p, classes=2):
    rng = np.random.default_rng(seed)
    codes = np.sort(np.arange(n) % classes)
    d = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 0.1
    counts = rng.poisson(1.0, size=(b, n)).astype(np.uint8)
    counts[:, np.searchsorted(codes, range(classes))] += 1
    return codes, d, counts


def moments(codes, d, counts):
    rows, cols = np.triu_indices(d.shape[1])
    of = [codes == c for c in range(codes.max() + 1)]
    sizes = np.stack([counts[:, o].sum(axis=1) for o in of]).astype(float)
    sums = np.stack([(counts[:, o] @ d[o]).T for o in of])
    return sizes, sums, (counts @ (d[:, rows] * d[:, cols])).T


@pytest.mark.parametrize("p", [1, 2, 5, 13])
@pytest.mark.parametrize("b", [1, 64, 70])
@pytest.mark.parametrize("classes", [2, 3])
def test_lda_factors(p, b, classes):
    codes, d, counts = training_sets(p, b, 60, p, classes)
    given = moments(codes, d, counts)
    factor, bound, good = kernels.lda_factors(*given)
    expected = kernels.lda_factors.reference(*given)
    assert good.all()
    np.testing.assert_allclose(factor, expected[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(bound, expected[1], rtol=1e-7)
    right = np.random.default_rng(0).normal(size=(2, p, b))
    found = kernels.solve_factored(factor, right)
    np.testing.assert_allclose(found, kernels.solve_factored.reference(factor, right), rtol=1e-7, atol=1e-9)
    for r in range(b):
        x = np.repeat(np.arange(60), counts[r])
        within = np.concatenate([d[x][codes[x] == c] - d[x][codes[x] == c].mean(axis=0) for c in range(classes)])
        sigma = within.T @ within / len(x)
        values = np.linalg.eigvalsh(sigma)
        assert 0 < bound[r] <= values[0] / values[-1] * (1 + 1e-9)
        np.testing.assert_allclose(found[:, :, r], np.linalg.solve(sigma, right[:, :, r].T).T, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("p", [1, 2, 5, 13])
@pytest.mark.parametrize("b", [1, 64, 70])
@pytest.mark.parametrize("shrink", [0.0, 0.3])
def test_quadratic_weights(p, b, shrink):
    _, d, counts = training_sets(p, b, 60, p)
    rows, cols = np.triu_indices(p)
    phi = np.column_stack([np.ones(60), d, d[:, rows] * d[:, cols]])
    centre, ridge = np.linspace(-1, 1, p), shrink * np.linspace(1, 2, p)
    given = np.ascontiguousarray((counts @ phi).T), centre, ridge, shrink
    weights, diagonal, good = kernels.quadratic_weights(*given)
    expected = kernels.quadratic_weights.reference(*given)
    assert good.all()
    np.testing.assert_allclose(weights, expected[0], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(diagonal, expected[1], rtol=1e-7)
    for r in range(b):
        x = np.repeat(d, counts[r], axis=0)
        sigma = (1 - shrink) * np.cov(x.T, bias=True).reshape(p, p) + np.diag(ridge)
        z = d + centre - (x.mean(axis=0) + centre)
        logs = -0.5 * np.linalg.slogdet(sigma)[1] - 0.5 * (z * np.linalg.solve(sigma, z.T).T).sum(axis=1)
        where = d + centre
        features = np.column_stack([np.ones(60), where, where[:, rows] * where[:, cols]])
        np.testing.assert_allclose(features @ weights[:, r], logs, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("p", [1, 4, 9])
def test_factored(p):
    rng = np.random.default_rng(p)
    a = rng.normal(size=(70, p + 2, p))
    square = np.einsum("bni,bnj->bij", a, a)
    square[3] = -np.eye(p)
    rows, cols = np.triu_indices(p)
    given = np.ascontiguousarray(square[:, rows, cols].T)
    for kernel in (kernels.factored, kernels.factored.reference):
        factor, good = kernel(given)
        assert np.flatnonzero(~good).tolist() == [3]
        assert (factor[:, 3] == 0).all()
        right = rng.normal(size=(1, p, 70))
        found = kernels.solve_factored(factor, right)[0]
        for r in np.flatnonzero(good):
            np.testing.assert_allclose(square[r] @ found[:, r], right[0, :, r], rtol=1e-7, atol=1e-7)


def test_bad_replicates_do_not_spoil_the_others():
    codes, d, counts = training_sets(0, 70, 60, 3)
    counts[5, codes == 1] = 0  # a class is lost
    counts[66] = 0
    counts[66, [0, 59]] = 3  # one case of each class: no variance
    for kernel in (kernels.lda_factors, kernels.lda_factors.reference):
        factor, bound, good = kernel(*moments(codes, d, counts))
        assert np.flatnonzero(~good).tolist() == [5, 66]
        assert np.isfinite(factor).all()
        assert (bound[~good] == 0).all()
        assert (kernels.solve_factored(factor, np.ones((1, 3, 70)))[:, :, ~good] == 0).all()
    rows, cols = np.triu_indices(3)
    phi = np.column_stack([np.ones(60), d, d[:, rows] * d[:, cols]])
    sums = np.ascontiguousarray((counts[:, codes == 1] @ phi[codes == 1]).T)
    for kernel in (kernels.quadratic_weights, kernels.quadratic_weights.reference):
        weights, diagonal, good = kernel(sums, np.zeros(3), np.zeros(3), 0.0)
        assert np.flatnonzero(~good).tolist() == [5, 66]
        assert np.isfinite(weights).all()
        assert (diagonal[:, ~good] == 1).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_sorted_counts(dtype):
    counts = np.arange(12).reshape(3, 4).astype(dtype)
    order = np.array([2, 0, 3, 1])
    for kernel in (kernels.sorted_counts, kernels.sorted_counts.reference):
        out = kernel(counts, order)
        assert out.dtype == np.float64
        np.testing.assert_array_equal(out, counts[:, order])


@pytest.mark.parametrize("p", [1, 4])
@pytest.mark.parametrize("b", [1, 64, 70])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("scaled", [False, True])
def test_naive_bayes_weights(p, b, classes, scaled):
    codes, d, counts = training_sets(p, b, 60, p, classes)
    of = [codes == c for c in range(classes)]
    phi = np.concatenate([np.ones((60, 1)), d, d**2], axis=1)
    sums = np.stack([(counts[:, o] @ phi[o]).T for o in of])
    if b > 1:
        sums[0, :, 1] = 0  # a class without cases
    centres, units = np.random.default_rng(1).normal(size=(classes, p)), np.linspace(0.5, 2, p)
    given = (sums, centres, units, 0.01, scaled)
    found, expected = naive_bayes_weights(*given), naive_bayes_weights.reference(*given)
    for ours, plain in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-9, atol=1e-11)
    # the reference against the moments themselves, in a training set with all classes
    weights, variance, total = expected
    x = [np.repeat(d[o] + centres[c], counts[0, o], axis=0) for c, o in enumerate(of)]
    np.testing.assert_allclose(total[:, 0], np.concatenate(x).var(axis=0), rtol=1e-9)
    extra = 0.01 * (total[:, 0] if scaled else (total[:, 0] / units).max() * units)
    n = sum(map(len, x))
    for c, rows in enumerate(x):
        spread = rows.var(axis=0) + extra
        np.testing.assert_allclose(variance[c, :, 0], spread, rtol=1e-9)
        at = rows[0]
        density = np.log(len(rows) / n) - 0.5 * (np.log(spread) + (at - rows.mean(axis=0)) ** 2 / spread).sum()
        np.testing.assert_allclose(np.r_[1, at, at**2] @ weights[c, :, 0], density, rtol=1e-9)
