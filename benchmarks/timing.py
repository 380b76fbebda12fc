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
    trueness: Callable[[], object]
    peer: Callable[[], object]
    at_least: float | None = None
    done: int = 1
    whole: int = 1
    repeats: int = 5
    peer_repeats: int = 3


MIN_SECONDS = 0.5  # shorter calls are repeated, so that the median is stable
MAX_RUNS = 50


def seconds(function: Callable[[], object], least: int) -> list[float]:
    """CPU time of at least `least` calls, after a warm-up call."""
    function()
    times: list[float] = []
    while len(times) < least or (sum(times) < MIN_SECONDS and len(times) < MAX_RUNS):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return times


def median_seconds(function: Callable[[], object], least: int) -> float:
    return statistics.median(seconds(function, least))


def measure(job: Job) -> dict[str, object]:
    """One row: seconds of trueness, seconds of the peer (scaled), and their ratio."""
    ours, theirs = seconds(job.trueness, job.repeats), seconds(job.peer, job.peer_repeats)
    trueness = statistics.median(ours)
    peer = statistics.median(theirs) * job.whole / job.done
    return {
        "job": job.name,
        "peer": job.against,
        "trueness_s": trueness,
        "peer_s": peer,
        "ratio": peer / trueness,
        "at_least": job.at_least,
        "scaled": f"{job.done} of {job.whole}" if job.done < job.whole else "",
        "runs": f"{len(ours)}, {len(theirs)}",
    }


def product_rates(n: int = 1000) -> dict[str, float]:
    """GFLOP/s of a matrix product in double and in single precision, which limits the engines."""
    double = np.random.default_rng(0).normal(size=(n, n))
    single = double.astype(np.float32)
    return {
        "dgemm": 2e-9 * n**3 / median_seconds(lambda: double @ double, 9),
        "sgemm": 2e-9 * n**3 / median_seconds(lambda: single @ single, 9),
    }


def fresh_memory_rate(megabytes: int = 80) -> float:
    """GB/s of writing to newly allocated memory, which limits jobs with large results."""
    return 1e-3 * megabytes / median_seconds(lambda: np.empty(megabytes * 125_000).fill(1.0), 5)
