"""Plans by name, and names of plans."""

import pytest

import karat
from karat import plans
from karat.cli.plans import plan_by_name, word_for
from karat.errors import InputError

WORDS = {
    "cv+bootstrap": karat.CvBootstrap(),
    "bootstrap": karat.Bootstrap(),
    "bootstrap:60": karat.Bootstrap(60),
    "kfold:5": karat.KFold(5),
    "kfold:5x3": karat.KFold(5, repeats=3),
    "loo": karat.LeaveOneOut(),
    "monte-carlo:40": karat.MonteCarlo(40),
    "holdout:0.25": karat.Holdout(0.25),
    "nested:5x2": karat.NestedKFold(5, repeats=2),
    "paired:12x8": karat.PairedSubsampling(12, inner=8),
    "cv+halves": karat.CvHalves(),
}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_a_plan_and_back(word):
    assert plan_by_name(word) == WORDS[word]
    assert word_for(WORDS[word]) == word


def test_every_plan_has_a_word():
    """A new plan needs a form and a maker in cli/plans.py, a line in `word_for`, and one in WORDS above."""
    assert set(plans.__all__) - {"Plan", "Splits"} == {type(plan).__name__ for plan in WORDS.values()}
    for plan in (karat.CvBootstrap(5), karat.Bootstrap(until=0.05)):  # the command line has only the default one
        assert word_for(plan) == repr(plan)


def test_numbers_may_be_left_out():
    assert plan_by_name("kfold") == karat.KFold(10)
    assert plan_by_name("paired") == karat.PairedSubsampling()
    assert plan_by_name("nested:5") == karat.NestedKFold(5, repeats=20)


@pytest.mark.parametrize(
    "word", ["jackknife", "loo:3", "cv+halves:3", "paired:x", "bootstrap:many", "kfold:5x", "holdout:half", ""]
)
def test_wrong_words(word):
    with pytest.raises(InputError) as raised:
        plan_by_name(word)
    assert raised.value.param == "plan"
    assert "Use " in str(raised.value)
