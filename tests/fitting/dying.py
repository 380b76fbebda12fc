"""Work that kills its worker, in a module that a new process imports in no time."""

import os
import signal
import time


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def square(deaths, chunk, log):
    """The squares of a chunk; it kills the worker the first `deaths[chunk.start]` times. A file counts the times."""
    with open(f"{log}/{chunk.start}", "a") as file:
        file.write("x")
    if os.path.getsize(f"{log}/{chunk.start}") <= deaths.get(chunk.start, 0):
        die()
    return [f * f for f in chunk]


def sleepy(seconds, flag):
    """Slow the first time."""
    if not os.path.exists(flag):
        open(flag, "w").close()
        time.sleep(seconds)
    return 1
