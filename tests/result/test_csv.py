"""No text of a CSV is a formula, and numbers stay numbers."""

import io

import pandas as pd
import pytest

from trueness.result.shown import Page, Table, as_latex, as_markdown, as_text, csv_text, defused


@pytest.mark.parametrize("begin", list("=+-@\t\r\n＝＠"))
def test_texts_in_cells_names_and_index_are_defused(begin):
    bad = f"{begin}cmd|' /C calc'!A0"
    frame = pd.DataFrame({bad: [bad, "fine"], "c": pd.Categorical([bad, "x"]), "n": [-1.5, 2]}, index=[bad, "b"])
    read = pd.read_csv(io.StringIO(csv_text(frame.reset_index())), index_col=0, keep_default_na=False)
    bad = bad.replace("\r", "\n")
    assert list(read.columns) == [f"'{bad}", "c", "n"]
    assert list(read.index) == [f"'{bad}", "b"]
    assert read.iloc[:, 0].tolist() == [f"'{bad}", "fine"]
    assert read["c"].tolist() == [f"'{bad}", "x"]
    assert read["n"].tolist() == [-1.5, 2]


def test_a_carriage_return_does_not_begin_a_line():
    (cell,) = pd.read_csv(io.StringIO(csv_text(pd.DataFrame({"a": ["x\r=1+1"]}))))["a"]
    assert cell == "x\n=1+1"


def test_what_is_no_formula_is_written_as_pandas_does():
    frame = pd.DataFrame({"a": [-1.0, None], "b": ["632+", None], "c": ["-2e-3", "+4"], "d": [True, False]})
    assert csv_text(frame) == frame.to_csv(index=False)
    levels = frame.set_index(["b", "c"])
    assert csv_text(levels.reset_index()) == levels.to_csv()


def test_an_index_of_several_levels_is_defused():
    frame = pd.DataFrame({"a": ["=1", "x"], "b": ["y", "@z"], "v": [1, 2]}).set_index(["a", "b"])
    assert csv_text(frame.reset_index()).splitlines() == ["a,b,v", "'=1,y,1", "x,'@z,2"]


@pytest.mark.parametrize("value", [-3, -0.5, "-0.5", "+1", "", None, "a=b"])
def test_numbers_and_plain_texts_stay(value):
    assert defused(value) == value


@pytest.mark.parametrize("rendered", [as_text, as_markdown, as_latex])
def test_a_line_feed_in_a_cell_or_head_begins_no_row(rendered):
    plain, broken = (
        rendered(Page(tables=(Table((f"a{between}b", "c"), ((f"x{between}y", "1"),)),))) for between in (" ", "\n")
    )
    assert len(broken.splitlines()) == len(plain.splitlines())
