"""Exact coverage of the intervals of a proportion and of the measures of a table.

Sums over all outcomes. Prints the tables of docs/appendix/diagnostic.md:

    python docs/programs/proportion_coverage.py
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

import trueness
from trueness.formulas.proportions import METHODS, coverage
from trueness.tables import MEASURES

SIZES = (10, 30, 100, 1000)
AT = (0.01, 0.05, 0.2, 0.5)


def proportions(n: int, level: float = 0.95) -> list[str]:
    """Coverage of every method for n trials: mean and least over p = .001, .002, …, .999, and at some p."""
    p = np.arange(1, 1000) / 1000
    x = np.arange(n + 1)[:, None]
    ways = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    chance = np.exp(ways + special.xlogy(x, p) + special.xlog1py(n - x, -p))  # (n + 1, 999)
    lines = [
        f"| n = {n} | mean | least | " + " | ".join(f"p = {q:g}" for q in AT) + " | mean length |",
        "|---|" + "---:|" * (3 + len(AT)),
    ]
    for method, limits in METHODS.items():
        found = coverage(method, n, p, level)
        lengths = np.array([high - low for low, high in (limits(k, n, level) for k in range(n + 1))])
        at = [found[round(q * 1000) - 1] for q in AT]
        cells = [found.mean(), found.min(), *at, (lengths @ chance).mean()]
        lines.append(f"| {method} | " + " | ".join(f"{v:.3f}" for v in cells) + " |")
    return lines


def measures(n: int) -> list[str]:
    """Coverage of 95 % intervals of measures of a table: all tables of n cases, 80 populations."""
    every = [(a, b, c, n - a - b - c) for a in range(n + 1) for b in range(n + 1 - a) for c in range(n + 1 - a - b)]
    counts = np.array(every)  # tn fp fn tp
    ways = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(axis=1)
    populations = [
        np.array([(1 - r) * (1 - f), (1 - r) * f, r * (1 - t), r * t])
        for r in (0.1, 0.2, 0.35, 0.5)
        for t in (0.5, 0.7, 0.85, 0.95, 0.99)
        for f in (0.02, 0.1, 0.3, 0.5)
    ]
    lines = [f"| n = {n} | interval | mean | least | Wald: mean | least |", "|---|---|---:|---:|---:|---:|"]
    for name in ("f1", "youden", "mcc", "kappa", "dlr_positive", "dlr_negative", "odds_ratio"):
        limits = np.full((2, len(every), 2), np.nan)
        for k, (tn, fp, fn, tp) in enumerate(every):
            e = trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn)[name]
            if not math.isnan(e.value):
                limits[:, k] = e.ci(0.95), e.ci(0.95, "wald")
                method = e.interval.name
        defined = np.isfinite(limits[0, :, 0])
        found = []
        for p in populations:
            truth = float(MEASURES[name].function(p.reshape(2, 2)))
            chance = np.exp(ways + (counts * np.log(p)).sum(axis=1)) * defined
            inside = (limits[:, :, 0] <= truth) & (truth <= limits[:, :, 1])
            found.append((chance * inside).sum(axis=1) / chance.sum())
        (mean, wald_mean), (least, wald_least) = np.mean(found, axis=0), np.min(found, axis=0)
        lines.append(f"| {name} | {method} | {mean:.3f} | {least:.3f} | {wald_mean:.3f} | {wald_least:.3f} |")
    return lines


def case_control(n1: int, n0: int) -> list[str]:
    """Coverage of 95 % intervals at a given prevalence: all tables of n1 positives and n0 negatives."""
    names = ("accuracy", "f1", "mcc", "kappa", "ppv", "npv")
    lines = ["| ρ | TPF | FPF | " + " | ".join(names) + " |", "|" + "---:|" * (3 + len(names))]
    for rho in (0.1, 0.5):
        limits = np.full((len(names), n1 + 1, n0 + 1, 2), np.nan)
        for tp in range(n1 + 1):
            for fp in range(n0 + 1):
                d = trueness.diagnose(tp=tp, fn=n1 - tp, fp=fp, tn=n0 - fp, design="case-control", prevalence=rho)
                for k, name in enumerate(names):
                    if not math.isnan(d[name].value):
                        limits[k, tp, fp] = d[name].ci(0.95)
        for tpf, fpf in ((0.95, 0.05), (0.8, 0.2), (0.99, 0.02)):
            chance = np.outer(_binomial(n1, tpf), _binomial(n0, fpf))
            joint = np.array([[1 - fpf, fpf], [1 - tpf, tpf]]) * np.array([[1 - rho], [rho]])
            cells = []
            for k, name in enumerate(names):
                truth, defined = float(MEASURES[name].function(joint)), np.isfinite(limits[k, :, :, 0])
                inside = (limits[k, :, :, 0] <= truth) & (truth <= limits[k, :, :, 1])
                cells.append(f"{(chance * inside).sum() / (chance * defined).sum():.3f}")
            lines.append(f"| {rho} | {tpf} | {fpf} | " + " | ".join(cells) + " |")
    return lines


def _binomial(n: int, p: float) -> np.ndarray:
    x = np.arange(n + 1)
    ways = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    return np.exp(ways + x * np.log(p) + (n - x) * np.log1p(-p))


if __name__ == "__main__":
    for size in SIZES:
        print("\n".join(proportions(size)), end="\n\n")
    for size in (20, 40):
        print("\n".join(measures(size)), end="\n\n")
    print("\n".join(case_control(20, 50)))
