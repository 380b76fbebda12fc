"""What tells models and data apart: differs where they do, and is the same in every process."""

import functools
import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import trueness
from trueness.errors import InputError
from trueness.fitting.described import described

TABLE = np.random.default_rng(0).normal(size=(60, 4))


def text_of(thing):
    return json.dumps(described(thing), sort_keys=True)


def cached(factor):
    @functools.lru_cache
    def times(x):
        return x * factor

    return times


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (CountVectorizer(tokenizer=re.compile("a").findall), CountVectorizer(tokenizer=re.compile("b").findall)),
        ({1: 2}.get, {1: 3}.get),
        (lambda x: x["1"], lambda x: x[1]),
        (lambda x: x == b"a", lambda x: x == "b'a'"),
        (lambda x, *, a=1, b=2: a - b, lambda x, *, b=1, a=2: a - b),
        (cached(1), cached(2)),
        (LogisticRegression(class_weight={1: 5}), LogisticRegression(class_weight={"1": 5})),
        ({1}, {"1"}),
        (FrozenEstimator(PCA(2).fit(TABLE)), FrozenEstimator(PCA(2).fit(TABLE**2))),
        (pd.DataFrame({1: [1]}), pd.DataFrame({"1": [1]})),
        (pd.DataFrame({"a": [1]}, index=[0]), pd.DataFrame({"a": [1]}, index=[1])),
        (
            pd.DataFrame({"a": pd.Categorical(["x"], ["x", "y"])}),
            pd.DataFrame({"a": pd.Categorical(["x"], ["y", "x"])}),
        ),
    ],
)
def test_things_that_differ_are_told_apart(one, other):
    assert text_of(one) != text_of(other)


def countdown():
    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n > 0 and even(n - 1)

    return even


def not_yet():
    def late():
        return value

    if late is None:
        value = 1
    return late


def with_a_module():
    import numpy

    return lambda x: numpy.log(x)


@pytest.mark.parametrize("make", [countdown, not_yet, with_a_module])
def test_functions_that_hold_themselves_modules_or_nothing_yet(make):
    assert text_of(make()) == text_of(make())


def test_what_cannot_be_told_apart_is_refused():
    with pytest.raises(InputError) as caught:
        described(LogisticRegression(C=sys.stdout))
    assert caught.value.param == "store"


PROGRAM = """
import json
from scipy import stats
from sklearn.model_selection import RandomizedSearchCV
from sklearn.tree import DecisionTreeClassifier
from trueness.fitting.described import described

class Tokens:
    def __init__(self):
        self.left_out = {"a", "the", "of", "in", "on"}

tried = {"ccp_alpha": stats.uniform(0, 1), "max_depth": stats.randint(1, 5)}
search = RandomizedSearchCV(DecisionTreeClassifier(), tried)
print(json.dumps(described([Tokens(), search]), sort_keys=True))
"""


def test_another_process_describes_the_same():
    first, second = (
        subprocess.run(
            [sys.executable, "-c", PROGRAM], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "12"
    )
    assert first == second


def codes(table):
    return table.apply(lambda column: column.cat.codes).to_numpy()


def test_another_order_of_categories_is_other_data(tmp_path):
    rng = np.random.default_rng(0)
    values, y = rng.choice(list("abcd"), 60), np.arange(60) % 2
    model = make_pipeline(FunctionTransformer(codes), DecisionTreeClassifier())
    design = trueness.Bootstrap(5).draw(y, rng=1)
    trueness.fit(model, pd.DataFrame({"v": pd.Categorical(values, list("abcd"))}), y, design, store=tmp_path / "r.db")
    with pytest.raises(InputError, match="features"):
        trueness.fit(
            model, pd.DataFrame({"v": pd.Categorical(values, list("acbd"))}), y, design, store=tmp_path / "r.db"
        )


def test_what_a_frozen_step_has_learned_makes_another_model(tmp_path):
    y = (TABLE[:, 0] > 0).astype(int)
    design = trueness.Bootstrap(5).draw(y, rng=1)
    for table in (TABLE, TABLE * [0.01, 1, 1, 1]):
        model = make_pipeline(FrozenEstimator(PCA(1).fit(table)), DecisionTreeClassifier(max_depth=3))
        stored = trueness.fit(model, TABLE, y, design, store=tmp_path / "r.db")
        assert np.array_equal(stored.scores, trueness.fit(model, TABLE, y, design).scores)
