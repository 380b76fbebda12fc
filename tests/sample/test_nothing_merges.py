"""Different scores, labels and groups stay different, or are refused: nothing is rounded or cut off in silence."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.sample.sample import Sample

y = np.array([0, 1] * 10)

ROUNDED = {
    "int64": 2**53 + y,
    "uint64": np.uint64(2**63) + y.astype(np.uint64),
    "Decimal": [Decimal(1) + Decimal(int(v)) / 10**25 for v in y],
    "longdouble": np.longdouble(1) + y * np.finfo(np.longdouble).eps,
    "a list with a float": [*(2**53 + y[1:]).tolist(), 0.5],
    "integers without a common type": [*(2**63 + y[1:].astype(object)), -1],
}


@pytest.mark.parametrize("kind", ROUNDED)
def test_scores_that_double_precision_merges_are_refused(kind):
    if kind == "longdouble" and np.finfo(np.longdouble).eps == np.finfo(float).eps:
        pytest.skip("long double is double here")
    with pytest.raises(trueness.errors.InputError, match="equal in double precision"):
        trueness.roc(y, ROUNDED[kind])


def test_scores_of_other_types_that_stay_different_are_ranked():
    for scores in (2**60 + 1024 * y, [Decimal(int(v)) / 3 for v in y], np.array([2**62 * v for v in y], dtype=object)):
        assert trueness.roc(y, scores).auc.value == 1


def test_dates_are_no_scores():
    times = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(y, unit="s"))
    with pytest.raises(trueness.errors.InputError, match="must be numbers"):
        trueness.roc(y, times)


def test_scores_in_files_are_refused_too(tmp_path):
    from trueness.files.score_file import counts_of_files

    pd.DataFrame({"y": y, "s": 2**53 + y}).to_csv(tmp_path / "s.csv", index=False)
    with pytest.raises(trueness.errors.InputError, match="equal in double precision"):
        counts_of_files(tmp_path / "s.csv", "y", "s")


@pytest.mark.parametrize(
    "labels", [["a", "a\0"] * 5, pd.Series(["a", "a\0", "b"] * 4), np.array([2**63, 2**63 + 1, -1] * 4, dtype=object)]
)
def test_labels_that_numpy_would_merge_are_refused(labels):
    with pytest.raises(trueness.errors.InputError, match=r"^y holds"):
        Sample.of(labels)


def test_large_labels_stay_different():
    for big in (2**63, 2**70):
        assert Sample.of(np.array([big, big + 1] * 3, dtype=object)).classes.tolist() == [big, big + 1]


@pytest.mark.parametrize(
    "groups",
    [
        [1, "1", 2, "2"] * 5,
        [b"a", "a"] * 10,
        [2**63, 2**63 + 1, -1, 0] * 5,
        np.array([1, "1", 2, "2"] * 5, dtype=object),
    ],
)
def test_groups_that_would_merge_are_refused(groups):
    with pytest.raises(trueness.errors.InputError, match=r"^groups "):
        Sample.of(y, groups=groups)


def test_groups_with_a_nul_stay_different():
    assert Sample.of(y, groups=["a", "a\0", "b", "b "] * 5).groups.max() == 3


def test_labels_that_differ_in_case_are_named():
    with pytest.warns(trueness.errors.TruenessWarning, match="'Yes' and 'yes' differ only in case"):
        Sample.of(["yes", "no", "Yes", "no", "yes", "Yes"])


def test_a_pyarrow_table_is_taken_as_features():
    pa = pytest.importorskip("pyarrow")
    from sklearn.linear_model import LogisticRegression

    X = np.random.default_rng(0).normal(size=(20, 2)) + 2 * y[:, None]
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    given = trueness.assess(LogisticRegression(), table, pa.array(y), plan=5, rng=0)
    usual = trueness.assess(LogisticRegression(), pd.DataFrame(X, columns=["a", "b"]), y, plan=5, rng=0)
    assert given.frame().equals(usual.frame())
