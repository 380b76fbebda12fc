"""Linear rules of two classes: compiled, plain, and worked out one by one."""

import numpy as np
import pytest

from karat.kernels.two_class_lda import two_class_rules

BOTH = (two_class_rules, two_class_rules.reference)


def given(p, b, n=60):
    rng = np.random.default_rng(p)
    codes, centres = np.sort(np.arange(n) % 2), rng.normal(size=(2, p))
    d = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 0.1
    counts = rng.poisson(1.0, size=(b, n))
    counts[:, [0, n - 1]] += 1
    return codes, d, counts, centres


def summed(codes, d, counts):
    rows, cols = np.triu_indices(d.shape[1])
    phi = np.column_stack([np.ones(len(d)), d, d[:, rows] * d[:, cols]])
    return [(counts[:, codes == c] @ phi[codes == c]).T for c in (0, 1)]


@pytest.mark.parametrize("kernel", BOTH)
@pytest.mark.parametrize("p", [1, 2, 5, 13])
@pytest.mark.parametrize("b", [1, 64, 70])
def test_rules(kernel, p, b):
    codes, d, counts, centres = given(p, b)
    weights, factor, bound, good = kernel(*summed(codes, d, counts), centres)
    assert good.all()
    for r in range(b):
        rows = np.repeat(np.arange(60), counts[r])
        x, of = d[rows] + centres[codes[rows]], codes[rows]
        means = [x[of == c].mean(axis=0) for c in (0, 1)]
        within = x - np.stack(means)[of]
        sigma = within.T @ within / len(x)
        coef = np.linalg.solve(sigma, means[1] - means[0])
        constant = np.log((of == 1).sum() / (of == 0).sum()) - coef @ (means[0] + means[1]) / 2
        np.testing.assert_allclose(weights[:, r], [constant, *coef], rtol=1e-6, atol=1e-8)
        upper = np.zeros((p, p))
        upper[np.triu_indices(p)] = factor[:, r]
        np.testing.assert_allclose(upper.T @ upper, sigma, rtol=1e-7, atol=1e-9)
        values = np.linalg.eigvalsh(sigma)
        assert 0 < bound[r] <= values[0] / values[-1] * (1 + 1e-9)


@pytest.mark.parametrize("kernel", BOTH)
def test_bad_training_sets_do_not_spoil_the_others(kernel):
    codes, d, counts, centres = given(3, 70)
    expected = kernel(*summed(codes, d, counts), centres)
    counts[5, codes == 1] = 0  # a class is lost
    counts[66] = 0
    counts[66, [0, 59]] = 3  # one case of each class: no variance
    found = kernel(*summed(codes, d, counts), centres)
    assert np.flatnonzero(~found[3]).tolist() == [5, 66]
    for some, whole in zip(found[:3], expected[:3], strict=True):
        assert (some[..., [5, 66]] == 0).all()
        np.testing.assert_array_equal(np.delete(some, [5, 66], -1), np.delete(whole, [5, 66], -1))
