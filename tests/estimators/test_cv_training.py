"""cv+training: against its formulas written out, by laws, and at the ends of the range."""

import math

import numpy as np
import pytest
from cv_training_by_hand import (
    case_terms,
    class_share_variance,
    classes_training,
    fold_placements,
    pair_terms,
    psi,
    variance,
)
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.errors import InputError, TruenessWarning
from trueness.estimators.cv_training import trials_rule
from trueness.estimators.influence import Contrast
from trueness.estimators.influence.placement_means import PlacementMeans
from trueness.metrics import resolve


def data(n0, n1, p=4, shift=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    X = rng.normal(size=(n0 + n1, p))
    X[:, 0] += shift * y
    return X, y


def losses_and_scores(fits, y):
    cv, bootstrap = fits.parts
    pooled, blocks = cv.pooled(), list(bootstrap.blocks())
    wrong = (pooled.predictions != y).astype(float)
    folds = cv.design.folds
    values = np.array([w[f == k].mean() for w, f in zip(wrong, folds, strict=True) for k in range(f.max() + 1)])
    drawn = np.concatenate([(b.predictions != y).astype(float) for b in blocks])
    return wrong.mean(axis=0), drawn, values, pooled.scores, np.concatenate([b.scores for b in blocks])


def by_hand(fits, y, metric, other=None):
    cv, bootstrap = fits.design.parts
    groups = fits.sample.groups
    units = np.arange(len(y)) if groups is None else groups
    counts, stratified = bootstrap.counts, bootstrap.stratified
    found = losses_and_scores(fits, y)
    if metric == "error":
        mean, drawn, values = found[:3]
        if other is not None:
            mean, drawn, values = (a - b for a, b in zip(found[:3], losses_and_scores(other, y)[:3], strict=True))
        terms = case_terms(mean, counts, drawn, y, units, stratified, fixed=False)
        shares = class_share_variance(mean, y, units) if cv.stratified else 0.0
    else:
        (placed, values), scores = fold_placements(found[3], y, cv.folds), [found[4]]
        if other is not None:
            more = losses_and_scores(other, y)
            placed_b, values_b = fold_placements(more[3], y, cv.folds)
            placed, values, scores = placed - placed_b, values - values_b, [found[4], more[4]]
        terms, shares = pair_terms(placed, counts, scores, y, units, stratified), 0.0
    tested = len(y) / cv.n_folds
    return values.mean(), math.sqrt(variance(*terms, values, tested / (len(y) - tested), shares))


@pytest.mark.parametrize("metric", ["error", "auc"])
@pytest.mark.parametrize(("sizes", "stratified"), [((30, 30), True), ((40, 20), True), ((30, 30), False)])
def test_value_and_se_follow_the_formulas(metric, sizes, stratified):
    X, y = data(*sizes)
    design = trueness.CvBootstrap(5, repeats=3, n_resamples=60, stratified=stratified).draw(y, rng=3)
    a, b = trueness.fit(LDA(), X, y, design), trueness.fit(KNeighborsClassifier(3), X, y, design)
    for fits in (a, b):
        e = trueness.estimate(fits, metric, "cv+training")
        assert (e.value, e.se) == pytest.approx(by_hand(fits, y, metric), abs=1e-12)
    d = trueness.difference(a, b, metric, "cv+training")
    assert (d.value, d.se) == pytest.approx(by_hand(a, y, metric, b), abs=1e-12)


@pytest.mark.parametrize("metric", ["error", "auc"])
def test_groups_are_summed_before_they_are_squared(metric):
    X, y = data(30, 30)
    groups = np.arange(60) // 3
    design = trueness.CvBootstrap(5, repeats=2, n_resamples=50).draw(y, groups=groups, rng=1)
    fits = trueness.fit(LDA(), X, y, design)
    e = trueness.estimate(fits, metric, "cv+training")
    assert (e.value, e.se) == pytest.approx(by_hand(fits, y, metric), abs=1e-12)
    assert e.df <= 19


def test_the_norm_of_the_influence_is_the_se():
    X, y = data(30, 20)
    fits = trueness.fit(LDA(), X, y, trueness.CvBootstrap(n_resamples=50), rng=0)
    for metric in ("error", "auc", "brier"):
        if metric == "brier":
            fits = trueness.fit(LDA(), X, y, trueness.CvBootstrap(n_resamples=50), rng=0, scores="predict_proba")
        e = trueness.estimate(fits, metric, "cv+training")
        assert np.linalg.norm(e.influence) == pytest.approx(e.se)


def test_two_equal_models_do_not_differ():
    X, y = data(20, 20)
    k = trueness.compare({"a": LDA(), "b": LDA()}, X, y, rng=0)
    assert k.method == "cv+training"
    assert k.difference.value == 0
    assert k.p_value == 1


def test_a_difference_turns_its_sign_with_the_models():
    X, y = data(20, 30)
    design = trueness.CvBootstrap(n_resamples=40).draw(y, rng=0)
    a, b = trueness.fit(LDA(), X, y, design), trueness.fit(GaussianNB(), X, y, design)
    for metric in ("error", "auc"):
        one, other = trueness.difference(a, b, metric, "cv+training"), trueness.difference(b, a, metric, "cv+training")
        assert one.value == pytest.approx(-other.value)
        assert one.se == pytest.approx(other.se)


def test_no_errors_at_all_still_leave_an_interval():
    X, y = data(30, 30, shift=50)
    a = trueness.assess(LDA(), X, y, rng=0, checks=False)
    low, high = a["error"].ci()
    assert low == 0 < 0.05 < high < 0.1
    low, high = a["auc"].ci()
    assert 0.9 < low < 0.97
    assert high == 1


def test_few_errors_are_never_surer_than_none():
    none = trueness.assess(LDA(), *data(30, 30, shift=50), rng=0, checks=False)["error"].ci()
    rng = np.random.default_rng(271)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 2))
    X[y == 1, 0] += 4.2
    assert trueness.assess(LDA(), X, y, rng=0, checks=False)["error"].ci().high >= none.high - 1e-12


def test_same_bits_for_any_number_of_workers():
    X, y = data(20, 20, shift=2.0)
    texts = {trueness.assess(LDA(), X, y, rng=4, n_jobs=j, engine="generic").to_json() for j in (1, 2)}
    assert len(texts) == 1


def test_recommended_comes_first_and_alone_by_its_metric():
    X, y = data(20, 20, shift=2.0)
    a = trueness.assess(GaussianNB(), X, y, rng=0)
    assert a["auc"] is a["auc", "cv+training"]
    assert a["error"].estimand == "mean over training sets of n cases"
    assert a["error", "loob"].estimand == "mean over bootstrap training sets (about 63 % distinct cases)"
    assert a.frame()["recommended"].sum() == 2
    text = a.text(all=True)
    assert text.index("cv+training") < text.index("apparent")
    assert "apparent" not in str(a)
    assert a.page().answer.startswith("Error 0.")


def test_a_rule_without_signal_has_an_error_bar():
    X, y = data(40, 20)
    with pytest.warns(TruenessWarning, match="Neither the error rate"):
        e = trueness.assess(DummyClassifier(), X, y, metrics=["error"], rng=0)["error"]
    assert e.ci().high - e.ci().low > 0.1


def test_a_class_with_one_case_or_group_is_refused_before_any_fit():
    with pytest.raises(InputError) as error:
        trueness.assess(LDA(), np.zeros((4, 1)), [0, 0, 1, 1], groups=[0, 1, 2, 2])
    assert error.value.param == "y"


def test_three_classes():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 25)
    X = rng.normal(size=(75, 3)) + np.eye(3)[y]
    a = trueness.assess(LDA(), X, y, rng=0)
    assert 0.6 < a["auc"].value < 1
    assert 0.01 < a["auc"].se < 0.1


@pytest.mark.parametrize("kind", ["cases", "groups of one class", "groups of several classes"])
def test_the_training_part_of_three_classes_by_all_pairs_of_pairs(kind):
    """Two cases of different classes are compared twice, as each class against the rest: that is no pair of pairs
    without a common case."""
    rng = np.random.default_rng(0)
    g = np.repeat(np.arange(9), [1, 2, 3, 4, 5, 1, 2, 4, 5])
    y = g % 3 if kind == "groups of one class" else np.arange(27) % 3
    X = np.round(rng.normal(size=(27, 3)) + np.eye(3)[y], 1)
    design = trueness.Bootstrap(30).draw(y, groups=None if kind == "cases" else g, rng=0)
    fits = [trueness.fit(model, X, y, design) for model in (LDA(), KNeighborsClassifier(3))]
    units = np.arange(27) if kind == "cases" else g
    apart = g[:, None] != g if kind == "groups of several classes" else np.ones((27, 27), dtype=bool)
    metric = resolve("auc").bind(fits[0].sample)
    for minus in (None, fits[1]):
        scores = [f.scores for f in (fits if minus else fits[:1])]
        found = PlacementMeans.over(Contrast(fits[0], metric, minus)).training(np.zeros(design.n_units))[1].trained
        assert found == pytest.approx(classes_training(design.counts, scores, y, units, apart), rel=1e-9)


def sites(seed=0, groups=9, size=12):
    rng = np.random.default_rng(seed)
    g = np.repeat(np.arange(groups), size)
    y = (rng.random(len(g)) < 0.4).astype(int)
    X = rng.normal(size=(len(g), 3))
    X[:, 0] += 1.2 * y + rng.normal(size=groups)[g]
    return X, y, g


def test_groups_of_both_classes_are_compared_with_each_other_only():
    """Value and b by all pairs of cases of different groups that one rule left out; t by all pairs of pairs."""
    X, y, g = sites()
    design = trueness.CvBootstrap(3, repeats=2, n_resamples=50).draw(y, groups=g, rng=0)
    cv, bootstrap = design.parts
    a, b = trueness.fit(LDA(), X, y, design), trueness.fit(KNeighborsClassifier(3), X, y, design)
    shifts, values = [], []
    for fits in (a, b):
        won, made = np.zeros((2, 9, 9))  # positives of one group, negatives of another
        for scores, folds in zip(fits.parts[0].pooled().scores, cv.folds, strict=True):
            for i in np.flatnonzero(y == 1):
                for j in np.flatnonzero(y == 0):
                    if folds[i] == folds[j] and g[i] != g[j]:
                        won[g[i], g[j]] += psi(scores[[i]], scores[[j]])[0, 0]
                        made[g[i], g[j]] += 1
        keep = [np.delete(np.arange(9), k) for k in range(9)]
        without = np.array([won[np.ix_(k, k)].sum() / made[np.ix_(k, k)].sum() for k in keep])
        values.append(won.sum() / made.sum())
        shifts.append(without)
        e = trueness.estimate(fits, "auc", "cv+training")
        drawn = np.concatenate([block.scores for block in fits.parts[1].blocks()])
        assert e.value == pytest.approx(values[-1], abs=1e-12)
        assert e.se == pytest.approx(between_se(without, bootstrap.counts, [drawn], y, g), abs=1e-12)
        assert 1 <= e.df <= min(len(np.unique(g[y == c])) for c in (0, 1)) - 1  # fewer where a class is spread unevenly
    d = trueness.difference(a, b, "auc", "cv+training")
    gap = shifts[0] - shifts[1]
    drawn = [np.concatenate([block.scores for block in fits.parts[1].blocks()]) for fits in (a, b)]
    assert d.value == pytest.approx(values[0] - values[1], abs=1e-12)
    assert d.se == pytest.approx(between_se(gap, bootstrap.counts, drawn, y, g), abs=1e-12)


def between_se(without, counts, drawn, y, g):
    """max(b + t, 0.9 (b + t + 2 Σ β a τ)), b the jackknife over groups."""
    _, tau, beta, t = pair_terms(np.zeros(len(y)), counts, drawn, y, g, False, mixed=True)
    a = (without.mean() - without) / beta
    b = 8 / 9 * ((without - without.mean()) ** 2).sum()
    return math.sqrt(max(b + max(0.0, t), 0.9 * (b + max(0.0, t) + 2 * (beta * a * tau).sum())))


def test_a_difference_of_errors_in_groups_of_both_classes_leaves_out_nadeau_and_bengio():
    X, y, g = sites(3)
    design = trueness.CvBootstrap(3, repeats=2, n_resamples=50).draw(y, groups=g, rng=0)
    fits = [trueness.fit(model, X, y, design) for model in (LDA(), KNeighborsClassifier(3))]
    losses = [np.concatenate([b.predictions != y for b in f.parts[1].blocks()]).astype(float) for f in fits]
    mean = np.mean([f.parts[0].pooled().predictions != y for f in fits], axis=1)
    a, tau, beta, t = case_terms(
        mean[0] - mean[1], design.parts[1].counts, losses[0] - losses[1], y, g, False, fixed=False
    )
    parts = (beta * a**2).sum() + max(0.0, t)
    d = trueness.difference(*fits, "error", "cv+training")
    assert d.se**2 == pytest.approx(max(parts, 0.9 * (parts + 2 * (beta * a * tau).sum())))
    assert d.provenance["variance"]["nadeau_bengio"] == 0
    assert trueness.estimate(fits[0], "error", "cv+training").provenance["variance"]["nadeau_bengio"] > 0


def test_the_auc_of_sites_is_that_of_new_sites():
    """A site effect makes the AUC within sites higher than that of cases of new sites."""
    X, y, g = sites(1, groups=12, size=80)
    new = sites(2, groups=400, size=40)
    a = trueness.assess(LDA(), X, y, groups=g, rng=0, checks=False)
    truth = trueness.roc(new[1], LDA().fit(X, y).decision_function(new[0])).auc.value
    assert abs(a["auc"].value - truth) < 0.02
    assert abs(a["auc", "cv"].value - a["auc"].value) < 0.005  # the same pairs
    (note,) = (note for note in a.notes if note.code == "between-groups")
    assert note.data["within"] > note.data["between"] + 0.03


def test_a_tree_on_an_exclusive_or_has_a_training_part():
    """A rule that finds a structure in some samples and misses it in others varies in higher orders."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 60)
    X = rng.normal(size=(120, 4))
    X[:, 0] = np.abs(X[:, 0]) * np.where(y == 1, 1, -1) * np.sign(X[:, 1])
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    fits = trueness.fit(tree, X, y, trueness.CvBootstrap(), rng=3)
    v = trueness.estimate(fits, "error", "cv+training").provenance["variance"]
    assert v["training"] > v["test"]


def test_two_rules_that_separate_all_cases_have_the_se_of_a_quarter_of_a_case():
    X, y = data(30, 40, shift=50)
    design = trueness.CvBootstrap(n_resamples=40).draw(y, rng=0)
    a, b = trueness.fit(LDA(), X, y, design), trueness.fit(GaussianNB(), X, y, design)
    e = trueness.difference(a, b, "auc", "cv+training")
    assert e.value == 0
    assert e.se == pytest.approx(1 / (4 * 31))


def test_errors_are_counted_in_cases_also_where_cases_come_in_groups():
    """Twenty errors in 50 groups of five are not few: the interval is Wilson's with the trials that its se has."""
    design = trueness.CvBootstrap().draw(np.tile([0, 1], 125), groups=np.arange(250) // 5, rng=0)
    rule = trials_rule(design, resolve("error").bind(design.sample))
    assert rule.trials(0.08, 0.02**2) == pytest.approx(0.08 * 0.92 / 0.02**2)
    assert rule.trials(4 / 250, 0.001**2) == 50


def test_the_floor_of_a_rate_is_half_a_case_of_its_class():
    y = np.repeat([0, 1], [50, 10])
    x = np.random.default_rng(0).normal(size=(60, 1)) + 100 * y[:, None]
    design = trueness.CvBootstrap().draw(y, rng=0)
    models = GaussianNB(), DummyClassifier(strategy="constant", constant=1)  # both find all positives
    a, b = (trueness.fit(model, x, y, design) for model in models)
    for metric, cases in (("tpf", 10), ("fnf", 10)):
        d = trueness.difference(a, b, metric, "cv+training")
        assert (d.value, d.se) == (0, 1 / (2 * cases))


def test_one_case_that_decides_the_rule_is_named():
    from trueness.estimators.cv_training import few_cases_decide

    training = np.resize([0.001, -0.001], 50)
    assert few_cases_decide(training, 0.02) is None
    training[7] = -0.03
    note = few_cases_decide(training, 0.02)
    assert (note.code, note.data["case"], note.data["cases"]) == ("few-cases-decide", 7, [7])
    assert "1.5 standard errors" in str(note.message)
    assert few_cases_decide(training, 0.0) is None
    training[9] = 0.02
    assert few_cases_decide(training, 0.02).data["cases"] == [7, 9]
    assert few_cases_decide(training * 0.2, 0.02) is None  # far from the others, but little of a standard error
    noise = np.random.default_rng(0).normal(size=200)
    assert (
        few_cases_decide(noise, 5.0) is None
    )  # much of a standard error, but so are the others: few bootstrap samples


def test_degrees_of_freedom_of_a_training_part_that_few_cases_make():
    from trueness.estimators.cv_training import MANY, training_df

    tau = np.random.default_rng(0).normal(size=20_000)
    assert training_df(tau, 1.0) == pytest.approx(20_000, rel=0.05)  # of a variance from n normal cases
    assert training_df(tau, 0.5) == pytest.approx(80_000, rel=0.05)  # half of V: four times as many
    assert training_df(np.resize([1.0, -1.0], 50), 1.0) == MANY  # all cases alike
    assert training_df(np.r_[1.0, np.zeros(10**4)], 1.0) == 2  # one case
    assert training_df(np.r_[np.ones(5), np.zeros(10**4)], 1.0) == 10
    assert training_df(np.zeros(5), 1.0) == MANY
    assert training_df(tau, 0.0) == MANY


def test_outliers_widen_the_interval_by_fewer_degrees_of_freedom():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 4))
    X[:, 0] += 1.2 * y
    design = trueness.CvBootstrap.of_fits(1200, trueness.sample.Sample.of(y)).draw(y, rng=0)
    plain = trueness.estimate(trueness.fit(LDA(), X, y, design), "error", "cv+training")
    X[[3, 50], 0] *= 40
    spoiled = trueness.estimate(trueness.fit(LDA(), X, y, design), "error", "cv+training")
    assert spoiled.df < 60 < plain.df == 399
    assert spoiled.noted("few-cases-decide").data["case"] in (3, 50)
    assert plain.noted("few-cases-decide") is None
