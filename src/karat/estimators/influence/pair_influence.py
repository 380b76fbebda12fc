"""Influence function of the leave-pair-out bootstrap: MATH 2.4 and its finite-B correction, 2.6.

    A_ij = Σ_b I_i I_j ψ_ij / D_ij,  D_ij = Σ_b I_i I_j,      AUC = mean A_ij
    h_k  = (A_k. − A)/n1 + Σ_b N_k r_b / (n1 n2)  for a positive case, likewise for a negative one,
    r_b  = Σ_ij I_i I_j (ψ_ij − A_ij) / D_ij,                  Var = Σ h_k²

exact at every finite B. Several classes: the mean of one class against the rest, so h is the mean of
the parts. A difference of two rules: h is the difference. Both are sums of `Part`s with coefficients.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from karat.errors import UndefinedError
from karat.estimators.influence.case_influence import (
    enough_replicates,
    few_at_a_time,
    never_tested,
    replicates_needed,
    shared,
    training_noise,
)
from karat.estimators.influence.draws import BootstrapDraws, Draws
from karat.kernels.pairs import (
    Orders,
    left_out_together,
    margins_of,
    mean_sums,
    means_of,
    noise_of,
    order_pairs,
    psi_sums_of,
    sweep_of,
    totals_of,
    weighted_counts,
    weighted_squares,
)
from karat.metrics.auc import AUC
from karat.metrics.metric import require_used
from karat.result.digits import counted
from karat.sample.block import Block
from karat.sample.design import Design
from karat.sample.fits import Fits


@dataclass(frozen=True, eq=False)
class Part:
    """One class against the rest, by the rules of one Fits."""

    coefficient: float
    fits: Fits
    index: int  # which of the AUC's parts
    positive: np.ndarray  # (n,) bool
    won: np.ndarray  # (n1, n2) Σ_b I_i I_j ψ_ij
    times: np.ndarray  # (n1, n2) D_ij
    orders: tuple[Orders, ...]  # how the left-out cases of each block of replicates are ordered

    @property
    def means(self) -> np.ndarray:
        """(n1, n2) A_ij, 0 where undefined."""
        return means_of(self.won, self.times)

    @cached_property
    def sums(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Of A_ij over rows and columns, and how many pairs of each were ever left out together."""
        return mean_sums(self.won, self.times)

    @cached_property
    def value(self) -> float:
        return float(self.sums[0].sum() / self.pairs)

    @cached_property
    def pairs(self) -> int:
        return int(self.sums[2].sum())

    def margins(self, block: int, drop: int) -> tuple[np.ndarray, np.ndarray]:
        """(b, n1) and (b, n2): the sums of ρ over the pairs of each case."""
        return margins_of(self.orders[block], self.won, self.times, drop)

    def totals(self, block: int, drop: int) -> np.ndarray:
        """(b,) the sums of ρ over all pairs, divided by their number: r_b / (n1 n2)."""
        return totals_of(self.orders[block], self.won, self.times, drop) / self.pairs

    def together(self, rows: np.ndarray, cols: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(b, n) margins of positives and negatives, divided by the number of pairs, and (b,) their total."""
        each = np.empty((len(rows), len(self.positive)))
        each[:, self.positive], each[:, ~self.positive] = rows, cols
        return each / self.pairs, rows.sum(axis=1) / self.pairs

    def centred(self, design: Design) -> np.ndarray:
        """(n,) (A_k. − A)/n1 and (A_.l − centre of its stratum)/n2."""
        each = np.empty(design.n)
        for k, of in enumerate((self.positive, ~self.positive)):
            each[of] = (self.sums[k] - self.value * self.sums[2 + k]) / self.pairs
        return each - centre_within(self, design, each)


def centre_within(part: Part, design: Design, each: np.ndarray) -> np.ndarray:
    """What the first term is centred by: within each stratum of the rest, where there are several."""
    within = design.sample.codes if design.stratified else part.positive.astype(np.intp)
    shares = np.eye(within.max() + 1)[within] / np.bincount(within)  # (n, strata)
    return (each @ shares)[..., within]


@dataclass(frozen=True, eq=False)
class Swept:
    """What one sweep over the pairs gives, divided by their number."""

    totals: np.ndarray  # (B,) r_b
    training: np.ndarray  # (n,) Σ_b N_k r_b
    corrected: np.ndarray  # (n,) the same with D − 1
    noise: np.ndarray  # (n,) Σ_b Y_kb²


@dataclass(frozen=True, eq=False)
class PairMeans:
    """A_ij and D_ij of every part, on the same replicates."""

    design: Design
    metric: AUC
    parts: tuple[Part, ...]
    keep: np.ndarray  # (F,) the replicates that count
    draws: Draws

    @classmethod
    def over(cls, fits: Fits, metric: AUC, undefined: str, draws: Draws | None = None) -> PairMeans:
        return cls._of([(1.0, fits)], metric, undefined, fits.kept, draws or BootstrapDraws())

    @classmethod
    def difference(cls, a: Fits, b: Fits, metric: AUC, undefined: str, draws: Draws | None = None) -> PairMeans:
        return cls._of([(1.0, a), (-1.0, b)], metric, undefined, a.kept & b.kept, draws or BootstrapDraws())

    @classmethod
    def _of(
        cls, terms: list[tuple[float, Fits]], metric: AUC, undefined: str, keep: np.ndarray, draws: Draws
    ) -> PairMeans:
        design = terms[0][1].design
        parts = []
        for sign, fits in terms:
            for index, target in enumerate(metric.targets):
                up = design.sample.codes == target
                total, times, orders = np.zeros(()), np.zeros(()), []
                for block in fits.blocks(keep):  # the scores are read here, and not again
                    out = block.left_out
                    scores = require_used(list(metric.parts(block))[index][0], out, metric.name)
                    orders.append(order_pairs(scores, out, up))
                    total = _plus(total, psi_sums_of(orders[-1]))
                    times = _plus(times, left_out_together(out, up))
                part = Part(sign / len(metric.targets), fits, index, up, total, times, tuple(orders))
                _check(part, undefined, design)
                parts.append(part)
        return cls(design, metric, tuple(parts), keep, draws)

    @property
    def value(self) -> float:
        return float(sum(p.coefficient * p.value for p in self.parts))

    @property
    def skipped(self) -> int:
        return max(p.won.size - p.pairs for p in self.parts)

    def blocks(self) -> Iterator[tuple[np.ndarray, list[Block]]]:
        """Counts, and for every part the block of its Fits."""
        fits = list({id(p.fits): p.fits for p in self.parts}.values())
        for blocks in zip(*(f.blocks(self.keep) for f in fits), strict=True):
            by_fits = {id(f): block for f, block in zip(fits, blocks, strict=True)}
            yield blocks[0].counts, [by_fits[id(p.fits)] for p in self.parts]

    def counts(self) -> Iterator[np.ndarray]:
        """(b, n) of the blocks that `Part.orders` are of."""
        for block in replace(self.parts[0].fits, held=None, held_predictions=None).blocks(self.keep):
            yield block.counts

    def influence(self) -> tuple[np.ndarray, np.ndarray]:
        """(n,) scaled to the exact standard error, and (B,) contributions to the Monte-Carlo error."""
        if "swept" in self.__dict__:
            return self.centred() + self.swept.training, self.swept.totals
        training, monte_carlo = np.zeros(self.design.n_units), []
        for block, counts in enumerate(self.counts()):
            r = np.sum([part.coefficient * part.totals(block, drop=0) for part in self.parts], axis=0)
            for rows in few_at_a_time(*counts.shape):
                training += self.draws.weights(self.design, counts[rows]).T @ r[rows]  # MATH (5)
            monte_carlo.append(r)
        return shared(self.design, self.centred(), training), np.concatenate(monte_carlo)

    @property
    def is_plain(self) -> bool:
        """One rule, two classes that keep their sizes, cases drawn one by one: each class is a stratum by itself."""
        design, drawn = self.design, isinstance(self.draws, BootstrapDraws)
        return drawn and len(self.parts) == 1 and design.stratified and design.sample.groups is None

    def sweep(self) -> Swept | None:
        """Where `is_plain`: work out all that the exact and the corrected variance need, together."""
        return self.swept if self.is_plain else None

    @cached_property
    def swept(self) -> Swept:
        """By one sweep over the pairs of each class."""
        part, design = self.parts[0], self.design
        totals, training, noise = [], np.zeros((2, design.n)), np.zeros(design.n)
        for orders, counts in zip(part.orders, self.counts(), strict=True):
            exact, rows, cols = sweep_of(orders, part.won, part.times)
            r = rows.sum(axis=1)
            *both, counted = weighted_counts(counts, np.stack([exact, r, r**2]))
            training += both  # MATH (5): Σ_b N_k r_b
            squared = weighted_squares(counts, r**2)
            for of, margins in ((part.positive, rows), (~part.positive, cols)):
                noise[of] += noise_of(margins, r, counted[of], squared[of])
            totals.append(exact)
        pairs = part.coefficient / part.pairs
        return Swept(np.concatenate(totals) * pairs, training[0] * pairs, training[1] * pairs, noise * pairs**2)

    def of_each_fit(self, drop: int) -> np.ndarray:
        """(B,) r_b, by which the value would change without replicate b where `drop` is 1."""
        blocks = range(len(self.parts[0].orders))
        return np.concatenate(
            [np.sum([p.coefficient * p.totals(block, drop) for p in self.parts], axis=0) for block in blocks]
        )

    @cached_property
    def _centred(self) -> np.ndarray:
        return np.sum([p.coefficient * p.centred(self.design) for p in self.parts], axis=0)

    def centred(self) -> np.ndarray:
        """(n,) the first term of the influence: of the cases as test cases alone."""
        return self._centred

    def corrected_variance(self) -> float:
        """MATH 2.6: the variance without the noise of the B replicates."""
        design = self.design
        if self.is_plain:
            return float(((self.centred() + self.swept.corrected) ** 2 - self.swept.noise).sum())
        training, noise = np.zeros(design.n_units), np.zeros(design.n_units)
        for block, counts in enumerate(self.counts()):
            margins = [part.margins(block, drop=1) for part in self.parts]
            for rows in few_at_a_time(*counts.shape):
                y, r = self._noise(counts[rows], [(up[rows], down[rows]) for up, down in margins])
                training += self.draws.weights(design, counts[rows]).T @ r
                noise += (y**2).sum(axis=0)
        u = design.unit_sums(shared(design, self.centred(), training))
        return float((u**2 - noise).sum())

    def _noise(self, counts: np.ndarray, margins: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
        """(b, U) Y of MATH 2.6, and (b,) r_b."""
        y, r = np.zeros((len(counts), self.design.n_units)), np.zeros(len(counts))
        for part, sums in zip(self.parts, margins, strict=True):
            each, total = part.together(*sums)
            r += part.coefficient * total
            first = self.design.unit_sums(each - centre_within(part, self.design, each))
            y += part.coefficient * (first + self._training_noise(counts, each, total))
        return y, r

    def _training_noise(self, counts: np.ndarray, each: np.ndarray, total: np.ndarray) -> np.ndarray:
        touching = self.design.unit_sums(each)
        if self.design.stratified:  # a pair holds one unit of u's class or, with several classes, none
            return training_noise(self.design, self.draws, counts, touching, total)
        # a pair holds two units (the few pairs within one group are taken for two as well)
        weights = self.draws.weights(self.design, counts)
        return (weights - self.draws.expected(self.design, counts, gone=2)) * (total[:, None] - touching)


def _plus(total: np.ndarray, more: np.ndarray) -> np.ndarray:
    """Their sum, in the memory of `more`: these are the largest tables there are."""
    if total.ndim:  # nothing yet
        more += total
    return more


def _check(part: Part, undefined: str, design: Design) -> None:
    times, never = part.times, part.won.size - part.pairs
    if not never:
        return
    if never == times.size:
        raise UndefinedError("no pair of cases was ever left out together", got=counted(design.n_fits, "replicate"))
    if undefined == "raise":
        enough, got = enough_replicates(times, design.n_fits), counted(design.n_fits, "replicate")
        do = replicates_needed(enough)
        if design.kind == "cv":
            repeats = int(design.repeats().max()) + 1
            got, do = (
                counted(repeats, "repeat"),
                f"Use about {enough * repeats // design.n_fits} repeats, or estimate(..., undefined='skip')",
            )
        raise UndefinedError(
            never_tested(never, times.size, "pairs of cases", "left out together"),
            got=got,
            fix=do,
        )
