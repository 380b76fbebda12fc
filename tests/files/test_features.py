"""What the columns of a table are to a model, and the same of another table."""

import numpy as np
import pandas as pd
import pytest

from trueness.errors import InputError
from trueness.files import read_cases
from trueness.files.features import features_of, read_two, spellings

RNG = np.random.default_rng(0)
N = 40


def table(**columns):
    frame = pd.DataFrame({"a": RNG.normal(size=N), "y": np.arange(N) % 2}).assign(**columns)
    return frame


DATES = pd.Series(pd.Timestamp("2020-03-01") + pd.to_timedelta(RNG.integers(0, 500, N), "D"))


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d-%m-%Y", None])
def test_dates_are_days_however_they_are_written(form):
    written = DATES if form is None else DATES.dt.strftime(form)
    features = features_of(pd.DataFrame({"a": RNG.normal(size=N), "when": written}))
    assert features.X["when"].tolist() == [(d - pd.Timestamp(0)).days for d in DATES]
    assert features.as_read["when"].tolist() == DATES.tolist()
    assert (
        features.of(pd.DataFrame({"when": written[::-1], "a": 0.0}))["when"].tolist()
        == (features.X["when"].tolist()[::-1])
    )


def test_the_features_of_another_table_are_those_of_the_first():
    first = pd.DataFrame({"id": [f"x{k}" for k in range(N)], "a": range(3, N + 3), "one": 1, "self": DATES.astype(str)})
    features = features_of(first)
    assert features.dropped.keys() == {"id", "one"}
    pd.testing.assert_frame_equal(features.of(first), features.X)
    other = features.of(pd.DataFrame({"one": [1, 2], "a": [1, 2], "id": ["x", "x"], "self": ["2020-03-02", "soon"]}))
    assert list(other.columns) == ["a", "self"]
    assert other["self"].isna().tolist() == [False, True]


def test_a_training_and_a_test_table(tmp_path):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    table(row=np.arange(N), site="north").to_csv(train, index=False)
    table(row=np.arange(N) + 7, site=["north", "south"] * (N // 2)).to_csv(test, index=False)
    first, second = read_two(train, test, "y")
    assert list(first.X.columns) == list(second.X.columns) == ["a"]  # as the training table alone says
    with pytest.raises(InputError) as error:
        read_two(train, train, "y")
    assert error.value.param == "test"
    table(row=np.arange(N)).to_csv(test, index=False)
    with pytest.raises(InputError, match="site"):
        read_two(train, test, "y")


def test_cases_of_a_table_for_assess(tmp_path):
    labels = np.where(np.arange(N) == 3, None, np.where(np.arange(N) % 2, "ill", "well"))
    table(y=labels, g=np.arange(N) // 2, id=[f"p{k}q" for k in range(N)]).to_csv(tmp_path / "t.csv", index=False)
    cases = read_cases(tmp_path / "t.csv", "y", "g")
    assert (cases.X.shape, len(cases.y), cases.groups.nunique()) == ((N - 1, 1), N - 1, N // 2)
    assert [note.code for note in cases.notes] == ["unlabelled-rows", "columns-dropped"]
    with pytest.raises(InputError) as error:
        read_cases(tmp_path / "t.csv", "y", "g", ["a"])
    assert "No column is left" in str(error.value)


def test_labels_of_a_file_are_counted_in_one_spelling(tmp_path):
    labels = np.resize(["Yes", "no", "Yes ", "No", "Yes", "no"], N)
    table(y=labels).to_csv(tmp_path / "t.csv", index=False)
    cases = read_cases(tmp_path / "t.csv", "y")
    assert cases.y.tolist() == ["Yes" if label.startswith("Y") else "no" for label in labels]
    assert cases.notes[0].code == "labels-in-one-spelling"


def test_labels_stay_as_they_are_where_one_class_would_be_left():
    y = pd.Series(["a", "A", "a"])
    assert spellings(y) == {}
    numbers = pd.Series([0, 1, 1])
    assert spellings(numbers) == {}


def test_categories_that_differ_in_case_or_blanks_count_as_one():
    table = pd.DataFrame({"sex": ["f", "F", " f", "m", "f", "M "] * 5, "a": range(30), "id": range(30)})
    found = features_of(table[["sex", "a"]])
    assert [v.lower() for v in found.X["sex"]] == ["f", "f", "f", "m", "f", "m"] * 5
    assert found.X["sex"].nunique() == 2
    assert "values of sex that differ in case or blanks only count as one" in found.words
    assert found.of(table)["sex"].equals(found.X["sex"])
    assert not features_of(pd.DataFrame({"sex": ["f", "m"] * 15})).spelled


def test_labels_of_a_test_table_are_spelled_as_those_of_the_training_table(tmp_path):
    for name, labels in (("train", ["yes", "no", "no ", "yes"]), ("test", ["Yes", "No", "Yes ", "No"])):
        table(y=np.resize(labels, N)).to_csv(tmp_path / f"{name}.csv", index=False)
    first, second = read_two(tmp_path / "train.csv", tmp_path / "test.csv", "y")
    assert set(first.y) == set(second.y) == {"yes", "no"}
    assert first.spelled == {"no ": "no"}
