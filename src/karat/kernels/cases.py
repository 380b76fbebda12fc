"""Sums over the cases that a replicate left out: what the LOOB is made of. b replicates, n cases."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from karat.kernels.compiled import twin


@twin
def looked_up(
    table: np.ndarray,  # (C, C) loss of predicting the column where the truth is the row
    codes: np.ndarray,  # (n,) the truth
    predictions: np.ndarray,  # (b, n) < 0 where there is none
) -> np.ndarray:
    """(b, n) the loss of every prediction; NaN where there is none."""
    return np.where(predictions < 0, np.nan, table[codes[None, :], predictions])


class Lookup(NamedTuple):
    """Losses that a prediction looks up, case by case: no table of them is made."""

    rows: np.ndarray  # (n, C) the loss of case j if class c is predicted
    predictions: np.ndarray  # (b, n); where they are below 0 the loss is not used

    @property
    def table(self) -> np.ndarray:
        """(b, n) the losses."""
        return np.take_along_axis(self.rows.T, np.maximum(self.predictions, 0), axis=0)


def case_sums_of(counts: np.ndarray, losses: np.ndarray | Lookup) -> tuple[np.ndarray, np.ndarray]:
    """`case_sums` of losses in either form."""
    return case_sums_looked_up(counts, *losses) if isinstance(losses, Lookup) else case_sums(counts, losses)


def residual_sums_of(
    counts: np.ndarray, losses: np.ndarray | Lookup, means: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    """`residual_sums` of losses in either form."""
    if isinstance(losses, Lookup):
        return residual_sums_looked_up(counts, (losses.rows - means[:, None]) * scale[:, None], losses.predictions)
    return residual_sums(counts, losses, means, scale)


@twin
def case_sums(counts: np.ndarray, losses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) Σ_b I_j L_j and (n,) D_j = Σ_b I_j, I_j = [case j was left out]."""
    out = counts == 0
    return np.where(out, losses, 0.0).sum(axis=0), out.sum(axis=0).astype(float)


@twin
def residual_sums(counts: np.ndarray, losses: np.ndarray, means: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(b,) Σ_j I_j (L_j − E_j) s_j, with E_j and s_j (n,)."""
    return np.where(counts == 0, (losses - means) * scale, 0.0).sum(axis=1)


@twin
def case_sums_looked_up(counts: np.ndarray, rows: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`case_sums` where the loss of case j is rows[j, prediction]."""
    return case_sums.reference(counts, Lookup(rows, predictions).table)  # type: ignore[attr-defined]


@twin
def residual_sums_looked_up(counts: np.ndarray, rows: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    """(b,) Σ_j I_j rows[j, prediction]."""
    return np.where(counts == 0, Lookup(rows, predictions).table, 0.0).sum(axis=1)
