"""Variance of a metric over training sets and over test sets, from B rules that all scored the same test set.

Rules t and test set s are independent. With A(t, s) the metric of one rule on one test set,

    Var A = Var_t E_s[A | t] + E_t Var_s[A | t]      total = training + testing

(Yousef, Wagner & Loew 2006; Chen, Gallas & Yousef 2012). Both terms are linear in second moments of the kernel: means
of products of two kernel values that share the rule, the positive case, the negative case, or none. Their estimates are
averages over distinct indices, so with B independent training sets every term is unbiased.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trueness.errors import UndefinedError
from trueness.typing import Bools, Floats, Ints


@dataclass(frozen=True)
class Components:
    """The two parts of the variance of a metric of one rule on one test set."""

    training: float  # Var_t of the true performance of the rule; an estimate may be negative
    testing: float  # E_t of the variance over test sets; an estimate may be negative
    # the part of `testing` that rules of other training sets share: the covariance of two rules on one test set
    shared: float

    @property
    def total(self) -> float:
        """Variance of the metric of one rule on one test set."""
        return self.training + self.testing

    def of_mean(self, rules: int) -> float:
        """Variance of the mean over this many independent training sets, all tested on one test set (Chen, Gallas &
        Yousef 2012): training/B + shared + (testing − shared)/B."""
        return self.shared + (self.training + self.testing - self.shared) / rules


@dataclass(frozen=True)
class PairMoments:
    """Second moments of the AUC's kernel ψ_ij, i positive, j negative, all indices distinct."""

    one: Floats  # (4,) M1 = E ψ_ij², M2 = E ψ_ij ψ_i'j, M3 = E ψ_ij ψ_ij', M4 = E ψ_ij ψ_i'j' of one rule
    two: Floats  # (4,) M5 … M8, the same with the two factors from two rules

    def components(self, sizes: Sequence[int]) -> Components:
        """The variance with `sizes` = (positives, negatives) in the test set."""
        n1, n0 = sizes
        shares = np.array([1.0, n1 - 1, n0 - 1, (n1 - 1) * (n0 - 1) - n1 * n0]) / (n1 * n0)  # c1, c2, c3, c4 − 1
        largest = float(self.one[0])
        return _components(
            float(self.one[3] - self.two[3]), float(shares @ self.one), float(shares @ self.two), largest
        )


@dataclass(frozen=True)
class CaseMoments:
    """Second moments of the loss L_i of a case, i ≠ i', for each stratum of the test set."""

    # (4, S) K1 = E L_i² and K2 = E L_i L_i' of one rule, K3 = E L_i(t) L_i(t') and K4 = E L_i(t) L_i'(t') of two
    of: Floats
    weights: Floats  # (S,) P_c: the metric is Σ_c P_c (mean loss of stratum c)
    across: float  # Σ P_c P_c' over c ≠ c' of the covariance over training sets of the means of two strata

    def components(self, sizes: Sequence[int]) -> Components:
        """The variance with `sizes` cases in the strata of the test set."""
        k1, k2, k3, k4 = self.of
        w, n = self.weights**2, np.asarray(sizes, dtype=float)
        testing, shared = float((w * (k1 - k2) / n).sum()), float((w * (k3 - k4) / n).sum())
        return _components(float(w @ (k2 - k4)) + self.across, testing, shared, float(w @ k1))


Moments = PairMoments | CaseMoments

ROUNDING = 1e-13  # a component below this share of the second moment is 0 but for rounding


def _components(training: float, testing: float, shared: float, moment: float) -> Components:
    return Components(*(0.0 if abs(part) <= ROUNDING * moment else part for part in (training, testing, shared)))


def pair_moments(scores: Floats, positive: Bools, minus: Floats | None = None) -> PairMoments:
    """M1 … M8 of the AUC of scores (B, n), one row per rule; of the difference from the AUC of a second model trained
    on the same B training sets, whose scores are `minus`, with the kernel ψ(scores) − ψ(minus).

    An UndefinedError with fewer than 2 rules, or fewer than 2 cases of a class: there is no pair of distinct indices.
    """
    n1, n0, rules = int(positive.sum()), int((~positive).sum()), len(scores)
    require_pairs(rules, min(n1, n0))
    models = [s for s in (scores, minus) if s is not None]
    down = [np.ascontiguousarray(s[:, ~positive]) for s in models]
    of_case, of_other, squares, squares_of_sum = np.empty((rules, n1)), np.zeros((rules, n0)), np.zeros(rules), 0.0
    for i, case in enumerate(np.flatnonzero(positive)):
        psi = _psi(models[0][:, case, None], down[0])
        if minus is not None:
            psi -= _psi(minus[:, case, None], down[1])
        of_case[:, i] = psi.sum(axis=1)
        of_other += psi
        squares += (psi**2).sum(axis=1)
        squares_of_sum += float((psi.sum(axis=0) ** 2).sum())
    each = np.stack(
        [squares, (of_other**2).sum(axis=1), (of_case**2).sum(axis=1), of_case.sum(axis=1) ** 2]
    )  # (4, B) sums of squares over pairs, negatives, positives and of the whole
    whole = np.array(
        [squares_of_sum, (of_other.sum(axis=0) ** 2).sum(), (of_case.sum(axis=0) ** 2).sum(), of_case.sum() ** 2]
    )  # the same of the kernel summed over rules: products of a rule with itself and with all others
    one, two = each.mean(axis=1), (whole - each.sum(axis=1)) / (rules * (rules - 1))
    return PairMoments(_distinct_pairs(one, n1, n0), _distinct_pairs(two, n1, n0))


def case_moments(losses: Floats, strata: Sequence[Ints], weights: Floats) -> CaseMoments:
    """K1 … K4 of a mean of losses (B, n), one row per rule; of a difference with losses that are differences.

    An iid test set is one stratum of weight 1 with all cases; where the sizes of the classes were fixed, they are the
    strata. An UndefinedError with fewer than 2 rules, or fewer than 2 cases in a stratum.
    """
    rules = len(losses)
    require_pairs(rules, min(map(len, strata)))
    pairs = rules * (rules - 1)
    of, means = np.empty((4, len(strata))), np.empty((len(strata), rules))
    for c, cases in enumerate(strata):
        some, n = losses[:, cases], len(cases)
        sums, squares, of_sum = some.sum(axis=1), (some**2).sum(axis=1), (some.sum(axis=0) ** 2).sum()
        of[0, c] = squares.mean() / n
        of[1, c] = (sums**2 - squares).mean() / (n * (n - 1))
        of[2, c] = (of_sum - squares.sum()) / (pairs * n)
        of[3, c] = (sums.sum() ** 2 - of_sum - (sums**2 - squares).sum()) / (pairs * n * (n - 1))
        means[c] = sums / n
    return CaseMoments(of, weights, _across(means * weights[:, None]))


def _across(means: Floats) -> float:
    """Σ_{c ≠ c'} of the covariance over rules of the weighted means (S, B) of two strata."""
    if len(means) == 1:
        return 0.0
    covariance = np.cov(means)  # same t − different t, with divisor B − 1
    return float(covariance.sum() - np.trace(covariance))


def _psi(up: Floats, down: Floats) -> Floats:
    """ψ = 1, ½, 0 where the positive scores higher, equal, lower."""
    return np.asarray((up > down) + 0.5 * (up == down))


def _distinct_pairs(sums: Floats, n1: int, n0: int) -> Floats:
    """Means over distinct indices from the sums that include equal ones, by inclusion and exclusion."""
    pairs, negatives, positives, whole = sums
    return np.array(
        [
            pairs / (n1 * n0),
            (negatives - pairs) / (n1 * (n1 - 1) * n0),
            (positives - pairs) / (n1 * n0 * (n0 - 1)),
            (whole - negatives - positives + pairs) / (n1 * (n1 - 1) * n0 * (n0 - 1)),
        ]
    )


def require_pairs(rules: int, cases: int) -> None:
    """An error with fewer than 2 rules, or fewer than 2 cases in the smallest class or stratum."""
    if rules < 2:
        raise UndefinedError(
            "The variance over training sets needs at least 2 training sets", param="plan", got=f"{rules}"
        )
    if cases < 2:
        raise UndefinedError(
            "The variance over test sets needs at least 2 test cases of each class", param="y_test", got=f"{cases}"
        )
