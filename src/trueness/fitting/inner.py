"""Splits inside a model: copies of a case stay on one side, and splitters get the groups they ask for.

A bootstrap training set repeats cases. A model that splits it again, to tune a parameter, to calibrate or to stop
early, would train on one copy and validate on another, and take memory for skill. So the splits that a model makes by
its parameter `cv` are drawn among the distinct cases, by the splitter that it has, and a case's copies follow it.
"""

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import TargetEncoder

from trueness.sample.asked import rows_of
from trueness.sample.sample import first_alike
from trueness.typing import AnyModel, Array, Features, Integers

FOLDS = 5  # of scikit-learn's meta-estimators where cv is None
STOPS_EARLY = 10_000  # cases from which early_stopping="auto" holds


class Together:
    """A splitter that splits distinct cases as another one does, and lets their copies follow: `cases` (m,) says which
    case each row of the training set is a copy of, `groups` (m,) its group, for splitters that ask for it.

    >>> from sklearn.model_selection import KFold
    >>> splitter = Together(KFold(2), np.array([0, 0, 0, 1, 2, 2, 3]), None)
    >>> [test.tolist() for _, test in splitter.split(np.zeros((7, 1)), np.zeros(7))]
    [[0, 1, 2, 3], [4, 5, 6]]
    """

    def __init__(self, splitter: Any, cases: Integers, groups: Integers | None) -> None:
        self.splitter, self.cases, self.groups = splitter, cases, groups

    def __repr__(self) -> str:
        return f"Together({self.splitter!r})"

    def get_n_splits(self, X: Features = None, y: Any = None, groups: object = None) -> int:
        if X is None:
            return int(self.splitter.get_n_splits())
        first, _ = self._distinct(X, y)
        return int(self._asked("get_n_splits", X, y, first))

    def split(self, X: Features, y: Any = None, groups: object = None) -> Iterator[tuple[Array, Array]]:
        first, place = self._distinct(X, y)
        for sides in list(self._asked("split", X, y, first)):
            train, test = (np.flatnonzero(np.isin(place, side)) for side in sides)
            yield train, test

    def _asked(self, method: str, X: Features, y: Any, first: Integers) -> Any:
        """The splitter's answer about the distinct cases."""
        groups = self.groups[first] if self.groups is not None and len(self.groups) == _rows(X) else None
        found = getattr(self.splitter, method)(rows_of(X, first), None if y is None else np.asarray(y)[first], groups)
        return found if method == "get_n_splits" else list(found)

    def _distinct(self, X: Features, y: Any) -> tuple[Integers, Integers]:
        """The first row of each case, and the place of each row's case among them."""
        cases = self.cases
        if len(cases) != _rows(X):  # a model inside a model sees a part of the rows; copies are neighbours in it
            alike = first_alike(X)
            alike = np.arange(_rows(X)) if alike is None else alike
            new = alike[1:] != alike[:-1]
            if y is not None:
                new |= np.asarray(y)[1:] != np.asarray(y)[:-1]
            cases = np.concatenate([[0], np.cumsum(new)])
        _, first, place = np.unique(cases, return_index=True, return_inverse=True)
        return first, place


def _rows(X: Features) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def owners(model: AnyModel) -> Iterator[tuple[str, AnyModel]]:
    """The model and every estimator inside it, each with the prefix of its parameters."""
    yield "", model
    if hasattr(model, "get_params"):
        for name, value in model.get_params(deep=True).items():
            if hasattr(value, "get_params") and not isinstance(value, type):
                yield f"{name}__", value


def inner_splits(model: AnyModel) -> list[str]:
    """Names of the parameters `cv` by which the model, or one inside it, splits its training set."""
    return [f"{prefix}cv" for prefix, owner in owners(model) if _splitter(owner) is not None]


def keep_together(model: AnyModel, names: list[str], cases: Integers, groups: Integers | None) -> AnyModel:
    """The model, changed in place, with its inner splits among distinct cases."""
    every = dict(owners(model))
    found = {name: _splitter(every[name.removesuffix("cv")]) for name in names}
    return model.set_params(**{name: Together(splitter, cases, groups) for name, splitter in found.items()})


def _splitter(owner: AnyModel) -> Any:
    """The splitter that an estimator's `cv` stands for; None where it has none, or none that can be replaced."""
    params = owner.get_params(deep=False) if hasattr(owner, "get_params") else {}
    cv = params.get("cv", "none")
    if hasattr(cv, "split") and hasattr(cv, "get_n_splits"):
        return cv
    if isinstance(cv, str) or leaves_one_out(owner):
        return None
    from sklearn.model_selection import KFold, StratifiedKFold, StratifiedShuffleSplit

    if isinstance(cv, float):  # TunedThresholdClassifierCV
        return StratifiedShuffleSplit(1, test_size=cv, random_state=params.get("random_state"))
    if cv is not None and (not isinstance(cv, Integral) or isinstance(cv, bool)):
        return None  # pairs of index arrays
    inner = [owner, params.get("estimator")]
    classifies = any(is_classifier(each) for each in inner if hasattr(each, "__sklearn_tags__"))
    stratified = classifies or isinstance(owner, TargetEncoder)
    return (StratifiedKFold if stratified else KFold)(FOLDS if cv is None else int(cv))


def leaves_one_out(owner: AnyModel) -> bool:
    """Whether it leaves single cases out by a formula."""
    if getattr(owner, "cv", "none") is not None:
        return False
    from sklearn.linear_model import RidgeClassifierCV, RidgeCV

    return isinstance(owner, (RidgeCV, RidgeClassifierCV))


def mixing_groups(model: AnyModel) -> list[str]:
    """Names of the estimators whose inner splits do not look at groups; splitters of other libraries may."""
    from sklearn import model_selection as m

    asking = (m.GroupKFold, m.GroupShuffleSplit, m.LeaveOneGroupOut, m.LeavePGroupsOut, m.StratifiedGroupKFold)
    found = [(type(owner).__name__, _splitter(owner)) for _, owner in owners(model)]
    own = [(name, splitter) for name, splitter in found if type(splitter).__module__.startswith("sklearn.")]
    return sorted({name for name, splitter in own if not isinstance(splitter, asking)})


def apart(model: AnyModel, n: int) -> list[str]:
    """Names of the estimators that split the training set in a way that copies cannot be kept together in."""
    stopping = stops_early(model, n)
    names = set()
    for prefix, owner in owners(model):
        if (prefix and leaves_one_out(owner)) or (validates(owner, n) and owner is not stopping):
            names.add(type(owner).__name__)
    return sorted(names)


def validates(owner: AnyModel, n: int) -> bool:
    """Whether an estimator holds out a part of n training cases by itself, to know when to stop."""
    params = owner.get_params(deep=False) if hasattr(owner, "get_params") else {}
    if params.get("validation_fraction") is None:
        return False
    stop = params.get("early_stopping", params.get("n_iter_no_change") is not None)
    return bool(n > STOPS_EARLY if stop == "auto" else stop)


def stops_early(model: AnyModel, n: int) -> AnyModel:
    """The HistGradientBoostingClassifier with early stopping that the model is, or that its pipeline ends with."""
    plain = type(model) is Pipeline and model.memory is None and len(model.steps) > 1
    last = model.steps[-1][1] if plain else model
    if not validates(last, n):
        return None
    from sklearn.ensemble import HistGradientBoostingClassifier

    return last if type(last) is HistGradientBoostingClassifier else None


def fit_with_validation_set(model: AnyModel, X: Features, y: Array, cases: Integers) -> AnyModel:
    """Fit a model that `stops_early`, with a validation set of whole cases, of the size that it asks for."""
    from sklearn.model_selection import train_test_split

    last = stops_early(model, len(y))
    if last is not model:
        X = model[:-1].fit_transform(X, y)  # these steps are those of the model
    last.set_params(early_stopping=True)
    _, first, place = np.unique(cases, return_index=True, return_inverse=True)
    _, held = train_test_split(
        np.arange(len(first)), test_size=last.validation_fraction, stratify=y[first], random_state=last.random_state
    )
    kept = ~np.isin(place, held)
    train, val = np.flatnonzero(kept), np.flatnonzero(~kept)
    last.fit(rows_of(X, train), y[train], X_val=rows_of(X, val), y_val=y[val])
    return model
