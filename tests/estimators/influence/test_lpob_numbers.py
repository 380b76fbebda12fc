"""LPOB, its influence and both standard errors: the numbers of the plain sums over replicates, to 1e-12."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
spec = importlib.util.spec_from_file_location("lpob_numbers", HERE / "lpob_numbers.py")
lpob_numbers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lpob_numbers)

EXPECTED = json.loads((HERE / "lpob_numbers.json").read_text())


@pytest.fixture(scope="module")
def found():
    return lpob_numbers.every_number()


@pytest.mark.parametrize("case", EXPECTED)
def test_the_numbers_of_the_plain_sums(case, found):
    for name, expected in EXPECTED[case].items():
        np.testing.assert_allclose(found[case][name], expected, rtol=0, atol=1e-12, err_msg=name)
