"""Plans draw what they say: sizes, strata, groups, seeds."""

import pickle
from math import comb

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError
from trueness.sample.rows import FileRows
from trueness.studies.published.bootstrap_support import multiset_counts

Y = np.array(["a"] * 12 + ["b"] * 18)
GROUPS = np.repeat(np.arange(10), 3)  # pure: 4 groups of a, 6 of b
PLANS = [
    trueness.Bootstrap(40),
    trueness.Bootstrap(40, stratified=False),
    trueness.KFold(4, repeats=3),
    trueness.KFold(4, stratified=False),
    trueness.plans.LeaveOneOut(),
    trueness.plans.MonteCarlo(20, test_size=0.25),
    trueness.Holdout(0.3),
    trueness.plans.NestedKFold(4, repeats=2),
]


def for_notebooks(names):
    """What tests/report/test_notebook.py shows."""
    yield from PLANS
    yield from (trueness.CvBootstrap(), trueness.plans.CvHalves(), trueness.plans.PairedSubsampling(3))
    yield trueness.plans.Splits([(np.arange(0, 60, 2), np.arange(1, 60, 2))])


def of_class(counts, label, y=Y):
    return counts[:, y == label].sum(axis=1)


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_same_seed_same_design(plan):
    one, two, other = plan.draw(Y, rng=7), plan.draw(Y, rng=7), plan.draw(Y, rng=8)
    assert (one.counts == two.counts).all()
    assert one.fingerprint == two.fingerprint
    if not isinstance(plan, trueness.plans.LeaveOneOut):
        assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_groups_stay_together(plan):
    design = plan.draw(Y, groups=GROUPS, rng=0)
    counts = design.counts.reshape(design.n_fits, 10, 3)
    assert (counts == counts[:, :, :1]).all()


def test_the_rng_may_be_a_seed_a_sequence_or_a_generator():
    plan = trueness.Bootstrap(5)
    assert plan.draw(Y, rng=3).fingerprint == plan.draw(Y, rng=np.random.SeedSequence(3)).fingerprint
    first, again = (plan.draw(Y, rng=np.random.default_rng(1)).fingerprint for _ in range(2))
    assert first == again
    assert plan.draw(Y).fingerprint != plan.draw(Y).fingerprint
    for wrong in (-1, 1.5, "x", True):
        with pytest.raises(InputError) as e:
            plan.draw(Y, rng=wrong)
        assert e.value.param == "rng"


def test_bootstrap_sizes():
    stratified = trueness.Bootstrap(300).draw(Y, rng=0).counts
    assert (of_class(stratified, "a") == 12).all()
    assert (of_class(stratified, "b") == 18).all()
    plain = trueness.Bootstrap(300, stratified=False).draw(Y, rng=0)
    assert (plain.counts.sum(axis=1) == 30).all()
    assert np.ptp(of_class(plain.counts, "a")) > 0
    assert plain.strata.tolist() == [0] * 30


def test_a_longer_bootstrap_begins_with_the_shorter_one():
    short, long = (trueness.Bootstrap(b).draw(Y, rng=5).counts for b in (100, 700))
    assert (long[:100] == short).all()


def test_share_of_distinct_cases():
    """P(in a replicate) = 1 − (1 − 1/n)^n."""
    n = 30
    counts = trueness.Bootstrap(4000).draw(np.repeat([0, 1], n), rng=1).counts
    share = (counts > 0).mean(axis=1)
    assert share.mean() == pytest.approx(1 - (1 - 1 / n) ** n, abs=4 * share.std() / np.sqrt(len(share)))
    assert (counts.sum(axis=1) == 2 * n).all()


def test_multisets_are_equally_likely():
    counts = multiset_counts(np.random.default_rng(2), 4, 20_000)
    _, times = np.unique(counts, axis=0, return_counts=True)
    assert len(times) == comb(7, 4)
    expected = 20_000 / comb(7, 4)
    assert ((times - expected) ** 2 / expected).sum() < 66.6  # χ²(34), .9993


def test_kfold_tests_every_case_once_per_repeat_and_evenly():
    design = trueness.KFold(5, repeats=4).draw(Y, rng=0)
    tested = (design.counts == 0).reshape(4, 5, 30)
    assert (tested.sum(axis=1) == 1).all()
    for label in "ab":
        sizes = tested[:, :, label == Y].sum(axis=2)
        assert np.ptp(sizes) <= 1
    assert np.ptp(tested.sum(axis=2)) <= 1
    assert design.repeats.tolist() == [0] * 5 + [1] * 5 + [2] * 5 + [3] * 5
    assert (design.folds[0] != design.folds[1]).any()


def test_more_folds_than_cases_of_a_class():
    with pytest.raises(InputError) as e:
        trueness.KFold(13).draw(Y)
    assert "13 folds for 12. Use at most 12 folds" in str(e.value)
    with pytest.raises(InputError, match="groups") as e:
        trueness.KFold(5).draw(Y, groups=GROUPS)
    assert e.value.param == "n_folds"


def test_leave_one_out_and_one_group_out():
    assert (trueness.plans.LeaveOneOut().draw(Y).counts == 1 - np.eye(30)).all()
    assert trueness.plans.LeaveOneOut().draw(Y, groups=GROUPS).n_fits == 10


def test_monte_carlo_and_holdout_sizes():
    counts = trueness.plans.MonteCarlo(50, test_size=0.25).draw(Y, rng=0).counts
    assert ((counts == 0)[:, Y == "a"].sum(axis=1) == 3).all()
    assert ((counts == 0)[:, Y == "b"].sum(axis=1) == 5).all()  # 4.5 of 7.5, which rounds to 8
    assert trueness.Holdout(0.3).draw(Y, rng=0).n_fits == 1


def test_nested_leaves_out_folds_singly_and_in_pairs():
    design = trueness.plans.NestedKFold(4, repeats=2).draw(Y, rng=0)
    out = (design.counts == 0).reshape(2, 10, 30)
    assert (out[:, :4].sum(axis=1) == 1).all()
    assert (out[:, 4:].sum(axis=1) == 3).all()
    assert (out[0, 4] == out[0, 0] | out[0, 1]).all()


def test_mixed_groups_are_not_stratified_and_a_note_says_so():
    groups = np.arange(30) // 2  # one group holds a and b? 12 is even, so shift by one
    groups = (np.arange(30) + 1) // 2
    design = trueness.Bootstrap(10).draw(Y, groups=groups, rng=0)
    assert not design.sample.groups_are_pure
    assert not design.stratified
    assert [n.code for n in design.notes] == ["not-stratified"]
    assert trueness.Bootstrap(10).draw(Y, groups=GROUPS).stratified


@pytest.mark.parametrize(
    ("make", "param"),
    [
        (lambda: trueness.Bootstrap(0), "n_resamples"),
        (lambda: trueness.Bootstrap(10.5), "n_resamples"),
        (lambda: trueness.Bootstrap(10, stratified="no"), "stratified"),
        (lambda: trueness.KFold(1), "n_folds"),
        (lambda: trueness.KFold(5, repeats=0), "repeats"),
        (lambda: trueness.plans.MonteCarlo(10, test_size=0), "test_size"),
        (lambda: trueness.Holdout(1.0), "test_size"),
        (lambda: trueness.plans.NestedKFold(2), "n_folds"),
    ],
)
def test_recipes_that_make_no_sense(make, param):
    with pytest.raises(InputError) as e:
        make()
    assert e.value.param == param


def test_strata_and_units():
    design = trueness.Bootstrap(10).draw(Y, groups=GROUPS, rng=0)
    assert design.n_units == 10
    assert design.strata.tolist() == [0] * 4 + [1] * 6
    assert design.unit_sums(np.ones((2, 30))).tolist() == [[3.0] * 10] * 2


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(30), 2)])
def test_a_bootstrap_in_a_file_is_that_in_memory(monkeypatch, groups):
    y = np.tile([0, 1], 30)
    plan = trueness.Bootstrap(300, stratified=groups is None)
    held = plan.draw(y, groups, rng=0)
    fits = trueness.fit(GaussianNB(), np.arange(60.0)[:, None], y, held)
    monkeypatch.setattr("trueness.sample.rows.SPILL_BYTES", 0)
    design = plan.draw(y, groups, rng=0)
    assert isinstance(design.stored, FileRows)
    assert design.fingerprint == held.fingerprint
    assert np.array_equal(design.counts, held.counts)
    assert [design.tested(f).tolist() for f in (0, 299)] == [held.tested(f).tolist() for f in (0, 299)]
    there = pickle.loads(pickle.dumps(design))
    assert there.fingerprint == held.fingerprint
    spilled = trueness.fit(GaussianNB(), np.arange(60.0)[:, None], y, design)
    for metric, method in (("error", "loob"), ("auc", "lpob"), ("auc", "632+")):
        assert trueness.estimate(spilled, metric, method).to_dict() == trueness.estimate(fits, metric, method).to_dict()


@pytest.mark.parametrize(
    ("n", "replicates"), [(100, 100), (10_000, 300), (90_000, 900), (300_000, 1000), (600_000, 500)]
)
def test_the_default_bootstrap_grows_with_the_cases_until_its_scores_fill_the_disk(n, replicates):
    sample = trueness.sample.Sample.of(np.arange(n) % 2)
    assert trueness.CvBootstrap()._plans(sample)[1].n_resamples == replicates
    assert trueness.CvBootstrap(n_resamples=7)._plans(sample)[1].n_resamples == 7
