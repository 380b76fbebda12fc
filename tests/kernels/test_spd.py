"""Inverses of many small matrices: the compiled twin against NumPy."""

import numpy as np
import pytest

from karat.kernels.spd import spd_inverses


@pytest.mark.parametrize("p", [1, 2, 7, 30])
def test_inverses_and_determinants(p):
    rng = np.random.default_rng(p)
    a = rng.normal(size=(9, p + 3, p))
    matrices = np.einsum("bni,bnj->bij", a, a)
    for function in (spd_inverses, spd_inverses.reference):
        inverse, logdet, good = function(matrices)
        assert good.all()
        np.testing.assert_allclose(inverse, np.linalg.inv(matrices), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(logdet, np.linalg.slogdet(matrices)[1], rtol=1e-9, atol=1e-12)


def test_a_bad_matrix_does_not_spoil_the_others():
    matrices = np.stack(
        [np.eye(2), -np.eye(2), np.array([[1.0, 2.0], [2.0, 1.0]]), np.full((2, 2), np.nan), 4 * np.eye(2)]
    )
    for function in (spd_inverses, spd_inverses.reference):
        inverse, logdet, good = function(matrices)
        assert good.tolist() == [True, False, False, False, True]
        np.testing.assert_array_equal(inverse[1:4], np.stack([np.eye(2)] * 3))
        assert logdet[1:4].tolist() == [0, 0, 0]
        np.testing.assert_allclose(inverse[4], np.eye(2) / 4)
