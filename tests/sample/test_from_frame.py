"""Fits.from_frame: tables of caret, mlr3 and tidymodels, and one clear error per mistake."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")

N, K, R = 60, 5, 2
LABELS = np.array(["yes", "no", "no"] * 20)
X = np.random.default_rng(3).normal(size=(N, 3)) + (LABELS == "yes")[:, None]
CV = RepeatedStratifiedKFold(n_splits=K, n_repeats=R, random_state=0)


@pytest.fixture
def own():
    splits = trueness.plans.Splits(CV)
    return trueness.fit(GaussianNB(), X, LABELS, splits, engine="generic", positive="yes", scores="predict_proba")


def table(splits=None, y=LABELS, features=X):
    """One row per held-out prediction, in the order of the splits."""
    rows = []
    for f, (train, test) in enumerate(CV.split(features, y) if splits is None else splits):
        rule = GaussianNB().fit(features[train], y[train])
        part = pd.DataFrame(rule.predict_proba(features[test]), columns=[f"prob.{c}" for c in rule.classes_])
        rows.append(
            part.assign(row_ids=test + 1, truth=y[test], response=rule.predict(features[test]), iteration=f + 1)
        )
    return pd.concat(rows, ignore_index=True)


COLUMNS = {"case": "row_ids", "truth": "truth", "prediction": "response", "positive": "yes"}


def same(fits, own, stored="same"):
    assert fits.design.fingerprint == own.design.fingerprint
    assert np.array_equal(fits.held[0:], own.held[0:])
    assert np.array_equal(fits.held_predictions[0:], own.held_predictions[0:])
    for metric in ("error", "auc"):
        for method in ("cv", "cv_pooled"):
            one, two = trueness.estimate(fits, metric, method), trueness.estimate(own, metric, method)
            assert (one.value, one.se) == (two.value, two.se)
    assert fits.probabilities
    assert [n.code for n in fits.design.notes] == ["training-sets-assumed"]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("score", ["prob.yes", {"yes": "prob.yes", "no": "prob.no"}], ids=str)
def test_mlr3(own, shuffled, score):
    frame = table().sample(frac=1, random_state=0) if shuffled else table()
    same(trueness.Fits.from_frame(frame, score=score, fold="iteration", **COLUMNS), own)


def test_caret(own):
    frame = table()
    split = frame["iteration"] - 1
    frame["Resample"] = [f"Fold{k % K + 1}.Rep{k // K + 1}" for k in split]
    frame = frame.rename(columns={"row_ids": "rowIndex", "truth": "obs", "response": "pred", "prob.yes": "yes"})
    frame = frame.astype({"obs": "category", "pred": "category"})
    fits = trueness.Fits.from_frame(
        frame, case="rowIndex", truth="obs", score="yes", prediction="pred", fold="Resample", positive="yes"
    )
    same(fits, own)


def test_tidymodels(own):
    frame = table()
    split = frame["iteration"] - 1
    frame = frame.assign(id=[f"Repeat{k // K + 1}" for k in split], id2=[f"Fold{k % K + 1}" for k in split])
    frame = frame.rename(columns={"prob.yes": ".pred_yes", "prob.no": ".pred_no", "response": ".pred_class"})
    for given in (frame, pl.DataFrame(frame.to_dict("list"))):
        fits = trueness.Fits.from_frame(
            given,
            case="row_ids",
            truth="truth",
            score={"yes": ".pred_yes", "no": ".pred_no"},
            prediction=".pred_class",
            fold="id2",
            repeat="id",
            positive="yes",
        )
        same(fits, own)


def test_several_classes():
    iris, y = load_iris(return_X_y=True)
    splits = list(StratifiedKFold(5).split(iris, y))
    fits = trueness.Fits.from_frame(
        table(splits, y, iris),
        case="row_ids",
        truth="truth",
        score={0: "prob.0", 1: "prob.1", 2: "prob.2"},
        prediction="response",
        fold="iteration",
    )
    own = trueness.fit(GaussianNB(), iris, y, trueness.plans.Splits(splits), engine="generic")
    assert np.array_equal(fits.held[0:], own.held[0:])
    assert trueness.estimate(fits, "auc", "cv").value == trueness.estimate(own, "auc", "cv").value


def test_random_splits():
    random = ShuffleSplit(20, test_size=0.3, random_state=1)
    splits = [(np.sort(train), np.sort(test)) for train, test in random.split(X)]
    frame = table(splits)
    fits = trueness.Fits.from_frame(frame, score="prob.yes", fold="iteration", **COLUMNS)
    own = trueness.fit(GaussianNB(), X, LABELS, trueness.plans.Splits(splits), engine="generic", positive="yes")
    one, two = trueness.estimate(fits, "error", "cv"), trueness.estimate(own, "error", "cv")
    assert (one.value, one.se) == (two.value, two.se)
    assert len(np.unique(fits.design.repeats)) == 20


def test_a_test_set():
    scores = np.round(X[:, 0], 1)
    frame = pd.DataFrame({"id": np.arange(N)[::-1], "truth": LABELS[::-1], "s": scores[::-1]})
    fits = trueness.Fits.from_frame(frame, "id", "truth", "s", positive="yes", threshold=0.5)
    assert fits.design.kind == "holdout"
    assert trueness.estimate(fits, "auc", "holdout").value == pytest.approx(roc_auc_score(LABELS == "yes", scores))
    assert trueness.estimate(fits, "error", "holdout").value == np.mean((scores >= 0.5) != (LABELS == "yes"))
    assert trueness.estimate(fits, "auc", "holdout").se == trueness.roc(LABELS, scores, positive="yes").auc.se


def test_predictions_alone_and_groups():
    frame = table(list(StratifiedKFold(3).split(X, LABELS)))
    fits = trueness.Fits.from_frame(frame, fold="iteration", **COLUMNS)
    assert fits.held is None
    assert trueness.estimate(fits, "error", "cv_pooled").value == np.mean(frame["truth"] != frame["response"])
    frame["patient"] = frame["row_ids"] % 10
    with pytest.raises(InputError, match="on both sides") as e:
        trueness.Fits.from_frame(frame, fold="iteration", group="patient", **COLUMNS)
    assert e.value.param == "fold"
    once = trueness.Fits.from_frame(frame, group="patient", **COLUMNS)
    assert once.sample.groups.tolist() == (np.arange(1, N + 1) % 10).tolist()


def test_two_models_are_paired(own):
    frame = table()
    other = frame.assign(response="no").sample(frac=1, random_state=1)
    fits = [trueness.Fits.from_frame(f, fold="iteration", **COLUMNS) for f in (frame, other)]
    k = trueness.compare({"a": fits[0], "b": fits[1]}, metric="error")
    assert k.difference.value == pytest.approx(np.mean(frame["truth"] != frame["response"]) - 1 / 3)


def wrong_truth(frame):
    row = int(np.flatnonzero(frame["row_ids"] == 1)[1])
    frame.loc[row, "truth"] = "no"


@pytest.mark.parametrize(
    ("change", "options", "param"),
    [
        (lambda f: f.loc.__setitem__((1, "row_ids"), f["row_ids"][0]), {}, "frame"),  # the same case twice in a fold
        (None, {"fold": None}, "frame"),  # a test set with several predictions per case
        (wrong_truth, {}, "truth"),
        (lambda f: f.loc.__setitem__((3, "truth"), None), {}, "truth"),
        (lambda f: f.loc.__setitem__((3, "prob.yes"), np.nan), {}, "score"),
        (lambda f: f.loc.__setitem__((3, "prob.yes"), np.inf), {}, "score"),
        (lambda f: f.loc.__setitem__((3, "response"), "maybe"), {}, "prediction"),
        (None, {"case": "id"}, "case"),
        (None, {"truth": "y"}, "truth"),
        (None, {"score": "p"}, "score"),
        (None, {"score": "truth"}, "score"),
        (None, {"score": ["prob.yes"]}, "score"),
        (None, {"score": 3}, "score"),
        (None, {"score": {"yes": "prob.yes"}}, "score"),
        (None, {"score": {"Yes": "prob.yes", "no": "prob.no"}}, "score"),
        (None, {"prediction": "p"}, "prediction"),
        (None, {"fold": "p"}, "fold"),
        (None, {"repeat": "p"}, "repeat"),
        (None, {"group": "iteration"}, "group"),  # a case in several groups
        (None, {"fold": "one", "repeat": "iteration2"}, "fold"),  # a fold that tests every case
        (None, {"score": None, "prediction": None}, "score"),
        (None, {"positive": "maybe"}, "positive"),
    ],
)
def test_every_mistake_has_one_clear_error(change, options, param):
    frame = table()
    frame["one"], frame["iteration2"] = 1, (frame["iteration"] - 1) // K
    if change is not None:
        change(frame)
    given = {**COLUMNS, "score": "prob.yes", "fold": "iteration", **options}
    with pytest.raises(InputError) as e:
        trueness.Fits.from_frame(frame, **given)
    assert e.value.param == param


def test_two_columns_of_one_name_are_an_error():
    frame = pd.concat([table(), table()[["prob.yes"]]], axis=1)
    with pytest.raises(InputError) as e:
        trueness.Fits.from_frame(frame, score="prob.yes", fold="iteration", **COLUMNS)
    assert e.value.param == "score"


def test_what_is_no_table():
    for wrong in ([1, 2], None, pd.DataFrame({"row_ids": [], "truth": []})):
        with pytest.raises(InputError) as e:
            trueness.Fits.from_frame(wrong, score="prob.yes", **COLUMNS)
        assert e.value.param == "frame"


def test_tables_of_other_cases_are_not_paired():
    """Two models that lack the predictions of different cases; row numbers may be counted from 0 or from 1."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    frame = pd.DataFrame({"id": range(80), "y": y, "s": rng.normal(size=80) + y})

    def read(table):
        return trueness.Fits.from_frame(table, case="id", truth="y", score="s", threshold=0.5)

    with pytest.raises(InputError) as found:
        trueness.difference(read(frame.drop(index=3)), read(frame.drop(index=35)), "auc", "holdout")
    assert found.value.param == "fits_b"
    same = (read(frame), read(frame.assign(id=frame.id + 1)))
    assert trueness.difference(*same, "auc", "holdout").value == 0
    named = read(frame.assign(id=[f"p{k:02}" for k in range(80)]))
    assert named.design.fingerprint != same[0].design.fingerprint


def test_scores_alone_are_assessed_by_their_auc():
    y = np.repeat([0, 1], 20)
    frame = pd.DataFrame({"id": range(40), "y": y, "s": np.random.default_rng(1).normal(size=40) + y})
    fits = trueness.Fits.from_frame(frame, case="id", truth="y", score="s")
    a = trueness.assess(fits)
    assert list(a.recommended) == ["auc"]
    assert a["auc"].value == pytest.approx(roc_auc_score(y, frame.s), abs=1e-12)
    assert "no-predictions" in [note.code for note in a.notes]
    with pytest.raises(InputError, match="scores only"):
        trueness.assess(fits, metrics="error")


def test_one_pass_says_what_is_missing_without_a_plan_that_a_table_does_not_have():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    once = pd.DataFrame({"case": np.arange(40), "y": y, "score": y + rng.normal(size=40), "fold": np.arange(40) // 8})
    columns = {"case": "case", "truth": "y", "score": "score", "fold": "fold", "threshold": 0.5}
    a = trueness.assess(trueness.Fits.from_frame(once, **columns))
    assert a["error"].has_interval
    assert a["auc"].noted("no-se-one-pass")
    again = once.assign(fold=rng.permutation(once.fold), score=once.score + 0.1 * rng.normal(size=40))
    both = pd.concat([once.assign(repeat=1), again.assign(repeat=2)])
    b = trueness.assess(trueness.Fits.from_frame(both, **columns, repeat="repeat"), undefined="skip")
    assert b["auc"].has_interval
