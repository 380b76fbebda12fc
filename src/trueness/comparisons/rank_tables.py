"""Models on several data sets: ranks, Friedman's test and the post-hoc tests of Nemenyi, Conover and Holm."""

import math
from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from trueness.checks import check_flag, check_level
from trueness.comparisons.rank_tests import exact_p, largest_not_rejected, least_p
from trueness.comparisons.registry import COMPARABLE_RANKS, INDEPENDENT_ROWS, NO_SPREAD, comparison, holm, values_of
from trueness.errors import InputError
from trueness.result.notes import Note
from trueness.result.test_result import NO_DIFFERENCE, FriedmanResult, PosthocResult
from trueness.typing import Floats

LONG = ["model", "data_set", "value"]

Results: TypeAlias = npt.ArrayLike | pd.DataFrame


def results_table(table: Results) -> pd.DataFrame:
    """Results as a wide table: rows are data sets, columns models.

    Parameters
    ----------
    table : DataFrame or array-like
        Data sets × models, or a long DataFrame with one row per result: columns `model`, `data_set` and `value`.

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
    if not isinstance(table, pd.DataFrame):
        values = values_of(table, "table", 2)
        return pd.DataFrame(values, columns=[f"model {k + 1}" for k in range(values.shape[1])])
    if table.columns.isin(LONG).sum() == len(LONG):
        twice = table[table.duplicated(LONG[:2])]
        if len(twice):
            got = twice.iloc[0][LONG[:2]].tolist()
            raise InputError(
                "A model has two results on one data set", param="table", got=got, fix="Average them first"
            )
        table = table.pivot(index="data_set", columns="model", values="value")[list(dict.fromkeys(table["model"]))]
    if table.columns.has_duplicates:
        raise InputError("Two models have the same name", param="table", got=list(table.columns))
    return pd.DataFrame(values_of(table, "table", 2), table.index, table.columns)


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
    wide = results_table(table)
    values = wide.to_numpy()
    # results that differ in the last bits only are ties
    size = NO_SPREAD * np.abs(values).max(axis=1, keepdims=True)
    rounded = np.where(size > 0, np.round(values / np.where(size > 0, size, 1.0)), 0.0)
    ranked = stats.rankdata(-rounded if higher_is_better else rounded, axis=1)
    return pd.DataFrame(ranked, index=wide.index, columns=wide.columns)


def checked_ranks(table: Results, higher_is_better: bool, level: float = 0.95) -> pd.DataFrame:
    """Ranks of at least two models on at least two data sets, or an error."""
    check_level(level)
    out = ranks(table, higher_is_better=higher_is_better)
    if min(out.shape) < 2:
        raise InputError("At least 2 data sets (rows) and 2 models are required", param="table", got=out.shape)
    return out


APPROXIMATE = "χ² and F are approximations."
EXACT = Note("exact-p-value")


@comparison("table", "Any difference?", "demsar_2006", "iman_davenport_1980")
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
    spread = float((r.to_numpy() ** 2).sum()) - n * k * (k + 1) ** 2 / 4
    sums = r.sum(axis=0).to_numpy() - n * (k + 1) / 2
    chi2, f, p, f_p = 0.0, 0.0, 1.0, 1.0
    notes: tuple[Note, ...] = (NO_DIFFERENCE,)
    if spread > 1e-9 and sums.any():  # without ties everywhere
        chi2 = float((k - 1) * (sums**2).sum() / spread)
        rest = n * (k - 1) - chi2
        f = math.inf if rest <= 1e-9 * n else (n - 1) * chi2 / rest  # ∞: all data sets rank the models alike
        exact, notes = exact_p(r.to_numpy()), (EXACT,)
        f_p = least = least_p(r.to_numpy()) if exact is None else exact
        if exact is None:
            notes = (EXACT,) * math.isinf(f)
            f_p = max(float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))), least)
        p = f_p if k == 2 else max(float(stats.chi2.sf(chi2, k - 1)), least)
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


@comparison("table", "Which pairs differ?", "demsar_2006")
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
    r = checked_ranks(table, higher_is_better, level)
    n, k = r.shape
    se = math.sqrt(k * (k + 1) / (6 * n))
    law = stats.studentized_range(k, np.inf)
    cd = float(law.ppf(level)) / math.sqrt(2) * se
    if k == 2:
        cd = largest_not_rejected(n, int((r.iloc[:, 0] != r.iloc[:, 1]).sum()), 1 - level)
    p_of, normal = lambda z: law.sf(z * math.sqrt(2)), "N is large enough for the mean ranks to be normal."
    return _pairs("Nemenyi", r, se, p_of, normal, critical_difference=cd, level=level)


@comparison("table", "Which pairs differ?")
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
    r = checked_ranks(table, higher_is_better, level)
    n, k = r.shape
    df = (n - 1) * (k - 1)
    sums = r.sum(axis=0).to_numpy()
    spread = n * float((r.to_numpy() ** 2).sum()) - float((sums**2).sum())
    se = math.sqrt(max(2 * spread / df, 0.0)) / n  # of a difference of mean ranks
    least, alike = exact_p(r.to_numpy()) or least_p(r.to_numpy()), se < 1e-9  # data sets rank alike: t is ∞
    after = "it is used after Friedman's test has found a difference."

    def p_of(t: Floats) -> Floats:
        return np.maximum(holm(np.where(alike & (t > 0), 2.0 ** (1 - n), 2 * stats.t.sf(t, df))), least)

    return _pairs("Conover, Holm-adjusted", r, se, p_of, after, df=df, level=level, notes=(EXACT,) * alike)


@comparison("table", "Which differ from a control?", "holm_1979", "demsar_2006")
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
    r = checked_ranks(table, higher_is_better, level)
    n, k = r.shape
    se = math.sqrt(k * (k + 1) / (6 * n))
    if control is not None and (not isinstance(control, Hashable) or control not in r.columns):
        fix = f"Choose one of {list(r.columns)}"
        raise InputError("control must be a model", param="control", got=repr(control), fix=fix)
    name = "Holm, all pairs" if control is None else f"Holm, against {control}"
    return _pairs(name, r, se, lambda z: holm(np.minimum(2 * stats.norm.sf(z), 1.0)), level=level, control=control)


def _pairs(
    name: str,
    r: pd.DataFrame,
    se: float,
    p_of: Callable[[Floats], Floats],
    *assumptions: str,
    control: Hashable = None,
    notes: tuple[Note, ...] = (),
    **more: Any,
) -> PosthocResult:
    """All pairs, or those with the control, by the differences of their mean ranks over the standard error; the widest
    and the smallest p-value are those of the test."""
    ranks = r.mean(axis=0)
    i, j = np.triu_indices(len(ranks), 1)
    if control is not None:
        among = (ranks.index[i] == control) | (ranks.index[j] == control)
        i, j = i[among], j[among]
    gaps = np.abs(ranks.to_numpy()[i] - ranks.to_numpy()[j])
    z = np.where(gaps > 0, gaps, 0.0) / (se or 1.0)
    p = p_of(z)
    if len(ranks) == 2:
        p, assumptions, notes = np.array([exact_p(r.to_numpy())], dtype=float), (), (EXACT,)
    p = np.where(gaps > 0, np.clip(p, np.finfo(float).tiny, 1.0), 1.0)
    table = np.full((len(ranks), len(ranks)), np.nan)  # pairs without the control are not tested
    np.fill_diagonal(table, 1.0)
    table[i, j] = table[j, i] = p
    p_values = pd.DataFrame(table, ranks.index, ranks.index)
    about = (INDEPENDENT_ROWS, COMPARABLE_RANKS, *assumptions)
    statistic = math.inf if se == 0 < gaps.max() else z.max()
    return PosthocResult(
        name, statistic, p.min(), assumptions=about, notes=notes, ranks=ranks, p_values=p_values, **more
    )
