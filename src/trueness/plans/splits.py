"""Splits of others: a scikit-learn splitter, or pairs (train, test)."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from trueness.checks import DRAW, child, is_iterable, seed_sequence
from trueness.errors import InputError
from trueness.plans.plan import Plan, drawn_sample
from trueness.result.words import counted
from trueness.sample.design import Design, Kind
from trueness.sample.sample import Sample
from trueness.sample.splits import Pairs, design_of_splits, require_all_tested
from trueness.sample.targets import Task
from trueness.typing import Features, Labels, Rng


@dataclass(frozen=True, eq=False, repr=False)
class Splits(Plan):
    """Splits by a scikit-learn splitter, or given as pairs of index arrays.

    Passes that test every case once (`StratifiedKFold`, `RepeatedKFold`, `LeaveOneGroupOut`) are recognised as a
    cross-validation with repeats, one split as a holdout.

    Parameters
    ----------
    splits : splitter or iterable of (train, test)
        An object with a method `split(X, y, groups)`, or pairs of positions (or masks) of cases. A `random_state` of
        None is filled from `rng`. Of given pairs, each case must be tested by at least one, unless there is only one
        pair; a splitter may leave cases untested, as `TimeSeriesSplit` does, and gets a note.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.model_selection import RepeatedStratifiedKFold
    >>> plan = trueness.plans.Splits(RepeatedStratifiedKFold(n_splits=5, n_repeats=2))
    >>> plan.draw([0] * 10 + [1] * 10, rng=0)
    <Design of Splits(RepeatedStratifiedKFold(n_repeats=2, n_splits=5, random_state=None)): 10 training sets of 20 ...>
    >>> trueness.plans.Splits([([0, 1, 2, 3], [4, 5])]).draw([0, 1, 0, 1, 0, 1]).kind
    'holdout'
    """

    splits: Any
    kind: ClassVar[Kind] = "cv"
    form: ClassVar[str] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.splits, type):
            raise InputError(
                "plan must be a splitter, not its class",
                param="plan",
                got=self.splits.__name__,
                fix=f"Use {self.splits.__name__}(…)",
            )
        if hasattr(self.splits, "split") and not isinstance(self.splits, str):
            return
        if isinstance(self.splits, (str, bytes, dict)) or not is_iterable(self.splits):
            raise InputError(
                "splits must be a scikit-learn splitter or an iterable of (train, test)",
                param="plan",
                got=repr(self.splits),
            )
        object.__setattr__(self, "splits", tuple(self.splits))  # a generator can be read once

    def __repr__(self) -> str:
        return f"Splits({self._splits_in_words()})"

    def in_words(self, n_fits: int | None = None) -> str:
        told = self._splits_in_words()
        return told if isinstance(self.splits, tuple) else f"splits of {told}"

    def _splits_in_words(self) -> str:
        given = isinstance(self.splits, tuple)
        return counted(len(self.splits), "given split") if given else " ".join(repr(self.splits).split())

    def draw(
        self,
        y: Labels | Sample,
        groups: Labels | None = None,
        rng: Rng = None,
        X: Features = None,
        *,
        kind: Task | None = None,
    ) -> Design:
        """Draw the training sets.

        Parameters
        ----------
        y : array-like of shape (n,) or Sample
            Labels.
        groups : array-like of shape (n,), optional
            Group of each case, for splitters that use them. An error where a group is on both sides of a split.
        rng : int, SeedSequence, Generator or None, default None
            Fills a `random_state` of None; the same seed gives the same design.
        X : array-like of n rows, optional
            Features, for splitters that look at them.
        kind : {"classification", "regression"}, optional
            As in `Plan.draw`.

        Returns
        -------
        Design
        """
        sample = Sample.of(y if isinstance(y, Sample) else drawn_sample(y, groups, kind), X=X, groups=groups)
        seed = seed_sequence(rng)
        if not isinstance(self.splits, tuple):
            return design_of_splits(_split(self.splits, sample, child(seed, DRAW)), sample.labels_only(), self, seed)
        design = design_of_splits(self.splits, sample.labels_only(), self, seed)
        require_all_tested(design)
        return design


def _split(splitter: Any, sample: Sample, seed: np.random.SeedSequence) -> Pairs:
    """What the splitter yields for these cases; the splitter itself is not changed."""
    own = deepcopy(splitter)
    if getattr(own, "random_state", 0) is None and getattr(own, "shuffle", True):
        own.random_state = int(seed.generate_state(1)[0] % 2**31)
    X = np.zeros((sample.n, 1)) if sample.X is None else sample.X
    try:
        labels = sample.truth
        if type(own).__module__.startswith("sklearn.") and not _uses_groups(own):  # it would warn about them
            return list(own.split(X, labels))
        return list(own.split(X, labels, sample.groups))
    except Exception as error:
        name = type(splitter).__name__
        fix = "Pass {groups=}" if sample.groups is None and _uses_groups(splitter) else ""
        raise InputError(f"{name} cannot split these cases", param="plan", reason=str(error), fix=fix) from error


def _uses_groups(splitter: Any) -> bool:
    """Whether a splitter asks for groups, by scikit-learn's metadata routing."""
    routing = getattr(splitter, "get_metadata_routing", None)
    return routing is not None and bool(routing().consumes("split", ["groups"]))
