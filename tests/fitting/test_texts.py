"""X as texts: lists, Series and arrays of strings through pipelines."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score, cross_validate
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import trueness
from trueness.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")


def messages():
    rng = np.random.default_rng(0)
    words = {
        "spam": ["win", "cash", "prize", "now", "free", "click", "meet"],
        "ham": ["meet", "lunch", "report", "today", "free", "see"],
    }
    y = np.array(["spam", "ham"] * 20)
    return [" ".join(rng.choice(words[label], size=4)) for label in y], y


TEXTS, Y = messages()
SHAPES = {
    "list": list,
    "tuple": tuple,
    "object array": lambda texts: np.array(texts, dtype=object),
    "string array": np.array,
    "Series": lambda texts: pd.Series(texts, index=np.arange(100, 140)),
    "polars": pl.Series,
}
MODEL = make_pipeline(TfidfVectorizer(), LogisticRegression())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("plan", [StratifiedKFold(4), trueness.Bootstrap(20)], ids=str)
def test_every_kind_of_texts(shape, plan):
    a = trueness.assess(MODEL, SHAPES[shape](TEXTS), Y, plan=plan, positive="spam", rng=0)
    same = trueness.assess(MODEL, TEXTS, Y, plan=plan, positive="spam", rng=0)
    assert a["auc"].value == same["auc"].value
    assert a["error"].se == same["error"].se


def test_scikit_learns_numbers_with_texts():
    a = trueness.assess(MODEL, TEXTS, Y, plan=StratifiedKFold(4), metrics="error")
    assert a["error"].value == pytest.approx(1 - cross_val_score(MODEL, TEXTS, Y, cv=StratifiedKFold(4)).mean())
    r = cross_validate(MODEL, TEXTS, Y, cv=4, return_estimator=True, return_indices=True)
    assert trueness.estimate(trueness.Fits.from_cv_results(r, TEXTS, Y), "error", "cv").value == a["error"].value


def test_fitted_models_and_comparisons():
    models = [MODEL, make_pipeline(TfidfVectorizer(), MultinomialNB())]
    assert trueness.compare(models, pd.Series(TEXTS), Y, metric="error", plan=4, rng=0).difference is not None
    fitted = make_pipeline(TfidfVectorizer(), MultinomialNB()).fit(TEXTS[:20], Y[:20])
    a = trueness.assess(fitted, TEXTS[20:], Y[20:], plan="prefit", metrics="error")
    assert a["error"].value == pytest.approx(1 - fitted.score(TEXTS[20:], Y[20:]))


def test_a_column_of_numbers_is_no_text():
    for wrong in (np.arange(40.0), pd.Series(np.arange(40)), np.array([*TEXTS[:39], None], dtype=object)):
        with pytest.raises(InputError) as e:
            trueness.assess(MODEL, wrong, Y, plan=4)
        assert e.value.param == "X"
