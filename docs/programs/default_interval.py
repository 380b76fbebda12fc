"""Does the default interval cover? Runs the settings of `default_settings.py` and keeps what it finds.

    python docs/programs/default_interval.py --minutes 60 --kind closed   # or slow: with trees, forests, boosting
    python docs/programs/default_interval.py --print                      # the tables of docs/appendix/default-interval.md

Settings grow together, slow ones by fewer samples, and go on from what docs/programs/results holds. The truth is the mean
performance over training sets of the same size, each with its own test set. Each sample is asked by the default, by the
former one (max(NB, b + 2t, 0.9h) with the first order of t) and by the corrected t, from the same fits: 200 for closed
forms (800 with outliers), 100 where a model is fitted one by one. In the settings of `LADDER` the same designs grow from
60 to 200 fits (to 1600 in the first samples of closed forms), and the first samples are fitted with a second seed.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
from default_settings import EVERY, FAMILIES, LADDER, SHORT, Setting
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import average_precision_score, balanced_accuracy_score, f1_score, log_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.estimators.cv import fold_values, nadeau_bengio
from trueness.estimators.estimation import bind
from trueness.estimators.influence import Contrast
from trueness.estimators.influence.case_influence import CaseMeans
from trueness.estimators.influence.placement_means import PlacementMeans
from trueness.metrics import AUC, AveragePrecision, Scorer
from trueness.metrics.metric import CaseLoss
from trueness.result.interval import LOGIT
from trueness.sample import Fits, Sample

SPOILED = {s.name for name in FAMILIES if "outliers" in name for s in FAMILIES[name]} - {*LADDER}
RESULTS = Path(__file__).parent / "results"
LEARNERS = {
    "lda": LinearDiscriminantAnalysis(),
    "qda": QuadraticDiscriminantAnalysis(),
    "nb": GaussianNB(),
    "logit": LogisticRegression(),
    "ridge": RidgeClassifier(),
    "knn1": KNeighborsClassifier(1),
    "knn5": KNeighborsClassifier(5),
    "knn15": KNeighborsClassifier(15),
    "tree": DecisionTreeClassifier(random_state=0),
    "tree5": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    "forest": RandomForestClassifier(30, random_state=0),
    "forest3": RandomForestClassifier(20, min_samples_leaf=3, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=50, max_depth=2, random_state=0),
    "ranks": make_pipeline(
        QuantileTransformer(n_quantiles=50, output_distribution="normal"), LinearDiscriminantAnalysis()
    ),
    "best1": make_pipeline(SelectKBest(k=1), GaussianNB()),
}
ONE_BY_ONE = ("tree", "tree5", "forest", "forest3", "boosting", "ranks", "best1")
SLOWEST = ("forest", "forest3", "boosting")
LEVELS = (60, 100, 200, 400, 800, 1600)
COLUMNS = (
    *(
        "value",
        "se",
        "low",
        "high",
        "former low",
        "former high",
        "corrected low",
        "corrected high",
        "noted",
        "se_mc_se",
    ),
    *("nadeau_bengio", "test", "training", "covariance", "first order", "largest", "few cases", "few replicates"),
    *("within", "all pairs"),
)
TERMS = COLUMNS[10:14]
TRAINING_SETS, TEST_CASES, TEST_CASES_OF_SETS, CASES_PER_NEW_SITE = 50, 2000, 10_000, 20
LONG, TWICE = 3, 10  # samples with 1600 fits, and with a second seed
GROUP_SHIFT = 0.7


def tpf_at(y: np.ndarray, score: np.ndarray) -> float:
    """TPF at an FPF of 0.1: the empirical ROC curve, with straight lines between its points."""
    order = np.argsort(-score, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)
    tpf, fpf = (np.append(0, np.cumsum(of[order])[ends]) / of.sum() for of in (y == 1, y == 0))
    return float(np.interp(0.1, fpf, tpf))


METRICS = {
    "error": "error",
    "AUC": "auc",
    "average precision": AveragePrecision(),
    "TPF at FPF .1": Scorer(tpf_at, limits=(0.0, 1.0)),
    "log loss": "log_loss",
    "Brier score": "brier",
    "F1": "f1",
    "balanced accuracy": "balanced_accuracy",
}
OF_SETS = ("average precision", "TPF at FPF .1")
OF_PROBABILITIES = ("log loss", "Brier score")


def drawn(
    s: Setting, rng: np.random.Generator, n: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Features, labels and groups of one sample; of n cases for a test set."""
    if s.sites is not None:
        return of_sites(s, rng, n)
    if "3 classes" in s.name:
        y = np.repeat([0, 1, 2], int(s.sizes[0]) if n is None else n // 3)
    elif s.cohort:
        least = 10 if s.metrics[0] in OF_SETS else 4
        y = np.zeros(1, dtype=int)
        while np.bincount(y, minlength=2).min() < least:
            y = (rng.random(int(s.sizes[0]) if n is None else n) < s.sizes[1]).astype(int)
    else:
        share = s.sizes[1] / sum(s.sizes)
        y = np.repeat([0, 1], [int(v) for v in s.sizes] if n is None else [n - int(n * share), int(n * share)])
    X, groups = s.draw(rng, y), None
    if s.groups > 1:
        groups = np.arange(len(y)) // s.groups
        X = X + GROUP_SHIFT * rng.normal(size=(groups.max() + 1, X.shape[1]))[groups]
    return X, y, groups


def of_sites(s: Setting, rng: np.random.Generator, n: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sites that hold both classes; at least four of them have positives."""
    assert s.sites is not None
    number, cases, sd, share = s.sites
    if n is not None:
        number, cases = n // CASES_PER_NEW_SITE, CASES_PER_NEW_SITE
    site = np.repeat(np.arange(number), cases)
    y = np.zeros(len(site), dtype=int)
    while len(np.unique(site[y == 1])) < 4:
        y = (rng.random(len(site)) < share).astype(int)
    X = s.draw(rng, y)
    for column in (0, X.shape[1] // 2) if s.null else (0,):
        X[:, column] += sd * rng.normal(size=number)[site]
    return X, y, site


def learner(name: str, X: np.ndarray) -> tuple[object, np.ndarray]:
    """The learner and the columns it sees: "lda.a" is LDA on the first half."""
    base, _, block = name.partition(".")
    half = X.shape[1] // 2
    return LEARNERS[base], X if not block else X[:, :half] if block == "a" else X[:, half:]


def one_by_one(s: Setting, kinds: tuple[str, ...] = ONE_BY_ONE) -> bool:
    """Whether a learner is fitted one by one."""
    return any(name.partition(".")[0] in kinds for name in s.learners)


def fits_of(s: Setting) -> int:
    """100 where a learner is fitted one by one; 800 with outliers, as closed forms have so many by default and fewer do not
    show what single cases do; 200 otherwise."""
    return 100 if one_by_one(s) else 800 if s.name in SPOILED else 200


def scores_of(model, X: np.ndarray) -> np.ndarray:
    """What an AUC ranks by."""
    if isinstance(model, GaussianNB):
        return np.diff(model.predict_joint_log_proba(X))[:, 0]
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict_proba(X)[:, 1]


TRUTH = {
    "error": lambda model, X, y: np.mean(model.predict(X) != y),
    "AUC": lambda model, X, y: (
        roc_auc_score(y, scores_of(model, X))
        if y.max() == 1
        else roc_auc_score(y, model.predict_proba(X), multi_class="ovr")
    ),
    "average precision": lambda model, X, y: average_precision_score(y, scores_of(model, X)),
    "TPF at FPF .1": lambda model, X, y: tpf_at(y, scores_of(model, X)),
    "log loss": lambda model, X, y: log_loss(y, model.predict_proba(X)),
    "Brier score": lambda model, X, y: np.mean((model.predict_proba(X)[:, 1] - y) ** 2),
    "F1": lambda model, X, y: f1_score(y, model.predict(X), average="macro"),
    "balanced accuracy": lambda model, X, y: balanced_accuracy_score(y, model.predict(X)),
}


def truth(s: Setting, rng: np.random.Generator) -> np.ndarray:
    """(sets, 6) performance of rules trained on samples of this size, and the differences."""
    rows, sets = [], s.metrics[0] in OF_SETS
    for _ in range(TRAINING_SETS // (2 if one_by_one(s, SLOWEST) else 1)):
        (X, y, _), (X_test, y_test, _) = drawn(s, rng), drawn(s, rng, TEST_CASES_OF_SETS if sets else TEST_CASES)
        row: list[float] = []
        for name in s.learners:
            (model, own), (_, test) = learner(name, X), learner(name, X_test)
            rule = clone(model).fit(own, y)
            row += [float(TRUTH[metric](rule, test, y_test)) for metric in s.metrics]
        rows.append([*row, row[0] - row[2], row[1] - row[3]])
    return np.array(rows)


def first_order(c: Contrast) -> list[float]:
    """Of the former default t = Σ β (τ² − ν), from the influence of single training cases less the noise of finitely
    many replicates; |τ| of the largest; Σ τ⁴/(Σ τ²)², and the same of the replicates' sums of residuals."""
    bootstrap = c.part(1)
    design = bootstrap.fits.design
    tau, nu, moved = np.zeros(design.n_units), np.zeros(design.n_units), []
    if isinstance(c.metric, CaseLoss):
        means = CaseMeans.over(replace(bootstrap, undefined="skip"))
    else:
        means = PlacementMeans.over(bootstrap)
    for block in means.blocks():
        total, y = block.total, means.training_noise(block.counts, design.unit_sums(block.each), block.total)
        tau, nu = tau + y.sum(axis=0), nu + (y**2).sum(axis=0)
        moved.append(total)
    r, m = np.concatenate(moved), np.bincount(design.strata)[design.strata]
    beta = m / np.maximum(m - 1, 1)
    return [
        float((beta * (tau**2 - nu)).sum()),
        float(np.abs(tau).max()),
        *(float((x**4).sum() / max((x**2).sum() ** 2, 1e-300)) for x in (tau, r)),
    ]


def former(nb: float, b: float, ab: float, t: float) -> float:
    """The variance of the former default."""
    return max(nb, b + 2 * max(t, 0.0), 0.9 * (b + t + 2 * ab))


def asked(s: Setting, rules: list[Fits], whole: bool) -> np.ndarray:
    """(6, columns) of one number of fits; only the default where not `whole`."""
    out = np.full((6, len(COLUMNS)), math.nan)
    for q in range(6):
        a, b = (rules[q // 2 % 2], None) if q < 4 else rules
        metric = METRICS[s.metrics[q % 2]]
        try:
            e = (
                trueness.estimate(a, metric, "cv+training")
                if b is None
                else trueness.difference(a, b, metric, "cv+training")
            )
        except trueness.errors.InputError:
            continue
        if e.se is None:
            continue
        noted = any(e.noted(code) for code in ("few-cases-decide", "scores-not-comparable"))
        out[q, :4] = e.value, e.se, *e.ci()
        out[q, 8:10] = noted, math.nan if e.se_mc_se is None else e.se_mc_se
        if not whole:
            continue
        cv = trueness.estimate(a, metric, "cv") if b is None else trueness.difference(a, b, metric, "cv")
        if s.metrics[0] in OF_SETS:  # before, the mean over test folds with Nadeau and Bengio's standard error
            values = [
                fold_values(Contrast(f.parts[0], bind(f, metric), undefined="skip")) for f in (a, b) if f is not None
            ]
            folds = values[0] if b is None else values[0] - values[1]
            cv = nadeau_bengio(cv.with_(value=float(np.nanmean(folds))), folds, a.parts[0])
            cv = cv.with_(interval=LOGIT, bounds=(0.0, 1.0)) if b is None else cv
            out[q, 4:6] = out[q, 6:8] = cv.ci()
            continue
        if cv.se is not None:
            out[q, 6:8] = cv.ci()
        v, bound = e.provenance["variance"], bind(a, metric)
        out[q, 10:14] = [v[name] for name in TERMS]
        if not isinstance(bound, (CaseLoss, AUC)):
            continue
        out[q, 14:18] = first_order(Contrast(a, bound, b))
        if "pairs" in e.provenance:
            out[q, 18:] = [e.provenance["pairs"][name] for name in ("within_groups", "all_pairs")]
        if s.sites is None or bound.name == "error":
            nb = v["nadeau_bengio"] or (cv.se or 0.0) ** 2  # left out of differences where groups hold both classes
            before = math.sqrt(former(nb, v["test"], v["covariance"], out[q, 14]))
            now = max(v["nadeau_bengio"], t := v["test"] + v["training"], 0.9 * (t + 2 * v["covariance"]))
            floor = e.se if e.se > math.sqrt(now) * (1 + 1e-9) else 0.0
            out[q, 4:6] = e.with_(se=max(before, floor)).ci()
    return out


def sampled(s: Setting, k: int, seed: np.random.SeedSequence) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of sample k: (6, columns) with the usual number of fits; (levels, 6, 4) value, se and limits by number of fits; and
    the same of a second seed."""
    rng, usual = np.random.default_rng(seed), fits_of(s)
    X, y, groups = drawn(s, rng)
    sample, most = Sample.of(y, groups=groups), usual
    if s.name in LADDER:
        most = 1600 if k < LONG and not one_by_one(s) else 100 if one_by_one(s, SLOWEST) else 200
    found, ladder = np.full((6, len(COLUMNS)), math.nan), np.full((2, len(LEVELS), 6, 4), math.nan)
    for again in range(2 if k < TWICE and s.name in LADDER else 1):
        number_of, rules = int(rng.integers(2**31)), [None, None]
        for level, number in enumerate(LEVELS):
            if number > most or (number != usual and s.name not in LADDER):
                continue
            design = trueness.CvBootstrap.of_fits(number, sample).draw(sample, rng=number_of)
            for i, name in enumerate(s.learners):
                model, columns = learner(name, X)
                scores = "predict_proba" if s.metrics[0] in OF_PROBABILITIES else "auto"
                rules[i] = trueness.fit(model, columns, y, design, progress=False, earlier=rules[i], scores=scores)
            answers = asked(s, rules, whole := number == usual and not again)
            ladder[again, level] = answers[:, :4]
            found = answers if whole else found
    return found, ladder[0], ladder[1]


def path_of(s: Setting, out: Path = RESULTS) -> Path:
    return out / (s.name.replace(" ", "_").replace("+", "-") + ".npz")


def go_on(s: Setting, samples: int, out: Path) -> None:
    """So many more samples."""
    path, seeds = path_of(s, out), np.random.SeedSequence(zlib.crc32(s.name.encode()) + 3)
    kept = {}
    if path.exists():
        with np.load(path) as file:
            kept = dict(file)
    else:
        known = truth(s, np.random.default_rng(seeds.spawn(1)[0]))
        kept["truth"] = np.stack([known.mean(axis=0), known.std(axis=0) / math.sqrt(len(known))])
    done = len(kept.get("found", ()))
    some = [
        sampled(s, k, np.random.SeedSequence(seeds.entropy, spawn_key=(k + 1,))) for k in range(done, done + samples)
    ]
    for name, each in zip(("found", "ladder", "again"), zip(*some, strict=True), strict=True):
        rounded = short(np.array(each))
        if name == "again" or (name == "ladder" and s.name not in LADDER):
            rounded = rounded[: max(0, TWICE - done)]
        kept[name] = np.concatenate([kept[name], rounded]) if name in kept else rounded
    whole = path.with_suffix(".new.npz")
    np.savez_compressed(whole, **kept)
    whole.replace(path)  # never half a file


def short(x: np.ndarray) -> np.ndarray:
    """As 32-bit numbers with 14 bits after the leading one, which compress well."""
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + np.uint32(0x100)) & np.uint32(0xFFFFFE00)).view(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--kind", choices=("closed", "slow"), default="closed")
    parser.add_argument("--all", action="store_true", help="all settings, not those of SHORT alone")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--print", action="store_true", help="print the tables of what is there, run nothing")
    options = parser.parse_args()
    if options.print:
        from default_tables import main as tables

        tables(options.out)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    end, rounds = time.monotonic() + 60 * options.minutes, 0
    some = [s for name, s in EVERY.items() if options.all or name in SHORT]
    some = [s for s in some if one_by_one(s) == (options.kind == "slow")]
    while time.monotonic() < end:
        for s in some:
            begun = (
                time.process_time()
            )  # each round gives as much time to each setting, so that slow ones get fewer samples
            while time.monotonic() < end and time.process_time() - begun < (3 if one_by_one(s) else 1):
                go_on(s, 1 if one_by_one(s) else 2, options.out)
        rounds += 1
        print(f"{rounds} rounds", flush=True)


if __name__ == "__main__":
    main()
