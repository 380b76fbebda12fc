"""Which pairs of models differ, after Friedman's test: Nemenyi, Conover, Holm."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable

import numpy as np
import pandas as pd
from scipy import stats

from trueness.checks import check_level
from trueness.comparisons.assumptions import COMPARABLE_RANKS, INDEPENDENT_ROWS
from trueness.comparisons.friedman_exact import exact_p, largest_not_rejected, least_p
from trueness.comparisons.friedman_tests import SIGN_TEST
from trueness.comparisons.p_values import holm
from trueness.comparisons.registry import comparison
from trueness.comparisons.results import Results, checked_ranks
from trueness.errors import InputError
from trueness.result import Note
from trueness.result.test_result import PosthocResult


@comparison("table", "Which pairs of several models differ over data sets? All pairs, Nemenyi", "demsar_2006")
def nemenyi(table: Results, higher_is_better: bool = True, level: float = 0.95) -> PosthocResult:
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
def conover(table: Results, higher_is_better: bool = True, level: float = 0.95) -> PosthocResult:
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
        message = "All data sets rank the models alike, so t is undefined; p-values are those of the sign test."
        p, note = _pairs(r, lambda gap: 2.0 ** (1 - n)), Note("same-ranking", message)
    else:
        p = _pairs(r, lambda gap: float(2 * stats.t.sf(gap / se, df)))
    if k > 2:
        p = _adjusted(p).clip(lower=exact_p(r.to_numpy()) or least_p(r.to_numpy()))
    after = "it is used after Friedman's test has found a difference."
    return _result("Conover, Holm-adjusted", r, p, se, level, after, df=df, note=note)


@comparison("table", "Which of several models differ from a control over data sets? Holm", "holm_1979", "demsar_2006")
def holm_ranks(
    table: Results, control: Hashable = None, higher_is_better: bool = True, level: float = 0.95
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
    notes = (SIGN_TEST,) if r.shape[1] == 2 else () if note is None else (note,)
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
