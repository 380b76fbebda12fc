"""Whether training sets were drawn class by class, as far as their counts tell."""

from __future__ import annotations

import numpy as np

from karat.checks import is_one_of
from karat.errors import InputError, Setting
from karat.result.digits import counted
from karat.sample.sample import Sample
from karat.typing import Array, Stratified

MIN_REPLICATES_TO_SEE_STRATA = 10  # fewer unstratified replicates may keep the class sizes by chance


def kept_class_sizes(counts: Array, sample: Sample, kind: str, given: Stratified | None = None) -> bool:
    """Whether each class kept its number of units (cases, or groups) in every draw."""
    if given is not None and not isinstance(given, (bool, np.bool_)) and not is_one_of(given, ("fixed",)):
        raise InputError('stratified must be True, False, "fixed" or None', param="stratified", got=repr(given))
    first = np.arange(sample.n) if sample.groups is None else np.unique(sample.groups, return_index=True)[1]
    mixed = not sample.groups_are_pure
    if given and mixed:
        raise InputError(
            "Groups with cases of several classes cannot be stratified",
            param="stratified",
            fix=("Pass ", Setting("stratified", False)),
        )
    if given is not None or mixed or kind == "holdout":
        return bool(given)
    codes = sample.codes[first]
    drawn = np.stack([counts[:, first][:, codes == c].sum(axis=1) for c in range(sample.n_classes)], axis=1)
    if kind == "cv":
        single = bool(((counts == 0).sum(axis=1) <= 1).all())  # leave-one-out has no strata
        return not single and bool((np.ptp(drawn, axis=0) <= 1).all())
    if not (drawn == np.bincount(codes, minlength=sample.n_classes)).all():
        return False
    if len(counts) < MIN_REPLICATES_TO_SEE_STRATA:
        raise InputError(
            f"{counted(len(counts), 'replicate is', 'replicates are')} too few to see whether they were stratified",
            param="stratified",
            fix=("Pass ", Setting("stratified", True), " or ", Setting("stratified", False)),
        )
    return True
