"""Several models over several data sets: Friedman, Iman–Davenport, and the tests of pairs after them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from karat.comparisons.holm import holm
from karat.comparisons.registry import comparison
from karat.comparisons.results_table import ranked
from karat.errors import InputError
from karat.result.rank_result import FriedmanResult, PosthocResult

ROWS = "the data sets are independent of each other, each gives one number a model, and all count the same."
RANKS = "ranks within a data set can be compared although the values of different data sets cannot."


@comparison("table", "Do several models do equally well over data sets?")
def friedman(table: Any, higher_is_better: bool = True) -> FriedmanResult:
    """Friedman's χ² with the correction for ties, and Iman and Davenport's F beside it.

    χ² = (k − 1) Σ_j (R_j − N(k + 1)/2)² / (Σ_ij r_ij² − N k (k + 1)²/4),   k − 1 degrees of freedom;
    F = (N − 1) χ² / (N(k − 1) − χ²),   k − 1 and (k − 1)(N − 1) degrees of freedom (Demšar 2006, 3.2.1).

    Parameters
    ----------
    table
        Rows are data sets, columns models; `results_table` makes one of other forms.
    higher_is_better
        True for accuracies and AUCs, False for error rates: which rank is 1. It changes no p-value.
    """
    r = ranked(table, higher_is_better)
    n, k = r.shape
    chi2 = _chi2(r)
    room = n * (k - 1) - chi2
    notes: tuple[str, ...] = ()
    if chi2 == 0:
        f, f_p = 0.0, 1.0
        notes = ("The mean ranks are all the same.",)
    elif room <= 1e-9 * n:  # all data sets rank the models alike: F is infinite
        f, f_p = math.inf, unanimous(n, k)
        notes = ("All data sets rank the models alike; the p-value of F is that of the permutations, (1/k!)^(N − 1).",)
    else:
        f = (n - 1) * chi2 / room
        f_p = float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    return FriedmanResult(
        "Friedman",
        chi2,
        float(stats.chi2.sf(chi2, k - 1)) if chi2 > 0 else 1.0,
        df=k - 1,
        assumptions=(ROWS, RANKS, "χ² wants about N > 10 and k > 5; F is better with less."),
        notes=notes,
        ranks=r.mean(axis=0),
        f_statistic=f,
        f_df=(float(k - 1), float((k - 1) * (n - 1))),
        f_p_value=f_p,
    )


def unanimous(n: int, k: int) -> float:
    """Probability that N random rankings of k models all agree."""
    return math.exp(-(n - 1) * math.lgamma(k + 1))


def _chi2(r: pd.DataFrame) -> float:
    n, k = r.shape
    room = float((r.to_numpy() ** 2).sum()) - n * k * (k + 1) ** 2 / 4
    if room <= 1e-9:
        return 0.0  # ties everywhere
    sums = r.sum(axis=0).to_numpy()
    return float((k - 1) * ((sums - n * (k + 1) / 2) ** 2).sum() / room)


def _pairs(r: pd.DataFrame, p_of: Any) -> pd.DataFrame:
    """A symmetric table of p-values of |difference of the mean ranks|."""
    mean = r.mean(axis=0).to_numpy()
    gaps = np.abs(mean[:, None] - mean[None, :])
    out = np.minimum(np.maximum(np.vectorize(p_of)(gaps), np.finfo(float).tiny), 1.0)
    out[gaps == 0] = 1.0
    return pd.DataFrame(out, index=r.columns, columns=r.columns)


def _adjusted(p: pd.DataFrame) -> pd.DataFrame:
    upper = np.triu_indices(len(p), 1)
    out = np.ones(p.shape)
    out[upper] = holm(p.to_numpy()[upper])
    out.T[upper] = out[upper]
    return pd.DataFrame(out, index=p.index, columns=p.columns)


def _result(name: str, r: pd.DataFrame, p: pd.DataFrame, scale: float, **more: Any) -> PosthocResult:
    mean = r.mean(axis=0)
    smallest = float(p.to_numpy()[np.triu_indices(len(p), 1)].min())
    widest = float(mean.max() - mean.min())
    return PosthocResult(name, widest / scale if scale > 0 else 0.0, smallest, ranks=mean, p_values=p, **more)


@comparison("table", "Which pairs of several models differ over data sets? All pairs, Nemenyi")
def nemenyi(table: Any, higher_is_better: bool = True, level: float = 0.95) -> PosthocResult:
    """Two models differ where their mean ranks are further apart than CD = q √(k(k + 1)/(6N)).

    q is the quantile of the studentized range of k values with infinite degrees of freedom, over √2
    (Nemenyi 1963; Demšar 2006, 3.2.2). The p-values hold for all pairs at once.
    """
    if not 0 < level < 1:
        raise InputError("level must lie between 0 and 1", got=level, do="Use e.g. level=0.95")
    r = ranked(table, higher_is_better)
    n, k = r.shape
    se = math.sqrt(k * (k + 1) / (6 * n))
    law = stats.studentized_range(k, np.inf)
    p = _pairs(r, lambda gap: law.sf(gap / se * math.sqrt(2)))
    return _result(
        "Nemenyi",
        r,
        p,
        se,
        critical_difference=float(law.ppf(level)) / math.sqrt(2) * se,
        level=level,
        assumptions=(ROWS, RANKS, "N is large enough for mean ranks to be normal."),
    )


@comparison("table", "Which pairs of several models differ over data sets? Conover, with Holm's adjustment")
def conover(table: Any, higher_is_better: bool = True, level: float = 0.95) -> PosthocResult:
    """t of the differences of rank sums after Friedman (Conover 1999, 5.8), adjusted by Holm.

    t = |R_i − R_j| / √(2 (N A − Σ R_j²) / ((N − 1)(k − 1))),  A = Σ r_ij², (N − 1)(k − 1) degrees of freedom.
    """
    r = ranked(table, higher_is_better)
    n, k = r.shape
    df = (n - 1) * (k - 1)
    sums = r.sum(axis=0).to_numpy()
    room = n * float((r.to_numpy() ** 2).sum()) - float((sums**2).sum())
    se = math.sqrt(max(2 * room / df, 0.0)) / n  # of a difference of mean ranks
    notes: tuple[str, ...] = ()
    if se < 1e-9:
        floor = unanimous(n, k)
        p = _pairs(r, lambda gap: floor)
        notes = ("All data sets rank the models alike; p-values are those of the permutations, (1/k!)^(N − 1).",)
    else:
        p = _pairs(r, lambda gap: 2 * stats.t.sf(gap / se, df))
    return _result(
        "Conover, Holm-adjusted",
        r,
        _adjusted(p),
        se,
        df=df,
        level=level,
        assumptions=(ROWS, RANKS, "it is asked after Friedman's test has found a difference."),
        notes=notes,
    )


@comparison("table", "Which of several models differ from a control over data sets? Holm")
def holm_ranks(table: Any, control: Any = None, higher_is_better: bool = True, level: float = 0.95) -> PosthocResult:
    """z = (R̄_i − R̄_j) / √(k(k + 1)/(6N)) of mean ranks, adjusted by Holm (Demšar 2006, 3.2.2).

    With a control only the k − 1 comparisons with it are made (and adjusted for), which finds more
    than all pairs would.
    """
    r = ranked(table, higher_is_better)
    n, k = r.shape
    se = math.sqrt(k * (k + 1) / (6 * n))
    p = _pairs(r, lambda gap: 2 * stats.norm.sf(gap / se))
    if control is None:
        p = _adjusted(p)
    elif control not in r.columns:
        raise InputError("the control is not among the models", got=repr(control), do=f"Models: {list(r.columns)}")
    else:
        others = [c for c in r.columns if c != control]
        adjusted = holm(p.loc[control, others].to_numpy())
        p.loc[:, :] = np.nan  # pairs without the control are not tested
        p.loc[control, others] = adjusted
        p.loc[others, control] = adjusted
        p.loc[control, control] = 1.0
        mean = r.mean(axis=0)
        widest = float((mean - mean[control]).abs().max())
        return PosthocResult(
            f"Holm, against {control}",
            widest / se,
            float(np.min(adjusted)),
            assumptions=(ROWS, RANKS),
            ranks=mean,
            p_values=p,
            level=level,
        )
    return _result("Holm, all pairs", r, p, se, level=level, assumptions=(ROWS, RANKS))
