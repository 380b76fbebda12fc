"""Comparison: two or more models on one design, every pair, and the verdict in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy.typing as npt
import pandas as pd

from trueness.api.judged import joint_test
from trueness.checks import check_choice, level_of
from trueness.curves.curve import roc_figure
from trueness.curves.empirical import left_out_curves
from trueness.errors import InputError, UndefinedError
from trueness.estimators.method import Undefined
from trueness.metrics.scorer import MetricLike
from trueness.result.joint import JointTest
from trueness.result.pairs import Pair, Paired
from trueness.result.shown import tidy
from trueness.result.words import said_costs
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
        The verdict as a value, e.g. "better", "open" or "equivalent"; see `trueness.result.verdict.Outcome`.
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
    undefined : {"failed", "skip", "raise"}
        What was done with folds, cases and pairs that cannot be evaluated.
    """

    method: str
    other_se: Mapping[Pair, Mapping[str, float]]
    fits: Mapping[str, Fits] = field(default_factory=dict)
    undefined: Undefined = "failed"

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
        if not self.fits:
            raise InputError("There are no fits behind this comparison", fix="Ask the result of trueness.compare")
        pair = self.pair if pair is None else pair
        self[pair]  # an error where there is no such pair
        return joint_test(self, metrics, pair)

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
        check_choice("of", of, ("pairs", "models"), f"There is no table of {of!r}")
        k = replace(self, level=level_of(level, self.level))
        if of == "models":
            return tidy(k.ranked_rows(), details).drop(columns=["rank_low", "rank_high"])
        others = (f"se_{name.replace('-', '_')}" for row in self.other_se.values() for name in row)
        return tidy(k.rows(), details, "df", *others)

    def rows(self) -> Iterable[Record]:
        """One row per pair: the difference, its p-values and the other standard errors."""
        for row in super().rows():
            notes, other = row.pop("notes"), self.other_se.get((row["first"], row["second"]), {})
            yield {**row, **{f"se_{name.replace('-', '_')}": v for name, v in other.items()}, "notes": notes}

    def answer(self) -> str:
        """The verdict, and the costs that it is about."""
        return " ".join([self.verdict, *said_costs(self.provenance)])
