"""Independent units of some classes: counted from the class sizes, or unit by unit."""

import numpy as np
import pytest

import trueness


@pytest.mark.parametrize("class_sets", [[[0, 1, 2]], [[0], [1]], [[0, 2], [1]]])
def test_every_case_of_its_own_and_every_case_a_group_are_the_same(class_sets):
    y = np.repeat([0, 1, 2], [4, 7, 5])
    plain = trueness.Bootstrap(3).draw(y, rng=0)
    grouped = trueness.Bootstrap(3).draw(y, groups=np.arange(16), rng=0)
    expected = min(sum((4, 7, 5)[c] for c in classes) for classes in class_sets)
    assert plain.independent_units(class_sets) == grouped.independent_units(class_sets) == expected
    assert plain.independent_units(class_sets, np.arange(16)) == expected


def test_groups_and_chosen_cases_count_once():
    y = np.repeat([0, 1], 6)
    design = trueness.Bootstrap(3).draw(y, groups=np.arange(12) // 3, rng=0)
    assert design.independent_units([[0, 1]]) == 4
    assert design.independent_units([[0, 1]], np.array([0, 1, 2, 11])) == 2
