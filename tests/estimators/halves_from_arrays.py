"""Fits of splits (or folds) of all cases and of halves of them, from arrays."""

import numpy as np

from trueness.sample import Fits, Sample
from trueness.sample.design import Design


def fits_of(kind, y, outer, within, members, scores, within_scores, repeat=None, order=None, task="classification"):
    """`outer` (F, n) and `within` (H·m, n) counts, `members` (H, n) the cases of each half, scores of each part."""
    order = np.arange(len(y)) if order is None else order
    sample = Sample.of(np.asarray(y)[order], kind=task)
    of_half = np.repeat(np.arange(len(members)), len(within) // len(members))
    cv = Design("cv", "arrays", sample, False, stored=outer[:, order], repeat=repeat)
    halves = Design(
        "halves", "arrays", sample, False, stored=within[:, order], repeat=of_half, unused=~members[of_half][:, order]
    )
    whole = Design(kind, "arrays", sample, False, parts=(cv, halves))
    parts = tuple(
        Fits(
            design, held=s[:, order], **({"threshold": 0.5, "probabilities": True} if task == "classification" else {})
        )
        for design, s in ((cv, scores), (halves, within_scores))
    )
    return Fits.joined(whole, parts)
