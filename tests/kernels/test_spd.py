"""Inverses by sweeps against NumPy's, and matrices that have none."""

import numpy as np
import pytest

from trueness.kernels.engines import inverses


@pytest.mark.parametrize("p", [1, 2, 5, 30])
def test_inverses_and_determinants(p):
    rng = np.random.default_rng(p)
    a = rng.normal(size=(40, 2 * p, p))
    matrices = np.swapaxes(a, 1, 2) @ a
    before = matrices.copy()
    inverse, logdet = inverses(matrices)
    np.testing.assert_array_equal(matrices, before)
    np.testing.assert_allclose(inverse, np.linalg.inv(matrices), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(logdet, np.linalg.slogdet(matrices)[1], rtol=1e-12, atol=1e-12)


def test_what_is_not_positive_definite_is_nan_and_leaves_the_others():
    good = np.array([[2.0, 1.0], [1.0, 3.0]])
    bad = [[[1.0, 2.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]], [[np.nan, 0.0], [0.0, 1.0]]]
    inverse, logdet = inverses(np.array([good, *bad, good]))
    assert np.isnan(inverse[1:4]).all()
    assert np.isnan(logdet[1:4]).all()
    np.testing.assert_allclose(inverse[[0, 4]], np.linalg.inv([good, good]), rtol=1e-14)
