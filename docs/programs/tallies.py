"""Sums over simulated samples by setting, kept in a file: a run that was stopped, or that should have more samples, goes on
where the last one ended. The settings take turns, so that whenever it is stopped all of them have about as many samples.

Sample k of a setting has its own random numbers, which depend on the name of the setting and on k alone. Where the code that
is simulated changes, delete the entries of the file that it concerns.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

Sampled = Callable[[np.random.Generator], Mapping[str, float]]  # one sample: measures by name, NaN where there is none
TURN = 5.0  # seconds per setting before the next one has its turn


class Tallies:
    """Of each setting and measure the number of samples that have it, and the sum."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.rows: dict[str, dict[str, list[float]]] = json.loads(file.read_text()) if file.exists() else {}

    def samples(self, setting: str) -> int:
        return int(self.rows.get(setting, {}).get("samples", [0, 0])[0])

    def mean(self, setting: str, measure: str) -> float:
        n, total = self.rows.get(setting, {}).get(measure, [0, 0])
        return total / n if n else float("nan")

    def run(self, settings: Mapping[str, Sampled], samples: int, seconds: float = float("inf")) -> None:
        """Up to this number of samples of every setting, within about this time."""
        end = time.monotonic() + seconds
        while (left := [s for s in settings if self.samples(s) < samples]) and time.monotonic() < end:
            for setting in left:
                start = time.monotonic()
                while self.samples(setting) < samples and time.monotonic() - start < TURN:
                    self._add(setting, settings[setting])
                self._save()

    def _add(self, setting: str, sampled: Sampled) -> None:
        k = self.samples(setting)
        found = sampled(np.random.default_rng([zlib.crc32(setting.encode()), k]))
        row = self.rows.setdefault(setting, {})
        for name, value in {"samples": 1.0, **found}.items():
            n, total = row.get(name, [0, 0.0])
            known = not np.isnan(value)
            row[name] = [n + known, round(total + (float(value) if known else 0.0), 9)]

    def _save(self) -> None:
        lines = ",\n".join(f"{json.dumps(s, ensure_ascii=False)}: {json.dumps(row)}" for s, row in self.rows.items())
        self.file.write_text(f"{{\n{lines}\n}}\n")

    def table(self, settings: Mapping[str, object], columns: Mapping[str, str], head: str) -> None:
        """Printed as Markdown: the mean of each measure, columns by their titles; behind it the number of samples, where
        fewer have the measure."""
        print(f"| {head} | samples | {' | '.join(columns.values())} |")
        print("|---" * (len(columns) + 2) + "|")
        for s in settings:
            cells = [self._cell(s, m) for m in columns]
            print(f"| {s} | {self.samples(s)} | {' | '.join(cells)} |")
        print()

    def _cell(self, setting: str, measure: str) -> str:
        n = int(self.rows.get(setting, {}).get(measure, [0, 0])[0])
        fewer = f" ({n})" if 0 < n < self.samples(setting) else ""
        return f"{self.mean(setting, measure):.3f}{fewer}" if n else "–"
