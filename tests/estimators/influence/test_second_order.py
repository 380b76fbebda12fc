"""V_2 against squared mixed second finite differences over ALL ordered bootstrap samples of a tiny data set."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from second_order_by_pairs import case_terms, pair_terms, terms_with_a_test_case
from slow_kernels import psi

from trueness import Fits
from trueness.errors import InputError
from trueness.estimators.estimation import bind, difference, estimate
from trueness.estimators.influence import Contrast, second_order
from trueness.estimators.influence.case_influence import CaseMeans
from trueness.estimators.influence.pair_influence import PairMeans
from trueness.estimators.influence.second_order import (
    Stratum,
    across,
    between,
    orders_of_cases,
    orders_of_pairs,
    pade,
    with_a_test_case,
    within,
)
from trueness.kernels.auc import residual_squares

# -- all ordered samples, and the statistic as a function of the masses of the cases ------------------------


def all_counts(*sizes: int) -> np.ndarray:
    """(Π m^m, n) counts of every ordered sample, drawn within strata of these sizes."""
    each = [
        np.array([np.bincount(draw, minlength=m) for draw in product(range(m), repeat=m)], dtype=float) for m in sizes
    ]
    return np.array([np.concatenate(parts) for parts in product(*each)])


def masses(strata: np.ndarray, bumps: dict[int, float]) -> np.ndarray:
    """f_ε: each bumped case gains ε, its whole stratum shrinks by 1 − ε  (Yousef, ML Assessment, eq. 75)."""
    m = np.bincount(strata)[strata]
    f = 1.0 / m
    for case, eps in bumps.items():
        f = f - eps * (strata == strata[case]) / m
        f[case] += eps
    return f


def likelihood(counts: np.ndarray, f: np.ndarray) -> np.ndarray:
    return np.prod(f**counts, axis=1)


def loob_at(
    counts: np.ndarray, losses: np.ndarray, strata: np.ndarray, bumps: dict[int, float], tested: bool = True
) -> float:
    """Σ_c (n_c/n) Σ_{j in c} f(j) E_j(f); with `tested` False the bumps change the training masses alone."""
    f = masses(strata, bumps if tested else {})
    g = likelihood(counts, masses(strata, bumps))[:, None] * (counts == 0)
    m = np.bincount(strata)[strata]
    return float((m / len(m) * f * (g * losses).sum(axis=0) / g.sum(axis=0)).sum())


def lpob_at(
    counts: np.ndarray, psi: np.ndarray, n1: int, strata: np.ndarray, bumps: dict[int, float], tested: bool = True
) -> float:
    """Σ_ij f1(i) f2(j) A_ij(f)."""
    f = masses(strata, bumps if tested else {})
    out = counts == 0
    both = likelihood(counts, masses(strata, bumps))[:, None, None] * out[:, :n1, None] * out[:, None, n1:]
    return float((np.outer(f[:n1], f[n1:]) * (both * psi).sum(axis=0) / both.sum(axis=0)).sum())


def mixed(statistic, k: int, l: int, h: float = 2e-3) -> float:
    """∂²T/∂ε_k ∂ε_l by central differences, with one step of Richardson: error O(h⁴)."""

    def at(step: float) -> float:
        signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
        return sum(a * b * statistic({k: a * step, l: b * step}) for a, b in signs) / (4 * step**2)

    return (4 * at(h) - at(2 * h)) / 3


def first(statistic, k: int, h: float = 1e-4) -> float:
    return (statistic({k: h}) - statistic({k: -h})) / (2 * h)


def mixed_with_a_test_case(statistic, k: int, l: int) -> float:
    """∂²T/∂ε_k ∂ε_l without the part in which both are masses of training cases."""
    return mixed(statistic, k, l) - mixed(lambda bumps: statistic(bumps, tested=False), k, l)


def bessel(strata: np.ndarray) -> np.ndarray:
    m = np.bincount(strata)[strata]
    return m / (m - 1)


def truth(statistic, strata: np.ndarray) -> tuple[float, float]:
    """V_1 and V_2 of the ideal bootstrap, with the factors n_c/(n_c − 1)."""
    m, c = np.bincount(strata)[strata], bessel(strata)
    n = len(m)
    v1 = sum(c[k] * (first(statistic, k) / m[k]) ** 2 for k in range(n))
    v2 = sum(c[k] * c[l] * (mixed(statistic, k, l) / (m[k] * m[l])) ** 2 for k in range(n) for l in range(k + 1, n))
    return v1, v2


# -- LOOB ----------------------------------------------------------------------------------------------------

LOOB = [("stratified", (3, 3)), ("stratified", (4, 3)), ("stratified", (2, 2, 2)), ("one stratum", (5,))]


@pytest.mark.parametrize(("name", "sizes"), LOOB)
def test_second_derivatives_of_loob(name, sizes):
    """Σ_b z of the kernel, pair by pair, against finite differences: no tolerance for a wrong sign or factor."""
    counts = all_counts(*sizes)
    strata = np.repeat(np.arange(len(sizes)), sizes)
    losses = np.random.default_rng(1).normal(size=counts.shape)
    out = counts == 0
    means = (losses * out).sum(axis=0) / out.sum(axis=0)
    rho = out * (losses - means) / out.sum(axis=0)
    _, sums, _ = case_terms(counts, rho, strata)
    m, n = np.bincount(strata)[strata], len(strata)
    for k in range(n):
        for l in range(k + 1, n):
            wanted = mixed(lambda bumps: loob_at(counts, losses, strata, bumps), k, l)
            assert sums[k, l] / n == pytest.approx(wanted / (m[k] * m[l]), abs=1e-7)


def fits_of_losses(counts, strata, wrong, copies, stratified):
    """Fits whose error of case j under rule b is wrong[b, j]: 0/1 losses through the public door."""
    y = np.arange(len(strata)) % 2 if not stratified else (strata > 0).astype(int)
    predictions = np.where(wrong, 1 - y, y)
    return Fits.from_arrays(
        y,
        np.tile(counts, (copies, 1)).astype(int),
        None,
        predictions=np.tile(predictions, (copies, 1)),
        plan="bootstrap",
        stratified=stratified and "fixed",
    )


@pytest.mark.parametrize(("sizes", "stratified"), [((3, 3), True), ((4,), False)])
@pytest.mark.parametrize("two_rules", [False, True])
def test_loob_orders_approach_the_ideal_bootstrap(sizes, stratified, two_rules, monkeypatch):
    """Whole V_1 and V_2, single rule and difference: the noise that is subtracted vanishes like 1/copies."""
    monkeypatch.setattr(second_order, "TRUSTED_NOISE", np.inf)
    counts = all_counts(*sizes)
    strata = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(2)
    a, b = rng.random(counts.shape) < 0.4, rng.random(counts.shape) < 0.3
    losses = a.astype(float) - b if two_rules else a.astype(float)
    v1, v2 = truth(lambda bumps: loob_at(counts, losses, strata, bumps), strata)

    def gap(copies: int) -> np.ndarray:
        fa, fb = (fits_of_losses(counts, strata, wrong, copies, stratified) for wrong in (a, b))
        loss = bind(fa, "error")
        got = orders_of_cases(CaseMeans.over(Contrast(fa, loss, fb if two_rules else None)))
        return np.array([got[0] - v1, got[1] - v2]) / (v1, v2)

    few, many = gap(4), gap(32)
    assert np.abs(many).max() < 0.1
    assert many == pytest.approx(few / 8, rel=0.15)


@pytest.mark.parametrize("stratified", [True, False])
def test_first_order_of_loob_is_the_corrected_influence(stratified):
    """V_1 without n/(n − 1) is the corrected variance; without the noise term and with D it is the exact one."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 8)
    counts = rng.multinomial(8, np.full(8, 1 / 8), size=(60, 2)).reshape(60, 16)
    if not stratified:
        counts = rng.multinomial(16, np.full(16, 1 / 16), size=60)
    predictions = np.where(rng.random(counts.shape) < 0.3, 1 - y, y)
    fits = Fits.from_arrays(y, counts, None, predictions=predictions, plan="bootstrap", stratified=stratified)
    loss = bind(fits, "error")
    means = CaseMeans.over(Contrast(fits, loss))
    factor = 8 / 7 if stratified else 16 / 15
    v1, _, _, mc = orders_of_cases(means)
    assert v1 / factor == pytest.approx(means.first_order().total, rel=1e-12)
    assert mc == pytest.approx((means.leave_replicate_out() ** 2).sum(), rel=1e-12)


# -- LPOB ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n1", "n2"), [(3, 3), (4, 3)])
def test_second_derivatives_of_lpob(n1, n2):
    counts = all_counts(n1, n2)
    strata = np.repeat([0, 1], [n1, n2])
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(2, *counts.shape))
    psi = np.subtract(*(s[:, :n1, None] > s[:, None, n1:] for s in scores.astype(np.float64)), dtype=float)
    out = counts == 0
    times = (out[:, :n1, None] & out[:, None, n1:]).sum(axis=0).astype(float)
    mean = (psi * (out[:, :n1, None] & out[:, None, n1:])).sum(axis=0) / times
    # pair_terms divides by D − 1; given D + 1 it divides by D, the ideal bootstrap
    terms = pair_terms(
        counts[:, :n1],
        counts[:, n1:],
        [(1.0, scores[0][:, :n1], scores[0][:, n1:]), (-1.0, scores[1][:, :n1], scores[1][:, n1:])],
        mean,
        times + 1,
    )
    _, _, _, _, z1, _, z2, _, w, _, _ = terms
    interaction = mean - mean.mean(axis=1, keepdims=True) - mean.mean(axis=0, keepdims=True) + mean.mean()
    m = np.bincount(strata)[strata]

    def wanted(k: int, l: int) -> float:
        return mixed(lambda bumps: lpob_at(counts, psi, n1, strata, bumps), k, l) / (m[k] * m[l])

    for k in range(n1):
        for l in range(k + 1, n1):
            assert z1[k, l] / (n1 * n2) == pytest.approx(wanted(k, l), abs=1e-7)
    for k in range(n2):
        for l in range(k + 1, n2):
            assert z2[k, l] / (n1 * n2) == pytest.approx(wanted(n1 + k, n1 + l), abs=1e-7)
    for k in range(n1):
        for l in range(n2):
            assert (interaction + w)[k, l] / (n1 * n2) == pytest.approx(wanted(k, n1 + l), abs=1e-7)


def fits_of_scores(counts, n1, scores, copies):
    y = np.repeat([1, 0], [n1, counts.shape[1] - n1])
    return Fits.from_arrays(
        y,
        np.tile(counts, (copies, 1)).astype(int),
        np.tile(scores, (copies, 1)),
        plan="bootstrap",
        stratified=True,
    )


@pytest.mark.parametrize("two_rules", [False, True])
def test_lpob_orders_approach_the_ideal_bootstrap(two_rules, monkeypatch):
    monkeypatch.setattr(second_order, "TRUSTED_NOISE", np.inf)
    n1, n2 = 3, 3
    counts = all_counts(n1, n2)
    strata = np.repeat([0, 1], [n1, n2])
    rng = np.random.default_rng(5)  # scores that depend on the training set, as those of a real rule do
    a, b = (rng.normal(size=6) + counts @ rng.normal(size=(6, 6)) for _ in range(2))
    psi = (a[:, :n1, None] > a[:, None, n1:]).astype(float)
    if two_rules:
        psi = psi - (b[:, :n1, None] > b[:, None, n1:])
    v1, v2 = truth(lambda bumps: lpob_at(counts, psi, n1, strata, bumps), strata)

    def gap(copies: int) -> np.ndarray:
        fa, fb = (fits_of_scores(counts, n1, s, copies) for s in (a, b))
        metric = bind(fa, "auc")
        means = PairMeans.over(Contrast(fa, metric, fb if two_rules else None))
        got = orders_of_pairs(means)
        return np.array([got[0] - v1, got[1] - v2]) / (v1, v2)

    few, many = gap(2), gap(16)
    assert np.abs(many).max() < 0.15
    assert many == pytest.approx(few / 8, rel=0.2)


def test_first_order_of_lpob_is_the_corrected_influence():
    rng = np.random.default_rng(6)
    n1, n2, B = 7, 9, 120
    counts = np.hstack([rng.multinomial(m, np.full(m, 1 / m), size=B) for m in (n1, n2)])
    scores = rng.normal(size=counts.shape)
    fits = fits_of_scores(counts, n1, scores, 1)
    means = PairMeans.over(Contrast(fits, bind(fits, "auc")))
    v1, _, _, _ = orders_of_pairs(means)
    # the two classes have different factors: bound the sum, then take equal classes for the identity
    corrected = means.first_order().total
    assert corrected * n2 / (n2 - 1) <= v1 <= corrected * n1 / (n1 - 1)


def test_first_order_of_lpob_equal_classes():
    rng = np.random.default_rng(7)
    counts = np.hstack([rng.multinomial(8, np.full(8, 1 / 8), size=150) for _ in range(2)])
    fits = fits_of_scores(counts, 8, rng.normal(size=counts.shape), 1)
    means = PairMeans.over(Contrast(fits, bind(fits, "auc")))
    v1, _, _, _ = orders_of_pairs(means)
    assert v1 * 7 / 8 == pytest.approx(means.first_order().total, rel=1e-12)


# -- the kernels, which sum over pairs of cases by matrices, against the formulas pair by pair ------------------


@pytest.mark.parametrize("strata", [np.repeat([0, 1], [5, 7]), np.zeros(12, int), np.repeat([0, 1, 3], 4)])
def test_sums_of_cases(strata, monkeypatch):
    rng = np.random.default_rng(11)
    counts = rng.integers(0, 3, size=(20, 12)).astype(float)
    rho = rng.normal(size=(20, 12)) * (counts == 0)
    _, sums, squares = case_terms(counts, rho, strata)
    of = [np.flatnonzero(strata == s) for s in np.unique(strata)]
    parts, total = [Stratum(counts[:, i], rho[:, i]) for i in of], rho.sum(axis=1)
    for g, h in product(range(len(of)), repeat=2):
        wanted, wanted_squares = sums[np.ix_(of[g], of[h])], squares[np.ix_(of[g], of[h])]
        got = within(parts[g], total) if g == h else between(parts[g], parts[h], total)
        pairs = np.triu_indices(len(of[g]), 1) if g == h else ...
        assert got.sums()[pairs] == pytest.approx(wanted[pairs], rel=1e-9, abs=1e-12)
        assert got.noise == pytest.approx(wanted_squares[pairs].sum(), rel=1e-9)
        factor = np.prod([len(of[s]) / (len(of[s]) - 1) for s in (g, h)])
        expected = factor * ((wanted[pairs] ** 2).sum() - wanted_squares[pairs].sum())
        for cells in (2**22, 20):  # in one block, and in several
            monkeypatch.setattr(second_order, "BLOCK_CELLS", cells)
            assert got.total() == pytest.approx(expected, rel=1e-9)


def test_sums_of_pairs():
    rng = np.random.default_rng(12)
    N1, N2 = rng.integers(0, 3, size=(200, 6)).astype(float), rng.integers(0, 3, size=(200, 9)).astype(float)
    scores = [(c, rng.integers(0, 4, size=(200, 6)) * 1.0, rng.integers(0, 4, size=(200, 9)) * 1.0) for c in (1, -1)]
    out = (N1 == 0)[:, :, None] & (N2 == 0)[:, None, :]
    value = sum(c * np.array([psi(u, d) for u, d in zip(up, down, strict=True)]) for c, up, down in scores)
    times = out.sum(axis=0)
    mean = (value * out).sum(axis=0) / times
    rho = out * (value - mean) / (times - 1)
    R, Q, r = rho.sum(axis=2), rho.sum(axis=1), rho.sum(axis=(1, 2))
    _, _, _, _, z1, z1_squares, z2, z2_squares, w, w_squares, _ = pair_terms(N1, N2, scores, mean, times)
    for N, sums, z, squares in ((N1, R, z1, z1_squares), (N2, Q, z2, z2_squares)):
        got = within(Stratum(N, sums), r)
        upper = np.triu_indices(len(z), 1)
        assert got.sums()[upper] == pytest.approx(z[upper], rel=1e-9, abs=1e-12)
        assert got.noise == pytest.approx(squares[upper].sum(), rel=1e-9)
    left_out = [(c, np.where(N1 == 0, up, np.nan), np.where(N2 == 0, down, np.nan)) for c, up, down in scores]
    squares = residual_squares(left_out, mean, times)
    assert squares == pytest.approx((rho**2).sum(), rel=1e-12)
    got = across(Stratum(N1, R), Stratum(N2, Q), squares)
    assert got.sums() == pytest.approx(w, rel=1e-9, abs=1e-12)
    assert got.noise == pytest.approx(w_squares.sum(), rel=1e-9)
    assert got.total(mean) == pytest.approx(6 / 5 * 9 / 8 * (((mean + w) ** 2).sum() - w_squares.sum()), rel=1e-9)


# -- without pairs of two training cases, for few replicates -------------------------------------------------


@pytest.mark.parametrize("sizes", [(3, 3), (4, 3), (2, 2, 2), (5,)])
def test_derivatives_with_a_test_case_of_loob(sizes):
    """Pair by pair: the whole second derivative less that by the masses of two training cases."""
    counts = all_counts(*sizes)
    strata = np.repeat(np.arange(len(sizes)), sizes)
    losses = np.random.default_rng(1).normal(size=counts.shape)
    out = counts == 0
    rho = out * (losses - (losses * out).sum(axis=0) / out.sum(axis=0)) / out.sum(axis=0)
    m, n = np.bincount(strata)[strata], len(strata)

    def statistic(bumps, tested=True):
        return loob_at(counts, losses, strata, bumps, tested)

    of = [np.flatnonzero(strata == s) for s in range(len(sizes))]
    parts = [Stratum(counts[:, i], rho[:, i]) for i in of]
    for g in range(len(of)):
        for h in range(g, len(of)):
            sums = with_a_test_case(parts[g], parts[h]).sums()
            for (a, k), (b, l) in product(enumerate(of[g]), enumerate(of[h])):
                if k < l:
                    wanted = mixed_with_a_test_case(statistic, k, l)
                    assert sums[a, b] / n == pytest.approx(wanted / (m[k] * m[l]), abs=1e-7)


@pytest.mark.parametrize(("n1", "n2"), [(3, 3), (4, 3)])
def test_derivatives_with_a_test_case_of_lpob(n1, n2):
    counts, strata = all_counts(n1, n2), np.repeat([0, 1], [n1, n2])
    scores = np.random.default_rng(4).normal(size=counts.shape)
    value = (scores[:, :n1, None] > scores[:, None, n1:]).astype(float)
    out = (counts[:, :n1, None] == 0) & (counts[:, None, n1:] == 0)
    mean = (value * out).sum(axis=0) / out.sum(axis=0)
    rho = out * (value - mean) / out.sum(axis=0)
    interaction = mean - mean.mean(axis=1, keepdims=True) - mean.mean(axis=0, keepdims=True) + mean.mean()
    up, down = Stratum(counts[:, :n1], rho.sum(axis=2)), Stratum(counts[:, n1:], rho.sum(axis=1))
    m = np.bincount(strata)[strata]

    def statistic(bumps, tested=True):
        return lpob_at(counts, value, n1, strata, bumps, tested)

    for k, l, start in ((up, up, 0), (down, down, n1), (up, down, 0)):
        sums = with_a_test_case(k, l).sums() + (interaction if l is not k else 0)
        for i, j in product(range(k.size), range(l.size)):
            a, b = start + i, (n1 if l is down else 0) + j
            if a < b:
                wanted = mixed_with_a_test_case(statistic, a, b)
                assert sums[i, j] / (n1 * n2) == pytest.approx(wanted / (m[a] * m[b]), abs=1e-7)


@pytest.mark.parametrize("strata", [np.repeat([0, 1], [5, 7]), np.zeros(12, int), np.repeat([0, 1, 3], 4)])
def test_sums_with_a_test_case(strata, monkeypatch):
    rng = np.random.default_rng(11)
    counts = rng.integers(0, 3, size=(20, 12)).astype(float)
    rho = rng.normal(size=(20, 12)) * (counts == 0)
    sums, squares = terms_with_a_test_case(counts, rho, strata)
    of = [np.flatnonzero(strata == s) for s in np.unique(strata)]
    parts = [Stratum(counts[:, i], rho[:, i]) for i in of]
    nu = np.concatenate([((p.rho - p.sums()[:, None] / p.size) ** 2).sum(axis=0) for p in parts])
    for g, h in product(range(len(of)), repeat=2):
        pairs = np.triu_indices(len(of[g]), 1) if g == h else ...
        got = with_a_test_case(parts[g], parts[h])
        wanted, noise = (table[np.ix_(of[g], of[h])][pairs] for table in (sums, squares))
        each = (nu[of[g]][:, None] + nu[of[h]])[pairs]
        factor = np.prod([len(of[s]) / (len(of[s]) - 1) for s in (g, h)])
        for cells in (2**22, 20):  # in one block, and in several
            monkeypatch.setattr(second_order, "BLOCK_CELLS", cells)
            assert got.total() == pytest.approx(factor * (wanted**2 - noise).sum(), rel=1e-9)
            variance = factor**2 * (4 * wanted**2 * each - 2 * each**2).sum()
            assert got.variance() == pytest.approx(max(variance, 0), rel=1e-9)


def test_noise_with_a_test_case_of_a_positive_and_a_negative():
    """Σ_b (z + x)², where ρ_kl is in x alone."""
    rng = np.random.default_rng(12)
    N1, N2 = rng.integers(0, 3, size=(30, 4)).astype(float), rng.integers(0, 3, size=(30, 5)).astype(float)
    rho = rng.normal(size=(30, 4, 5)) * (N1 == 0)[:, :, None] * (N2 == 0)[:, None, :]
    R, Q, r = rho.sum(axis=2), rho.sum(axis=1), rho.sum(axis=(1, 2))
    z = np.einsum("bk,bl->bkl", R - r[:, None] / 4, N2 - 1) + np.einsum("bk,bl->bkl", N1 - 1, Q - r[:, None] / 5)
    x = rho - R[:, :, None] / 5 - Q[:, None, :] / 4 + r[:, None, None] / 20
    got = with_a_test_case(Stratum(N1, R), Stratum(N2, Q), float((rho**2).sum()))
    assert got.sums() == pytest.approx(z.sum(axis=0))
    assert got.noise == pytest.approx(((z + x) ** 2).sum())


# -- the form P2, and the whole through the public door ----------------------------------------------------


def test_pade():
    assert pade(2.0, 0.0) == 2.0
    assert pade(2.0, 1.0) == pytest.approx(4 / 3)
    assert pade(2.0, 50.0) == 1.0  # never below V_1/2
    assert pade(2.0, -1.0) == 2.0
    assert pade(-1.0, 3.0) == 0.0
    # exact where orders fall geometrically: σ_c² = q^(c−1), V_m = Σ_c C(c, m) σ_c², Var = Σ σ_c²
    q = 0.3
    v1, v2 = 1 / (1 - q) ** 2, q / (1 - q) ** 3
    assert pade(v1, v2) == pytest.approx(1 / (1 - q))


@pytest.fixture
def two_fits():
    rng = np.random.default_rng(8)
    y = np.repeat([1, 0], [12, 15])
    counts = np.hstack([rng.multinomial(m, np.full(m, 1 / m), size=600) for m in (12, 15)])
    base = rng.normal(size=27) + y
    a, b = (base + rng.normal(scale=0.7, size=counts.shape) for _ in range(2))
    return tuple(Fits.from_arrays(y, counts, s, threshold=0.5, plan="bootstrap", stratified=True) for s in (a, b))


@pytest.mark.parametrize("trusted", [np.inf, 0.0], ids=["all pairs", "with a test case"])
@pytest.mark.parametrize(("metric", "method"), [("auc", "lpob"), ("error", "loob")])
def test_default_of_a_difference(two_fits, metric, method, trusted, monkeypatch):
    monkeypatch.setattr(second_order, "TRUSTED_NOISE", trusted)
    a, b = two_fits
    d = difference(a, b, metric, method)
    assert d.se_method == "second-order"
    assert d.df == 11
    assert d.value == pytest.approx(estimate(a, metric, method).value - estimate(b, metric, method).value)
    corrected = difference(a, b, metric, method, se="influence-corrected")
    assert corrected.ci().method == d.ci().method == "wald"
    assert corrected.ci().high - corrected.value == pytest.approx(1.959964 * corrected.se, rel=1e-6)
    assert d.se is not None
    assert corrected.se is not None
    assert 0.5**0.5 * corrected.se < d.se < 1.02 * corrected.se * (12 / 11) ** 0.5
    back = difference(b, a, metric, method)  # swapping the rules turns the sign and nothing else
    assert back.value == pytest.approx(-d.value)
    assert back.se == pytest.approx(d.se, rel=1e-9)
    same = difference(a, a, metric, method)
    assert same.value == 0
    assert same.se == 0


def test_monotone_scores_leave_it_alone(two_fits):
    a, b = two_fits
    moved = Fits.from_arrays(
        a.sample.classes[a.sample.codes], a.counts, np.exp(a.scores), plan="bootstrap", stratified=True
    )
    plain = Fits.from_arrays(b.sample.classes[b.sample.codes], b.counts, b.scores, plan="bootstrap", stratified=True)
    assert difference(moved, plain, "auc", "lpob").se == pytest.approx(difference(a, b, "auc", "lpob").se, rel=1e-9)


def test_where_it_is_not_worked_out_the_first_order_stands():
    rng = np.random.default_rng(9)
    y = np.repeat([1, 0], 10)
    counts = rng.multinomial(20, np.full(20, 1 / 20), size=300)
    base = rng.normal(size=20) + y
    a, b = (base + rng.normal(size=20) + 0.3 * counts @ rng.normal(size=(20, 20)) for _ in range(2))
    fa, fb = (Fits.from_arrays(y, counts, s, threshold=0.5, plan="bootstrap", stratified=False) for s in (a, b))
    for metric, method in (("auc", "lpob"), ("fnf", "loob")):
        assert difference(fa, fb, metric, method).se_method == "influence-corrected"
        with pytest.raises(InputError, match="stratified"):
            difference(fa, fb, metric, method, se="second-order")
    assert difference(fa, fb, "error", "loob").se_method == "second-order"


def test_noise_alone_gives_no_standard_error_of_zero():
    """Rules that know nothing of the cases: what is left after the noise may be negative."""
    rng = np.random.default_rng(10)
    y = np.repeat([1, 0], 10)
    counts = np.hstack([rng.multinomial(10, np.full(10, 0.1), size=600) for _ in range(2)])
    fits = [Fits.from_arrays(y, counts, rng.normal(size=counts.shape), plan="bootstrap") for _ in range(2)]
    d = difference(*fits, "auc", "lpob")
    assert d.se > 0.02
