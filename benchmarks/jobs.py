"""The jobs: whole public calls of trueness, including the draw of the design, and what users run today."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import scipy.stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from timing import Job

import trueness
from trueness.comparisons import delong
from trueness.kernels.auc import weighted_auc_rows

B = 1000
MODELS = {
    "LDA": (LinearDiscriminantAnalysis(), {200: 300, 1000: 80}),
    "QDA": (QuadraticDiscriminantAnalysis(), {200: 300, 1000: 45}),
    "naive Bayes": (GaussianNB(), {200: 300, 1000: 90}),
    "5-NN": (KNeighborsClassifier(), {1000: 250}),
    "logistic regression": (LogisticRegression(), {200: 80, 1000: 20, 10_000: 8}),
    "ridge classifier": (RidgeClassifier(), {}),
}
SIZES = ((200, 5), (1000, 20), (10_000, 50))


def two_classes(n: int, p: int, shift: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[y == 1] += shift
    return X, y


def one_refit(model: object, X: np.ndarray, y: np.ndarray, rows: np.ndarray) -> None:
    """A careful loop: clone, fit on the rows, score all cases; decisions follow from the scores."""
    rule = clone(model).fit(X[rows], y[rows])
    if hasattr(rule, "decision_function"):
        _ = rule.decision_function(X) > 0
    else:
        rule.predict_proba(X).argmax(axis=1)


def bootstrap_fits() -> Iterator[Job]:
    for n, p in SIZES:
        X, y = two_classes(n, p)
        for name, (model, wanted) in MODELS.items():
            rows = np.random.default_rng(1).integers(0, n, size=(20, n))
            yield Job(
                f"B = 1000 bootstrap fits, n={n:,} p={p}: {name}",
                "scikit-learn loop",
                lambda m=model, X=X, y=y: trueness.fit(m, X, y, trueness.Bootstrap(B), rng=0),
                lambda m=model, X=X, y=y, rows=rows: [one_refit(m, X, y, r) for r in rows],
                wanted.get(n),
                done=len(rows),
                whole=B,
                repeats=9 if n < 10_000 else 3,
                peer_repeats=1 if n == 10_000 and name == "5-NN" else 3,
            )


def fits_of_numbers() -> Iterator[Job]:
    """Regressors on the training sets of one design, which the loop has, too."""
    n, p = 1000, 20
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = X @ rng.normal(size=p) + rng.normal(size=n)
    design = trueness.Bootstrap(B).draw(y, rng=0, kind="regression")
    rows = [np.repeat(np.arange(n), row) for row in design.counts[:20]]
    models = {
        "OLS": LinearRegression(),
        "ridge": Ridge(),
        "5-NN of numbers": KNeighborsRegressor(),
    }
    for name, model in models.items():
        yield Job(
            f"B = 1000 bootstrap fits, n=1,000 p=20: {name}",
            "scikit-learn loop",
            lambda m=model: trueness.fit(m, X, y, design),
            lambda m=model: [clone(m).fit(X[r], y[r]).predict(X) for r in rows],
            50,
            done=len(rows),
            whole=B,
            repeats=9,
        )


def real_table() -> Iterator[Job]:
    """Correlated features on different scales; QDA cannot be fitted on all of them."""
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.random.default_rng(1).integers(0, len(y), size=(20, len(y)))
    models = {name: MODELS[name][0] for name in ("LDA", "naive Bayes", "5-NN")}
    models["logistic regression behind a scaler"] = make_pipeline(StandardScaler(), LogisticRegression())
    for name, model in models.items():
        yield Job(
            f"B = 1000 bootstrap fits, breast cancer, n=569 p=30: {name}",
            "scikit-learn loop",
            lambda m=model: trueness.fit(m, X, y, trueness.Bootstrap(B), rng=0),
            lambda m=model: [one_refit(m, X, y, r) for r in rows],
            done=len(rows),
            whole=B,
        )


def leave_one_out() -> Iterator[Job]:
    n, p = 10_000, 50
    X, y = two_classes(n, p)

    def ours(model: object) -> None:
        fits = trueness.fit(model, X, y, trueness.plans.LeaveOneOut())
        trueness.estimate(fits, "error", "cv_pooled")
        trueness.estimate(fits, "auc", "cv_pooled")

    for name in ("LDA", "QDA"):
        model = MODELS[name][0]
        yield Job(
            f"leave-one-out, n=10,000 p=50, error and AUC: {name}",
            "scikit-learn loop",
            lambda m=model: ours(m),
            lambda m=model: [one_left_out(m, X, y, i) for i in range(20)],
            1000,
            done=20,
            whole=n,
        )


def one_left_out(model: object, X: np.ndarray, y: np.ndarray, i: int) -> None:
    rest = np.arange(len(y)) != i
    rule = clone(model).fit(X[rest], y[rest])
    _ = rule.decision_function(X[[i]]) > 0


def point632plus() -> Iterator[Job]:
    from mlxtend.evaluate import bootstrap_point632_score

    X, y = two_classes(200, 5)
    model = LinearDiscriminantAnalysis()

    for replicates in (200, B):  # mlxtend's default, and that of the other jobs
        yield Job(
            f".632+ with LDA, n=200, {replicates} replicates",
            "mlxtend bootstrap_point632_score",
            lambda b=replicates: trueness.estimate(
                trueness.fit(model, X, y, trueness.Bootstrap(b), rng=0), "error", "632+"
            ),
            lambda: bootstrap_point632_score(model, X, y, n_splits=20, method=".632+", random_seed=1),
            done=20,
            whole=replicates,
            repeats=9,
        )


def auc_of_rows() -> Iterator[Job]:
    rng = np.random.default_rng(2)
    for n, wanted in ((1000, 150), (10_000, None), (100_000, 25)):
        y = np.arange(n) % 2
        scores = rng.normal(size=(1000, n)) + 0.5 * y
        some = scores[: 1000 if n == 1000 else 20]
        yield Job(
            f"AUC of 1000 rows, n={n:,} (the kernel)",
            "scikit-learn roc_auc_score loop",
            lambda s=scores, y=y: weighted_auc_rows(s, y == 1, np.ones_like(s)),
            lambda s=some, y=y: [roc_auc_score(y, row) for row in s],
            wanted,
            done=len(some),
            whole=len(scores),
        )


def delong_jobs() -> Iterator[Job]:
    from confidenceinterval import roc_auc_score as with_interval
    from MLstatkit import Delong_test

    rng = np.random.default_rng(3)
    n = 100_000
    y = np.arange(n) % 2
    a, b = (rng.normal(size=n) + 0.5 * y for _ in range(2))
    yield Job(
        "DeLong, one curve, n=100,000",
        "confidenceinterval",
        lambda: trueness.roc(y, a).auc,
        lambda: with_interval(y, a),
    )
    yield Job("DeLong, two curves, n=100,000", "MLstatkit", lambda: delong(y, a, b), lambda: Delong_test(y, a, b))


def large_curves() -> Iterator[Job]:
    rng = np.random.default_rng(4)
    n = 10_000_000
    y = np.arange(n) % 2
    s = rng.normal(size=n) + 0.5 * y
    yield Job(
        "AUC at n=10⁷",
        "scikit-learn roc_auc_score",
        lambda: trueness.roc(y, s).auc.value,
        lambda: roc_auc_score(y, s),
        repeats=3,
        peer_repeats=1,
    )

    def points() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        curve = trueness.roc(y, s)  # its points are computed on demand
        return curve.fpf, curve.tpf, curve.thresholds

    yield Job(
        "ROC curve at n=10⁷",
        "scikit-learn roc_curve",
        points,
        lambda: roc_curve(y, s),
        repeats=3,
        peer_repeats=1,
    )
    yield Job(
        "average precision with its standard error at n=10⁷",
        "scikit-learn average_precision_score",
        lambda: trueness.pr(y, s).average_precision,
        lambda: average_precision_score(y, s),
        repeats=3,
        peer_repeats=1,
    )


def fixed_scores() -> Iterator[Job]:
    rng = np.random.default_rng(5)
    n = 1000
    y = np.arange(n) % 2
    s = rng.normal(size=n) + 0.5 * y

    def statistic(*samples: np.ndarray) -> float:
        return roc_auc_score(np.repeat([1, 0], [len(x) for x in samples]), np.concatenate(samples))

    def ours() -> None:
        counts = trueness.Bootstrap(2000).draw(y, rng=0).counts
        weighted_auc_rows(np.tile(s, (2000, 1)), y == 1, counts)

    yield Job(
        "bootstrap of a fixed-score AUC, 2000 resamples, n=1000 (drawing and kernel)",
        "scipy.stats.bootstrap",
        ours,
        lambda: scipy.stats.bootstrap(
            (s[y == 1], s[y == 0]), statistic, n_resamples=100, vectorized=False, method="percentile"
        ),
        done=100,
        whole=2000,
    )


def whole_tables(scores: np.ndarray, counts: np.ndarray, up: np.ndarray) -> np.ndarray:
    """The definition, replicate by replicate: Σ_b I I ψ / Σ_b I I over the table of all pairs."""
    n1, n2 = np.count_nonzero(up), np.count_nonzero(~up)
    total, times = np.zeros((n1, n2)), np.zeros((n1, n2))
    for s, out in zip(scores, counts == 0, strict=True):
        a, b = s[up][:, None], s[~up][None, :]
        both = out[up][:, None] & out[~up][None, :]
        total += both * ((a > b) + 0.5 * (a == b))
        times += both
    return total / np.maximum(times, 1)


def left_out_pairs(scores: np.ndarray, counts: np.ndarray, up: np.ndarray) -> np.ndarray:
    """The same, restricted to the pairs that a replicate left out."""
    n1, n2 = np.count_nonzero(up), np.count_nonzero(~up)
    total, times = np.zeros((n1, n2)), np.zeros((n1, n2))
    for s, c in zip(scores, counts, strict=True):
        rows, cols = np.flatnonzero(c[up] == 0), np.flatnonzero(c[~up] == 0)
        a, b = s[up][rows][:, None], s[~up][cols][None, :]
        total[np.ix_(rows, cols)] += (a > b) + 0.5 * (a == b)
        times[np.ix_(rows, cols)] += 1
    return total / np.maximum(times, 1)


def lpob() -> Iterator[Job]:
    rng = np.random.default_rng(6)
    for n in (100, 500, 2000):
        y = np.repeat([0, 1], n)
        counts = trueness.Bootstrap(B).draw(y, rng=0).counts
        scores = rng.normal(size=(B, 2 * n)) + 0.5 * y
        fits = trueness.Fits.from_arrays(y, counts, scores, plan="bootstrap", stratified=True)
        done = 1000 if n == 100 else 50
        for loop, words in ((whole_tables, "all pairs"), (left_out_pairs, "left-out pairs only")):
            yield Job(
                f"LPOB with its influence se, n1=n2={n}, B=1000 (fits given)",
                f"NumPy loop over replicates, {words}, LPOB alone",
                lambda f=fits: trueness.estimate(replace(f), "auc", "lpob"),  # a copy has not cached its pairs
                lambda loop=loop, s=scores[:done], c=counts[:done], y=y: loop(s, c, y == 1),
                done=done,
                whole=B,
                repeats=3,
                peer_repeats=1,
            )


def slow_models() -> Iterator[Job]:
    """What a user waits for: the default assessment, 200 fits, against a repeated cross-validation, 100 fits."""
    X, y = load_breast_cancer(return_X_y=True)
    splits = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    models = {
        "random forest, 100 trees": RandomForestClassifier(random_state=0),
        "histogram boosting": HistGradientBoostingClassifier(random_state=0),
        "neural network behind a scaler": make_pipeline(StandardScaler(), MLPClassifier(max_iter=100, random_state=0)),
    }
    for name, model in models.items():
        yield Job(
            f"assess with its default plan, breast cancer, n=569 p=30: {name}",
            "scikit-learn cross_validate, 10 times 10 folds, error and AUC, no standard error",
            lambda m=model: trueness.assess(m, X, y, rng=0, progress=False),
            lambda m=model: cross_validate(m, X, y, cv=splits, scoring=["accuracy", "roc_auc"]),
            repeats=1,
            peer_repeats=1,
        )


def closed_forms() -> Iterator[Job]:
    """The same with closed forms, whose fits cost next to nothing: what the standard errors take."""
    splits = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    models = {"LDA": LinearDiscriminantAnalysis(), "logistic regression": LogisticRegression()}
    for n in (1000, 10_000, 100_000):
        X, y = two_classes(n, 20, 0.1)
        for name, model in models.items():
            yield Job(
                f"assess with its default plan, n={n:,} p=20: {name}",
                "scikit-learn cross_validate, 10 times 10 folds, error and AUC, no standard error",
                lambda m=model, X=X, y=y: trueness.assess(m, X, y, rng=0, progress=False),
                lambda m=model, X=X, y=y: cross_validate(m, X, y, cv=splits, scoring=["accuracy", "roc_auc"]),
                1.0,
                repeats=3 if n < 100_000 else 1,
                peer_repeats=1,
            )


def engine_choice() -> Iterator[Job]:
    """What the cost model chose, against fits one by one."""
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    shapes = (
        ("scaler and logistic regression", scaled, 100, 60),
        ("scaler and logistic regression", scaled, 100, 100),
        ("scaler and logistic regression", scaled, 100, 500),
        ("scaler and logistic regression", scaled, 100, 1000),
        ("scaler and logistic regression", scaled, 1000, 100),
        ("ridge classifier", RidgeClassifier(), 100, 2000),
        ("ridge classifier", RidgeClassifier(), 1000, 200),
        ("ridge classifier", RidgeClassifier(), 1000, 800),
        ("LDA", LinearDiscriminantAnalysis(), 1000, 200),
    )
    for name, model, n, p in shapes:
        X, y = two_classes(n, p)
        fits = 200 if p < 800 or n < 1000 else 20
        chosen = trueness.fit(model, X, y, trueness.Bootstrap(fits), rng=0).engine
        yield Job(
            f"{fits} bootstrap fits, n={n:,} p={p:,}: {name}, fitted {'at once' if chosen != 'generic' else 'one by one'}",
            "the same one by one",
            lambda m=model, X=X, y=y, b=fits: trueness.fit(m, X, y, trueness.Bootstrap(b), rng=0),
            lambda m=model, X=X, y=y: trueness.fit(m, X, y, trueness.Bootstrap(20), rng=0, engine="generic"),
            0.9,
            done=20,
            whole=fits,
            repeats=1,
            peer_repeats=1,
        )


GROUPS = (
    bootstrap_fits,
    fits_of_numbers,
    real_table,
    leave_one_out,
    point632plus,
    auc_of_rows,
    delong_jobs,
    fixed_scores,
    lpob,
    large_curves,
    slow_models,
    closed_forms,
    engine_choice,
)
