"""best_of: full enumeration of the resamples, noise, laws."""

from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import trueness
from trueness.errors import InputError, UndefinedError

Y = np.array([0, 1, 0, 1, 0, 1])
WRONG = np.array([[1, 0, 0, 1, 0, 0], [0, 1, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1]])  # (models, cases)


def fits_of(y, predictions, n_folds=5):
    """{name: Fits} of held-out predictions (M, n) on one cross-validation."""
    y = np.asarray(y)
    fold = np.arange(len(y)) % n_folds
    counts = (fold[None] != np.arange(n_folds)[:, None]).astype(int)
    out = {}
    for m, row in enumerate(np.asarray(predictions)):
        given = {"predictions": np.broadcast_to(row, counts.shape), "repeat": np.zeros(n_folds, dtype=int)}
        out[f"m{m}"] = trueness.Fits.from_arrays(y, counts, None, plan="cv", **given)
    return out


def random_models(errors, n, rng):
    """Labels (n,) and predictions (M, n) of models that are wrong with these probabilities, independently."""
    y = np.arange(n) % 2
    wrong = rng.random((len(errors), n)) < np.asarray(errors)[:, None]
    return y, np.where(wrong, 1 - y, y)


def resamples(y):
    """All draws with replacement within classes, as counts."""
    places = [np.flatnonzero(y == c) for c in (0, 1)]
    for drawn in product(*(product(p, repeat=len(p)) for p in places)):
        yield np.bincount(np.concatenate(drawn), minlength=len(y))


def test_the_corrected_value_is_the_mean_over_all_resamples():
    left_out, lost = np.zeros(6), np.zeros(6)
    for counts in resamples(Y):
        best = (WRONG @ counts).argmin()  # the first of equal ones
        left_out += counts == 0
        lost += (counts == 0) * WRONG[best]
    exact = (lost / left_out).mean()
    b = trueness.selection.best_of(fits_of(Y, np.where(WRONG, 1 - Y, Y), 3), "error", n_resamples=40000, rng=0)
    assert b.naive.value == pytest.approx(2 / 6)
    assert abs(b.corrected.value - exact) < 4 * b.corrected.mc_se
    assert b.corrected.mc_se < 0.003
    assert exact > 0.36


def test_the_best_on_each_resample_in_a_plain_loop():
    from trueness.metrics import resolve
    from trueness.selection.best import best_in_each

    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    scores = rng.normal(size=(4, 2, 24)) + y  # models, repeats, cases
    fits = [_scored(y, s) for s in scores]
    blocks = [f.pooled() for f in fits]
    design = trueness.Bootstrap(50).draw(y, rng=1)
    metric = resolve("auc").bind(fits[0].sample)
    for counts, pick in zip(design.counts, best_in_each(blocks, metric, design), strict=True):
        kept = np.repeat(np.arange(24), counts)
        aucs = [np.mean([trueness.roc(y[kept], s[kept]).auc.value for s in model]) for model in scores]
        assert pick == np.argmax(aucs)


def _scored(y, scores, n_folds=4):
    fold = np.arange(len(y)) // 2 % n_folds
    counts = np.tile((fold[None] != np.arange(n_folds)[:, None]).astype(int), (len(scores), 1))
    repeat = np.repeat(np.arange(len(scores)), n_folds)
    return trueness.Fits.from_arrays(y, counts, scores[repeat], threshold=0.5, plan="cv", repeat=repeat)


def test_the_best_of_noise_looks_good_and_the_correction_does_not():
    rng = np.random.default_rng(3)
    found = []
    for trial in range(40):
        b = trueness.selection.best_of(fits_of(*random_models(np.full(20, 0.5), 50, rng)), n_resamples=200, rng=trial)
        found.append((b.naive.value, b.corrected.value))
    naive, corrected = np.mean(found, axis=0)
    error = np.std(found, axis=0)[1] / np.sqrt(40)
    assert naive < 0.40
    assert abs(corrected - 0.5) < 4 * error
    assert error < 0.01


@pytest.mark.coverage
@pytest.mark.parametrize(
    ("errors", "n"), [(np.full(20, 0.5), 50), (np.linspace(0.2, 0.4, 20), 100), (np.full(5, 0.1), 100)]
)
def test_intervals_cover_the_error_of_the_chosen_model(errors, n):
    rng = np.random.default_rng(5)
    covered, values, truths = [], [], []
    for trial in range(300):
        b = trueness.selection.best_of(fits_of(*random_models(errors, n, rng)), n_resamples=300, rng=trial)
        truths.append(errors[int(b.chosen[1:])])
        values.append(b.corrected.value)
        covered.append(b.corrected.ci().covers(truths[-1]))
    assert np.mean(covered) > 0.93
    assert abs(np.mean(values) - np.mean(truths)) < 0.012


def test_a_model_that_is_always_best_needs_no_correction():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    wrong = rng.random((3, 40)) < 0.5
    wrong[1] = False
    wrong[1, :4] = True
    wrong[0, :4] = wrong[2, :4] = True  # never better than model 1 on any case
    b = trueness.selection.best_of(fits_of(y, np.where(wrong, 1 - y, y)), n_resamples=300, rng=0)
    assert b.chosen == "m1"
    assert b.corrected.value == pytest.approx(b.naive.value, abs=1e-12)
    assert b.optimism == pytest.approx(0, abs=1e-12)


def test_same_seed_same_bits_and_order_of_cases_is_kept():
    y, p = random_models(np.linspace(0.2, 0.5, 6), 40, np.random.default_rng(1))
    one, two = (trueness.selection.best_of(fits_of(y, p), n_resamples=200, rng=0) for _ in range(2))
    assert one.corrected.value == two.corrected.value
    assert one.corrected.se == two.corrected.se
    assert one.shares == two.shares
    assert sum(one.shares.values()) == pytest.approx(1)


def test_models_with_repeats_an_auc_and_a_search_beside():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 2
    design = trueness.KFold(5, repeats=3).draw(y, rng=0)
    ks = (5, 7, 9)
    fits = {f"k={k}": trueness.fit(KNeighborsClassifier(k), X, y, design) for k in ks}
    search = trueness.fit(GridSearchCV(KNeighborsClassifier(), {"n_neighbors": ks}, cv=3), X, y, design)
    b = trueness.selection.best_of(fits, "auc", nested=search, n_resamples=200, rng=0)
    assert b.corrected.value < b.naive.value == max(b.models.values())
    assert b.corrected.provenance["estimator"] == "lpob"
    assert b.nested.value == pytest.approx(trueness.estimate(search, "auc", "cv_pooled").value)
    assert b.frame()["which"].tolist() == ["naive", "corrected", "nested"]
    assert b.naive.se is None
    assert b.naive.noted("best-of-many")
    assert b.corrected.noted("given-predictions")
    assert b.chosen in str(b)
    assert b.chosen in b.to_json()
    assert b.chosen in b._repr_html_()


def test_the_default_plan_lends_its_cross_validation():
    rng = np.random.default_rng(2)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 3)) + 2 * y[:, None]
    design = trueness.CvBootstrap(5, repeats=2, n_resamples=10).draw(y, rng=0)
    assessed = {k: trueness.assess(KNeighborsClassifier(k), X, y, design, metrics="error") for k in (3, 5)}
    b = trueness.selection.best_of({f"k={k}": a for k, a in assessed.items()}, n_resamples=100, rng=0)
    assert b.naive.value == min(a["error", "cv_pooled"].value for a in assessed.values())


def test_wrong_input_is_refused_before_work():
    y, p = random_models([0.3, 0.3], 20, np.random.default_rng(1))
    fits = fits_of(y, p)
    for call, param in (
        (lambda: trueness.selection.best_of({"a": fits["m0"]}), "fits"),
        (lambda: trueness.selection.best_of([fits["m0"]]), "fits"),
        (lambda: trueness.selection.best_of({**fits, "x": fits_of(y, p, 4)["m0"]}), "fits"),
        (lambda: trueness.selection.best_of(fits, n_resamples=5, rng=0), "n_resamples"),
        (lambda: trueness.selection.best_of(fits, lambda y, s: 0.5), "metric"),
        (lambda: trueness.selection.best_of(fits, level=95), "level"),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.param == param
    X = np.random.default_rng(0).normal(size=(20, 2))
    boot = {k: trueness.fit(KNeighborsClassifier(k), X, y, trueness.Bootstrap(20), rng=0) for k in (5, 7)}
    with pytest.raises(UndefinedError):
        trueness.selection.best_of(boot)


def test_a_model_without_a_value_is_never_chosen():
    y = np.arange(20) % 2
    right, never = y, np.zeros(20, dtype=int)  # F1 of "never positive" is 0/0
    fits = fits_of(y, [never, right])
    b = trueness.selection.best_of(fits, "f1", n_resamples=100, rng=0)
    assert (b.chosen, b.naive.value, b.shares["m0"]) == ("m1", 1.0, 0.0)
    assert np.isnan(b.models["m0"])
    assert np.isnan(trueness.load(b.to_json()).models["m0"])
    assert "nan" not in str(b)


def test_probabilities_are_needed_of_every_model():
    x, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    design = trueness.KFold(5).draw(y, rng=0)
    models = {"nb": GaussianNB(), "svc": LinearSVC()}
    fits = {name: trueness.fit(model, x, y, design) for name, model in models.items()}
    with pytest.raises(InputError) as error:
        trueness.selection.best_of(fits, "brier")
    assert (error.value.param, error.value.about) == ("metric", "svc")


def test_equal_models_have_no_optimism():
    y = np.arange(20) % 2
    b = trueness.selection.best_of(fits_of(y, [y, y]), "error", n_resamples=100, rng=0)
    assert b.optimism == 0


class FailsOnce(GaussianNB):
    """A model that cannot be fitted on the training sets that have neither the first nor the third case."""

    def fit(self, X, y):
        if not np.isin((77, 78), X[:, 0]).any():
            raise ValueError("no")
        return super().fit(X, y)


def test_repeats_with_a_failed_fit_are_left_out_for_all_models():
    rng, y = np.random.default_rng(4), np.arange(40) % 2
    X = rng.normal(size=(40, 2)) + 0.5 * y[:, None]
    X[[0, 2], 0] = 77, 78
    design = trueness.KFold(4, repeats=8).draw(y, rng=1)
    models = {"a": GaussianNB(), "b": FailsOnce(), "c": KNeighborsClassifier(3)}
    fits = {name: trueness.fit(m, X, y, design, engine="generic") for name, m in models.items()}
    bad = {f.fit // 4 for f in fits["b"].failed}
    assert 0 < len(bad) < 8
    for metric in ("error", "auc"):
        b = trueness.selection.best_of(fits, metric, nested=fits["b"], n_resamples=200, rng=0)
        assert b.corrected.noted("failed-repeats").data == {"repeats": len(bad), "of": 8, "fits": len(fits["b"].failed)}
        assert b.nested.value == pytest.approx(b.models["b"])
        assert b.naive.value == pytest.approx(b.models[b.chosen])
    block = fits["c"].pooled()
    assert b.models["c"] == pytest.approx(
        np.mean([trueness.roc(y, block.scores[r]).auc.value for r in sorted(set(range(8)) - bad)])
    )
    with pytest.raises(UndefinedError, match="every case is tested once per repeat"):
        trueness.selection.best_of(fits, undefined="raise")
    with pytest.raises(InputError, match="undefined must be"):
        trueness.selection.best_of(fits, undefined="never")


def test_the_best_r2_is_of_sums_over_all_cases():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, 2.0, -1.0] + rng.normal(size=60)
    design = trueness.KFold(5, repeats=2).draw(y, rng=0, kind="regression")
    fits = {str(penalty): trueness.fit(Ridge(penalty), X, y, design) for penalty in (1.0, 50.0)}
    mse, rmse, r2 = (
        trueness.selection.best_of(fits, metric, rng=0, n_resamples=200).corrected for metric in ("mse", "rmse", "r2")
    )
    assert rmse.value == pytest.approx(np.sqrt(mse.value))
    assert r2.value == pytest.approx(1 - mse.value / y.var())  # not the mean of R² over small sets
    assert r2.ci().low < r2.value < r2.ci().high < 1
