"""Labels 0, 1, ... are their own codes; all others are sorted. Both give what np.unique gives."""

import numpy as np
import pytest

from karat.sample.sample import Sample


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint8, np.uint64, float, str])
@pytest.mark.parametrize(
    "labels", [[0, 1, 1, 0], [2, 0, 1, 0, 1, 2], [0, 2, 2, 0], [1, 2, 2, 1], [0, 100, 0, 100]], ids=str
)
def test_classes_and_codes(labels, dtype):
    y = np.array(labels).astype(dtype)
    sample = Sample.of(y)
    classes, codes = np.unique(y.astype(int) if dtype is float else y, return_inverse=True)
    np.testing.assert_array_equal(sample.classes, classes)
    assert sample.classes.dtype == classes.dtype
    np.testing.assert_array_equal(sample.codes, codes)
    assert sample.codes.dtype == np.intp


def test_negative_labels_and_truth_values():
    assert Sample.of([-1, 1, 1, -1]).codes.tolist() == [0, 1, 1, 0]
    assert Sample.of([True, False, True, False]).classes.tolist() == [False, True]


def test_the_codes_are_not_the_callers_array():
    y = np.array([0, 1, 0, 1])
    sample = Sample.of(y)
    y[:] = 5
    assert sample.codes.tolist() == [0, 1, 0, 1]
