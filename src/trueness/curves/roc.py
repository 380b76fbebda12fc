"""roc: the one call for a ROC curve of scores, by any method."""

from collections.abc import Mapping
from typing import Literal, overload

from trueness.checks import check_choice, refuses_foreign
from trueness.curves.curve import RocCurve
from trueness.curves.empirical import EmpiricalRoc
from trueness.curves.fitted import BinormalRoc, NormalRoc, SemiparametricRoc
from trueness.curves.several import RocCurves
from trueness.errors import InputError, UndefinedError
from trueness.result.assessment import Assessment
from trueness.sample.fits import Fits
from trueness.sample.scored import Scored
from trueness.typing import Label, Labels, Scores

METHODS: dict[str, type[RocCurve]] = {
    kind.method: kind for kind in (EmpiricalRoc, BinormalRoc, SemiparametricRoc, NormalRoc)
}


@overload
def roc(
    y: Labels,
    scores: Mapping[str, Scores],
    method: str = "empirical",
    *,
    positive: Label | None = None,
    groups: Labels | None = None,
) -> RocCurves: ...
@overload
def roc(
    y: Labels,
    scores: Scores,
    method: Literal["empirical"] = "empirical",
    *,
    positive: Label | None = None,
    groups: Labels | None = None,
) -> EmpiricalRoc: ...
@overload
def roc(y: Labels, scores: Scores, method: Literal["binormal"], *, positive: Label | None = None) -> BinormalRoc: ...
@overload
def roc(
    y: Labels, scores: Scores, method: Literal["semiparametric"], *, positive: Label | None = None
) -> SemiparametricRoc: ...
@overload
def roc(y: Labels, scores: Scores, method: Literal["normal"], *, positive: Label | None = None) -> NormalRoc: ...
@overload
def roc(y: Assessment | Fits, scores: None = None, method: Literal["empirical"] = "empirical") -> EmpiricalRoc: ...
@overload
def roc(
    y: Labels, scores: Scores, method: str, *, positive: Label | None = None, groups: Labels | None = None
) -> RocCurve: ...
@refuses_foreign
def roc(
    y: Labels | Assessment | Fits,
    scores: Scores | Mapping[str, Scores] | None = None,
    method: str = "empirical",
    *,
    positive: Label | None = None,
    groups: Labels | None = None,
) -> RocCurve | RocCurves:
    """ROC curve of scores, with the area and its standard error.

    Parameters
    ----------
    y : array-like of shape (n,), Assessment or Fits
        Two labels; or what was assessed, `roc(a)`, for the curve of one score per case by a rule that was not trained on
        it (`fits.left_out()` says which).
    scores : array-like of shape (n,), or mapping of str to such arrays
        High for the positive class; ±inf is allowed, NaN is not. Several by name give their curves together, with
        DeLong's test of every pair.
    method : {"empirical", "binormal", "semiparametric", "normal"}, default "empirical"
        "empirical": all thresholds, DeLong's standard error. "binormal": maximum likelihood on the order of the scores,
        or on ordinal ratings. "semiparametric": one shape for both classes, location and scale from the data.
        "normal": the scores are normal in both classes.
    positive : label, optional
        The positive class; may be omitted where the labels are 0/1, −1/1 or booleans.
    groups : array-like of shape (n,), optional
        The group of each case (patient, site, document), where only whole groups are independent. Standard errors and
        intervals of the empirical curve then count groups (docs/groups.md); fitted curves have no theory for it here.

    Returns
    -------
    EmpiricalRoc, BinormalRoc, SemiparametricRoc or NormalRoc; RocCurves of several scores
        With `fpf`, `tpf`, `thresholds`, `auc` (an Estimate), `partial_auc`, `tpf_at`, `fpf_at`, `best`, `band`,
        `frame` and `plot`.

    Raises
    ------
    UndefinedError
        Where a fitted curve does not exist, e.g. a binormal one of perfectly separated classes.

    See Also
    --------
    trueness.pr : Precision and recall.
    trueness.curves.operating_points : Operating points with standard errors, from cross-validation.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Dorfman & Alf (1969); Metz, Herman & Shen (1998); Obuchowski (1997).

    Examples
    --------
    >>> import trueness
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> c = trueness.roc(y, [0.1, 0.3, 0.4, 0.6, 0.35, 0.6, 0.8, 0.9])
    >>> print(c.auc)
    auc empirical: 0.84 ± 0.15
    >>> c.tpf_at(0.25).value
    0.75

    Two scores of each patient:

    >>> c = trueness.roc(y, [0.1, 0.3, 0.4, 0.6, 0.35, 0.6, 0.8, 0.9], groups=[1, 1, 2, 2, 3, 3, 4, 4])
    >>> c.auc.df, c.auc.noted("few-groups").data["groups"]
    (1.0, 2)
    """
    check_choice("method", method, METHODS, f"There is no ROC curve by the method {method!r}")
    if groups is not None and method != EmpiricalRoc.method:
        raise InputError(
            f"The {method} curve assumes independent cases and has no standard error for groups",
            param="groups",
            fix="Use {method='empirical'}, or leave {groups=} out",
        )
    if isinstance(y, (Assessment, Fits)):
        return METHODS[method].of(_left_out(y, scores, positive, groups))
    if scores is None:
        raise InputError("scores are required", param="scores", fix="Pass scores, or an assessment in place of y")
    if isinstance(scores, Mapping):
        if method != EmpiricalRoc.method:
            raise InputError("Several scores have empirical curves", param="method", got=repr(method))
        if not scores:
            raise InputError("scores is empty; at least 1 score is required", param="scores")
        return RocCurves({str(name): EmpiricalRoc.of(Scored.of(y, s, positive, groups)) for name, s in scores.items()})
    return METHODS[method].of(Scored.of(y, scores, positive, groups))


def _left_out(a: Assessment | Fits, *given: object) -> Scored:
    """One score per case, by a rule that was not trained on it."""
    if unused := [name for name, x in zip(("scores", "positive", "groups"), given, strict=True) if x is not None]:
        raise InputError("An assessment has this itself", param=unused[0], fix=f"Leave {unused[0]} out")
    fits = a.fits if isinstance(a, Assessment) else a
    found = None if fits is None else fits.left_out()
    if found is None:
        raise UndefinedError(
            "There is no ROC curve: it needs two classes and one left-out score per case",
            param="y",
            fix="trueness.curves.multiclass_roc draws several classes",
        )
    return found.data
