"""What resampling says about single cases: plain loops, and what must hold."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError

Y = np.arange(50) % 2
X = np.random.default_rng(0).normal(size=(50, 3)) + Y[:, None]
X[7] = -5.0 + 10 * (Y[7] == 0)  # looks like a clear case of the other class


def test_columns_in_a_plain_loop():
    fits = trueness.fit(LogisticRegression(), X, Y, trueness.Bootstrap(30), rng=0, scores="predict_proba")
    table = trueness.selection.cases(fits).frame()
    for i in range(50):
        out = [b for b in range(30) if fits.counts[b, i] == 0]
        scores = [fits.scores[b, i] for b in out]
        wrong = [(fits.scores[b, i] >= 0.5) != Y[i] for b in out]
        row = table.iloc[i]
        assert (row["case"], row["label"], row["times_left_out"]) == (i, Y[i], len(out))
        assert row["share_misclassified"] == pytest.approx(np.mean(wrong))
        assert row["always_misclassified"] == all(wrong)
        assert row["score_mean"] == pytest.approx(np.mean(scores))
        assert row["score_sd"] == pytest.approx(np.std(scores, ddof=1))
        assert row["mape"] == pytest.approx(np.mean(np.abs(fits.scores[:, i] - fits.full_scores[i])))


def test_a_planted_case_is_always_misclassified():
    c = trueness.selection.cases(trueness.fit(GaussianNB(), X, Y, trueness.CvBootstrap(), rng=0))
    assert 7 in c.always_misclassified
    assert c.table["mape"].mean() > 0
    assert "7" in str(c)
    assert trueness.load(c.to_json()).frame().equals(c.frame())


def test_one_pass_of_cross_validation_has_one_rule_per_case():
    c = trueness.selection.cases(trueness.fit(LogisticRegression(), X, Y, trueness.KFold(5), rng=0))
    table = c.frame()
    assert (table["times_left_out"] == 1).all()
    assert table["score_sd"].isna().all()
    assert "mape" not in table
    note = next(n for n in c.notes if n.code == "few-rules-per-case")
    assert note.data["cases"] == 50
    c.to_json()


def test_the_mean_share_is_the_leave_one_out_bootstrap():
    fits = trueness.fit(GaussianNB(), X, Y, trueness.Bootstrap(40), rng=1)
    share = trueness.selection.cases(fits).frame()["share_misclassified"].mean()
    assert share == pytest.approx(trueness.estimate(fits, "error", "loob").value, abs=1e-12)


def test_several_classes_have_the_score_of_their_own():
    y = np.arange(60) % 3
    features = np.random.default_rng(1).normal(size=(60, 2)) + 3 * np.c_[y, -y]
    fits = trueness.fit(LogisticRegression(), features, y, trueness.KFold(5, repeats=2), rng=0)
    table = trueness.selection.cases(fits).frame()
    assert table["score_mean"].mean() > 0.8
    assert (table["score_mean"][table["always_misclassified"]] < 0.5).all()


def test_only_decisions():
    counts = [[1, 1, 0, 0], [0, 0, 1, 1]]
    fits = trueness.Fits.from_arrays([0, 1, 0, 1], counts, None, predictions=[[0, 1, 1, 1], [0, 0, 0, 1]], plan="cv")
    table = trueness.selection.cases(fits).frame()
    assert table["share_misclassified"].tolist() == [0, 1, 1, 0]
    assert "score_mean" not in table


def test_other_things_are_refused():
    with pytest.raises(InputError) as caught:
        trueness.selection.cases(X)
    assert caught.value.param == "fits"


def test_what_is_unknown_is_blank():
    for plan in (
        trueness.KFold(5),
        trueness.Holdout(0.3),
    ):  # no SD of one score, nothing at all of cases in the training set
        assert "nan" not in str(trueness.selection.cases(trueness.fit(GaussianNB(), X, Y, plan, rng=0)))
