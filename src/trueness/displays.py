"""Displays with scikit-learn's names and habits: `from_estimator`, `from_predictions`, `from_cv_results`, `plot`, and
`ax_`, `figure_`, `line_` of what was drawn. The figures are those of `trueness.roc` and `trueness.pr`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from trueness.api.call import fits_on_test_set
from trueness.checks import check_level
from trueness.curves.bands import BandMethod
from trueness.curves.curve import RocCurve
from trueness.curves.empirical import EmpiricalRoc
from trueness.curves.pr import PR_AXES, PrCurve
from trueness.errors import InputError, UndefinedError
from trueness.estimators.estimation import estimate
from trueness.figures.figure import Figure, Line, roc_panel, unit_square
from trueness.result.estimate import Estimate
from trueness.result.words import with_interval
from trueness.sample.fits import Fits
from trueness.sample.scored import Scored
from trueness.typing import Axes, Classifier, Features, Floats, Label, Labels, Scores

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase
    from matplotlib.lines import Line2D

Curve = TypeVar("Curve", RocCurve, PrCurve)

__all__ = ["PrecisionRecallDisplay", "RocCurveDisplay"]


class _CurveDisplay(ABC, Generic[Curve]):
    """A curve, or one per fold, that can be drawn.

    Attributes
    ----------
    curves : list
        One curve, or one per fold.
    name : str
        Name in the legend.
    level : float
        Level of intervals and band.
    area : Estimate
        The area with its uncertainty; of folds their mean.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    line_ : matplotlib Line2D, or list of them
        What was drawn; a list for folds.
    """

    ax_: Axes
    figure_: FigureBase | None
    line_: Line2D | list[Line2D]

    def __init__(self, curves: list[Curve], area: Estimate, name: str, level: float) -> None:
        check_level(level)
        if not isinstance(name, str):
            raise InputError("name must be a text", param="name", got=repr(name))
        self.curves: list[Curve] = curves
        self.area, self.name, self.level = area, name, level

    area_by: ClassVar[str]  # the metric, and the attribute of the curve

    @staticmethod
    @abstractmethod
    def _curve(data: Scored) -> Curve:
        """The curve."""

    @classmethod
    def _mean_area(cls, fits: Fits, areas: list[float]) -> Estimate:
        return Estimate(float(np.mean(areas)), metric=cls.area_by, method="cv")

    @abstractmethod
    def figure(self) -> Figure:
        """What `plot` draws."""

    @classmethod
    def from_predictions(
        cls,
        y_true: Labels,
        y_score: Scores,
        *,
        positive: Label | None = None,
        name: str = "model",
        level: float = 0.95,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the curve of given scores.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Labels.
        y_score : array-like of shape (n,)
            Scores, high for the positive class.
        positive : label, optional
            The positive class; may be omitted where the labels are 0/1, −1/1, no/yes or booleans.
        name : str, default "model"
            Name in the legend.
        level : float, default 0.95
            Level of the interval and the band.
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        display
        """
        curve = cls._curve(Scored.of(y_true, y_score, positive))
        return cls([curve], getattr(curve, cls.area_by), name, level).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: Features,
        y: Labels,
        *,
        positive: Label | None = None,
        name: str | None = None,
        level: float = 0.95,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the curve of a fitted estimator on a test set.

        Parameters
        ----------
        estimator : classifier
            A fitted scikit-learn classifier or Pipeline.
        X, y : array-like
            Test cases that it was not trained on.
        positive, name, level, ax
            As in `from_predictions`; the name of the estimator by default.

        Returns
        -------
        display
        """
        fits = fits_on_test_set(estimator, X, y, positive)
        named = name or type(estimator[-1] if hasattr(estimator, "steps") else estimator).__name__  # type: ignore[index]
        curve = cls._curve(_scored(fits)[0])
        return cls([curve], getattr(curve, cls.area_by), named, level).plot(ax)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Features,
        y: Labels,
        *,
        positive: Label | None = None,
        name: str = "model",
        level: float = 0.95,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the curve of every fold of scikit-learn's `cross_validate`, with the mean area in the legend.

        Curves of folds have no band: their spread is not the error of their mean.

        Parameters
        ----------
        cv_results : dict
            Of `cross_validate(..., return_estimator=True, return_indices=True)`.
        X, y : array-like
            What `cross_validate` was called with.
        positive, name, level, ax
            As in `from_predictions`.

        Returns
        -------
        display
        """
        fits = Fits.from_cv_results(cv_results, X, y, positive=positive)
        curves = [cls._curve(part) for part in _scored(fits)]
        areas = [getattr(curve, cls.area_by).value for curve in curves]
        return cls(curves, cls._mean_area(fits, areas), name, level).plot(ax)

    def plot(self, ax: Axes | None = None, **line: Any) -> Self:
        """Draw into axes, with options of the matplotlib lines.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            New axes by default.
        **line
            As `matplotlib.lines.Line2D` takes them.

        Returns
        -------
        display
            With `ax_`, `figure_` and `line_`.
        """
        before = [] if ax is None else list(ax.lines)
        self.ax_ = self.figure().draw(ax)
        drawn = [each for each in self.ax_.lines if each not in before]
        curves = [each for each in drawn if each.get_linestyle() == "-"]  # chance is dashed
        for each in curves:
            each.set(**line)
        self.figure_ = self.ax_.figure
        self.line_ = curves[0] if len(self.curves) == 1 else curves
        return self

    def _folds(self, points: list[tuple[Floats, Floats]], area: str) -> list[Line]:
        """One line per fold, the first with the name of all."""
        label = f"{self.name}: mean {area} of {len(points)} folds {with_interval(self.area, self.level)}"
        return [Line(*xy, "" if k else label, color="C0", width=1.0, opacity=0.5) for k, xy in enumerate(points)]


class RocCurveDisplay(_CurveDisplay[RocCurve]):
    """ROC curve with a simultaneous band, and the AUC with its interval.

    Examples
    --------
    >>> from trueness.displays import RocCurveDisplay
    >>> y, s = [0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.35, 0.6, 0.8, 0.9]
    >>> display = RocCurveDisplay.from_predictions(y, s, name="mine")
    >>> display.line_.get_label()
    'mine: AUC 0.84 (0.24 to 0.99)'
    """

    band: BandMethod | None = "fixed-width"
    """The band of a single curve; None draws none."""

    area_by = "auc"

    @staticmethod
    def _curve(data: Scored) -> RocCurve:
        return EmpiricalRoc.of(data)

    @classmethod
    def _mean_area(cls, fits: Fits, areas: list[float]) -> Estimate:
        return estimate(fits, "auc", "cv")

    def figure(self) -> Figure:
        if len(self.curves) == 1:
            return self.curves[0].figure(band=self.band, level=self.level, label=self.name)
        return Figure("ROC curves of folds", (roc_panel(self._folds([(c.fpf, c.tpf) for c in self.curves], "AUC")),))


class PrecisionRecallDisplay(_CurveDisplay[PrCurve]):
    """Precision–recall curve, and the average precision with its interval.

    Examples
    --------
    >>> from trueness.displays import PrecisionRecallDisplay
    >>> y, s = [0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.35, 0.6, 0.8, 0.9]
    >>> display = PrecisionRecallDisplay.from_predictions(y, s)
    >>> round(display.area.value, 3)
    0.854
    """

    area_by = "average_precision"

    @staticmethod
    def _curve(data: Scored) -> PrCurve:
        return PrCurve(data)

    def figure(self) -> Figure:
        if len(self.curves) == 1:
            return self.curves[0].figure(label=self.name, level=self.level)
        smooth = [curve.interpolated() for curve in self.curves]
        lines = self._folds([(t["recall"].to_numpy(), t["precision"].to_numpy()) for t in smooth], "AP")
        return Figure("Precision–recall curves of folds", (unit_square(lines, *PR_AXES),))


def _scored(fits: Fits) -> list[Scored]:
    """Each rule's scores on the cases that it was not trained on."""
    code = fits.require_positive()
    parts = []
    for block in fits.tests():
        if block.scores is None:
            raise InputError("The estimator has no scores: no decision_function or predict_proba", param="estimator")
        positive = block.codes == code
        if positive.all() or not positive.any():
            raise UndefinedError("A fold lacks a class, so it has no curve", param="cv_results")
        parts.append(Scored(np.asarray(block.scores[0], dtype=float), positive))
    return parts
