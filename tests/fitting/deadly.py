"""Work that kills its worker; in a module of its own, so that workers can import it."""

import os
import signal
import time

from sklearn.tree import DecisionTreeClassifier


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def kill_workers(log, after):
    """Kill a worker whenever so many fits were begun, another one each time; returns their process ids at the end."""
    killed = []
    deadline = time.monotonic() + 120
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


def square(deaths, chunk, log):
    """The squares of a chunk; it kills the worker the first `deaths[chunk.start]` times. A file counts the times."""
    with open(f"{log}/{chunk.start}", "a") as file:
        file.write("x")
    if os.path.getsize(f"{log}/{chunk.start}") <= deaths.get(chunk.start, 0):
        die()
    return [f * f for f in chunk]


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


def sleepy(seconds, flag):
    """Slow the first time."""
    if not os.path.exists(flag):
        open(flag, "w").close()
        time.sleep(seconds)
    return 1
