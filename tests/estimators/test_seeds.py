"""What another seed would change: the Monte-Carlo error of the standard error, and the range of p."""

import math

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

import trueness
from trueness.estimators.cv_training import placement_influence
from trueness.estimators.seeds import ByReplicate, folds_without, jackknife
from trueness.formulas.intervals import tail
from trueness.metrics import AUC
from trueness.result import Estimate
from trueness.result.joint import p_over_seeds, paired_test
from trueness.result.verdict import Question, verdict


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(1)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 4))
    X[:, 0] += 1.2 * y
    return X, y


def fitted(cases, seed, fits=100):
    X, y = cases
    plan = trueness.CvBootstrap.of_fits(fits, trueness.sample.Sample.of(y))
    design = plan.draw(y, rng=seed)
    return [trueness.fit(m, X, y, design) for m in (LinearDiscriminantAnalysis(), KNeighborsClassifier(3))]


def test_the_reported_error_is_the_sd_over_seeds(cases):
    """Of 30 seeds the SD is known to 13 %, and the mean of what is reported better."""
    found = []
    for seed in range(30):
        a, b = fitted(cases, seed)
        each = [trueness.estimate(a, m, "cv+training") for m in ("error", "auc", "f1")]
        each += [trueness.difference(a, b, m, "cv+training") for m in ("error", "auc")]
        found.append([(e.se, e.se_mc_se) for e in each])
    se, reported = np.moveaxis(np.array(found), 2, 0)
    ratio = np.sqrt((reported**2).mean(axis=0)) / se.std(axis=0, ddof=1)
    assert ((ratio > 0.6) & (ratio < 1.7)).all(), ratio
    assert 0.75 < np.exp(np.log(ratio).mean()) < 1.4


def test_jackknife_of_a_mean_is_its_variance():
    x = np.random.default_rng(0).normal(size=20)
    without = (x.sum() - x) / 19
    assert jackknife(without) == pytest.approx(x.var(ddof=1) / 20)
    assert jackknife(np.array([3.0])) == 0


def test_leaving_out_is_what_a_plain_loop_gives():
    rng = np.random.default_rng(2)
    values, repeats = rng.normal(size=50), np.repeat(np.arange(5), 10)
    folds = folds_without(values, repeats, (1 / 50 + 0.2) * values.var(ddof=1))
    for r in range(5):
        assert folds[r] == pytest.approx((1 / 40 + 0.2) * values[repeats != r].var(ddof=1))
    parts = ByReplicate(rng.random(7), 1 + rng.random(7), 0.9, rng.normal(size=7))
    t, along = parts.without()
    for b in range(7):
        left = [np.delete(x, b) for x in (parts.found, parts.possible, parts.along)]
        assert t[b] == pytest.approx(left[0].sum() / left[1].sum() / 0.9)
        assert along[b] == pytest.approx(left[2].mean() * 7)


def test_influence_of_repeats_has_the_influence_as_its_mean(cases):
    cv = fitted(cases, 0)[0].parts[0]
    metric = AUC().bind(cv.sample)
    assert placement_influence(cv, metric, True).mean(axis=0) == pytest.approx(
        placement_influence(cv, metric), abs=1e-15
    )


def test_groups_that_hold_both_classes_have_it_too(cases):
    X, y = cases
    groups = np.repeat(np.arange(10), 8)
    sample = trueness.sample.Sample.of(y, groups=groups)
    design = trueness.CvBootstrap.of_fits(60, sample).draw(sample, rng=0)
    e = trueness.estimate(trueness.fit(LinearDiscriminantAnalysis(), X, y, design), "auc", "cv+training")
    assert 0 < e.se_mc_se < e.se


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_a_floor_does_not_depend_on_the_seed():
    y = np.repeat([0, 1], 30)
    X = np.random.default_rng(0).normal(size=(60, 2)) + 10 * y[:, None]
    design = trueness.CvBootstrap.of_fits(60, trueness.sample.Sample.of(y)).draw(y, rng=0)
    a, b = (trueness.fit(m, X, y, design) for m in (LinearDiscriminantAnalysis(), KNeighborsClassifier(3)))
    d = trueness.difference(a, b, "error", "cv+training")
    assert (d.value, d.se_mc_se) == (0, 0)
    assert d.se == pytest.approx(1 / 120)


def test_the_range_of_p():
    d = Estimate(0.1, 0.04, mc_se=0.004, se_mc_se=0.006, df=30)
    t, sd = 2.5, math.hypot(0.1, 2.5 * 0.15)
    low, high = p_over_seeds(d)
    assert low == pytest.approx(tail(t + 1.96 * sd, df=30))
    assert high == pytest.approx(tail(t - 1.96 * sd, df=30))
    test = paired_test(d, "t")
    assert test.p_range == (low, high)
    assert low < test.p_value < high
    assert test.to_dict()["p_range"] == [low, high]
    assert p_over_seeds(d.with_(value=-0.1)) == (low, high)
    assert p_over_seeds(d.with_(value=0.001))[1] == 1  # the sign itself depends on the seed
    assert p_over_seeds(d.with_(se_mc_se=None)) is None
    less = p_over_seeds(d, "less")
    assert less[0] < tail(t, "less", 30) < less[1]


@pytest.mark.parametrize(
    ("limits", "said"), [((0.01, 0.09), True), ((0.001, 0.03), False), ((0.06, 0.4), False), (None, False)]
)
def test_the_verdict_says_where_it_depends_on_the_seed(limits, said):
    d = Estimate(0.1, 0.04, df=30, metric="auc difference")
    q = Question("a", "b", "auc", True, d, 0.02, p_range=limits)
    assert ("depends on the seed: p is between 0.01 and 0.09 over seeds" in verdict(q)) is said


def test_results_say_what_another_seed_would_change(cases):
    X, y = cases
    a = trueness.assess(KNeighborsClassifier(3), X, y, fits=60, rng=0)
    assert "Another seed would change the standard errors by up to about" in a.text()
    assert a.frame(details=True)["se_mc_se"].notna().sum() >= 2
    assert a["auc"].to_dict()["se_mc_se"] == a["auc"].se_mc_se
    k = trueness.compare([KNeighborsClassifier(3), LinearDiscriminantAnalysis()], X, y, fits=60, rng=0)
    low, high = k.p_range
    assert low < k.p_value < high
    assert k.frame(details=True).loc[0, ["p_low", "p_high"]].tolist() == [low, high]
    assert "over seeds" in str(k)


def test_groups_that_have_a_case_of_one_class_are_counted(cases):
    X, y = cases
    site = np.random.default_rng(0).integers(0, 6, len(y))
    site[(site == 5) & (y == 1)] = 1  # no positive case in the last
    with pytest.warns(trueness.errors.TruenessWarning, match="rests on only"):
        a = trueness.assess(LinearDiscriminantAnalysis(), X, y, groups=site, fits=60, rng=0)
    assert a["auc"].noted("very-few-groups").data["groups"] == 5


@pytest.mark.parametrize("share", [0.001, math.inf])
def test_shares_that_say_nothing_are_left_out(share):
    from trueness.result.estimate import of_seeds

    e = Estimate(0.8, 0.1, metric="auc", se_mc_se=0.1 * share)
    assert of_seeds([e]) == ""
    assert of_seeds([e, e.with_(metric="error", se_mc_se=0.02)]).endswith("about 20 %.")
