"""The within-fold standard error of Bayle, Bayle, Janson and Mackey (2020) for one pass of cross-validation.

Their other one, "all-pairs", is `se="naive"`. Both are asymptotically exact for the mean performance of the very rules
that the folds trained; of the rule trained on all cases, or of training sets of this size, they are too small.
"""

from __future__ import annotations

import math

import numpy as np

from trueness.errors import InputError
from trueness.estimators.influence import Contrast


def within_fold_se(c: Contrast) -> float:
    """√(mean over folds of the variance of the losses in a fold / n): their "within-fold" estimate of the variance."""
    problem, sizes = "", [len(c.fits.design.tested(f)) for f in range(c.fits.n_fits)]
    if c.fits.sample.groups is not None:
        problem = "assumes independent cases, and these come in groups"
    elif c.metric.priors is not None:
        problem = "needs a plain mean over cases"
    elif c.fits.pooled() is None:
        problem = "needs every case to be tested once per repeat"
    elif min(sizes) < 2:
        problem = "needs at least 2 cases in every fold"
    if problem:
        raise InputError(f'se="within-fold" {problem}', param="se", fix="Use {se='naive'}")
    losses = c.read(lambda fits, loss: np.concatenate([loss.losses(block)[0] for block in fits.tests()]))
    variances = [of_fold.var(ddof=1) for of_fold in np.split(losses, np.cumsum(sizes)[:-1])]
    return math.sqrt(float(np.mean(variances)) / c.fits.sample.n)
