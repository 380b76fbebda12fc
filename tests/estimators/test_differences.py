"""Differences of two models: paired training sets, checked options, no standard error where none is known."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import trueness
from trueness.errors import InputError
from trueness.sample.fits import Failure


def fits_of(y, counts, positive=None, seed=1):
    return trueness.Fits.from_arrays(
        y, counts, np.random.default_rng(seed).normal(size=counts.shape), threshold=0.0, positive=positive
    )


def test_unpaired_designs_have_no_difference():
    y = np.repeat([0, 1], 6)
    counts, others = (trueness.Bootstrap(50).draw(y, rng=seed).counts for seed in (0, 9))
    for other, problem in (
        (fits_of(y, others), "The two Fits do not share a design, so they cannot be paired"),
        (fits_of(y, counts, positive=0), "The two Fits have different positive classes"),
    ):
        with pytest.raises(InputError) as e:
            trueness.difference(fits_of(y, counts), other, "auc", "lpob")
        assert e.value.problem == problem


def test_differences_are_of_the_training_sets_that_worked_for_both(two_gaussians):
    X, y = two_gaussians
    for plan, method in (
        (trueness.Bootstrap(200), "star"),
        (trueness.Bootstrap(200), "632"),
        (trueness.KFold(5, repeats=4), "cv"),
    ):
        fits = trueness.fit(LDA(), X, y, plan, rng=0)
        a, b = (replace(fits, failed=(Failure(f, "singular"),)) for f in (3, 15))
        d = trueness.difference(a, b, "error", method, undefined="skip")
        assert d.value == 0
        assert not d.mc_se
        assert d.noted("failed-fits").data["failed"] == 2


def test_a_difference_checks_its_options(two_gaussians):
    X, y = two_gaussians
    fits = trueness.fit(LDA(), X, y, trueness.Bootstrap(150), rng=0)
    for options, param in (({"se": "delong"}, "se"), ({"undefined": "foo"}, "undefined")):
        with pytest.raises(InputError) as e:
            trueness.difference(fits, fits, "auc", "lpob", **options)
        assert e.value.param == param


def test_a_single_pass_has_no_standard_error_of_a_difference_of_pairs(two_gaussians):
    X, y = two_gaussians
    once = trueness.fit(LDA(), X, y, trueness.KFold(4), rng=0)
    d = trueness.difference(once, once, "auc", "cv_pairs", undefined="skip")
    assert d.se is None
    assert d.noted("no-se-one-pass")
