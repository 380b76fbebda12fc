"""Logs of lm-evaluation-harness and inspect_ai become one tidy table."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

import trueness
from trueness.errors import InputError

HERE = Path(__file__).parent / "evals"
SMALL, LARGE = (HERE / name / "samples_quiz_2026-06-01T10-00-00.000000.jsonl" for name in ("small", "large"))
TWO_FILTERS = HERE / "two_filters" / "samples_gsm8k_2026-06-01T10-00-00.000000.jsonl"
INSPECT = HERE / "inspect_samples.csv"


def changed(tmp_path, **changes):
    """A log of `large` with some fields of the first line changed."""
    lines = [json.loads(line) for line in LARGE.read_text().splitlines()]
    lines[0].update(changes)
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_two_logs_of_lm_eval_are_compared_with_clusters_of_the_documents():
    table = trueness.systems.read_evals({"small": SMALL, "large": LARGE})
    assert list(table.columns) == ["system", "id", "score", "doc_question", "doc_passage", "doc_answer"]
    assert table.groupby("system")["score"].sum().to_dict() == {"small": 5, "large": 9}
    k = trueness.systems.compare(table, cluster="doc_passage")
    assert k.difference.value == pytest.approx((5 - 9) / 12)
    assert k.provenance["clusters"] == 4


def test_logs_without_names_are_named_by_their_folders():
    assert set(trueness.systems.read_evals([SMALL, LARGE])["system"]) == {"small", "large"}
    assert set(trueness.systems.read_evals(str(SMALL))["system"]) == {"small"}


def test_a_log_of_two_filters_needs_a_choice():
    with pytest.raises(InputError) as caught:
        trueness.systems.read_evals({"m": TWO_FILTERS})
    assert caught.value.param == "filter"
    assert caught.value.got == "'strict-match', 'flexible-extract'"
    strict, flexible = (
        trueness.systems.read_evals({"m": TWO_FILTERS}, filter=f)["score"] for f in ("strict-match", "flexible-extract")
    )
    assert (len(strict), strict.sum(), flexible.sum()) == (12, 6, 9)
    with pytest.raises(InputError) as caught:
        trueness.systems.read_evals({"m": TWO_FILTERS}, filter="none")
    assert caught.value.param == "filter"


def test_several_metrics_need_a_choice(tmp_path):
    lines = [json.loads(line) for line in LARGE.read_text().splitlines()]
    path = tmp_path / "several.jsonl"
    path.write_text("\n".join(json.dumps({**r, "metrics": ["acc", "acc_norm"], "acc_norm": 1.0}) for r in lines))
    with pytest.raises(InputError) as caught:
        trueness.systems.read_evals(path)
    assert (caught.value.param, caught.value.got) == ("score", "'acc', 'acc_norm'")
    assert trueness.systems.read_evals(path, score="acc_norm")["score"].sum() == 12


def test_old_logs_without_a_list_of_metrics_are_read(tmp_path):
    lines = [json.loads(line) for line in LARGE.read_text().splitlines()]
    path = tmp_path / "old.jsonl"
    keep = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "acc")
    path.write_text("\n".join(json.dumps({name: r[name] for name in keep}) for r in lines))
    assert trueness.systems.read_evals(path)["score"].sum() == 9


def test_other_documents_under_the_same_ids_are_an_error(tmp_path):
    with pytest.raises(InputError) as caught:
        trueness.systems.read_evals({"small": SMALL, "other": changed(tmp_path, doc_hash="another")})
    assert caught.value.param == "source"
    assert "doc_id 0" in str(caught.value)


def test_inspect_samples_are_paired_by_id_and_epochs_are_runs():
    table = trueness.systems.read_evals(INSPECT)
    assert list(table.columns) == ["system", "id", "run", "score", "metadata_topic"]
    assert set(table["score"]) == {0.0, 1.0}
    k = trueness.systems.compare(table, run="run")
    assert (k.provenance["items"], k.provenance["runs"]) == (10, 2)
    frame = pd.read_csv(INSPECT)
    assert trueness.systems.read_evals(frame).equals(table)
    one = trueness.systems.read_evals({"small": frame[frame["model"] == "openai/small"].query("epoch == 1")})
    assert list(one.columns) == ["system", "id", "score", "metadata_topic"]


@pytest.mark.parametrize(
    ("value", "number"),
    [("C", 1.0), ("P", 0.5), ("I", 0.0), ("N", 0.0), ("yes", 1.0), ("0.25", 0.25), (True, 1.0), (0.3, 0.3)],
)
def test_grades_of_inspect_are_numbers(value, number):
    frame = pd.DataFrame({"id": [1], "epoch": [1], "model": ["m"], "score_match": [value]})
    assert trueness.systems.read_evals(frame)["score"].tolist() == [number]


def test_a_sample_that_failed_has_no_score_and_its_item_is_named():
    frame = pd.DataFrame(
        {"id": [1, 2] * 2, "epoch": 1, "model": ["m", "m", "w", "w"], "score_match": ["C", "I", None, "C"]}
    )
    with pytest.raises(InputError) as caught:
        trueness.systems.compare(trueness.systems.read_evals(frame))
    assert "'w': 1" in str(caught.value)


def test_a_system_that_answered_an_item_twice_in_one_run_is_an_error(tmp_path):
    path = tmp_path / "twice.jsonl"
    path.write_text(LARGE.read_text() + LARGE.read_text().splitlines()[3])
    frame = pd.read_csv(INSPECT)
    for source, param in (({"m": path, "n": LARGE}, "item"), (pd.concat([frame, frame[:2]]), "run")):
        with pytest.raises(InputError, match="answers an item twice in one run") as caught:
            trueness.systems.compare(source)
        assert caught.value.param == param


@pytest.mark.parametrize(
    ("source", "param"),
    [
        (HERE / "missing.jsonl", "source"),
        (HERE, "filter"),  # a folder: one of its tasks has two filters
        ([], "source"),
        (3, "source"),
        ({"x": Path(__file__)}, "source"),  # not JSON
        (pd.DataFrame({"a": [1]}), "item"),
        (pd.DataFrame({"id": [1], "score_match": ["C"]}), "source"),  # nobody says of which system
        (pd.DataFrame({"id": [1], "model": ["m"], "score_match": ["maybe"]}), "score"),
        (pd.DataFrame({"id": [1], "model": ["m"], "score_match": [{"a": 1}]}), "score"),
        ([SMALL, SMALL], "source"),
    ],
)
def test_what_is_no_log_is_one_clear_error(source, param):
    with pytest.raises(InputError) as caught:
        trueness.systems.read_evals(source)
    assert caught.value.param == param


def test_lines_that_are_no_objects_and_empty_files_are_errors(tmp_path):
    path = tmp_path / "a.jsonl"
    for text, named in (("[1]\n", "a.jsonl"), ("", "a.jsonl"), ('{"doc_id": 1}\n', "no metrics")):
        path.write_text(text)
        with pytest.raises(InputError) as caught:
            trueness.systems.read_evals(path)
        assert named in str(caught.value)


def plain_log(path, rows):
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def test_plain_logs_of_correct_answers(tmp_path):
    rows = [{"id": f"q{i}", "run": r, "correct": (i + r) % 3 > 0} for i in range(6) for r in (1, 2)]
    a, b = (plain_log(tmp_path / f"{name}.jsonl", rows[::step]) for name, step in (("a", 1), ("b", -1)))
    table = trueness.systems.read_evals([a, b])
    assert list(table.columns) == ["system", "id", "run", "score"]
    assert table.groupby("system")["score"].sum().to_dict() == {"a": 8, "b": 8}
    both = plain_log(tmp_path / "both.jsonl", [{**row, "model": name} for name in "ab" for row in rows])
    assert trueness.systems.read_evals(both).groupby("system").size().to_dict() == {"a": 12, "b": 12}
    other = [{"q": row["id"], "seed": row["run"], "who": name, "grade": "C", "n": 3} for name in "ab" for row in rows]
    named = {"item": "q", "run": "seed", "system": "who", "score": "grade"}
    table = trueness.systems.read_evals(plain_log(tmp_path / "other.jsonl", other), **named)
    assert table["score"].tolist() == [1.0] * 24
    assert table["n"].tolist() == [3] * 24  # may serve as cluster


def test_a_plain_log_says_what_it_lacks(tmp_path):
    without = plain_log(tmp_path / "x.jsonl", [{"question": "?", "correct": 1}])
    with pytest.raises(InputError, match="which column is the item.*columns question, correct.*by item="):
        trueness.systems.read_evals(without)
    with pytest.raises(InputError, match="no column 'seed'. Got columns id, correct"):
        trueness.systems.read_evals(plain_log(tmp_path / "y.jsonl", [{"id": 1, "correct": 1}]), run="seed")
    two = plain_log(tmp_path / "z.jsonl", [{"id": 1, "acc": 0.5, "passed": 1, "n": 1}])
    with pytest.raises(InputError, match="z: which metric. Got acc, passed"):
        trueness.systems.read_evals(two)


def of_tasks(folder, right):
    """Logs of two tasks of one system, whose documents are numbered from 0 in each."""
    folder.mkdir()
    paths = []
    for task in ("law", "bio"):
        path = folder / f"samples_mmlu_{task}_2026-01-01T10-00-00.jsonl"
        rows = [{"doc_id": k, "doc_hash": f"{task}{k}", "metrics": ["acc"], "acc": float(k < right)} for k in range(6)]
        paths.append(plain_log(path, rows))
    return paths


def test_several_tasks_of_a_system_are_one_table_with_the_task_as_cluster(tmp_path):
    a, b = of_tasks(tmp_path / "a", 3), of_tasks(tmp_path / "b", 5)
    table = trueness.systems.read_evals([*a, *b])
    assert table.groupby(["system", "task"]).size().to_dict() == {
        (s, f"mmlu_{t}"): 6 for s in "ab" for t in ("bio", "law")
    }
    assert table["id"].nunique() == 12
    k = trueness.systems.compare(table, cluster="task")
    assert (k.provenance["items"], k.provenance["clusters"]) == (12, 2)
    assert k.difference.value == pytest.approx(-1 / 3)
    named = trueness.systems.read_evals({"x": a, "y": b})
    assert named["id"].tolist() == table["id"].tolist()
    assert set(named["system"]) == {"x", "y"}


def test_tasks_in_one_file_are_told_apart_by_the_hash_of_the_document(tmp_path):
    whole = {}
    for name, right in (("a", 3), ("b", 5)):
        whole[name] = tmp_path / f"{name}.jsonl"
        whole[name].write_text("\n".join(path.read_text() for path in of_tasks(tmp_path / f"of_{name}", right)))
    assert trueness.systems.compare(trueness.systems.read_evals(whole)).provenance["items"] == 12
    by_hash = trueness.systems.read_evals(whole, item="doc_hash")
    assert set(by_hash["id"]) == {f"{task}{k}" for task in ("law", "bio") for k in range(6)}
    with pytest.raises(InputError, match="no column 'nix'"):
        trueness.systems.read_evals(whole, item="nix")


def test_files_of_one_name_are_named_by_their_folders_and_may_be_compressed_or_one_array(tmp_path):
    rows = [{"task_id": k, "correct": "Correct" if k else "Incorrect"} for k in range(4)]
    paths = []
    for name in "ab":
        (tmp_path / name).mkdir()
        paths.append(tmp_path / name / "answers.jsonl.gz")
        paths[-1].write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    table = trueness.systems.read_evals(paths)
    assert table.groupby("system")["score"].sum().to_dict() == {"a": 3.0, "b": 3.0}
    array = tmp_path / "array.json"
    array.write_text(json.dumps(rows, indent=1))
    assert trueness.systems.read_evals(array)["score"].tolist() == [0.0, 1.0, 1.0, 1.0]
    with pytest.raises(InputError, match="The same file is given twice"):
        trueness.systems.read_evals([array, array])


def test_what_a_log_does_not_use_is_refused(tmp_path):
    a = plain_log(tmp_path / "a.jsonl", [{"id": k, "correct": 1, "run": 1} for k in range(3)])
    b = plain_log(tmp_path / "b.jsonl", [{"id": k, "correct": 1} for k in range(3)])
    with pytest.raises(InputError, match="have filters") as caught:
        trueness.systems.read_evals([a], filter="strict")
    assert caught.value.param == "filter"
    again = plain_log(tmp_path / "d.jsonl", [{"id": k, "correct": 1, "run": r} for k in range(3) for r in (1, 2)])
    with pytest.raises(InputError) as caught:
        trueness.systems.compare([again, b])
    assert caught.value.param == "run"
    nested = plain_log(tmp_path / "c.jsonl", [{"id": 1, "result": {"correct": 1}}])
    with pytest.raises(InputError, match="which metric"):
        trueness.systems.read_evals(nested)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="There are no logs in this folder"):
        trueness.systems.read_evals(tmp_path / "empty")


def test_logs_of_predicted_and_true_labels_are_compared(tmp_path):
    gold = list("ABABAB")
    said = {"a": list("ABABBB"), "b": list("AAAABB")}
    paths = [
        plain_log(
            tmp_path / f"{n}.jsonl",
            [{"id": k, "gold": g, "prediction": p} for k, (g, p) in enumerate(zip(gold, of, strict=True))],
        )
        for n, of in said.items()
    ]
    with pytest.raises(InputError, match="truth= with that of the true labels") as caught:
        trueness.systems.read_evals(paths)
    assert caught.value.param == "score"
    k = trueness.systems.compare(trueness.systems.read_evals(paths, truth="gold"), truth="gold")
    wide = trueness.systems.compare(
        pd.DataFrame({"id": range(6), "gold": gold, **said}), systems=["a", "b"], truth="gold"
    )
    assert k.frame().equals(wide.frame())
    with pytest.raises(InputError, match="say which answers are right"):
        trueness.systems.read_evals(SMALL, truth="target")


@pytest.mark.parametrize(
    "fields",
    [
        {"gold": "A", "prediction": "B", "hard": 1},
        {"answer": 12, "expected": 13},
        {"prediction": 1, "answer": 1},
        {"hard": 1},
        {"label": 1, "n": 0},
    ],
)
def test_a_number_of_another_name_is_not_taken_for_correctness(tmp_path, fields):
    path = plain_log(tmp_path / "a.jsonl", [{"id": k, **fields} for k in range(4)])
    with pytest.raises(InputError, match="which metric. Got none") as caught:
        trueness.systems.read_evals(path)
    assert caught.value.param == "score"


@pytest.mark.parametrize("name", ["correct", "is_correct", "passed", "resolved", "exact_match", "Score"])
def test_fields_of_usual_names_are_correctness_beside_other_numbers_and_named_in_a_note(tmp_path, name):
    paths = [
        plain_log(
            tmp_path / f"{s}.jsonl",
            [{"id": i, "gold": i, "answer": 1, "hard": i % 2, name: i % k > 0} for i in range(30)],
        )
        for s, k in (("a", 2), ("b", 3))
    ]
    table = trueness.systems.read_evals(paths)
    k = trueness.systems.compare(table)
    assert k.difference.value == pytest.approx(15 / 30 - 20 / 30)
    (note,) = (n for n in k.notes if n.code == "read-as-score")
    assert note.data == {"fields": [name]}
    named = trueness.systems.compare(trueness.systems.read_evals(paths, score=name))
    assert named.frame().equals(k.frame())
    assert "read-as-score" not in [n.code for n in named.notes]  # the user knows


def test_the_note_names_the_fields_of_every_format_and_predicted_labels(tmp_path):
    def fields(source, **options):
        k = trueness.systems.compare(trueness.systems.read_evals(source, **options), **options)
        return [n.data["fields"] for n in k.notes if n.code == "read-as-score"]

    assert fields([SMALL, LARGE]) == [["acc"]]
    a = plain_log(tmp_path / "a.jsonl", [{"id": i, "correct": 1} for i in range(9)])
    b = plain_log(tmp_path / "b.jsonl", [{"id": i, "passed": i % 2} for i in range(9)])
    assert fields([a, b]) == [["correct", "passed"]]
    rows = [{"id": i, "answer": i % 2, "response": i % 3 % 2} for i in range(9)]  # the true labels are no prediction
    paths = [plain_log(tmp_path / f"{name}.jsonl", rows) for name in "cd"]
    assert fields(paths, truth="answer") == [["response"]]
    table = trueness.systems.read_evals(paths, truth="answer")
    assert table["score"].tolist() == [row["response"] for row in rows] * 2


def test_a_long_table_with_values_of_another_usual_name_is_read_and_a_note_says_so():
    long = pd.DataFrame({"question_id": [1, 2] * 2, "model": list("aabb"), "exact_match": [1, 0, 1, 1]})
    k = trueness.systems.compare(long)
    assert k.difference.value == -0.5
    assert [n.data["fields"] for n in k.notes if n.code == "read-as-score"] == [["exact_match"]]


def harness_log(folder, task, filters, metric="acc", right=6, n=12):
    folder.mkdir(exist_ok=True)
    rows = [
        {
            "doc_id": k,
            "doc_hash": f"{task}{k}",
            "filter": f,
            "metrics": [metric],
            metric: float(k < right - (f == "strict")),
        }
        for k in range(n)
        for f in filters
    ]
    return plain_log(folder / f"samples_{task}_2026-06-01T10-00-00.jsonl", rows)


def test_a_filter_is_that_of_the_tasks_that_have_several(tmp_path):
    for name, right in (("a", 6), ("b", 9)):
        harness_log(tmp_path / name, "gsm8k", ("strict", "flexible"), "exact_match", right)
        harness_log(tmp_path / name, "mmlu_law", ("none",), right=right)
    read = trueness.systems.read_evals
    with pytest.raises(InputError, match="gsm8k of a: which filter. Got 'strict', 'flexible'.*filter='strict'"):
        read(tmp_path)
    table = read(tmp_path, filter="strict")
    assert table.groupby(["task", "system"])["score"].sum().tolist() == [5, 8, 6, 9]
    files = sorted(tmp_path.rglob("*.jsonl"))
    assert read(*files, filter="strict").equals(table)
    assert trueness.systems.compare(tmp_path / "a", tmp_path / "b", filter="strict").provenance["items"] == 24
    with pytest.raises(InputError, match="which filter. Got 'strict', 'flexible'"):
        read(files, filter="strickt")
    with pytest.raises(InputError, match="gsm8k of a: which filter. Got 'strict', 'flexible'"):
        read(files, filter="none")
    # a system whose log lacks the filter of the others is not read by its own
    harness_log(tmp_path / "b", "gsm8k", ("flexible",), "exact_match", 9)
    with pytest.raises(InputError, match="gsm8k of b: which filter. Got 'flexible'"):
        read(files, filter="strict")
    harness_log(tmp_path / "a", "gsm8k", ("strict",), "exact_match", 6)
    with pytest.raises(InputError, match="gsm8k of a: which filter. Got 'strict'. Pass one that all systems have"):
        read(files)


def test_a_metric_is_that_of_the_tasks_that_have_several(tmp_path):
    for name, right in (("a", 6), ("b", 9)):
        harness_log(tmp_path / name, "gsm8k", ("none",), "exact_match", right)
        path = harness_log(tmp_path / name, "arc", ("none",), right=right)
        rows = map(json.loads, path.read_text().splitlines())
        plain_log(path, [{**row, "metrics": ["acc", "acc_norm"], "acc_norm": 1.0} for row in rows])
    with pytest.raises(InputError, match="arc of a: which score. Got 'acc', 'acc_norm'.*score='acc'"):
        trueness.systems.read_evals(tmp_path)
    table = trueness.systems.read_evals(tmp_path, score="acc_norm")
    assert table.groupby(["task", "system"])["score"].sum().tolist() == [12, 12, 6, 9]
    assert table.attrs["read_as_score"] == ["acc_norm", "exact_match"]
