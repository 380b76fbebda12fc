"""Tables from files: separators, missing values, columns that are not what they seem."""

import pandas as pd
import pytest

from trueness.errors import InputError
from trueness.files.features import split
from trueness.files.table_file import column, read_table


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
        ("no.csv", "no such file"),
        (".", "folder"),
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


def test_a_missing_column_names_the_option_and_the_nearest_name():
    with pytest.raises(InputError, match="Did you mean 'outcome'") as raised:
        column(pd.DataFrame({"outcome": [1], "a": [2]}), "outcom", "target")
    assert raised.value.param == "target"


def test_columns_that_are_no_features():
    table = pd.DataFrame({"a": [1, 2], "b": [3, 4], "c": [5, 6], "y": [0, 1]})
    assert list(split(table, "y", "c", ["b"])[0].columns) == ["a"]
    assert list(split(table, "y", "c", ["c", "c"])[0].columns) == ["a", "b"]
    with pytest.raises(InputError) as raised:
        split(table, "y", None, ["d"])
    assert raised.value.param == "drop"
