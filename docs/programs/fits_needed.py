"""How many fits an assessment takes, and how long: the default plan, a bootstrap that stops by itself, and 1000 fits.

    python docs/programs/fits_needed.py [forest [TREES] | sizes | differences | calibration]

"forest": CPU time of a forest (100 trees by default) on the breast-cancer data. "sizes": the number of replicates
after which `Bootstrap()` stops, for several models and numbers of cases. "differences": replicates that the
second-order standard error of a difference needs, LDA against naive Bayes, five correlated normal features.
"calibration": how large that standard error is, beside the first-order one.
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

import trueness

X, Y = load_breast_cancer(return_X_y=True)
PLANS = (trueness.CvBootstrap(), trueness.Bootstrap(), trueness.Bootstrap(1000))
MODELS = {"LDA": LinearDiscriminantAnalysis(), "naive Bayes": GaussianNB(), "5-NN": KNeighborsClassifier()}


def forest(trees: str = "100") -> None:
    """Fits, CPU seconds, share of the time of 1000 fits, and the recommended AUC."""
    rows = []
    for plan in PLANS:
        begun = time.process_time()
        a = trueness.assess(RandomForestClassifier(int(trees)), X, Y, plan=plan, rng=1)
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
                a = trueness.assess(model, X[cases], Y[cases], plan=trueness.Bootstrap(), rng=seed)
                found.append(a.fits.n_fits)
            print(f"| {name} | {n} | {min(found)} | {np.median(found):.0f} | {max(found)} |")


def pair_of_fits(n: int, seed: int, resamples: int) -> tuple[trueness.Fits, trueness.Fits]:
    """LDA and naive Bayes on five correlated normal features."""
    rng = np.random.default_rng([n, seed])
    y = np.repeat([0, 1], [n - n // 2, n // 2])
    features = rng.normal(size=(n, 5)) + 0.8 * rng.normal(size=(n, 1)) + 0.6 * y[:, None]
    design = trueness.Bootstrap(resamples).draw(y, rng=seed)
    return trueness.fit(MODELS["LDA"], features, y, design), trueness.fit(MODELS["naive Bayes"], features, y, design)


def differences() -> None:
    """The fewest replicates without the note `few-replicates` in most of 5 samples; and the number after which the
    Monte-Carlo noise n mc² of V₂ over all pairs of cases is half of V₁, a median."""
    print("| n | error, loob | AUC, lpob | all pairs: error | all pairs: AUC | CPU s of the se, 1000 replicates |")
    print("|---|---|---|---|---|---|")
    for n in (200, 569, 1309):
        fewest, all_pairs, seconds = [], [], []
        for metric, method in (("error", "loob"), ("auc", "lpob")):
            noted = {resamples: 0 for resamples in (100, 200, 500, 1000)}
            whole = []
            for resamples, seed in ((b, s) for b in noted for s in range(5)):
                a, b = pair_of_fits(n, seed, resamples)
                begun = time.process_time()
                d = trueness.difference(a, b, metric, method, undefined="skip")
                first = trueness.difference(a, b, metric, method, se="influence-corrected", undefined="skip")
                noted[resamples] += d.se_method != "second-order" or d.noted("few-replicates") is not None
                if resamples == 1000:
                    seconds.append(time.process_time() - begun)
                    whole.append(2 * resamples * n * d.mc_se**2 / first.se**2)
            fewest.append(next((str(b) for b, times in noted.items() if times <= 2), "> 1000"))
            all_pairs.append(f"{100 * round(np.median(whole) / 100)}")
        print(f"| {n} | {' | '.join(fewest + all_pairs)} | {np.median(seconds):.1f} |", flush=True)


def calibration(n: str = "569", resamples: str = "500", samples: str = "80") -> None:
    """Mean standard error over the SD of the difference over samples, and coverage of its mean by 95 % intervals."""
    print(f"n = {n}, {resamples} replicates, {samples} samples")
    print("| | SD | se/SD: first order | second order | coverage: first order | second order |")
    print("|---|---|---|---|---|---|")
    found = {metric: {kind: [] for kind in ("influence-corrected", "second-order")} for metric in ("error", "auc")}
    for seed in range(int(samples)):
        a, b = pair_of_fits(int(n), seed, int(resamples))
        for metric, kinds in found.items():
            for kind, each in kinds.items():
                each.append(trueness.difference(a, b, metric, "loob" if metric == "error" else "lpob", se=kind))
    for metric, kinds in found.items():
        values = np.array([d.value for d in kinds["second-order"]])
        ratios = [f"{np.mean([d.se for d in each]) / values.std(ddof=1):.2f}" for each in kinds.values()]
        limits = [np.array([tuple(d.ci()) for d in each]) for each in kinds.values()]
        cover = [f"{((ci[:, 0] <= values.mean()) & (values.mean() <= ci[:, 1])).mean():.3f}" for ci in limits]
        print(f"| {metric} | {values.std(ddof=1):.4f} | {' | '.join(ratios + cover)} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    modes = {"forest": forest, "sizes": sizes, "differences": differences, "calibration": calibration}
    modes[sys.argv[1] if len(sys.argv) > 1 else "forest"](*sys.argv[2:])
