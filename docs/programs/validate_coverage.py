"""What the 95 % intervals of `trueness.probabilities.validate` cover: the mean over rules trained on samples of this size,
and the rule at hand.

Settings, written down before the first run: logit P(y = 1) = 1.2 x₁ − 0.5, p features, x normal; LDA with p = 5 and 15 on
n = 300 cases, Bootstrap(100, stratified=False), 150 samples. Truth of a rule: over 2·10⁴ other cases, with P(y = 1 | x) in
place of y (AUC: y drawn). Mean over rules: over the rules of these samples, which have a Monte-Carlo error of their own. A
sample in which a measure has no interval does not count for it.

    python docs/programs/validate_coverage.py [SAMPLES]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from scipy.special import expit
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_auc_score

import trueness
from trueness.formulas.calibration import Judged
from trueness.metrics import resolve

N = 300
MEASURES = {
    "Slope": "calibration_slope",
    "CITL": "calibration_intercept",
    "O/E": "o_e",
    "Intercept": "recalibration_intercept",
}
SHOWN = ("Dxy", "B", "ICI", *MEASURES)


def draw(rng: np.random.Generator, n: int, p: int):
    X = rng.normal(size=(n, p))
    chance = expit(1.2 * X[:, 0] - 0.5)
    return X, rng.random(n) < chance, chance


def truth_of(p, y, chance):
    out = {name: resolve(metric).at(Judged.of(chance, p)).value for name, metric in MEASURES.items()}
    out["Dxy"] = 2 * roc_auc_score(y, p) - 1
    out["B"] = float(np.mean(chance * (1 - p) ** 2 + (1 - chance) * p**2))
    out["ICI"] = float(Judged.of(chance, p).distances.mean())
    return [out[name] for name in SHOWN]


def main(samples: int = 150) -> None:
    print(f"| features, interval about | {' | '.join(SHOWN)} |\n|---|{'---|' * len(SHOWN)}")
    for p in (5, 15):
        X_new, y_new, chance = draw(np.random.default_rng(1), 20_000, p)
        limits, truths = [], []
        for seed in range(samples):
            X, y, _ = draw(np.random.default_rng([seed, p]), N, p)
            plan = trueness.Bootstrap(100, stratified=False)
            fits = trueness.fit(LinearDiscriminantAnalysis(), X, y, plan, rng=seed, positive=True)
            table = trueness.probabilities.validate(fits).frame().set_index("measure").loc[list(SHOWN)]
            limits.append(table[["low", "high"]].to_numpy())
            rule = LinearDiscriminantAnalysis().fit(X, y)
            truths.append(truth_of(rule.predict_proba(X_new)[:, 1], y_new, chance))
        low, high = np.array(limits).transpose(2, 0, 1)
        own = np.array(truths)
        for about, truth in (("mean over rules", own.mean(axis=0)), ("the rule at hand", own)):
            share = ((low <= truth) & (truth <= high)).sum(axis=0) / np.isfinite(low).sum(axis=0)
            print(f"| {p}, {about} | {' | '.join(f'{v:.3f}' for v in share)} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*(int(word) for word in sys.argv[1:]))
