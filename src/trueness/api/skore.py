"""from_skore: what a skore report holds, as Fits. Nothing is fitted again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trueness.api.call import fits_on_test_set
from trueness.checks import refuses_foreign
from trueness.errors import InputError
from trueness.sample import Fits

if TYPE_CHECKING:
    from trueness.typing import Label, Labels


@refuses_foreign
def from_skore(report: Any, *, positive: Label | None = None, groups: Labels | None = None) -> Fits:
    """The fits of a skore report, for `trueness.estimate` and `trueness.compare`.

    Parameters
    ----------
    report : skore.CrossValidationReport or skore.EstimatorReport
        A cross-validation, whose fitted estimators are asked about their test cases; or a fitted estimator with a test
        set.
    positive : label, optional
        The positive class; that of the report by default.
    groups : array-like of shape (n,), optional
        Group of each case.

    Returns
    -------
    Fits

    Raises
    ------
    InputError
        Where the report is of another kind, e.g. a ComparisonReport (pass its reports one by one).

    See Also
    --------
    trueness.Fits.from_cv_results : The same from scikit-learn's `cross_validate`.
    """
    positive = getattr(report, "pos_label", None) if positive is None else positive
    if hasattr(report, "split_indices") and hasattr(report, "reports_"):  # CrossValidationReport
        pairs = list(report.split_indices) if isinstance(report.split_indices, Sequence) else []
        if not pairs or any(not isinstance(pair, Sequence) or len(pair) != 2 for pair in pairs):
            raise InputError(
                "The report has no splits into training and test cases",
                param="report",
                got=f"split_indices={report.split_indices!r}",
                fix="Make it with skore's CrossValidationReport",
            )
        train, test = zip(*pairs, strict=True)
        cv_results = {
            "estimator": [part.estimator_ for part in report.reports_],
            "indices": {"train": list(train), "test": list(test)},
        }
        return Fits.from_cv_results(cv_results, report.X, report.y, positive=positive, groups=groups)
    if hasattr(report, "X_test") and hasattr(report, "estimator_"):  # EstimatorReport
        if report.X_test is None or report.y_test is None:
            raise InputError("The report has no test set", param="report", fix="Make it with X_test and y_test")
        return fits_on_test_set(report.estimator_, report.X_test, report.y_test, positive, groups)
    raise InputError(
        "report must be a skore CrossValidationReport or EstimatorReport",
        param="report",
        got=type(report).__name__,
        fix="Pass the reports of a comparison one by one",
    )
