"""Tables that are too large for memory: the same rows from a file, and an error where the disk has no room."""

import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError
from trueness.sample.rows import FileRows


def test_a_file_holds_what_was_written():
    rows, values = FileRows((5, 3), np.dtype(float)), np.arange(15.0).reshape(5, 3)
    rows[2:5] = values[2:5]
    rows[0:2] = values[0:2]
    assert np.array_equal(rows[1:4], values[1:4])


def test_too_little_room_is_an_error_before_any_fit(monkeypatch, two_gaussians):
    monkeypatch.setattr("trueness.sample.rows.SPILL_BYTES", 1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=2000))
    with pytest.raises(InputError, match="GB needed") as caught:
        trueness.assess(GaussianNB(), *two_gaussians, rng=0)
    assert "TMPDIR" in str(caught.value)


def test_a_disk_that_fills_up_is_an_error_of_trueness():
    rows = FileRows((5, 3000), np.dtype(float))
    rows.path = "/dev/full"
    with pytest.raises(InputError, match="no room"):
        rows[0:5] = np.ones((5, 3000))
