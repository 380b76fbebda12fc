"""What holds for every test: p = 1 for identical inputs, never 0, symmetric, readable, and ready for JSON."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from trueness import Estimate
from trueness import comparisons as C

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 40)
score, other = rng.normal(size=80) + y, rng.normal(size=80) + 0.2 * y
said, said_other = (score > 0.5).astype(int), (other > 0.1).astype(int)
values = rng.random(12)
splits = rng.normal(0.02, 0.03, size=10)
table = rng.random((8, 3))
same_table = np.repeat(rng.random((8, 1)), 3, axis=1)

# what is given → arguments of two identical models, of two that could not differ more, and of two in either order.
# A new kind of `given` needs a line in each; arguments that a test must have besides are in MORE.
IDENTICAL = {
    "scores": (y, score, score),
    "two sets": (y, score, y, score),
    "decisions": (y, said, said),
    "counts": (0, 0),
    "values": (values, values),
    "splits": (np.zeros(10),),
    "5x2": (np.zeros((5, 2)),),
    "means": (0.1, 0.02, 0.1, 0.03),
    "table": (same_table,),
    "right or wrong": (np.repeat((said == y)[:, None], 3, axis=1),),
}
perfect = y + np.linspace(0, 0.5, 80)
EXTREME = {
    "scores": (y, perfect, -other),
    "two sets": (np.tile(y, 20), np.tile(score, 20) + np.tile(y, 20), np.tile(y, 20), -np.tile(score, 20)),
    "decisions": (np.zeros(3000, int), np.zeros(3000, int), np.ones(3000, int)),
    "counts": (3000, 0),
    "values": (np.arange(1, 61) + 1e3 + values[0], np.arange(1, 61) * 0.5),
    "splits": (1 + 1e-9 * splits,),
    "5x2": (1 + 1e-80 * rng.normal(size=(5, 2)) + 1e-9 * rng.normal(size=(5, 2)),),
    "means": (1.0, 1e-9, 0.0, 1e-9),
    "table": (np.tile([1.0, 2.0, 3.0], (400, 1)),),
    "right or wrong": (np.tile([1, 1, 0], (2000, 1)),),
}
SWAPPED = {
    "scores": ((y, score, other), (y, other, score)),
    "two sets": ((y, score, y[::-1], other), (y[::-1], other, y, score)),
    "decisions": ((y, said, said_other), (y, said_other, said)),
    "counts": ((12, 5), (5, 12)),
    "values": ((values, values**2), (values**2, values)),
    "splits": ((splits,), (-splits,)),
    "5x2": ((splits.reshape(5, 2),), (-splits.reshape(5, 2),)),
    "means": ((0.1, 0.02, 0.13, 0.03), (0.13, 0.03, 0.1, 0.02)),
    "table": ((table,), (table[:, ::-1],)),
    "right or wrong": tuple(
        (np.stack(both, axis=1) == y[:, None],) for both in ((said, said_other), (said_other, said))
    ),
}
MORE = {
    "at_fpf": {"fpf": 0.2, "rng": 0},
    "at_tpf": {"tpf": 0.8, "rng": 0},
    "corrected_t": {"n_train": 90, "n_test": 10},
    "bayes_correlated_t": {"n_train": 90, "n_test": 10},
    "bayes_signed_rank": {"n_draws": 500, "rng": 0},
    "bootstrap": {"n_resamples": 200, "rng": 0},
    "partial_auc": {"n_resamples": 200, "rng": 0},
    "venkatraman": {"n_permutations": 99, "rng": 0},
    "venkatraman_unpaired": {"n_permutations": 99, "rng": 0},
    "permutation": {"n_permutations": 99, "rng": 0},
}
TESTS = [t for t in C.tests() if t.given != "estimate" and t.name != "split_mean"]


def ask(test, arguments):
    given = arguments[test.given]
    if test.name == "delong_many":
        given = (given[0], np.stack(given[1:], axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return test.function(*given, **MORE.get(test.name, {}))


@pytest.mark.parametrize("test", TESTS, ids=lambda t: t.name)
def test_identical_inputs_give_one(test):
    t = ask(test, IDENTICAL)
    assert t.p_value == 1
    assert t.statistic == 0 or test.name in ("sign", "wilcoxon", "venkatraman")
    assert t.difference is None or t.difference.value == 0


@pytest.mark.parametrize("test", TESTS, ids=lambda t: t.name)
def test_no_evidence_gives_zero(test):
    t = ask(test, EXTREME)
    assert 0 < t.p_value < 0.02


@pytest.mark.parametrize("test", TESTS, ids=lambda t: t.name)
def test_every_answer_can_be_read_and_kept(test):
    t = ask(test, EXTREME)
    assert t.assumptions
    assert all(a.endswith(".") and len(a) > 20 for a in t.assumptions)
    assert all(f"Assumes: {a}" in str(t) for a in t.assumptions)
    assert all(str(n) in str(t) for n in t.notes)
    assert t.test in str(t)
    assert json.loads(t.to_json())["test"] == t.test
    assert {n["code"] for n in json.loads(t.to_json())["notes"]} == {n.code for n in t.notes}
    assert len(t.frame())
    assert "<table>" in t._repr_html_()
    assert r"\begin{tabular}" in t.to_latex()
    with pytest.raises(AttributeError):
        t.p_value = 0.5


@pytest.mark.parametrize("test", TESTS, ids=lambda t: t.name)
def test_the_order_of_the_models_does_not_matter(test):
    first, second = ({test.given: arguments} for arguments in SWAPPED[test.given])
    random = 0.01 if "rng" in MORE.get(test.name, {}) else 0.0  # the same seed exchanges other cases
    assert ask(test, first).p_value == pytest.approx(ask(test, second).p_value, rel=1e-9, abs=random)


SIDED = [
    (C.delong, (y, score, other)),
    (C.delong_unpaired, (y, score, y[::-1], other)),
    (C.bootstrap, (y, score, other)),
    (C.mcnemar, (y, said, said_other)),
    (C.paired_t, (values, values**2)),
    (C.wilcoxon, (values, values**2)),
    (C.sign, (values, values**2)),
    (C.permutation, (values, values**2)),
]


@pytest.mark.parametrize(("test", "given"), SIDED, ids=lambda v: getattr(v, "__name__", ""))
def test_swapping_the_models_turns_the_sign(test, given):
    more = {"rng": 1} if test is C.bootstrap else {}
    ab = test(*given, **more)
    swapped = (given[2], given[3], given[0], given[1]) if len(given) == 4 else (*given[:-2], given[-1], given[-2])
    ba = test(*swapped, **more)
    assert ab.p_value == pytest.approx(ba.p_value)
    assert ab.difference.value == pytest.approx(-ba.difference.value)
    less, greater = (test(*given, alternative=a, **more).p_value for a in ("less", "greater"))
    assert less == pytest.approx(test(*swapped, alternative="greater", **more).p_value)
    assert min(less, greater) <= ab.p_value + 1e-12
    assert less + greater >= 1 - 1e-9


@pytest.mark.parametrize("method", ["exact", "mid-p", "chi2", "chi2-cc"])
def test_mcnemar_symmetry(method):
    for b in range(8):
        for c in range(8):
            p = C.mcnemar_counts(b, c, method).p_value
            assert 0 < p <= 1
            assert p == pytest.approx(C.mcnemar_counts(c, b, method).p_value)
            if b == c:
                assert p == pytest.approx(1)


def test_monotone_scores_change_nothing():
    for test, more in (
        (C.delong, {}),
        (C.venkatraman, {"rng": 3, "n_permutations": 200}),
        (C.at_fpf, {"fpf": 0.3, "rng": 1}),
    ):
        a, b = test(y, score, other, **more), test(y, np.exp(score), other**3, **more)
        assert a.statistic == pytest.approx(b.statistic)
        assert a.p_value == pytest.approx(b.p_value)


def test_equivalence_of_identical_models():
    t = C.equivalence(C.delong(y, score, score).difference, 0.01)
    assert 0 < t.p_value < 1e-6
    assert [n.code for n in t.notes] == ["identical-inputs"]
    assert C.equivalence(Estimate(0.0, 1.0), 1e-9).p_value == pytest.approx(0.5)


def test_the_naive_test_warns():
    with pytest.warns(UserWarning, match="use corrected_t") as caught:
        t = C.resampled_t(splits)
    assert caught[0].filename == __file__
    assert t.noted("invalid-for-splits").severity == "warning"
    assert t.p_value < C.corrected_t(splits, 90, 10).p_value


def test_registry():
    assert {t.name for t in C.tests()} <= set(C.__all__)
    assert min(len(t.question) for t in C.tests()) >= len("Same AUC?")


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_tied_scores_that_are_the_same_have_p_one(alternative):
    rng, y = np.random.default_rng(0), np.repeat([0, 1], 20)
    s = rng.integers(0, 4, 40) + y
    assert C.partial_auc(y, s, s, alternative=alternative, rng=1).p_value == 1
    assert C.at_fpf(y, s, s, 0.1, alternative=alternative, rng=1).p_value == 1
    assert C.at_tpf(y, s, s, 0.9, alternative=alternative, rng=1).p_value == 1
    assert C.venkatraman_unpaired(y, s, y, s, n_permutations=50, rng=0).p_value == 1
