"""Whether scikit-learn's solver finds the minimum, too: only its own fits tell.

On raw features lbfgs often stops where steps gain no more than rounding, far from the minimum and without a word; with
a weak penalty its tolerance alone leaves much. The rule that a user gets then is not the one at the minimum.
"""

from __future__ import annotations

import warnings
from typing import Any, Protocol

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from karat.fitting.batched.base import Table

MOST = 1e-2  # by how much scores may miss the minimum: see `missed`; 5e-3 on scaled tables at the default tolerance
QUICK = 12  # steps of lbfgs that show a problem so well conditioned that
SURE = 2e-3  # with so little missed, all training sets are
# condition of the curvature, as the solver sees it, above which some training sets do not settle though all cases do
WORST = {"lbfgs": 1e10, "newton-cg": 1e10, "newton-cholesky": 1e13}
ROOM = 0.7  # of max_iter: some training sets need more steps than all cases do


class Minimum(Protocol):
    """The minimum for one training set, and its scores."""

    def scores_alone(self, counts: np.ndarray | None = None) -> np.ndarray | None:
        """(n,) or (n, K) decision values of all cases, trained on counts (n,) or on all; None: not for this engine."""
        ...


def settles(model: Any, table: Table, found: Minimum) -> bool:
    """Whether scikit-learn's rules are those at the minimum: for all cases, and, unless that was easy, for a resample.

    At no coarser a tolerance than its own, well before max_iter, and without a warning.
    """
    if model.tol > LogisticRegression().tol:
        return False
    probe = probed(model, table, slice(None))
    ours = None if probe is None else found.scores_alone()
    if probe is None or ours is None or not (off := missed(probe[0], ours)) <= MOST:
        return False
    if 4 * model.tol > MOST * unit_of(ours):  # what a gradient of tol says of an intercept: tol/(p (1 − p)) at best
        return False
    if model.solver == "lbfgs" and probe[1] <= QUICK and off <= SURE:
        return True
    if not table.scaled and condition(table.X, ours, float(model.C)) > WORST[model.solver]:
        return False
    rows = resample(table.codes)
    ours = found.scores_alone(np.bincount(rows, minlength=len(table.X)))
    if ours is None:  # a feature that this training set lacks: such sets are scikit-learn's
        return True
    probe = probed(model, table, rows)
    return probe is not None and missed(probe[0], ours) <= MOST


def probed(model: Any, table: Table, rows: np.ndarray | slice) -> tuple[np.ndarray, int] | None:
    """Decision values of all cases by scikit-learn's rule trained on these rows, and its steps; None: not settled."""
    X = table.X
    if table.scaled:
        X = StandardScaler().fit(X[rows]).transform(X)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            rule = clone(model).fit(X[rows], table.codes[rows])
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return None
    if any(not issubclass(w.category, (FutureWarning, DeprecationWarning)) for w in said):
        return None
    steps = int(np.max(rule.n_iter_))
    return (rule.decision_function(X), steps) if steps <= ROOM * model.max_iter else None


def missed(scores: np.ndarray, minimum: np.ndarray) -> float:
    """Root mean square over the cases of |s − m|/(u + |m|)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (scores - minimum) / (unit_of(minimum) + np.abs(minimum))
    return float(np.sqrt(np.mean(share**2)))


def unit_of(minimum: np.ndarray) -> float:
    """u = 1, or the spread where that is smaller: signs and ranks of small scores depend on small differences."""
    return min(1.0, float(np.std(minimum, axis=0).mean()))


def resample(codes: np.ndarray) -> np.ndarray:
    """Rows of a bootstrap sample within each class, always the same one."""
    rng = np.random.default_rng(0)
    classes = (np.flatnonzero(codes == c) for c in np.unique(codes))
    return np.sort(np.concatenate([rng.choice(cases, len(cases)) for cases in classes]))


def condition(X: np.ndarray, scores: np.ndarray, C: float) -> float:
    """Of the curvature Σ w z zᵀ + I/C, z = (1, X), w the mean of p (1 − p) over the classes, none for the intercept."""
    share = softmax(scores, axis=1) if scores.ndim == 2 else expit(scores)[:, None]
    z = np.column_stack([np.ones(len(X)), X])
    curvature = (z.T * (share * (1 - share)).mean(axis=1)) @ z
    curvature[np.diag_indices_from(curvature)] += np.r_[0, np.full(X.shape[1], 1 / C)]
    values = np.linalg.eigvalsh(curvature)
    return float(values[-1] / max(values[0], 1e-300))
