"""The one door for predicted probabilities: outcomes and probabilities, or fits whose scores are or stand for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from trueness.checks import unwarned
from trueness.errors import InputError
from trueness.estimators.cv import naive_influence
from trueness.estimators.influence import Contrast
from trueness.estimators.linearized import Average, judged_by
from trueness.formulas.calibration import Judged
from trueness.metrics.calibration import CalibrationSlope
from trueness.metrics.metric import CaseLoss
from trueness.plans.plan import Plan
from trueness.result.estimate import Estimate
from trueness.sample.design import Design
from trueness.sample.fits import Assessed, Fits
from trueness.sample.labels import check_same_index
from trueness.sample.rows import MappedRows
from trueness.sample.sample import Sample
from trueness.sample.scores import hash_of, numbers, probabilities, refuse_nan
from trueness.typing import Floats, Label, Labels, Scores

CALIBRATE = (
    "Pass probabilities, e.g. model.predict_proba(X)[:, 1]; of log-odds scipy.special.expit(scores); of other scores "
    "those of sklearn.calibration.CalibratedClassifierCV, fitted on other cases"
)


@dataclass(frozen=True, eq=False)
class Given:
    """Probabilities of two classes by rules of a design (or on one test set), and the method that their plan recommends."""

    fits: Fits

    @classmethod
    def of(
        cls,
        y: Labels | Fits | Assessed,
        p: Scores | None,
        positive: Label | None = None,
        groups: Labels | None = None,
    ) -> Given:
        """From outcomes and probabilities of the positive class, or from fits of two classes."""
        found = fits_of(y, p, positive, groups)
        if found.sample.n_classes != 2:
            last = found.sample.n_classes - 1
            one = found.sample.classes.tolist()[last]
            raise InputError(
                "This needs two classes",
                param="y",
                got=f"{last + 1} classes",
                fix=f"Take one against the rest: y == {one!r}, with its column of p, p[:, {last}], or a model fitted to that",
            )
        found.sample.require_positive()
        return cls(found)

    @cached_property
    def judged(self) -> Judged:
        """Outcomes and left-out probabilities of all rules."""
        average: Average = "cases" if self.fits.design.kind in ("bootstrap", "holdout") else "folds"
        return judged_by(self.fits, CalibrationSlope().bind(self.fits.sample), average)

    def provenance(self) -> dict[str, Any]:
        """Of fits the seed of training sets that were drawn here and the libraries of the model; of a test set a hash of
        outcomes and probabilities, in their order."""
        if self.of_test_set:
            return {"data": hash_of(self.judged.y, self.judged.p)}
        known = {"libraries": self.fits.libraries} if self.fits.libraries else {}
        seed = self.fits.design.seed.entropy
        return known | ({"seed": seed} if isinstance(self.fits.design.plan, Plan) else {})

    @property
    def of_test_set(self) -> bool:
        return self.fits.design.kind == "holdout"

    def influence(self, loss: CaseLoss, found: Estimate) -> Floats:
        """(U,) how units move an estimate of a mean over cases, with its standard error as the norm; where its method has
        none, that of the cases as test cases, scaled."""
        known, fits = found.influence, self.fits
        if known is None and found.se is not None:
            known = naive_influence(Contrast(fits.part(("cv",)), loss))
        units = np.zeros(self.design.n_units) if known is None else self.design.unit_sums(known)
        norm = float(np.linalg.norm(units))
        return np.asarray(units * (found.se / norm)) if found.se is not None and norm > 0 else units

    @property
    def design(self) -> Design:
        """That of the cases: of a design with parts the first."""
        return self.fits.design.parts[0] if self.fits.design.parts else self.fits.design


def fits_of(y: Labels | Fits | Assessed, p: Scores | None, positive: Label | None, groups: Labels | None) -> Fits:
    """Fits with probabilities, of two classes or of several; an error where scores are none."""
    if isinstance(y, Assessed) and y.fits is not None:
        y = y.fits
    if isinstance(y, Mapping):
        raise InputError(
            "y must be the outcomes, or the fits or assessment of one model", param="y", got="a mapping", fix=ONE_MODEL
        )
    if isinstance(y, Fits):
        if p is not None or positive is not None or groups is not None:
            raise InputError("Fits have their own p, positive and groups", param="p", fix="Leave them out")
        found = y.with_probabilities()
        if not found.probabilities:
            raise InputError("The scores of these fits are not probabilities", param="p", fix=FROM_MODELS)
        return _read_once(found)
    sample = Sample.of(y, positive=positive, groups=groups, least=1)
    if p is None:
        raise InputError("There are no probabilities", param="p", fix=CALIBRATE)
    if isinstance(p, Mapping):
        raise InputError("p must be one array", param="p", got="a mapping", fix="Pass one of them at a time")
    values = numbers(p, "p")
    check_same_index("p", p, "y", y)
    if values.ndim == 2 and sample.n_classes == 2 and values.shape[1] <= 2:
        values = values[:, sample.require_positive() if values.shape[1] == 2 else 0]
    shape = (sample.n,) if sample.n_classes == 2 else (sample.n, sample.n_classes)
    if values.shape != shape:
        needed = "one probability per case" if len(shape) == 1 else "one column per class, in sorted order"
        raise InputError(f"p must have {needed}", param="p", got=f"shape {values.shape} for {sample.n} cases")
    refuse_nan(values, "p", fix="Drop these cases or predict them; nothing is dropped silently")
    held = probabilities(values, "p", CALIBRATE)[None]
    counts = np.zeros((1, sample.n), dtype=np.uint8)
    with unwarned():  # two different probabilities are no labels
        made = Fits.from_arrays(
            sample.classes[sample.codes],
            counts,
            held,
            positive=None if sample.positive is None else sample.classes[sample.positive],
            classes=sample.classes,
            groups=sample.groups,
        )
    return replace(made, probabilities=True, notes=())


ONE_MODEL = "Call this function once per model"
FROM_MODELS = (
    "Use a model with predict_proba, e.g. sklearn.calibration.CalibratedClassifierCV(model), or "
    "trueness.fit with scores='predict_proba'"
)


def _read_once(fits: Fits) -> Fits:
    """The same, the probabilities of a cross-validation in memory: they are read for every measure and threshold."""
    if fits.parts:
        return fits.cached("in memory", lambda: replace(fits, parts=tuple(_read_once(part) for part in fits.parts)))
    if fits.design.folds is None or not isinstance(fits.held, MappedRows):
        return fits
    held = fits.held
    return fits.cached("in memory", lambda: replace(fits, held=held[0 : held.shape[0]]))
