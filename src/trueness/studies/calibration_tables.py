"""Tables of the calibration study: mean se over true SD, and coverage, each with its Monte Carlo error."""

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import pandas as pd

from trueness.studies.calibration_trial import INTERVALS, LEVEL, PARTS, PROPORTIONS
from trueness.studies.runner import Cell
from trueness.studies.summary import Number, entry, mean, share
from trueness.typing import Floats

S = TypeVar("S")

ESTIMATOR = ["metric", "method", "se", "plan"]
MIN_ANSWERED = 0.1  # share of trials with an estimate below which a setting has no numbers


def rows_of(cell: Cell[S], frame: pd.DataFrame) -> list[dict[str, object]]:
    """One row per method and standard error of one cell."""
    keys = list(dict.fromkeys(c.rpartition("|")[0] for c in frame.columns if c.count("|") == 4))
    rows = []
    for key in keys:
        row: dict[str, object] = {**cell.labels, **dict(zip(ESTIMATOR, key.split("|"), strict=True))}
        names = [*PARTS, "target"]
        part = frame[[f"{key}|{p}" for p in names]].set_axis(names, axis=1)
        known = part[part["low"].notna()]
        row |= {"trials": len(part), "answered": len(known) / len(part)}
        if len(known) >= max(2, MIN_ANSWERED * len(part)):
            row |= numbers(known, frame[f"true|{row['metric']}"].mean(), row["plan"] == "holdout")
        rows.append(row)
    return rows


def numbers(known: pd.DataFrame, true_mean: float, conditional: bool) -> dict[str, float]:
    """Of the trials with an estimate: ratio = mean se / SD, coverage of the target and of the estimate's own mean.

    The se of a holdout is conditional on the rule: its SD is that of value − target, its own mean is target + bias.
    """
    value, given = known["value"].to_numpy(), known["se"].dropna().to_numpy()
    target = known["target"].fillna(true_mean).to_numpy()
    varying = value - target if conditional else value
    own = target + varying.mean() if conditional else np.full(len(value), value.mean())
    spread = varying.std(ddof=1)
    out = {"mean": value.mean(), "true": float(target.mean()), "sd": spread}
    if len(given) >= 2 and spread > 0 and given.mean() > 0:
        ratio = given.mean() / spread
        relative = mean(given)[1] / given.mean()
        out |= {"ratio": ratio, "ratio_mc": ratio * math.hypot(relative, relative_error_of_sd(varying))}
    for name, at in (("coverage", target), ("own coverage", own)):
        out |= entry(name, share((known["low"] <= at) & (at <= known["high"])))
    for kind in INTERVALS:
        both = known[[f"{kind} low", f"{kind} high"]].to_numpy()
        there = ~np.isnan(both).any(axis=1)
        if there.any():
            inside = (both[:, 0] <= target) & (target <= both[:, 1])
            out |= entry(f"{kind} coverage", share(inside[there]))
    return out


def relative_error_of_sd(x: Floats) -> float:
    """Relative Monte Carlo error of an SD: √((κ − 1)/(4G))."""
    z = (x - x.mean()) / x.std()
    return float(math.sqrt(max((z**4).mean() - 1, 0) / (4 * len(x))))


def proportion_rows(cell: Cell[S], frame: pd.DataFrame) -> list[dict[str, object]]:
    """One row per rate and interval: the ten intervals of a proportion, on the test part of a holdout."""
    rows = []
    for metric in ("error", "fnf"):
        target = frame[f"proportion|{metric}|target"]
        for kind in PROPORTIONS:
            low, high = (frame[f"proportion|{metric}|{kind} {end}"] for end in ("low", "high"))
            there = low.notna()
            row = {**cell.labels, "metric": metric, "interval": kind, "answered": float(there.mean())}
            if there.any():
                row |= entry("coverage", share(((low <= target) & (target <= high))[there]))
                lengths = (high - low)[there].to_numpy()
                row |= entry("length", mean(lengths))
            rows.append(row)
    return rows


def over_settings(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Over the settings of each group: mean, least and largest ratio, mean and least coverage.

    What a plan cannot provide at all (Nadeau and Bengio's se without repeats) is left out. The error of a mean treats
    settings that share their samples (all models of one size) as perfectly correlated, so it is never too small.
    """
    asked = table[table.groupby(list(by))["answered"].transform("max") >= MIN_ANSWERED]
    rows = []
    for key, part in asked.groupby(list(by), sort=False):
        row: dict[str, object] = {**dict(zip(by, key, strict=True)), "settings": int(part["coverage"].notna().sum())}
        row["answered"] = part["answered"].mean()
        if "ratio" in part and part["ratio"].notna().any():
            row |= entry("ratio", joint_mean(part, "ratio"))
            row |= entry("least ratio", extreme(part, "ratio", smallest=True))
            row |= entry("largest ratio", extreme(part, "ratio", smallest=False))
        row |= entry("coverage", joint_mean(part, "coverage"))
        row |= entry("least coverage", extreme(part, "coverage", smallest=True))
        if "own coverage" in part:
            row |= entry("own coverage", joint_mean(part, "own coverage"))
        rows.append(row)
    return pd.DataFrame(rows)


def joint_mean(part: pd.DataFrame, name: str) -> Number:
    """Mean over settings, with errors added up within settings that share their samples."""
    known = part[part[name].notna()]
    shared = known.groupby(["balance", "n"])[f"{name}_mc"].sum()
    return float(known[name].mean()), float(np.sqrt((shared**2).sum()) / max(len(known), 1))


def extreme(part: pd.DataFrame, name: str, smallest: bool) -> Number:
    """The smallest or largest entry, with the error of its setting."""
    if part[name].isna().all():
        return math.nan, math.nan
    at = part[name].idxmin() if smallest else part[name].idxmax()
    return float(part.loc[at, name]), float(part.loc[at, f"{name}_mc"])


def by_interval(table: pd.DataFrame) -> pd.DataFrame:
    """Mean coverage over settings of each interval, where there is a standard error."""
    kinds = [kind for kind in INTERVALS if f"{kind} coverage" in table]
    known = table[table[[f"{kind} coverage" for kind in kinds]].notna().any(axis=1)]
    rows = []
    for key, part in known.groupby([*ESTIMATOR, "balance"], sort=False):
        row: dict[str, object] = dict(zip([*ESTIMATOR, "balance"], key, strict=True))
        row |= entry("default", joint_mean(part, "coverage"))
        for kind in kinds:
            row |= entry(kind, joint_mean(part, f"{kind} coverage"))
        rows.append(row)
    return pd.DataFrame(rows)


def misses(table: pd.DataFrame) -> pd.DataFrame:
    """Settings with a standard error off by more than 20 % and 3 Monte Carlo errors, or coverage below 88 %."""
    ratio_off = (table["ratio"] - 1).abs() > np.maximum(0.2, 3 * table["ratio_mc"])
    coverage_off = table["coverage"] < 0.88
    off = table[ratio_off | coverage_off]
    order = (off["coverage"].fillna(1) - LEVEL).abs().sort_values(ascending=False).index
    return off.loc[order].reset_index(drop=True)
