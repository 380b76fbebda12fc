"""What a fit costs on joblib's workers and on a dask cluster, beside the serial loop: the table of docs/cluster.md.

    python docs/programs/executors.py [fits] [rounds]

LDA on 200 cases, one fit after another (engine="generic"), two workers. All ways take turns, and the least of the
rounds counts: other programs can only add to it. CPU seconds are those of this process and of its workers.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

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


def main(fits: int = 4000, rounds: int = 5) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], N // 2)
    X = rng.normal(size=(N, P)) + 0.4 * y[:, None]
    design = karat.Bootstrap(fits).draw(y, rng=0)
    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with local, Client(local) as client:
        ways = {"serial": 1, "joblib, 2 workers": 2, "dask, 2 workers": client}

        def run(workers: object) -> np.ndarray:
            return karat.fit(LinearDiscriminantAnalysis(), X, y, design, n_jobs=workers, engine="generic").scores

        reference = run(1)
        for workers in ways.values():  # start the workers and load their libraries
            assert np.array_equal(run(workers), reference)
        best = {name: (np.inf, np.inf) for name in ways}
        for _ in range(rounds):
            for name, workers in ways.items():
                measured = timed(lambda workers=workers: run(workers))
                best[name] = (min(best[name][0], measured[0]), min(best[name][1], measured[1]))
    print(f"{fits} fits, least of {rounds} rounds\n")
    print("| | µs per fit | CPU µs per fit | CPU against serial |\n|---|---|---|---|")
    for name, (wall, used) in best.items():
        share = used / best["serial"][1] - 1
        print(f"| {name} | {1e6 * wall / fits:.0f} | {1e6 * used / fits:.0f} | {share:+.0%} |")


def timed(work: Callable[[], object]) -> tuple[float, float]:
    wall, used = time.perf_counter(), cpu()
    work()
    return time.perf_counter() - wall, cpu() - used


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
