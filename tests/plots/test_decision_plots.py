"""Plots of decisions: what is drawn."""

import numpy as np
import pytest

import trueness
from trueness.plots.four_regions import reached, relative
from trueness.plots.pr import draw_pr_curves
from trueness.tables import ProportionCoverage, coverage

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
    return trueness.diagnose(tp=45, fn=5, fp=15, tn=85)


def test_coverage():
    found = ProportionCoverage(["wald", "wilson"], n=30, points=199)
    frame = found.frame()
    assert frame.columns.tolist() == ["method", "p", "coverage"]
    wald = frame[frame["method"] == "wald"].set_index("p")["coverage"]
    assert wald[0.05] == approx(coverage("wald", 30, [0.05])[0])
    assert len(found.plot().lines) == 3  # two methods and the level


def test_fagan(d):
    after = d.post_test(0.1)
    frame = after.frame().set_index("measure")
    assert frame.loc["post-test probability +", "value"] == approx(after.positive.value)
    assert frame.loc["post-test probability −", ["low", "high"]].tolist() == approx(list(after.negative.ci()))
    ax = d.plot_fagan(0.1)
    # the line of a positive result crosses the middle scale at ½ ln DLR+
    line = next(line for line in ax.lines if line.get_label().startswith("positive"))
    assert np.mean(line.get_ydata()) == approx(np.log(d.dlr_positive.value) / 2)


def test_four_regions(d):
    regions = d.four_regions((0.3, 0.8))
    axes = regions.plot().child_axes
    assert len(axes) == 2
    assert regions.rates.shown in axes[0].get_title()
    # the colours: A above and left of the current test, D below and right
    codes = axes[0].images[0].get_array()
    assert (codes[390, 5], codes[5, 390]) == (0, 3)
    assert (axes[1].images[0].get_array()[390, 5], axes[1].images[0].get_array()[5, 390]) == (0, 3)


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
        for ax, placed in zip(regions.plot().child_axes, (regions.rates, regions.dlrs), strict=True):
            codes = np.asarray(ax.images[0].get_array())
            middle = (np.arange(400) + 0.5) / 400
            reach = reached(relative(placed.by, *np.meshgrid(middle, middle), regions.current), placed.limits)
            assert "".join("ABCD"[k] for k in np.unique(codes[reach])) == placed.reached
            assert placed.shown in ax.get_title()
            words = [t.get_text() for t in ax.texts]
            assert "worse" in words
            assert not set(words) & set("ABCD")


def test_four_regions_of_a_selected_study():
    new = trueness.diagnose(tp=45, fn=5, fp=15, tn=85, design="selected", unverified_negative=50)
    assert len(new.four_regions((0.3, 0.8)).plot().child_axes) == 2


def test_pr():
    y, scores = [1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1]
    p = trueness.pr(y, scores)
    assert "mine: AP" in draw_pr_curves({"mine": p}).get_legend().get_texts()[0].get_text()
    ax = p.plot()
    assert ax.get_xlabel() == "recall (TPF)"
    assert "AP" in ax.get_legend().get_texts()[0].get_text()
