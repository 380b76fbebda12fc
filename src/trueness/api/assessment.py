"""Assessment: all estimates of one model, as a table that can be read, printed and kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from trueness.api.by_class import ByClass, by_class_of
from trueness.api.cautions import WITHOUT_MODEL
from trueness.api.subgroups import subgroups_of
from trueness.api.threshold import ThresholdChoice, Wanted, threshold_of
from trueness.checks import level_of
from trueness.curves.bands import BandMethod
from trueness.curves.empirical import EmpiricalRoc, roc_of_classes
from trueness.errors import InputError, UndefinedError, visible
from trueness.figures.figure import Figure, forest_panel, forest_size
from trueness.probabilities.benefit import DecisionCurve, decision_curve
from trueness.probabilities.calibrated import Calibration, SeveralCalibrations, calibration
from trueness.result.estimate import Estimate, of_seeds
from trueness.result.joint import Simultaneous, correlations, level_of_each
from trueness.result.learning_curve import LearningCurve
from trueness.result.notes import Note, warnings_first
from trueness.result.shown import REPORT, Cited, Drawn, Page, Result, Table, as_text, kept, tidy
from trueness.result.subgroups import Subgroups
from trueness.result.words import (
    capitalized,
    cells,
    headed,
    how,
    listed,
    said_costs,
    same_metric,
    sentence,
    shown,
    spoken,
    with_model,
)
from trueness.sample.fits import Assessed, Fits
from trueness.typing import Axes, Features, Floats, Labels, Record

Key = tuple[str, str]

MOST_SHOWN = 12  # classes in a printed assessment
MOST_KEPT = 100  # classes in a dictionary
MOST_COLUMNS = 10  # named where there is none of a name


ASSESSED = "assessment"  # the name of a curve whose AUC is that of the assessment, where it has no other
RECIPE = "These estimates describe the training procedure. Use the model refitted on all data."
FITTED = "These estimates describe the fitted model. Assumes: it was not trained on any of these cases."


@dataclass(frozen=True, eq=False, repr=False)
class Assessment(Result, Drawn, Cited, Assessed):
    """What `trueness.assess` returns: `a["auc", "lpob"]` is an Estimate, `a.frame()` a DataFrame.

    Attributes
    ----------
    estimates : mapping of (str, str) to Estimate
        By (metric, method).
    model : str
        Description of the model.
    level : float, default 0.95
        Level of the intervals in tables.
    notes : tuple of Note
        What the reader should know; severity "warning" for what comes before believing a number.
    provenance : mapping
        Design, its fingerprint, seed and version.
    fits : Fits, optional
        The fits behind the estimates, for further questions.
    skipped : mapping of (str, str) to Note
        Why an estimate was not computed, by (metric, method).
    recommended : mapping of str to str
        The method to report, by metric: `a["auc"]` is that estimate.
    preferred : tuple of str
        The methods that are recommended under this plan, best first; why one of them was skipped is always said.
    run : object, optional
        The model, its data and options, for `continue_`.
    name : str
        What the user calls the model; "" where nothing was given.
    parameters : mapping of str to str
        All parameters of the model, as Python writes them.
    fitted : bool
        Whether the model was fitted elsewhere, and the cases are its test set.
    classes : ByClass, optional
        `by_class()` of an assessment that was read from a file.
    metrics : tuple of str
        Names of the metrics that were asked for.
    """

    estimates: Mapping[Key, Estimate]
    model: str
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    fits: Fits | None = None
    skipped: Mapping[Key, Note] = field(default_factory=dict)
    recommended: Mapping[str, str] = field(default_factory=dict)
    preferred: tuple[str, ...] = ()
    run: Any = field(default=None, repr=False)
    name: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict, repr=False)
    fitted: bool = False
    classes: ByClass | None = field(default=None, repr=False)
    metrics: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        """The name and, in brackets, the model with the parameters that differ from their defaults."""
        return with_model(self.name, self.model)

    def __getitem__(self, key: Key | str) -> Estimate:
        """The estimate of a metric by a method; for a metric alone the recommended one.

        Raises
        ------
        UndefinedError
            Where it was skipped; the message says why.
        InputError
            Where there is no such estimate.
        """
        known = self._known(key)
        if known in self.estimates:
            return self.estimates[known]
        if known in self.skipped:
            raise UndefinedError(f"{'/'.join(known)} was not computed", fix=self.skipped[known].message)
        fix = f"Available: {', '.join(map('/'.join, self.estimates))}; pass others to assess as metrics="
        raise InputError(f"There is no estimate {key!r}", fix=fix)

    def __contains__(self, key: object) -> bool:
        """Whether `a[key]` is an estimate."""
        return self._known(key) in self.estimates

    def _known(self, key: object) -> Key:
        """The metric under the name that it has here, and the recommended method where none is given."""
        metric, method = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        here = (same_metric(metric, self.metrics) if isinstance(metric, str) else None) or ""
        return here, str(method or self.recommended.get(here))

    def continue_(self, n: int | None = None) -> Assessment:
        """The assessment with more fits; those that it has are not fitted again.

        Parameters
        ----------
        n : int, optional
            By default as many again. For a bootstrap n more replicates;
            for a repeated cross-validation n more repeats; for `CvBootstrap`, the default plan, n more repeats and as
            many more replicates as these have fits.

        Returns
        -------
        Assessment
            The one that a single run with the larger number gives, to the last bit.

        Raises
        ------
        InputError
            Where the plan has no longer form (`MonteCarlo`, `Holdout`, given splits), or there is no model to fit.

        Examples
        --------
        >>> import trueness
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> a = trueness.assess(GaussianNB(), X, y, plan=trueness.Bootstrap(100), metrics="error", rng=0)
        >>> a.continue_(50).fits.design.plan
        Bootstrap(n_resamples=150, stratified=True)
        """
        if self.run is None or self.fits is None:
            fix = "Continue what trueness.assess(model, X, y) returned"
            raise InputError("There is no model to go on with", fix=fix)
        longer: Assessment = self.run.longer(self.fits, n)
        return longer

    def __iter__(self) -> Iterator[Key]:
        return iter(self.estimates)

    def frame(self, level: float | None = None, *, details: bool = False) -> pd.DataFrame:
        """One row per estimate, unrounded; None where nothing can be said.

        Parameters
        ----------
        level : float, optional
            Level of the intervals; that of the assessment by default.
        details : bool, default False
            Also the simulation errors of value and standard error, the SD over folds, which standard error and which
            interval it is, what the estimate is about, and its notes.

        Returns
        -------
        pandas.DataFrame
            `metric`, `method`, `value`, `se`, `low`, `high`, `recommended`; with `details` also `mc_se`, `se_mc_se`,
            `fold_sd`, `se_method`, `interval`, `estimand`, `notes`.
        """
        rows = [e.row(level_of(level, self.level)) for e in self.estimates.values()]
        chosen = [self.recommended.get(metric) == method for metric, method in self.estimates]
        return tidy(rows, details).assign(recommended=chosen)

    def covariance(self, keys: Iterable[Key | str] | None = None) -> pd.DataFrame:
        """Covariance matrix of estimates: how they vary together from sample to sample.

        The correlations are those of the influence functions (summed within groups), the scale is that of the reported
        standard errors: the diagonal is se², whichever standard error that is. The matrix is positive semidefinite.

        Parameters
        ----------
        keys : iterable of str or (str, str), optional
            What `a[key]` takes: metrics (the recommended estimate) or (metric, method). By default the recommended
            estimates that have an influence function.

        Returns
        -------
        pandas.DataFrame
            Labelled "f1" for a metric and "f1/loob" for a metric and a method.

        Raises
        ------
        InputError
            Where an estimate has no standard error or no influence function.

        Examples
        --------
        The variance of accuracy + error, whose sum is 1, is 0:

        >>> import trueness
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_wine(return_X_y=True)
        >>> rule = GaussianNB().fit(X[::2], y[::2])
        >>> a = trueness.assess(rule, X[1::2], y[1::2], plan="prefit", metrics=["accuracy", "error"])
        >>> a.covariance().round(4)
                  accuracy   error
        accuracy    0.0007 -0.0007
        error      -0.0007  0.0007
        """
        chosen, correlation = self._joint(keys)
        se = np.array([e.require_se() for e in chosen.values()])
        values = correlation * np.outer(se, se)
        return pd.DataFrame(values, index=list(chosen), columns=list(chosen))

    def simultaneous(self, level: float | None = None, keys: Iterable[Key | str] | None = None) -> Simultaneous:
        """Intervals of several estimates that all hold at once.

        Each is the estimate's own interval at a higher level, found from the joint normal distribution of the
        estimates (max-t). Estimates that vary together need little more than a single one.

        Parameters
        ----------
        level : float, optional
            Probability that all intervals hold; the level of the assessment by default.
        keys : iterable of str or (str, str), optional
            As in `covariance`.

        Returns
        -------
        Simultaneous
            `.frame()`, `.each` (the level of each interval).
        """
        level = level_of(level, self.level)
        chosen, correlation = self._joint(keys)
        return Simultaneous(chosen, level, level_of_each(correlation, level), correlation)

    def _joint(self, keys: Iterable[Key | str] | None) -> tuple[dict[str, Estimate], Floats]:
        """The estimates asked for, by label, and the correlations of their influence functions."""
        asked = list(self.recommended if keys is None else [keys] if isinstance(keys, str) else keys)
        chosen = {key if isinstance(key, str) else "/".join(key): self[key] for key in asked}
        without = [name for name, e in chosen.items() if e.se is None or e.influence is None]
        if keys is None:
            chosen = {name: e for name, e in chosen.items() if name not in without}
        elif without:
            problem = "These estimates have no standard error from an influence function"
            raise InputError(problem, param="keys", got=", ".join(without), fix="Leave them out")
        if not chosen:
            raise UndefinedError("No recommended estimate has a standard error from an influence function")
        influence = np.stack([np.asarray(e.influence) for e in chosen.values()])
        return chosen, correlations(self._with_fits("Covariances").design.unit_sums(influence))

    def answer(self, level: float | None = None) -> str:
        """The recommended estimates in one or two sentences."""
        first = [self[metric] for metric in self.recommended]
        said = [sentence(e, level_of(level, self.level)) for e in first]
        rules = (self.estimates.get((m, k)) for k in WITHOUT_MODEL for m in self.recommended if m != "r2")
        without = defaultdict[str, list[str]](list)
        for e in filter(None, rules):
            without[capitalized(e.estimand)].append(f"{spoken(e.metric)} {shown(e.value, self[e.metric].se)}")
        said += (f"{rule} has {listed(values)}." for rule, values in without.items())
        return visible(" ".join([*said, *said_costs(self.provenance)]))

    def page(self, level: float | None = None, all: bool = False) -> Page:
        """What is shown: the recommended estimates; with `all` the others, too, and why some of these were skipped."""
        level = level_of(level, self.level)
        first = [self[metric] for metric in self.recommended]
        all = all or not first
        others = [e for e in self.estimates.values() if e not in first] if all else []
        answered = {e.metric for e in first if e.has_interval}
        open_ = [(metric, k) for metric in self.metrics if metric not in answered for k in self.preferred]
        why = [note for key in (self.skipped if all else open_) if (note := self.skipped.get(key))]
        about = "; ".join(dict.fromkeys(e.estimand for e in first))
        more = ("simulation error", "how") if all else ()
        heads = ("metric", "method", "value", "std. error", f"{100 * level:g} % interval", *more)

        def table(estimates: list[Estimate], title: str) -> Table:
            rows = [(e.metric, e.method, *cells(e, level), how(e, level, known=e.method)) for e in estimates]
            return Table(heads, [row[: len(heads)] for row in rows], title)

        tables = [table(first, f"Recommended ({about})")] if first else []
        if others:
            tables.append(table(others, "Other estimators" if first else ""))
        by_class = self._decided(None if all else MOST_SHOWN)
        tables += () if by_class is None else by_class.tables(level)
        seed = f"Seed: {self.provenance['seed']}." if all and self.provenance.get("seed") is not None else ""
        return Page(
            title=f"{headed(self.name, self.model)}\n{self.provenance.get('design', '')}".rstrip("\n"),
            answer=self.answer(level),
            tables=tuple(tables),
            notes=warnings_first((*self.notes, *why)),
            footer=" ".join(filter(None, (of_seeds(first), FITTED if self.fitted else RECIPE, seed))),
        )

    @property
    def shows_classes(self) -> bool:
        """Whether a printed assessment has the confusion matrix and a row for each of several classes."""
        return self._decided(MOST_SHOWN) is not None

    def _decided(self, most: int | None = None) -> ByClass | None:
        """`by_class` of several classes, at most so many; None where there are no decisions."""
        if self.fits is None:
            return self.classes
        if not 2 < self.fits.sample.n_classes <= (most or self.fits.sample.n):
            return None
        try:
            return self.by_class()
        except (InputError, UndefinedError):
            return None

    def text(self, all: bool = False) -> str:
        """Plain text: the answer, the recommended estimates and the notes.

        Parameters
        ----------
        all : bool, default False
            Also the other estimators, why some were skipped, and remarks that ask for no action.

        Returns
        -------
        str
        """
        return as_text(self.page(all=all))

    def figure(self, metric: str | None = None) -> Figure:
        """Estimates with their intervals.

        Parameters
        ----------
        metric : str, optional
            Draw all estimators of this metric; by default the recommended one of every metric, and the apparent one.

        Returns
        -------
        Figure
            One panel per metric: the recommended estimate first and in colour, the apparent one hollow.
        """
        here = None if metric is None else same_metric(str(metric), self.metrics)
        if metric is not None and here is None:
            fix = f"Choose one of {', '.join(self.metrics)}"
            raise InputError(f"There is no metric {metric!r}", param="metric", got=repr(metric), fix=fix)
        panels, rows = [], []
        for m in self.metrics if here is None else [here]:
            best = self.recommended.get(m)
            keys = [(m, best), (m, "apparent")] if metric is None and best else [k for k in self.estimates if k[0] == m]
            of = {k: self.estimates[m, k] for m, k in keys if k not in WITHOUT_MODEL and (m, k) in self.estimates}
            some = list(of)
            se = None if best not in of else of[best].se
            kinds = {k: "mark" if k == best else "hollow" if k == "apparent" else "minor" for k in some}
            dots = [of[k].dot(k, self.level, kinds[k], se) for k in sorted(some, key=lambda k: k != best)]
            panel = forest_panel(dots, f"{spoken(m)}, {100 * self.level:g} % interval")
            if panel is not None:
                panels.append(panel)
                rows.append(forest_size(dots))
        size = (max(w for w, _ in rows), max(h for _, h in rows)) if rows else (4.0, 1.0)
        return Figure("Estimates with intervals", panels, 1, size, heading=self.name)

    def plot_roc(
        self, ax: Axes | None = None, band: BandMethod | None = "fixed-width", label: str | None = None
    ) -> Axes:
        """Draw the ROC curve of the left-out scores with its band; of several classes that of each against the rest.

        The legend has the recommended AUC where the AUC was assessed, else that of these scores.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
        band : str, optional
            As in `curve.band`; None draws none. Of several classes there is none.
        label : str, optional
            Name of the curve in the legend; by default that of the assessment. Several classes have their own names.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        UndefinedError
            Where there is not one left-out score per case, or per case and class.
        """
        left_out = None if self.fits is None else self.fits.left_out()
        if left_out is not None:
            area = self["auc"] if "auc" in self.recommended else None
            named = label or self.name or ("left-out scores" if area is None else ASSESSED)
            curve = EmpiricalRoc.of(left_out)
            return curve.figure(band=band, level=self.level, label=named, area=area).draw(ax)
        classes = None if self.fits is None else roc_of_classes(self.fits, self.level)
        if classes is None:
            raise UndefinedError("There is no ROC curve: it needs classes and a left-out score per case")
        if label is not None:
            raise InputError("Each class has its own name", param="label", got=repr(label), fix="Leave it out")
        return replace(classes, heading=self.name).draw(ax)

    def by(
        self, labels: Labels | str, metric: str | None = None, *, method: str | None = None, level: float | None = None
    ) -> Subgroups:
        """The metric in every group of cases, with the rest of the cases beside it and a test of equality.

        Parameters
        ----------
        labels : array-like of shape (n,), or str
            The group of each case; or the name of a column of X, where X is a table.
        metric : str, optional
            As in `trueness.estimate`; by default "auc" where it was assessed, else the first metric.
        method : str, optional
            By default the recommended one.
        level : float, optional
            That of the assessment by default.

        Returns
        -------
        Subgroups
            As of `trueness.subgroups`.
        """
        fits = self._with_fits("Subgroups")
        name = ""
        if isinstance(labels, str):
            name, labels = labels, self._column(labels)
        metric = metric or ("auc" if "auc" in self.metrics else next(iter((*self.recommended, *self.metrics))))
        found = subgroups_of(
            fits,
            metric,
            labels,
            method=method,
            level=level_of(level, self.level),
            name=name,
            features=self.features,
        )
        return replace(found, provenance=self.provenance)

    def by_class(self) -> ByClass:
        """The confusion matrix of left-out cases, and TPF (recall), PPV (precision) and F1 of each class against the rest.

        Returns
        -------
        ByClass
            `.counts` (cases by truth and decision), `.frame()`, `b["setosa", "ppv"]`, `.plot()`; `.frame("cells")` has
            the cells with the interval of their share of the true class.

        Examples
        --------
        >>> import trueness
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> data = load_iris(as_frame=True)
        >>> y = data.target.map(dict(enumerate(data.target_names)))
        >>> b = trueness.assess(GaussianNB(), data.data, y, plan=trueness.KFold(5), rng=0).by_class()
        >>> b.counts.loc["virginica"].round().tolist()
        [0.0, 3.0, 47.0]
        >>> print(b["virginica", "tpf"])
        tpf cv: 0.940 ± 0.034
        """
        return self.classes or by_class_of(self._with_fits("Confusion matrices"), self.level)

    def threshold(
        self,
        *,
        costs: npt.ArrayLike | None = None,
        prevalence: float | None = None,
        tpf: float | None = None,
        fpf: float | None = None,
        ppv: float | None = None,
        confidence: float | None = None,
        level: float | None = None,
    ) -> ThresholdChoice:
        """Where to set the threshold of the scores, and what it will achieve on other cases.

        The threshold is chosen inside every training set, on held-out scores, and judged on the cases that this
        training set left out. Nothing is fitted again. Without a criterion, Youden's index is as large as possible.

        Parameters
        ----------
        costs : array-like of shape (2, 2), optional
            Least expected cost. `costs[i][j]` is the cost of deciding j where the truth is i: rows are the truth, columns
            the decision, in the order negative, positive. Or a DataFrame whose rows and columns are named by the labels.
        prevalence : float, optional
            Share of positives where the model is used; that of the sample by default. For costs, PPV and expected cost.
        tpf, ppv : float, optional
            A TPF (sensitivity), or a PPV, of at least this.
        fpf : float, optional
            An FPF of at most this.
        confidence : float, optional
            With tpf, fpf or ppv: this rate is met in the population with this confidence, exactly for a fitted rule on
            a test set (`trueness.curves.guarantee`). Without it the rate is met on the cases at hand.
        level : float, optional
            Level of the intervals; that of the assessment by default.

        Returns
        -------
        ThresholdChoice
            `.threshold`, `.tpf`, `.fpf`, `.cost`, `.ppv` (Estimates), `.frame()`.

        Raises
        ------
        UndefinedError
            Where the plan has no held-out score per case, or a guarantee needs more cases; the message says how many.

        Examples
        --------
        >>> import trueness
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> a = trueness.assess(GaussianNB(), X, 1 - y, plan=trueness.KFold(5, repeats=2), rng=0)
        >>> h = a.threshold(tpf=0.95)
        >>> print(h.tpf, h.fpf, sep="; ")
        tpf cv: 0.951 ± 0.020; fpf cv: 0.057 ± 0.011
        """
        wanted = Wanted(costs, prevalence, tpf, fpf, ppv, confidence)
        fits, level = self._with_fits("Thresholds"), level_of(level, self.level)
        return replace(threshold_of(fits, wanted, level, self.model, self.provenance), name=self.name)

    def _with_fits(self, what: str) -> Fits:
        if self.fits is None:
            raise InputError(f"{what} need the fits behind the assessment, which it does not hold")
        return self.fits

    @property
    def features(self) -> Features:
        """The features that the model was assessed on; None where it was assessed by its fits alone."""
        return getattr(getattr(self.run, "sample", None if self.fits is None else self.fits.source), "X", None)

    def _column(self, name: str) -> Labels:
        """A column of the features that the model was assessed on; an error where they have none of this name."""
        columns = list(getattr(self.features, "columns", ()))
        if name in columns:
            return self.features[name]
        known = ", ".join(map(repr, columns[:MOST_COLUMNS])) or "none"
        fix = f"Pass the values, e.g. data[{name!r}], or a column of the features: {known}"
        raise InputError(f"There is no column {name!r}", param="by", fix=fix)

    def _groups(self, by: Any) -> dict[str, Labels]:
        """The group of each case by what cases are grouped by: columns of X by their names, a Series by its own."""
        if by is None or isinstance(by, Mapping):
            return {str(name): labels for name, labels in (by or {}).items()}
        if isinstance(by, (list, tuple)) and all(isinstance(name, str) for name in by):
            return {name: self._column(name) for name in by}
        return {by: self._column(by)} if isinstance(by, str) else {str(getattr(by, "name", None) or "group"): by}

    def calibration(self) -> Calibration | SeveralCalibrations:
        """Whether the probabilities of left-out cases are what happens: `trueness.calibration` of the fits.

        Raises
        ------
        InputError
            Where the scores are not probabilities, nor log-odds.
        """
        self._with_fits("Probabilities")
        return calibration(self, level=self.level)

    def decision_curve(
        self, *, thresholds: npt.ArrayLike | None = None, prevalence: float | None = None
    ) -> DecisionCurve:
        """Net benefit of acting on the probabilities of left-out cases: `trueness.decision_curve` of the fits.

        Parameters
        ----------
        thresholds, prevalence
            As in `trueness.decision_curve`.

        Raises
        ------
        InputError
            Where the scores are not probabilities, nor log-odds, or there are several classes.
        """
        self._with_fits("Probabilities")
        return decision_curve(self, thresholds=thresholds, prevalence=prevalence, level=self.level)

    def report(
        self,
        path: str | Path | None = None,
        learning_curve: LearningCurve | None = None,
        *,
        by: str | Labels | Sequence[str] | Mapping[str, Labels] | None = None,
    ) -> str:
        """A page in one HTML file that needs no network: the answer, estimates, curves, checks and how it was made.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.
        learning_curve : LearningCurve, optional
            From `trueness.learning_curve`; it is shown among the sections.
        by : str, sequence of str, array-like of shape (n,), or mapping of str to array-like of shape (n,), optional
            Subgroups to show: columns of X, a Series with a name, or the group of each case by the name of what it is.

        Returns
        -------
        str
            The HTML; a prompt shows its size and where it was written, not all of it.
        """
        return kept(REPORT["html"](self, learning_curve=learning_curve, by=self._groups(by)), path)

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        """ "auc" for the recommended estimate of a metric, "auc.lpob" and so on for the others."""
        chosen = {(metric, method): metric for metric, method in self.recommended.items()}
        return ((chosen.get(key, ".".join(key)), e) for key, e in self.estimates.items())

    def to_dict(self) -> Record:
        """Everything but fits and model, in types that JSON can hold, with `by_class` of several classes."""
        return super(Assessment, replace(self, classes=self._decided(MOST_KEPT))).to_dict()
