"""One score per case of two classes, by a rule that was not trained on it: what a curve of a model is drawn from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pandas as pd
from scipy import special

from trueness.checks import is_number
from trueness.errors import InputError
from trueness.result.notes import SEVERAL_RULES
from trueness.sample.rows import taken
from trueness.sample.sample import Sample
from trueness.sample.scored import Scored

if TYPE_CHECKING:
    from trueness.sample.fits import Fits

F = TypeVar("F", bound="Fits")
RULES_ASKED = 20  # whose predictions show where the threshold is

COLUMN = "left_out"  # of a file of left-out scores: what their rules are of
RULES = {"cv": "cross-validation", "bootstrap": "bootstrap"}  # by kind of design


def marked(fits: Fits, table: pd.DataFrame) -> Fits:
    """A test set from a table; with a note where the table says that its scores are left-out scores of several rules."""
    if not of_several_rules(table):
        return fits
    return replace(fits, design=replace(fits.design, notes=(*fits.design.notes, SEVERAL_RULES)))


def of_several_rules(table: pd.DataFrame) -> bool:
    """Whether a table says that its scores are left-out scores of several rules."""
    return COLUMN in table and bool(table[COLUMN].isin(RULES.values()).any())


def table_of(fits: Mapping[str, Fits], **beside: pd.Series | None) -> pd.DataFrame:
    """One row per case with a left-out score: `row` of X (from 0), columns `beside` it, `score` (of several models a column
    each, by name) as a probability where it is known, and what their rules are of. A model without such a score has no
    column."""
    scores, rules = {}, {}
    for name, each in fits.items():
        if (left := each.left_out()) is not None:
            values = left.scores if left.probabilities is None else left.probabilities
            scores[name if len(fits) > 1 else "score"] = pd.Series(values, index=left.places)
            if (kind := each.part(("cv",)).design.kind) in RULES:
                rules[COLUMN] = RULES[kind]
    known = {f"by {name}" if name in scores else name: values for name, values in beside.items() if values is not None}
    label = {"label": known.pop("label")} if "label" in known else {}
    table = pd.DataFrame({**label, **scores, **rules, **known})
    return table.dropna(subset=list(scores), how="all") if scores else table[:0]


def left_out(fits: Fits) -> Scored | None:
    """`Fits.left_out`."""
    if fits.sample.n_classes != 2 or fits.sample.positive is None:
        return None
    cv, kind, origin = fits.part(("cv",)), fits.design.kind, ""
    if cv.design.kind == "cv" and cv.design.partitioned and cv.held is not None:
        scores = np.full(cv.sample.n, np.nan)
        for block in cv.tests():
            cases = cv.design.tested(int(block.fits[0]))
            assert block.scores is not None
            scores[cases] = np.where(np.isnan(scores[cases]), block.scores[0], scores[cases])
        origin = "One score per case, by the first rule of the cross-validation that left it out."
    elif kind == "holdout" and fits.held is not None and fits.n_fits == 1 and not fits.failed:
        scores, origin = np.where(fits.counts[0] == 0, fits.held[0:1][0], np.nan), "Scores of the test cases."
    elif kind == "bootstrap" and fits.held is not None:
        scores = fits.means_left_out(lambda block: block.scores)
        origin = "Mean score of each case over the bootstrap rules that were not trained on it."
    else:
        return None
    code, seen = fits.sample.positive, ~np.isnan(scores)
    positive = fits.sample.codes[seen] == code
    if not 0 < positive.sum() < len(positive):
        return None
    classes = (fits.sample.classes[1 - code], fits.sample.classes[code])
    groups = taken(fits.sample.groups, seen)
    return Scored(
        scores[seen],
        positive,
        classes,
        groups,
        scale=fits.scale,
        origin=origin,
        own=own_threshold(fits),
        places=np.flatnonzero(seen),
    )


def check_threshold(sample: Sample, threshold: object) -> float:
    """A finite number that decides between two classes."""
    if sample.n_classes != 2 or sample.numbers is not None:
        got = f"{sample.n_classes} classes" if sample.numbers is None else "numbers to predict"
        raise InputError("A threshold needs two classes", param="threshold", got=got, fix="Leave it out")
    sample.require_positive()
    if not is_number(threshold) or not math.isfinite(threshold):
        raise InputError("threshold must be a finite number", param="threshold", got=repr(threshold))
    return float(threshold)


def decided_at(fits: F, threshold: float) -> F:
    """`Fits.at_threshold`."""
    number, scale = check_threshold(fits.sample, threshold), fits.first.scale
    if fits.first.held is None:
        raise InputError("A threshold needs scores, and there are predictions only", param="threshold")
    if scale != "score" and not 0 < number < 1:
        fix = "Give it between 0 and 1"
        raise InputError("The threshold is of a probability here", param="threshold", got=f"{number:g}", fix=fix)
    number = float(special.logit(number)) if scale == "log-odds" else number
    parts = tuple(decided_at(part, threshold) for part in fits.parts)
    return replace(fits, threshold=number, held_predictions=None, full_predictions=None, parts=parts)


def own_threshold(fits: Fits) -> float | None:
    """The threshold that the predictions of the first rules show: the usual one of the scale, or the smallest score that was
    predicted positive; None where no single threshold makes these predictions."""
    low, high = -np.inf, np.inf
    for block in islice(fits.part(("cv",)).tests(), RULES_ASKED):
        if block.scores is None or block.predictions is None:
            return None
        known = ~np.isnan(block.scores) & (block.predictions >= 0)
        predicted = block.predictions == fits.sample.positive
        low = max(low, float(block.scores[known & ~predicted].max(initial=-np.inf)))
        high = min(high, float(block.scores[known & predicted].min(initial=np.inf)))
    usual = next((c for c in (fits.threshold, 0.5 if fits.probabilities else 0.0) if c is not None), 0.0)
    if low < usual <= high:
        return usual
    return high if low < high < np.inf else None
