"""Trial: one sample of a population, and what an estimator may ask of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from karat.errors import KaratWarning
from karat.fitting.engine import fit
from karat.fitting.one import train
from karat.plans.plan import Plan
from karat.sample.fits import Fits
from karat.sample.sample import Sample
from karat.sample.seeds import child

CASES, DESIGN, FULL, OWN = 0, 1, 2, 3  # spawn keys of a trial: cases, designs, the rule, an estimator's own numbers


@dataclass(frozen=True, eq=False)
class Trial:
    """One trial: a sample of the population, and what an estimator may ask of it.

    Attributes
    ----------
    X, y
        The sample; labels 0, …, C − 1.
    model
        Not fitted.
    plan
        The plan of `fits()` where none is named.
    scores
        What `fits()` asks of the model, as in `karat.fit`: "predict_proba" where the metric needs probabilities.
    """

    X: Any
    y: np.ndarray
    model: Any
    plan: Plan
    seed: np.random.SeedSequence
    scores: str = "auto"
    _fits: dict[Plan, Fits] = field(default_factory=dict, repr=False)

    def fits(self, plan: Plan | None = None) -> Fits:
        """The model fitted on every training set of a plan; once, however many estimators ask."""
        plan = plan or self.plan
        if plan not in self._fits:
            design = plan.draw(self.y, rng=child(self.seed, DESIGN))
            with warnings.catch_warnings():  # of 1-NN's hard labels, a thousand times
                warnings.simplefilter("ignore", KaratWarning)
                self._fits[plan] = fit(self.model, self.X, self.y, design, n_jobs=1, scores=self.scores, progress=False)
        return self._fits[plan]

    @cached_property
    def rule(self) -> Any:
        """The model trained on all cases: whose true performance is to be estimated."""
        sample = Sample.of(self.y, X=self.X)
        return train(self.model, sample, np.arange(sample.n), child(self.seed, FULL))

    def rng(self) -> np.random.Generator:
        """Random numbers of the estimator's own."""
        return np.random.default_rng(child(self.seed, OWN))
