"""What a fit costs on joblib's workers and on a dask cluster, beside the serial loop: the table of docs/cluster.md.

    python docs/programs/executors.py [fits] [rounds]

LDA on 200 cases, one fit after another (engine="generic"), two workers. The least of the rounds counts: other programs
can only add to it. CPU seconds are those of this process and of its workers. dask's workers sample their own stacks
every 10 ms for a dashboard; the last row is without that.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import dask
import numpy as np
import psutil
from distributed import Client, LocalCluster
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import karat

N, P = 200, 5


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
    design = karat.Bootstrap(fits).draw(y, rng=0)

    def run(workers: object) -> np.ndarray:
        return karat.fit(LinearDiscriminantAnalysis(), X, y, design, n_jobs=workers, engine="generic").scores

    def least(workers: object) -> tuple[float, float]:
        """Wall and CPU seconds, each the least of the rounds."""
        assert np.array_equal(run(workers), reference)  # starts the workers and loads their libraries
        measured = []
        for _ in range(rounds):
            wall, used = time.perf_counter(), cpu()
            run(workers)
            measured.append((time.perf_counter() - wall, cpu() - used))
        return tuple(np.min(measured, axis=0))

    reference = run(1)
    rows = {"serial": least(1), "joblib, 2 workers": least(2)}
    with cluster(profiler=True) as client:
        rows["dask, 2 workers"] = least(client)
    with cluster(profiler=False) as client:
        rows["dask, 2 workers, without its profiler"] = least(client)
    print(f"{fits} fits, least of {rounds} rounds\n")
    print("| | µs per fit | CPU µs per fit | CPU against serial |\n|---|---|---|---|")
    for name, (wall, used) in rows.items():
        share = used / rows["serial"][1] - 1
        print(f"| {name} | {1e6 * wall / fits:.0f} | {1e6 * used / fits:.0f} | {share:+.0%} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
