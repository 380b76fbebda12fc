"""Independent tasks on all cores, in order, with the time left: what studies run their trials on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits

from karat.fitting.progress import Progress


def ordered(
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    *,
    n_jobs: int | None = None,
    progress: bool | None = None,
    label: str = "working",
    weights: Sequence[int] | None = None,
) -> Iterator[Any]:
    """function(*task) of every task, in the order of the tasks, as soon as they are there.

    Parameters
    ----------
    n_jobs
        Workers of joblib; −1: all cores. It never changes a number.
    weights
        How much each task counts on the bar (trials in a chunk); None: one each.
    """
    steps = [1] * len(tasks) if weights is None else list(weights)
    workers = min(effective_n_jobs(n_jobs), len(tasks))
    with Progress(sum(steps), progress, label) as bar:
        calls = (delayed(_on_one_thread)(function, task) for task in tasks)
        results = Parallel(n_jobs=max(workers, 1), return_as="generator", batch_size=1, pre_dispatch="2*n_jobs")(calls)
        for step, result in zip(steps, results, strict=True):
            bar.advance(step)
            yield result


def _on_one_thread(function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    """BLAS on one thread: more of them fight for the same cores."""
    with threadpool_limits(1):
        return function(*task)
