"""Some 200 further bad inputs in one table: files, models and options. Each is a result, or an error on purpose that says
something; the command line answers with a line on standard error and without a traceback."""

import gzip
import json
import struct
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.cli.main import run
from trueness.errors import HIDDEN, InputError, TruenessError

N = 40
Y = np.arange(N) % 2
X = np.random.default_rng(0).normal(size=(N, 2)) + Y[:, None]
ROWS = [f"{y},{a:.3f},{b:.3f}" for y, (a, b) in zip(Y, X, strict=True)]
HEAD = "y,a,b"
GOOD = "\n".join([HEAD, *ROWS]) + "\n"


def row(k, text):
    rows = list(ROWS)
    rows[k] = text
    return "\n".join([HEAD, *rows]) + "\n"


def bytes_of(text, encoding):
    return text.encode(encoding)


FILES = {
    "empty": b"",
    "one byte": b"\x00",
    "one line feed": b"\n",
    "blanks": b"   \n   \n",
    "a head only": b"y,a,b\n",
    "one row": b"y,a,b\n1,2,3\n",
    "two rows": b"y,a,b\n1,2,3\n0,1,1\n",
    "NULs": b"\x00" * 1000,
    "NUL in a cell": row(3, "1,\x00,2").encode(),
    "random bytes": np.random.default_rng(0).bytes(2000),
    "half a UTF-8 character": GOOD.encode() + b"1,2,\xc3",
    "UTF-16": bytes_of(GOOD, "utf-16"),
    "UTF-32": bytes_of(GOOD, "utf-32"),
    "UTF-8 with a mark": bytes_of(GOOD, "utf-8-sig"),
    "two marks": b"\xef\xbb\xbf" * 2 + GOOD.encode(),
    "Latin-1": row(3, "1,é,2").encode("latin-1"),
    "old Macintosh": GOOD.replace("\n", "\r").encode(),
    "Windows": GOOD.replace("\n", "\r\n").encode(),
    "mixed line ends": GOOD.replace("\n", "\r\n", 5).encode(),
    "semicolons": GOOD.replace(",", ";").encode(),
    "tabs": GOOD.replace(",", "\t").encode(),
    "bars": GOOD.replace(",", "|").encode(),
    "spaces": GOOD.replace(",", " ").encode(),
    "sep=": ("sep=;\n" + GOOD.replace(",", ";")).encode(),
    "decimal commas": GOOD.replace(",", ";").replace(".", ",").encode(),
    "a row too short": row(5, "1,2").encode(),
    "a row too long": row(5, "1,2,3,4").encode(),
    "all rows too long": "\n".join([HEAD, *(r + ",9" for r in ROWS)]).encode(),
    "an empty row": row(5, "").encode(),
    "only separators": row(5, ",,").encode(),
    "an open quote": row(5, '1,"2,3').encode(),
    "a quote inside": row(5, '1,2"2,3').encode(),
    "quotes everywhere": "\n".join(",".join(f'"{c}"' for c in r.split(",")) for r in [HEAD, *ROWS]).encode(),
    "a line feed in quotes": row(5, '1,"2\n2",3').encode(),
    "columns of one name": GOOD.replace("a,b", "a,a").encode(),
    "the target twice": GOOD.replace("y,a", "y,y").encode(),
    "no names": "\n".join(ROWS).encode(),
    "empty names": GOOD.replace("y,a,b", "y,,").encode(),
    "a name of blanks": GOOD.replace("a,b", " ,  ").encode(),
    "a very long name": GOOD.replace("a,b", "a" * 100_000 + ",b").encode(),
    "a formula as name": GOOD.replace("a,b", "=1+1,@b").encode(),
    "markup as name": GOOD.replace("a,b", "<script>alert(1)</script>,b").encode(),
    "right to left as name": GOOD.replace("a,b", "\u202ea,b").encode(),
    "a template as name": GOOD.replace("a,b", "{rng=},{{b}}").encode(),
    "per cent as name": GOOD.replace("a,b", "%s,%(b)d").encode(),
    "a path as name": GOOD.replace("a,b", "../../a,b").encode(),
    "infinite": row(5, "1,inf,-inf").encode(),
    "1e400": row(5, "1,1e400,2").encode(),
    "1e-400": row(5, "1,1e-400,2").encode(),
    "5000 digits": row(5, f"1,{'9' * 5000},2").encode(),
    "hexadecimal": row(5, "1,0x10,2").encode(),
    "underscores": row(5, "1,1_000,2").encode(),
    "thousands": row(5, '1,"1,000",2').encode(),
    "per cent": row(5, "1,5%,2").encode(),
    "money": row(5, "1,$5,2").encode(),
    "full-width digits": row(5, "1,１２,2").encode(),
    "Arabic digits": row(5, "1,٣,2").encode(),
    "a minus sign": row(5, "1,−3,2").encode(),
    "NA": row(5, "1,NA,2").encode(),
    "target NA": row(5, "NA,1,2").encode(),
    "target empty": row(5, ",1,2").encode(),
    "target a number": row(5, "0.5,1,2").encode(),
    "target 1.0": row(5, "1.0,1,2").encode(),
    "target ' 1'": row(5, " 1,1,2").encode(),
    "target of a third class": row(5, "2,1,2").encode(),
    "target a text once": row(5, "x,1,2").encode(),
    "target constant": "\n".join([HEAD, *("1" + r[1:] for r in ROWS)]).encode(),
    "target all missing": "\n".join([HEAD, *(r[1:] for r in ROWS)]).encode(),
    "target 2**63": "\n".join([HEAD, *(str(2**63 + int(r[0])) + r[1:] for r in ROWS)]).encode(),
    "target dates": "\n".join([HEAD, *(f"2024-01-{1 + int(r[0]):02}" + r[1:] for r in ROWS)]).encode(),
    "target true and True": "\n".join([HEAD, *((["true", "True"][k % 2] if r[0] == "1" else "false") + r[1:] for k, r in enumerate(ROWS))]).encode(),
    "features constant": "\n".join([HEAD, *(r[:1] + ",1,1" for r in ROWS)]).encode(),
    "features missing": "\n".join([HEAD, *(r[:1] + ",," for r in ROWS)]).encode(),
    "one feature missing": "\n".join([HEAD, *(",".join([*r.split(",")[:2], ""]) for r in ROWS)]).encode(),
    "features text": "\n".join([HEAD, *(r[:1] + f",u{k},v{k}" for k, r in enumerate(ROWS))]).encode(),
    "no features": "\n".join(["y", *(r[:1] for r in ROWS)]).encode(),
    "2000 columns": "\n".join([",".join(["y", *(f"c{k}" for k in range(2000))]), *(",".join([r[0], *["1"] * 2000]) for r in ROWS)]).encode(),
    "JSON": json.dumps({"y": 1}).encode(),
    "JSON lines": "\n".join(json.dumps({"y": int(r[0]), "a": 1}) for r in ROWS).encode(),
    "HTML": b"<html><table><tr><td>1</td></tr></table></html>",
    "a program": b"#!/bin/sh\necho 1\n",
    "gzip without its name": gzip.compress(GOOD.encode()),
    "zip": b"PK\x03\x04" + bytes(100),
    "xlsx": b"PK\x03\x04\x14\x00\x06\x00",
    "pickle": b"\x80\x04\x95\x10\x00\x00\x00",
    "Parquet by name only": b"PAR1" + bytes(20) + b"PAR1",
    "sqlite": b"SQLite format 3\x00" + bytes(100),
}  # fmt: skip
PACKED = {
    "t.csv.gz": {"empty": b"", "cut": gzip.compress(GOOD.encode())[:-9], "no gzip": GOOD.encode(), "twice": gzip.compress(gzip.compress(GOOD.encode())), "two members": gzip.compress(GOOD.encode()[:200]) + gzip.compress(GOOD.encode()[200:]), "wrong sum": gzip.compress(GOOD.encode())[:-8] + struct.pack("<II", 1, 1)},
    "t.parquet": {"empty": b"", "magic": b"PAR1", "text": GOOD.encode(), "long footer": b"PAR1" + b"\xff\xff\xff\x7fPAR1", "zeros": bytes(300)},
    "t.jsonl": {"empty": b"", "no object": b"[1, 2]\n", "half": b'{"y": 1\n', "deep": b"[" * 100_000, "NaN": b'{"y": NaN, "a": 1}\n' * 4, "keys twice": b'{"y": 1, "y": 2, "a": 1}\n' * 4, "nested": b'{"y": 1, "a": {"b": [1]}}\n{"y": 0, "a": 2}\n' * 3, "huge": b'{"y": 1, "a": ' + b"9" * 5000 + b"}\n"},
    "t.json": {"empty": b"", "null": b"null", "number": b"1", "text": b'"a"', "half": b'[{"y": 1},', "columns": json.dumps({"y": Y.tolist(), "a": X[:, 0].tolist()}).encode()},
    "t.xlsx": {"empty": b"", "text": GOOD.encode()},
    "t.tsv": {"commas": GOOD.encode(), "tabs": GOOD.replace(",", "\t").encode()},
    "t": {"no suffix": GOOD.encode()},
    "t.feather": {"text": GOOD.encode()},
    "t.sav": {"text": GOOD.encode()},
}  # fmt: skip
OPTIONS = {
    "plan": ["kfold", "kfold:", "kfold:1", "kfold:0", "kfold:-3", "kfold:1e3", "kfold:99999", "kfold:5x", "kfold:5x0", "kfold:5x5x5", "bootstrap:0", "bootstrap:x", "holdout:0", "holdout:1", "holdout:nan", "monte-carlo:0", "loo:3", "paired:2x2", "", "KFOLD:5", "kfold:٣"],
    "level": ["0", "1", "95", "nan", "-1", "x", "1e-320", ""],
    "seed": ["-1", "1.5", "x", str(2**200), ""],
    "jobs": ["0", "-5", "99999", "x", "1.5"],
    "fits": ["0", "59", "-1", "1e3", "x", "99999999999"],
    "seconds": ["0", "-1", "nan", "inf", "x"],
    "fit-seconds": ["0", "-1", "nan", "x"],
    "metric": ["", "accurac", "auc,error", "__class__", "../x", "roc_auc_ovr", "%s", "{rng=}"],
    "model": ["", "nothing", "os.system", "LDA()", "sklearn.svm.SVC", "lda,lda", "../lda"],
    "positive": ["", "2", "yes", "1.0", "\u202e1", "nan"],
    "group": ["", "y", "nothing", "a"],
    "drop": ["", "y", "nothing", "a"],
    "undefined": ["", "never", "Skip"],
    "engine": ["", "fast"],
    "format": ["", "yaml"],
}  # fmt: skip


def told(capsys, arguments):
    """What the command line says; an error has a line on standard error and no traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = run(arguments)
    out, err = capsys.readouterr()
    assert code in (0, 1, 2), (code, err)
    assert "Traceback" not in out + err
    assert not HIDDEN.search((out + err).replace("\t", " ").replace("\r", ""))
    assert (out if code == 0 else err).strip()
    return code


@pytest.mark.parametrize("name", FILES)
def test_files(tmp_path, capsys, name):
    path = tmp_path / "t.csv"
    path.write_bytes(FILES[name])
    told(capsys, ["assess", str(path), "--target", "y", "--model", "lda", "--plan", "kfold:2", "--seed", "0"])


@pytest.mark.parametrize(("file", "name"), [(file, name) for file, cases in PACKED.items() for name in cases])
def test_packed_files(tmp_path, capsys, file, name):
    path = tmp_path / file
    path.write_bytes(PACKED[file][name])
    told(capsys, ["check", str(path), "--target", "y"])


@pytest.mark.parametrize(
    ("option", "value"), [(option, value) for option, values in OPTIONS.items() for value in values]
)
def test_options(tmp_path, capsys, option, value):
    path = tmp_path / "t.csv"
    path.write_text(GOOD)
    given = {"--target": "y", "--model": "lda", "--plan": "kfold:2", "--seed": "0"}
    if option in ("fits", "seconds"):
        del given["--plan"]
    given[f"--{option}"] = value
    code = told(capsys, ["assess", str(path), *(word for pair in given.items() for word in pair)])
    if value == "":
        assert code == 2


class Bad(ClassifierMixin, BaseEstimator):
    """Naive Bayes with one mistake."""

    def __init__(self, mistake="none"):
        self.mistake = mistake

    def fit(self, X, y):
        if self.mistake.startswith("fit"):
            FITS[self.mistake](self)
        self.rule_ = GaussianNB().fit(X, y)
        self.classes_ = {"no classes": None, "other classes": np.array([5, 6]), "classes turned": self.rule_.classes_[::-1], "three classes": np.arange(3)}.get(self.mistake, self.rule_.classes_)  # fmt: skip
        return None if self.mistake == "fit gives None" else self

    def predict(self, X):
        return PREDICTIONS.get(self.mistake, lambda p: p)(self.rule_.predict(X))

    def predict_proba(self, X):
        return PROBABILITIES.get(self.mistake, lambda p: p)(self.rule_.predict_proba(X))


def refused(error):
    def raising(*_):
        raise error

    return raising


PREDICTIONS = {
    "predict one too few": lambda p: p[:-1],
    "predict one too many": lambda p: np.append(p, 0),
    "predict nothing": lambda p: p[:0],
    "predict None": lambda p: None,
    "predict a number": lambda p: 1,
    "predict a column": lambda p: p[:, None],
    "predict a matrix": lambda p: np.stack([p, p], 1),
    "predict other labels": lambda p: p + 7,
    "predict text": lambda p: p.astype(str),
    "predict NaN": lambda p: np.where(p == 1, np.nan, 0),
    "predict probabilities": lambda p: p * 0.3,
    "predict no decision": lambda p: np.where(p == 1, -1, p),
    "predict half a decision": lambda p: np.where(p == 1, 0.5, p),
    "predict no decision in folds": lambda p: p if len(p) == N else p - 1,
    "predict a score": lambda p: np.linspace(0.02, 0.98, len(p)),
    "predict capitals": lambda p: np.char.capitalize(p) if p.dtype.kind == "U" else p,
    "predict objects": lambda p: np.array([object()] * len(p)),
    "predict raises": refused(ValueError("no\u202e")),
    "predict asserts": refused(AssertionError()),
    "predict stops": refused(StopIteration()),
    "predict lacks memory": refused(MemoryError()),
}
PROBABILITIES = {
    "proba one column": lambda p: p[:, :1],
    "proba three columns": lambda p: np.c_[p, p[:, 0]],
    "proba of one dimension": lambda p: p[:, 1],
    "proba one row too few": lambda p: p[:-1],
    "proba NaN": lambda p: p * np.nan,
    "proba one NaN": lambda p: np.where(np.arange(len(p))[:, None] == 0, np.nan, p),
    "proba infinite": lambda p: p / 0.0,
    "proba above 1": lambda p: 2 * p,
    "proba below 0": lambda p: -p,
    "proba percentages": lambda p: 100 * p,
    "proba margins": lambda p: p - 0.5,
    "proba as rounded": lambda p: np.where(p > 0.5, 1 + 1e-9, -1e-9),
    "proba text": lambda p: p.astype(str),
    "proba complex": lambda p: p + 1j,
    "proba None": lambda p: None,
    "proba a list": lambda p: p.tolist(),
    "proba a frame": lambda p: pd.DataFrame(p),
    "proba constant": lambda p: np.full_like(p, 0.5),
    "proba raises": refused(RuntimeError("")),
    "proba float16": lambda p: p.astype(np.float16),
}
FITS = {
    "fit raises": refused(ValueError("{rng=} \x1b[2J")),
    "fit raises nothing to say": refused(Exception()),
    "fit exits": refused(SystemExit(3)),
    "fit lacks memory": refused(MemoryError()),
    "fit recurses": refused(RecursionError("too deep")),
    "fit warns": lambda _: warnings.warn("a\u202eb" * 3, stacklevel=1),
    "fit gives None": lambda _: None,
    "fit has no pickle": lambda self: setattr(self, "held_", lambda: 0),
}
CLASSES = ["no classes", "other classes", "classes turned", "three classes"]


@pytest.mark.parametrize("mistake", [*PREDICTIONS, *PROBABILITIES, *FITS, *CLASSES])
def test_models(mistake):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            said = str(trueness.assess(Bad(mistake), X, Y, plan=trueness.KFold(2), rng=0, checks=False))
        except TruenessError as error:
            said = str(error)
    assert said.strip()
    assert not HIDDEN.search(said)


COLUMNS = "predict_proba of the model must have one column per class. Got shape "
OUTSIDE = r"predict_proba must hold probabilities, from 0 to 1. Got e.g. "
REFUSED = {
    "predict one too few": "one class per case. Got 39 predictions for 40 cases",
    "predict None": "one class per case. Got 1 predictions for 40 cases",
    "predict other labels": "Got 7, 8; the classes are",
    "predict NaN": "Got nan; the classes are",
    "predict text": "Got '0', '1'; the classes are",
    "predict probabilities": "Got 0.3; the classes are",
    "predict no decision": "Got -1; the classes are",
    "predict half a decision": "Got 0.5; the classes are",
    "predict a score": "Got 0.02, .* and 35 more; the classes are .* predict a class for every case",
    "proba one column": COLUMNS + r"\(40, 1\) for 40 cases of 2 classes",
    "proba three columns": COLUMNS + r"\(40, 3\)",
    "proba of one dimension": COLUMNS + r"\(40,\)",
    "proba above 1": OUTSIDE,
    "proba below 0": OUTSIDE + "-0",
    "proba percentages": OUTSIDE + ".*divide percentages by 100",
    "proba margins": OUTSIDE + "-0.*decision_function",
}


@pytest.mark.parametrize(
    "options", [{}, {"plan": "prefit"}, {"threshold": 0.3}], ids=["default", "prefit", "threshold"]
)
@pytest.mark.parametrize("mistake", REFUSED)
def test_answers_that_are_no_class_or_no_probability_are_refused(mistake, options):
    with pytest.raises(InputError, match=REFUSED[mistake]):
        trueness.assess(Bad(mistake).fit(X, Y), X, Y, rng=0, checks=False, **options)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_prediction_that_is_no_class_in_a_fold_is_no_failed_fit(n_jobs):
    with pytest.raises(InputError, match="Got -1; the classes are"):
        trueness.fit(Bad("predict no decision in folds"), X, Y, trueness.KFold(20), rng=0, n_jobs=n_jobs)


@pytest.mark.parametrize("mistake", ["predict no decision", "proba percentages"])
def test_answers_of_fitted_estimators_are_refused(mistake):
    found = cross_validate(Bad(mistake), X, Y, cv=2, scoring=lambda *_: 0, return_estimator=True, return_indices=True)
    with pytest.raises(InputError, match=REFUSED[mistake]):
        trueness.Fits.from_cv_results(found, X, Y)


def test_predicted_texts_are_the_labels_to_the_letter():
    y = np.where(Y, "ill", "well")
    with pytest.raises(InputError, match=r"Got 'Ill', 'Well'; the classes are \['ill', 'well'\]"):
        trueness.assess(Bad("predict capitals"), X, y, positive="ill", rng=0, checks=False)


def test_what_rounding_does_to_probabilities_is_undone():
    fits = trueness.fit(Bad("proba as rounded"), X, Y, trueness.KFold(2), rng=0)
    assert set(fits.held[:].ravel()) == {0.0, 1.0}


def test_a_model_without_classes_has_those_of_y():
    plan = trueness.KFold(2)
    found, expected = (trueness.fit(Bad(m), X, Y, plan, rng=0) for m in ("no classes", "none"))
    np.testing.assert_array_equal(found.held, expected.held)
    np.testing.assert_array_equal(found.held_predictions, expected.held_predictions)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda X, y: trueness.assess(LDA(), X, y, metrics="accurac"), "There is no metric 'accurac'"),
        (
            lambda X, y: trueness.assess(LDA(), np.array([["own", "rent"]] * len(y)), y),
            "could not convert string to float",
        ),
        (
            lambda X, y: trueness.assess(LinearRegression(), X, np.where(y, "a", "b"), positive="a"),
            "Use a classifier, or leave positive= out",
        ),
        (
            lambda X, y: trueness.assess(LinearRegression(), X, X[:, 0] + 1.5, plan=5, checks=False).calibration(),
            "scores of these fits are not probabilities",
        ),
    ],
)
def test_advice_for_what_people_type(call, said):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    with pytest.raises(TruenessError, match=said):
        call(rng.normal(size=(40, 2)) + y[:, None], y)


Y2 = np.arange(40) % 2
S2 = np.random.default_rng(1).normal(size=(40, 2)) + Y2[:, None]
TEXTS = ["good film", "bad film"] * 20


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: trueness.roc(Y2, "s100b"), "Pass the column itself"),
        (lambda: trueness.pr(Y2, {"a": S2[:, 0]}), "trueness.roc compares several by name"),
        (
            lambda: trueness.compare({"a": S2[:, 0], "b": S2[:, 1]}, Y2),
            "Pass both; predictions that you have become trueness.Fits",
        ),
        (lambda: trueness.compare({"a": S2[:, 0], "b": S2[:, 1]}, S2, Y2), "model must be an object with fit"),
        (lambda: trueness.check([*TEXTS[:3], None, *TEXTS[4:]], Y2), "Row 3 .* is no text. Got None. Drop"),
        (lambda: trueness.check([*TEXTS[:3], 3.5, *TEXTS[4:]], Y2), "rows of numbers, all of one length, or texts"),
        (
            lambda: trueness.assess(GaussianNB(), pd.Series([*TEXTS[:5], np.nan, *TEXTS[6:]]), Y2),
            "Row 5 .* is no text",
        ),
        (lambda: trueness.assess(GaussianNB(), S2, Y2, plan=5).by(["x", "z"]), "y and by have different lengths"),
        (
            lambda: trueness.assess(GaussianNB(), S2, Y2, plan=5).report(by=[pd.Series(Y2), pd.Series(Y2)]),
            "by must have one value per case",
        ),
    ],
)
def test_scores_texts_and_groups_of_another_form(call, said):
    with pytest.raises(TruenessError, match=said):
        call()


def test_scores_by_name_are_compared_as_the_columns_of_a_table():
    named = trueness.comparisons.delong_many(Y2, {"a": S2[:, 0], "b": list(S2[:, 1])})
    assert named.p_value == trueness.comparisons.delong_many(Y2, S2).p_value
    assert [*trueness.roc(Y2, dict(pd.DataFrame(S2, columns=["a", "b"]))).curves] == ["a", "b"]


def test_a_model_of_texts_does_not_fit_a_table_of_one_column():
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(TfidfVectorizer(min_df=2), MultinomialNB())
    with pytest.raises(TruenessError, match="does not fit on all 40 cases. Reason: ValueError"):
        trueness.assess(model, pd.DataFrame({"text": TEXTS}), Y2, plan=5)
