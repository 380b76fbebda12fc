"""Tables from files: separators, missing values, columns that are not what they seem."""

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.errors import InputError
from trueness.files.features import features_of, read_cases, read_two, split
from trueness.files.numbers import numbers_of
from trueness.files.table_file import read_and_describe, read_table


def written(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_other_separators_and_a_label_called_none(tmp_path):
    rows = "".join(f"{i};{'None' if i % 2 else 'Some'}\n" for i in range(40))
    table = read_table(written(tmp_path, "a;y\n" + rows))
    assert table["y"].unique().tolist() == ["Some", "None"]
    assert table["a"].tolist() == list(range(40))


def test_missing_values(tmp_path):
    table = read_table(written(tmp_path, "a,y\n1,0\n,1\nNA,1\n"))
    assert table["a"].isna().tolist() == [False, True, True]


def test_what_is_no_table(tmp_path):
    (tmp_path / "b.csv").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (tmp_path / "b.parquet").write_bytes(b"nonsense")
    for name, message in (
        ("no.csv", "No such file"),
        (".", "directory"),
        ("b.csv", "not text"),
        ("b.parquet", "cannot be read"),
    ):
        with pytest.raises(InputError, match=message):
            read_table(str(tmp_path / name))


def test_a_file_without_permission(tmp_path, monkeypatch):
    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path, "a,y\n1,0\n")
    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(InputError, match=r"cannot be read. Got .*: Permission denied"):
        read_table(path)


def test_columns_that_are_no_features():
    table = pd.DataFrame({"a": [1, 2], "b": [3, 4], "c": [5, 6], "y": [0, 1]})
    assert list(split(table, "y", "c", ["b"])[0].columns) == ["a"]
    assert list(split(table, "y", "c", ["c", "c"])[0].columns) == ["a", "b"]
    with pytest.raises(InputError) as raised:
        split(table, "y", None, ["d"])
    assert raised.value.param == "drop"


@pytest.mark.parametrize("digits", [16, 18, 19, 20, 25])
@pytest.mark.parametrize("gap", ["", "unknown", None])
def test_long_identifiers_stay_different(tmp_path, digits, gap):
    ids = [str(9 * 10 ** (digits - 1) + k) for k in range(40)]
    cells = ids if gap is None else [*ids[:5], gap, *ids[6:]]
    rows = "".join(f"{cell},{k * 1e19},{k % 2}\n" for k, cell in enumerate(cells))
    table = read_table(written(tmp_path, "id,x,y\n" + rows))
    assert table["id"].nunique() == len(set(cells) - {gap})
    assert table["x"].tolist() == [k * 1e19 for k in range(40)]
    features = features_of(table[["id", "x"]])
    assert [t.kind for t in features.X.dtypes] in (["i", "f"], ["u", "f"], ["f", "f"])
    assert features.as_read["id"].nunique() == len(set(cells) - {gap})


@pytest.mark.parametrize(
    ("cells", "decimal", "values"),
    [
        (["1.900", "950", "1.010"], ",", [1900, 950, 1010]),
        (["1.900,5", "950"], ",", [1900.5, 950]),
        (["14,5", "3,25"], ".", [14.5, 3.25]),
        (["1 900", "2\u202f100 ", "950"], ".", [1900, 2100, 950]),
        (["$ 1,900.00", "$ 20.50", "$3"], ".", [1900, 20.5, 3]),
        (["14.5 mg/dl", "3 mg/dl", "7mg/dl"], ".", [14.5, 3, 7]),
        (["26.0%", "0.4 %"], ".", [0.26, 0.004]),
        (["1'234", "987", "12’000.50"], ".", [1234, 987, 12000.5]),
        (["1", "-", "2.5", "\u2013"], ".", [1, np.nan, 2.5, np.nan]),
        (["1", "2", None, "None", "1e3"], ".", [1, 2, np.nan, np.nan, 1000]),
    ],
)
def test_numbers_as_people_write_them(cells, decimal, values):
    assert np.array_equal(numbers_of(pd.Series(cells), decimal), values, equal_nan=True)


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "2", "<1"],
        ["1 mg", "2 g", "3 mg"],
        ["2 weeks", "4 weeks"],  # labels
        ["-", "+"],
        ["1", "-"],
        ["None", "Some"],
        ["01.02.2003", "05.11.2004"],
        ["2001-01-02", "2001-01-03"],
        ["1.2.3", "1.2.4"],
        ["12:30", "13:45"],
        ["12 30", "45 1"],
        ["A1", "A2", "A3"],
    ],
)
def test_text_that_is_no_numbers(cells):
    assert numbers_of(pd.Series(cells)) is None


def test_points_between_thousands_beside_decimal_commas(tmp_path):
    rows = "1;1.900;0,5\n1;2.100;0,4\n1;1.200;0,9\n0;950;0,1\n0;870;0,2\n0;1.010;0,2\n"
    table, said = read_and_describe(written(tmp_path, "y;s;x\n" + rows))
    assert table["s"].tolist() == [1900, 2100, 1200, 950, 870, 1010]
    assert table["x"].tolist() == [0.5, 0.4, 0.9, 0.1, 0.2, 0.2]
    assert said == "semicolons, decimal commas, '1.900' read as 1900 in s"


def test_commas_between_thousands_or_before_decimals_in_a_file_of_semicolons(tmp_path):
    for cells, values in (
        (["1,900", "2,100", "950", "1,010"], [1900, 2100, 950, 1010]),
        (["1,900", "2,100", "9", "1,010"], [1.9, 2.1, 9, 1.01]),
        (["1,900", "2,100", "9500", "1,010"], [1.9, 2.1, 9500, 1.01]),
        (["1,900", "2,10", "950", "1,010"], [1.9, 2.1, 950, 1.01]),
    ):
        table = read_table(written(tmp_path, "y;s\n" + "".join(f"{k % 2};{c}\n" for k, c in enumerate(cells))))
        assert table["s"].tolist() == values


def test_codes_of_missing_values(tmp_path):
    frame = pd.DataFrame({"a": [1, -999, 3], "b": ["x", "unclear", "y"], "y": [0, 1, 1]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        table = read_and_describe(str(tmp_path / name), ("-999", "unclear"))[0]
        assert table.isna().to_numpy().tolist() == [[False] * 3, [True, True, False], [False] * 3]


def test_lines_above_the_header(tmp_path):
    rows = "a;b;c;y\n" + "1;2;3;0\n4;5;6;1\n" * 5
    for first in ("sep=;\n", '"sep=;"\n', "\n"):
        table = read_table(written(tmp_path, first + rows))
        assert (table.shape, list(table.columns)) == ((10, 4), ["a", "b", "c", "y"])
    for first in (
        "Export KIS",
        "Export KIS;;;",
        "# exported today",
        "# exported; today",
        "Women, exported 2023-12-31\n",
    ):
        table, said = read_and_describe(written(tmp_path, f"{first}\n{rows}"))
        assert (table.shape, list(table.columns)) == ((10, 4), ["a", "b", "c", "y"])
        assert said == "semicolons, titles skipped"
        table, said = read_and_describe(written(tmp_path, f"A title\n{first}\n{rows}".replace(";", ",")))
        assert (table.shape, list(table.columns)) == ((10, 4), ["a", "b", "c", "y"])
    with pytest.raises(InputError, match="looks like a title"):
        read_table(written(tmp_path, "Export KIS\n" + "1;2;3;0\n4;5;6;1\n" * 5))
    assert list(read_table(written(tmp_path, "#" + rows)).columns) == ["#a", "b", "c", "y"]


def test_a_decimal_comma_in_every_row_is_no_separator(tmp_path):
    rows = "low;age;lwt\n" + "".join(f"{'ja' if k % 3 else 'nein'};{19 + k};{60 + k},6\n" for k in range(20))
    for above in (
        "Geburten Klinik Nord\n",
        "Geburten, Klinik Nord\n",
        "Geburten; Nord, 1986\n\n",
        "Geburten;;\n;;\n",
        "",
    ):
        table, said = read_and_describe(written(tmp_path, above + rows))
        assert list(table.columns) == ["low", "age", "lwt"]
        assert table["lwt"].tolist() == [60.6 + k for k in range(20)]
        assert "semicolons, decimal commas" in said
    rows = "note,x,y\n" + "".join(f"a;{k},{k / 7},{k % 2}\n" for k in range(20))
    assert list(read_table(written(tmp_path, rows)).columns) == ["note", "x", "y"]


def test_separators_at_the_ends_of_rows(tmp_path):
    table = read_table(written(tmp_path, "a;b;y\n" + "1;2;0;\n3;4;1;\n" * 5))
    assert (list(table.columns), table["a"].tolist(), table["y"].tolist()) == (["a", "b", "y"], [1, 3] * 5, [0, 1] * 5)


def test_remarks_below_the_table(tmp_path):
    rows = "a,b,y\n" + "1,2,0\n3,4,1\n" * 5
    for below in ("Source: Klinik Nord\n", "\nSource: Klinik Nord,,\n"):
        table, said = read_and_describe(written(tmp_path, rows + below))
        assert (table["a"].tolist(), said) == ([1, 3] * 5, "line 'Source: Klinik Nord' below the table skipped")
    assert len(read_table(written(tmp_path, rows + "5,,\n"))) == 11


def test_files_one_below_the_other(tmp_path):
    rows = "a,b,y\n" + "1,2,0\n3,4,1\n" * 5
    table = read_table(written(tmp_path, rows * 3))
    assert (len(table), table["a"].tolist()) == (30, [1, 3] * 15)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b,y\n" + "1,2,0\n" * 300 + "1,2,3,4,5\n", "Expected 3 fields in line 302, saw 5"),
        ('a,b,y\n1,2,"0\n' + "1,2,0\n" * 20, "EOF inside string"),
    ],
)
def test_what_pandas_cannot_parse_is_said_in_plain_words(tmp_path, text, said):
    with pytest.raises(InputError) as raised:
        read_table(written(tmp_path, text))
    assert said in str(raised.value)
    assert "C error" not in str(raised.value)


def test_names_of_columns_that_come_again_get_a_number_as_in_pandas(tmp_path):
    for head in ("a,b,a,a", "a,a,a.1,y"):
        path = written(tmp_path, f"{head}\n" + "1,2,3,0\n4,5,6,1\n" * 5)
        assert list(read_table(path).columns) == list(pd.read_csv(path).columns)
    assert list(read_table(written(tmp_path, "a, a ,y\n1,2,0\n3,4,1\n")).columns) == ["a", "a.1", "y"]


def test_the_content_of_a_file_tells_its_kind_not_its_name(tmp_path):
    table = pd.DataFrame({"a": [1, 2], "y": ["x", "z"]})
    assert read_table(written(tmp_path, "a,y\n1,x\n2,z\n", "t.xlsx")).equals(table)
    table.to_json(tmp_path / "t.csv", orient="records")
    assert read_table(tmp_path / "t.csv").equals(table)
    table.to_parquet(tmp_path / "t.txt")
    assert read_table(tmp_path / "t.txt").equals(table)


def test_lists_in_cells_of_json_are_no_features(tmp_path):
    pd.DataFrame({"a": [[1], [2]], "y": [0, 1]}).to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    with pytest.raises(InputError, match="Columns hold lists or objects, not values. Got a"):
        split(read_table(tmp_path / "t.jsonl"), "y", None)


def german(rows=200, gap="#NV"):
    """An export of a German spreadsheet, and the incomes in it."""
    rng = np.random.default_rng(0)
    income = rng.normal(50000, 9000, rows).round(2)
    lines = ["Kunde;PLZ;Einkommen;Saldo;Kosten;Datum;Franken;Ausfall"]
    for k, value in enumerate(income):
        cell = gap if k < 12 else "#WERT!" if k < 16 else f"{value:.2f}".replace(".", ",")
        balance = f"{value / 10:,.2f}".translate(str.maketrans(",.", ".,"))
        place, swiss = ["01067", "80331", "10115"][k % 3], f"{value:,.0f}".replace(",", "'")
        day = f"{k % 28 + 1:02}.{k % 12 + 1:02}.2023"
        lines.append(f"K{k:04};{place};{cell};{balance};{balance} €;{day};{swiss};{'ja' if value < 50000 else 'nein'}")
    return "\n".join(lines), income


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252"])
def test_a_german_export(tmp_path, encoding):
    text, income = german()
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    cases = read_cases(str(tmp_path / "t.csv"), "Ausfall")
    X, features = cases.X, cases.features
    assert list(features.dropped) == ["Kunde"]
    assert X["Einkommen"].isna().tolist() == [True] * 16 + [False] * 184
    assert np.array_equal(X["Einkommen"][16:], income[16:])
    assert np.allclose(X["Saldo"], income / 10, atol=0.006)
    assert X["Saldo"].equals(X["Kosten"])
    assert np.array_equal(X["Franken"], income.round())
    assert X["PLZ"].tolist() == (["01067", "80331", "10115"] * 67)[:200]
    assert features.as_read["Datum"].iloc[30] == pd.Timestamp("2023-07-03")


def test_numbers_with_words_beside_them_are_not_dropped(tmp_path):
    source = written(tmp_path, german(gap="in Akte")[0])
    cases = read_cases(source, "Ausfall")
    assert "Einkommen" in cases.X
    finding = next(f for f in trueness.check(cases.X, cases.y) if f.code == "L012")
    assert (finding.severity, finding.columns, finding.data["values"]) == ("warning", ("Einkommen",), ["in Akte"])
    assert read_cases(source, "Ausfall", missing=["in Akte"]).X["Einkommen"].notna().sum() == 184


@pytest.mark.parametrize(
    "cell", ["#N/A", "#NV", "#VALUE!", "#WERT!", "#DIV/0!", "#REF!", "#BEZUG!", "#NAME?", "#ZAHL!"]
)
def test_errors_of_spreadsheets_are_missing(tmp_path, cell):
    table = read_table(written(tmp_path, f"a,b,y\n1,u,0\n{cell},{cell},1\n2,v,1\n"))
    assert table["a"].tolist()[::2] == [1, 2]
    assert table.isna().sum().tolist() == [1, 1, 0]


def test_postal_codes_of_a_test_set_without_a_leading_zero(tmp_path):
    rows = [(["01067", "80331", "10115"][k % 3], k % 7, k % 2) for k in range(40)]
    for name, codes in (("train.csv", rows), ("test.csv", [row for row in rows if row[0] != "01067"])):
        written(tmp_path, "plz,a,y\n" + "".join("{},{},{}\n".format(*row) for row in codes), name)
    train, test = read_two(tmp_path / "train.csv", tmp_path / "test.csv", "y")
    assert set(train.X["plz"]) == {"01067", "80331", "10115"}
    assert set(test.X["plz"]) == {"80331", "10115"}
