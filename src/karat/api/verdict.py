"""The verdict: what a comparison says, in one plain sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass

from karat.api.more_cases import NOT_WORTH, for_a_difference, for_equivalence
from karat.comparisons.mcnemar import Tango
from karat.result import Estimate
from karat.result.digits import shown, with_se
from karat.result.test_result import shown_p

CAPITALS = {"auc": "AUC", "fnf": "FNF", "fpf": "FPF", "brier": "Brier score", "error": "error rate"}


@dataclass(frozen=True)
class Question:
    """What the sentence is about.

    Attributes
    ----------
    first, second
        Names; `difference` is first − second.
    higher_is_better
        None where nobody has said it of the metric: then no one is called better.
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
    higher_is_better: bool | None
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
    tango = isinstance(d.interval, Tango)
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
        return said + f": {_better(q)}{_direction(q)}."
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
        return f": {_better(q)}, by more than the {margin} that matters{_direction(q)}."
    if settled and same:
        return f": {_better(q)}, but by less than the {margin} that matters{_direction(q)}."
    if settled:
        return f": {_better(q)}; whether by the {margin} that matters is not settled{_direction(q)}."
    if same:
        return f": the two are equivalent, within the {margin} that matters."
    return f": neither a difference nor equivalence within {margin} is shown" + _more_cases(q) + "."


def _more_cases(q: Question) -> str:
    """How many times the cases would settle it, as the difference stands: a difference, or equivalence if sooner."""
    d, alpha = q.difference, (1 - q.level) / q.pairs
    difference = for_a_difference(d, alpha)
    same = for_equivalence(d, q.margin, alpha) if q.margin is not None else math.inf
    times = min(difference, same)
    shows = "" if q.margin is None else " show equivalence" if same < difference else " show a difference"
    if times <= NOT_WORTH:
        amount = "a few cases more" if times < 1.05 else f"about {_times(times)} times as many cases"
        stays = "if they stay as equal" if d.value == 0 else "if the difference stays"
        return f"; {amount} would{shows}, {stays}"
    if d.value == 0 and q.margin is None:
        return "; there is no difference in it that more cases could settle"
    if not d.se and not isinstance(d.interval, Tango):
        return ""
    small = "a difference this small" if q.margin is None else "either"
    return f"; {small} would need more than {NOT_WORTH} times as many cases"


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
    if q.higher_is_better is None:
        return "the two differ"
    return f"{q.first if (q.difference.value > 0) == q.higher_is_better else q.second} is better"


def _direction(q: Question) -> str:
    """What to do where nobody knows which way is better."""
    if q.higher_is_better is not None:
        return ""
    return f" (whether a higher {spoken(q.metric)} is better nobody has said: Scorer(f, higher_is_better=...) does)"


def spoken(metric: str) -> str:
    """The name of a metric as a sentence wants it."""
    return CAPITALS.get(metric, metric.replace("_", " "))


def _name(q: Question) -> str:
    return spoken(q.metric)


def _tango(q: Question) -> str:
    d = q.difference
    low, high = d.ci(q.level)
    said = f" by McNemar's mid-p, Tango's {q.level:.0%} interval {low:.3f} to {high:.3f}"
    leaves_out = isinstance(d.interval, Tango) and not d.ci(q.level).covers(0.0)
    assert q.p_value is not None
    if q.pairs > 1 or leaves_out == (q.p_value < 1 - q.level):
        return said
    return said + f", which {'leaves 0 out' if leaves_out else 'holds 0'}: with so few cases the p-value decides"


def _adjusted(q: Question) -> str:
    return f", adjusted for {q.pairs} pairs" if q.pairs > 1 else ""
