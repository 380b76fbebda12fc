"""What no reader should see, in any of the forms that a result is shown in: codes of the program, numbers that are
none, a plural of one, and forms that contradict each other."""

import json
import re
from functools import cache
from html.parser import HTMLParser

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.estimators.registry import ESTIMATORS
from trueness.result.shown import Cited, Drawn

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

rng = np.random.default_rng(5)
y = np.repeat([0, 1], 20)
X = rng.normal(size=(40, 2)) + y[:, None]
APART = 10 * y[:, None] + 0.1 * rng.normal(size=(40, 2))  # no model makes an error
PLANS = {
    "default": None,
    "bootstrap": trueness.Bootstrap(50),
    "one replicate": trueness.Bootstrap(1),
    "folds": trueness.KFold(5),
    "repeated folds": trueness.KFold(5, repeats=2),
    "leave one out": trueness.plans.LeaveOneOut(),
    "splits": trueness.plans.MonteCarlo(5),
    "one split": trueness.plans.MonteCarlo(1),
    "holdout": trueness.Holdout(0.4),
    "nested": trueness.plans.NestedKFold(4, repeats=2),
    "paired": trueness.plans.PairedSubsampling(3, inner=3, test_size=0.2),
    "halves": trueness.plans.CvHalves(3, repeats=2, halvings=3, inner_folds=2),
    "splitter": ShuffleSplit(5, test_size=0.2, train_size=0.8, random_state=0),
    "given": [(np.arange(0, 40, 2), np.arange(1, 40, 2))],
}
COUNTED = "case|group|fit|fold|pair|split|positive|negative|item|rule|estimate|replicate|sample|training set"
NEVER = {
    "no number": r"\b(None|nan|NaN)\b|(?<!\w)[-−]?inf\b|± undefined|undefined to|to undefined",
    "Python": r"\bnp\.|array\(|dtype|object at 0x|<trueness",
    "minus nothing": r"(?<![\w.])-0(\.0+)?(?![\d.e])",
    "rounding error": r"(?<!\()\b\de-1[0-9]\b",  # in brackets a study says how near 0 a number is
    "several that are one": rf"(?<![\d.,/–-])\b1 ([a-z-]+ )?({COUNTED})s\b",
    "words twice": r"\b(the|of|and|a|is|in) \1\b",
    "marks": r" [,;.] |(?<!\.)\.\.(?!\.)|,\.|;\.|(?<!\d) % (?!CI)|\bp = 0(\.0+)?(?![.\d])",
}
IN_LATEX = set("–½¹²·×é")  # letters that LaTeX itself knows
CODES = r"(?<![\w@])(?!trueness)[a-z0-9]+_[a-z_0-9]+(?![\w(])|cv\+\w+|-corrected\b|second-order|nadeau-bengio|half-max"


class Words(HTMLParser):
    """The words of a page, without its styles, scripts and BibTeX; one line per block."""

    def __init__(self, html):
        super().__init__()
        self.words, self.hidden = [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in ("style", "script", "pre")
        self.words.append("" if tag in ("strong", "span", "code") else "\n")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("style", "script", "pre")
        self.words.append("" if tag in ("strong", "span", "code") else "\n")

    def handle_data(self, data):
        self.words.append("" if self.hidden else data)


def words(html):
    return "".join(Words(html).words)


@cache
def results():
    return dict(_results())


def _results():
    models = {"a": LDA(), "b": GaussianNB()}
    for name, plan in PLANS.items():
        a = trueness.assess(LDA(), X, y, plan, metrics=("error", "f1") if name == "nested" else ("error", "auc"), rng=0)
        yield f"assess, {name}", a
        if name != "one replicate":
            yield f"compare, {name}", trueness.compare(models, X, y, "error", plan=plan, rng=0)
        yield f"no errors, {name}", trueness.assess(LDA(), APART, y, plan, metrics=("error", "log_loss", "mcc"), rng=0)
    yield "table", trueness.assess(LDA(), X, y, metrics=("fpf", "npv"), rng=0)
    yield "nearly the same", trueness.compare(models, X, y, "brier", plan=trueness.Bootstrap(50), rng=0)
    yield "the same", trueness.compare({"a": LDA(), "b": LDA()}, X, y, "error", plan=trueness.Bootstrap(50), rng=0)
    yield "one interval", trueness.assess(LDA(), X, y, trueness.KFold(5), metrics="error", rng=0).simultaneous()
    scores = {"scores": X[:, 0], "ties": np.round(X[:, 0]), "constant": np.zeros(40), "apart": APART[:, 0]}
    for name, s in scores.items():
        c = trueness.roc(y, s)
        yield f"roc, {name}", c
        yield f"rate, {name}", c.tpf_at(0.0)
        yield f"best, {name}", c.best(costs=[[0, 1], [5, 0]], prevalence=0.1, n_resamples=20, rng=0)
        yield f"at, {name}", c.at(np.inf)
        yield f"threshold, {name}", c.threshold_at(tpf=0.9)
        yield f"band, {name}", c.band()
    yield "normal curve", trueness.roc(y, X[:, 0], method="normal").tpf_at(0.0)
    yield "roc, groups", trueness.roc(y, X[:, 0], groups=np.arange(40) // 2).auc
    yield "roc, one positive", trueness.roc([0, 0, 0, 1], [0.1, 0.2, 0.3, 0.25]).fpf_at(0.1)
    yield "no metric", trueness.comparisons.equivalence(trueness.Estimate(0.01, 0.02), 0.05)
    yield "study", trueness.studies.run("ridge", trials=3, rng=0)
    yield "size", trueness.comparisons.size_for_auc(0.8, half_width=0.05)
    yield "one case", trueness.comparisons.mcnemar_counts(1, 0, method="chi2")
    yield "unpaired", trueness.comparisons.delong_unpaired(y, APART[:, 0], y, X[:, 0])
    for plan in (trueness.KFold(5), trueness.Holdout(0.4), trueness.Bootstrap(50)):
        yield f"cases, {plan}", trueness.selection.cases(trueness.fit(LDA(), X, y, plan, rng=0))
    for name in ("stard", "tripod+ai", "neurips"):
        yield name, trueness.report.checklist(name, results_of_one_split())


@cache
def results_of_one_split():
    return trueness.assess(LDA(), X, y, trueness.plans.MonteCarlo(1), rng=0)


def forms(result):
    yield "text", str(result)
    yield "prompt", repr(result)
    yield "Markdown", result.to_markdown().replace("\\", "")
    yield "LaTeX", result.to_latex()
    yield "notebook", words(result._repr_html_())
    yield "report", words(result.report()).replace("n_resamples=None, ", "")  # the plan, as it was given
    if isinstance(result, Cited):
        yield "methods", result.methods()


def test_no_form_shows_what_no_reader_should_see():
    found = [
        (name, form, what, text[max(0, hit.start() - 50) : hit.end() + 30])
        for name, result in results().items()
        for form, text in forms(result)
        for what, wrong in NEVER.items()
        for hit in re.finditer(wrong, text)
    ]
    assert found == []


def test_figures_show_no_infinite_thresholds():
    for name, result in results().items():
        if name.startswith(("best", "threshold")) and isinstance(result, Drawn):
            ax = result.plot()
            said = " ".join(text.get_text() for text in ax.get_legend().get_texts())
            assert not any(re.search(NEVER[what], said) for what in ("no number", "minus nothing")), (name, said)
            plt.close(ax.get_figure())


def test_methods_for_a_paper_have_words_for_codes():
    for name, result in results().items():
        if isinstance(result, Cited):
            said = re.sub(r"\[@[^]]*\]|ShuffleSplit\([^)]*\)", "", result.methods())
            assert not re.search(CODES, said), (name, said)
    assert {e.name for e in ESTIMATORS if re.search(CODES, e.name)}  # names of methods would be found


def test_a_standard_error_that_there_is_not_has_no_name():
    k = results()["compare, folds"]
    assert k.difference.se is None  # the formula gives 0
    assert "naive" not in str(k)


def test_reports_are_called_by_what_they_show():
    for name, result in results().items():
        title = re.search(r"<title>(.*?)</title>", result.report())[1]
        assert title != type(result).__name__ or title.istitle(), name


def test_json_has_every_number_of_the_text():
    def refuse(constant):
        raise AssertionError(constant)

    def numbers(kept):
        if isinstance(kept, dict | list):
            for inner in kept.values() if isinstance(kept, dict) else kept:
                yield from numbers(inner)
        elif isinstance(kept, float | int):
            yield float(kept)

    for name, result in results().items():
        kept = set(numbers(json.loads(result.to_json(), parse_constant=refuse)))
        if not isinstance(result, trueness.result.Assessment | trueness.result.Comparison):
            continue
        for cell in (c for table in result.page().tables for row in table.rows for c in row[2:]):
            for shown in re.findall(r"-?\d+\.\d+", cell):
                places = len(shown.split(".")[1])
                assert any(f"{value:z.{places}f}" == shown for value in kept) or float(shown) < 1e-3, (name, cell)


def test_text_markdown_latex_and_pages_have_the_same_numbers():
    for name, result in results().items():
        told = {form: set(re.findall(r"\d+\.\d+", text)) for form, text in forms(result)}
        tables = set(re.findall(r"\d+\.\d+", " ".join(c for t in result.page().tables for row in t.rows for c in row)))
        for form in ("Markdown", "LaTeX", "notebook"):
            assert tables <= told[form], (name, form)
            assert told["text"] <= told[form] | told["report"], (name, form)


def test_latex_needs_no_package_for_its_letters():
    for name, result in results().items():
        tex = "\n".join(line for line in result.to_latex().splitlines() if not line.startswith("%"))
        assert {c for c in tex if ord(c) > 126} <= IN_LATEX, name
