"""Rows of X that are copies of others: counted, and warned of."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import karat
from karat.errors import KaratWarning
from karat.sample.duplicates import duplicates_note
from karat.sample.sample import Sample

X = np.random.default_rng(3).normal(size=(40, 2))
Y = np.repeat([0, 1], 20)


@pytest.mark.parametrize(("copies", "says"), [(1, "1 of 41 rows of X is a copy"), (2, "2 of 42 rows of X are copies")])
def test_copies_are_counted(copies, says):
    with pytest.warns(KaratWarning, match=says) as caught:
        fits = karat.fit(LDA(), np.vstack([X, X[:copies]]), np.r_[Y, [0] * copies], karat.KFold(3), rng=0)
    note = caught[0].message.args[0]
    assert (note.code, note.data["copies"]) == ("duplicate-rows", copies)
    assert note in fits.notes


def test_copies_within_a_group_stay_together():
    rows = np.r_[np.arange(40), 0, 1]
    together = Sample.of(Y[rows], X=X[rows], groups=rows)
    apart = Sample.of(Y[rows], X=X[rows], groups=np.arange(42) // 2)
    assert duplicates_note(together) is None
    assert duplicates_note(apart).data["copies"] == 2
    assert duplicates_note(Sample.of(Y, X=X)) is None
