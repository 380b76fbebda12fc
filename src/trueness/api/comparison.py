"""Comparison: two or more models on one design, every pair, and the verdict in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy.typing as npt
import pandas as pd

from trueness.checks import level_of
from trueness.curves.curve import roc_figure
from trueness.curves.empirical import left_out_curves
from trueness.errors import InputError, UndefinedError
from trueness.metrics.scorer import MetricLike
from trueness.result.joint import JointTest
from trueness.result.pairs import Pair, Paired
from trueness.result.shown import Page, Table, kept_provenance, tidy
from trueness.result.words import cells, p_between, rounded_p, said_costs
from trueness.sample.fits import Fits
from trueness.typing import Axes, Record


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Paired):
    """What `trueness.compare` returns.

    Attributes
    ----------
    verdict : str
        One sentence about two models; of several models, about the best and the next.
    outcome : str
        The verdict as a value, e.g. "better", "open" or "equivalent"; see `trueness.api.verdict.Outcome`.
    metric, method : str
        What was compared, and the estimator.
    higher_is_better : bool or None
        None where the direction of the metric is unknown.
    estimates : mapping of str to Estimate
        The Estimate of each model.
    differences : mapping of (str, str) to Estimate
        first − second of every pair.
    tests : mapping of (str, str) to TestResult
        The test of every pair that can be tested, not adjusted.
    adjusted : mapping of (str, str) to float
        p-values of those pairs adjusted for all pairs, by the distribution of the largest |t| (`law`).
    other_se : mapping of (str, str) to mapping
        Of every pair, the standard errors beside the one that is used.
    pair : (str, str)
        The pair that `difference`, `p_value` and `verdict` are about.
    baseline : str, optional
        The model that all others are compared with; None where all pairs are compared.
    level : float, default 0.95
        Level of the intervals, and 1 − α of the verdict.
    margin : float, optional
        The largest difference that does not matter.
    notes : tuple of Note
        Notes on the differences; of several pairs, each names its own.
    provenance : mapping
        Design, its fingerprint and seed.
    fits : mapping of str to Fits
        The fits behind the estimates.
    test_jointly : callable, optional
        What `joint_test` asks.
    """

    method: str
    other_se: Mapping[Pair, Mapping[str, float]]
    margin: float | None = None
    fits: Mapping[str, Fits] = field(default_factory=dict)
    test_jointly: Callable[[Comparison, Iterable[MetricLike], Pair], JointTest] | None = field(default=None, repr=False)

    def joint_test(self, metrics: Iterable[MetricLike], pair: Pair | None = None) -> JointTest:
        """Test whether two models are equal in all of several metrics, from the fits of this comparison.

        The statistic is the largest |t| of the metrics. Its distribution is that of correlated t statistics, with the
        correlations of the influence functions (max-t; Hothorn, Bretz & Westfall 2008), so metrics that say the same
        cost nothing, and a singular covariance (error beside accuracy) is no special case.

        Parameters
        ----------
        metrics : iterable of str, callable or Metric
            At least one. Each by the method of this comparison, or where that does not serve it by the default one.
        pair : (str, str), optional
            Of several models; by default `pair`, which is chosen by the data where there are more than two.

        Returns
        -------
        JointTest
            `.p_value`, never 0; with one metric that of its own test. `.frame()` has one row per metric, with p-values
            adjusted for all of them.

        Raises
        ------
        InputError
            Where a difference has no standard error or no influence function.

        Examples
        --------
        >>> import trueness
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> models = {"LDA": LinearDiscriminantAnalysis(), "naive Bayes": GaussianNB()}
        >>> k = trueness.compare(models, X[:200], y[:200], plan=trueness.Bootstrap(100), rng=1)
        >>> k.joint_test(["error", "auc", "mcc"]).frame()[["metric", "p_value", "p_adjusted"]].round(2)
          metric  p_value  p_adjusted
        ...
        """
        if self.test_jointly is None:
            raise InputError("There are no fits behind this comparison", fix="Ask the result of trueness.compare")
        return self.test_jointly(self, metrics, self.pair if pair is None else pair)

    def threshold(
        self, *, costs: npt.ArrayLike, prevalence: float | None = None, margin: float | None = None
    ) -> Comparison:
        """Compare the models by their cost, each with the threshold that is cheapest for it.

        As in `Assessment.threshold`, the threshold of a model is chosen inside every training set, on held-out scores,
        and judged on the cases that this training set left out. Nothing is fitted again.

        Parameters
        ----------
        costs : array-like of shape (2, 2)
            `costs[i][j]` is the cost of deciding j where the truth is i: rows are the truth, columns the decision, in the
            order negative, positive. Or a DataFrame whose rows and columns are named by the labels.
        prevalence : float, optional
            Share of positives where the models are used; that of the sample by default.
        margin : float, optional
            The largest difference in cost that does not matter.

        Returns
        -------
        Comparison
            Of the cost per case. The threshold to use is that of `trueness.assess(k.fits[name]).threshold(costs=...)`.

        Examples
        --------
        >>> import trueness
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> models = {"LDA": LinearDiscriminantAnalysis(), "naive Bayes": GaussianNB()}
        >>> k = trueness.compare(models, X[:200], 1 - y[:200], fits=60, rng=1)
        >>> print(k.threshold(costs=[[0, 1], [5, 0]]).verdict)
        LDA's cost is lower than naive Bayes's by ...
        """
        from trueness.api.threshold import compared_at_costs

        return compared_at_costs(self, costs, prevalence, margin)

    def plot_roc(self, ax: Axes | None = None) -> Axes:
        """Draw the ROC curves of the left-out scores of all models, with their areas.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        UndefinedError
            Where no model has one left-out score per case of two classes. Of several classes
            `trueness.assess(k.fits[name]).plot_roc()` draws the curves of one model.
        """
        curves = left_out_curves(self.fits, self.ranking())
        if not curves:
            raise UndefinedError("There is no ROC curve: it needs fits of two classes with one left-out score per case")
        areas = self.estimates if self.metric == "auc" else None
        return roc_figure(curves, level=self.level, areas=areas).draw(ax)

    def frame(
        self, of: Literal["pairs", "models"] = "pairs", level: float | None = None, *, details: bool = False
    ) -> pd.DataFrame:
        """The tidy, unrounded table.

        Parameters
        ----------
        of : {"pairs", "models"}, default "pairs"
            One row per pair: difference with se and interval, and p-values (low and high hold for all pairs together,
            p_value belongs to each pair alone, p_adjusted to all). Or one row per model, best first.
        level : float, optional
            Level of the intervals; that of the comparison by default.
        details : bool, default False
            Also the range of p_adjusted over seeds, degrees of freedom, simulation errors, which standard error and
            interval it is, the other standard errors, and the notes.

        Returns
        -------
        pandas.DataFrame
            `first`, `second`, `difference`, `se`, `low`, `high`, `p_value`, `p_adjusted`; of models `model`, `metric`,
            `method`, `value`, `se`, `low`, `high`.
        """
        level = level_of(level, self.level)
        if of == "models":
            return tidy(({"model": name, **self.estimates[name].row(level)} for name in self.ranking()), details)
        if of != "pairs":
            raise InputError('of must be "pairs" or "models"', param="of", got=repr(of))
        rows = (self._row(pair, self._level_of_each(level), details) for pair in self.differences)
        return tidy(rows, details)

    def _row(self, pair: Pair, level: float, details: bool) -> Record:
        row = self.differences[pair].row(level)
        first = {**self._pair_row(pair, level), "p_adjusted": self.adjusted.get(pair)}
        if not details:
            return first
        return {
            **first,
            **self._seeds(pair),
            "df": self.differences[pair].df,
            **{name: row[name] for name in ("se_method", "interval", "mc_se", "se_mc_se")},
            **{f"se_{k.replace('-', '_')}": v for k, v in self.other_se.get(pair, {}).items()},
            "notes": row["notes"],
        }

    def to_dict(self) -> Record:
        return {
            "schema": "trueness/comparison/1",
            "verdict": self.verdict,
            "outcome": self.outcome,
            "metric": self.metric,
            "method": self.method,
            "level": self.level,
            "margin": self.margin,
            "baseline": self.baseline,
            "models": {name: e.to_dict(self.level) for name, e in self.estimates.items()},
            "pairs": [
                {
                    **self._pair_dict(pair),
                    "p_adjusted": self.adjusted.get(pair),
                    "p_range": None if (seeds := self.p_range_of(pair)) is None else list(seeds),
                    "other_se": dict(self.other_se.get(pair, {})),
                }
                for pair in self.differences
            ],
            "notes": [note.to_dict() for note in self.notes],
            "provenance": kept_provenance(self.provenance),
        }

    def page(self, level: float | None = None) -> Page:
        level = level_of(level, self.level)
        together = " for all pairs" if len(self.differences) > 1 else ""
        heads = (f"{self.metric} {self.method}", "std. error", f"{100 * level:g} % interval")
        models = [(name, *cells(self.estimates[name], level)[:3]) for name in self.ranking()]
        p = {pair: rounded_p(value) for pair, value in self.adjusted.items()}
        how = {pair: d.se_method if d.se is not None and d.se_method else "" for pair, d in self.differences.items()}
        if set(how.values()) <= {self.method, ""}:  # nothing to add
            how = {}
        seeds = {pair: p_between(limits) for pair in self.differences if (limits := self.p_range_of(pair)) is not None}
        pairs = [
            (
                " − ".join(pair),
                *cells(d, self._level_of_each(level))[:3],
                p.get(pair, ""),
                *([seeds.get(pair, "")] if seeds else []),
                *([how[pair]] if how else []),
            )
            for pair, d in self.differences.items()
        ]
        pair_heads = (*heads[:2], heads[2] + together, f"p{together}", *(["over seeds"] if seeds else []))
        return Page(
            answer=" ".join([self.verdict, *said_costs(self.provenance)]),
            tables=(
                Table.of(("model", *heads), models),
                Table.of(("difference", *pair_heads, *(["std. error by"] if how else [])), pairs),
            ),
            notes=self.notes,
            footer=str(self.provenance.get("design", "")),
        )
