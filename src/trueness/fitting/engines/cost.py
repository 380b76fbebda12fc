"""Which is faster, all training sets at once or one by one: seconds for one training set by a count of operations.

The rates are those of one core of 2020 (see benchmarks/RESULTS.md, which has both ways for some shapes); only their
ratios matter. The answer depends on nothing but the numbers of cases, features and training sets, never on a clock:
the last bits of scores depend on the way, and the same seed must give the same bits.
"""

from collections.abc import Callable
from dataclasses import dataclass

PRODUCTS = 2e10  # floating-point operations per second in products of large matrices
FACTORS = 1e10  # in factors and inverses
STREAMS = 4e9  # in products with a vector, or of many small matrices
WRITES = 5e8  # entries of a matrix that are made, copied and reduced some times
TOUCHES = 1e8  # features of a case that scikit-learn checks, copies and predicts from
CALL, SCALER, SOLVER = 1.5e-3, 1.2e-3, 1e-3  # seconds of a fit and a prediction of scikit-learn, whatever the size


@dataclass(frozen=True)
class Shape:
    """What the costs depend on."""

    n: int  # cases
    p: int  # features
    fits: int  # training sets
    scaled: bool = False  # whether a StandardScaler precedes the model
    neighbours: int = 5  # of k-NN

    @property
    def call(self) -> float:
        """Seconds of one fit by scikit-learn that do not depend on its algorithm."""
        return CALL + SCALER * self.scaled + self.n * self.p / TOUCHES


def discriminant(s: Shape) -> tuple[float, float]:
    """Moments and an inverse of each training set; scikit-learn has singular values."""
    return _moments(s), s.call + 8 * s.n * s.p**2 / FACTORS


def ridge(s: Shape) -> tuple[float, float]:
    """With more features than cases n × n products in both ways; these of all training sets at once where there is no
    scaler."""
    if s.p > s.n:
        made = s.n**2 * s.p * (2 / PRODUCTS if s.scaled else 2 / PRODUCTS / s.fits)
        return made + s.n**3 / FACTORS + 10 * s.n**2 / WRITES, s.call + 2 * s.n**2 * s.p / FACTORS
    return _moments(s), s.call + (s.n * s.p**2 + s.p**3 / 3) / FACTORS


def ridge_cv(s: Shape) -> tuple[float, float]:
    """Eigenvectors of the scatter and all cases in their axes; scikit-learn has those of the smaller of two products."""
    small, touched = min(s.n, s.p), 10 * s.n * s.p / WRITES
    together = _moments(s) + 10 * s.p**3 / FACTORS + 2 * s.n * s.p**2 / PRODUCTS + touched
    return together, s.call + SOLVER + (2 * s.n * s.p * small + 10 * small**3) / FACTORS + touched


def logistic(s: Shape) -> tuple[float, float]:
    """Some ten steps with a curvature that all share, and Newton steps for those that it does not lead to the minimum:
    the more of them, the more features there are for each case. scikit-learn's solver takes some ten steps of O(np)."""
    newton, q = 6 * (2 * s.n * s.p**2 + 3 * s.p**3) / FACTORS, s.p + 1
    own = s.n * q**2 / PRODUCTS + 2 * q**3 / STREAMS if q <= 26 else 0.0  # curvatures of their own (linear.OWN)
    alone = s.call + SOLVER + 40 * s.n * s.p / STREAMS
    begin = 10 * (s.n * s.p**2 + 2 * s.p**3) / PRODUCTS + 2 * alone
    return 10 * (4 * s.n * s.p + 2 * s.p**2) / STREAMS + own + min(1.0, 2 * s.p / s.n) * newton + begin / s.fits, alone


def neighbours(s: Shape) -> tuple[float, float]:
    """Without a scaler the order of the neighbours is found once; behind one, every training set has distances of its
    own to the candidates."""
    alone = s.call + 2.0 * s.n**2 * s.p / PRODUCTS
    if not s.scaled:
        return alone / s.fits, alone
    return 2.0 * s.n * min(s.n, 16 * s.neighbours + 64) * s.p / STREAMS, alone


def _moments(s: Shape) -> float:
    """Second moments, an inverse, and the matrices that are made on the way."""
    return 2 * s.n * s.p**2 / PRODUCTS + 2 * s.p**3 / FACTORS + 10 * s.p**2 / WRITES


COSTS: dict[str, Callable[[Shape], tuple[float, float]]] = {
    "lda": discriminant,
    "qda": discriminant,
    "ridge": ridge,
    "ridge_cv": ridge_cv,
    "logistic": logistic,
    "knn": neighbours,
}
"""Seconds per training set of the engine, and of scikit-learn; an engine without an entry is always the faster one."""


def faster(engine: str, shape: Shape) -> bool:
    """Whether the engine of this name (as in `ENGINES`) takes less time than fits one by one."""
    cost = COSTS.get(engine)
    if cost is None:
        return True
    together, alone = cost(shape)
    return together <= alone
