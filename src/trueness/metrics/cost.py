"""Losses read off a cost matrix: the error rate, risk with costs and priors, the rates of one class, Youden's index.
All are means over cases and functions of the table of truth and decision."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from trueness.checks import cost_matrix
from trueness.metrics.measure import Measure, OfTable, cells_where
from trueness.metrics.metric import CaseLoss, decided, positive_of_two
from trueness.result.interval import WILSON, WILSON_OF_RATE
from trueness.sample.labels import OBVIOUS_LABELS
from trueness.sample.rows import Block
from trueness.sample.sample import Sample
from trueness.typing import Array, Floats

PLACES = 2**15  # entries of a cost matrix that are looked up at a time: their places stay in the cache


@dataclass(frozen=True, eq=False)
class Cost(CaseLoss, OfTable):
    """Mean cost of a decision: R = Σ c_ij P_i Pr[decide j | truth i] (Yousef, ML Assessment, eqs. 1c and 4c).

    Parameters
    ----------
    priors : array-like of shape (C,), optional
        Class probabilities where those of the sample are not those of the population (a case-control study); by
        default the shares of the sample.
    matrix : array-like of shape (C, C)
        `matrix[i][j]` is the cost of predicting j where the truth is i: rows are the truth, columns the decision; two
        classes in the order negative, positive, several in sorted order. A DataFrame whose rows and columns are named by
        the classes may have them in any order.

    Examples
    --------
    >>> import trueness
    >>> missed_is_ten_times_worse = trueness.metrics.Cost(matrix=[[0, 1], [10, 0]])
    """

    matrix: npt.ArrayLike = ()
    name = "cost"
    interval = WILSON

    @property
    def table(self) -> Floats:
        """(C, C) costs."""
        return np.asarray(self.matrix, dtype=float)

    def told(self, sample: Sample) -> str:
        """The costs of a bound metric in words, and the shares of classes where these are given."""
        order = np.arange(sample.n_classes)
        if sample.positive == 0:
            order = order[::-1]
        names = names_of_decisions(sample.classes[order].tolist())
        said = priced(self.table[np.ix_(order, order)], names)
        if self.class_weights is None:
            return said
        shares = zip(names, self.class_weights[order].tolist(), strict=True)
        return f"{said}; share of {', of '.join(f'{name} {share:.3g}' for name, share in shares)}"

    @property
    def bounds(self) -> tuple[float, float]:
        """Of given shares of the classes the means of the least and of the largest costs of each."""
        if self.class_weights is None:
            return float(self.table.min()), float(self.table.max())
        return float(self.class_weights @ self.table.min(axis=1)), float(self.class_weights @ self.table.max(axis=1))

    @property
    def measure(self) -> Measure:
        plain = self.class_weights is None
        return Measure(
            self.name,
            self.of_shares,
            self.bounds,
            slopes=self.slopes,
            needs_prevalence=plain,
            linear=plain,
            by_class=not plain,
        )

    def of_shares(self, t: Array) -> Array:
        """(...) Σ_c P_c (mean cost of class c), or the plain mean, of tables (..., C, C)."""
        if self.class_weights is None:  # tr(CᵀA)/n, A the counts (Wu 2018, exercise 9, with A not normalized)
            return np.asarray((t * self.table).sum(axis=(-2, -1)) / t.sum(axis=(-2, -1)))
        used = np.flatnonzero(self.class_weights)  # a class without weight may have no cases
        of_class = t[..., used, :]
        means = (of_class * self.table[used]).sum(axis=-1) / of_class.sum(axis=-1)
        return np.asarray((self.class_weights[used] * means).sum(axis=-1))

    def slopes(self, t: Array) -> Array:
        """(C, C) ∂/∂t of `of_shares`: P_c (cost − mean cost of class c) / n_c, or (cost − mean cost) / n."""
        axis = None if self.class_weights is None else 1
        with np.errstate(divide="ignore", invalid="ignore"):
            n = t.sum(axis=axis, keepdims=True)
            from_mean = (self.table - (t * self.table).sum(axis=axis, keepdims=True) / n) / n
        return from_mean if self.class_weights is None else np.asarray(self.class_weights[:, None] * from_mean)

    def bound(self, sample: Sample) -> Self:
        turned = -1 if sample.n_classes == 2 and sample.require_positive() == 0 else 1  # given as negative, positive
        table = cost_matrix(self.matrix, sample.n_classes, "matrix", sample.classes[::turned])
        return replace(self.bind_priors(sample), matrix=table[::turned, ::turned])

    def cheapest(self, sample: Sample) -> tuple[int, float]:
        """The class that is cheapest to decide for all cases, which needs no model, and what that costs per case."""
        shares = sample.sizes / sample.n if self.class_weights is None else self.class_weights
        each = shares @ self.table
        return int(each.argmin()), float(each.min())

    def losses(self, block: Block) -> Floats:
        predictions = decided(block, self.name)
        costs = np.column_stack([self.table, np.full(len(self.table), np.nan)])  # the last column: no answer
        own = block.codes * costs.shape[1]  # where the row of its class begins
        none, out = own + len(self.table), np.empty(predictions.shape)
        step = max(1, PLACES // max(len(own), 1))
        for rows in (slice(start, start + step) for start in range(0, len(out), step)):
            some = predictions[rows]
            costs.ravel().take(np.where(some < 0, none, own + some), out=out[rows], mode="clip")
        return out

    def mean_if(self, block: Block, code: int) -> float:
        predicted = np.bincount(decided(block, self.name).ravel(), minlength=len(self.table))
        return float(self.table[code] @ predicted / predicted.sum())


def priced(costs: Floats, names: Sequence[str]) -> str:
    """Costs in words; `costs[i, j]` is that of deciding names[j] where the truth is names[i].

    >>> priced(np.array([[0.0, 1.0], [5.0, 0.0]]), ("good", "bad"))
    'good decided as bad costs 1, bad decided as good costs 5'
    """
    cells = [(float(costs[i, j]), i, j) for i in range(len(names)) for j in range(len(names)) if costs[i, j]]
    return ", ".join(f"{names[i]} decided as {names[j]} costs {cost:g}" for cost, i, j in cells)


def names_of_decisions(classes: Sequence[object]) -> tuple[str, ...]:
    """The labels, two of them in the order negative, positive; in these words where they are 0 and 1, −1 and 1, or
    booleans."""
    plain = len(classes) == 2 and set(classes) in OBVIOUS_LABELS and classes[1] == 1
    return ("negative", "positive") if plain else tuple(map(str, classes))


class Rate(Cost):
    """The share of cases that are decided wrongly, or rightly: a loss of 0 or 1."""

    counts_right = False
    interval = WILSON_OF_RATE

    @property
    def measure(self) -> Measure:
        weights = self.class_weights
        rows = np.ones(len(self.table), dtype=bool) if weights is None else weights > 0
        if weights is not None and rows.sum() > 1:
            return super().measure
        out_of = np.repeat(rows[:, None], len(rows), axis=1)
        return replace(
            super().measure,
            given="nothing" if weights is None else "truth",
            hits=cells_where(out_of & (self.table == 1)),
            out_of=cells_where(out_of),
        )

    def bound(self, sample: Sample) -> Self:
        return replace(self.bind_priors(sample), matrix=np.abs(np.eye(sample.n_classes) - (not self.counts_right)))


class Error(Rate):
    """Error rate: the share of cases that are misclassified."""

    name = "error"
    title = "error rate"
    aliases = "error rate, misclassification rate, pmc, 0–1 loss, 1 − accuracy"
    words = {"error": ("Error", "error rate")}


class Accuracy(Rate):
    """Accuracy: the share of cases that are classified correctly, 1 − error."""

    name = "accuracy"
    title = "accuracy"
    aliases = "acc, exact match, pass@1, proportion correct, observed agreement, micro F1 of several classes"
    counts_right = True
    higher_is_better = True


class _RateOfOneClass(Rate):
    positive: ClassVar[bool]

    def bound(self, sample: Sample) -> Self:
        own = (np.arange(2) == positive_of_two(sample, self.name)) == self.positive
        return replace(super().bound(sample), priors=own.astype(float))


class FNF(_RateOfOneClass):
    """False negative fraction: the error rate among positives (Yousef, ML Assessment, eq. 4a)."""

    name = "fnf"
    title = "false negative fraction"
    aliases = "miss rate, false negative rate, FNR, 1 − sensitivity, type II error rate"
    positive = True


class FPF(_RateOfOneClass):
    """False positive fraction: the error rate among negatives (Yousef, ML Assessment, eq. 4b)."""

    name = "fpf"
    title = "false positive fraction"
    aliases = "false positive rate, FPR, 1 − specificity, false alarm rate, fall-out, type I error rate"
    positive = False


class TPF(_RateOfOneClass):
    """True positive fraction (sensitivity, recall): the share of positives that are found, 1 − FNF."""

    name = "tpf"
    title = "true positive fraction"
    aliases = "sensitivity, Se, recall, true positive rate, TPR, hit rate, detection rate, power"
    positive = True
    counts_right = True
    higher_is_better = True


class TNF(_RateOfOneClass):
    """True negative fraction (specificity): the share of negatives that are found, 1 − FPF."""

    name = "tnf"
    title = "true negative fraction"
    aliases = "specificity, Sp, true negative rate, TNR, selectivity"
    positive = False
    counts_right = True
    higher_is_better = True


class BalancedAccuracy(Rate):
    """Balanced accuracy: the mean over classes of the share that is classified correctly; (TPF + TNF)/2 of two."""

    name = "balanced_accuracy"
    title = "balanced accuracy"
    aliases = "mean accuracy of the classes, macro recall, AUC of a single point"
    counts_right = True
    higher_is_better = True

    @property
    def measure(self) -> Measure:
        two = len(self.table) == 2 and bool(np.all(self.class_weights))
        return replace(super().measure, of_rates=(0.5, 0.5) if two else None, averaged=not two)

    def bound(self, sample: Sample) -> Self:
        present = sample.sizes > 0  # a class without cases has no rate
        return replace(super().bound(sample), priors=present / present.sum())


class Youden(Cost):
    """Youden's index of two classes: TPF − FPF."""

    name = "youden"
    title = "Youden's index"
    aliases = "J, informedness, Peirce's skill score, true skill statistic, risk difference"
    words = {"youden": ("Youden", "Youden's index")}
    higher_is_better = True

    @property
    def measure(self) -> Measure:
        return replace(super().measure, of_rates=(0.0, 1.0))

    def bound(self, sample: Sample) -> Self:
        if sample.n_classes != 2:
            positive_of_two(sample, self.name)  # an error
        return replace(self, matrix=2 * np.eye(2) - 1, priors=np.array([0.5, 0.5]))


class BaseRate(Rate):
    """Prevalence: the share of positives, whatever is decided."""

    name = "prevalence"
    title = "prevalence"
    aliases = "prior, base rate, pre-test probability"
    higher_is_better = None

    def bound(self, sample: Sample) -> Self:
        positive = np.arange(2) == positive_of_two(sample, self.name)
        return replace(self, matrix=np.repeat(positive[:, None], 2, axis=1).astype(float))
