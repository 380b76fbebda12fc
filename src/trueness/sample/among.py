"""Fits judged on some of their cases only: the rules stay those of all cases, other cases test nothing.

A subgroup, a site or a segment is a slice of the columns of Fits, so that every metric and every estimator is asked of it
as of all cases.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from trueness.sample.design import BLOCK_CELLS, Design
from trueness.sample.fits import Fits
from trueness.sample.rows import MappedRows, Rows, empty_rows, taken
from trueness.sample.sample import Sample
from trueness.typing import Array, Ints


def among(fits: Fits, cases: Ints, *, one_unit: bool = False) -> Fits:
    """The fits with these cases only (their places, in order).

    Parameters
    ----------
    fits : Fits
        Of all cases; training sets and failures stay as they are.
    cases : ndarray of int
        Places of the cases that are kept.
    one_unit : bool, default False
        Whether the cases are one group of the sample (a site): what is estimated is then about this group, within which
        cases are independent.

    Returns
    -------
    Fits
    """
    parts = tuple(among(part, cases, one_unit=one_unit) for part in fits.parts)
    return replace(
        fits,
        design=_design(fits.design, cases, one_unit, tuple(part.design for part in parts)),
        held=_columns(fits.held, cases),
        held_predictions=_columns(fits.held_predictions, cases),
        full_scores=taken(fits.full_scores, cases),
        full_predictions=taken(fits.full_predictions, cases),
        parts=parts,
        source=None,
    )


def against_rest(fits: Fits, target: int, decision: int | None = None) -> Fits:
    """The fits of one class against the rest: its column of the scores, and whether a rule decides for it. With another
    `decision` a case counts as predicted positive where a rule decides for that class, so that the TPF is the share of the
    target's cases with this decision."""
    sample = fits.sample
    labels = np.array(["rest", str(sample.classes[target])], dtype=object)
    one = Sample((sample.codes == target).astype(np.intp), labels, 1, sample.groups)
    wanted = target if decision is None else decision
    scored = sample.n_classes > 2 and wanted == target

    score, decided = partial(_score_of, target), partial(_decided_for, wanted)  # not local functions, for pickle

    def of(part: Fits) -> Fits:
        held, said = part.held, part.held_predictions
        return replace(
            part,
            design=replace(part.design, sample=one, parts=tuple(replace(d, sample=one) for d in part.design.parts)),
            held=MappedRows(held, score) if scored and held is not None else None,
            held_predictions=None if said is None else MappedRows(said, decided),
            full_scores=score(part.full_scores) if scored and part.full_scores is not None else None,
            full_predictions=None if part.full_predictions is None else decided(part.full_predictions),
            parts=tuple(of(p) for p in part.parts),
        )

    return of(fits)


def _score_of(target: int, scores: Array) -> Array:
    return scores[..., target]


def _decided_for(wanted: int, predictions: Array) -> Array:
    return np.where(predictions < 0, predictions, predictions == wanted)  # below 0: none


def _design(design: Design, cases: Ints, one_unit: bool, parts: tuple[Design, ...]) -> Design:
    sample = design.sample
    groups = None if sample.groups is None or one_unit else np.unique(sample.groups[cases], return_inverse=True)[1]
    out = replace(
        design,
        sample=sample.rows(cases, groups),
        stored=_columns(design.stored, cases),
        folds=taken(design.folds, np.s_[:, cases]),
        unused=taken(design.unused, np.s_[:, cases]),
        parts=parts,
    )
    # the last fold may test none of these cases
    vars(out).update(n_fits=design.n_fits, n_folds=design.n_folds, repeats=design.repeats)
    return out


def _columns(rows: Rows | None, cases: Ints) -> Rows | None:
    """The columns of a table at these places, read in blocks."""
    if rows is None:
        return None
    if isinstance(rows, np.ndarray):
        return rows[:, cases]
    first: Array = rows[0:1]
    out = empty_rows((rows.shape[0], len(cases), *first.shape[2:]), first.dtype)
    step = max(1, BLOCK_CELLS // first.size)
    for start in range(0, rows.shape[0], step):
        block = slice(start, min(start + step, rows.shape[0]))
        out[block] = rows[block][:, cases]
    return out
