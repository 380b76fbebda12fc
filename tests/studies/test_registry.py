"""The registry of studies, their result, the folder they write, and the command line."""

import json

import numpy as np
import pandas as pd
import pytest

from trueness import studies
from trueness.cli.main import run as cli
from trueness.errors import InputError
from trueness.studies.page import table_of
from trueness.studies.registry import find
from trueness.studies.result import Claim, StudyResult


@pytest.fixture(scope="module")
def small():
    return studies.run("auc-estimators", trials=3, sizes=(20, 22), rng=0, n_jobs=1, resamples=30)


def test_the_two_names_that_others_rely_on():
    assert studies.names()[:2] == ["auc-estimators", "auc-difference"]
    assert all(find(name).title for name in studies.names())


def test_columns_of_auc_estimators(small):
    table = small.frame()
    wanted = ["size", "estimator", "mean", "sd", "rms", "rms_around_mean", "correlation"]
    assert table.columns[:7].tolist() == wanted
    assert table.columns[7:].tolist() == [f"{name}_mc" for name in wanted[2:]]
    assert table["estimator"].unique().tolist() == ["true", "star", "632", "632+", "632+ clipped", "apparent"]
    assert small.published().columns.tolist() == wanted
    assert small.published()["size"].unique().tolist() == [20, 22]


def test_rows_of_auc_difference():
    result = studies.run("auc-difference", trials=2, rng=0, n_jobs=1, resamples=150, test_size=200)
    table = result.frame()
    assert table.index[:6].tolist() == ["E M_t", "SD M_t", "E LPOB", "SD LPOB", "E SD^", "SD SD^"]
    assert table.columns[:3].tolist() == ["lda", "qda", "difference"]
    assert result.published().loc["E LPOB", "difference"] == 0.0758
    assert abs(table.loc["E LPOB", "lda"] - table.loc["E LPOB", "qda"] - table.loc["E LPOB", "difference"]) < 1e-12


def test_check_fails_where_a_claim_does_not_hold():
    result = StudyResult({"t": pd.DataFrame({"a": [1.0]})}, claims=(Claim("true", True),))
    assert result.check()
    bad = StudyResult({"t": pd.DataFrame()}, claims=(Claim("a", True), Claim("b", False, "0 > 1")))
    assert not bad.checks()
    with pytest.raises(studies.StudyFailed, match="FAILS: b"):
        bad.check()


def test_the_check_of_table_2_notices_a_wrong_estimator():
    from trueness.studies.published.auc_estimators import claims, printed

    table = printed()
    for name in ("mean", "sd", "rms", "rms_around_mean", "correlation"):
        table[f"{name}_mc"] = table["sd"] / 1000**0.5
    assert all(c.holds for c in claims(table, pd.DataFrame(), 1000))
    one_off = table.copy()
    one_off.loc[(table["size"] == 20) & (table["estimator"] == "star"), "mean"] += 0.02
    assert claims(one_off, pd.DataFrame(), 1000)[0].holds  # one size of ten may miss
    biased = table.copy()
    biased.loc[table["estimator"] == "632+", "mean"] += 0.02
    assert not claims(biased, pd.DataFrame(), 1000)[0].holds
    wide = table.copy()
    wide.loc[(table["size"] == 50) & (table["estimator"] == "632"), "sd"] *= 1.11
    assert not claims(wide, pd.DataFrame(), 1000)[1].holds


def test_the_check_of_table_4_notices_a_wrong_row():
    from trueness.studies.published.auc_difference import TABLE_4, claims

    table = pd.DataFrame.from_dict(TABLE_4, orient="index", columns=["lda", "qda", "difference"])
    table[["lda_mc", "qda_mc", "difference_mc"]] = 0.001
    assert all(c.holds for c in claims(table, 1000, 1000))
    for row in ("E M_t", "SD M_t", "E LPOB", "SD LPOB", "E SD^"):
        off = table.copy()
        off.loc[row, "difference"] += 0.013
        assert not all(c.holds for c in claims(off, 1000, 1000))
    low = table.copy()
    low.loc["E SD^", "lda"] *= 0.99  # the exact form is never below the published one
    assert not all(c.holds for c in claims(low, 1000, 1000))


def test_wrong_names_settings_and_sizes():
    with pytest.raises(InputError, match="Choose one of .*auc-estimators"):
        studies.run("auc-estimator")
    for param, options in (
        ("flavour", {"flavour": 3}),
        ("sizes", {"sizes": (1,)}),
        ("sizes", {"sizes": (20, 20)}),
        ("sizes", {"sizes": ()}),
        ("sizes", {"sizes": (20.5,)}),
    ):
        with pytest.raises(InputError) as caught:
            studies.run("auc-estimators", **options)
        assert caught.value.param == param
    with pytest.raises(InputError, match="has no sizes"):
        studies.run("auc-difference", sizes=(20,))
    with pytest.raises(InputError, match="trials"):
        studies.run("auc-estimators", trials=0)
    with pytest.raises(InputError, match="resamples"):
        studies.run("auc-estimators", resamples=0)


def test_write_makes_a_page_that_needs_no_other_file(small, tmp_path):
    written = {path.name for path in small.write(tmp_path)}
    assert {"accuracy.csv", "printed.csv", "means.png", "study.json", "index.html"} <= written
    page = (tmp_path / "index.html").read_text()
    assert "data:image/png;base64," in page
    assert "/ 0.5914" in page  # published, beside ours
    assert "http" not in page
    table = pd.read_csv(tmp_path / "accuracy.csv", dtype={"estimator": str})
    assert (table["mean"] == small.frame()["mean"]).all()
    found = json.loads((tmp_path / "study.json").read_text())
    assert found["study"] == "auc-estimators"
    assert found["tables"]["accuracy"][1]["mean"] == small.frame()["mean"][1]


def test_the_picture_is_data_first(small):
    assert {panel.title for panel in small.pictures[0].panels} == {"ours", "as published"}
    ax = small.plot()
    assert len(ax.figure.axes) == 2
    with pytest.raises(InputError, match="1 figure. Got 1"):
        small.plot(which=1)


def test_a_result_shows_itself_in_every_form(small):
    text = str(small)
    assert "0.5914" in text
    assert "(first" not in text
    assert small._repr_html_().count("<table>") == 4  # three tables and the claims
    assert "| 20 | star |" in small.to_markdown()
    assert json.loads(small.to_json())["published"][0]["estimator"] == "true"
    with pytest.raises(InputError, match="accuracy, average RMS") as caught:
        small.frame("x")
    assert caught.value.param == "which"


def test_cells_show_error_and_published_number():
    table = pd.DataFrame({"n": [5, 10], "share": [0.5, np.nan], "share_mc": [0.01, 0.01], "x": [0.25, 1e-5]})
    shown = table_of(table, pd.DataFrame({"n": [5], "share": [0.4]}), "t")
    assert tuple(shown.heads) == ("n", "share", "x")
    assert tuple(map(tuple, shown.rows)) == (("5", "0.500(10) / 0.4000", "0.2500"), ("10", "", "1e-05"))
    long = table_of(pd.DataFrame({"a": range(50)}), None, "t", most_rows=3)
    assert len(long.rows) == 3
    assert "first 3 of 50" in long.title


def test_the_command_line(tmp_path, capsys):
    assert cli(["study", "--list"]) == 0
    assert "auc-difference" in capsys.readouterr().out
    arguments = ["study", "auc-estimators", "--trials", "2", "--sizes", "20", "--jobs", "1", "--out", str(tmp_path)]
    first = cli(arguments)
    out = capsys.readouterr().out
    assert "632+ clipped" in out
    assert (tmp_path / "index.html").exists()
    assert (tmp_path / "trials.db").exists()
    table = (tmp_path / "accuracy.csv").read_bytes()
    assert cli(arguments) == first  # from the store
    assert (tmp_path / "accuracy.csv").read_bytes() == table
    assert cli(["study", "auc-estimators", "--sizes", "twenty"]) == 2
    assert cli(["study", "nothing"]) == 2
    assert cli([*arguments, "--seed", "1"]) == 2  # the store belongs to seed 0


@pytest.mark.parametrize(
    ("name", "size"), [("early-stopping", 10), ("decision-surfaces", 3), ("ridge", 10), ("adaboost", 4)]
)
def test_too_small_a_size_is_refused(name, size):
    with pytest.raises(InputError, match=f"of at least {find(name).least}") as caught:
        studies.run(name, trials=2, sizes=(size,), n_jobs=1)
    assert caught.value.param == "sizes"


def test_the_least_size_works():
    studies.run("early-stopping", trials=2, sizes=(30,), rounds=5, n_jobs=1)
    studies.run("adaboost", trials=3, sizes=(5,), n_jobs=1).frame()
    assert studies.run("ridge", trials=20, sizes=(16,), n_jobs=1).checks().claims[0].holds
