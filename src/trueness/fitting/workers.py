"""Chunks of work in this process, on joblib's workers, or on a dask cluster, with one thread and a time limit per fit.

A chunk gives the same result wherever and however often it is computed, so one that was lost is computed again. More than
one thread per fit would compete for the cores of the workers, and sum in another order.
"""

import faulthandler
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from multiprocessing import current_process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import ThreadpoolController

from trueness.checks import is_client, is_number
from trueness.errors import FitError, InputError
from trueness.typing import AnyModel, Record, Workers

# package → settings that its models get where none of the names is set: threads of their own that threadpoolctl cannot
# hold, and messages and files of every single fit
SETTINGS: dict[str, tuple[tuple[tuple[str, ...], object], ...]] = {
    "xgboost": ((("n_jobs", "nthread"), 1),),
    "lightgbm": (
        (("n_jobs", "nthread", "nthreads", "num_thread", "num_threads"), 1),
        (("verbosity", "verbose"), -1),
    ),
    "catboost": (
        (("thread_count",), 1),
        (("verbose", "verbose_eval", "logging_level", "silent"), False),
        (("allow_writing_files",), False),
    ),
}


@lru_cache(maxsize=1)
def _controller(modules: int) -> ThreadpoolController:
    # looking for the libraries takes milliseconds; new ones come with new modules only
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """`with one_thread(): ...` holds BLAS and OpenMP to one thread."""
    controller = _controller(len(sys.modules))
    if all(library.num_threads == 1 for library in controller.lib_controllers):
        yield  # limiting what is limited takes longer than asking
        return
    with controller.limit(limits=1):
        yield


def quiet_settings(owners: Iterable[tuple[str, AnyModel]]) -> dict[str, object]:
    """Parameters that hold boosting libraries to one thread and to silence, where the user has not set them."""
    changes: dict[str, object] = {}
    for prefix, owner in owners:
        for package in {kind.__module__.partition(".")[0] for kind in type(owner).__mro__} & SETTINGS.keys():
            params = owner.get_params(deep=False)
            for names, value in SETTINGS[package]:
                if all(params.get(name) is None for name in names):
                    changes[prefix + names[0]] = value
    return changes


LONGEST = 1e7  # seconds; the timer of Python takes no more than some months


@dataclass(frozen=True)
class TimeLimit:
    """So many seconds per fit, in processes other than that of the call."""

    seconds: float  # longest time of a fit
    place: Path  # where workers leave a file for each fit that took longer, so that it is not tried again
    home: int  # the process of the call, which must not be ended

    @property
    def reason(self) -> str:
        """Why a fit failed."""
        return f"TimeoutError: not done after {self.seconds:g} s"

    def exceeded_by(self, name: str) -> bool:
        """Whether the fit of this name took longer before."""
        file = self.place / name
        return file.exists() and file.stat().st_size > 0

    def count(self) -> int:
        """How many fits took longer."""
        return sum(file.stat().st_size > 0 for file in self.place.iterdir())

    @contextmanager
    def watching(self, name: str) -> Iterator[None]:
        """End this process where what follows takes longer; Python's watchdog needs no cooperation of the fit."""
        if os.getpid() == self.home:
            raise InputError(
                "A time limit per fit needs worker processes, which cannot be started from here",
                param="fit_seconds",
                fix="Call it from the main thread of a process that is not a worker itself",
            )
        with open(self.place / name, "w") as file:  # it gets the traceback, and is empty before
            faulthandler.dump_traceback_later(self.seconds, exit=True, file=file)
            try:
                yield
            finally:
                faulthandler.cancel_dump_traceback_later()


@contextmanager
def limited(seconds: float | None) -> Iterator[TimeLimit | None]:
    """A time limit with a folder of its own; None without a number."""
    if seconds is None:
        yield None
        return
    with TemporaryDirectory(prefix="trueness-") as folder:
        yield TimeLimit(float(seconds), Path(folder), os.getpid())


def check_fit_seconds(seconds: object) -> None:
    """An error unless it is None or a positive number."""
    if seconds is not None and (not is_number(seconds) or not 0 < seconds <= LONGEST):
        problem = f"fit_seconds must be a positive number of at most {LONGEST:g}"
        raise InputError(problem, param="fit_seconds", got=repr(seconds))


MOST_LOSSES = 3  # workers that may die with a chunk; the last time it is computed alone

K = TypeVar("K")
R = TypeVar("R")


def workers_of(n_jobs: Workers) -> int:
    """How many chunks are computed at a time: at most one per core of this machine, or two."""
    if is_client(n_jobs):
        return max(1, int(sum(n_jobs.nthreads().values())))
    return int(min(effective_n_jobs(n_jobs), max(2, effective_n_jobs(-1))))


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

        if limit is not None:
            raise InputError("A cluster has no time limit per fit", param="fit_seconds", fix="Use n_jobs=-1")
        yield from run_on_cluster(n_jobs, function, shared, chunks, arguments, seconds)
    elif workers_of(n_jobs) == 1 and limit is None:
        for chunk in chunks:
            with one_thread():
                result = function(shared, *arguments(chunk))
            yield chunk, result
    else:
        yield from _run_on_joblib(workers_of(n_jobs), function, shared, chunks, arguments, limit)


def _run_on_joblib(
    n_jobs: int,
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
        options = {"backend": "loky", "n_jobs": max(2, n_jobs), "pre_dispatch": 1 if n_jobs == 1 else "n_jobs"}
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
            if alone and losses[alone[0]] == MOST_LOSSES:  # where a worker sent a traceback, its last line
                said = str(error.__cause__ or error).strip(' "\n').splitlines() or [""]
                raise lost(alone[0], said[-1 if error.__cause__ else 0]) from None
        sent.clear()


def _work(parent: int, function: Callable[..., R], chunk: K, *arguments: object) -> tuple[K, R]:
    """What a worker process does."""
    if os.getpid() != parent and current_process().name.startswith("LokyProcess"):
        _follow(parent)
    with one_thread():
        return chunk, function(*arguments)


@cache
def _follow(parent: int) -> None:
    """Leave Ctrl-C to the process that started this one, and end with it, or at once where it has ended: a worker waits
    for work for minutes."""

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
