"""Estimates at the end of the metric's range have an exact interval of the independent cases behind them."""

import numpy as np
import pytest

import karat


def arrays(n1, n2, wrong, B=200, groups=None):
    y = np.repeat([0, 1], [n2, n1])
    design = karat.Bootstrap(B).draw(y, groups=groups, rng=0)
    scores = np.random.default_rng(0).normal(size=(B, n1 + n2)) * 0.01 + y
    predictions = np.where(np.isin(np.arange(n1 + n2), wrong), 1 - y, y)
    return karat.Fits.from_arrays(
        y,
        design.counts,
        scores,
        predictions=np.tile(predictions, (B, 1)),
        groups=groups,
        stratified=design.stratified,
    )


def test_only_independent_cases_of_the_class_count():
    fits = arrays(5, 95, [])
    assert karat.estimate(fits, "fnf", "loob").ci().high == pytest.approx(1 - 0.025 ** (1 / 5))
    assert karat.estimate(fits, "error", "loob").ci().high == pytest.approx(1 - 0.025 ** (1 / 100))
    assert karat.estimate(fits, "auc", "lpob").ci().low == pytest.approx(0.025 ** (1 / 5))
    grouped = arrays(50, 50, [], groups=np.arange(100) // 10)
    assert karat.estimate(grouped, "error", "loob").ci().high == pytest.approx(1 - 0.025 ** (1 / 10))
    assert karat.estimate(grouped, "auc", "lpob").ci().low == pytest.approx(0.025 ** (1 / 5))


@pytest.mark.parametrize(("n0", "n1"), [(4, 11), (7, 13), (9, 14)])
def test_rounding_does_not_hide_the_end_of_the_range(n0, n1):
    fits = arrays(n1, n0, np.arange(n0, n0 + n1))
    e = karat.estimate(fits, "fnf", "loob")
    assert e.value == 1
    assert e.ci().low < 0.99


def test_many_perfectly_separated_classes():
    y = np.repeat(np.arange(7), 4)
    counts = karat.Bootstrap(300).draw(y, rng=0).counts
    fits = karat.Fits.from_arrays(y, counts, np.tile(np.eye(7)[y] + 0.1 * np.arange(28)[:, None] % 0.5, (300, 1, 1)))
    e = karat.estimate(fits, "auc", "lpob")
    assert e.value == 1
    assert e.ci().low == pytest.approx(0.025 ** (1 / 4))
