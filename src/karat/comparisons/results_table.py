"""A table of results: several models on several data sets, wide or long."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from karat.comparisons.inputs import NO_SPREAD
from karat.errors import InputError

LONG = ("model", "data_set", "value")  # columns of the long form, unless named otherwise


def results_table(
    results: Any,
    model: str = "model",
    data_set: str = "data_set",
    value: str = "value",
    models_in: str = "columns",
) -> pd.DataFrame:
    """Rows are data sets, columns models, whatever form the results had.

    Parameters
    ----------
    results
        A DataFrame or array (data sets × models), or a long DataFrame with a row a result.
    model, data_set, value
        Columns of the long form.
    models_in
        "columns", or "rows" where the table is models × data sets.

    Examples
    --------
    >>> import pandas as pd
    >>> long = pd.DataFrame({"model": ["a", "b", "a", "b"], "data_set": [1, 1, 2, 2], "value": [.8, .7, .9, .6]})
    >>> results_table(long)
    model       a    b
    data_set
    1         0.8  0.7
    2         0.9  0.6
    """
    if models_in not in ("columns", "rows"):
        raise InputError('models_in must be "columns" or "rows"', got=repr(models_in))
    if _is_long(results, model, data_set, value):
        twice = results.duplicated([model, data_set])
        if twice.any():
            row = results.loc[twice].iloc[0]
            raise InputError(
                "a model has two results on one data set",
                got=f"{row[model]!r} on {row[data_set]!r}",
                fix="Average them first: one number a model and data set",
            )
        table = results.pivot(index=data_set, columns=model, values=value)
        table = table[list(dict.fromkeys(results[model]))]
    else:
        table = results.copy() if isinstance(results, pd.DataFrame) else pd.DataFrame(_two(results))
        if models_in == "rows":
            table = table.T
        if not isinstance(results, pd.DataFrame):
            table.columns = [f"model {k + 1}" for k in range(table.shape[1])]
    if not table.size:
        raise InputError("the table is empty", got=f"{table.shape[0]} data sets and {table.shape[1]} models")
    try:
        table = table.astype(float)
    except (TypeError, ValueError) as error:
        raise InputError(
            "the results must be numbers",
            got=str(error),
            fix="A long table has columns model, data_set and value: name yours by model=, data_set= and value=",
        ) from None
    if not np.isfinite(table.to_numpy()).all():
        gaps = int((~np.isfinite(table.to_numpy())).sum())
        raise InputError(
            "the table has missing or infinite results",
            got=f"{gaps} of {table.size}",
            fix="Every model needs a result on every data set: drop the data sets with gaps, or run what is missing",
        )
    if table.columns.duplicated().any():
        raise InputError("two models have the same name", got=table.columns[table.columns.duplicated()].tolist())
    return table


def _is_long(results: Any, model: str, data_set: str, value: str) -> bool:
    """Whether it is a table with a row a result; an error where a column was named that is not there."""
    columns = list(results.columns) if isinstance(results, pd.DataFrame) else []
    if {model, data_set, value} <= set(columns):
        return True
    asked = [name for name, usual in zip((model, data_set, value), LONG, strict=True) if name != usual]
    if asked:
        missing = ", ".join(repr(name) for name in (model, data_set, value) if name not in columns)
        raise InputError(
            f"the long table has no column {missing}", got=f"columns {columns}" if columns else "no table with columns"
        )
    return False


def _two(results: Any) -> np.ndarray:
    try:
        values = np.asarray(results)
    except ValueError as error:  # rows of different lengths
        raise InputError("the results must be a table: data sets × models", got=str(error)) from None
    if values.ndim != 2:
        raise InputError("the results must be a table: data sets × models", got=f"shape {values.shape}")
    return values


def ranks(table: Any, higher_is_better: bool = True) -> pd.DataFrame:
    """Rank of each model on each data set, 1 the best, ties sharing their mean rank."""
    wide = results_table(table)
    values = wide.to_numpy()
    # results that differ in the last bits only are ties
    size = NO_SPREAD * np.abs(values).max(axis=1, keepdims=True)
    rounded = np.where(size > 0, np.round(values / np.where(size > 0, size, 1.0)), 0.0)
    ranked = stats.rankdata(-rounded if higher_is_better else rounded, axis=1)
    return pd.DataFrame(ranked, index=wide.index, columns=wide.columns)


def ranked(table: Any, higher_is_better: bool, least: int = 2) -> pd.DataFrame:
    """Ranks of at least two models on at least two data sets, or an error."""
    out = ranks(table, higher_is_better)
    if out.shape[1] < least:
        raise InputError(f"at least {least} models are needed", got=out.shape[1])
    if out.shape[0] < 2:
        raise InputError(
            "one data set cannot tell how models rank over data sets", got=out.shape[0], fix="Use karat.compare on it"
        )
    return out
