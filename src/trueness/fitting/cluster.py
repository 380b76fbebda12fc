"""Chunks of work on a dask cluster."""

from __future__ import annotations

import pickle
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, TypeVar

from trueness.errors import FitError, InputError
from trueness.fitting.workers import lost, one_thread, workers_of
from trueness.typing import Workers

PATIENCE = 300.0  # least seconds without any result after which a cluster is gone
CONNECT = 10.0  # seconds for a scheduler to answer

K = TypeVar("K")
R = TypeVar("R")

_ONE_AT_A_TIME = threading.Lock()  # BLAS threads are those of the process


def run_on_cluster(
    client: Any,
    function: Callable[..., R],
    shared: object,
    chunks: Sequence[K],
    arguments: Callable[[K], Any],
    seconds: float,
) -> Iterator[tuple[K, R]]:
    """As `run_chunks`, two chunks ahead of each thread of the cluster.

    What all chunks share is a task of its own, which the scheduler keeps, so a worker that dies with it loses nothing,
    and a worker that cannot import a module says so. dask itself runs again what a dead worker was doing.
    """
    import cloudpickle  # dask depends on it; a study sends models and functions of a script
    from distributed import wait

    left, sent, patience = list(reversed(chunks)), dict[Any, K](), max(PATIENCE, 10 * seconds)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # once per run, and on purpose
            data = client.submit(cloudpickle.loads, cloudpickle.dumps((function, shared)), pure=False)
        while left or sent:
            while left and len(sent) < 2 * workers_of(client):
                chunk = left.pop()
                sent[client.submit(_work, data, cloudpickle.dumps(arguments(chunk)), pure=False)] = chunk
            done = wait(list(sent), timeout=patience, return_when="FIRST_COMPLETED").done  # type: ignore[no-untyped-call]
            for future in done:
                chunk = sent.pop(future)
                try:
                    result = pickle.loads(future.result(timeout=patience))
                except (TimeoutError, CancelledError, OSError):
                    raise
                except Exception as error:  # dask has tried it on several workers, or they lack a module
                    raise lost(chunk, f"{type(error).__name__}: {error}") from None
                yield chunk, result
    except (OSError, CancelledError, RuntimeError) as error:  # a timeout is an OSError
        if isinstance(error, FitError):  # it is a RuntimeError, too
            raise
        fix = "Look at its scheduler and workers; with a store, finished fits are kept"
        why = f"{type(error).__name__}: {error}"
        raise FitError("The cluster does not answer", param="n_jobs", reason=why, fix=fix) from error
    finally:
        if sent and client.status == "running":
            client.cancel(list(sent))


@contextmanager
def connected(address: str | None, n_jobs: int | None) -> Iterator[Workers]:
    """A client of the scheduler at this address; without one `n_jobs` itself."""
    if address is None:
        yield n_jobs
        return
    try:
        from distributed import Client

        client = Client(address, timeout=CONNECT)  # type: ignore[no-untyped-call]
    except ImportError:
        fix = "Install it: pip install dask distributed"
        raise InputError("A cluster needs dask.distributed", param="cluster", fix=fix) from None
    except (ValueError, OSError) as error:
        fix = "Start one with `dask scheduler`, and pass its address, tcp://host:8786"
        problem, why = "There is no dask scheduler at this address", str(error)
        raise InputError(problem, param="cluster", got=address, reason=why, fix=fix) from None
    with client:
        yield client


def _work(data: tuple[Callable[..., object], object], pickled: bytes) -> bytes:
    """Arguments and result are pickled here: dask would send each of their many small arrays as a frame of its own."""
    (function, shared), arguments = data, pickle.loads(pickled)
    with _ONE_AT_A_TIME, one_thread():
        return pickle.dumps(function(shared, *arguments))
