"""The numbers of public calls are those of numbers.json; `python tests/frozen/write.py` writes it again where a
change is meant. What an added estimator, metric or test adds is kept from then on."""

import json
from pathlib import Path

import calls
import numpy as np
import pytest

KNOWN = json.loads(Path(__file__).with_name("numbers.json").read_text())


def test_every_call_is_kept():
    assert KNOWN.keys() <= calls.CASES.keys()


@pytest.mark.parametrize("name", KNOWN)
def test_numbers(name):
    found, rtol = calls.computed(name), calls.CASES[name][1]
    assert KNOWN[name].keys() <= found.keys()
    for path, value in KNOWN[name].items():
        now, then = (np.array(v, dtype=float) for v in (found[path], value))
        alike = then.ndim and not path.endswith(".sums")
        largest = np.max(np.abs(then[np.isfinite(then)]), initial=0.0) if alike else 0.0
        np.testing.assert_allclose(now, then, rtol=rtol, atol=rtol * largest + 1e-15, err_msg=f"{name}: {path}")
