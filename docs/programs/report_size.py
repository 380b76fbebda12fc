"""Size of a report and processor time to write it, by the number of scores: python docs/programs/report_size.py"""

import time

import numpy as np

import trueness

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    trueness.roc([0, 0, 1, 1], [1, 3, 2, 4]).report()  # imports and compiles
    print("| scores | size (KB) | processor time (s) |\n|---|---|---|")
    for n in (100, 10_000, 1_000_000):
        y = rng.random(n) < 0.3
        s = rng.normal(size=n) + 1.2 * y
        start = time.process_time()
        page = trueness.roc(y, s).report()
        print(f"| {n:,} | {len(page.encode()) / 1000:.0f} | {time.process_time() - start:.1f} |")
