"""trueness assess takes files as people have them, and says what it understood. Each is a real file on disk."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest

from trueness.cli.main import run

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

QUICK = ["--plan", "kfold:2", "--seed", "0", "--metric", "error", "--positive", "sick"]


@pytest.fixture
def frame():
    rng = np.random.default_rng(1)
    y = np.repeat(["well", "sick"], 30)
    return pd.DataFrame(
        {
            "größe": (rng.normal(170, 10, 60) + 5 * (y == "sick")).round(2),
            "dose": rng.normal(0, 1, 60).round(3),
            "site": rng.choice(["north", "south, old", "east"], 60),
            "y": y,
        }
    )


def assess(path, capsys, *options, target="y"):
    code = run(["assess", str(path), "--target", target, *QUICK, *options])
    shown = capsys.readouterr()
    assert code == 0, shown.err
    assert shown.out.count("Error 0.") == 1
    return " ".join(shown.out.split())


def text_of(frame, **options):
    file = io.StringIO()
    frame.to_csv(file, index=False, **options)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "options", "encoding", "understood"),
    [
        ("plain.csv", {}, "utf-8", "60 rows, 4 columns. Target y: well (30), sick (30)."),
        ("bom.csv", {}, "utf-8-sig", "60 rows, 4 columns. Target"),
        ("semicolons.csv", {"sep": ";"}, "utf-8", "4 columns, semicolons."),
        ("german.csv", {"sep": ";", "decimal": ","}, "cp1252", "4 columns, cp1252, semicolons, decimal commas."),
        ("excel.txt", {"sep": "\t"}, "utf-16", "utf-16, tabs."),
        ("bars.dat", {"sep": "|"}, "utf-8", "bars."),
        ("quoted.csv", {"quoting": 1}, "utf-8", "60 rows, 4 columns. Target"),
        ("single.csv", {"quoting": 1, "quotechar": "'"}, "utf-8", "60 rows, 4 columns. Target"),
        ("quoted-commas.csv", {"decimal": ",", "quoting": 1}, "utf-8", "decimal commas."),
        ("no-header.data", {"header": False}, "utf-8", "no header, columns are called x1, …"),
        ("blanks.dat", {"sep": " "}, "utf-8", "blanks between columns."),
    ],
)
def test_every_way_to_write_a_table_gives_the_same_numbers(
    frame, tmp_path, capsys, name, options, encoding, understood
):
    frame.to_csv(tmp_path / "reference.csv", index=False)
    expected = assess(tmp_path / "reference.csv", capsys)
    (tmp_path / name).write_bytes(text_of(frame, **options).encode(encoding))
    found = assess(tmp_path / name, capsys, target="y" if options.get("header", True) else "x4")
    assert understood in found
    assert "2 numeric" in found
    assert "1 text" in found
    assert found[found.index("Error 0.") :] == expected[expected.index("Error 0.") :]


def test_a_packed_file(frame, tmp_path, capsys):
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(text_of(frame).encode()))
    assert "60 rows, 4 columns" in assess(path, capsys)
    path.write_bytes(path.read_bytes()[:100])
    assert run(["assess", str(path), "--target", "y"]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_character_outside_utf_8_after_the_first_lines(tmp_path, capsys):
    rows = [f"{i % 97},{'sick' if i % 2 else 'well'},abc{i % 5}" for i in range(40_000)]
    rows[-1] = "5,sick,Müller"
    path = tmp_path / "late.csv"
    path.write_bytes(("a,y,name\n" + "\n".join(rows)).encode("cp1252"))
    assert "columns, cp1252." in assess(path, capsys, "--no-checks")


def test_missing_values_however_they_are_marked(frame, tmp_path, capsys):
    table = frame.astype(object)
    for k, mark in enumerate(["", "NA", "?", "n/a", "#N/A", ".", "NULL", "NaN"]):
        table.loc[k, "dose"] = mark
    table.loc[9, "site"] = "?"
    table.to_csv(tmp_path / "gaps.csv", index=False)
    found = assess(tmp_path / "gaps.csv", capsys)
    assert "2 numeric (größe, dose); 1 text (site)" in found
    assert "filled with the median or the most frequent value: 9" in found


def test_rows_without_a_label_are_left_out_and_counted(frame, tmp_path, capsys):
    frame.assign(y=frame["y"].mask(frame.index < 3)).to_csv(tmp_path / "t.csv", index=False)
    found = assess(tmp_path / "t.csv", capsys)
    assert "Target y: well (27), sick (30). Rows without a label are left out: 3." in found


@pytest.mark.parametrize(
    ("form", "understood"),
    [
        ("%Y-%m-%d", "ISO8601"),
        ("%Y-%m-%d %H:%M:%S", "ISO8601"),
        ("%d.%m.%Y", "%d.%m.%Y"),
        ("%d/%m/%Y", "%d/%m/%Y"),
        ("%m/%d/%Y", "%m/%d/%Y"),
    ],
)
def test_dates_become_days(frame, tmp_path, capsys, form, understood):
    days = pd.Series(pd.date_range("2020-01-05", periods=60, freq="11D").strftime(form))
    frame.assign(visit=days).to_csv(tmp_path / "t.csv", index=False)
    assert f"1 dates as days (visit {understood})" in assess(tmp_path / "t.csv", capsys)


def test_columns_that_no_model_can_learn_from_are_dropped_and_named(frame, tmp_path, capsys):
    names = [f"Patient {i:03d}" for i in range(60)]
    table = frame.assign(name=names, nothing=np.nan, same=7, asked=0.5)
    table.insert(0, "", range(1, 61))
    table.to_csv(tmp_path / "t.csv", index=False)
    found = assess(tmp_path / "t.csv", capsys, "--drop", "asked")
    for said in (
        "asked: as asked",
        "Unnamed: 0: row numbers",
        "name: a different text in nearly every row",
        "nothing: empty",
        "same: one value only",
    ):
        assert said in found[found.index("dropped ") :]


def test_sentences_are_dropped(frame, tmp_path, capsys):
    said = [f"the {i}. patient came in with a cough" for i in range(60)]
    frame.assign(report=said).to_csv(tmp_path / "t.csv", index=False)
    assert "dropped report: sentences, which only a model of your own reads" in assess(tmp_path / "t.csv", capsys)


def test_numbers_with_a_few_words_and_many_different_texts_are_warned_about(frame, tmp_path, capsys):
    dose = frame["dose"].astype(str).mask(frame.index == 5, "<0.1")
    zips = [f"{10000 + 7 * (i // 1.1):.0f}-{i % 55}" for i in range(60)]
    frame.assign(dose=dose, zip=[z if i < 53 else zips[0] for i, z in enumerate(zips)]).to_csv(tmp_path / "t.csv")
    found = assess(tmp_path / "t.csv", capsys)
    assert "[L012]" in found
    assert "'<0.1'" in found
    assert "[L004]" in found


def test_200_columns(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 200)))
    X.assign(y=np.repeat(["well", "sick"], 20)).to_csv(tmp_path / "wide.csv", index=False)
    found = assess(tmp_path / "wide.csv", capsys)
    assert "40 rows, 201 columns" in found
    assert "200 numeric (0, 1, 2, 3, 4, 5, 6, 7 … and 192 more)" in found
    assert run(["assess", str(tmp_path / "wide.csv"), "--target", "x"]) == 2
    assert "Columns: 0, 1, 2" in capsys.readouterr().err


def test_row_names_as_r_writes_them(frame, tmp_path, capsys):
    lines = text_of(frame, quoting=2, sep=" ").splitlines()
    (tmp_path / "r.txt").write_text("\n".join([lines[0], *(f'"{i}" {line}' for i, line in enumerate(lines[1:], 1))]))
    assert "60 rows, 4 columns, blanks between columns" in assess(tmp_path / "r.txt", capsys)


def test_commas_between_thousands(frame, tmp_path, capsys):
    income = [f"{1000 + 37 * i:,}" for i in range(60)]
    frame[["dose", "y"]].assign(income=income).to_csv(tmp_path / "t.csv", index=False)
    found = assess(tmp_path / "t.csv", capsys)
    assert "commas between thousands" in found
    assert "2 numeric (dose, income)" in found


@pytest.mark.parametrize(
    ("first", "header"),
    [
        ("a,b,y", True),
        ("2019,2020,y", True),
        ("0,1,2", True),
        ("1,2,3", True),
        ("5.1,3.5,sick", False),
        ("5,3,sick", False),
    ],
)
def test_a_header_is_told_from_a_row(tmp_path, first, header):
    from trueness.files.table_file import format_of

    body = "".join(f"{5 + i % 7}.5,{3 + i % 5},{'sick' if i % 2 else 'well'}\n" for i in range(30))
    found = format_of(f"{first}\n{body}".encode())
    assert found.header is header


def test_words_only_without_a_header():
    from trueness.files.table_file import format_of

    body = "".join(f"{'pe'[i % 2]},{'xbs'[i % 3]},{'ny'[i % 2]}\n" for i in range(30))
    assert not format_of(body.encode()).header
    assert format_of(f"class,cap,bruises\n{body}".encode()).header


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.xlsx", b"PK\x03\x04", "Excel"),
        ("t.csv", b"\x89PNG\r\n\x1a\n\x00", "not text"),
        ("t.csv", b"", "empty"),
        ("t.csv", b"\xef\xbb\xbf", "empty"),
        ("t.csv", b"\xff\xfe", "empty"),
        ("t.csv", b"a,y\n", "no rows"),
        ("t.csv", b"a,y\n1\n2,3,4,5\n", "line 3, saw 4"),
        ("t.csv", b"a\n1,2,3\n4,5,6\n", "more fields than the header"),
        ("t.parquet", b"PAR1", "cannot be read"),
        ("t.gz", b"\x1f\x8b\x08\x00garbage", "cannot be read"),
    ],
)
def test_what_is_no_table_is_one_line(tmp_path, capsys, name, content, said):
    (tmp_path / name).write_bytes(content)
    assert run(["assess", str(tmp_path / name), "--target", "y"]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1


FULL = "1,0,.1,0,m\n2,1,.9,1,f\n5,0,.2,1,f\n6,1,.6,0,m\n7,0,.7,0,m\n9,1,.8,1,f\n"
GAPS = (
    "id,y,s,p,sex\n1,0,.1,0,m\n2,1,.9,1,f\n3,,.4,0,m\n4,1,,1,f\n5,0,.2,0,m\n6,1,.6,1,f\n7,0,.7,0,m\n8,0,.3,0,\n"
    + 2 * FULL
)
WITH_SCORES = {
    "roc": ["--score", "s"],
    "calibration": ["--score", "s"],
    "benefit": ["--score", "s"],
    "subgroups": ["--score", "s", "--by", "sex", "--metric", "brier"],
    "diagnose": ["--prediction", "p"],
}


@pytest.mark.parametrize("command", WITH_SCORES)
def test_rows_with_gaps_are_named_and_left_out_when_asked(command, tmp_path, capsys):
    path = tmp_path / "gaps.csv"
    path.write_text(GAPS)
    line = [command, str(path), "--label", "y", *WITH_SCORES[command]]
    assert run(line) == 2
    said = capsys.readouterr().err
    assert said.startswith("trueness: --label: Column 'y' has missing values. Got 1, the first in row 3 below the")
    assert run([*line, "--drop-missing"]) == 0
    first, _, rest = capsys.readouterr().out.partition("\n")
    gaps = {"diagnose": (3,)}.get(command, (3, 4))
    assert first == f"Rows left out for gaps: {len(gaps)}."
    path.write_text("".join(row for k, row in enumerate(GAPS.splitlines(keepends=True)) if k not in gaps))
    assert run(line) == 0
    assert capsys.readouterr().out == rest


@pytest.mark.parametrize("command", [["roc"], ["calibration"], ["subgroups", "--by", "g"]])
def test_a_score_that_holds_a_code_of_missing_values(tmp_path, capsys, command):
    rows = [f"{k % 2},{k / 40},{k % 3}" for k in range(1, 40)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["y,p,g", *rows, "0,-999,1"]))
    line = [command[0], str(path), "--label", "y", "--score", "p", *command[1:]]
    run(line)
    assert "Column 'p' holds -999, unlike its other values" in capsys.readouterr().out
    assert run([*line, "--missing", "-999", "--drop-missing"]) == 0
    assert "holds -999" not in capsys.readouterr().out


def test_spreadsheets_called_csv(tmp_path, capsys):
    import zipfile

    with zipfile.ZipFile(tmp_path / "t.csv", "w") as file:
        file.writestr("xl/workbook.xml", "text")
    assert run(["assess", str(tmp_path / "t.csv"), "--target", "y"]) == 2
    assert "not a table of text" in capsys.readouterr().err


def test_values_that_a_training_set_lacks_are_no_warning(tmp_path, capsys):
    rows = [f"{('sick', 'well')[k % 2]},{k * 7 % 31},{'abcdefg'[k % 7] if k != 20 else 'rare'}" for k in range(60)]
    path = tmp_path / "rare.csv"
    path.write_text("\n".join(["y,x,t", *rows]))
    assert "unknown categories" not in assess(path, capsys, "--no-checks")


def test_a_line_of_units_below_the_header(tmp_path, capsys):
    rows = [f"{('sick', 'well')[k % 2]},{k * 7 % 31},{k * 5 % 17}" for k in range(60)]
    path = tmp_path / "units.csv"
    path.write_text("\n".join(["y,age,weight", ",years,kg", *rows]))
    shown = assess(path, capsys)
    assert "Rows without a label are left out: 1." in shown
    assert "2 numeric (age, weight)" in shown
