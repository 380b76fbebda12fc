"""Estimate: intervals inside the range, a reason where there is no number, rounding that follows the se."""

import json
import pickle

import numpy as np
import pytest
from scipy import stats

from trueness.errors import InputError
from trueness.result import Estimate, Interval, Note
from trueness.result.interval import LOGIT, WILSON


def auc(value, se=0.05, **more):
    return Estimate(value, se=se, metric="auc", bounds=(0, 1), interval=LOGIT, cases=20, **more)


def test_limits_never_leave_the_range():
    for value in (0.001, 0.5, 0.97, 0.999):
        for method in ("wald", "logit", "wilson"):
            low, high = auc(value, se=0.2).ci(0.99, method)
            assert 0 <= low <= value <= high <= 1


def test_logit_is_wald_on_the_logit_scale():
    low, high = auc(0.8, 0.04).ci(0.9, "logit")
    z = stats.norm.ppf(0.95)
    half = z * 0.04 / (0.8 * 0.2)
    assert [low, high] == pytest.approx([1 / (1 + np.exp(-(np.log(4) + s * half))) for s in (-1, 1)])


def test_wilson_of_a_plain_proportion_is_scipys():
    for x, n in ((0, 20), (20, 20), (3, 17), (24, 85)):
        e = Estimate(x / n, se=np.sqrt(x / n * (1 - x / n) / n), bounds=(0, 1), interval=WILSON, cases=n, plain=True)
        for level in (0.9, 0.95):
            expected = stats.binomtest(x, n).proportion_ci(level, "wilson")
            assert list(e.ci(level)) == pytest.approx([expected.low, expected.high], abs=1e-12)
            exact = stats.binomtest(x, n).proportion_ci(level, "exact")
            assert list(e.ci(level, "exact")) == pytest.approx([exact.low, exact.high], abs=1e-9)


def test_wilson_of_anything_else_uses_the_effective_number_of_trials():
    e = Estimate(0.3, se=0.05, bounds=(0, 1), interval=WILSON, cases=1000)
    expected = stats.binomtest(30, 100).proportion_ci(0.95, "wilson")  # .3·.7/.05² = 84; so scale by hand
    n_eff = 0.3 * 0.7 / 0.05**2
    z = stats.norm.ppf(0.975)
    centre = (0.3 + z**2 / (2 * n_eff)) / (1 + z**2 / n_eff)
    half = z / (1 + z**2 / n_eff) * np.sqrt(0.3 * 0.7 / n_eff + z**2 / (4 * n_eff**2))
    assert list(e.ci()) == pytest.approx([centre - half, centre + half])
    assert e.ci().high > expected.high


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("method", ["wald", "logit", "wilson"])
def test_at_the_limit_an_interval_still_has_length_and_a_note_names_the_method(value, method):
    interval = auc(value, 0.0).ci(0.95, method)
    assert interval.high - interval.low > 0.1
    assert interval.method == "exact"
    assert interval.note is not None
    bound = 0.025 ** (1 / 20)  # (α/2)^(1/m): all of m disjoint pairs in order
    assert (interval.low if value else 1 - interval.high) == pytest.approx(bound)


def test_a_range_that_is_not_the_unit_interval():
    cost = Estimate(30.0, se=5.0, bounds=(0, 100), interval=WILSON, cases=50)
    unit = Estimate(0.3, se=0.05, bounds=(0, 1), interval=WILSON, cases=50)
    assert list(cost.ci()) == pytest.approx([100 * v for v in unit.ci()])
    with pytest.raises(InputError, match="no finite range") as raised:
        Estimate(1.0, se=0.1).ci(method="logit")
    assert raised.value.param == "method"


def test_degrees_of_freedom_widen():
    wide, narrow = auc(0.8, df=5.0), auc(0.8)
    assert wide.ci().low < narrow.ci().low
    assert list(wide.ci(method="t")) == pytest.approx(
        [0.8 - stats.t.ppf(0.975, 5) * 0.05, 0.8 + stats.t.ppf(0.975, 5) * 0.05]
    )
    with pytest.raises(InputError, match="degrees of freedom"):
        narrow.ci(method="t")


def test_without_a_standard_error_there_is_no_interval():
    e = Estimate(0.8, metric="auc", method="star").noting(Note("no-se", "Not smooth."))
    with pytest.raises(InputError, match=r"auc by star has no standard error.*Not smooth"):
        e.ci()
    assert e.row()["low"] is None
    assert Estimate(0.8, se=float("nan")).row()["low"] is None


def test_levels_and_methods_are_checked():
    for level in (0, 1, 95, -0.5):
        with pytest.raises(InputError) as raised:
            auc(0.8).ci(level)
        assert raised.value.param == "level"
    with pytest.raises(InputError, match="no interval 'bayes'") as raised:
        auc(0.8).ci(method="bayes")
    assert raised.value.param == "method"


def test_continuity_correction_widens_by_half_a_case():
    e = Estimate(0.2, se=0.04, bounds=(0, 1), cases=100)
    z = stats.norm.ppf(0.975)
    assert list(e.ci(method="continuity")) == pytest.approx([0.2 - 0.005 - z * 0.04, 0.2 + 0.005 + z * 0.04])


def test_it_shows_itself_rounded_to_its_standard_error():
    assert str(auc(0.812345, 0.0123)) == "auc: 0.812 ± 0.012"
    assert "auc" in auc(0.8)._repr_html_()


def test_json_has_null_for_what_is_undefined():
    e = Estimate(float("nan"), se=None, metric="auc", df=None)
    text = json.dumps(e.to_dict(), allow_nan=False)
    assert json.loads(text)["value"] is None


def test_an_interval_unpacks_pickles_and_prints():
    interval = Interval(0.1, 0.2, level=0.9, method="wald", note=Note("x", "X."))
    low, high = interval
    assert (low, high, interval.low, interval.high) == (0.1, 0.2, 0.1, 0.2)
    again = pickle.loads(pickle.dumps(interval))
    assert again == interval
    assert (again.method, again.note) == ("wald", interval.note)
    assert "level=0.9" in repr(interval)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({"metric": "auc difference"}, "^auc difference has no standard error"),
        ({"metric": "auc", "method": "star"}, "^auc by star has no standard error"),
        ({}, "^the estimate has no standard error"),
    ],
)
def test_what_has_no_standard_error_is_called_by_its_name(names, said):
    with pytest.raises(InputError, match=said):
        Estimate(0.1, **names).ci()


def test_a_note_is_kept_once():
    one, two = Note("one", "One."), Note("two", "Two.", count=2)
    e = Estimate(0.8).noting(one, None)
    assert e.notes == (one,)
    assert e.noting(one) is e
    both = e.noting(two, one)
    assert both.notes == (one, two)
    assert both.noted("two").data == {"count": 2}
    assert e.noted("two") is None


def test_the_message_of_a_note_has_parameters_as_one_writes_them():
    note = Note("near-copies", "Keep one, or pass groups=.")
    assert note.message == str(note) == "Keep one, or pass groups=."
    assert note.about("a − b").message == "a − b: Keep one, or pass groups=."
    assert note == Note("near-copies", note.message)
