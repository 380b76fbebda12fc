"""What JSON keeps: every kind of value, and what it says where it cannot be read."""

import datetime
import json
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.errors import InputError
from trueness.result.columns import Column
from trueness.result.estimate import Estimate
from trueness.result.interval import LOGIT, Interval
from trueness.result.json import decoded, encoded, pretty
from trueness.result.notes import Note
from trueness.result.shown import Result
from trueness.result.words import DELONG, Estimand, Named


def again(value):
    return decoded(json.loads(pretty(encoded(value))))


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 3, 0.1, math.inf, -math.inf, "a", (1, (2.5, "b")), {"a": {"b": 1}}, {("a", 1): (0.5,)}),
        *({"kind": "a"}, {1: {2: 3}}, Estimand.RULE, Note("few-groups", "A sentence.", "warning", groups=3)),
        *(datetime.datetime(2026, 11, 19, 12), Interval(0, 1, level=0.9, method="wald")),
    ],
    ids=str,
)
def test_values_come_back(value):
    assert again(value) == value
    assert type(again(value)) is type(value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([0.1, math.nan, math.inf, -math.inf]),
        np.arange(6).reshape(2, 3),
        np.array([True, False]),
        np.array(["a", "é"]),
        np.array(["a", 1, None], dtype=object),
        np.array([], dtype=float),
        np.array(["2026-11-19"], dtype="datetime64[D]"),
    ],
    ids=str,
)
def test_arrays_come_back(array):
    found = again(array)
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype


def test_tables_come_back():
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, math.nan], 3: ["x", None]}, index=pd.Index(["u", "v"], name="case"))
    pd.testing.assert_frame_equal(again(frame), frame)
    both = frame.set_index("a", append=True)
    pd.testing.assert_frame_equal(again(both), both)
    pd.testing.assert_series_equal(again(frame["b"]), frame["b"])
    empty = pd.DataFrame({"a": np.array([], dtype=float)})
    pd.testing.assert_frame_equal(again(empty), empty, check_index_type=False)


def test_names_keep_their_words():
    found = again({"method": Named("loob", "the leave-one-out bootstrap", "efron_1983"), "se": DELONG})
    assert found["method"].words == "the leave-one-out bootstrap"
    assert found["se"] == "delong"
    assert vars(found["se"]) == vars(DELONG)


def test_undefined_numbers_are_null_and_come_back():
    e = Estimate(math.nan)
    assert json.loads(e.to_json())["value"] is None
    assert math.isnan(trueness.load(e.to_json()).value)


def test_estimates_compare_and_have_intervals_of_any_level(tmp_path):
    influence = np.random.default_rng(0).normal(size=20)
    e = Estimate(0.7, se=0.1, bounds=(0.0, 1.0), interval=LOGIT, influence=influence, df=19.0)
    e.to_json(tmp_path / "e.json")
    read = trueness.load(tmp_path / "e.json")
    assert read.ci(0.9) == e.ci(0.9)
    assert read.ci(method="wald") == e.ci(method="wald")
    np.testing.assert_array_equal(read.influence, influence)
    written = json.loads(e.to_json())
    assert (written["low"], written["high"], written["level"]) == (*e.ci(0.95), 0.95)


@dataclass(frozen=True, eq=False, repr=False)
class ByReader(Result):
    """The AUC of every reader."""

    auc: dict
    level: float = 0.9
    notes: tuple = ()

    heading = "{auc} readers"
    template = "Readers: {auc}, at level {level}."
    footnote = "{percent} each"
    columns: ClassVar = {
        "reader": Column("reader"),
        "value": Column("AUC", "estimate"),
        "simultaneous": Column("{together:%} together", "limits", level="together"),
        "p_value": Column("p", "p"),
        "hidden": Column(""),
    }
    together = 0.99

    def rows(self):
        for name, e in self.auc.items():
            yield {"reader": name, "value": e, "simultaneous": e, "p_value": 0.03125, "hidden": 1}


def test_a_result_is_its_columns_and_rows():
    e = Estimate(0.71234, se=0.05, metric="auc", bounds=(0.0, 1.0))
    found = ByReader({"Ann": e, "Bob": None}, notes=(Note("a", "One."), Note("b", "Two.", "warning")))
    frame = found.frame()
    limits = ["low_simultaneous", "high_simultaneous"]
    assert frame.columns.tolist() == ["reader", "value", "se", "low", "high", *limits, "p_value", "hidden"]
    assert frame.loc[0, ["value", "se", "low", "high"]].tolist() == [0.71234, 0.05, *e.ci(0.9)]
    assert tuple(frame.loc[0, limits]) == e.ci(0.99)
    assert frame.loc[1, ["value", "high_simultaneous"]].isna().all()
    (table,) = found.page().tables
    assert tuple(table.heads) == ("reader", "AUC", "std. error", "90 % interval", "99 % together", "p")
    assert table.rows[0] == ("Ann", "0.712", "0.050", "0.630 to 0.795", "0.584 to 0.841", "0.031")
    assert table.rows[1] == ("Bob", "", "", "", "", "0.031")
    assert found.page(0.5).tables[0].heads[3] == "50 % interval"
    assert [note.code for note in found.page().notes] == ["b", "a"]
    assert found.page().footer == "90 % each"


@pytest.mark.parametrize(
    "text",
    ["{", "{}", '{"kind": "os.system"}', '{"kind": "result.words.listed", "names": []}', '{"kind": "__main__.x"}'],
)
def test_what_is_no_result_is_an_error(text):
    with pytest.raises(InputError, match="no result"):
        trueness.load(text)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        trueness.load(tmp_path / "none.json")
