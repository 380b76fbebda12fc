"""Every public callable with the kind of input it takes and the laws it obeys. A test compares the table with the
public names: what is new and requires other arguments than those of BY_NAMES needs a line here, or a reason in
NOT_FUZZED."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from inputs import (
    cells,
    decided,
    features,
    ints,
    labels,
    levels,
    numbers,
    paired,
    scored,
    scored_fits,
    seeds,
    shares,
    tables,
    two_sets,
)
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

import trueness
from files import STUDY, content, forging, places, reading, sealing, unsealing, verifying
from trueness import comparisons as C
from trueness import displays, metrics, statistics, studies
from trueness.estimators import available
from trueness.result.shown import Result

just, fixed = st.just, st.fixed_dictionaries


@dataclass(frozen=True)
class Target:
    """A callable, a strategy of valid keyword arguments, laws by name, and how many cheap calls one call is worth."""

    function: Callable[..., Any]
    kind: st.SearchStrategy[dict[str, Any]]
    laws: tuple[str, ...] = ()
    cost: int = 1

    @property
    def parameters(self) -> tuple[str, ...]:
        found = inspect.signature(self.function).parameters.values()
        return tuple(p.name for p in found if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL))


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """All public callables by name: trueness's own, and those of its public modules, each once, without results."""
    top = {id(getattr(trueness, name)) for name in trueness.__all__}
    for name in trueness.__all__:
        found = getattr(trueness, name)
        if isinstance(found, ModuleType):
            inside = getattr(found, "__all__", None) or [
                n for n, v in vars(found).items() if n[0] != "_" and _own(found, v)
            ]
            values = {n: getattr(found, n) for n in inside}
            yield from (
                (f"{name}.{n}", v) for n, v in values.items() if callable(v) and id(v) not in top and not _made(v)
            )
        elif callable(found):
            yield name, found


def _made(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Result)


def _own(module: ModuleType, value: object) -> bool:
    return callable(value) and getattr(value, "__module__", "") == module.__name__


NOT_FUZZED = {
    "errors.FitError": "an error",
    "errors.InputError": "an error",
    "errors.TruenessError": "an error",
    "errors.TruenessWarning": "a warning",
    "errors.LongRunWarning": "a warning",
    "errors.typeset": "renders messages",
    "errors.UndefinedError": "an error",
    "errors.escape": "renders messages",
    "errors.visible": "renders messages",
    "load": "reads what to_json wrote: tests/result/test_load.py",
    "metrics.CaseLoss": "abstract",
    "metrics.aliases": "takes nothing",
    "plans.Plan": "abstract",
    "metrics.Metric": "abstract",
    "metrics.SetMetric": "abstract",
    "studies.Claim": "made by studies",
    "studies.Population": "abstract",
    "studies.StudyFailed": "an error",
    "studies.Trial": "made by studies",
    "comparisons.tests": "takes nothing",
    "metrics.names": "takes nothing",
    "studies.names": "takes nothing",
}

rng = just(0)
RANKING, CURVE = ("order", "monotone", "relabel", "double"), ("order", "relabel")
COUNTS = fixed({"tp": cells, "fn": cells, "fp": cells, "tn": cells})
few = just(20)  # of resamples
PLANS = {
    "Bootstrap": {"n_resamples": st.integers(1, 20)},
    "CvBootstrap": {"n_folds": st.integers(2, 4), "repeats": st.integers(1, 3), "n_resamples": st.integers(1, 9)},
    "CvHalves": {"n_folds": just(2), "repeats": just(1), "halvings": st.integers(1, 3), "inner_folds": just(2)},
    "Holdout": {"test_size": st.floats(0.2, 0.6)},
    "KFold": {"n_folds": st.integers(2, 5), "repeats": st.integers(1, 3)},
    "LeaveOneOut": {},
    "MonteCarlo": {"n_splits": st.integers(1, 5), "test_size": st.floats(0.2, 0.6)},
    "NestedKFold": {"n_folds": just(3), "repeats": st.integers(1, 2)},
    "PairedSubsampling": {"n_splits": just(2), "inner": just(2), "test_size": just(0.3)},
}
stratified = st.sampled_from([True, False, "fixed"])


def drawn(plan: type[Any]) -> Callable[..., Any]:
    """A function of the plan's parameters and those of `draw`."""

    def draw(y: Any, groups: Any = None, rng: Any = 0, **given: Any) -> Any:
        return plan(**given).draw(y, groups=groups, rng=rng)

    own = [p.replace(kind=p.KEYWORD_ONLY) for p in inspect.signature(plan).parameters.values()]
    draw.__signature__ = inspect.Signature([*list(inspect.signature(draw).parameters.values())[:3], *own])  # type: ignore[attr-defined]
    return draw


def plan_target(name: str) -> Target:
    plan = getattr(trueness.plans, name)
    more = PLANS[name] | ({"stratified": stratified} if "stratified" in inspect.signature(plan).parameters else {})
    return Target(drawn(plan), fixed({"y": labels(6, 12), **more}))


def untrained(y: Any) -> np.ndarray:
    """Counts of a test set."""
    shape = getattr(y, "shape", None)  # a sparse matrix has no length
    n = (shape or (1,))[0] if shape is not None else len(y) if hasattr(y, "__len__") else 1
    return np.zeros(n, int)


def measured(metric: str) -> Callable[..., Any]:
    """A metric on scores in [0, 1] of a test set."""

    def ask(y: Any, scores: Any, threshold: Any = 0.5, positive: Any = None, groups: Any = None) -> Any:
        fits = trueness.Fits.from_arrays(y, untrained(y), scores, threshold=threshold, positive=positive, groups=groups)
        needed = metrics.resolve(metric).needs == "probabilities"
        return trueness.estimate(fits.with_probabilities() if needed else fits, metric, "holdout")

    return ask


@st.composite
def probable(draw: st.DrawFn) -> dict[str, Any]:
    y = draw(labels())
    return {"y": y, "scores": draw(ints(len(y), 1, 15)) / 16}


def as_p(given: dict[str, Any]) -> dict[str, Any]:
    return {"y": given["y"], "p": given["scores"]}


def fits_of(y: Any, counts: Any, scores: Any, full_scores: Any = None, **more: Any) -> trueness.Fits:
    return trueness.Fits.from_arrays(y, counts, scores, full_scores, threshold=0.5, **more)


def kfold_fits(X: Any, y: Any) -> trueness.Fits:
    return trueness.fit(LDA(), X, y, trueness.KFold(3), rng=0)


def estimated(
    y, counts, scores, full_scores=None, metric="auc", method="lpob", se=None, undefined="raise", positive=None
):
    return trueness.estimate(
        fits_of(y, counts, scores, full_scores, positive=positive), metric, method, se=se, undefined=undefined
    )


def differing(y, counts, scores, full_scores=None, metric="auc", method="lpob", se=None, undefined="raise", turn=False):
    fits = fits_of(y, counts, scores, full_scores)
    other = replace(fits, held=fits.held * 0.5) if turn is True else fits
    return trueness.difference(fits, other, metric, method, se=se, undefined=undefined)


METHODS = [
    (m, e.name) for m in ("auc", "error", "mcc", "brier") for e in available("bootstrap", trueness.metrics.resolve(m))
]
of_bootstrap = st.tuples(scored_fits(), st.sampled_from(METHODS)).map(
    lambda t: t[0] | dict(zip(("metric", "method"), t[1], strict=True))
)


def difference_of_tests(y: Any, p1: Any, p2: Any, measure: str = "tpf") -> Any:
    first, second = trueness.diagnose(y, p1), trueness.diagnose(y, p2)
    return first.versus(second).difference(measure) if hasattr(first, "versus") else first  # not of three classes


def items(y: Any, p1: Any, p2: Any) -> pd.DataFrame:
    return pd.DataFrame({"id": np.arange(len(y)), "truth": y, "a": p1, "b": p2})


@st.composite
def item_frames(draw: st.DrawFn) -> dict[str, Any]:
    return {"frame": items(**draw(decided("p1", "p2"))), "systems": ["a", "b"], "truth": "truth"}


@st.composite
def reader_frames(draw: st.DrawFn) -> dict[str, Any]:
    """Two to four readers, one or two modalities, ratings; some readings are missing."""
    y = draw(labels(6, 12))
    n_readers, n_modalities = draw(st.integers(2, 4)), draw(st.integers(1, 2))
    rows = [(m, j, i, y[i]) for m in range(n_modalities) for j in range(n_readers) for i in range(len(y))]
    frame = pd.DataFrame(rows, columns=["modality", "reader", "case", "truth"])
    frame["score"] = draw(ints(len(rows), 1, 5))
    gone = draw(st.integers(0, 2))
    modality = "modality" if n_modalities > 1 else None
    method, random = draw(st.sampled_from(["or", "u"])), draw(st.sampled_from(["both", "readers", "cases"]))
    return {"frame": frame.iloc[: len(frame) - gone], "modality": modality, "method": method, "random": random}


@st.composite
def prediction_frames(draw: st.DrawFn) -> dict[str, Any]:
    found = draw(scored("scores"))
    frame = pd.DataFrame({"case": np.arange(len(found["y"])), "truth": found["y"], "score": found["scores"]})
    return {"frame": frame, "case": "case", "truth": "truth", "score": "score"}


@st.composite
def splits(draw: st.DrawFn) -> dict[str, Any]:
    y = draw(labels(4, 8))
    order = np.random.default_rng(draw(seeds)).permutation(len(y))
    return {
        "splits": [(order[k::3], np.setdiff1d(order, order[k::3])) for k in range(3)][: draw(st.integers(1, 3))],
        "y": y,
    }


def read_lines(text: Any, score: Any = None, filter: Any = None) -> Any:
    return trueness.systems.read_evals(io.StringIO(text) if isinstance(text, str) else text, score=score, filter=filter)


def cv_results(X: Any, y: Any, positive: Any = None, groups: Any = None) -> Any:
    result = cross_validate(GaussianNB(), *CLEAN, cv=3, return_estimator=True, return_indices=True)
    return trueness.Fits.from_cv_results(result, X, y, positive, groups)


CLEAN = (np.random.default_rng(0).normal(size=(18, 2)) + 1.5 * (np.arange(18) % 2)[:, None], np.arange(18) % 2)
POPULATION = studies.two_gaussians(2, 1.0)


def in_two(a: dict[str, Any]) -> dict[str, Any]:
    """The same cases to train and to test."""
    X, y = a.pop("X"), a.pop("y")
    return a | {"X_train": X, "y_train": y, "X_test": X, "y_test": y}


def mean(x: np.ndarray) -> float:
    return float(np.mean(x))


def weighted_mean(x: np.ndarray, weights: np.ndarray) -> float:
    return float(weights @ x)


def values(n: int = 15) -> st.SearchStrategy[np.ndarray]:
    return st.integers(3, n).flatmap(numbers)


def closed(*names: str, **more: Any) -> st.SearchStrategy[dict[str, Any]]:
    return fixed({name: shares for name in names} | more)


SCORES, PAIR, RANDOM = scored("scores"), scored("s1", "s2"), {"rng": rng}
QUIET = {"rng": rng, "progress": just(False)}
SMALL = {"points": just(10), "rng": rng}
SIDES = ("order", "relabel", "swap")
TARGETS: dict[str, Target] = {
    # plans and samples
    **{name if name in trueness.__all__ else f"plans.{name}": plan_target(name) for name in PLANS},
    "plans.Splits": Target(
        lambda splits, y, groups=None, rng=0: trueness.plans.Splits(splits).draw(y, groups=groups, rng=rng), splits()
    ),
    "sample.Sample": Target(trueness.sample.Sample.of, features()),
    "Fits": Target(trueness.Fits.from_arrays, scored_fits()),
    "Fits.several": Target(trueness.Fits.from_arrays, scored_fits(3)),
    "Fits.from_frame": Target(trueness.Fits.from_frame, prediction_frames()),
    "Fits.from_cv_results": Target(cv_results, just({"X": CLEAN[0], "y": CLEAN[1]}), cost=20),
    "Estimate": Target(
        lambda level, method=None: trueness.Estimate(0.5, 0.1, bounds=(0.0, 1.0), cases=9).ci(level, method),
        fixed({"level": levels, "method": st.sampled_from([None, "wald", "logit", "wilson", "continuity"])}),
    ),
    "systems.read_evals": Target(read_lines, fixed({"text": st.text(max_size=60) | just('{"id": 1, "score": 0.5}\n')})),
    # files, and what other programs made
    "sealed.seal": Target(
        sealing,
        fixed({"test_size": st.floats(0.2, 0.6), "groups": st.sampled_from([None, "g"])}),
        cost=20,
    ),
    "sealed.seal.time": Target(sealing, fixed({"test_size": st.floats(0.2, 0.6), "time": just("t")}), cost=20),
    "sealed.seal.bytes": Target(sealing, content.map(lambda data: {"data": data or b"y,a\n"})),
    "sealed.verify": Target(verifying, fixed({"name": st.sampled_from(STUDY), "at": places, "new": content}), cost=2),
    "sealed.verify.forged": Target(
        forging,
        fixed(
            {
                "field": st.sampled_from(
                    ["sha256", "design", "cases", "source", "key", "salt", "target", "event", "time"]
                ),
                "value": st.sampled_from([None, 1, "x", "../x", [], {}, {"../data.csv": "x"}, {"test": 1}, "é", 1e308]),
            }
        ),
        cost=2,
    ),
    "sealed.unseal": Target(unsealing, fixed({"name": st.sampled_from(STUDY), "at": places, "new": content}), cost=40),
    "files.read_model": Target(reading, fixed({"at": places, "new": content}), cost=4),
    # fits
    "fit": Target(trueness.fit, features(model=just(LDA()), design=just(trueness.Bootstrap(5)), **QUIET), cost=8),
    "estimate": Target(estimated, of_bootstrap, ("order", "relabel"), cost=2),
    "difference": Target(differing, of_bootstrap, cost=4),
    "assess": Target(trueness.assess, features(model=just(LDA()), plan=just(trueness.KFold(3, 2)), **QUIET), cost=40),
    "compare": Target(
        trueness.compare,
        features(models=just([LDA(), GaussianNB()]), plan=just(trueness.KFold(3, 2)), **QUIET),
        cost=40,
    ),
    "two_sets": Target(
        trueness.two_sets,
        features(model=just(LDA()), plan=just(trueness.Bootstrap(12)), train_sizes=just((0.5,)), **QUIET).map(in_two),
        cost=40,
    ),
    "curves.guarantee": Target(
        trueness.curves.guarantee,
        scored("scores", least=8, tpf=st.sampled_from([0.2, 0.5, 0.7]), confidence=st.sampled_from([0.6, 0.8])),
        cost=2,
    ),
    "subgroups": Target(
        lambda y, scores, by, least=2, level=0.95: trueness.subgroups(y, scores, by=by, least=least, level=level),
        scored("scores", least=8).flatmap(
            lambda g: fixed({k: just(v) for k, v in g.items()} | {"by": ints(len(g["y"]), 0, 2), "level": levels})
        ),
        cost=20,
    ),
    "learning_curve": Target(
        trueness.learning_curve, features(least=10, model=just(LDA()), splits=just(4), **QUIET), cost=40
    ),
    "selection.weak_segments": Target(
        lambda X, y, least=2, level=0.95, rng=0: trueness.selection.weak_segments(
            kfold_fits(X, y), X, least=least, level=level, rng=rng
        ),
        features(least=12, rng=rng),
        cost=20,
    ),
    "selection.selected": Target(
        trueness.selection.selected, features(model=just(LDA()), plan=just(trueness.KFold(3)), rng=rng), cost=40
    ),
    "selection.best_of": Target(
        lambda X, y, metric="error", n_resamples=20, level=0.95, rng=0: trueness.selection.best_of(
            {"a": kfold_fits(X, y), "b": kfold_fits(np.asarray(X)[:, :1], y)},
            metric,
            n_resamples=n_resamples,
            level=level,
            rng=rng,
        ),
        features(),
        cost=40,
    ),
    "selection.cases": Target(
        lambda y, counts, scores, full_scores: trueness.selection.cases(fits_of(y, counts, scores, full_scores)),
        scored_fits(),
        cost=2,
    ),
    "report.checklist": Target(
        trueness.report.checklist,
        fixed(
            {
                "name": st.sampled_from(["tripod+ai", "CLAIM", "stard", "x"]),
                "assessment": just(trueness.assess(LDA(), *CLEAN, plan=trueness.KFold(3), rng=0, checks=False)),
            }
        ),
        cost=8,
    ),
    "check": Target(trueness.check, features(), cost=40),
    "selection.stability": Target(
        trueness.selection.stability,
        fixed(
            {
                "selected": st.tuples(st.integers(2, 6), st.integers(2, 6)).flatmap(lambda s: ints(s, 0, 1)),
                "level": levels,
            }
        ),
    ),
    # probabilities
    "calibration": Target(trueness.calibration, probable().map(as_p), ("order",), cost=20),
    "decision_curve": Target(
        lambda y, p, thresholds=(0.2, 0.5), prevalence=None, positive=None, groups=None: trueness.decision_curve(
            y, p, thresholds=thresholds, prevalence=prevalence, positive=positive, groups=groups
        ),
        probable().map(as_p),
        ("order",),
        cost=20,
    ),
    # curves
    "roc": Target(trueness.roc, SCORES, RANKING, cost=2),
    "curves.ScoreCounts": Target(trueness.curves.ScoreCounts.of, SCORES, RANKING[:3], cost=2),
    "roc.fitted": Target(
        trueness.roc, scored("scores", method=st.sampled_from(["binormal", "semiparametric", "normal"])), CURVE, cost=20
    ),
    "roc.tpf_at": Target(
        lambda y, scores, fpf, positive=None, groups=None: trueness.roc(
            y, scores, positive=positive, groups=groups
        ).tpf_at(fpf),
        scored("scores", fpf=shares),
        RANKING[:3],
        cost=2,
    ),
    "roc.fpf_at": Target(
        lambda y, scores, tpf, positive=None, groups=None: trueness.roc(
            y, scores, positive=positive, groups=groups
        ).fpf_at(tpf),
        scored("scores", tpf=shares),
        RANKING[:3],
        cost=2,
    ),
    "roc.partial_auc": Target(
        lambda y, scores, fpf, standardized=False, tpf=None, positive=None: trueness.roc(
            y, scores, positive=positive
        ).partial_auc(fpf, tpf, standardized),
        scored("scores", fpf=shares.map(lambda t: (0.0, t)), standardized=st.booleans()),
        RANKING,
        cost=2,
    ),
    "roc.at": Target(
        lambda y, scores, threshold: trueness.roc(y, scores).at(threshold),
        scored("scores", threshold=shares),
        ("order",),
    ),
    "roc.threshold_at": Target(
        lambda y, scores, fpf=None, tpf=None, level=0.95: (
            trueness.roc(y, scores).threshold_at(fpf=fpf, tpf=tpf).ci(level)
        ),
        scored("scores", fpf=shares),
        ("order",),
    ),
    "roc.hull": Target(lambda y, scores: trueness.roc(y, scores).hull(), SCORES, ("order",)),
    "roc.best": Target(
        lambda y, scores, criterion=None, tpf=None, fpf=None, costs=None, prevalence=None, n_resamples=20, rng=0: (
            trueness.roc(y, scores).best(
                criterion, tpf=tpf, fpf=fpf, costs=costs, prevalence=prevalence, n_resamples=n_resamples, rng=rng
            )
        ),
        SCORES,
        cost=4,
    ),
    "roc.band": Target(
        lambda y, scores, level, method=None, n_resamples=20, rng=0: trueness.roc(y, scores).band(
            level, method, n_resamples=n_resamples, rng=rng
        ),
        scored(
            "scores", level=levels, method=st.sampled_from([None, "kolmogorov", "binomial", "vertical", "bootstrap"])
        ),
        cost=8,
    ),
    "pr": Target(trueness.pr, SCORES, RANKING[:3], cost=2),
    "pr.bootstrap": Target(
        lambda y, scores, area="auc", n_resamples=20, rng=0: trueness.pr(y, scores).bootstrap(area, n_resamples, rng),
        SCORES,
        cost=8,
    ),
    "pr.interpolated": Target(
        lambda y, scores, n_points=11: trueness.pr(y, scores).interpolated(n_points), SCORES, ("order", "monotone")
    ),
    "curves.operating_points": Target(
        lambda X, y, n_points=5: trueness.curves.operating_points(kfold_fits(X, y), n_points=n_points),
        features(),
        cost=20,
    ),
    "curves.operating_points.test": Target(
        lambda X, y, point=1, measure="fpf", level=0.95: trueness.curves.operating_points(
            kfold_fits(X, y), n_points=5
        ).test(point, measure, level=level),
        features(),
        cost=20,
    ),
    "curves.operating_points.choose": Target(
        lambda X, y, criterion=None, tpf=None, fpf=None, costs=None, prevalence=None: trueness.curves.operating_points(
            kfold_fits(X, y), n_points=5
        ).choose(criterion, tpf=tpf, fpf=fpf, costs=costs, prevalence=prevalence),
        features(),
        cost=20,
    ),
    "curves.multiclass_roc": Target(
        lambda X, y, n_points=5, n_starts=10, n_steps=2, rng=0: trueness.curves.multiclass_roc(
            kfold_fits(X, y), n_points=n_points, n_starts=n_starts, n_steps=n_steps, rng=rng
        ),
        features(3),
        cost=40,
    ),
    "displays.RocCurveDisplay": Target(
        displays.RocCurveDisplay.from_predictions,
        SCORES.map(lambda a: {"y_true": a["y"], "y_score": a["scores"]}),
        cost=200,
    ),
    "displays.PrecisionRecallDisplay": Target(
        displays.PrecisionRecallDisplay.from_predictions,
        SCORES.map(lambda a: {"y_true": a["y"], "y_score": a["scores"]}),
        cost=200,
    ),
    # tables
    "diagnose": Target(trueness.diagnose, decided("predictions"), ("order", "relabel"), cost=4),
    "diagnose.counts": Target(trueness.diagnose, COUNTS, ("double",), cost=4),
    "diagnose.several": Target(trueness.diagnose, decided("predictions", classes=3), ("order",), cost=8),
    "diagnose.cost": Target(
        lambda tp, fn, fp, tn, matrix: trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn).cost(matrix),
        st.tuples(COUNTS, ints((2, 2), 0, 9)).map(lambda t: t[0] | {"matrix": t[1].astype(float)}),
        ("double",),
    ),
    "diagnose.f_beta": Target(
        lambda tp, fn, fp, tn, beta: trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn).f_beta(beta),
        st.tuples(COUNTS, st.floats(0, 5)).map(lambda t: t[0] | {"beta": t[1]}),
        ("double",),
    ),
    "diagnose.joint_region": Target(
        lambda tp, fn, fp, tn, level: trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn).joint_region(level),
        st.tuples(COUNTS, levels).map(lambda t: t[0] | {"level": t[1]}),
    ),
    "diagnose.post_test": Target(
        lambda tp, fn, fp, tn, pre_test: trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn).post_test(pre_test),
        st.tuples(COUNTS, shares).map(lambda t: t[0] | {"pre_test": t[1]}),
    ),
    "diagnose.versus": Target(
        difference_of_tests,
        decided("p1", "p2"),
        ("order", "swap"),
        cost=2,
    ),
    "tables.confusion": Target(trueness.tables.confusion, decided("predictions"), ("order",)),
    "tables.proportion_interval": Target(
        trueness.tables.proportion_interval,
        st.integers(1, 60).flatmap(
            lambda n: fixed(
                {
                    "x": st.integers(0, n),
                    "n": just(n),
                    "level": levels,
                    "method": st.sampled_from(
                        ["wilson", "wilson-cc", "exact", "mid-p", "agresti-coull", "jeffreys", "wald", "x"]
                    ),
                }
            )
        ),
    ),
    "tables.coverage": Target(
        trueness.tables.coverage,
        fixed({"method": st.sampled_from(["wilson", "exact", "wald"]), "n": st.integers(1, 30), "p": shares}),
    ),
    "tables.cost_threshold": Target(
        trueness.tables.cost_threshold, fixed({"costs": ints((2, 2), 0, 9), "abstain": st.none() | st.floats(0, 5)})
    ),
    "tables.bayes_decision": Target(
        trueness.tables.bayes_decision,
        ints((4, 2), 1, 9).map(
            lambda p: {"posterior": p / p.sum(axis=1, keepdims=True), "costs": np.array([[0.0, 1.0], [2.0, 0.0]])}
        ),
    ),
    "tables.bayes_error": Target(
        lambda population=POPULATION, costs=None, n=1000, rng=0: trueness.tables.bayes_error(
            population, costs, n=n, rng=rng
        ),
        just({"costs": np.array([[0.0, 1.0], [2.0, 0.0]])}),
        cost=8,
    ),
    "studies.bias_variance": Target(
        trueness.studies.bias_variance,
        fixed({"model": just(LDA()), "population": just(POPULATION), "n": just(20), "training_sets": just(3), **SMALL}),
        cost=40,
    ),
    # metrics
    **{
        f"metrics.{type(metrics.resolve(name)).__name__}": Target(measured(name), probable(), ("order", "relabel"))
        for name in metrics.names()
    },
    "metrics.Cost": Target(
        lambda y, predictions, matrix: trueness.estimate(
            trueness.Fits.from_arrays(y, untrained(y), None, predictions=predictions),
            metrics.Cost(matrix=matrix),
            "holdout",
        ),
        st.tuples(decided("predictions"), ints((2, 2), 0, 9)).map(lambda t: t[0] | {"matrix": t[1].astype(float)}),
        ("order",),
    ),
    "metrics.PartialAUC": Target(
        lambda y, scores, fpf: trueness.estimate(
            trueness.Fits.from_arrays(y, untrained(y), scores), trueness.metrics.PartialAUC(fpf), "holdout"
        ),
        probable().flatmap(lambda a: fixed({k: just(v) for k, v in a.items()} | {"fpf": just((0.0, 0.5))})),
        cost=2,
    ),
    "metrics.FBeta": Target(
        lambda y, predictions, beta: trueness.estimate(
            trueness.Fits.from_arrays(y, untrained(y), None, predictions=predictions), metrics.FBeta(beta), "holdout"
        ),
        st.tuples(decided("predictions"), st.floats(0, 9)).map(lambda t: t[0] | {"beta": t[1]}),
        ("order",),
    ),
    "metrics.Scorer": Target(
        lambda y, scores, scorer="roc_auc": trueness.estimate(
            trueness.Fits.from_arrays(y, untrained(y), scores), metrics.Scorer(scorer), "holdout"
        ),
        SCORES,
        ("order",),
        cost=20,
    ),
    "metrics.resolve": Target(
        metrics.resolve, fixed({"metric": st.sampled_from(["auc", "error", "f1", "x"]) | st.text(max_size=5)})
    ),
    # statistics
    "statistics.bootstrap": Target(
        statistics.bootstrap, fixed({"statistic": just(mean), "x": values(), "n_resamples": few, "rng": rng}), cost=2
    ),
    "statistics.jackknife": Target(statistics.jackknife, fixed({"statistic": just(mean), "x": values()})),
    "statistics.influence": Target(statistics.influence, fixed({"statistic": just(weighted_mean), "x": values()})),
    # comparisons of scores and decisions
    "comparisons.delong": Target(C.delong, PAIR, ("order", "monotone", "relabel", "swap"), cost=2),
    "comparisons.delong_many": Target(
        C.delong_many,
        PAIR.map(lambda a: {"y": a["y"], "scores": np.stack([a["s1"], a["s2"]], axis=1)}),
        ("order", "relabel"),
        cost=2,
    ),
    "comparisons.delong_unpaired": Target(C.delong_unpaired, two_sets(), ("relabel", "swap"), cost=2),
    "comparisons.partial_auc": Target(
        C.partial_auc,
        scored("s1", "s2", fpf=just((0.0, 0.3)), n_resamples=few, rng=rng),
        ("monotone", "relabel"),
        cost=8,
    ),
    "comparisons.venkatraman": Target(
        C.venkatraman, scored("s1", "s2", n_permutations=few, rng=rng), ("monotone", "relabel"), cost=8
    ),
    "comparisons.mcnemar_counts": Target(
        C.mcnemar_counts,
        fixed({"b": cells, "c": cells, "method": st.sampled_from(["exact", "mid-p", "chi2", "chi2-cc"])}),
        ("swap",),
    ),
    "comparisons.tango": Target(C.tango, fixed({"x": cells, "y": cells, "n": st.integers(120, 200), "level": levels})),
    "readers": Target(trueness.readers, reader_frames(), cost=20),
    "systems.compare": Target(trueness.systems.compare, item_frames(), cost=20),
    # comparisons of values
    "comparisons.results_table": Target(C.results_table, fixed({"table": tables})),
    "comparisons.holm": Target(
        C.holm, st.lists(shares, min_size=1, max_size=6).map(lambda p: {"p_values": np.array(p)})
    ),
    # sizes
    "comparisons.size_for_auc": Target(C.size_for_auc, closed("auc", half_width=st.floats(0.01, 0.2), level=levels)),
    "comparisons.size_for_development": Target(
        C.size_for_development,
        fixed({"parameters": st.integers(1, 50), "prevalence": st.floats(0.1, 0.9), "r2": st.floats(0.01, 0.3)}),
    ),
    "comparisons.size_for_validation": Target(
        C.size_for_validation, fixed({"prevalence": st.floats(0.05, 0.9), "auc": st.floats(0.6, 0.95)}), cost=4
    ),
    "comparisons.size_for_auc_difference": Target(
        C.size_for_auc_difference, closed("auc1", "auc2", power=st.floats(0.5, 0.95), correlation=st.floats(0, 0.9))
    ),
    "comparisons.size_for_proportion": Target(
        C.size_for_proportion, closed("p", half_width=st.floats(0.01, 0.2), level=levels), cost=4
    ),
    "comparisons.size_for_error_difference": Target(
        C.size_for_error_difference, closed("error1", "error2", power=st.floats(0.5, 0.95)), cost=20
    ),
    "comparisons.power_for_auc_difference": Target(
        C.power_for_auc_difference,
        closed(
            "auc1", "auc2", n_positive=st.integers(5, 99), n_negative=st.integers(5, 99), correlation=st.floats(0, 0.9)
        ),
    ),
    "comparisons.power_for_error_difference": Target(
        C.power_for_error_difference, closed("error1", "error2", n=st.integers(10, 99)), cost=4
    ),
    # studies
    "studies.DataSet": Target(studies.DataSet, features()),
    "studies.Gaussians": Target(
        studies.Gaussians,
        just({"means": np.array([[0.0], [1.0]]), "covariances": np.array([[1.0]]), "priors": np.array([0.5, 0.5])}),
    ),
    "studies.Mixture": Target(
        lambda means, covariances, shares, priors=None: studies.Mixture(
            studies.Gaussians(means, covariances), shares, priors
        ),
        just(
            {
                "means": np.array([[0.0], [1.0]]),
                "covariances": np.array([[1.0]]),
                "shares": np.array([[0.5, 0.5], [0.2, 0.8]]),
            }
        ),
    ),
    "studies.Discrete": Target(
        studies.Discrete, just({"points": np.array([[0.0], [1.0]]), "masses": np.array([[0.5, 0.5], [0.2, 0.8]])})
    ),
    "studies.RegressionPopulation": Target(
        lambda function=np.sin, sigma=1.0, interval=(-3.0, 3.0), equal_steps=False, n=5, rng=0: (
            studies.RegressionPopulation(function, sigma, interval, equal_steps).draw(n, rng)[0]
        ),
        just({"sigma": 1.0}),
    ),
    "studies.two_gaussians": Target(
        studies.two_gaussians, fixed({"n_features": st.integers(1, 5), "distance": shares})
    ),
    "studies.highleyman": Target(studies.highleyman, just({"priors": np.array([0.5, 0.5])})),
    "studies.parabola_population": Target(studies.parabola_population, fixed({"sigma": shares})),
    "studies.evaluate": Target(
        studies.evaluate,
        fixed(
            {"population": just(POPULATION), "model": just(LDA()), "estimators": just(["star"]), "n_jobs": just(1)}
            | {
                "plan": just(trueness.Bootstrap(5)),
                "sizes": just([10]),
                "trials": just(3),
                "test_size": just(50),
                **QUIET,
            }
        ),
        cost=100,
    ),
    "studies.run": Target(
        lambda name, trials=1, sizes=None, rng=0: studies.run(
            "no " + name if isinstance(name, str) else name,
            trials=trials,
            sizes=sizes,
            rng=rng,
            n_jobs=1,
            progress=False,
        ),
        fixed({"name": st.text(max_size=5)}),
    ),
}


def difference_to_margin() -> st.SearchStrategy[dict[str, Any]]:
    return fixed({"difference": st.builds(trueness.Estimate, shares, shares), "margin": shares})


ON_SPLITS = {"n_train": just(90), "n_test": just(10)}
BY_NAMES: dict[tuple[str, ...], tuple[st.SearchStrategy[dict[str, Any]], tuple[str, ...]]] = {
    # names of the required arguments → what they are, and laws of all functions of them
    ("y", "scores"): (SCORES, ("order",)),
    ("y", "predictions"): (decided("predictions"), ("order",)),
    ("y", "p"): (probable().map(as_p), ("order",)),
    ("y", "s1", "s2"): (PAIR, ("order",)),
    ("y1", "s1", "y2", "s2"): (two_sets(), ()),
    ("y", "s1", "s2", "fpf"): (scored("s1", "s2", fpf=shares), ("monotone", "relabel")),
    ("y", "s1", "s2", "tpf"): (scored("s1", "s2", tpf=shares), ("monotone", "relabel")),
    ("y", "p1", "p2"): (decided("p1", "p2"), ("order", "swap", "rename")),
    ("b", "c"): (fixed({"b": cells, "c": cells}), ("swap",)),
    ("correct",): (
        st.tuples(st.integers(2, 12), st.integers(2, 4)).flatmap(lambda s: fixed({"correct": ints(s, 0, 1)})),
        (),
    ),
    ("e1", "e2"): (paired("e1", "e2"), ("order", "swap")),
    ("table",): (fixed({"table": tables}), ()),
    ("differences",): (paired("differences"), ("negate",)),
    ("differences", "n_train", "n_test"): (paired("differences", **ON_SPLITS), ("negate",)),
    ("d", "n_train", "n_test"): (paired("d", **ON_SPLITS), ("negate",)),
    ("d",): (numbers(10).map(lambda v: {"d": v.reshape(5, 2)}), ("negate",)),  # of a 5 × 2-fold cross-validation
    ("values",): (fixed({"values": values()}), ()),
    ("mean1", "sd1", "mean2", "sd2"): (closed("mean1", "sd1", "mean2", "sd2"), ("swap",)),
    ("difference", "margin"): (difference_to_margin(), ()),
}
RESAMPLED = {"n_resamples": few, "n_permutations": few, "n_draws": just(200), "rng": rng}


def of_names(function: Callable[..., Any]) -> Target | None:
    """The target of a function by the names of its required arguments; of one that resamples, little of it."""
    known = inspect.signature(function).parameters
    required = tuple(n for n, p in known.items() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD)
    if required not in BY_NAMES:
        return None
    kind, laws = BY_NAMES[required]
    more = fixed({name: asked for name, asked in RESAMPLED.items() if name in known})
    return Target(
        function,
        st.tuples(kind, more).map(lambda both: both[0] | both[1]),
        tuple(law for law in laws if "rng" not in known or law in ("monotone", "relabel")),
        cost=8 if "rng" in known else 2,
    )


TARGETS |= {
    name: target
    for name, function in public()
    if name not in TARGETS.keys() | NOT_FUZZED.keys() and (target := of_names(function))
}
