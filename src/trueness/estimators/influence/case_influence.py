"""Influence function of the leave-one-out bootstrap, and its correction for a finite number of replicates.

    E_j = Σ_b I_j L_j / D_j,  D_j = Σ_b I_j,      Err = mean w_j E_j
    U_i = w_i (E_i − centre) + Σ_b N_i r_b,       r_b = Σ_j w_j I_j (L_j − E_j) / D_j,   Var = Σ U_i² / n²

It is exact at every finite B. N is the count of the drawn unit (a case, or a whole group; `Draws` has the form for
cross-validation), E is centred within the classes where the study fixed their sizes or they have given probabilities,
over all cases otherwise: class sizes vary from sample to sample, also where the draws keep them. A difference of two
rules is the same with L the difference of their losses.

References
----------
Efron & Tibshirani (1997), eq. 17 and section 5; Yousef, ML Assessment, eq. 32 and 64-75; docs/appendix/math.md, section
"Influence functions of LOOB and LPOB".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from trueness.errors import UndefinedError
from trueness.estimators.influence import Contrast, Losses
from trueness.estimators.influence.draws import BootstrapDraws, Draws, refuse_cases
from trueness.estimators.seeds import ByReplicate
from trueness.metrics.metric import CaseLoss
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.sample.design import Design
from trueness.typing import Array, Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class CaseMeans:
    """E_j and D_j of every case, and what the influence function needs besides."""

    design: Design
    losses: Losses  # blocks of counts and losses
    means: Floats  # (n,) E_j; NaN where D_j = 0
    times: Floats  # (n,) D_j
    weights: Floats  # (n,) w_j; 0 where E_j is undefined and skipped
    by_class: bool  # whether E is centred within classes
    draws: Draws
    n_replicates: int

    @classmethod
    def over(cls, c: Contrast, draws: Draws | None = None, most: float = math.inf) -> CaseMeans:
        """One pass over the replicates, `most` of them."""
        design, losses, loss = c.fits.design, c.losses(most), c.metric
        total, times, replicates = np.zeros(design.n), np.zeros(design.n), 0
        for counts, values in losses():
            replicates += len(counts)
            total += values.sum(axis=0)
            times += (counts == 0).sum(axis=0)
        weights = loss.case_weights(design.sample)
        never = (times == 0) & (weights > 0)
        if never.any():
            refused = never & design.never_tested if c.undefined == "failed" else never
            if c.undefined != "skip" and refused.any():
                refuse_cases(design, times[weights > 0])
            weights = _reweighted(weights, never, design.sample.codes, loss.priors is not None)
        with np.errstate(invalid="ignore"):
            means = total / times
        by_class = design.fixed_sizes or loss.priors is not None
        return cls(design, losses, means, times, weights, by_class, draws or BootstrapDraws(), replicates)

    @classmethod
    def of_partition(cls, design: Design, losses: Floats, loss: CaseLoss) -> CaseMeans:
        """From the held-out losses (R, n) of R partitions: every case is tested once in each."""
        by_class = design.fixed_sizes or loss.priors is not None
        weights, times = loss.case_weights(design.sample), np.full(design.n, float(len(losses)))
        nothing: Losses = lambda: iter(())  # noqa: E731 - there are no replicates to read
        return cls(design, nothing, losses.mean(axis=0), times, weights, by_class, BootstrapDraws(), 0)

    @cached_property
    def value(self) -> float:
        """Σ_j w_j E_j / n (Yousef, ML Assessment, eq. 32)."""
        return float((self.weights * self.known_means).mean())

    @cached_property
    def known_means(self) -> Floats:
        """(n,) E_j, 0 where it is undefined."""
        return np.where(np.isnan(self.means), 0.0, self.means)

    @property
    def skipped(self) -> int:
        """Cases that were never left out."""
        return int((self.times == 0).sum())

    def share_variance(self) -> float:
        """Σ_c p_c (Ē_c − Err)²/n: what random class sizes add to the variance of a plain mean over cases; with groups
        these are the units. 0 for given class probabilities."""
        used = self.weights > 0
        if not np.allclose(self.weights[used], self.weights[used][0]):
            return 0.0
        return variance(self.design, np.where(used, self._class_means() - self.value, 0.0) / used.sum())

    def note_fixed_classes(self, out: Estimate) -> Estimate:
        """A note where the standard error would be larger if the class sizes were not fixed."""
        if not self.design.fixed_sizes or out.se is None or not out.se > 0:
            return out
        whole = float(np.sqrt(out.se**2 + self.share_variance()))
        if whole < 1.1 * out.se:
            return out
        return out.noting(Note("fixed-class-sizes", se=whole, fixed_se=out.se))

    def centred(self) -> Floats:
        """(n,) w_i (E_i − centre)."""
        centre = self._class_means() if self.by_class else self.known_means[self.weights > 0].mean()
        return np.asarray(self.weights * (self.known_means - centre))

    def _class_means(self) -> Floats:
        """(n,) the mean of E over the cases of its class that are used; 0 for the others."""
        codes, used = self.design.sample.codes, (self.weights > 0).astype(float)
        sums = np.bincount(codes, used * self.known_means, minlength=self.design.sample.n_classes)
        means = sums / np.maximum(np.bincount(codes, used, minlength=self.design.sample.n_classes), 1)
        return np.asarray(means[codes] * used)

    def residuals(self, drop: int) -> Iterator[tuple[Array, Floats]]:
        """Blocks of counts and of ρ_bj = w_j I_j (L_j − E_j) / (D_j − drop), both (b, n)."""
        scale, means = self.weights / np.maximum(self.times - drop, 1), self.known_means
        for counts, losses in self.losses():
            for rows in row_blocks(*counts.shape):
                yield counts[rows], (counts[rows] == 0) * (losses[rows] - means) * scale

    def influence(self) -> tuple[Floats, Floats]:
        """(n,) scaled to the exact standard error, and (B,) contributions to the Monte-Carlo error."""
        training, monte_carlo = np.zeros(self.design.n_units), []
        for counts, rho in self.residuals(drop=0):
            r = rho.sum(axis=1)
            training += r @ self.draws.weights(self.design, counts)
            monte_carlo.append(r / self.design.n)
        return add_training(self.design, self.centred(), training) / self.design.n, np.concatenate(monte_carlo)

    def leave_replicate_out(self) -> Floats:
        """(B,) how much the value falls when replicate b is dropped: E_j − E_j(−b) = I_j (L_j − E_j)/(D_j − 1)."""
        return np.concatenate([rho.sum(axis=1) / self.design.n for _, rho in self.residuals(drop=1)])

    def first_order(self) -> FirstOrder:
        """The variance without the noise of the B replicates (docs/appendix/math.md, "The noise of finite B")."""
        design, n = self.design, self.design.n

        def blocks() -> Iterator[Sums]:
            for counts, found in self.residuals(drop=1):
                rho = found / n
                tested = design.unit_sums(rho - self.centres(rho))
                yield counts, design.unit_sums(rho), tested, rho.sum(axis=1)

        def noise(counts: Array, each: Floats, r: Floats) -> Floats:
            return training_noise(design, self.draws, counts, each, r)

        return first_order_of(design, self.draws, self.centred() / n, blocks(), noise)

    def training(self, along: Floats) -> tuple[Floats, ByReplicate]:
        """(U,) τ, by which each unit moves the value as a training case; and by replicate Σ `along` (U,) times τ, and
        the variance of the value over training sets, from the covariance of the losses of two units under one rule:

            t = Σ_b [(Σ_j d_bj)² − Σ_u (Σ_{j in u} d_bj)²] / Σ_b [(Σ_j w_j I_bj)² − …]  /  (1 − 2/D + D₂/D²)

        with d_bj = w_j I_bj (L_bj − E_j). D and D₂ are the mean numbers of replicates that left out a case, or two of
        different units; the last divisor corrects for the centring at E_j. All orders are in it; it may be negative.

        A unit that was drawn is not tested and Σ_b d_bj = 0, so that sums over replicates follow from Σ_b L, Σ_b L² and
        sums over the cases of each replicate: losses are read once, counts twice. Of the sum over single units, each
        replicate gets its share.
        """
        design, n, weights = self.design, self.design.n, self.weights
        within = np.eye(design.strata.max() + 1)[design.strata[design.units]]  # (n, strata)
        known = np.column_stack([weights[:, None] * within / np.maximum(self.times - 1, 1)[:, None], weights])
        centre = self.known_means[:, None] * known
        squares, moved, sums = np.zeros(design.n_units), np.zeros(design.n_units), np.zeros(known.shape[1] - 1)
        both, drawn, total_of, own_of, of_both, of_ones = 0.0, [], [], [], [], []
        for counts, losses in self.losses():
            for rows in row_blocks(*counts.shape):
                left = (counts[rows] == 0).astype(float)
                each = losses[rows] @ known - left @ centre  # (b, strata + 1) Σ ρ by stratum, Σ d
                squares += (design.unit_sums(losses[rows] * weights) ** 2).sum(axis=0)
                total, used = each[:, :-1].sum(axis=1), left @ weights
                draws = self.draws.weights(design, counts[rows])
                moved += total @ draws
                sums += each[:, :-1].sum(axis=0)
                drawn.append(draws @ along)
                total_of.append(total)
                own_of.append(each[:, :-1])
                of_both.append(each[:, -1] ** 2)
                of_ones.append(used**2)
                both += float((left.sum(axis=1) ** 2).sum())
        sizes, times = np.bincount(design.units).astype(float), self.times[design.first_of_unit]
        found, possible = np.concatenate(of_both), np.concatenate(of_ones)
        share = possible / max(float(possible.sum()), 1e-300)
        found -= share * float((squares - times * design.unit_sums(weights * self.known_means) ** 2).sum())
        possible -= share * float((times * design.unit_sums(weights) ** 2).sum())
        if possible.sum() <= 0:
            raise UndefinedError("No two cases were left out together", param="plan")
        d1, d2 = float(self.times.mean()), (both - float(times @ sizes**2)) / (n**2 - float((sizes**2).sum()))
        own, (gone, none) = sums[design.strata], (self.draws.expected(design, counts, gone=g) for g in (1, 0))
        tau = (moved - gone * own - none * (sums.sum() - own)) / n
        total, own = np.concatenate(total_of), np.concatenate(own_of)
        expected = [np.bincount(design.strata, weights=along * e, minlength=own.shape[1]) for e in (gone, none)]
        moving = total * np.concatenate(drawn) - own @ expected[0] - (total[:, None] - own) @ expected[1]
        return tau, ByReplicate(found, possible, 1 - 2 / d1 + d2 / d1**2, moving / n)

    def centres(self, residuals: Floats) -> Floats:
        """(b, n) or (b, 1): mean of the residuals over the cases that a case is centred by."""
        if not self.by_class:
            return np.asarray(residuals.mean(axis=1, keepdims=True))
        out = np.empty_like(residuals)
        for code in range(self.design.sample.n_classes):
            of = self.design.sample.codes == code
            out[:, of] = residuals[:, of].mean(axis=1, keepdims=True)
        return out


def row_blocks(n: int, width: int) -> Iterator[slice]:
    """Slices of n rows of this width: about 2¹⁷ numbers each, which stay in the cache."""
    rows = max(16, 2**17 // width)
    for start in range(0, n, rows):
        yield slice(start, min(start + rows, n))


def add_training(design: Design, first: Floats, training: Floats) -> Floats:
    """(n,) first term of each case plus the training term of its unit, divided among the unit's cases."""
    return np.asarray(first + (training / np.bincount(design.units))[design.units])


def training_noise(design: Design, draws: Draws, counts: Array, touching: Floats, total: Floats) -> Floats:
    """(b, U) Σ (N_u − E[N_u | tested]) ρ over the residuals ρ that do not touch unit u.

    `touching` (b, U) are the sums of the residuals that touch each unit, `total` (b,) the sum of all. The expectation
    depends on whether a tested unit is of u's stratum or not (docs/appendix/math.md, "The noise of finite B").
    """
    within = np.eye(design.strata.max() + 1)[design.strata]  # (U, strata)
    own = (touching @ within)[:, design.strata]
    weights = draws.weights(design, counts)
    same = (weights - draws.expected(design, counts, gone=1)) * (own - touching)
    other = (weights - draws.expected(design, counts, gone=0)) * (total[:, None] - own)
    return np.asarray(same + other)


def _reweighted(weights: Floats, never: Bools, codes: Ints, by_class: bool) -> Floats:
    """Weights of the mean over the cases that were tested."""
    kept = np.where(never, 0.0, weights)
    if not by_class:
        if not kept.any():
            raise UndefinedError("No case was ever left out")
        return np.asarray(kept * len(weights) / (~never).sum())
    for code in np.unique(codes[weights > 0]):
        of = codes == code
        if not kept[of].any():
            raise UndefinedError("No case of a class was ever left out")
        kept[of] *= weights[of].sum() / kept[of].sum()
    return kept


def variance(design: Design, influence: Floats) -> float:
    """Σ over units of the squared sum of their cases' influence."""
    return float((design.unit_sums(influence) ** 2).sum())


TRUSTED_NOISE = 0.5  # noise as a share of what it is in, up to which a term counts in full
MOSTLY_NOISE = 0.05  # a variance below this share of what it was subtracted from is not relied on


OFFSET = Note("training-offsets-testing")


def sd_of_larger(mean: float, sd: float, least: float) -> float:
    """SD of max(X, least), X normal."""
    if not sd > 0:
        return 0.0
    a = (least - mean) / sd
    below, density = special.ndtr(a), math.exp(-a * a / 2) / math.sqrt(2 * math.pi)
    first = density - a * (1 - below)  # E[max(Z − a, 0)], Z standard normal
    second = (1 + a * a) * (1 - below) - a * density
    return sd * math.sqrt(max(float(second - first**2), 0.0))


class OfReplicates:
    """What each replicate adds to b and to b_1 − b. A few of them may be most of it: rules of samples without the cases
    that are alone in a category."""

    def __init__(self) -> None:
        self._tested: list[Floats] = []
        self._within: list[Floats] = []

    def add(self, tested: Floats, each: Floats) -> None:
        """(b,) Σ_u c_u y_bu, and the squared residuals (b, U) of each unit."""
        self._tested.append(tested)
        self._within.append((each**2).sum(axis=1))

    @property
    def number(self) -> int:
        return sum(map(len, self._tested))

    def sd(self, within: float, squares: float) -> float:
        """SD of b_1 over repetitions of the resampling, of b_1 − b and Σ_u (Σ_b y²)²."""
        shares = np.concatenate(self._within)
        part = within * float(np.linalg.norm(shares - shares.mean())) / total if (total := shares.sum()) > 0 else 0.0
        return math.sqrt(2 * squares + 4 * float((np.concatenate(self._tested) ** 2).sum()) + part**2)


@dataclass(frozen=True)
class FirstOrder:
    """V_1 and its parts."""

    total: float  # V_1 without the noise of the replicates; it may be negative
    tested: float  # b, the variance of the cases as test cases alone
    of_one_rule: float  # b_1, the same for a single rule
    trained: float  # T, the variance over bootstrap training sets
    sd: float  # SD of V_1 over repetitions of the resampling
    replicates: int
    sd_of_one_rule: float = 0.0  # SD of b_1 over repetitions of the resampling
    sd_by_u: float = 0.0  # SD of V_1 where u is not mostly noise itself
    least: float = -math.inf  # V is not less than this

    @classmethod
    def of(
        cls,
        u: Floats,
        noise: Floats,
        c: Floats,
        noise_of_c: Floats,
        within: float,
        trained: float,
        by_replicate: OfReplicates,
    ) -> FirstOrder:
        """From the influence u and its first term c of each unit (U,), Σ_b y² of both, b_1 − b and T."""
        tested, squares = float((c**2 - noise_of_c).sum()), float((c**2).sum())
        sd = math.sqrt(float((2 * noise**2 + 4 * c**2 * noise).sum()))
        by_u = math.sqrt(max(float((4 * u**2 * noise - 2 * noise**2).sum()), 0.0))  # E[u²] is μ² + noise
        tested = tested if tested > MOSTLY_NOISE * squares else squares  # where no case is harder than another
        sd_one, replicates = by_replicate.sd(within, float((noise_of_c**2).sum())), by_replicate.number
        return cls(float((u**2 - noise).sum()), tested, tested + within, trained, sd, replicates, sd_one, by_u)

    def not_below_one_rule(self) -> FirstOrder:
        """With a variance of at least b_1.

        A case that moves a calibration slope up as a test case moves the rule, and with it the slope, the other way as a
        training case. V_1 is then a small difference of large parts: the variance of a value that is nearly the same in
        every sample, whatever the rule at hand is like.
        """
        return replace(self, least=self.of_one_rule)

    @property
    def noise(self) -> float:
        """SD(V)/V, V the variance that is used."""
        if not self.variance > 0:
            return 0.0
        sd = max(self.sd, self.sd_by_u)
        if self.least == -math.inf:
            return sd / self.variance
        binding = float(special.ndtr((self.least - self.total) / sd)) if sd > 0 else float(self.total < self.least)
        return math.hypot(sd_of_larger(self.total, sd, self.least), binding * self.sd_of_one_rule) / self.variance

    @property
    def variance(self) -> float:
        """V_1, held to its limits where the replicates do not determine it."""
        return max(self._held(), self.least)

    def _held(self) -> float:
        if self.sd > TRUSTED_NOISE * self.tested:
            most = (math.sqrt(self.tested) + math.sqrt(max(self.trained, 0.0))) ** 2
            return max(min(self.total, most), self.of_one_rule)
        return self.total if self.total >= MOSTLY_NOISE * self.tested else self.of_one_rule

    def doubt(self) -> Note | None:
        """A note where V_1 is not used as it is, or is mostly noise."""
        if self.noise > TRUSTED_NOISE:
            return self._few(self.noise)
        if self.variance == self.least > self.total:
            return OFFSET
        if self.variance == self.total or self.sd > TRUSTED_NOISE * self.tested:
            return None
        return Note("variance-not-positive")

    def held(self) -> Note | None:
        """A note where V_1 is held to its limits: in a difference, where most of b cancels, they are wide."""
        if self.variance == self.total or self.sd <= TRUSTED_NOISE * self.tested:
            return None
        return self._few(self.sd / self.tested)

    def _few(self, noise: float) -> Note:
        needed = math.ceil(self.replicates * noise / TRUSTED_NOISE / 100) * 100
        return Note("few-replicates", replicates=self.replicates, noise=noise, needed=needed)


Sums = tuple[Array, Floats, Floats, Floats]
"""Counts (b, n), sums of the residuals of each unit (b, U), the same centred, and sums over all units (b,)."""


def first_order_of(
    design: Design, draws: Draws, first: Floats, blocks: Iterator[Sums], noise_of: Callable[..., Floats]
) -> FirstOrder:
    """From the first term of the influence (n,) and the residuals of all replicates; `noise_of(counts, each, total)`."""
    training, noise, of_tested, of_each, gone = np.zeros((5, design.n_units))
    own, by_replicate, shifts = design.unit_sums(first), OfReplicates(), 0.0
    for counts, each, tested, r in blocks:
        training += r @ draws.weights(design, counts)
        shifts += float(r @ r - np.vdot(each, each))
        of_each += (each**2).sum(axis=0)
        gone += (counts[:, design.first_of_unit] == 0).sum(axis=0)
        of_tested += (tested**2).sum(axis=0)
        by_replicate.add(tested @ own, each)
        noise += ((noise_of(counts, each, r) + tested) ** 2).sum(axis=0)
    u = design.unit_sums(add_training(design, first, training))
    trained = by_replicate.number * shifts
    return FirstOrder.of(u, noise, own, of_tested, float(gone @ of_each), trained, by_replicate)
