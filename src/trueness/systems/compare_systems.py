"""compare_systems: systems that answered the same items, from their predictions, correctness or scores alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd

from trueness.api.verdict import (
    Question,
    answered,
    check_baseline,
    detectable,
    noted,
    verdict,
)
from trueness.checks import check_choice, check_level
from trueness.comparisons.registry import check_margin
from trueness.errors import InputError
from trueness.formulas.proportions import mcnemar_p
from trueness.result.estimate import Estimate
from trueness.result.grouped import VERY_FEW_GROUPS, very_few_groups
from trueness.result.joint import Tango, largest_difference, paired_test
from trueness.result.json import json_value
from trueness.result.notes import Note
from trueness.result.pairs import EitherOrder, Pair, Paired, pair_notes, pairs_of
from trueness.result.shown import Page, Table, kept_provenance, tidy
from trueness.result.test_result import assumes
from trueness.result.words import cells, counted, rounded_p, shown, spoken
from trueness.sample.answers import Answers
from trueness.sample.measured import Aucs, Means
from trueness.systems.given import Asked, Sources, given_of
from trueness.systems.items import Missing, answers_of, metric_named
from trueness.typing import Label, Record

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SystemsComparison(Paired):
    """What `trueness.systems.compare` returns.

    Attributes
    ----------
    verdict : str
        One sentence about two systems; of several, about the best and the next.
    outcome : str
        The verdict as a value: "better", "open", "identical" or "no-test".
    metric : {"accuracy", "error", "score", "auc"}
        What was compared.
    estimates : mapping of str to Estimate
        The Estimate of each system.
    differences : mapping of (str, str) to Estimate
        first − second of every pair.
    tests : mapping of (str, str) to TestResult
        The test of every pair that can be tested, not adjusted.
    adjusted : mapping of (str, str) to float
        p-values of those pairs adjusted for all pairs, by the distribution of the largest |t|.
    ranks : mapping of str to (int, int)
        The best and the worst rank of each system that the data allow; all ranks hold together at `level`. With a
        baseline they rest on the comparisons with it alone.
    details : mapping of (str, str) to mapping
        Of every pair: `correlation` of the two systems over the items, `detectable` (the smallest difference found
        with a power of 80 %), `p_mid` (McNemar's mid-p, of 0/1 values), `design_effect` (with clusters).
    pair : (str, str)
        The pair that `difference`, `p_value` and `verdict` are about.
    level : float
        Level of the intervals together, and 1 − α of the verdict.
    margin : float, optional
        The largest difference that does not matter.
    baseline : str, optional
        The system that all others are compared with; None where all pairs are compared.
    law : MaxT
        The distribution of the largest |t| of all pairs.
    notes : tuple of Note
        What the reader should know.
    provenance : mapping
        `items`, `clusters` and `runs`: how many.
    """

    ranks: Mapping[str, tuple[int, int]]
    details: Mapping[Pair, Mapping[str, float | None]]
    margin: float | None = None

    def frame(self, of: Literal["pairs", "systems"] = "pairs", *, details: bool = False) -> pd.DataFrame:
        """The tidy, unrounded table.

        Parameters
        ----------
        of : {"pairs", "systems"}, default "pairs"
            One row per pair, with intervals that hold for all pairs together; or one row per system, best first, each
            with an interval of its own and the ranks that the data allow.
        details : bool, default False
            Also the name of the test, degrees of freedom, parts of the variance, which standard error and interval it
            is, and the notes.

        Returns
        -------
        pandas.DataFrame
        """
        if of == "systems":
            return tidy(map(self._system_row, self.ranking()), details)
        if of != "pairs":
            raise InputError('of must be "pairs" or "systems"', param="of", got=repr(of))
        return tidy(map(self._row, self.differences), details, "test", "df", *self.details[self.pair])

    def _system_row(self, name: str) -> Record:
        best, worst = self.ranks[name]
        return {"system": name, **self.estimates[name].row(self.level), "rank_low": best, "rank_high": worst}

    def _row(self, pair: Pair) -> Record:
        d, test = self.differences[pair], self.tests.get(pair)
        row = d.row(self.pair_level)
        return {
            **self._pair_row(pair, self.pair_level),
            "p_adjusted": self.adjusted.get(pair),
            "test": None if test is None else test.test,
            "df": d.df,
            **self.details[pair],
            **{name: row[name] for name in ("se_method", "interval", "notes")},
        }

    def to_dict(self) -> Record:
        return {
            "schema": "trueness/systems/1",
            "verdict": self.verdict,
            "outcome": self.outcome,
            "metric": self.metric,
            "level": self.level,
            "margin": self.margin,
            "baseline": self.baseline,
            "pair_level": self.pair_level,
            "systems": {
                name: {**e.to_dict(self.level), "rank_low": self.ranks[name][0], "rank_high": self.ranks[name][1]}
                for name, e in self.estimates.items()
            },
            "pairs": [
                {
                    **self._pair_dict(pair),
                    "p_adjusted": self.adjusted.get(pair),
                    **{name: json_value(value) for name, value in self.details[pair].items()},
                }
                for pair in self.differences
            ],
            "notes": [note.to_dict() for note in self.notes],
            "provenance": kept_provenance(self.provenance),
        }

    def page(self, level: float | None = None) -> Page:
        several, clustered = len(self.differences) > 1, self.provenance["clusters"] is not None
        ranked = self.baseline is None or len(self.estimates) == 2  # else most pairs were not compared
        systems = []
        for name in self.ranking():
            best, worst = self.ranks[name]
            rank = [str(best) if best == worst else f"{best} to {worst}"] if ranked else []
            systems.append((name, *cells(self.estimates[name], self.level)[:3], *rank))
        pairs = []
        for pair, d in self.differences.items():
            pairs.append(
                (
                    " − ".join(pair),
                    *cells(d, self.pair_level)[:3],
                    rounded_p(self.adjusted[pair]) if pair in self.adjusted else "",
                    shown(self.details[pair]["detectable"], d.se),
                    *([f"{self.details[pair]['design_effect'] or 1:.2f}"] if clustered else []),
                )
            )
        together = " for all pairs" if several else ""
        heads = (self.metric, "std. error", f"{100 * self.level:g} % interval")
        pair_heads = ["difference", *heads[:2], heads[2] + together, f"p{together}", "detectable (80 % power)"]
        pair_heads += ["design effect"] if clustered else []
        first = next(iter(self.tests.values()), None)
        return Page(
            answer=self.verdict,
            tables=(
                Table.of(("system", *heads, *(["rank"] if ranked else [])), systems),
                Table.of(pair_heads, pairs),
            ),
            notes=self.notes,
            footer=f"{self.provenance['words']}\n{assumes(first.assumptions if first else ())}".strip(),
        )


FIXED_SYSTEMS = "the systems are fixed: none was trained, tuned or chosen on these items."
INDEPENDENT = "the {units} are independent draws from those of interest."


def compare(
    frame: Sources,
    *more: str | Path,
    item: str | None = None,
    systems: str | Sequence[str] | None = None,
    truth: str | None = None,
    cluster: str | None = None,
    run: str | None = None,
    metric: str = "accuracy",
    score: str | None = None,
    filter: str | None = None,  # the name of the field in the logs
    positive: Label | None = None,
    missing: Missing = "error",
    level: float = 0.95,
    margin: float | None = None,
    baseline: str | None = None,
) -> SystemsComparison:
    """Compare systems on the items that all of them answered. No model is needed: a table of answers is enough.

    Differences are paired item by item. With clusters (several questions about one passage, several images of one
    patient) the influences are summed within clusters, whose squares are divided by 1 less the cluster's share of the
    items, with Student's quantiles (C − 1 degrees of freedom; of clusters of unequal sizes fewer, Bell & McCaffrey
    2002). With repeated runs the values are averaged within each item first; the standard error of the item means
    already contains the noise of the runs (Miller 2024).

    Parameters
    ----------
    frame : DataFrame, path, list of paths, or mapping of str to path or DataFrame
        Wide: one row per item (and run), one column per system. Long: one row per answer, as from
        `trueness.systems.read_evals`. Judged in pairs: columns `model_a`, `model_b` and `winner` (one of these names, or
        "tie"). Or files of such tables, or logs as `read_evals` reads them.
    *more : path
        More logs.
    item : str, optional
        Column that names the item; by default "id", "question_id" and the like.
    systems : list of str, or str, optional
        A list names one column per system (wide), or of a long table some of its systems; of several logs, their names. A
        single name is the column that says which system a row is of (long), by default "system" or "model"; its values
        stand in the column `score`.
    truth : str, optional
        Column with the true labels. Then the systems' columns hold predicted labels, or scores for an AUC. Without it
        they hold 0/1 correctness, or scores.
    cluster : str, optional
        Column with the cluster of each item.
    run : str, optional
        Column that distinguishes repeated runs of the same items; by default "run", "epoch", "seed" and the like, where
        rows repeat an item.
    metric : {"accuracy", "error", "score", "auc"}, default "accuracy"
        Or another name of these, as "roc_auc". "score" is the mean of any scores, higher is better. "auc" needs `truth`;
        of several runs it is the mean AUC of a run.
    score : str, optional
        In a long table, the column with the values; by default "score", "correct" and the like. Of logs, which metric.
    filter : str, optional
        Of logs of lm-evaluation-harness, which filter.
    positive : label, optional
        The positive class, for an AUC; may be left out where the true labels are 0/1, −1/1, no/yes or booleans.
    missing : {"error", "wrong", "drop"}, default "error"
        What is done with missing answers: an error, count them as wrong (0), or leave their items out for all systems.
        An answer is missing where a record has no value, and where a system has fewer records of an item than another
        system, and than its number of runs. By default an item of which only some runs have no record is
        the mean of the others, with a note.
    level : float, default 0.95
        Level at which the intervals of all pairs hold together, and 1 − α of the verdict.
    margin : float, optional
        The largest difference that does not matter. With it the verdict also says whether two systems are equivalent, or
        one is better by more than the margin, as in `trueness.compare`.
    baseline : str, optional
        The system that all others are compared with, instead of all pairs. p-values and intervals hold for these pairs
        together, so that fewer pairs have more power.

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
    Two systems with 0/1 values and one run are tested by McNemar's exact test, with Tango's interval, as by
    `trueness.comparisons.mcnemar` and by `trueness.compare` on a test set: a t test is rough where few items are answered
    differently. The mid-p value, which is less conservative, stands in `frame()` as `p_mid`. With clusters the
    test is Obuchowski's (1998), and the interval Tango's of the items divided by the design effect. Everything else is
    a paired t test; DeLong's for an AUC. Of several systems, p-values and intervals are adjusted together by the
    largest of the correlated t statistics (Hothorn, Bretz & Westfall 2008). Ranks are those that these tests allow: a
    system comes after all that are better, and before all that are worse (Mogstad, Romano, Shaikh & Wilhelm 2024).

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
    (0.3333, 0.125)
    """
    check_level(level)
    what = metric_named(metric)
    if margin is not None:
        check_margin(margin, what, math.inf if what == "score" else 1.0)
    check_choice("missing", missing, get_args(Missing), "missing says what is done with missing answers")
    given = given_of(frame, more, Asked(item, systems, truth, cluster, run, score, filter))
    if given.judged and what == "accuracy":
        what = "score"
    answers = answers_of(
        given.table,
        given.item,
        given.systems,
        truth,
        cluster,
        given.run,
        what,
        score=given.score,
        positive=positive,
        missing=missing,
    )
    if positive is not None and what != "auc":
        raise InputError(f"Metric {what!r} has no positive class", param="positive", fix="Leave it out")
    measured = answers.aucs() if what == "auc" else answers.means(what)
    names, better = answers.rules, what != "error"
    units = "items" if cluster is None else "clusters"
    check_baseline(baseline, names, "systems")
    about = f"{'mean over runs of ' if answers.n_runs > 1 else ''}this system on all {units} like these"
    estimates = {name: measured.estimate(k).with_(estimand=about) for k, name in enumerate(names)}
    pairs = pairs_of(estimates, better, baseline)
    places = {pair: (names.index(pair[0]), names.index(pair[1])) for pair in pairs}
    these = f"these {'two ' if len(names) == 2 else ''}systems"
    differences = {pair: measured.difference(i, j).with_(estimand=these) for pair, (i, j) in places.items()}
    law = largest_difference(differences.values(), measured.sums)
    name = ("DeLong, paired" if what == "auc" else "Paired t") + ", clustered" * (cluster is not None)
    assumptions = (FIXED_SYSTEMS, INDEPENDENT.format(units=units))
    found = {pair: paired_test(d, name, assumptions=assumptions) for pair, d in differences.items()}
    tests = {pair: test for pair, test in found.items() if test is not None}
    adjusted = {pair: law.adjusted(test.p_value) for pair, test in tests.items()}
    differences = noted(differences, adjusted, level, law.level_per_statistic(level))
    each, clusters = law.level_per_statistic(level), None if cluster is None else answers.n_units
    details = {
        pair: _details(d, measured.correlation(*places[pair]), each, clusters) for pair, d in differences.items()
    }
    out = SystemsComparison(
        verdict="",
        outcome="",
        metric=what,
        higher_is_better=better,
        estimates=estimates,
        differences=EitherOrder(differences),
        tests=EitherOrder(tests),
        adjusted=EitherOrder(adjusted),
        ranks=_ranks(names, differences, adjusted, 1 - level, better),
        details=EitherOrder(details),
        pair=next(iter(differences)),
        level=level,
        margin=margin,
        baseline=baseline,
        law=law,
        say=partial(_said, answers),
        notes=(
            *given.notes,
            *answers.notes,
            *_few_clusters(answers, measured),
            *_notes(differences),
            *_undetectable(answers, details),
        ),
        provenance=_provenance(answers),
    )
    return _with_verdict(out, answers)


def _details(d: Estimate, correlation: float | None, level: float, clusters: int | None) -> dict[str, float | None]:
    """Correlation over items, smallest detectable difference, McNemar's mid-p, design effect."""
    few = clusters is not None and clusters < VERY_FEW_GROUPS
    out = {"correlation": correlation, "detectable": None if few else detectable(d, level)}
    if isinstance(d.interval, Tango) and clusters is None:
        out["p_mid"] = mcnemar_p(d.interval.first, d.interval.second, "mid-p")[1]
    if clusters is not None:
        out["design_effect"] = d.provenance.get("design_effect")
    return out


def _undetectable(answers: Answers, details: Mapping[Pair, Mapping[str, float | None]]) -> Iterator[Note]:
    """Where even systems that differ in every item would not be told apart."""
    if any("p_mid" in each and each["detectable"] is None for each in details.values()):
        message = (
            f"No difference is detectable with {counted(answers.n, 'item')}: McNemar's test would not be significant"
        )
        yield Note("too-few-items", f"{message} even if one system were right on every item and the other on none.")


def _notes(differences: Mapping[Pair, Estimate]) -> tuple[Note, ...]:
    """Of the pairs; how many clusters there are is said once."""
    return tuple(note for note in pair_notes(differences) if note.code not in ("groups", "few-groups"))


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


def _few_clusters(answers: Answers, measured: Aucs | Means) -> tuple[Note, ...]:
    clusters = measured.units if isinstance(measured, Aucs) else answers.n_units
    few = answers.groups is not None and clusters < VERY_FEW_GROUPS
    return (very_few_groups(clusters, VERY_FEW_GROUPS),) if few else ()


def _provenance(answers: Answers) -> Record:
    parts, clusters = [counted(answers.n, "item")], None if answers.groups is None else answers.n_units
    if clusters is not None:
        parts.append(f"in {counted(clusters, 'cluster')}")
    if answers.n_runs > 1:
        parts.append(f"{answers.n_runs} runs, averaged within items")
    for note in answers.notes:
        if note.code == "missing-answers":
            done = "counted as wrong" if note.data["how"] == "wrong" else "with their items left out for all systems"
            lacking = ", ".join(f"{k} of {name}" for name, k in note.data["lacking"].items())
            parts.append(f"missing answers {done} ({lacking})")
    return {"items": answers.n, "clusters": clusters, "runs": answers.n_runs, "words": ", ".join(parts)}


def _with_verdict(k: SystemsComparison, answers: Answers) -> SystemsComparison:
    """The same with the verdict; of several systems, about the best and the next."""
    return answered(k, partial(_question, answers, k), _leader)


def _question(answers: Answers, k: SystemsComparison, pair: Pair) -> Question:
    first, second = (answers.values[answers.rules.index(name)] for name in pair)
    return Question.of(
        k,
        pair,
        margin=k.margin,
        unit="item" if answers.groups is None else "cluster",
        units=answers.n_units,
        identical=np.array_equal(first, second, equal_nan=True),
    )


def _said(answers: Answers, k: SystemsComparison, pair: Pair) -> str:
    """The verdict about one pair."""
    return verdict(_question(answers, k, pair))


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
