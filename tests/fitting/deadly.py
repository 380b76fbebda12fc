"""Work that kills its worker, and models that misbehave; in a module of its own, so that workers can import it."""

import os
import random
import resource
import signal
import sys
import time
import warnings

import numpy as np
import pandas as pd
from dying import die
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state


def kill_workers(log, after):
    """Kill a worker whenever so many fits were begun, another one each time; returns their process ids at the end."""
    killed = []
    deadline = time.monotonic() + 600
    for fits in after:
        while time.monotonic() < deadline:
            pids = [int(line.split()[1]) for line in log.read_text().splitlines()] if log.exists() else []
            alive = [pid for pid in pids if pid != os.getpid() and pid not in killed]
            if len(pids) >= fits and alive:
                os.kill(alive[-1], signal.SIGKILL)
                killed.append(alive[-1])
                break
            time.sleep(0.01)
    return killed


class Tree(DecisionTreeClassifier):
    """A tree that takes some milliseconds, and writes its seed and its process into a file."""

    def __init__(self, seconds=0.0, log=None, random_state=None):
        super().__init__(max_depth=2, random_state=random_state)
        self.seconds, self.log = seconds, log

    def fit(self, X, y):
        time.sleep(self.seconds)
        if self.log is not None:
            with open(self.log, "a") as file:
                file.write(f"{self.random_state} {os.getpid()}\n")
        return super().fit(X, y)


class KillsOnce(DecisionTreeClassifier):
    """A tree that kills the first worker that fits it, but never the process `parent`."""

    def __init__(self, flag=None, parent=None, random_state=None):
        super().__init__(max_depth=2, random_state=random_state)
        self.flag, self.parent = flag, parent

    def fit(self, X, y):
        if os.getpid() != self.parent and not os.path.exists(self.flag):
            open(self.flag, "w").close()
            die()
        return super().fit(X, y)


class Hangs(DecisionTreeClassifier):
    """A tree that never ends where its seed is a multiple of a number, unless there is a file."""

    def __init__(self, every=1, flag=None, random_state=None):
        super().__init__(max_depth=2, random_state=random_state)
        self.every, self.flag = every, flag

    def fit(self, X, y):
        while self.random_state % self.every == 0 and not (self.flag and os.path.exists(self.flag)):
            time.sleep(0.01)
        return super().fit(X, y)


class Greedy(DecisionTreeClassifier):
    """A tree that asks for more memory than there can be where its seed is a multiple of a number."""

    def __init__(self, every=1, random_state=None):
        super().__init__(max_depth=2, random_state=random_state)
        self.every = every

    def fit(self, X, y):
        if self.random_state % self.every == 0:
            limits = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (2**34, limits[1]))
            try:
                np.ones(2**36)
            finally:
                resource.setrlimit(resource.RLIMIT_AS, limits)
        return super().fit(X, y)


class Noisy(DecisionTreeClassifier):
    """A tree that warns often, each time in other words."""

    def __init__(self, times=1, random_state=None):
        super().__init__(max_depth=2, random_state=random_state)
        self.times = times

    def fit(self, X, y):
        for k in range(self.times):
            warnings.warn(f"warning {k}", UserWarning, stacklevel=2)
        return super().fit(X, y)


class Leaves(DecisionTreeClassifier):
    """Ends the program on some training sets."""

    def fit(self, X, y):
        if self.random_state % 4 == 0:
            sys.exit(7)
        return super().fit(X, y)


def squared_in_place(X):
    if isinstance(X, pd.DataFrame):
        X["a"] = X["a"] ** 2
    else:
        X[:, 0] **= 2
    return X


def squared(X):
    return squared_in_place(X.copy())


class DrawsGlobally(DecisionTreeClassifier):
    """A tree on features with noise from the global generators of NumPy and Python."""

    def fit(self, X, y):
        X = np.asarray(X)
        self.noise_ = check_random_state(None).normal(size=X.shape[1]) + random.random()
        return super().fit(X * self.noise_, y)

    def predict_proba(self, X, check_input=True):
        return np.clip(
            super().predict_proba(np.asarray(X) * self.noise_) + 0.1 * check_random_state(None).rand(len(X), 1), 0, 1
        )


class Forgetful(DecisionTreeClassifier):
    """A tree that runs out of memory in every tenth fit while the file `full` exists."""

    def __init__(self, full=None, random_state=None):
        super().__init__(max_depth=2, random_state=random_state)
        self.full = full

    def fit(self, X, y):
        if os.path.exists(self.full) and self.random_state % 10 == 0:
            raise MemoryError("no room")
        return super().fit(X, y)


class TooFew(DecisionTreeClassifier):
    """A tree that forgets the last case in the answers of one method."""

    def __init__(self, method="predict"):
        super().__init__(max_depth=2)
        self.method = method

    def predict(self, X, check_input=True):
        return super().predict(X)[: len(X) - (self.method == "predict")]

    def predict_proba(self, X, check_input=True):
        return super().predict_proba(X)[: len(X) - (self.method == "predict_proba")]
