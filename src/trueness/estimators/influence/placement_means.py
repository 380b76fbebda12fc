"""How the AUC depends on its training cases, from ranks: O(B n log n) time, nothing of size positives × negatives.

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

import numpy as np

from trueness.errors import UndefinedError
from trueness.estimators.influence.case_influence import training_noise
from trueness.estimators.influence.draws import Draws, draws_of
from trueness.kernels.pairs import residuals_of_units, squared_residuals, won_in_groups, won_rows
from trueness.metrics.auc import AUC
from trueness.metrics.metric import require_used
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.typing import Array, Bools, Floats, Ints

KEPT_NUMBERS = 2**23  # comparisons won, up to which they are kept between passes; more are computed again
SQUARED_PAIRS = 2e8  # pairs that are looked at for Σ e²; of more, a part of the positives stands for all


def compared(scores: Floats, left_out: Bools, positive: Bools, groups: Ints | None) -> tuple[Floats, Floats]:
    """(b, n) comparisons that each left-out case won and made, with `groups` only those of different groups."""
    up, down = (left_out & positive).sum(axis=1), (left_out & ~positive).sum(axis=1)
    won = won_rows(scores, left_out, positive)
    made = left_out * np.where(positive, down[:, None], up[:, None]).astype(float)
    if groups is not None:
        for b, out in enumerate(left_out):
            of_own = won_in_groups(scores[b, out], positive[out], groups[out])
            won[b, out] -= of_own[0]
            made[b, out] -= of_own[1]
    return won, made


@dataclass(frozen=True, eq=False)
class Replicates:
    """A block of replicates, with a list over the classes that are compared with the rest."""

    counts: Array  # (b, n)
    left_out: Bools  # (b, n)
    scores: list[Floats]  # (rules, b, n)
    won: list[Floats]  # (b, n), of two rules the difference
    made: list[Floats]  # (b, n)


@dataclass(frozen=True, eq=False)
class PlacementMeans:
    """c and A of each class against the rest, of one rule or of the difference of two."""

    design: Design
    metric: AUC
    rules: tuple[tuple[float, Fits], ...]  # with their signs
    keep: Bools  # (F,) the replicates that count
    draws: Draws

    @classmethod
    def over(cls, fits: Fits, metric: AUC, minus: Fits | None = None, draws: Draws | None = None) -> PlacementMeans:
        """Of one rule, or of its difference from another."""
        rules = ((1.0, fits),) if minus is None else ((1.0, fits), (-1.0, minus))
        keep = np.logical_and.reduce([rule.kept for _, rule in rules])
        return cls(fits.design, metric, rules, keep, draws or draws_of(fits.design))

    @cached_property
    def _signs(self) -> Floats:
        return np.array([sign for sign, _ in self.rules])

    @cached_property
    def _positive(self) -> list[Bools]:
        return [self.design.sample.codes == target for target in self.metric.targets]

    @cached_property
    def _apart(self) -> Ints | None:
        """Groups whose own cases are not compared with each other."""
        return None if self.design.sample.groups_are_pure else self.design.sample.groups

    def _read(self) -> Iterator[Replicates]:
        for blocks in zip(*(fits.blocks(self.keep) for _, fits in self.rules), strict=True):
            out, scores, won, made = blocks[0].left_out, [], [], []
            each = [[s for s, _ in self.metric.parts(block)] for block in blocks]  # rules × targets
            for of_target, positive in zip(zip(*each, strict=True), self._positive, strict=True):
                scores.append(np.stack([require_used(s, out, self.metric.name) for s in of_target]))
                found = [compared(s, out, positive, self._apart) for s in scores[-1]]
                won.append(np.asarray(sum(sign * w for sign, (w, _) in zip(self._signs, found, strict=True))))
                made.append(found[0][1])
            yield Replicates(blocks[0].counts, out, scores, won, made)

    @cached_property
    def _kept(self) -> list[Replicates] | None:
        many = int(self.keep.sum()) * self.design.n * len(self.metric.targets) > KEPT_NUMBERS
        return None if many else list(self._read())

    def blocks(self) -> Iterator[Replicates]:
        """All replicates, as often as it is called."""
        return self._read() if self._kept is None else iter(self._kept)

    @cached_property
    def margins(self) -> list[tuple[Floats, float]]:
        """Of each class against the rest c (n,), 0 where a case was never compared, and A."""
        won, made = np.zeros((2, len(self.metric.targets), self.design.n))
        for block in self.blocks():
            won += np.sum(block.won, axis=1)
            made += np.sum(block.made, axis=1)
        if not made.sum(axis=1).all():
            raise UndefinedError("No pair of cases was ever left out together", param="plan")
        up = np.stack(self._positive)
        values = (won * up).sum(axis=1) / (made * up).sum(axis=1)
        return [(c, float(a)) for c, a in zip(won / np.maximum(made, 1), values, strict=True)]

    @property
    def value(self) -> float:
        """The mean over all comparisons."""
        return float(np.mean([a for _, a in self.margins]))

    def _residuals(self) -> Iterator[tuple[Replicates, Floats, Floats, Floats, Floats]]:
        """Of each block: Σ e over the comparisons of each case (b, n), and their number, as shares of all comparisons
        of a replicate; Σ e over all (b,); and the number of comparisons (targets, b), 0 where a class is missing."""
        targets = len(self.metric.targets)
        for block in self.blocks():
            each, share, total = (
                np.zeros(block.left_out.shape),
                np.zeros(block.left_out.shape),
                np.zeros(len(block.counts)),
            )
            pairs = np.stack([m[:, up].sum(axis=1) for m, up in zip(block.made, self._positive, strict=True)])
            pairs *= (pairs > 0).all(axis=0)
            for won, made, up, (c, a), n in zip(
                block.won, block.made, self._positive, self.margins, pairs, strict=True
            ):
                known = (n > 0)[:, None] / np.maximum(n, 1)[:, None] / targets
                others = self._others(block.left_out, up, c)
                e = (won - made * (c - a) - others) * block.left_out * known
                each += e
                share += made * known
                total += e[:, up].sum(axis=1)
            yield block, each, share, total, pairs

    def _others(self, left_out: Bools, up: Bools, c: Floats) -> Floats:
        """(b, n) Σ c over the left-out cases that a case is compared with."""
        out = np.zeros(left_out.shape)
        for of in (up, ~up):
            held = left_out * (c * ~of)
            out += of * held.sum(axis=1)[:, None]
            if self._apart is not None:
                out -= of * self.design.unit_sums(held)[:, self._apart]
        return out

    @cached_property
    def _times(self) -> tuple[float, float, float]:
        """Comparisons in all; mean number of replicates in which a pair was compared, and that left out a case."""
        left, made = 0.0, 0.0
        for block in self.blocks():
            left += float(block.left_out.sum())
            made += float(np.mean([m[:, up].sum() for m, up in zip(block.made, self._positive, strict=True)]))
        every = np.mean([up.sum() * (~up).sum() for up in self._positive])
        if self._apart is not None:  # pairs within a group are not compared
            held = np.stack([np.bincount(self._apart[up], minlength=self.design.n_units) for up in self._positive])
            every -= float((held * (np.bincount(self._apart) - held)).sum(axis=1).mean())
        return float(every), made / float(every), left / self.design.n

    def training_part(self) -> tuple[Floats, Floats]:
        """(U,) τ, by which each unit moves the value as a training case, and ν, the noise in its square."""
        design, (every, times, _) = self.design, self._times
        tau, nu = np.zeros(design.n_units), np.zeros(design.n_units)
        for block, each, _, total, pairs in self._residuals():
            scale = pairs.mean(axis=0) / (every * max(times - 1, 1.0))
            touching, of_all = design.unit_sums(each) * scale[:, None], total * scale
            if design.stratified:  # a pair holds one unit of u's class or, with several classes, none
                y = training_noise(design, self.draws, block.counts, touching, of_all)
            else:  # a pair holds two units
                weights = self.draws.weights(design, block.counts)
                y = (weights - self.draws.expected(design, block.counts, gone=2)) * (of_all[:, None] - touching)
            tau += y.sum(axis=0)
            nu += (y**2).sum(axis=0)
        return tau, nu

    def trained(self) -> float:
        """t, the variance of the AUC over training sets; it may be negative."""
        design, found, possible, replicates = self.design, 0.0, 0.0, int(self.keep.sum())
        every, times, left = self._times
        step = max(1, math.ceil(every * times * len(self.metric.targets) / SQUARED_PAIRS))
        for block, each, share, total, pairs in self._residuals():
            weight = pairs.mean(axis=0) ** 2
            squares = np.zeros((len(total), 2))
            for t, n in enumerate(pairs):
                for b in np.flatnonzero(n):
                    squares[b] += np.array(self._squares(block, t, int(b), step)) / (n[b] * len(pairs)) ** 2
            found += float((weight * (total**2 - (design.unit_sums(each) ** 2).sum(axis=1) + squares[:, 0])).sum())
            possible += float((weight * (1 - (design.unit_sums(share) ** 2).sum(axis=1) + squares[:, 1])).sum())
        if not possible > 0:
            raise UndefinedError("No two pairs of cases without a common unit were left out together", param="plan")
        return found / possible / (1 - 4 / left + 3 / replicates)

    def _squares(self, block: Replicates, t: int, b: int, step: int) -> tuple[float, float]:
        """Σ over pairs of units of (Σ e)², and of their number of pairs squared, of one replicate."""
        cases, (c, a) = np.flatnonzero(block.left_out[b]), self.margins[t]
        positive = self._positive[t][cases]
        of_up, of_down = np.flatnonzero(positive), np.flatnonzero(~positive)
        scores, centre = np.ascontiguousarray(block.scores[t][:, b, cases]), np.append(c[cases], a)
        if self.design.sample.groups is None:
            total = squared_residuals(self._signs, scores, of_up, of_down, centre, step)
            return total, float(len(of_up) * len(of_down))
        every, unit = np.unique(self.design.units[cases], return_inverse=True)
        if step > 1:  # many groups: the term is small, and its order is that of cases
            total, size = squared_residuals(self._signs, scores, of_up, of_down, centre, step), len(cases) / len(every)
            return total * size, float(len(of_up) * len(of_down)) * size
        table = residuals_of_units(self._signs, scores, of_up, of_down, unit, len(every), centre)
        table = np.triu(table.swapaxes(0, 2) + table.swapaxes(0, 2).swapaxes(1, 2), 1)  # pairs of different units
        return float((table[0] ** 2).sum()), float((table[1] ** 2).sum())
