"""Cross-validation and a bootstrap on the same cases: what the default interval is made of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from trueness.checks import check_whole
from trueness.errors import InputError
from trueness.plans.bootstrap import Bootstrap
from trueness.plans.kfold import KFold
from trueness.plans.plan import JoinedPlan, folds_in_words, samples_in_words, strata_of, units_of
from trueness.sample.design import Design, Kind
from trueness.sample.sample import Sample
from trueness.typing import Stratified

MAX_SCORES = 300_000_000  # cases × replicates of the default; 11 bytes each
MIN_CLASS_FOR_PLAIN_DRAWS = 20  # cases or groups: from so many on, a plain draw does not lose the class


@dataclass(frozen=True)
class CvBootstrap(JoinedPlan):
    """Repeated K-fold cross-validation, whose mean estimates the rule trained on all cases, and a bootstrap, which
    tells how much that rule depends on its training cases.

    Parameters
    ----------
    n_folds : int, default 10
        K; at most the number of cases (or groups) in the smallest class.
    repeats : int, default 10
        Independent partitions, at least 2.
    n_resamples : int, optional
        Bootstrap replicates; by default 3√n, at least 100, and above 215,000 cases no more than 3·10⁸/n: their scores
        fill 3 GB of temporary files then. The standard error is less exact with so few, and larger on average.
        With 100, another seed changes the standard error by 12 to 15 %; with 400, by half of that
        (docs/how-many-fits.md).
    stratified : bool or "fixed", default True
        Deal the cases of each class to the folds separately. The bootstrap draws all cases together, so that training
        sets vary in their class sizes as samples do, unless a class has fewer than 20 cases. "fixed" says that the
        class sizes were fixed by design (a case-control study): draws keep them, and standard errors too.

    Examples
    --------
    >>> import trueness
    >>> trueness.CvBootstrap().draw([0] * 30 + [1] * 30, rng=0).n_fits
    200
    """

    n_folds: int = 10
    repeats: int = 10
    n_resamples: int | None = None
    stratified: Stratified = True
    kind: ClassVar[Kind] = "cv+bootstrap"
    least: ClassVar[Mapping[str, int]] = {"n_folds": 2, "repeats": 2}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_resamples is not None:
            check_whole("n_resamples", self.n_resamples, 2)

    def longer(self, n: int, design: Design) -> CvBootstrap:
        """n more repeats, and as many more replicates as they have fits, so that both parts grow together."""
        folds, replicates = design.parts[0].n_folds, design.parts[1].n_fits
        return replace(self, repeats=self.repeats + n, n_resamples=replicates + n * folds)

    def in_words(self, n_fits: int | None = None) -> str:
        return f"{folds_in_words(self.n_folds, self.repeats)}, and {samples_in_words(self.n_resamples)}"

    def _plans(self, sample: Sample) -> tuple[KFold, Bootstrap]:
        _, codes, _ = units_of(sample)
        stratified = bool(self.stratified) and sample.groups_are_pure
        smallest = min(len(stratum) for stratum in strata_of(codes, stratified))
        if smallest < 2:
            what = "cases" if sample.groups is None else "groups"
            raise InputError(f"Cross-validation needs at least 2 {what} of each class", param="y", got=smallest)
        replicates = self.n_resamples or max(100, min(math.ceil(3 * math.sqrt(sample.n)), MAX_SCORES // sample.n))
        within: Stratified = self.stratified
        if self.stratified is True and smallest >= MIN_CLASS_FOR_PLAIN_DRAWS:
            within = False
        return KFold(min(self.n_folds, smallest), self.repeats, self.stratified), Bootstrap(replicates, within)
