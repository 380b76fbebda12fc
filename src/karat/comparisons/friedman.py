"""Several models over several data sets: Friedman, Iman–Davenport, and the tests of pairs after them."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from karat.comparisons.holm import holm
from karat.comparisons.registry import comparison
from karat.comparisons.results_table import ranked
from karat.errors import InputError
from karat.result.rank_result import FriedmanResult, PosthocResult

ENUMERATED = 100_000  # tables of ranks: up to this many the exact p-value is counted

ROWS = "the data sets are independent of each other, each gives one number a model, and all count the same."
RANKS = "ranks within a data set can be compared although the values of different data sets cannot."


@comparison("table", "Do several models do equally well over data sets?")
def friedman(table: Any, higher_is_better: bool = True) -> FriedmanResult:
    """Friedman's χ² with the correction for ties, and Iman and Davenport's F beside it.

    χ² = (k − 1) Σ_j (R_j − N(k + 1)/2)² / (Σ_ij r_ij² − N k (k + 1)²/4),   k − 1 degrees of freedom;
    F = (N − 1) χ² / (N(k − 1) − χ²),   k − 1 and (k − 1)(N − 1) degrees of freedom (Demšar 2006, 3.2.1).
    Where there are at most 100 000 ways to permute the ranks within the data sets, `f_p_value` is the exact one.

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
    else:
        f = math.inf if room <= 1e-9 * n else (n - 1) * chi2 / room  # ∞: all data sets rank the models alike
        log_ways = _log_arrangements(r.to_numpy())
        if log_ways <= math.log(ENUMERATED):
            f_p = permutation_p(r.to_numpy())
            notes = ("Few data sets: the p-value beside F is exact, of all ranks permuted within each data set.",)
        elif math.isinf(f):
            f_p = math.exp(-log_ways)
            notes = ("All data sets rank the models alike; the p-value of F is that of the permutations.",)
        else:
            f_p = float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    return FriedmanResult(
        "Friedman",
        chi2,
        float(stats.chi2.sf(chi2, k - 1)) if chi2 > 0 else 1.0,
        df=k - 1,
        assumptions=(
            ROWS,
            RANKS,
            "χ² and F are approximations; both held their level with 5, 8 and 12 data sets of 4 models in simulations "
            "(docs/comparison.md).",
        ),
        notes=notes,
        ranks=r.mean(axis=0),
        f_statistic=f,
        f_df=(float(k - 1), float((k - 1) * (n - 1))),
        f_p_value=f_p,
    )


def _log_arrangements(r: np.ndarray) -> float:
    """log of the number of tables with these ranks in each row, the row with the most arrangements held fixed.

    A row with ties of sizes t has k!/Π t! distinct arrangements; turning all columns alike changes nothing, so one
    row may stay as it is.
    """
    logs = [
        math.lgamma(r.shape[1] + 1) - sum(math.lgamma(t + 1) for t in np.unique(row, return_counts=True)[1])
        for row in r
    ]
    return sum(logs) - max(logs)


def permutation_p(r: np.ndarray) -> float:
    """P(Σ_j R_j² ≥ that of the table) where the ranks of each row are permuted, by counting all of them.

    χ² and F rise with Σ_j R_j², so it is the exact p of both. Column sums are kept sorted: the rows to come treat all
    columns alike.
    """
    ways = [np.array(sorted(set(permutations((2 * row).round().astype(int).tolist())))) for row in r]  # whole numbers
    ways.sort(key=len, reverse=True)
    sums: np.ndarray = ways[0][:1]  # (states, k)
    weight: np.ndarray = np.ones(1)  # (states,)
    for rows in ways[1:]:
        every = np.sort((sums[:, None, :] + rows[None, :, :]).reshape(-1, r.shape[1]), axis=1)
        sums, where = np.unique(every, axis=0, return_inverse=True)
        weight = np.bincount(where.ravel(), np.repeat(weight / len(rows), len(rows)))
    seen = ((2 * r).round().sum(axis=0) ** 2).sum()
    return float(weight[(sums**2).sum(axis=1) >= seen - 0.5].sum())


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
        floor = 2.0 ** (1 - n)  # the sign test of a pair: all N differences of one sign
        p = _pairs(r, lambda gap: floor)
        notes = ("All data sets rank the models alike, so t does not exist; p-values are those of the sign test.",)
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
