"""compare_systems: systems that answered the same items, from their predictions, correctness or scores alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, get_args

import pandas as pd

from trueness.checks import check_choice, check_level
from trueness.comparisons.registry import check_inside
from trueness.errors import InputError
from trueness.formulas.proportions import mcnemar_p
from trueness.result.columns import Column, Columns
from trueness.result.grouped import VERY_FEW_GROUPS
from trueness.result.joint import Tango, paired_test
from trueness.result.notes import Note
from trueness.result.pairs import Pair, Paired, Pairs, check_baseline, pair_notes, pairs_of
from trueness.result.shown import tidy
from trueness.result.verdict import detectable
from trueness.result.words import counted, shown
from trueness.sample.answers import Answers
from trueness.sample.measured import Aucs
from trueness.systems.evals import AskedOfLogs
from trueness.systems.given import Sources, given_of, names_of
from trueness.systems.items import Missing, answers_of, metric_named
from trueness.typing import Label, Record


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

    details: Mapping[Pair, Mapping[str, float | None]] = field(default_factory=dict)
    rule: ClassVar[str] = "system"
    columns: ClassVar[Columns] = {
        **{name: column for name, column in Paired.columns.items() if name != "p_range"},
        "detectable": Column("detectable (80 % power)"),
        "design_effect": Column("design effect", ".2f"),
    }

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
        check_choice("of", of, ("pairs", "systems"), f"There is no table of {of!r}")
        if of == "systems":
            return tidy(self.ranked_rows(), details)
        frame = tidy(self.rows(), details, "test", "df", *self.details[self.pair])
        return frame.drop(columns=["mc_se", "se_mc_se", "p_low", "p_high"], errors="ignore")

    def rows(self) -> Iterable[Record]:
        """One row per pair: the difference, its p-values, the test and parts of the variance."""
        for row in super().rows():
            pair = row["first"], row["second"]
            about = {name: row.pop(name) for name in ("se_method", "interval", "notes")}
            test = self.tests.get(pair)
            yield {
                **row,
                "test": None if test is None else test.test,
                "df": row.pop("df"),
                **self.details[pair],
                **about,
            }

    def _further(self, pair: Pair) -> Record:
        known = self.details[pair]
        return {**known, "detectable": shown(known["detectable"], self.differences[pair].se)}

    footnote = "{words}"

    @property
    def words(self) -> str:
        """The items, and what the test assumes."""
        first = next(iter(self.tests.values()), None)
        return "\n".join([self.provenance["words"], *(f"Assumes: {a}" for a in (first.assumptions if first else ()))])


DONE = {"wrong": "counted as wrong", "drop": "with their items left out for all systems"}
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
        `trueness.systems.read_evals`. Or files of such tables, or logs as `read_evals` reads them.
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
        system, and than its number of runs.
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
        check_inside("margin", margin, 0, math.inf if what == "score" else 1.0)
    check_choice("missing", missing, get_args(Missing), "missing says what is done with missing answers")
    names = names_of(systems, {"item": item, "truth": truth, "cluster": cluster, "run": run, "score": score})
    given = given_of(frame, more, names, AskedOfLogs(score, filter, item, run, truth=truth))
    if positive is not None and what != "auc":
        raise InputError(f"Metric {what!r} has no positive class", param="positive", fix="Leave it out")
    answers = answers_of(given, truth, cluster, what, positive=positive, missing=missing)
    check_baseline(baseline, answers.rules)
    return _compared(answers, what, level, margin, baseline)


def _compared(
    answers: Answers, what: str, level: float, margin: float | None, baseline: str | None
) -> SystemsComparison:
    """The comparison of systems by their answers."""
    measured = answers.aucs() if what == "auc" else answers.means(what)
    unit, clusters, named = "item", None, "Paired t"
    if what == "auc":
        named = "DeLong, paired"
    notes, about = list(answers.notes), [counted(answers.n, "item")]
    if answers.groups is not None:
        unit, clusters, named = "cluster", answers.n_units, f"{named}, clustered"
        about.append(f"in {counted(clusters, 'cluster')}")
        fewest = measured.units if isinstance(measured, Aucs) else clusters
        if fewest < VERY_FEW_GROUPS:
            notes.append(Note("very-few-groups", groups=fewest, needed=VERY_FEW_GROUPS))
    places = {name: k for k, name in enumerate(answers.rules)}
    estimates = {
        name: measured.estimate(k).with_(estimand=f"this system on all {unit}s like these")
        for name, k in places.items()
    }
    differences, found = {}, {}
    for a, b in pairs_of(estimates, what != "error", baseline):
        differences[a, b] = measured.difference(places[a], places[b]).with_(estimand="these systems")
    assumptions = (FIXED_SYSTEMS, INDEPENDENT.format(units=f"{unit}s"))
    pairs = Pairs.of(differences, lambda d: paired_test(d, named, assumptions=assumptions), measured.sums)
    each = pairs.level_of_each(level)
    for (a, b), d in pairs.differences.items():
        few = clusters is not None and clusters < VERY_FEW_GROUPS
        correlation = measured.correlation(places[a], places[b])
        known = found[a, b] = {"correlation": correlation, "detectable": None if few else detectable(d, each)}
        if clusters is not None:
            known["design_effect"] = d.provenance.get("design_effect")
        elif isinstance(d.interval, Tango):
            known["p_mid"] = mcnemar_p(d.interval.first, d.interval.second, "mid-p")[1]
    # of the pairs; how many clusters there are is said once
    notes += (note for note in pair_notes(pairs.differences) if note.scope not in ("data", "test"))
    if any("p_mid" in known and known["detectable"] is None for known in found.values()):
        notes.append(Note("too-few-items", items=answers.n))  # for systems that differ in every item
    if answers.n_runs > 1:
        about.append(f"{answers.n_runs} runs, averaged within items")
    for facts in (note.data for note in answers.notes if "how" in note.data):
        lacking = ", ".join(f"{k} of {name}" for name, k in facts["lacking"].items())
        about.append(f"missing answers {DONE[facts['how']]} ({lacking})")
    sizes = {"items": answers.n, "clusters": clusters, "runs": answers.n_runs}
    return SystemsComparison(
        **vars(pairs),
        metric=what,
        higher_is_better=what != "error",
        estimates=estimates,
        details=found,
        pair=next(iter(differences)),
        level=level,
        margin=margin,
        baseline=baseline,
        unit=unit,
        units=answers.n_units,
        notes=tuple(notes),
        provenance={**sizes, "words": ", ".join(about)},
    )
