"""Linear rules with an L2 penalty: the ridge classifier and logistic regression; and least squares of numbers, ordinary and
with a penalty: all training sets from sums of products.
"""

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from trueness.checks import quietly
from trueness.fitting.engines import (
    MIN_KEPT,
    Engine,
    Phi,
    Rules,
    TrainingTable,
    has,
    symmetric,
    variances,
)
from trueness.kernels.engines import inverses
from trueness.result.notes import Note
from trueness.typing import Bools, Floats, Integers

MOST_FEATURES = 200  # with more, the inverses take longer than the model itself
MOST_OF_LOGISTIC = 100
EXACT = ("auto", "cholesky", "svd")  # solvers of the minimum itself


def ridge(model: BaseEstimator, table: TrainingTable) -> Engine | None:
    """An intercept, no weights, no bounds, a solver that gives the exact minimum."""
    covered = has(model, fit_intercept=True, class_weight=None, positive=False, solver=EXACT)
    n, p = table.x.shape
    if not covered or not model.alpha > 0 or p > min(n, MOST_FEATURES):
        return None
    targets = range(table.n_classes) if table.n_classes > 2 else (1,)
    signs = np.stack([np.where(table.codes == c, 1.0, -1.0) for c in targets], axis=1)
    return Ridge(table, float(model.alpha), signs)


ROWS = 64  # training sets at a time: their scores stay in the cache
OWN = 26  # coefficients up to which curvatures of their own are worth their matrix product
STEPS, DEPTH = 25, 3  # steps with a curvature that is kept, and how many of them the acceleration remembers
CLOSE = 1e-8  # change of a score below which a step is the last one
NEWTON, HALVINGS = 50, 20
MISSED = 1e-2  # by how much scikit-learn's scores may miss the minimum; about 5e-3 on scaled tables at its default tol
ROOM = 0.7  # of max_iter: some training sets need more steps than all cases do
# condition of the curvature, as the solver sees it, above which some training sets do not converge though all cases do
WORST = {"lbfgs": 1e10, "newton-cg": 1e10, "newton-cholesky": 1e13}


def logistic(model: BaseEstimator, table: TrainingTable) -> Engine | Note | None:
    """An intercept, no weights, and a solver that reaches the minimum for all cases; a note where it does not."""
    if table.n_classes > 2 or not np.isfinite(model.C) or table.x.shape[1] > MOST_OF_LOGISTIC:
        return None
    fixed = {"penalty": ("l2", "deprecated"), "l1_ratio": (None, 0, 0.0), "class_weight": None, "dual": False}
    if not has(model, **fixed, fit_intercept=True, solver=tuple(WORST), warm_start=False):
        return None
    found = Logistic(table, float(model.C))
    if not np.isfinite(found.start).all():
        return None
    if (missed := found.missed(model, table)) <= MISSED:
        return found
    return Note("solver-stops-early", solver=model.solver, missed=missed if np.isfinite(missed) else None)


class Logistic:
    """Logistic regression of two classes with an L2 penalty:

        minimise  C Σ_i N_i log(1 + exp(−y_i η_i)) + ½ Σ_j D_j γ_j²,   η = γ_0 + Σ_j γ_j x_j;

    D expresses the penalty in the units that scikit-learn sees. All training sets start at the minimum for all cases
    and keep a curvature H there, with many features that of all cases; steps H⁻¹ · gradient are accelerated (Anderson
    1965). Training sets that this does not settle get Newton steps.
    """

    name: ClassVar[str] = "closed-form logistic"
    responses: ClassVar[tuple[str, ...]] = ("decision_function", "predict_proba")

    def __init__(self, table: TrainingTable, C: float) -> None:
        x = table.x - table.x.mean(
            axis=0
        )  # so that the intercept hardly depends on the other coefficients: fewer steps
        self.phi, self.target, self.C = Phi(x), (table.codes == 1).astype(float), C
        self.z, self.spread, self.scaled = np.column_stack([np.ones(len(x)), x]), table.spread, table.scaled
        self.numbers = self.z.shape[1] * (self.z.shape[1] if self.z.shape[1] <= OWN else 8)
        self.close = CLOSE / float(np.abs(self.z).max())
        self.penalty = self._penalty(everyone := np.ones((1, len(x))))
        self.start = self._newton(everyone, self.penalty, np.zeros((1, self.z.shape[1])))
        curvature = self._curvature(everyone, self.penalty, self.start)
        self.inverse, self.weight = inverses(curvature)[0][0], curvature[0, 0, 0] / C  # Σ p (1 − p)

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        drawn = counts.astype(float)
        penalty, positives = self._penalty(drawn), drawn @ self.target
        possible = (positives > 0) & (positives < drawn.sum(axis=1)) & ~np.isnan(penalty).any(axis=1)
        gamma = np.repeat(self.start, len(counts), axis=0)
        settled = self._descend(drawn, penalty, gamma, possible)
        rest = np.flatnonzero(possible & ~settled)
        together = max(1, min(ROWS, 2**24 // gamma.shape[1] ** 2))
        for some in (rest[rows] for rows in _blocks(len(rest), together)):
            gamma[some] = self._newton(drawn[some], penalty[some], np.repeat(self.start, len(some), axis=0))
        return Rules(np.matmul(gamma, self.z.T, out=out), possible & np.isfinite(gamma).all(axis=1))

    def _penalty(self, counts: Floats) -> Floats:
        """(b, 1 + p) D, 0 for the intercept; NaN where a feature hardly varies in a training set and is scaled."""
        out = np.repeat([[0.0, *1 / self.spread**2]], len(counts), axis=0)
        if self.scaled:  # the scaler divides by the standard deviation in the training set
            out[:, 1:] = variances(counts, self.z[:, 1:])
        return out

    def _gradient(self, counts: Floats, penalty: Floats, gamma: Floats) -> Floats:
        """(b, 1 + p) downhill: C Σ N (y − p) z − D γ."""
        residuals = (counts[rows] * (self.target - self._share(gamma[rows])) for rows in _blocks(len(counts)))
        return self.C * np.concatenate([residual @ self.z for residual in residuals]) - penalty * gamma

    def _curvature(self, counts: Floats, penalty: Floats, gamma: Floats) -> Floats:
        """(b, 1 + p, 1 + p) C Σ N p (1 − p) z zᵀ + D."""
        share, q = self._share(gamma), gamma.shape[1]
        out = symmetric(self.C * self.phi.sums(counts * (share * (1 - share))), q)  # Φ lists the products of z
        out[:, range(q), range(q)] += penalty
        return out

    def _share(self, gamma: Floats) -> Floats:
        """(b, n) p = 1/(1 + exp(−η))."""
        with np.errstate(over="ignore"):
            out = np.exp(-gamma @ self.z.T)
        out += 1
        return np.asarray(np.divide(1, out, out=out))

    def _descend(self, counts: Floats, penalty: Floats, gamma: Floats, wanted: Bools) -> Bools:
        """Move gamma (b, 1 + p) to the minima with curvatures that are kept; and which rows arrived (b,)."""
        inverse = inverses(self._curvature(counts, penalty, self.start))[0] if gamma.shape[1] <= OWN else None
        good, settled = wanted.copy(), np.zeros(len(gamma), dtype=bool)
        least = last = np.full(len(gamma), np.inf)
        moves: list[Floats] = []  # differences of γ, the newest last
        turns: list[Floats] = []  # differences of the steps
        old_gamma, old_step = gamma.copy(), np.zeros_like(gamma)
        for at in range(STEPS):
            down = self._gradient(counts, penalty, gamma)
            step = down @ self.inverse if inverse is None else np.einsum("bij,bj->bi", inverse, down)
            size = np.abs(step).max(axis=1)
            rate = np.minimum(size / last, 0.99)
            arrived = good & ~settled & (size * np.maximum(1, rate / (1 - rate)) < self.close)
            good &= size <= 4 * least  # a step that grows: this start is too far away
            least, last = np.minimum(least, size), np.maximum(size, 1e-300)
            if at:
                moves, turns = [*moves, gamma - old_gamma][-DEPTH:], [*turns, step - old_step][-DEPTH:]
            old_gamma, old_step = gamma.copy(), step
            gamma[arrived] += step[arrived]
            settled |= arrived
            if not (moving := good & ~settled).any():
                break
            if turns:  # accelerated: f − (ΔΓ + ΔF) θ, θ the least squares fit of f by ΔF
                move, turn = np.stack(moves, axis=1), np.stack(turns, axis=1)  # (b, m, q)
                gram = np.einsum("bmq,bkq->bmk", turn, turn)
                gram += np.eye(len(turns)) * (1e-30 + 1e-10 * np.trace(gram, axis1=1, axis2=2))[:, None, None]
                theta = np.einsum("bmk,bk->bm", inverses(gram)[0], np.einsum("bkq,bq->bk", turn, step))
                step = step - np.einsum("bmq,bm->bq", move + turn, theta)
            gamma[moving] += step[moving]
        # a short step means a small error where the curvature is not far below the shared one
        shares = ((counts[rows], self._share(gamma[rows])) for rows in _blocks(len(gamma)))
        curved = np.concatenate([np.einsum("bn,bn,bn->b", n, share, 1 - share) for n, share in shares])
        return np.asarray(settled & (curved > self.weight / 4) & (penalty >= self.penalty / 4).all(axis=1))

    def _newton(self, counts: Floats, penalty: Floats, gamma: Floats) -> Floats:
        """(b, 1 + p) minima by Newton steps, halved while the cost rises; NaN where they do not settle."""
        moving, value = np.ones(len(gamma), dtype=bool), self._cost(counts, penalty, gamma)
        for _ in range(NEWTON):
            inverse, _ = inverses(self._curvature(counts, penalty, gamma))
            step = np.einsum("bij,bj->bi", inverse, self._gradient(counts, penalty, gamma))
            moving &= ~(np.abs(step).max(axis=1) < self.close)
            length = np.ones((len(gamma), 1))
            for _ in range(HALVINGS):
                new = self._cost(counts, penalty, gamma + length * step)
                if not (rises := moving & ~(new <= value + 1e-13 * np.abs(value))).any():
                    break
                length[rises] /= 2
            gamma, value = gamma + length * step, new
            if not moving.any():
                break
        return np.where(moving[:, None], np.nan, gamma)

    def _cost(self, counts: Floats, penalty: Floats, gamma: Floats) -> Floats:
        loss = np.logaddexp(0, (1 - 2 * self.target) * (gamma @ self.z.T))
        return np.asarray(self.C * (counts * loss).sum(axis=1) + 0.5 * (penalty * gamma**2).sum(axis=1))

    def missed(self, model: BaseEstimator, table: TrainingTable) -> float:
        """Root mean square over the cases of |s − m|/(u + |m|): scikit-learn's score s and that at the minimum m of the
        fit on all cases; u is 1, or the standard deviation of m where that is smaller. Infinite where the solver does
        not converge well before max_iter, or where tolerance or condition leave other training sets in doubt."""
        X = StandardScaler().fit_transform(table.X) if self.scaled else table.X
        with quietly() as caught:
            try:
                rule = clone(model).fit(X, table.codes)
            except (ValueError, ArithmeticError, np.linalg.LinAlgError):
                return np.inf
        warned = not all(isinstance(w, (FutureWarning, DeprecationWarning)) for w in caught)
        unit = min(1.0, float((minimum := self.z @ self.start[0]).std()))
        z, share = np.column_stack([np.ones(len(X)), X]), self._share(self.start)[0]
        curvature = (z.T * (share * (1 - share))) @ z + np.diag([0, *[1 / self.C] * X.shape[1]])
        # a gradient of tol leaves an intercept open by about tol/(p (1 − p)) ≥ 4 tol
        doubtful = 4 * model.tol > MISSED * unit or np.linalg.cond(curvature) > WORST[model.solver]
        if warned or doubtful or model.tol > LogisticRegression().tol or np.max(rule.n_iter_) > ROOM * model.max_iter:
            return np.inf
        return float(np.sqrt(np.mean(((rule.decision_function(X) - minimum) / (unit + np.abs(minimum))) ** 2)))


def _blocks(b: int, rows: int = ROWS) -> list[slice]:
    return [slice(start, start + rows) for start in range(0, b, rows)]


NEAR = 10  # times the tolerance of rank: training sets differ
LEAST_LEFT = 1e-6  # 1 − h below which a case determines its own prediction


def ols(model: BaseEstimator, table: TrainingTable) -> Engine | None:
    """An intercept, no bounds, more cases than features, and no direction that scikit-learn may take for none."""
    X, (n, p), tol = table.X, table.x.shape, NEAR * getattr(model, "tol", 0.0)
    if not has(model, fit_intercept=True, positive=False) or p + 1 >= n or p > MOST_FEATURES or table.target is None:
        return None
    sizes = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    full = table.scaled or (sizes > max(tol, np.finfo(float).eps * n) * sizes[0]).all()
    return LeastSquares(table, 0.0, table.target[:, None]) if full else None


def ridge_regression(model: BaseEstimator, table: TrainingTable) -> Engine | None:
    """An intercept, no bounds, a solver that gives the exact minimum."""
    covered = has(model, fit_intercept=True, positive=False, solver=EXACT) and table.x.shape[1] <= MOST_FEATURES
    if not covered or not model.alpha > 0 or table.target is None:
        return None
    return LeastSquares(table, float(model.alpha), table.target[:, None])


class LeastSquares:
    """Least squares with an L2 penalty α (0 for ordinary least squares), of ±1 for a classifier:

        w = (S + α D)⁻¹ Σ_i (x_i − x̄)(y_i − ȳ),

    S the scatter about x̄; D expresses the penalty in the units of x.
    """

    name: ClassVar[str] = "closed-form least squares"
    responses: ClassVar[tuple[str, ...]] = ("predict",)

    def __init__(self, table: TrainingTable, alpha: float, targets: Floats) -> None:
        self.spread, self.alpha, self.scaled = table.spread, alpha, table.scaled
        self.phi, self.numbers = Phi(table.x), 2 * table.x.shape[1] ** 2
        self.ones = np.column_stack([np.ones(len(table.x)), table.x])
        self.centre = targets.mean(axis=0)  # so that no digits are lost
        self.y = targets - self.centre  # (n, T)
        self.with_target = np.concatenate([self.ones * y[:, None] for y in self.y.T], axis=1)

    def rules(self, counts: Integers, out: Floats | None = None) -> Rules:
        drawn, p, targets = counts.astype(float), self.phi.p, self.y.shape[1]
        inverse, mean, n, trusted = self._inverse(drawn)
        sums = (drawn @ self.with_target).reshape(len(counts), targets, 1 + p)  # Σ y and Σ y x
        centre = sums[:, :, 0] / n
        slope = (sums[:, :, 1:] - sums[:, :, :1] * mean[:, None]) @ inverse  # (b, T, p)
        constant = centre - (slope * mean[:, None]).sum(axis=2) + self.centre
        weights = np.concatenate([constant[:, :, None], slope], axis=2)
        trusted &= self._possible(counts, centre)
        if targets == 1:
            return Rules(np.matmul(weights[:, 0], self.ones.T, out=out), trusted)
        return Rules(np.swapaxes(weights @ self.ones.T, 1, 2), trusted)

    def _possible(self, counts: Integers, centre: Floats) -> Bools:
        """(b,) training sets with more cases than coefficients."""
        return np.asarray((counts > 0).sum(axis=1) > (self.phi.p + 1 if self.alpha == 0 else 1))

    def _inverse(self, drawn: Floats) -> tuple[Floats, Floats, Floats, Bools]:
        """(b, p, p) (S + α D)⁻¹, the means (b, p), sizes (b, 1), and which training sets are well conditioned (b,)."""
        p, sums = self.phi.p, self.phi.sums(drawn)
        n, mean = sums[:, :1], sums[:, 1 : 1 + p] / sums[:, :1]
        scatter = symmetric(sums[:, 1 + p :], p)
        square = np.diagonal(scatter, axis1=1, axis2=2).copy()
        scatter -= (n * mean)[:, :, None] * mean[:, None, :]
        variance = np.diagonal(scatter, axis1=1, axis2=2) / n
        penalty = self.alpha * (variance if self.scaled else 1 / self.spread**2)
        scatter[:, range(p), range(p)] += penalty
        inverse, _ = inverses(scatter)
        kept = np.diagonal(inverse, axis1=1, axis2=2) * (square + penalty) * MIN_KEPT < 1
        kept &= variance > MIN_KEPT * square / n
        return inverse, mean, n, np.asarray(kept.all(axis=1))


class Ridge(LeastSquares):
    """Ridge classifier: least squares on ±1, for each of several classes against the rest."""

    name: ClassVar[str] = "closed-form ridge"
    responses: ClassVar[tuple[str, ...]] = ("decision_function",)

    def _possible(self, counts: Integers, centre: Floats) -> Bools:
        """(b,) training sets with cases of every class, and of others."""
        return np.asarray((np.abs(centre + self.centre) < 1 - 1e-9).all(axis=1))
