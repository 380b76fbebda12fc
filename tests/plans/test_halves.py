"""PairedSubsampling and CvHalves: halves are disjoint, of equal size, and large enough before any fit."""

import numpy as np
import pytest

import trueness
from trueness.errors import InputError

Y = np.array(["a"] * 25 + ["b"] * 34)
PLANS = [trueness.plans.PairedSubsampling(4, inner=3), trueness.plans.CvHalves(5, repeats=2, halvings=3, inner_folds=4)]


def members(halves):
    """(R, n) the cases of each half."""
    return ~halves.unused[np.unique(halves.repeats, return_index=True)[1]]


@pytest.mark.parametrize("plan", PLANS, ids=str)
@pytest.mark.parametrize("stratified", [True, False])
def test_halves_are_disjoint_and_train_and_test_within_themselves(plan, stratified):
    plan = type(plan)(**{**vars(plan), "stratified": stratified})
    halves = plan.draw(Y, rng=1).parts[1]
    first, second = members(halves)[0::2], members(halves)[1::2]
    assert not (first & second).any()
    expected = 12 + 17 if stratified else 29
    assert (members(halves).sum(axis=1) == expected).all()
    if stratified:
        assert (members(halves)[:, Y == "a"].sum(axis=1) == 12).all()
    for f, row in enumerate(halves.counts):
        own, tested = members(halves)[halves.repeats[f]], halves.tested(f)
        assert sorted([*np.flatnonzero(row), *tested]) == np.flatnonzero(own).tolist()
        assert len(tested) > 0 == len(np.intersect1d(tested, np.flatnonzero(row)))
    assert len(np.unique(first, axis=0)) == 3


def test_test_parts_of_halves_are_as_large_as_those_of_all_cases():
    design = trueness.plans.PairedSubsampling(4, inner=3, test_size=0.2).draw(Y, rng=0)
    for label, size in (("a", 5), ("b", 7)):
        for part in design.parts:
            tested = [part.tested(f) for f in range(part.n_fits)]
            assert {int((Y[cases] == label).sum()) for cases in tested} == {size}


def test_every_case_of_a_half_is_tested_once():
    halves = trueness.plans.CvHalves(halvings=3).draw(Y, rng=0).parts[1]
    for half in range(6):
        tested = np.concatenate([halves.tested(f) for f in np.flatnonzero(halves.repeats == half)])
        assert sorted(tested.tolist()) == np.flatnonzero(members(halves)[half]).tolist()


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_same_seed_same_design(plan):
    one, two, other = (plan.draw(Y, rng=seed) for seed in (7, 7, 8))
    assert one.fingerprint == two.fingerprint != other.fingerprint
    assert (members(one.parts[1]) == members(two.parts[1])).all()


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_groups_stay_together(plan):
    y, groups = np.repeat([0, 1], 60), np.arange(120) // 3
    halves = plan.draw(y, groups=groups, rng=0).parts[1]
    for table in (halves.counts, members(halves)):
        by_group = table.reshape(len(table), 40, 3)
        assert (by_group == by_group[:, :, :1]).all()
    assert (members(halves).reshape(-1, 40, 3)[:, :20, 0].sum(axis=1) == 10).all()


@pytest.mark.parametrize(
    ("plan", "y", "param"),
    [
        (trueness.plans.CvHalves(), [0] * 30 + [1] * 9, "inner_folds"),
        (trueness.plans.CvHalves(stratified=False), [0] * 4 + [1] * 5, "inner_folds"),
        (trueness.plans.CvHalves(n_folds=12), [0] * 30 + [1] * 10, "n_folds"),
        (trueness.plans.PairedSubsampling(), [0] * 30 + [1] * 3, "test_size"),
        (trueness.plans.PairedSubsampling(test_size=0.5), [0] * 30 + [1] * 30, "test_size"),
    ],
    ids=str,
)
def test_halves_that_are_too_small_are_refused_before_any_fit(plan, y, param):
    with pytest.raises(InputError) as error:
        plan.draw(y, rng=0)
    assert error.value.param == param


@pytest.mark.parametrize(
    ("plan", "wrong"),
    [
        (trueness.plans.PairedSubsampling, {"inner": 0}),
        (trueness.plans.PairedSubsampling, {"n_splits": 1.5}),
        (trueness.plans.PairedSubsampling, {"test_size": 1}),
        (trueness.plans.CvHalves, {"halvings": 1}),
        (trueness.plans.CvHalves, {"inner_folds": 1}),
        (trueness.plans.CvHalves, {"repeats": 1}),
    ],
)
def test_wrong_numbers(plan, wrong):
    with pytest.raises(InputError) as error:
        plan(**wrong)
    assert error.value.param in wrong
