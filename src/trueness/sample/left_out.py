"""One score per case of two classes, by a rule that was not trained on it: what a curve of a model is drawn from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np
import pandas as pd
from scipy import special

from trueness.checks import is_number
from trueness.errors import InputError
from trueness.result.notes import SEVERAL_RULES
from trueness.result.shown import Page, Shown
from trueness.sample.sample import Sample
from trueness.sample.scored import Scored
from trueness.typing import Floats, Ints

if TYPE_CHECKING:
    from trueness.sample.fits import Fits

F = TypeVar("F", bound="Fits")
Scale = Literal["score", "probability", "log-odds"]
RULES_ASKED = 20  # whose predictions show where the threshold is


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(Shown):
    """What `fits.left_out()` returns.

    Attributes
    ----------
    data : Scored
        One score per case.
    scale : {"score", "probability", "log-odds"}
        What the scores are.
    origin : str
        Where the scores come from, in one sentence.
    own : float, optional
        The threshold of the model: its predictions are positive where a score is at least this. None where they have no
        single threshold, or are not known.
    rows : ndarray of int, optional
        The rows of X that the cases are.
    """

    data: Scored
    scale: Scale
    origin: str
    own: float | None = None
    rows: Ints | None = None

    @property
    def probabilities(self) -> Floats | None:
        """The scores as probabilities of the positive class; None where they do not tell these."""
        if self.scale == "score":
            return None
        return self.data.scores if self.scale == "probability" else np.asarray(special.expit(self.data.scores))

    def frame(self) -> pd.DataFrame:
        """One row per case: `row` of X (from 0), `label`, `score`, and `groups` where the cases have them."""
        negative, positive = self.data.classes
        rows = np.arange(len(self.data.scores)) if self.rows is None else self.rows
        labels = [positive if up else negative for up in self.data.positive.tolist()]
        found = {"row": rows, "label": labels, "score": self.data.scores, "groups": self.data.groups}
        return pd.DataFrame({name: values for name, values in found.items() if values is not None})

    def page(self, level: float | None = None) -> Page:
        """What the scores are, and where they come from."""
        return Page(f"{self.scale.capitalize()} of {self.data.described}\n{self.origin}")

    def __repr__(self) -> str:
        return f"<LeftOut: {self.scale} of {self.data.described}>"


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
            values = left.data.scores if left.probabilities is None else left.probabilities
            scores[name if len(fits) > 1 else "score"] = pd.Series(values, index=left.frame()["row"])
            if (kind := each.part(("cv",)).design.kind) in RULES:
                rules[COLUMN] = RULES[kind]
    known = {f"by {name}" if name in scores else name: values for name, values in beside.items() if values is not None}
    label = {"label": known.pop("label")} if "label" in known else {}
    table = pd.DataFrame({**label, **scores, **rules, **known})
    return table.dropna(subset=list(scores), how="all") if scores else table[:0]


def left_out(fits: Fits) -> LeftOut | None:
    """One score per case; None where there is none, or where there are more than two classes."""
    if fits.sample.n_classes != 2 or fits.sample.positive is None:
        return None
    cv = fits.part(("cv",))
    block = cv.pooled() if cv.design.kind == "cv" else None
    if cv.failed and cv.design.kind == "cv" and cv.design.partitioned and cv.held is not None:
        said = "One score per case, by the first rule of the cross-validation that left it out; some fits failed."
        return _of(fits, _first(cv), said)
    if block is not None and block.scores is not None:
        said = "One score per case, by the rule of the first repetition of the cross-validation that left it out."
        return _of(fits, np.asarray(block.scores[0], dtype=float), said)
    if fits.design.kind == "holdout" and fits.held is not None and fits.n_fits == 1 and not fits.failed:
        scores = np.where(fits.counts[0] == 0, fits.held[0:1][0], np.nan)
        return _of(fits, scores, "Scores of the test cases.")
    if fits.design.kind == "bootstrap" and fits.held is not None:
        means = fits.means_left_out(lambda block: block.scores)
        return _of(fits, means, "Mean score of each case over the bootstrap rules that were not trained on it.")
    return None


def _first(cv: Fits) -> Floats:
    scores = np.full(cv.sample.n, np.nan)
    for block in cv.tests():
        cases = cv.design.tested(int(block.fits[0]))
        assert block.scores is not None
        scores[cases] = np.where(np.isnan(scores[cases]), block.scores[0], scores[cases])
    return scores


def _of(fits: Fits, scores: Floats, origin: str) -> LeftOut | None:
    """The cases that have a score; None where a class has none."""
    code = fits.sample.positive
    assert code is not None
    seen = ~np.isnan(scores)
    positive = fits.sample.codes[seen] == code
    if not 0 < positive.sum() < len(positive):
        return None
    classes = (fits.sample.classes[1 - code], fits.sample.classes[code])
    scale = scale_of(fits)
    groups = None if fits.sample.groups is None else fits.sample.groups[seen]
    data, own = Scored(scores[seen], positive, classes, groups), own_threshold(fits, scale)
    return LeftOut(data, scale, origin, own, np.flatnonzero(seen))


def scale_of(fits: Fits) -> Scale:
    """What the scores are."""
    return "probability" if fits.probabilities else "log-odds" if fits.log_odds else "score"


def threshold_on(scale: Scale, threshold: float) -> float:
    """A threshold of the scores as that of probabilities, where they tell these."""
    return float(special.expit(threshold)) if scale == "log-odds" else threshold


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
    number, scale = check_threshold(fits.sample, threshold), scale_of(fits.parts[0] if fits.parts else fits)
    if (fits.parts[0] if fits.parts else fits).held is None:
        raise InputError("A threshold needs scores, and there are predictions only", param="threshold")
    if scale != "score" and not 0 < number < 1:
        fix = "Give it between 0 and 1"
        raise InputError("The threshold is of a probability here", param="threshold", got=f"{number:g}", fix=fix)
    number = float(special.logit(number)) if scale == "log-odds" else number
    parts = tuple(decided_at(part, threshold) for part in fits.parts)
    return replace(fits, threshold=number, held_predictions=None, full_predictions=None, parts=parts)


def own_threshold(fits: Fits, scale: Scale) -> float | None:
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
    usual = next((c for c in (fits.threshold, 0.5 if scale == "probability" else 0.0) if c is not None), 0.0)
    if low < usual <= high:
        return usual
    return high if low < high < np.inf else None
