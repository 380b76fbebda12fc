"""Every estimator of a regression against loops over refits, written from its definition: diabetes, and noise of
Student's t with three degrees of freedom."""

import numpy as np
import pytest
from cv_training_by_hand import case_terms, variance
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import explained_variance_score, r2_score

import trueness

MODEL = Ridge(0.5)
LOSSES = {
    "mse": lambda y, p: (p - y) ** 2,
    "mae": lambda y, p: abs(p - y),
    "bias": lambda y, p: p - y,
    "pinball(0.9)": lambda y, p: max(0.9 * (y - p), -0.1 * (y - p)),
    "mape": lambda y, p: abs(p - y) / abs(y),
}


def metric(name):
    return trueness.metrics.Pinball(0.9) if name.startswith("pinball") else name


def heavy_tailed():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(45, 3))
    return X, X @ [2.0, -1.0, 0.5] + rng.standard_t(3, size=45) + 40


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X[:60], y[:60]


@pytest.fixture(params=["diabetes", "heavy-tailed"], scope="module")
def cases(request):
    return diabetes() if request.param == "diabetes" else heavy_tailed()


def refits(X, y, counts):
    """(F, n) predictions of rules that are fitted one by one."""
    rows = [np.repeat(np.arange(len(y)), row) for row in counts]
    return np.array([clone(MODEL).fit(X[r], y[r]).predict(X) for r in rows])


def table(name, y, predicted):
    return np.array([[LOSSES[name](t, p) for t, p in zip(y, row, strict=True)] for row in predicted])


def close(found, expected):
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("name", LOSSES)
def test_holdout(cases, name):
    X, y = cases
    design = trueness.Holdout(0.4).draw(y, rng=1, kind="regression")
    fits = trueness.fit(MODEL, X, y, design)
    (train,) = design.counts
    losses = table(name, y, refits(X, y, [train]))[0][train == 0]
    e = trueness.estimate(fits, metric(name), "holdout")
    close(e.value, losses.mean())
    if e.se is not None:
        close(e.se, losses.std(ddof=1) / np.sqrt(len(losses)))


def test_functions_of_means_on_a_test_set(cases):
    X, y = cases
    design = trueness.Holdout(0.5).draw(y, rng=1, kind="regression")
    fits = trueness.fit(MODEL, X, y, design)
    train = design.counts[0] == 1
    p, t = clone(MODEL).fit(X[train], y[train]).predict(X[~train]), y[~train]
    expected = {
        "rmse": np.sqrt(np.mean((p - t) ** 2)),
        "r2": r2_score(t, p),
        "explained_variance": explained_variance_score(t, p),
        "correlation": np.corrcoef(t, p)[0, 1],
        "median_ae": np.median(np.abs(p - t)),
    }
    for name, value in expected.items():
        close(trueness.estimate(fits, name, "holdout").value, value)
    # the delta method by the infinitesimal jackknife: what a little more weight on each case does
    m, h = len(t), 1e-5

    def r2(w):
        mean = (w * t).sum() / w.sum()
        return 1 - (w * (p - t) ** 2).sum() / (w * (t - mean) ** 2).sum()

    influence = [(r2(np.ones(m) + h * row) - r2(np.ones(m) - h * row)) / (2 * h) for row in np.eye(m)]
    found = trueness.estimate(fits, "r2", "holdout")
    if found.se is not None:
        assert found.se == pytest.approx(np.linalg.norm(influence) * np.sqrt(m / (m - 1)), rel=1e-5)


@pytest.mark.parametrize("name", LOSSES)
def test_cross_validation(cases, name):
    X, y = cases
    design = trueness.KFold(4, repeats=3).draw(y, rng=5, kind="regression")
    assert not design.stratified
    fits = trueness.fit(MODEL, X, y, design)
    losses, tests = table(name, y, refits(X, y, design.counts)), design.counts == 0
    folds = np.array([row[out].mean() for row, out in zip(losses, tests, strict=True)])
    e = trueness.estimate(fits, metric(name), "cv")
    close(e.value, folds.mean())
    tested = tests.sum(axis=1).mean()
    if e.se is not None:
        close(e.se, np.sqrt((1 / len(folds) + tested / (len(y) - tested)) * folds.var(ddof=1)))
    pooled = losses[tests].mean()
    close(trueness.estimate(fits, metric(name), "cv_pooled").value, pooled)
    per_case = np.array([losses[:, i][tests[:, i]].mean() for i in range(len(y))])
    naive = trueness.estimate(fits, metric(name), "cv_pooled", se="naive")
    if naive.se is not None:
        close(naive.se, np.sqrt(((per_case - per_case.mean()) ** 2).sum()) / len(y))


def test_r2_of_all_tested_cases(cases):
    X, y = cases
    design = trueness.KFold(5).draw(y, rng=5, kind="regression")
    fits = trueness.fit(MODEL, X, y, design)
    predicted = np.empty(len(y))
    for row, p in zip(design.counts, refits(X, y, design.counts), strict=True):
        predicted[row == 0] = p[row == 0]
    close(trueness.estimate(fits, "r2", "cv_pooled").value, r2_score(y, predicted))
    close(trueness.estimate(fits, "rmse", "cv_pooled").value, np.sqrt(np.mean((predicted - y) ** 2)))
    close(trueness.estimate(fits, "correlation", "cv_pooled").value, np.corrcoef(y, predicted)[0, 1])


def test_functions_of_means_with_groups_and_repetitions(cases):
    X, y = cases
    groups = np.random.default_rng(0).permutation(np.arange(len(y)) // 3)
    design = trueness.KFold(3, repeats=2).draw(y, groups=groups, rng=5, kind="regression")
    fits = trueness.fit(MODEL, X, y, design)
    predicted, tests = refits(X, y, design.counts), design.counts == 0
    assert all(not set(groups[out]) & set(groups[~out]) for out in tests)
    p, t = predicted[tests], np.broadcast_to(y, tests.shape)[tests]
    close(trueness.estimate(fits, "r2", "cv_pooled").value, r2_score(t, p))
    close(trueness.estimate(fits, "explained_variance", "cv_pooled").value, explained_variance_score(t, p))
    close(trueness.estimate(fits, "correlation", "cv_pooled").value, np.corrcoef(t, p)[0, 1])
    means = np.mean(
        [
            [np.mean((q - y)[out] ** 2), y[out].mean(), (y[out] ** 2).mean()]
            for q, out in zip(predicted, tests, strict=True)
        ],
        axis=0,
    )
    close(trueness.estimate(fits, "r2", "cv").value, 1 - means[0] / (means[2] - means[1] ** 2))
    errors = [np.abs(predicted - y)[3 * r : 3 * r + 3][tests[3 * r : 3 * r + 3]] for r in range(2)]
    close(trueness.estimate(fits, "median_ae", "cv").value, np.mean([np.median(e) for e in errors]))


@pytest.mark.parametrize(("n", "k"), [(6, 1), (20, 6), (25, 8), (100, 40)])
def test_the_interval_of_a_median_is_of_order_statistics(n, k):
    rng = np.random.default_rng(n)
    y, zeros = rng.normal(size=n), np.zeros((1, n), dtype=int)
    e = trueness.estimate(trueness.Fits.from_arrays(y, zeros, [np.zeros(n)], kind="regression"), "median_ae", "holdout")
    x = np.sort(np.abs(y))
    assert tuple(e.ci()) == (x[k - 1], x[n - k])  # k of tables of the sign test at 5 %
    assert e.se is None
    grouped = trueness.Fits.from_arrays(y, zeros, [np.zeros(n)], kind="regression", groups=np.arange(n) // 2)
    assert not trueness.estimate(grouped, "median_ae", "holdout").has_interval
    few = trueness.Fits.from_arrays(y[:5], zeros[:, :5], [np.zeros(5)], kind="regression")
    assert not trueness.estimate(few, "median_ae", "holdout").has_interval


@pytest.mark.parametrize("name", LOSSES)
def test_leave_one_out_bootstrap_and_632(cases, name):
    X, y = cases
    n, B = len(y), 40
    design = trueness.Bootstrap(B).draw(y, rng=2, kind="regression")
    fits = trueness.fit(MODEL, X, y, design)
    counts = design.counts
    losses, full = table(name, y, refits(X, y, counts)), refits(X, y, [np.ones(n, dtype=int)])[0]
    app = np.mean([LOSSES[name](t, p) for t, p in zip(y, full, strict=True)])
    outside = [[b for b in range(B) if counts[b][i] == 0] for i in range(n)]
    e = np.array([np.mean([losses[b][i] for b in outside[i]]) for i in range(n)])
    loob = trueness.estimate(fits, metric(name), "loob", se="influence")
    close(loob.value, e.mean())
    u = e - e.mean()  # Efron & Tibshirani (1997): U_i = E_i − Err + Σ_b N_bi r_b
    for b in range(B):
        r = sum((losses[b][j] - e[j]) / len(outside[j]) for j in range(n) if counts[b][j] == 0)
        u = u + counts[b] * r
    if loob.se is not None:
        u = u - u.mean()
        close(loob.se, np.sqrt((u**2).sum()) / n)
    close(trueness.estimate(fits, metric(name), "632").value, 0.368 * app + 0.632 * e.mean())
    if name == "bias":
        return
    gamma = np.mean([[LOSSES[name](t, p) for p in full] for t in y])
    capped = min(e.mean(), gamma)
    r = (capped - app) / (gamma - app) if e.mean() > app and gamma > app else 0.0
    plus = 0.368 * app + 0.632 * e.mean() + (capped - app) * 0.368 * 0.632 * r / (1 - 0.368 * r)
    close(trueness.estimate(fits, metric(name), "632+").value, plus)


@pytest.mark.parametrize("name", ["mse", "mae"])
def test_nested_cross_validation(cases, name):
    X, y = cases
    K, R, n = 4, 2, len(y)
    design = trueness.plans.NestedKFold(K, repeats=R).draw(y, rng=1, kind="regression")
    fits = trueness.fit(MODEL, X, y, design)
    counts = design.counts.reshape(R, -1, n)
    a, b, inner, outer = [], [], [], []
    for r in range(R):
        fold = np.empty(n, dtype=int)
        for k in range(K):
            fold[counts[r][k] == 0] = k

        def losses(out, on, fold=fold):
            train = ~np.isin(fold, out)
            predicted = clone(MODEL).fit(X[train], y[train]).predict(X[fold == on])
            return table(name, y[fold == on], predicted[None])[0]

        for k in range(K):
            e_out = losses([k], k)
            e_in = np.concatenate([losses([k, j], j) for j in range(K) if j != k])
            a.append((e_in.mean() - e_out.mean()) ** 2)
            b.append(e_out.var(ddof=1) / len(e_out))
            inner.append(e_in)
            outer.append(e_out)
    ncv, cv = np.mean([e.mean() for e in inner]), np.concatenate(outer).mean()
    naive = np.concatenate(inner).std(ddof=1) / np.sqrt(n)
    mse = np.sqrt(max(0, np.mean(a) - np.mean(b)) * (K - 1) / K)
    e = trueness.estimate(fits, name, "nested_cv")
    close(e.value, ncv - (1 + ((K - 2) / K) ** 1.5) * (ncv - cv))
    if e.se is not None:
        close(e.se, min(max(mse, naive), naive * np.sqrt(K)))


@pytest.mark.parametrize("name", ["mse", "mae"])
def test_conservative_z(cases, name):
    X, y = cases
    splits, halvings = 3, 4
    plan = trueness.plans.PairedSubsampling(splits, inner=halvings, test_size=0.2)
    design = plan.draw(y, rng=1, kind="regression")
    fits = trueness.fit(MODEL, X, y, design)
    whole, within = design.parts

    def values(part):
        losses = table(name, y, refits(X, y, part.counts))
        return np.array([row[part.tested(f)].mean() for f, row in enumerate(losses)])

    halves = values(within).reshape(2 * halvings, splits).mean(axis=1)
    e = trueness.estimate(fits, name, "conservative_z")
    close(e.value, values(whole).mean())
    if e.se is not None:
        close(e.se, np.sqrt(((halves[0::2] - halves[1::2]) ** 2).sum() / (2 * halvings)))


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("name", ["mse", "mae"])
def test_the_default(cases, name, grouped):
    X, y = cases
    units = np.arange(len(y)) // 3 if grouped else np.arange(len(y))
    plan = trueness.CvBootstrap(n_folds=5, repeats=3, n_resamples=40)
    fits = trueness.fit(MODEL, X, y, plan, rng=2, groups=units if grouped else None)
    cv, boot = fits.design.parts
    losses, tests = table(name, y, refits(X, y, cv.counts)), cv.counts == 0
    folds = np.array([row[out].mean() for row, out in zip(losses, tests, strict=True)])
    per_case = np.array([losses[:, i][tests[:, i]].mean() for i in range(len(y))])
    of_boot = table(name, y, refits(X, y, boot.counts))
    zero = np.zeros(len(y), dtype=int)
    a, tau, beta, t = case_terms(per_case, boot.counts, of_boot, zero, units, False, False)
    tested = tests.sum(axis=1).mean()
    e = trueness.estimate(fits, name, "cv+training")
    close(e.value, folds.mean())
    if e.se is not None:
        close(e.se, np.sqrt(variance(a, tau, beta, t, folds, tested / (len(y) - tested), 0.0)))
