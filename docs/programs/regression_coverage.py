"""Does the default interval of a regression cover? 26 settings, written down before any of them was run.

Each sample is assessed by the default plan. The truth is the mean over the rules trained on the samples, each on fresh
cases: of squared and absolute errors, and from these RMSE and R². Counted are intervals that cover it, how often there is
none because the variance of the losses is apparently infinite, the width relative to the corrected t interval of the same
folds, the paired difference of two learners, and for two exchangeable learners how often they are called different.

    python docs/programs/regression_coverage.py [SHARE] [FIRST] [LAST]    # SHARE of the samples; settings from FIRST to LAST
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import trueness

LEVEL, FRESH = 0.95, 2000
METRICS = ("rmse", "mae", "r2")
MODELS = {
    "ols": LinearRegression(),
    "ridge": Ridge(10.0),
    "k-nn": KNeighborsRegressor(7),
    "tree": DecisionTreeRegressor(max_depth=4),
    "forest": RandomForestRegressor(10, min_samples_leaf=3),
    "boosting": GradientBoostingRegressor(n_estimators=25, max_depth=2),
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


def drawn(s: Setting, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X, y, and the group of each case, whose cases share a part of the features and of the noise."""
    groups = np.arange(n) // s.group
    X = rng.normal(size=(n, s.p))
    if s.group > 1:
        X = np.sqrt(0.5) * (X + rng.normal(size=(groups.max() + 1, s.p))[groups])
    if s.surface == "curved":
        f = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2
    else:
        f = X.sum(axis=1) / np.sqrt(s.p)
    y = f + noise_of(s.noise, X, rng)
    if s.group > 1:
        y = y + 0.7 * rng.normal(size=groups.max() + 1)[groups]
    return X, y, groups


def halves(s: Setting, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each learner sees."""
    return (X[:, : s.p // 2], X[:, s.p // 2 :]) if s.null else (X, X)


def one(s: Setting, seed: np.random.SeedSequence) -> dict[str, object]:
    rng = np.random.default_rng(seed)
    X, y, groups = drawn(s, s.n, rng)
    new_X, new_y, _ = drawn(s, FRESH, rng)
    design = trueness.CvBootstrap().draw(y, rng=1, groups=groups if s.group > 1 else None, kind="regression")
    out: dict[str, object] = {}
    fits = []
    for side, (name, table, new) in enumerate(zip((s.first, s.second), halves(s, X), halves(s, new_X), strict=True)):
        error = clone(MODELS[name]).fit(table, y).predict(new) - new_y
        out[f"mse {side}"], out[f"mae {side}"] = float(np.mean(error**2)), float(np.mean(np.abs(error)))
        fits.append(trueness.fit(MODELS[name], table, y, design))
    out["variance"] = float(new_y.var())
    for metric in METRICS:
        out[metric] = trueness.estimate(fits[0], metric, "cv+training")
        out[f"{metric} t"] = trueness.estimate(fits[0], metric, "cv", se="nadeau-bengio")
        if metric != "r2":
            out[f"{metric} difference"] = trueness.difference(fits[0], fits[1], metric, "cv+training")
    return out


def truths(rows: list[dict[str, object]]) -> dict[str, float]:
    mean = {key: float(np.mean([row[key] for row in rows])) for key in ("mse 0", "mse 1", "mae 0", "mae 1", "variance")}
    out = {"rmse": mean["mse 0"] ** 0.5, "mae": mean["mae 0"], "r2": 1 - mean["mse 0"] / mean["variance"]}
    out["rmse difference"] = mean["mse 0"] ** 0.5 - mean["mse 1"] ** 0.5
    out["mae difference"] = mean["mae 0"] - mean["mae 1"]
    return out


def summary(s: Setting, rows: list[dict[str, object]]) -> dict[str, str]:
    """Coverage of each, among the samples that have an interval."""
    truth, out = truths(rows), {}
    if s.null:
        truth["rmse difference"] = truth["mae difference"] = 0.0
    none = np.mean([row["rmse"].se is None for row in rows])
    noted = np.mean([row["rmse"].noted("heavy-tails") is not None for row in rows])
    for key, at in truth.items():
        known = [row[key].ci(LEVEL) for row in rows if row[key].se is not None]
        out[key] = f"{100 * np.mean([i.low <= at <= i.high for i in known]):.0f}" if known else "–"

    def width(e: trueness.Estimate) -> float:
        return e.ci(LEVEL).high - e.ci(LEVEL).low

    widths = [width(row["mae"]) / width(row["mae t"]) for row in rows if row["mae"].se is not None]
    out["width"], out["none"], out["noted"] = f"{np.mean(widths):.2f}", f"{100 * none:.0f}", f"{100 * noted:.0f}"
    return out


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    first, last = (int(v) for v in sys.argv[2:4]) if len(sys.argv) > 3 else (0, len(SETTINGS))
    warnings.simplefilter("ignore")
    heads = (
        "#",
        "setting",
        "learners",
        "samples",
        *METRICS,
        "no interval",
        "noted",
        "width",
        "rmse A − B",
        "mae A − B",
    )
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * 12, flush=True)
    for k, s in enumerate(SETTINGS):
        if not first <= k < last:
            continue
        begun, samples = time.process_time(), max(3, round(share * s.samples))
        rows = [one(s, np.random.SeedSequence([2030, k, r])) for r in range(samples)]
        c = summary(s, rows)
        learners = f"{s.first}, {s.second}" + (" (equal)" if s.null else "")
        cells = (k, s.name, learners, samples, c["rmse"], c["mae"], c["r2"], c["none"], c["noted"], c["width"])
        cells += (c["rmse difference"], c["mae difference"])
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        print(f"{k}: {time.process_time() - begun:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
