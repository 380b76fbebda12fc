"""How many fits an assessment takes, and how long: the default plan, a bootstrap that stops by itself, and 1000 fits.

    python docs/programs/fits_needed.py [forest [TREES] | sizes | differences]

"forest": CPU time of a forest (100 trees by default) on the breast-cancer data. "sizes": the number of replicates
after which `Bootstrap()` stops, for several models and numbers of cases. "differences": replicates that the
second-order standard error of a difference needs, LDA against naive Bayes, five correlated normal features.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import karat

X, Y = load_breast_cancer(return_X_y=True)
PLANS = (karat.CvBootstrap(), karat.Bootstrap(), karat.Bootstrap(1000))
MODELS = {"LDA": LinearDiscriminantAnalysis(), "naive Bayes": GaussianNB(), "5-NN": KNeighborsClassifier()}


def forest(trees: str = "100") -> None:
    """Fits, CPU seconds, share of the time of 1000 fits, and the recommended AUC."""
    rows = []
    for plan in PLANS:
        begun = time.process_time()
        a = karat.assess(RandomForestClassifier(int(trees)), X, Y, plan=plan, rng=1)
        rows.append((str(plan), a.fits.n_fits, time.process_time() - begun, a["auc"], a["error"]))
    longest = rows[-1][2]
    print("| plan | fits | CPU s | share | AUC | error |")
    print("|---|---|---|---|---|---|")
    for plan, fits, seconds, auc, error in rows:
        print(f"| `{plan}` | {fits} | {seconds:.0f} | {seconds / longest:.0%} | {auc} | {error} |")


def sizes() -> None:
    """Smallest, median and largest number of replicates over 10 seeds; error and AUC are asked for."""
    print("| model | n | replicates: least | median | most |")
    print("|---|---|---|---|---|")
    for name, model in MODELS.items():
        for n in (100, 200, len(Y)):
            found = []
            for seed in range(10):
                cases = np.random.default_rng(seed).permutation(len(Y))[:n]
                a = karat.assess(model, X[cases], Y[cases], plan=karat.Bootstrap(), rng=seed)
                found.append(a.fits.n_fits)
            print(f"| {name} | {n} | {min(found)} | {np.median(found):.0f} | {max(found)} |")


def differences() -> None:
    """Replicates for which the Monte-Carlo noise of V₂ is small (note `few-replicates`): median of 5 samples each."""
    print("| n | error, loob | AUC, lpob | CPU s of a second-order error at 1000 replicates |")
    print("|---|---|---|---|")
    for n in (200, 569, 1309):
        needed: dict[str, list[int]] = {"loob": [], "lpob": []}
        seconds = []
        for seed in range(5):
            rng = np.random.default_rng([n, seed])
            y = np.repeat([0, 1], [n - n // 2, n // 2])
            features = rng.normal(size=(n, 5)) + 0.8 * rng.normal(size=(n, 1)) + 0.6 * y[:, None]
            design = karat.Bootstrap(1000).draw(y, rng=seed)
            a, b = (karat.fit(MODELS[name], features, y, design) for name in ("LDA", "naive Bayes"))
            for metric, method in (("error", "loob"), ("auc", "lpob")):
                begun = time.process_time()
                d = karat.difference(a, b, metric, method, se="second-order")
                seconds.append(time.process_time() - begun)
                note = d.noted("few-replicates")
                needed[method].append(1000 if note is None else note.data["needed"])
        cells = [("≤ 1000" if (m := int(np.median(v))) <= 1000 else str(m)) for v in needed.values()]
        print(f"| {n} | {cells[0]} | {cells[1]} | {np.median(seconds):.1f} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"forest": forest, "sizes": sizes, "differences": differences}[sys.argv[1] if len(sys.argv) > 1 else "forest"](
        *sys.argv[2:]
    )
