"""Fits from arrays: the checks that a stranger's numbers need."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from karat.errors import InputError, KaratWarning
from karat.sample.design import Design
from karat.sample.fits import Fits
from karat.sample.sample import Sample

KINDS = ("bootstrap", "cv", "holdout")


def fits_from_arrays(
    y: Any,
    counts: Any,
    scores: Any,
    *,
    full_scores: Any,
    threshold: float | None,
    predictions: Any,
    full_predictions: Any,
    positive: Any,
    classes: Any,
    plan: str | None,
    repeat: Any,
    groups: Any,
    stratified: bool | None,
) -> Fits:
    if np.ndim(counts) == 1 and (scores is None or np.ndim(scores) == 1):  # one fit, without its own axis
        counts = [counts]
        scores, predictions = (None if v is None else [v] for v in (scores, predictions))
    only_tested = not np.any(np.asarray(counts) != 0)  # a separate test set may have one case of a class
    sample = Sample.of(y, positive=positive, groups=groups, classes=classes, least=1 if only_tested else 2)
    n = sample.n
    counts = _counts(counts, n)
    if scores is None and predictions is None:
        raise InputError("there are neither scores nor predictions", fix="Pass scores=, predictions= or both")
    held = None if scores is None else _scores("scores", scores, (len(counts), n), sample)
    full = None if full_scores is None else _scores("full_scores", full_scores, (n,), sample)
    if full is not None and np.isnan(full).any():
        raise InputError("full_scores has NaN: the rule trained on all cases must score all of them")
    if threshold is not None:
        sample.require_positive()
        if not isinstance(threshold, (int, float, np.number)) or not np.isfinite(threshold):
            raise InputError("threshold must be a finite number", got=repr(threshold))
    design = _design(counts, sample, plan, repeat, stratified)
    fits = Fits(
        design=design,
        held=held,
        held_predictions=None if predictions is None else _predictions(predictions, (len(counts), n), sample),
        full_scores=full,
        full_predictions=None if full_predictions is None else _predictions(full_predictions, (n,), sample),
        threshold=threshold,
        probabilities=held is not None and _looks_like_probabilities(held, full),
    )
    warn_of_hard_labels(held)
    return fits


def _design(counts: np.ndarray, sample: Sample, plan: str | None, repeat: Any, stratified: bool | None) -> Design:
    repeats = None if repeat is None else _repeat(repeat, len(counts))
    kind = plan or _seen_kind(counts, repeats)
    if kind not in KINDS:
        raise InputError("plan must be one of " + ", ".join(KINDS), got=repr(plan))
    if kind != "holdout" and (counts.sum(axis=1) == 0).any():
        raise InputError(
            f"a row of counts has no case at all, so it is no {kind}", fix='Use plan="holdout" for a test set'
        )
    if kind == "cv" and repeats is None and _is_partition(counts):
        repeats = np.zeros(len(counts), dtype=np.intp)
    design = Design(
        kind=kind,
        plan=f"arrays({kind})",
        sample=sample,
        stratified=_stratified(counts, sample, kind, stratified),
        stored=counts,
        repeat=repeats,
        seed=np.random.SeedSequence(0),
    )
    _check_groups(design)
    return design


def _counts(counts: Any, n: int) -> np.ndarray:
    table = np.asarray(counts)
    if table.ndim != 2 or table.shape[1] != n or table.shape[0] == 0:
        raise InputError("counts must have a row a fit and a column a case", got=f"shape {table.shape} for {n} cases")
    if table.dtype.kind == "b":
        table = table.astype(np.uint8)
    if table.dtype.kind == "f":
        if not np.isfinite(table).all() or (table != np.round(table)).any():
            raise InputError("counts must be whole numbers", got="fractions, NaN or infinite values")
        table = table.astype(np.int64)
    if table.dtype.kind not in "iu":
        raise InputError("counts must be whole numbers", got=f"an array of {table.dtype}")
    if (table < 0).any():
        raise InputError("counts must not be negative", got=int(table.min()))
    return table


def _scores(name: str, scores: Any, shape: tuple[int, ...], sample: Sample) -> np.ndarray:
    try:
        table = np.asarray(scores, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers", got=str(error)) from None
    several = (*shape, sample.n_classes)
    if table.shape == several and sample.n_classes == 2:
        table = table[..., 1 if sample.positive is None else sample.positive]
    wanted = shape if sample.n_classes == 2 else several
    if table.shape != wanted:
        raise InputError(f"{name} has the wrong shape", got=f"{table.shape}; {wanted} is needed")
    if np.isinf(table).any():
        raise InputError(f"{name} has infinite values", fix="Replace them, e.g. by the largest finite score")
    return table


def _predictions(predictions: Any, shape: tuple[int, ...], sample: Sample) -> np.ndarray:
    table = np.asarray(predictions)
    if table.shape != shape:
        raise InputError("predictions have the wrong shape", got=f"{table.shape}; {shape} is needed")
    codes = np.full(shape, -1, dtype=np.int16)
    for index, label in enumerate(sample.classes.tolist()):
        codes[table == label] = index
    missing = np.asarray([v is None or v != v for v in table.ravel().tolist()]).reshape(shape)
    unknown = (codes < 0) & ~missing
    if unknown.any():
        raise InputError("predictions hold a label that no case has", got=repr(table[unknown].ravel()[0]))
    return codes


def _repeat(repeat: Any, n_fits: int) -> np.ndarray:
    table = np.asarray(repeat)
    if table.shape != (n_fits,):
        raise InputError("repeat must hold one value a fit", got=f"shape {table.shape} for {n_fits} fits")
    return np.unique(table, return_inverse=True)[1]


def _is_partition(counts: np.ndarray) -> bool:
    return bool(((counts == 0).sum(axis=0) == 1).all())


def _seen_kind(counts: np.ndarray, repeat: np.ndarray | None) -> str:
    totals = counts.sum(axis=1)
    if len(counts) == 1 and counts.max() <= 1:
        return "holdout"
    if repeat is not None or (counts.max() <= 1 and ((counts == 0).any(axis=1)).all()):
        return "cv"
    if counts.max() > 1 and (totals == counts.shape[1]).all():
        return "bootstrap"
    raise InputError(
        "the counts do not tell how they were drawn", fix='Say plan="bootstrap", plan="cv" or plan="holdout"'
    )


def _stratified(counts: np.ndarray, sample: Sample, kind: str, said: bool | None) -> bool:
    """Whether each class kept its number of units (cases, or groups) in every draw."""
    if said is not None and not isinstance(said, (bool, np.bool_)):
        raise InputError("stratified must be True, False or None", got=repr(said))
    first = np.arange(sample.n) if sample.groups is None else np.unique(sample.groups, return_index=True)[1]
    mixed = sample.groups is not None and any(
        len(np.unique(sample.codes[sample.groups == g])) > 1 for g in range(len(first))
    )
    if said and mixed:
        raise InputError("groups that hold several classes cannot be stratified", fix="Say stratified=False")
    if said is not None or mixed or kind == "holdout":
        return bool(said)
    codes = sample.codes[first]
    drawn = np.stack([counts[:, first][:, codes == c].sum(axis=1) for c in range(sample.n_classes)], axis=1)
    if kind == "cv":
        single = bool(((counts == 0).sum(axis=1) <= 1).all())  # leave-one-out has no strata to keep
        return not single and bool((np.ptp(drawn, axis=0) <= 1).all())
    if not (drawn == np.bincount(codes, minlength=sample.n_classes)).all():
        return False
    if len(counts) < 10:  # unstratified draws keep the sizes of the classes by chance
        raise InputError(
            f"{len(counts)} replicates are too few to see whether they were stratified",
            fix="Say stratified=True or False",
        )
    return True


def _check_groups(design: Design) -> None:
    if design.sample.groups is None:
        return
    for rows in design.slices():
        counts = design.rows(rows)
        if (counts != counts[:, design.first_of_unit][:, design.units]).any():
            raise InputError(
                "a group stands on both sides of a split, or its cases were drawn unequally often",
                fix="Draw whole groups, or leave groups= out",
            )


def _looks_like_probabilities(held: np.ndarray, full: np.ndarray | None) -> bool:
    parts = [held] if full is None else [held, full]
    return all(np.nanmin(p, initial=0) >= 0 and np.nanmax(p, initial=1) <= 1 for p in parts)


def warn_of_hard_labels(scores: Any) -> None:
    """A warning where the scores have two values: a ROC curve of them has one operating point."""
    if scores is None:
        return
    some = np.asarray(scores[0:10]).ravel()
    some = some[~np.isnan(some)]
    if len(set(some[:3].tolist())) < 3 <= len(some) and len(np.unique(some)) == 2:
        warnings.warn(
            "the scores have two different values only: are they hard labels? An AUC knows one operating point of "
            "them. Give scores, e.g. of decision_function or predict_proba.",
            KaratWarning,
            stacklevel=4,
        )
