"""One test of several metrics of two models."""

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError
from trueness.result import Estimate
from trueness.result.joint import largest_difference

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "joint_test.json").read_text())
PLANS = {
    "default": trueness.CvBootstrap(5, repeats=2, n_resamples=60),
    "bootstrap": trueness.Bootstrap(150),
    "holdout": trueness.Holdout(0.5),
    "groups": trueness.CvBootstrap(5, repeats=2, n_resamples=60),
}
METRICS = ["error", "auc", "f1", "mcc"]

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")


def compared(plan="default", models=None, **more):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [40, 30])
    X = rng.normal(size=(70, 4)) * (1 + y[:, None]) + 0.7 * y[:, None]
    groups = np.arange(70) // 2 if plan == "groups" else None
    models = models or {"lda": LDA(), "nb": GaussianNB()}
    return trueness.compare(models, X, y, plan=PLANS[plan], groups=groups, rng=0, **more)


@pytest.fixture(scope="module", params=list(PLANS))
def k(request):
    return compared(request.param)


@pytest.mark.parametrize("metric", ["auc", "error", "ppv"])
@pytest.mark.parametrize("plan", list(PLANS))
def test_one_metric_has_the_p_value_of_its_own_test(plan, metric):
    k = compared(plan, metric=metric)
    t = k.joint_test([metric])
    assert t.p_value == k.p_value
    assert t.p_value == trueness.compare(k.fits, metric="auc").joint_test([metric]).p_value
    if not (plan == "holdout" and metric == "error"):  # McNemar's exact test is no t
        assert t.statistic == pytest.approx(abs(k.tests[k.pair].statistic))
        assert t.df == k.difference.df


def test_it_lies_between_the_smallest_p_and_bonferronis(k):
    t = k.joint_test(METRICS)
    frame = t.frame()
    assert list(frame.metric) == METRICS
    assert frame.p_value.min() <= t.p_value <= min(1, 4 * frame.p_value.min())
    assert t.p_value == frame.p_adjusted.min()
    assert (frame.p_adjusted >= frame.p_value).all()
    d = trueness.difference(*k.fits.values(), "f1", t.differences["f1"].method)
    assert (d.value, d.se) == (t.differences["f1"].value, t.differences["f1"].se)
    assert list(trueness.load(t.to_json()).alone) == list(t.alone)
    assert "f1" in str(t)


def test_the_order_of_metrics_does_not_matter(k):
    p = {k.joint_test(order).p_value for order in permutations(METRICS[:3])}
    assert len(p) == 1


def test_metrics_that_say_the_same_cost_nothing(k):
    """Error and accuracy have a singular covariance, and so do a cost and ten times the cost."""
    one = k.joint_test(["error"])
    both = k.joint_test(["accuracy", "error"])
    assert both.p_value == pytest.approx(one.p_value, abs=0.003)
    with_auc = k.joint_test(["auc", "error"]).p_value
    assert k.joint_test(["accuracy", "auc", "error"]).p_value == pytest.approx(with_auc, abs=0.003)
    costs = [trueness.metrics.Cost(matrix=[[0, c], [3 * c, 0]], called=f"cost {c}") for c in (1, 10)]
    assert k.joint_test(costs).p_value == pytest.approx(k.joint_test(costs[:1]).p_value, abs=0.003)


def test_exchanging_the_models_changes_no_p_value(k):
    there, back = k.joint_test(METRICS), k.joint_test(METRICS, pair=("nb", "lda"))
    assert back.p_value == pytest.approx(there.p_value, abs=0.003)
    for name in METRICS:
        assert back.differences[name].value == pytest.approx(-there.differences[name].value)


@pytest.mark.parametrize(("key", "df"), [("normal", None), ("df15", 15), ("df99", 99)])
def test_adjusted_p_values_are_those_of_mvtnorm(key, df):
    """The largest of correlated t statistics whose influence is written out in joint_test.R."""
    i = np.arange(1, 41)
    g = [np.sin(k * i) + np.cos((k + 1) * i) / 2 for k in (1, 2, 3)]
    g = [v - v.mean() for v in g]
    g.append(-g[0])
    differences = {
        f"m{k}": Estimate(t * np.linalg.norm(v), se=float(np.linalg.norm(v)), influence=v, df=df)
        for k, (t, v) in enumerate(zip(REFERENCE["t"], g, strict=True))
    }
    design = trueness.Holdout(0.5).draw(np.repeat([0, 1], 20), rng=0)
    law = largest_difference(differences.values(), design.unit_sums)
    alone = [2 * (stats.norm.sf(abs(t)) if df is None else stats.t.sf(abs(t), df)) for t in REFERENCE["t"]]
    assert [law.adjusted(p) for p in alone] == pytest.approx(REFERENCE[key], abs=0.001)


def test_two_uncorrelated_metrics_have_sidaks_p_value():
    one, other = np.zeros(40), np.zeros(40)
    one[:20], other[20:] = np.resize([1, -1], 20), np.resize([1, -1], 20)
    pair = {"a": Estimate(1.0, se=1.0, influence=one), "b": Estimate(1.0, se=1.0, influence=other)}
    law = largest_difference(pair.values(), lambda influence: influence)
    assert law.adjusted(0.03) == pytest.approx(1 - 0.97**2, abs=0.0005)


def test_equal_models_have_p_1():
    t = compared("bootstrap", models={"a": LDA(), "b": LDA()}).joint_test(["error", "auc"])
    assert t.p_value == 1.0
    assert t.statistic == pytest.approx(0.0, abs=1e-12)  # not all builds of BLAS repeat their bits
    assert t.noted("no-difference")


def test_the_p_value_is_never_0():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 2000)
    X = rng.normal(size=(4000, 2))
    X[:, 0] += 3 * y
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline

    keep = {k: make_pipeline(ColumnTransformer([("x", "passthrough", [k])]), GaussianNB()) for k in (0, 1)}
    models = {"good": keep[0], "useless": keep[1]}
    t = trueness.compare(models, X, y, plan=trueness.Holdout(0.5), rng=0, checks=False).joint_test(["error", "auc"])
    assert 0 < t.p_value < 1e-100


def test_metrics_without_an_influence_are_named():
    k = compared("default")
    assert 0 < k.joint_test(["error", "average_precision"]).p_value <= 1
    k = compared("bootstrap")
    with pytest.raises(InputError) as e:
        k.joint_test(["error", "average_precision"])
    assert (e.value.param, e.value.got) == ("metrics", "average_precision")
    with pytest.raises(InputError) as e:
        k.joint_test([])
    assert e.value.param == "metrics"
    with pytest.raises(InputError):
        k.joint_test(["error"], pair=("lda", "tree"))


def test_one_of_several_pairs_is_said_to_be_chosen():
    k = compared("bootstrap", models={"a": LDA(), "b": GaussianNB(), "c": LDA(shrinkage=0.9, solver="lsqr")})
    assert any("pair" in a for a in k.joint_test(["auc"], pair=("a", "c")).assumptions)
    assert k.joint_test(["auc"], pair=("a", "c")).p_value == k["a", "c"].test.p_value
