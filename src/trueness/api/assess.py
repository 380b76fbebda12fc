"""assess: one model on one data set, by every estimator that its plan allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from trueness.api.assessment import assessment_of, recommended_estimates
from trueness.api.design import (
    Fitting,
    PlanLike,
    describe,
    design_of,
    metrics_of,
    refuse_with_fits,
    require_cases,
    sample_of,
)
from trueness.api.provenance import checked, made
from trueness.api.replicates import FitsOf, enough_replicates
from trueness.checks import check_flag, check_level, check_whole, refuses_foreign, unwarned
from trueness.errors import InputError, Interrupted
from trueness.estimators.influence.draws import check_tested
from trueness.fitting.progress import Progress, name_of
from trueness.leaks.check import findings_of
from trueness.leaks.findings import Findings
from trueness.metrics import Metric, MetricLike
from trueness.plans import Plan
from trueness.result import Assessment
from trueness.result.note import Note
from trueness.sample import Design, Fits, Sample
from trueness.typing import Classifier, Features, Label, Labels, Rng, Workers

DEFAULT_METRICS = ("error", "auc")
NO_PREDICTIONS = Note(
    "no-predictions",
    "These Fits have scores only, so that there is no error rate. Predictions, or a threshold, can be given where they "
    "are made.",
)


@refuses_foreign
def assess(
    model: Classifier | Fits,
    X: Features = None,
    y: Labels | None = None,
    plan: PlanLike | None = None,
    metrics: MetricLike | Iterable[MetricLike] | Mapping[str, MetricLike] = DEFAULT_METRICS,
    level: float = 0.95,
    positive: Label | None = None,
    groups: Labels | None = None,
    rng: Rng = None,
    n_jobs: Workers = None,
    progress: bool | None = None,
    engine: Literal["auto", "generic"] = "auto",
    store: str | Path | None = None,
    checks: bool = True,
    fit_seconds: float | None = None,
) -> Assessment:
    """Assess a classifier: how good it is, and how sure we can be.

    Parameters
    ----------
    model : estimator or Fits
        A scikit-learn classifier or Pipeline. Put imputation, scaling and selection inside it, so that they are fitted
        on every training set. Or Fits, e.g. of `Fits.from_cv_results` or `Fits.from_frame`, without X and y: nothing is
        fitted.
    X : array-like, DataFrame or sparse matrix of shape (n, p), or n texts
        Features.
    y : array-like of shape (n,)
        Labels.
    plan : Plan, Design, splitter, int, iterable of (train, test) or "prefit", optional
        How training sets are drawn. By default `CvBootstrap()`, about 200 fits: its recommended estimate is about the
        rule trained on all cases. Others: `KFold(10, repeats=10)`, `Bootstrap()` (as many replicates as are needed) or
        `Bootstrap(1000)`, `LeaveOneOut()`, `MonteCarlo(100)`, `Holdout(.3)`, `NestedKFold(10)`, or a Design. Also a
        number of folds, any scikit-learn splitter (a `random_state` of None is filled from `rng`), or pairs of index
        arrays (train, test). "prefit": the model is fitted, and X, y are a test set; nothing is fitted.
    metrics : sequence of str, callable or Metric, or mapping, default ("error", "auc")
        Names, scikit-learn scorer names, functions f(y, score) of the labels in y and the scores of the positive class,
        or `trueness.metrics` objects; a mapping gives them names. Scorers that are metrics of trueness ("roc_auc") have its
        standard errors.
    level : float, default 0.95
        Level of the intervals in the table.
    positive : label, optional
        The positive class; needed for an AUC unless labels are 0/1, −1/1 or booleans.
    groups : array-like of shape (n,), optional
        Group of each case (patient, site). A group is never on both sides of a split.
    rng : int, SeedSequence, Generator or None, default None
        The same seed gives the same numbers, for any `n_jobs`.
    n_jobs : int, dask Client or None, default None
        Number of parallel workers, or a cluster (results do not depend on it).
    progress : bool or None, default None
        Whether to show how far the run is and, where it takes more than half a minute, how long it will take; None
        shows it on a terminal and in a notebook.
    engine : {"auto", "generic"}, default "auto"
        As in `trueness.fit`.
    store : path, optional
        File that keeps the fits as they are done. The same call goes on where another one was killed, to the same bits;
        one with more replicates fits only the new ones. Without `rng` it has the seed of the file. A file of other data
        or another plan is refused.
    checks : bool, default True
        Whether to look for leaks in the data first (`trueness.check` in its fast mode); findings are among the notes.
    fit_seconds : float, optional
        Longest time of one fit in seconds; one that takes longer counts as failed. As in `trueness.fit`.

    Returns
    -------
    Assessment

    Notes
    -----
    Ctrl-C at a prompt or in a notebook gives the assessment of the replicates or repeats that are finished, with a note
    (`interrupted`) and without those that were not; `a.continue_()` goes on. In a program it ends the call as usual.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> a = trueness.assess(GaussianNB(), X, y, metrics=["error"], rng=1)
    >>> print(a["error"])
    error cv+training: ...

    A scikit-learn splitter, and a fitted model with its test set:

    >>> from sklearn.model_selection import StratifiedKFold
    >>> print(trueness.assess(GaussianNB(), X, y, plan=StratifiedKFold(5), metrics="error")["error"])
    error cv: 0.034 ± 0.014
    >>> fitted = GaussianNB().fit(X[::2], y[::2])
    >>> print(trueness.assess(fitted, X[1::2], y[1::2], plan="prefit", metrics="error")["error"])
    error holdout: 0.067 ± 0.027

    The result of `cross_validate`, without fitting again:

    >>> from sklearn.model_selection import cross_validate
    >>> results = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
    >>> print(trueness.assess(trueness.Fits.from_cv_results(results, X, y), metrics="error")["error"])
    error cv: 0.034 ± 0.014
    """
    begun = datetime.now(UTC)
    check_level(level)
    check_flag("checks", checks)
    if isinstance(model, Fits):
        refuse_with_fits(X=X, y=y, plan=plan, positive=positive, groups=groups, rng=rng, store=store)
        check_tested(model.design)
        unsaid = metrics == DEFAULT_METRICS and model.held_predictions is None and model.threshold is None
        asked = metrics_of("auc" if unsaid else metrics, model.sample)
        notes = (NO_PREDICTIONS,) if unsaid else ()
        return assessment_of(model, asked, level, f"Fits ({model.engine})", notes)
    sample = sample_of([model], X, require_cases(X, y), plan, positive, groups)
    chosen = metrics_of(metrics, sample)
    design = design_of(plan, sample, rng, store)
    check_tested(design)
    found = findings_of(sample) if checks else None
    fitting = Fitting(n_jobs, progress, engine, store, fit_seconds)
    return Run(model, sample, chosen, level, fitting, found).assessed(design, begun=begun)


@dataclass(frozen=True, eq=False)
class Run:
    """A model, the cases with their features, and the options of a call: what it takes to go on with more fits."""

    model: Classifier
    sample: Sample
    metrics: list[Metric]
    level: float
    fitting: Fitting
    found: Findings | None
    planned: Design | None = None

    def assessed(self, design: Design, earlier: Fits | None = None, begun: datetime | None = None) -> Assessment:
        """Fit and estimate; after Ctrl-C, the result of the fits that are finished, which `rest` completes."""
        begun = begun or datetime.now(UTC)
        planned = None
        try:
            fits = self.fits(design, earlier)
        except Interrupted as stop:
            from trueness.api.interrupted import kept

            fits, planned = kept(stop, self.fitting.store is not None), design
        with Progress(None, self.fitting.progress, f"{name_of(self.model)}: computing standard errors"):
            a = assessment_of(fits, self.metrics, self.level, describe(self.model), self.found or ())
        provenance = {**a.provenance, **made(begun, self.sample), **checked(self.found)}
        return replace(a, provenance=provenance, run=replace(self, planned=planned))

    def fits(self, design: Design, earlier: Fits | None = None) -> Fits:
        """The fits on a design, or on as many replicates as are needed; those of `earlier` are not fitted again."""

        def fit_all(design: Design, known: FitsOf) -> FitsOf:
            with unwarned():  # they are in fits.notes, and issued later
                return {"": self.fitting.fits(self.model, self.sample, design, self.metrics, known.get("", earlier))}

        return enough_replicates(design, fit_all, lambda fits: recommended_estimates(fits[""], self.metrics))[""]

    def longer(self, fits: Fits, n: int | None) -> Assessment:
        """With n more replicates or repeats; without n, the rest of an interrupted run, or as many again."""
        if n is None and self.planned is not None:
            design = self.planned
            if design.kind != fits.design.kind:  # whole repeats of a cross-validation that was not finished
                return self.assessed(design)
            if design.n_fits < fits.n_fits:  # the first block of a bootstrap without a number
                design = replace(fits.design, plan=design.plan)
            return self.assessed(design, fits)
        plan = fits.design.plan
        if not isinstance(plan, Plan):
            raise InputError("Only the design of a plan can be continued", param="plan", got=str(plan))
        n = getattr(plan, "repeats", fits.n_fits) if n is None else n
        check_whole("n", n, 1)
        return self.assessed(plan.longer(int(n), fits.design).draw(fits.sample, rng=fits.design.seed), fits)
