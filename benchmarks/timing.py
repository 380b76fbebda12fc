"""CPU time of one process on one thread, medians; a slow peer runs fewer replicates and is scaled up."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Job:
    """One row of the table.

    `peer` does `done` of `whole` units of work (replicates, folds, rows); its time is scaled by whole/done.
    """

    name: str
    against: str
    karat: Callable[[], object]
    peer: Callable[[], object]
    at_least: float | None = None
    done: int = 1
    whole: int = 1
    repeats: int = 5
    peer_repeats: int = 3


def median_seconds(function: Callable[[], object], repeats: int) -> float:
    """Median CPU time of one call, after one call that nobody counts."""
    function()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return statistics.median(times)


def measure(job: Job) -> dict[str, object]:
    """One row: seconds of karat, seconds of the peer (scaled), and their ratio."""
    karat = median_seconds(job.karat, job.repeats)
    peer = median_seconds(job.peer, job.peer_repeats) * job.whole / job.done
    return {
        "job": job.name,
        "peer": job.against,
        "karat_s": karat,
        "peer_s": peer,
        "ratio": peer / karat,
        "at_least": job.at_least,
        "scaled": f"{job.done} of {job.whole}" if job.done < job.whole else "",
        "runs": f"{job.repeats}, {job.peer_repeats}",
    }


def product_rates(n: int = 1000) -> dict[str, float]:
    """GFLOP/s of a matrix product in double and in single precision: what bounds the engines."""
    double = np.random.default_rng(0).normal(size=(n, n))
    single = double.astype(np.float32)
    return {
        "dgemm": 2e-9 * n**3 / median_seconds(lambda: double @ double, 9),
        "sgemm": 2e-9 * n**3 / median_seconds(lambda: single @ single, 9),
    }


def fresh_memory_rate(megabytes: int = 80) -> float:
    """GB/s of writing to memory that the system has just given: what bounds jobs with large answers."""
    return 1e-3 * megabytes / median_seconds(lambda: np.empty(megabytes * 125_000).fill(1.0), 5)
