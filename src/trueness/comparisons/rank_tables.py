"""Models on several data sets: ranks, Friedman's test and the post-hoc tests of Nemenyi, Conover and Holm."""

import math
from collections.abc import Callable, Hashable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from trueness.checks import check_flag, check_level, is_one_of, unmasked
from trueness.comparisons.rank_tests import exact_p, largest_not_rejected, least_p
from trueness.comparisons.registry import COMPARABLE_RANKS, INDEPENDENT_ROWS, NO_SPREAD, comparison, holm
from trueness.errors import InputError
from trueness.result.notes import Note
from trueness.result.test_result import NO_DIFFERENCE, FriedmanResult, PosthocResult
from trueness.typing import Array

LONG_COLUMNS = ("model", "data_set", "value")

Results: TypeAlias = npt.ArrayLike | pd.DataFrame


def results_table(
    results: Results,
    *,
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
            fix="A long table has columns model, data_set and value; name yours by model=, data_set= and value=",
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


def ranks(table: Results, *, higher_is_better: bool = True) -> pd.DataFrame:
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
    out = ranks(table, higher_is_better=higher_is_better)
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


APPROXIMATE = (
    "χ² and F are approximations; both kept their level with 5, 8 and 12 data sets of 4 models in simulations "
    "(trueness help comparison)."
)
EXACT = Note("exact-p-value")


@comparison("table", "Do several models do equally well over data sets?", "demsar_2006", "iman_davenport_1980")
def friedman(table: Results, *, higher_is_better: bool = True) -> FriedmanResult:
    """Friedman's χ², corrected for ties, and Iman and Davenport's F.

    χ² = (k − 1) Σ_j (R_j − N(k + 1)/2)² / (Σ_ij r_ij² − N k (k + 1)²/4),   k − 1 degrees of freedom;
    F = (N − 1) χ² / (N(k − 1) − χ²),   k − 1 and (k − 1)(N − 1) degrees of freedom (Demšar 2006, section 3.2.1).
    Where all permutations of the ranks within the data sets can be counted (up to 10⁹ of them, and few enough in each
    step: up to 8 models, or 9 on two data sets), `f_p_value` is the exact one, and the p-value of χ² is never below it;
    for two models both are the sign test's.

    Parameters
    ----------
    table : DataFrame or array-like
        Rows are data sets, columns models; `results_table` converts other forms.
    higher_is_better : bool, default True
        False for error rates. It decides which rank is 1 and does not change the p-values.

    Returns
    -------
    FriedmanResult
    """
    r = checked_ranks(table, higher_is_better)
    n, k = r.shape
    chi2 = _chi2(r)
    f, p, f_p = 0.0, 1.0, 1.0
    notes: tuple[Note, ...] = (NO_DIFFERENCE,)
    if chi2 > 0:
        rest = n * (k - 1) - chi2
        f = math.inf if rest <= 1e-9 * n else (n - 1) * chi2 / rest  # ∞: all data sets rank the models alike
        exact = exact_p(r.to_numpy())
        least = least_p(r.to_numpy()) if exact is None else exact
        f_p = max(float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))), least) if exact is None else exact
        p = f_p if k == 2 else max(float(stats.chi2.sf(chi2, k - 1)), least)
        notes = (EXACT,) if exact is not None or math.isinf(f) else ()
    return FriedmanResult(
        "Friedman",
        chi2,
        p,
        k - 1,
        assumptions=(INDEPENDENT_ROWS, COMPARABLE_RANKS, APPROXIMATE),
        notes=notes,
        ranks=r.mean(axis=0),
        f_statistic=f,
        f_df=(float(k - 1), float((k - 1) * (n - 1))),
        f_p_value=f_p,
    )


def _chi2(r: pd.DataFrame) -> float:
    n, k = r.shape
    spread = float((r.to_numpy() ** 2).sum()) - n * k * (k + 1) ** 2 / 4
    if spread <= 1e-9:
        return 0.0  # ties everywhere
    sums = r.sum(axis=0).to_numpy()
    return float((k - 1) * ((sums - n * (k + 1) / 2) ** 2).sum() / spread)


@comparison("table", "Which pairs of several models differ over data sets? All pairs, Nemenyi", "demsar_2006")
def nemenyi(table: Results, *, higher_is_better: bool = True, level: float = 0.95) -> PosthocResult:
    """Two models differ where their mean ranks are further apart than CD = q √(k(k + 1)/(6N)).

    q is the quantile of the studentized range of k values with infinite degrees of freedom, over √2 (Nemenyi 1963;
    Demšar 2006, section 3.2.2). The p-values hold for all pairs at once. For two models the p-value is that of the sign
    test, and CD the largest difference that it does not reject.

    Parameters
    ----------
    table : DataFrame or array-like
        Rows are data sets, columns models.
    higher_is_better : bool, default True
        False for error rates.
    level : float, default 0.95
        Confidence level of the critical difference.

    Returns
    -------
    PosthocResult
    """
    check_level(level)
    r = checked_ranks(table, higher_is_better)
    n, k = r.shape
    se = math.sqrt(k * (k + 1) / (6 * n))
    if k == 2:
        apart = int((r.iloc[:, 0] != r.iloc[:, 1]).sum())
        return _result("Nemenyi", r, _sign_test(r), se, level, cd=largest_not_rejected(n, apart, 1 - level))
    law = stats.studentized_range(k, np.inf)
    p = _pairs(r, lambda gap: float(law.sf(gap / se * math.sqrt(2))))
    cd = float(law.ppf(level)) / math.sqrt(2) * se
    return _result("Nemenyi", r, p, se, level, "N is large enough for the mean ranks to be normal.", cd=cd)


@comparison("table", "Which pairs of several models differ over data sets? Conover, with Holm's adjustment")
def conover(table: Results, *, higher_is_better: bool = True, level: float = 0.95) -> PosthocResult:
    """t of the differences of rank sums after Friedman (Conover 1999, section 5.8), adjusted by Holm.

    t = |R_i − R_j| / √(2 (N A − Σ R_j²) / ((N − 1)(k − 1))),  A = Σ r_ij², (N − 1)(k − 1) degrees of freedom. No pair
    has a p-value below Friedman's exact one where that can be counted; for two models it is the sign test.

    Parameters
    ----------
    table, higher_is_better
        As in `nemenyi`.
    level : float, default 0.95
        Confidence level of `groups()`.

    Returns
    -------
    PosthocResult
    """
    check_level(level)
    r = checked_ranks(table, higher_is_better)
    n, k = r.shape
    df = (n - 1) * (k - 1)
    sums = r.sum(axis=0).to_numpy()
    spread = n * float((r.to_numpy() ** 2).sum()) - float((sums**2).sum())
    se = math.sqrt(max(2 * spread / df, 0.0)) / n  # of a difference of mean ranks
    note = None
    if k == 2:
        p = _sign_test(r)
    elif se < 1e-9:
        p, note = _pairs(r, lambda gap: 2.0 ** (1 - n)), EXACT
    else:
        p = _pairs(r, lambda gap: float(2 * stats.t.sf(gap / se, df)))
    if k > 2:
        p = _adjusted(p).clip(lower=exact_p(r.to_numpy()) or least_p(r.to_numpy()))
    after = "it is used after Friedman's test has found a difference."
    return _result("Conover, Holm-adjusted", r, p, se, level, after, df=df, note=note)


@comparison("table", "Which of several models differ from a control over data sets? Holm", "holm_1979", "demsar_2006")
def holm_ranks(
    table: Results, *, control: Hashable = None, higher_is_better: bool = True, level: float = 0.95
) -> PosthocResult:
    """z = (R̄_i − R̄_j) / √(k(k + 1)/(6N)) of mean ranks, adjusted by Holm (Demšar 2006, section 3.2.2).

    With a control only the k − 1 comparisons with it are made (and adjusted for), which has more power than all pairs.
    For two models the p-value is that of the sign test.

    Parameters
    ----------
    table, higher_is_better
        As in `nemenyi`.
    control : column name, optional
        The model that all others are compared with; all pairs by default.
    level : float, default 0.95
        Confidence level of `groups()`.

    Returns
    -------
    PosthocResult
    """
    check_level(level)
    r = checked_ranks(table, higher_is_better)
    n, k = r.shape
    se = math.sqrt(k * (k + 1) / (6 * n))
    p = _sign_test(r) if k == 2 else _pairs(r, lambda gap: float(2 * stats.norm.sf(gap / se)))
    if control is None:
        return _result("Holm, all pairs", r, _adjusted(p), se, level)
    if not isinstance(control, Hashable) or control not in r.columns:
        raise InputError(
            "control must be one of the models", param="control", got=repr(control), fix=f"Models: {list(r.columns)}"
        )
    others = [c for c in r.columns if c != control]
    adjusted = holm(p.loc[control, others].to_numpy())
    p.loc[:, :] = np.nan  # pairs without the control are not tested
    p.loc[control, others] = adjusted
    p.loc[others, control] = adjusted
    p.loc[control, control] = 1.0
    return _result(f"Holm, against {control}", r, p, se, level, control=control)


def _result(
    name: str,
    r: pd.DataFrame,
    p: pd.DataFrame,
    se: float,
    level: float,
    *assumptions: str,
    cd: float | None = None,
    df: int | None = None,
    note: Note | None = None,
    control: Hashable = None,
) -> PosthocResult:
    """The widest gap of mean ranks over its standard error, and the smallest p-value of a pair."""
    mean = r.mean(axis=0)
    widest = float(mean.max() - mean.min() if control is None else (mean - mean[control]).abs().max())
    statistic = widest / se if se > 0 else math.inf if widest > 0 else 0.0
    notes = (EXACT,) if r.shape[1] == 2 else () if note is None else (note,)
    smallest = float(np.nanmin(p.to_numpy()[np.triu_indices(len(p), 1)]))
    assumed = (INDEPENDENT_ROWS, COMPARABLE_RANKS, *(assumptions if r.shape[1] > 2 else ()))
    return PosthocResult(
        name, statistic, smallest, df, assumptions=assumed, notes=notes,
        ranks=mean, p_values=p, critical_difference=cd, level=level,
    )  # fmt: skip


def _pairs(r: pd.DataFrame, p_of: Callable[[float], float]) -> pd.DataFrame:
    """A symmetric table of p-values of |difference of the mean ranks|."""
    mean = r.mean(axis=0).to_numpy()
    gaps = np.abs(mean[:, None] - mean[None, :])
    out = np.minimum(np.maximum(np.vectorize(p_of)(gaps), np.finfo(float).tiny), 1.0)
    out[gaps == 0] = 1.0
    return pd.DataFrame(out, index=r.columns, columns=r.columns)


def _sign_test(r: pd.DataFrame) -> pd.DataFrame:
    """Two models: the sign test, which is exact."""
    p = exact_p(r.to_numpy())
    assert p is not None
    return _pairs(r, lambda gap: p)


def _adjusted(p: pd.DataFrame) -> pd.DataFrame:
    upper = np.triu_indices(len(p), 1)
    out = np.ones(p.shape)
    out[upper] = holm(p.to_numpy()[upper])
    out.T[upper] = out[upper]
    return pd.DataFrame(out, index=p.index, columns=p.columns)
