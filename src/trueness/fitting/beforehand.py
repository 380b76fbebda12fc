"""What `fit` refuses before it fits anything, and how many failures it takes."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping

import numpy as np
from sklearn.base import is_regressor

from trueness.checks import check_whole, is_one_of
from trueness.errors import FitError, InputError
from trueness.sample.design import Design
from trueness.sample.fits import Failure, Fits
from trueness.sample.sample import Sample

MOST_FAILURES = 0.10


def check_options(model: object, engine: object, batch_size: object) -> None:
    if batch_size is not None:
        check_whole("batch_size", batch_size, 1)
    # a stacking classifier has predict() once it is fitted, its class always
    if isinstance(model, type) or not hasattr(model, "fit") or not hasattr(type(model), "predict"):
        given = isinstance(model, Mapping)
        fix = "Pass trueness.Fits.from_cv_results(...) for a result of cross_validate" if given else ""
        fix = f"Pass {model.__name__}(), not the class" if isinstance(model, type) else fix
        raise InputError(
            "model must be an object with fit and predict methods, like scikit-learn's classifiers",
            param="model",
            got=type(model).__name__ if given else reprlib.repr(model),
            fix=fix,
        )
    if _is_regressor(model):
        raise InputError(
            "The model predicts numbers; a classifier is required",
            param="model",
            got=type(model).__name__,
            fix="Use a classifier, e.g. LogisticRegression() instead of LinearRegression()",
        )
    if not is_one_of(engine, ("auto", "generic")):
        raise InputError('engine must be "auto" or "generic"', param="engine", got=repr(engine))


def _is_regressor(model: object) -> bool:
    try:
        return bool(is_regressor(model))
    except (AttributeError, TypeError):  # not derived from scikit-learn's BaseEstimator
        return False


def check_design(design: object, sample: Sample, rng: object) -> None:
    """An error unless the design was drawn for these cases."""
    if not isinstance(design, Design):
        raise InputError("design must be a design (plan.draw(y)) or a plan", param="design", got=repr(design))
    same = design.n == sample.n and (design.sample.codes == sample.codes).all()
    if not same or design.sample.classes.tolist() != sample.classes.tolist():
        raise InputError(
            "The design was drawn for other labels than y", param="design", fix="Draw it from the same y, in its order"
        )
    drawn, given = design.sample.groups, sample.groups
    if given is not None and (drawn is None or not np.array_equal(drawn, given)):
        fix = "Pass {groups=} to plan.draw"
        raise InputError("The design was drawn with other groups", param="groups", fix=fix)
    if rng is not None:
        raise InputError("A design has its own seed", param="rng", fix="Pass {rng=} to plan.draw")


def check_earlier(earlier: Fits | None, design: Design) -> None:
    """An error unless the design begins with the training sets of these fits, and has their seed."""
    if earlier is None:
        return
    if not isinstance(earlier, Fits):
        raise InputError("earlier must be fits of trueness.fit", param="earlier", got=repr(earlier))
    pairs = list(zip(earlier.design.parts or (earlier.design,), design.parts or (design,), strict=False))
    same = earlier.design.kind == design.kind and len(earlier.design.parts) == len(design.parts)
    if not same or not all(_begins(longer, with_=shorter) for shorter, longer in pairs):
        raise InputError(
            "The design does not begin with the training sets of the earlier fits",
            param="earlier",
            got=f"{earlier.design!r} for {design!r}",
            fix="Draw a longer design of the same plan from the same cases with the same seed",
        )


def _begins(design: Design, with_: Design) -> bool:
    same = (design.seed.entropy, design.seed.spawn_key) == (with_.seed.entropy, with_.seed.spawn_key)
    same &= design.n == with_.n and np.array_equal(design.sample.codes, with_.sample.codes)
    return same and all(
        rows.stop <= design.n_fits and np.array_equal(design.rows(rows), with_.rows(rows)) for rows in with_.slices()
    )


def check_failures(failed: tuple[Failure, ...], design: Design) -> None:
    if len(failed) > MOST_FAILURES * design.n_fits:
        raise FitError(
            f"{len(failed)} of {design.n_fits} fits failed, more than 10 %",
            param="model",
            reason=min(f.error for f in failed),
            fix="Use a stratified plan, a simpler or a regularised model, or more fit_seconds where these ran out",
        )
