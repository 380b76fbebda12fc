"""How often the intervals of calibration measures and net benefits cover: prints the tables of docs/calibration.md and
docs/decision-curves.md.

Settings, written down before the first run:

    cases      x ~ N(0, 1), logit P(y = 1) = shift + 1.2 x; shift 0 (about half positive) or −1.5 (about a fifth)
    rules      calibrated: p = P(y = 1);  too sure: logit p = 1.6 (shift + 1.2 x) + 0.3;  the other rule of a difference
               is the calibrated rule with noise N(0, 0.8) in its log-odds
    n          200 and 500 test cases; level 0.95; the number of samples is printed (Monte-Carlo error √(.95·.05/samples))
    truth      of intercept, slope, O/E, ICI and net benefit at 0.1, 0.2 and 0.4 over 10⁶ cases; the truth of the ICI of the
               calibrated rule is 0
    useless    p uniform, or expit(N(logit π, 0.5)), independent of y: in how many samples `useful()` is not empty
    left out   logistic regression on 5 features, one of them with effect 1.2, n = 200, CvBootstrap(5, 2, 40): 5 × 2
               folds and 40 replicates; truth: mean over 200 training sets of n cases of the rule's measure on 2·10⁴ cases

    python docs/programs/probabilities_coverage.py [samples of test sets, of useless models, with left-out cases]
"""

import sys
import warnings

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

import trueness
from trueness.formulas.calibration import Judged
from trueness.metrics import resolve
from trueness.probabilities.given import fits_of

THRESHOLDS = (0.1, 0.2, 0.4)
MEASURES = ("calibration_intercept", "calibration_slope", "o_e", "ici")
SHIFTS = {"half positive": 0.0, "a fifth positive": -1.5}
RULES = {"calibrated": (0.0, 1.0), "too sure": (0.3, 1.6)}


def cases(rng, n, shift):
    eta = shift + 1.2 * rng.normal(size=n)
    return rng.random(n) < expit(eta), eta


def probabilities(eta, rule):
    a, b = RULES[rule]
    return expit(a + b * eta)


def truths(shift, rule):
    """Of one rule, and of its difference from the noisy one."""
    rng = np.random.default_rng(99)
    y, eta = cases(rng, 10**6, shift)
    p, noisy = probabilities(eta, rule), expit(eta + 0.8 * rng.normal(size=len(eta)))
    chance = expit(eta)
    out = {name: resolve(name).of(Judged.of(y, p)).value for name in MEASURES[:3]}
    out["ici"] = float(np.abs(p - chance).mean())
    for t in THRESHOLDS:  # with P(y = 1) in place of y
        gain = chance - (1 - chance) * t / (1 - t)
        out[f"benefit {t}"], other = (float(np.mean((q >= t) * gain)) for q in (p, noisy))
        out[f"difference {t}"] = out[f"benefit {t}"] - other
    return out


def on_test_sets(samples):
    rows = []
    for positive, shift in SHIFTS.items():
        for rule in RULES:
            true = truths(shift, rule)
            for n in (200, 500):
                hits = dict.fromkeys(true, 0)
                for k in range(samples):
                    rng = np.random.default_rng((k, n))
                    y, eta = cases(rng, n, shift)
                    p, noisy = probabilities(eta, rule), expit(eta + 0.8 * rng.normal(size=n))
                    one, other = (fits_of(y, q, True, None) for q in (p, noisy))
                    for name in MEASURES:
                        hits[name] += trueness.estimate(one, name, "holdout").ci().covers(true[name])
                    for t in THRESHOLDS:
                        nb = trueness.metrics.NetBenefit(threshold=t)
                        found = trueness.estimate(one, nb, "holdout"), trueness.difference(one, other, nb, "holdout")
                        for word, e in zip(("benefit", "difference"), found, strict=True):
                            hits[f"{word} {t}"] += e.ci().covers(true[f"{word} {t}"])
                rows.append({"cases": positive, "rule": rule, "n": n, **{k: v / samples for k, v in hits.items()}})
                print(pd.DataFrame(rows[-1:]).to_string(index=False), flush=True)


def useless(samples):
    rows = []
    for share in (0.5, 0.2, 0.05):
        for kind in ("uniform", "around the prevalence"):
            for n in (200, 1000):
                false = 0
                for k in range(samples):
                    rng = np.random.default_rng((k, n, int(100 * share)))
                    y = rng.random(n) < share
                    if not 1 < y.sum() < n - 1:
                        continue
                    p = rng.random(n) if kind == "uniform" else expit(rng.normal(logit(share), 0.5, n))
                    false += bool(trueness.decision_curve(y, p, positive=True).useful())
                rows.append(
                    {"prevalence": share, "probabilities": kind, "n": n, "worth using, falsely": false / samples}
                )
                print(pd.DataFrame(rows[-1:]).to_string(index=False), flush=True)


def left_out(samples, n=200):
    model, plan = LogisticRegression(C=np.inf), trueness.CvBootstrap(5, 2, 40)

    def draw(rng, n):
        X = rng.normal(size=(n, 5))
        return X, rng.random(n) < expit(1.2 * X[:, 0] - 0.5)

    rng = np.random.default_rng(5)
    X_new, y_new = draw(rng, 20000)
    found = []
    for _ in range(200):
        p = model.fit(*draw(rng, n)).predict_proba(X_new)[:, 1]
        at = Judged.of(y_new, p)
        chance = expit(1.2 * X_new[:, 0] - 0.5)
        known = [resolve(name).of(at).value for name in MEASURES[:3]]
        found.append([*known, *(np.mean((p >= t) * (chance - (1 - chance) * t / (1 - t))) for t in THRESHOLDS)])
    names = [*MEASURES[:3], *(f"benefit {t}" for t in THRESHOLDS)]
    true, hits = dict(zip(names, np.mean(found, axis=0), strict=True)), dict.fromkeys(names, 0)
    for k in range(samples):
        X, y = draw(np.random.default_rng((k, 7)), n)
        a = trueness.assess(model, X, y, plan=plan, metrics="brier", positive=True, rng=k, checks=False)
        q, v = a.calibration(), a.decision_curve(thresholds=THRESHOLDS).frame()
        for name in MEASURES[:3]:
            hits[name] += q[name].ci().covers(true[name])
        for i, t in enumerate(THRESHOLDS):
            hits[f"benefit {t}"] += v.low[i] <= true[f"benefit {t}"] <= v.high[i]
    print(pd.DataFrame([{"n": n, **{name: count / samples for name, count in hits.items()}}]).to_string(index=False))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    samples, of_useless, of_left_out = (int(v) for v in (sys.argv[1:] or ("1000", "500", "100")))
    print(
        f"samples: {samples} of test sets, {of_useless} of useless models, {of_left_out} with left-out cases",
        flush=True,
    )
    on_test_sets(samples)
    useless(of_useless)
    left_out(of_left_out)
