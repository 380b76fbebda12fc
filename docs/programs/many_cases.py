"""Time and memory of very many cases: an AUC with DeLong's interval of a Parquet file, and an assessment.

    python docs/programs/many_cases.py auc 6 7 8      # 10^6, 10^7 and 10^8 rows; 9 GB of temporary files
    python docs/programs/many_cases.py assess 5 6     # 10^5 and 10^6 cases, 50 features, the default plan
    python docs/programs/many_cases.py growth 3 4 5 6 # assess and compare, 20 features, from 10^3 to 10^6 cases
    python docs/programs/many_cases.py generic        # 1000 fits one by one on 10^5 cases
    python docs/programs/many_cases.py forest 5 600   # 100 trees on 10^5 cases within 600 seconds, one worker

Every row is a process of its own. Prints tables of docs/many-cases.md and its appendix. Files go to TMPDIR and are removed.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

START = """
import json, resource, sys, time
import numpy as np
import trueness
"""
MADE = """
import pyarrow as pa, pyarrow.parquet as pq
path, n, part = sys.argv[1], int(sys.argv[2]), min(10**6, int(sys.argv[2]))
rng, schema = np.random.default_rng(0), pa.schema({"y": pa.int8(), "score": pa.float64()})
with pq.ParquetWriter(path, schema) as file:
    for _ in range(n // part):
        y = rng.random(part) < 0.1
        file.write_table(pa.table([y.astype(np.int8), rng.normal(size=part) + y], schema=schema))
"""
AUC = """
trueness.curves.ScoreCounts.of([0, 1, 0, 1], [1, 2, 3, 4]).auc  # compiled code is loaded
wall, cpu = time.perf_counter(), time.process_time()
auc = trueness.curves.ScoreCounts.read(sys.argv[1], "y", "score").auc
low, high = auc.ci()
answer = f"{auc.value:.6f} ({low:.6f} to {high:.6f})"
"""
ASSESS = """
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
n, p = int(sys.argv[1]), 50
rng = np.random.default_rng(0)
y = rng.random(n) < 0.3
X = rng.normal(size=(n, p)) + 0.1 * y[:, None]
wall, cpu = time.perf_counter(), time.process_time()
a = trueness.assess(LinearDiscriminantAnalysis(), X, y, rng=0)
print(a, file=sys.stderr)
answer = f"{a.fits.n_fits} fits; "
answer += "; ".join(f"{e.metric} {e.method} {e.value:.5f} ± {e.se:.5f}" for e in (a["error"], a["auc"]))
"""
GROWTH = """
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
what, n, p = sys.argv[1], int(sys.argv[2]), 20
rng = np.random.default_rng(0)
y = (rng.random(n) < 0.3).astype(int)
X = rng.normal(size=(n, p))
X[:, :5] += 0.3 * y[:, None]

def run(X, y):
    if what == "assess":
        return trueness.assess(LinearDiscriminantAnalysis(), X, y, rng=0)
    return trueness.compare({"lda": LinearDiscriminantAnalysis(), "lr": LogisticRegression()}, X, y, rng=0)

run(X[:300], y[:300])  # compiled code is loaded
wall, cpu = time.perf_counter(), time.process_time()
found = run(X, y)
e = found["auc"] if what == "assess" else found.difference
fits = (found.fits if what == "assess" else found.fits["lda"]).n_fits
answer = f"{fits} fits | AUC{'' if what == 'assess' else ' difference'} {e.value:.5f} ± {e.se:.5f}"
"""
GENERIC = """
from sklearn.naive_bayes import GaussianNB
n = 100_000
rng = np.random.default_rng(0)
y = np.repeat([0, 1], n // 2)
X = rng.normal(size=(n, 2)) + 0.5 * y[:, None]
wall, cpu = time.perf_counter(), time.process_time()
a = trueness.assess(GaussianNB(), X, y, plan=trueness.Bootstrap(1000), rng=0, engine="generic")
answer = f"error loob {a['error', 'loob'].value:.5f}"
"""
FOREST = """
from sklearn.ensemble import RandomForestClassifier
n, seconds, p = int(sys.argv[1]), float(sys.argv[2]), 20
rng = np.random.default_rng(0)
y = (rng.random(n) < 0.3).astype(int)
X = rng.normal(size=(n, p))
X[:, :5] += 0.3 * y[:, None]
wall, cpu = time.perf_counter(), time.process_time()
model = RandomForestClassifier(100, random_state=0)
try:
    answer = str(trueness.assess(model, X, y, seconds=seconds, rng=0))
except trueness.errors.InputError as refused:
    began = time.process_time()
    held = trueness.assess(model, X, y, plan=trueness.Holdout(0.3), metrics=["error", "auc"], checks=False, rng=0)
    answer = f"{refused}\\nHoldout(0.3), {time.process_time() - began:.0f} s of CPU:\\n{held}"
"""
END = """
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(json.dumps([answer, time.perf_counter() - wall, time.process_time() - cpu, peak]))
"""


def measured(program: str, *arguments: object) -> tuple[str, float, float, float, float]:
    """Answer, seconds, seconds of CPU time, peak memory and temporary files in GB of a program in a new process."""
    most = 0
    with tempfile.TemporaryDirectory() as folder:
        call = [sys.executable, "-c", START + program + END, *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        running = subprocess.Popen(call, env={**os.environ, "TMPDIR": folder}, **pipes)
        while running.poll() is None:
            most = max(most, used(folder))
            time.sleep(0.2)
        out, err = running.communicate()
    if running.returncode:
        sys.exit(err)
    answer, wall, cpu, peak = json.loads(out.splitlines()[-1])
    return answer, wall, cpu, peak, most / 2**30


def used(folder: str) -> int:
    """Bytes on the disk."""
    total = 0
    for path in Path(folder).rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # removed meanwhile
            total += 512 * path.stat().st_blocks
    return total


def aucs(powers: list[int]) -> None:
    print("| rows | AUC and 95 % interval | CPU seconds | seconds | CPU ns per row and log2(rows) | peak memory, GB |")
    print("|---|---|---|---|---|---|")
    for power in powers:
        with tempfile.TemporaryDirectory() as folder:
            path, n = Path(folder) / "scores.parquet", 10**power
            subprocess.run([sys.executable, "-c", START + MADE, str(path), str(n)], check=True)
            answer, wall, cpu, peak, _ = measured(AUC, path)
        each = 1e9 * cpu / (n * math.log2(n))
        print(f"| 10^{power} | {answer} | {cpu:.1f} | {wall:.0f} | {each:.1f} | {peak:.2f} |", flush=True)


def assessments(powers: list[int]) -> None:
    print("| cases × 50 features | recommended | CPU seconds | seconds | peak memory, GB | temporary files, GB |")
    print("|---|---|---|---|---|---|")
    for power in powers:
        answer, wall, cpu, peak, files = measured(ASSESS, 10**power)
        print(f"| 10^{power} | {answer} | {cpu:.0f} | {wall:.0f} | {peak:.2f} | {files:.1f} |", flush=True)


def growth(powers: list[int]) -> None:
    print("| call | cases | fits | answer | CPU seconds | GB of memory | GB of files |")
    print("|---|---|---|---|---|---|---|")
    for what in ("assess", "compare"):
        for power in powers:
            answer, _, cpu, peak, files = measured(GROWTH, what, 10**power)
            print(f"| {what} | 10^{power} | {answer} | {cpu:.1f} | {peak:.2f} | {files:.1f} |", flush=True)


def generic() -> None:
    answer, wall, cpu, peak, files = measured(GENERIC)
    print(f"B = 1000, n = 10^5, one by one: {answer}; {cpu:.0f} s of CPU, {wall:.0f} s")
    print(f"peak memory {peak:.2f} GB, temporary files {files:.1f} GB; scores of all replicates are 0.75 GB")


def forest(given: list[int]) -> None:
    power, seconds = given
    answer, wall, cpu, peak, files = measured(FOREST, 10**power, seconds)
    print(answer)
    print(
        f"10^{power} cases, seconds={seconds}: {wall:.0f} s, {cpu:.0f} s of CPU, "
        f"{peak:.2f} GB of memory, {files:.1f} GB of files"
    )


if __name__ == "__main__":
    what, given = sys.argv[1], [int(power) for power in sys.argv[2:]]
    {"auc": aucs, "assess": assessments, "growth": growth, "generic": lambda _: generic(), "forest": forest}[what](
        given
    )
