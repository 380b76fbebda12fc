"""Influence function of the leave-one-out bootstrap: MATH 2.2, 2.3 and its finite-B correction, 2.6.

    E_j = Σ_b I_j L_j / D_j,  D_j = Σ_b I_j,      Err = mean w_j E_j
    U_i = w_i (E_i − centre) + Σ_b N_i r_b,       r_b = Σ_j w_j I_j (L_j − E_j) / D_j,   Var = Σ U_i² / n²

It is exact at every finite B. N is the count of the drawn unit (a case, or a whole group; `Draws` has the
form for cross-validation), E is centred within the classes where those keep their sizes or have given
probabilities. A difference of two rules is the same with L the difference of their losses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from karat.errors import Setting, UndefinedError
from karat.estimators.influence.draws import BootstrapDraws, Draws
from karat.kernels.cases import Lookup, case_sums_of, residual_sums_of
from karat.metrics.metric import CaseLoss
from karat.result import Estimate
from karat.result.digits import counted
from karat.result.note import Note
from karat.sample.design import Design
from karat.sample.fits import Fits

FEW = 2**20  # losses that are kept

# blocks of (counts, losses), both (b, n)
Losses = Callable[[], Iterator[tuple[np.ndarray, np.ndarray | Lookup]]]


def losses_of(fits: Fits, loss: CaseLoss, keep: np.ndarray | None = None) -> Losses:
    """The losses of one rule, as often as they are asked for; few of them are worked out once."""

    def blocks() -> Iterator[tuple[np.ndarray, np.ndarray | Lookup]]:
        for block in fits.blocks(keep):
            yield block.counts, loss.left_out_losses(block)

    if fits.n_fits * fits.sample.n > FEW:
        return blocks
    kept = list(blocks())
    return lambda: iter(kept)


def difference_of_losses(a: Fits, b: Fits, loss: CaseLoss, keep: np.ndarray) -> Losses:
    """L^A − L^B on the same replicates: the derivative is linear  (seeds/000, eq. 64–66)."""

    def blocks() -> Iterator[tuple[np.ndarray, np.ndarray | Lookup]]:
        for (counts, of_a), (_, of_b) in zip(losses_of(a, loss, keep)(), losses_of(b, loss, keep)(), strict=True):
            yield counts, as_table(of_a) - as_table(of_b)

    return blocks


def as_table(losses: np.ndarray | Lookup) -> np.ndarray:
    return losses.table if isinstance(losses, Lookup) else losses


@dataclass(frozen=True, eq=False)
class CaseMeans:
    """E_j and D_j of every case, and what the influence function needs besides."""

    design: Design
    losses: Losses
    means: np.ndarray  # (n,) E_j; NaN where D_j = 0
    times: np.ndarray  # (n,) D_j
    weights: np.ndarray  # (n,) w_j; 0 where E_j is undefined and skipped
    by_class: bool  # whether E is centred within classes
    draws: Draws
    n_replicates: int

    @classmethod
    def over(
        cls, design: Design, losses: Losses, loss: CaseLoss, undefined: str, draws: Draws | None = None
    ) -> CaseMeans:
        """One pass over the replicates."""
        total, times, replicates = np.zeros(design.n), np.zeros(design.n), 0
        for counts, values in losses():
            replicates += len(counts)
            sums = case_sums_of(counts, values)
            total += sums[0]
            times += sums[1]
        weights = loss.case_weights(design.sample)
        never = (times == 0) & (weights > 0)
        if never.any():
            if undefined == "raise":
                raise UndefinedError(
                    never_tested(int(never.sum()), design.n, "cases", "left out"),
                    got=counted(design.n_fits, "replicate"),
                    fix=replicates_needed(enough_replicates(times, replicates)),
                )
            weights = _reweighted(weights, never, design.sample.codes, loss.priors is not None)
        with np.errstate(invalid="ignore"):
            means = total / times
        by_class = design.stratified or loss.priors is not None
        return cls(design, losses, means, times, weights, by_class, draws or BootstrapDraws(), replicates)

    @classmethod
    def of_partition(cls, design: Design, losses: np.ndarray, loss: CaseLoss) -> CaseMeans:
        """From the held-out losses (R, n) of R partitions: every case is tested once in each."""
        by_class = loss.priors is not None  # the plain mean of MATH 4.1: class sizes are not held fixed
        weights, times = loss.case_weights(design.sample), np.full(design.n, float(len(losses)))
        nothing: Losses = lambda: iter(())  # noqa: E731 - there are no replicates to read
        return cls(design, nothing, losses.mean(axis=0), times, weights, by_class, BootstrapDraws(), 0)

    @cached_property
    def value(self) -> float:
        """Σ_j w_j E_j / n  (seeds/000, eq. 32)."""
        return float((self.weights * self.known_means).mean())

    @cached_property
    def known_means(self) -> np.ndarray:
        """(n,) E_j, 0 where it is undefined."""
        return np.where(np.isnan(self.means), 0.0, self.means)

    @property
    def skipped(self) -> int:
        return int((self.times == 0).sum())

    def first_term(self) -> np.ndarray:
        """(n,) the influence of the cases as test cases alone: the naive standard error."""
        return self.centred() / self.design.n

    def note_fixed_classes(self, out: Estimate) -> Estimate:
        """A note where the standard error would be larger if the sizes of the classes were not held fixed.

        A plain mean over cases depends on the shares of the classes; their variance is Σ_c p_c (Ē_c − Err)²/n.
        """
        weighted = not np.allclose(self.weights, self.weights[0])
        if not self.design.stratified or weighted or out.se is None or not out.se > 0:
            return out
        sample, means = self.design.sample, self.known_means
        of_class = np.bincount(sample.codes, means, minlength=sample.n_classes) / sample.sizes
        shares = sample.sizes / sample.n
        whole = np.sqrt(out.se**2 + (shares * (of_class - shares @ of_class) ** 2).sum() / sample.n)
        if whole < 1.1 * out.se:
            return out
        return out.noting(
            Note(
                "fixed-class-sizes",
                (
                    "The standard error assumes fixed class sizes. If class sizes are random, it is "
                    f"{whole:.2g} instead of {out.se:.2g}; use ",
                    Setting("stratified", False),
                    ".",
                ),
                "warning",
                se=float(whole),
                fixed_se=out.se,
            )
        )

    def centred(self) -> np.ndarray:
        means = self.known_means
        if not self.by_class:
            used = self.weights > 0
            return self.weights * (means - means[used].mean())
        centre = np.zeros(self.design.n)
        for code in range(self.design.sample.n_classes):
            of = (self.design.sample.codes == code) & (self.weights > 0)
            centre[of] = means[of].mean() if of.any() else 0.0
        return self.weights * (means - centre)

    def blocks_of_residuals(self, drop: int = 1) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Blocks of counts and of R_bj = w_j I_j (L_j − E_j) / (D_j − drop), both (b, n)."""
        scale, means = self._scale(drop), self.known_means
        for counts, losses in self.losses():
            values = as_table(losses)
            for rows in few_at_a_time(*counts.shape):
                yield counts[rows], (counts[rows] == 0) * (values[rows] - means) * scale

    def blocks_of_sums(self, drop: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Blocks of counts, and (b,) r_b = Σ_j R_bj."""
        scale, means = self._scale(drop), self.known_means
        for counts, values in self.losses():
            yield counts, residual_sums_of(counts, values, means, scale)

    def _scale(self, drop: int) -> np.ndarray:
        return self.weights / np.maximum(self.times - drop, 1)

    def influence(self) -> tuple[np.ndarray, np.ndarray]:
        """(n,) scaled to the exact standard error, and (B,) contributions to the Monte-Carlo error."""
        training, monte_carlo = np.zeros(self.design.n_units), []
        for counts, r in self.blocks_of_sums(drop=0):
            for rows in few_at_a_time(*counts.shape):
                training += self.draws.weights(self.design, counts[rows]).T @ r[rows]  # MATH (2): Σ_b N_i r_b
            monte_carlo.append(r / self.design.n)
        return shared(self.design, self.centred(), training) / self.design.n, np.concatenate(monte_carlo)

    def leave_replicate_out(self) -> np.ndarray:
        """(B,) how much the value falls when replicate b is dropped: E_j − E_j(−b) = I_j (L_j − E_j)/(D_j − 1)."""
        return np.concatenate([r / self.design.n for _, r in self.blocks_of_sums(drop=1)])

    def corrected_variance(self) -> float:
        """MATH 2.6: the variance without the noise of the B replicates."""
        design, n = self.design, self.design.n
        training, noise = np.zeros(design.n_units), np.zeros(design.n_units)
        for counts, residuals in self.blocks_of_residuals(drop=1):
            training += self.draws.weights(design, counts).T @ residuals.sum(axis=1)
            y = design.unit_sums(residuals - self.centres(residuals))
            y = y + training_noise(design, self.draws, counts, design.unit_sums(residuals), residuals.sum(axis=1))
            noise += (y**2).sum(axis=0)
        u = design.unit_sums(shared(design, self.centred(), training))
        return float((u**2 - noise).sum() / n**2)

    def centres(self, residuals: np.ndarray) -> np.ndarray:
        """(b, n) mean of the residuals over what a case is centred by."""
        if not self.by_class:
            return residuals.mean(axis=1, keepdims=True)
        out = np.empty_like(residuals)
        for code in range(self.design.sample.n_classes):
            of = self.design.sample.codes == code
            out[:, of] = residuals[:, of].mean(axis=1, keepdims=True)
        return out


def enough_replicates(times: np.ndarray, replicates: int) -> int:
    """Replicates after which one sample in a thousand has a case (or pair) that is never left out.

    n (1 − p)^B = 10⁻³, p the chance of being left out: 1/e of a case, 1/e² of a pair, 1/K of a pair in a fold.
    """
    p = min(max(times.mean() / replicates, 1e-6), 0.99)
    return int(np.ceil(np.log(times.size * 1000) / -np.log1p(-p) / 50) * 50)


def never_tested(never: int, n: int, what: str, how: str) -> str:
    """So many of n cases, or pairs of them, have nothing to be judged by."""
    was, they = ("was", "it was") if never == 1 else ("were", "they were")
    return f"{never} of {n} {what} {was} never {how}, so {they} never tested"


def never_left_out(skipped: int) -> str:
    """The note about cases that are skipped; nothing where there are none."""
    if not skipped:
        return ""
    return counted(skipped, "case was never left out and is skipped.", "cases were never left out and are skipped.")


def replicates_needed(enough: int) -> str:
    """The cure, in words: to be tested at all, and to have a standard error that can be believed."""
    return (
        f"Use about {enough} replicates (1000 or more where a difference is to be judged), "
        "or estimate(..., undefined='skip')"
    )


def few_at_a_time(n: int, width: int) -> Iterator[slice]:
    """Slices of some of n replicates: what is made of them stays in the cache, and never fills the memory."""
    rows = max(16, 2**17 // width)
    for start in range(0, n, rows):
        yield slice(start, min(start + rows, n))


def shared(design: Design, first: np.ndarray, training: np.ndarray) -> np.ndarray:
    """(n,) first term of each case plus the training term of its unit, shared among the unit's cases."""
    sizes = np.bincount(design.units)
    return first + (training / sizes)[design.units]


def training_noise(
    design: Design, draws: Draws, counts: np.ndarray, touching: np.ndarray, total: np.ndarray
) -> np.ndarray:
    """(b, U) Σ (N_u − E[N_u | tested]) ρ over the residuals ρ that do not touch unit u; see MATH 2.6.

    `touching` (b, U) are the sums of the residuals that touch each unit, `total` (b,) the sum of all.
    The expectation depends on whether a tested unit is of u's stratum or not.
    """
    within = np.eye(design.strata.max() + 1)[design.strata]  # (U, strata)
    own = (touching @ within)[:, design.strata]
    weights = draws.weights(design, counts)
    same = (weights - draws.expected(design, counts, gone=1)) * (own - touching)
    other = (weights - draws.expected(design, counts, gone=0)) * (total[:, None] - own)
    return same + other


def _reweighted(weights: np.ndarray, never: np.ndarray, codes: np.ndarray, by_class: bool) -> np.ndarray:
    """Weights of the mean over the cases that were tested."""
    kept = np.where(never, 0.0, weights)
    if not by_class:
        if not kept.any():
            raise UndefinedError("no case was ever left out")
        return kept * len(weights) / (~never).sum()
    for code in np.unique(codes[weights > 0]):
        of = codes == code
        if not kept[of].any():
            raise UndefinedError("no case of a class was ever left out")
        kept[of] *= weights[of].sum() / kept[of].sum()
    return kept


def variance(design: Design, influence: np.ndarray) -> float:
    """Σ over units of the squared sum of their cases' influence."""
    return float((design.unit_sums(influence) ** 2).sum())
