"""conservative_z, half_samples and the within-fold standard error: by hand, by enumeration, by laws."""

from itertools import combinations

import numpy as np
import pytest
from halves_from_arrays import fits_of
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError, UndefinedError

PLANS = {
    "conservative_z": trueness.plans.PairedSubsampling(4, inner=3, test_size=0.2),
    "half_samples": trueness.plans.CvHalves(5, repeats=2, halvings=4, inner_folds=4, stratified="fixed"),
}


def data(n0, n1, p=4, shift=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    X = rng.normal(size=(n0 + n1, p))
    X[:, 0] += shift * y
    return X, y


def auc(y, scores):
    up, down = scores[y == 1], scores[y == 0]
    return np.mean([(a > b) + 0.5 * (a == b) for a in up for b in down])


METRICS = {
    "error": lambda y, scores: np.mean((scores > 0) != y),
    "auc": auc,
}


def values(model, X, y, design, metric):
    """Of every split of all cases, and of every split of each half; each model is fitted again."""
    out = []
    for part in design.parts:
        each = []
        for f, counts in enumerate(part.counts):
            test = (counts == 0) if part.unused is None else (counts == 0) & ~part.unused[f]
            scores = model.fit(X[counts > 0], y[counts > 0]).decision_function(X[test])
            each.append(METRICS[metric](y[test], scores))
        out.append(np.array(each))
    return out


def by_hand(method, outer, within, n_halvings, n, n_test):
    m, total = len(within) // (2 * n_halvings), 0.0
    for h in range(n_halvings):
        first = np.mean(within[2 * h * m : (2 * h + 1) * m])
        second = np.mean(within[(2 * h + 1) * m : (2 * h + 2) * m])
        total += (first - second) ** 2
    if method == "conservative_z":
        return np.mean(outer), np.sqrt(total / (2 * n_halvings))
    corrected = (1 / len(outer) + n_test / (n - n_test)) * np.var(outer, ddof=1)
    return np.mean(outer), np.sqrt(max(total / n_halvings / 4, corrected)), np.sqrt(total / n_halvings / 4)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("method", PLANS)
def test_value_and_se_follow_the_formulas(method, metric):
    X, y = data(30, 25, shift=1.5)
    design = PLANS[method].draw(y, rng=2)
    found = [values(model, X, y, design, metric) for model in (LDA(), LDA(solver="lsqr", shrinkage=0.9))]
    a, b = (trueness.fit(m, X, y, design) for m in (LDA(), LDA(solver="lsqr", shrinkage=0.9)))
    rest = (design.parts[1].repeats.max() + 1) // 2, 55, np.mean([len(design.parts[0].tested(f)) for f in range(4)])
    for fits, own in zip((a, b), found, strict=True):
        e = trueness.estimate(fits, metric, method)
        assert (e.value, e.se) == pytest.approx(by_hand(method, *own, *rest)[:2], abs=1e-10)
    d = trueness.difference(a, b, metric, method)
    expected = by_hand(method, *(one - other for one, other in zip(*found, strict=True)), *rest)
    assert (d.value, d.se) == pytest.approx(expected[:2], abs=1e-10)
    if method == "half_samples":
        d = trueness.difference(a, b, metric, method, se="half")
        assert (d.se, d.df) == pytest.approx((expected[2], 4), abs=1e-10)


def all_halvings(kind, wrong):
    """A rule whose answers do not depend on training, on every way to halve the cases; two folds in each half."""
    n = len(wrong)
    members, within = [], []
    for rest in combinations(range(1, n), n // 2 - 1):
        first = np.isin(np.arange(n), (0, *rest))
        for half in (first, ~first):
            members.append(half)
            cases = np.flatnonzero(half)
            within += [np.isin(np.arange(n), cases[k::2]) for k in (0, 1)]
    outer = np.array([np.arange(n) % 2 == k for k in (0, 1, 0, 1)])
    y = np.arange(n) % 2
    scores = np.where(wrong, 1 - y, y) * 0.8 + 0.1
    tables = [np.tile(scores, (len(t), 1)) for t in (outer, within)]
    counts = [np.array(t, dtype=np.uint8) for t in (outer, within)]
    return fits_of(kind, y, *counts, np.array(members), *tables, repeat=np.array([0, 0, 1, 1]))


@pytest.mark.parametrize("wrong", [[1, 0, 0, 0, 1, 0, 0, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]])
def test_over_all_halvings_the_variance_of_a_mean_is_exact(wrong):
    s2, n = np.var(wrong, ddof=1), len(wrong)
    half = trueness.estimate(all_halvings("cv+halves", wrong), "error", "half_samples", se="half")
    assert half.se**2 == pytest.approx(s2 / n, rel=1e-12)
    twice = trueness.estimate(all_halvings("paired", wrong), "error", "conservative_z")
    assert twice.se**2 == pytest.approx(2 * s2 / n, rel=1e-12)


@pytest.mark.parametrize("method", PLANS)
def test_quantiles(method):
    X, y = data(30, 30)
    e = trueness.estimate(trueness.fit(LDA(), X, y, PLANS[method], rng=0), "auc", method)
    q = stats.norm.ppf(0.95) if method == "conservative_z" else stats.t.ppf(0.95, 4)
    low, high = e.with_(bounds=(-9, 9)).ci(0.9, "wald")
    assert (low, high) == pytest.approx((e.value - q * e.se, e.value + q * e.se))
    assert e.ci().method == "wilson"


def test_half_max_is_at_least_the_corrected_standard_error():
    for seed in range(6):
        X, y = data(20, 20, seed=seed)
        fits = trueness.fit(GaussianNB(), X, y, PLANS["half_samples"], rng=seed)
        larger, half, cv = (
            trueness.estimate(fits, "error", method, se=se)
            for method, se in (("half_samples", None), ("half_samples", "half"), ("cv", None))
        )
        assert larger.se == pytest.approx(max(half.se, cv.se))
        assert larger.value == cv.value


@pytest.mark.parametrize("method", PLANS)
def test_the_order_of_cases_does_not_matter(method):
    y = np.tile([0, 1], 20)
    design = PLANS[method].draw(y, rng=0)
    cv, halves = design.parts
    rng = np.random.default_rng(1)
    scores, within = rng.random(cv.counts.shape), rng.random(halves.counts.shape)
    members = ~halves.unused[np.unique(halves.repeats, return_index=True)[1]]
    arrays = cv.counts, halves.counts, members, scores, within
    first, second = (
        fits_of(design.kind, y, *arrays, repeat=cv.repeats, order=order) for order in (None, rng.permutation(40))
    )
    for metric in ("error", "auc", "brier", "jaccard_weighted"):
        one, other = (trueness.estimate(fits, metric, method) for fits in (first, second))
        assert (one.value, one.se) == pytest.approx((other.value, other.se), abs=1e-12)


@pytest.mark.parametrize("method", PLANS)
def test_a_difference_turns_its_sign_with_the_models(method):
    X, y = data(20, 30)
    design = PLANS[method].draw(y, rng=0)
    a, b = trueness.fit(LDA(), X, y, design), trueness.fit(GaussianNB(), X, y, design)
    for metric in ("error", "auc"):
        one, other = trueness.difference(a, b, metric, method), trueness.difference(b, a, metric, method)
        assert (one.value, one.se) == pytest.approx((-other.value, other.se))


@pytest.mark.parametrize("method", PLANS)
@pytest.mark.parametrize("metric", ["error", "auc", "jaccard_weighted"])
def test_two_equal_models_do_not_differ(method, metric):
    X, y = data(20, 20)
    k = trueness.compare({"a": LDA(), "b": LDA()}, X, y, plan=PLANS[method], metric=metric, rng=0)
    assert (k.method, k.difference.value, k.p_value) == (method, 0, 1)


@pytest.mark.parametrize("method", PLANS)
def test_assess_recommends_it_and_works_for_groups_classes_and_scorers(method):
    X, y = data(40, 40, shift=2.0)
    a = trueness.assess(
        LDA(), X, y, plan=PLANS[method], metrics=["error", "auc", "jaccard_weighted"], groups=np.arange(80) // 2, rng=0
    )
    assert {m: e.method for m, e in ((m, a[m]) for m in ("error", "auc", "jaccard_weighted"))} == dict.fromkeys(
        a.recommended, method
    )
    assert all(0 < a[m].se < 0.3 for m in ("error", "auc", "jaccard_weighted"))
    assert a.skipped == {}
    three = np.arange(80) % 3
    X[:, 1] += three
    assert 0 < trueness.assess(LDA(), X, three, plan=PLANS[method], metrics=["auc"], rng=0)["auc"].se < 0.3


@pytest.mark.parametrize("method", PLANS)
def test_same_bits_for_any_number_of_workers(method):
    X, y = data(20, 20, shift=2.0)
    texts = {
        trueness.assess(
            GaussianNB(), X, y, plan=PLANS[method], metrics="auc", rng=4, n_jobs=j, engine="generic"
        ).to_json()
        for j in (1, 2)
    }
    assert len(texts) == 1


def test_no_errors_at_all_still_leave_an_interval():
    X, y = data(30, 30, shift=50)
    for plan in PLANS.values():
        a = trueness.assess(LDA(), X, y, plan=plan, rng=0, checks=False)
        assert a["error"].ci().high > 0.05
        assert a["auc"].ci().low < 0.97


def test_folds_without_a_class_are_undefined_or_skipped():
    X, y = data(40, 12)
    plan = trueness.plans.CvHalves(5, repeats=2, halvings=3, inner_folds=4, stratified=False)
    fits = trueness.fit(LDA(), X, y, plan, rng=1)
    assert any((y[fits.parts[1].design.tested(f)] == 0).all() for f in range(24))
    with pytest.raises(UndefinedError):
        trueness.estimate(fits, "auc", "half_samples")
    assert trueness.estimate(fits, "auc", "half_samples", undefined="skip").se > 0


def test_other_plans_and_standard_errors_are_refused():
    X, y = data(20, 20)
    cv = trueness.fit(LDA(), X, y, trueness.KFold(5), rng=0)
    for method in PLANS:
        with pytest.raises(InputError) as error:
            trueness.estimate(cv, "error", method)
        assert error.value.param == "method"
    with pytest.raises(InputError) as error:
        trueness.estimate(trueness.fit(LDA(), X, y, PLANS["half_samples"], rng=0), "error", "half_samples", se="naive")
    assert error.value.param == "se"


# -- Bayle, Bayle, Janson and Mackey ---------------------------------------------------------------


@pytest.mark.parametrize("repeats", [1, 3])
def test_within_fold_se_in_a_loop(repeats):
    X, y = data(21, 16)
    design = trueness.KFold(5, repeats=repeats).draw(y, rng=0)
    models, losses = (LDA(), GaussianNB()), []
    for model in models:
        wrong = [model.fit(X[c > 0], y[c > 0]).predict(X[c == 0]) != y[c == 0] for c in design.counts]
        losses.append([w.astype(float) for w in wrong])
    a, b = (trueness.fit(model, X, y, design) for model in models)
    for method in ("cv", "cv_pooled"):
        e = trueness.estimate(a, "error", method, se="within-fold")
        assert e.se == pytest.approx(np.sqrt(np.mean([w.var(ddof=1) for w in losses[0]]) / 37), abs=1e-12)
        d = trueness.difference(a, b, "error", method, se="within-fold")
        each = [(v - w).var(ddof=1) for v, w in zip(*losses, strict=True)]
        assert d.se == pytest.approx(np.sqrt(np.mean(each) / 37), abs=1e-12)
        assert e.noted("naive-se")


def test_within_fold_se_is_refused_where_it_does_not_exist():
    X, y = data(20, 20)
    weighted = trueness.metrics.Error(priors=[0.5, 0.5])
    for plan, metric, groups in (
        (trueness.plans.LeaveOneOut(), "error", None),
        (trueness.plans.MonteCarlo(40), "error", None),
        (trueness.KFold(5), weighted, None),
        (trueness.KFold(5), "error", np.arange(40) // 2),
    ):
        fits = trueness.fit(LDA(), X, y, plan, rng=0, groups=groups)
        with pytest.raises(InputError) as error:
            trueness.estimate(fits, metric, "cv", se="within-fold")
        assert error.value.param == "se"
