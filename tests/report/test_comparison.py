"""The page of a comparison: complete, self-contained, and escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import karat
from karat.plots.forest import ForestDisplay
from karat.report.comparison import _ticks, forest_svg

rng = np.random.default_rng(5)
y = np.repeat([0, 1], 15)
X = rng.normal(size=(30, 2)) + y[:, None]


class Reader(HTMLParser):
    VOID = ("meta", "rect", "path", "br")

    def __init__(self):
        super().__init__()
        self.open, self.words, self.links = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.links += [v for k, v in attrs if k in ("src", "href")]

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.parametrize("plan", [karat.Bootstrap(60), karat.KFold(3)])
def test_the_page_is_complete_and_escaped(tmp_path, plan):
    k = karat.compare(
        {"<LDA>": LDA(), "naive & Bayes": GaussianNB(), "lda 2": LDA()}, X, y, plan=plan, rng=1, margin=0.1
    )
    path = k.report(tmp_path / "k.html")
    page = Reader()
    page.feed(path.read_text(encoding="utf-8"))
    text = " ".join(page.words)
    assert not page.open
    assert not page.links
    assert k.verdict in text
    assert "<LDA> − naive & Bayes" in text
    for table in k.page().tables:
        assert all(cell in text for row in table.rows for cell in row)
    assert all(str(note) in text for note in k.notes)
    assert all(a in text for t in k.tests.values() for a in t.assumptions)
    assert k.tests or "no standard error" in text


def test_forest_of_long_names_keeps_its_axis():
    rows = pd.DataFrame(
        {"label": ["x" * 90, "b"], "value": [0.1, 0.2], "low": [0.0, 0.1], "high": [0.2, 0.3], "p_value": [0.1, 0.1]}
    )
    svg = forest_svg(ForestDisplay(rows, "difference of the auc"))
    width = float(svg.split('viewBox="0 0 ')[1].split()[0])
    ends = [float(m) for m in re.findall(r"M([\d.]+) [\d.]+H", svg)]
    assert max(ends) < width
    assert width - (16 + 8 * 90) >= 400
    assert "95% interval per pair" in svg


def test_ticks_are_round_and_inside():
    assert _ticks(-0.031, 0.22) == [0.0, 0.1, 0.2]
    assert _ticks(-0.52, -0.11) == [-0.5, -0.4, -0.3, -0.2]
    for low, high in ((-1, 1), (0.001, 0.0017), (-3e-5, 2e-6)):
        assert 2 <= len(_ticks(low, high)) <= 6
        assert all(low <= t <= high for t in _ticks(low, high))
