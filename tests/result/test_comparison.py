"""Comparison: pairs both ways round, one page for every format, and notes that name their pair."""

import json

import numpy as np
import pytest

from trueness import comparisons as C
from trueness.api.comparison import Comparison
from trueness.comparisons.decision_tests import Tango
from trueness.errors import InputError
from trueness.result import Estimate, Note
from trueness.result.pairs import mirrored, pair_notes

FEW = Note("few-replicates", "Use more replicates in plan=.", needed=2200)


def difference(value, *notes, **more):
    return Estimate(value, 0.02, metric="auc difference", method="lpob", bounds=(-1, 1), **more).noting(*notes)


@pytest.fixture
def k():
    differences = {
        ("<a>", "b"): difference(0.1, FEW),
        ("<a>", "c"): difference(0.05),
        ("b", "c"): difference(-0.05, FEW),
    }
    return Comparison(
        metric="auc",
        method="lpob",
        higher_is_better=True,
        estimates={name: Estimate(v, 0.02, bounds=(0, 1)) for name, v in (("<a>", 0.9), ("b", 0.8), ("c", 0.85))},
        differences=differences,
        tests={},
        adjusted={("<a>", "b"): 0.00001, ("<a>", "c"): 0.031},
        other_se={("<a>", "b"): {"influence-corrected": 0.03}},
        pair=("<a>", "c"),
        notes=pair_notes(differences),
        provenance={"design": "50 cases"},
    )


def test_the_pair_of_interest(k):
    assert k.difference.value == 0.05
    assert k.p_value == 0.031
    assert k.ranking() == ["<a>", "c", "b"]


def test_a_pair_can_be_asked_both_ways_round(k):
    assert k["c", "<a>"].value == -0.05
    low, high = k["<a>", "c"].ci(0.9)
    assert tuple(k["c", "<a>"].ci(0.9)) == pytest.approx((-high, -low))
    for wrong in (("<a>", "z"), "b"):
        with pytest.raises(InputError, match="There is no pair .*in either order"):
            k[wrong]


def test_mirrored_estimates_keep_their_kind_of_interval():
    d = Estimate(-0.2, None, influence=np.array([1.0, -2.0]), bounds=(-1, 1), interval=Tango(0, 6, 30))
    turned = mirrored(d)
    assert turned.influence.tolist() == [-1.0, 2.0]
    assert tuple(turned.ci()) == pytest.approx(C.tango(6, 0, 30))
    assert turned.ci().method == "tango"


def test_notes_name_the_pairs_they_are_about(k):
    (note,) = k.notes
    assert note.code == "few-replicates"
    assert note.data == {"needed": 2200, "pairs": ["<a> − b", "b − c"]}
    assert str(note) == "<a> − b, b − c: Use more replicates in plan=."
    everywhere = pair_notes({("a", "b"): difference(0.1, FEW)})
    assert everywhere == (FEW,)


def test_frames_of_pairs_and_of_models(k):
    pairs = k.frame(details=True)
    assert pairs[["first", "second"]].values.tolist() == [["<a>", "b"], ["<a>", "c"], ["b", "c"]]
    narrow = k.frame()
    assert narrow.columns.tolist() == ["first", "second", "difference", "se", "low", "high", "p_value", "p_adjusted"]
    assert pairs[narrow.columns].equals(narrow)
    assert pairs["se_influence_corrected"][0] == 0.03
    assert pairs["p_adjusted"].isna().tolist() == [False, False, True]
    assert k.frame(level=0.5)["low"][0] > pairs["low"][0]
    assert k.frame("models")["model"].tolist() == ["<a>", "c", "b"]


def test_the_text_starts_with_the_verdict(k):
    text = k.text()
    assert text.startswith(k.verdict)
    assert (
        "<a>'s AUC is higher than c's by 0.050 ± 0.020 (p = 0.031, adjusted for 3 pairs): <a> is better." in k.verdict
    )
    assert "95 % interval for all pairs" in text
    assert "p for all pairs" in text
    assert "< 0.0001" in text
    assert "Note: <a> − b, b − c: Use more replicates in plan=." in text


def test_html_is_escaped_and_has_the_notes(k):
    html = k._repr_html_()
    assert "<a>" not in html
    assert "Use more replicates in plan=." in html


def test_json_holds_outcome_and_pairs(k):
    read = json.loads(k.to_json())
    assert read["outcome"] == "better"
    assert read["p_value"] == 0.031
    assert read["notes"][0]["code"] == "few-replicates"
