"""The figure of trueness.two_sets."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.figures import Line, Points


@pytest.fixture(autouse=True)
def close():
    plt = pytest.importorskip("matplotlib.pyplot")
    yield
    plt.close("all")


def test_one_line_per_training_size_and_a_dot_for_the_study():
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + y[:, None]
    models = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    t = trueness.two_sets(models, X[:40], y[:40], X[40:], y[40:], plan=trueness.Bootstrap(20), rng=0)
    (panel,) = t["lda"].figure().panels
    lines = [mark for mark in panel.marks if isinstance(mark, Line)]
    (dot,) = (mark for mark in panel.marks if isinstance(mark, Points))
    assert [line.style for line in lines] == ["-", "-", "-", "--", "--"]
    assert dot.x.tolist() == [20]
    expected = max(t["lda"].variance["training"], 0) + t["lda"].variance["testing"]
    assert dot.y.tolist() == pytest.approx([expected])
    assert "difference" in t.plot().get_ylabel()
    assert len(t.figure("estimates").panels) == 1
