"""What a fit costs on joblib's workers and on a dask cluster, beside the serial loop: the table of docs/cluster.md.

    python docs/programs/executors.py [fits] [rounds]

LDA on 200 cases, one fit after another (engine="generic"), two workers. CPU seconds are those of this process and of
its workers; the least of the rounds counts, because other programs can only add to it. The model notes how much of this
it used itself: a busy neighbour, on the same machine or on the same host, slows the model down as well, and that is not
a cost of sending work. What is left is trueness and the executor. dask's workers sample their own stacks every 10 ms for a
dashboard; the last row is without that.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import dask
import numpy as np
import psutil
from distributed import Client, LocalCluster
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import trueness

N, P = 200, 5
NOTES = "TRUENESS_EXECUTORS_NOTES"  # names the file to which every process appends seconds


class NotingLDA(LinearDiscriminantAnalysis):
    """LDA that notes the CPU seconds of its own."""

    def fit(self, X: Any, y: Any) -> NotingLDA:
        start = time.thread_time()
        super().fit(X, y)
        note(time.thread_time() - start)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        start = time.thread_time()
        scores = super().decision_function(X)
        note(time.thread_time() - start)
        return scores


def note(seconds: float) -> None:
    with open(os.environ[NOTES], "ab", buffering=0) as file:
        file.write(np.float64(seconds).tobytes())


class Cost(NamedTuple):
    wall: float
    cpu: float
    model: float  # CPU seconds inside the model


def cpu() -> float:
    """CPU seconds of this process and of those that it started, which are all alive."""
    here = psutil.Process()
    return sum(sum(process.cpu_times()[:2]) for process in (here, *here.children(recursive=True)))


@contextmanager
def cluster(profiler: bool) -> Iterator[Client]:
    with (
        dask.config.set({"distributed.worker.profile.enabled": profiler}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
        Client(local) as client,
    ):
        yield client


def main(fits: int = 4000, rounds: int = 5) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], N // 2)
    X = rng.normal(size=(N, P)) + 0.4 * y[:, None]
    design = trueness.Bootstrap(fits).draw(y, rng=0)
    notes = Path(tempfile.mkdtemp()) / "seconds"
    os.environ[NOTES] = str(notes)

    def run(workers: object) -> np.ndarray:
        notes.write_bytes(b"")
        return trueness.fit(NotingLDA(), X, y, design, n_jobs=workers, engine="generic").scores

    def least(workers: object) -> Cost:
        """The round with the least CPU seconds."""
        assert np.array_equal(run(workers), reference)  # starts the workers and loads their libraries
        measured = []
        for _ in range(rounds):
            wall, used = time.perf_counter(), cpu()
            run(workers)
            measured.append(Cost(time.perf_counter() - wall, cpu() - used, float(np.fromfile(notes).sum())))
        return min(measured, key=lambda cost: cost.cpu)

    reference = run(1)
    rows = {"serial": least(1), "joblib, 2 workers": least(2)}
    with cluster(profiler=True) as client:
        rows["dask, 2 workers"] = least(client)
    with cluster(profiler=False) as client:
        rows["dask, 2 workers, without its profiler"] = least(client)
    print(f"{fits} fits, the best of {rounds} rounds\n")
    print("| | µs per fit | CPU µs per fit | in the model | outside | CPU against serial | by what is outside |")
    print("|---|---|---|---|---|---|---|")
    serial = rows["serial"]
    for name, cost in rows.items():
        outside = cost.cpu - cost.model
        micro = " | ".join(f"{1e6 * s / fits:.0f}" for s in (cost.wall, cost.cpu, cost.model, outside))
        more = (outside - (serial.cpu - serial.model)) / serial.cpu
        print(f"| {name} | {micro} | {cost.cpu / serial.cpu - 1:+.0%} | {more:+.0%} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
