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
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from trueness.errors import UndefinedError
from trueness.estimators.influence import Contrast, Losses
from trueness.estimators.influence.draws import BootstrapDraws, Draws, refuse_never
from trueness.estimators.seeds import ByReplicate
from trueness.metrics.metric import CaseLoss
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.sample.design import Design
from trueness.typing import Array, Floats, Ints


@dataclass(frozen=True, eq=False)
class Residuals:
    """Of a block of replicates what a mean over cases, or pairs of cases, is above what each replicate says of them,
    divided by their number."""

    counts: Array  # (b, n)
    each: Floats  # (b, n) of each case, or over its pairs; residuals over D − 1
    tested: Floats  # (b, n) the same, centred within the strata
    total: Floats  # (b,) over all cases or pairs
    exact: Floats  # (b,) the same of residuals over D


@dataclass(frozen=True, eq=False)
class Means(ABC):
    """A mean over cases, or pairs of cases, of what the replicates that left them out say, and its influence."""

    design: Design
    draws: Draws

    @cached_property
    @abstractmethod
    def value(self) -> float:
        """The mean."""

    @cached_property
    @abstractmethod
    def skipped(self) -> int:
        """Cases, or pairs, that were never left out."""

    @abstractmethod
    def centred(self) -> Floats:
        """(n,) the first term of the influence: of the cases as test cases alone."""

    @abstractmethod
    def blocks(self) -> Iterator[Residuals]:
        """All replicates."""

    def leave_replicate_out(self) -> Floats:
        """(B,) how much the value falls when replicate b is dropped: E_j − E_j(−b) = I_j (L_j − E_j)/(D_j − 1)."""
        return np.concatenate([block.total for block in self.blocks()])

    def influence(self) -> tuple[Floats, Floats]:
        """(n,) scaled to the exact standard error, and (B,) contributions to the Monte-Carlo error."""
        training, r = np.zeros(self.design.n_units), []
        for block in self.blocks():
            training += block.exact @ self.draws.weights(self.design, block.counts)
            r.append(block.exact)
        return add_training(self.design, self.centred(), training), np.concatenate(r)

    def training_noise(self, counts: Array, touching: Floats, total: Floats) -> Floats:
        """(b, U) Σ (N_u − E[N_u | tested]) ρ over the residuals ρ that do not touch unit u.

        `touching` (b, U) are the sums of the residuals that touch each unit, `total` (b,) the sum of all. The expectation
        depends on whether a tested unit is of u's stratum or not (docs/appendix/math.md, "The noise of finite B").
        """
        design = self.design
        within = np.eye(design.strata.max() + 1)[design.strata]  # (U, strata)
        own = (touching @ within)[:, design.strata]
        weights = self.draws.weights(design, counts)
        same = (weights - self.draws.expected(design, counts, gone=1)) * (own - touching)
        other = (weights - self.draws.expected(design, counts, gone=0)) * (total[:, None] - own)
        return np.asarray(same + other)

    def first_order(self) -> FirstOrder:
        """The variance without the noise of the B replicates (docs/appendix/math.md, "The noise of finite B")."""
        design, first = self.design, self.centred()
        training, noise, of_tested, of_each, gone = np.zeros((5, design.n_units))
        own, shifts, moved, within = design.unit_sums(first), 0.0, [], []
        for block in self.blocks():
            counts, r, each, tested = block.counts, block.total, *map(design.unit_sums, (block.each, block.tested))
            training += r @ self.draws.weights(design, counts)
            shifts += float(r @ r - np.vdot(each, each))
            of_each += (each**2).sum(axis=0)
            gone += (counts[:, design.first_of_unit] == 0).sum(axis=0)
            of_tested += (tested**2).sum(axis=0)
            moved.append(tested @ own)
            within.append((each**2).sum(axis=1))
            noise += ((self.training_noise(counts, each, r) + tested) ** 2).sum(axis=0)
        u, alone, by_replicate = (
            design.unit_sums(add_training(design, first, training)),
            gone @ of_each,
            np.concatenate(moved),
        )
        return FirstOrder.of(
            u, noise, own, of_tested, float(alone), len(by_replicate) * shifts, by_replicate, np.concatenate(within)
        )


@dataclass(frozen=True, eq=False)
class CaseMeans(Means):
    """E_j and D_j of every case, and what the influence function needs besides."""

    losses: Losses  # blocks of counts and losses
    means: Floats  # (n,) E_j; NaN where D_j = 0
    times: Floats  # (n,) D_j
    weights: Floats  # (n,) w_j; 0 where E_j is undefined and skipped
    by_class: bool  # whether E is centred within classes
    n_replicates: int

    @classmethod
    def over(cls, c: Contrast, draws: Draws | None = None, most: float = math.inf) -> CaseMeans:
        """One pass over the replicates, `most` of them."""
        return cls.of(c.fits.design, c.losses(most), c.metric, c.undefined, draws)

    @classmethod
    def of_partition(cls, design: Design, losses: Floats, loss: CaseLoss) -> CaseMeans:
        """From the held-out losses (R, n) of R partitions: every case is tested once in each."""
        counts = np.zeros(losses.shape, dtype=np.uint8)
        return cls.of(design, lambda: iter([(counts, losses)]), loss)

    @classmethod
    def of(
        cls, design: Design, losses: Losses, loss: CaseLoss, undefined: str = "skip", draws: Draws | None = None
    ) -> CaseMeans:
        total, times, replicates = np.zeros(design.n), np.zeros(design.n), 0
        for counts, values in losses():
            replicates += len(counts)
            total += values.sum(axis=0)
            times += (counts == 0).sum(axis=0)
        weights, by_class = loss.case_weights(design.sample), loss.priors is not None
        never = (times == 0) & (weights > 0)
        if never.any():
            refuse_never(design, never, times[weights > 0], undefined)
            kept, strata = np.where(never, 0.0, weights), design.sample.codes * by_class
            for stratum in np.unique(strata[weights > 0]):  # the mean is over the cases that were tested
                of = strata == stratum
                if not kept[of].any():
                    raise UndefinedError("No case, or no case of a class, was ever left out")
                kept[of] *= weights[of].sum() / kept[of].sum()
            weights = kept
        with np.errstate(invalid="ignore"):
            means = total / times
        fixed = design.fixed_sizes or by_class
        return cls(design, draws or BootstrapDraws(), losses, means, times, weights, fixed, replicates)

    @cached_property
    def value(self) -> float:
        """Σ_j w_j E_j / n (Yousef, ML Assessment, eq. 32)."""
        return float((self.weights * self.known_means).mean())

    @cached_property
    def known_means(self) -> Floats:
        """(n,) E_j, 0 where it is undefined."""
        return np.where(np.isnan(self.means), 0.0, self.means)

    @cached_property
    def skipped(self) -> int:
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
        """(n,) w_i (E_i − centre)/n."""
        centre = self._class_means() if self.by_class else self.known_means[self.weights > 0].mean()
        return np.asarray(self.weights * (self.known_means - centre)) / self.design.n

    def _class_means(self) -> Floats:
        """(n,) the mean of E over the cases of its class that are used; 0 for the others."""
        codes, used = self.design.sample.codes, (self.weights > 0).astype(float)
        sums = np.bincount(codes, used * self.known_means, minlength=self.design.sample.n_classes)
        means = sums / np.maximum(np.bincount(codes, used, minlength=self.design.sample.n_classes), 1)
        return np.asarray(means[codes] * used)

    def blocks(self) -> Iterator[Residuals]:
        """Residuals w_j I_j (L_j − E_j) / (D_j − 1), by n."""
        most = np.maximum(self.times - 1, 1)
        scale, exact = self.weights / most / self.design.n, most / np.maximum(self.times, 1)
        strata = self.design.sample.codes * self.by_class
        for counts, losses in self.losses():
            for rows in row_blocks(*counts.shape):
                each = (counts[rows] == 0) * (losses[rows] - self.known_means) * scale
                yield Residuals(counts[rows], each, each - centres(each, strata), each.sum(axis=1), each @ exact)

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
        squares, tau, both = np.zeros(design.n_units), np.zeros(design.n_units), 0.0
        moving, of_both, of_ones = [], [], []
        for counts, losses in self.losses():
            for rows in row_blocks(*counts.shape):
                left = (counts[rows] == 0).astype(float)
                each = losses[rows] @ known - left @ centre  # (b, strata + 1) Σ ρ by stratum, Σ d
                squares += (design.unit_sums(losses[rows] * weights) ** 2).sum(axis=0)
                own, total = each[:, :-1] / n, each[:, :-1].sum(axis=1) / n
                moved = moved_by(design, self.draws, counts[rows], total, own, along)
                tau += moved[0]
                moving.append(moved[1])
                of_both.append(each[:, -1] ** 2)
                of_ones.append((left @ weights) ** 2)
                both += float((left.sum(axis=1) ** 2).sum())
        sizes, times = np.bincount(design.units).astype(float), self.times[design.first_of_unit]
        found, possible = np.concatenate(of_both), np.concatenate(of_ones)
        share = possible / max(float(possible.sum()), 1e-300)
        found -= share * float((squares - times * design.unit_sums(weights * self.known_means) ** 2).sum())
        possible -= share * float((times * design.unit_sums(weights) ** 2).sum())
        if possible.sum() <= 0:
            raise UndefinedError("No two cases were left out together", param="plan")
        d1, d2 = float(self.times.mean()), (both - float(times @ sizes**2)) / (n**2 - float((sizes**2).sum()))
        return tau, ByReplicate(found, possible, 1 - 2 / d1 + d2 / d1**2, np.concatenate(moving))


def moved_by(
    design: Design,
    draws: Draws,
    counts: Array,
    total: Floats,
    own: Floats,
    along: Floats,
    gone: tuple[int, int] = (1, 0),
) -> tuple[Floats, Floats]:
    """(U,) Σ_b (N_u − E N_u) of the residuals of a block, and (b,) Σ `along` (U,) times the same of each replicate. `total`
    (b,) are the sums of the residuals and `own` (b, strata) those of each stratum; `gone` other units of u's stratum were
    left out where a residual is of that stratum, and of another."""
    weights, strata = draws.weights(design, counts), design.strata
    same, other = (draws.expected(design, counts, gone=g) for g in gone)
    sums = own.sum(axis=0)[strata]
    known = [np.bincount(strata, weights=along * e, minlength=own.shape[1]) for e in (same, other)]
    each = total * (weights @ along) - own @ known[0] - (total[:, None] - own) @ known[1]
    return total @ weights - same * sums - other * (total.sum() - sums), each


def centres(each: Floats, strata: Ints) -> Floats:
    """(…, n) the mean over the stratum of each case."""
    shares = np.eye(strata.max() + 1)[strata] / np.maximum(np.bincount(strata), 1)  # (n, strata)
    found: Floats = (each @ shares)[..., strata]
    return found


def row_blocks(n: int, width: int) -> Iterator[slice]:
    """Slices of n rows of this width: about 2¹⁷ numbers each, which stay in the cache."""
    rows = max(16, 2**17 // width)
    for start in range(0, n, rows):
        yield slice(start, min(start + rows, n))


def add_training(design: Design, first: Floats, training: Floats) -> Floats:
    """(n,) first term of each case plus the training term of its unit, divided among the unit's cases."""
    return np.asarray(first + (training / np.bincount(design.units))[design.units])


def variance(design: Design, influence: Floats) -> float:
    """Σ over units of the squared sum of their cases' influence."""
    return float((design.unit_sums(influence) ** 2).sum())


TRUSTED_NOISE = 0.5  # noise as a share of what it is in, up to which a term counts in full
MOSTLY_NOISE = 0.05  # a variance below this share of what it was subtracted from is not relied on


def sd_of_larger(mean: float, sd: float, least: float) -> float:
    """SD of max(X, least), X normal."""
    if not sd > 0:
        return 0.0
    a = (least - mean) / sd
    below, density = special.ndtr(a), math.exp(-a * a / 2) / math.sqrt(2 * math.pi)
    first = density - a * (1 - below)  # E[max(Z − a, 0)], Z standard normal
    second = (1 + a * a) * (1 - below) - a * density
    return sd * math.sqrt(max(float(second - first**2), 0.0))


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
        moved: Floats,
        shares: Floats,
    ) -> FirstOrder:
        """From the influence u and its first term c of each unit (U,), Σ_b y² of both, b_1 − b and T; and of each replicate
        (B,) Σ_u c_u y_bu and Σ_u ρ_bu², what it adds to b and to b_1 − b. A few of them may be most of it: rules of samples
        without the cases that are alone in a category."""
        tested, squares = float((c**2 - noise_of_c).sum()), float((c**2).sum())
        sd = math.sqrt(float((2 * noise**2 + 4 * c**2 * noise).sum()))
        by_u = math.sqrt(max(float((4 * u**2 * noise - 2 * noise**2).sum()), 0.0))  # E[u²] is μ² + noise
        tested = tested if tested > MOSTLY_NOISE * squares else squares  # where no case is harder than another
        part = within * float(np.linalg.norm(shares - shares.mean())) / max(float(shares.sum()), 1e-300)
        sd_one = math.sqrt(2 * float((noise_of_c**2).sum()) + 4 * float((moved**2).sum()) + part**2)
        total = float((u**2 - noise).sum())
        return cls(total, tested, tested + within, trained, sd, len(moved), sd_one, by_u)

    def not_below_one_rule(self) -> FirstOrder:
        """With a variance of at least b_1.

        A case that moves a calibration slope up as a test case moves the rule, and with it the slope, the other way as a
        training case. V_1 is then a small difference of large parts: the variance of a value that is nearly the same in
        every sample, whatever the rule at hand is like.
        """
        return replace(self, least=self.of_one_rule)

    @cached_property
    def noise(self) -> float:
        """SD(V)/V, V the variance that is used."""
        if not self.variance > 0:
            return 0.0
        sd = max(self.sd, self.sd_by_u)
        if self.least == -math.inf:
            return sd / self.variance
        binding = float(special.ndtr((self.least - self.total) / sd)) if sd > 0 else float(self.total < self.least)
        return math.hypot(sd_of_larger(self.total, sd, self.least), binding * self.sd_of_one_rule) / self.variance

    @cached_property
    def variance(self) -> float:
        """V_1, held to its limits where the replicates do not determine it."""
        held = self.total
        if self.sd > TRUSTED_NOISE * self.tested:
            most = (math.sqrt(self.tested) + math.sqrt(max(self.trained, 0.0))) ** 2
            held = max(min(self.total, most), self.of_one_rule)
        elif self.total < MOSTLY_NOISE * self.tested:
            held = self.of_one_rule
        return max(held, self.least)

    def doubt(self, second: bool = False) -> Note | None:
        """A note where V_1 is not used as it is, or is mostly noise; for the second order also where it is held to its
        limits: in a difference, where most of b cancels, they are wide."""
        noise, determined = self.noise, self.sd <= TRUSTED_NOISE * self.tested
        if second and not determined and self.variance != self.total:
            noise = max(noise, self.sd / self.tested)
        if noise > TRUSTED_NOISE:
            needed = math.ceil(self.replicates * noise / TRUSTED_NOISE / 100) * 100
            return Note("few-replicates", replicates=self.replicates, noise=noise, needed=needed)
        if self.variance == self.least > self.total:
            return Note("training-offsets-testing")
        return None if self.variance == self.total or not determined else Note("variance-not-positive")
