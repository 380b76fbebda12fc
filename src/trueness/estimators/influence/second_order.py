"""Second-order variance of LOOB and LPOB, for differences above all.

The influence variance V_1 counts the part of the variance in which c cases interact c times (Hoeffding), so it is too
large where the first order cancels: in a difference. With V_2, the sum of squared second derivatives over pairs of
cases, Var = V_1 − V_2 + V_3 − …, and the Padé form

    V = V_1 / (1 + min(V_2/V_1, 1))

is exact where the orders fall geometrically, and never below V_1/2. See docs/appendix/math.md, section "Second-order
variance of a difference".

V_2 is Σ_{k<l} [(Σ_b z_kl)² − Σ_b z_kl²] / n². Where the replicates hold nothing but noise, z_kl is about
(N_k − 1)(N_l − 1) r_b with uncorrelated factors, so that the standard deviation of V_2 over repetitions of the
resampling is, with mc² = Σ_b r_b²/n² the Monte-Carlo variance of the estimate itself,

    SD(V_2) ≈ √(2 · n²/2) mc² = n mc²,    noise = SD(V_2)/V_1, which falls like 1/B.

V_2 is clipped to 0 … V_1. Noise of the size of V_1 sends it to either end at random: V is V_1/2 nearly half of the
time, and a test rejects too often. Nearly all of the noise comes from pairs of two training cases. So beyond a noise
of ½, V_2 is the sum over the other derivatives alone, by a test case and a training case or by two test cases
(`with_a_test_case`); it is usually smaller, so that V is rather too large. Beyond a noise of ½ of its own it counts by
(½/noise)² only: V goes to the first order.

Second derivatives of LOOB and LPOB by the masses of two cases, summed over replicates.

A residual ρ is 0 unless its cases are left out, so N_k ρ_k = 0, and in one replicate the second derivative by cases
k and l is a form in (1, N_k, ρ_k) and (1, N_l, ρ_l), with coefficients that depend on their strata and on sums over
the replicate:

    z_kl = s + p_k N_k + p_l N_l + q_k ρ_k + q_l ρ_l + T N_k N_l + h_k ρ_k N_l + h_l N_k ρ_l.

Σ_b z_kl takes two matrix products. What is subtracted as noise is needed in total only: Σ_kl z_kl² is the trace of
Cᵀ M C M′, M the sums of squares and products of (1, N, ρ) over a stratum. The tests compute the same terms one
replicate and one pair of cases at a time. See docs/appendix/math.md, section "Second-order variance of a difference".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trueness.errors import InputError
from trueness.estimators.influence.case_influence import TRUSTED_NOISE, CaseMeans, Means
from trueness.estimators.influence.pair_influence import OverPairs, PairMeans
from trueness.kernels.auc import residual_squares
from trueness.result.notes import Note
from trueness.typing import Floats

ADD_MONTE_CARLO_BELOW = 500  # with fewer replicates the Monte-Carlo variance of the estimate is added


def pade(v1: float, v2: float, weight: float = 1.0) -> float:
    """V_1 / (1 + weight · V_2/V_1), V_2 clipped to 0 … V_1."""
    return v1 / (1 + weight * min(max(v2, 0.0) / v1, 1.0)) if v1 > 0 else 0.0


@dataclass(frozen=True)
class VarianceOrders:
    """Terms of the variance of an estimate."""

    v1: float  # first and second order; V_2 is not clipped
    v2: float
    sd_v2: float  # of V_2 over repetitions of the resampling
    monte_carlo: float  # Monte-Carlo variance of the estimate
    cases: int  # how many of them the terms come from
    replicates: int

    @property
    def noise(self) -> float:
        """SD(V_2)/V_1 from the resampling alone."""
        return self.sd_v2 / self.v1 if self.v1 > 0 else math.inf

    @property
    def variance(self) -> float:
        """V; 0 where V_1 is not positive, so that the variance is unknown."""
        if self.v1 <= 0:
            return 0.0
        weight = 1.0 if self.noise <= TRUSTED_NOISE else (TRUSTED_NOISE / self.noise) ** 2
        return pade(self.v1, self.v2, weight) + (self.monte_carlo if self.replicates < ADD_MONTE_CARLO_BELOW else 0.0)

    def sd(self, sd_of_v1: float) -> float:
        """SD of V over repetitions of the resampling, were V_2 to count in full: with x = V_2/V_1,
        dV = [(1 + 2x) dV_1 − dV_2]/(1 + x)²."""
        x = min(max(self.v2 / self.v1, 0.0), 1.0) if self.v1 > 0 else 0.0
        return math.hypot((1 + 2 * x) * sd_of_v1, self.sd_v2) / (1 + x) ** 2

    def too_few(self) -> Note | None:
        """A note where the replicates are too few for so many cases."""
        if self.v1 <= 0 or self.noise <= TRUSTED_NOISE:
            return None
        needed = math.ceil(self.replicates * self.noise / TRUSTED_NOISE / 100) * 100
        return Note("few-replicates", replicates=self.replicates, cases=self.cases, noise=self.noise, needed=needed)


def missing(means: CaseMeans | OverPairs) -> str:
    """Why the second order is not available for these; "" where it is."""
    if means.design.sample.groups is not None:
        return "it is not available for groups"
    if isinstance(means, OverPairs):
        if not isinstance(means, PairMeans):
            return "it needs sums pair by pair, and the pairs are too many"
        if len(means.metric.targets) != 1:
            return "for an AUC it requires two classes"
        if not means.design.stratified:
            return "for an AUC it requires a stratified bootstrap"
        return "some pairs were never left out together" if means.skipped else ""
    if means.by_class and not means.design.stratified:
        return "for a class-weighted loss it requires a stratified bootstrap"
    return ""


def orders_of(means: CaseMeans | OverPairs) -> VarianceOrders:
    """The orders of LOOB or LPOB, or of a difference of two."""
    if why := missing(means):
        raise InputError(
            f"There is no second-order standard error: {why}", param="se", fix="Use se='influence-corrected'"
        )
    if isinstance(means, PairMeans):
        return VarianceOrders(*orders_of_pairs(means), cases=means.design.n, replicates=int(means.keep.sum()))
    assert isinstance(means, CaseMeans)  # ranks have no second order
    return VarianceOrders(*orders_of_cases(means), cases=means.design.n, replicates=means.n_replicates)


def _first(means: Means, size: int) -> tuple[float, Floats, Floats]:
    """V_1, with m/(m − 1) of each stratum, and N and ρ (B, n) of all replicates; of residuals times `size`."""
    blocks, design = list(means.blocks()), means.design
    training, noise = np.zeros((2, design.n))
    for block in blocks:
        y = means.training_noise(block.counts, block.each, block.total)
        training += y.sum(axis=0)
        noise += ((y + block.tested) ** 2).sum(axis=0)
    m = np.bincount(design.strata)[design.strata]
    v1 = float((m / (m - 1) * ((means.centred() + training) ** 2 - noise)).sum())
    N, rho = (np.concatenate(arrays) for arrays in zip(*((b.counts, b.each) for b in blocks), strict=True))
    return v1 * size**2, N.astype(float), rho * size


def orders_of_cases(means: CaseMeans) -> tuple[float, float, float, float]:
    """V_1, V_2 (not clipped), SD(V_2) and the Monte-Carlo variance of LOOB, or of a difference of two."""
    n, members = means.design.n, means.design.strata
    v1, N, rho = _first(means, n)
    T = rho.sum(axis=1)
    strata = [Stratum(N[:, of], rho[:, of]) for of in (members == s for s in np.unique(members))]
    pairs = [(k, l) for i, k in enumerate(strata) for l in strata[i:]]
    sd = n * float(T @ T)  # n mc², times n²
    if sd <= TRUSTED_NOISE * v1:
        v2 = sum((within(k, T) if k is l else between(k, l, T)).total() for k, l in pairs)
    else:
        parts = [with_a_test_case(k, l) for k, l in pairs]
        v2, sd = sum(part.total() for part in parts), math.sqrt(sum(part.variance() for part in parts))
    return v1 / n**2, v2 / n**2, sd / n**2, float(T @ T) / n**2


def orders_of_pairs(means: PairMeans) -> tuple[float, float, float, float]:
    """V_1, V_2 (not clipped), SD(V_2) and the Monte-Carlo variance of LPOB, or of a difference of two."""
    up, times = means.parts[0][1].positive, means.parts[0][1].times
    mean = np.sum([c * part.means for c, part in means.parts], axis=0)
    pairs, squares = mean.size, 0.0
    for block in range(len(means.counts)):
        squares += residual_squares([(c, *part.scores[block]) for c, part in means.parts], mean, times)
    v1, N, rho = _first(means, pairs)
    positives, negatives = (Stratum(N[:, of], rho[:, of]) for of in (up, ~up))
    r = positives.sums()
    interaction = mean - mean.mean(axis=1, keepdims=True) - mean.mean(axis=0) + mean.mean()
    sd = means.design.n * float(r @ r)  # n mc², times the squared number of pairs
    if sd <= TRUSTED_NOISE * v1:
        v2 = within(positives, r).total() + within(negatives, r).total()
        v2 += across(positives, negatives, squares).total(interaction)
    else:
        parts = [(with_a_test_case(of, of), None) for of in (positives, negatives)]
        parts.append((with_a_test_case(positives, negatives, squares), interaction))
        v2, sd = sum(p.total(added) for p, added in parts), math.sqrt(sum(p.variance(added) for p, added in parts))
    return v1 / pairs**2, v2 / pairs**2, sd / pairs**2, float(r @ r) / pairs**2


BLOCK_CELLS = 2**22  # sums over pairs of cases that are held at a time


@dataclass(frozen=True, eq=False)
class Stratum:
    """The cases of one stratum: counts N and residuals ρ, (b, m) each."""

    N: Floats
    rho: Floats

    @property
    def size(self) -> int:
        return len(self.N[0])

    def sums(self) -> Floats:
        """(b,) of the residuals."""
        return np.asarray(self.rho.sum(axis=1))

    @cached_property
    def values(self) -> Floats:
        """(b, 3, m) 1, N and ρ of each case."""
        return np.stack([np.ones(self.N.shape), self.N, self.rho], axis=1)


def coefficients(T: Floats, s: Floats, p: Sequence[Floats], q: Sequence[float], h: Sequence[float]) -> Floats:
    """(b, 3, 3) C of z_kl, rows for (1, N_k, ρ_k) and columns for (1, N_l, ρ_l): `p` of N_k and N_l, `q` of ρ_k and ρ_l,
    `h` of ρ_k N_l and N_k ρ_l."""
    C = np.zeros((len(T), 3, 3))
    C[:, 0, 0], C[:, 1, 1] = s, T
    C[:, 1, 0], C[:, 0, 1] = p
    C[:, 2, 0], C[:, 0, 2] = q
    C[:, 2, 1], C[:, 1, 2] = h
    return C


def squares_of(C: Floats, k: Stratum, l: Stratum) -> float:
    """Σ_b Σ_kl z_kl² over the cases k of one stratum and l of another: Σ_b tr(Cᵀ M_k C M_l); of one stratum over k < l."""
    v, w = k.values, l.values
    total = float(((v @ v.swapaxes(1, 2) @ C) * (C @ (w @ w.swapaxes(1, 2)))).sum())
    if k is not l:
        return total
    alone = (v * (C @ v)).sum(axis=1)  # k = l
    return 0.5 * (total - float(np.vdot(alone, alone)))


@dataclass(frozen=True, eq=False)
class SecondDerivatives:
    """z_kl for the cases k and l of two strata, or of one."""

    k: Stratum  # the same object where both cases are of one stratum; then only pairs k < l count
    l: Stratum
    C: Floats
    noise: float  # Σ_b Σ_kl z_kl², what the noise of the replicates adds to Σ_kl (Σ_b z_kl)²

    def sums(self, rows: slice = slice(None), cols: slice = slice(None)) -> Floats:
        """(k, l) Σ_b z_kl of some cases; the diagonal of one stratum has no meaning."""
        mine, theirs = self.C.swapaxes(1, 2) @ self.k.values[:, :, rows], self.l.values[:, :, cols]
        return np.asarray(mine.reshape(-1, mine.shape[2]).T @ theirs.reshape(-1, theirs.shape[2]))

    def total(self, added: Floats | None = None) -> float:
        """Σ over pairs of cases of (added + Σ_b z_kl)² less the noise, times m/(m − 1) of both strata."""
        squares = sum(float(np.vdot(sums, sums)) for _, _, sums in self._blocks(added))
        return self._bessel * (squares - self.noise)

    def variance(self, added: Floats | None = None) -> float:
        """Of `total` over repetitions of the resampling, for z `with_a_test_case`: Σ_kl 4 (added + Σ_b z_kl)² ν − 2 ν²,
        where ν_kl = Σ_b [(ρ_k − S_k/m_k)² + (ρ_l − S_l/m_l)²] is the variance of Σ_b z_kl."""
        mine, theirs = (((g.rho - g.rho.mean(axis=1, keepdims=True)) ** 2).sum(axis=0) for g in (self.k, self.l))
        out = 0.0
        for rows, cols, sums in self._blocks(added):
            noise = self._pairs(mine[rows, None] + theirs[cols])
            out += 4 * float(np.vdot(sums**2, noise)) - 2 * float(np.vdot(noise, noise))
        return self._bessel**2 * max(out, 0.0)

    @property
    def _bessel(self) -> float:
        m, n = self.k.size, self.l.size
        return m / (m - 1) * n / (n - 1)

    def _pairs(self, table: Floats) -> Floats:
        """Of one stratum, pairs k < l alone; the block begins on the diagonal."""
        return np.triu(table, 1) if self.k is self.l else table

    def _blocks(self, added: Floats | None) -> Iterator[tuple[slice, slice, Floats]]:
        """Rows, columns, and added + Σ_b z_kl of these cases, some rows at a time."""
        step = max(1, BLOCK_CELLS // self.l.size)
        for start in range(0, self.k.size, step):
            rows = slice(start, min(start + step, self.k.size))
            cols = slice(start if self.k is self.l else 0, None)
            sums = self.sums(rows, cols)
            yield rows, cols, self._pairs(sums if added is None else sums + added[rows])


def within(stratum: Stratum, T: Floats) -> SecondDerivatives:
    """Two cases of one stratum of m cases: S (b,) the sum of ρ over it, T over all.

    c = m/(m − 1), e = (m − 1)/m, a = e + 1/(m − 1):
    z = (1 + 1/m)((N_l − c) ρ_k + (N_k − c) ρ_l) − ((N_l − c)(S − ρ_l) + (N_k − c)(S − ρ_k))/m
        + [N_k N_l − a(N_k + N_l) − c + 2ac](S − ρ_k − ρ_l) + [N_k N_l − e(N_k + N_l) + e](T − S)
    """
    m, S = stratum.size, stratum.sums()
    c, e = m / (m - 1), (m - 1) / m
    a = e + 1 / (m - 1)
    g = 2 * a * c - c
    p, q, h = -(1 / m + a) * S - e * (T - S), -(1 + 2 / m) * c - g, 1 + 1 / m + a
    C = coefficients(T, (2 * c / m + g) * S + e * (T - S), (p, p), (q, q), (h, h))
    return SecondDerivatives(stratum, stratum, C, squares_of(C, stratum, stratum))


def between(k: Stratum, l: Stratum, T: Floats) -> SecondDerivatives:
    """LOOB, cases of two strata:

    z = (N_l − 1)(ρ_k − S_k/m_k) + (N_k − 1)(ρ_l − S_l/m_l) + (N_k − c_k)(N_l − 1)(S_k − ρ_k)
        + (N_k − 1)(N_l − c_l)(S_l − ρ_l) + (N_k − 1)(N_l − 1)(T − S_k − S_l)
    """
    mk, ml, Sk, Sl = k.size, l.size, k.sums(), l.sums()
    ck, cl = mk / (mk - 1), ml / (ml - 1)
    gk, gl = (1 / mk + ck - 1) * Sk, (1 / ml + cl - 1) * Sl
    C = coefficients(T, T + gk + gl, (-T - gl, -T - gk), (-1 - ck, -1 - cl), (1 + ck, 1 + cl))
    return SecondDerivatives(k, l, C, squares_of(C, k, l))


def across(k: Stratum, l: Stratum, squares: float) -> SecondDerivatives:
    """LPOB, a positive and a negative; ρ_k is R_k, ρ_l is Q_l, and `squares` is Σ_b Σ_kl ρ_kl².

    w = M_l [R_k − ρ_kl − (r − Q_l)/n1] + M_k [Q_l − ρ_kl − (r − R_k)/n2] + M_k M_l (r − R_k − Q_l + ρ_kl), M = N − c
    x = ρ_kl − R_k/n2 − Q_l/n1 + r/(n1 n2), the noise of A_kl − A_k. − A_.l + A.

    The sums are those of w, the noise that of w + x. Σ_b ρ_kl = 0, so ρ_kl itself is in the squares alone: (f + κ ρ)²,
    κ = (1 + c1)(1 + c2), and where ρ_kl is not 0 the counts are, so that f = s + q1 R_k + q2 Q_l there.
    """
    n1, n2, r = k.size, l.size, k.sums()
    c1, c2 = n1 / (n1 - 1), n2 / (n2 - 1)
    p, h = (-(1 / n2 + c2) * r, -(1 / n1 + c1) * r), (1 + c1, 1 + c2)
    s, q1, q2 = (c2 / n1 + c1 / n2 + c1 * c2) * r, -c2 - c1 / n2 - c1 * c2, -c1 - c2 / n1 - c1 * c2
    C = coefficients(r, s, p, (q1, q2), h)
    return SecondDerivatives(k, l, C, _with_pairs(C, k, l, r, squares, (1 + c1) * (1 + c2)))


def with_a_test_case(k: Stratum, l: Stratum, squares: float | None = None) -> SecondDerivatives:
    """The part of z in which at least one of the two cases is a test case, for LOOB and LPOB, of one stratum or two:

    z = (N_l − 1)(ρ_k − S_k/m_k) + (N_k − 1)(ρ_l − S_l/m_l)

    Of a positive and a negative of LPOB, `squares` is Σ_b Σ_kl ρ_kl², and the noise is that of z + x, as in `across`.
    """
    Sk, Sl = k.sums() / k.size, l.sums() / l.size
    C = coefficients(np.zeros_like(Sk), Sk + Sl, (-Sl, -Sk), (-1.0, -1.0), (1.0, 1.0))
    noise = squares_of(C, k, l) if squares is None else _with_pairs(C, k, l, k.sums(), squares, 1.0)
    return SecondDerivatives(k, l, C, noise)


def _with_pairs(C: Floats, k: Stratum, l: Stratum, r: Floats, squares: float, kappa: float) -> float:
    """Σ_b Σ_kl (z + x + κ ρ_kl)² of a positive and a negative, x without its ρ_kl."""
    x = coefficients(0 * r, r / (k.size * l.size), (0 * r, 0 * r), (-1 / l.size, -1 / k.size), (0.0, 0.0))
    C = C + x
    of_each = float(C[0, 2, 0] * np.vdot(k.rho, k.rho) + C[0, 0, 2] * np.vdot(l.rho, l.rho))
    return squares_of(C, k, l) + 2 * kappa * (of_each + float(C[:, 0, 0] @ r)) + kappa**2 * squares
