"""Fits that failed: estimates rest on the others, say so, and show what the failed ones could have changed."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import FitError, UndefinedError
from trueness.plans import CvHalves, LeaveOneOut, NestedKFold, PairedSubsampling
from trueness.sample.fits import Failure, Fits

FAILED = (3, 17)


class FailsWithout(LDA):
    """Fails on training sets that lack given cases, except on resamples with copies."""

    def __init__(self, rows=None):
        super().__init__()
        self.rows = rows

    def fit(self, X, y):
        lacking = self.rows is not None and not any((row == X).all(axis=1).any() for row in self.rows)
        if lacking and len(np.unique(X, axis=0)) == len(X):
            raise ValueError("singular matrix")
        return super().fit(X, y)


def failing(fits, failed=FAILED):
    """The same fits, as if some had failed; their scores are gone."""
    if fits.parts:
        first, *rest = fits.parts
        bad = [[f for f in failed if f < first.n_fits], [f - first.n_fits for f in failed if f >= first.n_fits]]
        parts = tuple(failing(part, some) for part, some in zip((first, *rest), bad, strict=True))
        return Fits.joined(fits.design, parts)
    return replace(fits, failed=tuple(Failure(int(f), "ValueError: singular matrix") for f in failed))


def held_out(fits):
    """(fit, cases, scores, predictions) of every fit that did not fail."""
    for block in fits.tests():
        f = int(block.fits[0])
        yield f, fits.design.tested(f), block.scores[0], block.predictions[0]


@pytest.fixture
def repeated(two_gaussians):
    X, y = two_gaussians
    return failing(trueness.fit(LDA(), X, y, trueness.KFold(5, repeats=4), rng=0))


@pytest.fixture
def default(two_gaussians):
    X, y = two_gaussians
    fits = trueness.fit(LDA(), X, y, trueness.CvBootstrap(n_folds=5, repeats=4, n_resamples=60), rng=0)
    return failing(fits, (3, 17, 25))


def test_cv_is_the_mean_over_the_folds_that_worked(repeated):
    y = repeated.sample.codes
    errors = [float((p != y[cases]).mean()) for _, cases, _, p in held_out(repeated)]
    aucs = [roc_auc_score(y[cases], s) for _, cases, s, _ in held_out(repeated)]
    assert len(errors) == 18
    for metric, values in (("error", errors), ("auc", aucs)):
        e = trueness.estimate(repeated, metric, "cv", undefined="failed")
        assert e.value == pytest.approx(np.mean(values), abs=1e-14)
        assert e.df == 17
        assert e.noted("folds-skipped").data["skipped"] == 2
        note = e.noted("failed-fits")
        assert (note.data["failed"], note.data["of"]) == (2, 20)
        ends = [np.mean([*values, end, end]) for end in (0.0, 1.0)]
        assert (note.data["low"], note.data["high"]) == pytest.approx(ends)
        assert ends[0] < e.value < ends[1]
        with pytest.raises(UndefinedError, match="2 of 20 folds .* the fit failed.*undefined='failed'"):
            trueness.estimate(repeated, metric, "cv")


def test_cv_pooled_is_over_the_tests_that_exist(repeated):
    y, n = repeated.sample.codes, repeated.sample.n
    wrong, times = np.zeros(n), np.zeros(n)
    by_repeat = {}
    for f, cases, s, p in held_out(repeated):
        wrong[cases] += p != y[cases]
        times[cases] += 1
        by_repeat.setdefault(f // 5, []).append((cases, s))
    e = trueness.estimate(repeated, "error", "cv_pooled", undefined="failed")
    assert e.value == pytest.approx((wrong / times).mean())
    aucs = []
    for parts in by_repeat.values():
        cases, s = (np.concatenate(each) for each in zip(*parts, strict=True))
        aucs.append(roc_auc_score(y[cases], s))
    assert trueness.estimate(repeated, "auc", "cv_pooled", undefined="failed").value == pytest.approx(np.mean(aucs))
    with pytest.raises(UndefinedError, match="2 fits failed.*undefined='failed'"):
        trueness.estimate(repeated, "auc", "cv_pooled")


@pytest.mark.parametrize("metric", ["error", "auc"])
def test_one_pass_leaves_out_the_cases_of_the_failed_fold(two_gaussians, metric):
    X, y = two_gaussians
    fits = failing(trueness.fit(LDA(), X, y, trueness.KFold(10), rng=0), (4,))
    values = {}
    for method in ("cv", "cv_pooled", "cv_pairs"):
        if (metric, method) == ("error", "cv_pairs"):
            continue
        e = trueness.estimate(fits, metric, method, undefined="failed" if method != "cv_pairs" else "skip")
        note = e.noted("failed-fits")
        assert note.data["low"] < e.value < note.data["high"]
        values[method] = e.value
    y, rest = fits.sample.codes, list(held_out(fits))
    if metric == "error":
        wrong = np.concatenate([p != y[cases] for _, cases, _, p in rest])
        assert values["cv_pooled"] == pytest.approx(wrong.mean())
    else:
        cases, s = (np.concatenate(each) for each in zip(*((c, s) for _, c, s, _ in rest), strict=True))
        assert values["cv_pooled"] == pytest.approx(roc_auc_score(y[cases], s))


@pytest.mark.parametrize("method", ["star", "sb", "rb", "632", "632+", "loob", "lpob"])
@pytest.mark.parametrize("metric", ["error", "auc"])
def test_the_bootstrap_is_that_of_the_replicates_that_worked(two_gaussians, metric, method):
    if (metric, method) in (("error", "lpob"), ("auc", "loob")):
        return
    X, y = two_gaussians
    fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(60), rng=0)
    some = failing(fits, (0, 7, 59))
    keep = some.kept
    others = Fits.from_arrays(
        y,
        fits.counts[keep],
        fits.scores[keep],
        full_scores=fits.full_scores,
        predictions=fits.sample.classes[fits.held_predictions[0:60][keep]],
        full_predictions=fits.sample.classes[fits.full_predictions],
        stratified=True,
        plan="bootstrap",
    )
    a = trueness.estimate(some, metric, method, undefined="failed")
    b = trueness.estimate(others, metric, method)
    assert a.value == pytest.approx(b.value, abs=1e-12)
    assert a.se == (None if b.se is None else pytest.approx(b.se, rel=1e-9))
    assert a.noted("failed-fits").data["failed"] == 3


def test_a_case_that_only_failed_fits_left_out_is_skipped_and_one_that_none_left_out_is_not():
    y, counts = np.repeat([0, 1], 3), np.ones((8, 6), dtype=int)
    for f in range(8):
        counts[f, [f % 2, 3 + f % 2]] = 0
    counts[7] = [1, 1, 0, 1, 1, 0]
    scores = np.random.default_rng(0).normal(size=(8, 6))
    fits = Fits.from_arrays(y, counts, scores, threshold=0.0, plan="bootstrap", stratified=True)
    some = failing(fits, (7,))
    e = trueness.estimate(some, "error", "loob", undefined="failed")
    assert e.noted("cases-skipped").data["skipped"] == 2
    wrong = np.where(scores >= 0, 1, 0) != y
    loops = [np.mean([wrong[f, i] for f in range(7) if counts[f, i] == 0]) for i in (0, 1, 3, 4)]
    assert e.value == pytest.approx(np.mean(loops))
    for method in ("loob", "lpob"):
        metric = "error" if method == "loob" else "auc"
        with pytest.raises(UndefinedError, match="undefined='skip'"):
            trueness.estimate(failing(Fits.from_arrays(y, counts[:7], scores[:7], threshold=0.0, plan="bootstrap"), (6,)),
                              metric, method, undefined="failed")  # fmt: skip


@pytest.mark.parametrize("metric", ["error", "auc", "f1", "brier"])
def test_the_default_plan(default, metric, two_gaussians):
    if metric == "brier":
        X, y = two_gaussians
        plan = trueness.CvBootstrap(n_folds=5, repeats=4, n_resamples=60)
        default = failing(trueness.fit(GaussianNB(), X, y, plan, rng=0), (3, 17, 25))
    e = trueness.estimate(default, metric, "cv+training", undefined="failed")
    cv = trueness.estimate(default, metric, "cv", undefined="failed")
    assert e.value == pytest.approx(cv.value)
    assert e.se > 0
    assert e.has_interval
    note = e.noted("failed-fits")
    assert (note.data["failed"], note.data["of"]) == (3, 80)
    assert note.data["low"] == pytest.approx(0.9 * e.value, rel=0.01 if metric == "f1" else 1e-9)  # 2 of the 20 folds
    assert note.data["low"] < e.value < note.data["high"]


def test_a_failed_replicate_of_the_default_plan_changes_the_standard_error_alone(default):
    fits = failing(replace(default, failed=(), parts=tuple(replace(p, failed=()) for p in default.parts)), (25,))
    e = trueness.estimate(fits, "error", "cv+training", undefined="failed")
    assert e.value == trueness.estimate(fits.parts[0], "error", "cv").value
    note = e.noted("failed-fits")
    assert note.data["low"] == note.data["high"] == e.value


def test_placements_of_cases_that_were_never_tested_do_not_count(two_gaussians):
    """A single pass whose fold 2 failed: the other cases have the influence that they have in a sample without it."""
    from trueness.estimators.cv_training import placement_influence
    from trueness.metrics import AUC

    X, y = two_gaussians
    fits = failing(trueness.fit(LDA(), X, y, trueness.KFold(10), rng=0), (2,))
    a = placement_influence(fits, AUC().bind(fits.sample))
    gone = np.zeros(len(y), dtype=bool)
    gone[fits.design.tested(2)] = True
    assert not a[gone].any()
    for label in (0, 1):
        assert a[~gone & (fits.sample.codes == label)].sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("plan", [NestedKFold(5, repeats=2), CvHalves(), PairedSubsampling(5, inner=5)])
def test_nested_folds_and_halves(two_gaussians, plan):
    X, y = two_gaussians
    whole = trueness.fit(LDA(), X, y, plan, rng=0)
    method = {"nested": "nested_cv", "cv+halves": "half_samples", "paired": "conservative_z"}[whole.design.kind]
    before = trueness.estimate(whole, "error", method)
    same = trueness.estimate(whole, "error", method, undefined="failed")
    assert (same.value, same.se) == (before.value, before.se)
    some = failing(whole, (1, whole.n_fits - 1))
    e = trueness.estimate(some, "error", method, undefined="failed")
    assert abs(e.value - before.value) < 0.1
    assert 0.3 < e.se / before.se < 3
    assert e.noted("failed-fits").data["failed"] == 2
    with pytest.raises(UndefinedError, match="undefined='failed'"):
        trueness.estimate(some, "error", method)


@pytest.mark.parametrize("plan", [None, trueness.KFold(5, repeats=2), trueness.Bootstrap(60), LeaveOneOut()])
def test_without_failures_nothing_changes(two_gaussians, plan):
    X, y = two_gaussians
    tables = [
        trueness.assess(LDA(), X, y, plan=plan, rng=0, checks=False, undefined=how).frame()
        for how in ("failed", "raise")
    ]
    assert tables[0].equals(tables[1])


@pytest.mark.filterwarnings("ignore:The model is not clearly better than always")  # if a tenth of its fits were wrong
def test_assess_and_compare_answer_with_failed_fits(two_gaussians):
    X, y = two_gaussians
    model = FailsWithout(X[[0]])
    a = trueness.assess(model, X, y, rng=3, checks=False)
    n = len(a.fits.failed)
    assert 0 < n <= 20
    assert set(a.recommended) == {"error", "auc"}
    assert not a.skipped
    assert f"{n} of 100" in a.text()
    for metric in ("error", "auc"):
        e = a[metric]
        assert e.method == "cv+training"
        assert e.noted("failed-fits").data["low"] <= e.value <= e.noted("failed-fits").data["high"]
    assert any(note.code == "failed-fits" for note in a.notes)
    assert a.plot_roc() is not None
    k = trueness.compare({"fails": model, "bayes": GaussianNB()}, X, y, rng=3, checks=False)
    assert k.difference.noted("failed-fits").data["failed"] == n
    fails, bayes = (k.fits[name] for name in k.fits)
    cv = [f.parts[0] for f in (fails, bayes)]
    kept = cv[0].kept
    values = [
        np.array([roc_auc_score(y[c], s) for _, c, s, _ in held_out(replace(f, failed=cv[0].failed))]) for f in cv
    ]
    assert len(values[0]) == kept.sum()
    assert k.difference.value == pytest.approx((values[0] - values[1]).mean())
    assert k.joint_test(["error", "auc"]).p_value <= 1


def test_each_model_may_fail_on_other_training_sets(two_gaussians):
    X, y = two_gaussians
    fits = trueness.fit(LDA(), X, y, trueness.CvBootstrap(n_folds=5, repeats=2, n_resamples=60), rng=0)
    other = trueness.fit(GaussianNB(), X, y, fits.design)
    a, b = failing(fits, (1, 20)), failing(other, (4, 30))
    k = trueness.compare({"a": a, "b": b}, metric="error")
    both = (1, 4, 20, 30)
    one, two = (trueness.estimate(failing(f, both), "error", "cv+training", undefined="failed") for f in (fits, other))
    assert k.difference.value == pytest.approx(one.value - two.value)
    assert k.difference.noted("failed-fits").data["failed"] == 4
    with pytest.raises(UndefinedError, match="undefined='failed'"):
        trueness.compare({"a": a, "b": b}, metric="error", undefined="raise")


@pytest.mark.parametrize("metric", ["error", "auc"])
def test_the_interval_allows_for_the_worst_and_the_best_result_of_the_failed_fits(repeated, metric):
    e = trueness.estimate(repeated, metric, "cv", undefined="failed")
    alone = e.with_(missing=(0.0, 0.0)).ci()
    note = e.noted("failed-fits")
    assert e.missing == pytest.approx((0.1 * e.value, 0.1 * (1 - e.value)))  # 2 of 20 folds, at 0 or at 1
    assert e.ci().low == pytest.approx(alone.low - (e.value - note.data["low"]))
    assert e.ci().high == pytest.approx(min(1, alone.high + note.data["high"] - e.value))
    assert e.ci(method="wilson").high > e.with_(missing=(0.0, 0.0)).ci(method="wilson").high
    worst = e.with_(missing=(0.9, 0.9)).ci()
    assert (worst.low, worst.high) == (0.0, 1.0)


def test_a_measure_of_the_table_may_change_by_more_than_a_mean():
    """F1 of 10 % positives: failed folds with wrong decisions only add many false positives."""
    rng = np.random.default_rng(0)
    y = (np.arange(200) % 10 == 0).astype(int)
    X = rng.normal(size=(200, 2)) + 3 * y[:, None]
    fits = failing(trueness.fit(LDA(), X, y, trueness.KFold(5, repeats=4), rng=0))
    e = trueness.estimate(fits, "f1", "cv", undefined="failed")
    table = np.zeros((2, 2))
    for _, cases, _, p in held_out(fits):
        np.add.at(table, (y[cases], p), 1 / 20 / len(cases))
    for end, others in (("low", [[0, 0.09], [0.01, 0]]), ("high", [[0.09, 0], [0, 0.01]])):
        (_, fp), (fn, tp) = table + others
        assert e.noted("failed-fits").data[end] == pytest.approx(2 * tp / (2 * tp + fp + fn))
    assert e.noted("failed-fits").data["low"] < 0.9 * e.value


def test_the_test_of_a_difference_allows_for_failed_fits(two_gaussians):
    X, y = two_gaussians
    fits = trueness.fit(LDA(), X, y, trueness.KFold(5, repeats=4), rng=0)
    other = trueness.fit(LDA(), np.random.default_rng(0).normal(size=X.shape), y, fits.design)
    whole = trueness.compare({"a": fits, "b": other}, metric="error", method="cv")
    some = trueness.compare({"a": failing(fits), "b": other}, metric="error", method="cv")
    d = some.difference
    nearest = d.value + 0.1 * (1 - d.value) if d.value < 0 else d.value - 0.1 * (1 + d.value)
    assert d.nearest(0.0) == pytest.approx(nearest)
    assert some.tests["a", "b"].statistic == pytest.approx(nearest / d.se)
    assert some.p_value > whole.p_value
    excludes = not d.ci().covers(0.0)
    assert excludes == (some.p_value < 0.05)
    back = some["b", "a"]
    assert back.ci() == pytest.approx((-d.ci().high, -d.ci().low))
    equal = trueness.compare({"a": failing(fits), "b": fits}, metric="error", method="cv")
    assert equal.difference.nearest(0.0) == 0


def test_raise_is_an_error_and_so_is_more_than_a_tenth(two_gaussians):
    X, y = two_gaussians
    with pytest.raises(UndefinedError, match="undefined='failed'"):
        trueness.assess(FailsWithout(X[[0]]), X, y, rng=3, checks=False, undefined="raise")
    with pytest.raises(FitError, match="more than 10 %"):
        trueness.assess(FailsWithout(X[[0]]), X, y, plan=trueness.KFold(5), rng=0, checks=False)


def test_advice_in_assess_and_compare_works_there(two_gaussians):
    """Folds without a class: the error of compare names an argument that compare takes, and with it there is a result."""
    X, y = two_gaussians
    splits = [(np.arange(10, len(y)), np.arange(10))] + [
        (np.setdiff1d(np.arange(len(y)), np.arange(k, len(y), 4)), np.arange(k, len(y), 4)) for k in range(4)
    ]
    models = {"lda": LDA(), "bayes": GaussianNB()}
    with pytest.raises(UndefinedError):
        trueness.compare(models, X, y, plan=splits, metric="auc", checks=False)
    k = trueness.compare(models, X, y, plan=splits, metric="auc", checks=False, undefined="skip")
    assert np.isfinite(k.difference.value)
    with pytest.raises(trueness.errors.InputError, match="undefined must be"):
        trueness.compare(models, X, y, undefined="ignore")
    with pytest.raises(trueness.errors.InputError, match="undefined must be"):
        trueness.assess(LDA(), X, y, undefined=None)
