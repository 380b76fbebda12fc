"""BLAS is held to one thread inside, and left as it was outside, whether it was limited before or not."""

import sys

import pytest
from threadpoolctl import threadpool_limits

from trueness.fitting.workers import _controller, one_thread


def threads():
    return [library.num_threads for library in _controller(len(sys.modules)).lib_controllers]


@pytest.mark.parametrize("before", [1, 2])
def test_one_thread_inside_and_as_before_outside(before):
    with threadpool_limits(before):
        outside = threads()
        with one_thread():
            assert set(threads()) == {1}
            with one_thread():
                assert set(threads()) == {1}
            assert set(threads()) == {1}
        assert threads() == outside
        assert before == 1 or max(outside) == 2
