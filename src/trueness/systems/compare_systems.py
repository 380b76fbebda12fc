"""compare_systems: systems that answered the same items, from their predictions, correctness or scores alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from trueness.api.verdict import Question, answered
from trueness.checks import check_level, refuses_foreign
from trueness.errors import InputError
from trueness.result import Estimate, Note
from trueness.result.comparison import Pair, best_two, pair_notes
from trueness.result.digits import counted, spoken
from trueness.result.grouped import very_few_groups
from trueness.result.interval import WALD
from trueness.systems.differences import (
    Measured,
    details,
    joint_distribution,
    measure,
    paired_difference,
    paired_test,
    system_estimate,
)
from trueness.systems.items import Items, SystemMetric, items_of
from trueness.systems.result import SystemsComparison
from trueness.typing import Label, Record

if TYPE_CHECKING:
    import pandas as pd

MIN_CLUSTERS = 10  # as for groups


@refuses_foreign
def compare(
    frame: pd.DataFrame,
    item: str = "id",
    systems: str | Sequence[str] = "system",
    truth: str | None = None,
    cluster: str | None = None,
    run: str | None = None,
    metric: SystemMetric = "accuracy",
    *,
    score: str = "score",
    positive: Label | None = None,
    level: float = 0.95,
) -> SystemsComparison:
    """Compare systems on the items that all of them answered. No model is needed: a table of answers is enough.

    Differences are paired item by item. With clusters (several questions about one passage, several images of one
    patient) the influences are summed within clusters, with C/(C − 1) and Student's C − 1 degrees of freedom. With
    repeated runs the values are averaged within each item first; the standard error of the item means already contains
    the noise of the runs (Miller 2024).

    Parameters
    ----------
    frame : DataFrame
        Wide: one row per item (and run), one column per system. Long: one row per answer, as from
        `trueness.systems.read_evals`.
    item : str, default "id"
        Column that names the item.
    systems : list of str, or str, default "system"
        A list names one column per system (wide). A single name is the column that says which system a row is of
        (long); its values stand in the column `score`.
    truth : str, optional
        Column with the true labels. Then the systems' columns hold predicted labels, or scores for an AUC. Without it
        they hold 0/1 correctness, or scores.
    cluster : str, optional
        Column with the cluster of each item.
    run : str, optional
        Column that distinguishes repeated runs of the same items (seed, epoch).
    metric : {"accuracy", "error", "score", "auc"}, default "accuracy"
        "score" is the mean of any scores, higher is better. "auc" needs `truth`; of several runs it is the mean AUC of
        a run.
    score : str, default "score"
        In a long table, the column with the values.
    positive : label, optional
        The positive class, for an AUC; may be left out where the true labels are 0/1, −1/1 or booleans.
    level : float, default 0.95
        Level at which the intervals of all pairs hold together, and 1 − α of the verdict.

    Returns
    -------
    SystemsComparison
        `.verdict`, `.difference`, `.p_value`, `.ranks`, `.frame()`, `.frame("systems")`, `.plot()`.

    Raises
    ------
    InputError
        Where the table is wrong: a repeated (item, run), an item in two clusters, an item without an answer.

    See Also
    --------
    trueness.systems.read_evals : Tables from the logs of lm-evaluation-harness and inspect_ai.
    trueness.compare : Models that are fitted, whose training sets count as well.

    Notes
    -----
    Two systems with 0/1 values, one run and no clusters are tested by McNemar's mid-p, with Tango's interval, as
    `trueness.compare` does on a test set: a t test is rough where few items are answered differently, and the exact test
    is conservative (its p-value stands in `frame()` as `p_exact`). Everything else is a paired t test; DeLong's for an
    AUC. Of several systems, p-values and intervals are adjusted together by the largest of the correlated t statistics
    (Hothorn, Bretz & Westfall 2008). Ranks are those that these tests allow: a system comes after all that are better,
    and before all that are worse (Mogstad, Romano, Shaikh & Wilhelm 2024).

    References
    ----------
    Miller (2024); Obuchowski (1997) for clustered AUCs.

    Examples
    --------
    >>> import trueness
    >>> import pandas as pd
    >>> answers = pd.DataFrame({"id": range(12), "a": [1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1],
    ...                         "b": [1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1]})
    >>> k = trueness.systems.compare(answers, systems=["a", "b"])
    >>> round(k.difference.value, 4), round(k.p_value, 4)
    (0.3333, 0.0625)
    """
    check_level(level)
    items = items_of(
        frame,
        item=item,
        systems=systems,
        score=score,
        truth=truth,
        cluster=cluster,
        run=run,
        metric=metric,
        positive=positive,
    )
    if positive is not None and metric != "auc":
        raise InputError(f"Metric {metric!r} has no positive class", param="positive", fix="Leave it out")
    measured = measure(items, metric)
    differences = {pair: paired_difference(measured, *pair) for pair in combinations(range(len(items.systems)), 2)}
    joint = joint_distribution(measured, differences)
    pair_level = joint.level_per_statistic(level)
    names = items.systems
    named = {(names[i], names[j]): d for (i, j), d in differences.items()}
    tests = {pair: test for pair, d in named.items() if (test := paired_test(d, measured)) is not None}
    adjusted = {pair: joint.adjusted(test.p_value) for pair, test in tests.items()}
    estimates = {name: system_estimate(measured, k) for k, name in enumerate(names)}
    better = metric != "error"
    out = SystemsComparison(
        verdict="",
        outcome="",
        metric=metric,
        higher_is_better=better,
        estimates=estimates,
        differences=named,
        tests=tests,
        adjusted=adjusted,
        ranks=_ranks(names, named, adjusted, 1 - level, better),
        details={(names[i], names[j]): details(measured, i, j, d, pair_level) for (i, j), d in differences.items()},
        pair=(names[0], names[1]),
        level=level,
        pair_level=pair_level,
        notes=(*items.notes, *_few_clusters(items, estimates), *pair_notes(named)),
        provenance=_provenance(items),
    )
    return _with_verdict(out, measured)


def _ranks(
    names: Sequence[str], differences: Mapping[Pair, Estimate], adjusted: Mapping[Pair, float], alpha: float, up: bool
) -> dict[str, tuple[int, int]]:
    """1 + how many are better, and k − how many are worse, by the adjusted tests: together a 1 − α confidence set of
    all ranks (Mogstad, Romano, Shaikh & Wilhelm 2024)."""
    above, below = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for (first, second), d in differences.items():
        if adjusted.get((first, second), 1.0) < alpha and d.value != 0:
            best, worst = (first, second) if (d.value > 0) == up else (second, first)
            below[best] += 1
            above[worst] += 1
    return {name: (1 + above[name], len(names) - below[name]) for name in names}


def _few_clusters(items: Items, estimates: Mapping[str, Estimate]) -> tuple[Note, ...]:
    c = int(min(e.cases or 0 for e in estimates.values()))
    if items.clusters is None or c >= MIN_CLUSTERS:
        return ()
    return (very_few_groups(c, MIN_CLUSTERS),)


def _provenance(items: Items) -> Record:
    parts = [counted(items.n, "item")]
    if items.clusters is not None:
        parts.append(f"in {counted(items.n_units, 'cluster')}")
    if items.n_runs > 1:
        parts.append(f"{items.n_runs} runs, averaged within items")
    clusters = None if items.clusters is None else items.n_units
    return {"items": items.n, "clusters": clusters, "runs": items.n_runs, "words": ", ".join(parts)}


def _with_verdict(k: SystemsComparison, m: Measured) -> SystemsComparison:
    """The same with the verdict; of several systems, about the best and the next."""
    pair, several = best_two(k), len(k.estimates) > 2
    first, second = (m.items.systems.index(name) for name in pair)
    best, next_best = k.ranking()[:2]
    question = Question.of(
        k,
        (best, next_best) if several else pair,  # in the sentence the leader comes first
        unit="item" if m.items.clusters is None else "cluster",
        identical=np.array_equal(m.items.values[..., first], m.items.values[..., second], equal_nan=True),
    )
    if several and question.difference.se:  # the interval is that of all pairs, which the table shows
        question = replace(question, difference=question.difference.with_(interval=WALD))
    return answered(replace(k, pair=pair), question, _leader)


def _leader(k: SystemsComparison) -> str:
    """Which of several systems comes first, and which others may."""
    order = k.ranking()
    candidates = [name for name in order if k.ranks[name][0] == 1]
    said = f"Of {len(order)} systems, {order[0]} has the best {spoken(k.metric)}"
    if len(candidates) == 1:
        return f"{said}, and is better than all others."
    if len(candidates) == len(order):
        return f"{said}, but any of them may be the best."
    return f"{said}; the best may be {', '.join(candidates[:-1])} or {candidates[-1]}."
