"""Attributes that a result does not have: the error names the one that it has."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.result.shown import ASKED_OTHERWISE, Result, Shown


@pytest.fixture(scope="module")
def results():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 2)) + y[:, None]
    a = trueness.assess(GaussianNB(), X, y, plan=trueness.KFold(5), rng=0)
    k = trueness.compare([GaussianNB(), GaussianNB(var_smoothing=0.1)], X, y, plan=trueness.KFold(5), rng=0)
    return {"a": a, "c": trueness.roc(y, X[:, 0]), "k": k, "e": a["auc"], "fits": a.fits}


@pytest.mark.parametrize(
    ("which", "name", "said"),
    [
        ("a", "confusion", "Use .by_class()"),
        ("a", "auc", "Use ['auc']"),
        ("a", "thresholds", "Use .threshold()"),
        ("a", "summary", "Use .answer()"),
        ("c", "sensitivity_at", "Use .tpf_at(fpf)"),
        ("c", "ci", "Use .auc.ci()"),
        ("k", "pvalue", "Use .p_value;"),
        ("k", "winner", "Use .verdict;"),
        ("e", "standard_error", "Use .se;"),
        ("e", "nothing_like_it", ".help() lists what can be asked."),
        ("fits", "score", "Use .scores."),
    ],
)
def test_the_error_names_what_there_is(results, which, name, said):
    with pytest.raises(AttributeError) as error:
        getattr(results[which], name)
    assert said in str(error.value)
    assert not hasattr(results[which], name)


def test_other_names_lead_to_what_some_result_has():
    for name in trueness.__all__:  # a class is known when its module is loaded
        getattr(trueness, name)

    def kinds(of):
        return {of}.union(*(kinds(kind) for kind in of.__subclasses__()))

    names = {name for kind in kinds(Shown) for name in (*dir(kind), *getattr(kind, "__dataclass_fields__", ()))}
    for wanted, ours in ASKED_OTHERWISE.items():
        assert any(each.split("(")[0].split(".")[0] in names for each in ours), wanted
        assert not hasattr(Result, wanted)


def test_results_can_still_be_copied_and_pickled(results):
    for result in (results["c"], results["e"]):
        assert copy.deepcopy(result).to_dict() == result.to_dict() == pickle.loads(pickle.dumps(result)).to_dict()
