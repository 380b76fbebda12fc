"""Metrics of predicted numbers: scikit-learn's values, ranges, intervals at the ends, and laws."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import get_scorer

import trueness
from trueness.errors import InputError, UndefinedError
from trueness.metrics import names, resolve
from trueness.metrics.numbers import MAE, MAPE, MSE, Pinball
from trueness.sample.sample import Sample

OF_NUMBERS = [name for name in names() if resolve(name).target == "numbers"]
SCORERS = {
    "mse": "neg_mean_squared_error",
    "rmse": "neg_root_mean_squared_error",
    "mae": "neg_mean_absolute_error",
    "median_ae": "neg_median_absolute_error",
    "mape": "neg_mean_absolute_percentage_error",
    "r2": "r2",
    "explained_variance": "explained_variance",
}


def data(n=50, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X @ [1.0, 2.0, -1.0] + noise * rng.normal(size=n) + 30


@pytest.fixture(scope="module")
def fits():
    X, y = data()
    return trueness.fit(LinearRegression(), X, y, trueness.CvBootstrap(5, repeats=2, n_resamples=40), rng=1)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_every_metric_declares_itself(name, fits):
    metric = resolve(name).bind(fits.sample)
    assert metric.name == name
    assert metric.__doc__
    low, high = metric.bounds
    assert low <= trueness.estimate(fits, name, "apparent").value <= high
    e = trueness.estimate(fits, name, "cv" if name == "median_ae" else "cv+training")
    assert low <= e.ci().low < e.value < e.ci().high <= high


@pytest.mark.parametrize(("name", "scorer"), SCORERS.items())
def test_values_are_those_of_scikit_learn(name, scorer):
    X, y = data()
    model = LinearRegression().fit(X[:30], y[:30])
    a = trueness.assess(model, X[30:], y[30:], plan="prefit", metrics=[name])
    value = get_scorer(scorer)(model, X[30:], y[30:])
    assert a[name].value == pytest.approx(-value if scorer.startswith("neg_") else value, rel=1e-12)
    assert resolve(scorer).bind(a.fits.sample).key == resolve(name).bind(a.fits.sample).key


@pytest.mark.parametrize("scorer", ["neg_max_error", "d2_absolute_error_score", "neg_mean_poisson_deviance"])
def test_other_scorers_of_scikit_learn(scorer):
    X, y = data()
    model = LinearRegression().fit(X[:30], y[:30])
    a = trueness.assess(model, X[30:], y[30:], plan="prefit", metrics=[scorer, lambda y, p: float(np.mean(p > y))])
    assert a[scorer].value == pytest.approx(get_scorer(scorer)(model, X[30:], y[30:]), rel=1e-12)


@pytest.mark.parametrize("loss", [MSE(), MAE(), MAPE(), Pinball(0.8)])
def test_the_loss_without_information_is_the_mean_over_all_pairs(loss):
    rng = np.random.default_rng(1)
    y, p = rng.exponential(size=23) + 0.1, np.round(rng.normal(size=23), 1)
    slow = np.mean([[float(loss.of(np.array(a), np.array(b))) for a in p] for b in y])
    assert loss.over_pairs(y, p) == pytest.approx(slow, rel=1e-12)


def test_the_mean_error_has_no_loss_without_information(fits):
    with pytest.raises(UndefinedError, match="no direction"):
        trueness.estimate(fits, "bias", "632+")


@pytest.mark.parametrize("name", ["mse", "rmse", "mae", "pinball", "mape", "r2", "explained_variance"])
@pytest.mark.parametrize("plan", [None, trueness.KFold(5), trueness.Holdout(0.4)])
def test_without_any_error_the_interval_has_length(name, plan):
    X, y = data(noise=0.0)
    X = np.round(X, 3)
    y = X @ [1.0, 2.0, -1.0] + 30  # fitted but for rounding
    a = trueness.assess(LinearRegression(), X, y, plan=plan, metrics=[name], rng=0)
    low, high = a[name].ci()
    bound = 1.0 if name in ("r2", "explained_variance") else 0.0
    assert a[name].value == bound
    assert low < high
    assert bound in (low, high)
    assert a[name].ci().note.code == "no-errors-seen"


@pytest.mark.parametrize("scale", [1e-60, 1e-9, 1e9, 1e60])
def test_units_of_the_target_do_not_matter(scale):
    X, y = data()
    for name, power in (("mse", 2), ("rmse", 1), ("mae", 1), ("r2", 0), ("correlation", 0)):
        one, other = (
            trueness.assess(LinearRegression(), X, s * y, metrics=[name], plan=trueness.KFold(5, repeats=3), rng=0)[
                name
            ]
            for s in (1.0, scale)
        )
        assert other.value == pytest.approx(one.value * scale**power, rel=1e-9)
        assert other.se == pytest.approx(one.se * scale**power, rel=1e-9)
        assert tuple(other.ci()) == pytest.approx([v * scale**power for v in one.ci()], rel=1e-9)


def test_a_shift_of_target_and_prediction_changes_no_error(fits):
    y = fits.sample.numbers
    cv = fits.parts[0]
    moved = trueness.Fits.from_arrays(y + 1e6, cv.counts, cv.scores + 1e6, kind="regression", plan="cv")
    for name in ("mse", "mae", "r2", "correlation"):
        assert trueness.estimate(moved, name, "cv").value == pytest.approx(
            trueness.estimate(cv, name, "cv").value, rel=1e-6
        )


def test_the_two_kinds_do_not_mix(fits):
    X, y = data()
    labels = (y > 30).astype(int)
    with pytest.raises(InputError, match="auc is a metric of classes. Got numbers as y"):
        trueness.assess(LinearRegression(), X, y, metrics=["auc"])
    with pytest.raises(InputError, match="rmse is a metric of numbers. Got classes as y"):
        trueness.assess(LogisticRegression(), X, labels, metrics=["rmse"])
    with pytest.raises(InputError, match="y holds numbers that are not labels.*Use a regressor"):
        trueness.assess(LogisticRegression(), X, y)
    with pytest.raises(InputError, match="y looks like a number to predict.*Use a regressor"):
        trueness.assess(LogisticRegression(), X, np.arange(50))
    with pytest.raises(InputError, match="Some models predict numbers and others classes"):
        trueness.compare([LinearRegression(), LogisticRegression()], X, y)
    with pytest.raises(InputError, match="error is a metric of classes"):
        trueness.estimate(fits, "error", "cv+training")
    design = trueness.KFold(5).draw(labels)
    warnings.simplefilter("ignore", trueness.errors.TruenessWarning)  # two values
    with pytest.raises(InputError, match="drawn for other labels than y"):
        trueness.fit(LinearRegression(), X, labels, design)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        ([1.0, np.nan, 3.0, 4.0] * 5, "y has missing values. Got 5, the first at row 1"),
        ([1.0, np.inf, 3.0, 4.0] * 5, "y has infinite values. Got 5"),
        ([2.5] * 20, "All values of y are equal.*from 2.5 to 2.5"),
        (np.linspace(1, 2, 20) * 1e300, "Squared errors of y and their variance leave double precision.*Rescale"),
        (np.linspace(1, 2, 20) * 1e-300, "Squared errors of y and their variance leave double precision.*Rescale"),
        (["dear", "cheap"] * 10, "predicts numbers, and y holds none.*'cheap', 'dear'.*Use a classifier"),
        ([str(v) for v in range(20)], r"predicts numbers, and y holds none.*pass numbers, e.g. y.astype\(float\)"),
        (np.arange("2020-01-01", "2020-01-21", dtype="datetime64[D]"), "y holds none"),
        ([[1.0, 2.0]] * 20, "one number per case"),
        ([None, 2.0, 3.0, 4.0] * 5, "y has missing values. Got 5"),
        ([], "There are no cases"),
    ],
)
def test_targets_that_cannot_be_predicted(y, said):
    with pytest.raises(InputError, match=said) as e:
        trueness.assess(LinearRegression(), np.arange(20.0)[: len(y), None], y)
    assert e.value.param == "y"


@pytest.mark.parametrize(
    ("y", "said"),
    [([0.0, 1.5, 2.0, 3.0] * 5, "targets from 0 to 3"), (np.arange(-9, 11) + 0.5, "targets from -8.5 to 10.5")],
)
def test_mape_needs_targets_of_one_sign(y, said):
    with pytest.raises(InputError, match=f"mape divides by the target.*{said}.*Use mae"):
        trueness.assess(LinearRegression(), np.arange(20.0)[:, None], y, metrics=["mape"])
    negative = -np.abs(y) - 1
    a = trueness.assess(LinearRegression(), np.arange(20.0)[:, None] ** 2, negative, metrics=["mape"], plan=5, rng=0)
    assert a["mape"].value > 0


@pytest.mark.parametrize("q", [0, 1, -0.1, "half", None, True])
def test_pinball_needs_a_quantile(q):
    with pytest.raises(InputError, match="q must lie above 0 and below 1"):
        Pinball(q)


def test_pinball_at_one_half_is_half_the_absolute_error(fits):
    half, whole = (trueness.estimate(fits, name, "cv+training") for name in ("pinball", "mae"))
    assert (half.value, half.se) == pytest.approx((whole.value / 2, whole.se / 2), rel=1e-12)
    assert Pinball(0.9).name == "pinball(0.9)"


def test_always_predicting_the_mean_stands_beside():
    X, y = data()
    a = trueness.assess(LinearRegression(), X, y, plan=trueness.KFold(5, repeats=2), rng=0)
    n = len(y)
    others = np.array([np.delete(y, i).mean() for i in range(n)])
    assert a["rmse", "mean"].value == pytest.approx(np.sqrt(np.mean((others - y) ** 2)), rel=1e-12)
    assert a["mae", "mean"].value == pytest.approx(np.mean(np.abs(others - y)), rel=1e-12)
    assert "Always predicting the mean has RMSE 2." in str(a)


def test_a_model_without_information_is_told_so():
    rng = np.random.default_rng(0)
    with pytest.warns(trueness.errors.TruenessWarning, match="that of always predicting the mean"):
        trueness.assess(LinearRegression(), rng.normal(size=(40, 5)), rng.normal(size=40), plan=5, rng=0)


def _with_large_numbers():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=120), "b": rng.normal(size=120), "number": rng.integers(10**8, 10**9, 120)})
    X["c"] = X["a"]  # and a direction that is none
    return X, (X["a"] - X["b"]).to_numpy() + 0.1 * rng.normal(size=120)


def test_least_squares_by_name_does_not_depend_on_units():
    from trueness.fitting.models import model_by_name

    X, y = _with_large_numbers()
    model = model_by_name("ols", X.astype({"number": float}), "regression")
    rmse = trueness.assess(model, X, y, plan=trueness.KFold(5), metrics="rmse", rng=0)["rmse"]
    smaller = trueness.assess(
        model, X.assign(number=X["number"] / 1e9), y, plan=trueness.KFold(5), metrics="rmse", rng=0
    )
    assert rmse.value < 0.12
    assert smaller["rmse"].value == pytest.approx(rmse.value, rel=1e-9)


def test_tiny_units_show_digits_and_small_counts_no_exponents():
    from trueness.checks import shown as counted
    from trueness.result.words import shown

    assert shown(1.107e-8, 1.2e-9) == "1.11e-08"
    assert [shown(v, abs(v) / 10) for v in (-1.234e-12, 1.234e-30, 1.234e40)] == ["-1.23e-12", "1.23e-30", "1.23e+40"]
    assert [shown(v) for v in (0.0, 1.234e-9, 5e17)] == ["0.0000", "1.23e-09", "5e+17"]
    assert shown(0.0, 1e-12) == "0"
    assert shown(1.0, 1e-17) == "1.0000"
    assert shown(1e-17, 1e-17) == "0.0000"
    assert [counted(v) for v in (50, 999, 12345, 10**400)] == ["50", "999", "12345", "1e+400"]


def test_a_threshold_of_numbers_is_refused_in_words():
    X, y = data()
    a = trueness.assess(LinearRegression(), X, y, plan=3, metrics="mape", rng=0)
    assert a.answer().startswith("MAPE 0.0")
    with pytest.raises(InputError, match="A threshold needs two classes"):
        a.threshold()


def test_a_replicate_with_one_test_case_has_no_r2():
    counts = np.array([[0, 2, 1, 1, 1, 1], [0, 0, 0, 2, 2, 2], [2, 2, 2, 0, 0, 0]])  # left out: one case, three, three
    y = np.array([1.0, 2.0, 4.0, 3.0, 5.0, 9.0])
    p = y + np.array([0.5, -0.5, 1.0, 0.0, -1.0, 0.5])
    fits = trueness.Fits.from_arrays(y, counts, [p] * 3, kind="regression")
    each = [1 - ((p - y)[k] ** 2).sum() / ((y[k] - y[k].mean()) ** 2).sum() for k in (slice(3), slice(3, 6))]
    e = trueness.estimate(fits, "r2", "star")
    assert e.value == pytest.approx(np.mean(each), rel=1e-12)  # it was minus infinity
    assert e.noted("replicates-dropped").data["dropped"] == 1


def test_equal_predictions_have_no_correlation():
    y = np.arange(6.0)
    fits = trueness.Fits.from_arrays(y, np.zeros((1, 6), dtype=int), [np.full(6, 0.1)], kind="regression")
    with pytest.raises(UndefinedError):
        trueness.estimate(fits, "correlation", "holdout")


def test_a_comparison_in_tiny_units():
    X, y = data()
    models = {"ols": LinearRegression(), "ridge": Ridge(30)}
    one, other = (trueness.compare(models, X, s * y, plan=trueness.KFold(5), rng=0) for s in (1.0, 1e-12))
    assert other.tests["ols", "ridge"].p_value == pytest.approx(one.tests["ols", "ridge"].p_value, rel=1e-6)
    assert other.differences["ols", "ridge"].value == pytest.approx(1e-12 * one.differences["ols", "ridge"].value)


def test_ends_of_targets_far_from_zero_differ():
    far = Sample.of([1e9 + 1.25, 1e9 + 2, 1e9 + 8.5], kind="regression")
    assert far.described == "3 cases, targets from 1000000001.25 to 1000000008.5"


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
@pytest.mark.parametrize("plan", [trueness.KFold(5), trueness.Holdout(0.5), trueness.plans.LeaveOneOut()])
@pytest.mark.parametrize("model", [DummyRegressor(), DummyRegressor(strategy="constant", constant=3.0)])
def test_rules_that_predict_one_number_have_no_correlation(plan, model):
    X, y = data()
    fits = trueness.fit(model, X, y, plan, rng=0)
    for method in ("apparent", {"holdout": "holdout", "cv": "cv_pooled"}[fits.design.kind]):
        with pytest.raises(UndefinedError, match="correlation is undefined: every rule predicts the same number"):
            trueness.estimate(fits, "correlation", method)
    a = trueness.assess(model, X, y, plan=plan, metrics=["correlation", "rmse"], rng=0)
    assert {metric for metric, _ in a.estimates} == {"rmse"}
    assert "every rule predicts the same number" in str(a)


def test_two_values_are_among_the_notes():
    X, y = data()
    with pytest.warns(
        trueness.errors.TruenessWarning, match="The target has two values, 0 and 1; for classes use a classifier"
    ):
        a = trueness.assess(LinearRegression(), X, y > 30, plan=5, metrics="mae", rng=0)
    assert [n.code for n in a.notes].count("two-valued-target") == 1
