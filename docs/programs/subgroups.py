"""What is promised of subgroups, thresholds with a guarantee and weak segments, in samples from known populations.

    python docs/programs/subgroups.py                    prints the tables of docs/appendix: subgroups.md, threshold.md
    python docs/programs/subgroups.py groups 200         one part, with this number of samples

`groups`: coverage of simultaneous intervals of the AUC and the error rate in 8 groups, and how often the test of equality
and the comparisons with the rest reject where all groups are equal. `resampled`: the same from cross-validation.
`guarantee`: how often the threshold keeps its promise. `threshold`: coverage of what a threshold will achieve.
`segments`: how often weak segments are reported where there are none, and found where there is one.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

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


def groups_part(samples: int, rng: Rng) -> None:
    print(
        f"Test sets, {samples} samples: simultaneous coverage, pointwise coverage, rejections by the test of equality"
    )
    for name, (n, share, aucs, sizes, per_patient) in SETTINGS.items():
        for metric in ("auc", "error"):
            held, alone, rejected, marked, few = 0, [], 0, 0, 0
            for _ in range(samples):
                y, scores, by, patients = draw(rng, n, share, aucs, sizes, per_patient)
                s = trueness.subgroups(
                    y, scores, metric, by=by, threshold=THRESHOLD, groups=patients if per_patient > 1 else None
                )
                each = np.linspace(*aucs, GROUPS)
                truth = each if metric == "auc" else stats.norm.sf(np.array([shift(a) for a in each]))
                f = s.frame().set_index(s.frame()["group"].astype(int))
                true = truth[f.index.to_numpy()]
                known = f["value"].notna().to_numpy()
                few += int((~known).sum())
                held += bool(((f.low_simultaneous <= true) & (true <= f.high_simultaneous))[known].all())
                alone += ((f.low <= true) & (true <= f.high))[known].tolist()
                rejected += s.p_value < 0.05
                marked += bool((f.p_adjusted < 0.05).any())
            null = aucs[0] == aucs[1]
            print(
                f"| {name} | {metric} | {held / samples:.3f} | {np.mean(alone):.3f} | "
                f"{rejected / samples:.3f}{'' if null else ' (power)'} | {marked / samples:.3f}"
                f"{'' if null else ' (power)'} | {few / samples:.2f} |",
                flush=True,
            )


def resampled_part(samples: int, rng: Rng) -> None:
    """LDA on two features, n = 400; the truth is the mean over training sets of this size."""
    print(f"Resampled, n = 400, LDA, {samples} samples: simultaneous coverage and rejections")
    mean = np.array([0.6, 0.6])

    def cases(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        y = rng.integers(0, 2, n)
        return rng.normal(size=(n, 2)) + np.outer(2 * y - 1, mean) / np.sqrt(2), y, rng.integers(0, GROUPS, n)

    X_new, y_new, _ = cases(200_000)
    true = []
    for _ in range(60):
        X, y, _ = cases(400)
        rule = LDA().fit(X, y)
        s = rule.decision_function(X_new)
        true.append((trueness.roc(y_new, s).auc.value, np.mean((s > 0) != y_new)))
    plans = {"default plan": None, "Bootstrap(200)": trueness.Bootstrap(200), "KFold(10)": trueness.KFold(10)}
    for name, plan in plans.items():
        for metric, truth in zip(("auc", "error"), np.mean(true, axis=0), strict=True):
            held, alone, rejected = 0, [], 0
            for _ in range(samples):
                X, y, by = cases(400)
                a = trueness.assess(LDA(), X, y, plan=plan, metrics=metric, rng=int(rng.integers(2**31)), checks=False)
                s = a.by(by)
                f = s.frame()
                held += bool(((f.low_simultaneous <= truth) & (truth <= f.high_simultaneous)).all())
                alone += ((f.low <= truth) & (truth <= f.high)).tolist()
                rejected += s.p_value < 0.05
            print(
                f"| {name} | {metric} | {held / samples:.3f} | {np.mean(alone):.3f} | {rejected / samples:.3f} |",
                flush=True,
            )


def guarantee_part(samples: int, rng: Rng) -> None:
    """Scores N(± shift, 1), 4 cases per patient with a third of the variance in common where there are groups. With
    groups, the rate is the mean over patients; all have equally many cases, so it is that of the cases."""
    print(
        f"Guarantee, {samples} samples: how often the promise is broken, the mean rate, how often nothing is promised"
    )
    promises = [("tpf", 0.9, 0.05), ("tpf", 0.8, 0.2), ("fpf", 0.1, 0.05), ("ppv", 0.7, 0.05), ("ppv", 0.7, 0.2)]
    settings = [(100, 0.5, 1), (400, 0.3, 1), (2000, 0.3, 1), (400, 0.5, 4), (2000, 0.5, 4)]
    for n, share, per_patient in settings:
        everyone = draw(rng, 400_000, share, (0.8, 0.8), "equal", per_patient)
        for rate, wanted, delta in promises:
            broken, rates, impossible = 0, [], 0
            for _ in range(samples):
                y, scores, _, patients = draw(rng, n, share, (0.8, 0.8), "equal", per_patient)
                groups = patients if per_patient > 1 else None
                try:
                    t = guarantee(y, scores, confidence=1 - delta, groups=groups, **{rate: wanted}).threshold
                except trueness.errors.UndefinedError:
                    impossible += 1
                    continue
                hit, false = stats.norm.sf(t - shift(0.8)), stats.norm.sf(t + shift(0.8))
                called = share * hit + (1 - share) * false
                ppv = share * hit / called if called > 0 else np.nan
                if rate == "ppv" and per_patient > 1:  # mean over patients with a case that is called positive
                    calls = np.bincount(everyone[3], everyone[1] >= t)
                    right = np.bincount(everyone[3], (everyone[1] >= t) & (everyone[0] == 1))
                    ppv = np.mean(right[calls > 0] / calls[calls > 0]) if calls.any() else np.nan
                achieved = {"tpf": hit, "fpf": false, "ppv": ppv}[rate]
                broken += achieved > wanted if rate == "fpf" else achieved < wanted  # no call: nothing is promised
                impossible += math.isinf(t)
                rates.append(achieved)
            of = ", 4 cases per patient" if per_patient > 1 else ""
            print(
                f"| n = {n}, {share:.0%} positive{of} | {rate} {wanted:g}, "
                f"δ = {delta:g} | {broken / samples:.3f} | {np.nanmean(rates) if rates else np.nan:.3f} | "
                f"{impossible / samples:.2f} |",
                flush=True,
            )


def threshold_part(samples: int, rng: Rng) -> None:
    """LDA on two features. The truth is what the chosen threshold does on average: LDA trained on n cases, with the
    threshold chosen on scores of n other cases by rules trained on 0.9 n cases is within the error of this mean."""
    print(f"Threshold, LDA, n = 200, {samples} samples: coverage of TPF, FPF and cost of a.threshold")
    mean = np.array([0.6, 0.6])

    def cases(n: int) -> tuple[np.ndarray, np.ndarray]:
        y = rng.integers(0, 2, n)
        return rng.normal(size=(n, 2)) + np.outer(2 * y - 1, mean) / np.sqrt(2), y

    X_new, y_new = cases(100_000)
    criteria = {"tpf=.9": {"tpf": 0.9}, "costs 1:3": {"costs": [[0, 1], [3, 0]]}, "Youden": {}}
    plans = {
        "default plan": None,
        "Bootstrap(200)": trueness.Bootstrap(200),
        "KFold(10, 5)": trueness.KFold(10, repeats=5),
    }
    for plan_name, plan in plans.items():
        found = {name: [] for name in criteria}
        for _ in range(samples):
            X, y = cases(200)
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


def segments_part(samples: int, rng: Rng) -> None:
    """Ten columns, of which one marks the weak segment where there is one: 15 % of the cases with three times the error."""
    print(f"Weak segments, {samples} samples: how often any is reported, and the planted column among them")
    for n, weak, kind in ((300, False, "error"), (1000, False, "error"), (1000, False, "loss"), (1000, True, "error")):
        reported, right = 0, 0
        for _ in range(samples):
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
            reported += len(found) > 0
            right += bool(found["segment"].str.contains("x0 >").any())
        said = "planted" if weak else f"noise, {kind}"
        print(f"| n = {n}, {said} | {reported / samples:.3f} | {right / samples:.3f} |", flush=True)


PARTS: dict[str, tuple[Callable[[int, Rng], None], int]] = {
    "groups": (groups_part, 1000),
    "resampled": (resampled_part, 100),
    "guarantee": (guarantee_part, 1000),
    "threshold": (threshold_part, 100),
    "segments": (segments_part, 400),
}


def main(parts: list[str], samples: int | None) -> None:
    warnings.simplefilter("ignore")
    for k, name in enumerate(PARTS):
        if not parts or name in parts:
            part, usual = PARTS[name]
            part(samples or usual, np.random.default_rng([28, k]))


if __name__ == "__main__":
    words = sys.argv[1:]
    numbers = [int(word) for word in words if word.isdigit()]
    main([word for word in words if not word.isdigit()], numbers[0] if numbers else None)
