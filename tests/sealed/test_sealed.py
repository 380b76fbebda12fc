"""Sealed studies: split, open once, keep a record that no byte can leave unnoticed."""

import contextlib
import errno
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from opener import SECRET, Numbers, opened
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import trueness
from trueness.cli.main import run
from trueness.errors import FitError, InputError, TruenessError, TruenessWarning
from trueness.fitting.models import model_by_name
from trueness.sealed.study import read_study

pytest.importorskip("cryptography", reason="sealing needs the extra trueness[seal]")

LDA = LinearDiscriminantAnalysis


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], [60, 40])
    table = pd.DataFrame(rng.normal(size=(100, 3)) + (y == "yes")[:, None], columns=["a", "b", "c"])
    table["patient"] = np.arange(100) // 2
    table["day"] = pd.date_range("2024-01-01", periods=100).astype(str)
    table["y"] = y
    path = tmp_path / "data.csv"
    table.sample(frac=1, random_state=1).to_csv(path, index=False)
    return path


@pytest.fixture
def study(data: Path, tmp_path: Path) -> Path:
    trueness.sealed.seal(data, "y", out=tmp_path / "study", passphrase=SECRET)
    return tmp_path / "study"


def numeric(study: Path) -> pd.DataFrame:
    return pd.read_csv(study / "design.csv")


def test_the_test_set_holds_the_rows_that_the_design_set_lacks_and_is_not_readable(data, study):
    whole, design = pd.read_csv(data), numeric(study)
    assert len(design) == 70
    assert design["y"].value_counts().to_dict() == {"no": 42, "yes": 28}
    kept = whole.merge(design, how="left", indicator=True)
    hidden = kept[kept["_merge"] == "left_only"]
    assert len(hidden) == 30
    sealed = (study / "test.sealed").read_bytes()
    assert all(str(v).encode() not in sealed for v in hidden["a"])


def test_the_numbers_are_those_of_the_fitted_model_on_the_held_out_rows(data, study):
    whole, design = pd.read_csv(data), numeric(study)
    hidden = whole.merge(design, how="left", indicator=True).query("_merge == 'left_only'").drop(columns="_merge")
    drop = ["y", "patient", "day"]
    model = GaussianNB()

    class OnNumbers(GaussianNB):  # the study's other columns are not features
        def fit(self, X, y):
            return super().fit(X[["a", "b", "c"]], y)

        def predict(self, X):
            return super().predict(X[["a", "b", "c"]])

        def predict_proba(self, X):
            return super().predict_proba(X[["a", "b", "c"]])

        def predict_joint_log_proba(self, X):
            return super().predict_joint_log_proba(X[["a", "b", "c"]])

    o = opened(study, OnNumbers())
    model.fit(design.drop(columns=drop), design["y"])
    assert o.assessment["error"].value == np.mean(model.predict(hidden.drop(columns=drop)) != hidden["y"])


def test_a_second_opening_is_refused_or_recorded_with_its_reason_and_wider_intervals(study):
    first = opened(study, Numbers())
    with pytest.raises(InputError) as refused:
        opened(study, Numbers())
    assert refused.value.param == "again"
    second = opened(study, Numbers(), again="a reviewer asked")
    assert second.number == 2
    assert second.assessment.level == 0.975
    a, b = first.assessment["error"].ci(first.assessment.level), second.assessment["error"].ci(second.assessment.level)
    assert b.low < a.low
    assert b.high > a.high
    assert [n.code for n in second.assessment.notes].count("opened-again") == 1
    ledger = trueness.sealed.verify(study)
    assert ledger.openings == 2
    assert [r.get("reason") for r in ledger.records if r["event"] == "opening"] == [None, "a reviewer asked"]


def test_the_table_of_the_ledger_has_the_short_title_of_a_long_model(study):
    numbers = ColumnTransformer([("numbers", StandardScaler(with_std=False), ["a", "b", "c"])])
    opened(study, make_pipeline(numbers, LDA(solver="lsqr", shrinkage=0.125)))
    ledger = trueness.sealed.verify(study)
    assert "with_std=False" in ledger.records[1]["declared"]["model"]
    assert "  model ColumnTransformer → LinearDiscriminantAnalysis; threshold None\n" in ledger.text()


def test_a_declared_threshold_is_on_record_before_the_result(study):
    o = opened(study, Numbers(), threshold=0.3)
    records = trueness.sealed.verify(study).records
    assert [r["event"] for r in records] == ["sealed", "opening", "result"]
    assert records[1]["declared"]["threshold"] == 0.3
    stored = {e["metric"]: e["value"] for e in records[2]["estimates"]}
    assert stored["tpf"] == o.assessment["tpf"].value


def held_out(data: Path, study: Path) -> pd.DataFrame:
    """The rows that the design set lacks."""
    both = pd.read_csv(data).merge(numeric(study), how="left", indicator=True)
    return both[both["_merge"] == "left_only"].drop(columns="_merge")


@pytest.mark.parametrize(("threshold", "expected"), [(0.25, 0.25), (0.7, 0.7), (None, 0.5)])
def test_every_number_is_about_the_decisions_at_the_declared_threshold(data, study, threshold, expected):
    metrics = ["sensitivity", "specificity", "error", "ppv", "auc"]
    o = opened(study, Numbers(), threshold=threshold, metrics=metrics)
    test = held_out(data, study)
    ill = test["y"].to_numpy() == "yes"
    called = Numbers().fit(numeric(study), numeric(study)["y"]).predict_proba(test)[:, 1] >= expected
    values = {
        "sensitivity": called[ill].mean(),
        "specificity": 1 - called[~ill].mean(),
        "error": (called != ill).mean(),
        "ppv": ill[called].mean(),
    }
    for name, value in values.items():
        assert o.assessment[name].value == pytest.approx(value)
    stored = {e["metric"]: e["value"] for e in o.record["estimates"] if e["method"] == "holdout"}
    assert list(stored) == metrics
    assert {name: stored[name] for name in values} == pytest.approx(values)
    if threshold is None:
        return
    same = f"probability ≥ {threshold}"
    assert same in o.methods()
    assert same in o.report()
    assert "predict method" not in o.report()
    assert trueness.report.checklist("stard", o).frame().set_index("item")["known"]["12a"].count(same) == 1


def test_a_declared_threshold_without_metrics_asks_for_the_usual_rates(study):
    assert list(opened(study, Numbers(), threshold=0.3).assessment.recommended) == [
        *("error", "auc", "tpf", "fpf", "ppv", "npv")
    ]


def test_groups_are_sealed_whole_and_times_from_the_end(data, tmp_path):
    whole = pd.read_csv(data)
    trueness.sealed.seal(data, "y", out=tmp_path / "g", passphrase=SECRET, groups="patient")
    kept = set(numeric(tmp_path / "g")["patient"])
    sealed = set(whole["patient"]) - kept
    assert len(sealed) == 15
    assert whole["patient"].isin(sealed).sum() == 30
    late = whole.assign(day=whole["day"].sample(frac=1, random_state=0).to_numpy())
    late.to_csv(data, index=False)
    trueness.sealed.seal(data, "y", out=tmp_path / "t", passphrase=SECRET, time="day")
    design = numeric(tmp_path / "t")
    assert design["day"].max() < late.loc[~late["a"].isin(design["a"]), "day"].min()


def test_dates_of_other_countries(data, tmp_path):
    whole = pd.read_csv(data)
    days = pd.Series(pd.date_range("2001-01-05", periods=len(whole), freq="D"))
    for form in ("%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d"):
        whole.assign(day=days.dt.strftime(form)).to_csv(data, index=False)
        trueness.sealed.seal(data, "y", out=tmp_path / form.replace("/", ""), passphrase=SECRET, time="day")
        design = pd.read_csv(tmp_path / form.replace("/", "") / "design.csv")
        assert pd.to_datetime(design["day"], format=form).max() == days[len(design) - 1]
    whole.assign(day=[f"{1 + k % 12:02}/{1 + k // 12:02}/2001" for k in range(len(whole))]).to_csv(data, index=False)
    with pytest.raises(InputError, match="2024-12-31"):
        trueness.sealed.seal(data, "y", out=tmp_path / "either", passphrase=SECRET, time="day")


@pytest.mark.parametrize("name", ["manifest.json", "ledger.jsonl", "test.sealed", "design.csv"])
def test_a_flipped_byte_anywhere_is_found(study, name):
    opened(study, Numbers())
    path = study / name
    data = path.read_bytes()
    places = range(len(data)) if name == "ledger.jsonl" else random.Random(0).sample(range(len(data)), 60)
    for at in [*places, len(data) - 1]:
        path.write_bytes(data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :])
        with pytest.raises(InputError) as found:
            trueness.sealed.verify(study)
        assert found.value.param == "study"
    path.write_bytes(data[:-10])
    with pytest.raises(InputError):
        opened(study, Numbers(), again="asked")
    path.write_bytes(data)
    trueness.sealed.verify(study)


def test_records_cut_off_are_found_with_a_head_kept_elsewhere(study):
    head = opened(study, Numbers()).record["hash"]
    path = study / "ledger.jsonl"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    assert trueness.sealed.verify(study).openings == 0
    with pytest.raises(InputError) as found:
        trueness.sealed.verify(study, head=head)
    assert found.value.param == "head"


def test_a_wrong_passphrase_opens_and_records_nothing(study):
    before = {p.name: p.read_bytes() for p in study.iterdir() if p.name != ".lock"}
    with pytest.raises(InputError) as wrong:
        trueness.sealed.unseal(study, Numbers(), passphrase="wrong horse", positive="yes")
    assert wrong.value.param == "passphrase"
    assert before == {p.name: p.read_bytes() for p in study.iterdir() if p.name != ".lock"}


def test_a_model_that_cannot_be_fitted_opens_nothing(study):
    with pytest.raises(FitError):
        opened(study, LDA())  # a column of dates
    assert trueness.sealed.verify(study).openings == 0


def test_a_full_disk_leaves_a_sealed_test_set(study, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(InputError):
            opened(study, Numbers())
    assert trueness.sealed.verify(study).openings == 0
    assert {p.name for p in study.iterdir()} - {".lock"} == {
        "design.csv",
        "test.sealed",
        "manifest.json",
        "ledger.jsonl",
    }


def test_a_full_disk_while_sealing_leaves_nothing(data, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError):
        trueness.sealed.seal(data, "y", out=tmp_path / "new", passphrase=SECRET)
    assert {p.name for p in tmp_path.iterdir()} == {"data.csv"}


def test_a_full_disk_after_the_opening_leaves_it_on_record_and_the_same_call_completes_it(study, monkeypatch):
    written = []

    def full(handle):
        written.append(handle)
        if len(written) > 2:  # the opening and its folder are on the disk, the result is not
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(InputError):
            opened(study, Numbers())
    assert trueness.sealed.verify(study).state == "opened without result"
    assert opened(study, Numbers()).number == 1
    assert trueness.sealed.verify(study).state == "result recorded"


@contextlib.contextmanager
def unprivileged() -> Iterator[None]:
    """Root may write anywhere, so it becomes nobody for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may read, and its parents, too: pytest's own are closed."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("locked_before", [False, True])
def test_a_folder_without_permission_is_an_error_and_nothing_changes(data, public, locked_before):
    study = public / "study"
    trueness.sealed.seal(data, "y", out=study, passphrase=SECRET)
    if locked_before:  # then the lock is no obstacle, and the ledger is
        (study / ".lock").touch()
        (study / ".lock").chmod(0o666)
    before = {p.name: p.read_bytes() for p in study.iterdir()}
    study.chmod(0o555)
    with unprivileged():
        for path in study.iterdir():
            path.read_bytes()
        with pytest.raises(InputError):
            opened(study, Numbers())
        with pytest.raises(InputError) as refused:
            trueness.sealed.seal(study / "design.csv", "y", out=study / "new", passphrase=SECRET)
        assert refused.value.param == "out"
        assert trueness.sealed.verify(study).state == "sealed"
    study.chmod(0o755)
    assert {p.name: p.read_bytes() for p in study.iterdir()} == before


def test_rows_on_both_sides_are_found_when_sealing_and_when_opening(data, tmp_path):
    table = pd.read_csv(data).drop(columns=["patient", "day"])
    twice, folder = tmp_path / "twice.csv", tmp_path / "study"
    pd.concat([table, table]).to_csv(twice, index=False)
    with pytest.warns(TruenessWarning, match="L008"):
        trueness.sealed.seal(twice, "y", out=folder, passphrase=SECRET)
    (found,) = (
        n
        for n in trueness.sealed.unseal(folder, LDA(), passphrase=SECRET, positive="yes").assessment.notes
        if n.code == "L008"
    )
    assert 20 < found.data["shared"] <= found.data["cases"] == 60
    table.assign(case=np.arange(100)).pipe(lambda t: pd.concat([t, t])).to_csv(twice, index=False)
    trueness.sealed.seal(twice, "y", out=tmp_path / "grouped", passphrase=SECRET, groups="case")  # no warning


def test_a_class_too_small_to_seal_is_named_as_in_the_data(data, tmp_path):
    pd.read_csv(data).assign(y=lambda t: (t["y"].index < 2).astype(int)).to_csv(data, index=False)
    with pytest.raises(InputError) as bad:
        trueness.sealed.seal(data, "y", out=tmp_path / "new", passphrase=SECRET)
    assert "int64" not in str(bad.value)


@pytest.mark.parametrize(
    ("options", "param"),
    [
        ({"test_size": 1.5}, "test_size"),
        ({"target": "z"}, "target"),
        ({"passphrase": None}, "passphrase"),
        ({"passphrase": "short"}, "passphrase"),
        ({"groups": "patient", "time": "day"}, "time"),
        ({"time": "y"}, "time"),
        ({"test_size": 0.01}, "test_size"),
    ],
)
def test_bad_arguments_of_seal_name_the_parameter_and_write_nothing(data, tmp_path, options, param):
    with pytest.raises(InputError) as bad:
        trueness.sealed.seal(**{"data": data, "target": "y", "out": tmp_path / "new", "passphrase": SECRET, **options})
    assert bad.value.param == param
    assert {p.name for p in tmp_path.iterdir()} == {"data.csv"}


def test_the_command_line_seals_opens_once_and_verifies(data, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TRUENESS_PASSPHRASE", SECRET)
    table = pd.read_csv(data).drop(columns=["day", "patient"])
    table.loc[3, "a"] = None  # a missing value in either set must not stop the opening
    table.to_csv(data, index=False)
    folder = str(tmp_path / "s")
    assert run(["seal", str(data), "--target", "y", "--out", folder]) == 0
    page = tmp_path / "r.html"
    line = [
        "unseal",
        folder,
        "--model",
        "lda",
        "--positive",
        "yes",
        "--threshold",
        "0.4",
        "--by",
        "c",
        "--report",
        str(page),
    ]
    assert run(line) == 0
    out = capsys.readouterr().out
    assert "Sealed test set, opening 1; ledger head" in out
    assert "by c. " in out  # quarters
    assert "By c" in page.read_text()
    assert "Positive where the probability ≥ 0.4" in page.read_text()
    assert run(["unseal", folder, "--model", "lda", "--positive", "yes"]) == 2
    assert "--again" in capsys.readouterr().err
    assert run(["verify", folder]) == 0
    assert run(["verify", str(tmp_path)]) == 2


@pytest.fixture
def server() -> Iterator[subprocess.Popen]:
    """Opens studies in children that can be killed."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-c", "import opener; opener.main()"]  # its classes have the same names as here
    environment = {**os.environ, **one_thread, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield process
        process.stdin.close()


def started(server: subprocess.Popen, study: Path, trace: Path) -> int:
    server.stdin.write(f"{study}\t{trace}\n")
    server.stdin.flush()
    return int(server.stdout.readline())


def kill_and_complete(data: Path, folder: Path, server: subprocess.Popen, rng: random.Random, whole: float) -> str:
    """Kill an opening at a random moment, check the state, complete it; returns the state after the kill."""
    study, trace = folder / "study", folder / "seen"
    trueness.sealed.seal(data, "y", out=study, passphrase=SECRET)
    child = started(server, study, trace)
    time.sleep(rng.uniform(0, whole))
    with contextlib.suppress(ProcessLookupError):  # it may have ended
        os.kill(child, signal.SIGKILL)
    assert server.stdout.readline() == "done\n"
    ledger = trueness.sealed.verify(study)
    results = len(ledger.results)
    state = {(0, 0): "sealed", (1, 0): "opened without result", (1, 1): "result recorded"}[ledger.openings, results]
    assert ledger.state == state
    assert ledger.state != "sealed" or not trace.exists()  # seen, so it is on record
    codes = [note.code for note in ledger.page().notes]
    assert codes == (["opening-without-result"] if state == "opened without result" else [])
    if results:
        with pytest.raises(InputError):
            opened(study, Numbers(str(trace)))
    else:
        o = opened(study, Numbers(str(trace)))
        assert o.number == 1
    assert trueness.sealed.verify(study).state == "result recorded"
    done = trueness.sealed.verify(study)
    assert len(done.results) == 1
    assert sum(r["event"] == "opening" for r in done.records) == 1
    assert done.results[0]["estimates"] == reference(data, folder)
    return state


def reference(data: Path, folder: Path) -> list:
    """The estimates of an opening that was not killed."""
    kept = data.parent / "reference.json"
    if not kept.exists():
        trueness.sealed.seal(data, "y", out=data.parent / "reference", passphrase=SECRET)
        trace = str(folder / "seen")
        kept.write_text(json.dumps(opened(data.parent / "reference", Numbers(trace)).record["estimates"]))
    return json.loads(kept.read_text())


@pytest.mark.parametrize("kills", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_a_killed_opening_is_on_record_and_can_be_completed_with_the_same_numbers(data, tmp_path, server, kills):
    rng = random.Random(kills)
    reference(data, tmp_path)
    for name in ("warm", "timed"):
        trueness.sealed.seal(data, "y", out=tmp_path / name, passphrase=SECRET)
        start = time.perf_counter()
        started(server, tmp_path / name, tmp_path / f"{name}-seen")
        assert server.stdout.readline() == "done\n"
    whole = 1.2 * (time.perf_counter() - start)
    states = []
    for k in range(kills):
        folder = tmp_path / str(k)
        folder.mkdir()
        states.append(kill_and_complete(data, folder, server, rng, whole))
    assert len(states) == kills
    if kills > 100:
        assert set(states) == {"sealed", "opened without result", "result recorded"}


def test_the_rates_at_the_threshold_know_the_groups(data, tmp_path):
    study = tmp_path / "grouped"
    trueness.sealed.seal(data, "y", out=study, passphrase=SECRET, groups="patient")
    o = trueness.sealed.unseal(study, Numbers(), passphrase=SECRET, metrics=["tpf"], positive="yes", threshold=0.5)
    test = held_out(data, study)
    called = Numbers().fit(numeric(study), numeric(study)["y"]).predict_proba(test)[:, 1] >= 0.5
    assert [n.code for n in o.assessment["tpf"].notes].count("very-few-groups") == 1
    d = trueness.diagnose(test["y"] == "yes", called, groups=test["patient"])
    assert o.assessment["tpf"].value == pytest.approx(d["tpf"].value)
    assert o.assessment["tpf"].se == pytest.approx(d["tpf"].se)


@pytest.fixture
def ward(data, tmp_path) -> Path:
    """A study of 50 patients with two rows each, a sex, and an age that is no feature."""
    table = pd.read_csv(data)
    rng, patient = np.random.default_rng(5), table["patient"].to_numpy()
    table["sex"], table["age"] = rng.choice(["f", "m"], 50)[patient], rng.integers(20, 90, 50)[patient]
    table.to_csv(data, index=False)
    trueness.sealed.seal(data, "y", out=tmp_path / "ward", passphrase=SECRET, groups="patient", test_size=0.5)
    return tmp_path / "ward"


def test_groups_are_counted(ward, data, study):
    made = trueness.sealed.verify(ward)
    assert made.manifest["group_counts"] == {"design": 25, "test": 25}
    for words in (repr(made), made.receipt, str(trueness.sealed.verify(ward))):
        assert "50 cases in 25 groups to design, 50 cases in 25 groups sealed" in words
    assert "70 cases to design, 30 cases sealed" in trueness.sealed.verify(study).receipt


def test_declared_subgroups_are_on_record_before_the_result_and_with_it(ward, data):
    o = opened(ward, Numbers(), metrics=["tpf", "error"], threshold=0.3, by=["sex", "age"])
    records = trueness.sealed.verify(ward).records
    assert records[1]["declared"]["by"] == ["sex", "age"]
    test = held_out(data, ward)
    called = Numbers().fit(numeric(ward), numeric(ward)["y"]).predict_proba(test)[:, 1] >= 0.3
    wrong = called != (test["y"] == "yes").to_numpy()
    errors = {e["group"]: e["value"] for e in records[2]["estimates"] if (e.get("by"), e["metric"]) == ("sex", "error")}
    assert errors == {s: pytest.approx(wrong[(test["sex"] == s).to_numpy()].mean()) for s in ("f", "m")}
    assert [s.metric for s in o.subgroups["sex"]] == ["tpf", "error"]
    assert len(o.first["age"].sizes) == 4  # quarters
    ledger = str(trueness.sealed.verify(ward))
    assert "by sex, age" in ledger
    assert "error sex f 0." in ledger
    assert "TPF by sex" in str(o)
    assert set(o.to_dict()["subgroups"]) == {"sex", "age"}
    json.loads(o.to_json())
    assert "By sex: TPF" in o.methods()
    assert "trained on 50 cases in 25 groups" in o.methods()
    assert "whole groups of patient, drawn at random" in o.methods()
    assert "@rao_scott_1992" in o.methods()
    assert "rao_scott_1992" in o.bibtex()
    assert o.flat()["tpf"] == o.assessment["tpf"].value
    stard = trueness.report.checklist("stard", o).frame().set_index("item")
    assert "50 cases in 25 groups" in stard["known"]["17"]
    assert "By sex: TPF" in stard["known"]["17"]
    assert (stard["status"]["23"], stard["add"]["12a"]) == ("filled", "its reason")


def test_what_a_second_opening_declares_is_not_said_to_be_declared_before_the_cases_were_seen(ward):
    opened(ward, Numbers())
    o = opened(ward, Numbers(), threshold=0.3, by="sex", metrics="error", again="a reviewer asked")
    items = trueness.report.checklist("stard", o).frame().set_index("item")
    for said in (o.methods(), items["known"]["10a"]):
        assert "were on record before opening 2 of the test set" in said
    assert items["add"]["17"] == "whether subgroups were planned"


def test_a_sealed_report_shows_the_declared_subgroups(ward):
    page = opened(ward, Numbers(), metrics="error", by="sex").report()
    assert "By sex" in page
    assert "Records in the ledger" in page


@pytest.mark.parametrize(("by", "param"), [("weight", "by"), (["sex", "day"], None)])
def test_subgroups_that_cannot_be_shown_open_nothing(ward, by, param):
    with pytest.raises(TruenessError) as error:
        opened(ward, Numbers(), by=by)
    assert param is None or error.value.param == param
    assert trueness.sealed.verify(ward).state == "sealed"


def test_subgroups_too_small_in_the_test_set_do_not_stop_the_result(data, tmp_path):
    table = pd.read_csv(data)
    table["site"] = np.where(table["y"] == "yes", "a", "b")  # one class each: no AUC
    table["ward"] = np.arange(100) // 8
    table.to_csv(data, index=False)
    trueness.sealed.seal(data, "y", out=tmp_path / "s", passphrase=SECRET)
    o = opened(tmp_path / "s", Numbers(), metrics=["auc", "error"], by=["site", "ward"])
    assert [s.metric for s in o.subgroups["site"]] == ["error"]
    assert trueness.sealed.verify(tmp_path / "s").state == "result recorded"


def test_no_threshold_can_be_declared_for_three_classes(data, tmp_path):
    table = pd.read_csv(data).assign(y=lambda t: np.where(t["a"] > 1, "high", t["y"]))
    table.to_csv(data, index=False)
    trueness.sealed.seal(data, "y", out=tmp_path / "s", passphrase=SECRET)
    with pytest.raises(InputError) as error:
        trueness.sealed.unseal(tmp_path / "s", Numbers(), passphrase=SECRET, threshold=0.3)
    assert error.value.param == "threshold"
    o = trueness.sealed.unseal(tmp_path / "s", Numbers(), passphrase=SECRET)
    assert not [n for n in o.assessment.notes if n.code == "no-declared-threshold"]


def test_an_opening_does_not_speak_of_the_apparent_estimate(study):
    assert "apparent" not in opened(study, Numbers()).report()


def test_a_ppv_that_is_undefined_can_be_listed(study):
    opened(study, Numbers(), threshold=1 - 1e-12)
    assert [e["value"] for e in trueness.sealed.verify(study).results[0]["estimates"] if e["metric"] == "ppv"] == [None]
    assert "ppv undefined" in str(trueness.sealed.verify(study))


@pytest.mark.parametrize("threshold", [np.nan, np.inf])
def test_a_threshold_that_is_no_number_is_refused_before_anything_is_opened(study, threshold):
    with pytest.raises(InputError) as e:
        opened(study, Numbers(), threshold=threshold)
    assert e.value.param == "threshold"
    assert trueness.sealed.verify(study).openings == 0


def test_a_threshold_may_be_a_numpy_number(study):
    opened(study, Numbers(), threshold=np.float32(0.5))
    assert trueness.sealed.verify(study).records[1]["declared"]["threshold"] == 0.5


class FailsOnTheTestSet(Numbers):
    """Fails on cases that it was not fitted on."""

    def predict_proba(self, X):
        if len(X) != self.n_fitted_:
            raise ValueError("an unknown category")
        return super().predict_proba(X)

    def predict(self, X):
        if len(X) != self.n_fitted_:
            raise ValueError("an unknown category")
        return super().predict(X)


def test_numbers_of_numpy_are_declared_as_numbers(study):
    o = opened(study, Numbers(), level=np.float16(0.5), threshold=np.float32(0.5))
    assert o.number == 1
    assert opened(study, Numbers(), level=0.5, threshold=0.5, again="checked").number == 2
    first, second = (r["declared"] for r in trueness.sealed.verify(study).records if r["event"] == "opening")
    assert first == second


@pytest.mark.parametrize("kind", [LDA, dict])
def test_the_class_of_a_model_is_refused_before_anything_is_opened(study, kind):
    with pytest.raises(InputError) as e:
        opened(study, kind)
    assert e.value.param == "model"
    assert trueness.sealed.verify(study).openings == 0


def test_an_opening_that_cannot_be_completed_counts_and_does_not_block_the_study(study):
    for _ in range(2):
        with pytest.raises(Exception, match="an unknown category"):
            opened(study, FailsOnTheTestSet())
    assert trueness.sealed.verify(study).openings == 1
    with pytest.raises(InputError) as e:
        opened(study, Numbers())
    assert e.value.param == "model"
    o = opened(study, Numbers(), again="the first model failed on the test set")
    assert (o.number, trueness.sealed.verify(study).openings) == (2, 2)
    events = [r["event"] for r in trueness.sealed.verify(study).records]
    assert events == ["sealed", "opening", "resumed", "opening", "result"]
    (note,) = [n for n in o.assessment.notes if n.code == "opening-without-result"]
    assert (note.data["openings"], note.data["pending"]) == ([1], False)
    assert str(note) in o.report()
    assert str(note) in trueness.sealed.verify(study).report()
    assert o.record["level"] == pytest.approx(0.975)
    with pytest.raises(InputError) as e:
        opened(study, Numbers())
    assert e.value.param == "again"


def test_an_invalid_byte_for_a_replacement_character_is_found(study):
    opened(study, Numbers())
    opened(study, Numbers(), again="a reader \ufffd")
    path = study / "ledger.jsonl"
    data = path.read_bytes()
    assert "\ufffd".encode() in data
    trueness.sealed.verify(study)
    path.write_bytes(data.replace("\ufffd".encode(), b"\xff"))
    with pytest.raises(InputError):
        trueness.sealed.verify(study)


def test_a_reason_that_cannot_be_written_is_refused(study):
    opened(study, Numbers())
    with pytest.raises(InputError) as refused:
        opened(study, Numbers(), again="caf\udce9")
    assert refused.value.param == "again"
    assert trueness.sealed.verify(study).openings == 1


def columns(*names):
    return ColumnTransformer([("kept", "passthrough", list(names))])


@pytest.mark.parametrize(
    ("declared", "other"),
    [
        ({"model": (columns("a", "b"), 1e-9)}, {"model": (columns("a", "c"), 1e-9)}),
        ({"model": (columns("a", "b"), 1e-9)}, {"model": (columns("a", "b"), 0.5)}),
        (
            {"metrics": [trueness.metrics.Cost(matrix=[[0, 1], [10, 0]])]},
            {"metrics": [trueness.metrics.Cost(matrix=[[0, 1], [1, 0]])]},
        ),
        ({"threshold": 0.5}, {"threshold": 0.4}),
        ({"level": 0.95}, {"level": 0.9}),
        ({"positive": "yes"}, {"positive": "no"}),
    ],
)
def test_only_the_same_call_completes_an_opening(study, declared, other):
    def call(options):
        options = {"model": (columns("a", "b"), 1e-9), "positive": "yes", **options}
        features, smoothing = options.pop("model")
        return trueness.sealed.unseal(
            study, make_pipeline(features, FailsOnce(smoothing)), passphrase=SECRET, **options
        )

    with pytest.raises(FitError, match="an unknown category"):
        call(declared)
    with pytest.raises(InputError) as refused:
        call(other)
    assert refused.value.param == "model"
    assert trueness.sealed.verify(study).state == "opened without result"
    FailsOnce.fails = False
    try:
        assert call(declared).number == 1
    finally:
        FailsOnce.fails = True
    assert trueness.sealed.verify(study).openings == 1


class FailsOnce(ClassifierMixin, BaseEstimator):
    """Its run ends after the opening is on record, until `fails` is turned off."""

    fails = True

    def __init__(self, smoothing=1e-9):
        self.smoothing = smoothing

    def fit(self, X, y):
        self.rule_ = GaussianNB(var_smoothing=self.smoothing).fit(X, y)
        self.classes_, self.n_fitted_ = self.rule_.classes_, len(X)
        return self

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        if self.fails and len(X) != self.n_fitted_:
            raise ValueError("an unknown category")
        return self.rule_.predict_proba(X)


def test_a_lost_screen_is_no_lost_result(study):
    o = opened(study, Numbers())
    e = o.assessment["error"]
    low, high = e.ci(o.assessment.level)
    assert f"error {e.value:.3f} ({low:.3f} to {high:.3f})" in str(trueness.sealed.verify(study))


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """100 patients with an identifier, a date, a text, row numbers, and a note that is no feature."""
    rng = np.random.default_rng(1)
    y = np.arange(100) % 2
    visit = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, 100), "D")
    table = pd.DataFrame({"row": np.arange(100), "id": [f"p-{k:03d}x" for k in rng.permutation(100)]})
    table = table.assign(visit=visit.strftime("%d.%m.%Y"), site=rng.choice(["n", "s"], 100), a=rng.normal(size=100) + y)
    table.assign(copied=y + rng.normal(0, 1e-6, 100), y=np.where(y == 1, "ill", "well")).to_csv(
        tmp_path / "clinic.csv", index=False
    )
    return tmp_path / "clinic.csv"


def test_an_opening_fits_the_features_that_assess_fits(clinic, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TRUENESS_PASSPHRASE", SECRET)
    folder, seen = tmp_path / "s", []
    assert run(["seal", str(clinic), "--target", "y", "--out", str(folder)]) == 0

    def model(name, X, *task, **more):
        seen.append(X.copy())
        return model_by_name(name, X, *task, **more)

    for place in ("trueness.fitting.models", "trueness.cli.study"):
        monkeypatch.setattr(f"{place}.model_by_name", model)
    options = ["--model", "lda", "--positive", "ill", "--drop", "copied", "--drop", "row"]
    assert run(["assess", str(folder / "design.csv"), "--target", "y", "--plan", "kfold:3", *options]) == 0
    assert run(["unseal", str(folder), *options]) == 0
    pd.testing.assert_frame_equal(*seen)
    assert list(seen[0].columns) == ["visit", "site", "a"]
    assert seen[0]["visit"].dtype == float
    ledger = trueness.sealed.verify(folder)
    assert ledger.records[1]["declared"]["dropped"] == ["copied", "row", "id"]
    assert "without copied, row, id" in str(ledger)
    table, kept = pd.read_csv(clinic), pd.read_csv(folder / "design.csv")["row"]
    held = trueness.files.read_cases(clinic, "y", drop=["copied", "row"])
    test = ~table["row"].isin(kept).to_numpy()
    rule = model_by_name("lda", seen[0]).fit(seen[0], held.y[~test])
    expected = float((rule.predict(held.X[test]) != held.y[test]).mean())
    (error,) = [e for e in ledger.results[0]["estimates"] if (e["metric"], e["method"]) == ("error", "holdout")]
    assert error["value"] == pytest.approx(expected)
    assert run(["unseal", str(folder), "--model", "lda", "--drop", "nonsense"]) == 2
    assert "--drop" in capsys.readouterr().err


def test_what_is_no_date_in_the_test_set_does_not_stop_an_opening(clinic, tmp_path, monkeypatch):
    monkeypatch.setenv("TRUENESS_PASSPHRASE", SECRET)
    table = pd.read_csv(clinic).drop(columns=["copied", "row", "id"])
    table.loc[table.index[-3], "visit"] = "unknown"
    table.assign(time=np.arange(100)).to_csv(clinic, index=False)
    folder = str(tmp_path / "s")
    assert run(["seal", str(clinic), "--target", "y", "--out", folder, "--time", "time"]) == 0
    assert run(["unseal", folder, "--model", "lda", "--positive", "ill"]) == 0
    assert trueness.sealed.verify(folder).state == "result recorded"


@pytest.mark.parametrize(
    "options",
    [
        {"metrics": ["brier"]},
        {"metrics": [lambda y, score: 1 / 0]},
        {"drop": ["nonsense"]},
        {"metrics": ["error", "error"]},
    ],
)
def test_what_cannot_be_computed_on_the_design_set_opens_nothing(study, options):
    rule = make_pipeline(columns("a", "b"), LinearSVC())
    with pytest.raises(TruenessError):
        trueness.sealed.unseal(study, rule, passphrase=SECRET, positive="yes", **options)
    assert trueness.sealed.verify(study).state == "sealed"


@pytest.mark.parametrize("form", ["report", "to_latex", "to_json"])
def test_a_result_that_cannot_be_shown_opens_nothing(study, monkeypatch, form):
    def fail(*_):
        raise ValueError("no such font")

    monkeypatch.setattr(trueness.sealed.Opening, form, fail)
    with pytest.raises(FitError, match="no such font"):
        opened(study, Numbers())
    assert trueness.sealed.verify(study).state == "sealed"


def test_a_changed_design_set_does_not_hide_an_opening(study):
    design = study / "design.csv"
    content = design.read_bytes()
    for openings, said in ((0, "by the ledger: 0"), (1, "by the ledger: 1"), (2, "by the ledger: 2")):
        if openings:
            opened(study, Numbers(), again="asked" if openings > 1 else None)
        design.write_bytes(content + b"\n")
        with pytest.raises(InputError, match=said):
            trueness.sealed.verify(study)
        design.write_bytes(content)


def test_no_leaks_are_looked_for_in_an_open_test_set(study, monkeypatch):
    def look(*_, **__):
        raise AssertionError("the test set was searched")

    for module in ("api.assess", "sealed.study", "leaks.check"):
        monkeypatch.setattr(f"trueness.{module}.findings_of", look)
    assert opened(study, Numbers()).number == 1


# -- what a receipt shows


def recomputed(study: Path, change) -> None:
    """The ledger after a change, with all hashes computed anew, as by somebody who knows how."""
    from trueness.sealed.chain import START, line_of, sha256

    previous, lines = START, []
    for record in change([json.loads(line) for line in (study / "ledger.jsonl").read_text().splitlines()]):
        record = {**{k: v for k, v in record.items() if k != "hash"}, "previous": previous}
        previous = sha256(line_of(record).encode())
        lines.append(line_of({**record, "hash": previous}) + "\n")
    (study / "ledger.jsonl").write_text("".join(lines))


def test_a_receipt_finds_a_ledger_that_was_cut_computed_anew_or_continued_in_a_copy(study, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(study, copy)
    first = trueness.sealed.verify(study).receipt
    opened(study, Numbers())
    receipt = trueness.sealed.verify(study).receipt
    assert (
        trueness.sealed.verify(study, head=first).openings == trueness.sealed.verify(study, head=receipt).openings == 1
    )
    assert "openings: 1," in receipt
    with pytest.raises(InputError, match="another copy was opened"):
        trueness.sealed.verify(copy, head=receipt)
    recomputed(study, lambda records: [{**r, "reason": "none"} if r["event"] == "opening" else r for r in records])
    assert trueness.sealed.verify(study).openings == 1  # all hashes fit
    with pytest.raises(InputError, match="cut or replaced"):
        trueness.sealed.verify(study, head=receipt)
    recomputed(study, lambda records: records[:1])
    assert trueness.sealed.verify(study).openings == 0
    with pytest.raises(InputError, match="cut or replaced"):
        trueness.sealed.verify(study, head=receipt)


@pytest.mark.parametrize("head", ["", "abc", 3, None.__class__, "0" * 64])
def test_a_head_that_is_none(study, head):
    with pytest.raises(InputError) as bad:
        trueness.sealed.verify(study, head=head)
    assert bad.value.param == "head"


def test_a_clock_that_went_back_is_noted(study):
    opened(study, Numbers())
    assert trueness.sealed.verify(study).notes == ()
    recomputed(study, lambda records: [{**r, "time": f"20{40 - r['number']}-01-01T00:00:00+00:00"} for r in records])
    (note,) = trueness.sealed.verify(study).notes
    assert (note.code, note.data["records"]) == ("clock-went-back", [1, 2, 3])


@pytest.mark.parametrize("reason", [" ", "", "a", "..", "?!"])
def test_a_reason_is_a_word_or_more(study, reason):
    opened(study, Numbers())
    with pytest.raises(InputError) as bad:
        trueness.sealed.unseal(study, LDA(), passphrase=SECRET, again=reason)
    assert bad.value.param == "again"
    assert trueness.sealed.verify(study).openings == 1


def test_a_missing_key_file_says_how_to_make_one(tmp_path):
    with pytest.raises(InputError, match="made before sealing"):
        trueness.sealed.seal(tmp_path / "t.csv", "y", out=tmp_path / "study", key_file=tmp_path / "none")


def test_labels_in_two_spellings_are_sealed_in_one(tmp_path):
    """As `trueness assess` reads them."""
    lines = [f"{i % 7},{('yes', 'Yes ', 'no', 'yes')[i % 4]}" for i in range(60)]
    (tmp_path / "data.csv").write_text("a,y\n" + "\n".join(lines))
    study = trueness.sealed.seal(tmp_path / "data.csv", "y", out=tmp_path / "study", passphrase=SECRET)
    assert study.manifest["spelled"] == {"Yes ": "yes"}
    assert set(study.design()["y"]) == {"yes", "no"}


def test_codes_of_missing_values_and_long_identifiers_are_sealed_as_such(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TRUENESS_PASSPHRASE", SECRET)
    ids = [9 * 10**19 + k for k in range(60)]
    lines = [f"{ids[k]},{-999 if k % 9 == 2 else k % 23},{k % 2},{k * k % 41}" for k in range(60)]
    (tmp_path / "data.csv").write_text("id,crp,y,x\n" + "\n".join(lines))
    line = ["seal", str(tmp_path / "data.csv"), "--target", "y"]
    assert run([*line, "--out", str(tmp_path / "as-is")]) == 0
    said = capsys.readouterr().out
    assert said.index("[L019]") < said.index("Sealed 18 cases")
    assert "[L003]" in said
    assert "--drop" not in said
    assert run([*line, "--out", str(tmp_path / "study"), "--missing", "-999"]) == 0
    assert "[L019]" not in capsys.readouterr().out
    design = read_study(tmp_path / "study").design()
    assert set(design["id"]) < set(ids)
    assert design["crp"].min() >= 0
    assert design["crp"].isna().any()
