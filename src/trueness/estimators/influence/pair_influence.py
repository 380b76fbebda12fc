"""Influence function of the leave-pair-out bootstrap, and its correction for a finite number of replicates.

    A_ij = Σ_b I_i I_j ψ_ij / D_ij,  D_ij = Σ_b I_i I_j,      AUC = mean A_ij
    h_k  = (A_k. − A)/n1 + Σ_b N_k r_b / (n1 n2)  for a positive case, likewise for a negative one,
    r_b  = Σ_ij I_i I_j (ψ_ij − A_ij) / D_ij,                  Var = Σ h_k²

It is exact at every finite B. Several classes: the mean of one class against the rest, so h is the mean of the parts. A
difference of two rules: h is the difference. Both are sums of `Part`s with coefficients; the Parts of a rule are kept
with its Fits, so that LPOB, cv+training and differences share them.

References
----------
Yousef, ML Assessment, eq. 60; docs/appendix/math.md, section "Influence functions of LOOB and LPOB".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from trueness.checks import is_one_of
from trueness.errors import InputError, UndefinedError
from trueness.estimators.influence import Contrast
from trueness.estimators.influence.case_influence import Means, Residuals, centres, row_blocks
from trueness.estimators.influence.draws import BootstrapDraws, Draws, refuse_cases
from trueness.kernels.auc import pair_residuals, pair_wins
from trueness.metrics.auc import AUC
from trueness.metrics.metric import require_used
from trueness.result.words import counted
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.rows import require_memory
from trueness.typing import Array, Bools, Floats

KEPT_NUMBERS = 2**23  # pairs and scores up to which the sums of a rule stay with its fits: some 200 MB


MAX_PAIRS = 2e9  # pairs × training sets that are summed one by one; with more, ranks give the sums: half a second
MAX_PAIRS_OF_SECOND_ORDER = 2e10  # the same where the second order is wanted, which ranks do not give: some seconds
MAX_BYTES = 2**31  # of the tables of pairs
LARGE = 0.1  # share of the cases in one group, from which on ranks may be wrong by more than 0.1 standard errors

Sums = Literal["auto", "exact", "ranks"]
"""How sums over pairs are computed: pair by pair, by ranks, or pair by pair where that takes about a second."""


def by_ranks(fits: Fits | Design, metric: AUC, sums: Sums, *, rules: int = 1, second_order: bool = False) -> bool:
    """Whether ranks replace sums over single pairs; an error where these are asked for and there is no room for them."""
    if not is_one_of(sums, get_args(Sums)):
        raise InputError('sums must be "auto", "exact" or "ranks"', param="sums", got=repr(sums))
    design = fits if isinstance(fits, Design) else fits.design
    sizes = [float(design.sample.sizes[target]) for target in metric.targets]
    pairs = [size * (design.n - size) for size in sizes]
    # wins, times, means and a temporary table per pair; scores twice, counts and residuals per case and training set
    needed = rules * (32 * max(pairs) + 32.0 * design.n_fits * design.n * len(pairs)) + second_order * 16 * max(pairs)
    # of a large group of several classes the cases are left out together in many of the replicates that leave out one of
    # them, and ranks take cases for independent; of one class they form no pairs
    groups = None if design.sample.groups_are_pure else design.sample.groups
    large = groups is not None and float(np.bincount(groups).max()) > LARGE * design.sample.n
    if large and sums == "ranks":
        problem = f"Sums by ranks are wrong where one group of several classes has more than {LARGE:.0%} of the cases"
        raise InputError(problem, param="sums", fix="Use sums='exact'")
    if large or sums == "exact":
        require_memory(needed, f"sums over {max(pairs):.1e} pairs", "Use sums='ranks' or method='cv'")
        return False
    if sums != "auto":
        return sums == "ranks"
    most = MAX_PAIRS_OF_SECOND_ORDER if second_order else MAX_PAIRS
    return sum(pairs) * design.n_fits > most or needed > MAX_BYTES


@dataclass(frozen=True, eq=False)
class OverPairs(Means):
    """A mean over pairs of cases of different classes."""

    metric: AUC
    keep: Bools  # (F,) the replicates that count

    def training_noise(self, counts: Array, touching: Floats, total: Floats) -> Floats:
        if self.design.stratified:  # a pair holds one unit of u's class or, with several classes, none
            return super().training_noise(counts, touching, total)
        # a pair holds two units (the few pairs within one group are taken for two as well)
        weights = self.draws.weights(self.design, counts)
        return (weights - self.draws.expected(self.design, counts, gone=2)) * (total[:, None] - touching)

    def class_centres(self, positive: Bools, each: Floats) -> Floats:
        """(…, n) the mean over the class of each case: of the positives and the rest or, where class sizes are fixed, of
        each class of the rest."""
        return centres(each, self.design.sample.codes if self.design.fixed_sizes else positive.astype(np.intp))


@dataclass(frozen=True, eq=False)
class Part:
    """One class against the rest, by the rules of one Fits."""

    positive: Bools  # (n,)
    # for each block of replicates the scores of the cases that were left out; NaN elsewhere
    scores: list[tuple[Array, Array]]
    # (n1, n2) Σ_b I_i I_j ψ_ij and D_ij: the largest arrays there are
    won: Floats
    times: Floats
    alike: Bools  # (n1, n2) pairs of one group, where groups hold several classes: they do not count

    @cached_property
    def skipped(self) -> int:
        """Pairs that count and were never left out together."""
        return self.won.size - self.pairs - int(self.alike.sum())

    @property
    def means(self) -> Floats:
        """(n1, n2) A_ij, 0 where undefined."""
        return np.divide(self.won, self.times, out=np.zeros(self.won.shape), where=self.times > 0, dtype=float)

    @cached_property
    def margins(self) -> tuple[Floats, Floats]:
        """(n,) sums of A_ij over the pairs of each case, and how many of them were ever left out."""
        sums, numbers = np.empty(len(self.positive)), np.empty(len(self.positive))
        for into, table in ((sums, self.means), (numbers, self.times > 0)):
            into[self.positive], into[~self.positive] = table.sum(axis=1), table.sum(axis=0)
        return sums, numbers

    @cached_property
    def value(self) -> float:
        """The mean of A_ij."""
        return float(self.margins[0][self.positive].sum() / self.pairs)

    @cached_property
    def pairs(self) -> int:
        """Pairs that were ever left out together."""
        return int(self.margins[1][self.positive].sum())

    @cached_property
    def residuals(self) -> list[tuple[Floats, Floats, Floats]]:
        """Of each block of replicates the sums over the pairs of each case (b, n) and over all pairs (b,) of residuals
        (ψ − A)/(D − 1), and over all pairs (b,) of residuals (ψ − A)/D; divided by the number of pairs."""
        out = []
        for of_up, of_down in self.scores:
            rows, cols, totals = pair_residuals(of_up, of_down, self.won, self.times)
            each = np.empty((len(rows), len(self.positive)))
            each[:, self.positive], each[:, ~self.positive] = rows, cols
            out.append((each / self.pairs, rows.sum(axis=1) / self.pairs, totals / self.pairs))
        return out


@dataclass(frozen=True, eq=False)
class PairMeans(OverPairs):
    """A_ij and D_ij of every part with its coefficient, on the same replicates."""

    parts: tuple[tuple[float, Part], ...]
    counts: list[Array]  # of each block of replicates

    @classmethod
    def over(cls, c: Contrast, draws: Draws | None = None) -> PairMeans:
        """Of one rule, or of its difference from another."""
        fits, metric, rules = c.fits, c.metric, c.rules
        design, keep, parts = fits.design, np.logical_and.reduce([rule.kept for _, rule in rules]), []
        for sign, rule in rules:
            for index in range(len(metric.targets)):
                part = _part(rule, metric, index, keep)
                _check(part, c.undefined, design)
                parts.append((sign / len(metric.targets), part))
        counts = [block.counts for block in fits.blocks(keep)]
        return cls(design, draws or BootstrapDraws(), metric, keep, tuple(parts), counts)

    @cached_property
    def value(self) -> float:
        return float(sum(c * part.value for c, part in self.parts))

    @cached_property
    def skipped(self) -> int:
        return max(part.skipped for _, part in self.parts)

    def centred(self) -> Floats:
        """(n,) (A_k. − A)/n1 and (A_.l − centre of its stratum)/n2."""
        out = np.zeros(self.design.n)
        for c, part in self.parts:
            each = (part.margins[0] - part.value * part.margins[1]) / part.pairs
            out += c * (each - self.class_centres(part.positive, each))
        return out

    def blocks(self) -> Iterator[Residuals]:
        for block, counts in enumerate(self.counts):
            for rows in row_blocks(*counts.shape):
                found = [[c * x[rows] for x in part.residuals[block]] for c, part in self.parts]
                each, total, exact = (np.sum(of, axis=0) for of in zip(*found, strict=True))
                ups = [part.positive for _, part in self.parts]
                known = [self.class_centres(up, of[0]) for up, of in zip(ups, found, strict=True)]
                yield Residuals(counts[rows], each, each - np.sum(known, axis=0), total, exact)


def _part(fits: Fits, metric: AUC, index: int, keep: Bools) -> Part:
    """One class against the rest, with its sums over replicates; kept with the fits where it is not too large."""
    up, groups = fits.sample.codes == metric.targets[index], fits.sample.groups

    def compute() -> Part:
        won, scores = np.zeros((np.count_nonzero(up), np.count_nonzero(~up))), []
        times = np.zeros_like(won)
        for block in fits.blocks(keep):
            of_block, _ = list(metric.parts(block))[index]
            known = np.where(block.left_out, require_used(of_block, block.left_out, metric.name), np.nan)
            of_up, of_down = known[:, up], known[:, ~up]
            scores.append((of_up, of_down))
            won += pair_wins(of_up, of_down)
            times += (~np.isnan(of_up)).T.astype(float) @ (~np.isnan(of_down)).astype(float)
        alike = np.zeros(won.shape, dtype=bool)
        if groups is not None and not fits.sample.groups_are_pure:  # a new case comes from a new group
            alike = groups[up][:, None] == groups[~up]
            won[alike] = times[alike] = 0
        return Part(up, scores, won, times, alike)

    if np.count_nonzero(up) * np.count_nonzero(~up) + np.count_nonzero(keep) * len(up) > KEPT_NUMBERS:
        return compute()
    return fits.cached(("pairs", metric.key, index, keep.tobytes()), compute)


def _check(part: Part, undefined: str, design: Design) -> None:
    """An error where pairs were never left out together, unless they are skipped, or would have been had no fit failed."""
    times, never = part.times[~part.alike], part.skipped
    if not never or undefined == "raise":
        refuse_cases(design, times, "pairs of cases")
        return
    if never == times.size:
        raise UndefinedError("No pair of cases was ever left out together", got=counted(design.n_fits, "replicate"))
    if undefined == "failed":
        out = design.tests().astype(np.float32)
        if not (out[:, part.positive].T @ out[:, ~part.positive])[~part.alike].all():
            refuse_cases(design, times, "pairs of cases")
