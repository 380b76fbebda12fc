"""Every ROC plot: the data first, axes in and out."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.curves.curve import roc_figure
from trueness.curves.empirical import roc_of_classes
from trueness.errors import InputError, UndefinedError
from trueness.figures import Line, Points
from trueness.studies.populations import highleyman

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [60, 80])
    return y, rng.standard_normal(140) + y


@pytest.mark.parametrize("method", ["empirical", "binormal", "semiparametric", "normal"])
def test_curve(data, method):
    c = trueness.roc(*data, method)
    ax = c.plot(label="mine", band=None)
    line = ax.lines[1]  # the first is the diagonal
    x, y = line.get_data()
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    assert c(0.3) == pytest.approx(np.interp(0.3, x, y), abs=0.02)
    assert "mine: AUC" in ax.get_legend().get_texts()[0].get_text()
    assert (ax.get_xlabel()[:3], ax.get_ylabel()[:3]) == ("FPF", "TPF")


def test_axes_in_and_out(data):
    _, ax = plt.subplots()
    c = trueness.roc(*data)
    assert c.plot(ax) is ax
    assert c.band(0.9, "vertical").plot(ax) is ax
    # constant scores have no interval, and a plot all the same
    assert "0.5000" in trueness.roc([0, 1, 1], [1, 1, 1]).plot().get_legend().get_texts()[0].get_text()


def test_several_curves_in_one_picture(data):
    y, s = data
    curves = {"s": trueness.roc(y, s), "normal": trueness.roc(y, s, "normal")}
    ax = roc_figure(curves, band=curves["s"].band(0.95, "vertical").marks("C0")).draw()
    assert len(ax.patches) == 1
    assert len(ax.get_legend().get_texts()) == 3


@pytest.mark.parametrize("method", ["fixed-width", "kolmogorov", "binomial", "vertical", "bootstrap"])
def test_bands(data, method):
    b = trueness.roc(*data).band(0.95, method, n_resamples=50, rng=0)
    ax = b.plot()
    assert ax.collections if method == "binomial" else ax.patches
    assert trueness.roc(*data).plot(band="vertical").patches


def test_operating_points():
    X, y = highleyman().draw((60, 60), rng=0)
    o = trueness.curves.operating_points(trueness.fit(GaussianNB(), X, y, trueness.KFold(10), rng=0), n_points=20)
    point = o.choose(tpf=0.9)
    *_, circles, cross = o.figure(point=point).panels[0].marks
    assert len(circles.x) == len(o.same_as(point, "fpf"))
    assert (cross.x.item(), cross.y.item()) == pytest.approx(tuple(o.frame().loc[point, ["fpf", "tpf"]]))
    _, given = plt.subplots()
    assert o.plot(given) is given


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    X = X[:, :2] + np.random.default_rng(0).normal(0, 0.1, (150, 2))
    fits = trueness.fit(GaussianNB(), X, y, trueness.KFold(10), rng=0, scores="predict_proba")
    m = trueness.curves.multiclass_roc(fits, n_points=15, n_starts=50, rng=0)
    point = m.choose()
    panels = m.figure(point=point).panels
    assert [p.x_label for p in panels] == ["error of class 0", "error of class 0", "error of class 1"]
    circles = panels[0].marks[-2]
    assert len(circles.x) == len(m.same_as(point))
    _, axes = plt.subplots(1, 3)
    assert m.plot(axes) is axes[0]
    assert len(m.plot().figure.axes) == 3
    with pytest.raises(InputError, match="need 3 axes"):
        m.plot(plt.subplots(1, 2)[1])
    two = trueness.fit(GaussianNB(), X[:100], y[:100], trueness.KFold(5), rng=0, scores="predict_proba")
    pair = trueness.curves.multiclass_roc(two, n_points=5, n_starts=20, rng=0)
    assert pair.plot().get_ylabel() == "error of class 1"
    assert pair.plot(given := plt.subplots()[1]) is given


def test_choice(data):
    c = trueness.roc(*data)
    chosen = c.best("youden", n_resamples=30, rng=0)
    *_, again, _ = chosen.figure().panels[0].marks
    assert len(again.x) == 30
    kinds = [type(mark) for mark in c.best(n_resamples=0).figure().panels[0].marks]
    assert kinds == [Line, Line, Points]  # diagonal, curve, point


def texts(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def test_legends_fit_and_are_framed(data):
    c = trueness.roc(*data)
    for chosen in (c.best(costs=[[0, 1], [20, 0]], prevalence=0.05, n_resamples=20, rng=0), c.best(n_resamples=0)):
        ax = chosen.plot()
        ax.figure.canvas.draw()
        box, frame = ax.get_legend().get_window_extent(), ax.get_window_extent()
        assert box.width < frame.width
        assert ax.get_legend().get_frame_on()


def test_a_band_alone_says_what_it_is(data):
    b = trueness.roc(*data).band(0.9, "vertical")
    assert texts(b.plot()) == ["90 % vertical band"]


@pytest.mark.parametrize("band", ["fixed-width", "bootstrap"])
def test_bands_of_a_plot_take_a_seed(data, band):
    c = trueness.roc(*data)
    first, second = (c.plot(band=band, rng=3).patches[0].get_xy() for _ in range(2))
    assert np.array_equal(first, second)


def test_measures_have_names_in_legends():
    X, y = highleyman().draw((60, 60), rng=0)
    o = trueness.curves.operating_points(trueness.fit(GaussianNB(), X, y, trueness.KFold(10), rng=0), n_points=20)
    assert "FPF not different at 95 %" in texts(o.plot(point=5, measure="fpf"))


def test_pairs_of_classes_explain_their_bars_and_keep_ticks_apart():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(5), 30)
    fits = trueness.fit(GaussianNB(), rng.standard_normal((150, 4)) + y[:, None] / 2, y, trueness.KFold(5), rng=0)
    m = trueness.curves.multiclass_roc(fits, n_points=10, n_starts=20, rng=0)
    axes = m.plot(point=m.choose()).figure.axes
    assert len(axes) == 3
    assert "± SD of the mean" in texts(axes[0])
    assert all(len(ax.get_xticks()) <= 8 for ax in axes)
    assert len(m.figure().panels[0].marks[1].at) == 1  # bars of one point alone: others overlap
    widths = {c: np.ptp(m.frame()[f"error_{c}"]) for c in range(5)}
    drawn = {p.x_label[-1] for p in m.figure().panels} | {p.y_label[-1] for p in m.figure().panels}
    assert min(widths[int(c)] for c in drawn) >= sorted(widths.values())[2]


def test_an_assessment_of_several_classes_draws_each_against_the_rest():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    a = trueness.assess(GaussianNB(), X[:, :2], names, plan=trueness.KFold(5), rng=0)
    labels = [line.get_label() for line in a.plot_roc().get_lines() if "AUC" in line.get_label()]
    pooled = a.fits.pooled().scores[0]
    for k, (name, label) in enumerate(zip(dict.fromkeys(names), labels, strict=True)):
        area = trueness.roc(y == k, pooled[:, k]).auc
        low, high = area.ci()
        assert label == f"{name}: AUC {area.value:.3f} ({low:.3f} to {high:.3f})"
        assert name in roc_of_classes(a.fits, 0.95).svg()
    assert "ROC curves of the classes, each against the rest" in a.report()
    with pytest.raises(UndefinedError, match=r"\.plot_roc\(\) of the assessment"):
        trueness.roc(a)
