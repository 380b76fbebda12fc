"""95 % intervals of 40 groups with intraclass correlation .3 cover; docs/appendix/groups.md has the whole table."""

import numpy as np
import pytest
from groups_coverage import of_proportions, of_scores, of_tests

TRIALS = 600  # Monte-Carlo error .009

pytestmark = pytest.mark.coverage


def given(row):
    """The share with groups given, from a row of the printed table."""
    return float(row.split("|")[-3])


@pytest.mark.parametrize("pure", [False, True])
def test_intervals_of_scores_and_tables(pure):
    shares = {row.split("|")[1].strip(): given(row) for row in of_scores(40, pure, TRIALS)}
    assert min(shares.values()) > 0.93 - 0.02, shares
    assert shares["AUC"] > 0.93


@pytest.mark.parametrize("p", [0.1, 0.3])
def test_intervals_of_proportions(p):
    wilson, *others = (given(row) for row in of_proportions(40, p, TRIALS))
    assert wilson > 0.92
    assert np.min(others) > 0.91


def test_tests_hold_their_level():
    *rejects, covers = (given(row) for row in of_tests(40, TRIALS))
    assert max(rejects) < 0.07
    assert covers > 0.93
