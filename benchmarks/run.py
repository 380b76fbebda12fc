"""make bench: peers and trueness in one process and one run; a table of ratios, and time against n, p and B.

python benchmarks/run.py [GROUP ...]      groups: the functions of jobs.py

A whole run writes RESULTS.md, results.json and scaling.png beside this file, some groups alone into out/.
"""

from __future__ import annotations

import json
import platform
import sys
import warnings
from pathlib import Path

import numpy as np
import scipy
import sklearn
from jobs import GROUPS
from scaling import plot_scaling
from threadpoolctl import threadpool_limits
from timing import fresh_memory_rate, measure, product_rates

import trueness

HERE = Path(__file__).parent


def main(names: list[str]) -> int:
    warnings.simplefilter("ignore")
    with threadpool_limits(1):  # one thread for all
        return run(names)


def run(names: list[str]) -> int:
    known = [g.__name__ for g in GROUPS]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"Unknown group: {', '.join(unknown)}. Available: {', '.join(known)}", file=sys.stderr)
        return 2
    groups = [g for g in GROUPS if not names or g.__name__ in names]
    rows = []
    for group in groups:
        for job in group():
            row = measure(job)
            rows.append(row)
            print(line(row), flush=True)
    out = HERE / "out" if names else HERE
    out.mkdir(exist_ok=True)
    plot_scaling(out / "scaling.png")
    about = {
        "trueness": trueness.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{f"{name}, GFLOP/s": round(rate) for name, rate in product_rates().items()},
        "fresh memory, GB/s": round(fresh_memory_rate(), 1),
    }
    (out / "results.json").write_text(json.dumps({"about": about, "rows": rows}, indent=2), encoding="utf-8")
    (out / "RESULTS.md").write_text(page(rows, about), encoding="utf-8")
    print(f"Wrote results.json, RESULTS.md and scaling.png to {out}")
    asked = [r for r in rows if r["at_least"] is not None]
    reached = sum(r["ratio"] >= r["at_least"] for r in asked)
    print(f"{reached} of {len(asked)} jobs with a required ratio reach it")
    return 0


def line(row: dict) -> str:
    wanted = "" if row["at_least"] is None else f" (asked: {row['at_least']:g})"
    return f"{row['job']}: {times(row['ratio'])} x {row['peer']}{wanted}"


def times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 2 else f"{ratio:.2f}"


def page(rows: list[dict], about: dict) -> str:
    lines = [
        "# Ratios",
        "",
        "Printed by `make bench`: CPU time of one process on one thread, peers and trueness in one run. Times are medians",
        "of the numbers of runs in the last column (trueness, peer), after a warm-up. A slow peer ran the given share of",
        "the work and is scaled up. The scikit-learn loop clones, fits, and scores all cases once.",
        "",
        ", ".join(f"{k} {v}" for k, v in about.items()),
        "",
        "| job | peer | trueness, s | peer, s | ratio | asked for | peer ran | runs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        wanted = "" if r["at_least"] is None else f"{r['at_least']:g}"
        lines.append(
            f"| {r['job']} | {r['peer']} | {r['trueness_s']:.3g} | {r['peer_s']:.3g} | **{times(r['ratio'])}** "
            f"| {wanted} | {r['scaled']} | {r['runs']} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
