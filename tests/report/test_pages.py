"""Pages: complete, self-contained, escaped and small, for every kind of result."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import typeset
from trueness.report.pages import html_of
from trueness.report.scores import threshold_labels
from trueness.result.shown import Table, html_table
from trueness.result.words import with_interval

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")  # they are in the pages

rng = np.random.default_rng(5)
y = np.repeat([0, 1], 15)
X = rng.normal(size=(30, 2)) + y[:, None]


class Reader(HTMLParser):
    VOID = ("meta", "link", "input", "br")

    def __init__(self, html):
        super().__init__()
        self.open, self.words, self.links, self.ids = [], [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, tag, attrs):
        self.links += [v for k, v in attrs if k in ("src", "href")]
        self.ids += [v for k, v in attrs if k == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(self.words)


def well_made(html):
    """The page, once its tags are closed, its ids differ, and it links to itself only."""
    page = Reader(html)
    assert not page.open
    assert len(page.ids) == len(set(page.ids))
    assert all(link == "data:," or link.removeprefix("#") in page.ids for link in page.links)
    assert "default-src 'none'" in html
    assert len(html) < 300_000
    return page


def read_of(html):
    """What the script reads."""
    return json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])


def results():
    yield trueness.assess(LogisticRegression(), X, y, rng=0)
    yield trueness.assess(LDA(), X, y, trueness.Bootstrap(30), rng=0)
    yield trueness.assess(LDA(), X, y, trueness.Holdout(0.5), metrics="error", rng=0)
    yield trueness.assess(LDA(), *load_iris(return_X_y=True), trueness.KFold(3), groups=np.arange(150) // 2, rng=0)
    yield trueness.roc(y, X[:, 0])
    yield trueness.roc(y, X[:, 0], method="binormal")
    yield trueness.pr(y, X[:, 0])
    yield trueness.diagnose(tp=10, fn=5, fp=24, tn=61)
    yield trueness.comparisons.mcnemar(y, X[:, 0] > 0.5, X[:, 1] > 0.5)
    plan = trueness.Bootstrap(15)
    yield trueness.two_sets(LDA(), X[::2], y[::2], X[1::2], y[1::2], plan=plan, rng=0)
    yield trueness.two_sets({"a": LDA(), "b": GaussianNB()}, X[::2], y[::2], X[1::2], y[1::2], plan=plan, rng=0)
    answers = pd.DataFrame({"id": range(30), **{name: rng.integers(0, 2, 30) for name in "abc"}})
    yield trueness.systems.compare(answers, item="id", systems=["a", "b", "c"])


def test_every_result_has_a_page_and_a_notebook_view():
    for result in results():
        page = well_made(result.report())
        shown = result.page()
        assert typeset(shown.answer) in page.text
        assert all(str(note) in page.text and note.code in page.text for note in shown.notes)
        for table in shown.tables:
            assert all(cell.replace("-", "−") in page.text.replace("-", "−") for row in table.rows for cell in row)
        notebook = result._repr_html_()
        assert len(notebook) < 50_000
        assert not Reader(notebook).open


@pytest.mark.parametrize("plan", [trueness.Bootstrap(60), trueness.KFold(3)])
def test_a_comparison_is_complete_and_escaped(plan):
    k = trueness.compare(
        {"<LDA>": LDA(), "naive & Bayes": GaussianNB(), "lda 2": LDA()}, X, y, plan=plan, rng=1, margin=0.1
    )
    text = well_made(k.report()).text
    assert k.verdict in text
    assert all(" − ".join(pair) in text for pair in k.differences)
    assert all(str(note) in text for note in k.notes)
    assert all(a in text for t in k.tests.values() for a in t.assumptions)
    assert all(str(note) in Reader(k._repr_html_()).text for note in k.notes)


def test_a_sealed_opening_says_how_often_it_was_opened(tmp_path):
    pytest.importorskip("cryptography")
    table = pd.DataFrame(np.vstack([X, X + 0.1]), columns=["a", "b"]).assign(y=np.tile(y, 2))
    table.to_csv(tmp_path / "t.csv", index=False)
    trueness.sealed.seal(tmp_path / "t.csv", "y", test_size=0.5, out=tmp_path / "study", passphrase="a long word")
    first = trueness.sealed.unseal(tmp_path / "study", LDA(), passphrase="a long word", threshold=0.5)
    again = trueness.sealed.unseal(
        tmp_path / "study", LDA(), passphrase="a long word", again="a mistake in the declared model"
    )
    text = well_made(first.report()).text
    assert "opening 1;" in text
    assert first.record["hash"] in text
    assert "opening 2;" in well_made(again.report()).text


def test_a_million_scores_make_a_small_page():
    n = 200_000
    labels = rng.random(n) < 0.1
    assert len(trueness.roc(labels, rng.normal(size=n) + labels).report()) < 120_000


def test_a_shown_threshold_makes_the_same_decisions():
    scores = np.unique(np.concatenate([rng.random(50), 1 - 1e-12 * np.arange(5), [1e-9, 2e-9, -3.25]]))
    thresholds = np.append(np.nextafter(scores[-1], np.inf), scores[::-1])
    labels = threshold_labels(thresholds, np.arange(len(thresholds)))
    for k, label in enumerate(labels[1:], 1):
        assert (np.greater_equal(scores, float(label)) == np.greater_equal(scores, thresholds[k])).all()


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        ([0, 1, 0, 1], [1.0, 1, 1, 1]),
        ([0, 1], [1.0, 2]),
        ([0, 0, 1], [1.0, 2, 3]),
        ([0, 0, 1, 1], [1.0, 2, 3, 4]),
        ([0, 0, 1, 1], [4.0, 3, 2, 1]),
        ([0, 0, 1, 1], [-np.inf, 2, np.inf, np.inf]),
        ([0, 0, 1, 1], [np.inf, -np.inf, np.inf, -np.inf]),
        ([0, 0, 1, 1], [1e-300, 2e-300, 1e300, -1e300]),
    ],
)
def test_odd_scores_have_a_page(labels, scores):
    curve = trueness.roc(labels, scores)
    html = curve.report()
    well_made(html)
    drawn = "".join(re.findall("<svg.*?</svg>", html + curve._repr_html_(), flags=re.DOTALL))
    assert drawn
    assert not re.search(r"\b(nan|inf)\b", drawn)


def test_an_assessment_without_fits_or_recommendation_has_a_page():
    from trueness.api.assessment import Assessment
    from trueness.result import Estimate

    for value in (0.2, float("nan")):
        bare = Assessment({("error", "cv"): Estimate(value, metric="error", method="cv")}, model="m")
        assert "cv" in well_made(bare.report()).text
        assert bare._repr_html_()


def test_curves_and_calibration_of_an_assessment_with_groups_count_whole_groups():
    groups = np.repeat(np.arange(10), 3)
    mixed = rng.normal(size=(30, 2)) + y[:, None] + 3 * rng.normal(size=(10, 2))[groups]
    alone, together = (
        trueness.assess(GaussianNB(), mixed, y, plan=5, groups=each, rng=0, checks=False) for each in (None, groups)
    )
    assert alone.fits.left_out().groups is None
    assert together.fits.left_out().groups.tolist() == groups.tolist()
    assert re.search(r"\d+ groups", Reader(together.report()).text)


def test_intervals_of_a_curve_in_groups_are_those_of_groups():
    groups = np.arange(30) % 15
    scores = np.round(X[:, 0] + rng.normal(size=15)[groups], 1)
    text = well_made(trueness.roc(y, scores, groups=groups).report()).text
    area = trueness.pr(y, scores, groups=groups).average_precision
    assert f"AP {with_interval(area, 0.95)}" in text
    assert with_interval(area, 0.95) != with_interval(trueness.pr(y, scores).average_precision, 0.95)


def test_a_shown_threshold_is_the_score_to_six_digits_in_the_report_and_in_python():
    scores = np.array([5.8, 2.3, 2.29, 0.71, 0.4561234567, 0.45])
    labels = threshold_labels(np.append(np.inf, scores), np.arange(7))
    assert "score ≥ 1.66666:" in str(trueness.roc([1, 0], [5 / 3, 1]).best(n_resamples=0))  # 1.66667 is above the score
    assert labels == ["none is", "5.8", "2.3", "2.29", "0.71", "0.456123", "0.45"]


def test_the_legend_of_the_curve_has_the_auc_of_the_answer():
    X, y = load_breast_cancer(return_X_y=True)
    a = trueness.assess(LDA(), X[:200, :8], y[:200], fits=60, rng=0, checks=False)
    said = with_interval(a["auc"], 0.95)
    assert f"assessment: AUC {said}" in a.report()
    assert "left-out scores: AUC" not in a.report()
    assert f"assessment: AUC {said}" in [line.get_label() for line in a.plot_roc().get_lines()]
    k = trueness.compare({"lda": LDA(), "bayes": GaussianNB()}, X[:200, :8], y[:200], fits=60, rng=0, checks=False)
    assert all(f"{name}: AUC {with_interval(k.estimates[name], 0.95)}" in k.report() for name in ("lda", "bayes"))


@pytest.mark.parametrize("model", [LDA(), GaussianNB()])
def test_the_slider_starts_at_the_threshold_that_costs_chose(model):
    X, y = load_breast_cancer(return_X_y=True)
    a = trueness.assess(model, X[:200, :2], y[:200], fits=60, rng=0, checks=False, name="mine")
    html = html_of(a, chosen=(h := a.threshold(costs=[[0, 1], [5, 0]])))
    assert re.search(r'id="cost-fn"[^>]* value="5"', html)
    assert re.search(r'id="cost-fp"[^>]* value="1"', html)
    (read,) = read_of(html)
    assert read["named"] == "chosen for these costs"
    shown, start = read["label"][read["start"]], read["start"]
    assert shown.split(" ")[0] == f"{h.threshold.value:.4g}".replace("-", "\N{MINUS SIGN}")
    data = a.fits.left_out()
    called = data.scores >= h.threshold.value
    assert read["tp"][start] == (data.positive & called).sum()
    assert read["fp"][start] == (~data.positive & called).sum()
    assert "mine: AUC" in html


def test_numbers_in_cells_stay_on_one_line_with_minus_signs():
    table = html_table(
        Table(("name", "value", "interval"), [("a-b", "-0.5", "-0.6 to -4e-05"), ("c", "2", "x-1 to 2")])
    )
    assert '<td>a-b</td><td class="n">−0.5</td><td class="n">−0.6 to −4e-05</td>' in table
    assert "<td>x-1 to 2</td>" in table


def test_the_thinned_curve_keeps_what_is_cheapest_at_some_costs():
    """The slider named another threshold the cheapest than `best(costs=)` of the same scores."""
    rng = np.random.default_rng(0)
    y = (rng.random(4000) < 0.3).astype(int)
    score = rng.normal(size=4000) + y
    curve = trueness.roc(y, score)
    (read,) = read_of(curve.report())
    tp, fp = np.array(read["tp"]), np.array(read["fp"])
    assert len(tp) < len(curve.thresholds) / 2
    for cost in (0.2, 1, 5, 12):
        total = cost * (read["positives"] - tp) + fp
        best = curve.best(costs=[[0, 1], [cost, 0]], n_resamples=0)
        assert total.min() / 4000 == pytest.approx(
            trueness.diagnose(y, score >= best.threshold).cost([[0, 1], [cost, 0]]).value
        )
