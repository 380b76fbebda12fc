"""Assessment: estimates by name, what is missing says why, and one page for every format."""

import dataclasses
import json
import re
from dataclasses import replace

import pytest

from trueness.api.assessment import Assessment
from trueness.errors import InputError, UndefinedError
from trueness.result import Estimate, Note
from trueness.result.interval import LOGIT, WILSON
from trueness.result.words import StandardError

UNIT = {"bounds": (0.0, 1.0), "cases": 50}
ESTIMATES = {
    ("error", "loob"): Estimate(
        0.21, 0.03, metric="error", method="loob", se_method=StandardError("influence"), interval=WILSON, **UNIT
    ),
    ("auc", "star"): Estimate(0.87, mc_se=0.002, metric="auc", method="star", **UNIT),
    ("auc", "rb"): Estimate(float("nan"), metric="auc", method="rb", interval=LOGIT, **UNIT),
}
SKIPPED = Note("too-many-scores", "Use fewer replicates in plan=.", scores=2e10)


@pytest.fixture
def a():
    return Assessment(
        ESTIMATES,
        model="<LDA>",
        notes=(
            Note("info-note", "An ordinary note."),
            Note("unbalanced", "10% are 1 & 90% are 0.", "warning", share=0.1),
        ),
        provenance={"design": "50 cases; Bootstrap(100)"},
        skipped={("auc", "lpob"): SKIPPED},
        preferred=("loob", "lpob", "star"),
        metrics=("error", "auc"),
    )


def test_estimates_are_found_by_metric_and_method(a):
    assert a["error", "loob"].value == 0.21
    assert ("error", "loob") in a
    assert "error" not in a  # nothing is recommended here
    chosen = dataclasses.replace(a, recommended={"error": "loob"})
    assert "error" in chosen
    assert chosen["error"] is a["error", "loob"]
    assert "auc" not in chosen
    assert 3 not in chosen
    assert list(a) == list(ESTIMATES)


@pytest.mark.parametrize("write", ["report", "to_json", "to_csv", "to_latex", "to_markdown"])
def test_a_file_that_cannot_be_written_is_an_input_error(a, tmp_path, write):
    for path in (tmp_path / ("long" * 70), "deep/" * 900, tmp_path / "none" / "a.html", tmp_path):
        with pytest.raises(InputError) as raised:
            getattr(a, write)(path)
        assert raised.value.param == "path"


def test_a_skipped_estimate_says_why(a):
    with pytest.raises(UndefinedError, match="Use fewer replicates in plan=") as raised:
        a["auc", "lpob"]
    assert raised.value.fix == SKIPPED.message


@pytest.mark.parametrize("key", [("auc", "loob"), "auc", 3])
def test_an_unknown_estimate_lists_what_there_is(a, key):
    with pytest.raises(InputError, match="Available: error/loob, auc/star, auc/rb") as raised:
        a[key]
    assert not isinstance(raised.value, UndefinedError)


def test_the_frame_is_unrounded_and_takes_a_level(a):
    frame = a.frame()
    assert list(frame.columns[:6]) == ["metric", "method", "value", "se", "low", "high"]
    assert frame["low"][0] == a["error", "loob"].ci(0.95).low
    assert a.frame(0.5)["low"][0] > frame["low"][0]
    assert frame["low"].isna().tolist() == [False, True, True]


def test_the_text_has_warnings_before_notes_and_the_reason_of_what_is_missing(a):
    text = a.text()
    assert text.startswith("<LDA>\n50 cases; Bootstrap(100)\n\nmetric  method")
    assert text.index("Warning: 10%") < text.index("Note: An ordinary note.") < text.index("Note: Use fewer")
    assert "replicates in plan=." in text
    assert "error   loob    0.210" in text
    assert "undefined" in text
    assert repr(a) == str(a)


def test_every_format_comes_from_the_same_page(a, tmp_path):
    html = a._repr_html_()
    assert '<p class="about">&lt;LDA&gt;<br>' in html
    assert "1 &amp; 90%" in html
    assert r"\begin{tabular}" in a.to_latex()
    assert "| error | loob | 0.210 |" in a.to_markdown()
    assert a.to_csv(tmp_path / "a.csv") == (tmp_path / "a.csv").read_text(encoding="utf-8")
    text = a.to_json(tmp_path / "a.json")
    assert text == (tmp_path / "a.json").read_text(encoding="utf-8")
    read = json.loads(text)
    assert [note["code"] for note in read["notes"]] == ["info-note", "unbalanced"]
    assert "too-many-scores" in text


def test_the_answer_and_the_recommended_rows_come_first_and_the_others_on_request(a):
    short = replace(a, recommended={"error": "loob"})
    assert "error   loob" in short.text()
    assert "star" not in short.text()
    table = re.sub(
        r"<svg.*?</svg>", "", short._repr_html_(), flags=re.DOTALL
    )  # the figure shows all where none is recommended
    assert ">star<" not in table
    assert short.text().index("Error 0.210 (95 % CI") < short.text().index("Recommended")
    assert "Use fewer replicates" in short.text()  # no AUC is recommended: why is said
    assert "star" in short.text(all=True)
    assert len(short.frame()) == len(ESTIMATES)


def test_why_others_were_skipped_is_said_on_request_where_there_is_an_interval(a):
    estimates = {**ESTIMATES, ("auc", "cv"): Estimate(0.87, 0.02, metric="auc", method="cv", interval=LOGIT, **UNIT)}
    short = replace(a, estimates=estimates, recommended={"error": "loob", "auc": "cv"})
    assert "Use fewer replicates" not in short.text()
    assert "Use fewer replicates" in short.text(all=True)


def test_a_long_title_of_a_table_wraps_in_a_notebook(a):
    """One that does not would make the table wider than its cells need, and hide columns."""
    captions = re.findall(r"[^{}]*caption[^{}]*\{[^}]*\}", a._repr_html_())
    assert captions
    assert not any("nowrap" in rule for rule in captions)
