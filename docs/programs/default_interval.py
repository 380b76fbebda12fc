"""Does the default interval cover? Prints the tables of docs/default-interval.md.

    python docs/programs/default_interval.py --samples 500 --out FOLDER       # run; what is in FOLDER is not run again
    python docs/programs/default_interval.py --out FOLDER --print             # print the tables

For every setting the mean performance of the rule at n cases is measured on many training sets and one large test set;
then the interval is computed for each of many samples. Beside it, from the same fits: the corrected t of the same
cross-validation, and the former default, LOOB and LPOB with their own standard errors. Slow learners get fewer samples.
"""

from __future__ import annotations

import argparse
import math
import warnings
import zlib
from pathlib import Path

import numpy as np
from default_settings import FRESH, SETTINGS, SIGN, Setting
from default_tables import METHODS, path_of, rivals, signs, tables
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import trueness

LEARNERS = {
    "lda": LinearDiscriminantAnalysis(),
    "qda": QuadraticDiscriminantAnalysis(),
    "nb": GaussianNB(),
    "logit": LogisticRegression(),
    "ridge": RidgeClassifier(),
    "knn1": KNeighborsClassifier(1),
    "knn5": KNeighborsClassifier(5),
    "tree": DecisionTreeClassifier(random_state=0),
    "tree5": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    "forest": RandomForestClassifier(30, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=50, max_depth=2, random_state=0),
}
SLOW = {"forest": 0.2, "boosting": 0.2, "tree": 0.4, "tree5": 0.4}  # share of the samples
TEST_CASES, TRAINING_SETS = 6000, 400
GROUP_SHIFT = 0.7


def drawn(
    s: Setting, rng: np.random.Generator, n: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Features, labels and groups of one sample; of n cases for a test set."""
    if "3 classes" in s.name:
        y = np.repeat([0, 1, 2], int(s.sizes[0]) if n is None else n // 3)
    elif s.cohort:
        y = np.zeros(1, dtype=int)
        while np.bincount(y, minlength=2).min() < 4:
            y = (rng.random(int(s.sizes[0]) if n is None else n) < s.sizes[1]).astype(int)
    else:
        share = s.sizes[1] / sum(s.sizes)
        y = np.repeat([0, 1], [int(v) for v in s.sizes] if n is None else [n - int(n * share), int(n * share)])
    X, groups = s.draw(rng, y), None
    if s.groups > 1:
        groups = np.arange(len(y)) // s.groups
        X = X + GROUP_SHIFT * rng.normal(size=(groups.max() + 1, X.shape[1]))[groups]
    return X, y, groups


def learner(name: str, X: np.ndarray) -> tuple[object, np.ndarray]:
    """The learner and the columns it sees: "lda.a" is LDA on the first half."""
    base, _, block = name.partition(".")
    half = X.shape[1] // 2
    return LEARNERS[base], X if not block else X[:, :half] if block == "a" else X[:, half:]


def performance(model, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    error = float(np.mean(model.predict(X) != y))
    if y.max() > 1:
        return error, float(roc_auc_score(y, model.predict_proba(X), multi_class="ovr"))
    if isinstance(model, GaussianNB):
        scores = np.diff(model.predict_joint_log_proba(X))[:, 0]
    else:
        scores = model.decision_function(X) if hasattr(model, "decision_function") else model.predict_proba(X)[:, 1]
    return error, float(roc_auc_score(y, scores))


def truth(s: Setting, rng: np.random.Generator, X_test: np.ndarray, y_test: np.ndarray, sets: int) -> np.ndarray:
    """(sets, 6) performance of rules trained on samples of n cases."""
    rows = []
    for _ in range(sets):
        X, y, _groups = drawn(s, rng)
        row: list[float] = []
        for name in s.learners:
            (model, own), (_, test) = learner(name, X), learner(name, X_test)
            row += performance(clone(model).fit(own, y), test, y_test)
        rows.append([*row, row[0] - row[2], row[1] - row[3]])
    return np.array(rows)


def asked(a: trueness.Fits, b: trueness.Fits) -> list[float]:
    """Value, se, low, high of every question by every method, and whether a note doubts the interval."""
    row: list[float] = []
    for method in METHODS:
        for k, metric in enumerate(("error", "auc", "error", "auc", "error", "auc")):
            name = {"error": "loob", "auc": "lpob"}[metric] if method == "bootstrap" else method
            try:
                e = trueness.difference(a, b, metric, name) if k > 3 else trueness.estimate((a, b)[k > 1], metric, name)
                low, high = e.ci()
                row += [e.value, e.se, low, high, e.noted("training-variance") is not None]
            except trueness.errors.InputError:
                row += [math.nan] * 4 + [0]
    return row


def sampled(s: Setting, seed: np.random.SeedSequence, X_test: np.ndarray, y_test: np.ndarray) -> list[float]:
    """The answers of one sample, and the performance of the very rules trained on it."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    X, y, groups = drawn(s, rng)
    design = trueness.CvBootstrap().draw(y, groups=groups, rng=int(rng.integers(2**31)))
    fits, own = [], []
    for name in s.learners:
        (model, columns), (_, test) = learner(name, X), learner(name, X_test)
        fits.append(trueness.fit(model, columns, y, design, progress=False))
        own += performance(clone(model).fit(columns, y), test, y_test)
    return [*asked(*fits), *own, own[0] - own[2], own[1] - own[3]]


def share_of(s: Setting) -> float:
    """Share of the samples that the slower of the learners gets."""
    return min(SLOW.get(name.partition(".")[0], 1.0) for name in s.learners)


def run(s: Setting, samples: int, out: Path) -> None:
    path = path_of(s, out)
    if path.exists():
        return
    share = share_of(s)
    seed = np.random.SeedSequence(zlib.crc32(s.name.encode()))
    first, *seeds = seed.spawn(1 + max(1, round(samples * share)))
    rng = np.random.default_rng(first)
    X_test, y_test, _ = drawn(s, rng, TEST_CASES)
    many = sum(s.sizes) if not s.cohort else s.sizes[0]
    sets = 100 if many >= 900 else TRAINING_SETS if share == 1 else 200
    warnings.simplefilter("ignore")
    known = truth(s, rng, X_test, y_test, sets)
    rows = Parallel(n_jobs=-1, batch_size=4)(delayed(sampled)(s, one, X_test, y_test) for one in seeds)
    np.savez(path, truth=known, rows=np.array(rows, dtype=float))
    print(f"{s.name}: {len(rows)} samples", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--print", action="store_true", help="print the tables of what is there, run nothing")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if not options.print:
        for s in sorted((*SETTINGS, *SIGN, *FRESH), key=share_of, reverse=True):
            run(s, options.samples, options.out)
    print(tables(SETTINGS, options.out, signs(options.out)))
    print("\n### Fresh settings\n")
    print(tables(FRESH, options.out))
    print("\n### Rivals that could be chosen beforehand\n")
    print(rivals(options.out))


if __name__ == "__main__":
    main()
