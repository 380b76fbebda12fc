"""What chance can do raises no alarm: bounds by enumeration, and tables of noise."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from planted import clean
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.leaks.columns import SUSPICIOUS, impure, separation
from trueness.leaks.findings import ALPHA


def codes(X, y, **options):
    return [finding.code for finding in trueness.check(X, y, **options)]


@pytest.mark.parametrize("n", [6, 10, 20, 50])
def test_thousands_of_noise_columns(n):
    rng = np.random.default_rng(n)
    y = np.arange(n) % 2
    assert codes(rng.normal(size=(n, 5000)), y) == []
    assert codes(rng.integers(0, 2, size=(n, 2000)), y) == []
    assert codes(rng.integers(0, n // 2, size=(n, 1000)), y) == []


def test_a_perfect_column_among_many_may_be_chance():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    leak = y + rng.random(20) / 2
    assert codes(rng.normal(size=(20, 20)), y) == []
    assert codes(np.column_stack([rng.normal(size=(20, 20)), leak]), y) == ["L001"]
    assert codes(np.column_stack([rng.normal(size=(20, 5000)), leak]), y) == []  # 5001 · 2/184756 > ALPHA


@pytest.mark.parametrize(("n0", "n1"), [(3, 3), (4, 4), (5, 5), (3, 7)])
def test_alarms_of_one_noise_column_by_enumeration(n0, n1):
    """Over all orders of the labels, at most a share ALPHA raises an alarm; with 5 + 5 and more some do."""
    n = n0 + n1
    alarms = {"order": 0, "values": 0}
    values, pairs = np.arange(n, dtype=float), np.arange(n) // 2
    for positives in itertools.combinations(range(n), n1):
        y = np.isin(np.arange(n), positives).astype(np.intp)
        auc, chance = separation(values, y)
        alarms["order"] += auc > SUSPICIOUS and chance < math.log(ALPHA)
        alarms["values"] += impure(pairs, y, columns=1) is not None
    assert max(alarms.values()) <= ALPHA * math.comb(n, n1)
    assert (alarms["order"] == 2) == (2 / math.comb(n, n1) < ALPHA)


def test_values_that_are_pure_by_chance_by_enumeration():
    """The bound of `impure` counts all orders of labels that are as pure."""
    values = np.repeat([0, 1, 2], 4)
    total, pure = math.comb(12, 4), 0
    for positives in itertools.combinations(range(12), 4):
        y = np.isin(np.arange(12), positives).astype(np.intp)
        table = np.bincount(values * 2 + y, minlength=6).reshape(3, 2)
        pure += table.min() == 0 and (table.min(axis=1) == 0).all()
    assert pure == 3 <= 2**3
    y = (values == 0).astype(np.intp)
    assert impure(values, y, columns=1) is None  # 2³/495 > ALPHA
    assert pure / total < 2**3 / total


# -- copies


def test_copies_of_continuous_rows_are_found_one_by_one():
    X, y = clean()
    for copies in (1, 3):
        (finding,) = trueness.check(pd.concat([X, X[:copies]]), np.r_[y, y[:copies]])
        assert (finding.code, finding.data["copies"], finding.data["other_label"]) == ("L006", copies, 0)
    (finding,) = trueness.check(pd.concat([X, X[:3]]), np.r_[y, 1 - y[:3]])
    assert finding.data["other_label"] == 3


def test_copies_are_a_warning_where_they_are_many_and_are_named():
    X, y = clean()
    n = len(X)
    for copies, severity in ((2, "info"), (6, "warning")):
        (finding,) = trueness.check(pd.concat([X, X[:copies]]), np.r_[y, y[:copies]])
        assert copies / (n + copies) != 0.01
        assert finding.severity == severity
        assert finding.data["rows"] == [(n + i, i) for i in range(min(copies, 3))]
        assert f"(counting from 0, row {n} that of row 0, row {n + 1} that of row 1" in finding.message


def test_copies_in_a_test_set_of_a_fitted_model_are_said_to_be_so(recwarn):
    X, y = clean()
    X = X.select_dtypes("number")
    X, y = pd.concat([X, X[:6]], ignore_index=True), np.r_[y, y[:6]]
    model = GaussianNB().fit(X, y)
    said = [note.message for note in trueness.assess(model, X, y, plan="prefit").notes if note.code == "L006"]
    assert len(said) == 1
    assert "training set" not in said[0]
    assert "intervals too short" in said[0]


def test_assess_and_compare_leave_out_the_checks_that_are_ignored(recwarn):
    X, y = clean()
    X = X.select_dtypes("number")
    X, y = pd.concat([X, X[:6]], ignore_index=True), np.r_[y, y[:6]]
    models = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)}
    for ignore, found in (((), True), ("L006", False), (["L006", "L003"], False)):
        a = trueness.assess(GaussianNB(), X, y, trueness.KFold(3), ["error"], rng=0, ignore=ignore)
        k = trueness.compare(models, X, y, "error", plan=trueness.KFold(3), rng=0, ignore=ignore)
        for result in (a, k):
            assert ("L006" in [note.code for note in result.notes]) is found
            assert ("L006" in result.provenance["checks"]) is found
    with pytest.raises(trueness.errors.InputError, match="no check of code"):
        trueness.assess(GaussianNB(), X, y, ignore="L999")


def test_one_column_under_two_names_has_no_copies():
    x = np.random.default_rng(0).integers(0, 50, 100)
    assert codes(np.column_stack([x, 3 - x]), np.arange(100) % 2) == []
    two = np.random.default_rng(0).normal(size=(100, 2))
    two[:5] = two[10:15]
    assert codes(two, np.arange(100) % 2) == ["L006"]


def test_copies_within_a_group_stay_together():
    X, y = clean()
    rows = np.r_[np.arange(200), :4]
    assert codes(X.iloc[rows], y[rows], groups=rows) == []
    assert codes(X.iloc[rows], y[rows], groups=np.arange(204) // 2) == ["L006"]


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_agree_because_there_are_few_values(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 600)
    few = pd.DataFrame(
        {"sex": rng.integers(0, 2, 600), "class": rng.integers(1, 4, 600), "age": rng.integers(1, 80, 600)}
    )
    assert codes(few, y) == []
    latent = rng.normal(size=(600, 1)) + y[:, None]  # columns that depend on each other
    assert codes(np.round(2 * latent + 0.5 * rng.normal(size=(600, 6))).clip(1, 10), y) == []
    again = pd.concat([pd.get_dummies(few.astype(str)), few.assign(code=3 - few["sex"])], axis=1)
    assert codes(again, y) == []
    rare = (rng.random((600, 30)) < 0.02).astype(int)
    assert codes(rare, y) == []


def test_a_pasted_block_among_rows_of_few_values():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 10, size=(500, 9)), rng.integers(0, 2, 500)
    assert codes(X, y) == []
    assert codes(np.vstack([X, X[:20]]), np.r_[y, y[:20]]) == ["L006"]
