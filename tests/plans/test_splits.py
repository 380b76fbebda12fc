"""Splits of scikit-learn and of users: what design they become, and what is refused."""

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError

Y = np.array([0, 0, 1] * 10)
GROUPS = np.repeat(list("abcdefghij"), 3)
PASSES = {  # splitter → number of passes over the cases
    KFold(5): 1,
    KFold(5, shuffle=True): 1,
    StratifiedKFold(5, shuffle=True): 1,
    RepeatedKFold(n_splits=5, n_repeats=3): 3,
    RepeatedStratifiedKFold(n_splits=5, n_repeats=2): 2,
    LeaveOneOut(): 1,
    GroupKFold(4): 1,
    StratifiedGroupKFold(3): 1,
    LeaveOneGroupOut(): 1,
    PredefinedSplit(np.arange(30) % 3): 1,
}
OTHERS = [
    ShuffleSplit(7, test_size=0.3),
    ShuffleSplit(7, test_size=0.3, train_size=0.4),
    StratifiedShuffleSplit(6),
    GroupShuffleSplit(5),
    LeavePOut(2),
    LeavePGroupsOut(2),
    TimeSeriesSplit(4),
    TimeSeriesSplit(3, gap=2, max_train_size=9),
    PredefinedSplit(np.repeat([-1, 0, 1], 10)),
    PredefinedSplit(np.repeat([-1, -1, 0], 10)),
    ShuffleSplit(1),
]


def needs_groups(splitter):
    return "Group" in type(splitter).__name__


def pairs(splitter, rng=3):
    """The splits that scikit-learn makes itself, with the random state that the design's seed implies."""
    groups = GROUPS if needs_groups(splitter) else None
    state = np.random.SeedSequence(rng, spawn_key=(0,)).generate_state(1)[0] % 2**31
    before = getattr(splitter, "random_state", None)
    if getattr(splitter, "shuffle", True) and hasattr(splitter, "random_state"):
        splitter.random_state = int(state)
    out = list(splitter.split(np.zeros((30, 1)), Y, groups))
    if hasattr(splitter, "random_state"):
        splitter.random_state = before
    return out


@pytest.mark.parametrize("splitter", [*PASSES, *OTHERS], ids=str)
def test_the_design_trains_and_tests_as_the_splitter_says(splitter):
    design = trueness.plans.Splits(splitter).draw(Y, groups=GROUPS if needs_groups(splitter) else None, rng=3)
    expected = pairs(splitter)
    assert design.n_fits == len(expected)
    for f, (train, test) in enumerate(expected):
        assert (np.flatnonzero(design.counts[f]) == np.sort(train)).all()
        assert (design.tested(f) == np.sort(test)).all()
        assert (np.flatnonzero(design.tests()[f]) == np.sort(test)).all()
    never = np.setdiff1d(np.arange(30), np.concatenate([test for _, test in expected]))
    assert (np.flatnonzero(design.never_tested) == never).all()
    assert design.kind == ("holdout" if len(expected) == 1 else "cv")
    noted = [note.data["skipped"] for note in design.notes if note.code == "cases-skipped"]
    assert noted == ([len(never)] if len(never) and design.kind == "cv" else [])


@pytest.mark.parametrize("splitter", PASSES, ids=str)
def test_passes_over_the_cases_become_folds(splitter):
    design = trueness.plans.Splits(splitter).draw(Y, groups=GROUPS if needs_groups(splitter) else None, rng=0)
    assert design.folds is not None
    assert len(design.folds) == PASSES[splitter]
    assert design.unused is None


def test_passes_of_different_numbers_of_folds_are_passes_too():
    some = [*pairs(KFold(5)), *pairs(KFold(3))]
    design = trueness.plans.Splits(some).draw(Y)
    assert design.folds is None
    assert design.repeats.tolist() == [0] * 5 + [1] * 3


def test_training_sets_may_be_smaller_than_the_rest():
    purged = [(train[2:], test) for train, test in pairs(KFold(5))]
    design = trueness.plans.Splits(purged).draw(Y)
    assert design.unused is not None
    assert (design.unused.sum(axis=1) == 2).all()
    assert design.repeats.tolist() == [0] * 5


def test_one_incomplete_pass_is_one_pass():
    assert trueness.plans.Splits(TimeSeriesSplit(4)).draw(Y).repeats.tolist() == [0] * 4
    assert trueness.plans.Splits(ShuffleSplit(4)).draw(Y, rng=0).repeats.tolist() == [0, 1, 2, 3]


def test_bootstrap_samples_are_recognised():
    rng = np.random.default_rng(0)
    drawn = [rng.integers(0, 30, 30) for _ in range(12)]
    design = trueness.plans.Splits([(rows, np.setdiff1d(np.arange(30), rows)) for rows in drawn]).draw(Y)
    assert design.kind == "bootstrap"
    assert (design.counts == [np.bincount(rows, minlength=30) for rows in drawn]).all()


def test_masks_and_generators():
    mask = np.arange(30) % 3 == 0
    one = trueness.plans.Splits((~np.roll(mask, k), np.roll(mask, k)) for k in range(3))
    two = trueness.plans.Splits(
        [(np.flatnonzero(~np.roll(mask, k)), np.flatnonzero(np.roll(mask, k))) for k in range(3)]
    )
    assert one.draw(Y).fingerprint == two.draw(Y).fingerprint == one.draw(Y).fingerprint
    assert repr(one) == "Splits(3 given splits)"


def test_a_random_state_is_filled_from_rng_and_the_splitter_is_not_changed():
    splitter = RepeatedStratifiedKFold(n_splits=3, n_repeats=2)
    plan = trueness.plans.Splits(splitter)
    assert plan.draw(Y, rng=1).fingerprint == plan.draw(Y, rng=1).fingerprint != plan.draw(Y, rng=2).fingerprint
    assert splitter.random_state is None
    fixed = trueness.plans.Splits(StratifiedKFold(3, shuffle=True, random_state=0))
    assert fixed.draw(Y, rng=1).fingerprint == fixed.draw(Y, rng=2).fingerprint


def test_unused_cases_are_part_of_the_fingerprint():
    whole = [([0, 1, 2], [3, 4, 5]), ([3, 4, 5], [0, 1, 2])]
    part = [([0, 1], [3, 4, 5]), ([3, 4, 5], [0, 1, 2])]
    y = [0, 1, 0, 1, 0, 1]
    assert trueness.plans.Splits(whole).draw(y).fingerprint != trueness.plans.Splits(part).draw(y).fingerprint


def test_a_splitter_that_looks_at_the_features():
    class ByFirstColumn:
        def split(self, X, y, groups):
            yield np.flatnonzero(X[:, 0] < 5), np.flatnonzero(X[:, 0] >= 5)

    X = np.arange(30.0)[:, None] % 10
    design = trueness.plans.Splits(ByFirstColumn()).draw(Y, X=X)
    assert (design.tested(0) == np.flatnonzero(X[:, 0] >= 5)).all()


@pytest.mark.parametrize("plan", [TimeSeriesSplit(4), [(np.arange(200), np.arange(200, 300))]], ids=["origins", "one"])
def test_groups_that_return_in_time_are_for_the_standard_error_only(plan):
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(300, 2)), rng.integers(0, 30, 300)
    y = (X[:, 0] + 2 * rng.normal(size=30)[groups] > 0).astype(int)
    metrics = ["brier", "auc", "mcc"]
    plain = trueness.assess(GaussianNB(), X, y, plan=plan, metrics=metrics)
    grouped = trueness.assess(GaussianNB(), X, y, plan=plan, metrics=metrics, groups=groups)
    for metric in metrics:
        assert grouped[metric].value == pytest.approx(plain[metric].value, abs=1e-12)
    assert grouped["brier"].se > 1.3 * plain["brier"].se
    assert grouped["brier"].noted("groups-return")
    later = [(np.arange(200, 300), np.arange(200))]
    with pytest.raises(InputError, match="earlier rows") as e:
        trueness.assess(GaussianNB(), X, y, plan=later, groups=groups)
    assert e.value.param == "plan"


TRAIN, TEST = list(range(20)), list(range(20, 30))


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [(TRAIN, [19, *TEST])],
        [(TRAIN, [])],
        [([], TEST)],
        [(TRAIN, [30])],
        [(TRAIN, [-1])],
        [(TRAIN, [20, 20])],
        [(TRAIN, [20.5])],
        [(TRAIN, ["a"])],
        [(TRAIN, [TEST])],
        [TRAIN],
        [(TRAIN, TEST, TEST)],
        [1, 2],
        3.5,
        "kfold",
        {"a": 1},
        KFold,
        StratifiedKFold(25),
        TimeSeriesSplit(40),
        GroupKFold(3),
    ],
    ids=repr,
)
def test_what_cannot_be_split_is_an_error_about_plan(wrong):
    with pytest.raises(InputError) as e:
        trueness.plans.Splits(wrong).draw(Y)
    assert e.value.param == "plan"


def test_the_messages():
    with pytest.raises(InputError, match=r"Split 0 tests cases that it trains on\. Got cases in both parts: 19"):
        trueness.plans.Splits([(TRAIN, [19, *TEST])]).draw(Y)
    with pytest.raises(InputError, match=r"LeaveOneGroupOut cannot split these cases\. .* Pass groups=\."):
        trueness.plans.Splits(LeaveOneGroupOut()).draw(Y)


@pytest.mark.parametrize("splitter", [TimeSeriesSplit(4), ShuffleSplit(3, random_state=0)], ids=str)
def test_given_splits_test_every_case_and_a_splitter_may_leave_some_out(splitter):
    given = list(splitter.split(np.zeros((30, 1)), Y))
    never = np.setdiff1d(np.arange(30), np.concatenate([test for _, test in given]))
    with pytest.raises(InputError) as e:
        trueness.plans.Splits(given).draw(Y)
    assert e.value.param == "plan"
    assert e.value.got.startswith(f"{len(never)}: {never[0]}, {never[1]}")

    class Own:
        def split(self, X, y, groups):
            return given

    for plan in (splitter, Own()):
        (note,) = trueness.plans.Splits(plan).draw(Y).notes
        assert (note.code, note.data["skipped"]) == ("cases-skipped", len(never))


def test_one_given_split_is_a_test_set():
    assert trueness.plans.Splits([(TRAIN, TEST)]).draw(Y).kind == "holdout"


def test_groups_on_both_sides():
    with pytest.raises(InputError, match="on both sides") as e:
        trueness.plans.Splits(KFold(4)).draw(Y, groups=GROUPS)
    assert e.value.param == "plan"
    assert trueness.plans.Splits(KFold(5)).draw(Y, groups=GROUPS).n_fits == 5  # folds of whole groups
