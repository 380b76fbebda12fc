"""The mean performance of rules trained on m of n cases, with a standard error.

Random subsets S_b of m cases are trained on, the n − m others test. The mean over all subsets is a U-statistic of the n
cases. Its variance has three parts:

- test: the squared influence of the cases as test cases, (mean loss of case i − mean)/n; for an AUC DeLong's, from mean
  placements;
- training: at most (m/n) σ², where σ² is the variance of a rule's true performance over independent training sets of m
  cases (Hoeffding 1948: the variance of a U-statistic of order m is at most m/n times that of its kernel). σ² comes
  from the covariance of two test cases' losses under one rule, about the means of the cases. Subsets that
  leave these two out are drawn from n − 2 cases and vary less than independent ones, by 1 − m/(n − 2) for a sum over
  cases (n − 4 for two pairs), so (m/n) σ² is (m/n)/(1 − m/(n − 2)) times that covariance;
- both: twice the sum over cases of the product of their influences in the two roles. A case's influence on training is
  m/(n − m) times the mean effect of the rules trained on it; its noise does not depend on rules that left the case
  out. A negative sum counts as 0, and it is at most 2 √(test · training).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss, Metric
from trueness.result import Estimate
from trueness.result.note import Note
from trueness.sample.fits import Fits
from trueness.typing import Bools, Floats, Ints

MOST_PAIRS = 1e9  # pairs × rules
PARTS = Note(
    "subsampling-se",
    "The standard error covers test cases and training cases (these by an upper bound). Sizes are assessed on the same "
    "cases, so their errors are correlated.",
)

NEAR_CHANCE = Note(
    "near-chance",
    "The rules are hardly better than chance at some sizes. There the standard error varies strongly; in simulations "
    "95 % intervals of the AUC covered 84 to 93 %.",
)


def subsample_mean(fits: Fits, metric: Metric) -> Estimate:
    """Mean over random splits (`MonteCarlo`) of the metric of the left-out cases, for splits of at most half of the
    cases to train on.
    """
    fits = fits.with_probabilities() if metric.needs == "probabilities" else fits
    values = np.concatenate([metric.rows(block, block.left_out.astype(float)) for block in fits.blocks()])
    n, m = fits.sample.n, n_train_of(fits)
    e = Estimate(
        float(values.mean()),
        mc_se=float(values.std(ddof=1) / math.sqrt(len(values))),
        metric=metric.name,
        method="subsampling",
        estimand=f"mean over training sets of {m} cases",
        bounds=metric.bounds,
        interval=metric.interval,
        cases=fits.design.independent_units(metric.class_sets(fits.sample)),
    )
    if m > n / 2:
        return e.noting(_no_se("more than half of the cases are trained on, so training sets overlap too much"))
    if isinstance(metric, CaseLoss):
        losses, out = _losses(fits, metric)
        parts = loss_parts(losses, out, None if metric.class_weights is None else fits.sample.codes)
    elif isinstance(metric, AUC) and fits.sample.n_classes == 2:
        positive = fits.sample.is_positive()
        if float(positive.sum()) * float((~positive).sum()) * fits.n_fits > MOST_PAIRS:
            return e.noting(_no_se("there are too many pairs of cases"))
        scores, out = _scores(fits)
        parts = pair_parts(scores, out, positive)
    else:
        return e.noting(_no_se("it is known for means over cases and the AUC of two classes only"))
    variance = parts.variance(out)
    se = math.sqrt(sum(variance.values()))
    if se == 0 and e.value not in e.bounds:  # constant scores
        return e.noting(_no_se("no test case and no training set makes a difference"))
    chance = {"auc": 0.5, "error": fits.sample.majority_error}.get(metric.name, math.inf)
    near = NEAR_CHANCE if abs(e.value - chance) < 2 * se else None
    return e.with_(se=se, se_method="test + training", provenance={"variance": variance}).noting(PARTS, near)


@dataclass(frozen=True)
class Parts:
    """What the variance of a mean over splits is made of."""

    influence: Floats  # (n,) of each case as a test case
    test: float  # variance due to test cases
    shared: float  # covariance of two cases' (disjoint pairs') losses under one rule
    left: int  # cases that the covariance is conditional on having been left out: 2, or 4 for pairs
    effects: Floats  # (J,) mean loss of each rule, less what its test cases have under all rules

    def variance(self, out: Bools) -> dict[str, float]:
        """The three parts; `out` (J, n) says which cases each rule left out."""
        trained, n = ~out, out.shape[1]
        m = float(trained.sum(axis=1).mean())
        training = m / n / (1 - m / (n - self.left)) * max(self.shared, 0.0)
        of_rules = (self.effects @ trained) / np.maximum(trained.sum(axis=0), 1)  # (n,) mean over rules trained on i
        both = 2 * m / (n - m) * float(of_rules @ self.influence)
        most = 2 * math.sqrt(self.test * training)
        return {"test": self.test, "training": training, "both": min(max(both, 0.0), most)}


def n_train_of(fits: Fits) -> int:
    """Cases that each split trains on."""
    return int(fits.design.rows(slice(0, 1)).sum())


def loss_parts(losses: Floats, out: Bools, strata: Ints | None = None) -> Parts:
    """The parts of a mean of case losses (J, n), `out` (J, n) where rule b left case i out.

    Where the losses are weighted by class, so that the metric is a sum of class means (TPF, given priors), `strata`
    (n,) are the classes: cases then differ from their class mean only.
    """
    times, tested = out.sum(axis=0), out.sum(axis=1)
    means = np.where(out, losses, 0.0).sum(axis=0) / np.maximum(times, 1)
    means[times == 0] = means[times > 0].mean()  # no split tested this case, so nothing is known of it
    rest = np.where(out, losses - means, 0.0)
    shared = (rest.sum(axis=1) ** 2 - (rest**2).sum(axis=1)) / (tested * (tested - 1))
    n = len(means)
    unbiased = _unbiased(float(times.mean()))
    influence, test = np.empty(n), 0.0
    for members in [np.full(n, True)] if strata is None else [strata == c for c in np.unique(strata)]:
        influence[members] = (means[members] - means[members].mean()) / n
        test += members.sum() * float(means[members].var(ddof=1)) / n**2
    return Parts(
        influence=influence,
        test=test,
        shared=float(shared.mean()) * unbiased,
        left=2,
        effects=rest.sum(axis=1) / tested * unbiased,
    )


def pair_parts(scores: Floats, out: Bools, positive: Bools) -> Parts:
    """The parts of an AUC: losses are those of pairs, and the covariance is that of two disjoint pairs."""
    total = np.zeros((int(positive.sum()), int((~positive).sum())))
    times = np.zeros_like(total)
    for row, kept in zip(scores, out, strict=True):
        both = kept[positive][:, None] & kept[~positive]
        total += np.where(both, _order(row, positive), 0.0)
        times += both
    means = total / np.maximum(times, 1)
    means[times == 0] = means[times > 0].mean()  # no split tested this pair
    shared, effects = [], []
    for row, kept in zip(scores, out, strict=True):
        both = kept[positive][:, None] & kept[~positive]
        rest = np.where(both, _order(row, positive) - means, 0.0)
        n1, n0 = int(kept[positive].sum()), int(kept[~positive].sum())
        rows, columns = rest.sum(axis=1), rest.sum(axis=0)
        disjoint = rest.sum() ** 2 - (rows**2).sum() - (columns**2).sum() + (rest**2).sum()
        shared.append(disjoint / (n1 * (n1 - 1) * n0 * (n0 - 1)))
        effects.append(rest.sum() / (n1 * n0))
    influence = np.empty(len(positive))
    test = 0.0
    for members, placements in ((positive, means.mean(axis=1)), (~positive, means.mean(axis=0))):
        influence[members] = (placements - placements.mean()) / len(placements)
        test += float(placements.var(ddof=1)) / len(placements)  # DeLong et al. (1988)
    unbiased = _unbiased(float(times.mean()))
    return Parts(influence, test, float(np.mean(shared)) * unbiased, 4, np.array(effects) * unbiased)


def _unbiased(times: float) -> float:
    """A rule is part of the means that it is compared with."""
    return times / (times - 1)


def _order(scores: Floats, positive: Bools) -> Floats:
    """(n1, n0) 1 where the positive case scores higher, ½ for ties."""
    gap = scores[positive][:, None] - scores[~positive]
    return np.asarray((gap > 0) + 0.5 * (gap == 0))


def _losses(fits: Fits, loss: CaseLoss) -> tuple[Floats, Bools]:
    weights = loss.case_weights(fits.sample)
    blocks = list(fits.blocks())
    losses = np.concatenate([loss.left_out_losses(block) * weights for block in blocks])
    return losses, np.concatenate([block.left_out for block in blocks])


def _scores(fits: Fits) -> tuple[Floats, Bools]:
    blocks = list(fits.blocks())
    scores = np.concatenate([block.scores for block in blocks if block.scores is not None])
    return scores, np.concatenate([block.left_out for block in blocks])


def _no_se(why: str) -> Note:
    return Note("no-se-subsampling", f"No standard error: {why}.", reason=why)
