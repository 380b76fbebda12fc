"""Chunks of work on a dask cluster."""

from __future__ import annotations

import hashlib
import pickle
import threading
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, TypeVar

from trueness.errors import FitError, InputError
from trueness.fitting.workers import MOST_LOSSES, lost, one_thread, workers_of
from trueness.typing import Workers

PATIENCE = 60.0  # least seconds without any result after which the chunks are sent again; twice as long each time
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

    What all chunks share is a task of its own, named by its content. The scheduler keeps it, so a worker that dies with
    it loses nothing, and a worker that cannot import a module says so. dask itself runs again what a dead worker was
    doing; when nothing moves for a while all the same, everything is sent once more, and the first answer counts.
    """
    import cloudpickle  # dask depends on it; a study sends models and functions of a script
    from distributed import wait

    left, waiting, losses = list(reversed(chunks)), dict[K, None](), Counter[K]()
    sent: dict[Any, K] = {}
    patience, silent = max(PATIENCE, 10 * seconds), 0
    load = _sender(client, (function, shared))
    data = load()

    def send(chunk: K) -> None:
        key = f"trueness-chunk-{uuid.uuid4().hex}"
        sent[client.submit(_work, data, cloudpickle.dumps(arguments(chunk)), key=key, pure=False)] = chunk

    try:
        while left or waiting:
            while left and len(waiting) < 2 * workers_of(client):
                waiting[left[-1]] = None
                send(left.pop())
            try:
                done = wait(list(sent), timeout=patience, return_when="FIRST_COMPLETED").done  # type: ignore[no-untyped-call]
            except (TimeoutError, CancelledError):  # nothing moves, or the scheduler has forgotten some
                silent += 1
                if client.status != "running":
                    raise _gone("the connection to the scheduler was lost") from None
                if silent == MOST_LOSSES:
                    raise _gone(f"no result for {patience:.0f} s, {len(client.nthreads())} workers") from None
                patience *= 2
                sent = {future: chunk for future, chunk in sent.items() if future.status != "cancelled"}
                data = load()
                for chunk in waiting:
                    send(chunk)
                continue
            silent = 0
            for future in done:
                chunk = sent.pop(future)
                if chunk not in waiting:  # it was sent twice
                    continue
                try:
                    result = pickle.loads(future.result(timeout=patience))
                except (TimeoutError, CancelledError) as error:  # lost on its way, or forgotten by the scheduler
                    losses[chunk] += 1
                    if losses[chunk] == MOST_LOSSES:
                        raise lost(chunk, f"{type(error).__name__}: {error}") from None
                    data = load()
                    send(chunk)
                    continue
                except Exception as error:  # dask has tried it on several workers, or they lack a module
                    raise lost(chunk, f"{type(error).__name__}: {error}") from None
                del waiting[chunk]
                yield chunk, result
    except (OSError, RuntimeError) as error:
        if isinstance(error, FitError):  # it is a RuntimeError, too
            raise
        raise _gone(f"{type(error).__name__}: {error}") from error
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
    except ImportError:
        raise InputError(
            "A cluster needs dask.distributed", param="cluster", fix="Install it: pip install dask distributed"
        ) from None
    try:
        client = Client(address, timeout=CONNECT)  # type: ignore[no-untyped-call]
    except ValueError:
        raise InputError(
            "This is no address of a dask scheduler", param="cluster", got=address, fix="Use the form tcp://host:8786"
        ) from None
    except OSError as error:
        raise InputError(
            "There is no dask scheduler at this address",
            param="cluster",
            got=address,
            reason=str(error),
            fix="Start one with: dask scheduler",
        ) from None
    with client:
        yield client


def _sender(client: Any, shared: object) -> Callable[[], Any]:
    """A function that makes what is shared a task of the cluster, whenever it is called."""
    import cloudpickle

    payload = cloudpickle.dumps(shared)
    name = hashlib.sha256(payload).hexdigest()[:16]

    def load() -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # once per run, and on purpose
            return client.submit(cloudpickle.loads, payload, key=f"trueness-data-{name}-{uuid.uuid4().hex[:8]}")

    return load


def _work(data: tuple[Callable[..., object], object], pickled: bytes) -> bytes:
    """Arguments and result are pickled here: dask would send each of their many small arrays as a frame of its own."""
    (function, shared), arguments = data, pickle.loads(pickled)
    with _ONE_AT_A_TIME, one_thread():
        return pickle.dumps(function(shared, *arguments))


def _gone(reason: str) -> FitError:
    return FitError(
        "The cluster does not answer",
        param="n_jobs",
        reason=reason,
        fix="Look at its scheduler and workers; with a store, finished fits are kept",
    )
