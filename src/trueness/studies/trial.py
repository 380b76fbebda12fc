"""Trial: one sample of a population, and what an estimator may ask of it."""

import warnings
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from trueness.checks import child
from trueness.errors import TruenessWarning
from trueness.fitting.engine import ScoresFrom, fit
from trueness.fitting.one import train
from trueness.plans.plan import Plan
from trueness.sample.fits import Fits
from trueness.sample.sample import Sample
from trueness.typing import Classifier, Floats, Ints

CASES, DESIGN, RULE, OWN = 0, 1, 2, 3  # spawn keys of a trial: cases, designs, its rule, an estimator's own numbers


@dataclass(frozen=True, eq=False)
class Trial:
    """One sample of a population, and what an estimator may ask of it.

    Attributes
    ----------
    X : array of shape (n, p)
        Features.
    y : array of shape (n,)
        Labels 0, …, C − 1.
    model : classifier
        Not fitted.
    plan : Plan
        Default plan of `fits()`.
    seed : SeedSequence
        Seed of the trial.
    scores : str, default "auto"
        What `fits()` asks of the model, as in `trueness.fit`: "predict_proba" where the metric needs probabilities.
    """

    X: Floats
    y: Ints
    model: Classifier
    plan: Plan
    seed: np.random.SeedSequence
    scores: ScoresFrom = "auto"
    _fits: dict[Plan, Fits] = field(default_factory=dict, repr=False)

    def fits(self, plan: Plan | None = None) -> Fits:
        """The model fitted on every training set of a plan; computed once, however many estimators ask."""
        plan = plan or self.plan
        if plan not in self._fits:
            design = plan.draw(self.y, rng=child(self.seed, DESIGN))
            with warnings.catch_warnings():  # 1-NN returns hard labels: one warning per trial
                warnings.simplefilter("ignore", TruenessWarning)
                self._fits[plan] = fit(self.model, self.X, self.y, design, n_jobs=1, scores=self.scores, progress=False)
        return self._fits[plan]

    @cached_property
    def rule(self) -> Classifier:
        """The model trained on all cases, whose true performance is to be estimated."""
        sample = Sample.of(self.y, X=self.X)
        rule: Classifier = train(self.model, sample, np.arange(sample.n), child(self.seed, RULE))
        return rule

    def rng(self) -> np.random.Generator:
        """Random numbers for an estimator."""
        return np.random.default_rng(child(self.seed, OWN))
