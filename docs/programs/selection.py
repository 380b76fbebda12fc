"""Numbers of docs/selection.md and its appendix: the best of many, points of learning curves, extrapolation.

python docs/programs/selection.py            five minutes on one core
"""

import warnings

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

import trueness
from trueness.metrics import resolve
from trueness.selection.learning import subsample_mean
from trueness.studies import two_gaussians

KS = (1, 3, 5, 9, 13, 19, 25)


def best_of_many(distance: float, n: int, trials: int = 80) -> None:
    """Tuning k of k-NN: the naive, the corrected and the nested error beside the true one of the chosen rule."""
    population = two_gaussians(10, distance)
    found, covered = [], []
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        X, y = population.draw([n // 2] * 2, rng)
        fresh = population.draw([1000] * 2, rng)
        design = trueness.KFold(5).draw(y, rng=trial)
        fits = {f"{k}": trueness.fit(KNeighborsClassifier(k), X, y, design) for k in KS}
        search = trueness.fit(GridSearchCV(KNeighborsClassifier(), {"n_neighbors": KS}, cv=3), X, y, design)
        b = trueness.selection.best_of(fits, "error", nested=search, n_resamples=300, rng=trial)
        true = 1 - KNeighborsClassifier(int(b.chosen)).fit(X, y).score(*fresh)
        found.append((true, b.naive.value, b.corrected.value, b.nested.value))
        covered.append(b.corrected.ci().covers(true))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(trials)
    numbers = " | ".join(f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error, strict=True))
    print(f"| {distance} | {n} | {numbers} | {np.mean(covered):.2f} |", flush=True)


def learning_curve_points(name: str, model: object, p: int, distance: float, n: int, trials: int = 400) -> None:
    """Standard error over SD, and coverage of 95 % intervals of the mean at a training size."""
    for share in (0.1, 0.2, 0.5):
        found: dict[str, list[trueness.Estimate]] = {"error": [], "auc": []}
        for trial in range(trials):
            X, y = two_gaussians(p, distance).draw([n // 2] * 2, np.random.default_rng(trial))
            fits = trueness.fit(model, X, y, trueness.plans.MonteCarlo(50, test_size=1 - share), rng=trial)
            for metric, estimates in found.items():
                estimates.append(subsample_mean(fits, resolve(metric).bind(fits.sample)))
        cells = []
        for estimates in found.values():
            values, ses = [e.value for e in estimates], [e.se for e in estimates]
            truth = np.mean(values)  # the mean over samples: the estimate is unbiased for its size
            ratio = np.sqrt(np.mean(np.square(ses))) / np.std(values)
            cells += [f"{ratio:.2f}", f"{np.mean([e.ci().covers(truth) for e in estimates]):.3f}"]
        print(f"| {name} | {p} | {distance} | {n} | {round(share * n)} | {' | '.join(cells)} |", flush=True)


def extrapolation(n: int, to: int, trials: int = 60) -> None:
    """How often the range of an extrapolation holds the mean error of rules of that many training cases."""
    population = two_gaussians(10, 1.5)
    test = population.draw([20000] * 2, np.random.default_rng(1))
    rules = [LDA().fit(*population.draw([to // 2] * 2, np.random.default_rng(100 + s))) for s in range(50)]
    truth = np.mean([1 - rule.score(*test) for rule in rules])
    held, off = [], []
    for trial in range(trials):
        X, y = population.draw([n // 2] * 2, np.random.default_rng(trial))
        curve = trueness.learning_curve(LDA(), X, y, extrapolate=[to], splits=50, rng=trial)
        (x,) = curve.extrapolations
        held.append(x.low <= truth <= x.high)
        off.append(x.value - truth)
    print(f"n = {n} to {to}: true {truth:.3f}; extrapolated − true: mean {np.mean(off):+.4f}, SD {np.std(off):.4f};")
    print(f"the range held the truth in {np.mean(held):.0%} of {trials} samples", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore", trueness.errors.TruenessWarning)
    print("| model | features | distance | n | m | error: se/SD | coverage | AUC: se/SD | coverage |")
    print("|---|---|---|---|---|---|---|---|---|")
    learning_curve_points("LDA", LDA(), 5, 1.5, 100)
    learning_curve_points("LDA", LDA(), 20, 1.5, 300)
    learning_curve_points("LDA", LDA(), 5, 0.5, 100)
    learning_curve_points("LDA", LDA(), 5, 0.0, 100)
    learning_curve_points("5-NN", KNeighborsClassifier(5), 5, 1.5, 100)
    print()
    extrapolation(200, 1000)
    print()
    print("| distance | n | true | naive | corrected | nested | coverage of corrected |\n|---|---|---|---|---|---|---|")
    best_of_many(0.0, 60)
    best_of_many(1.5, 60)
