"""Public calls whose numbers stay: `CASES` maps a name to a call and to the tolerance of its numbers.

`numbers` turns what a call returns into plain numbers by public attributes and the numeric columns of `frame()`; words,
notes and layout are left out. A call that is refused with an error of this library has the number `refused`.
"""

import contextlib
import io
import json
import math
import tempfile
import warnings
from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse
from scipy.special import expit
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import ShuffleSplit, cross_validate
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness import (
    comparisons,
    metrics,
    plans,
    probabilities,
    reading,
    sealed,
    selection,
    statistics,
    studies,
    systems,
)
from trueness import tables as tab
from trueness.cli.main import run
from trueness.curves import ScoreCounts, guarantee, multiclass_roc, operating_points
from trueness.errors import TruenessError

SUMS, LAPACK = 1e-12, 1e-9  # relative tolerances: sums in another order; also a decomposition or an iteration
CASES = {}
SINGLE = ("value", "se", "mc_se", "bias", "fold_sd", "df", "statistic", "p_value", "difference", "n", "power")


# -- numbers of results ----------------------------------------------------------------------------


def numbers(result):
    """{path: number, or list of numbers} of anything a public call returns; words are left out."""
    found = {}
    _add(found, "", result)
    return found


def _add(found, path, x):
    if x is None or isinstance(x, bool | int | float | np.number | np.bool_):
        found[path] = None if x is None else float(x)
    elif isinstance(x, str | bytes) or callable(x):
        pass
    elif isinstance(x, trueness.Estimate):
        _several(found, path, {name: getattr(x, name) for name in SINGLE[:6]})
        if x.has_interval:
            found[f"{path}.ci"] = [float(v) for v in (x.ci(0.95).low, x.ci(0.95).high)]
        if x.influence is not None:
            _add(found, f"{path}.influence", x.influence)
    elif isinstance(x, pd.DataFrame):
        columns = {c: _column(x[c]) for c in x.columns}
        if {"metric", "method"} <= set(x.columns) and not x.duplicated(["metric", "method"]).any():
            rows = enumerate(zip(x["metric"], x["method"], strict=True))  # another estimator moves no other's numbers
            columns = {key: {c: v[i] for c, v in columns.items() if v is not None} for i, key in rows}
        _several(found, path, columns)
    elif isinstance(x, pd.Series | np.ndarray):
        values = _column(pd.Series(np.ravel(x)))
        if values is not None:
            _keep(found, path, values)
    elif isinstance(x, Mapping):
        _several(found, path, x)
    elif np.ndim(getattr(x, "low", ())) == np.ndim(getattr(x, "high", ())) == 0:
        found[path] = [float(x.low), float(x.high)]
    elif isinstance(x, list | tuple):
        if all(isinstance(v, int | float | np.number | None) for v in x):
            _keep(found, path, np.array(x, dtype=float))
        else:
            _several(found, path, dict(enumerate(x)))
    else:
        _several(found, path, {name: getattr(x, name) for name in SINGLE if hasattr(x, name)})
        if hasattr(x, "frame"):
            _add(found, f"{path}.frame", x.frame())


def _several(found, path, parts):
    for key, part in parts.items():
        name = "-".join(map(str, key)) if isinstance(key, tuple) else str(key)
        if part is not None or key not in SINGLE:
            _add(found, f"{path}.{name}".lstrip("."), part)


def _column(column):
    """Its numbers, blanks as NaN; None where it holds words."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return None
    values = [math.nan if v is None or v is pd.NA or v is pd.NaT else v for v in column]
    if not all(isinstance(v, bool | int | float | np.number | np.bool_) for v in values):
        return None
    return np.array(values, dtype=float)


def _keep(found, path, values):
    """A list; of more than 12 the first three, and sums: of all, of finite ones, |x|, x² and one that depends on the order."""
    finite = np.isfinite(values)
    if len(values) <= 12:
        found[path] = [float(v) for v in values]
    else:
        size = np.abs(np.where(finite, values, 0.0))
        sums = (size, size**2, size * (1 + np.arange(len(size)) % 97))
        found[f"{path}.first"] = [float(v) for v in values[:3]]
        found[f"{path}.sums"] = [float(len(values)), float(finite.sum()), *(math.fsum(v) for v in sums)]


def case(name, call, rtol=SUMS):
    assert name not in CASES, name
    CASES[name] = (call, rtol)


def each(keys, call):
    """What a call returns for every key for which it is not refused."""
    found = {}
    for key in keys:
        with contextlib.suppress(TruenessError):
            found[key] = call(key)
    return found


def computed(name):
    """The numbers of a case, whatever was called before."""
    quiet = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        warnings.simplefilter("ignore")
        return numbers(each([name], lambda name: CASES[name][0]()).get(name, {})) or {"refused": 1.0}


def of(result, *names):
    """These attributes of a result."""
    return {name: getattr(result, name) for name in names}


# -- cases -----------------------------------------------------------------------------------------

rng = np.random.default_rng(20261119)
N = 60
Y = np.arange(N) % 2
X = rng.normal(size=(N, 4)) + 0.7 * Y[:, None] * [1, 1, 0, 0]
NAMES = np.where(Y == 1, "sick", "well")
GROUPS = np.repeat(np.arange(20), 3)
UNEQUAL = np.repeat(np.arange(17), [1, 2, 3, 4, 5, 2, 3, 4, 6, 1, 5, 4, 3, 7, 2, 4, 4])
SITE = np.array(["a", "b", "c"])[np.arange(N) % 7 % 3]
S1, S2, S3 = X[:, 0] + X[:, 1], X[:, 0] - 0.2 * X[:, 2], X[:, 3]
ROUGH, ROUGH2 = S1.round(), S2.round()  # ties
P, Q = expit(S1), expit(0.3 * S2 - 0.5)
D1, D2 = (S1 > 0.7).astype(int), (S2 > 0.3).astype(int)
Y3 = np.arange(N) % 3
X3 = rng.normal(size=(N, 4)) + 1.2 * np.eye(3, 4)[Y3]
P3 = np.exp(X3[:, :3])
P3 /= P3.sum(axis=1, keepdims=True)
NUMBER = X @ [1.0, -0.5, 0.0, 0.2] + rng.normal(size=N)
GAPS = np.where(rng.random((N, 4)) < 0.1, np.nan, X)
TEXTS = np.array(
    [
        " ".join(rng.choice(["red", "blue", "tall", "old"], 4)) + (" fever" if v and u < 0.6 else "")
        for v, u in zip(Y, rng.random(N), strict=True)
    ]
)
FRAME = pd.DataFrame(X, columns=list("abcd"))
SPLITS = rng.normal(0.02, 0.03, size=10)
VALUES = rng.random((8, 3))
VAN_DYKE = pd.read_csv(files("trueness.studies") / "data" / "VanDyke.csv", dtype={"case2": str, "case3": str})
COSTS, COSTS3 = [[0, 1], [5, 0]], [[0, 1, 2], [1, 0, 1], [4, 2, 0]]
WAYS = ("wald", "wilson", "exact", "agresti-coull", "jeffreys", "uniform", "logit", "cloglog", "likelihood", "mid-p")


def mean_miss(y, score):
    """A function of our own."""
    return float(np.mean(np.abs(y - (score > 0.2))))


FAILS = 10


class Fails(LDA):
    """A model that cannot be fitted on some training sets."""

    def fit(self, X, y):
        if int(1000 * abs(X.sum())) % FAILS == 3:
            raise ValueError("no")
        return super().fit(X, y)


PLANS = {
    "holdout": plans.Holdout(0.4),
    "kfold": plans.KFold(5),
    "kfold repeated": plans.KFold(5, repeats=3),
    "leave one out": plans.LeaveOneOut(),
    "monte carlo": plans.MonteCarlo(12, test_size=0.25),
    "nested": plans.NestedKFold(4, repeats=2),
    "bootstrap": plans.Bootstrap(100),
    "bootstrap by class at random": plans.Bootstrap(100, stratified=False),
    "bootstrap of fixed classes": plans.Bootstrap(100, stratified="fixed"),
    "cv and bootstrap": plans.CvBootstrap(5, repeats=3, n_resamples=100),
    "halves": plans.CvHalves(4, repeats=2, halvings=4, inner_folds=3),
    "paired": plans.PairedSubsampling(4, inner=3, test_size=0.2),
    "splits": plans.Splits(
        [(np.arange(N)[np.arange(N) % 4 != k], np.arange(N)[np.arange(N) % 4 == k]) for k in range(4)]
    ),
}
METHODS = (
    "apparent",
    "holdout",
    "cv",
    "cv_pooled",
    "cv_pairs",
    "nested_cv",
    "sb",
    "loob",
    "star",
    "rb",
    "632",
    "632+",
    "lpob",
    "cv+training",
    "half_samples",
    "conservative_z",
)
DATA = {  # data: model, X, y, groups
    "two": (LDA(), X, Y, None),
    "another": (GaussianNB(), X, Y, None),
    "groups": (LDA(), X, Y, GROUPS),
    "unequal": (LDA(), X, Y, UNEQUAL),
    "other groups": (GaussianNB(), X, Y, UNEQUAL),
    "few groups": (LDA(), X, Y, np.arange(N) // 10),
    "three": (LDA(), X3, Y3, None),
    "numbers": (Ridge(), X, NUMBER, None),
    "tiny": (LDA(), X[:12, :2], Y[:12], None),
    "failed": (Fails(), X, Y, None),
    "separable": (LDA(), X + 9 * Y[:, None], Y, None),
}
METRICS = {
    "two": {
        "auc": "auc",
        "error": "error",
        "brier": "brier",
        "cost": metrics.Cost(matrix=COSTS),
        "net benefit": metrics.NetBenefit(threshold=0.2),
        "balanced accuracy": "balanced_accuracy",
        "ppv": "ppv",
        "mcc": "mcc",
        "odds ratio": "odds_ratio",
        "average precision": "average_precision",
        "calibration slope": "calibration_slope",
        "own": mean_miss,
    },
    "three": {
        "auc": "auc",
        "error": "error",
        "log loss": "log_loss",
        "kappa": "kappa",
        "cost": metrics.Cost(matrix=COSTS3),
    },
    "numbers": {m: m for m in ("mse", "rmse", "mae", "median_ae", "r2", "bias", "explained_variance")}
    | {"pinball": metrics.Pinball(0.9)},
}
SMALL = ("auc", "error", "mcc", "odds_ratio")
RANDOM = ("kfold repeated", "bootstrap", "cv and bootstrap", "halves")


@cache
def fits_of(data, plan):
    model, features, y, groups = DATA[data]
    more = {} if data in ("numbers", "three") else {"positive": 1}
    design = PLANS[plan].draw(y, groups=groups, rng=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trueness.fit(model, features, y, design, n_jobs=1, **more)


def estimated(data, plan, metric, undefined="skip"):
    fits = fits_of(data, plan)
    return each(METHODS, lambda method: trueness.estimate(fits, metric, method, undefined=undefined))


# -- plans, estimators, standard errors, intervals, differences ------------------------------------

for plan, drawn in PLANS.items():
    case(f"draw, {plan}", lambda plan=drawn: of(plan.draw(Y, rng=0), "counts", "n_fits"))
    if plan not in ("splits", "leave one out"):
        draw = lambda plan=drawn: [of(plan.draw(Y, groups=g, rng=0), "counts", "n_fits") for g in (GROUPS, UNEQUAL)]  # noqa: E731
        case(f"draw by groups, {plan}", draw)
    for metric, asked in METRICS["two"].items():
        case(f"estimate, {plan}, {metric}", partial(estimated, "two", plan, asked), LAPACK)
for data, several in {"three": ("kfold", *RANDOM), "numbers": ("holdout", "kfold", *RANDOM)}.items():
    for plan in several:
        case(
            f"estimate, {plan}, {data}",
            lambda d=data, p=plan: each(METRICS[d], lambda m: estimated(d, p, METRICS[d][m])),
            LAPACK,
        )
for data in ("groups", "unequal", "few groups", "tiny", "failed", "separable"):
    for plan in ("kfold", *RANDOM):
        case(
            f"estimate, {plan}, {data}",
            lambda d=data, p=plan: each(SMALL, lambda m: estimated(d, p, m, "failed")),
            LAPACK,
        )

ERRORS = {  # of which plan, metric and method: the names of standard errors
    ("bootstrap", "error", "loob"): ("influence-corrected", "influence", "second-order"),
    ("bootstrap", "auc", "lpob"): ("influence-corrected", "influence", "second-order"),
    ("bootstrap of fixed classes", "error", "loob"): ("influence-corrected", "influence", "second-order"),
    ("bootstrap", "error", "632+"): ("scaled", "quantile"),
    ("bootstrap", "auc", "632"): ("quantile", "none"),
    ("kfold", "error", "cv"): ("naive", "within-fold", "continuity", "influence", "influence-corrected"),
    ("kfold repeated", "error", "cv"): ("nadeau-bengio", "naive", "within-fold", "continuity", "influence-corrected"),
    ("kfold repeated", "auc", "cv_pairs"): ("influence", "influence-corrected"),
    ("monte carlo", "auc", "cv"): ("nadeau-bengio",),
    ("halves", "auc", "half_samples"): ("half-max", "half"),
    ("paired", "error", "conservative_z"): ("conservative-z",),
    ("holdout", "average_precision", "holdout"): ("positives", "delta"),
}


def standard_errors(plan, metric, method):
    return each(
        ERRORS[plan, metric, method],
        lambda se: trueness.estimate(fits_of("two", plan), metric, method, se=se, undefined="skip"),
    )


for key in ERRORS:
    case(f"standard errors, {', '.join(key)}", partial(standard_errors, *key), LAPACK)
case(
    "632+ rules",
    lambda: each(
        ("clipped", "printed"), lambda r: trueness.estimate(fits_of("two", "bootstrap"), "error", "632+", rule=r)
    ),
    LAPACK,
)
INTERVALS = (None, "wald", "logit", "wilson", "t", "continuity", "quantile", *WAYS[2:])
WITH_INTERVAL = (
    ("holdout", "error", "holdout"),
    ("holdout", "auc", "holdout"),
    ("bootstrap", "auc", "star"),
    ("kfold repeated", "auc", "cv"),
    ("bootstrap", "error", "loob"),
    ("kfold", "mcc", "cv_pooled"),
    ("cv and bootstrap", "auc", "cv+training"),
)


def intervals(plan, metric, method):
    e = trueness.estimate(fits_of("two", plan), metric, method, se="quantile" if method == "star" else None)
    return {level: each(INTERVALS, partial(e.ci, level)) for level in (0.8, 0.95)}


for key in WITH_INTERVAL:
    case(f"intervals, {', '.join(key)}", partial(intervals, *key), LAPACK)


def differences(first, second, plan):
    found = partial(trueness.difference, fits_of(first, plan), fits_of(second, plan), undefined="skip")
    return each([(m, e) for m in SMALL for e in METHODS], lambda key: found(*key))


for plan in PLANS:
    case(f"difference, {plan}", partial(differences, "two", "another", plan), LAPACK)
for plan in ("holdout", "kfold", *RANDOM):
    case(f"difference, {plan}, separable", partial(differences, "separable", "another", plan), LAPACK)
    case(f"difference, {plan}, groups", partial(differences, "unequal", "other groups", plan), LAPACK)

# -- fits: engines, other models, doors ------------------------------------------------------------

MODELS = {
    "lda": LDA(),
    "lda shrunk": LDA(solver="lsqr", shrinkage=0.3),
    "qda": QDA(reg_param=0.1),
    "bayes": GaussianNB(),
    "centroid": NearestCentroid(),
    "neighbours": KNeighborsClassifier(3),
    "logistic": LogisticRegression(),
    "ridge": RidgeClassifier(),
    "constant": DummyClassifier(),
    "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
    "scaled lda": make_pipeline(StandardScaler(), LDA()),
    "chosen lda": make_pipeline(SelectKBest(k=2), LDA()),
    "bernoulli": BernoulliNB(),
    "ols": LinearRegression(),
    "ridge of numbers": Ridge(2.0),
}
for name, model in MODELS.items():
    target = NUMBER if name in ("ols", "ridge of numbers") else Y
    for plan in (plans.KFold(4, repeats=2), plans.Bootstrap(20)):
        both = lambda model=model, y=target, plan=plan: [  # noqa: E731
            of(trueness.fit(model, X, y, plan, rng=0, n_jobs=1, engine=e), "scores", "full_scores")
            for e in ("auto", "generic")
        ]
        case(f"fit, {name}, {type(plan).__name__}", both, LAPACK)
DOORS = {
    "pandas": lambda: (LDA(), FRAME, pd.Series(NAMES), {"positive": "sick"}),
    "polars": lambda: (
        LDA(),
        pl.DataFrame({k: FRAME[k].to_numpy() for k in FRAME}),
        pl.Series(NAMES),
        {"positive": "sick"},
    ),
    "sparse": lambda: (MultinomialNB(), sparse.csr_matrix(np.abs(X.round())), Y, {}),
    "texts": lambda: (make_pipeline(CountVectorizer(), MultinomialNB()), TEXTS, NAMES, {"positive": "sick"}),
    "labels of text": lambda: (LDA(), X, NAMES, {"positive": "well"}),
    "booleans": lambda: (LDA(), X, Y == 1, {}),
    "minus one": lambda: (LDA(), X, 2 * Y - 1, {}),
    "gaps": lambda: (HistGradientBoostingClassifier(max_iter=5, random_state=0), GAPS, Y, {}),
    "three texts": lambda: (LDA(), X3, np.array(["c", "a", "b"])[Y3], {}),
    "few of a class": lambda: (LDA(), X[:40], np.r_[np.ones(6, int), np.zeros(34, int)], {}),
    "list of splits": lambda: (LDA(), X, Y, {"plan": [(np.arange(30), np.arange(30, N))]}),
    "splitter": lambda: (LDA(), X, Y, {"plan": ShuffleSplit(4, test_size=0.3, random_state=0)}),
    "plan of a number": lambda: (LDA(), X, Y, {"plan": 4}),
    "prefit": lambda: (LDA().fit(X[:30], Y[:30]), X[30:], Y[30:], {"plan": "prefit"}),
    "numbers": lambda: (Ridge(), X, NUMBER, {}),
    "groups": lambda: (LDA(), X, Y, {"groups": UNEQUAL}),
    "groups of three classes": lambda: (LDA(), X3, Y3, {"groups": GROUPS}),
    "fixed sizes": lambda: (LDA(), X, Y, {"plan": plans.Bootstrap(60, stratified="fixed")}),
    "failed fits": lambda: (Fails(), X, Y, {"plan": plans.Bootstrap(100), "rng": 1}),
    "a threshold": lambda: (LDA(), X, Y, {"threshold": 0.5}),
    "tiny": lambda: (LDA(), X[:10, :1], Y[:10], {"plan": plans.LeaveOneOut()}),
    "halves": lambda: (LDA(), X, Y, {"plan": PLANS["halves"]}),
    "several metrics": lambda: (LDA(), X, Y, {"metrics": ["auc", "mcc", "brier", mean_miss]}),
    "named metrics": lambda: (LDA(), X, Y, {"metrics": {"mine": metrics.FBeta(2), "cost": metrics.Cost(matrix=COSTS)}}),
}


def assessed(name):
    model, features, y, more = DOORS[name]()
    return trueness.assess(
        model, features, y, **{"plan": plans.KFold(4, repeats=2), "rng": 3, "n_jobs": 1, "checks": False, **more}
    )


for name in DOORS:
    case(f"assess, {name}", partial(assessed, name), LAPACK)
case("assess, default", lambda: trueness.assess(LDA(), X, Y, rng=0, n_jobs=1, fits=60), LAPACK)
case("assess, default of groups", lambda: trueness.assess(LDA(), X, Y, groups=GROUPS, rng=0, n_jobs=1, fits=60), LAPACK)
case("assess, generic", lambda: trueness.assess(LDA(), X, Y, plan=4, rng=0, n_jobs=1, engine="generic"), LAPACK)
case(
    "assess, several rows and methods",
    lambda: (
        lambda a: [a.frame(0.8, details=True), a["auc"], a["auc", "cv"], a.covariance(), a.simultaneous(), a.flat()]
    )(assessed("several metrics")),
    LAPACK,
)
for plan in ("bootstrap", "kfold repeated", "holdout", "cv and bootstrap"):
    rest = lambda p=plan: each(  # noqa: E731
        metrics.names(), lambda m: trueness.assess(fits_of("two", p), metrics=m, checks=False)[m]
    )
    case(f"every metric, {plan}", rest, LAPACK)
LEFT = {"case": np.arange(N), "truth": NAMES, "score": S1, "fold": np.arange(N) // 2 % 5, "group": GROUPS}
LONG = pd.concat(
    [pd.DataFrame(LEFT).assign(repeat=0), pd.DataFrame(LEFT).assign(repeat=1, score=S2, fold=np.arange(N) % 3)]
)
COLUMNS = {"case": "case", "truth": "truth", "score": "score", "positive": "sick"}
COUNTS = (np.arange(N) % 4 != np.arange(4)[:, None]).astype(int)
HELD = np.where(COUNTS == 0, S1 + 0.1 * np.arange(4)[:, None], np.nan)
from_frame, from_arrays = trueness.Fits.from_frame, trueness.Fits.from_arrays
GIVEN = {
    "frame": lambda: from_frame(pd.DataFrame(LEFT), **COLUMNS),
    "frame with predictions": lambda: from_frame(
        pd.DataFrame(LEFT).assign(said=np.where(D1, "sick", "well")), **COLUMNS, prediction="said"
    ),
    "frame with folds": lambda: from_frame(pd.DataFrame(LEFT), **COLUMNS, fold="fold"),
    "frame with repeats": lambda: from_frame(LONG, **COLUMNS, fold="fold", repeat="repeat"),
    "frame with groups": lambda: from_frame(pd.DataFrame(LEFT), **COLUMNS, group="group"),
    "arrays": lambda: from_arrays(Y, COUNTS, HELD, S1, plan="cv", repeat=np.zeros(4, int)),
    "arrays of a threshold": lambda: from_arrays(
        Y, COUNTS, HELD, S1, threshold=0.4, plan="cv", repeat=np.zeros(4, int)
    ),
    "arrays of ties": lambda: from_arrays(Y, COUNTS, HELD.round(), ROUGH, plan="cv", repeat=np.zeros(4, int)),
    "arrays of labels": lambda: from_arrays(
        Y, COUNTS, None, predictions=np.tile(D1, (4, 1)), plan="cv", repeat=np.zeros(4, int)
    ),
    "arrays of groups": lambda: from_arrays(Y, np.zeros((1, N), int), S1[None], groups=UNEQUAL),
    "arrays of numbers": lambda: from_arrays(
        NUMBER, COUNTS, HELD, S1, kind="regression", plan="cv", repeat=np.zeros(4, int)
    ),
    "cv results": lambda: trueness.Fits.from_cv_results(
        cross_validate(LDA(), X, Y, cv=4, return_estimator=True, return_indices=True), X, Y
    ),
}
for name, given in GIVEN.items():
    rtol = LAPACK if name == "cv results" else SUMS
    asked = ("mse", "r2") if name == "arrays of numbers" else ("auc", "error", "mcc")
    case(
        f"Fits, {name}",
        lambda given=given, asked=asked: (
            lambda f: [of(f, "counts", "scores"), each(asked, lambda m: trueness.assess(f, metrics=m, checks=False))]
        )(given()),
        rtol,
    )

# -- comparisons -----------------------------------------------------------------------------------

TESTS = {  # what is given → arguments
    "scores": [(Y, S1, S2), (Y, ROUGH, ROUGH2), (Y, S1, S1), (Y[:9], S1[:9], S3[:9])],
    "two sets": [(Y, S1, Y[:40], S2[:40]), (Y, ROUGH, Y, ROUGH2)],
    "decisions": [(Y, D1, D2), (NAMES, NAMES, np.roll(NAMES, 1))],
    "counts": [(12, 5), (0, 3), (0, 0)],
    "values": [(VALUES[:, 0], VALUES[:, 1]), (VALUES[:, 0].round(1), VALUES[:, 2].round(1))],
    "splits": [(SPLITS,), (np.zeros(10),)],
    "splits of one model": [(SPLITS,)],
    "5x2": [(SPLITS.reshape(5, 2),)],
    "means": [(0.1, 0.02, 0.13, 0.03)],
    "table": [(VALUES,), (VALUES.round(1),)],
    "right or wrong": [(np.stack([D1, D2, Y[::-1]], axis=1) == Y[:, None],)],
}
MORE = {
    "at_fpf": {"fpf": 0.2, "n_resamples": 100, "rng": 0},
    "at_tpf": {"tpf": 0.8, "n_resamples": 100, "rng": 0},
    "corrected_t": {"n_train": 90, "n_test": 10},
    "bayes_correlated_t": {"n_train": 90, "n_test": 10},
    "bayes_signed_rank": {"n_draws": 300, "rng": 0},
    "bootstrap": {"n_resamples": 100, "rng": 0},
    "partial_auc": {"n_resamples": 100, "rng": 0},
    "venkatraman": {"n_permutations": 99, "rng": 0},
    "venkatraman_unpaired": {"n_permutations": 99, "rng": 0},
    "permutation": {"n_permutations": 99, "rng": 0},
}
EXTRA = {
    "friedman": ("ranks", "f_statistic", "f_p_value"),
    "nemenyi": ("ranks", "p_values", "critical_difference"),
    "conover": ("p_values",),
    "holm_ranks": ("p_values",),
    "bayes_correlated_t": ("probabilities",),
    "bayes_signed_rank": ("probabilities",),
}


def tested(name, arguments, **more):
    given = (arguments[0], np.stack(arguments[1:], axis=1)) if name == "delong_many" else arguments
    t = getattr(comparisons, name)(*given, **MORE.get(name, {}), **more)
    return [t, of(t, *EXTRA.get(name, ()))]


for test in comparisons.tests():
    if test.given in TESTS:
        case(
            f"test, {test.name}",
            lambda name=test.name, given=TESTS[test.given]: each(range(len(given)), lambda k: tested(name, given[k])),
            LAPACK if test.name == "delong_many" else SUMS,
        )
for name in ("delong", "at_fpf", "at_tpf", "bootstrap", "partial_auc", "delong_many", "mcnemar"):
    given = TESTS["decisions" if name == "mcnemar" else "scores"][0]
    case(
        f"test by groups, {name}",
        lambda name=name, given=given: [tested(name, given, groups=g) for g in (GROUPS, UNEQUAL)],
        LAPACK if name == "delong_many" else SUMS,
    )
for side in ("less", "greater"):
    one_sided = (
        ("delong", "scores"),
        ("delong_unpaired", "two sets"),
        ("mcnemar", "decisions"),
        ("paired_t", "values"),
        ("wilcoxon", "values"),
        ("sign", "values"),
        ("permutation", "values"),
        ("corrected_t", "splits"),
        ("five_by_two_t", "5x2"),
    )
    case(
        f"tests, {side}",
        lambda side=side, names=one_sided: {n: tested(n, TESTS[w][0], alternative=side) for n, w in names},
    )
for way in ("exact", "mid-p", "chi2", "chi2-cc"):
    case(
        f"mcnemar, {way}",
        lambda way=way: [comparisons.mcnemar(Y, D1, D2, way), comparisons.mcnemar_counts(9, 3, way, n=40)],
    )
ESTIMATE = trueness.Estimate(0.03, 0.02, metric="auc difference")
case(
    "test, equivalence and non-inferiority",
    lambda: [
        comparisons.equivalence(ESTIMATE, 0.1),
        comparisons.non_inferiority(ESTIMATE, 0.05, higher_is_better=True),
    ],
)
case("holm", lambda: comparisons.holm([0.01, 0.04, 0.03, 0.2]))
case("tango", lambda: comparisons.tango(9, 3, 40))
case("ranks", lambda: [comparisons.ranks(VALUES), comparisons.results_table(pd.DataFrame(VALUES))])
case("split mean with sigma", lambda: comparisons.split_mean(SPLITS, sigma=0.1))
SIZES = {
    "size_for_auc": [(0.8, 0.05), (0.9, 0.02)],
    "size_for_proportion": [(0.1, 0.05), (0.5, 0.03)],
    "size_for_auc_difference": [(0.85, 0.8)],
    "size_for_error_difference": [(0.15, 0.25)],
    "power_for_auc_difference": [(60, 80)],
    "power_for_error_difference": [(200, 0.15, 0.25)],
    "size_for_development": [(24,)],
    "size_for_validation": [(0.018, 0.8)],
}
WITH = {
    "size_for_auc_difference": {"correlation": 0.6},
    "size_for_error_difference": {"discordant": 0.2},
    "power_for_auc_difference": {"auc1": 0.85, "auc2": 0.75, "correlation": 0.5},
    "power_for_error_difference": {"discordant": 0.3},
    "size_for_development": {"prevalence": 0.174, "r2": 0.288},
    "size_for_validation": {"linear_predictor": (-5, 2.5), "o_e_width": 1},
}


def sized(name):
    found = [getattr(comparisons, name)(*given, **WITH.get(name, {})) for given in SIZES[name]]
    kept = ("n", "n_positive", "n_negative", "power", "half_width", "criteria")
    return [f if isinstance(f, float) else {k: getattr(f, k) for k in kept if hasattr(f, k)} for f in found]


for name in SIZES:
    case(name.replace("_", " "), partial(sized, name), LAPACK)
PILOT = (Y, S1, S2)
case(
    "sizes from a pilot",
    lambda: [
        of(comparisons.size_for_auc_difference(pilot=PILOT), "n"),
        comparisons.power_for_auc_difference(50, 50, pilot=PILOT),
    ],
    LAPACK,
)
TWO = {"lda": LDA(), "bayes": GaussianNB()}
TWO_SPLITS = {"plan": plans.KFold(4, repeats=2), "rng": 0, "n_jobs": 1, "checks": False}
COMPARED = {
    "auc": (TWO, X, Y, {}),
    "error": (TWO, X, Y, {"metric": "error"}),
    "bootstrap": (TWO, X, Y, {"plan": plans.Bootstrap(100), "metric": "auc", "method": "lpob"}),
    "default": (TWO, X, Y, {"plan": None, "fits": 60}),
    "three models": (TWO | {"tree": MODELS["tree"]}, X, Y, {}),
    "a baseline": (TWO | {"tree": MODELS["tree"]}, X, Y, {"baseline": "bayes"}),
    "groups": (TWO, X, Y, {"groups": UNEQUAL}),
    "a margin": (TWO, X, Y, {"margin": 0.1}),
    "three classes": (TWO, X3, Y3, {}),
    "numbers": ({"ridge": Ridge(), "ols": LinearRegression()}, X, NUMBER, {}),
    "the same": ({"a": LDA(), "b": LDA()}, X, Y, {}),
    "holdout": (TWO, X, Y, {"plan": plans.Holdout(0.4), "metric": "error"}),
    "mcc": (TWO, X, Y, {"metric": "mcc"}),
}


def compared(name):
    models, features, y, more = COMPARED[name]
    k = trueness.compare(models, features, y, **TWO_SPLITS | more)
    return [k.frame("pairs"), k.frame("models"), dict(k.differences), dict(k.adjusted), dict(k.estimates), k.p_value]


for name in COMPARED:
    case(f"compare, {name}", partial(compared, name), LAPACK)
case(
    "compare, joint test",
    lambda: trueness.compare({n: fits_of(n, "cv and bootstrap") for n in ("two", "another")}, checks=False).joint_test(
        ["auc", "error"]
    ),
    LAPACK,
)
case(
    "compare, at the cheapest thresholds",
    lambda: trueness.compare(TWO, X, Y, **TWO_SPLITS).threshold(costs=COSTS),
    LAPACK,
)

# -- curves ----------------------------------------------------------------------------------------

SCORES = {
    "scores": (Y, S1, None),
    "ties": (Y, ROUGH, None),
    "groups": (Y, S1, GROUPS),
    "unequal groups": (Y, ROUGH, UNEQUAL),
    "few": (Y[:8], S1[:8], None),
    "separate": (Y, S1 + 9 * Y, None),
    "constant": (Y, np.zeros(N), None),
}
PARTS = {
    "points": lambda c: of(c, "fpf", "tpf", "thresholds"),
    "auc": lambda c: c.auc,
    "partial": lambda c: [c.partial_auc(fpf=(0, 0.2)), c.partial_auc(tpf=(0.8, 1), standardized=True)],
    "rates": lambda c: [c.tpf_at(0.1), c.tpf_at(0.5), c.fpf_at(0.9)],
    "at": lambda c: list(c.rates_at(0.5)),
    "best": lambda c: [
        of(b, "threshold", "tpf", "fpf", "merit", "optimism")
        for b in (c.best(rng=0, n_resamples=50), c.best(costs=COSTS, prevalence=0.2, rng=0, n_resamples=50))
    ],
    "band": lambda c: c.band(0.9, n_resamples=50),
    "frame": lambda c: c.frame(),
}
for method in ("empirical", "binormal", "semiparametric", "normal"):
    for name, (y, s, g) in SCORES.items():
        case(
            f"roc, {method}, {name}",
            lambda m=method, y=y, s=s, g=g: (lambda c: each(PARTS, lambda part: PARTS[part](c)))(
                trueness.roc(y, s, m, groups=g)
            ),
            SUMS if method == "empirical" else LAPACK,
        )
for band in ("fixed-width", "kolmogorov", "binomial", "vertical", "bootstrap", "working-hotelling"):
    case(
        f"band, {band}",
        lambda band=band: each(
            ("empirical", "binormal"), lambda m: trueness.roc(Y, S1, m).band(0.95, band, n_resamples=60, rng=0)
        ),
        LAPACK,
    )
case(
    "roc, several",
    lambda: (lambda c: [c, dict(c.differences), dict(c.adjusted), dict(c.tests), c.areas])(
        trueness.roc(Y, {"a": S1, "b": S2, "c": ROUGH})
    ),
    LAPACK,
)
case(
    "roc, standard errors of the auc",
    lambda: each(("delong", "q1q2", "hanley-mcneil"), lambda se: trueness.roc(Y, S1).auc_with(se)),
)
case("roc of text labels", lambda: trueness.roc(pd.Series(NAMES), pd.Series(S1), positive="well").auc)
case("roc of an assessment", lambda: trueness.roc(assessed("tiny")).auc, LAPACK)
for name, (y, s, g) in SCORES.items():
    case(
        f"pr, {name}",
        lambda y=y, s=s, g=g: (
            lambda p: [
                of(p, "recall", "precision", "thresholds", "auc", "auc_interpolated", "average_precision"),
                p.frame(),
                p.interpolated(11),
            ]
        )(trueness.pr(y, s, groups=g)),
    )
    case(
        f"guarantee, {name}",
        lambda y=y, s=s, g=g: each(
            ("tpf", "fpf", "ppv"),
            lambda rate: of(
                guarantee(y, s, **{rate: {"tpf": 0.7, "fpf": 0.4, "ppv": 0.6}[rate]}, groups=g, confidence=0.9),
                "threshold",
                "tpf",
                "fpf",
                "ppv",
            ),
        ),
    )
case("pr, bootstrap", lambda: trueness.pr(Y, S1).bootstrap(n_resamples=60, rng=0))
case(
    "operating points",
    lambda: (
        lambda o: [
            o.frame(),
            o.test(2, measure="fpf"),
            o.test(2, measure="tpf", df="paired"),
            o.same_as(2, "tpf"),
            {"threshold": o.thresholds[o.choose(tpf=0.9)]},
        ]
    )(operating_points(fits_of("two", "kfold"), n_points=6)),
    LAPACK,
)
case(
    "multiclass roc",
    lambda: (lambda m: [m.frame(), m.hand_till, m.one_against_rest, m.weights])(
        multiclass_roc(fits_of("three", "kfold"), n_points=8, n_starts=40, n_steps=2, rng=0)
    ),
    LAPACK,
)
case(
    "score counts",
    lambda: (lambda c: [of(c, "auc", "average_precision", "pr_auc"), c.table(0.5), c.frame()])(
        ScoreCounts.merge([ScoreCounts.of(Y[:25], ROUGH[:25]), ScoreCounts.of(Y[25:], ROUGH[25:])])
    ),
)

# -- tables ----------------------------------------------------------------------------------------

MEASURES = (
    "tpf",
    "fpf",
    "tnf",
    "fnf",
    "ppv",
    "npv",
    "dlr_positive",
    "dlr_negative",
    "accuracy",
    "balanced_accuracy",
    "error",
    "youden",
    "mcc",
    "kappa",
    "f1",
    "odds_ratio",
    "prevalence",
)
CELLS = {
    "all": (31, 9, 12, 28),
    "small": (3, 1, 2, 4),
    "no misses": (10, 0, 5, 20),
    "no alarms": (8, 4, 0, 30),
    "empty": (0, 0, 3, 7),
    "never": (0, 6, 0, 9),
    "many": (900, 100, 50, 4950),
}
TABLE = dict(zip(("tp", "fn", "fp", "tn"), CELLS["all"], strict=True))


def diagnosed(d):
    found = each(MEASURES, lambda name: getattr(d, name))
    asked = {
        "f2": lambda: d.f_beta(2),
        "joint": lambda: list(d.joint_region(0.95)),
        "cost": lambda: d.cost([[0, 10], [1000, 10]]),
        "post": lambda: d.post_test(0.1),
        "frame": d.frame,
    }
    return [found, each(asked, lambda name: asked[name]())]


for name, (tp, fn, fp, tn) in CELLS.items():
    case(
        f"diagnose, {name}",
        lambda c=(tp, fn, fp, tn): diagnosed(trueness.diagnose(**dict(zip(("tp", "fn", "fp", "tn"), c, strict=True)))),
        LAPACK,
    )
for way in WAYS:
    case(
        f"proportions, {way}",
        lambda way=way: [
            [list(tab.proportion_interval(x, 20, way, level=level)) for x in (0, 1, 7, 20) for level in (0.9, 0.95)],
            tab.coverage(way, 12, [0.05, 0.3, 0.5]),
        ],
        LAPACK,
    )
    case(
        f"diagnose, interval {way}",
        lambda way=way: each(MEASURES, lambda m: getattr(trueness.diagnose(**TABLE, interval=way), m)),
    )
for design in ("cohort", "case-control", "selected"):
    case(f"diagnose, {design}", lambda d=design: diagnosed(trueness.diagnose(**TABLE, design=d)), LAPACK)
    case(
        f"diagnose, {design}, prevalence",
        lambda d=design: diagnosed(trueness.diagnose(**TABLE, design=d, prevalence=0.1)),
        LAPACK,
    )
for g, groups in {"groups": GROUPS, "unequal groups": UNEQUAL}.items():
    case(f"diagnose, {g}", lambda g=groups: diagnosed(trueness.diagnose(Y, D1, groups=g)), LAPACK)
case(
    "diagnose, text labels",
    lambda: diagnosed(trueness.diagnose(NAMES, np.where(D1, "sick", "well"), positive="sick")),
    LAPACK,
)
case(
    "diagnose, verification",
    lambda: diagnosed(trueness.diagnose(**TABLE, design="selected", unverified_positive=4, unverified_negative=30)),
    LAPACK,
)
case("diagnose, three classes", lambda: trueness.diagnose(Y3, P3.argmax(axis=1)), LAPACK)
case("diagnose, versus", lambda: trueness.diagnose(Y, D1).versus(trueness.diagnose(Y, D2)), LAPACK)
case(
    "diagnose, versus unpaired", lambda: trueness.diagnose(Y, D1).versus(trueness.diagnose(Y, D2), paired=False), LAPACK
)
case(
    "diagnose, four regions",
    lambda: each(("shares",), lambda _: trueness.diagnose(Y, D1).four_regions(trueness.diagnose(Y, D2))),
    LAPACK,
)
case("confusion", lambda: [tab.confusion(Y3, P3.argmax(axis=1))])
case(
    "bayes decision",
    lambda: [
        tab.bayes_decision(P3, COSTS3),
        tab.bayes_decision(np.stack([1 - P, P], 1), COSTS, abstain=0.3),
        list(tab.cost_threshold(COSTS)),
        list(tab.cost_threshold(COSTS, abstain=0.3)),
    ],
)
case(
    "bayes error",
    lambda: [tab.bayes_error(studies.two_gaussians(2, 1.5)), tab.bayes_error(studies.highleyman(), n=2000, rng=0)],
    LAPACK,
)

# -- probabilities, subgroups, thresholds, readers -------------------------------------------------

JUDGED = ("intercept", "slope", "o_e", "ici", "e50", "e90", "brier", "log_loss", "discrimination_slope")
PROBABILITIES = {
    "two": (Y, P, {}),
    "another": (Y, Q, {}),
    "ties": (Y, P.round(1).clip(0.1, 0.9), {}),
    "groups": (Y, P, {"groups": GROUPS}),
    "unequal groups": (Y, P, {"groups": UNEQUAL}),
    "text labels": (NAMES, P, {"positive": "sick"}),
}
for name, (y, p, more) in PROBABILITIES.items():
    case(
        f"calibration, {name}",
        lambda y=y, p=p, more=more: (lambda q: [of(q, *JUDGED), q.ece(), q.frame(), q.decomposition])(
            trueness.calibration(y, p, **more)
        ),
        LAPACK,
    )
    case(
        f"decision curve, {name}",
        lambda y=y, p=p, more=more: (lambda v: [v, v.difference("a"), v.difference("a", "b")])(
            trueness.decision_curve(y, {"a": p, "b": Q}, thresholds=[0.1, 0.2, 0.5], **more)
        ),
        LAPACK,
    )
for curve in ("smooth", "bins", "isotonic"):
    case(
        f"calibration curve, {curve}",
        lambda c=curve: trueness.calibration(Y, P).curve(c, n_resamples=40, rng=0),
        LAPACK,
    )
case("calibration, of two", lambda: trueness.calibration(Y, P).versus(trueness.calibration(Y, Q)), LAPACK)
case("calibration, three classes", lambda: trueness.calibration(Y3, P3), LAPACK)
case("calibration, of fits", lambda: trueness.calibration(fits_of("two", "kfold repeated")), LAPACK)
case("decision curve, one", lambda: trueness.decision_curve(Y, P, prevalence=0.1), LAPACK)
case(
    "decision curve, of fits",
    lambda: trueness.decision_curve(fits_of("two", "kfold repeated"), thresholds=[0.2, 0.4]),
    LAPACK,
)
case("risks", lambda: trueness.calibration(Y, P).risks, LAPACK)
case("validate", lambda: probabilities.validate(fits_of("two", "bootstrap")), LAPACK)
for metric in ("auc", "error", "tpf", "brier"):
    given = {"error": (D1, {"predictions": D1}), "tpf": (D1, {"predictions": D1}), "brier": (P, {})}.get(
        metric, (S1, {})
    )
    call = lambda m=metric, s=given[0], more=given[1]: trueness.subgroups(  # noqa: E731
        Y, **(more or {"scores": s}), metric=m, by=SITE
    )
    case(f"subgroups, {metric}", lambda call=call: (lambda s: [s, s.overall, dict(s.differences)])(call()), LAPACK)
case("subgroups, by groups", lambda: trueness.subgroups(Y, S1, "auc", by=SITE, groups=UNEQUAL), LAPACK)
case("subgroups, of fits", lambda: trueness.subgroups(fits_of("two", "kfold repeated"), "error", by=SITE), LAPACK)
case("subgroups, of sites", lambda: trueness.subgroups(Y, S1, "auc", by=SITE).sites(), LAPACK)
case("by class", lambda: trueness.assess(fits_of("three", "kfold repeated"), checks=False).by_class(), LAPACK)
CHOICES = {
    "costs": {"costs": COSTS},
    "costs at a prevalence": {"costs": COSTS, "prevalence": 0.2},
    "a tpf": {"tpf": 0.8},
    "an fpf": {"fpf": 0.3},
    "a ppv": {"ppv": 0.6},
    "a promise": {"tpf": 0.7, "confidence": 0.9},
}
for name, asked in CHOICES.items():
    for plan in ("kfold repeated", "bootstrap"):
        case(
            f"threshold, {name}, {plan}",
            lambda p=plan, asked=asked: (lambda h: [of(h, "threshold", "tpf", "fpf", "ppv", "cost"), h.frame()])(
                trueness.assess(fits_of("two", p), checks=False).threshold(**asked)
            ),
            LAPACK,
        )
READ = {
    "or": {},
    "u": {"method": "u"},
    "jackknife": {"covariance": "jackknife"},
    "unbiased": {"covariance": "unbiased"},
    "readers": {"random": "readers"},
    "cases": {"random": "cases"},
    "error": {"metric": "tpf", "threshold": 3},
    "no modality": {"modality": None},
}
for name, more in READ.items():
    frame = VAN_DYKE if name != "no modality" else VAN_DYKE[VAN_DYKE.treatment == 1]
    case(
        f"readers, {name}",
        lambda f=frame, more=more: (
            lambda r: (
                [
                    {str(k): e for k, e in dict(r.auc).items()} if isinstance(r.auc, Mapping) else r.auc,
                    r.frame(),
                    r.components,
                ]
                + ([r.difference, r.p_value, r.df] if more.get("modality", 1) else [])
            )
        )(trueness.readers(f, score="rating", **{"modality": "treatment"} | more)),
        LAPACK,
    )
COMPONENTS = {"var_tr": 0.0002, "var": 0.0008, "cov1": 0.0003, "cov2": 0.0003, "cov3": 0.0002, "n_cases": 100}
case(
    "readers, sizes",
    lambda: [
        reading.power_for_readers(6, 100, 0.05, components=COMPONENTS),
        reading.size_for_readers(0.05, components=COMPONENTS, readers=[4, 8]),
    ],
    LAPACK,
)

# -- hygiene, selection, systems, statistics, studies, sealed sets ---------------------------------

LEAKY = pd.DataFrame({"id": np.arange(N), "leak": Y + 0.0, "a": X[:, 0], "b": X[:, 2], "site": SITE})
found = lambda f: [len(f), *sorted(float(e.code[1:]) for e in f)]  # noqa: E731
case(
    "check",
    lambda: [
        found(trueness.check(LEAKY, Y)),
        found(trueness.check(X, Y)),
        found(trueness.check(LEAKY, Y, ignore="L001")),
        found(trueness.check(np.r_[X, X[:5]], np.r_[Y, Y[:5]])),
        found(trueness.check(X, Y, groups=GROUPS)),
        found(trueness.check(X, Y, X_test=X[:7])),
        found(trueness.check(TEXTS, Y)),
    ],
)
for metric in ("auc", "error"):
    case(
        f"two sets, {metric}",
        lambda m=metric: (lambda t: [t.fixed, t.mean, t.variance, t.frame()])(
            trueness.two_sets(
                LDA(), X[:36], Y[:36], X[36:], Y[36:], metric=m, plan=plans.Bootstrap(60), rng=0, n_jobs=1
            )
        ),
        LAPACK,
    )
case(
    "two sets, of two",
    lambda: trueness.two_sets(TWO, X[:36], Y[:36], X[36:], Y[36:], plan=plans.Bootstrap(60), rng=0, n_jobs=1),
    LAPACK,
)
for metric in ("auc", "error"):
    case(
        f"learning curve, {metric}",
        lambda m=metric: trueness.learning_curve(
            LDA(), X, Y, sizes=[12, 18, 24, 30], metric=m, splits=10, extrapolate=[100], rng=0, n_jobs=1
        ),
        LAPACK,
    )
case(
    "best of",
    lambda: each(
        ("error", "auc", "mcc"),
        lambda m: (lambda b: [b.naive, b.corrected, b.models, b.shares])(
            selection.best_of(
                {"a": fits_of("two", "kfold"), "b": fits_of("another", "kfold")},
                m,
                n_resamples=100,
                rng=0,
                undefined="skip",
            )
        ),
    ),
    LAPACK,
)
case("hard cases", lambda: [selection.cases(fits_of("two", p)).table for p in ("bootstrap", "kfold repeated")], LAPACK)
CHOSEN = (rng.random((12, 5)) < [0.9, 0.8, 0.3, 0.2, 0.5]).astype(int)
case("stability", lambda: (lambda s: [s.index, s.times, s.sizes])(selection.stability(CHOSEN)))
case("selected", lambda: selection.selected(MODELS["chosen lda"], X, Y, plans.Bootstrap(8), rng=0), LAPACK)
case("weak segments", lambda: selection.weak_segments(fits_of("two", "kfold"), FRAME, least=8, rng=0).table, LAPACK)
ITEMS = pd.DataFrame(
    {
        "id": [f"q{i}" for i in range(N)],
        "passage": UNEQUAL,
        "y": Y == 1,
        "a": D1,
        "b": D2,
        "c": (S3 > 0).astype(int),
        "sa": S1,
        "sb": S2,
        "la": np.where(D1, "yes", "no"),
        "lb": np.where(D2, "yes", "no"),
        "truth": np.where(Y, "yes", "no"),
    }
)
SYSTEMS = {
    "two": {"systems": ["a", "b"]},
    "three": {"systems": ["a", "b", "c"]},
    "a baseline": {"systems": ["a", "b", "c"], "baseline": "b"},
    "clusters": {"systems": ["a", "b"], "cluster": "passage"},
    "scores": {"systems": ["sa", "sb"], "metric": "score"},
    "scores in clusters": {"systems": ["sa", "sb"], "metric": "score", "cluster": "passage"},
    "auc": {"systems": ["sa", "sb"], "truth": "y", "metric": "auc"},
    "labels": {"systems": ["la", "lb"], "truth": "truth"},
    "a margin": {"systems": ["a", "b"], "margin": 0.1},
    "runs": {"systems": ["a", "b"], "run": "seed"},
}
TWICE = pd.concat([ITEMS.assign(seed=0), ITEMS.assign(seed=1, a=np.roll(ITEMS.a, 3))], ignore_index=True)
for name, asked in SYSTEMS.items():
    case(
        f"systems, {name}",
        lambda asked=asked: (lambda k: [k.frame(), k.frame("systems"), dict(k.differences), dict(k.adjusted)])(
            systems.compare(TWICE if "run" in asked else ITEMS, item="id", **asked)
        ),
        LAPACK,
    )
LOGS = "".join(
    json.dumps({"id": f"q{i}", "model": m, "score": int(v)}) + "\n"
    for m, d in (("a", D1), ("b", D2))
    for i, v in enumerate(d)
)


def read_logs():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_text(LOGS)
        return systems.read_evals(path, score="score", item="id", system="model")


case("systems, logs", read_logs)
WEIGHTED = {
    "mean": lambda x, w: w @ x,
    "square of the mean": lambda x, w: (w @ x) ** 2,
    "spread": lambda x, w: w @ x**2 - (w @ x) ** 2,
}
STATISTICS = {"mean": np.mean, "median": np.median, "spread": np.std, "correlation": lambda x: np.corrcoef(x.T)[0, 1]}
for name, statistic in STATISTICS.items():
    data = X[:, :2] if name == "correlation" else X[:, 0]
    case(
        f"statistics, {name}",
        lambda s=statistic, x=data: [statistics.bootstrap(s, x, n_resamples=100, rng=0), statistics.jackknife(s, x)],
        LAPACK if name == "correlation" else SUMS,
    )
case("statistics, influence", lambda: {name: statistics.influence(f, X[:, 0]) for name, f in WEIGHTED.items()})
case("study, loss functions", lambda: studies.run("loss-functions", n_jobs=1))
case("study, auc estimators", lambda: studies.run("auc-estimators", trials=2, sizes=(20,), rng=0, n_jobs=1), LAPACK)
case(
    "study, own",
    lambda: studies.evaluate(
        studies.two_gaussians(2, 1.0),
        LDA(),
        {"loob": "loob", "632+": ("632+", {"rule": "printed"})},
        metric="error",
        plan=plans.Bootstrap(30),
        sizes=(15,),
        trials=3,
        n_jobs=1,
    ),
    LAPACK,
)
case(
    "bias and variance",
    lambda: studies.bias_variance(LDA(), studies.two_gaussians(2, 1.0), 20, training_sets=8, points=50, rng=0),
    LAPACK,
)


def sealed_and_opened(groups=None):
    with tempfile.TemporaryDirectory() as folder:
        table = FRAME.assign(patient=GROUPS, y=NAMES)
        table.to_csv(Path(folder) / "data.csv", index=False)
        out = Path(folder) / "study"
        sealed.seal(Path(folder) / "data.csv", "y", out=out, passphrase="correct horse", groups=groups)
        opened = sealed.unseal(
            out, LDA(), passphrase="correct horse", positive="sick", drop=() if groups else ("patient",)
        )
        return [opened.assessment, opened.number, len(pd.read_csv(out / "design.csv")), sealed.verify(out) is not None]


case("sealed", sealed_and_opened, LAPACK)
case("sealed by groups", partial(sealed_and_opened, "patient"), LAPACK)

# -- commands: numbers of the printed table, by the names of columns --------------------------------

KEPT = ("value", "se", "low", "high", "p_value", "statistic", "df", "n", "power", "threshold")
FITS = ["--target", "y", "--positive", "sick", "--drop", "patient", "--plan", "kfold:4", "--seed", "1", "--jobs", "1"]
COMMANDS = {
    "assess": ["assess", "data.csv", *FITS, "--model", "lda"],
    "assess by groups": ["assess", "data.csv", *FITS[:4], *FITS[6:], "--groups", "patient", "--model", "naive-bayes"],
    "compare": ["compare", "data.csv", *FITS, "--model", "lda", "--model", "naive-bayes"],
    "compare-systems": [
        "compare-systems",
        "items.csv",
        "--item",
        "id",
        "--system",
        "a",
        "--system",
        "b",
        "--cluster-by",
        "passage",
    ],
    "roc": ["roc", "data.csv", "--label", "y", "--positive", "sick", "--score", "a", "--score", "b"],
    "calibration": ["calibration", "p.csv", "--label", "y", "--score", "p"],
    "benefit": ["benefit", "p.csv", "--label", "y", "--score", "p"],
    "subgroups": ["subgroups", "p.csv", "--label", "y", "--score", "p", "--by", "site"],
    "diagnose": ["diagnose", "--tp", "10", "--fn", "5", "--fp", "24", "--tn", "61"],
    "size": ["size", "auc-difference", "--value", ".85", "--value", ".8", "--correlation", ".6"],
    "readers": ["readers", "readers.csv", "--modality", "treatment", "--score", "rating"],
    "check": ["check", "data.csv", "--target", "y"],
}


def commanded(name):
    with tempfile.TemporaryDirectory() as folder:
        tables = {
            "data": FRAME.assign(patient=GROUPS, y=NAMES),
            "items": ITEMS,
            "readers": VAN_DYKE,
            "p": pd.DataFrame({"y": Y, "p": P, "site": SITE}),
        }
        for file, table in tables.items():
            table.to_csv(Path(folder) / f"{file}.csv", index=False)
        words = [str(Path(folder) / w) if w.endswith(".csv") else w for w in COMMANDS[name]]
        show = warnings.showwarning
        try:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                code = run([*words, "--format", "csv"])
        finally:
            warnings.showwarning = show
        table = pd.read_csv(io.StringIO(printed.getvalue()), comment="#")
        return {"code": code, **{key: table[key].dropna().to_numpy() for key in KEPT if key in table}}


for name in COMMANDS:
    case(f"command, {name}", partial(commanded, name), LAPACK)
