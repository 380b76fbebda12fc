"""Every estimator against a loop over refits, written from its definition: scikit-learn models, tiny data, ties."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

import trueness

MODELS = {
    "lda": (LinearDiscriminantAnalysis(), "decision_function"),
    "knn": (KNeighborsClassifier(3), "predict_proba"),  # three neighbours: scores 0, 1/3, 2/3, 1, so ties everywhere
}


def psi(a, b):
    return 1.0 if a > b else 0.5 if a == b else 0.0


def auc(y, s):
    return np.mean([psi(s[i], s[j]) for i in range(len(y)) if y[i] == 1 for j in range(len(y)) if y[j] == 0])


class Loop:
    """Refits on the rows of a design, one at a time."""

    def __init__(self, model, response, X, y, counts):
        self.y, self.counts = y, counts
        self.scores, self.wrong = [], []
        for row in [*counts, np.ones(len(y), dtype=int)]:
            rows = np.repeat(np.arange(len(y)), row)
            rule = clone(model).fit(X[rows], y[rows])
            s = getattr(rule, response)(X)
            self.scores.append(s if s.ndim == 1 else s[:, 1])
            self.wrong.append((rule.predict(X) != y).astype(float))
        self.full_score, self.full_wrong = self.scores.pop(), self.wrong.pop()
        self.q1 = np.mean(clone(model).fit(X, y).predict(X) == 1)


@pytest.fixture(params=sorted(MODELS))
def boot(request):
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [9, 7])
    X = rng.normal(size=(16, 2))
    X[y == 1] += 0.8
    model, response = MODELS[request.param]
    design = trueness.Bootstrap(60).draw(y, rng=3)
    return trueness.fit(model, X, y, design), Loop(model, response, X, y, design.counts)


def value(fits, metric, method, **options):
    return trueness.estimate(fits, metric, method, **options).value


def test_error_rate(boot):
    fits, loop = boot
    n, B = len(loop.y), len(loop.counts)
    app = np.mean(loop.full_wrong)
    assert value(fits, "error", "apparent") == pytest.approx(app, abs=1e-12)
    sb = sum(loop.wrong[b][i] for b in range(B) for i in range(n)) / (B * n)
    assert value(fits, "error", "sb") == pytest.approx(sb, abs=1e-12)
    e = []
    for i in range(n):
        outside = [b for b in range(B) if loop.counts[b][i] == 0]
        e.append(np.mean([loop.wrong[b][i] for b in outside]))
    err1 = np.mean(e)
    assert value(fits, "error", "loob") == pytest.approx(err1, abs=1e-12)
    star = np.mean([np.mean([loop.wrong[b][i] for i in range(n) if loop.counts[b][i] == 0]) for b in range(B)])
    assert value(fits, "error", "star") == pytest.approx(star, abs=1e-12)
    rb = app + np.mean([sum((1 - loop.counts[b][i]) * loop.wrong[b][i] for i in range(n)) / n for b in range(B)])
    assert value(fits, "error", "rb") == pytest.approx(rb, abs=1e-12)
    point632 = 0.368 * app + 0.632 * err1
    assert value(fits, "error", "632") == pytest.approx(point632, abs=1e-12)
    p1 = np.mean(loop.y)
    gamma = p1 * (1 - loop.q1) + (1 - p1) * loop.q1
    for rule in ("clipped", "printed"):
        capped = min(err1, gamma)
        if rule == "clipped":
            r = (capped - app) / (gamma - app) if err1 > app and gamma > app else 0.0
        else:
            r = (err1 - app) / (gamma - app) if app < err1 < gamma else 0.0
        plus = point632 + (capped - app) * 0.368 * 0.632 * r / (1 - 0.368 * r)
        assert value(fits, "error", "632+", rule=rule) == pytest.approx(plus, abs=1e-12)


def test_auc(boot):
    fits, loop = boot
    y, B, n = loop.y, len(loop.counts), len(loop.y)
    app = auc(y, loop.full_score)
    assert value(fits, "auc", "apparent") == pytest.approx(app, abs=1e-12)
    assert value(fits, "auc", "sb") == pytest.approx(np.mean([auc(y, s) for s in loop.scores]), abs=1e-12)
    out = [loop.counts[b] == 0 for b in range(B)]
    star = np.mean([auc(y[o], loop.scores[b][o]) for b, o in enumerate(out) if len(set(y[o])) == 2])
    assert value(fits, "auc", "star") == pytest.approx(star, abs=1e-12)
    optimism = []
    for b in range(B):
        rows = np.repeat(np.arange(n), loop.counts[b])
        optimism.append(auc(y, loop.scores[b]) - auc(y[rows], loop.scores[b][rows]))
    assert value(fits, "auc", "rb") == pytest.approx(app + np.mean(optimism), abs=1e-12)
    assert value(fits, "auc", "632") == pytest.approx(0.368 * app + 0.632 * star, abs=1e-12)
    for rule in ("clipped", "printed"):
        capped = max(star, 0.5)
        if rule == "clipped":
            r = (capped - app) / (0.5 - app) if star < app else 0.0
        else:
            r = (star - app) / (0.5 - app) if app > star > 0.5 else 0.0
        plus = 0.368 * app + 0.632 * star + (capped - app) * 0.368 * 0.632 * r / (1 - 0.368 * r)
        assert value(fits, "auc", "632+", rule=rule) == pytest.approx(plus, abs=1e-12)
    a = []
    for i in np.flatnonzero(y == 1):
        for j in np.flatnonzero(y == 0):
            both = [b for b in range(B) if loop.counts[b][i] == 0 and loop.counts[b][j] == 0]
            a.append(np.mean([psi(loop.scores[b][i], loop.scores[b][j]) for b in both]) if both else None)
    undefined = "skip" if None in a else "raise"
    assert value(fits, "auc", "lpob", undefined=undefined) == pytest.approx(
        np.mean([v for v in a if v is not None]), abs=1e-12
    )


@pytest.fixture(params=sorted(MODELS))
def folds(request):
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [11, 9])
    X = rng.normal(size=(20, 2))
    X[y == 1] += 0.8
    model, response = MODELS[request.param]
    design = trueness.KFold(3, repeats=4, stratified="fixed").draw(y, rng=5)
    return trueness.fit(model, X, y, design), Loop(model, response, X, y, design.counts)


def test_cross_validation(folds):
    fits, loop = folds
    y, F = loop.y, len(loop.counts)
    tests = [np.flatnonzero(row == 0) for row in loop.counts]
    fold_errors = [np.mean(loop.wrong[f][tests[f]]) for f in range(F)]
    assert value(fits, "error", "cv") == pytest.approx(np.mean(fold_errors), abs=1e-12)
    pooled = np.mean([loop.wrong[f][i] for f in range(F) for i in tests[f]])
    assert value(fits, "error", "cv_pooled") == pytest.approx(pooled, abs=1e-12)
    fold_aucs = [auc(y[t], loop.scores[f][t]) for f, t in enumerate(tests)]
    assert value(fits, "auc", "cv") == pytest.approx(np.mean(fold_aucs), abs=1e-12)
    repeats = []
    for r in range(4):
        s = np.empty(len(y))
        for f in range(3 * r, 3 * r + 3):
            s[tests[f]] = loop.scores[f][tests[f]]
        repeats.append(auc(y, s))
    assert value(fits, "auc", "cv_pooled") == pytest.approx(np.mean(repeats), abs=1e-12)
    a = []
    for i in np.flatnonzero(y == 1):
        for j in np.flatnonzero(y == 0):
            both = [f for f in range(F) if i in tests[f] and j in tests[f]]
            if both:
                a.append(np.mean([psi(loop.scores[f][i], loop.scores[f][j]) for f in both]))
    assert value(fits, "auc", "cv_pairs", undefined="skip") == pytest.approx(np.mean(a), abs=1e-12)
    # Nadeau and Bengio, from its definition
    e = trueness.estimate(fits, "error", "cv")
    ratio = np.mean([len(t) for t in tests]) / (20 - np.mean([len(t) for t in tests]))
    assert e.se == pytest.approx(np.sqrt((1 / F + ratio) * np.var(fold_errors, ddof=1)), abs=1e-12)
    assert e.fold_sd == pytest.approx(np.std(fold_errors, ddof=1), abs=1e-12)


def test_leave_one_out_and_holdout(two_gaussians):
    X, y = two_gaussians
    model = LinearDiscriminantAnalysis()
    loo = trueness.fit(model, X, y, trueness.plans.LeaveOneOut())
    wrong, scores = [], []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        rule = clone(model).fit(X[rest], y[rest])
        wrong.append(rule.predict(X[[i]])[0] != y[i])
        scores.append(rule.decision_function(X[[i]])[0])
    assert value(loo, "error", "cv") == pytest.approx(np.mean(wrong), abs=1e-12)
    assert value(loo, "error", "cv_pooled") == pytest.approx(np.mean(wrong), abs=1e-12)
    assert value(loo, "auc", "cv_pooled") == pytest.approx(auc(y, np.array(scores)), abs=1e-12)
    with pytest.raises(trueness.errors.UndefinedError, match="cv_pooled"):
        trueness.estimate(loo, "auc", "cv")
    design = trueness.Holdout(0.4).draw(y, rng=0)
    held = trueness.fit(model, X, y, design)
    train = design.counts[0] == 1
    rule = clone(model).fit(X[train], y[train])
    s, t = rule.decision_function(X[~train]), y[~train]
    assert value(held, "error", "holdout") == pytest.approx(np.mean(rule.predict(X[~train]) != t), abs=1e-12)
    assert value(held, "auc", "holdout") == pytest.approx(auc(t, s), abs=1e-12)


def test_nested_cross_validation_from_its_definition(two_gaussians):
    X, y = two_gaussians
    K, R, n = 4, 3, len(y)
    design = trueness.plans.NestedKFold(K, repeats=R, stratified="fixed").draw(y, rng=1)
    fits = trueness.fit(LinearDiscriminantAnalysis(), X, y, design)
    counts = design.counts.reshape(R, -1, n)
    a, b, inner, outer = [], [], [], []
    for r in range(R):
        fold = np.empty(n, dtype=int)
        for k in range(K):
            fold[counts[r][k] == 0] = k

        def errors(out, on, fold=fold):
            train = ~np.isin(fold, out)
            rule = LinearDiscriminantAnalysis().fit(X[train], y[train])
            return (rule.predict(X[fold == on]) != y[fold == on]).astype(float)

        for k in range(K):
            e_out = errors([k], k)
            e_in = np.concatenate([errors([k, j], j) for j in range(K) if j != k])
            a.append((e_in.mean() - e_out.mean()) ** 2)
            b.append(e_out.var(ddof=1) / len(e_out))
            inner.append(e_in)
            outer.append(e_out)
    ncv, cv = np.mean([e.mean() for e in inner]), np.concatenate(outer).mean()
    naive = np.concatenate(inner).std(ddof=1) / np.sqrt(n)
    mse = np.sqrt(max(0, np.mean(a) - np.mean(b)) * (K - 1) / K)
    e = trueness.estimate(fits, "error", "nested_cv")
    assert e.value == pytest.approx(ncv - (1 + ((K - 2) / K) ** 1.5) * (ncv - cv), abs=1e-12)
    assert e.se == pytest.approx(min(max(mse, naive), naive * np.sqrt(K)), abs=1e-12)
