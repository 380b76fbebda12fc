"""ROC of several classes by class weights, and their AUCs."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.curves.multiclass import hand_till, one_against_rest, search
from trueness.errors import InputError

LDA = LinearDiscriminantAnalysis()


@pytest.fixture(scope="module")
def fits():
    X, y = load_iris(return_X_y=True)
    X = X[:, :2] + np.random.default_rng(0).normal(0, 0.1, (150, 2))
    return trueness.fit(GaussianNB(), X, y, trueness.KFold(10), rng=0, scores="predict_proba")


@pytest.fixture(scope="module")
def roc(fits):
    return trueness.curves.multiclass_roc(fits, n_points=40, n_starts=300, rng=0)


def test_class_errors_by_plain_loops(fits, roc):
    outputs, y, fold = fits.pooled().scores[0], fits.sample.codes, fits.design.folds[0]
    table = roc.frame()
    for row in table.head(10).to_dict("records"):
        w = np.array([row[f"weight_{c}"] for c in range(3)])
        assert w.sum() == pytest.approx(1)
        assert (w >= 0).all()
        decided = np.argmax(w * outputs, axis=1)
        for c in range(3):
            each = [np.mean(decided[(fold == k) & (y == c)] != c) for k in range(10)]
            assert row[f"error_{c}"] == pytest.approx(np.mean(each))
            assert row[f"error_{c}_sd"] == pytest.approx(np.std(each, ddof=1))
            assert row[f"error_{c}_se"] == pytest.approx(np.std(each, ddof=1) / np.sqrt(10))
        assert row["error"] == pytest.approx(np.mean([np.mean((decided != y)[fold == k]) for k in range(10)]))


def test_search_keeps_the_smallest_maximal_error(fits, roc):
    largest = np.stack([roc.frame()[f"error_{c}"] for c in range(3)]).max(axis=0)
    assert (np.diff(largest) >= -1e-9).all()
    assert roc.choose() == 0
    outputs, y = fits.pooled().scores[0], fits.sample.codes
    one, two = (search(outputs, y, 40, 300, steps, np.random.default_rng(0))[1].max(axis=1) for steps in (0, 5))
    assert two[0] <= one[0]
    assert two.mean() < one.mean()
    # near the best of a fine grid of weights
    grid = [
        (a, b, 1 - a - b) for a in np.linspace(0.01, 0.98, 98) for b in np.linspace(0.01, 0.99 - a, 40) if a + b < 1
    ]
    best = min(
        max(np.mean(d[y == c] != c) for c in range(3)) for d in (np.argmax(np.array(w) * outputs, axis=1) for w in grid)
    )
    assert two[0] <= best + 0.02


def test_same_seed_same_points(fits):
    a, b, c = (trueness.curves.multiclass_roc(fits, n_points=10, n_starts=50, rng=r).weights for r in (1, 1, 2))
    assert (a == b).all()
    assert (a != c).any()


def two_irises():
    X, y = load_iris(return_X_y=True)
    return X[50:, :2] + np.random.default_rng(0).normal(0, 0.01, (100, 2)), (y[50:] == 2).astype(int)


def test_two_classes_are_thresholds_of_the_posterior():
    X, y = two_irises()
    fits = trueness.fit(LinearDiscriminantAnalysis(), X, y, trueness.KFold(10), rng=0, scores="predict_proba")
    m = trueness.curves.multiclass_roc(fits, n_points=15, n_starts=60, rng=0)
    p, fold = fits.pooled().scores[0], fits.design.folds[0]
    for row in m.frame().to_dict("records"):
        # w1 p > w0 (1 − p)  ⇔  p > w0/(w0 + w1)
        called = p > row["weight_0"]
        tpf = np.mean([np.mean(called[(fold == k) & (y == 1)]) for k in range(10)])
        assert row["error_1"] == pytest.approx(1 - tpf)
    assert m.hand_till.value == pytest.approx(trueness.roc(y, p).auc.value)
    assert m.hand_till.se == pytest.approx(trueness.roc(y, p).auc.se)
    assert m.one_against_rest.value == pytest.approx(m.hand_till.value)


def test_the_first_label_may_be_the_positive_one():
    X, y = two_irises()
    names = np.array(["sick", "well"])[y]
    model = LinearDiscriminantAnalysis()
    fits = trueness.fit(model, X, names, trueness.KFold(5), rng=0, scores="predict_proba", positive="sick")
    m = trueness.curves.multiclass_roc(fits, n_points=5, n_starts=30, rng=0)
    assert m.classes == ["sick", "well"]
    assert m.hand_till.value > 0.7
    assert m.frame()["error"][m.choose()] < 0.4


def test_and_over_classes(roc):
    chosen = roc.choose()
    table = roc.test(chosen)
    each = [roc.test(chosen, f"error_{c}") for c in range(3)]
    assert table["differs"].tolist() == np.any([t["differs"] for t in each], axis=0).tolist()
    assert table["p_value"].tolist() == pytest.approx(np.min([t["p_value"] for t in each], axis=0).tolist())
    assert table["differs"][chosen] == False  # noqa: E712 - a NumPy bool
    assert set(roc.same_as(chosen)) == set.intersection(*(set(roc.same_as(chosen, f"error_{c}")) for c in range(3)))


def test_ten_classes():
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).choice(len(y), 600, replace=False)
    with np.errstate(all="ignore"):
        fits = trueness.fit(
            GaussianNB(var_smoothing=0.01), X[rows], y[rows], trueness.KFold(5), rng=0, scores="predict_proba"
        )
    m = trueness.curves.multiclass_roc(fits, n_points=20, n_starts=100, rng=0)
    table = m.frame()
    assert [c for c in table.columns if c.startswith("weight_")] == [f"weight_{d}" for d in range(10)]
    plain = fits.pooled().scores[0].argmax(axis=1)
    codes = fits.sample.codes
    at_start = max(np.mean(plain[codes == c] != c) for c in range(10))
    assert max(table[f"error_{d}"].iloc[0] for d in range(10)) <= at_start + 0.02


def test_aucs_are_those_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    model = QuadraticDiscriminantAnalysis().fit(X[:, :2], y)
    p = model.predict_proba(X[:, :2])
    labels = np.array(["c", "a", "b"])[y]
    assert hand_till(y, p).value == pytest.approx(roc_auc_score(y, p, multi_class="ovo"), abs=1e-12)
    assert one_against_rest(y, p).value == pytest.approx(roc_auc_score(y, p, multi_class="ovr"), abs=1e-12)
    assert hand_till(labels, p, classes=["c", "a", "b"]).value == pytest.approx(hand_till(y, p).value)


@pytest.mark.parametrize("statistic", [hand_till, one_against_rest])
def test_standard_error_of_several_classes_against_the_bootstrap(statistic):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [60, 40, 50])
    scores = np.eye(3)[y] * 1.2 + rng.standard_normal((150, 3))
    ours = statistic(y, scores)
    drawn = []
    for _ in range(400):
        rows = np.concatenate([rng.choice(np.flatnonzero(y == c), (y == c).sum()) for c in range(3)])
        drawn.append(statistic(y[rows], scores[rows]).value)
    assert ours.se == pytest.approx(np.std(drawn), rel=0.12)
    low, high = ours.ci()
    assert low < ours.value < high < 1


def test_negative_outputs_and_other_mistakes(fits):
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(0, 0.01, X.shape)
    with pytest.raises(InputError, match="predict_proba"):
        trueness.curves.multiclass_roc(trueness.fit(LDA, X, y, trueness.KFold(5), rng=0, scores="decision_function"))
    with pytest.raises(InputError, match="one score"):
        trueness.curves.multiclass_roc(trueness.fit(LDA, X[:100], y[:100], trueness.KFold(5), rng=0))
    with pytest.raises(InputError, match="scores of one cross-validation"):
        trueness.curves.multiclass_roc(
            trueness.fit(GaussianNB(), X, y, trueness.Bootstrap(10), rng=0, scores="predict_proba")
        )
    with pytest.raises(InputError, match="n_points"):
        trueness.curves.multiclass_roc(fits, n_points=0)
    with pytest.raises(InputError, match="shape .6, 3."):
        hand_till([0, 1, 2, 0, 1, 2], np.ones((6, 2)))
    with pytest.raises(InputError, match="NaN"):
        one_against_rest([0, 1, 2, 0, 1, 2], np.full((6, 3), np.nan))
