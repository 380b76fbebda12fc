"""CPU time by function: python benchmarks/profiles.py WORD ... profiles each job with the word in its name."""

from __future__ import annotations

import cProfile
import pstats
import sys
import time
import warnings

from jobs import GROUPS
from threadpoolctl import threadpool_limits
from timing import median_seconds

LINES = 8


def profile(name: str, function, repeats: int) -> str:
    """A table of the functions with the largest own CPU time, for one call."""
    plain = median_seconds(function, repeats)
    profiler = cProfile.Profile(time.process_time)
    profiler.enable()
    for _ in range(repeats):
        function()
    profiler.disable()
    stats = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    rows = sorted(
        ((own / repeats, calls / repeats, where) for where, (calls, _, own, _, _) in stats.items()), reverse=True
    )
    lines = [f"{name}: {1e3 * plain:.2f} ms, {1e3 * sum(r[0] for r in rows):.2f} ms under the profiler"]
    for own, calls, (file, line, function_name) in rows[:LINES]:
        lines.append(f"{1e3 * own:9.3f} ms  {calls:6.0f} x  {file.rpartition('/')[2]}:{line} {function_name}")
    return "\n".join(lines)


def main(words: list[str]) -> None:
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        for group in GROUPS:
            for job in group():
                if any(word in job.name for word in words):
                    print(profile(job.name, job.trueness, job.repeats), end="\n\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if sys.argv[1:] else __doc__)
