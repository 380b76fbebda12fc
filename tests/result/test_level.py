"""`level` means the same everywhere: a number between 0 and 1, None for the level of the result itself."""

import math

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError

rng = np.random.default_rng(0)
y = np.arange(60) % 2
X = rng.normal(size=(60, 2)) + 2 * y[:, None]
SCORES = X[:, 0] + y
PLAN = trueness.KFold(5)


@pytest.fixture(scope="module")
def results():
    a = trueness.assess(LDA(), X, y, PLAN, rng=0, level=0.9)
    d = trueness.diagnose(y, (SCORES > 0.5).astype(int), level=0.9)
    both = {"lda": LDA(), "nb": GaussianNB()}
    return {
        "assess": (a.answer, a.frame, a.page, a.simultaneous),
        "compare": ((k := trueness.compare(both, X, y, plan=PLAN, metric="error", rng=0, level=0.9)).frame, k.page),
        "estimate": ((e := a["auc"]).ci, e.row, e.frame, e.page, e.to_dict),
        "no interval": (trueness.Estimate(0.3).row, trueness.Estimate(0.3).page),
        "roc": ((c := trueness.roc(y, SCORES)).page, c.auc.ci, trueness.pr(y, SCORES).page, c.best(tpf=0.8).page),
        "diagnose": (d.page, d.joint_region, lambda level: d.post_test(0.2, level=level)),
    }


@pytest.mark.parametrize(("level", "fix"), [(0, "e.g."), (1, "e.g."), (math.nan, "e.g."), (95, "level=0.95")])
@pytest.mark.parametrize("name", ["assess", "compare", "estimate", "no interval", "roc", "diagnose"])
def test_a_level_that_is_none_is_refused(results, name, level, fix):
    for question in results[name]:
        with pytest.raises(InputError, match="level must lie above 0 and below 1") as raised:
            question(level=level)
        assert raised.value.param == "level"
        assert fix in str(raised.value)


def test_none_is_the_level_of_the_result(results):
    answer, frame, *_ = results["assess"]
    assert answer() == answer(level=None) == answer(level=0.9) != answer(level=0.95)
    assert frame().equals(frame(level=0.9))
    _, joint, _ = results["diagnose"]
    assert joint() == joint(0.9) != joint(0.95)
