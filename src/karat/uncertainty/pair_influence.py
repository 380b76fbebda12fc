"""Influence function of the leave-pair-out bootstrap: MATH 2.4 and its finite-B correction, 2.6.

    A_ij = Σ_b I_i I_j ψ_ij / D_ij,  D_ij = Σ_b I_i I_j,      AUC = mean A_ij
    h_k  = (A_k. − A)/n1 + Σ_b N_k r_b / (n1 n2)  for a positive case, likewise for a negative one,
    r_b  = Σ_ij I_i I_j (ψ_ij − A_ij) / D_ij,                  Var = Σ h_k²

exact at every finite B. Several classes: the mean of one class against the rest, so h is the mean of
the parts. A difference of two rules: h is the difference. Both are sums of `Part`s with coefficients.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from karat.errors import UndefinedError
from karat.kernels.pairs import left_out_together, psi_sums, residual_margins
from karat.metrics.auc import AUC
from karat.metrics.metric import known
from karat.sample.block import Block
from karat.sample.design import Design
from karat.sample.fits import Fits
from karat.uncertainty.case_influence import enough_replicates, shared, training_noise
from karat.uncertainty.draws import BootstrapDraws, Draws


@dataclass(frozen=True, eq=False)
class Part:
    """One class against the rest, by the rules of one Fits."""

    coefficient: float
    fits: Fits
    index: int  # which of the AUC's parts
    positive: np.ndarray  # (n,) bool
    means: np.ndarray  # (n1, n2) A_ij, 0 where undefined
    times: np.ndarray  # (n1, n2) D_ij

    @property
    def defined(self) -> np.ndarray:
        return self.times > 0

    @property
    def value(self) -> float:
        return float(self.means[self.defined].mean())

    def margins(self, block: Block, metric: AUC, drop: int) -> tuple[np.ndarray, np.ndarray]:
        """(b, n) sums of ρ over the pairs of each case, divided by the number of pairs, and (b,) their total."""
        scores, _ = list(metric.parts(block))[self.index]
        scores = known(scores, block.left_out, metric.name)
        up, out = self.positive, block.left_out
        weight = self.defined / np.maximum(self.times - drop, 1)
        rows, cols = residual_margins(
            scores[:, up], scores[:, ~up], out[:, up], out[:, ~up], self.means, weight / self.defined.sum()
        )
        each = np.empty(scores.shape)
        each[:, up], each[:, ~up] = rows, cols
        return each, rows.sum(axis=1)

    def centred(self, design: Design) -> np.ndarray:
        """(n,) (A_k. − A)/n1 and (A_.l − centre of its stratum)/n2."""
        pairs = self.defined.sum()
        deviation = np.where(self.defined, self.means - self.value, 0.0) / pairs
        each = np.empty(design.n)
        each[self.positive], each[~self.positive] = deviation.sum(axis=1), deviation.sum(axis=0)
        return each - centre_within(self, design, each)


def centre_within(part: Part, design: Design, each: np.ndarray) -> np.ndarray:
    """What the first term is centred by: within each stratum of the rest, where there are several."""
    out = np.zeros_like(each)
    if design.stratified:
        for code in range(design.sample.n_classes):
            of = design.sample.codes == code
            out[..., of] = each[..., of].mean(axis=-1, keepdims=True)
    else:
        for of in (part.positive, ~part.positive):
            out[..., of] = each[..., of].mean(axis=-1, keepdims=True)
    return out


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
                total = np.zeros((int(up.sum()), int((~up).sum())))
                times = np.zeros_like(total)
                for block in fits.blocks(keep):
                    scores = known(list(metric.parts(block))[index][0], block.left_out, metric.name)
                    out = block.left_out
                    total += psi_sums(scores[:, up], scores[:, ~up], out[:, up], out[:, ~up])
                    times += left_out_together(out[:, up], out[:, ~up])
                _check(times, undefined, design)
                means = np.divide(total, times, out=np.zeros_like(total), where=times > 0)
                parts.append(Part(sign / len(metric.targets), fits, index, up, means, times))
        return cls(design, metric, tuple(parts), keep, draws)

    @property
    def value(self) -> float:
        return float(sum(p.coefficient * p.value for p in self.parts))

    @property
    def skipped(self) -> int:
        return max(int((~p.defined).sum()) for p in self.parts)

    def blocks(self) -> Iterator[tuple[np.ndarray, list[Block]]]:
        """Counts, and for every part the block of its Fits."""
        fits = list({id(p.fits): p.fits for p in self.parts}.values())
        for blocks in zip(*(f.blocks(self.keep) for f in fits), strict=True):
            by_fits = {id(f): block for f, block in zip(fits, blocks, strict=True)}
            yield blocks[0].counts, [by_fits[id(p.fits)] for p in self.parts]

    def influence(self) -> tuple[np.ndarray, np.ndarray]:
        """(n,) scaled to the exact standard error, and (B,) contributions to the Monte-Carlo error."""
        training, monte_carlo = np.zeros(self.design.n_units), []
        for counts, blocks in self.blocks():
            r = np.zeros(len(counts))
            for part, block in zip(self.parts, blocks, strict=True):
                r += part.coefficient * part.margins(block, self.metric, drop=0)[1]
            training += self.draws.weights(self.design, counts).T @ r  # MATH (5)
            monte_carlo.append(r)
        return shared(self.design, self.centred(), training), np.concatenate(monte_carlo)

    def centred(self) -> np.ndarray:
        return np.sum([p.coefficient * p.centred(self.design) for p in self.parts], axis=0)

    def corrected_variance(self) -> float:
        """MATH 2.6: the variance without the noise of the B replicates."""
        design = self.design
        training, noise = np.zeros(design.n_units), np.zeros(design.n_units)
        for counts, blocks in self.blocks():
            y = np.zeros((len(counts), design.n_units))
            r = np.zeros(len(counts))
            for part, block in zip(self.parts, blocks, strict=True):
                each, total = part.margins(block, self.metric, drop=1)
                r += part.coefficient * total
                first = design.unit_sums(each - centre_within(part, design, each))
                y += part.coefficient * (first + self._training_noise(counts, each, total))
            training += self.draws.weights(design, counts).T @ r
            noise += (y**2).sum(axis=0)
        u = design.unit_sums(shared(design, self.centred(), training))
        return float((u**2 - noise).sum())

    def _training_noise(self, counts: np.ndarray, each: np.ndarray, total: np.ndarray) -> np.ndarray:
        touching = self.design.unit_sums(each)
        if self.design.stratified:  # a pair holds one unit of u's class or, with several classes, none
            return training_noise(self.design, self.draws, counts, touching, total)
        # a pair holds two units (the few pairs within one group are taken for two as well)
        weights = self.draws.weights(self.design, counts)
        return (weights - self.draws.expected(self.design, counts, gone=2)) * (total[:, None] - touching)


def _check(times: np.ndarray, undefined: str, design: Design) -> None:
    never = int((times == 0).sum())
    if not never:
        return
    if never == times.size:
        raise UndefinedError("no pair of cases was ever left out together", got=f"{design.n_fits} replicates")
    if undefined == "raise":
        raise UndefinedError(
            f"{never} of {times.size} pairs of cases were never left out together, so they were never tested",
            got=f"{design.n_fits} replicates",
            do=f"Use about {enough_replicates(times, design.n_fits)} replicates, or undefined='skip'",
        )
