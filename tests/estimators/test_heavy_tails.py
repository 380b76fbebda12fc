"""Losses with heavy tails: Hill's index, no interval where the variance is apparently infinite, a note before that."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import trueness
from trueness.errors import InputError, TruenessWarning
from trueness.estimators.heavy_tails import share_of_largest, tail_index

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")


def noise(kind, n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    e = {"normal": rng.normal, "cauchy": rng.standard_cauchy}[kind](size=n)
    return X, X @ [1.0, -1.0] + e


def test_hill_by_a_loop_and_at_its_limits():
    losses = np.random.default_rng(0).pareto(1.2, size=200)
    largest = sorted(losses, reverse=True)
    expected = 7 / sum(np.log(v / largest[7]) for v in largest[:7])
    assert tail_index(losses, 7) == pytest.approx((expected, expected * (1 + 1.645 / np.sqrt(7))))
    assert tail_index(np.zeros(50), 5)[0] == np.inf
    assert tail_index(np.ones(50), 5)[0] == np.inf
    assert tail_index(np.arange(4.0), 5)[0] == np.inf
    assert share_of_largest(np.r_[np.ones(99), 99]) == pytest.approx(0.5)
    assert share_of_largest(np.zeros(9)) == 0


@pytest.mark.parametrize("plan", [None, trueness.KFold(5), trueness.Holdout(0.7), trueness.Bootstrap(50)])
def test_an_infinite_variance_has_no_interval(plan):
    X, y = noise("cauchy", 300, seed=2)
    a = trueness.assess(LinearRegression(), X, y, plan=plan, metrics=["mse", "rmse", "r2"], rng=0)
    for metric in ("mse", "rmse", "r2"):
        e = a[metric]
        assert e.se is None
        assert e.noted("no-se-heavy-tails").data["tail_index"] < 1
        with pytest.raises(InputError, match="variance of the losses is apparently infinite"):
            e.ci()
    assert "no-se-heavy-tails" in {n.code for n in a.notes}


def test_normal_noise_has_one():
    X, y = noise("normal", 300)
    a = trueness.assess(LinearRegression(), X, y, metrics=["mse", "mae", "r2"], rng=0)
    assert all(a[m].se is not None for m in ("mse", "mae", "r2"))
    assert not {"heavy-tails", "no-se-heavy-tails"} & {n.code for n in a.notes}


def test_one_case_that_is_most_of_the_loss_is_named():
    X, y = noise("normal", 200)
    y[5] += 60
    with pytest.warns(TruenessWarning, match="The largest 2 losses are 9.% of the total. See mae"):
        a = trueness.assess(LinearRegression(), X, y, metrics="mse", plan=5, rng=0)
    assert a["mse"].se is None
    assert a["mse"].value > 10


def test_before_that_a_note_says_that_the_interval_is_short():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 2))
    y = X @ [1.0, -1.0] + rng.exponential(size=400) ** 1.2
    a = trueness.assess(LinearRegression(), X, y, metrics="mse", plan=5, rng=0)
    assert a["mse"].noted("heavy-tails").data["share"] < 0.5
    assert a["mse"].se is not None


def test_a_difference_is_judged_by_the_differences():
    _, y = noise("cauchy", 300)
    counts = np.zeros((1, 300), dtype=int)
    a, b = (trueness.Fits.from_arrays(y, counts, [share * y], kind="regression") for share in (0.0, 0.5))
    d = trueness.difference(a, b, "mse", "holdout")
    assert d.se is None
    assert d.noted("no-se-heavy-tails")
    shifted = trueness.Fits.from_arrays(y, counts, [np.where(np.arange(300) % 2, 0.1, -0.1)], kind="regression")
    assert trueness.difference(a, shifted, "mae", "holdout").se is not None
