"""Measures of the table of truth and decision: against trueness.diagnose, R, linear cases, enumeration, and by laws."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from enumeration import all_counts, derivative
from sklearn import metrics as sk
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError, UndefinedError
from trueness.estimators import available
from trueness.estimators.estimation import bind
from trueness.formulas import tables
from trueness.metrics.registry import measure_of
from trueness.metrics.table import TableMeasure
from trueness.tables.estimation import estimate_measure
from trueness.tables.study_designs import Cohort

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "table_measures.json").read_text())
MEASURES = ("ppv", "npv", "f1", "mcc", "kappa")
PLANS = {
    "cv+bootstrap": trueness.CvBootstrap(5, repeats=3, n_resamples=60),
    "cv": trueness.KFold(5, repeats=3),
    "one pass": trueness.KFold(5),
    "monte carlo": trueness.plans.MonteCarlo(40),
    "bootstrap": trueness.Bootstrap(120),
    "holdout": trueness.Holdout(0.5),
    "nested": trueness.plans.NestedKFold(4),
    "halves": trueness.plans.CvHalves(5, repeats=2, halvings=4, inner_folds=4),
    "paired": trueness.plans.PairedSubsampling(4, inner=3, test_size=0.2),
}


class AccuracyOfTable(TableMeasure):
    """Accuracy as a function of the table: linear, so the delta method is exact."""

    name = "accuracy of table"

    def function(self, t):
        return np.trace(t, axis1=-2, axis2=-1) / t.sum(axis=(-2, -1))


class TwoClassesUnchecked(TableMeasure):
    """Of two classes, without a `bind` that refuses several."""

    name = "share of true positives"

    def function(self, t):
        return tables.cells(t)[3] / t.sum(axis=(-2, -1))


def test_the_cells_of_two_classes_are_not_read_from_a_larger_table():
    fits = on_test_set(list("aabbcc"), list("abbbcc"))
    with pytest.raises(ValueError, match="two classes"):
        trueness.estimate(fits, TwoClassesUnchecked(), "holdout")


def data(n0=36, n1=24, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    return rng.normal(size=(n0 + n1, 3)) + 0.8 * y[:, None], y


def on_test_set(y, p, **options):
    return trueness.Fits.from_arrays(y, [[0] * len(y)], None, predictions=[p], **options)


def of_counts(tp, fn, fp, tn):
    return on_test_set(np.repeat([1, 1, 0, 0], [tp, fn, fp, tn]), np.repeat([1, 0, 1, 0], [tp, fn, fp, tn]))


@pytest.fixture(scope="module", params=list(PLANS))
def two_fits(request):
    X, y = data()
    design = PLANS[request.param].draw(y, rng=3)
    return [trueness.fit(model, X, y, design) for model in (LDA(), GaussianNB())]


# -- a test set ------------------------------------------------------------------------------------------------------

TABLES = [
    (10, 5, 24, 61),
    (40, 10, 20, 30),
    (3, 1, 7, 200),
    (12, 0, 5, 20),
    (12, 3, 0, 20),
    (15, 0, 0, 25),
    (1, 9, 9, 1),
]


@pytest.mark.parametrize(
    "name",
    ["error", "balanced_accuracy", trueness.metrics.Cost(matrix=np.arange(9.0).reshape(3, 3)), "f1", "mcc", "kappa"],
)
def test_slopes_without_a_table_for_every_cell_are_numerical_derivatives(name):
    measure, t = measure_of(name, range(3)), np.array([[5.0, 1, 0], [2, 7, 3], [0, 1, 1]])
    steps = 1e-5 * np.eye(9).reshape(9, 3, 3)
    central = (measure.function(t + steps) - measure.function(t - steps)) / 2e-5
    assert measure.slopes(t) == pytest.approx(central.reshape(3, 3), abs=1e-9)
    assert measure.slopes(t) == pytest.approx(tables.gradient(measure.function, t), abs=1e-15)


def test_slopes_follow_the_positive_class():
    t = np.array([[5.0, 1], [2, 7]])
    for positive in (0, 1):
        metric = trueness.metrics.resolve("f1").bind(trueness.sample.Sample.of([0, 1, 0, 1], positive=positive))
        assert metric.slopes(t) == pytest.approx(tables.gradient(metric.value, t), abs=1e-15)


@pytest.fixture(scope="module")
def hundred():
    """A table of 2000 cases of a hundred classes."""
    rng, y = np.random.default_rng(0), np.arange(2000) % 100
    said = np.where(rng.random(2000) < 0.7, y, rng.integers(0, 100, 2000))
    return np.bincount(100 * y + said, minlength=10_000).reshape(100, 100)


def never_for_every_cell(function):
    def of_one(t):
        assert t.ndim == 2
        return function(t)

    return of_one


@pytest.mark.parametrize("name", ["f1", "mcc", "kappa"])
def test_measures_of_a_hundred_classes_need_no_table_for_every_cell(hundred, name):
    measure = measure_of(name, range(100))
    e = estimate_measure(Cohort(hundred), replace(measure, function=never_for_every_cell(measure.function)))
    assert 0.6 < e.ci().low < e.value < e.ci().high < 0.8
    assert 0.8 < e.se / np.sqrt(e.value * (1 - e.value) / 2000) < 1.2


def test_balanced_accuracy_of_a_hundred_classes_needs_no_table_for_every_cell(hundred):
    table, measure = hundred, measure_of("balanced_accuracy", range(100))
    e = estimate_measure(Cohort(table), replace(measure, function=never_for_every_cell(measure.function)))
    rates = np.diag(table) / 20
    assert (e.value, e.se) == (
        pytest.approx(rates.mean()),
        pytest.approx(np.sqrt((rates * (1 - rates) / 20).sum()) / 100),
    )
    assert e.ci().low < e.value < e.ci().high


@pytest.mark.parametrize("counts", TABLES)
def test_a_test_set_has_the_numbers_of_diagnose(counts):
    tp, fn, fp, tn = counts
    fits, d = of_counts(*counts), trueness.diagnose(tp=tp, fn=fn, fp=fp, tn=tn)
    for name in (*MEASURES, "accuracy", "error", "tpf", "fpf", "tnf", "fnf"):
        ours, theirs = trueness.estimate(fits, name, "holdout"), d[name]
        assert ours.value == pytest.approx(theirs.value, abs=1e-12), name
        assert ours.se == pytest.approx(theirs.se, abs=1e-12), name
        assert list(ours.ci()) == pytest.approx(list(theirs.ci()), abs=1e-12), name
        assert bool(ours.noted("se-half-added")) == bool(theirs.noted("se-half-added"))


@pytest.mark.parametrize("table", REFERENCE["tables"])
def test_a_test_set_has_the_numbers_of_r(table):
    fits = of_counts(*(table[k] for k in ("tp", "fn", "fp", "tn")))
    for name in (*MEASURES, "balanced_accuracy"):
        e = trueness.estimate(fits, name, "holdout")
        assert (e.value, e.se) == pytest.approx(table[name], rel=1e-5)


def test_several_classes_have_the_numbers_of_r_and_scikit_learn():
    y, p = REFERENCE["y"], REFERENCE["p"]
    fits = on_test_set(y, p)
    for name, key in (("f1", "macro_f1"), ("kappa", "kappa")):
        e = trueness.estimate(fits, name, "holdout")
        assert (e.value, e.se) == pytest.approx(REFERENCE[key], rel=1e-5)
        assert e.ci().low < e.value < e.ci().high
    assert trueness.estimate(fits, "mcc", "holdout").value == pytest.approx(sk.matthews_corrcoef(y, p))
    balanced = trueness.estimate(fits, "balanced_accuracy", "holdout")
    assert balanced.value == pytest.approx(sk.balanced_accuracy_score(y, p))
    for name in ("ppv", "npv", "tpf", "youden"):
        with pytest.raises(InputError, match="two classes"):
            trueness.estimate(fits, name, "holdout")


@pytest.mark.parametrize("name", [*MEASURES, "balanced_accuracy", "average_precision"])
def test_the_delta_method_agrees_with_the_bootstrap_of_a_test_set(name):
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.4).astype(int)
    s = rng.normal(size=400) + 1.2 * y

    fits = trueness.Fits.from_arrays(y, [[0] * 400], [s], threshold=0.6)
    e, metric, (block,) = trueness.estimate(fits, name, "holdout"), bind(fits, name), fits.tests()
    weights = rng.multinomial(400, np.full(400, 1 / 400), size=2000).astype(float)
    drawn = [metric.rows(block, w[None])[0] for w in weights]
    assert float(np.linalg.norm(e.influence)) == pytest.approx(np.std(drawn, ddof=1), rel=0.06)  # ± 1.6 % by chance


# -- linear measures ---------------------------------------------------------------------------------------------------


def numbers(e):
    return [v for v in (e.value, e.se, e.mc_se) if v is not None]


def assert_mirrored(a, b, scale=-1.0, shift=1.0):
    """a = shift + scale · b, with everything that goes with it."""
    assert a.value == pytest.approx(shift + scale * b.value, abs=1e-12)
    for mine, theirs in ((a.se, b.se), (a.mc_se, b.mc_se)):
        assert (mine is None) == (theirs is None)
        assert mine is None or mine == pytest.approx(abs(scale) * theirs, abs=1e-12)
    if b.has_interval:
        assert sorted(a.ci()) == pytest.approx(sorted(shift + scale * v for v in b.ci()), abs=1e-12)


def methods(fits, metric):
    return [e.name for e in available(fits.design.kind, bind(fits, metric))]


def estimates(fits, metric):
    found = {}
    for method in methods(fits, metric):
        try:
            found[method] = trueness.estimate(fits, metric, method)
        except UndefinedError:
            found[method] = None
    return found


def test_accuracy_mirrors_the_error_and_rates_their_complements(two_fits):
    for one, other in (("accuracy", "error"), ("tpf", "fnf"), ("tnf", "fpf")):
        a, b = (estimates(two_fits[0], m) for m in (one, other))
        assert list(a) == list(b)
        for method in a:
            assert (a[method] is None) == (b[method] is None)
            if a[method] is not None:
                assert_mirrored(a[method], b[method])
    for method in (k for k, e in estimates(two_fits[0], "accuracy").items() if e is not None):
        a, b = (trueness.difference(*two_fits, m, method) for m in ("accuracy", "error"))
        assert_mirrored(a, b, shift=0.0)


def test_comparisons_of_accuracies_are_those_of_errors():
    X, y = data()
    models = {"lda": LDA(), "nb": GaussianNB()}
    for plan in (trueness.Holdout(0.5), PLANS["cv+bootstrap"]):
        a, b = (trueness.compare(models, X, y, metric=m, plan=plan, rng=1) for m in ("accuracy", "error"))
        assert a.p_value == pytest.approx(b.p_value, abs=1e-12)
        assert a.outcome == b.outcome
        assert a.ranking() == b.ranking()
        assert_mirrored(a.difference, b.difference, shift=0.0)


LINEAR = {"apparent", "holdout", "cv", "cv_pooled", "cv+training", "sb", "loob", "star", "rb", "632"}  # in the losses


def test_balanced_accuracy_is_the_mean_of_tpf_and_tnf(two_fits):
    for method, e in estimates(two_fits[0], "balanced_accuracy").items():
        if e is None or method not in LINEAR:
            continue
        tpf, tnf, youden = (trueness.estimate(two_fits[0], m, method) for m in ("tpf", "tnf", "youden"))
        assert e.value == pytest.approx((tpf.value + tnf.value) / 2, abs=1e-12)
        assert youden.value == pytest.approx(2 * e.value - 1, abs=1e-12)
        if e.influence is not None and method != "cv+training":  # there it is scaled to the standard error
            assert e.influence == pytest.approx((tpf.influence + tnf.influence) / 2, abs=1e-12)
            assert youden.se == pytest.approx(2 * e.se, abs=1e-12)


def test_the_delta_method_is_exact_for_a_linear_measure(two_fits):
    for method, a in estimates(two_fits[0], AccuracyOfTable()).items():
        if a is None or method == "632":  # .632 is by loob for a loss, by star for a measure
            continue
        b = trueness.estimate(two_fits[0], "accuracy", method)
        assert numbers(a) == pytest.approx(numbers(b), abs=1e-12), method
        if a.influence is not None:
            assert a.influence == pytest.approx(b.influence, abs=1e-12)
        c, d = (trueness.difference(*two_fits, m, method) for m in (AccuracyOfTable(), "accuracy"))
        if method != "cv+training" or c.se > 2 / 60:  # floors for nearly equal rules differ a little
            assert numbers(c) == pytest.approx(numbers(d), abs=1e-12), method


# -- resampling ------------------------------------------------------------------------------------------------------


def table(y, p, w=None):
    out = np.zeros((2, 2))
    np.add.at(out, (y, p), 1.0 if w is None else w)
    return out


@pytest.mark.parametrize("name", MEASURES)
def test_values_are_measures_of_averaged_tables(name):
    X, y = data(37, 24)  # folds of unequal sizes
    f = trueness.metrics.resolve(name).bind(trueness.sample.Sample.of(y))
    cv = trueness.fit(LDA(), X, y, trueness.KFold(7, repeats=2), rng=0)
    folds = [table(b.codes, b.predictions[0]) / len(b.codes) for b in cv.tests()]
    assert trueness.estimate(cv, name, "cv").value == pytest.approx(float(f.value(np.mean(folds, axis=0))), abs=1e-12)
    pooled = cv.pooled()
    whole = np.mean([table(y, p) for p in pooled.predictions], axis=0)
    assert trueness.estimate(cv, name, "cv_pooled").value == pytest.approx(float(f.value(whole)), abs=1e-12)
    drawn = trueness.fit(LDA(), X, y, trueness.Bootstrap(100), rng=0)
    (block,) = drawn.blocks()
    total = np.zeros((2, 2))
    for i in range(len(y)):
        left_out = block.counts[:, i] == 0
        for decision in block.predictions[left_out, i]:
            total[y[i], decision] += 1 / left_out.sum()
    assert trueness.estimate(drawn, name, "loob").value == pytest.approx(float(f.value(total)), abs=1e-12)


@pytest.mark.parametrize("name", MEASURES)
def test_the_influence_of_loob_is_the_derivative_over_all_replicates(name):
    """Every one of the 4⁴ ordered bootstrap samples, with random decisions; the cohort is one stratum."""
    rng = np.random.default_rng(5)
    y = np.array([0, 0, 1, 1])
    strata = np.zeros(4, dtype=int)
    counts = all_counts(strata)
    p = np.where(rng.random(counts.shape) < 0.3, 1 - y, y)
    fits = trueness.Fits.from_arrays(y, counts, None, predictions=p, plan="bootstrap", stratified=False)
    f = trueness.metrics.resolve(name).bind(fits.sample)
    out = counts == 0

    def statistic(masses, probabilities):
        g = probabilities[:, None] * out
        each = np.zeros((2, 2))
        for i in range(4):
            share = (g[:, i] * p[:, i]).sum() / g[:, i].sum()
            each[y[i]] += masses[i] * np.array([1 - share, share])
        return float(f.value(each))

    e = trueness.estimate(fits, name, "loob", se="influence")
    expected = [derivative(statistic, strata, counts, i) / 4 for i in range(4)]
    assert e.influence == pytest.approx(expected, abs=1e-9)
    assert e.se == pytest.approx(np.linalg.norm(expected), abs=1e-9)


def test_differences_are_antisymmetric_and_0_for_one_model(two_fits):
    a, b = two_fits
    for name in MEASURES:
        for method in (k for k, e in estimates(a, name).items() if e is not None):
            one, two, same = (trueness.difference(*pair, name, method) for pair in ((a, b), (b, a), (a, a)))
            assert one.value == pytest.approx(-two.value, abs=1e-12)
            assert (one.se is None) == (two.se is None)
            assert one.se is None or one.se == pytest.approx(two.se, abs=1e-12)
            assert same.value == 0
            # on a test set as in `diagnose(...).versus`: equal decisions on these cases, so the interval has length
            assert same.ci().low < 0 < same.ci().high if method == "holdout" else not same.se


@pytest.mark.parametrize("name", MEASURES)
def test_the_order_of_cases_and_the_labels_do_not_matter(name):
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [14, 10])
    counts = trueness.Bootstrap(100).draw(y, rng=0).counts
    p = np.where(rng.random(counts.shape) < 0.25, 1 - y, y)
    order, words = rng.permutation(24), np.array(["zz no", "aa yes"])  # the positive class sorts first
    one = trueness.estimate(trueness.Fits.from_arrays(y, counts, None, predictions=p), name, "loob")
    moved = trueness.Fits.from_arrays(
        words[y][order], counts[:, order], None, predictions=words[p][:, order], positive="aa yes"
    )
    two = trueness.estimate(moved, name, "loob")
    assert numbers(one) == pytest.approx(numbers(two), rel=1e-9)
    assert list(one.ci()) == pytest.approx(list(two.ci()), rel=1e-9)


def test_intervals_have_length_and_stay_inside_at_the_ends(two_fits):
    fits = two_fits[0]
    y = fits.sample.codes
    for right in (True, False):
        said = y if right else 1 - y
        parts = fits.parts or (fits,)
        perfect = [replace(p, held=None, held_predictions=np.tile(said, (len(p.held[:]), 1))) for p in parts]
        sure = replace(fits, parts=tuple(perfect)) if fits.parts else perfect[0]
        for name in (*MEASURES, "balanced_accuracy", "accuracy"):
            for method, e in estimates(sure, name).items():
                if e is None or e.se is None:
                    continue
                low, high = e.ci()
                assert e.bounds[0] <= low < high <= e.bounds[1], (name, method, right)
                assert low <= e.value <= high


def test_groups_count_as_one_case():
    X, y = data()
    groups = np.arange(60) // 3
    fits = trueness.fit(LDA(), X, y, PLANS["cv+bootstrap"].draw(y, groups=groups, rng=0))
    for name in MEASURES:
        e = trueness.estimate(fits, name, "cv+training")
        assert e.df <= 19
        assert e.bounds[0] <= e.ci().low < e.value < e.ci().high <= e.bounds[1]
    test = trueness.Fits.from_arrays(np.tile(y, 3), [[0] * 180], None, predictions=[np.tile(fits.full_predictions, 3)])
    grouped = replace(test, design=replace(test.design, sample=replace(test.sample, groups=np.tile(np.arange(60), 3))))
    alone = on_test_set(y, fits.full_predictions)
    for name in MEASURES:  # three copies of every case, each a group
        a, b = trueness.estimate(grouped, name, "holdout"), trueness.estimate(alone, name, "holdout")
        g = b.cases if b.plain else 60  # groups with a case of this decision, or all
        assert a.se == pytest.approx(b.se * np.sqrt(g / (g - 1)), rel=1e-9)
        assert not a.plain


def test_a_measure_that_is_0_over_0_is_undefined_and_an_assessment_says_so():
    X, y = data()
    with pytest.raises(UndefinedError, match="ppv"):
        trueness.estimate(on_test_set(y, np.zeros(60, dtype=int)), "ppv", "holdout")
    for plan in PLANS.values():
        a = trueness.assess(DummyClassifier(), X, y, plan=plan, metrics=["accuracy", "f1"], rng=0)
        assert "f1" not in a.recommended
        assert plan is PLANS["nested"] or any(metric == "f1" for metric, _ in a.skipped)
        assert a["accuracy"].value > 0.5


def test_measures_that_treat_both_classes_alike_need_no_positive_class():
    y = np.array(["cat", "dog"])[data()[1]]
    p = np.where(np.random.default_rng(0).random(60) < 0.3, "cat", y)
    fits = on_test_set(y, p)
    for name in ("mcc", "kappa", "balanced_accuracy", "youden", "accuracy"):
        one, two = (trueness.estimate(f, name, "holdout") for f in (fits, on_test_set(y, p, positive="cat")))
        assert numbers(one) == pytest.approx(numbers(two), abs=1e-12)
    for name in ("f1", "ppv", "npv", "tpf"):
        with pytest.raises(InputError) as e:
            trueness.estimate(fits, name, "holdout")
        assert e.value.param == "positive"


def test_the_default_interval_is_for_training_sets_of_n_cases():
    X, y = data()
    a = trueness.assess(LDA(), X, y, metrics=["f1", "mcc"], rng=0)
    assert a["f1"].method == "cv+training"
    assert "mean table" in a["f1"].estimand
    assert math.isclose(a["f1"].se, a.frame().set_index(["metric", "method"]).loc[("f1", "cv+training"), "se"])


@pytest.mark.parametrize("groups", [None, np.arange(110) % 40])
@pytest.mark.parametrize("name", ["balanced_accuracy", "youden"])
def test_a_class_without_errors_or_successes_adds_to_the_interval_as_in_diagnose(name, groups):
    y = np.repeat([0, 1], [100, 10])
    for called in (np.zeros(110), np.arange(110) < 3):  # none of 10 positives is found
        fits = trueness.Fits.from_arrays(
            y, np.zeros((1, 110), int), [called + np.linspace(0, 0.1, 110)], threshold=0.5, groups=groups
        )
        interval = trueness.estimate(fits, name, "holdout").ci()
        expected = trueness.diagnose(y, called.astype(int), groups=groups)[name].ci()
        assert tuple(interval) == pytest.approx(tuple(expected), abs=1e-12)
        assert interval.high - interval.low > 0.1
