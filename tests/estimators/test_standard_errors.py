"""Every standard error of every method: which is the default, what it is, and where there is none."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA

import trueness
from trueness.errors import InputError


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 3))
    X[y == 1] += 0.7
    return X, y


@pytest.fixture(scope="module")
def boot(data):
    X, y = data
    return trueness.fit(LDA(), X, y, trueness.Bootstrap(300), rng=0)


@pytest.fixture(scope="module")
def repeated(data):
    X, y = data
    return trueness.fit(LDA(), X, y, trueness.KFold(5, repeats=30), rng=0)


@pytest.fixture(scope="module")
def once(data):
    X, y = data
    return trueness.fit(LDA(), X, y, trueness.KFold(5), rng=0)


@pytest.mark.parametrize(("metric", "method"), [("error", "loob"), ("auc", "lpob")])
def test_loob_and_lpob(boot, metric, method):
    default, exact, second = (
        trueness.estimate(boot, metric, method, se=s) for s in (None, "influence", "second-order")
    )
    assert default.se_method == "influence-corrected"
    assert 0.7 * exact.se < default.se < exact.se
    assert exact.se == pytest.approx(np.linalg.norm(exact.influence))
    assert second.se < exact.se
    assert second.df == 19
    assert default.mc_se == pytest.approx(np.linalg.norm(default.mc_influence))


def test_monte_carlo_error_is_that_of_repeated_bootstraps(data):
    """LOOB √Σ(R_b/n)², LPOB √Σ(r_b/(n1 n2))², star SD/√B: against the SD over many bootstraps of the same cases."""
    X, y = data
    values = {
        key: [] for key in (("error", "loob"), ("auc", "lpob"), ("error", "star"), ("error", "632+"), ("auc", "632+"))
    }
    errors = {key: [] for key in values}
    for seed in range(60):
        fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(100), rng=seed)
        for key in values:
            e = trueness.estimate(fits, *key)
            values[key].append(e.value)
            errors[key].append(e.mc_se)
    for key in values:
        ratio = np.mean(errors[key]) / np.std(values[key], ddof=1)
        assert 0.75 < ratio < 1.33, key  # SD of an SD from 60 values: 9 %


@pytest.mark.parametrize("metric", ["error", "auc"])
@pytest.mark.parametrize("method", ["star", "sb", "rb", "632", "632+", "apparent"])
def test_methods_without_a_standard_error_say_so(boot, metric, method):
    e = trueness.estimate(boot, metric, method)
    assert e.se is None
    assert any(n.code.startswith("no-se-") for n in e.notes)
    assert e.row()["low"] is None
    if method != "apparent":
        quantile = trueness.estimate(boot, metric, method, se="quantile")
        low, high = quantile.ci()
        assert 0 <= low < high <= 1
        assert quantile.noted("quantile-interval")
        assert quantile.se is None


def test_quantiles_are_of_the_values_per_replicate(boot):
    e = trueness.estimate(boot, "error", "star", se="quantile")
    out = boot.counts == 0
    wrong = np.asarray(boot.held_predictions) != boot.sample.codes
    values = [w[o].mean() for w, o in zip(wrong, out, strict=True)]
    assert list(e.ci(0.9)) == pytest.approx(np.quantile(values, [0.05, 0.95]).tolist())


def test_632plus_scaled(boot):
    e = trueness.estimate(boot, "error", "632+", se="scaled")
    base = trueness.estimate(boot, "error", "loob")
    assert e.se == pytest.approx(base.se * e.value / base.value)
    with pytest.raises(InputError, match="lpob"):
        trueness.estimate(boot, "auc", "632+", se="scaled")


def test_holdout_is_binomial_and_delong(data):
    X, y = data
    held = trueness.fit(LDA(), X, y, trueness.Holdout(0.5), rng=0)
    e = trueness.estimate(held, "error", "holdout")
    assert e.se == pytest.approx(np.sqrt(e.value * (1 - e.value) / 20))
    assert e.plain
    assert e.cases == 20
    a = trueness.estimate(held, "auc", "holdout")
    assert a.se_method == "delong"
    assert a.interval.name == "logit, hanley-mcneil"  # few of the 20 cases overlap
    fnf = trueness.estimate(held, "fnf", "holdout")
    assert fnf.cases == 10
    assert fnf.se == pytest.approx(np.sqrt(fnf.value * (1 - fnf.value) / 10))
    f1, jaccard = (trueness.estimate(held, m, "holdout") for m in ("f1", "jaccard_weighted"))
    assert (f1.se_method, jaccard.se_method) == ("delta", "jackknife")


def test_cross_validation_once(once):
    e = trueness.estimate(once, "error", "cv_pooled")
    assert e.se_method == "naive"
    assert e.se == pytest.approx(np.sqrt(e.value * (1 - e.value) / 40))
    assert e.noted("naive-se")
    assert e.mc_se is None
    assert e.fold_sd != e.se
    corrected = trueness.estimate(once, "error", "cv", se="continuity")
    low, high = corrected.ci()
    half = 0.5 / 40 + 1.959963985 * np.sqrt(corrected.value * (1 - corrected.value) / 40)
    assert (low, high) == pytest.approx((max(0, corrected.value - half), corrected.value + half))
    for se in ("nadeau-bengio", "influence"):
        with pytest.raises(InputError, match="repeats") as refused:
            trueness.estimate(once, "error", "cv", se=se)
        assert refused.value.param == "se"
    auc = trueness.estimate(once, "auc", "cv")
    assert auc.se is None
    assert auc.fold_sd > 0
    note = auc.noted("no-se-one-pass")
    assert "plan=KFold(10, repeats=10)" in note.message
    y = np.arange(40) % 2
    more = trueness.assess(
        LDA(), np.random.default_rng(0).normal(size=(40, 2)), y, trueness.KFold(10, repeats=10), "auc", rng=0
    )
    assert more["auc"].has_interval
    pairs = trueness.estimate(once, "auc", "cv_pairs", undefined="skip")
    assert pairs.se is None


def test_cross_validation_repeated(repeated):
    for metric in ("error", "auc"):
        e = trueness.estimate(repeated, metric, "cv")
        assert e.se_method.parts[0] == "nadeau-bengio"
        assert e.df == 149
        assert e.mc_se > 0
    for se in ("influence", "influence-corrected"):
        e = trueness.estimate(repeated, "error", "cv_pooled", se=se)
        assert e.noted("experimental-se")
        assert 0.02 < e.se < 0.2
        p = trueness.estimate(repeated, "auc", "cv_pairs", se=se, undefined="skip")
        assert p.noted("experimental-se")
        assert 0.02 < p.se < 0.2
    pooled = trueness.estimate(repeated, "auc", "cv_pooled")
    assert pooled.se is None
    assert pooled.noted("no-se-method")
    assert not pooled.noted("no-se-one-pass")


def test_nested(data):
    X, y = data
    e = trueness.estimate(
        trueness.fit(LDA(), X, y, trueness.plans.NestedKFold(5, repeats=5), rng=0), "error", "nested_cv"
    )
    assert e.se_method == "nested, class sizes"
    low, high = e.ci()
    assert 0 <= low < e.value < high <= 1


def test_groups_are_summed_before_squaring(data):
    """Every case twice, as a group: the standard error of the n groups, not of 2n cases."""
    X, y = data
    single = trueness.fit(LDA(), X, y, trueness.Bootstrap(200), rng=0)
    for metric, method in (("error", "loob"), ("auc", "lpob")):
        a = trueness.estimate(single, metric, method, se="influence")
        c = trueness.estimate(single, metric, method)
        doubled = trueness.Fits.from_arrays(
            np.repeat(y, 2),
            np.repeat(single.counts, 2, axis=1),
            np.repeat(single.scores, 2, axis=1),
            predictions=np.repeat(np.asarray(single.held_predictions), 2, axis=1),
            groups=np.repeat(np.arange(40), 2),
            plan="bootstrap",
            stratified=True,
        )
        b = trueness.estimate(doubled, metric, method, se="influence")
        assert b.value == pytest.approx(a.value, abs=1e-12)
        assert b.se == pytest.approx(a.se, rel=1e-9)
        assert trueness.estimate(doubled, metric, method).se == pytest.approx(c.se, rel=1e-9)


def test_differences(data, boot, once, repeated):
    X, y = data
    other = trueness.fit(QDA(), X, y, boot.design)
    for metric, method in (("error", "loob"), ("auc", "lpob")):
        default = trueness.difference(boot, other, metric, method)
        assert default.se_method == "second-order"
        assert default.df == 19
        exact = trueness.difference(boot, other, metric, method, se="influence")
        assert default.se < trueness.difference(boot, other, metric, method, se="influence-corrected").se < exact.se
        turned = trueness.difference(other, boot, metric, method)
        assert turned.value == pytest.approx(-default.value)
        assert turned.se == pytest.approx(default.se)
        low, high = default.ci()
        assert -1 <= low < default.value < high <= 1
        nothing = trueness.difference(boot, boot, metric, method)
        assert nothing.value == 0
        assert nothing.se == 0
        assert tuple(nothing.ci()) == (0.0, 0.0)
    star = trueness.difference(boot, other, "auc", "star")
    assert star.se is None
    assert star.mc_se > 0
    folds = trueness.difference(repeated, trueness.fit(QDA(), X, y, repeated.design), "auc", "cv")
    assert folds.se_method == "nadeau-bengio"
    naive = trueness.difference(once, trueness.fit(QDA(), X, y, once.design), "error", "cv")
    assert naive.se_method == "naive"
    held = trueness.Holdout(0.5).draw(y, rng=1)
    a, b = (trueness.fit(m, X, y, held) for m in (LDA(), QDA()))
    d = trueness.difference(a, b, "auc", "holdout")
    assert d.se_method == "delong"
    assert d.se < np.hypot(*(trueness.estimate(f, "auc", "holdout").se for f in (a, b)))


def test_a_corrected_variance_of_next_to_nothing_is_not_used():
    rng = np.random.default_rng(35)
    y = np.repeat([0, 1], 10)
    X = rng.normal(size=(20, 2)) + 2.5 * y[:, None]
    for seed in range(30):
        fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(300), rng=seed)
        for metric, method in (("error", "loob"), ("auc", "lpob")):
            default, exact = (trueness.estimate(fits, metric, method, se=s) for s in (None, "influence"))
            assert default.se >= 0.05**0.5 * exact.se
            replaced = default.se_method == "influence" and exact.se > 0
            assert bool(default.noted("variance-not-positive")) == replaced


def test_influence_of_cross_validation_sums_to_nothing_with_unequal_folds():
    y = np.repeat([0, 1], [8, 7])
    X = np.random.default_rng(0).normal(size=(15, 2)) + y[:, None]
    fits = trueness.fit(LDA(), X, y, trueness.KFold(4, repeats=10, stratified=False), rng=0)
    e = trueness.estimate(fits, "error", "cv_pooled", se="influence")
    assert e.influence.sum() == pytest.approx(0, abs=1e-12)
