"""Independent tasks on all cores, in order, with a progress bar: what studies run their trials on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits

from karat.fitting.progress import Progress

Result = TypeVar("Result")


def ordered(
    function: Callable[..., Result],
    tasks: Sequence[tuple[object, ...]],
    *,
    n_jobs: int | None = None,
    progress: bool | None = None,
    label: str = "working",
    weights: Sequence[int] | None = None,
) -> Iterator[Result]:
    """function(*task) of every task, in the order of the tasks, as soon as they are there.

    Parameters
    ----------
    function : callable
    tasks : sequence of tuples
        Arguments of each call.
    n_jobs : int or None
        Number of parallel workers (results do not depend on it); −1 for all cores.
    progress : bool or None
        Whether to show a progress bar; None shows it on a terminal.
    label : str
        Shown before the bar.
    weights : sequence of int, optional
        Steps of the bar per task (trials in a chunk); 1 by default.
    """
    steps = [1] * len(tasks) if weights is None else list(weights)
    workers = min(effective_n_jobs(n_jobs), len(tasks))
    with Progress(sum(steps), progress, label) as bar:
        calls = (delayed(_on_one_thread)(function, task) for task in tasks)
        results = Parallel(n_jobs=max(workers, 1), return_as="generator", batch_size=1, pre_dispatch="2*n_jobs")(calls)
        for step, result in zip(steps, results, strict=True):
            bar.advance(step)
            yield result


def _on_one_thread(function: Callable[..., Result], task: tuple[object, ...]) -> Result:
    """BLAS on one thread: more of them compete for the same cores."""
    with threadpool_limits(1):
        return function(*task)
