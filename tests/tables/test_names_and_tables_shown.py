"""Names that others use, and how results are shown."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import trueness
from trueness.errors import InputError
from trueness.metrics.registry import METRICS, aliases, names
from trueness.tables import MEASURES

approx = pytest.approx
TABLE = {"tp": 10, "fn": 5, "fp": 24, "tn": 61}
DOCS = Path(__file__).parents[2] / "docs" / "diagnostic.md"


# -- names -------------------------------------------------------------------------------------------------------------


def test_every_name_of_the_docs_leads_to_its_measure():
    d = trueness.diagnose(**TABLE)
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", DOCS.read_text(), flags=re.MULTILINE)
    found = {name: said.split(", ") for name, said in rows if name in MEASURES}
    assert set(found) == set(MEASURES)
    for name, others in found.items():
        for alias in [name, *others]:
            assert d[alias].metric == name
    assert d["Sensitivity"].value == d["true_positive_rate"].value == d.tpf.value
    assert d["lr+"].value == d.dlr_positive.value
    assert d["LR-"].value == d["lr−"].value == d.dlr_negative.value


def test_no_name_means_two_things():
    assert len(aliases()) == sum(len(metric.aliases.split(", ")) for metric in METRICS if metric.aliases)
    assert not set(aliases()) & set(names())
    with pytest.raises(InputError, match="There is no metric 'se'"):  # Se is the sensitivity, se is a standard error
        trueness.diagnose(**TABLE)["se"]


def test_measures_of_several_classes_by_name():
    d = trueness.diagnose(list("aabbccabcabc"), list("aabbccabcbca"))
    assert d["accuracy"].value == d.accuracy.value
    assert d["f1 macro"].value == d.macro("f1").value
    assert d["tpf a"].value == d.per_class("tpf")["a"].value
    assert d.macro("recall").value == d.macro("tpf").value
    assert d["f1"].value == d["F-score"].value == d.macro("f1").value  # as trueness.assess has it
    assert d["balanced accuracy"].value == pytest.approx(d.macro("tpf").value)
    for name, wrong in (("tpf", "needs two classes"), ("auc", "not a function of the table"), ("beauty", "no metric")):
        with pytest.raises(InputError, match=wrong):
            d[name]


def test_f_beta_at_infinity_has_a_name():
    d = trueness.diagnose(**TABLE)
    assert d.f_beta(math.inf).metric == "f_beta(inf)"
    assert d.f_beta(math.inf).value == approx(d.tpf.value)


# -- labels that are not used ------------------------------------------------------------------------------------------


def test_a_positive_label_that_means_nothing_is_an_error():
    with pytest.raises(InputError, match="two classes only") as error:
        trueness.diagnose(["a", "b", "c"], ["a", "b", "c"], positive="a")
    assert error.value.param == "positive"
    for options in ({"positive": 1}, {"classes": [0, 1]}):
        with pytest.raises(InputError) as error:
            trueness.diagnose(**TABLE, **options)
        assert error.value.param in options


@pytest.mark.parametrize("y", [[1, 0, None, 1], [1.0, 0.0, math.nan, 1.0], ["1", "0", None, "1"]])
def test_missing_truths_are_named(y):
    with pytest.raises(InputError, match="y has missing labels. .*row 2") as error:
        trueness.diagnose(y, [1, 0, 1, 0])
    assert error.value.param == "y"


# -- shown -------------------------------------------------------------------------------------------------------------


def test_latex_keeps_the_notes():
    text = trueness.diagnose(tp=9, fn=0, fp=1, tn=30).to_latex()
    notes = [line for line in text.splitlines() if "Note: " in line]
    assert any(r"dlr\_negative" in line and "½" in line for line in notes)
    assert not any(line.startswith("%") for line in notes)


def test_latex_escapes_labels():
    text = trueness.diagnose(["a_b", "50 %", "x&y", "a_b"], ["a_b", "50 %", "x&y", "x&y"]).to_latex()
    for name in (r"tpf a\_b", r"tpf 50 \%", r"tpf x\&y"):
        assert name in text
    for row in (line for line in text.splitlines() if line.endswith(r"\\") and not line.startswith(r"\par")):
        assert len(re.findall(r"(?<!\\)&", row)) in (3, 4)  # the counts, or the five columns of the measures
        assert not re.search(r"(?<!\\)[%#_]", row)


def test_every_report_says_what_is_positive_and_what_was_not_verified():
    y = ["sick"] * 10 + ["well"] * 20 + [None] * 7
    p = ["sick"] * 8 + ["well"] * 18 + ["sick"] * 4 + ["sick"] * 2 + ["well"] * 5
    d = trueness.diagnose(y, p, positive="sick", design="selected")
    for text in (str(d), d.to_latex(), d.to_markdown(), d._repr_html_()):
        assert "Positive: sick, negative: well" in text
        assert "Not verified: 2 decided positive, 5 decided negative" in text
    stored = json.loads(d.to_json())
    assert stored["classes"] == ["well", "sick"]
    assert stored["design"]["counts"]["values"][-1] == [5, 2]
    three = trueness.diagnose([*"abcabc", None, None], [*"abcabb", "a", "b"], design="selected")
    assert re.search(r"not verified +1 +1 +0\n", str(three))
    assert json.loads(three.to_json())["design"]["counts"]["values"][-1] == [1, 1, 0]


def test_html_shows_labels_as_they_are():
    html = trueness.diagnose(["<b>", "w"], ["<b>", "w"], positive="<b>")._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html


def test_results_print_as_tables_and_sentences():
    y = np.repeat([1, 0], [40, 60])
    a = trueness.diagnose(y, np.r_[np.repeat([1, 0], [30, 10]), np.repeat([1, 0], [9, 51])])
    b = trueness.diagnose(y, np.r_[np.repeat([1, 0], [25, 15]), np.repeat([1, 0], [15, 45])])
    v = a.versus(b)
    text, d = str(v), v.difference("tpf")
    assert text.startswith("Two tests, paired (cohort study); difference: first − second")
    assert re.search(rf"tpf difference +{d.value:.3f}", text)
    stored = json.loads(v.to_json())
    assert stored["measures"]["tpf"]["low"] == approx(d.ci().low)
    assert stored["first"]["design"]["counts"]["values"][1][1] == 30
    assert r"dlr\_positive ratio" in v.to_latex()
    assert "| ppv ratio |" in v.to_markdown()
    after = a.post_test(0.1)
    assert "before the test: 0.1" in str(after)
    assert re.search(rf"post-test probability \+ +{after.positive.value:.3f}", str(after))
    assert json.loads(after.to_json())["pre_test"] == 0.1
    assert trueness.diagnose(tp=9, fn=1, fp=0, tn=20).post_test(0.1).positive.noted("half-added")
    curve = trueness.pr([1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    assert str(curve).startswith("Precision–recall curve of 6 cases, 3 of class 1 (positive)")
    assert f"{curve.average_precision.value:.2f}" in str(curve)
    regions = a.four_regions(b)
    assert json.loads(regions.to_json())["rates"]["region"] == "A"
    for shown in map(str, (v, after, curve, regions)):
        assert "object at" not in shown
        assert "Estimate(" not in shown
