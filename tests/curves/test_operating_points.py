"""Operating-point averaging (Paclík et al. 2008): against plain loops, against scipy, and against itself."""

import numpy as np
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.curves.averaged_points import OperatingPoints
from trueness.errors import InputError, UndefinedError
from trueness.studies.populations import highleyman


@pytest.fixture(scope="module")
def fits():
    X, y = highleyman().draw((60, 60), rng=3)
    return trueness.fit(LinearDiscriminantAnalysis(), X, y, trueness.KFold(10), rng=0)


@pytest.fixture(scope="module")
def points(fits):
    return trueness.curves.operating_points(fits, n_points=25)


def folds(fits):
    """Scores and labels of each fold's test cases."""
    scores = fits.pooled().scores[0]
    for k in range(10):
        of = fits.design.folds[0] == k
        yield scores[of], fits.sample.codes[of]


def test_algorithm_1_by_plain_loops(fits, points):
    table = points.frame()
    stacked = np.sort(np.unique(np.concatenate([s for s, _ in folds(fits)])))[::-1]
    assert len(table) == 25
    assert set(table["threshold"]) <= set(stacked)
    assert (table["threshold"].iloc[0], table["threshold"].iloc[-1]) == (stacked[0], stacked[-1])
    for row in table.itertuples():
        each = []
        for s, y in folds(fits):
            decided = s >= row.threshold
            each.append((np.mean(decided[y == 1]), np.mean(decided[y == 0]), np.mean(decided != (y == 1))))
        each = np.array(each)
        assert (row.tpf, row.fpf, row.error) == pytest.approx(tuple(each.mean(axis=0)))
        assert (row.tpf_sd, row.fpf_sd, row.error_sd) == pytest.approx(tuple(each.std(axis=0, ddof=1)))
        assert row.tpf_se == pytest.approx(row.tpf_sd / np.sqrt(10))


def test_points_run_from_strict_to_lax(points):
    table = points.frame()
    assert table["point"].tolist() == list(range(25))
    for name in ("tpf", "fpf"):
        assert (np.diff(table[name]) >= 0).all()
    assert (table["tpf"].iloc[-1], table["fpf"].iloc[-1]) == (1, 1)


def test_mean_curve_lies_on_the_stacked_one(points):
    # equal folds: the mean of the folds' rates is the rate of the stack
    table = points.frame()
    at = [points.curve.at(t) for t in table["threshold"]]
    assert [p.tpf.value for p in at] == pytest.approx(table["tpf"].tolist())
    assert [p.fpf.value for p in at] == pytest.approx(table["fpf"].tolist())


def test_test_is_equation_3(points):
    chosen = points.choose(tpf=0.9)
    table = points.test(chosen, measure="fpf", level=0.95)
    x = points.per_fold["fpf"]
    k = 10
    for row in table.itertuples():
        a, b = x[row.point], x[int(chosen)]
        s1, s2 = a.std(ddof=1) / np.sqrt(k), b.std(ddof=1) / np.sqrt(k)
        r = 0.0 if s1 * s2 == 0 else np.corrcoef(a, b)[0, 1]
        under = s1**2 + s2**2 - 2 * r * s1 * s2
        if under < 1e-15:
            continue
        t = (a.mean() - b.mean()) / np.sqrt(under)  # as printed
        assert row.t == pytest.approx(t, abs=1e-6)
        assert row.df == 18
        assert row.p_value == pytest.approx(2 * stats.t.sf(abs(t), 18), abs=1e-6)
        assert row.differs == (row.p_value < 0.05)
        paired = points.test(chosen, "fpf", df="paired").iloc[row.point]
        peer = stats.ttest_rel(a, b)
        assert (paired["t"], paired["p_value"]) == pytest.approx((peer.statistic, peer.pvalue), abs=1e-9)
        assert paired["df"] == 9


def test_a_point_is_the_same_as_itself(points):
    for chosen in (0, 12, 24):
        row = points.test(chosen, "error").iloc[chosen]
        assert (row["t"], row["p_value"], row["differs"]) == (0, 1, False)
        assert chosen in points.same_as(chosen, "error")


def test_no_p_value_is_zero():
    """Every fold differs by the same amount: eq. 3 divides by 0."""
    y = np.tile([0, 1, 0, 1, 1], 4)
    scores = np.tile([0.1, 0.2, 0.3, 0.4, 0.5], 4)
    fold = np.repeat(np.arange(4), 5)
    counts = (fold[None] != np.arange(4)[:, None]).astype(int)
    o = trueness.curves.operating_points(
        trueness.Fits.from_arrays(y, counts, np.tile(scores, (4, 1)), plan="cv"), n_points=5
    )
    table = o.test(0, "tpf")
    assert np.isinf(table["t"].iloc[1])
    assert table["p_value"].iloc[1] == 2.0 ** (1 - 4)
    assert (table["p_value"] > 0).all()


def test_any_measure(points):
    for name in ("tpf", "fpf", "error", "youden", "npv"):
        assert len(points.test(12, name)) == 25
    with pytest.raises(InputError, match="tpf, fpf, error, youden, ppv, npv"):
        points.test(3, "auc")


def test_undefined_measures_are_nan_and_never_different(points):
    # the strictest point calls one case positive: most folds have no precision
    assert np.isnan(points.frame()["ppv"].iloc[0])
    row = points.test(20, "ppv").iloc[0]
    assert np.isnan(row["p_value"])
    assert not row["differs"]


def test_choose(points):
    table = points.frame()
    chosen = points.choose(tpf=0.9)
    assert table["tpf"][chosen] >= 0.9
    assert (table["tpf"][table["fpf"] < table["fpf"][chosen]] < 0.9).all()
    assert table["fpf"][points.choose(fpf=0.3)] <= 0.3
    assert points.choose("youden") == table["youden"].idxmax()
    assert table["error"][points.choose(costs=[[0, 1], [1, 0]], prevalence=0.5)] == pytest.approx(table["error"].min())
    with pytest.raises(UndefinedError, match="more points"):
        trueness_strict(points)


def trueness_strict(points):
    from dataclasses import replace

    lax = replace(points, per_fold={name: values[15:] for name, values in points.per_fold.items()})
    return lax.choose(fpf=0.0)


def test_monotone_outputs_give_the_same_points(fits):
    from dataclasses import replace

    moved = replace(fits, held=np.exp(fits.held))
    a, b = (
        trueness.curves.operating_points(fits, n_points=20).frame(),
        trueness.curves.operating_points(moved, n_points=20).frame(),
    )
    assert b["threshold"].tolist() == pytest.approx(np.exp(a["threshold"]).tolist())
    assert a.drop(columns="threshold").equals(b.drop(columns="threshold"))


def test_fits_from_arrays_are_the_same(fits):
    scores = np.full((10, 120), np.nan)
    for f in range(10):
        of = fits.design.tested(f)
        scores[f, of] = fits.pooled().scores[0][of]
    other = trueness.Fits.from_arrays(fits.sample.codes, fits.design.counts, scores, plan="cv")
    assert (
        trueness.curves.operating_points(other, n_points=20)
        .frame()
        .equals(trueness.curves.operating_points(fits, n_points=20).frame())
    )


def test_fewer_outputs_than_points():
    X, y = highleyman().draw((60, 60), rng=3)
    fits = trueness.fit(DecisionTreeClassifier(max_depth=1), X, y, trueness.KFold(5), rng=0)
    o = trueness.curves.operating_points(fits, n_points=30)
    assert len(o.frame()) < 30
    (note,) = o.notes
    assert (note.code, note.data["points"]) == ("fewer-points", len(o.frame()))


def test_what_cannot_be_averaged():
    X, y = highleyman().draw((30, 30), rng=0)
    model = LinearDiscriminantAnalysis()
    with pytest.raises(InputError, match="scores of one cross-validation"):
        trueness.curves.operating_points(trueness.fit(model, X, y, trueness.Bootstrap(20), rng=0))
    with pytest.raises(InputError, match="one cross-validation"):
        trueness.curves.operating_points(trueness.fit(model, X, y, trueness.KFold(5, repeats=2), rng=0))
    with pytest.raises(InputError, match="one cross-validation"):
        trueness.curves.operating_points(trueness.fit(model, X, y, trueness.plans.MonteCarlo(5), rng=0))
    with pytest.raises(UndefinedError, match="cases of every class"):
        trueness.curves.operating_points(trueness.fit(model, X, y, trueness.plans.LeaveOneOut(), rng=0))
    names = np.array(["a", "b"])[y]
    with pytest.raises(InputError, match="positive"):
        trueness.curves.operating_points(trueness.fit(model, X, names, trueness.KFold(5), rng=0))
    good = trueness.fit(LinearSVC(), X, y, trueness.KFold(5), rng=0)
    with pytest.raises(InputError, match="at least 2"):
        trueness.curves.operating_points(good, n_points=1)
    o = trueness.curves.operating_points(good, n_points=10)
    for wrong in (10, -1, 2.5e9, "best", None, True):
        with pytest.raises(InputError, match="numbered 0 to 9"):
            o.test(wrong, "fpf")
    with pytest.raises(InputError, match="level"):
        o.test(0, "fpf", level=95)
    with pytest.raises(InputError, match="2K − 2"):
        o.test(0, "fpf", df="welch")


def test_the_test_keeps_its_level_where_nothing_differs():
    """Two thresholds between which no case can fall have the same rates; two rates that differ by chance only are
    called different about as often as they should, with the paired degrees of freedom."""
    rejected = {"printed": [], "paired": []}
    generator = np.random.default_rng(0)
    for _ in range(400):
        x = generator.binomial(20, 0.3, size=(2, 10)) / 20
        points = OperatingPoints(per_fold={"tpf": x}, n=200, thresholds=np.arange(2.0), curve=None)
        for name, df in (("printed", None), ("paired", "paired")):
            rejected[name].append(points.test(0, "tpf", df=df)["p_value"][1] < 0.05)
    assert np.mean(rejected["paired"]) == pytest.approx(0.05, abs=0.03)
    assert np.mean(rejected["printed"]) >= np.mean(rejected["paired"])


def test_one_point_that_labels_every_case_positive():
    y = np.arange(40) % 2
    fits = trueness.fit(DummyClassifier(), np.zeros((40, 1)), y, trueness.KFold(5), rng=0)
    points = trueness.curves.operating_points(fits)
    (note,) = (note for note in points.notes if note.code == "fewer-points")
    assert note.data["points"] == 1
    assert np.isnan(points.frame()["npv"][points.choose(tpf=0.9)])
