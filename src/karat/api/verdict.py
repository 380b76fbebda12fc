"""The verdict: what a comparison says, in one plain sentence."""

from __future__ import annotations

from dataclasses import dataclass

from karat.comparisons.tails import critical_value
from karat.result import Estimate
from karat.result.digits import shown, with_se
from karat.result.test_result import shown_p

CAPITALS = {"auc": "AUC", "fnf": "FNF", "fpf": "FPF", "brier": "Brier score", "error": "error rate"}
NOT_WORTH = 100  # more than this many times the cases is "far more"


@dataclass(frozen=True)
class Question:
    """What the sentence is about.

    Attributes
    ----------
    first, second
        Names; `difference` is first − second.
    p_value
        Of no difference, adjusted where several pairs were looked at; None where no test can be made.
    margin
        The largest difference that does not matter, or None.
    pairs
        How many pairs were looked at.
    identical
        Whether the two scored every case alike: only then is a standard error of 0 the truth.
    """

    first: str
    second: str
    metric: str
    higher_is_better: bool
    difference: Estimate
    p_value: float | None
    level: float = 0.95
    margin: float | None = None
    pairs: int = 1
    identical: bool = False


def verdict(q: Question) -> str:
    """One sentence: who is better, by how much, whether these data settle it, and if not what would."""
    d, alpha = q.difference, 1 - q.level
    if q.identical and d.value == 0:
        return f"{q.first} and {q.second} have the same {_name(q)}, to the last case: there is no difference to judge."
    tango = d.interval == "tango"
    if q.p_value is None or (not d.se and not tango):
        return f"{_who(q)}, but no standard error of this difference can be defended, so nothing is settled by it."
    settled = q.p_value < alpha
    said = f"{_who(q)} ({shown_p(q.p_value)}{_adjusted(q)}{_tango(q) if tango else ''})"
    if d.se_method == "naive":
        return said + (
            ": by a standard error that leaves out the training sets and is too small, so take it as a hint; repeats "
            "of the cross-validation would tell."
            if settled
            else ": even by a standard error that is too small, these data do not settle it."
        )
    if d.se and d.mc_se is not None and d.mc_se > d.se:
        return said + (
            ": but another run of the resampling would move the difference by more than its standard error; use more "
            "resamples first."
        )
    if q.margin is not None:
        return said + _with_margin(q, settled)
    if settled:
        return said + f": {_better(q)} is better."
    return said + ": these data do not settle it" + _more_cases(q) + "."


def _with_margin(q: Question, settled: bool) -> str:
    d, margin = q.difference, f"{q.margin:g}"
    assert q.margin is not None
    alpha = (1 - q.level) / q.pairs  # Bonferroni: the sentence is about the pair that was picked among them
    low, high = d.ci(max(1 - 2 * alpha, 1e-9))  # two one-sided tests at α (Schuirmann 1987)
    same = -q.margin < low and high < q.margin
    low, high = d.ci(1 - alpha)
    beyond = low > q.margin or high < -q.margin
    if settled and beyond:
        return f": {_better(q)} is better, by more than the {margin} that matters."
    if settled and same:
        return f": {_better(q)} is better, but by less than the {margin} that matters."
    if settled:
        return f": {_better(q)} is better; whether by the {margin} that matters is not settled."
    if same:
        return f": the two are equivalent, within the {margin} that matters."
    return f": neither a difference nor equivalence within {margin} is shown" + _more_cases(q) + "."


def _more_cases(q: Question) -> str:
    """se falls like 1/√n: the difference as it stands would be significant with (c · se / |d|)² times the cases."""
    d = q.difference
    if d.value == 0:
        return "; there is no difference in it that more cases could settle"
    if not d.se:
        return ""
    times = (critical_value(1 - (1 - q.level) / q.pairs, d.df) * d.se / abs(d.value)) ** 2
    if times > NOT_WORTH:
        return f"; a difference this small would need more than {NOT_WORTH} times as many cases"
    if times < 1.05:
        return "; a few cases more would, if the difference stays"
    return f"; about {_times(times)} times as many cases would, if the difference stays"


def _times(times: float) -> str:
    return f"{times:.1f}" if times < 10 else f"{times:.0f}"


def _who(q: Question) -> str:
    """ "LDA's AUC is higher by 0.070 ± 0.050"."""
    d = q.difference
    if d.value == 0:
        return f"{q.first} and {q.second} have the same {_name(q)}" + (f", ± {shown(d.se, d.se)}" if d.se else "")
    way = "higher" if d.value > 0 else "lower"
    amount = d.with_(value=abs(d.value))
    spread = with_se(amount.value, d.se)
    return f"{q.first}'s {_name(q)} is {way} than {q.second}'s by {spread}"


def _better(q: Question) -> str:
    return q.first if (q.difference.value > 0) == q.higher_is_better else q.second


def _name(q: Question) -> str:
    return CAPITALS.get(q.metric, q.metric.replace("_", " "))


def _tango(q: Question) -> str:
    low, high = q.difference.ci(q.level)
    return f" by McNemar's mid-p, Tango's {q.level:.0%} interval {low:.3f} to {high:.3f}"


def _adjusted(q: Question) -> str:
    return f", adjusted for {q.pairs} pairs" if q.pairs > 1 else ""
