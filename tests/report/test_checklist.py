"""Checklists: facts come from the assessment, the rest is left to the author."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError
from trueness.report.checklists import BIASES, GUIDELINES, OF_MODELS, facts, reader_facts

Y = np.repeat(["ill", "well"], [30, 50])
X = np.random.default_rng(0).normal(size=(80, 2)) + 2 * (Y == "ill")[:, None]


@pytest.fixture(scope="module")
def assessed():
    return trueness.assess(GaussianNB(), X, Y, positive="ill", groups=np.arange(80) // 2, rng=5)


def test_numbers_are_those_of_the_assessment(assessed):
    known = facts(assessed)
    assert "80 cases in 40 groups: 30 of class ill, 50 of class well" in known["sample"]
    assert f"{assessed['auc'].ci().low:.3f}" in known["metrics"]
    assert "cv+training" in known["uncertainty"]
    assert "Seed 5" in known["software"]
    assert known["positive"].endswith("ill.")
    assert known["imbalance"].startswith("37.5%")
    assert "40 groups" in known["groups"]


@pytest.mark.parametrize("name", OF_MODELS)
def test_every_item_is_filled_or_asks_the_author(assessed, name):
    c = trueness.report.checklist(name, assessed)
    table = c.frame()
    assert (table["known"].ne("") | table["add"].ne("")).all()
    assert set(table["status"]) == {"filled", "partly", "author"}
    for form in (str(c), c.to_markdown(), c._repr_html_(), c.to_latex()):
        for item in c.guideline.items:
            assert re.search(rf"(?<!\w){item.number}(?!\w)", form)
    shown = json.loads(c.to_json())
    assert len(shown["items"]) == len(table)
    assert bool(shown["biases"]) == (name != "neurips")


def test_all_facts_that_items_name_exist(assessed):
    known = set(facts(assessed))
    named = {fact for name in OF_MODELS for item in GUIDELINES[name].items for fact in item.facts}
    of_readers, of_pages = {"hypothesis", "missing", "random"}, {"subgroups", "table", "curves", "utility"}
    assert named - of_readers - of_pages <= known


def test_a_report_knows_its_subgroups_its_table_and_its_curves(assessed):
    sex = np.tile(["f", "m"], 40)
    alone = {name: trueness.report.checklist(name, assessed).frame().set_index("item") for name in OF_MODELS}
    assert alone["stard"]["status"]["23"] == "filled"  # of the cross-validation, on average
    assert alone["stard"]["add"]["17"] == "subgroups or sites; whether they were planned"
    assert alone["tripod+ai"]["add"]["23a"] == "key subgroups; plots"
    assert alone["tripod+ai"]["add"]["12e"].startswith("calibration")
    text = re.sub(r"<[^>]+>", "|", assessed.report(by={"sex": sex}))
    stard = text[text.index("STARD 2015: Of") : text.index("TRIPOD+AI: Of")]
    tripod = text[text.index("TRIPOD+AI: Of") :]
    assert "Known, in whole or in part" in stard
    assert re.search(r"\|17\|+variability of accuracy\|+partly\|+[^|]*By sex: Error[^|]*See Subgroups", stard)
    assert re.search(r"\|17\|+variability of accuracy\|+whether they were planned\|", stard)
    assert re.search(r"\|23\|+cross table of test and reference\|+filled\|+[^|]*See ROC curve and threshold", stard)
    assert re.search(r"\|23a\|+performance\|+filled\|", tripod)
    assert re.search(r"\|12e\|+measures of performance\|+filled\|", tripod)


def test_the_cross_table_is_counted_by_truth_and_decision():
    fitted = GaussianNB().fit(X[::2], Y[::2])
    a = trueness.assess(fitted, X[1::2], Y[1::2], plan="prefit", positive="ill", threshold=0.2)
    called = fitted.predict_proba(X[1::2])[:, 0] >= 0.2
    ill = Y[1::2] == "ill"
    tp, fp = int((ill & called).sum()), int((~ill & called).sum())
    known = trueness.report.checklist("stard", a).frame().set_index("item")["known"]["23"]
    assert f"Of 15 cases of class ill {tp} called ill, {15 - tp} called well;" in known
    assert f"of 25 cases of class well {fp} called ill, {25 - fp} called well." in known


def test_reader_studies_fill_their_items():
    rng = np.random.default_rng(0)
    rows = [(m, j, i, i % 2, round((i % 2) + rng.normal())) for m in "abc" for j in range(4) for i in range(20)]
    frame = pd.DataFrame(rows, columns=["modality", "reader", "case", "truth", "score"])
    r = trueness.readers(frame, modality="modality", model={i: float(i) for i in range(20)})
    named = {fact for item in GUIDELINES["fda-readers"].items for fact in item.facts}
    assert named <= set(reader_facts(r))
    for name, filled in (("fda-readers", 4), ("stard", 2)):
        table = trueness.report.checklist(name, r).frame()
        assert (table["known"].ne("") | table["add"].ne("")).all()
        assert (table["status"] == "filled").sum() >= filled
    with pytest.raises(InputError, match="not about reader studies"):
        trueness.report.checklist("tripod+ai", r)


def test_the_list_for_readers_needs_readers(assessed):
    with pytest.raises(InputError, match="needs a reader study"):
        trueness.report.checklist("fda-readers", assessed)


def test_the_guidelines_have_all_their_items():
    stard = [i.number for i in GUIDELINES["stard"].items]
    assert sorted({int(re.match(r"\d+", n)[0]) for n in stard}) == list(range(1, 31))
    assert len(stard) == len(set(stard)) == 34
    tripod = [i.number for i in GUIDELINES["tripod+ai"].items]
    assert sorted({int(re.match(r"\d+", n)[0]) for n in tripod}) == list(range(1, 28))
    assert len(tripod) == len(set(tripod)) == 52


def test_the_biases_of_a_study_are_asked_for(assessed):
    asked = {bias for bias, _ in BIASES}
    assert {"verification", "spectrum", "gold standard", "lead time", "length", "overdiagnosis"} <= asked
    text = str(trueness.report.checklist("stard", assessed))
    assert all(question in text and question.endswith("?") for _, question in BIASES)


def test_a_fitted_model_on_a_test_set_is_an_evaluation():
    fitted = GaussianNB().fit(X[::2], Y[::2])
    a = trueness.assess(fitted, X[1::2], Y[1::2], plan="prefit", positive="ill")
    assert "fitted model" in facts(a)["validation"]
    assert "nothing was trained" in facts(a)["plan"]


def test_names_and_objects_are_checked(assessed):
    with pytest.raises(InputError) as caught:
        trueness.report.checklist("consort", assessed)
    assert caught.value.param == "name"
    with pytest.raises(InputError) as caught:
        trueness.report.checklist(assessed, "stard")
    assert caught.value.param == "name"
    assert len(str(caught.value)) < 200  # not the whole assessment
    with pytest.raises(InputError) as caught:
        trueness.report.checklist("stard", None)
    assert caught.value.param == "assessment"


@pytest.mark.parametrize("name", ["TRIPOD+AI", "tripod-ai", "tripod ai"])
def test_a_checklist_in_other_spellings(name, assessed):
    a = assessed
    assert trueness.report.checklist(name, a).guideline is GUIDELINES["tripod+ai"]
