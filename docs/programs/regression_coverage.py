"""Does the default interval of a regression cover? 26 settings, written down before any of them was run.

Each sample is assessed by cross-validation and bootstrap with 200 fits. The truth is that of the mean over the rules
trained on the samples: of squared errors (variance of the noise, which is known, plus the squared distance of the rule
from the surface on fresh cases) and of absolute errors on fresh cases, and from these RMSE and R². Counted are intervals
that cover it, how often there is none because the variance of the losses is apparently infinite, the width relative to the
corrected t interval of the same folds, the paired difference of two learners, and for two exchangeable learners how often
they are called different.

    python docs/programs/regression_coverage.py --rounds 20     # 20 rounds; every setting grows by its share in each
    python docs/programs/regression_coverage.py --print         # the table of docs/regression.md

Samples are numbered; what is in docs/programs/results/regression_coverage.npz is not run again.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import trueness

LEVEL, FRESH = 0.95, 2000
RESULTS = Path(__file__).parent / "results" / "regression_coverage.npz"
METRICS = ("rmse", "mae", "r2")
MODELS = {
    "ols": LinearRegression(),
    "ridge": Ridge(10.0),
    "k-nn": KNeighborsRegressor(7),
    "tree": DecisionTreeRegressor(max_depth=4, random_state=0),
    "forest": RandomForestRegressor(10, min_samples_leaf=3, random_state=0),
    "boosting": GradientBoostingRegressor(n_estimators=25, max_depth=2, random_state=0),
}


@dataclass(frozen=True)
class Setting:
    """A population, a size and two learners; `null` learners see two halves of exchangeable features."""

    n: int
    p: int
    first: str
    second: str
    noise: str = "normal"
    surface: str = "linear"
    samples: int = 100
    group: int = 1  # cases per group
    null: bool = False

    @property
    def name(self) -> str:
        parts = [f"n={self.n} p={self.p}", self.noise, self.surface]
        parts += [f"groups of {self.group}"] if self.group > 1 else []
        return ", ".join(parts)


SETTINGS = (
    Setting(60, 3, "ols", "ridge"),
    Setting(60, 15, "ols", "ridge"),
    Setting(60, 30, "ols", "ridge"),  # p/n = .5
    Setting(60, 3, "ols", "k-nn", "skewed"),
    Setting(60, 3, "ols", "k-nn", "t3"),
    Setting(60, 5, "ridge", "tree", "heteroscedastic", samples=40),
    Setting(100, 10, "ols", "ridge"),
    Setting(100, 10, "ols", "ridge", "skewed"),
    Setting(100, 10, "ols", "ridge", "t3"),
    Setting(100, 50, "ols", "ridge"),  # p/n = .5
    Setting(100, 4, "k-nn", "ols", "normal", "curved"),
    Setting(100, 4, "k-nn", "ols", "heteroscedastic", "curved"),
    Setting(100, 4, "tree", "ols", "normal", "curved", samples=40),
    Setting(100, 4, "forest", "k-nn", "normal", "curved", samples=20),
    Setting(100, 4, "boosting", "k-nn", "normal", "curved", samples=20),
    Setting(200, 10, "ols", "k-nn", "heteroscedastic"),
    Setting(200, 10, "ridge", "k-nn", "t3"),
    Setting(200, 6, "ols", "ridge", group=5),
    Setting(200, 6, "k-nn", "ridge", "normal", "curved", group=10),
    Setting(500, 20, "ols", "ridge", "skewed"),
    Setting(500, 20, "ols", "ridge", "t3", samples=60),
    Setting(1000, 20, "ols", "ridge", samples=40),
    Setting(2000, 10, "ols", "ridge", "heteroscedastic", samples=30),
    Setting(60, 6, "ols", "ols", null=True),
    Setting(100, 6, "ols", "ols", "skewed", null=True),
    Setting(200, 8, "k-nn", "k-nn", null=True),
)


def noise_of(kind: str, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Of standard deviation about 1 (√3 for t3)."""
    n = len(X)
    if kind == "skewed":
        return rng.exponential(size=n) - 1
    if kind == "t3":
        return rng.standard_t(3, size=n)
    if kind == "heteroscedastic":
        return rng.normal(size=n) * np.exp(0.5 * X[:, 0]) / np.exp(0.25)
    return rng.normal(size=n)


def variance_of(s: Setting, X: np.ndarray) -> np.ndarray:
    """Of the target of each case: that of the noise, and of the shift of its group."""
    shift = 0.49 if s.group > 1 else 0.0
    if s.noise == "heteroscedastic":
        return shift + np.exp(X[:, 0] - 0.5)
    return np.full(len(X), shift + (3.0 if s.noise == "t3" else 1.0))


def surface_of(s: Setting, X: np.ndarray) -> np.ndarray:
    """The mean of the target of each case."""
    if s.surface == "curved":
        return np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2
    return X.sum(axis=1) / np.sqrt(s.p)


def drawn(s: Setting, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X, y, and the group of each case, whose cases share a part of the features and of the noise."""
    groups = np.arange(n) // s.group
    X = rng.normal(size=(n, s.p))
    if s.group > 1:
        X = np.sqrt(0.5) * (X + rng.normal(size=(groups.max() + 1, s.p))[groups])
    y = surface_of(s, X) + noise_of(s.noise, X, rng)
    if s.group > 1:
        y = y + 0.7 * rng.normal(size=groups.max() + 1)[groups]
    return X, y, groups


def halves(s: Setting, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each learner sees."""
    return (X[:, : s.p // 2], X[:, s.p // 2 :]) if s.null else (X, X)


def one(s: Setting, seed: np.random.SeedSequence) -> dict[str, float]:
    """The numbers of one sample."""
    rng = np.random.default_rng(seed)
    X, y, groups = drawn(s, s.n, rng)
    new_X, new_y, _ = drawn(s, FRESH, rng)
    design = trueness.CvBootstrap().draw(y, rng=1, groups=groups if s.group > 1 else None, kind="regression")
    out: dict[str, float] = {"variance": float(surface_of(s, new_X).var() + variance_of(s, new_X).mean())}
    fits = []
    for side, (name, table, new) in enumerate(zip((s.first, s.second), halves(s, X), halves(s, new_X), strict=True)):
        predicted = clone(MODELS[name]).fit(table, y).predict(new)
        away = (predicted - surface_of(s, new_X)) ** 2
        out[f"mse {side}"] = float((away + variance_of(s, new_X)).mean())
        out[f"mae {side}"] = float(np.abs(predicted - new_y).mean())
        fits.append(trueness.fit(MODELS[name], table, y, design))
    for metric in METRICS:
        e = trueness.estimate(fits[0], metric, "cv+training")
        out |= limits(metric, e) | limits(
            f"{metric} t", trueness.estimate(fits[0], metric, "cv", se="nadeau-bengio"), "t"
        )
        out[f"{metric} noted"] = float(sum(e.noted(code) is not None for code in ("heavy-tails", "no-se-heavy-tails")))
        if metric != "r2":
            out |= limits(f"{metric} difference", trueness.difference(fits[0], fits[1], metric, "cv+training"))
    return out


def limits(name: str, e: trueness.Estimate, method: str | None = None) -> dict[str, float]:
    """The limits of the interval; NaN where there is none."""
    low, high = e.ci(LEVEL, method) if e.se is not None else (math.nan, math.nan)
    return {f"{name} low": low, f"{name} high": high}


class Found:
    """What was found in a setting: one row per sample, by names of numbers."""

    def __init__(self, rows: dict[str, np.ndarray]) -> None:
        self.rows, self.n = rows, len(next(iter(rows.values()))) if rows else 0

    def truth(self, null: bool) -> dict[str, float]:
        mean = {key: float(self.rows[key].mean()) for key in ("mse 0", "mse 1", "mae 0", "mae 1", "variance")}
        out = {"rmse": mean["mse 0"] ** 0.5, "mae": mean["mae 0"], "r2": 1 - mean["mse 0"] / mean["variance"]}
        out["rmse difference"] = 0.0 if null else mean["mse 0"] ** 0.5 - mean["mse 1"] ** 0.5
        out["mae difference"] = 0.0 if null else mean["mae 0"] - mean["mae 1"]
        return out

    def covers(self, key: str, at: float) -> str:
        low, high = self.rows[f"{key} low"], self.rows[f"{key} high"]
        known = ~np.isnan(low)
        return f"{100 * np.mean((low <= at) & (at <= high), where=known):.0f}" if known.any() else "–"

    def width(self, key: str) -> str:
        ours, theirs = (self.rows[f"{name} high"] - self.rows[f"{name} low"] for name in (key, f"{key} t"))
        return f"{np.nanmedian(ours / theirs):.2f}"

    def trusted(self, at: float) -> str:
        """Share of the samples whose interval of RMSE covers, or that have a note instead."""
        low, high = self.rows["rmse low"], self.rows["rmse high"]
        return f"{100 * np.mean(((low <= at) & (at <= high)) | (self.rows['rmse noted'] > 0)):.0f}"


HEADS = (
    "#|setting|learners|samples|rmse|mae|r2|no interval|noted|rmse covers or noted|"
    "width rmse|width mae|rmse A − B|mae A − B"
)


def table(found: dict[int, Found]) -> None:
    heads = HEADS.split("|")
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for k, f in sorted(found.items()):
        s, at = SETTINGS[k], f.truth(SETTINGS[k].null)
        none = np.isnan(f.rows["rmse low"])
        noted = (f.rows["rmse noted"] > 0) & ~none
        learners = f"{s.first}, {s.second}" + (" (equal)" if s.null else "")
        cells = [k, s.name, learners, f.n, *(f.covers(m, at[m]) for m in METRICS)]
        cells += [f"{100 * none.mean():.0f}", f"{100 * noted.mean():.0f}", f.trusted(at["rmse"])]
        cells += [f.width("rmse"), f.width("mae")]
        cells += [f.covers(f"{m} difference", at[f"{m} difference"]) for m in ("rmse", "mae")]
        print("| " + " | ".join(map(str, cells)) + " |")


def read(path: Path) -> dict[int, Found]:
    """What was found before, by the number of the setting."""
    if not path.exists():
        return {}
    with np.load(path) as stored:
        names = [str(name) for name in stored["names"]]
        return {
            int(key): Found(dict(zip(names, np.atleast_2d(stored[key]).T.astype(float), strict=True)))
            for key in stored.files
            if key != "names"
        }


def write(path: Path, found: dict[int, Found]) -> None:
    names = list(next(iter(found.values())).rows)
    each = {str(k): np.stack([f.rows[name] for name in names], axis=1).astype(np.float32) for k, f in found.items()}
    new = path.with_suffix(".new.npz")
    np.savez_compressed(new, names=np.array(names), **each)
    new.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found = read(asked.out)
    asked.out.parent.mkdir(exist_ok=True)
    for number in range(asked.rounds):
        begun = time.process_time()
        for k, s in enumerate(SETTINGS):
            done = found[k].n if k in found else 0
            new = [one(s, np.random.SeedSequence([2030, k, done + r])) for r in range(max(1, s.samples // 20))]
            rows = {name: np.array([row[name] for row in new]) for name in new[0]}
            found[k] = Found({name: np.append(found[k].rows[name], v) if done else v for name, v in rows.items()})
            write(asked.out, found)
        print(f"round {number}: {time.process_time() - begun:.0f} s", file=sys.stderr, flush=True)
    if asked.print:
        table(found)


if __name__ == "__main__":
    main()
