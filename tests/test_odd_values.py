"""Odd arrays at every door: a result that can be shown, or a TruenessError, never an error from inside."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import trueness
from trueness import comparisons as C
from trueness.errors import TruenessError, TruenessWarning

N = 24
Y = np.arange(N) % 2
RNG = np.random.default_rng(0)
S = RNG.random(N)
X = RNG.normal(size=(N, 2))


def objects(values):
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def changed(value, at=3, base=S):
    found = objects(base.tolist())
    found[at] = value
    return found


ODD = {
    "None": None,
    "a number": 3,
    "text": "scores",
    "bytes": b"scores",
    "nothing": [],
    "one value": [1],
    "a number as array": np.array(3.0),
    "dict": {"a": 1},
    "set": {1, 2},
    "generator": (v for v in S),
    "range": range(N),
    "one too few": S[:-1],
    "one too many": np.append(S, 1),
    "a column": S[:, None],
    "a row": S[None],
    "three dimensions": S.reshape(2, 3, 4),
    "NaN": changed(np.nan).astype(float),
    "all NaN": np.full(N, np.nan),
    "infinite": changed(np.inf).astype(float),
    "minus infinite": changed(-np.inf).astype(float),
    "None inside": changed(None),
    "NA inside": changed(pd.NA),
    "NaT inside": changed(pd.NaT),
    "text inside": changed("a"),
    "list inside": changed([1, 2]),
    "array inside": changed(np.arange(2)),
    "dict inside": changed({}),
    "object inside": changed(object()),
    "complex inside": changed(1j),
    "complex": S + 0j,
    "Decimal": objects([Decimal(str(v)) for v in S]),
    "Decimal NaN": changed(Decimal("NaN")),
    "Fraction": objects([Fraction(int(1000 * v), 1000) for v in S]),
    "bool": Y == 1,
    "bool as object": objects([bool(v) for v in Y]),
    "int8": Y.astype(np.int8),
    "uint64, large": np.uint64(2**63) + Y.astype(np.uint64),
    "Python int, huge": objects([10**400 + int(v) for v in Y]),
    "float16": S.astype(np.float16),
    "longdouble": S.astype(np.longdouble),
    "big-endian": S.astype(">f8"),
    "denormal": S * 5e-324,
    "1e308": S * 1e308,
    "minus zero": np.where(Y == 1, 0.0, -0.0),
    "constant": np.ones(N),
    "dates": np.datetime64("2024-01-01") + np.arange(N),
    "dates with NaT": np.where(Y == 1, np.datetime64("2024-01-01"), np.datetime64("NaT")),
    "durations": np.timedelta64(1, "D") * np.arange(N),
    "numbers as text": S.astype(str),
    "text with NUL": objects(["a\0" if v else "a" for v in Y]),
    "surrogates": objects(["\ud800" if v else "b" for v in Y]),
    "right to left": objects(["\u202eno" if v else "no" for v in Y]),
    "yes and Yes": objects([["no", "yes", "Yes"][k % 3] for k in range(N)]),
    "1 and '1'": objects([1 if v else "1" for v in Y]),
    "empty text": objects(["" if v else "a" for v in Y]),
    "structured": np.zeros(N, dtype=[("a", float)]),
    "masked": np.ma.masked_array(S, mask=Y == 1),
    "matrix": np.asmatrix(S),
    "read-only": np.frombuffer(S.tobytes()),
    "every second": np.repeat(S, 2)[::2],
    "Series": pd.Series(S),
    "Series of another index": pd.Series(S, index=np.arange(N)[::-1]),
    "Series with index twice": pd.Series(S, index=[0] * N),
    "categories": pd.Categorical(Y.astype(str), categories=["0", "1", "2"]),
    "ordered categories": pd.Series(pd.Categorical(Y, categories=[1, 0], ordered=True)),
    "Int64 with NA": pd.Series([None, *Y[1:]], dtype="Int64"),
    "boolean with NA": pd.Series([None, *(Y[1:] == 1)], dtype="boolean"),
    "intervals": pd.Series(pd.interval_range(0, N)),
    "periods": pd.Series(pd.period_range("2024-01", periods=N, freq="M")),
    "sparse": pd.arrays.SparseArray(S),
    "sparse matrix": sp.csr_matrix(S),
    "DataFrame": pd.DataFrame({"a": S, "b": S}),
    "DataFrame of one column": pd.DataFrame({"a": S}),
    "index": pd.Index(S),
    "tuples": [(v, v) for v in S],
    "polars": pl.Series("a", S),
    "polars with null": pl.Series("a", [None, *S[1:]]),
    "polars frame": pl.DataFrame({"a": S}),
    "class": float,
    "function": np.mean,
}
DOORS = {
    "y of roc": lambda v: trueness.roc(v, S),
    "scores of roc": lambda v: trueness.roc(Y, v),
    "groups of roc": lambda v: trueness.roc(Y, S, groups=v),
    "scores of pr": lambda v: trueness.pr(Y, v),
    "predictions of diagnose": lambda v: trueness.diagnose(Y, v),
    "y of diagnose": lambda v: trueness.diagnose(v, Y),
    "scores of delong": lambda v: C.delong(Y, v, S),
    "predictions of mcnemar": lambda v: C.mcnemar(Y, v, Y),
    "p of calibration": lambda v: trueness.calibration(Y, v),
    "p of decision_curve": lambda v: trueness.decision_curve(Y, v),
    "by of subgroups": lambda v: trueness.subgroups(Y, S, "auc", by=v),
    "X of check": lambda v: trueness.check(v, Y),
    "y of check": lambda v: trueness.check(X, v),
    "X of assess": lambda v: trueness.assess(LDA(), v, Y, plan=trueness.KFold(2), checks=False, rng=0),
    "y of assess": lambda v: trueness.assess(LDA(), X, v, plan=trueness.KFold(2), checks=False, rng=0),
    "groups of assess": lambda v: trueness.assess(LDA(), X, Y, groups=v, plan=trueness.KFold(2), checks=False, rng=0),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("odd", ODD)
def test_odd_values(odd, door):
    said = shown(DOORS[door], ODD[odd])
    assert said
    assert "\u202e" not in said
    assert "\x00" not in said


def shown(door, value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", TruenessWarning)
        try:
            return repr(door(value))
        except TruenessError as error:
            return str(error)
