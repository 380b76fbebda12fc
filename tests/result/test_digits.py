"""Rounding for display: the standard error decides."""

import pytest

from trueness.result import Estimate
from trueness.result.interval import LOGIT
from trueness.result.words import between, cells, counted, places, sentence, shown, with_interval, with_se


@pytest.mark.parametrize(("se", "expected"), [(None, 4), (0.0123, 3), (1.23, 1), (12.0, 0), (0.0, 4), (1e-30, 4)])
def test_places_leave_two_digits_of_the_standard_error(se, expected):
    assert places(se) == expected


def test_values_are_rounded_to_their_standard_error():
    assert with_se(0.812345, 0.0123) == "0.812 ± 0.012"
    assert with_se(0.5, None) == "0.5000"
    assert shown(float("nan")) == "undefined"
    assert shown(None) == ""
    assert between(0.71234, 0.91234, 0.05) == "0.712 to 0.912"
    assert between(None, None) == ""
    assert between(0.0, 0.02712988, 2.8e-7) == "0.0000 to 0.0271"  # at the end of the range; not of standard errors


def test_a_value_and_its_limits_have_the_digits_of_an_interval_much_longer_than_the_standard_error():
    """At the end of the range a rounding error of a standard error is no precision."""
    e = Estimate(1.0, se=7.7e-10, bounds=(0.0, 1.0), interval=LOGIT, cases=48, metric="tpf", method="cv")
    assert e.ci().high - e.ci().low > 0.05
    for said in (with_interval(e, 0.95), e.dot("a", 0.95).said):
        assert said == "1.000 (0.926 to 1.000)"
    assert sentence(e, 0.95) == "TPF 1.000 (95 % CI 0.926 to 1.000)."
    assert cells(e, 0.95)[:3] == ("1.000", "0.000", "0.926 to 1.000")


def test_counted():
    assert (counted(1, "case"), counted(2, "case"), counted(2, "case was", "cases were")) == (
        "1 case",
        "2 cases",
        "2 cases were",
    )
