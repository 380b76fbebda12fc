"""Learning curves: parts of the standard error by hand and on a linear statistic, the power law, laws."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError, UndefinedError
from trueness.metrics import resolve
from trueness.selection.learning import (
    PowerLaw,
    extrapolated_range,
    fit_power_law,
    loss_parts,
    pair_parts,
    subsample_mean,
)
from trueness.studies import two_gaussians


def sample(n=100, p=3, distance=1.5, rng=0):
    return two_gaussians(p, distance).draw([n // 2, n - n // 2], np.random.default_rng(rng))


def splits(n, m, j, rng):
    """(J, n) True where a case is left out; m are trained on."""
    return np.array([rng.permutation(n) >= m for _ in range(j)])


def test_parts_of_a_loss_in_plain_loops():
    rng = np.random.default_rng(0)
    out = splits(12, 5, 30, rng)
    losses = rng.random((30, 12))
    parts = loss_parts(losses, out)
    means = [np.mean(losses[out[:, i], i]) for i in range(12)]
    shared, effects = [], []
    for b in range(30):
        cases = np.flatnonzero(out[b])
        pairs = [(losses[b, i] - means[i]) * (losses[b, k] - means[k]) for i in cases for k in cases if i != k]
        shared.append(np.mean(pairs))
        effects.append(np.mean([losses[b, i] - means[i] for i in cases]))
    times = out.sum(axis=0).mean()
    assert parts.test == pytest.approx(np.var(means, ddof=1) / 12)
    assert parts.shared == pytest.approx(np.mean(shared) * times / (times - 1))
    assert parts.effects == pytest.approx(np.array(effects) * times / (times - 1))


def test_a_rate_of_one_class_varies_like_the_cases_of_that_class():
    rng = np.random.default_rng(1)
    codes, out = np.repeat([0, 1], [20, 10]), splits(30, 10, 40, rng)
    losses = (rng.random((40, 30)) < 0.7) * np.where(codes, 3.0, 0.0)  # case_weights: n/n1 for positives
    parts = loss_parts(losses, out, codes)
    of_positives = [np.mean(losses[out[:, i], i]) / 3 for i in np.flatnonzero(codes)]
    assert parts.test == pytest.approx(np.var(of_positives, ddof=1) / 10)
    assert parts.influence[codes == 0] == pytest.approx(0)


def test_the_standard_error_of_a_rate_is_near_its_sd():
    values, ses = [], []
    for trial in range(60):
        X, y = sample(100, 5, rng=trial)
        fits = trueness.fit(LDA(), X, y, trueness.plans.MonteCarlo(30, test_size=0.7), rng=trial)
        e = subsample_mean(fits, resolve("tpf").bind(fits.sample))
        values.append(e.value)
        ses.append(e.se)
    assert 0.9 < np.sqrt(np.mean(np.square(ses))) / np.std(values) < 1.5


def test_constant_scores_have_no_standard_error_though_some_pairs_are_never_tested():
    X, y = sample(80)
    curve = trueness.learning_curve(DummyClassifier(), X, y, metric="auc", splits=10, rng=0)
    assert {e.value for e in curve.estimates} == {0.5}
    assert not any(e.se or e.has_interval for e in curve.estimates)


def test_a_case_that_no_split_tests_changes_nothing():
    rng = np.random.default_rng(0)
    out = splits(12, 5, 30, rng)
    out[:, 0] = False
    parts = loss_parts(0.5 + 0 * rng.random((30, 12)), out)
    assert (parts.test, parts.shared) == (0, 0)


def test_parts_of_an_auc_in_plain_loops():
    rng = np.random.default_rng(1)
    positive = np.arange(12) % 3 == 0
    out = np.array([row for row in splits(12, 5, 60, rng) if min(row[positive].sum(), row[~positive].sum()) > 1])
    scores = rng.integers(0, 4, (len(out), 12)).astype(float)  # with ties
    parts = pair_parts(scores, out, positive)
    p, q = np.flatnonzero(positive), np.flatnonzero(~positive)

    def order(b, i, k):
        return float(scores[b, i] > scores[b, k]) + 0.5 * float(scores[b, i] == scores[b, k])

    both = {(i, k): [b for b in range(len(out)) if out[b, i] and out[b, k]] for i in p for k in q}
    means = {pair: np.mean([order(b, *pair) for b in rules]) for pair, rules in both.items()}
    shared = []
    for b in range(len(out)):
        pairs = [pair for pair, rules in both.items() if b in rules]
        rest = {pair: order(b, *pair) - means[pair] for pair in pairs}
        shared.append(np.mean([rest[s] * rest[t] for s in pairs for t in pairs if s[0] != t[0] and s[1] != t[1]]))
    times = np.mean([len(rules) for rules in both.values()])
    first, second = [np.mean([means[i, k] for k in q]) for i in p], [np.mean([means[i, k] for i in p]) for k in q]
    assert parts.test == pytest.approx(np.var(first, ddof=1) / len(p) + np.var(second, ddof=1) / len(q))
    assert parts.shared == pytest.approx(np.mean(shared) * times / (times - 1))


@pytest.mark.parametrize("m", [20, 40])
def test_a_rule_that_is_a_mean_of_its_cases_has_the_known_variance(m):
    """Loss mean g of the training cases + h of the test case: the variance is (Var g + Var h + 2 Cov(g, h))/n."""
    rng = np.random.default_rng(2)
    n, found = 80, []
    for _ in range(100):
        g = rng.normal(size=n)
        h = 0.8 * g + 0.6 * rng.normal(size=n)
        out = splits(n, m, 200, rng)
        rules = np.array([g[~row].mean() for row in out])
        parts, known = loss_parts(rules[:, None] + h, out).variance(out), np.cov(g, h) / n
        found.append([parts["test"] / known[1, 1], parts["training"] / known[0, 0], parts["both"] / known[0, 1] / 2])
    assert np.mean(found, axis=0) == pytest.approx([1, 1, 1], abs=0.06)  # up to terms of order 1/n


@pytest.mark.coverage
@pytest.mark.parametrize("metric", ["error", "auc"])
@pytest.mark.parametrize("model", [LDA(), GaussianNB()], ids=["lda", "naive bayes"])
def test_the_standard_error_is_not_too_small(model, metric):
    for share in (0.2, 0.5):
        values, ses, intervals = [], [], []
        for trial in range(300):
            X, y = sample(100, 5, rng=trial)
            fits = trueness.fit(model, X, y, trueness.plans.MonteCarlo(50, test_size=1 - share), rng=trial)
            e = subsample_mean(fits, resolve(metric).bind(fits.sample))
            values.append(e.value)
            ses.append(e.se)
            intervals.append(e.ci())
        assert 0.93 < np.sqrt(np.mean(np.square(ses))) / np.std(values) < 1.3
        assert np.mean([interval.covers(np.mean(values)) for interval in intervals]) > 0.9


def test_values_are_those_of_the_splits():
    X, y = sample()
    fits = trueness.fit(LDA(), X, y, trueness.plans.MonteCarlo(40, test_size=0.7), rng=0)
    for metric in ("error", "auc"):
        e = subsample_mean(fits, resolve(metric).bind(fits.sample))
        assert e.value == pytest.approx(trueness.estimate(fits, metric, "cv").value, abs=1e-12)
        assert 0 < e.mc_se < e.se
        low, high = e.ci()
        assert 0 <= low < e.value < high <= 1


def test_rules_near_chance_get_a_note():
    X, y = sample(100, distance=0.0)
    fits = trueness.fit(LDA(), X, y, trueness.plans.MonteCarlo(40, test_size=0.8), rng=0)
    clear = trueness.fit(LDA(), X + 3 * y[:, None], y, trueness.plans.MonteCarlo(40, test_size=0.8), rng=0)
    for metric in ("error", "auc"):
        found = [subsample_mean(f, resolve(metric).bind(f.sample)).noted("near-chance") for f in (fits, clear)]
        assert found[0] is not None
        assert found[1] is None


def test_a_curve_has_all_points_and_their_sources():
    X, y = sample(120)
    curve = trueness.learning_curve(LDA(), X, y, metric="auc", extrapolate=[500], splits=20, rng=0)
    assert curve.sizes == (15, 30, 60, 76, 108)
    assert curve.sources == ("subsampling",) * 3 + ("bootstrap", "cross-validation")
    assert [e.method for e in curve.estimates[-2:]] == ["lpob", "cv+training"]
    table = curve.frame()
    assert table["source"].iloc[-1] == "extrapolation"
    assert table["low"].iloc[-1] <= table["value"].iloc[-1] <= table["high"].iloc[-1]
    assert {n.code for n in curve.notes} == {"subsampling-se", "bootstrap-point", "extrapolation"}
    assert trueness.load(curve.to_json()).law == curve.law
    again = trueness.learning_curve(LDA(), X, y, metric="auc", extrapolate=[500], splits=20, rng=0, n_jobs=2)
    assert again.frame().equals(table)


def test_training_sets_have_the_size_that_was_asked_for():
    X, y = sample(120)
    curve = trueness.learning_curve(LDA(), X, y, sizes=[14, 15, 21, 25, 33], splits=10, rng=0)
    assert curve.sizes[:5] == (14, 15, 21, 25, 33)


def test_no_standard_error_is_claimed_where_none_is_known():
    X, y = sample(80)
    curve = trueness.learning_curve(GaussianNB(), X, y, sizes=[20, 60], splits=10, rng=0)
    half, more = curve.estimates[0], next(e for e in curve.estimates if e.method == "subsampling" and e.se is None)
    assert half.se is not None
    assert more.mc_se > 0
    assert more.noted("no-se-subsampling")
    assert curve.law is None
    other = trueness.learning_curve(GaussianNB(), X, y, sizes=[20], metric="balanced_accuracy", splits=10, rng=0)
    assert other.estimates[0].value > 0.5


def test_the_power_law_is_found():
    law = PowerLaw(0.1, 2.0, 0.7)
    sizes = np.array([20.0, 50, 100, 200, 400])
    found = fit_power_law(sizes, law(sizes), np.full(5, 0.01), 1.0, (0, 1))
    assert (found.a, found.b, found.c) == pytest.approx((0.1, 2.0, 0.7), abs=1e-6)
    falling = PowerLaw(0.9, 2.0, 0.7, -1.0)
    found = fit_power_law(sizes, falling(sizes), np.full(5, 0.01), -1.0, (0, 1))
    assert (found.a, found.b, found.c) == pytest.approx((0.9, 2.0, 0.7), abs=1e-6)


def test_the_power_law_never_turns_back_or_leaves_the_range():
    sizes = np.array([20.0, 50, 100, 200])
    wrong_way = fit_power_law(sizes, np.array([0.1, 0.12, 0.15, 0.2]), np.full(4, 0.01), 1.0, (0, 1))
    assert wrong_way.b == 0
    steep = fit_power_law(sizes, np.array([0.4, 0.25, 0.1, 0.02]), np.full(4, 0.01), 1.0, (0, 1))
    assert steep.a >= 0
    assert float(steep(1e9)) >= 0
    low, high = extrapolated_range(1e4, sizes, steep(sizes), np.full(4, 0.02), 1.0, (0, 1), 1.96)
    assert 0 <= low <= float(steep(1e4)) <= high <= 1


@pytest.mark.parametrize(
    ("options", "param"),
    [
        ({"sizes": [1]}, "sizes"),
        ({"sizes": []}, "sizes"),
        ({"sizes": 20}, "sizes"),
        ({"sizes": [79]}, "sizes"),
        ({"sizes": [20], "extrapolate": [200]}, "extrapolate"),
        ({"extrapolate": [10]}, "extrapolate"),
        ({"extrapolate": 500}, "extrapolate"),
        ({"splits": 2}, "splits"),
        ({"level": 2}, "level"),
    ],
)
def test_wrong_input_is_refused(options, param):
    X, y = sample(80)
    with pytest.raises(InputError) as caught:
        trueness.learning_curve(GaussianNB(), X, y, **{"splits": 10, "rng": 0, **options})
    assert caught.value.param == param


def test_the_picture_has_one_mark_per_source():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = sample(120)
    curve = trueness.learning_curve(LDA(), X, y, extrapolate=[500], splits=10, rng=0)
    ax = curve.plot()
    assert len(ax.get_legend().get_texts()) == 5  # four sources and the law
    assert ax.get_xlabel() == "training cases"


def test_a_perfect_model_has_no_power_law():
    y = np.arange(160) % 2
    x = np.random.default_rng(0).normal(size=(160, 2)) + 100 * y[:, None]
    assert trueness.learning_curve(GaussianNB(), x, y, splits=10, rng=0).law is None
    with pytest.raises(UndefinedError) as error:
        trueness.learning_curve(GaussianNB(), x, y, extrapolate=[1000], splits=10, rng=0)
    assert error.value.param == "extrapolate"


def test_groups_of_one_case_are_no_groups():
    X, y = sample(80)
    options = {"metric": "auc", "splits": 15, "rng": 3}
    plain = trueness.learning_curve(LDA(), X, y, **options)
    single = trueness.learning_curve(LDA(), X, y, groups=np.random.default_rng(0).permutation(80), **options)
    assert plain.to_json() == single.to_json()


@pytest.mark.parametrize("metric", ["error", "auc", "tpf"])
def test_cases_written_several_times_in_groups_tell_no_more_than_once(metric):
    X, y = sample(60)
    times = 3
    many, labels, groups = np.repeat(X, times, axis=0), np.repeat(y, times), np.repeat(np.arange(60), times)
    design = trueness.plans.MonteCarlo(40, test_size=0.6)
    once = trueness.fit(GaussianNB(), X, y, design, rng=0)
    whole = trueness.fit(GaussianNB(), many, labels, design, groups=groups, rng=0)
    alone = trueness.fit(GaussianNB(), many, labels, design, rng=0)
    a, b, c = (subsample_mean(f, resolve(metric).bind(f.sample)) for f in (once, whole, alone))
    assert (b.value, b.se) == pytest.approx((a.value, a.se), rel=1e-9)
    assert b.provenance["variance"] == pytest.approx(a.provenance["variance"], rel=1e-6)
    assert c.se < a.se


def test_parts_with_groups_in_plain_loops():
    rng = np.random.default_rng(2)
    groups = np.array([0, 0, 1, 2, 2, 2, 3, 4, 4, 5, 6, 6])
    positive = np.array([0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1], dtype=bool)
    out = np.array([(rng.permutation(7) >= 3)[groups] for _ in range(20)])
    out = out[[(kept & positive).any() and (kept & ~positive).any() for kept in out]]
    scores = rng.random((len(out), 12)).round(1)
    found = pair_parts(scores, out, positive, groups)
    pairs = [(i, j) for i in np.flatnonzero(positive) for j in np.flatnonzero(~positive)]
    psi = {p: (scores[:, p[0]] > scores[:, p[1]]) + 0.5 * (scores[:, p[0]] == scores[:, p[1]]) for p in pairs}
    kept = {p: out[:, p[0]] & out[:, p[1]] for p in pairs}
    means = {p: psi[p][kept[p]].mean() for p in pairs if kept[p].any()}
    overall = np.mean(list(means.values()))
    shared = []
    for b in range(len(out)):
        products = [
            (psi[p][b] - means[p]) * (psi[q][b] - means[q])
            for p in pairs
            for q in pairs
            if kept[p][b] and kept[q][b] and not {groups[k] for k in p} & {groups[k] for k in q}
        ]
        shared.append(np.mean(products))
    times = np.mean([kept[p].sum() for p in pairs])
    assert found.shared == pytest.approx(np.mean(shared) * times / (times - 1))
    influence = np.zeros(7)
    for i in range(12):
        of_case = [means.get(p, overall) for p in pairs if i in p]
        side = positive if positive[i] else ~positive
        centre = np.mean([means.get(p, overall) for p in pairs])
        influence[groups[i]] += (np.mean(of_case) - centre) / side.sum()
    assert found.influence == pytest.approx(influence)
    assert found.test == pytest.approx(np.sum(influence**2 / (1 - np.bincount(groups) / 12)))


def test_a_curve_with_groups_keeps_them_whole_and_is_wider():
    rng = np.random.default_rng(0)
    X, y = sample(60)
    groups = np.repeat(np.arange(60), 3)
    many = np.repeat(X, 3, axis=0) + rng.normal(0, 0.01, (180, 3))
    options = {"sizes": [45, 90], "splits": 20, "rng": 1}
    plain = trueness.learning_curve(GaussianNB(), many, np.repeat(y, 3), **options)
    whole = trueness.learning_curve(GaussianNB(), many, np.repeat(y, 3), groups=groups, **options)
    assert all(w.se > p.se for w, p in zip(whole.estimates[:2], plain.estimates[:2], strict=True))
    assert "60 groups" in str(whole)
    with pytest.raises(InputError) as error:
        trueness.learning_curve(GaussianNB(), X, y, groups=np.zeros(60))
    assert error.value.param == "groups"


@pytest.mark.parametrize(("metric", "splits_", "df"), [("error", 20, 19), ("auc", 20, 19), ("tpf", 60, 29)])
def test_limits_have_students_quantile_of_the_splits_or_the_fewest_cases(metric, splits_, df):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [50, 30])
    fits = trueness.fit(LDA(), rng.normal(size=(80, 3)) + y[:, None], y, trueness.plans.MonteCarlo(splits_, 0.7), rng=0)
    assert subsample_mean(fits, resolve(metric).bind(fits.sample)).df == df
