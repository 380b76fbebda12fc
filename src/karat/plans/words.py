"""Plans in words, for the first lines of a result: "10-fold cross-validation, 10 times"."""

from __future__ import annotations

from karat.plans.bootstrap import Bootstrap
from karat.plans.cv_bootstrap import CvBootstrap
from karat.plans.cv_halves import CvHalves
from karat.plans.holdout import Holdout
from karat.plans.kfold import KFold
from karat.plans.leave_one_out import LeaveOneOut
from karat.plans.monte_carlo import MonteCarlo
from karat.plans.nested import NestedKFold
from karat.plans.paired_subsampling import PairedSubsampling
from karat.result.digits import counted
from karat.sample.design import Design

STRATA = {False: ", classes not kept in proportion", "fixed": ", class sizes fixed by design"}
PREFIT = "a fitted model on a test set"


def in_words(design: Design) -> str:
    """How the training sets were drawn, and how many there are.

    Examples
    --------
    >>> import karat
    >>> in_words(karat.KFold(5, repeats=2).draw([0, 1] * 20, rng=0))
    '5-fold cross-validation, 2 times; 10 fits'
    """
    if design.plan == "prefit":
        return PREFIT
    strata = STRATA.get(getattr(design.plan, "stratified", True), "")
    return f"{plan_in_words(design.plan, design.n_fits)}{strata}; {counted(design.n_fits, 'fit')}"


def plan_in_words(plan: object, n_fits: int | None = None) -> str:
    """The plan in words, with the number of replicates that were drawn; as in Python where there are no words."""
    match plan:
        case CvBootstrap():
            drawn = plan.n_resamples if n_fits is None else n_fits - plan.n_folds * plan.repeats
            return f"{_folds(plan.n_folds, plan.repeats)}, and {_samples(drawn)}"
        case CvHalves():
            halvings = counted(plan.halvings, "halving")
            return f"{_folds(plan.n_folds, plan.repeats)}, and {plan.inner_folds}-fold in {halvings}"
        case Bootstrap():
            return _samples(plan.n_resamples if n_fits is None else n_fits)
        case NestedKFold():
            return f"nested {_folds(plan.n_folds, plan.repeats)}"
        case KFold():
            return _folds(plan.n_folds, plan.repeats)
        case LeaveOneOut():
            return "leave-one-out cross-validation"
        case MonteCarlo():
            return f"{plan.n_splits} random splits, each with {plan.test_size:.0%} of the cases for testing"
        case Holdout():
            return f"one random split, with {plan.test_size:.0%} of the cases for testing"
        case PairedSubsampling():
            return f"{plan.n_splits} random splits, and as many in each half of {counted(plan.inner, 'halving')}"
    return str(plan)


def _folds(k: int, repeats: int) -> str:
    return f"{k}-fold cross-validation" + (f", {repeats} times" if repeats > 1 else "")


def _samples(n: int | None) -> str:
    return "bootstrap samples" if n is None else counted(n, "bootstrap sample")
