"""Chunks of work in this process, on joblib's workers, or on a dask cluster; a killed worker loses nothing.

A chunk gives the same result wherever and however often it is computed, so one that was lost is computed again.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import current_process
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs

from trueness.checks import is_client
from trueness.errors import FitError
from trueness.fitting.limit import TimeLimit
from trueness.fitting.threads import one_thread
from trueness.typing import Record, Workers

MOST_LOSSES = 3  # workers that may die with a chunk; the last time it is computed alone

K = TypeVar("K")
R = TypeVar("R")


def workers_of(n_jobs: Workers) -> int:
    """How many chunks are computed at a time."""
    return max(1, sum(n_jobs.nthreads().values())) if is_client(n_jobs) else int(effective_n_jobs(n_jobs))


def gaps(done: Sequence[range], n_fits: int) -> list[range]:
    """Fits that are in none of these ranges, which are in order and apart."""
    edges = [0, *(edge for fits in done for edge in (fits.start, fits.stop)), n_fits]
    return [range(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]


def run_chunks(
    function: Callable[..., R],
    shared: object,
    chunks: Sequence[K],
    arguments: Callable[[K], tuple[Any, ...]],
    n_jobs: Workers,
    seconds: float = 60.0,
    limit: TimeLimit | None = None,
) -> Iterator[tuple[K, R]]:
    """Each chunk with `function(shared, *arguments(chunk))`, as they finish, in any order.

    BLAS has one thread in `function`. A cluster sends what is `shared` to each worker once, and `arguments(chunk)` are
    made when the chunk is sent. A cluster that is silent for much longer than a chunk takes, about so many `seconds`,
    gets its chunks again. With a `limit`, by which `function` ends its worker, chunks are computed in worker processes
    only. A FitError says that a chunk ended its worker again and again, or that a cluster is gone; it names the chunk.
    """
    if is_client(n_jobs):
        from trueness.fitting.cluster import run_on_cluster

        yield from run_on_cluster(n_jobs, function, shared, chunks, arguments, seconds, limit)
    elif effective_n_jobs(n_jobs) == 1 and limit is None:
        for chunk in chunks:
            with one_thread():
                result = function(shared, *arguments(chunk))
            yield chunk, result
    else:
        yield from _run_on_joblib(n_jobs, function, shared, chunks, arguments, limit)


def _run_on_joblib(
    n_jobs: int | None,
    function: Callable[..., R],
    shared: object,
    chunks: Sequence[K],
    arguments: Callable[[K], tuple[Any, ...]],
    limit: TimeLimit | None,
) -> Iterator[tuple[K, R]]:
    """With a killed worker all chunks that were sent are lost: send them again, and those lost twice one by one."""
    left, losses = dict.fromkeys(chunks), Counter[K]()
    sent: list[K] = []
    options: Record = {"n_jobs": n_jobs, "pre_dispatch": "2*n_jobs"}
    if limit is not None:  # joblib has no worker process for one job: of two, one has work at a time
        one = effective_n_jobs(n_jobs) == 1
        options = {"backend": "loky", "n_jobs": 2 if one else n_jobs, "pre_dispatch": 1 if one else "n_jobs"}
    too_long = 0 if limit is None else limit.count()

    def calls(todo: list[K]) -> Iterator[Any]:
        for chunk in todo:
            sent.append(chunk)
            yield delayed(_work)(os.getpid(), function, chunk, shared, *arguments(chunk))

    while left:
        alone = [chunk for chunk in left if losses[chunk] == MOST_LOSSES - 1][:1]
        workers = Parallel(return_as="generator_unordered", batch_size=1, **options)
        try:
            for chunk, result in workers(calls(alone or list(left))):
                del left[chunk]
                yield chunk, result
        except BrokenProcessPool as error:
            before, too_long = too_long, 0 if limit is None else limit.count()
            if too_long > before:  # known by now, and left out the next time
                sent.clear()
                continue
            losses.update(chunk for chunk in sent if chunk in left)
            if alone and losses[alone[0]] == MOST_LOSSES:
                raise lost(alone[0], _reason(error)) from None
        sent.clear()


def _work(parent: int, function: Callable[..., R], chunk: K, *arguments: object) -> tuple[K, R]:
    """What a worker process does."""
    if os.getppid() == parent:
        _follow(parent)
    elif current_process().name.startswith("LokyProcess"):  # killed before this worker had started
        os._exit(1)
    with one_thread():
        return chunk, function(*arguments)


@cache
def _follow(parent: int) -> None:
    """Leave Ctrl-C to the process that started this one, and end with it: a worker waits for work for minutes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=watch, daemon=True).start()


def lost(chunk: object, reason: str) -> FitError:
    """The error where a chunk ended its worker again and again."""
    about = f"fits {chunk.start} to {chunk.stop - 1}" if isinstance(chunk, range) else str(chunk)
    return FitError(
        f"Worker processes failed {MOST_LOSSES} times to compute {about}",
        param="model",
        reason=reason,
        fix="Look for a crash in the model's library, for too little memory, and for modules that workers cannot "
        "import; with a store, finished fits are kept",
    )


def _reason(error: BrokenProcessPool) -> str:
    """What joblib says; where a worker sent a traceback, its last line."""
    said = str(error if error.__cause__ is None else error.__cause__).strip().strip('"').strip().splitlines()
    return (said or [""])[0 if error.__cause__ is None else -1]
