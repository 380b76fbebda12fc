"""Losses with heavy tails: a longer upper limit, a note, no interval where the variance is apparently infinite."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import genpareto, norm, skew, t
from sklearn.linear_model import LinearRegression

import trueness
from trueness.errors import InputError, TruenessWarning
from trueness.estimators.tails import (
    CLEARLY_NOT_NORMAL,
    NOT_NORMAL,
    distance_from_normal,
    pareto_shape,
    share_of_largest,
    skewness_of_mean,
    tail_shape,
)

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")


def noise(kind, n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    e = {"normal": rng.normal, "cauchy": rng.standard_cauchy}[kind](size=n)
    return X, X @ [1.0, -1.0] + e


def likelihood(shape, scale, x):
    return -len(x) * np.log(scale) - (1 + 1 / shape) * np.log1p(shape * x / scale).sum()


@pytest.mark.parametrize("shape", [0.2, 0.5, 1.0])
def test_the_shape_of_a_tail_is_near_the_largest_likelihood(shape):
    x = np.sort(genpareto(shape, scale=3).rvs(500, random_state=1))
    grid = [(likelihood(k, s, x), k) for k in np.linspace(0.02, 1.6, 80) for s in np.linspace(1.5, 6, 91)]
    assert pareto_shape(x) == pytest.approx(max(grid)[1], abs=0.04)
    assert pareto_shape(10 * x) == pytest.approx(pareto_shape(x))


def test_shapes_at_their_limits():
    assert pareto_shape(np.ones(40)) < 0
    assert pareto_shape(np.zeros(40)) == -np.inf
    assert tail_shape(np.arange(20.0)) == (-np.inf, 0)
    x = np.random.default_rng(0).standard_t(3, size=900)
    assert tail_shape(x) == tail_shape(-x)
    assert tail_shape(x + 100)[0] == pytest.approx(tail_shape(x)[0])  # by the distance from a threshold
    assert share_of_largest(np.r_[np.ones(99), 99]) == pytest.approx(0.5)
    assert share_of_largest(np.zeros(9)) == 0


def test_the_skewness_of_a_mean():
    x = np.random.default_rng(0).exponential(size=50)
    assert skewness_of_mean(x) == pytest.approx(skew(x) / np.sqrt(50))
    assert skewness_of_mean(np.r_[np.zeros(10**4), 1]) == pytest.approx(1, abs=1e-3)
    assert skewness_of_mean(np.ones(5)) == 0
    assert skewness_of_mean(1e200 * x) == pytest.approx(skewness_of_mean(x))


def test_the_distance_from_normal_errors():
    x = np.random.default_rng(0).exponential(size=50)
    assert distance_from_normal(np.ones(9)) == 0
    assert distance_from_normal(x) > CLEARLY_NOT_NORMAL
    assert distance_from_normal(1e200 * x + 1e201) == pytest.approx(distance_from_normal(x))
    # L-moments as means of the differences in all subsets (Hosking 1990, eq. 2.1)
    x = x[:12]
    l2, l3, l4 = (
        np.mean([np.dot(signs, sorted(some)) for some in combinations(x, len(signs))]) / len(signs)
        for signs in ([-1, 1], [1, -2, 1], [-1, 3, -3, 1])
    )
    z3 = l3 / l2 / np.sqrt(0.1866 / 12 + 0.8 / 12**2)
    z4 = (l4 / l2 - 0.1226) / np.sqrt(0.0883 / 12 + 0.68 / 12**2 + 4.9 / 12**3)
    assert z4 > 0
    assert distance_from_normal(x) == pytest.approx(z3**2 + z4**2)


@pytest.mark.parametrize("n", [40, 200])
def test_few_normal_samples_are_called_not_normal(n):
    rng = np.random.default_rng(n)
    found = np.array([distance_from_normal(rng.normal(size=n)) for _ in range(2000)])
    assert np.mean(found > NOT_NORMAL) == pytest.approx(0.04, abs=0.014)  # three standard errors
    assert np.mean(found > CLEARLY_NOT_NORMAL) == pytest.approx(0.007, abs=0.006)
    heavy = [distance_from_normal(rng.standard_t(3, size=n)) for _ in range(200)]
    assert np.mean(np.array(heavy) > NOT_NORMAL) > 0.5


@pytest.mark.parametrize(("metric", "power"), [("mse", 1), ("rmse", 0.5), ("mae", 1)])
@pytest.mark.parametrize("groups", [None, np.arange(80) // 4])
def test_the_longer_upper_limit_by_hand(metric, power, groups):
    rng = np.random.default_rng(4)
    y = rng.exponential(size=80)
    fits = trueness.Fits.from_arrays(y, np.zeros((1, 80), dtype=int), [np.ones(80)], kind="regression", groups=groups)
    e = trueness.estimate(fits, metric, "holdout")
    loss = np.abs(y - 1) if metric == "mae" else (y - 1) ** 2
    parts = loss - loss.mean()
    parts = parts if groups is None else np.bincount(groups, parts)
    g = (parts**3).sum() / (parts**2).sum() ** 1.5
    v = np.sqrt((parts**2).sum()) / 80 / loss.mean()
    q = (norm if e.df is None else t(e.df)).ppf(0.975)
    more = v * max(0, min(g / (1 - g), 1) * (2 * q**2 + 1) / 6 - v * q**2 / 2)
    assert more > 0
    low, high = e.ci()
    assert np.log(low / e.value) == pytest.approx(-q * e.se / e.value)
    assert np.log(high / e.value) == pytest.approx(q * e.se / e.value + power * more)


def test_normal_errors_hardly_change_the_limit():
    y = norm.ppf((np.arange(200) + 0.5) / 200)
    fits = trueness.Fits.from_arrays(y, np.zeros((1, 200), dtype=int), [np.zeros(200)], kind="regression")
    e = trueness.estimate(fits, "mse", "holdout")
    assert np.log(e.ci().high / e.value) < 1.08 * 1.96 * e.se / e.value


@pytest.mark.parametrize("plan", [None, trueness.KFold(5), trueness.Holdout(0.7), trueness.Bootstrap(50)])
def test_an_infinite_variance_has_no_interval(plan):
    X, y = noise("cauchy", 300, seed=2)
    a = trueness.assess(LinearRegression(), X, y, plan=plan, metrics=["mse", "rmse", "r2"], rng=0)
    for metric in ("mse", "rmse", "r2"):
        e = a[metric]
        assert e.se is None
        assert e.noted("no-se-heavy-tails").data["shape"] > 0.5
        with pytest.raises(InputError, match="variance of the losses is apparently infinite"):
            e.ci()
    assert "no-se-heavy-tails" in {n.code for n in a.notes}


@pytest.mark.parametrize(("df", "refused"), [(1.7, False), (1.0, True)])
def test_a_tail_that_may_have_a_variance_keeps_its_interval(df, refused):
    """The samples that show the heavy tail are those whose intervals cover: without them the others cover less."""
    errors = t(df).ppf((np.arange(1500) + 0.5) / 1500)
    shape, margin = tail_shape(errors)
    assert shape > 0.5
    assert (shape - margin > 0.5) == refused
    assert shape - margin > 0.25
    fits = trueness.Fits.from_arrays(errors, np.zeros((1, 1500), dtype=int), [np.zeros(1500)], kind="regression")
    e = trueness.estimate(fits, "mae", "holdout")
    assert (e.se is None) == refused
    assert e.noted("no-se-heavy-tails" if refused else "heavy-tails")


def test_normal_noise_has_one():
    X, y = noise("normal", 300)
    a = trueness.assess(LinearRegression(), X, y, metrics=["mse", "mae", "r2"], rng=0)
    assert all(a[m].se is not None for m in ("mse", "mae", "r2"))
    assert not {"heavy-tails", "no-se-heavy-tails"} & {n.code for n in a.notes}


def test_errors_like_normal_ones_keep_their_interval_whatever_the_shape():
    beyond = [0.5, 0.502, 0.504, 0.506, 0.508, 0.51, 0.55, 0.7, 1.1, 1.6, 2.1]  # they crowd at the threshold
    errors = np.concatenate([norm.ppf(np.linspace(0.02, 0.69, 59)), beyond])
    shape, margin = tail_shape(errors)
    assert shape > 0.25
    assert shape - margin > 0.125
    assert distance_from_normal(errors) < NOT_NORMAL
    fits = trueness.Fits.from_arrays(errors, np.zeros((1, 70), dtype=int), [np.zeros(70)], kind="regression")
    e = trueness.estimate(fits, "mse", "holdout")
    assert e.se is not None
    assert e.noted("heavy-tails")
    assert e.noted("no-se-heavy-tails") is None


def test_one_case_that_is_most_of_the_loss_is_named():
    X, y = noise("normal", 200)
    y[5] += 60
    with pytest.warns(TruenessWarning, match="A few cases decide mse"):
        a = trueness.assess(LinearRegression(), X, y, metrics="mse", plan=5, rng=0)
    assert a["mse"].noted("heavy-tails").data["skewness"] > 0.9
    assert a["mse"].value > 10
    assert a["mse"].ci().high > 4 * a["mse"].value


def test_before_that_a_note_says_that_the_interval_is_short():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2))
    y = X @ [1.0, -1.0] + rng.exponential(size=80) ** 1.5
    a = trueness.assess(LinearRegression(), X, y, metrics="mse", plan=5, rng=0)
    assert a["mse"].noted("heavy-tails").data["skewness"] > 0
    assert a["mse"].se is not None


@pytest.mark.parametrize(("metric", "noted"), [("mse", True), ("rmse", True), ("mae", False), ("r2", False)])
def test_large_errors_may_be_absent(metric, noted):
    y = t(3).ppf((np.arange(120) + 0.5) / 120)
    fits = trueness.Fits.from_arrays(y, np.zeros((1, 120), dtype=int), [np.zeros(120)], kind="regression")
    e = trueness.estimate(fits, metric, "holdout")
    assert e.se is not None
    assert (e.noted("heavy-tails") is not None) is noted


def test_a_difference_is_judged_by_the_differences():
    _, y = noise("cauchy", 300)
    counts = np.zeros((1, 300), dtype=int)
    a, b = (trueness.Fits.from_arrays(y, counts, [share * y], kind="regression") for share in (0.0, 0.5))
    d = trueness.difference(a, b, "mse", "holdout")
    assert d.se is None
    assert d.noted("no-se-heavy-tails")
    shifted = trueness.Fits.from_arrays(y, counts, [np.where(np.arange(300) % 2, 0.1, -0.1)], kind="regression")
    assert trueness.difference(a, shifted, "mae", "holdout").se is not None
