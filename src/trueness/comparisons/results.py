"""A table of results: several models on several data sets, wide or long, and the ranks of the models."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from trueness.checks import check_flag, is_one_of, unmasked
from trueness.comparisons.inputs import NO_SPREAD
from trueness.errors import InputError
from trueness.typing import Array

LONG_COLUMNS = ("model", "data_set", "value")

Results: TypeAlias = npt.ArrayLike | pd.DataFrame


def results_table(
    results: Results,
    model: str = "model",
    data_set: str = "data_set",
    value: str = "value",
    models_in: Literal["columns", "rows"] = "columns",
) -> pd.DataFrame:
    """Results as a wide table: rows are data sets, columns models.

    Parameters
    ----------
    results : DataFrame or array-like
        Data sets × models, or a long DataFrame with one row per result.
    model, data_set, value : str
        Columns of the long form.
    models_in : {"columns", "rows"}, default "columns"
        "rows" where the table is models × data sets.

    Returns
    -------
    DataFrame

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
    if not is_one_of(models_in, ("columns", "rows")):
        raise InputError('models_in must be "columns" or "rows"', param="models_in", got=repr(models_in))
    return _wide(results, (model, data_set, value), models_in == "rows", "results")


def _wide(results: Results, names: tuple[str, str, str], turned: bool, param: str) -> pd.DataFrame:
    columns = list(results.columns) if isinstance(results, pd.DataFrame) else []
    if not all(isinstance(name, str) for name in names):
        raise InputError("Names of columns are required", param=param, got=repr(names))
    if set(names) <= set(columns):
        table = _pivoted(results, *names)
    elif names != LONG_COLUMNS:
        missing = ", ".join(repr(name) for name in names if name not in columns)
        raise InputError(f"The long table has no column {missing}", param=param, got=f"columns {columns}")
    else:
        wide = isinstance(results, pd.DataFrame)
        table = pd.DataFrame(results if wide else _two_dimensional(results, param)).copy()
        table = table.T if turned else table
        if not wide:
            table.columns = pd.Index([f"model {k + 1}" for k in range(table.shape[1])])
    return _checked(table, param)


def _pivoted(long: pd.DataFrame, model: str, data_set: str, value: str) -> pd.DataFrame:
    twice = long.duplicated([model, data_set])
    if twice.any():
        row = long.loc[twice].iloc[0]
        raise InputError(
            "A model has two results on one data set",
            param="results",
            got=f"{row[model]} on {row[data_set]}",
            fix="Average them first: one number per model and data set",
        )
    table = long.pivot(index=data_set, columns=model, values=value)
    return table[list(dict.fromkeys(long[model]))]


def _two_dimensional(results: npt.ArrayLike, param: str) -> Array:
    try:
        values = np.asarray(unmasked(results))
        got = f"shape {values.shape}"
    except ValueError as error:  # rows of different lengths
        values, got = np.empty(0), str(error)
    if values.ndim != 2 or values.dtype.names:
        raise InputError(f"{param} must have one row per data set and one column per model", param=param, got=got)
    return values


def _checked(table: pd.DataFrame, param: str) -> pd.DataFrame:
    if not table.size:
        raise InputError(f"{param} is empty", param=param, got=f"shape {table.shape}")
    try:
        table = table.astype(float)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{param} must be numbers",
            param=param,
            got=str(error),
            fix="A long table has columns model, data_set and value; name yours by {model=}, {data_set=} and {value=}",
        ) from None  # fmt: skip
    gaps = int((~np.isfinite(table.to_numpy())).sum())
    if gaps:
        raise InputError(
            f"{param} has missing or infinite values",
            param=param,
            got=f"{gaps} of {table.size}",
            fix="Every model needs a result on every data set: drop data sets with gaps, or add the missing results",
        )
    if table.columns.duplicated().any():
        names = table.columns[table.columns.duplicated()].tolist()
        raise InputError("Two models have the same name", param=param, got=names)
    return table


def ranks(table: Results, higher_is_better: bool = True) -> pd.DataFrame:
    """Rank of each model on each data set; 1 is the best, ties share their mean rank.

    Parameters
    ----------
    table : DataFrame or array-like
        Data sets × models, or any form `results_table` takes.
    higher_is_better : bool, default True
        False for error rates.

    Returns
    -------
    DataFrame
    """
    check_flag("higher_is_better", higher_is_better)
    wide = _wide(table, LONG_COLUMNS, False, "table")
    values = wide.to_numpy()
    # results that differ in the last bits only are ties
    size = NO_SPREAD * np.abs(values).max(axis=1, keepdims=True)
    rounded = np.where(size > 0, np.round(values / np.where(size > 0, size, 1.0)), 0.0)
    ranked = stats.rankdata(-rounded if higher_is_better else rounded, axis=1)
    return pd.DataFrame(ranked, index=wide.index, columns=wide.columns)


def checked_ranks(table: Results, higher_is_better: bool) -> pd.DataFrame:
    """Ranks of at least two models on at least two data sets, or an error."""
    out = ranks(table, higher_is_better)
    if out.shape[1] < 2:
        raise InputError("At least 2 models are required", param="table", got=out.shape[1])
    if out.shape[0] < 2:
        raise InputError(
            "At least 2 data sets are required",
            param="table",
            got=out.shape[0],
            fix="Use trueness.compare on one data set",
        )
    return out
