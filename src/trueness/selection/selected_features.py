"""selected: the features that a pipeline selects on every training set of a plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from trueness.api.design import PlanLike, design_of
from trueness.errors import FitError, InputError, Setting
from trueness.fitting.one import train_encoding
from trueness.fitting.threads import one_thread
from trueness.plans import Bootstrap
from trueness.sample import Sample
from trueness.sample.seeds import FIT, child
from trueness.sample.spellings import refuses_foreign
from trueness.typing import AnyModel, Bools, Classifier, Features, Labels, Rng

Ask = Callable[[Any], npt.ArrayLike]


@refuses_foreign
def selected(
    model: Classifier,
    X: Features,
    y: Labels,
    plan: PlanLike | None = None,
    step: str | Ask | None = None,
    groups: Labels | None = None,
    rng: Rng = None,
) -> pd.DataFrame:
    """The features that a model selects on each training set.

    Parameters
    ----------
    model : estimator
        A scikit-learn Pipeline with a selecting step, or any model together with a function as `step`.
    X : array-like, DataFrame or sparse matrix of shape (n, p)
        Features.
    y : array-like of shape (n,)
        Labels.
    plan : Plan, Design, splitter, int or iterable of (train, test), optional
        How training sets are drawn; `Bootstrap(100)` by default.
    step : str or callable, optional
        Name of the step of the pipeline whose `get_support()` is asked, by default the only one that has it. Or a
        function of the fitted model that returns one truth value per feature, e.g. `lambda rule: rule.coef_[0] != 0`.
    groups : array-like of shape (n,), optional
        Group of each case.
    rng : int, SeedSequence, Generator or None, default None
        Seed of the draws and of the fits.

    Returns
    -------
    DataFrame of bool of shape (M, d)
        One row per training set, for `trueness.selection.stability`. Columns are those of X where the selection is among
        them, else numbers.

    Raises
    ------
    InputError
        Where no step, or several, can be asked, or the answers have different lengths.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> sets = trueness.selection.selected(make_pipeline(SelectKBest(k=3), GaussianNB()), X, y, trueness.Bootstrap(20), rng=0)
    >>> sets.shape, sets["flavanoids"].all()
    ((20, 13), np.True_)
    """
    if isinstance(step, type):
        fix = f"Use {step.__name__}(…), the name of a step or a function of the fitted model"
        raise InputError("step must not be a class", param="step", got=step.__name__, fix=fix)
    ask = step if callable(step) else _asker(model, step)
    sample = Sample.of(y, X=X, groups=groups)
    design = design_of(Bootstrap(100) if plan is None else plan, sample, rng)
    if design.kind == "holdout" and not design.counts.any():
        raise InputError(
            "A fitted model has one selection only",
            param="plan",
            got='"prefit"',
            fix=("Leave ", Setting("plan"), "out"),
        )
    rows: list[Bools] = []
    with one_thread():
        for f in range(design.n_fits):
            counts = design.rows(slice(f, f + 1))[0]
            cases = np.repeat(np.arange(sample.n), counts)
            try:
                rule, sample = train_encoding(model, sample, cases, child(design.seed, FIT, f))
            except Exception as error:
                why = f"{type(error).__name__}: {' '.join(str(error).split())}"
                raise FitError(f"The model does not fit on training set {f}", param="model", reason=why) from error
            rows.append(_support(ask(rule)))
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        raise InputError(
            "The number of features that are selected from differs between training sets",
            param="step",
            got=f"{lengths[0]} to {lengths[-1]}",
            fix="Select before a step whose columns depend on the training set, or pass a function",
        )
    columns = list(X.columns) if hasattr(X, "columns") and len(X.columns) == lengths[0] else range(lengths[0])
    return pd.DataFrame(np.array(rows), columns=columns)


def _asker(model: AnyModel, step: str | None) -> Ask:
    """A function that asks the named step of a pipeline for its support."""
    steps = dict(getattr(model, "steps", ()))
    able = [name for name, part in steps.items() if hasattr(part, "get_support")]
    if step is None:
        if len(able) != 1:
            raise InputError(
                f"The model has {'several steps' if able else 'no step'} with get_support()",
                param="step",
                got=", ".join(able or steps) or type(model).__name__,
                fix=("Name the step, or pass a function of the fitted model as ", Setting("step")),
            )
        step = able[0]
    elif step not in able:
        raise InputError(
            f"The model has no step {step!r} with get_support()",
            param="step",
            fix=f"Steps with get_support(): {', '.join(able) or 'none'}",
        )
    return lambda rule: rule.named_steps[step].get_support()


def _support(answer: npt.ArrayLike) -> Bools:
    found = np.asarray(answer)
    if found.ndim != 1 or not np.isin(found, (0, 1)).all():
        raise InputError("step must return one truth value per feature", param="step", got=f"shape {found.shape}")
    return found.astype(bool)
