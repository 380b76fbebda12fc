"""selected: the features that a pipeline selects on every training set; stability: how much they change between them."""

import math
import reprlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from trueness.api.call import PlanLike, design_of
from trueness.checks import FIT, check_level, child
from trueness.errors import FitError, InputError, UndefinedError
from trueness.figures.figure import Dot, Figure, forest
from trueness.fitting.one import train_encoding
from trueness.fitting.workers import one_thread
from trueness.formulas import intervals
from trueness.plans.bootstrap import Bootstrap
from trueness.result.columns import Column, Columns
from trueness.result.estimate import Estimate
from trueness.result.interval import Interval, IntervalRule
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Result
from trueness.result.words import Named
from trueness.sample.sample import Sample
from trueness.typing import AnyModel, Bools, Classifier, Features, Floats, Ints, Labels, Record, Rng

Ask = Callable[[Any], npt.ArrayLike]


def selected(
    model: Classifier,
    X: Features,
    y: Labels,
    plan: PlanLike | None = None,
    *,
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
        raise InputError("step must be a name or a function, not a class", param="step", got=step.__name__)
    ask = step if callable(step) else _asker(model, step)
    sample = Sample.of(y, X=X, groups=groups)
    design = design_of(Bootstrap(100) if plan is None else plan, sample, rng)
    if design.kind == "holdout" and not design.counts.any():
        raise InputError("A fitted model has one selection only", param="plan", got="'prefit'")
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
        )
    columns = list(X.columns) if hasattr(X, "columns") and len(X.columns) == lengths[0] else range(lengths[0])
    return pd.DataFrame(np.array(rows), columns=columns)


def _asker(model: AnyModel, step: str | None) -> Ask:
    """A function that asks the named step of a pipeline for its support."""
    steps = dict(getattr(model, "steps", ()))
    able = [name for name, part in steps.items() if hasattr(part, "get_support")]
    if step not in (able if len(able) != 1 else [None, *able]):
        raise InputError(
            "step must be one with get_support(), or a function of the fitted model",
            param="step",
            got=repr(step),
            fix=f"Steps with get_support(): {', '.join(able) or 'none'}",
        )
    return lambda rule: rule.named_steps[step or able[0]].get_support()


def _support(answer: npt.ArrayLike) -> Bools:
    found = np.asarray(answer)
    if found.ndim != 1 or not np.isin(found, (0, 1)).all():
        raise InputError("step must return one truth value per feature", param="step", got=f"shape {found.shape}")
    return found.astype(bool)


THESE_CASES = Note("resamples-of-these-cases")


class Normal(IntervalRule):
    """value ± z·mc_se: Nogueira, Sechidis & Brown (2018), corollary 9."""

    name = Named("nogueira", "normal")
    needs_se = False

    def limits(self, e: Estimate, level: float) -> Interval:
        assert e.mc_se is not None
        note = Note("equal-sets") if e.mc_se == 0 else None
        half = intervals.quantile(level) * e.mc_se
        return self.clipped(e, e.value - half, e.value + half, level, note)


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Result, Drawn, Cited):
    """What `trueness.selection.stability` returns.

    Attributes
    ----------
    index : Estimate
        Nogueira's stability: 1 where all sets are equal, 0 where they agree no more than random sets of their sizes.
    features : tuple
        Names.
    times : ndarray of shape (d,)
        In how many sets each feature is.
    sizes : ndarray of shape (M,)
        How many features each set has.
    level : float
        Level of the interval.
    """

    index: Estimate
    features: tuple[Any, ...]
    times: Ints = field(repr=False)
    sizes: Ints = field(repr=False)
    level: float = 0.95

    def _named(self) -> list[tuple[str, Estimate]]:
        return [("stability", self.index)]

    def frame(self) -> pd.DataFrame:
        """One row per feature, most frequent first: `feature`, `times`, `share`."""
        table = pd.DataFrame({"feature": self.features, "times": self.times, "share": self.times / len(self.sizes)})
        return table.sort_values("times", ascending=False, kind="stable", ignore_index=True)

    def figure(self, most: int = 12) -> Figure:
        """In which share of the sets the most frequent features are."""
        top = self.frame().head(most)
        dots = [Dot(str(f), v, 0.0, v, f"{v:.0%}") for f, v in zip(top.feature, top.share, strict=True)]
        return forest(dots, "Selected features", "share of the sets that hold the feature")

    columns: ClassVar[Columns] = {
        "feature": Column("feature"),
        "times": Column("times"),
        "share": Column("share", ".1%"),
    }
    heading = "Sets of features: {n_sets}"
    template = "Stability {index:ci}. Features in all sets: {always} of {n_features}; in none: {never}."

    @property
    def n_sets(self) -> int:
        """Number of sets."""
        return len(self.sizes)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    @property
    def always(self) -> int:
        """How many features are in all sets."""
        return int((self.times == self.n_sets).sum())

    @property
    def never(self) -> int:
        """How many features are in no set."""
        return int((self.times == 0).sum())

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know."""
        return self.index.notes

    def rows(self) -> list[Record]:
        """The most frequent features."""
        top = self.frame().head(20)
        return list(map(dict, top.assign(feature=top["feature"].map(str)).to_dict("records")))


def stability(selected: npt.ArrayLike | pd.DataFrame, *, level: float = 0.95) -> Stability:
    """Stability of feature selection, with its interval, and how often each feature is selected.

    Parameters
    ----------
    selected : DataFrame or array-like of shape (M, d)
        1 or True where set m holds feature f, e.g. from `trueness.selection.selected`. Columns of a DataFrame name the
        features.
    level : float, default 0.95
        Level of the interval.

    Returns
    -------
    Stability

    Raises
    ------
    InputError
        Where it is not a table of 0 and 1 with at least two rows.
    UndefinedError
        Where all sets are empty, or all hold every feature: the index compares sets with random ones of their sizes.

    Notes
    -----
    The index does not depend on how many features are selected: random sets have 0 on average. Values below .4 are
    often called poor and above .75 excellent (Fleiss's words for agreement, of which this index is a special case).

    References
    ----------
    Nogueira, Sechidis & Brown (2018), JMLR 18 (174), definition 4 and corollary 9.

    Examples
    --------
    >>> import trueness
    >>> s = trueness.selection.stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    >>> round(s.index.value, 4)
    0.3333
    >>> s.frame()["times"].tolist()
    [3, 2, 1, 0]
    """
    check_level(level)
    table, names = _binary(selected)
    value, variance = index_and_variance(table)
    e = Estimate(
        value,
        mc_se=math.sqrt(variance),
        metric="stability",
        method=Named("nogueira", "Nogueira's index", "nogueira_2018"),
        estimand="stability of the selection over training sets drawn like these",
        bounds=(-1.0, 1.0),
        interval=Normal(),
        provenance={"sets": len(table)},
    ).noting(THESE_CASES)
    times, sizes = (table.sum(axis=axis).astype(np.intp) for axis in (0, 1))
    return Stability(e, names, times, sizes, level)


def index_and_variance(z: Floats) -> tuple[float, float]:
    """Φ̂ and v(Φ̂) of a table (M, d) of 0 and 1.

    Φ̂ = 1 − (1/d) Σ_f s_f² / [(k̄/d)(1 − k̄/d)],  s_f² = M/(M − 1) p_f (1 − p_f)     (definition 4)
    v = 4/M² Σ_i (Φ̂_i − mean Φ̂_i)²                                                 (its variance)
    """
    m, d = z.shape
    p, k = z.mean(axis=0), z.sum(axis=1)
    mean_k = p.sum()
    spread = (mean_k / d) * (1 - mean_k / d)
    if spread <= 0:
        what = "empty" if mean_k == 0 else "equal to all features"
        raise UndefinedError(f"Stability is undefined: all sets are {what}", param="selected")
    phi = 1 - m / (m - 1) * np.mean(p * (1 - p)) / spread
    at = 2 * k * mean_k / d**2 - k / d - mean_k / d + 1
    phi_i = ((z @ p) / d - k * mean_k / d**2 + phi / 2 * at) / spread
    return float(phi), float(4 / m**2 * ((phi_i - phi_i.mean()) ** 2).sum())


def _binary(selected: object) -> tuple[Floats, tuple[Any, ...]]:
    names = tuple(selected.columns) if isinstance(selected, pd.DataFrame) else None
    try:
        z = np.asarray(selected, dtype=float)
    except (TypeError, ValueError):
        z = np.empty(0)
    if z.ndim != 2 or not np.isin(z, (0, 1)).all():
        problem, fix = "selected must be a table of 0 and 1", "Pass one row per training set and one column per feature"
        raise InputError(problem, param="selected", got=reprlib.repr(selected), fix=fix)
    if len(z) < 2 or z.shape[1] < 2:
        raise InputError("Stability needs two sets and two features or more", param="selected", got=f"shape {z.shape}")
    return z, names or tuple(range(z.shape[1]))
