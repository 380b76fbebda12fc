"""Plans by name, and names of plans."""

import pytest

import trueness
from trueness import plans
from trueness.errors import InputError
from trueness.plans import plan_of_word

WORDS = {
    "cv+bootstrap": trueness.CvBootstrap(),
    "bootstrap": trueness.Bootstrap(),
    "bootstrap:60": trueness.Bootstrap(60),
    "kfold:5": trueness.KFold(5),
    "kfold:5x3": trueness.KFold(5, repeats=3),
    "loo": trueness.plans.LeaveOneOut(),
    "monte-carlo:40": trueness.plans.MonteCarlo(40),
    "holdout:0.25": trueness.Holdout(0.25),
    "nested:5x2": trueness.plans.NestedKFold(5, repeats=2),
    "paired:12x8": trueness.plans.PairedSubsampling(12, inner=8),
    "cv+halves": trueness.plans.CvHalves(),
}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_a_plan(word):
    assert plan_of_word(word) == WORDS[word]


def test_every_plan_has_a_word():
    assert {type(plan) for plan in WORDS.values()} == set(plans.PLANS)
    assert {plan.__name__ for plan in plans.PLANS} == set(plans.__all__) - {"Plan", "Splits"}
    for plan in plans.PLANS:
        assert plan.of_word("") == plan()


def test_numbers_may_be_left_out():
    assert plan_of_word("kfold") == trueness.KFold(10)
    assert plan_of_word("paired") == trueness.plans.PairedSubsampling()
    assert plan_of_word("nested:5") == trueness.plans.NestedKFold(5, repeats=20)


@pytest.mark.parametrize(
    "word", ["jackknife", "loo:3", "cv+halves:3", "paired:x", "bootstrap:many", "kfold:5x", "holdout:half", ""]
)
def test_wrong_words(word):
    with pytest.raises(InputError) as raised:
        plan_of_word(word)
    assert raised.value.param == "plan"
    assert "Use " in str(raised.value)
