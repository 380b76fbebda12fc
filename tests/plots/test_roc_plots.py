"""Every ROC plot: the data first, axes in and out."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError
from trueness.plots.roc import draw_curves
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
    ax = c.plot(label="mine")
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
    ax = draw_curves(curves, bands={"s": curves["s"].band(0.95, "vertical")})
    assert len(ax.collections) == 1
    assert len(ax.get_legend().get_texts()) == 3


@pytest.mark.parametrize("method", ["fixed-width", "kolmogorov", "binomial", "vertical", "bootstrap"])
def test_bands(data, method):
    b = trueness.roc(*data).band(0.95, method, n_resamples=50, rng=0)
    ax = b.plot()
    assert ax.collections
    assert trueness.roc(*data).plot(band="vertical").collections


def test_operating_points():
    X, y = highleyman().draw((60, 60), rng=0)
    o = trueness.curves.operating_points(trueness.fit(GaussianNB(), X, y, trueness.KFold(10), rng=0), n_points=20)
    point = o.choose(tpf=0.9)
    ax = o.plot(point=point)
    circles = next(line for line in ax.lines if line.get_marker() == "o")
    assert len(circles.get_xdata()) == len(o.same_as(point, "fpf"))
    cross = next(line for line in ax.lines if line.get_marker() == "x")
    assert (cross.get_xdata()[0], cross.get_ydata()[0]) == pytest.approx((point.fpf, point.tpf))
    _, given = plt.subplots()
    assert o.plot(given) is given


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    X = X[:, :2] + np.random.default_rng(0).normal(0, 0.1, (150, 2))
    fits = trueness.fit(GaussianNB(), X, y, trueness.KFold(10), rng=0, scores="predict_proba")
    m = trueness.curves.multiclass_roc(fits, n_points=15, n_starts=50, rng=0)
    point = m.choose()
    ax = m.plot(point=point)
    assert ax.name == "3d"
    assert len(ax.lines[1].get_data_3d()[0]) == len(m.same_as(point))
    assert m.plot(ax) is ax
    axes = m.plot_pairs(point=point)
    assert axes.size == 3
    assert [a.get_xlabel() for a in axes.ravel()] == ["error of class 0", "error of class 0", "error of class 1"]
    assert m.plot_pairs(axes) is axes
    with pytest.raises(InputError, match="three-dimensional"):
        m.plot(plt.subplots()[1])
    with pytest.raises(InputError, match="need 3 axes"):
        m.plot_pairs(plt.subplots(1, 2)[1])
    two = trueness.fit(GaussianNB(), X[:100], y[:100], trueness.KFold(5), rng=0, scores="predict_proba")
    pair = trueness.curves.multiclass_roc(two, n_points=5, n_starts=20, rng=0)
    assert pair.plot().get_ylabel() == "error of class 1"
    assert pair.plot(given := plt.subplots()[1]) is given
    with pytest.raises(InputError, match="three classes"):
        m.plot(classes=(0,))


def test_choice_and_hull(data):
    c = trueness.roc(*data)
    chosen = c.best("youden", n_resamples=30, rng=0)
    ax = chosen.plot()
    assert len(ax.lines[2].get_xdata()) == 30
    assert c.hull().plot(ax) is ax
    assert len(c.best(n_resamples=0).plot().lines) == 3  # diagonal, curve, point


def texts(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def test_point_and_its_region(data):
    c = trueness.roc(*data)
    point = c.at(0.5)
    (fpf_low, fpf_high), (tpf_low, tpf_high) = point.joint_region(0.9)
    ax = c.plot()
    assert point.plot(ax, level=0.9) is ax
    (region,) = ax.patches
    assert (*region.get_xy(), region.get_width(), region.get_height()) == pytest.approx(
        (fpf_low, tpf_low, fpf_high - fpf_low, tpf_high - tpf_low)
    )
    assert "90 % region of FPF and TPF" in texts(ax)
    assert point.plot() is not ax


@pytest.mark.parametrize("ask", [{"fpf": 0.1}, {"tpf": 0.99}, {"fpf": 0.001}])
def test_threshold_and_its_interval(data, ask):
    t = trueness.roc(*data).threshold_at(**ask)
    (name,) = ask
    ax = t.plot()
    x, y = ax.lines[0].get_data()
    of = data[1][data[0] == (name == "tpf")]
    assert y[7] == pytest.approx((of >= x[7]).mean())
    assert t.plot(ax) is ax
    assert ax.get_ylabel() == name.upper()
    box = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    limits = np.clip(t.ci(), of.min(), of.max())
    assert (box.x0, box.x1) == pytest.approx(tuple(limits), abs=1e-9)
    assert f"threshold {t.value:.4g}" in texts(ax) or not np.isfinite(t.value)


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
    assert texts(b.plot()) == ["90 % vertical band, pointwise"]
    _, ax = plt.subplots()
    b.plot(ax)
    assert ax.get_legend() is None


@pytest.mark.parametrize("band", ["fixed-width", "bootstrap"])
def test_bands_of_a_plot_take_a_seed(data, band):
    c = trueness.roc(*data)
    first, second = (c.plot(band=band, rng=3).collections[0].get_paths()[0].vertices for _ in range(2))
    assert np.array_equal(first, second)


def test_the_hull_has_a_colour_of_its_own(data):
    c = trueness.roc(*data)
    ax = draw_curves({name: c for name in "abcdefghij"})
    c.hull().plot(ax)
    assert ax.lines[-1].get_color() not in {line.get_color() for line in ax.lines[1:-1]}


def test_measures_have_names_in_legends():
    X, y = highleyman().draw((60, 60), rng=0)
    o = trueness.curves.operating_points(trueness.fit(GaussianNB(), X, y, trueness.KFold(10), rng=0), n_points=20)
    for measure, words in (("youden", "Youden's index"), ("fpf", "FPF"), ("error", "error")):
        assert f"{words} not different at 95 %" in texts(o.plot(point=5, measure=measure))

    def hit_rate(tp, fn, fp, tn):
        return tp / (tp + fn)

    assert "hit rate not different at 95 %" in texts(o.plot(point=5, measure=hit_rate))


def test_pairs_of_classes_explain_their_bars_and_keep_ticks_apart():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(5), 30)
    fits = trueness.fit(GaussianNB(), rng.standard_normal((150, 4)) + y[:, None] / 2, y, trueness.KFold(5), rng=0)
    m = trueness.curves.multiclass_roc(fits, n_points=10, n_starts=20, rng=0)
    axes = m.plot_pairs(point=m.choose()).ravel()
    assert "± SD of the mean" in texts(axes[0])
    assert all(len(ax.get_xticks()) <= 7 for ax in axes[:10])


def test_choice_of_matplotlib_is_left_to_the_plot():
    import subprocess
    import sys

    code = (
        "import trueness, sys; trueness.roc([0, 1, 1], [1, 2, 3]).best(rng=0); assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
