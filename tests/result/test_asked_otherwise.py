"""What results answer, and what their errors say to do."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import trueness


@pytest.fixture(scope="module")
def results():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 2)) + y[:, None]
    a = trueness.assess(GaussianNB(), X, y, plan=trueness.KFold(5), rng=0)
    k = trueness.compare([GaussianNB(), GaussianNB(var_smoothing=0.1)], X, y, plan=trueness.KFold(5), rng=0)
    c, several = trueness.roc(y, X[:, 0]), trueness.roc(y, {"u": X[:, 0], "v": X[:, 1]})
    return {
        **{"a": a, "c": c, "k": k, "e": a["auc"], "fits": a.fits, "point": c.at(1.0), "several": several},
        **{"calibrated": trueness.calibration(y, 1 / (1 + np.exp(-X[:, 0])))},
        "table": trueness.diagnose(tp=9, fn=1, fp=2, tn=8),
    }


def test_a_pair_in_the_other_order_has_the_sign_turned(results):
    k = results["k"]
    d, turned = k.difference, k[k.pair[::-1]]
    assert turned.value == -d.value == turned.test.difference.value
    assert turned.test.statistic == -d.test.statistic
    assert turned.test.p_value == d.test.p_value


def test_an_unknown_interval_is_answered_by_those_that_there_are(results):
    for e in (results["c"].auc, results["table"].tpf, results["table"].dlr_positive):
        with pytest.raises(trueness.errors.InputError, match="no interval 'delong' for this estimate") as error:
            e.ci(method="delong")
        named = str(error.value).partition("Choose one of ")[2].rstrip(".").split(", ")
        assert {"wald", e.interval.name} <= {*named}


def test_results_can_still_be_copied_and_pickled(results):
    for result in (results["c"], results["e"]):
        assert copy.deepcopy(result).to_dict() == result.to_dict() == pickle.loads(pickle.dumps(result)).to_dict()


def test_errors_name_a_way_on(results):
    rng = np.random.default_rng(1)
    y = np.arange(90) % 3
    X = pd.DataFrame(rng.normal(size=(90, 2)) + 2 * y[:, None], columns=["insurance", "age"])
    a, several = results["a"], trueness.assess(GaussianNB(), X, y, plan=trueness.KFold(3), rng=0, checks=False)
    assert a.figure("roc_auc").svg() == a.figure("auc").svg()
    with pytest.raises(trueness.errors.InputError) as error:
        several.by("race")
    assert "There is no column 'race'" in str(error.value)
    with pytest.raises(trueness.errors.InputError, match="Assess one class against the rest"):
        several.threshold()
    with pytest.raises(trueness.errors.InputError, match="There is no estimate 'accuracy'"):
        a["accuracy"]
    with pytest.raises(trueness.errors.InputError, match="y must have one label per case"):
        trueness.assess(GaussianNB(), X, "deny")
    numbers = trueness.assess(
        LinearRegression(), X, X["age"].to_numpy() + rng.normal(size=90), plan=trueness.KFold(3), rng=0
    )
    with pytest.raises(trueness.errors.InputError, match="not probabilities"):
        numbers.calibration()


def test_assessments_are_compared_by_their_fits(results):
    a = results["a"]
    b = replace(a)
    k = trueness.compare({"a": a, "b": b})
    assert k.difference.value == 0 == trueness.compare({"a": a.fits, "b": b.fits}).difference.value
    with pytest.raises(trueness.errors.InputError, match="The assessment 'b' holds no fits. Pass models, or Fits"):
        trueness.compare({"a": a, "b": replace(a, fits=None)})
