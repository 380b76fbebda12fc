"""trueness compare-systems: tables and logs, and errors that name options."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from trueness.cli.main import run

EVALS = Path(__file__).parents[1] / "systems" / "evals"
LOGS = [str(EVALS / name / "samples_quiz_2026-06-01T10-00-00.000000.jsonl") for name in ("small", "large")]


@pytest.fixture
def items(tmp_path):
    rng, n = np.random.default_rng(0), 80
    hard = rng.normal(size=n)
    frame = pd.DataFrame({"doc": range(n), "passage": np.arange(n) // 4, "y": np.where(hard > 0, "dog", "cat")})
    for k, name in enumerate("abc"):
        frame[name] = (hard + 0.4 * k + rng.normal(size=n) > 0).astype(int)
    path = tmp_path / "items.csv"
    frame.to_csv(path, index=False)
    return path


def test_a_table_in_all_forms(items, tmp_path, capsys):
    out = [str(tmp_path / name) for name in ("k.json", "k.csv", "k.png")]
    options = ["--item", "doc", "--system", "a", "--system", "b", "--system", "c", "--cluster-by", "passage"]
    assert run(["compare-systems", str(items), *options, "--json", out[0], "--csv", out[1], "--plot", out[2]]) == 0
    text = capsys.readouterr().out
    kept = json.loads(Path(out[0]).read_text())
    assert text.startswith(kept["verdict"])
    assert kept["provenance"]["clusters"] == 20
    assert len(pd.read_csv(out[1])) == 3
    assert Path(out[2]).stat().st_size > 1000


def test_a_long_table_names_its_column_of_systems_once(items, tmp_path, capsys):
    wide = pd.read_csv(items)
    long = wide.melt(["doc"], ["a", "b"], var_name="model", value_name="right")
    long.to_csv(tmp_path / "long.csv", index=False)
    assert (
        run(["compare-systems", str(tmp_path / "long.csv"), "--item", "doc", "--system", "model", "--score", "right"])
        == 0
    )
    first = capsys.readouterr().out
    assert run(["compare-systems", str(items), "--item", "doc", "--system", "a", "--system", "b"]) == 0
    assert capsys.readouterr().out == first


def test_logs_of_lm_eval_and_inspect(capsys):
    assert run(["compare-systems", *LOGS]) == 0
    assert capsys.readouterr().out.startswith("small's accuracy is lower than large's by 0.33")
    assert run(["compare-systems", *LOGS, "--system", "S", "--system", "L", "--cluster-by", "doc_passage"]) == 0
    assert capsys.readouterr().out.startswith("S's accuracy is lower than L's")
    assert run(["compare-systems", str(EVALS / "inspect_samples.csv")]) == 0
    assert "10 items, 2 runs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "starts"),
    [
        (["TABLE", "--item", "doc"], "trueness: --system: "),
        (["TABLE", "--item", "doc", "--system", "a", "--system", "a"], "trueness: --system: "),
        (["TABLE", "--item", "doc", "--system", "a", "--system", "y"], "trueness: --system: "),
        (["TABLE", "--system", "a", "--system", "b"], "trueness: --item: "),
        (
            ["TABLE", "--item", "doc", "--system", "a", "--system", "b", "--cluster-by", "x"],
            "trueness: --cluster-by: ",
        ),
        (["TABLE", "--item", "y", "--system", "a", "--system", "b"], "trueness: --item: "),
        (["TABLE", "--item", "doc", "--system", "a", "--system", "b", "--metric", "f1"], "trueness: --metric: "),
        (["TABLE", "--item", "doc", "--system", "a", "--system", "b", "--filter", "x"], "trueness: --filter: "),
        (
            ["TABLE", "--item", "doc", "--system", "a", "--system", "b", "--metric", "auc", "--truth", "y"],
            "trueness: --pos",
        ),
        (["TABLE", "--item", "doc", "--system", "a"], "trueness: --system: Which columns"),
        ([*LOGS, "--system", "a"], "trueness: --system: "),
        ([*LOGS, "--truth", "y"], "trueness: --truth: "),
        ([str(next((EVALS / "two_filters").iterdir()))], "trueness: --filter: "),
        (["nowhere.jsonl"], "trueness: ITEMS: "),
        (["nowhere.csv", "--system", "a"], "trueness: "),
    ],
)
def test_a_users_mistake_is_one_line_and_exit_code_2(items, options, starts, capsys):
    assert run(["compare-systems", *(str(items) if o == "TABLE" else o for o in options)]) == 2
    err = capsys.readouterr().err
    assert err.startswith(starts)
    assert err.count("\n") == 1


def test_plain_logs_of_one_file_each_and_of_one_file(tmp_path, capsys):
    rows = {
        name: [{"id": i, "run": r, "correct": i % k > 0} for i in range(40) for r in (1, 2)]
        for name, k in (("a", 2), ("b", 5))
    }
    for name, of in rows.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, of)))
    both = tmp_path / "both.jsonl"
    both.write_text("\n".join(json.dumps({**row, "who": name}) for name, of in rows.items() for row in of))
    calls = [[str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")], [str(both), "--system", "who", "--run", "run"]]
    texts = []
    for call in calls:
        assert run(["compare-systems", *call]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert "40 items, 2 runs" in texts[0]
    assert run(["compare-systems", str(tmp_path / "a.jsonl")]) == 2
    assert "trueness: --system: Which columns are the systems?" in capsys.readouterr().err


def test_a_name_given_again_has_several_tasks(tmp_path, capsys):
    calls = []
    for name, right in (("a", 3), ("b", 9)):
        (tmp_path / name).mkdir()
        for task in ("law", "bio"):
            path = tmp_path / name / f"samples_{task}_2026-01-01T10.jsonl"
            rows = ({"doc_id": k, "doc_hash": task + str(k), "metrics": ["acc"], "acc": k < right} for k in range(12))
            path.write_text("\n".join(map(json.dumps, rows)))
            calls.append((str(path), name))
    files, names = zip(*calls, strict=True)
    assert run(["compare-systems", *files]) == 0
    first = capsys.readouterr().out
    assert "24 items" in first
    assert run(["compare-systems", *files, *(word for name in names for word in ("--system", name))]) == 0
    assert capsys.readouterr().out == first
    assert run(["compare-systems", *files, "--cluster-by", "task"]) == 0
    assert "24 items, in 2 clusters" in capsys.readouterr().out


def test_systems_are_chosen_from_a_long_log(tmp_path, capsys):
    rows = [{"id": i, "model": m, "correct": i % k > 0} for i in range(30) for m, k in (("a", 2), ("b", 3), ("c", 5))]
    path = tmp_path / "all.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert run(["compare-systems", str(path), "--system", "a", "--system", "c"]) == 0
    assert capsys.readouterr().out.startswith("a's accuracy is lower than c's by 0.30")
    assert run(["compare-systems", str(path), "--system", "a", "--system", "x"]) == 2
    assert "Systems: a, b, c" in capsys.readouterr().err


def test_a_misspelt_system_is_answered_with_the_nearest_column(tmp_path, capsys):
    path = tmp_path / "t.csv"
    pd.DataFrame({"id": range(6), "claude": 1, "gpt": [0, 1] * 3}).to_csv(path, index=False)
    assert run(["compare-systems", str(path), "--system", "claud", "--system", "gpt"]) == 2
    assert capsys.readouterr().err == ("trueness: --system: There is no column 'claud'. Columns: id, claude, gpt.\n")


def test_gold_and_predictions_beside_another_number_ask_for_truth_which_works(tmp_path, capsys):
    paths = []
    for name, k in (("a", 3), ("b", 5)):
        paths.append(str(tmp_path / f"{name}.jsonl"))
        rows = ({"id": i, "gold": "A", "prediction": "AB"[i % k == 0], "hard": i % 2} for i in range(30))
        Path(paths[-1]).write_text("\n".join(map(json.dumps, rows)))
    assert run(["compare-systems", *paths]) == 2
    assert (
        "Got none. Pass score= with the field that says which answers are right, or truth=" in capsys.readouterr().err
    )
    assert run(["compare-systems", *paths, "--truth", "gold"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("a's accuracy is lower than b's by 0.13 ")
    assert "Values are read from 'prediction' of the logs." in out


def test_answers_that_are_null_are_refused_with_the_option_that_works(tmp_path, capsys):
    paths = []
    for name, k in (("a", 3), ("b", 5)):
        paths.append(str(tmp_path / f"{name}.jsonl"))
        rows = (
            {"id": i, "run": r, "correct": None if (k, i % 9, r) == (5, 0, 1) else i % k > 0}
            for i in range(40)
            for r in (1, 2)
        )
        Path(paths[-1]).write_text("\n".join(map(json.dumps, rows)))
    assert run(["compare-systems", *paths]) == 2
    assert "Answers are missing. Got 'b': 5, items 0, 9, 18, 27, 36." in capsys.readouterr().err
    assert run(["compare-systems", *paths, "--missing-answer", "wrong"]) == 0
    assert "missing answers counted as wrong (5 of b)" in capsys.readouterr().out
    assert run(["compare-systems", *paths, "--missing-answer", "drop"]) == 0
    assert "35 items, 2 runs" in capsys.readouterr().out


def test_a_baseline_and_a_margin(items, capsys):
    options = ["--item", "doc", "--system", "a", "--system", "b", "--system", "c"]
    assert run(["compare-systems", str(items), *options, "--baseline", "b", "--margin", "0.3"]) == 0
    text = capsys.readouterr().out
    assert "a − b" in text
    assert "c − b" in text
    assert "a − c" not in text
    assert "the margin of 0.3" in text
    assert run(["compare-systems", str(items), *options, "--baseline", "x"]) == 2
    assert capsys.readouterr().err.startswith("trueness: --baseline: baseline must be one of the names")


def test_a_long_csv_is_read_as_the_same_log(tmp_path, capsys):
    rows = [
        {"question_id": f"q{i}", "doc": i // 5, "model_name": m, "seed": s, "exact_match": int((i + s) % k > 0)}
        for m, k in (("gpt", 3), ("qwen", 5))
        for i in range(40)
        for s in (1, 2)
    ]
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "long.csv", index=False)
    frame.to_json(tmp_path / "long.jsonl", orient="records", lines=True)
    texts = []
    for name in ("long.csv", "long.jsonl"):
        for options in ([], ["--system", "model_name"], ["--system", "gpt", "--system", "qwen"]):
            assert run(["compare-systems", str(tmp_path / name), *options]) == 0
            texts.append(capsys.readouterr().out)
    assert len(set(texts)) == 1
    assert "40 items, 2 runs" in texts[0]
    assert "Values are read from 'exact_match' of the logs" in texts[0]


def test_quiet_prints_the_result_and_warnings(tmp_path, capsys):
    paths = []
    for name, k in (("a", 3), ("b", 5)):
        paths.append(str(tmp_path / f"{name}.jsonl"))
        rows = ({"id": i, "gold": "A", "prediction": "(A)" if i % k == 0 else "AB"[i % 2]} for i in range(30))
        Path(paths[-1]).write_text("\n".join(map(json.dumps, rows)))
    assert run(["compare-systems", *paths, "--truth", "gold", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "Assumes" not in out
    assert "Note:" not in out
    assert "Warning: Answers of a that are no true label and count as wrong: 20" in out


def test_a_folder_of_results_is_read(tmp_path, capsys):
    for name in ("small", "large"):
        (tmp_path / name).mkdir()
        source = EVALS / name / "samples_quiz_2026-06-01T10-00-00.000000.jsonl"
        (tmp_path / name / source.name).write_text(source.read_text())
    assert run(["compare-systems", str(tmp_path)]) == 0
    assert "large's accuracy is higher than small's by 0.33" in capsys.readouterr().out
    folders = [str(tmp_path / "small"), str(tmp_path / "large")]
    assert run(["compare-systems", *folders, "--system", "S", "--system", "L"]) == 0
    assert "S's accuracy is lower than L's by 0.33" in capsys.readouterr().out


def test_json_lines_on_standard_input(tmp_path, capsys, monkeypatch):
    rows = [{"id": i, "system": s, "correct": int(i % 3 > 0 or s == "b")} for i in range(30) for s in "ab"]
    lines = "\n".join(map(json.dumps, rows)).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert run(["compare-systems", "-", "--json", str(tmp_path / "r.json")]) == 0
    assert capsys.readouterr().out.startswith("a's accuracy is lower than b's by 0.33")
