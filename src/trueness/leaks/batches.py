"""L010: batches are confounded with the classes. L011: the features give the batch away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import binom, chi2_contingency

from trueness.leaks.data import Data
from trueness.leaks.findings import ALPHA, Finding
from trueness.result.digits import SMALLEST_P
from trueness.typing import Floats, Ints

MAX_BATCHES = 20  # groups that are more numerous or smaller are patients, not batches
MIN_CASES = 10  # per batch, on average
CONFOUNDED_V = 0.3  # Cramér's V from which batch and class are called confounded


def batches_of(data: Data) -> Ints | None:
    """The batch of each case: `batch`, or groups that are few and large; None where there is neither."""
    found = data.batch if data.batch is not None else data.sample.groups
    if found is None:
        return None
    number = int(found.max()) + 1
    few = number <= MAX_BATCHES and len(found) >= MIN_CASES * number
    return found if number > 1 and (few or data.batch is not None) else None


def batch_effects(data: Data) -> Iterator[Finding]:
    """Whether batches differ in their classes, and whether their features differ within classes."""
    batch = batches_of(data)
    if batch is None:
        return
    codes = data.sample.codes
    table = np.bincount(batch * data.sample.n_classes + codes, minlength=(int(batch.max()) + 1) * data.sample.n_classes)
    table = table.reshape(-1, data.sample.n_classes)
    table = table[:, table.any(axis=0)]
    test = chi2_contingency(table, correction=False)
    v = float(np.sqrt(test.statistic / (len(codes) * (min(table.shape) - 1))))
    confounded = test.pvalue < ALPHA and v > CONFOUNDED_V
    if confounded:
        pure = int((np.count_nonzero(table, axis=1) == 1).sum())
        only = f"; {pure} of {len(table)} batches have a single class" if pure else ""
        yield Finding(
            "L010",
            f"The class depends on the batch (Cramér's V {v:.2f}{only}). A model that recognizes the batch looks as if "
            "it recognized the class. Test on batches that the model was not trained on, with all classes in each.",
            "warning",
            cramers_v=v,
            p_value=max(float(test.pvalue), SMALLEST_P),
            pure=pure,
        )
    if data.fast or not data.names:
        return
    accuracy, p = _predicted(data.numbers, codes, batch)
    if p < ALPHA:
        largest = float(np.bincount(batch).max() / len(batch))
        yield Finding(
            "L011",
            f"The features give the batch away: naive Bayes names it for {accuracy:.0%} of the cases within classes "
            f"({largest:.0%} are in the largest batch). Test on batches that the model was not trained on.",
            "warning" if confounded else "info",
            accuracy=accuracy,
            largest=largest,
            p_value=p,
        )


def _predicted(numbers: Floats, codes: Ints, batch: Ints) -> tuple[float, float]:
    """Cross-validated accuracy of predicting the batch from deviations from the class means, and its p-value."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    filled = np.where(np.isfinite(numbers), numbers, np.nan)
    filled = filled[:, ~np.isnan(filled).all(axis=0)]
    filled = np.where(np.isnan(filled), np.nanmean(filled, axis=0), filled)
    for c in np.unique(codes):
        filled[codes == c] -= filled[codes == c].mean(axis=0)
    sizes = np.bincount(batch)
    folds = min(5, int(sizes.min()))
    if folds < 2 or not filled.shape[1]:
        return 0.0, 1.0
    cv = StratifiedKFold(folds, shuffle=True, random_state=0)
    right = int((cross_val_predict(GaussianNB(), filled, batch, cv=cv) == batch).sum())
    p = float(binom.sf(right - 1, len(batch), sizes.max() / len(batch)))
    return right / len(batch), max(p, SMALLEST_P)
