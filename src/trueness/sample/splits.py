"""Pairs (train, test) of indices, as scikit-learn's splitters give them, and the Design that they are."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from trueness.checks import is_one_of
from trueness.errors import InputError
from trueness.result.words import Note, counted
from trueness.sample.design import Design, Kind
from trueness.sample.labels import array_of, listed
from trueness.sample.sample import Sample
from trueness.typing import Array, Bools, Ints, Stratified

MIN_REPLICATES_TO_SEE_STRATA = 10  # fewer unstratified replicates may keep the class sizes by chance

Pairs = Sequence[tuple[object, object]]
"""(train, test) of each split: indexes of cases, or masks."""


def design_of_splits(
    pairs: Pairs, sample: Sample, plan: object, seed: np.random.SeedSequence, param: str = "plan"
) -> Design:
    """The design of these splits: pairs of indexes of cases, or of masks. Errors name `param`.

    Splits that test each case once per pass, and train on all others, are a cross-validation of folds. One split is a
    holdout, training sets of n cases drawn with replacement are a bootstrap, and everything else is a cross-validation
    by its counts.
    """
    counts, tests = _tables(pairs, sample.n, param)
    _check_groups(counts, tests, sample, param)
    unused = (counts == 0) & ~tests
    kind = _kind(counts, tests)
    made = Design(
        kind=kind,
        plan=plan,
        sample=sample,
        stratified=kept_class_sizes(counts, sample, kind),
        stored=counts,
        unused=unused if unused.any() else None,
        seed=seed,
    )
    if kind != "cv":
        return made
    passes = passes_of(tests)
    made = replace(made, repeat=passes, notes=_never_tested(made.never_tested))
    folds = None if passes is None or made.unused is not None or counts.max() > 1 else _folds(tests, passes)
    return made if folds is None else replace(made, folds=folds, stored=None, repeat=None)


def _tables(pairs: Pairs, n: int, param: str) -> tuple[Array, Bools]:
    """(F, n) how often each case trains, and whether it tests; one clear error per mistake."""
    if not len(pairs):
        raise InputError("There are no splits", param=param)
    rows, tests = [], np.zeros((len(pairs), n), dtype=bool)
    for f, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(
                "Every split must be a pair (train, test) of index arrays", param=param, got=f"split {f}: {pair!r}"
            )
        parts = zip(pair, ("train", "test"), strict=True)
        train, test = (_indexes(part, n, f"The {name} part of split {f}", param) for part, name in parts)
        count, tested = np.bincount(train, minlength=n), np.bincount(test, minlength=n)
        if (both := np.flatnonzero((count > 0) & (tested > 0))).size:
            raise InputError(
                f"Split {f} tests cases that it trains on",
                param=param,
                got=f"{counted(both.size, 'case')} in both parts, e.g. case {both[0]}",
            )
        if tested.max() > 1:
            raise InputError(f"Split {f} tests a case twice", param=param, got=f"case {tested.argmax()}")
        tests[f] = tested > 0
        rows.append(count.astype(np.uint8 if count.max() <= 255 else np.uint32))
    return np.stack(rows), tests


def _indexes(part: object, n: int, what: str, param: str) -> Ints:
    found = array_of(part)
    if found.dtype == bool and found.shape == (n,):
        found = np.flatnonzero(found)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        got = f"an array of {found.dtype} with shape {found.shape}"
        raise InputError(f"{what} must hold the positions of its cases", param=param, got=got)
    if not found.size:
        raise InputError(f"{what} is empty", param=param)
    if found.min() < 0 or found.max() >= n:
        wrong = int(found.min() if found.min() < 0 else found.max())
        raise InputError(f"{what} names a case that does not exist", param=param, got=f"{wrong} for {n} cases")
    return found.astype(np.intp)


def _check_groups(counts: Array, tests: Bools, sample: Sample, param: str) -> None:
    if sample.groups is None:
        return
    for f, (count, tested) in enumerate(zip(counts, tests, strict=True)):
        both = np.intersect1d(sample.groups[count > 0], sample.groups[tested])
        if both.size:
            raise InputError(
                f"Split {f} has {counted(both.size, 'group')} on both sides",
                param=param,
                fix=(
                    "Use a splitter that keeps groups together, e.g. StratifiedGroupKFold, or leave {groups=} "
                    "out if cases are independent"
                ),
            )


def require_all_tested(design: Design) -> None:
    """An error where splits that were given one by one never test some cases: a list does not say whether that is
    meant. A splitter such as `TimeSeriesSplit` says so itself, and gets a note instead."""
    never = design.never_tested
    if design.kind == "cv" and never.any():
        raise InputError(
            f"{counted(int(never.sum()), 'case is', 'cases are')} never tested by these splits",
            param="plan",
            got=f"{'case' if never.sum() == 1 else 'cases'} {listed(np.flatnonzero(never), str)}",
            fix="Add splits that test these cases, or leave the cases out of X, y and the splits. If they are meant to "
            "train only, pass a splitter (an object with a method split) instead of its splits",
        )


def _kind(counts: Array, tests: Bools) -> Kind:
    if len(counts) == 1:
        return "holdout"
    drawn = counts.max() > 1 and (counts.sum(axis=1) == counts.shape[1]).all()
    left_out = bool((tests == (counts == 0)).all())
    return "bootstrap" if drawn and left_out and len(counts) >= MIN_REPLICATES_TO_SEE_STRATA else "cv"


def passes_of(tests: Bools) -> Ints | None:
    """(F,) the pass over the cases that each split belongs to; None where they are not passes, as random splits.

    A pass tests every case once. One incomplete pass (each case at most once, as in `TimeSeriesSplit`) is a pass too.
    """
    times = tests.sum(axis=0)
    if times.max() <= 1:
        return np.zeros(len(tests), dtype=np.intp)
    passes, seen, current = [], np.zeros(tests.shape[1], dtype=bool), 0
    for row in tests:
        if (seen & row).any():
            return None
        seen |= row
        passes.append(current)
        if seen.all():
            seen, current = np.zeros_like(seen), current + 1
    return None if seen.any() else np.array(passes, dtype=np.intp)


def _folds(tests: Bools, passes: Ints) -> Array | None:
    """(R, n) the fold of each case where every pass tests all cases and has the same number of folds, else None."""
    sizes = np.bincount(passes)
    if len(set(sizes.tolist())) > 1 or (tests.sum(axis=0) != len(sizes)).any():
        return None
    return np.asarray(tests.reshape(len(sizes), sizes[0], -1).argmax(axis=1), dtype=np.int32)


def _never_tested(never: Bools) -> tuple[Note, ...]:
    if not never.any():
        return ()
    count = counted(int(never.sum()), "case is", "cases are")
    message = f"{count} never tested by these splits; cross-validated estimates are about the other cases."
    return (Note("cases-skipped", message, skipped=int(never.sum())),)


def kept_class_sizes(counts: Array, sample: Sample, kind: str, given: Stratified | None = None) -> bool:
    """Whether each class kept its number of units (cases, or groups) in every draw."""
    if given is not None and not isinstance(given, (bool, np.bool_)) and not is_one_of(given, ("fixed",)):
        raise InputError('stratified must be True, False, "fixed" or None', param="stratified", got=repr(given))
    if sample.numbers is not None:
        return False
    first = np.arange(sample.n) if sample.groups is None else np.unique(sample.groups, return_index=True)[1]
    mixed = not sample.groups_are_pure
    if given and mixed:
        raise InputError(
            "Groups with cases of several classes cannot be stratified",
            param="stratified",
            fix="Pass {stratified=False}",
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
            fix="Pass {stratified=True} or {stratified=False}",
        )
    return True
