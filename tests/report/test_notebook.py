"""What a notebook and a prompt show: of every type of result, small, escaped, with a picture or a reason."""

import importlib.util
import inspect
import pkgutil
import warnings
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness import comparisons as C
from trueness.result.estimate import Estimate
from trueness.result.shown import Drawn, Result, Shown

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

WITHOUT_PICTURE = {
    "Cases": "a table of cases",
    "Checklist": "sentences",
    "Plan": "a plan has only parameters",
    "Decomposition": "four numbers",
    "ModelSize": "a number per criterion",
    "Design": "counts of the training sets, which nobody reads",
    "Findings": "sentences",
    "Fits": "scores of many rules; left_out() and roc draw what they say",
    "Sample": "the sizes of the classes are a table of two or three numbers",
    "SampleSize": "one number",
    "Scored": "scores; the ROC curve of them has a picture",
    "Study": "files and their hashes",
    "ThresholdAt": "a number and its interval",
}
HOSTILE = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\"'><svg onload=alert(1)>&amp;"]


# what others derive from; parts of CvHalves and PairedSubsampling
INSIDE = {"Result", "Plan", "DrawnPlan", "Paired", "SplitHalves", "FoldedHalves"}


def types():
    """All classes that a notebook shows."""
    modules = [m.name for m in pkgutil.walk_packages(trueness.__path__, "trueness.")]
    modules = [name for name in modules if not name.startswith(("trueness.cli", "trueness.__main__"))]
    for name in modules:
        importlib.import_module(name)
    found, todo = set(), [Shown]
    while todo:
        for kind in todo.pop().__subclasses__():
            todo.append(kind)
            if kind.__module__ in modules:
                found.add(kind)
    return {kind for kind in found if not inspect.isabstract(kind) and kind.__name__ not in INSIDE}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """One of every type, with hostile names for classes, models, features and data sets."""
    return [*everything(tmp_path_factory.mktemp("shown")), *of_other_tests()]


def of_other_tests():
    """What `for_notebooks(names)` of other files yields: the test of a new result has its example itself."""
    for path in sorted(Path(__file__).parents[1].rglob("test_*.py")):
        if "\ndef for_notebooks(" in path.read_text(encoding="utf-8"):
            spec = importlib.util.spec_from_file_location(f"{path.stem}_for_notebooks", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            yield from module.for_notebooks(HOSTILE)


def everything(folder):
    first, second = HOSTILE[:2]
    rng = np.random.default_rng(4)
    codes = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 2)) + codes[:, None]
    y, score = np.where(codes == 1, first, second), X[:, 0]
    named = {"positive": first, "rng": 0}

    a = trueness.assess(LDA(), pd.DataFrame(X, columns=[first, second]), y, **named)
    yield from (a, a["auc"], a.fits, a.fits.design, a.fits.sample, a.fits.left_out(), a.simultaneous())

    # probabilities
    p = 1 / (1 + np.exp(-score))
    q = trueness.calibration(y, p, positive=first)
    yield from (q, q.decomposition, q.curve(), q.versus(trueness.calibration(y, p**2, positive=first)), q.risks)
    v = trueness.decision_curve(y, {first: p, second: p**2}, thresholds=[0.2, 0.5], positive=first)
    yield from (v, v.difference(first, second))
    yield trueness.probabilities.validate(a.fits)
    three = np.array([first, second, "c"])[np.arange(60) % 3]
    yield trueness.calibration(three, np.random.default_rng(0).dirichlet([1, 1, 1], 60))

    # curves
    c = trueness.roc(y, score, positive=first)
    yield trueness.roc(y, {first: score, second: -score}, positive=first)
    yield from (c, c.band(), c.best(n_resamples=20), c.at(0.5), c.threshold_at(fpf=0.1))
    yield from (trueness.roc(y, score, positive=first, method=m) for m in ("binormal", "normal", "semiparametric"))
    yield from (trueness.pr(y, score, positive=first), trueness.curves.ScoreCounts.of(y, score, positive=first))
    folds = trueness.fit(GaussianNB(), X, y, trueness.KFold(3), **named)
    yield trueness.curves.operating_points(folds)
    three = np.array(HOSTILE)[rng.integers(0, 3, 60)]
    yield trueness.curves.multiclass_roc(trueness.fit(GaussianNB(), X, three, trueness.KFold(3), rng=0))
    yield trueness.assess(GaussianNB(), X, three, trueness.KFold(3), "error", rng=0, checks=False).by_class()

    # tables of decisions
    d = trueness.diagnose(y, np.where(score > 0.5, first, second), positive=first)
    yield from (d, d.post_test(0.2), d.versus(d), d.four_regions((0.3, 0.6)))
    yield trueness.diagnose(three, np.roll(three, 1))

    # comparisons
    k = trueness.compare({first: LDA(), second: GaussianNB()}, X, y, **named)
    yield k[first, second]
    yield from (k, next(iter(k.tests.values())), k.joint_test(["error", "auc"], (first, second)))
    answers = pd.DataFrame({"id": range(30), **{name: rng.integers(0, 2, 30) for name in HOSTILE}})
    yield trueness.systems.compare(answers, item="id", systems=HOSTILE)
    rows = [(m, j, i, y[i], score[i] + rng.normal()) for m in HOSTILE[:2] for j in HOSTILE for i in range(60)]
    reading = pd.DataFrame(rows, columns=["modality", "reader", "case", "truth", "score"])
    r = trueness.readers(reading, modality="modality", positive=first, model=dict(enumerate(score)))
    yield from (r, r.model, r.sizes(0.1))
    table = pd.DataFrame(rng.normal([0, 1, 2], size=(12, 3)), columns=HOSTILE)
    yield from (C.friedman(table), C.nemenyi(table), C.conover(table), C.mcnemar(codes, score > 0.2, score > 0.7))
    yield C.bayes_correlated_t(rng.normal(size=10), 90, 10, rope=0.01)
    yield from (C.size_for_auc(0.8, half_width=0.05), C.size_for_validation(0.2, 0.8))
    yield trueness.two_sets(LDA(), X[::2], y[::2], X[1::2], y[1::2], plan=trueness.Bootstrap(15), **named)
    both = {first: LDA(), second: GaussianNB()}
    yield trueness.two_sets(both, X[::2], y[::2], X[1::2], y[1::2], plan=trueness.Bootstrap(15), **named)

    # subgroups
    s = trueness.subgroups(y, score, by=rng.choice(HOSTILE, 60), positive=first, least=2)
    yield from (s, s.sites(), a.threshold(), trueness.curves.guarantee(y, score, positive=first, tpf=0.5))

    yield trueness.selection.weak_segments(a, rng=0, least=5)

    # hygiene
    yield from (
        trueness.selection.cases(a),
        trueness.report.checklist("tripod+ai", a),
        trueness.report.checklist("neurips", a),
    )
    yield trueness.check(pd.DataFrame({first: np.arange(60), second: codes}), y)
    yield trueness.selection.stability(pd.DataFrame([[1, 1, 0], [1, 0, 0], [1, 0, 1]], columns=HOSTILE))
    yield trueness.selection.best_of(
        {name: trueness.fit(m, X, y, trueness.KFold(3), **named) for name, m in both.items()}, "error"
    )
    yield trueness.learning_curve(LDA(), X, y, sizes=[10, 15, 20, 30], splits=10, rng=0, extrapolate=[200])

    # statistics, studies, sealed sets
    S = trueness.statistics
    yield from (S.bootstrap(np.mean, score, n_resamples=50, rng=0), S.jackknife(np.mean, score))
    yield S.influence(lambda x, w: w @ x, score)
    yield trueness.studies.bias_variance(
        KNeighborsClassifier(1), trueness.studies.two_gaussians(2, 2.0), 20, training_sets=5, rng=0
    )
    yield trueness.studies.run("auc-estimators", trials=2, sizes=(20,), n_jobs=1)
    pytest.importorskip("cryptography")
    data = pd.DataFrame(np.vstack([X, X + 0.1]), columns=[first, second]).assign(y=np.tile(y, 2))
    data.to_csv(folder / "t.csv", index=False)
    yield trueness.sealed.seal(folder / "t.csv", "y", test_size=0.5, out=folder / "study", passphrase="a long word")
    yield trueness.sealed.unseal(folder / "study", LDA(), passphrase="a long word", positive=first)
    yield trueness.sealed.verify(folder / "study")


class Reader(HTMLParser):
    """Tags and attributes of a fragment; tags are closed in order."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.attributes = [], set(), set()
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag != "br":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_every_type_is_among_them(shown):
    assert types() == {type(each) for each in shown}


def test_html_is_small_and_hostile_names_are_text(shown):
    for each in shown:
        html = each._repr_html_()
        assert len(html.encode()) < 50_000, type(each)
        seen = Reader(html)
        assert not seen.tags & {"script", "img"}, type(each)
        assert not {name for name in seen.attributes if name.startswith("on")}, type(each)


def test_every_type_has_a_picture_or_a_reason_to_have_none(shown):
    def names(results):
        return {"Plan" if isinstance(each, trueness.plans.Plan) else type(each).__name__ for each in results}

    drawn = names(each for each in shown if "<svg" in each._repr_html_())
    assert set(WITHOUT_PICTURE) == names(shown) - drawn
    assert not names(each for each in shown if isinstance(each, Drawn)) & set(WITHOUT_PICTURE)


def test_a_prompt_shows_words_and_no_fields(shown):
    for each in shown:
        text = repr(each)
        assert len(text) < 10_000, type(each)
        assert "array(" not in text, type(each)
        assert not text.startswith(f"{type(each).__name__}(") or not isinstance(each, Result), text


def test_results_are_read_back(shown):
    """Text, table and picture are the same; not yet of classes that write a dict of their own."""
    for each in shown:
        if isinstance(each, Result) and type(each).to_dict in (Result.to_dict, Estimate.to_dict):
            read = trueness.load(each.to_json())
            assert type(read) is type(each)
            assert str(read) == str(each), type(each)
            pd.testing.assert_frame_equal(read.frame(), each.frame())
            assert not isinstance(each, Drawn) or read.figure().svg() == each.figure().svg(), type(each)


def test_pictures_have_no_undefined_places(shown):
    for each in shown:
        drawn = each._repr_html_().partition("<svg")[2]
        assert not {"nan", "inf", "None"} & set(drawn.replace('"', " ").replace("L", " ").split()), type(each)


def test_a_call_warns_once_and_displays_do_not_warn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.array(["yes", "Yes", "no"] * 10)
    models = {"lda": LDA(), "bayes": GaussianNB()}
    for call in (
        lambda: trueness.assess(LDA(), X, y, plan=3, rng=0),
        lambda: trueness.compare(models, X, y, plan=trueness.KFold(3, repeats=2), rng=0),
    ):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            found = call()
            at_the_call = len(warned)
            for _ in range(2):
                found._repr_html_(), str(found), repr(found)
        said = [str(w.message) for w in warned]
        assert len(said) == at_the_call == len(set(said))
        assert sum("differ only in case" in text for text in said) == 1


def test_metrics_are_in_words_and_not_identifiers():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + y[:, None]
    a = trueness.assess(LDA(), X, y, trueness.KFold(5, repeats=2), ["auc", "o_e", "log_loss"], rng=0, checks=False)
    for page in (a._repr_html_(), a.report().partition("<script")[0]):
        assert ">observed/expected ratio</td>" in page
        assert ">log loss</" in page
        assert ">o_e</td>" not in page
        assert ">log_loss</" not in page.replace("<dt", "").partition('<dl class="words"')[0]


def test_a_notebook_folds_what_is_long():
    X, y = load_digits(return_X_y=True)
    a = trueness.assess(GaussianNB(), X, y, trueness.KFold(5), rng=0, checks=False)
    q, b = a.calibration(), a.by_class()
    assert len(q.classes) == 10
    shown = q._repr_html_()
    assert "More pictures: 7</summary>" in shown
    assert shown.count('<svg class="trueness-figure') == 10
    assert "Left-out cases by truth" in str(b)
    assert "More pictures" not in trueness.roc(y == 3, X[:, 5])._repr_html_()


def test_minus_signs_are_real_where_people_read():
    r = trueness.compare({"a": LDA(), "b": GaussianNB()}, *load_iris(return_X_y=True), fits=60, rng=0).differences
    for e in r.values():
        turned = e.with_(value=-0.0123)
        assert "−0.0123" in turned.plot().texts[0].get_text()
        assert "-0.0123" not in turned._repr_html_() + turned.figure().svg()
        assert "$-$0.0123" in turned.to_latex()
        assert "-0.0123" in turned.to_csv()


def test_long_models_have_short_titles():
    steps = make_pipeline(StandardScaler(), LogisticRegression(C=0.125, max_iter=1234, class_weight="balanced"))
    X, y = load_iris(return_X_y=True)
    a = trueness.assess(steps, X[:100], y[:100], fits=60, rng=0, checks=False)
    title, model, _ = a.page().title.split("\n")
    assert (title, model) == ("StandardScaler → LogisticRegression", a.model)
    assert "<h1>Assessment: StandardScaler → LogisticRegression</h1>" in a.report()
    assert a.threshold().page().title.split("\n")[1] == "StandardScaler → LogisticRegression"
    named = trueness.assess(steps, X[:100], y[:100], fits=60, rng=0, checks=False, name="scaled")
    assert named.page().title.split("\n")[:2] == ["scaled", a.model]
    d = a.calibration().versus(named.calibration())
    assert d.page().title == "Paired differences in calibration, LogisticRegression − scaled"
    assert d.answer().startswith("Difference in ")
