"""Pictures of decisions: the data behind them, and that they are drawn."""

import numpy as np
import pytest

import karat
from karat.diagnostic import coverage
from karat.plots.coverage import CoverageDisplay
from karat.plots.fagan import FaganDisplay
from karat.plots.four_regions import FourRegionsDisplay, _reach
from karat.plots.pr import draw_pr_curves

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
approx = pytest.approx


@pytest.fixture(autouse=True)
def _close():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture
def d():
    return karat.diagnose(tp=45, fn=5, fp=15, tn=85)


def test_coverage():
    display = CoverageDisplay(["wald", "wilson"], n=30, points=199)
    frame = display.frame()
    assert frame.columns.tolist() == ["method", "p", "coverage"]
    wald = frame[frame["method"] == "wald"].set_index("p")["coverage"]
    assert wald[0.05] == approx(coverage("wald", 30, [0.05])[0])
    ax = display.plot()
    assert len(ax.lines) == 3  # two methods and the level
    assert CoverageDisplay("exact", n=10).frame()["method"].unique().tolist() == ["exact"]


def test_fagan(d):
    display = FaganDisplay(d, 0.1)
    frame = display.frame().set_index("result")
    after = d.post_test(0.1)
    assert frame.loc["positive", "post_test"] == approx(after.positive.value)
    assert frame.loc["negative", ["low", "high"]].tolist() == approx(list(after.negative.ci()))
    ax = d.plot_fagan(0.1)
    # the line of a positive result crosses the middle scale at ½ ln DLR+
    line = next(line for line in ax.lines if line.get_label().startswith("positive"))
    assert np.mean(line.get_ydata()) == approx(np.log(d.dlr_positive.value) / 2)


def test_four_regions(d):
    regions = d.four_regions((0.3, 0.8))
    axes = regions.plot()
    assert len(axes) == 2
    assert "fewer false alarms" in axes[0].get_title()
    assert FourRegionsDisplay(regions).frame().equals(regions.frame())
    # the colours: A above and left of the current test, D below and right
    codes = axes[0].images[0].get_array()
    assert (codes[390, 5], codes[5, 390]) == (0, 3)
    assert (axes[1].images[0].get_array()[390, 5], axes[1].images[0].get_array()[5, 390]) == (0, 3)


def test_four_regions_picture_and_title_agree():
    """Two estimated tests: the blue area lies in all regions that the verdict leaves, and in no other."""
    y = np.repeat([1, 0], [60, 120])
    first = np.r_[np.repeat([1, 0], [50, 10]), np.repeat([1, 0], [20, 100])]
    second = np.r_[np.repeat([0, 1], [12, 48]), np.repeat([1, 0], [30, 90])]
    for regions in (
        karat.diagnose(y, first).four_regions(karat.diagnose(y, second)),
        karat.diagnose(y, first).four_regions(karat.diagnose(y, second), paired=False),
        karat.diagnose(y, first).four_regions(karat.diagnose(y, first)),
        karat.diagnose(tp=900, fn=100, fp=100, tn=900).four_regions((0.3, 0.8)),
    ):
        for ax, placed in zip(regions.plot(), (regions.rates, regions.dlrs), strict=True):
            codes = np.asarray(ax.images[0].get_array())
            middle = (np.arange(400) + 0.5) / 400
            reach = _reach(placed, *np.meshgrid(middle, middle), *regions.current)
            assert "".join("ABCD"[k] for k in np.unique(codes[reach > 0])) == placed.reached
            assert placed.verdict.partition(" (")[0] in ax.get_title()
            words = [t.get_text() for t in ax.texts]
            assert "worse" in words
            assert not set(words) & set("ABCD")


def test_four_regions_of_a_selected_study():
    new = karat.diagnose(tp=45, fn=5, fp=15, tn=85, design="selected", unverified_negative=50)
    assert len(new.four_regions((0.3, 0.8)).plot()) == 2


def test_pr():
    y, scores = [1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1]
    p = karat.pr(y, scores)
    assert "mine: AP" in draw_pr_curves({"mine": p}).get_legend().get_texts()[0].get_text()
    ax = p.plot()
    assert ax.get_xlabel() == "recall (TPF)"
    assert "AP" in ax.get_legend().get_texts()[0].get_text()
