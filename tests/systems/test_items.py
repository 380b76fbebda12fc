"""Tables of systems that cannot be read: one clear error each."""

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.errors import InputError

FRAME = pd.DataFrame(
    {
        "id": np.repeat(np.arange(6), 2),
        "run": np.tile([0, 1], 6),
        "passage": np.repeat([0, 0, 0, 1, 1, 1], 2),
        "y": np.repeat(["A", "B", "A", "B", "A", "B"], 2),
        "a": [1, 0, 1, 1, 1, 1, 0, 0, 1, 0, 1, 1],
        "b": [0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1],
        "text": list("ABABABABABAB"),
        "grade": np.linspace(0, 1, 12),
    }
)
LONG = FRAME.melt(["id", "run", "passage"], ["a", "b"], var_name="system", value_name="score")


def gap(frame, column, rows):
    return frame.assign(**{column: frame[column].where(~frame.index.isin(rows))})


@pytest.mark.parametrize(
    ("frame", "options", "param", "named"),
    [
        (FRAME.rename(columns={"run": "r"}), {"systems": ["a", "b"]}, "item", "item 0 again"),  # runs without run=
        (pd.concat([FRAME, FRAME.iloc[:1]]), {"systems": ["a", "b"], "run": "run"}, "run", "item 0 again"),
        (pd.concat([LONG, LONG.iloc[:1]]), {"run": "run"}, "run", "item 0 again for system 'a'"),
        (FRAME, {"systems": ["a", "b"], "run": "run", "cluster": "run"}, "cluster", "item 0 with 0 and 1"),
        (LONG, {"run": "run", "cluster": "system"}, "cluster", "item 0 with a and b"),  # mixes systems
        (
            FRAME.assign(passage=7),
            {"systems": ["a", "b"], "run": "run", "cluster": "passage"},
            "cluster",
            "one cluster",
        ),
        (gap(FRAME, "passage", [3]), {"systems": ["a", "b"], "run": "run", "cluster": "passage"}, "cluster", "row 3"),
        (gap(FRAME, "b", [4, 5]), {"systems": ["a", "b"], "run": "run"}, "frame", "'b': 2"),
        (LONG.drop(index=[12, 13, 22, 23]), {"run": "run"}, "frame", "items 0, 5"),
        (FRAME, {"systems": ["a", "text"], "run": "run"}, "systems", "'A'"),
        (FRAME.assign(b=FRAME["b"].astype(str)), {"systems": ["a", "b"], "run": "run"}, "systems", "e.g. '0'"),
        (FRAME, {"systems": ["a", "grade"], "run": "run"}, "systems", "0.0909"),
        (FRAME.assign(b=np.inf), {"systems": ["a", "b"], "run": "run", "metric": "score"}, "systems", "inf"),
        (FRAME, {"systems": ["a", "b"], "run": "run", "truth": "y"}, "truth", "and"),
        (FRAME.assign(c="E"), {"systems": ["c", "c"], "run": "run", "truth": "y"}, "systems", "'c', 'c'"),
        (FRAME, {"systems": ["a"], "run": "run"}, "systems", "Which columns"),
        (LONG[LONG["system"] == "a"], {"run": "run"}, "systems", "Which columns"),
        (FRAME, {"systems": ["a", "run"], "run": "run"}, "systems", "'run'"),
        (FRAME, {"systems": ["a", "q"], "run": "run"}, "systems", "'q'"),
        (FRAME, {"systems": ["a", "b"], "item": "doc"}, "item", "'doc'"),
        (LONG.drop(columns="score"), {"run": "run"}, "score", "Pass score="),
        (FRAME, {"systems": ["a", "b"], "run": "run", "metric": "f1"}, "metric", "'f1'"),
        (FRAME, {"systems": ["a", "b"], "run": "run", "metric": "auc"}, "truth", "AUC"),
        (FRAME, {"systems": ["a", "b"], "run": "run", "metric": "score", "truth": "y"}, "truth", "metric='auc'"),
        (FRAME, {"systems": ["a", "b"], "run": "run", "metric": "auc", "truth": "y"}, "positive", "'A'"),
        (FRAME.assign(y=1), {"systems": ["a", "b"], "run": "run", "metric": "auc", "truth": "y"}, "truth", "[1]"),
        (
            FRAME.assign(y=np.arange(12)),
            {"systems": ["a", "b"], "run": "run", "metric": "auc", "truth": "y"},
            "truth",
            "item 0 with 0 and 1",
        ),
        (
            FRAME.iloc[:-1],
            {"systems": ["a", "b"], "run": "run", "metric": "auc", "truth": "y", "positive": "B"},
            "run",
            "every run",
        ),
        (FRAME.iloc[:2], {"systems": ["a", "b"], "run": "run"}, "item", "Got 1"),
        (FRAME.iloc[:0], {"systems": ["a", "b"]}, "frame", "no rows"),
        ([1, 2], {"systems": ["a", "b"]}, "frame", "list"),
        (FRAME, {"systems": ["a", "b"], "run": "run", "level": 95}, "level", "95"),
    ],
)
def test_the_error_names_the_parameter_and_what_is_wrong(frame, options, param, named):
    with pytest.raises(InputError) as caught:
        trueness.systems.compare(frame, **options)
    assert caught.value.param == param
    assert named in str(caught.value)


def test_a_good_table_is_read_and_polars_too():
    k = trueness.systems.compare(FRAME, systems=["a", "b"], run="run")
    assert k.provenance == {"items": 6, "clusters": None, "runs": 2, "words": k.provenance["words"]}
    polars = pytest.importorskip("polars")
    again = trueness.systems.compare(polars.from_pandas(FRAME), systems=["a", "b"], run="run")
    assert again.to_json() == k.to_json()


def test_booleans_are_correctness():
    one = FRAME[FRAME["run"] == 0]
    k = trueness.systems.compare(one.assign(a=one["a"] == 1, b=one["b"] == 1), systems=["a", "b"])
    assert k.to_json() == trueness.systems.compare(one, systems=["a", "b"]).to_json()


def test_items_that_are_numbers_in_one_log_and_text_in_another_are_matched():
    a = pd.DataFrame({"id": [1, 2, 3, 10], "system": "a", "score": [1, 0, 1, 1]})
    b = a.assign(system="b", score=[1, 1, 0, 1])
    whole = trueness.systems.compare(pd.concat([a, b]))
    for other in (a["id"].astype(str), a["id"].astype(float)):
        mixed = trueness.systems.compare(pd.concat([a, b.assign(id=other)]))
        assert mixed.frame().equals(whole.frame())
    with pytest.raises(InputError, match="No item was answered by all systems. Got e.g. 'a': 1, 'b': q1") as caught:
        trueness.systems.compare(pd.concat([a.astype({"id": str}), b.assign(id=["q1", "q2", "q3", "q4"])]))
    assert caught.value.param == "item"


def test_a_system_whose_labels_are_never_true_has_a_warning():
    frame = pd.DataFrame({"id": range(6), "y": list("ABABAB"), "a": list("ABABAA")}).assign(b=lambda f: f["y"] + ".")
    k = trueness.systems.compare(frame, systems=["a", "b"], truth="y")
    note = next(n for n in k.notes if n.code == "labels-never-true")
    assert (note.severity, note.data) == ("warning", {"system": "b", "answers": 6})
    k = trueness.systems.compare(frame.assign(b=["?", *"BABAB"]), systems=["a", "b"], truth="y")
    assert [n.data["answers"] for n in k.notes if n.code == "labels-never-true"] == [1]
    k = trueness.systems.compare(frame.assign(b="A"), systems=["a", "b"], truth="y")
    assert "labels-never-true" not in [n.code for n in k.notes]


@pytest.mark.parametrize("name", ["cluster", "run", "truth", "item"])
def test_columns_are_named_not_passed(name):
    with pytest.raises(InputError, match=f"{name} must name a column. Got Series") as caught:
        trueness.systems.compare(FRAME, **{"systems": ["a", "b"], "run": "run", name: FRAME["id"]})
    assert caught.value.param == name


def test_text_that_is_no_number_is_refused_with_advice_for_both_meanings():
    one = FRAME[FRAME["run"] == 0]
    for values in (one["b"].astype(str), one["b"].map({0: "no", 1: "yes"})):
        with pytest.raises(InputError, match="Write 1 and 0 .* by truth="):
            trueness.systems.compare(one.assign(b=values), systems=["a", "b"])


def answers_with_gaps():
    """Two systems, 3 runs; b has no value in 20 records, and lacks 7 others altogether."""
    rng = np.random.default_rng(4)
    long = pd.DataFrame([(i, r, s) for i in range(60) for r in range(3) for s in "ab"], columns=["id", "run", "system"])
    long["score"] = (rng.random(len(long)) < 0.7).astype(float)
    own = rng.permutation(long.index[long["system"] == "b"])
    long.loc[own[:20], "score"] = np.nan
    return long, long.drop(index=own[20:27])


def test_records_without_a_value_in_one_of_several_runs_are_refused_with_both_ways_out():
    long, _ = answers_with_gaps()
    with pytest.raises(InputError, match="'b': 20, items .*missing='wrong' counts .*missing='drop' leaves") as caught:
        trueness.systems.compare(long, run="run")
    assert caught.value.param == "frame"
    wide = long.pivot(index=["id", "run"], columns="system", values="score").reset_index()
    with pytest.raises(InputError, match="'b': 20, items"):
        trueness.systems.compare(wide, systems=["a", "b"], run="run")


def test_missing_answers_count_as_wrong_or_leave_their_items_out():
    _, less = answers_with_gaps()
    whole = pd.MultiIndex.from_product([range(60), range(3), list("ab")], names=["id", "run", "system"])
    filled = less.set_index(["id", "run", "system"]).reindex(whole)["score"].fillna(0.0).reset_index()
    wrong = trueness.systems.compare(less, run="run", missing="wrong")
    assert wrong.frame().equals(trueness.systems.compare(filled, run="run").frame())
    note = next(n for n in wrong.notes if n.code == "missing-answers")
    assert note.data["lacking"] == {"b": 27}
    assert "27 of b" in str(wrong)
    assert "missing answers counted as wrong (27 of b)." in wrong.methods()

    complete = less.dropna().groupby(["id", "system"]).size().unstack().min(axis=1) == 3
    left = less[less["id"].isin(complete.index[complete])]
    dropped = trueness.systems.compare(less, run="run", missing="drop")
    assert dropped.frame().equals(trueness.systems.compare(left, run="run").frame())
    assert dropped.provenance["items"] == complete.sum() < 60
    assert "left out for all systems" in dropped.methods()


def test_a_missing_record_of_a_run_is_as_a_missing_answer_and_fewer_runs_are_none():
    long, less = answers_with_gaps()
    with pytest.raises(InputError, match="'b': 27, items"):
        trueness.systems.compare(less.dropna(), run="run")
    wrong = trueness.systems.compare(less.dropna(), run="run", missing="wrong")
    everything = long["score"].where(long.index.isin(less.index)).fillna(0.0)[long["system"] == "b"]
    assert wrong.estimates["b"].value == pytest.approx(everything.mean())
    fewer = less.dropna()[lambda f: (f["system"] == "a") | (f["run"] == 0)]  # fewer runs are no missing answers
    one = trueness.systems.compare(fewer, run="run", missing="drop")
    assert one.provenance["items"] == (less.dropna().query("system == 'b'")["run"] == 0).sum()


def test_an_item_without_any_record_is_missing_too_and_an_auc_has_no_wrong_answer():
    long = LONG[LONG["run"] == 0].drop(columns="run")
    less = long.drop(index=[14])
    assert trueness.systems.compare(less, missing="wrong").estimates["b"].value == pytest.approx(
        long.loc[[12, 16, 18, 20, 22], "score"].sum() / 6
    )
    graded = FRAME[FRAME["run"] == 0].assign(grade=lambda f: f["grade"].where(f["id"] != 3), a=lambda f: f["a"] * 9.0)
    for options in ({"metric": "auc", "truth": "y", "positive": "B"}, {"metric": "score"}):
        with pytest.raises(InputError, match="no value of a wrong answer") as caught:
            trueness.systems.compare(graded, systems=["grade", "a"], missing="wrong", **options)
        assert caught.value.param == "missing"
    with pytest.raises(InputError, match="Choose one of error, wrong, drop"):
        trueness.systems.compare(long, missing="zero")


def test_usual_names_are_found_and_files_are_read_as_their_tables_are(tmp_path):
    one = FRAME[FRAME["run"] == 0].rename(columns={"id": "question_id"})
    expected = trueness.systems.compare(one, item="question_id", systems=["a", "b"]).frame()
    assert trueness.systems.compare(one, systems=["a", "b"]).frame().equals(expected)
    long = one.melt("question_id", ["a", "b"], var_name="model", value_name="correct")
    one.to_csv(tmp_path / "wide.csv", index=False)
    long.to_csv(tmp_path / "long.tsv", index=False, sep="\t")
    long.to_json(tmp_path / "both.jsonl", orient="records", lines=True)
    one.to_json(tmp_path / "wide.jsonl", orient="records", lines=True)
    (tmp_path / "logs").mkdir()
    files = [tmp_path / "logs" / f"{name}.jsonl" for name in "ab"]
    for name, file in zip("ab", files, strict=True):
        long[long["model"] == name].to_json(file, orient="records", lines=True)
    wide = {"systems": ["a", "b"]}
    for sources, options in (
        ((long,), {}),
        ((long,), {"systems": "model"}),
        ((long,), wide),
        ((str(tmp_path / "wide.csv"),), wide),
        ((tmp_path / "wide.jsonl",), wide),
        ((tmp_path / "long.tsv",), {}),
        ((tmp_path / "both.jsonl",), {}),
        (files, {}),
        ((files,), {}),
        ((files,), wide),
        ((dict(zip("ab", files, strict=True)),), {}),
        ((tmp_path / "logs",), {}),
    ):
        assert trueness.systems.compare(*sources, **options).frame().equals(expected), (sources, options)
    runs = trueness.systems.compare(FRAME, systems=["a", "b"])
    assert runs.to_json() == trueness.systems.compare(FRAME, systems=["a", "b"], run="run").to_json()


def test_a_table_without_named_systems_is_answered_in_python():
    one = FRAME[FRAME["run"] == 0].drop(columns=["run", "passage"]).rename(columns={"id": "q"})
    for options in ({}, {"item": "q", "systems": "a"}):
        with pytest.raises(InputError, match="Which columns are the systems.*columns q, y, a, b"):
            trueness.systems.compare(one, **options)
    with pytest.raises(InputError, match="Only files can be given several at a time"):
        trueness.systems.compare(one, one)


def test_a_column_that_numbers_the_rows_is_not_the_item_where_systems_share_another():
    long = LONG[LONG["run"] == 0].drop(columns="run")
    rows = long.rename(columns={"id": "question_id"}).reset_index(drop=True).rename_axis("id").reset_index()
    expected = trueness.systems.compare(long).frame()
    assert trueness.systems.compare(rows).frame().equals(expected)
    other = rows.rename(columns={"system": "model", "score": "correct"})
    assert trueness.systems.compare(other).frame().equals(expected)
