"""Size of a report and time to write it, by the number of scores: python docs/programs/report_size.py"""

import time

import numpy as np

import karat

rng = np.random.default_rng(0)
karat.roc([0, 0, 1, 1], [1, 3, 2, 4]).report()  # imports and compiles
print("| scores | size (KB) | time (s) |\n|---|---|---|")
for n in (100, 10_000, 1_000_000):
    y = rng.random(n) < 0.3
    s = rng.normal(size=n) + 1.2 * y
    start = time.perf_counter()
    page = karat.roc(y, s).report()
    print(f"| {n:,} | {len(page.encode()) / 1000:.0f} | {time.perf_counter() - start:.1f} |")
