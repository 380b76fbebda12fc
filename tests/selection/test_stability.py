"""Stability of selected features: definition in plain loops, the authors' numbers, the jackknife, laws."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.errors import InputError, UndefinedError
from trueness.selection.stable import index_and_variance

REFERENCE = Path(__file__).parents[1] / "reference" / "nogueira.json"
SETS = json.loads(REFERENCE.read_text())["sets"]


@pytest.mark.parametrize("known", SETS, ids=lambda s: s["name"])
def test_numbers_of_the_authors(known):
    value, variance = index_and_variance(np.array(known["table"], dtype=float))
    assert value == pytest.approx(known["stability"], abs=1e-12)
    assert variance == pytest.approx(known["variance"], abs=1e-12)
    low, high = known["limits"]
    assert trueness.selection.stability(known["table"]).index.ci() == pytest.approx(
        (max(low, -1), min(high, 1)), abs=1e-12
    )


def test_definition_in_plain_loops():
    """1 − observed / expected disagreement of pairs of sets, for sets of one size: Kuncheva's index, averaged."""
    z = np.array(SETS[2]["table"])
    m, d = z.shape
    k = int(z[0].sum())
    agreements = []
    for i in range(m):
        for j in range(m):
            if i != j:
                both = int((z[i] & z[j]).sum())
                agreements.append((both - k * k / d) / (k - k * k / d))  # Kuncheva (2007)
    assert trueness.selection.stability(z).index.value == pytest.approx(np.mean(agreements), abs=1e-12)


@pytest.mark.parametrize("name", ["stable", "sizes differ"])
def test_the_variance_is_that_of_the_jackknife(name):
    z = np.array(next(s["table"] for s in SETS if s["name"] == name), dtype=float)
    z = np.tile(z, (20, 1))  # many sets: the delta method and the jackknife agree to order 1/M
    m = len(z)
    left_out = np.array([index_and_variance(np.delete(z, i, axis=0))[0] for i in range(m)])
    jackknife = (m - 1) / m * ((left_out - left_out.mean()) ** 2).sum()
    assert index_and_variance(z)[1] == pytest.approx(jackknife, rel=0.01)


def test_laws():
    z = np.array(SETS[1]["table"])
    index = trueness.selection.stability(z).index
    rng = np.random.default_rng(0)
    assert trueness.selection.stability(z[rng.permutation(50)][:, rng.permutation(20)]).index.value == pytest.approx(
        index.value
    )
    assert trueness.selection.stability(1 - z).index.value == pytest.approx(
        index.value
    )  # selected or dropped: the same question
    same = trueness.selection.stability([[1, 0, 1]] * 5).index
    assert same.value == 1
    assert same.ci() == (1, 1)
    assert same.ci().note.code == "equal-sets"


def test_random_sets_have_stability_0():
    rng = np.random.default_rng(1)
    values = [trueness.selection.stability(rng.random((20, 30)) < 0.3).index.value for _ in range(400)]
    assert abs(np.mean(values)) < 4 * np.std(values) / 20


def test_the_interval_covers_the_stability_of_the_procedure():
    rng = np.random.default_rng(2)
    p = np.linspace(0.05, 0.95, 20)
    true = 1 - np.mean(p * (1 - p)) / (p.mean() * (1 - p.mean()))
    covered = [trueness.selection.stability(rng.random((200, 20)) < p).index.ci().covers(true) for _ in range(400)]
    assert 0.91 < np.mean(covered) < 0.985


def test_it_is_no_standard_error_over_samples():
    index = trueness.selection.stability(SETS[0]["table"]).index
    assert index.se is None
    assert index.mc_se > 0
    assert index.noted("resamples-of-these-cases")


def test_frequencies_are_named_and_sorted():
    s = trueness.selection.stability(pd.DataFrame([[1, 0, 1], [0, 0, 1]], columns=["a", "b", "c"]))
    assert s.frame().values.tolist() == [["c", 2, 1.0], ["a", 1, 0.5], ["b", 0, 0.0]]
    assert s.sizes.tolist() == [2, 1]
    assert trueness.load(s.to_json()).frame().equals(s.frame())
    assert "| c | 2 |" in s.to_markdown()


@pytest.mark.parametrize("bad", [[1, 0], [[1, 2], [0, 1]], [[1, 0]], [["a", "b"]], {"a": 1}, [[1], [0]]])
def test_other_tables_are_refused(bad):
    with pytest.raises(InputError) as caught:
        trueness.selection.stability(bad)
    assert caught.value.param == "selected"


@pytest.mark.parametrize("bit", [0, 1])
def test_nothing_or_everything_selected_is_undefined(bit):
    with pytest.raises(UndefinedError):
        trueness.selection.stability(np.full((3, 4), bit))


# -- the sets that a pipeline selects --------------------------------------------------------------

Y = np.arange(60) % 2
X = pd.DataFrame(np.random.default_rng(3).normal(size=(60, 6)), columns=list("abcdef"))
X["c"] += 2 * Y
PIPE = make_pipeline(StandardScaler(), SelectKBest(k=2), GaussianNB())


def test_sets_are_those_of_the_fitted_pipelines():
    design = trueness.KFold(5).draw(Y, rng=0)
    sets = trueness.selection.selected(PIPE, X, Y, design)
    for row, counts in zip(sets.to_numpy(), design.counts, strict=True):
        kept = np.flatnonzero(counts)
        fitted = make_pipeline(StandardScaler(), SelectKBest(k=2)).fit(X.iloc[kept], Y[kept])
        assert row.tolist() == fitted[-1].get_support().tolist()
    assert list(sets) == list("abcdef")
    assert sets["c"].all()


def test_a_function_can_be_asked():
    model = LogisticRegression(l1_ratio=1, solver="liblinear", C=0.1)
    sets = trueness.selection.selected(model, X, Y, trueness.Bootstrap(10), step=lambda rule: rule.coef_[0] != 0, rng=1)
    assert sets.shape == (10, 6)
    assert sets.equals(
        trueness.selection.selected(model, X, Y, trueness.Bootstrap(10), step=lambda rule: rule.coef_[0] != 0, rng=1)
    )
    assert 0 < trueness.selection.stability(sets).index.value <= 1


@pytest.mark.parametrize(
    ("model", "step"),
    [
        (GaussianNB(), None),
        (PIPE, "gaussiannb"),
        (make_pipeline(SelectKBest(k=3), SelectKBest(k=2), GaussianNB()), None),
        (GaussianNB(), lambda rule: rule.theta_),
    ],
)
def test_a_model_that_cannot_be_asked_is_an_error_about_step(model, step):
    with pytest.raises(InputError) as caught:
        trueness.selection.selected(model, X, Y, trueness.KFold(3), step=step, rng=0)
    assert caught.value.param == "step"
