"""Numbers by name, for MLflow, W&B and other loggers: `mlflow.log_metrics(a.flat())`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from karat.result.estimate import Estimate


def flat(named: Iterable[tuple[str, Estimate]], level: float) -> dict[str, float]:
    """`name`, `name.se`, `name.low` and `name.high` of each estimate; what is undefined is left out."""
    out: dict[str, float] = {}
    for name, e in named:
        row = e.row(level)
        parts = {"": row["value"], ".se": row["se"], ".low": row["low"], ".high": row["high"]}
        known = {part: value for part, value in parts.items() if value is not None and math.isfinite(value)}
        out |= {f"{plain(name)}{part}": float(value) for part, value in known.items()}
    return out


def plain(name: str) -> str:
    """A name of letters, digits, "_", "-", "." and "/", which every logger takes: "632+" is "632plus"."""
    return re.sub(r"[^\w./-]", "_", re.sub(r"\+$", "plus", name), flags=re.ASCII)
