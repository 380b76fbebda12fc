"""Groups: copies of a case within a group add no information."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import karat


@pytest.mark.parametrize(
    ("plan", "metric", "method"),
    [
        (karat.NestedKFold(5, repeats=3), "error", "nested_cv"),
        (karat.KFold(5), "error", "cv_pooled"),
        (karat.KFold(5, repeats=4), "error", "cv"),
        (karat.Holdout(0.5), "auc", "holdout"),
        (karat.Holdout(0.5), "error", "holdout"),
        (karat.Bootstrap(100), "error", "loob"),
    ],
    ids=lambda v: str(v),
)
def test_copies_of_a_case_in_one_group_are_no_new_information(two_gaussians, plan, metric, method):
    X, y = two_gaussians
    found = []
    for k in (1, 6):
        rows = np.repeat(np.arange(40), k)
        # the model must not change with copies either
        fits = karat.fit(LDA(), X[rows], y[rows], plan, rng=0, groups=rows)
        found.append(karat.estimate(fits, metric, method))
    assert found[0].value == pytest.approx(found[1].value, abs=1e-9)
    assert found[0].se == pytest.approx(found[1].se, rel=0.02)
