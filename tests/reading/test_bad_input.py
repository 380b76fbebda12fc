"""Tables that are wrong, or that call for another analysis: an error that says what to do, or a note."""

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    rows = [(m, j, i, i % 2, (i % 2) + rng.normal()) for m in "ab" for j in range(4) for i in range(20)]
    return pd.DataFrame(rows, columns=["modality", "reader", "case", "truth", "score"])


def refused(frame, message, **options):
    with pytest.raises(InputError, match=message) as error:
        trueness.readers(frame, **{"modality": "modality"} | options)
    return error.value


def test_one_reader(frame):
    one = frame[frame.reader == 0]
    error = refused(one, "One reader does not show how readers vary. Got 1 in modality a")
    assert "random='cases'" in str(error)
    assert trueness.readers(one, modality="modality", random="cases").p_value == pytest.approx(
        trueness.comparisons.delong(*_two(one)).p_value, abs=0.02
    )
    alone = one[one.modality == "a"]
    refused(alone, "One reader does not show how readers vary", modality=None)


def _two(one):
    a, b = one[one.modality == "a"], one[one.modality == "b"]
    return a.truth.to_numpy(), a.score.to_numpy(), b.score.to_numpy()


def test_one_class(frame):
    refused(frame[frame.truth == 1], "exactly two classes")
    refused(frame.assign(truth=frame.case % 3), "exactly two classes")


def test_a_reader_with_a_single_class(frame):
    single = frame[~((frame.reader == 2) & (frame.truth == 1) & (frame.modality == "b"))]
    error = refused(single, "A reader needs 2 cases of each class. Got 0 of class 1 for reader 2 in modality b")
    assert error.param == "reader"
    # specificity needs negatives only
    assert trueness.readers(single, modality="modality", metric="specificity", threshold=0.5).p_value <= 1


def test_duplicated_readings(frame):
    twice = pd.concat([frame, frame.iloc[[5]]])
    error = refused(twice, "Readings are given more than once. Got case 5 again for reader 0")
    assert error.param == "case"
    refused(frame, "more than once.*modality=", modality=None)
    decimals = frame.assign(case=frame.case.map(lambda i: float(f"1.{i + 1}")))
    refused(decimals, "1.10 and 1.1 are equal: read such names as text")


def test_a_case_with_two_truths(frame):
    frame.loc[3, "truth"] = 0
    error = refused(frame, "Cases have more than one true label. Got case 3 with")
    assert "cases-in-readers" in str(error)
    # numbers that mean other cases for other readers
    own = frame.assign(truth=(frame.case + frame.reader) % 2)
    refused(own, "more than one true label")
    assert trueness.readers(own, modality="modality", design="cases-in-readers").design == "cases-in-readers"


def test_modalities_without_common_readers(frame):
    own = frame.assign(reader=frame.reader + 10 * (frame.modality == "b"))
    for method in ("or", "u"):
        r = trueness.readers(own, modality="modality", method=method)
        assert r.design == "readers-in-modalities"
        assert [n.code for n in r.notes if n.code == "design-found"] == ["design-found"]
        assert 0 < r.p_value <= 1
    one_common = own.replace({"reader": {10: 0}})
    refused(one_common, "Only one reader read in both modalities a and b")
    assert 0 < trueness.readers(one_common, modality="modality", method="u").p_value <= 1


def test_some_readers_in_one_modality(frame):
    r = trueness.readers(frame[~((frame.reader == 3) & (frame.modality == "b"))], modality="modality")
    note = next(n for n in r.notes if n.code == "readers-left-out")
    assert note.data["readers"] == ["3"]
    assert r.difference.value == pytest.approx(
        trueness.readers(frame[frame.reader < 3], modality="modality").difference.value
    )


def test_missing_readings_are_said(frame):
    gone = frame.copy()
    gone.loc[[2, 50], "score"] = np.nan
    r, dropped = trueness.readers(gone, modality="modality"), trueness.readers(frame.drop([2, 50]), modality="modality")
    assert r.p_value == dropped.p_value
    note = next(n for n in r.notes if n.code == "missing-readings")
    assert (note.data["missing"], note.data["complete"], note.data["cases"]) == (2, 18, 20)
    refused(frame.assign(score=np.nan), "has no values")


def test_columns_and_options(frame):
    refused(frame, "There is no column 'who'. Columns: modality", reader="who")
    refused(frame, "named twice", reader="case")
    refused(frame.assign(reader=[None, *frame.reader[1:]]), "has missing values")
    refused(frame.assign(score="high"), "score")
    refused(frame.assign(score=np.inf), "infinite")
    refused(frame, "The design is unknown", design="latin")
    refused(frame, "no split-plot study", design="split-plot")
    refused(frame, "The method is unknown. Choose one of or, u", method="dbm")
    refused(frame, "What is random is unknown", random="none")
    refused(frame, "The covariance is unknown", covariance="bootstrap")
    refused(frame, "covariances without bias only", covariance="delong", method="u")
    refused(frame, "decisions, and the scores are ratings", metric="tpf")
    refused(frame, "needs no threshold", threshold=3)
    refused(frame, "by the jackknife only", metric=trueness.metrics.PartialAUC(), covariance="delong")
    refused(frame, "Method 'u' needs", metric=trueness.metrics.PartialAUC(), method="u")
    refused(frame.assign(truth=np.where(frame.truth == 1, "sick", "well")), "Cannot infer the positive class")
    refused(frame, "Cases in modalities need", modality=None, design="cases-in-modalities")
    refused([1, 2], "frame must be a DataFrame")
    refused(frame, "level", level=95)


def test_no_spread(frame):
    """Perfect readers: no interval outside the range, none without length, and no p-value of a standard error of 0."""
    perfect = frame.assign(score=frame.truth * 1.0)
    for method in ("or", "u"):
        r = trueness.readers(perfect, modality="modality", method=method)
        low, high = next(iter(r.auc.values())).ci()
        assert low < high == 1.0
        assert (r.difference.value, r.p_value) == (0.0, 1.0)
    mixed = frame.assign(score=np.where(frame.modality == "a", frame.truth, 0) * 1.0)
    r = trueness.readers(mixed, modality="modality")
    assert r.difference.se is None
    assert r.p_value is None
    assert "no-se-zero-variance" in [n.code for n in r.notes]
    assert r.to_json()
    assert str(r)


def test_odd_types(frame):
    whole = trueness.readers(frame.drop([2, 50]), modality="modality").p_value
    gone = (frame.score * 1000).round().astype("Int64").astype("Float64") / 1000
    assert trueness.readers(
        frame.assign(score=gone.where(~frame.index.isin([2, 50]))), modality="modality"
    ).p_value == pytest.approx(whole)
    mixed = frame.assign(modality=[1 if m == "a" else "1" for m in frame.modality])
    refused(mixed, "both texts and numbers")
    refused(frame.set_index("reader"), "There is no column 'reader'")
    for wrong in (float("nan"), float("inf"), "3"):
        refused(frame, "threshold must be a finite number", metric="tpf", threshold=wrong)


def test_a_model_that_lacks_cases(frame):
    refused(frame, "must be numbers", model={i: "high" for i in range(20)})
    refused(frame.assign(ai=np.inf), "infinite", model="ai")
    refused(frame.assign(ai=np.where(frame.case == 3, np.nan, 1.0 * frame.case)), "Got 1 without, e.g. 3", model="ai")
    refused(frame, "no score for some cases. Got 19 without, e.g. 1", model={0: 1.0})
    refused(frame.assign(ai=np.arange(len(frame))), "more than one score for a case", model="ai")
    refused(frame, "There is no column 'ai'", model="ai")
    refused(frame, "model must be", model=3)
    refused(
        frame.assign(ai=1.0 * frame.case),
        "no score for some cases. Got 80 without",
        model="ai",
        design="cases-in-readers",
    )
