"""The influence functions against finite differences over ALL ordered bootstrap samples: the strongest proof there is.

What a rule answers may be any function of its training set, so random answers will do.
"""

import numpy as np
import pytest
from enumeration import all_counts, derivative

import trueness
from trueness.estimators.influence.case_influence import variance
from trueness.metrics import Cost


def fits_of(y, unit_counts, *, groups=None, stratified, seed=0, copies=1, classes=2):
    rng = np.random.default_rng(seed)
    counts = unit_counts if groups is None else unit_counts[:, groups]
    shape = (len(counts), len(y))
    scores = rng.integers(0, 5, size=shape if classes == 2 else (*shape, classes)).astype(float)  # with ties
    predictions = rng.integers(0, classes, size=shape)
    # the answers of equal training sets must be equal
    _, which = np.unique(counts, axis=0, return_inverse=True)
    scores, predictions = scores[which], predictions[which]
    stack = [np.concatenate([a] * copies) for a in (counts, scores, predictions)]
    return trueness.Fits.from_arrays(
        y, stack[0], stack[1], predictions=stack[2], plan="bootstrap", groups=groups, stratified=stratified and "fixed"
    )


def loob_statistic(fits, unit, weights=None):
    """s(f, g) = Σ_j f(j) E_j by its definition; `weights` (n,) per case, masses shared by groups."""
    losses = (fits.held_predictions != fits.sample.codes).astype(float)
    out = fits.counts == 0

    def statistic(f, g):
        e = (g[:, None] * out * losses).sum(axis=0) / (g[:, None] * out).sum(axis=0)
        mass = f[unit]
        if weights is None:
            return (mass * e).sum() / mass.sum()
        total = 0.0
        for c, prior in enumerate(weights):
            of = fits.sample.codes == c
            total += prior * (mass[of] * e[of]).sum() / mass[of].sum()
        return total

    return statistic


def check(fits, statistic, strata, unit_counts, influence):
    """influence of a unit = derivative / size of its stratum."""
    for u in range(len(strata)):
        expected = derivative(statistic, strata, unit_counts, u) / (strata == strata[u]).sum()
        assert fits.design.unit_sums(influence)[u] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("y", [[0, 0, 1, 1], [0, 0, 0, 1, 1]])
def test_loob_unstratified(y):
    strata = np.zeros(len(y), dtype=int)
    counts = all_counts(strata)
    fits = fits_of(y, counts, stratified=False)
    e = trueness.estimate(fits, "error", "loob", se="influence")
    check(fits, loob_statistic(fits, np.arange(len(y))), strata, counts, e.influence)
    assert e.influence.sum() == pytest.approx(0, abs=1e-12)
    assert e.se == pytest.approx(np.sqrt(variance(fits.design, e.influence)))


@pytest.mark.parametrize(("n1", "n2"), [(3, 3), (2, 4), (4, 3)])
def test_loob_and_lpob_stratified(n1, n2):
    y = np.repeat([0, 1], [n2, n1])
    counts = all_counts(y)
    fits = fits_of(y, counts, stratified=True, seed=3)

    def loob(f, g):  # Σ_c (n_c/n) Σ_{j in c} f_c(j) E_j
        losses = (fits.held_predictions != y).astype(float)
        out = fits.counts == 0
        e = (g[:, None] * out * losses).sum(axis=0) / (g[:, None] * out).sum(axis=0)
        return sum((y == c).mean() * (f * e)[y == c].sum() for c in (0, 1))

    check(fits, loob, y, counts, trueness.estimate(fits, "error", "loob", se="influence").influence)
    check(
        fits, lpob_statistic(fits, y == 1), y, counts, trueness.estimate(fits, "auc", "lpob", se="influence").influence
    )


def lpob_statistic(fits, up, column=None, mass_of=None, apart=None):
    scores = fits.scores if column is None else fits.scores[:, :, column]
    out = fits.counts == 0
    a, b = scores[:, up][:, :, None], scores[:, ~up][:, None, :]
    psi = (a > b) + 0.5 * (a == b)
    both = out[:, up][:, :, None] & out[:, ~up][:, None, :]

    def statistic(f, g):
        mean = (g[:, None, None] * both * psi).sum(axis=0) / (g[:, None, None] * both).sum(axis=0)
        f = f if mass_of is None else mass_of(f)
        mass = f[up][:, None] * f[~up][None, :] * (1 if apart is None else apart[up][:, None] != apart[~up])
        return (mass * mean).sum() / mass.sum()

    return statistic


def test_lpob_unstratified():
    y = np.array([0, 0, 0, 1, 1])
    strata = np.zeros(5, dtype=int)
    counts = all_counts(strata)
    fits = fits_of(y, counts, stratified=False, seed=5)
    e = trueness.estimate(fits, "auc", "lpob", se="influence", undefined="skip")
    check(fits, lpob_statistic(fits, y == 1), strata, counts, e.influence)


@pytest.mark.parametrize("stratified", [True, False])
def test_loob_of_groups_of_unequal_size(stratified):
    groups = np.array([0, 0, 1, 2, 2, 2, 3])
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    strata = np.array([0, 0, 1, 1]) if stratified else np.zeros(4, dtype=int)
    counts = all_counts(strata)
    fits = fits_of(y, counts, groups=groups, stratified=stratified, seed=7)
    e = trueness.estimate(fits, "error", "loob", se="influence")
    losses = (fits.held_predictions != y).astype(float)
    out = fits.counts == 0

    def statistic(f, g):
        mean = (g[:, None] * out * losses).sum(axis=0) / (g[:, None] * out).sum(axis=0)
        mass = f[groups]
        if not stratified:
            return (mass * mean).sum() / mass.sum()
        return sum((y == c).mean() * (mass * mean)[y == c].sum() / mass[y == c].sum() for c in (0, 1))

    check(fits, statistic, strata, counts, e.influence)


def test_lpob_of_groups_with_both_classes():
    groups = np.array([0, 0, 1, 1, 2, 3])
    y = np.array([0, 1, 0, 1, 1, 0])
    strata = np.zeros(4, dtype=int)
    counts = all_counts(strata)
    fits = fits_of(y, counts, groups=groups, stratified=False, seed=2)
    e = trueness.estimate(fits, "auc", "lpob", se="influence")
    statistic = lpob_statistic(fits, y == 1, mass_of=lambda f: f[groups], apart=groups)
    check(fits, statistic, strata, counts, e.influence)


@pytest.mark.parametrize("stratified", [True, False])
def test_loob_of_a_risk_with_given_priors(stratified):
    y = np.array([0, 0, 1, 1, 1])
    strata = y if stratified else np.zeros(5, dtype=int)
    counts = all_counts(strata)
    fits = fits_of(y, counts, stratified=stratified, seed=4)
    priors = np.array([0.9, 0.1])
    e = trueness.estimate(fits, Cost(matrix=[[0, 1], [1, 0]], priors=priors), "loob", se="influence")
    check(fits, loob_statistic(fits, np.arange(5), weights=priors), strata, counts, e.influence)
    fnf = trueness.estimate(fits, "fnf", "loob", se="influence")
    check(fits, loob_statistic(fits, np.arange(5), weights=np.array([0, 1.0])), strata, counts, fnf.influence)


@pytest.mark.parametrize("groups", [None, np.array([0, 0, 1, 2, 2, 2, 3])])
def test_random_class_sizes_add_the_influence_of_the_shares(groups):
    """Draws within classes, but shares that vary: U_i has Ē_c − Err besides, and AUC and FNF stay as they are."""
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    draws = trueness.Bootstrap(200).draw(y, groups=groups, rng=0)
    wrong = np.random.default_rng(0).random((200, 7)) < 0.2 + 0.4 * y
    scores = np.random.default_rng(1).random((200, 7))
    fixed, random = (
        trueness.Fits.from_arrays(
            y,
            draws.counts,
            scores,
            predictions=np.where(wrong, 1 - y, y),
            plan="bootstrap",
            groups=groups,
            stratified=stratified,
        )
        for stratified in ("fixed", True)
    )
    a, b = (trueness.estimate(f, "error", "loob", se="influence") for f in (fixed, random))
    out = draws.counts == 0
    means = (out * wrong).sum(axis=0) / out.sum(axis=0)
    of_class = np.array([means[y == c].mean() for c in (0, 1)])
    np.testing.assert_allclose(b.influence - a.influence, (of_class[y] - means.mean()) / 7, atol=1e-12)
    for metric, method in (("auc", "lpob"), ("fnf", "loob")):
        c, d = (trueness.estimate(f, metric, method) for f in (fixed, random))
        assert c.se == d.se


def test_lpob_of_three_classes_is_the_mean_of_one_against_the_rest():
    y = np.array([0, 0, 1, 1, 2, 2])
    counts = all_counts(y)
    fits = fits_of(y, counts, stratified=True, seed=6, classes=3)
    e = trueness.estimate(fits, "auc", "lpob", se="influence")
    parts = [lpob_statistic(fits, y == c, column=c, mass_of=lambda f: f / 3) for c in range(3)]
    check(fits, lambda f, g: np.mean([p(f, g) for p in parts]), y, counts, e.influence)
    assert e.value == pytest.approx(np.mean([p(np.full(6, 0.5), np.ones(len(counts))) for p in parts]))


def test_the_difference_is_linear():
    y = np.repeat([0, 1], 3)
    counts = all_counts(y)
    a, b = fits_of(y, counts, stratified=True, seed=1), fits_of(y, counts, stratified=True, seed=2)
    for metric, method in (("error", "loob"), ("auc", "lpob")):
        d = trueness.difference(a, b, metric, method, se="influence")
        each = [trueness.estimate(f, metric, method, se="influence") for f in (a, b)]
        np.testing.assert_allclose(d.influence, each[0].influence - each[1].influence, atol=1e-12)
        assert d.value == pytest.approx(each[0].value - each[1].value, abs=1e-12)


def test_efron_and_tibshirani_formula_is_the_ideal_bootstrap():
    """MATH (3): U_i = (2 + 1/(n−1)) (E_i − Err) + n Σ_b (N_i − N̄_i) q_b / Σ_b I_i, exact over all n^n samples."""
    y = np.array([0, 0, 1, 1])
    counts = all_counts(np.zeros(4, dtype=int))
    fits = fits_of(y, counts, stratified=False, seed=8)
    losses, out, n = fits.held_predictions != y, counts == 0, 4
    e = (out * losses).sum(axis=0) / out.sum(axis=0)
    q = (out * losses).mean(axis=1)
    u = (2 + 1 / (n - 1)) * (e - e.mean()) + n * ((counts - counts.mean(axis=0)) * q[:, None]).sum(axis=0) / out.sum(
        axis=0
    )
    np.testing.assert_allclose(trueness.estimate(fits, "error", "loob", se="influence").influence, u / n, atol=1e-12)


def test_the_correction_vanishes_with_the_number_of_replicates():
    """All ordered samples many times over are the ideal bootstrap: nothing is left to correct.

    docs/appendix/math.md, "The noise of finite B".
    """
    y = np.repeat([0, 1], [3, 4])
    counts = all_counts(y)
    for metric, method in (("error", "loob"), ("auc", "lpob")):
        gaps = []
        for copies in (1, 4):
            fits = fits_of(y, counts, stratified=True, seed=9, copies=copies)
            exact = trueness.estimate(fits, metric, method, se="influence").se
            corrected = trueness.estimate(fits, metric, method, se="influence-corrected").se
            gaps.append(exact**2 - corrected**2)
        assert gaps[0] > 0
        assert gaps[1] == pytest.approx(gaps[0] / 4, rel=0.05)


def test_influence_of_repeated_cross_validation_by_successive_sampling():
    """MATH (8): training sets of m cases drawn one after another without replacement, n = 5, m = 3."""
    from itertools import combinations, permutations

    n, m = 5, 3
    y = np.array([0, 0, 1, 1, 1])
    sets = list(combinations(range(n), m))
    counts = np.array([[int(i in s) for i in range(n)] for s in sets])
    rng = np.random.default_rng(0)
    predictions = rng.integers(0, 2, size=counts.shape)
    fits = trueness.Fits.from_arrays(y, counts, None, predictions=predictions, plan="cv", stratified=False)
    e = trueness.estimate(fits, "error", "cv_pooled", se="influence")
    losses, out = predictions != y, counts == 0

    def probability(f, s):  # of the set, over all orders of drawing
        total = 0.0
        for order in permutations(s):
            left, p = 1.0, 1.0
            for i in order:
                p *= f[i] / left
                left -= f[i]
            total += p
        return total

    def statistic(eps, k):
        f = np.full(n, (1 - eps) / n)
        f[k] += eps
        g = np.array([probability(f, s) for s in sets])
        mean = (g[:, None] * out * losses).sum(axis=0) / (g[:, None] * out).sum(axis=0)
        return (f * mean).sum()

    for k in range(n):
        h = 1e-4
        slope = (8 * (statistic(h, k) - statistic(-h, k)) - (statistic(2 * h, k) - statistic(-2 * h, k))) / (12 * h)
        assert e.influence[k] == pytest.approx(slope / n, abs=1e-8)
