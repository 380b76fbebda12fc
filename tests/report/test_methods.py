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
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.estimators.registry import ESTIMATORS
from trueness.leaks.check import CODES
from trueness.metrics import Cost
from trueness.report.methods import cited_keys, entries
from trueness.result.words import INDEPENDENT_CASES, INDEPENDENT_GROUPS, with_interval

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
    assert repr(a.methods()) == a.methods()  # a prompt and a notebook show it
    assert a["auc"].se_method == "nadeau-bengio"


def test_methods_cite_what_bibtex_has_and_name_the_software():
    for result in cited_results():
        said = result.methods()
        keys = cited_keys(said)
        assert {"trueness", "pedregosa_2011"} <= set(keys)
        assert re.findall(r"^@\w+\{(\w+),", result.bibtex(), flags=re.MULTILINE) == keys
        assert trueness.__version__ in said
        assert not re.search(r"\b(None|nan|the the)\b|  | ,|(?<!\w)\(\)\)", said), said
        assert result.report()


def test_methods_of_the_default_name_plan_interval_and_numbers():
    a = trueness.assess(LDA(), X, y, metrics="error", rng=5)
    said = a.methods()
    for part in ("80 repetitions of stratified 10-fold cross-validation", "1600 bootstrap replicates", "seed 5"):
        assert part in said
    assert a.answer().split(". ")[0] in said
    assert "wilson_1927" in cited_keys(said)


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
    for part in ("checks", "checklists", "methods", "learning", "made"):
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


def test_methods_of_several_systems_name_what_they_are_and_stay_short():
    r = np.random.default_rng(0)
    table = pd.DataFrame({f"s{k}": r.random(80) < 0.5 + k / 40 for k in range(8)}).assign(id=range(80), g=range(80))
    table["g"] //= 2
    k = trueness.systems.compare(table, systems=["s0", "s1"], cluster="g")
    assert {"obuchowski_1998", "rao_scott_1992"} <= set(cited_keys(k.methods()))
    assert "obuchowski_1997" not in k.methods()  # of AUCs
    assert "(95 % CI" in k.methods()
    many = trueness.systems.compare(table, systems=[f"s{k}" for k in range(8)])
    assert many.methods().count("simultaneous 95 % CI") == 7
    assert "The other 21 pairs are in the table." in many.methods()
    assert "two" not in many.difference.estimand


def test_methods_of_groups_say_so_and_assume_groups():
    groups = np.arange(40) % 20
    a = trueness.assess(LDA(), X, y, plan=trueness.plans.LeaveOneOut(), metrics=["auc"], groups=groups, rng=0)
    assert "by leave-one-group-out cross-validation" in a.methods()
    assert "leave-one-group-out" in a.provenance["design"]
    assert "Groups were kept whole" in a.methods()
    pure = trueness.assess(
        LDA(), X, y, plan=trueness.plans.LeaveOneOut(), metrics=["auc"], groups=np.arange(40) // 2, rng=0
    )
    assert not pure.recommended  # every fold has one class
    assert pure.by(np.arange(40) // 2 % 2).metric == "auc"
    plan = trueness.KFold(4, repeats=3)
    k = trueness.compare({"a": LDA(), "b": GaussianNB()}, X, y, "error", plan=plan, groups=groups, rng=0)
    (test,) = k.tests.values()
    assert INDEPENDENT_GROUPS in test.assumptions
    assert INDEPENDENT_CASES not in test.assumptions
    assert "not kept in proportion" in k.provenance["design"]  # groups hold both classes
    c = trueness.roc(y, {"a": X[:, 0], "b": X[:, 1]}, groups=groups)
    assert INDEPENDENT_GROUPS in c.tests["a", "b"].assumptions
    assert "in 20 groups" in c.methods()
    assert "in 20 groups" in c["a"].methods()


def test_methods_of_a_table_say_the_estimand_once_and_what_was_given():
    said = trueness.diagnose(tp=231, fn=27, fp=32, tn=54, design="case-control", prevalence=0.05).methods()
    assert said.count("Estimand: this rule at a prevalence of 0.05.") == said.count("Estimand") == 1
    assert "The prevalence was given: 0.0500." in said
    assert "LR+, LR− and odds ratio were estimated" in said


def test_subgroups_say_their_methods():
    s = trueness.assess(LDA(), X, y, plan=trueness.KFold(4, repeats=3), metrics="error", rng=0).by(np.arange(40) % 2)
    assert s.answer() in s.methods()
    assert "nadeau_bengio_2003" in s.bibtex()
    assert s.flat()["error.0"] == s.estimates["0"].value


def test_a_report_describes_the_model_once_and_all_subgroups_together():
    model = make_pipeline(StandardScaler(with_mean=False), LDA(solver="lsqr", shrinkage=0.125))
    a = trueness.assess(model, X, y, plan=trueness.KFold(4, repeats=3), metrics=["auc", "error", "brier"], rng=0)
    by = {"even": np.arange(40) % 2, "pair": np.arange(40) // 2 % 2}
    html = a.report(by=by)
    said = unescape(html.partition("Methods, for a paper</h2>")[2].partition("<details>")[0])
    assert said.count(a.model) == 1
    assert said.count("4-fold cross-validation") == 1
    assert "Calibration of the model was judged on the same cases and splits." in said
    paragraphs = [p for p in said.split("</p>") if "subgroups" in p]
    assert len(paragraphs) == 1
    assert "subgroups by even and pair" in paragraphs[0]
    for name in by:
        answers = paragraphs[0].partition(f" By {name}: ")[2].partition(" By ")[0]
        assert re.findall(r"(AUC|Error|Brier)\w* \w* ?0\.", answers) == ["AUC", "Error", "Brier"]
    assert not re.search(r"CI -\d", html)


def test_simultaneous_intervals_have_one_level(two_gaussians):
    """The level that holds for all pairs, and beside it that of each."""
    X, y = two_gaussians
    models = {"lda": LDA(), "nb": GaussianNB(), "one": LDA(priors=[0.3, 0.7])}
    k = trueness.compare(models, X, y, "error", plan=trueness.KFold(5, repeats=2), rng=0)
    said = k.methods()
    assert re.search(rf"a simultaneous 95 % interval \([^()]*each at {100 * k.pair_level:.4g} %\)", said)
    two = trueness.compare(
        {"lda": models["lda"], "nb": models["nb"]}, X, y, "error", plan=trueness.KFold(5, repeats=2), rng=0
    )
    assert "and a 95 % interval (" in two.methods()


def test_methods_and_report_of_a_comparison_say_what_its_models_are_and_name_their_libraries():
    boosted = make_pipeline(StandardScaler(), LGBMClassifier(n_estimators=3, min_child_samples=2))
    k = trueness.compare({"lgbm": boosted, "lda": LDA()}, X, y, plan=trueness.KFold(3, repeats=2), rng=0)
    said, what = k.methods(), "StandardScaler() → LGBMClassifier(min_child_samples=2, n_estimators=3)"
    assert f"lgbm ({what}) and lda (LinearDiscriminantAnalysis()) were compared" in said
    for name, e in k.estimates.items():
        assert f"{name} {with_interval(e, 0.95, '95 % CI')}" in said
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
