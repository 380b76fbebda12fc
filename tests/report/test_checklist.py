"""Checklists: facts of a result fill the items of a guideline; the others are left to the author."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError
from trueness.report.checklists import guidelines
from trueness.report.methods import facts

Y = np.repeat(["ill", "well"], [30, 50])
X = np.random.default_rng(0).normal(size=(80, 2)) + 2 * (Y == "ill")[:, None]


@pytest.fixture(scope="module")
def assessed():
    return trueness.assess(GaussianNB(), X, Y, positive="ill", groups=np.arange(80) // 2, rng=5)


@pytest.fixture(scope="module")
def readers():
    rng = np.random.default_rng(0)
    rows = [(m, j, i, i % 2, round((i % 2) + rng.normal())) for m in "abc" for j in range(4) for i in range(20)]
    frame = pd.DataFrame(rows, columns=["modality", "reader", "case", "truth", "score"])
    return trueness.readers(frame, modality="modality", model={i: float(i) for i in range(20)})


def test_facts_are_those_of_the_assessment(assessed):
    known = facts(assessed)
    assert "80 cases in 40 groups, 30 of class ill and 50 of class well" in known["sample"]
    assert known["answer"] == assessed.answer()
    assert "a standard error that counts test and training cases" in known["how"]
    assert "seed 5" in known["software"]
    assert known["positive"] == "Positive class: ill."


@pytest.mark.parametrize("name", ["stard", "tripod+ai", "neurips", "fda-readers"])
def test_an_item_is_there_where_a_fact_answers_it(assessed, readers, name):
    result = readers if name == "fda-readers" else assessed
    c, known = trueness.report.checklist(name, result), facts(result)
    items = [item for item, _, names, _ in guidelines()[name]["rows"] if any(map(known.get, names.split()))]
    table = c.frame()
    assert table["item"].tolist() == items
    assert (table["known"] != "").all()
    assert ((table["status"] == "filled") == (table["add"] == "")).all()
    assert sum(c.counts.values()) == len(items) < c.items
    assert all(item in form for item in items for form in (str(c), c.to_markdown(), c._repr_html_(), c.to_latex()))


def test_every_fact_that_an_item_names_is_known_of_some_result(assessed, readers):
    known = {*facts(assessed), *facts(readers), "subgroups", "threshold"}  # those of pages and of decisions
    named = {fact for each in guidelines().values() for *_, names, _ in each["rows"] for fact in names.split()}
    assert named <= known


def test_a_report_has_its_checklists_with_subgroups(assessed):
    assert "17" in trueness.report.checklist("stard", assessed).frame()["item"].tolist()
    html = assessed.report(by={"sex": np.tile(["f", "m"], 40)})
    stard = html.split("STARD 2015: Of")[1].split("</details>")[0]
    assert "By sex: " in stard
    assert html.count("items are filled") == 0
    assert html.count("are filled, ") == 3


def test_the_cross_table_is_counted_by_truth_and_decision():
    fitted = GaussianNB().fit(X[::2], Y[::2])
    a = trueness.assess(fitted, X[1::2], Y[1::2], plan="prefit", positive="ill", threshold=0.2)
    called = fitted.predict_proba(X[1::2])[:, 0] >= 0.2
    ill = Y[1::2] == "ill"
    tp, fp = int((ill & called).sum()), int((~ill & called).sum())
    known = trueness.report.checklist("stard", a).frame().set_index("item")["known"]
    assert known["23"].startswith(
        f"class ill called ill: {tp}; class ill called well: {15 - tp}; class well called ill: {fp}"
    )
    assert "a fitted model on a test set" in known["10a"]
    assert "0.2" in known["12a"]


@pytest.mark.parametrize(
    ("name", "of", "param"),
    [("consort", "assessed", "name"), ("stard", "table", "assessment"), ("tripod+ai", "readers", "assessment")],
)
def test_names_and_objects_are_checked(name, of, param, request):
    result = trueness.diagnose(tp=1, fn=1, fp=1, tn=1) if of == "table" else request.getfixturevalue(of)
    with pytest.raises(InputError) as caught:
        trueness.report.checklist(name, result)
    assert caught.value.param == param
