"""How the AUC depends on its training cases, from ranks: O(B n log n) time, one sort per rule and replicate, nothing of
size positives × negatives.

With ψ_bij the comparison of positive i with negative j by the rule of replicate b, which left both out,

    c_k = mean of ψ over the comparisons of case k in all replicates,   A = mean of ψ over all comparisons,
    e_bij = ψ_bij − (c_i + c_j − A):  the mean of ψ_ij over replicates is replaced by what its margins give.

Sums of e over the comparisons of a case follow from the number that it won. The variance of the AUC over training sets
is the covariance of e over pairs of pairs that share no unit (a case, or a group),

    t = Σ_b [(Σ e)² − Σ_u (Σ e that touches u)² + Σ_uv (Σ e between u and v)²] / Σ_b [the same with e = 1]  /  (1 − 4/D + 3/B)

with D the mean number of replicates that left out a unit; the last divisor corrects for the centring at c. All orders
of the dependence on training cases are in it. A difference of two rules: ψ is the difference, so c, A and e are.
Several classes: the mean of one class against the rest. Groups that hold several classes: only cases of different
groups are compared, because a new case comes from a new group.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from trueness.errors import UndefinedError
from trueness.estimators.influence import Contrast
from trueness.estimators.influence.case_influence import Residuals, moved_by, row_blocks
from trueness.estimators.influence.draws import BootstrapDraws, Draws, refuse_never
from trueness.estimators.influence.pair_influence import OverPairs
from trueness.estimators.seeds import ByReplicate
from trueness.kernels.auc import (
    products_of_classes,
    residuals_of_units,
    squared_differences,
    won_in_groups,
    won_rows,
)
from trueness.metrics.metric import require_used
from trueness.sample.fits import Fits
from trueness.sample.rows import Block
from trueness.typing import Array, Bools, Floats, Ints

SQUARED_PAIRS = (
    2e7  # pairs that are looked at for Σ ψ² of a difference, and for products of the e of two classes against the rest;
    # of more, a part of the positives stands for all
)
UNIT_PAIRS = 2e8  # pairs that are looked at for sums over pairs of groups; with more, the groups count as equally large


def pairs_within(groups: Ints, positive: Bools) -> int:
    """Pairs of a positive and another case of one group."""
    held = np.bincount(groups[positive], minlength=groups.max() + 1)
    return int((held * (np.bincount(groups) - held)).sum())


def comparisons_made(left_out: Bools, positive: Bools, groups: Ints | None) -> Floats:
    """(b, n) comparisons that each left-out case makes."""
    up, down = (left_out & positive).sum(axis=1), (left_out & ~positive).sum(axis=1)
    made: Floats = left_out * np.where(positive, down[:, None], up[:, None]).astype(float)
    if groups is not None:
        made -= comparisons_within(np.zeros(made.shape), left_out, positive, groups)[1]
    return made


def comparisons_within(scores: Floats, left_out: Bools, positive: Bools, groups: Ints) -> Floats:
    """(2, b, n) comparisons that each left-out case won and made in its own group."""
    found = np.zeros((2, *left_out.shape))
    for b, out in enumerate(left_out):
        found[:, b, out] = won_in_groups(scores[b, out], positive[out], groups[out])
    return found


@dataclass(frozen=True, eq=False)
class RankSums:
    """What one pass over B replicates gives of T classes against the rest."""

    made: Floats  # (T, n) comparisons that each case made
    squares: Floats  # (T, B) Σ ψ² over the pairs of a replicate
    left: float  # mean number of replicates that left out a case
    c: Floats  # (T, n) share of its comparisons that each case won, 0 where it made none; of two rules the difference
    a: Floats  # (T,) A
    pairs: float  # that can be compared: the mean over the classes
    times: float  # mean number of replicates in which a pair was compared


@dataclass(frozen=True, eq=False)
class RankResiduals:
    """Sums of e in a block of replicates, as shares of all comparisons of a replicate."""

    counts: Array  # (b, n)
    parts: Floats  # (T, b, n) Σ e over the comparisons of each case, for each class against the rest
    share: Floats  # (b, n) their number
    total: Floats  # (b,) Σ e over all comparisons
    pairs: Floats  # (b,) comparisons of a replicate, the mean over the classes; 0 where a class is missing
    squares: Floats  # (2, b) Σ over pairs of units of (Σ e)², and of their number squared


@dataclass(frozen=True, eq=False)
class PlacementMeans(OverPairs):
    """c and A of each class against the rest, of one rule or of the difference of two."""

    rules: tuple[tuple[float, Fits], ...]  # with their signs
    up: Bools  # (T, n) the cases of each class
    apart: Ints | None  # groups whose own cases are not compared with each other

    @classmethod
    def over(cls, c: Contrast, draws: Draws | None = None) -> PlacementMeans:
        """Of one rule, or of its difference from another."""
        keep = np.logical_and.reduce([rule.kept for _, rule in c.rules])
        sample = c.fits.sample
        up = np.stack([sample.codes == target for target in c.metric.targets])
        apart = None if sample.groups_are_pure else sample.groups
        return cls(c.fits.design, draws or BootstrapDraws(), c.metric, keep, c.rules, up, apart)

    @cached_property
    def _signs(self) -> Floats:
        return np.array([sign for sign, _ in self.rules])

    def _scores(self, blocks: tuple[Block, ...], t: int) -> list[Floats]:
        """(b, n) of each rule, of one class against the rest."""
        each = (list(self.metric.parts(block))[t][0] for block in blocks)
        return [require_used(scores, blocks[0].left_out, self.metric.name) for scores in each]

    def _won(self, blocks: tuple[Block, ...], t: int) -> tuple[Floats, Floats]:
        """Of one class against the rest the comparisons (b, n) won by each case, and (b,) Σ ψ²."""
        out, up, scores = blocks[0].left_out, self.up[t], self._scores(blocks, t)
        won, tied = won_rows(scores[0], out, up)
        squares = won[:, up].sum(axis=1) - tied / 4  # ψ² = ψ but for ties
        if len(scores) > 1:
            won -= won_rows(scores[1], out, up)[0]
            step = self._step(float(np.count_nonzero(up)) * np.count_nonzero(~up))
            for b, left in enumerate(out):
                of_up, of_down = np.flatnonzero(left & up), np.flatnonzero(left & ~up)
                squares[b] = squared_differences(scores[0][b], scores[1][b], of_up, of_down, step)
        if self.apart is not None:
            for sign, s in zip(self._signs, scores, strict=True):
                won -= sign * comparisons_within(s, out, up, self.apart)[0]
        return won, squares

    def _step(self, pairs: float) -> int:
        """Every how many-th positive is looked at, of so many pairs of cases in all replicates."""
        looked_at = pairs * np.count_nonzero(self.keep) / 7  # a replicate leaves out .368² = 1/7 of them
        return max(1, math.ceil(looked_at / SQUARED_PAIRS))

    @cached_property
    def sums(self) -> RankSums:
        """One pass over the replicates."""
        targets, squares, left = len(self.up), [], 0.0
        won, made = np.zeros((2, targets, self.design.n))
        for blocks in zip(*(fits.blocks(self.keep) for _, fits in self.rules), strict=True):
            out, each = blocks[0].left_out, [self._won(blocks, t) for t in range(targets)]
            left += float(out.sum())
            squares.append([of_pairs for _, of_pairs in each])
            for t, (of_cases, _) in enumerate(each):
                won[t] += of_cases.sum(axis=0)
                made[t] += comparisons_made(out, self.up[t], self.apart).sum(axis=0)
        if not made.sum(axis=1).all():
            raise UndefinedError("No pair of cases was ever left out together", param="plan")
        values = (won * self.up).sum(axis=1) / (made * self.up).sum(axis=1)
        pairs = float(np.mean([float(of.sum()) * (~of).sum() for of in self.up]))
        if self.apart is not None:  # pairs within a group are not compared
            pairs -= float(np.mean([pairs_within(self.apart, of) for of in self.up]))
        times = float((made * self.up).sum(axis=1).mean()) / pairs
        c, squared = won / np.maximum(made, 1), np.concatenate(squares, axis=1)
        return RankSums(made, squared, left / self.design.n, c, values, pairs, times)

    def check(self, undefined: str) -> PlacementMeans:
        """The same; an error where a case was never compared, unless it is skipped."""
        refuse_never(self.design, (self.sums.made == 0).any(axis=0), self.sums.made.min(axis=0), undefined)
        return self

    @cached_property
    def value(self) -> float:
        """The mean of c_i + c_j − A over all pairs."""
        return float(np.mean([sum(c[of].mean() for of in used) - a for c, a, used in self._compared()]))

    @cached_property
    def skipped(self) -> int:
        return max(
            int(np.count_nonzero(up) * np.count_nonzero(~up) - np.prod([np.count_nonzero(of) for of in used]))
            for up, (_, _, used) in zip(self.up, self._compared(), strict=True)
        )

    def _compared(self) -> Iterator[tuple[Floats, float, tuple[Bools, Bools]]]:
        """c and A of each class against the rest, and the positives and negatives that were ever compared."""
        for c, a, up, made in zip(self.sums.c, self.sums.a.tolist(), self.up, self.sums.made, strict=True):
            yield c, a, (up & (made > 0), ~up & (made > 0))

    def centred(self) -> Floats:
        """(n,) (c_k − mean of c over its class)/size of its class: what A_k. is replaced by."""
        out = np.zeros(self.design.n)
        for c, _, used in self._compared():
            each = np.zeros(len(out))
            for of in used:
                each[of] = (c[of] - c[of].mean()) / of.sum() / len(self.up)
            if self.design.fixed_sizes:
                each -= self.class_centres(used[0], each)
            out += each
        return out

    def blocks(self) -> Iterator[Residuals]:
        """As of pairs one by one, with the mean number of replicates that left out a pair in place of its own."""
        for block in self.residuals():
            scale = block.pairs / self.sums.pairs
            corrected = scale / max(self.sums.times - 1, 1.0)
            known = [self.class_centres(*of) for of in zip(self.up, block.parts, strict=True)]
            each, middle = (np.sum(of, axis=0) * corrected[:, None] for of in (block.parts, known))
            yield Residuals(
                block.counts, each, each - middle, block.total * corrected, block.total * scale / self.sums.times
            )

    def residuals(self) -> Iterator[RankResiduals]:
        """One more pass over the replicates, some at a time."""
        done, up, grouped = 0, self.up, self.design.sample.groups is not None
        # sums over pairs of groups; of more, the term is small, and its order is that of cases
        few_pairs = self.sums.pairs * self.sums.times * len(up) <= UNIT_PAIRS
        for every in zip(*(fits.blocks(self.keep) for _, fits in self.rules), strict=True):
            for rows in row_blocks(*every[0].counts.shape):
                blocks = tuple(block.some(rows) for block in every)
                counts, out = blocks[0].counts, blocks[0].left_out
                made = np.stack([comparisons_made(out, of, self.apart) for of in up])
                pairs = (made * up[:, None]).sum(axis=2)  # (T, b)
                pairs *= (pairs > 0).all(axis=0)
                scales = (pairs > 0) / np.maximum(pairs, 1) / len(up)
                parts, more = np.zeros(made.shape), np.zeros(pairs.shape)
                for t, of_cases in enumerate(made):
                    parts[t], more[t] = self._residuals(out, self._won(blocks, t)[0], of_cases, t)
                total = ((parts * up[:, None]).sum(axis=2) * scales).sum(axis=0)
                known = np.stack([self.sums.squares[:, done : done + len(counts)] + more, pairs]) * scales**2
                parts *= scales[:, :, None]
                squares = known.sum(axis=1)
                if grouped and few_pairs:
                    squares = self._of_units(blocks, scales)
                else:
                    if len(up) > 1:
                        squares += self._across(blocks, scales)
                    if grouped:  # times the left-out cases of each unit that is left out, on average
                        units = out[:, self.design.first_of_unit].sum(axis=1)
                        squares *= out.sum(axis=1) / np.maximum(units, 1)
                done += len(counts)
                share = (made * scales[:, :, None]).sum(axis=0)
                yield RankResiduals(counts, parts, share, total, pairs.mean(axis=0), squares)

    def _residuals(self, left_out: Bools, won: Floats, made: Floats, t: int) -> tuple[Floats, Floats]:
        """(b, n) Σ e over the comparisons of each case, e_ij = ψ_ij − c_i − c_j + A, and (b,) Σ e² − Σ ψ² over all pairs."""
        c, a, up, left = self.sums.c[t], self.sums.a[t], self.up[t], left_out.astype(float)
        of = np.stack([up, ~up], axis=1)
        powers = np.concatenate([of * c[:, None] ** k for k in (0, 1, 2)], axis=1)
        (p, q), sums, squares = np.split((left @ powers).T, 3)  # of the positives and of the rest
        others = sums.T[:, up.astype(np.intp)]
        if self.apart is not None:
            for mine in (up, ~up):
                others -= mine * self.design.unit_sums(left * (c * ~mine))[:, self.apart]
        e = left * (won - made * (c - a) - others)
        # Σ e² − Σ ψ² = Σ (c_i + c_j − A)² − 2 Σ ψ (c_i + c_j − A)
        centre = q * squares[0] + p * squares[1] + 2 * sums[0] * sums[1]
        centre += a * (a * p * q - 2 * (q * sums[0] + p * sums[1]))
        return e, centre - 2 * (won @ c - a * won[:, up].sum(axis=1))

    def training(self, along: Floats) -> tuple[Floats, ByReplicate]:
        """(U,) τ, by which each unit moves the value as a training case; and by replicate Σ `along` (U,) times τ, and t,
        the variance of the AUC over training sets, which may be negative.

        A unit that was drawn is not compared, so that Σ_b (N_u − E N_u)(Σ e − Σ e that touches u) has no products of
        both.
        """
        design, scaled = self.design, 1 / (self.sums.pairs * max(self.sums.times - 1, 1.0))
        found, possible, moving, touching, tau = [], [], [], np.zeros(design.n_units), np.zeros(design.n_units)
        within = np.eye(design.strata.max() + 1)[design.strata]  # (U, strata)
        gone = (
            (1, 0) if design.stratified else (2, 2)
        )  # a pair holds one unit of u's class or, with several classes, none
        for block in self.residuals():
            pairs, share = block.pairs, design.unit_sums(block.share)
            each = design.unit_sums(np.sum(block.parts, axis=0))
            own, total = (each @ within) * (pairs * scaled)[:, None], block.total * pairs * scaled
            moved = moved_by(design, self.draws, block.counts, total, own, along, gone)
            tau += moved[0]
            moving.append(moved[1])
            touching += (pairs * scaled) @ each
            alone = [np.einsum("bu,bu->b", x, x) for x in (each, share)]
            found.append(pairs**2 * (block.total**2 - alone[0] + block.squares[0]))
            possible.append(pairs**2 * (1.0 * (pairs > 0) - alone[1] + block.squares[1]))
        if not np.concatenate(possible).sum() > 0:
            raise UndefinedError("No two pairs of cases without a common unit were left out together", param="plan")
        tau += self.draws.expected(design, block.counts, gone=gone[0]) * touching
        divisor = 1 - 4 / self.sums.left + 3 / int(self.keep.sum())
        return tau, ByReplicate(np.concatenate(found), np.concatenate(possible), divisor, np.concatenate(moving))

    def _of_units(self, blocks: tuple[Block, ...], scales: Floats) -> Floats:
        """(2, b) Σ over pairs of groups of (Σ e)², and of their number of pairs squared; e and pairs of all classes
        against the rest, times `scales` (T, b)."""
        out = np.empty((2, scales.shape[1]))
        scores = [self._scores(blocks, t) for t in range(len(scales))]
        for b, left in enumerate(blocks[0].left_out):
            cases = np.flatnonzero(left)
            every, unit = np.unique(self.design.units[cases], return_inverse=True)
            table = np.zeros((len(every), len(every), 2))
            each = zip(scores, self.up, self.sums.c, self.sums.a, scales[:, b], strict=True)
            for of_class, up, c, a, scale in each:
                of_up, of_down = np.flatnonzero(up[cases]), np.flatnonzero(~up[cases])
                known, centre = np.stack([s[b, cases] for s in of_class]), np.append(c[cases], a)
                table += scale * residuals_of_units(self._signs, known, of_up, of_down, unit, len(every), centre)
            table = np.triu(table.swapaxes(0, 2) + table.swapaxes(0, 2).swapaxes(1, 2), 1)  # pairs of different units
            out[:, b] = (table**2).sum(axis=(1, 2))
        return out

    def _across(self, blocks: tuple[Block, ...], scales: Floats) -> Floats:
        """(2, b) what Σ over pairs of cases of (Σ e)² has besides the squares: two cases of different classes are
        compared twice, as each of these against the rest."""
        out, codes = np.zeros((2, scales.shape[1])), self.design.sample.codes
        scores = [self._scores(blocks, t) for t in range(len(scales))]
        sizes = [float(np.count_nonzero(up)) for up in self.up]
        step = self._step((sum(sizes) ** 2 - sum(size**2 for size in sizes)) / 2)
        for s, t in combinations(range(len(scales)), 2):
            centres = np.stack([np.append(self.sums.c[k], self.sums.a[k]) for k in (s, t)])
            for b, left in enumerate(blocks[0].left_out):
                first, second = (np.flatnonzero(left & (codes == self.metric.targets[k])) for k in (s, t))
                known = np.stack([[rule[b] for rule in scores[k]] for k in (s, t)])
                e = products_of_classes(self._signs, known, first, second, centres, step)
                out[:, b] += 2 * scales[s, b] * scales[t, b] * np.array([e, len(first) * len(second)])
        return out
