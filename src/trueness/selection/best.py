"""best_of: the performance of the best of several models, corrected for having chosen it on the same cases (BBC-CV)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from trueness.api.assessment import Assessment
from trueness.api.compare import naming
from trueness.checks import check_level, check_whole
from trueness.errors import InputError, UndefinedError
from trueness.estimators.estimation import bind, check_paired, check_undefined, estimate
from trueness.estimators.method import Undefined
from trueness.estimators.replicates import replicate_values
from trueness.figures.figure import Figure, forest
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss, Metric
from trueness.metrics.moments import MomentMeasure
from trueness.metrics.scorer import MetricLike
from trueness.plans.bootstrap import Bootstrap
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Result, Table
from trueness.result.words import Named, shown, spoken
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.rows import Block
from trueness.selection.hard_cases import fits_of
from trueness.typing import Floats, Ints, Record, Rng, Stratified

OPTIMISTIC = Note("best-of-many")
GIVEN_PREDICTIONS = Note("given-predictions")


@dataclass(frozen=True, eq=False, repr=False)
class BestOf(Result, Drawn, Cited):
    """What `trueness.selection.best_of` returns.

    Attributes
    ----------
    chosen : str
        The best model on all cases: the one to use.
    naive : Estimate
        Its cross-validated value, which is optimistic.
    corrected : Estimate
        The bias-corrected value of "choose the best of these".
    nested : Estimate or None
        Of the whole search as one model, where it was given.
    models : mapping of str to float
        Cross-validated value of every model.
    shares : mapping of str to float
        Share of the resamples in which each model was the best.
    level : float
        Level of the intervals.
    """

    chosen: str
    naive: Estimate
    corrected: Estimate
    nested: Estimate | None
    models: Mapping[str, float]
    shares: Mapping[str, float]
    level: float = 0.95

    @property
    def optimism(self) -> float:
        """How much better the naive value looks; positive where it is too good."""
        gap = self.corrected.value - self.naive.value
        return -gap if self.corrected.provenance["higher_is_better"] else gap

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The naive, corrected and nested estimate, by name."""
        found = {"naive": self.naive, "corrected": self.corrected, "nested": self.nested}
        return {name: e for name, e in found.items() if e is not None}

    def _named(self) -> list[tuple[str, Estimate]]:
        return [(f"{e.metric}.{name}", e) for name, e in self.estimates.items()]

    def figure(self) -> Figure:
        """The corrected value, that of the nested search, and the naive one (hollow)."""
        dots = [
            e.dot(name, self.level, "hollow" if e is self.naive else "mark", self.corrected.se)
            for name, e in self.estimates.items()
        ]
        axis = f"{spoken(self.corrected.metric)}, {100 * self.level:g} % interval"
        return forest(dots, "Best of several models", axis)

    columns: ClassVar[Columns] = {
        "which": Column("estimate"),
        "method": Column("method"),
        "value": Column("value", "estimate"),
    }
    heading = "Best of several models, {corrected.metric}"
    template = (
        "{chosen} comes first. Choosing the best: {corrected.metric:words} {corrected:ci}; its own cross-validated value: "
        "{naive:value}."
    )
    footnote = "About {corrected.estimand}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Those of the estimates."""
        return tuple(dict.fromkeys(note for e in self.estimates.values() for note in e.notes))

    def rows(self) -> list[Record]:
        """One row per estimate."""
        return [{"which": name, "method": e.method, "value": e} for name, e in self.estimates.items()]

    def _tables(self) -> tuple[Table, ...]:
        models = [(name, shown(v, self.corrected.se), f"{self.shares[name]:.1%}") for name, v in self.models.items()]
        return (*super()._tables(), Table(("model", "cross-validated", "best in resamples"), models, "Models"))


def best_of(
    fits: Mapping[str, Fits | Assessment],
    metric: MetricLike | None = None,
    *,
    nested: Fits | Assessment | None = None,
    n_resamples: int = 1000,
    level: float = 0.95,
    rng: Rng = None,
    undefined: Undefined = "failed",
) -> BestOf:
    """The best of several models or settings, with an estimate that is corrected for the choice (BBC-CV).

    The best of many cross-validated values is optimistic. Here the choice is repeated: the cases, each with its
    held-out predictions by all models, are drawn with replacement; the best model on the drawn cases is tested on the
    others. No model is fitted again. This is the leave-one-out bootstrap of the rule "take the best of these", so its
    value and standard error are those of `loob` (losses) and `lpob` (AUC).

    Parameters
    ----------
    fits : mapping of str to Fits or Assessment
        By name, on one design of cross-validation in which every case is tested once per repeat (`KFold`,
        `LeaveOneOut`, or the default plan, of which the cross-validation is used).
    metric : str, callable or Metric, optional
        By default "error", of regressors "mse".
        By which the best is chosen and then judged.
    nested : Fits or Assessment, optional
        Of the whole search as one model (e.g. `GridSearchCV`) on the same design, to be shown beside.
    n_resamples : int, default 1000
        Bootstrap draws of the cases.
    level : float, default 0.95
        Level of the intervals.
    rng : int, SeedSequence, Generator or None, optional
        Seed of the draws.
    undefined : {"failed", "skip", "raise"}, default "failed"
        What is done where a fit failed. "failed" and "skip": the repeats in which a fit of some model failed are left
        out for all models, with a note. "raise": an error.

    Returns
    -------
    BestOf

    Raises
    ------
    InputError
        Where there are fewer than two models, or they do not share a design.
    UndefinedError
        Where the splits do not test every case once per repeat, or a fit failed in each of them.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis (2018), Machine Learning 107: BBC-CV.

    Examples
    --------
    Pure noise; the best of 12 settings seems to do better than chance:

    >>> import trueness, numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 5)), np.arange(60) % 2
    >>> design = trueness.KFold(5).draw(y, rng=0)
    >>> fits = {f"k={k}": trueness.fit(KNeighborsClassifier(k), X, y, design) for k in range(3, 26, 2)}
    >>> b = trueness.selection.best_of(fits, "error", rng=0)
    >>> b.naive.value < b.corrected.value
    True
    """
    check_level(level)
    check_undefined(undefined)
    check_whole("n_resamples", n_resamples, 100)
    if not isinstance(fits, Mapping) or len(fits) < 2:
        raise InputError("fits must hold two or more models by name", param="fits", got=type(fits).__name__)
    asked = [fits_of(given, f"fits[{name!r}]").part({"cv"}) for name, given in fits.items()]
    asked += [] if nested is None else [fits_of(nested, "nested").part({"cv"})]
    for name, other in zip((*fits, "nested"), asked, strict=False):
        with naming(name, InputError, "fits"):
            check_paired(asked[0], other)
    whole, left_out = _whole_repeats(asked, undefined)
    found, first = dict(zip(fits, whole, strict=False)), whole[0]
    metric = {"classification": "error", "regression": "mse"}[first.sample.kind] if metric is None else metric
    for name, f in reversed(found.items()):
        with naming(name, InputError):
            bound = bind(f, metric)
    if bound.higher_is_better is None:
        raise InputError(f"It is not known whether a higher {bound.name} is better", param="metric")
    read = [f.with_probabilities() if bound.needs == "probabilities" else f for f in found.values()]
    blocks = list[Block]()
    for f in read:
        pooled = f.pooled() if f.design.kind == "cv" else None
        if pooled is None:
            problem = "best_of needs a cross-validation in which every case is tested once per repeat"
            got, fix = f"{f.design.plan}, failed fits: {len(f.failed)}", "Use one design of KFold(10, repeats=10)"
            raise UndefinedError(problem, param="fits", got=got, fix=fix)
        blocks.append(pooled)
    sign = 1.0 if bound.higher_is_better else -1.0
    ones = np.ones((1, first.sample.n))
    values = dict(zip(found, (float(v[0]) for v in metric_values(blocks, bound, ones)), strict=True))
    chosen = max(values, key=lambda name: -math.inf if math.isnan(values[name]) else sign * values[name])
    naive = estimate(found[chosen], metric, "cv_pooled")  # of the first of equal ones
    fixed: Stratified = "fixed" if first.design.fixed_sizes else first.design.stratified
    design = Bootstrap(n_resamples, stratified=fixed).draw(first.sample, rng=rng)
    picks = best_in_each(blocks, bound, design)
    corrected = _corrected(read[0], blocks, picks, design, bound)
    return BestOf(
        chosen=chosen,
        naive=naive.with_(se=None, influence=None, se_method=None, notes=(OPTIMISTIC,)),
        corrected=corrected.noting(left_out),
        nested=None if nested is None else estimate(whole[-1], metric, "cv_pooled").with_(method="nested"),
        models=values,
        shares=dict(zip(values, (np.bincount(picks, minlength=len(values)) / len(picks)).tolist(), strict=True)),
        level=level,
    )


def metric_values(blocks: list[Block], metric: Metric, weights: Floats) -> Floats:
    """(M, b) the metric of every model on its held-out predictions, for each row of case weights; mean over repeats."""
    b, counts = len(weights), (weights == 0).astype(np.uint8)

    def rows(values: Any, r: int) -> Any:
        """Those of repeat r, once per row of weights."""
        return None if values is None else np.broadcast_to(values[r], (b, *values.shape[1:]))

    out = []
    for block in blocks:
        each = (
            Block(
                block.codes,
                counts,
                rows(block.scores, r),
                rows(block.predictions, r),
                np.arange(b),
                block.numbers,
                block.apart,
            )
            for r in range(len(block.fits))
        )
        out.append(np.mean([metric.rows(repeat, weights) for repeat in each], axis=0))
    return np.array(out)


def best_in_each(blocks: list[Block], metric: Metric, design: Design) -> Ints:
    """(B,) the best model on the cases of each resample, counted as often as they were drawn."""
    sign = 1.0 if metric.higher_is_better else -1.0
    picks = []
    for rows in design.slices():
        values = sign * metric_values(blocks, metric, design.rows(rows).astype(float))
        picks.append(np.where(np.isnan(values), -np.inf, values).argmax(axis=0))
    return np.concatenate(picks)


def _corrected(like: Fits, blocks: list[Block], picks: Ints, design: Design, metric: Metric) -> Estimate:
    """LOOB or LPOB of the rules "the model that was best on the resample"; resample b reads repeat b mod R."""
    repeat = np.arange(len(picks)) % len(blocks[0].fits)
    held, predictions = (
        None if any(part is None for part in parts) else np.stack(parts)[picks, repeat]  # type: ignore[arg-type]
        for parts in ([b.scores for b in blocks], [b.predictions for b in blocks])
    )
    chosen = replace(
        like,
        design=design,
        held=held,
        held_predictions=predictions,
        full_scores=None,
        full_predictions=None,
        failed=(),
        notes=(),
    )
    method = "loob" if isinstance(metric, CaseLoss | MomentMeasure) else "lpob" if isinstance(metric, AUC) else "star"
    e = estimate(chosen, metric, method, undefined="skip")
    return e.with_(
        method=Named("bbc-cv", "the bootstrap of the choice (BBC-CV)", "tsamardinos_2018"),
        estimand=f"choosing the best of {len(blocks)} models trained on the training sets of this cross-validation",
        replicates=replicate_values(chosen, metric, "left out"),
        provenance={"resamples": len(picks), "estimator": method, "higher_is_better": bool(metric.higher_is_better)},
    ).noting(None if e.se is None else GIVEN_PREDICTIONS)


def _whole_repeats(models: list[Fits], undefined: Undefined) -> tuple[list[Fits], Note | None]:
    """All models in the repeats in which no fit failed, and a note on the others."""
    design, failed = models[0].design, sorted({failure.fit for fits in models for failure in fits.failed})
    if not failed or undefined == "raise" or design.folds is None:
        return models, None
    folds, keep = design.folds, np.setdiff1d(np.arange(len(design.folds)), design.repeats[failed])
    if len(keep) == 0:
        return models, None
    out, left_out = [], len(folds) - len(keep)
    for fits in models:
        held, predictions = (None if t is None else t[:][keep] for t in (fits.held, fits.held_predictions))
        smaller = replace(fits.design, folds=folds[keep])
        out.append(replace(fits, design=smaller, held=held, held_predictions=predictions, failed=()))
    return out, Note("failed-repeats", repeats=left_out, of=len(folds), fits=len(failed))
