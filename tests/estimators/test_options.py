"""What estimate does not accept: unknown methods, metrics, standard errors and options."""

import numpy as np
import pytest

import trueness
from trueness.errors import InputError

Y = np.repeat([0, 1], 6)


@pytest.fixture(scope="module")
def fits():
    counts = trueness.Bootstrap(50).draw(Y, rng=0).counts
    scores = np.random.default_rng(1).normal(size=(50, 12))
    return trueness.Fits.from_arrays(Y, counts, scores, threshold=0.0, full_scores=np.arange(12.0))


@pytest.mark.parametrize(
    ("question", "options", "param", "says"),
    [
        (("auc", "boot"), {}, "method", "There is no method 'boot'"),
        (("auc", "cv"), {}, "method", "There is no method 'cv'.*Available: apparent"),
        (("auc", "loob"), {}, "method", "There is no method 'loob'.*Available: apparent, sb"),
        (("eror", "loob"), {}, "metric", "There is no metric 'eror'. Choose one of auc, "),
        ((3, "loob"), {}, "metric", "There is no metric 3"),
        (("auc", "lpob"), {"se": "delong"}, "se", "has no standard error 'delong'. Available: influence-corrected"),
        (("auc", "lpob"), {"rule": "printed"}, "rule", "has no option rule"),
        (("auc", "632+"), {"rule": "x"}, "rule", "clipped"),
        (("error", "loob"), {"undefined": "ignore"}, "undefined", "Got 'ignore'"),
        (("auc", "632+"), {"se": "scaled"}, "se", "lpob"),
    ],
)
def test_errors_name_the_parameter(fits, question, options, param, says):
    with pytest.raises(InputError, match=says) as e:
        trueness.estimate(fits, *question, **options)
    assert e.value.param == param


def test_estimates_are_made_from_fits():
    with pytest.raises(InputError) as e:
        trueness.estimate(np.ones(3), "auc", "lpob")
    assert e.value.param == "fits"
