"""How often the intervals of calibration measures and net benefits cover, and how often a useless model is called worth
using: prints the tables of docs/calibration.md and docs/decision-curves.md.

Settings, written down before the first run:

    test sets   x ~ N(0, 1), logit P(y = 1) = shift + 1.2 x; shift 0 (about half positive) or −1.5 (about a fifth).
                Rules: calibrated, p = P(y = 1); too sure, logit p = 1.6 (shift + 1.2 x) + 0.3. The other rule of a difference
                is the calibrated rule with noise N(0, 0.8) in its log-odds. n = 200 and 500, level 0.95. Truth of the ICI:
                E|p − P(y = 1 | p)|, 0 of the calibrated rule; of the others over 10⁶ cases.
    useless     p uniform, or expit(N(logit π, 0.5)), independent of y; π = .5, .2, .05; n = 200, 1000: in how many samples
                `useful()` is not empty. Learned: logistic regression on 5 features that are noise, n = 200, of 5 × 2 folds
                and 40 replicates, and of 10 folds.
    left out    logit P(y = 1) = 1.2 x₁ − 0.5, x normal, x₂, … noise, trained on n cases:
                  logistic regression on 5 features, n = 200, by KFold(10, repeats=5), Bootstrap(100) and the default plan
                  logistic regression on 15 features, n = 400, default plan
                  naive Bayes on 4 features, each pair with correlation 1/2, n = 300, CvBootstrap(10, 2, 60)
                The other model of a difference is logistic regression with C = 0.02 on the same features. Two truths, over
                100 training sets of n cases and 2·10⁴ others: the mean of the measure of each rule, and the measure of the
                probabilities of all rules together, which is what the estimate is defined as.

    python docs/programs/probabilities_coverage.py [SAMPLES [SECONDS]]    # default 1000; goes on with those in tallies/

A number of samples of 0 prints the tables of what there is.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from tallies import Tallies

import trueness
from trueness.formulas.calibration import Judged
from trueness.metrics import resolve

T = (0.1, 0.2, 0.4)
MEASURES = ("calibration_intercept", "calibration_slope", "o_e", "ici", "brier")
SHIFTS = {"half positive": 0.0, "a fifth positive": -1.5}
RULES = {"calibrated": (0.0, 1.0), "too sure": (0.3, 1.6)}
NOISE = 0.8
Rng = np.random.Generator


def measures_of(p, chance):
    """All measures of probabilities but the ICI, with P(y = 1 | x) in place of y."""
    out = {name: resolve(name).at(Judged.of(chance, p)).value for name in MEASURES[:3]}
    out["brier"] = float(np.mean(chance * (1 - p) ** 2 + (1 - chance) * p**2))
    gains = {t: chance - (1 - chance) * t / (1 - t) for t in T}
    return out | {f"benefit {t}": float(np.mean((p >= t) * gain)) for t, gain in gains.items()}


def with_ici(p, chance):
    return measures_of(p, chance) | {"ici": float(Judged.of(chance, p).distances.mean())}


def covered(estimate, truth):
    return float(estimate.ci().covers(truth)) if estimate.has_interval else np.nan


def benefits(curve, truth, name="benefit"):
    f = curve.frame()
    return {f"{name} {t}": float(f.low[i] <= truth[f"benefit {t}"] <= f.high[i]) for i, t in enumerate(T)}


# test sets


def cases(rng: Rng, n: int, shift: float):
    eta = shift + 1.2 * rng.normal(size=n)
    return rng.random(n) < expit(eta), eta


def noisy(rng: Rng, eta):
    return expit(eta + NOISE * rng.normal(size=len(eta)))


def chance_given_noisy(p, shift):
    """P(y = 1 | noisy probability): the log-odds given a noisy observation of them are normal."""
    at, weight = np.polynomial.hermite_e.hermegauss(41)
    share = 1.2**2 / (1.2**2 + NOISE**2)
    centre = shift + share * (logit(p) - shift)
    return expit(centre[:, None] + np.sqrt(share) * NOISE * at) @ (weight / weight.sum())


@cache
def truths(shift: float, rule: str):
    rng = np.random.default_rng(99)
    _, eta = cases(rng, 10**6, shift)
    a, b = RULES[rule]
    p, other = expit(a + b * eta), noisy(rng, eta)
    one, two = (measures_of(q, expit(eta)) for q in (p, other))
    one["ici"] = float(np.abs(p - expit(eta)).mean())
    two["ici"] = float(np.abs(other - chance_given_noisy(other, shift)).mean())
    return one, {name: one[name] - two[name] for name in one}


def on_test_set(rng: Rng, shift: float, rule: str, n: int):
    true, gap = truths(shift, rule)
    y, eta = cases(rng, n, shift)
    a, b = RULES[rule]
    p, other = expit(a + b * eta), noisy(rng, eta)
    q, q_other = (trueness.calibration(y, v, positive=True) for v in (p, other))
    v = trueness.decision_curve(y, {"a": p, "b": other}, positive=True, thresholds=T)
    both, apart = q.versus(q_other).differences, v.difference("a", "b").frame()
    out = {name: covered(q[name], true[name]) for name in MEASURES}
    out |= {f"{name} difference": covered(both[name], gap[name]) for name in MEASURES}
    for i, t in enumerate(T):
        known = not np.isnan(apart.low[i])
        held = float(apart.low[i] <= gap[f"benefit {t}"] <= apart.high[i]) if known else np.nan
        out[f"benefit {t} difference"] = held
    return out | benefits(v, true)


TEST_SETS = {
    f"{positive}, {rule}, n = {n}": partial(on_test_set, shift=shift, rule=rule, n=n)
    for (positive, shift), rule, n in product(SHIFTS.items(), RULES, (200, 500))
}

# useless models


def useless(rng: Rng, share: float, kind: str, n: int):
    y = rng.random(n) < share
    if not 1 < y.sum() < n - 1:
        return {"false": 0.0}
    p = rng.random(n) if kind == "uniform" else expit(rng.normal(logit(share), 0.5, n))
    return {"false": float(bool(trueness.decision_curve(y, p, positive=True).useful()))}


def useless_learned(rng: Rng, plan, n: int = 200):
    X, y = rng.normal(size=(n, 5)), rng.random(n) < 0.4
    fits = trueness.fit(LogisticRegression(C=np.inf), X, y, plan, rng=rng, positive=True)
    return {"false": float(bool(trueness.decision_curve(fits).useful()))}


USELESS = {
    f"prevalence {share}, {kind}, n = {n}": partial(useless, share=share, kind=kind, n=n)
    for share, kind, n in product((0.5, 0.2, 0.05), ("uniform", "around the prevalence"), (200, 1000))
} | {
    "learned, 5 × 2 folds and 40 replicates": partial(useless_learned, plan=trueness.CvBootstrap(5, 2, 40)),
    "learned, 10 folds": partial(useless_learned, plan=trueness.KFold(10)),
}

# left-out cases


def normal(rng: Rng, n: int, p: int, rho: float = 0.0):
    X = np.sqrt(1 - rho) * rng.normal(size=(n, p)) + np.sqrt(rho) * rng.normal(size=(n, 1))
    chance = expit(1.2 * X[:, 0] - 0.5)
    return X, rng.random(n) < chance, chance


@cache
def trained(draw: Callable, model, n: int):
    """By the measure: its mean over rules, and that of all probabilities together."""
    rng = np.random.default_rng(5)
    X, _, chance = draw(rng, 20_000)
    part, each, every = len(X) // 100, [], np.empty(len(X))
    for k in range(100):
        at = slice(k * part, (k + 1) * part)
        p = model.fit(*draw(rng, n)[:2]).predict_proba(X)[:, 1]
        every[at] = p[at]  # every rule on cases of its own
        each.append(with_ici(p, chance))
    pooled = with_ici(every, chance)
    return {name: float(np.mean([row[name] for row in each])) for name in pooled}, pooled


def left_out(rng: Rng, draw: Callable, model, other, plan, n: int):
    X, y, _ = draw(rng, n)
    seed = int(rng.integers(2**31))
    a = trueness.assess(model, X, y, plan=plan, metrics="brier", positive=True, rng=seed, checks=False)
    b = trueness.fit(other, X, y, a.fits.design, scores="predict_proba", positive=True)
    (mean, pooled), (mean_b, pooled_b) = (trained(draw, m, n) for m in (model, other))
    q, q_b = a.calibration(), trueness.calibration(b)
    v = trueness.decision_curve({"a": a.fits, "b": b}, thresholds=T)
    both, apart = q.versus(q_b).differences, v.difference("a", "b").frame()
    out = benefits(v, mean)
    for name in MEASURES:
        out[name], out[f"{name} pooled"] = covered(q[name], mean[name]), covered(q[name], pooled[name])
        out[f"{name} value"], out[f"{name} truth"] = q[name].value, mean[name]
        out[f"{name} truth pooled"] = pooled[name]
        out[f"{name} difference"] = covered(both[name], mean[name] - mean_b[name])
        out[f"{name} difference pooled"] = covered(both[name], pooled[name] - pooled_b[name])
    for i, t in enumerate(T):
        gap = mean[f"benefit {t}"] - mean_b[f"benefit {t}"]
        known = not np.isnan(apart.low[i])
        out[f"benefit {t} difference"] = float(apart.low[i] <= gap <= apart.high[i]) if known else np.nan
    return out


PLAIN, SHRUNKEN = LogisticRegression(C=np.inf), LogisticRegression(C=0.02)
FIVE, FIFTEEN, CORRELATED = partial(normal, p=5), partial(normal, p=15), partial(normal, p=4, rho=0.5)
LOGISTIC = partial(left_out, draw=FIVE, model=PLAIN, other=SHRUNKEN, n=200)
LEFT_OUT = {
    "logistic, 5 features, n = 200, KFold(10, repeats=5)": partial(LOGISTIC, plan=trueness.KFold(10, repeats=5)),
    "logistic, 5 features, n = 200, Bootstrap(100)": partial(LOGISTIC, plan=trueness.Bootstrap(100)),
    "logistic, 5 features, n = 200, default plan": partial(LOGISTIC, plan=None),
    "logistic, 15 features, n = 400, default plan": partial(
        left_out, draw=FIFTEEN, model=PLAIN, other=SHRUNKEN, plan=None, n=400
    ),
    "naive Bayes, 4 features, n = 300, CvBootstrap(10, 2, 60)": partial(
        left_out, draw=CORRELATED, model=GaussianNB(), other=SHRUNKEN, plan=trueness.CvBootstrap(10, 2, 60), n=300
    ),
}

NAMES = {
    "calibration_intercept": "intercept",
    "calibration_slope": "slope",
    "o_e": "O/E",
    "ici": "ICI",
    "brier": "Brier",
}


def columns(suffix: str = "", benefits: bool = True) -> dict[str, str]:
    of = {f"{name}{suffix}": title for name, title in NAMES.items()}
    return of | ({f"benefit {t}{suffix}": f"net benefit at {t}" for t in T} if benefits else {})


def main(samples: int = 1000, seconds: float = float("inf")) -> None:
    tallies = Tallies(Path(__file__).parent / "tallies" / "probabilities.json")
    tallies.run(USELESS | TEST_SETS | LEFT_OUT, samples, seconds)
    print("Test sets: coverage of 95 % intervals\n")
    tallies.table(TEST_SETS, columns(), "cases, rule, n")
    print("Test sets: coverage of paired differences from the noisy rule\n")
    tallies.table(TEST_SETS, columns(" difference"), "cases, rule, n")
    print("Left-out cases: coverage of the mean measure of the rules\n")
    tallies.table(LEFT_OUT, columns(), "model, plan")
    print("Left-out cases: coverage of the measure of all probabilities together\n")
    tallies.table(LEFT_OUT, columns(" pooled", benefits=False), "model, plan")
    print("Left-out cases: coverage of differences from the shrunken model (mean measure of the rules)\n")
    tallies.table(LEFT_OUT, columns(" difference"), "model, plan")
    print("Left-out cases: coverage of differences (all probabilities together)\n")
    tallies.table(LEFT_OUT, columns(" difference pooled", benefits=False), "model, plan")
    print("Left-out cases: mean value, mean measure of the rules, measure of all probabilities together\n")
    known = {f"{name}{of}": f"{NAMES[name]}{of}" for name in NAMES for of in (" value", " truth", " truth pooled")}
    tallies.table(LEFT_OUT, known, "model, plan")
    print("Useless models: how often some range of thresholds is called worth using\n")
    tallies.table(USELESS, {"false": "worth using, falsely"}, "probabilities")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*(int(word) for word in sys.argv[1:]))
