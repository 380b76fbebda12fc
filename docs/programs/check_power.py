"""How often `trueness.check` finds planted leaks, and how often it raises an alarm on clean data of the same kinds.

Prints the tables of docs/appendix/checks.md: `python docs/programs/check_power.py 100`. The settings were written down before
the first run: 200 and 1000 cases, tables of measurements, of counts and categories, with groups, and markers strong and weak.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
import pandas as pd

import trueness

Made = tuple[pd.DataFrame, np.ndarray, dict[str, object]]


def base(rng: np.random.Generator, n: int, positives: float = 0.4) -> tuple[pd.DataFrame, np.ndarray]:
    y = (rng.random(n) < positives).astype(int)
    y[:2] = 0, 1
    X = pd.DataFrame(rng.normal(size=(n, 6)), columns=[f"x{k}" for k in range(6)])
    X["x0"] += 0.8 * y
    X["age"] = np.round(50 + 10 * rng.normal(size=n) + 3 * y)
    X["sex"] = rng.integers(0, 2, n)
    X["site"] = rng.choice(["north", "south", "east", "west"], n)
    return X, y


def patients(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    group = np.arange(n) // 4
    of_patient = (rng.random(n // 4 + 1) < 0.4).astype(int)
    X = pd.DataFrame(rng.normal(size=(n, 6)), columns=[f"x{k}" for k in range(6)])
    X["x0"] += 0.8 * of_patient[group]
    return X, of_patient[group], group


# -- clean data


def plain(rng: np.random.Generator, n: int) -> Made:
    return *base(rng, n), {}


def ranks(rng: np.random.Generator, n: int) -> Made:
    X, y = base(rng, n)
    return X.select_dtypes("number").rank(), y, {}


def strong_marker(rng: np.random.Generator, n: int) -> Made:
    X, y = base(rng, n)
    return X.assign(marker=rng.normal(size=n) + 4.5 * y), y, {}


def zip_code(rng: np.random.Generator, n: int) -> Made:
    X, y = base(rng, n)
    return X.assign(zip=rng.integers(10000, 99999, n).astype(str), region=rng.integers(10000, 10300, n)), y, {}


def constant_in_patient(rng: np.random.Generator, n: int) -> Made:
    X, y, group = patients(rng, n)
    own = rng.integers(20, 90, n)[group]
    return X.assign(age=own, marker=rng.normal(size=n)[group]), y, {"groups": group}


def random_gaps(rng: np.random.Generator, n: int) -> Made:
    X, y = base(rng, n)
    return X.mask(rng.random(X.shape) < 0.1), y, {}


def heavy_tails(rng: np.random.Generator, n: int) -> Made:
    _, y = base(rng, n)
    return pd.DataFrame(rng.standard_t(2, (n, 8)) + 0.5 * y[:, None]), y, {}


def clusters(rng: np.random.Generator, n: int) -> Made:
    _, y = base(rng, n)
    centres = 4 * rng.normal(size=(8, 5))
    return pd.DataFrame(centres[rng.integers(0, 8, n)] + rng.normal(size=(n, 5))), y, {}


def equal_strength(rng: np.random.Generator, n: int) -> Made:
    _, y = base(rng, n)
    return pd.DataFrame(rng.normal(size=(n, 20)) + 0.6 * y[:, None]), y, {}


def alike_columns(rng: np.random.Generator, n: int) -> Made:
    _, y = base(rng, n)
    latent = rng.normal(size=(n, 1)) + 0.7 * y[:, None]
    return pd.DataFrame(latent + 0.7 * rng.normal(size=(n, 15))), y, {}


def counts(rng: np.random.Generator, n: int) -> Made:
    _, y = base(rng, n)
    return pd.DataFrame(rng.poisson(2 + y[:, None], (n, 8))), y, {}


def many_noise(rng: np.random.Generator, n: int) -> Made:
    _, y = base(rng, n)
    return pd.DataFrame(rng.normal(size=(n, 300))), y, {}


def measured_twice(rng: np.random.Generator, n: int) -> Made:
    X, y = base(rng, n)
    steps = rng.binomial(4, np.where(y == 1, 0.6, 0.4))
    return X.assign(before=50 * rng.normal(size=n)).assign(after=lambda t: t["before"] + steps), y, {}


def interacting(rng: np.random.Generator, n: int) -> Made:
    X, y = base(rng, n)
    key = rng.integers(0, 2, n)
    return X.assign(key=key, lock=np.where(rng.random(n) < 0.15, 1 - (key ^ y), key ^ y)), y, {}


# -- with a leak


def jittered(rng: np.random.Generator, n: int) -> Made:
    X, y = base(rng, n)
    rows = np.r_[np.arange(n), : max(4, n // 20)]
    numbers = X.select_dtypes("number").astype(float).iloc[rows].reset_index(drop=True)
    numbers.iloc[n:] += 1e-9 * rng.normal(size=numbers.iloc[n:].shape)
    return numbers, y[rows], {}


def extra_column(rng: np.random.Generator, n: int) -> Made:
    X, y = base(rng, n)
    rows = np.r_[np.arange(n), : max(4, n // 20)]
    return X.iloc[rows].reset_index(drop=True).assign(reading=rng.normal(size=len(rows))), y[rows], {}


def patients_unknown(rng: np.random.Generator, n: int) -> Made:
    X, y, group = patients(rng, n)
    return X.iloc[group * 4 % n].reset_index(drop=True) + 0.05 * rng.normal(size=X.shape), y, {}


def target_encoding(rng: np.random.Generator, n: int) -> Made:
    X, y = base(rng, n)
    doctor = rng.integers(0, n // 10, n)
    return X.assign(doctor=pd.Series(y).groupby(doctor).transform("mean")), y, {}


def smoothed_encoding(rng: np.random.Generator, n: int) -> Made:
    from sklearn.preprocessing import TargetEncoder

    X, y = base(rng, n)
    doctor = rng.integers(0, n // 10, n)[:, None]
    return X.assign(doctor=TargetEncoder().fit(doctor, y).transform(doctor)[:, 0]), y, {}


def class_gaps(rng: np.random.Generator, n: int) -> Made:
    X, y = base(rng, n)
    X.loc[rng.random(n) < np.where(y == 1, 0.45, 0.05), "x3"] = np.nan
    return X, y, {}


def flipped_copy(rng: np.random.Generator, n: int) -> Made:
    X, y = base(rng, n)
    return X.assign(flag=np.where(rng.random(n) < 0.02, 1 - y, y)), y, {}


def selected(rng: np.random.Generator, n: int) -> Made:
    from sklearn.feature_selection import SelectKBest

    _, y = base(rng, n)
    return pd.DataFrame(SelectKBest(k=20).fit_transform(rng.normal(size=(n, 1000)), y)), y, {}


CLEAN: dict[str, Callable[[np.random.Generator, int], Made]] = {
    "measurements, counts, a category": plain,
    "rank-transformed": ranks,
    "an honest marker, d = 4.5": strong_marker,
    "a postal code": zip_code,
    "covariates constant in a patient": constant_in_patient,
    "10 % missing at random": random_gaps,
    "t with 2 df": heavy_tails,
    "eight clusters": clusters,
    "20 columns of equal strength": equal_strength,
    "15 columns that are alike": alike_columns,
    "counts only": counts,
    "300 columns of noise": many_noise,
    "a measurement twice, whole steps apart": measured_twice,
    "two columns that interact, 15 % exceptions": interacting,
}
LEAKS: dict[str, tuple[str, Callable[[np.random.Generator, int], Made]]] = {
    "5 % of the rows again, jitter 1e-9": ("L013", jittered),
    "5 % again, one column measured anew": ("L013", extra_column),
    "4 rows of a patient, 5 % noise, no groups": ("L013", patients_unknown),
    "share of the class per doctor": ("L014", target_encoding),
    "TargetEncoder on all rows": ("L014", smoothed_encoding),
    "45 % and 5 % missing by class": ("L015", class_gaps),
    "copy of the target, 2 % flipped": ("L002", flipped_copy),
    "20 of 1000 columns of noise selected": ("L017", selected),
}


def main(runs: int) -> None:
    for n in (200, 1000):
        print(f"\nn = {n}, {runs} runs\n\n| clean data | with a warning | with a remark | which |\n|---|---|---|---|")
        for name, make in CLEAN.items():
            warned, remarked, which = 0, 0, Counter[str]()
            for seed in range(runs):
                X, y, options = make(np.random.default_rng(seed), n)
                found = list(trueness.check(X, y, **options))
                warned += any(f.severity == "warning" for f in found)
                remarked += any(f.severity == "info" for f in found)
                which.update({f"{f.code} ({f.severity})" for f in found})
            said = ", ".join(f"{code}: {count}" for code, count in which.most_common())
            print(f"| {name} | {warned / runs:.2f} | {remarked / runs:.2f} | {said} |", flush=True)
        print("\n| leak | code | found | found by `assess` | other warnings |\n|---|---|---|---|---|")
        for name, (code, make) in LEAKS.items():
            hits, fast, others = 0, 0, Counter[str]()
            for seed in range(runs):
                X, y, options = make(np.random.default_rng(seed), n)
                found = list(trueness.check(X, y, **options))
                hits += any(f.code == code for f in found)
                fast += any(f.code == code for f in trueness.check(X, y, fast=True, **options))
                others.update({f.code for f in found if f.severity == "warning" and f.code != code})
            said = ", ".join(f"{code}: {count}" for code, count in others.most_common())
            print(f"| {name} | {code} | {hits / runs:.2f} | {fast / runs:.2f} | {said} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
