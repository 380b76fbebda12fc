"""Reader studies against plain loops, theory and laws."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.reading.analysis import Analysis
from trueness.reading.merits import Merits
from trueness.reading.readings import Readings
from trueness.sample.answers import Answers

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")


def study(seed=0, t=2, r=3, n1=4, n0=5, gone=0, ties=True):
    """Scores (T, R, n), NaN where a case was not read, and truth."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n1 + n0) < n1
    x = rng.normal(size=(t, r, n1 + n0)) + 0.7 * truth + rng.normal(size=n1 + n0) + 0.5 * rng.normal(size=(t, r, 1))
    x = np.round(2 * x) if ties else x
    drop = rng.permutation(x.size)[:gone]
    x.ravel()[drop] = np.nan
    return x, truth


def as_frame(x, truth):
    rows = [(m, j, i, int(truth[i]), x[m, j, i]) for m, j, i in product(*map(range, x.shape))]
    return pd.DataFrame(rows, columns=["modality", "reader", "case", "truth", "score"]).dropna()


def analysis(x, truth, method="or", random="both", kind=None, metric="auc", threshold=None):
    kind = "unbiased" if method == "u" else kind
    n_modalities, n_readers, n = x.shape
    modality, reader = np.divmod(np.arange(n_modalities * n_readers), n_readers)
    flat = x.reshape(-1, 1, n)
    some = ~np.isnan(flat[:, 0]).all(axis=1)
    answers = Answers(tuple(map(str, np.flatnonzero(some))), flat[some], truth)
    readings = Readings(answers, modality[some], reader[some], *(tuple(range(k)) for k in x.shape))
    return Analysis(Merits.of(readings, metric, threshold, kind), method, random)


def psi(a, b):
    return float(a > b) + 0.5 * float(a == b)


def kernel(x, truth):
    """{(modality, reader): {(positive, negative): ψ}} of the pairs that were read."""
    ups, downs = np.flatnonzero(truth), np.flatnonzero(~truth)
    return {
        (m, j): {
            (p, q): psi(x[m, j, p], x[m, j, q])
            for p, q in product(ups, downs)
            if not np.isnan(x[m, j, p]) and not np.isnan(x[m, j, q])
        }
        for m, j in product(range(x.shape[0]), range(x.shape[1]))
    }


def loops(x, truth, m, n):
    """M1 … M8 of modalities m and n as means over all pairs of terms, and the share of each kind."""
    found, k = [[] for _ in range(8)], kernel(x, truth)
    for j, l in product(range(x.shape[1]), repeat=2):
        for ((p, q), a), ((s, u), b) in product(k[m, j].items(), k[n, l].items()):
            kind = {(True, True): 0, (False, True): 1, (True, False): 2, (False, False): 3}[p == s, q == u]
            found[kind + 4 * (j != l)].append(a * b)
    counts = np.array([len(f) for f in found])
    return np.array([np.mean(f) if f else np.nan for f in found]), counts / counts.sum()


@pytest.mark.parametrize("gone", [0, 4])
@pytest.mark.parametrize("seed", range(3))
def test_moments_are_means_over_distinct_indices(seed, gone):
    x, truth = study(seed, gone=gone)
    a = analysis(x, truth, "u")
    for m, n in ((0, 0), (0, 1), (1, 1)):
        expected, shares = loops(x, truth, m, n)
        assert a.moments.covariance(m, n) == pytest.approx(float((shares - np.eye(8)[7]) @ expected))


def test_moments_of_a_mean_over_cases():
    x, truth = study(3)
    a = analysis(x, truth, "u", metric="tpf", threshold=1.0)
    called = (x >= 1.0)[..., truth].astype(float)
    sums = {kind: [] for kind in range(4)}
    for j, l, p, q in product(range(3), range(3), range(4), range(4)):
        sums[2 * (j != l) + (p != q)].append(called[0, j, p] * called[1, l, q])
    both = np.mean(called[0]) * np.mean(called[1])
    assert a.moments.covariance(0, 1) == pytest.approx(both - np.mean(sums[3]))


@pytest.mark.parametrize(("metric", "scale"), [("youden", 1.0), ("balanced_accuracy", 0.5)])
@pytest.mark.parametrize("gone", [0, 4])
def test_moments_of_both_classes(metric, scale, gone):
    """Sensitivity plus specificity is a mean over pairs: of correct positives and correct negatives."""
    x, truth = study(11, gone=gone)
    a = analysis(x, truth, "u", metric=metric, threshold=1.0)
    ups, downs, found = np.flatnonzero(truth), np.flatnonzero(~truth), [[] for _ in range(8)]

    def pairs(m, j):
        for p, q in product(ups, downs):
            if not np.isnan(x[m, j, p] + x[m, j, q]):
                yield p, q, scale * (float(x[m, j, p] >= 1) + float(x[m, j, q] < 1) - (metric == "youden"))

    for j, l in product(range(3), repeat=2):
        for (p, q, v), (s, u, w) in product(pairs(0, j), pairs(1, l)):
            found[(p != s) + 2 * (q != u) + 4 * (j != l)].append(v * w)
    assert a.moments.covariance(0, 1) == pytest.approx(np.mean([x for f in found for x in f]) - np.mean(found[7]))


@pytest.mark.parametrize("metric", ["youden", "balanced_accuracy", "tpf", "accuracy"])
def test_one_shot_of_decisions_is_the_analysis_of_variance(metric):
    x, truth = study(12, r=4, n1=9, n0=8)
    u, o = (analysis(x, truth, m, kind="unbiased", metric=metric, threshold=1.0) for m in ("u", "or"))
    c, m = o.components, u.moments
    variance = m.covariance(0, 0) + m.covariance(1, 1) - 2 * m.covariance(0, 1)
    assert variance == pytest.approx(2 / 4 * (c.ms_tr + 4 * (c.cov2 - c.cov3)))
    assert list(m.means) == pytest.approx([o.mean(k).value for k in range(2)])


@pytest.mark.parametrize("seed", range(6))
def test_one_shot_is_the_analysis_of_variance_without_truncation(seed):
    """Crossed: Var = 2/r (MS(T:R) + r (Cov2 − Cov3)) with covariances without bias; of one modality MS(R)/r + Cov2."""
    x, truth = study(seed, r=4, n1=9, n0=8)
    u, o = analysis(x, truth, "u"), analysis(x, truth, "or", kind="unbiased")
    c = o.components
    m = u.moments
    variance = m.covariance(0, 0) + m.covariance(1, 1) - 2 * m.covariance(0, 1)
    assert variance == pytest.approx(2 / 4 * (c.ms_tr + 4 * (c.cov2 - c.cov3)))
    one = o.mean(0)
    assert m.covariance(0, 0) == pytest.approx(one.ms / 4 + one.cov2)
    if variance > 0 and c.cov2 > c.cov3:
        assert u.difference(0, 1).variance == pytest.approx(o.difference(0, 1).variance)
    assert analysis(x, truth, "u", "readers").difference(0, 1).variance == pytest.approx(
        analysis(x, truth, "or", "readers").difference(0, 1).variance
    )
    assert analysis(x, truth, "u", "cases").difference(0, 1).variance == pytest.approx(
        analysis(x, truth, "or", "cases", "unbiased").difference(0, 1).variance
    )


def test_negative_variance_is_said_and_truncated():
    frames = (study(seed, r=3, n1=4, n0=4) for seed in range(200))
    x, truth = next((x, t) for x, t in frames if _one_shot(x, t) < 0)
    r = trueness.readers(as_frame(x, truth), modality="modality", method="u")
    assert r.difference.noted("negative-variance") is not None
    c = analysis(x, truth, "or", kind="unbiased").components
    assert r.difference.se**2 == pytest.approx(2 / 3 * (c.ms_tr + 3 * max(c.cov2 - c.cov3, 0)))


def _one_shot(x, truth):
    m = analysis(x, truth, "u").moments
    return m.covariance(0, 0) + m.covariance(1, 1) - 2 * m.covariance(0, 1)


def test_covariances_of_readings_by_loops():
    """Jackknife: leave one case out of all readings. DeLong: as trueness.roc. Without bias: over distinct pairs."""
    x, truth = study(1, n1=6, n0=7)
    flat = x.reshape(-1, 13)

    def aucs(keep):
        return [np.mean([psi(p, q) for p in row[keep & truth] for q in row[keep & ~truth]]) for row in flat]

    left = np.array([aucs(np.arange(13) != i) for i in range(13)])
    expected = 12 / 13 * (left - left.mean(axis=0)).T @ (left - left.mean(axis=0))
    assert analysis(x, truth, kind="jackknife").merits.covariance == pytest.approx(expected)
    delong = analysis(x, truth, kind="delong").merits.covariance
    test = trueness.comparisons.delong(truth, flat[0], flat[4], positive=True)
    assert delong[0, 0] + delong[4, 4] - 2 * delong[0, 4] == pytest.approx(test.difference.se**2)
    k = kernel(x, truth)
    (a, b), whole = (k[0, 0], k[1, 1]), np.mean(list(k[0, 0].values())) * np.mean(list(k[1, 1].values()))
    apart = [v * w for ((p, q), v), ((s, u), w) in product(a.items(), b.items()) if p != s and q != u]
    assert analysis(x, truth, kind="unbiased").merits.covariance[0, 4] == pytest.approx(whole - np.mean(apart))


@pytest.mark.parametrize("metric", ["tpf", "tnf", "accuracy", "youden"])
def test_covariances_of_decisions(metric):
    """The jackknife of a mean is its usual covariance; both are without bias."""
    x, truth = study(2, n1=8, n0=9)
    found = [analysis(x, truth, kind=k, metric=metric, threshold=1.0).merits.covariance for k in ("delong", "unbiased")]
    assert found[0] == pytest.approx(found[1])
    if metric in ("tpf", "tnf", "accuracy"):
        jack = analysis(x, truth, kind="jackknife", metric=metric, threshold=1.0).merits.covariance
        assert jack == pytest.approx(found[0])


def test_several_modalities_by_the_textbook():
    """F, df and standard errors of three modalities from the formulas as they are printed (Hillis 2007)."""
    x, truth = study(5, t=3, r=4, n1=10, n0=12)
    a = analysis(x, truth, kind="delong")
    theta, c = a.merits.values.reshape(3, 4), a.merits.covariance.reshape(3, 4, 3, 4)
    t, r, whole = 3, 4, theta.mean()
    by_t, by_r = theta.mean(axis=1, keepdims=True), theta.mean(axis=0, keepdims=True)
    ms_t = r * ((by_t - whole) ** 2).sum() / (t - 1)
    ms_tr = ((theta - by_t - by_r + whole) ** 2).sum() / ((t - 1) * (r - 1))
    pairs = [(i, j, k, l) for (i, j), (k, l) in product(product(range(t), range(r)), repeat=2)]
    cov2 = np.mean([c[i, j, k, l] for i, j, k, l in pairs if i == k and j != l])
    cov3 = np.mean([c[i, j, k, l] for i, j, k, l in pairs if i != k and j != l])
    d = ms_tr + r * max(cov2 - cov3, 0)
    e = a.equality()
    assert (e.statistic, e.df[1]) == pytest.approx((ms_t / d, d**2 * (t - 1) * (r - 1) / ms_tr**2))
    assert a.difference(0, 2).variance == pytest.approx(2 * d / r)
    fixed = analysis(x, truth, random="cases")
    assert fixed.equality().df == 2
    assert analysis(x, truth, random="readers").equality().df == (2.0, 6.0)


def test_split_plot_is_the_sum_of_its_groups():
    """Two groups of readers with cases of their own: the variance of the mean is that of two independent studies."""
    x, truth = study(7, r=6, n1=12, n0=12)
    first = np.arange(24) % 2 == 0
    x[:, :3, ~first] = np.nan
    x[:, 3:, first] = np.nan
    a = analysis(x, truth)
    assert a.merits.readings.design == "split-plot"
    groups = [analysis(x[:, s][..., k], truth[k]) for s, k in ((slice(0, 3), first), (slice(3, 6), ~first))]
    spreads = [g.difference(0, 1) for g in groups]
    d = a.difference(0, 1)
    assert d.value == pytest.approx(np.mean([s.value for s in spreads]))
    ms, cov2 = np.mean([s.ms for s in spreads]), np.mean([s.cov2 for s in spreads])
    assert (d.ms, d.cov2) == pytest.approx((ms, cov2))
    assert d.variance == pytest.approx((ms + 3 * max(cov2, 0)) / 6)
    if min(s.cov2 for s in spreads) > 0:
        assert d.variance == pytest.approx(np.mean([s.variance for s in spreads]) / 2)


def test_laws():
    x, truth = study(4, r=5, n1=10, n0=14, gone=7)
    frame = as_frame(x, truth)
    for method in ("or", "u"):
        r = trueness.readers(frame, modality="modality", method=method)
        mixed = trueness.readers(frame.sample(frac=1, random_state=1), modality="modality", method=method)
        assert mixed.to_json() == r.to_json()
        monotone = trueness.readers(frame.assign(score=np.exp(frame.score)), modality="modality", method=method)
        assert monotone.difference.se == pytest.approx(r.difference.se)
        turned = trueness.readers(frame.assign(modality=1 - frame.modality), modality="modality", method=method)
        assert (turned.difference.value, turned.p_value) == pytest.approx((-r.difference.value, r.p_value))
        flipped = frame.assign(score=-frame.score, truth=1 - frame.truth)
        assert trueness.readers(flipped, modality="modality", method=method).p_value == pytest.approx(r.p_value)
        renamed = frame.replace({"reader": {0: "z", 1: "y", 2: "x", 3: "w", 4: "v"}})
        assert trueness.readers(renamed, modality="modality", method=method).p_value == pytest.approx(r.p_value)
        same = pd.concat([frame[frame.modality == 0], frame[frame.modality == 0].assign(modality=1)])
        equal = trueness.readers(same, modality="modality", method=method)
        assert (equal.p_value, equal.difference.value) == (1.0, 0.0)


def test_nested_cases_by_name_and_by_design():
    x, truth = study(6, r=4, n1=10, n0=10)
    frame = as_frame(x, truth)
    for column, design in (("reader", "cases-in-readers"), ("modality", "cases-in-modalities")):
        named = frame.assign(case=frame[column].astype(str) + "/" + frame.case.astype(str))
        by_name = trueness.readers(named, modality="modality")
        declared = trueness.readers(frame, modality="modality", design=design)
        assert by_name.design == declared.design == design
        assert (by_name.p_value, by_name.df) == pytest.approx((declared.p_value, declared.df))
        c = declared.components
        zero = (c.cov2, c.cov3) if column == "reader" else (c.cov1, c.cov3)
        assert zero == (0.0, 0.0)


def test_a_case_that_nobody_read_changes_nothing():
    x, truth = study(8, r=4, n1=8, n0=8)
    more = np.concatenate([x, np.full((2, 4, 1), np.nan)], axis=2)
    a, b = (
        trueness.readers(as_frame(v, t), modality="modality") for v, t in ((x, truth), (more, np.append(truth, True)))
    )
    assert a.p_value == b.p_value


def test_one_modality_and_fixed_readers():
    x, truth = study(9, t=1, r=4, n1=10, n0=10)
    r = trueness.readers(as_frame(x, truth).drop(columns="modality"))
    (mean,) = r.auc.values()
    theta = [trueness.roc(truth, row, positive=True).auc.value for row in x[0]]
    a = analysis(x, truth)
    c2 = (a.merits.covariance.sum() - np.trace(a.merits.covariance)) / 12
    ms = np.var(theta, ddof=1)
    assert mean.se**2 == pytest.approx(ms / 4 + max(c2, 0))
    assert r.df == pytest.approx((ms + 4 * max(c2, 0)) ** 2 * 3 / ms**2)
    assert r.p_value is None
    with pytest.raises(trueness.errors.InputError, match="One modality"):
        r.difference
    single = trueness.readers(as_frame(x[:, :1], truth).drop(columns="modality"), random="cases")
    assert next(iter(single.auc.values())).se == pytest.approx(trueness.roc(truth, x[0, 0], positive=True).auc.se)


def test_single_readers_are_those_of_roc_and_delong():
    x, truth = study(10, r=3, n1=15, n0=15, ties=False)
    table = trueness.readers(as_frame(x, truth), modality="modality").frame("readers")
    first, second = x[0, 1], x[1, 1]
    alone = table[(table.reader == 1) & (table.modality == 0) & table.minus.isna()].iloc[0]
    roc = trueness.roc(truth, first, positive=True).auc
    assert (alone.value, alone.se, alone.low) == (roc.value, roc.se, roc.ci().low)
    pair = table[(table.reader == 1) & table.minus.notna()].iloc[0]
    test = trueness.comparisons.delong(truth, first, second, positive=True)
    assert (pair.value, pair.se, pair.p_value) == (test.difference.value, test.difference.se, test.p_value)
