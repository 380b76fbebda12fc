"""What is promised of subgroups, thresholds with a guarantee and weak segments, in samples from known populations.

    python docs/programs/subgroups.py                    prints the tables of docs/appendix: subgroups.md, threshold.md
    python docs/programs/subgroups.py groups 200 60      one part, up to this number of samples, within about 60 seconds

`groups`: coverage of simultaneous intervals of the AUC and the error rate in 8 groups, and how often the test of equality
and the comparisons with the rest reject where all groups are equal. `resampled`: the same from cross-validation.
`base rates`: the AUC in 3 groups of other shares of positives. `sites`: the mean AUC of sites, and that of a new one.
`guarantee`: how often the threshold keeps its promise. `threshold`: coverage of what a threshold will achieve.
`segments`: how often weak segments are reported where there are none, and found where there is one.

Sums of all parts but `threshold` are in tallies/subgroups.json, and a run goes on with them.
"""

from __future__ import annotations

import math
import sys
import warnings
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from tallies import Tallies

import trueness
from trueness.curves import guarantee
from trueness.selection import weak_segments

GROUPS = 8
Rng = np.random.Generator

# settings, written down before the runs: cases, share of positives, AUC of the groups (lowest, highest), sizes, patients
SETTINGS = {
    "n = 200, half positive, AUC .8": (200, 0.5, (0.8, 0.8), "equal", 1),
    "n = 400, half positive, AUC .8": (400, 0.5, (0.8, 0.8), "equal", 1),
    "n = 400, 30 % positive, AUC .7": (400, 0.3, (0.7, 0.7), "equal", 1),
    "n = 800, 30 % positive, AUC .9, unequal sizes": (800, 0.3, (0.9, 0.9), "unequal", 1),
    "n = 400, half positive, AUC .65 to .9": (400, 0.5, (0.65, 0.9), "equal", 1),
    "n = 1600, 4 cases per patient, AUC .8": (1600, 0.5, (0.8, 0.8), "equal", 4),
    "n = 1600, 4 cases per patient in any group, AUC .8": (1600, 0.5, (0.8, 0.8), "mixed", 4),
}
THRESHOLD = 0.0  # of the error rate; scores of the two classes are N(± shift, 1)


def shift(auc: float) -> float:
    """Half the distance of two normal classes with this AUC."""
    return float(stats.norm.ppf(auc)) / np.sqrt(2)


def draw(rng: Rng, n: int, share: float, aucs: tuple[float, float], sizes: str, per_patient: int):
    """Labels, scores, groups of cases, and patients, who share a third of the variance of their scores."""
    patients = np.arange(n) // per_patient
    weights = np.ones(GROUPS) if sizes != "unequal" else np.arange(1, GROUPS + 1) + 2.0
    of_patient = rng.choice(GROUPS, size=n // per_patient, p=weights / weights.sum())
    by = of_patient[patients] if sizes != "mixed" else rng.integers(0, GROUPS, n)
    y = (rng.random(n) < share).astype(int)
    each = np.array([shift(a) for a in np.linspace(*aucs, GROUPS)])
    noise = rng.normal(size=n)
    if per_patient > 1:
        noise = np.sqrt(1 / 3) * rng.normal(size=n // per_patient)[patients] + np.sqrt(2 / 3) * noise
    return y, (2 * y - 1) * each[by] + noise, by, patients


def judged(s, true: float | np.ndarray) -> dict[str, float]:
    """Of the intervals and tests of one sample; `true` of all groups, or of each."""
    f = s.frame().set_index(s.frame()["group"].astype(int))
    true = np.broadcast_to(true, GROUPS)[f.index.to_numpy()]
    known = f["value"].notna().to_numpy()
    together = ((f.low_simultaneous <= true) & (true <= f.high_simultaneous))[known]
    return {
        "together": bool(together.all()),
        "alone": float(((f.low <= true) & (true <= f.high))[known].mean()),
        "rejected": s.p_value < 0.05,
        "marked": bool((f.p_adjusted < 0.05).any()),
        "few": int((~known).sum()),
    }


def of_test_set(rng: Rng, metric: str, setting: str) -> dict[str, float]:
    n, share, aucs, sizes, per_patient = SETTINGS[setting]
    y, scores, by, patients = draw(rng, n, share, aucs, sizes, per_patient)
    groups = patients if per_patient > 1 else None
    s = trueness.subgroups(y, scores, metric, by=by, threshold=THRESHOLD, groups=groups)
    each = np.linspace(*aucs, GROUPS)
    return judged(s, each if metric == "auc" else stats.norm.sf(np.array([shift(a) for a in each])))


def base_rates(rng: Rng, between: float, aucs: tuple[float, float, float] = (0.77, 0.77, 0.77)) -> dict[str, float]:
    """Three groups of 300 cases of which 10, 30 and 60 % are positive, their scores `between` SDs apart: pairs of two
    groups are far easier than those of one."""
    by = np.repeat(np.arange(3), 300)
    y = (rng.random(900) < np.array([0.1, 0.3, 0.6])[by]).astype(int)
    scores = between * by + (2 * y - 1) * np.array([shift(a) for a in aucs])[by] + rng.normal(size=900)
    return judged(trueness.subgroups(y, scores, "auc", by=by), np.pad(aucs, (0, GROUPS - 3)))


def sites(rng: Rng, k: int, tau: float, n: int = 100) -> dict[str, float]:
    """k sites of n cases, the logit of whose AUC is normal around that of .8 with SD τ; and the AUC of one more site."""
    logits = math.log(0.8 / 0.2) + tau * rng.normal(size=k + 1)
    by, y = np.repeat(np.arange(k), n), np.tile([0, 1], k * n // 2)
    scores = (2 * y - 1) * np.array([shift(1 / (1 + math.exp(-x))) for x in logits])[by] + rng.normal(size=k * n)
    r = trueness.subgroups(y, scores, "auc", by=by).sites()
    found, (low, high) = r.found, r.mean.ci()
    half = stats.t.ppf(0.975, k - 1) * math.sqrt(found.tau2 + found.se**2)
    a, b = found.prediction(0.95)
    return {
        "mean": low <= 0.8 <= high,
        "new": a <= logits[-1] <= b,
        "length": b - a,
        "usual": abs(logits[-1] - found.mean) <= half,
        "usual length": 2 * half,
        "alike": found.tau2 == 0,
    }


def cases(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two features, half of the cases positive."""
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) + np.outer(2 * y - 1, [0.6, 0.6]) / np.sqrt(2), y


@cache
def mean_of_rules(n: int = 400) -> dict[str, float]:
    """AUC and error rate of LDA, the mean over 60 training sets of n cases."""
    rng, true = np.random.default_rng(28), []
    X_new, y_new = cases(rng, 200_000)
    for _ in range(60):
        s = LDA().fit(*cases(rng, n)).decision_function(X_new)
        true.append((trueness.roc(y_new, s).auc.value, np.mean((s > 0) != y_new)))
    return dict(zip(("auc", "error"), np.mean(true, axis=0).tolist(), strict=True))


def resampled(rng: Rng, plan: trueness.plans.Plan | None, metric: str) -> dict[str, float]:
    """LDA on two features, n = 400; the truth is the mean over training sets of this size."""
    (X, y), by = cases(rng, 400), rng.integers(0, GROUPS, 400)
    a = trueness.assess(LDA(), X, y, plan=plan, metrics=metric, rng=int(rng.integers(2**31)), checks=False)
    return judged(a.by(by), mean_of_rules()[metric])


@cache
def everyone(share: float, per_patient: int):
    return draw(np.random.default_rng(29), 400_000, share, (0.8, 0.8), "equal", per_patient)


def promise(rng: Rng, n: int, share: float, per_patient: int, rate: str, wanted: float, delta: float):
    """Scores N(± shift, 1), 4 cases per patient with a third of the variance in common where there are groups. With
    groups, the rate is the mean over patients; all have equally many cases, so it is that of the cases."""
    y, scores, _, patients = draw(rng, n, share, (0.8, 0.8), "equal", per_patient)
    try:
        groups = patients if per_patient > 1 else None
        t = guarantee(y, scores, confidence=1 - delta, groups=groups, **{rate: wanted}).threshold
    except trueness.errors.UndefinedError:
        return {"broken": 0.0, "nothing": 1.0, "rate": np.nan}
    hit, false = stats.norm.sf(t - shift(0.8)), stats.norm.sf(t + shift(0.8))
    called = share * hit + (1 - share) * false
    ppv = share * hit / called if called > 0 else np.nan
    if rate == "ppv" and per_patient > 1:  # mean over patients with a case that is called positive
        y_all, s_all, _, of = everyone(share, per_patient)
        calls, right = np.bincount(of, s_all >= t), np.bincount(of, (s_all >= t) & (y_all == 1))
        ppv = np.mean(right[calls > 0] / calls[calls > 0]) if calls.any() else np.nan
    achieved = float({"tpf": hit, "fpf": false, "ppv": ppv}[rate])
    broken = achieved > wanted if rate == "fpf" else achieved < wanted  # no call: nothing is promised
    return {"broken": broken, "nothing": math.isinf(t), "rate": achieved}


def promise_of_assessment(rng: Rng, plan: trueness.plans.Plan, rate: str, wanted: float, delta: float):
    """LDA on two features, n = 300: held-out scores choose, and the model refitted on all cases has to keep it."""
    X, y = cases(rng, 300)
    a = trueness.assess(LDA(), X, y, plan=plan, metrics="auc", rng=int(rng.integers(2**31)), checks=False)
    try:
        t = a.threshold(confidence=1 - delta, **{rate: wanted}).threshold.value
    except trueness.errors.UndefinedError:
        return {"broken": 0.0, "nothing": 1.0, "rate": np.nan}
    X_new, y_new = cases(rng, 50_000)
    called = LDA().fit(X, y).decision_function(X_new) >= t
    achieved = float(called[y_new == (rate == "tpf")].mean())
    return {"broken": achieved > wanted if rate == "fpf" else achieved < wanted, "nothing": 0.0, "rate": achieved}


def segments(rng: Rng, n: int, kind: str, weak: bool) -> dict[str, float]:
    """Ten columns, of which one marks the weak segment where there is one: 15 % of the cases with three times the error."""
    X = pd.DataFrame(rng.normal(size=(n, 7)), columns=[f"x{k}" for k in range(7)])
    X = X.assign(a=rng.choice(list("uvw"), n), b=rng.choice(["p", "q"], n), c=rng.integers(0, 4, n))
    y = rng.integers(0, 2, n)
    if kind == "error":
        wrong = rng.random(n) < np.where(weak & (X["x0"] > 1.04), 0.45, 0.15)
        fits = trueness.Fits.from_arrays(y, np.zeros((1, n)), None, predictions=np.where(wrong, 1 - y, y)[None])
    else:
        p = 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(size=n)))
        fits = trueness.Fits.from_arrays(y, np.zeros((1, n)), p[None])
    found = weak_segments(fits, X, "error" if kind == "error" else "log_loss", rng=rng).found
    return {"reported": len(found) > 0, "right": bool(found["segment"].str.contains("x0 >").any())}


def threshold_part(samples: int, rng: Rng) -> None:
    """LDA on two features. The truth is what the chosen threshold does on average: LDA trained on n cases, with the
    threshold chosen on scores of n other cases by rules trained on 0.9 n cases is within the error of this mean."""
    print(f"Threshold, LDA, n = 200, {samples} samples: coverage of TPF, FPF and cost of a.threshold")
    X_new, y_new = cases(rng, 100_000)
    criteria = {"tpf=.9": {"tpf": 0.9}, "costs 1:3": {"costs": [[0, 1], [3, 0]]}, "Youden": {}}
    plans = {
        "default plan": None,
        "Bootstrap(200)": trueness.Bootstrap(200),
        "KFold(10, 5)": trueness.KFold(10, repeats=5),
    }
    for plan_name, plan in plans.items():
        found = {name: [] for name in criteria}
        for _ in range(samples):
            X, y = cases(rng, 200)
            a = trueness.assess(LDA(), X, y, plan=plan, rng=int(rng.integers(2**31)), checks=False)
            new = LDA().fit(X, y).decision_function(X_new)
            for name, given in criteria.items():
                h = a.threshold(**given)
                called = new >= h.threshold.value
                weight = given.get("costs", [[0, 1], [1, 0]])[1][0]
                hit, false = called[y_new == 1].mean(), called[y_new == 0].mean()
                true = (hit, false, 0.5 * weight * (1 - hit) + 0.5 * false)
                limits = [e.ci() for e in (h.tpf, h.fpf, h.cost)]
                found[name].append([*true, *(e.value for e in (h.tpf, h.fpf, h.cost)), *np.ravel(limits)])
        for name, rows in found.items():
            table = np.array(rows)
            truth, value, limits = table[:, :3].mean(axis=0), table[:, 3:6], table[:, 6:].reshape(-1, 3, 2)
            covered = ((limits[:, :, 0] <= truth) & (truth <= limits[:, :, 1])).mean(axis=0)
            said = " | ".join(
                f"{t:.3f} | {v:.3f} | {c:.3f}" for t, v, c in zip(truth, value.mean(0), covered, strict=True)
            )
            print(f"| {plan_name} | {name} | {said} |", flush=True)


PLANS = {"default plan": None, "Bootstrap(200)": trueness.Bootstrap(200), "KFold(10)": trueness.KFold(10)}
PROMISES = (("tpf", 0.9, 0.05), ("tpf", 0.8, 0.2), ("fpf", 0.1, 0.05), ("ppv", 0.7, 0.05), ("ppv", 0.7, 0.2))
SAMPLED = ((100, 0.5, 1), (400, 0.3, 1), (2000, 0.3, 1), (400, 0.5, 4), (2000, 0.5, 4))
ASSESSED = {"KFold(10)": trueness.KFold(10), "Bootstrap(100)": trueness.Bootstrap(100)}
SEGMENTS = ((300, "error", False), (1000, "error", False), (1000, "loss", False), (1000, "error", True))
GROUP_COLUMNS = {
    "together": "simultaneous coverage",
    "alone": "coverage of each",
    "rejected": "test of equality",
    "marked": "any group − rest",
    "few": "groups without a number",
}


def patients(per_patient: int) -> str:
    return f", {per_patient} cases per patient" if per_patient > 1 else ""


PARTS = {  # settings by name, columns, number of samples
    "groups": (
        {f"{s}, {m}": partial(of_test_set, setting=s, metric=m) for s, m in product(SETTINGS, ("auc", "error"))},
        GROUP_COLUMNS,
        1000,
    ),
    "base rates": (
        {
            f"3 groups of 300, 10, 30 and 60 % positive, {what} AUC, scores {d:g} SD apart": partial(
                base_rates, between=d, aucs=aucs
            )
            for (what, aucs), d in product({"equal": (0.77,) * 3, "other": (0.85, 0.77, 0.7)}.items(), (0, 1.5))
        },
        GROUP_COLUMNS,
        400,
    ),
    "sites": (
        {
            f"{k} sites, τ = {tau:g}": partial(sites, k=k, tau=tau)
            for k, tau in product((5, 8, 20), (0, 0.15, 0.3, 0.6))
        },
        {
            "mean": "coverage of the mean",
            "new": "of a new site",
            "length": "length",
            "usual": "of a new site, μ ± t √(τ² + se²)",
            "usual length": "its length",
            "alike": "τ² = 0",
        },
        400,
    ),
    "resampled": (
        {
            f"LDA, n = 400, {name}, {m}": partial(resampled, plan=plan, metric=m)
            for (name, plan), m in product(PLANS.items(), ("auc", "error"))
        },
        GROUP_COLUMNS,
        300,
    ),
    "guarantee": (
        {
            f"n = {n}, {share:.0%} positive{patients(k)}: {rate} {x:g}, δ = {delta:g}": partial(
                promise, n=n, share=share, per_patient=k, rate=rate, wanted=x, delta=delta
            )
            for (n, share, k), (rate, x, delta) in product(SAMPLED, PROMISES)
        }
        | {
            f"LDA, n = 300, {name}: {rate} {x:g}, δ = 0.05": partial(
                promise_of_assessment, plan=plan, rate=rate, wanted=x, delta=0.05
            )
            for (name, plan), (rate, x) in product(ASSESSED.items(), (("tpf", 0.9), ("fpf", 0.2)))
        },
        {"broken": "broken", "rate": "mean rate", "nothing": "nothing promised"},
        1000,
    ),
    "segments": (
        {
            f"n = {n}, {kind}, {'planted' if weak else 'noise'}": partial(segments, n=n, kind=kind, weak=weak)
            for n, kind, weak in SEGMENTS
        },
        {"reported": "reported", "right": "planted column found"},
        400,
    ),
}


def main(parts: list[str], samples: int | None, seconds: float) -> None:
    warnings.simplefilter("ignore")
    tallies = Tallies(Path(__file__).parent / "tallies" / "subgroups.json")
    for name, (settings, columns, usual) in PARTS.items():
        if not parts or name in parts:
            tallies.run(settings, usual if samples is None else samples, seconds)
            print(f"{name}\n")
            tallies.table(settings, columns, "cases")
    if not parts or "threshold" in parts:
        threshold_part(100 if samples is None else samples, np.random.default_rng([28, 3]))


if __name__ == "__main__":
    words = sys.argv[1:]
    numbers = [int(word) for word in words if word.isdigit()]
    main(
        [word for word in words if not word.isdigit()],
        numbers[0] if numbers else None,
        numbers[1] if len(numbers) > 1 else math.inf,
    )
