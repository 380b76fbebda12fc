"""PyTorch's generators in each fit; a stand-in, so that it runs where PyTorch is not installed."""

import sys
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from trueness.fitting.one import with_generators

SEED = np.random.SeedSequence(3)


class Torch:
    """The part of PyTorch that is used: one generator here, one on the GPU, whose states are their last seeds."""

    def __init__(self, started: bool) -> None:
        self.here, self.there, self.started = 5, 5, started
        self.cuda = SimpleNamespace(
            is_initialized=lambda: self.started, device_count=lambda: 1, manual_seed_all=self._seed_there
        )
        self.random = SimpleNamespace(fork_rng=self._fork)

    def manual_seed(self, seed):
        self.here = self.there = seed

    def initial_seed(self):
        return self.here

    def _seed_there(self, seed):
        self.there = seed

    @contextmanager
    def _fork(self, devices):
        here, there = self.here, self.there
        try:
            yield
        finally:
            self.here = here
            if len(devices):
                self.there = there


@pytest.mark.parametrize("started", [False, True])
def test_generators_are_seeded_and_set_back_those_of_the_gpu_too(monkeypatch, started):
    torch = Torch(started)
    monkeypatch.setitem(sys.modules, "torch", torch)

    def state():
        return torch.here, torch.there

    first = with_generators(SEED, state)
    assert first == with_generators(SEED, state) != with_generators(np.random.SeedSequence(4), state)
    assert state() == (5, 5)
    with pytest.raises(ZeroDivisionError):
        with_generators(SEED, lambda: 1 / 0)
    assert state() == (5, 5)


def test_a_fit_that_loads_pytorch_is_made_again_with_its_seed(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert with_generators(SEED, lambda: 7) == 7
    seen = []

    def fit():
        torch = sys.modules.setdefault("torch", Torch(False))
        seen.append(torch.here)
        return torch.here

    with monkeypatch.context() as loaded:
        loaded.setitem(sys.modules, "torch", None)  # so that it is taken out again
        del sys.modules["torch"]
        assert with_generators(SEED, fit) == with_generators(SEED, fit) != 5
    assert seen[0] == 5
    assert len(seen) == 3
