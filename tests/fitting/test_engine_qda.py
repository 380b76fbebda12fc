"""QDA case by case: leave-one-out from one inverse a class, also regularised, and scikit-learn's failures."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA

import trueness


def both(model, X, y, plan, rng=0):
    design = plan.draw(y, rng=rng)
    ours, generic = (trueness.fit(model, X, y, design, engine=engine) for engine in ("auto", "generic"))
    assert ours.engine.startswith("closed-form qda")
    assert ours.failed == generic.failed
    np.testing.assert_allclose(ours.held, generic.held, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.full_scores, generic.full_scores, rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(ours.held_predictions, generic.held_predictions)
    return ours


def cases(n=60, p=2, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, p)) * np.exp(rng.normal(size=p)) + y[:, None], y


@pytest.mark.parametrize("reg_param", [1e-3, 0.1, 0.9, 1.0])
@pytest.mark.parametrize("classes", [2, 3])
def test_regularised_leave_one_out(reg_param, classes):
    X, y = cases(p=4, classes=classes)
    model = QDA(reg_param=reg_param)
    both(model, X * [1, 30, 0.1, 1], y, trueness.plans.LeaveOneOut())


def test_regularised_leave_one_out_with_collinear_features():
    X, y = cases(p=3)
    X[:, 2] = X[:, 0] + X[:, 1]
    both(QDA(reg_param=0.01), X, y, trueness.plans.LeaveOneOut())


@pytest.mark.parametrize("smallest", [2, 3, 4, 5])
def test_regularised_leave_one_out_fails_where_scikit_learn_does(smallest):
    """Three features: a class must keep three cases."""
    X, y = cases(30, 3)
    y = np.where(np.arange(30) < smallest, 1, 0)
    plan = trueness.plans.LeaveOneOut()
    if smallest < 3:
        for engine in ("auto", "generic"):
            with pytest.raises(trueness.errors.FitError, match="not full rank"):
                trueness.fit(QDA(reg_param=0.3), X, y, plan, engine=engine)
        return
    ours = both(QDA(reg_param=0.3), X, y, plan)
    assert len(ours.failed) == (3 if smallest == 3 else 0)


@pytest.mark.parametrize("plan", [trueness.Bootstrap(200, stratified=False), trueness.plans.LeaveOneOut()], ids=repr)
def test_one_case_of_a_class_is_not_enough_for_one_feature(plan):
    X = np.random.default_rng(0).normal(size=(20, 1))
    y = np.repeat([1, 0], [6, 14] if isinstance(plan, trueness.Bootstrap) else [2, 18])
    ours = both(QDA(reg_param=0.5), X, y, plan)
    assert len(ours.failed) == (1 if isinstance(plan, trueness.Bootstrap) else 2)
    assert "only 1 sample" in ours.failed[0].error


@pytest.mark.parametrize("reg_param", [0.0, 0.1])
@pytest.mark.parametrize("far", [1e10, 1e12, 1e14])
def test_leave_one_out_with_an_outlier_in_the_other_class(far, reg_param):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + y[:, None]
    X[1, 0] += far
    both(QDA(reg_param=reg_param), X, y, trueness.plans.LeaveOneOut())


def test_leave_one_out_of_features_with_a_large_offset():
    """Measured from the rounded mean, and then from the mean of that: no digit of the features is lost."""
    X, y = cases(100, 3)
    X = np.rint(1000 * X)
    near, far = (trueness.fit(QDA(), X + offset, y, trueness.plans.LeaveOneOut()) for offset in (0.0, 2.0**40))
    np.testing.assert_allclose(far.held, near.held, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("plan", [trueness.plans.LeaveOneOut(), trueness.Bootstrap(40)], ids=lambda p: type(p).__name__)
def test_no_bit_depends_on_how_the_table_lies_in_memory(plan):
    X, y = cases(100, 5)
    first, second = (trueness.fit(QDA(), table, y, plan, rng=0).held for table in (X, np.asfortranarray(X)))
    np.testing.assert_array_equal(first, second)
