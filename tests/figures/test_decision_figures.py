"""Plots of decisions: what is drawn."""

import numpy as np
import pytest

import trueness
from trueness.curves.pr import pr_figure
from trueness.figures import Area, Text
from trueness.tables.two_tests import region_of

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
approx = pytest.approx


@pytest.fixture(autouse=True)
def _close():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def test_both_bands_of_a_difference_in_benefit_are_inside_its_axes():
    """Two models of nearly the same benefit, so that the limits around 0 are far wider than the difference."""
    rng = np.random.default_rng(3)
    risk = rng.uniform(0.05, 0.95, size=600)
    y = rng.uniform(size=600) < risk
    noise = rng.normal(0, 0.05, size=(2, 600))
    models = {name: np.clip(risk + e, 0.01, 0.99) for name, e in zip("ab", noise, strict=True)}
    v = trueness.decision_curve(y, models, thresholds=np.linspace(0.1, 0.8, 15)).difference("a", "b")
    low, high = v.figure().panels[0].y_limits
    frame = v.frame()
    assert low < frame["low_simultaneous"].min() < frame["high_simultaneous"].max() < high
    whole = v.figure().panels[0].marks[0]
    assert (min(whole.y), max(whole.y)) == approx((frame["low_simultaneous"].min(), frame["high_simultaneous"].max()))
    ax = v.plot()
    ax.figure.canvas.draw()
    legend = ax.get_legend().get_window_extent()
    assert legend.y0 > ax.transData.transform((0, max(whole.y)))[1]  # above both bands


@pytest.fixture
def d():
    return trueness.diagnose(tp=45, fn=5, fp=15, tn=85)


def test_fagan(d):
    after = d.post_test(0.1)
    frame = after.frame().set_index("measure")
    assert frame.loc["post-test probability +", "value"] == approx(after.positive.value)
    assert frame.loc["post-test probability −", ["low", "high"]].tolist() == approx(list(after.negative.ci()))
    ax = after.plot()
    # the line of a positive result crosses the middle scale at ½ ln DLR+
    line = next(line for line in ax.lines if line.get_label().startswith("positive"))
    assert np.mean(line.get_ydata()) == approx(np.log(d.dlr_positive.value) / 2)


def inside(polygon, point):
    """Whether a convex polygon, its corners counter-clockwise, holds a point."""
    x, y = point
    sides = zip(polygon, np.roll(polygon, -1, axis=0), strict=True)
    return all((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= -1e-12 for a, b in sides)


def areas(panel):
    return [np.column_stack([mark.x, mark.y]) for mark in panel.marks if isinstance(mark, Area)]


def test_four_regions(d):
    regions = d.four_regions((0.3, 0.8))
    assert len(regions.plot().figure.axes) == 2
    for panel, placed in zip(regions.figure().panels, (regions.rates, regions.dlrs), strict=True):
        assert placed.shown in panel.title
        better, first, second, worse, _ = areas(panel)
        assert inside(better, (0.0125, 0.976))  # above and left of the current test
        assert inside(worse, (0.976, 0.0125))
        corner = lambda p: abs(p - np.array([0.3, 0.8])).sum(axis=1).min()  # noqa: E731
        assert max(corner(polygon) for polygon in (better, first, second, worse)) < 1e-12


def test_four_regions_picture_and_title_agree():
    """Two estimated tests: the blue area lies in all regions that the intervals reach, and in no other."""
    y = np.repeat([1, 0], [60, 120])
    first = np.r_[np.repeat([1, 0], [50, 10]), np.repeat([1, 0], [20, 100])]
    second = np.r_[np.repeat([0, 1], [12, 48]), np.repeat([1, 0], [30, 90])]
    for regions in (
        trueness.diagnose(y, first).four_regions(trueness.diagnose(y, second)),
        trueness.diagnose(y, first).four_regions(trueness.diagnose(y, second), paired=False),
        trueness.diagnose(y, first).four_regions(trueness.diagnose(y, first)),
        trueness.diagnose(tp=900, fn=100, fp=100, tn=900).four_regions((0.3, 0.8)),
    ):
        for panel, placed in zip(regions.figure().panels, (regions.rates, regions.dlrs), strict=True):
            *four, reach = areas(panel)
            middles = (np.arange(100) + 0.5) / 100
            points = [(x, y) for x in middles for y in middles if inside(reach, (x, y))]
            found = {region for region, polygon in zip("ABCD", four, strict=True) for p in points if inside(polygon, p)}
            assert "".join(sorted(found)) == placed.reached
            words = [mark.words for mark in panel.marks if isinstance(mark, Text)]
            assert "worse" in words
            assert not set(words) & set("ABCD")


def test_a_region_is_where_both_measures_lie_within_their_limits():
    fpf, tpf = 0.3, 0.7
    for by, limits in (("rates", ((-0.1, 0.2), (-0.2, 0.1))), ("dlrs", ((0.5, 1.4), (0.6, 2.5)))):
        polygon = region_of(by, limits, (fpf, tpf))
        for x, y in np.random.default_rng(0).random((300, 2)):
            values = (y - tpf, x - fpf)
            if by == "dlrs":
                values = (1 - y) * (1 - fpf) / ((1 - tpf) * (1 - x)), y * fpf / (tpf * x)
            assert inside(polygon, (x, y)) == all(
                low <= v <= high for v, (low, high) in zip(values, limits, strict=True)
            )


def test_four_regions_of_a_selected_study():
    new = trueness.diagnose(tp=45, fn=5, fp=15, tn=85, design="selected", unverified_negative=50)
    assert len(new.four_regions((0.3, 0.8)).figure().panels) == 2


def test_pr():
    y, scores = [1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1]
    p = trueness.pr(y, scores)
    assert "mine: AP" in pr_figure({"mine": p}).draw().get_legend().get_texts()[0].get_text()
    ax = p.plot()
    assert ax.get_xlabel() == "recall (TPF)"
    assert "AP" in ax.get_legend().get_texts()[0].get_text()
