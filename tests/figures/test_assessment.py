"""The figures of an assessment: estimates with intervals, and the ROC curve of the left-out scores."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.linear_model import Ridge

import trueness
from trueness.errors import InputError, UndefinedError

rng = np.random.default_rng(2)
y = np.repeat([0, 1], 20)
X = rng.normal(size=(40, 2)) + y[:, None]


@pytest.fixture(autouse=True)
def close():
    plt = pytest.importorskip("matplotlib.pyplot")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def a():
    return trueness.assess(LDA(), X, y, rng=0)


def test_the_recommended_estimate_comes_first_with_its_interval(a):
    (panel,) = a.figure("error").panels
    assert panel.y_ticks[0] == a.recommended["error"]
    assert "majority" not in panel.y_ticks.values()
    best = panel.marks[-1], panel.marks[-2]
    assert best[0].x[0] == a["error"].value
    assert (best[1].low[0], best[1].high[0]) == tuple(a["error"].ci())
    (hollow,) = (mark for mark in panel.marks if getattr(mark, "hollow", False))
    assert hollow.x.tolist() == [a["error", "apparent"].value]
    with pytest.raises(InputError, match="error, auc"):
        a.plot(metric="brier")


def test_all_metrics_by_default_with_the_recommended_and_the_apparent_estimate(a):
    panels = a.figure().panels
    assert [panel.x_label for panel in panels] == ["error rate, 95 % interval", "AUC, 95 % interval"]
    assert [list(panel.y_ticks.values()) for panel in panels] == [
        [a.recommended[m], "apparent"] for m in ("error", "auc")
    ]
    assert len(a.plot().figure.axes) == 2


def test_the_roc_curve_is_that_of_the_left_out_scores(a):
    left_out = a.fits.left_out()
    ax = a.plot_roc()
    assert ax.patches  # the band
    assert not a.plot_roc(band=None).patches
    curve = trueness.roc(y, left_out.scores)
    assert any(len(line.get_xdata()) == len(curve.fpf) for line in ax.lines)


def test_left_out_scores_come_from_rules_that_did_not_see_the_case():
    for plan in (trueness.KFold(5), trueness.Bootstrap(50), trueness.Holdout(0.5)):
        fits = trueness.fit(LDA(), X, y, plan.draw(y, rng=0))
        scores = np.where(fits.counts == 0, fits.scores, np.nan)
        tested = ~np.isnan(scores).all(axis=0)
        found = fits.left_out()
        assert found.n == tested.sum()
        assert (found.positive == (y[tested] == 1)).all()
        assert found.scores == pytest.approx(np.nanmean(scores[:, tested], axis=0))


def test_several_classes_have_a_roc_curve_each_and_numbers_have_none():
    X, y = load_iris(return_X_y=True)
    several = trueness.assess(LDA(), X[:140], y[:140], trueness.KFold(3), metrics="error", rng=0)
    assert several.fits.left_out() is None
    assert len(several.plot_roc().get_legend_handles_labels()[1]) >= 3
    with pytest.raises(InputError, match="Leave it out"):
        several.plot_roc(label="iris")
    with pytest.raises(UndefinedError):
        trueness.assess(Ridge(), X, X[:, 0] + y, trueness.KFold(3), rng=0, checks=False).plot_roc()


def test_curves_of_several_models_have_names():
    named = [trueness.assess(LDA(), X, y, fits=60, rng=0, name=name) for name in ("first", "second")]

    def names(ax):
        return [label.split(": AUC ")[0] for label in ax.get_legend_handles_labels()[1]]

    ax = named[0].plot_roc(band=None)
    assert names(named[1].plot_roc(ax, band=None)) == ["first", "second"]
    ax = trueness.roc(named[0]).plot(band=None)
    assert names(trueness.roc(named[1], method="binormal").plot(ax, band=None)) == ["first", "second"]
    assert names(named[0].plot_roc(band=None, label="mine")) == ["mine"]
    assert names(trueness.assess(LDA(), X, y, fits=60, rng=0).plot_roc(band=None)) == ["assessment"]


def test_a_plot_is_called_by_the_name_of_the_model_and_its_legend_stays_inside_small_axes(two_gaussians):
    import matplotlib.pyplot as plt

    X, y = two_gaussians
    a = trueness.assess(LDA(), X, y, fits=60, rng=0, name="discriminant")
    assert a.plot().get_title() == "discriminant"
    assert a.plot_roc().get_legend_handles_labels()[1][-1].startswith("discriminant: AUC 0.")
    assert ">discriminant<" not in a.figure().html()  # a page has it above
    _, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    ax = a.plot_roc(ax=axes[0])
    ax.figure.canvas.draw()
    legend, frame = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert frame.x0 <= legend.x0 < legend.x1 <= frame.x1
    at = a.threshold().figure().panels[0].x_label
    assert at.startswith("at log-odds ≥ ")
    plt.close("all")
