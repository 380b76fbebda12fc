"""Methods and sources for a paper, numbers for loggers, help, and what a prompt shows."""

import re
from functools import cache
from html import unescape
from importlib.metadata import version
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.estimators.registry import ESTIMATORS
from trueness.leaks.check import CODES
from trueness.metrics import Cost
from trueness.report.methods import entries, how

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

rng = np.random.default_rng(7)
y = np.repeat([0, 1], 20)
X = rng.normal(size=(40, 2)) + y[:, None]
HALVES = X[::2], y[::2], X[1::2], y[1::2]
PLANS = [
    None,
    trueness.Bootstrap(100),
    trueness.KFold(4),
    trueness.KFold(4, repeats=3),
    trueness.plans.LeaveOneOut(),
    trueness.Holdout(0.5),
    trueness.plans.MonteCarlo(15),
    trueness.plans.NestedKFold(4),
    trueness.plans.PairedSubsampling(3),
    "prefit",
]


@cache
def cited_results():
    return list(_cited_results())


def _cited_results():
    for plan in PLANS:
        yield trueness.assess(LDA().fit(X, y), X, y, plan, metrics="error", rng=0)
    yield trueness.assess(LDA(), X, y, trueness.KFold(4), metrics=["error", "auc"], groups=np.arange(40) // 2, rng=0)
    for plan in (None, trueness.KFold(4, repeats=3), trueness.Holdout(0.5)):
        yield trueness.compare({"a": LDA(), "b": GaussianNB(), "c": GaussianNB()}, X, y, "error", plan=plan, rng=0)
    yield trueness.roc(y, X[:, 0])
    yield trueness.roc(y, X[:, 0], method="binormal")
    yield trueness.two_sets(LDA(), *HALVES, plan=trueness.Bootstrap(10), rng=0)
    yield trueness.two_sets({"a": LDA(), "b": GaussianNB()}, *HALVES, plan=trueness.Bootstrap(10), rng=0)
    answers = pd.DataFrame({"id": range(40), **{name: rng.integers(0, 2, 40) for name in "abc"}})
    yield trueness.systems.compare(answers, item="id", systems=["a", "b", "c"])
    decided = X[:, 0] > 0
    table = trueness.diagnose(y, decided)
    yield from (table, table.post_test(0.1), table.versus(trueness.diagnose(y, X[:, 1] > 0)))
    yield trueness.diagnose(y, decided, groups=np.arange(40) // 2)
    yield trueness.diagnose(tp=0, fn=0, fp=3, tn=9)  # some measures are undefined
    yield trueness.diagnose(y + decided, 2 * y)  # three classes
    yield trueness.learning_curve(LDA(), X, y, sizes=[8, 12, 16, 20], splits=10, rng=0, extrapolate=[100])
    design = trueness.KFold(5).draw(y, rng=0)
    yield trueness.selection.best_of(
        {"a": trueness.fit(LDA(), X, y, design), "b": trueness.fit(GaussianNB(), X, y, design)}
    )
    yield trueness.selection.stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    yield trueness.pr(y, X[:, 0])
    yield trueness.comparisons.delong(y, X[:, 0], X[:, 1])
    yield trueness.comparisons.mcnemar(y, decided.astype(int), (X[:, 1] > 0).astype(int))
    yield trueness.comparisons.bootstrap(y, X[:, 0], X[:, 1], n_resamples=100, rng=0)
    yield trueness.comparisons.bayes_signed_rank(X[:, 0], X[:, 1], n_draws=1000, rng=0)
    yield trueness.comparisons.bayes_correlated_t(X[:10, 0], 36, 4)
    yield trueness.comparisons.friedman(rng.normal(size=(10, 3)))


def test_every_source_exists_once():
    text = files("trueness.report").joinpath("references.bib").read_text(encoding="utf-8")
    keys = re.findall(r"^@\w+\{(\S+),", text, flags=re.MULTILINE)
    assert len(keys) == len(set(keys)) == len(entries())  # a missing bracket would hide an entry
    errors = {se for e in ESTIMATORS for se in e.se if se not in ("none", "quantile")}
    used = {key for known in (*errors, *(e.method for e in ESTIMATORS)) for key in known.sources}
    used |= {key for test in trueness.comparisons.tests() for key in test.sources}
    assert used <= set(entries())


def test_every_estimator_and_every_standard_error_has_words():
    errors = {se for e in ESTIMATORS for se in e.se if se not in ("none", "quantile")}
    for result in cited_results():
        errors |= {e.se_method for _, e in result._named() if e.se_method}
    for known in (*errors, *(e.method for e in ESTIMATORS)):
        assert known.words != known


def test_a_standard_error_names_all_its_parts():
    """Stratified folds hide the variance of the class sizes: it is added to Nadeau and Bengio's, and named."""
    a = trueness.assess(LDA(), X, y, trueness.KFold(4, repeats=3), metrics=["error", "auc"], rng=0)
    assert a["error"].se_method.parts == ("nadeau-bengio", "class sizes")
    assert "corrected standard error, the variance of the class sizes added" in a.methods()
    assert a["auc"].se_method == "nadeau-bengio"


def test_methods_cite_what_bibtex_has_and_name_the_software():
    for result in cited_results():
        said = result.methods()
        keys = list(dict.fromkeys(re.findall(r"@(\w+)(?=[^\[]*\])", said)))
        assert {"trueness", "pedregosa_2011"} <= set(keys)
        assert re.findall(r"^@\w+\{(\w+),", result.bibtex(), flags=re.MULTILINE) == keys
        assert trueness.__version__ in said
        assert not re.search(r"\b(None|nan|the the)\b| ,|(?<!\w)\(\)\)", said), said
        assert result.report()


def test_methods_of_the_default_name_plan_interval_and_numbers():
    a = trueness.assess(LDA(), X, y, metrics="error", rng=5)
    said = a.methods()
    for part in ("10-fold cross-validation, 80 times", "1600 bootstrap samples", "seed 5"):
        assert part in said
    assert a.answer().split(". ")[0] in said
    assert "@wilson_1927" in said


def test_numbers_for_loggers_are_flat_finite_and_plainly_named():
    plain = re.compile(r"[\w./-]+", flags=re.ASCII)
    for result in cited_results():
        numbers = result.flat()
        assert numbers
        assert all(plain.fullmatch(name) for name in numbers)
        assert all(type(value) is float and np.isfinite(value) for value in numbers.values())
    assert not set(trueness.pr(y, X[:, 0]).flat()) & set(trueness.roc(y, X[:, 0]).flat())
    posterior = trueness.comparisons.bayes_correlated_t(X[:10, 0], 36, 4)
    assert posterior.flat()["probability.rope"] == posterior.probabilities["rope"]
    a = trueness.assess(LDA(), X, y, trueness.Bootstrap(100), rng=0)
    numbers = a.flat()
    assert numbers["auc"] == a["auc"].value
    assert numbers["auc.se"] == a["auc"].se
    assert (numbers["error.low"], numbers["error.high"]) == tuple(a["error"].ci())
    assert numbers["error.632plus"] == a["error", "632+"].value
    k = trueness.compare({"a": LDA(), "b": GaussianNB()}, X, y, "error", rng=0)
    numbers = k.flat()
    assert numbers["error.a"] - numbers["error.b"] == pytest.approx(numbers["a_minus_b"])
    assert numbers["a_minus_b.p"] == k.p_value


def test_every_table_writes_its_level_alike():
    for result in cited_results():
        assert not re.search(r"[0-9]% (interval|CI)", f"{result} {result.to_latex()} {result.report()}")
    precise = trueness.assess(LDA(), X, y, trueness.KFold(4), metrics="error", level=0.995, rng=0)
    assert "99.5 % interval" in str(precise)
    assert "99.5 % alone" in str(precise.simultaneous())


def test_a_prompt_shows_no_page_and_no_fields(tmp_path):
    a = trueness.assess(LDA(), X, y, rng=0)
    assert len(repr(a.report(tmp_path / "a.html"))) < 60 + len(str(tmp_path))
    assert len(repr(a.report())) < 60
    assert a.report().startswith("<!doctype html>")
    for shown in (a["auc"], a.fits.sample, trueness.statistics.jackknife(np.mean, X[:, 0])):
        assert len(repr(shown)) < 160
        assert "=" not in repr(shown)


def test_reports_have_checks_checklists_training_sizes_and_hashes():
    a = trueness.assess(LDA(), X, y, rng=0)
    page = a.report()
    for part in ("checks", "checklists", "methods", "made"):
        assert f'id="{part}"' in page
    assert all(code in page for code in CODES)
    for name in ("data", "fingerprint", "plan", "fits", "seed"):
        assert str(a.provenance[name]) in page
    assert trueness.assess(LDA(), X, y, rng=1).provenance["data"] == a.provenance["data"]
    assert trueness.assess(LDA(), X + 1e-9, y, rng=0).provenance["data"] != a.provenance["data"]
    curve = trueness.learning_curve(LDA(), X, y, sizes=[8, 12, 16, 20], splits=10, rng=0, extrapolate=[100])
    assert "Learning curve: error" in a.report(learning_curve=curve)
    assert 'id="checks"' not in trueness.assess(LDA(), X, y, rng=0, checks=False).report()


def test_a_command_line_is_quoted_in_the_report(monkeypatch):
    monkeypatch.setattr("sys.argv", ["/usr/bin/trueness", "roc", "my file.csv", "--label", "<y>"])
    page = trueness.roc(y, X[:, 0]).report()
    assert "trueness roc &#x27;my file.csv&#x27; --label &#x27;&lt;y&gt;&#x27;" in page


def test_subgroups_say_their_methods():
    s = trueness.assess(LDA(), X, y, plan=trueness.KFold(4, repeats=3), metrics="error", rng=0).by(np.arange(40) % 2)
    assert s.answer() in s.methods()
    assert "nadeau_bengio_2003" in s.bibtex()
    assert s.flat()["error.0"] == s.estimates["0"].value


def test_how_groups_what_is_made_alike_and_tells_only_what_there_is():
    a = trueness.assess(LDA(), X, y, trueness.KFold(4), metrics=["error", "brier", "auc"], rng=0)
    made = how([a["error"], a["error"].with_(metric="tpf"), a["auc"].with_(se=None)], 0.9)
    assert made.startswith(
        "Error rate and TPF: estimated by the mean of the cross-validation, with the standard error of"
    )
    assert "90 % interval (Wilson's [@wilson_1927]), estimand: mean over training sets" in made
    assert made.count("with the") == 1
    k = trueness.compare(
        {"a": LDA(), "b": GaussianNB(), "c": LDA()}, X, y, "error", plan=trueness.KFold(4, repeats=2), rng=0
    )
    assert f"{100 * k.pair_level:.4g} % interval (symmetric)" in k.methods()
    assert "hothorn_bretz_westfall_2008" in k.bibtex()


def test_a_report_has_the_methods_of_what_it_shows_besides():
    a = trueness.assess(LDA(), X, y, plan=trueness.KFold(4, repeats=3), metrics=["auc", "error"], rng=0)
    html = a.report(by={"even": np.arange(40) % 2})
    said = unescape(html.partition("Methods, for a paper</h2>")[2].partition("<details>")[0]).split("<p>")
    assert (
        len([p for p in said if p.startswith(("Calibration of 40 cases", "Decision curve", "AUC by", "Error rate by"))])
        >= 3
    )
    assert said[-1].startswith("Computed with trueness")


def test_methods_and_report_of_a_comparison_say_what_its_models_are_and_name_their_libraries():
    boosted = make_pipeline(StandardScaler(), LGBMClassifier(n_estimators=3, min_child_samples=2))
    k = trueness.compare({"lgbm": boosted, "lda": LDA()}, X, y, plan=trueness.KFold(3, repeats=2), rng=0)
    said, what = k.methods(), "StandardScaler() → LGBMClassifier(min_child_samples=2, n_estimators=3)"
    assert f"lgbm ({what}) and lda (LinearDiscriminantAnalysis()) were compared" in said
    one = trueness.assess(k.fits["lgbm"])
    for result in (k, one, one.threshold(), trueness.two_sets(boosted, *HALVES, plan=trueness.Bootstrap(5), rng=0)):
        assert f", lightgbm {version('lightgbm')}" in result.methods().rpartition("Computed with")[2]
        assert what in result.methods()
    page = k.report()
    assert what in page
    assert f"lightgbm {version('lightgbm')}" in page
    assert "lightgbm" not in trueness.assess(k.fits["lda"]).methods()


def test_costs_of_a_comparison_are_said_in_words():
    labels, table = np.where(y == 1, "bad", "good"), [[0, 1], [5, 0]]
    words = "Costs: good decided as bad costs 1, bad decided as good costs 5."
    options = {"plan": trueness.KFold(3, repeats=2), "positive": "bad", "rng": 0}
    models = {"a": LDA(), "b": GaussianNB()}
    k = trueness.compare(models, X, labels, metric=Cost(matrix=table), **options)
    a = trueness.assess(LDA(), X, labels, metrics=[Cost(matrix=table)], **options)
    at_costs = trueness.compare(models, X, labels, **options).threshold(costs=table)
    of_other_costs = trueness.compare(models, X, labels, metric=Cost(matrix=[[0, 5], [1, 0]]), **options)
    for found in (k, a, at_costs, of_other_costs.threshold(costs=table)):
        assert words in found.methods()
        assert words in str(found)
        assert words in found.report()
    swapped = "Costs: good decided as bad costs 5, bad decided as good costs 1."
    assert swapped in str(of_other_costs)
    assert "bad decided as good costs 5" in a.threshold(costs=table).methods()
    assert "Costs" not in str(trueness.compare(models, X, labels, "error", **options))
    weighted = trueness.assess(LDA(), X, y, metrics=[Cost(matrix=table, priors=(0.9, 0.1))], rng=0, plan=3)
    assert "positive decided as negative costs 5; share of negative 0.9, of positive 0.1." in weighted.answer()
    three = np.arange(40) % 3
    several = trueness.assess(LDA(), X, three, metrics=[Cost(matrix=[[0, 1, 2], [3, 0, 4], [5, 6, 0]])], rng=0, plan=3)
    assert "Costs: 0 decided as 1 costs 1, 0 decided as 2 costs 2, 1 decided as 0 costs 3" in several.answer()


def test_missing_values_are_counted():
    holes, model = pd.DataFrame(X, columns=["a", "b"]), make_pipeline(SimpleImputer(), LDA())
    assert "issing" not in trueness.assess(model, holes, y, trueness.KFold(4), metrics="error", rng=0).methods()
    holes.iloc[[1, 5, 30], 1] = np.nan
    a = trueness.assess(model, holes, y, trueness.KFold(4), metrics="error", rng=0)
    assert "Missing values of features: 3, handled by the model within each training set." in a.methods()
    prefit = trueness.assess(model.fit(holes, y), holes, y, "prefit", metrics="error")
    assert "features: 3, handled by the model." in prefit.methods()
