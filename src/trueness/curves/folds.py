"""The held-out soft outputs of one pass of cross-validation, stacked, with the fold of each case."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trueness.errors import InputError, UndefinedError
from trueness.formulas.groups import groups_by_class
from trueness.result.digits import counted
from trueness.sample.fits import Fits, check_fits
from trueness.typing import Array, Floats, Ints


@dataclass(frozen=True, eq=False)
class Stacked:
    """Each case scored once, by the rule that was not trained on it (Paclík et al. 2008, algorithm 1, steps 2-3)."""

    scores: Floats  # (n,) or (n, C) of the positive class, or one column per class
    codes: Ints  # (n,) class of each case
    fold: Ints  # (n,) fold that tested it
    classes: Array  # (C,) the labels
    groups: Ints | None = None  # (n,) group of each case; the design keeps groups within folds

    @property
    def n(self) -> int:
        return len(self.codes)

    @property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    @property
    def n_groups(self) -> int | None:
        """Independent groups of the class that has the fewest."""
        return None if self.groups is None else int(groups_by_class(self.groups, self.codes).min())

    def members(self) -> Floats:
        """(C·K, n) 1/size where a case is of class c and fold k: its product with losses is a table of rates. An error
        where a fold lacks a class."""
        k, c = self.n_folds, len(self.classes)
        cell = self.codes * k + self.fold
        sizes = np.bincount(cell, minlength=c * k)
        if (sizes == 0).any():
            lacking = counted(int((sizes == 0).sum()), "fold lacks", "folds lack")
            raise UndefinedError(
                f"{lacking} a class, so its error rate is undefined there",
                param="plan",
                fix="Use a stratified KFold with fewer folds",
            )
        return np.asarray((cell == np.arange(c * k)[:, None]) / sizes[:, None])


def stacked(fits: Fits) -> Stacked:
    """The stacked outputs of fits of a KFold plan; an error for anything else."""
    check_fits(fits)
    if fits.design.kind != "cv":
        raise InputError(
            "Operating points need the folds of a cross-validation",
            param="fits",
            got=f"a {fits.design.kind} design",
            fix="Fit with plan=trueness.KFold(10)",
        )
    block = fits.pooled()
    if block is None:
        raise InputError(
            "Operating points need every case to be tested once",
            param="fits",
            got="failed fits" if fits.failed else "random splits",
            fix="Fit with plan=trueness.KFold(10)",
        )
    if block.scores is None:
        raise InputError(
            "Operating points need scores, and this model predicts labels only",
            param="fits",
            fix="Use a model with decision_function or predict_proba",
        )
    if len(block.scores) != 1:
        raise InputError(
            "Operating points need a single repeat of cross-validation: folds of several repeats share their cases, "
            "which would make the standard deviation of the mean too small",
            param="fits",
            got=f"{len(block.scores)} repeats",
            fix="Fit with trueness.KFold(10, repeats=1)",
        )
    scores = block.scores[0]
    if np.isnan(scores).any():
        raise InputError("Some cases have no held-out score", param="fits", got=f"{int(np.isnan(scores).sum())} NaN")
    folds = fits.design.folds
    fold = folds[0] if folds is not None else fits.design.tests().argmax(axis=0)
    sample = fits.sample
    return Stacked(scores, sample.codes, np.asarray(fold, dtype=np.intp), sample.classes, sample.groups)
