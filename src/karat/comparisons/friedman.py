"""Several models over several data sets: Friedman, Iman–Davenport, and the tests of pairs after them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from karat.comparisons.holm import holm
from karat.comparisons.rank_laws import exact_p, largest_not_found, least_p
from karat.comparisons.registry import comparison
from karat.comparisons.results_table import ranked
from karat.errors import InputError
from karat.result.rank_result import FriedmanResult, PosthocResult

SIGNS: tuple[str, ...] = ("Two models: the p-value is that of the sign test.",)
ROWS = "the data sets are independent of each other, each gives one number a model, and all count the same."
RANKS = "ranks within a data set can be compared although the values of different data sets cannot."


@comparison("table", "Do several models do equally well over data sets?")
def friedman(table: Any, higher_is_better: bool = True) -> FriedmanResult:
    """Friedman's χ² with the correction for ties, and Iman and Davenport's F beside it.

    χ² = (k − 1) Σ_j (R_j − N(k + 1)/2)² / (Σ_ij r_ij² − N k (k + 1)²/4),   k − 1 degrees of freedom;
    F = (N − 1) χ² / (N(k − 1) − χ²),   k − 1 and (k − 1)(N − 1) degrees of freedom (Demšar 2006, 3.2.1).
    Where all permutations of the ranks within the data sets can be counted (up to 10⁹ of them, and few enough in each
    step: up to 8 models, or 9 on two data sets), `f_p_value` is the exact one, and the p-value of χ² is never below it;
    of two models both are the sign test's.

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
    exact = exact_p(r.to_numpy())
    if chi2 == 0:
        f, f_p, p = 0.0, 1.0, 1.0
        notes: tuple[str, ...] = ("The mean ranks are all the same.",)
    else:
        f = math.inf if room <= 1e-9 * n else (n - 1) * chi2 / room  # ∞: all data sets rank the models alike
        least = least_p(r.to_numpy()) if exact is None else exact
        f_p = max(float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))), least) if exact is None else exact
        p = f_p if k == 2 else max(float(stats.chi2.sf(chi2, k - 1)), least)
        notes = _notes(k, f, exact)
    return FriedmanResult(
        "Friedman",
        chi2,
        p,
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


def _notes(k: int, f: float, exact: float | None) -> tuple[str, ...]:
    """Where the p-values come from."""
    if k == 2:
        return ("Two models: the p-values are those of the sign test.",)
    if exact is not None:
        return (
            "Few data sets: the p-value beside F is exact, of all ranks permuted within each data set, and that of χ² "
            "is never below it.",
        )
    if math.isinf(f):
        return ("All data sets rank the models alike; the p-value of F is that of the permutations.",)
    return ()


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
    statistic = widest / scale if scale > 0 else math.inf if widest > 0 else 0.0
    return PosthocResult(name, statistic, smallest, ranks=mean, p_values=p, **more)


def _of_two(r: pd.DataFrame) -> pd.DataFrame:
    """Two models: the sign test, whatever the law that many data sets would allow."""
    p = exact_p(r.to_numpy())
    assert p is not None
    return _pairs(r, lambda gap: p)


@comparison("table", "Which pairs of several models differ over data sets? All pairs, Nemenyi")
def nemenyi(table: Any, higher_is_better: bool = True, level: float = 0.95) -> PosthocResult:
    """Two models differ where their mean ranks are further apart than CD = q √(k(k + 1)/(6N)).

    q is the quantile of the studentized range of k values with infinite degrees of freedom, over √2
    (Nemenyi 1963; Demšar 2006, 3.2.2). The p-values hold for all pairs at once. Of two models the p-value is that of
    the sign test, and CD the largest difference that it does not find.
    """
    if not 0 < level < 1:
        raise InputError("level must lie between 0 and 1", got=level, fix="Use e.g. level=0.95")
    r = ranked(table, higher_is_better)
    n, k = r.shape
    se = math.sqrt(k * (k + 1) / (6 * n))
    if k == 2:
        apart = int((r.iloc[:, 0] != r.iloc[:, 1]).sum())
        p, cd = _of_two(r), largest_not_found(n, apart, 1 - level)
        more: dict[str, Any] = {"assumptions": (ROWS, RANKS), "notes": SIGNS}
    else:
        law = stats.studentized_range(k, np.inf)
        p = _pairs(r, lambda gap: law.sf(gap / se * math.sqrt(2)))
        cd = float(law.ppf(level)) / math.sqrt(2) * se
        more = {"assumptions": (ROWS, RANKS, "N is large enough for mean ranks to be normal.")}
    return _result("Nemenyi", r, p, se, critical_difference=cd, level=level, **more)


@comparison("table", "Which pairs of several models differ over data sets? Conover, with Holm's adjustment")
def conover(table: Any, higher_is_better: bool = True, level: float = 0.95) -> PosthocResult:
    """t of the differences of rank sums after Friedman (Conover 1999, 5.8), adjusted by Holm.

    t = |R_i − R_j| / √(2 (N A − Σ R_j²) / ((N − 1)(k − 1))),  A = Σ r_ij², (N − 1)(k − 1) degrees of freedom. No pair
    has a p-value below Friedman's exact one where that can be counted; of two models it is the sign test.
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
    if k == 2:
        p, notes = _of_two(r), SIGNS
    else:
        p = _adjusted(p).clip(lower=exact_p(r.to_numpy()) or least_p(r.to_numpy()))
    return _result(
        "Conover, Holm-adjusted",
        r,
        p,
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
    than all pairs would. Of two models the p-value is that of the sign test.
    """
    r = ranked(table, higher_is_better)
    n, k = r.shape
    se = math.sqrt(k * (k + 1) / (6 * n))
    p = _of_two(r) if k == 2 else _pairs(r, lambda gap: 2 * stats.norm.sf(gap / se))
    notes = SIGNS if k == 2 else ()
    if control is None:
        p = _adjusted(p)
    elif control not in r.columns:
        raise InputError("the control is not among the models", got=repr(control), fix=f"Models: {list(r.columns)}")
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
            notes=notes,
            ranks=mean,
            p_values=p,
            level=level,
        )
    return _result("Holm, all pairs", r, p, se, level=level, assumptions=(ROWS, RANKS), notes=notes)
