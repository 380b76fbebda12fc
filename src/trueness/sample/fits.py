"""Fits: the scores of every trained rule on the cases, which is all that an estimator needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit

from trueness.errors import InputError, UndefinedError
from trueness.result.notes import Note
from trueness.result.shown import Page, Shown
from trueness.sample.design import BLOCK_CELLS, Design
from trueness.sample.labels import Task
from trueness.sample.left_out import decided_at, left_out
from trueness.sample.rows import Block, MappedRows, Rows
from trueness.sample.sample import Sample
from trueness.sample.scored import Scale, Scored
from trueness.typing import Array, Bools, Features, Floats, Ints, Label, Labels, Stratified

T = TypeVar("T")

MAKES_FITS = "trueness.assess, trueness.fit or Fits.from_arrays, which make the fits"


@dataclass(frozen=True)
class Failure:
    """A fit that failed, or gave a warning."""

    fit: int  # index of the training set
    error: str  # message of the model's library


class Assessed:
    """A result that holds the fits behind it: an assessment, as curves and probabilities read it."""

    fits: Fits | None
    name: str
    provenance: Mapping[str, Any]


def check_fits(fits: object, param: str = "fits") -> None:
    """An error for anything but Fits."""
    if not isinstance(fits, Fits):
        raise InputError(
            f"{param} must be Fits",
            param=param,
            got=type(fits).__name__,
            fix="Pass trueness.fit(...), or the attribute fits of an assessment",
        )


@dataclass(frozen=True, eq=False)
class Source:
    """What `compare` made fits of."""

    X: Features  # the features; None in a copy that was pickled
    found: tuple[Note, ...]  # by the checks of the data
    provenance: Mapping[str, Any]  # hash of the data, times, checks

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "X": None}


@dataclass(frozen=True, eq=False, repr=False)
class Fits(Shown):
    """Scores and predictions of the rules of a design, and of the rule trained on all cases.

    Read them through `blocks()`, `tests()`, `pooled()` and `full()`.

    Attributes
    ----------
    design : Design
        The training sets.
    held, held_predictions : Rows or None
        The storage: (F, n) for a design of counts; (R, n) for one of folds, where row r holds for each case the score
        by the rule of repeat r that was not trained on it.
    full_scores, full_predictions : ndarray of shape (n,) or None
        Of the rule trained on all cases.
    threshold : float or None
        A case is predicted positive where score ≥ threshold; used where there are no predictions.
    probabilities : bool
        Whether scores are probabilities.
    log_odds : bool
        Whether scores are log-odds of the positive class, so that probabilities follow from them.
    failed : tuple of Failure
        Training sets on which the model could not be fitted.
    warned : tuple of Failure
        Training sets on which the model's library gave a warning, with the first of them.
    one_by_one : tuple of int
        Training sets that an engine left to the model itself.
    engine : str
        How the rules were fitted; "generic" is one by one.
    notes : tuple of Note
        What the reader of any estimate from these fits should know.
    parts : tuple of Fits
        Of a design that joins several (e.g. "cv+bootstrap") the fits of each, else empty.
    name : str
        What the user calls the model, or its class; "" where that is not known.
    model : str
        The model in words: its class and the parameters that differ from their defaults; "" where that is not known.
    libraries : mapping of str to str
        Versions of the packages that the model's classes come from, besides scikit-learn.
    source : Source or None
        Of `compare`: the features, by reference, and what was found in the data.
    """

    design: Design
    held: Rows | None = field(default=None, repr=False)
    held_predictions: Rows | None = field(default=None, repr=False)
    full_scores: Floats | None = field(default=None, repr=False)
    full_predictions: Array | None = field(default=None, repr=False)
    threshold: float | None = None
    probabilities: bool = False
    log_odds: bool = False
    failed: tuple[Failure, ...] = ()
    warned: tuple[Failure, ...] = ()
    one_by_one: tuple[int, ...] = ()
    engine: str = "arrays"
    notes: tuple[Note, ...] = ()
    parts: tuple[Fits, ...] = ()
    name: str = ""
    model: str = ""
    libraries: Mapping[str, str] = field(default_factory=dict)
    source: Source | None = field(default=None, repr=False)
    _cache: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def page(self, level: float | None = None) -> Page:
        """What they hold."""
        return Page(repr(self), notes=self.notes)

    @staticmethod
    def from_arrays(
        y: Labels,
        counts: npt.ArrayLike | None,
        scores: npt.ArrayLike | None,
        full_scores: npt.ArrayLike | None = None,
        threshold: float | None = None,
        predictions: npt.ArrayLike | None = None,
        full_predictions: npt.ArrayLike | None = None,
        positive: Label | None = None,
        classes: Labels | None = None,
        plan: str | None = None,
        repeat: npt.ArrayLike | None = None,
        groups: Labels | None = None,
        stratified: Stratified | None = None,
        *,
        kind: Task = "classification",
    ) -> Fits:
        """Fits from the arrays of another training system.

        Parameters
        ----------
        y : array-like of shape (n,)
            Labels.
        counts : array-like of shape (F, n), or None
            How often case i entered training set f. None, or a row of zeros, is a separate test set.
        scores : array-like of shape (F, n) or (F, n, C), or None
            Score of rule f on case i, high for the positive class, or one score per class in the order of `classes`; of a
            test set also (n,) or (n, C). NaN means "not scored". None where there are only predictions.
        full_scores, full_predictions : array-like of shape (n,), optional
            Of the rule trained on all cases: for the apparent, refined, .632 and .632+ estimates.
        threshold : float, optional
            A case is predicted positive where score ≥ threshold; not needed with `predictions`.
        predictions : array-like of shape (F, n), optional
            Predicted labels. Without them each case of several classes is predicted to be of the class with the largest
            score.
        positive : label, optional
            The positive class; may be left out for labels 0/1, −1/1, no/yes and booleans.
        classes : sequence of labels, optional
            All classes, in the order of the scores; sorted by default.
        plan : {"bootstrap", "cv", "holdout"}, optional
            How the training sets were drawn; inferred from the counts where that is safe.
        repeat : array-like of shape (F,), optional
            Repeat that each fit of a repeated cross-validation belongs to.
        groups : array-like of shape (n,), optional
            Group of each case.
        stratified : bool or "fixed", optional
            Whether classes kept their sizes in the draws; inferred from the counts where that is safe. "fixed" where
            the study fixed them, so that they do not vary from sample to sample.
        kind : {"classification", "regression"}, default "classification"
            "regression" where y holds numbers and `scores` are the predicted numbers.

        Returns
        -------
        Fits

        Raises
        ------
        InputError
            Where arrays do not fit together; `error.param` names the parameter at fault.

        Examples
        --------
        >>> import trueness
        >>> test = trueness.Fits.from_arrays([0, 0, 1, 1, 1], [[0] * 5], [[0.1, 0.4, 0.3, 0.8, 0.9]], threshold=0.5)
        >>> print(trueness.estimate(test, "auc", "holdout"))
        auc holdout: 0.83 ± 0.24

        Probabilities of several classes, on a test set:

        >>> p = [[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.4, 0.5, 0.1], [0.1, 0.8, 0.1], [0.1, 0.2, 0.7], [0.2, 0.5, 0.3]]
        >>> test = trueness.Fits.from_arrays(["a", "a", "b", "b", "c", "c"], None, p, classes=["a", "b", "c"])
        >>> print(trueness.estimate(test, "error", "holdout"))
        error holdout: 0.17 ± 0.15
        """
        from trueness.sample.arrays import fits_from_arrays

        return fits_from_arrays(
            y,
            counts,
            scores,
            full_scores=full_scores,
            threshold=threshold,
            predictions=predictions,
            full_predictions=full_predictions,
            positive=positive,
            classes=classes,
            plan=plan,
            repeat=repeat,
            groups=groups,
            stratified=stratified,
            kind=kind,
        )

    @staticmethod
    def from_cv_results(
        cv_results: Mapping[str, Any],
        X: Features,
        y: Labels,
        positive: Label | None = None,
        groups: Labels | None = None,
        scores: Literal["auto", "decision_function", "predict_proba"] = "auto",
    ) -> Fits:
        """Fits from scikit-learn's `cross_validate(..., return_estimator=True, return_indices=True)`.

        The fitted estimators score the cases; nothing is fitted again. Numbers are those of `trueness.fit` on the same
        splits, to the last bit where the splits list training cases in order (those of `ShuffleSplit` are permuted,
        which changes rounding). There is no rule trained on all cases, so there is no apparent estimate.

        Parameters
        ----------
        cv_results : dict
            What `cross_validate` returned.
        X, y : array-like
            The features and labels that `cross_validate` was called with.
        positive : label, optional
            The positive class; needed for an AUC unless labels are 0/1, −1/1, no/yes or booleans.
        groups : array-like of shape (n,), optional
            Group of each case.
        scores : {"auto", "decision_function", "predict_proba"}, default "auto"
            Method of the estimators that gives scores, as in `trueness.fit`.

        Returns
        -------
        Fits

        Raises
        ------
        InputError
            Where estimators or indices are missing, or do not belong to X and y.

        Examples
        --------
        >>> import trueness
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> r = cross_validate(GaussianNB(), X, y, cv=5, return_estimator=True, return_indices=True)
        >>> print(trueness.estimate(trueness.Fits.from_cv_results(r, X, y), "error", "cv"))
        error cv: 0.061 ± 0.010
        """
        from trueness.sample.arrays import fits_from_cv_results

        return fits_from_cv_results(cv_results, X, y, positive=positive, groups=groups, scores=scores)

    @staticmethod
    def from_frame(
        frame: pd.DataFrame,
        case: str,
        truth: str,
        score: str | Sequence[str] | Mapping[Label, str] | None = None,
        prediction: str | None = None,
        fold: str | None = None,
        repeat: str | None = None,
        group: str | None = None,
        positive: Label | None = None,
        threshold: float | None = None,
        *,
        kind: Task = "classification",
    ) -> Fits:
        """Fits from a table with one row per prediction, as caret, mlr3, tidymodels and others export it.

        Without `fold` and `repeat` the table is a test set. With them every row is a held-out case of a
        cross-validation, and each training set is assumed to hold all cases that it does not test.

        Parameters
        ----------
        frame : DataFrame
            pandas or polars; the rows of one model.
        case, truth : str
            Columns of the identifier of the case (caret: rowIndex, mlr3: row_ids, tidymodels: .row) and of its label.
        score : str, sequence of str or mapping of label to str, optional
            Column of the score of the positive class; or one column per class, as {label: column} or as a list of
            columns whose names are the labels or end in "." or "_" and the label (prob.yes, .pred_yes).
        prediction : str, optional
            Column of the predicted label. Without it each case of several classes is predicted to be of the class with the
            largest score.
        fold : str, optional
            Column of the fold or split (caret: Resample, mlr3: iteration, tidymodels: id2, or id without repeats).
        repeat : str, optional
            Column of the repeat (tidymodels: id). Not needed where the values of `fold` differ between repeats.
        group : str, optional
            Column of the group of the case (patient, site).
        positive : label, optional
            The positive class; needed for an AUC unless labels are 0/1, −1/1, no/yes or booleans.
        threshold : float, optional
            A case is predicted positive where score ≥ threshold; not needed with `prediction`.
        kind : {"classification", "regression"}, default "classification"
            "regression" where `truth` holds numbers and `score` the predicted numbers.

        Returns
        -------
        Fits

        Raises
        ------
        InputError
            Where rows repeat a case within a fold, contradict each other, or columns are missing; `error.param` names
            the parameter.

        Examples
        --------
        >>> import trueness, pandas as pd
        >>> frame = pd.DataFrame({"rowIndex": [1, 2, 3, 4, 5, 6], "obs": list("yynnny"), "Resample": list("112221"),
        ...                       "pred": list("ynnnyy"), "y": [0.9, 0.4, 0.2, 0.3, 0.6, 0.8]})
        >>> fits = trueness.Fits.from_frame(frame, case="rowIndex", truth="obs", score="y", prediction="pred",
        ...                              fold="Resample", positive="y")
        >>> print(trueness.estimate(fits, "error", "cv"))
        error cv: 0.33 ± 0.19
        """
        from trueness.sample.frame import fits_from_frame

        return fits_from_frame(
            frame,
            case=case,
            truth=truth,
            score=score,
            prediction=prediction,
            fold=fold,
            repeat=repeat,
            group=group,
            positive=positive,
            threshold=threshold,
            kind=kind,
        )

    def __repr__(self) -> str:
        return f"<Fits by the {self.engine} engine, {len(self.failed)} failed, of {self.design!r}>"

    def __getstate__(self) -> dict[str, object]:
        """Without the cache, which holds functions that cannot be pickled."""
        return {**vars(self), "_cache": {}}

    @classmethod
    def joined(cls, design: Design, parts: tuple[Fits, ...]) -> Fits:
        """The fits of a design that joins several; all parts have the full fit of the first."""
        first = parts[0]
        scores, predictions = first.full_scores, first.full_predictions
        parts = tuple(replace(part, full_scores=scores, full_predictions=predictions) for part in parts)
        before, failed = 0, []
        for part in parts:
            failed += [Failure(before + f.fit, f.error) for f in part.failed]
            before += part.n_fits
        return cls(
            design=design,
            full_scores=scores,
            full_predictions=predictions,
            threshold=first.threshold,
            probabilities=first.probabilities,
            log_odds=first.log_odds,
            failed=tuple(failed),
            engine=first.engine,
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
            parts=parts,
        )

    @property
    def first(self) -> Fits:
        """The first part, or these fits where they have none."""
        return self.parts[0] if self.parts else self

    def part(self, kinds: Collection[str]) -> Fits:
        """These fits, or the part of them whose design is of one of these kinds."""
        if self.design.kind in kinds:
            return self
        return next((part for part in self.parts if part.design.kind in kinds), self)

    def with_probabilities(self) -> Fits:
        """The same with the probabilities that log-odds stand for; fits with other scores are returned as they are."""
        return self.cached("probabilities", self._with_probabilities) if self.log_odds else self

    def _with_probabilities(self) -> Fits:
        return replace(
            self,
            held=None if self.held is None else MappedRows(self.held, expit),
            full_scores=None if self.full_scores is None else expit(self.full_scores),
            probabilities=True,
            log_odds=False,
            parts=tuple(part.with_probabilities() for part in self.parts),
        )

    def cached(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What `compute` returns, computed once per key and kept as long as these fits are.

        For sums per case and per pair that several estimators share. The key names the quantity and what it depends on,
        e.g. ("case means", metric.key). A copy made by `dataclasses.replace` starts with an empty cache.
        """
        if key not in self._cache:
            self._cache[key] = compute()
        value: T = self._cache[key]
        return value

    def latest(self, name: str, key: Hashable, compute: Callable[[], T]) -> T:
        """As `cached`, for what is large: of each name that of the latest key alone is kept."""
        known, value = self._cache.get(name, (None, None))
        if known != key:
            value = compute()
            self._cache[name] = key, value
        found: T = value
        return found

    @property
    def sample(self) -> Sample:
        """The cases."""
        return self.design.sample

    @property
    def n_fits(self) -> int:
        """Number of training sets, F."""
        return self.design.n_fits

    @cached_property
    def kept(self) -> Bools:
        """(F,) True where the fit did not fail."""
        kept = np.ones(self.n_fits, dtype=bool)
        for failure in self.failed:
            kept[failure.fit] = False
        return kept

    @property
    def counts(self) -> Ints:
        """(F, n) in one array."""
        return self.design.counts

    @property
    def scores(self) -> Floats | None:
        """(F, n) or (F, n, C) in one array; NaN where a rule did not score a case."""
        if self.held is None:
            return None
        if self.design.folds is None:
            return self.held[0 : self.n_fits]
        parts = [b.scores for b in self.blocks(keep=np.ones(self.n_fits, dtype=bool)) if b.scores is not None]
        return np.concatenate(parts)

    # -- reading -------------------------------------------------------------------------------

    def blocks(self, keep: Bools | None = None) -> Iterator[Block]:
        """Rules in blocks, so that not all scores need to be in memory.

        Parameters
        ----------
        keep : ndarray of shape (F,), optional
            Which fits to read; by default all that did not fail.

        Yields
        ------
        Block
        """
        keep = self.kept if keep is None else keep
        scores_per_case = 1 if self.sample.n_classes <= 2 else self.sample.n_classes
        for rows in self.design.slices(BLOCK_CELLS // scores_per_case):
            some = np.trim_zeros(keep[rows], "b")
            if len(some):
                yield self._block(slice(rows.start, rows.start + len(some)), some)

    def _block(self, rows: slice, keep: Bools) -> Block:
        some = slice(None) if keep.all() else keep  # a slice copies nothing
        fits, counts = np.arange(rows.start, rows.stop)[some], self.design.rows(rows)[some]
        if self.design.folds is not None:
            block = self._read(slice(0, len(self.design.folds)), fits // self.design.n_folds, counts, fits)
            for values, missing in ((block.scores, np.nan), (block.predictions, -1)):
                if values is not None:
                    values[counts > 0] = missing
            return block
        if self.design.unused is not None:  # a count of 0 means "tested" to those who read blocks
            counts = np.maximum(counts, self.design.unused[rows][some])
        return self._read(rows, some, counts, fits)

    def _read(self, rows: slice, index: Any, counts: Array, fits: Ints, cases: Ints | slice = slice(None)) -> Block:
        """What the tables hold at an index of some rows, for these cases."""
        scores, predictions = (None if t is None else t[rows][index] for t in (self.held, self.held_predictions))
        numbers = None if self.sample.numbers is None else self.sample.numbers[cases]
        decided = self._decide(scores, predictions)
        return Block(self.sample.codes[cases], counts, scores, decided, fits, numbers, self._apart(cases))

    def _apart(self, cases: Ints | slice = slice(None)) -> Ints | None:
        """Groups that hold several classes: a new case comes from a new group, so an AUC of resampled rules compares cases
        of different groups. A test set is what it is, and a fold of one group has pairs within it only."""
        groups = self.sample.groups
        if (
            groups is None
            or self.sample.groups_are_pure
            or self.design.kind == "holdout"
            or self.design.one_group_a_fold
        ):
            return None
        return groups[cases]

    def tests(self) -> Iterator[Block]:
        """One block per fit that did not fail, with the cases that its training set left out."""
        for f in np.flatnonzero(self.kept).tolist():
            cases = self.design.tested(f)
            row = f // self.design.n_folds if self.design.folds is not None else f
            counts = np.zeros((1, len(cases)), dtype=np.uint8)
            yield self._read(slice(row, row + 1), (slice(None), cases), counts, np.array([f]), cases)

    def means_left_out(self, of: Callable[[Block], Floats | None]) -> Floats:
        """(n,) the mean of values (b, n) over the rules that left each case out and have one; NaN where none has."""
        total, times = np.zeros(self.sample.n), np.zeros(self.sample.n)
        for block in self.blocks():
            values = of(block)
            assert values is not None
            out = block.left_out & ~np.isnan(values)
            total += np.where(out, values, 0.0).sum(axis=0)
            times += out.sum(axis=0)
        return np.where(times > 0, total / np.maximum(times, 1), np.nan)

    def pooled(self) -> Block | None:
        """(R, n): each case by the rule of the repeat that left it out; None where repeats are not partitions."""
        if self.failed or not self.design.partitioned:
            return None
        repeats = self.design.repeats()
        n_repeats = int(repeats.max()) + 1
        counts, fits = np.zeros((n_repeats, self.sample.n), dtype=np.uint8), np.arange(n_repeats)
        if self.design.folds is not None:
            return self._read(slice(0, n_repeats), slice(None), counts, fits)
        out = self.design.tests()
        order = [np.flatnonzero(repeats == r) for r in range(n_repeats)]
        judge = np.stack([rows[out[rows].argmax(axis=0)] for rows in order])  # (R, n) the fit that tests a case
        return self._read(slice(0, self.n_fits), (judge, np.arange(self.sample.n)), counts, fits)

    def left_out(self) -> Scored | None:
        """One score per case, by a rule that was not trained on it; None where there is none.

        Of a cross-validation by the first rule that left the case out, of a bootstrap the mean over all that did, of a
        test set its scores. Two classes only.
        """
        return left_out(self)

    def full(self) -> Block:
        """The rule trained on all cases, on all cases."""
        scores, predictions = (None if t is None else t[None] for t in (self.full_scores, self.full_predictions))
        if scores is None and predictions is None:
            raise UndefinedError(
                "This estimate needs the rule trained on all cases, and these Fits have none",
                param="full_scores",
                fix="Fits.from_arrays has full_scores= and full_predictions= for it",
            )
        counts = np.ones((1, self.sample.n), dtype=np.uint8)
        decided = self._decide(scores, predictions)
        return Block(self.sample.codes, counts, scores, decided, np.array([-1]), self.sample.numbers, self._apart())

    def require_positive(self) -> int:
        """Index of the positive class; an error where it is not known."""
        return self.sample.require_positive(MAKES_FITS)

    def at_threshold(self, threshold: float) -> Self:
        """The same rules with decisions by a threshold that was declared, not chosen on these cases.

        Parameters
        ----------
        threshold : float
            A case is predicted positive where its score is at least this: the probability of the positive class where the
            scores tell it, else the score itself.

        Returns
        -------
        Fits

        Raises
        ------
        InputError
            Where there are no scores of two classes, or the threshold is no probability.
        """
        return decided_at(self, threshold)

    @property
    def decisions(self) -> str:
        """How cases are predicted positive at a declared threshold, "probability ≥ 0.35"; "" where there is none."""
        if self.threshold is None:
            return ""
        if self.scale == "score":
            return f"score ≥ {self.threshold:.4g}"
        return f"probability ≥ {expit(self.threshold) if self.log_odds else self.threshold:.4g}"

    @property
    def scale(self) -> Scale:
        """What the scores are."""
        return "probability" if self.probabilities else "log-odds" if self.log_odds else "score"

    def _decide(self, scores: Floats | None, predictions: Array | None) -> Array | None:
        """Stored predictions, else score ≥ threshold."""
        if predictions is not None or self.threshold is None or scores is None or scores.ndim != 2:
            return predictions
        positive = self.require_positive()
        decided = np.where(scores >= self.threshold, positive, 1 - positive)
        return np.where(np.isnan(scores), -1, decided)
