"""The held-out soft outputs of one pass of cross-validation, stacked, with the fold of each case."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from karat.errors import InputError, UndefinedError
from karat.result.digits import counted
from karat.sample.fits import Fits


@dataclass(frozen=True, eq=False)
class Stacked:
    """Each case scored once, by the rule that did not see it  (seeds/002, algorithm 1, steps 2 and 3).

    Attributes
    ----------
    scores
        (n,) of the positive class, or (n, C).
    codes
        (n,) class of each case.
    fold
        (n,) fold that tested it.
    classes
        The labels.
    """

    scores: np.ndarray = field(repr=False)
    codes: np.ndarray = field(repr=False)
    fold: np.ndarray = field(repr=False)
    classes: np.ndarray

    @property
    def n(self) -> int:
        return len(self.codes)

    @property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    def members(self) -> np.ndarray:
        """(C·K, n) 1/size where a case is of class c and fold k: its product with losses is a table of rates."""
        k, c = self.n_folds, len(self.classes)
        cell = self.codes * k + self.fold
        sizes = np.bincount(cell, minlength=c * k)
        if (sizes == 0).any():
            lacking = counted(int((sizes == 0).sum()), "fold lacks", "folds lack")
            raise UndefinedError(
                f"{lacking} a class, so there is no error rate of it",
                fix="Use a stratified KFold with fewer folds",
            )
        return (cell == np.arange(c * k)[:, None]) / sizes[:, None]


def stacked(fits: Fits) -> Stacked:
    """The stacked outputs of fits of a KFold plan; an error for anything else."""
    if fits.design.kind != "cv":
        raise InputError(
            "operating points are averaged over the folds of a cross-validation",
            got=f"a {fits.design.kind} design",
            fix="Fit with plan=karat.KFold(10)",
        )
    block = fits.pooled()
    if block is None:
        raise InputError(
            "operating points need every case to be tested once",
            got="failed fits" if fits.failed else "random splits",
            fix="Fit with plan=karat.KFold(10)",
        )
    if block.scores is None:
        raise InputError("operating points need soft outputs, and this model gives labels only")
    if len(block.scores) != 1:
        raise InputError(
            "operating points are averaged over one pass of cross-validation: folds of several repeats share their "
            "cases and would make the standard deviation of the mean too small",
            got=f"{len(block.scores)} repeats",
            fix="Fit with karat.KFold(10, repeats=1)",
        )
    scores = block.scores[0]
    if np.isnan(scores).any():
        raise InputError("some cases have no held-out score (NaN)", got=int(np.isnan(scores).sum()))
    folds = fits.design.folds
    fold = folds[0] if folds is not None else (fits.design.counts == 0).argmax(axis=0)
    return Stacked(scores, fits.sample.codes, np.asarray(fold, dtype=np.intp), fits.sample.classes)
