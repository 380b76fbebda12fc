"""Metrics: costs, priors, probabilities, scorers; and what holds for every one of them."""

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError
from trueness.metrics import Cost, names, resolve


@pytest.fixture
def fits(two_gaussians):
    X, y = two_gaussians
    return trueness.fit(LogisticRegression(), X, y, trueness.Bootstrap(120), rng=0, scores="predict_proba")


@pytest.fixture
def three():
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b", "c"], 15)
    X = rng.normal(size=(45, 2)) + np.repeat([[0, 0], [1, 0], [0, 1.5]], 15, axis=0)
    return trueness.fit(GaussianNB(), X, y, trueness.Bootstrap(150), rng=0, scores="predict_proba"), y


def test_the_error_is_the_cost_of_zero_and_one(fits):
    for method in ("apparent", "sb", "loob", "star", "rb", "632", "632+"):
        a, b = (trueness.estimate(fits, m, method) for m in ("error", Cost(matrix=[[0, 1], [1, 0]])))
        assert a.value == pytest.approx(b.value, abs=1e-12)
        assert a.se == b.se or a.se == pytest.approx(b.se)


def test_costs_scale(fits):
    one = trueness.estimate(fits, Cost(matrix=[[0, 1], [10, 0]]), "loob")
    ten = trueness.estimate(fits, Cost(matrix=[[0, 10], [100, 0]]), "loob")
    assert ten.value == pytest.approx(10 * one.value)
    assert ten.se == pytest.approx(10 * one.se)
    assert list(ten.ci()) == pytest.approx([10 * v for v in one.ci()])


@pytest.mark.parametrize("method", ["apparent", "loob", "sb"])
def test_risk_is_the_prior_weighted_sum_of_fnf_and_fpf(fits, method):
    """R = c21 P2 FPF + c12 P1 FNF (Yousef, ML Assessment, eq. 1c)."""
    fnf, fpf = (trueness.estimate(fits, m, method).value for m in ("fnf", "fpf"))
    risk = trueness.estimate(fits, Cost(matrix=[[0, 3], [50, 0]], priors=[0.99, 0.01]), method)
    assert risk.value == pytest.approx(3 * 0.99 * fpf + 50 * 0.01 * fnf, abs=1e-12)
    assert trueness.estimate(fits, "error", method).value == pytest.approx((fnf + fpf) / 2, abs=1e-12)


@pytest.mark.parametrize("priors", [[0.95, 0.05], [0.3, 0.7]])
def test_no_limit_is_beyond_what_all_wrong_decisions_cost(fits, priors):
    """Of given shares of the classes the largest cost is that of deciding every case wrongly, not the dearest cell."""
    cost = Cost(matrix=[[0, 1], [5, 0]], priors=priors)
    plain = trueness.estimate(fits, cost, "loob")
    assert plain.bounds == pytest.approx((0, priors[0] + 5 * priors[1]))
    assert trueness.estimate(fits, Cost(matrix=[[0, 1], [5, 0]]), "loob").bounds == (0, 5)
    one = trueness.estimate(fits, Cost(matrix=[[0, 1], [5, 0]], priors=[0, 1]), "loob")
    assert one.bounds == (0, 5)


def test_fnf_counts_missed_positives(fits):
    block = fits.full()
    y, p = block.codes, block.predictions[0]
    assert trueness.estimate(fits, "fnf", "apparent").value == np.mean(p[y == 1] != 1)
    assert trueness.estimate(fits, "fpf", "apparent").value == np.mean(p[y == 0] != 0)


def test_costs_follow_the_positive_class(two_gaussians):
    X, y = two_gaussians
    labels = np.array(["zz well", "aa sick"])[y]  # the positive class sorts first
    design = trueness.Bootstrap(60).draw(labels, rng=0)
    fits = trueness.fit(LogisticRegression(), X, labels, design, positive="aa sick")
    cost = trueness.estimate(fits, Cost(matrix=[[0, 1], [10, 0]]), "loob").value
    fnf, fpf = (trueness.estimate(fits, m, "loob").value for m in ("fnf", "fpf"))
    assert cost == pytest.approx(0.5 * 10 * fnf + 0.5 * fpf, abs=1e-12)


def test_priors_follow_the_positive_class():
    """Every case called positive: the FPF is 1, the FNF 0, so the weighted error is the prior of the negatives."""
    labels = np.repeat(["zz well", "aa sick"], [6, 4])
    counts = trueness.Bootstrap(60).draw(labels, rng=0).counts
    predictions = np.full(counts.shape, "aa sick")
    fits = trueness.Fits.from_arrays(labels, counts, None, predictions=predictions, positive="aa sick")
    for metric in (trueness.metrics.Error(priors=[0.9, 0.1]), Cost(matrix=[[0, 1], [1, 0]], priors=[0.9, 0.1])):
        assert trueness.estimate(fits, metric, "loob").value == pytest.approx(0.9)
    with pytest.raises(InputError, match="priors"):
        trueness.estimate(fits, trueness.metrics.Error(priors=np.array([9, 1])), "loob")


def test_brier_is_scikit_learns(fits, three):
    block = fits.full()
    assert trueness.estimate(fits, "brier", "apparent").value == pytest.approx(
        sk.brier_score_loss(block.codes, block.scores[0]), abs=1e-12
    )
    several, y = three
    p = several.full().scores[0]
    expected = np.mean(((p - (y[:, None] == ["a", "b", "c"])) ** 2).sum(axis=1))
    assert trueness.estimate(several, "brier", "apparent").value == pytest.approx(expected, abs=1e-12)
    assert trueness.estimate(several, "brier", "loob").se > 0


def test_no_information_rate_is_the_double_sum(fits):
    """γ = 1/n² Σ_i Σ_j L(y_i, rule(x_j)) (Yousef, ML Assessment, eq. 39)."""
    block = fits.full()
    y, p, s = block.codes, block.predictions[0], block.scores[0]
    sample = fits.sample
    error = resolve("error").bind(sample).no_information(sample, block)
    assert error == pytest.approx(np.mean(y[:, None] != p[None, :]), abs=1e-12)
    brier = resolve("brier").bind(sample).no_information(sample, block)
    assert brier == pytest.approx(np.mean((s[None, :] - y[:, None]) ** 2), abs=1e-12)


@pytest.mark.parametrize(
    "name", ["accuracy", "f1", "average_precision", "roc_auc", "neg_log_loss", "matthews_corrcoef"]
)
def test_scorers_give_what_scikit_learn_gives(fits, name):
    block, function = fits.full(), sk.get_scorer(name)
    y, p, s = block.codes, block.predictions[0], block.scores[0]
    expected = {
        "accuracy": lambda: sk.accuracy_score(y, p),
        "f1": lambda: sk.f1_score(y, p),
        "average_precision": lambda: sk.average_precision_score(y, s),
        "roc_auc": lambda: sk.roc_auc_score(y, s),
        "neg_log_loss": lambda: sk.log_loss(y, s),  # ours is the loss
        "matthews_corrcoef": lambda: sk.matthews_corrcoef(y, p),
    }[name]()
    assert function is not None
    assert trueness.estimate(fits, name, "apparent").value == pytest.approx(expected, abs=1e-12)
    star = trueness.estimate(fits, name, "star")
    assert star.se is None
    assert star.mc_se > 0
    rb = trueness.estimate(fits, name, "rb").value
    assert np.isfinite(rb)


def test_a_scorer_of_ones_own(fits):
    def share_correct(model, X, y):
        return float(np.mean(model.predict(X) == y))

    error = trueness.estimate(fits, "error", "apparent").value
    assert trueness.estimate(fits, share_correct, "apparent").value == pytest.approx(1 - error)
    made = sk.make_scorer(sk.accuracy_score)
    assert trueness.estimate(fits, made, "apparent").value == pytest.approx(1 - error)


def test_a_function_of_labels_and_scores(fits):
    def top_is_positive(y, score):
        return float(y[np.argmax(score)])

    e = trueness.estimate(fits, top_is_positive, "star")
    assert e.metric == "top_is_positive"
    assert 0 <= e.value <= 1
    assert trueness.estimate(fits, sk.roc_auc_score, "sb").value == pytest.approx(
        trueness.estimate(fits, "auc", "sb").value
    )


def test_scorers_of_several_classes(three):
    fits, y = three
    block = fits.full()
    labels = fits.sample.classes[block.predictions[0]]
    assert trueness.estimate(fits, "f1_macro", "apparent").value == pytest.approx(
        sk.f1_score(y, labels, average="macro")
    )
    ovr = sk.roc_auc_score(y, block.scores[0], multi_class="ovr", average="macro")
    assert trueness.estimate(fits, "auc", "apparent").value == pytest.approx(ovr, abs=1e-12)
    assert trueness.estimate(fits, "roc_auc_ovr", "apparent").value == pytest.approx(ovr, abs=1e-12)
    error = trueness.estimate(fits, "error", "632+")
    shares, answers = fits.sample.sizes / 45, np.bincount(block.predictions[0], minlength=3) / 45
    gamma = resolve("error").bind(fits.sample).no_information(fits.sample, block)
    assert gamma == pytest.approx(1 - (shares * answers).sum())  # γ = 1 − Σ p_c q_c
    assert 0 < error.value < 1
    for metric, method in (("error", "loob"), ("auc", "lpob")):
        assert trueness.estimate(fits, metric, method).se > 0


def test_probability_metrics_need_probabilities(two_gaussians):
    X, y = two_gaussians
    decisions = trueness.fit(RidgeClassifier(), X, y, trueness.Bootstrap(10), rng=0)
    for name in ("brier", "neg_log_loss"):
        with pytest.raises(InputError, match="scores='predict_proba'") as e:
            trueness.estimate(decisions, name, "star")
        assert e.value.param == "metric"


def test_bad_costs_and_priors(fits):
    for matrix in ([[0, 1]], [[0, 1, 2]] * 3, [[1, 1], [1, 1]], [[0, np.nan], [1, 0]], [[0, "x"], [1, 0]], None):
        with pytest.raises(InputError) as e:
            trueness.estimate(fits, Cost(matrix=matrix), "loob")
        assert e.value.param == "matrix"
    for priors in ([0.5, 0.6], [1.0], [-0.5, 1.5]):
        with pytest.raises(InputError) as e:
            trueness.estimate(fits, Cost(matrix=[[0, 1], [1, 0]], priors=priors), "loob")
        assert e.value.param == "priors"


OF_CLASSES = [name for name in names() if resolve(name).target != "numbers"]


@pytest.mark.parametrize("name", OF_CLASSES)
def test_every_metric_declares_itself(name, fits):
    metric = resolve(name).bind(fits.sample)
    assert metric.name == name
    low, high = metric.bounds
    value = trueness.estimate(fits, name, "apparent").value
    assert low <= value <= high
    if name != "average_precision":  # it has a standard error on a test set and under repeated cross-validation
        ci = trueness.estimate(fits, name, "lpob" if name == "auc" else "loob").ci()  # the default interval
        assert low <= ci.low < ci.high <= high
    assert metric.__doc__


@pytest.mark.parametrize("name", OF_CLASSES)
def test_every_metric_of_three_classes(name, three):
    """A value inside its range, or an error that says that it is for two."""
    fits, _ = three
    refused = ""
    try:
        metric = resolve(name).bind(fits.sample)
    except InputError as e:
        refused = str(e)
    if refused:
        assert "two classes" in refused
    else:
        low, high = metric.bounds
        assert low <= trueness.estimate(fits, name, "star").value <= high


# -- metamorphic laws --------------------------------------------------------------------------


def bootstrap_arrays(seed=0, B=80, n=14):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    return y, trueness.Bootstrap(B).draw(y, rng=seed).counts, rng.normal(size=(B, n)) + y, rng.normal(size=n) + y


METHODS = ("apparent", "sb", "star", "rb", "632", "632+", "lpob")


@pytest.mark.parametrize("method", METHODS)
def test_monotone_transforms_leave_an_auc_alone(method):
    y, counts, s, full = bootstrap_arrays()
    values = [
        trueness.estimate(trueness.Fits.from_arrays(y, counts, f(s), full_scores=f(full)), "auc", method)
        for f in (lambda v: v, np.exp, lambda v: v**3)
    ]
    assert values[0].value == pytest.approx(values[1].value, abs=1e-14)
    assert values[0].value == pytest.approx(values[2].value, abs=1e-14)
    assert values[0].se == values[1].se == values[2].se


@pytest.mark.parametrize("method", [m for m in METHODS if m != "632+"])
def test_turning_the_scores_gives_one_minus_the_auc(method):
    y, counts, s, full = bootstrap_arrays()
    a = trueness.estimate(trueness.Fits.from_arrays(y, counts, s, full_scores=full), "auc", method)
    b = trueness.estimate(trueness.Fits.from_arrays(y, counts, -s, full_scores=-full), "auc", method)
    assert a.value == pytest.approx(1 - b.value, abs=1e-12)
    if a.se is not None:
        assert a.se == pytest.approx(b.se, rel=1e-9)


def test_the_order_of_cases_and_of_replicates_does_not_matter():
    y, counts, s, full = bootstrap_arrays()
    rng = np.random.default_rng(5)
    cases, rows = rng.permutation(len(y)), rng.permutation(len(counts))
    a = trueness.Fits.from_arrays(y, counts, s, full_scores=full, threshold=0.5)
    b = trueness.Fits.from_arrays(
        y[cases], counts[rows][:, cases], s[rows][:, cases], full_scores=full[cases], threshold=0.5
    )
    for metric, method in (("auc", "lpob"), ("error", "loob"), ("error", "632+"), ("auc", "star")):
        one, two = (trueness.estimate(f, metric, method) for f in (a, b))
        assert one.value == pytest.approx(two.value, abs=1e-12)
        assert one.mc_se == pytest.approx(two.mc_se, rel=1e-9)
        if one.se is not None:
            assert one.se == pytest.approx(two.se, rel=1e-9)


def test_shifting_a_rule_by_a_constant_of_its_own_leaves_everything_but_pooling_alone():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 15)
    folds = trueness.KFold(3, repeats=5).draw(y, rng=1).counts
    s = rng.normal(size=(15, 30)) + y
    repeat = np.repeat(np.arange(5), 3)
    shift = 10 * rng.normal(size=(15, 1))
    a, b = (trueness.Fits.from_arrays(y, folds, v, repeat=repeat) for v in (s, s + shift))
    for method in ("cv", "cv_pairs"):
        assert trueness.estimate(a, "auc", method, undefined="skip").value == pytest.approx(
            trueness.estimate(b, "auc", method, undefined="skip").value
        )
    assert trueness.estimate(a, "auc", "cv_pooled").value > trueness.estimate(b, "auc", "cv_pooled").value
