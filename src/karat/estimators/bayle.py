"""The within-fold standard error of Bayle, Bayle, Janson and Mackey (2020) for one pass of cross-validation.

Their other one, "all-pairs", is `se="naive"`. Both are asymptotically exact for the mean performance of the very rules
that the folds trained; of the rule trained on all cases, or of training sets of this size, they are too small.
"""

from __future__ import annotations

import math

import numpy as np

from karat.errors import InputError, Setting
from karat.metrics.metric import CaseLoss
from karat.sample.fits import Fits


def within_fold_se(fits: Fits, loss: CaseLoss, other: Fits | None = None, other_loss: CaseLoss | None = None) -> float:
    """√(mean over folds of the variance of the losses in a fold / n), of the difference fits − other where it is given.

    Raises
    ------
    InputError
        Where cases come in groups or have weights, folds are no partition, or a fold has a single case.

    References
    ----------
    Bayle, Bayle, Janson & Mackey (2020), NeurIPS, "within-fold" estimate of the variance.
    """
    problem = None
    if fits.sample.groups is not None:
        problem = "assumes independent cases, and these come in groups"
    elif loss.priors is not None:
        problem = "needs a plain mean over cases"
    elif fits.pooled() is None or (other is not None and other.pooled() is None):
        problem = "needs every case to be tested once per repeat"
    if problem:
        raise InputError(f'se="within-fold" {problem}', param="se", fix=("Use ", Setting("se", "naive")))
    losses = [loss.losses(block)[0] for block in fits.tests()]
    if other is not None:
        theirs = other_loss or loss
        losses = [a - theirs.losses(block)[0] for a, block in zip(losses, other.tests(), strict=True)]
    if min(map(len, losses)) < 2:
        raise InputError(
            'se="within-fold" needs at least 2 cases in every fold', param="se", fix=("Use ", Setting("se", "naive"))
        )
    return math.sqrt(float(np.mean([of_fold.var(ddof=1) for of_fold in losses])) / fits.sample.n)
