"""Plots of decisions: what is drawn."""

import numpy as np
import pytest

import trueness
from trueness.figures import Area

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


def test_four_regions(d):
    """The lines of the current test meet in it; the shaded area is the rectangle of the simultaneous intervals."""
    regions = d.four_regions((0.3, 0.8))
    (panel,) = regions.figure().panels
    area = next(mark for mark in panel.marks if isinstance(mark, Area))
    assert (min(area.x), max(area.x)) == approx(d.fpf.ci(0.95**0.5))
    assert (min(area.y), max(area.y)) == approx(d.tpf.ci(0.95**0.5))
    assert regions.rates.shown in panel.title
    lines = {line.get_label(): line.get_xydata() for line in regions.plot().lines}
    (x, y) = lines["likelihood ratios"][1]
    assert y / x == approx(0.8 / 0.3)


def test_pr():
    y, scores = [1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1]
    p = trueness.pr(y, scores)
    assert "mine AP" in p.figure(label="mine").draw().get_legend().get_texts()[0].get_text()
    ax = p.plot()
    assert ax.get_xlabel() == "recall (TPF)"
    assert "AP" in ax.get_legend().get_texts()[0].get_text()
