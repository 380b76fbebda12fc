"""trueness roc: a file of labels and scores, the AUCs, what else is asked of each curve, the tests between them, and the
curves as a picture; of a file that is too large for memory, the areas."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueness.cli import options as o
from trueness.cli.options import BANDS, CRITERIA, Format
from trueness.cli.output import (
    check_different,
    check_given,
    complete,
    draw_and_say,
    labelled,
    require_two,
    say_notes,
    show,
    show_page,
    table_of,
    write_and_say,
    write_files,
    write_pages,
)
from trueness.cli.spelling import OWN, command, given
from trueness.errors import InputError, near
from trueness.metrics.registry import canonical

if TYPE_CHECKING:
    import pandas as pd

    from trueness.cli.roc_answer import RocAnswer
    from trueness.curves.bands import Band
    from trueness.curves.choice import Choice
    from trueness.curves.curve import RocCurve
    from trueness.curves.promised import Guarantee
    from trueness.result.estimate import Estimate
    from trueness.result.interval import Interval
    from trueness.result.notes import Note
    from trueness.typing import Record

RATES = ("sensitivity", "specificity", "tpf", "fpf")
ALIASES = {"tpf": "tpf", "tnf": "specificity", "fpf": "fpf"}  # rates by the names of metrics: "tpr", "recall"


@dataclass(frozen=True)
class Questions:
    """The options, checked before any file is read."""

    sensitivity_at: tuple[float, ...] = ()
    specificity_at: tuple[float, ...] = ()
    area: tuple[str, tuple[float, ...]] | None = None  # a rate and its range
    best: tuple[str, tuple[float, ...]] | None = None  # a criterion, or a rate and what it must be
    band: str | None = None
    seed: int = 0
    promise: tuple[str, float] | None = None  # a rate of the curve, or "ppv", and what it must be
    at: tuple[float, ...] = ()  # thresholds
    costs: tuple[float, float] | None = None  # of a missed positive and of a false positive
    prevalence: float | None = None

    @classmethod
    def of(
        cls,
        sensitivity_at: list[float] | None,
        specificity_at: list[float] | None,
        partial_auc: str | None,
        best: str | None,
        band: str | None,
        seed: int,
        guarantee: str | None = None,
        threshold: list[float] | None = None,
        costs: str | None = None,
        prevalence: float | None = None,
    ) -> Questions:
        """From the values of the options."""
        for param, values in (("sensitivity_at", sensitivity_at), ("specificity_at", specificity_at)):
            for value in values or ():
                if not 0 <= value <= 1:
                    raise InputError("A rate is a number from 0 to 1", param=param, got=value)
        if band is not None and band not in BANDS:
            raise InputError(
                f"There is no band {band!r}", param="band", fix=f"{near(band, BANDS)}Choose one of {', '.join(BANDS)}"
            )
        named = best is not None and (best in CRITERIA or (canonical(best) is not None and best not in RATES))
        chosen = None if best is None else (best, ()) if named else _rate("best", best, 1)
        area = None if partial_auc is None else _rate("partial_auc", partial_auc, 2)
        if area is not None and not area[1][0] < area[1][1]:
            raise InputError("The range must be given as low,high", param="partial_auc", got=partial_auc)
        if best is not None and costs is not None:
            raise InputError("One rule chooses the threshold", param="costs", got=costs, fix="Leave --best out")
        if prevalence is not None and costs is None and not threshold and not named:
            fix = "Add --threshold 0.5 or --costs 5,1"
            raise InputError("A prevalence belongs to a threshold", param="prevalence", got=prevalence, fix=fix)
        return cls(
            tuple(sensitivity_at or ()),
            tuple(specificity_at or ()),
            area,
            chosen,
            band,
            seed,
            _promise(guarantee),
            tuple(threshold or ()),
            None if costs is None else two_costs(costs),
            prevalence,
        )


def _rate(param: str, text: str, numbers: int) -> tuple[str, tuple[float, ...]]:
    """ "specificity=0.9,1" as its name and its numbers."""
    name, _, values = text.partition("=")
    name = ALIASES.get(canonical(name) or "", name) if name not in RATES else name
    example = {1: "sensitivity=0.9", 2: "specificity=0.9,1"}[numbers]
    fix = f"Use e.g. {example}; the rates are {', '.join(RATES)}"
    if name not in RATES:
        more = f", {' or '.join(CRITERIA)}" if param == "best" else ""
        raise InputError(f"{text!r} names no rate", param=param, fix=fix + more)
    try:
        found = tuple(float(part) for part in values.split(","))
    except ValueError:
        found = ()
    if len(found) != numbers or not all(0 <= value <= 1 for value in found):
        what = "a number" if numbers == 1 else "two numbers"
        raise InputError(f"{name} needs {what} from 0 to 1", param=param, got=repr(text), fix=fix)
    return name, found


def two_costs(text: str) -> tuple[float, float]:
    """ "5,1" as what a missed positive and a false positive cost."""
    try:
        missed, false = (float(part) for part in text.split(","))
    except ValueError:
        missed = false = math.nan
    if not (missed >= 0 and false >= 0 and math.isfinite(missed + false)):
        what = "costs are those of a missed positive and of a false positive, with a comma between them"
        raise InputError(what, param="costs", got=repr(text), fix="Use e.g. --costs 5,1")
    return missed, false


def _promise(text: str | None) -> tuple[str, float] | None:
    """ "specificity=0.9" as ("fpf", 0.1)."""
    if text is None:
        return None
    known = canonical(text.partition("=")[0])
    if known == "ppv":
        return "ppv", _rate("guarantee", f"tpf={text.partition('=')[2]}", 1)[1][0]
    ((axis, (wanted,)),) = _on_axis(*_rate("guarantee", text, 1)).items()
    return axis, wanted


@dataclass(frozen=True)
class Replies:
    """What one curve answers."""

    asked: dict[str, tuple[Estimate, bool]] = field(default_factory=dict)  # by words; True: 1 − the estimate is asked
    choice: Choice | None = None
    band: Band | None = None
    level: float = 0.95
    promised: Guarantee | None = None
    at: tuple[float, ...] = ()  # thresholds that were given

    @classmethod
    def to(cls, q: Questions, curve: RocCurve, level: float) -> Replies:
        """The answers of this curve."""
        asked = {f"sensitivity at specificity {x:g}": (curve.tpf_at(1 - x), False) for x in q.sensitivity_at}
        asked |= {f"specificity at sensitivity {x:g}": (curve.fpf_at(x), True) for x in q.specificity_at}
        if q.area is not None:
            over = _on_axis(*q.area)
            low, high = q.area[1]
            words = f"partial AUC, {q.area[0]} {low:g} to {high:g} (at most {high - low:g})"
            asked[words] = (curve.partial_auc(fpf=over.get("fpf"), tpf=over.get("tpf")), False)  # type: ignore[arg-type]
        for x in q.at:
            asked |= _at(curve, x, q.prevalence)
        choice = None
        if q.costs is not None:
            missed, false = q.costs
            choice = curve.best(costs=[[0, false], [missed, 0]], prevalence=q.prevalence, rng=q.seed)
        elif q.best is not None and not q.best[1]:
            choice = curve.best(q.best[0], prevalence=_for_criterion(q, curve), rng=q.seed)
        elif q.best is not None:
            ((axis, (wanted,)),) = _on_axis(*q.best).items()
            choice = curve.best(tpf=wanted, rng=q.seed) if axis == "tpf" else curve.best(fpf=wanted, rng=q.seed)
        band = None if q.band is None else curve.band(level, q.band, rng=q.seed)  # type: ignore[arg-type]
        return cls(asked, choice, band, level, _promised(curve, q.promise, level), q.at)

    def about(self, estimand: str) -> Replies:
        """The same with another estimand."""
        return replace(self, asked={words: (e.with_(estimand=estimand), up) for words, (e, up) in self.asked.items()})

    def said(self, level: float, seed: int) -> list[str]:
        """How thresholds were chosen, for the methods of a paper; sources as [@key]."""
        from trueness.curves.promised import how_promised

        said = []
        if (c := self.choice) is not None:
            samples = f"{len(c.replicates)} stratified bootstrap samples (seed {seed})"
            said.append(
                f"The threshold was chosen by this criterion on the same cases: {c.criterion}. Its interval has those "
                f"chosen on {100 * level:g} % of {samples}; the intervals of its sensitivity and specificity "
                f"({c.ci('tpf', level).method}) are extended by the optimism on these."
            )
        if (g := self.promised) is not None:
            said.append(how_promised(g.rate, g.wanted, g.confidence, g.data.groups is not None))
        return said

    @property
    def start(self) -> tuple[float, str] | None:
        """The threshold that was given, chosen or promised, and what it is called; None where there is none."""
        chosen = [(at, "the given threshold") for at in self.at]
        chosen += [(self.choice.threshold, f"chosen: {self.choice.criterion}")] if self.choice is not None else []
        chosen += [(self.promised.threshold, self.promised.promise)] if self.promised is not None else []
        return next((found for found in chosen if math.isfinite(found[0])), None)

    @property
    def notes(self) -> list[Note]:
        found = [note for e, _ in self.asked.values() for note in e.notes if note.code != "groups"]
        found += (*self.choice.notes, _optimism(self.choice)) if self.choice is not None else ()
        found += self.band.notes if self.band is not None else ()
        found += self.promised.notes if self.promised is not None else ()
        return list(dict.fromkeys(found))

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Words, value, standard error and interval, for the table."""
        from trueness.curves.common import as_threshold
        from trueness.result.words import between, shown

        rows = []
        for row in self.to_dicts():
            low, high, se = row["low"], row["high"], row["se"]
            if se is None and low is not None and 0 < high - low < math.inf:
                scale = (high - low) / 4  # about a standard error, for as many digits as its neighbours have
            else:
                scale = se
            above = "above " if row.get("low_excluded") else ""
            value = as_threshold(row["value"]) if row["asked"].startswith("threshold") else shown(row["value"], scale)
            rows.append((row["asked"], value, shown(se, se), above + between(low, high, scale)))
        return rows

    def to_dicts(self) -> list[Record]:
        """`asked`, `value`, `se`, `low`, `high` of every answer."""
        out = []
        for words, (e, turned) in self.asked.items():
            interval = e.ci(self.level) if e.has_interval else None
            value = 1 - e.value if turned else e.value
            out.append({"asked": words, "value": value, "se": e.se, **_limits(interval, turned)})
        if self.choice is not None:
            c = self.choice
            asked = (("threshold", c.threshold), ("sensitivity", c.tpf), ("specificity", 1 - c.fpf))
            for words, value in asked:
                named = f"{words}: {c.criterion}" if words == "threshold" else f"{words} at this threshold"
                out.append({"asked": named, "value": value, "se": None, **_limits(c.ci(words, self.level), False)})
        if self.promised is not None:
            g, none = self.promised, _limits(None, False)
            out.append({"asked": f"threshold: {g.promise}", "value": g.threshold, "se": None, **none})
            rates = {"TPF": "sensitivity", "FPF": "specificity"}
            for name, value in g.on_cases.items():
                rate, mean, _ = name.partition(", mean")
                value = 1 - value if rate == "FPF" else value
                what = f"{'mean over groups of the ' * bool(mean)}{rates.get(rate, rate)} of these cases"
                out.append({"asked": f"{what} at this threshold", "value": value, "se": None, **none})
        return out


def _for_criterion(q: Questions, curve: RocCurve) -> float | None:
    """The prevalence for a criterion; None where the criterion does not depend on it and thresholds do."""
    from trueness.curves.choice import best_of

    if q.best is None or not q.at or q.prevalence is None:
        return q.prevalence
    return q.prevalence if best_of(q.best[0], q.prevalence, curve.data.classes)[1] else None


def _optimism(choice: Choice) -> Note:
    """Why the intervals of what was chosen are longer than those of a threshold that was fixed beforehand."""
    from trueness.result.notes import Note

    tpf, fpf = choice.rate_optimism
    return Note(
        "chosen-here",
        "The threshold was chosen on these cases, where it looks better than it is. The intervals of its sensitivity and "
        f"specificity reach {tpf:.3f} and {fpf:.3f} lower than those of a threshold that was fixed beforehand: the optimism "
        f"on {len(choice.replicates)} bootstrap samples.",
        optimism=choice.optimism,
    )


def _at(curve: RocCurve, threshold: float, prevalence: float | None) -> dict[str, tuple[Estimate, bool]]:
    """What deciding positive from this threshold on does: the measures of its table."""
    from trueness.tables.diagnose import diagnose as diagnose_table

    data = curve.data
    d: Any = diagnose_table(data.positive, data.scores >= threshold, groups=data.groups, prevalence=prevalence)
    measures = {"sensitivity": d.tpf, "specificity": d.tnf, "PPV": d.ppv, "NPV": d.npv}
    return {f"{name} at threshold {threshold:g}": (e, False) for name, e in measures.items()}


def _promised(curve: RocCurve, promise: tuple[str, float] | None, level: float) -> Guarantee | None:
    """The threshold with a guarantee, of the scores of the curve."""
    if promise is None:
        return None
    from trueness.curves.promised import Guarantee, delta_of, guaranteed, one_rate

    rate, wanted = one_rate(**{"tpf": None, "fpf": None, "ppv": None} | dict([promise]))
    data = curve.data
    return Guarantee(
        rate, wanted, level, guaranteed(data.scores, data.positive, data.groups, rate, wanted, delta_of(level)), data
    )


def _on_axis(name: str, values: tuple[float, ...]) -> dict[str, tuple[float, ...]]:
    """A rate on an axis of the curve: specificity 0.9 to 1 is FPF 0 to 0.1."""
    from trueness.curves.common import RATE_NAMES

    axis, turned = RATE_NAMES[name]
    return {axis: tuple(sorted(1 - value for value in values)) if turned else values}


def _limits(interval: Interval | None, turned: bool) -> dict[str, float | None]:
    if interval is None:
        return {"low": None, "high": None}
    low, high = interval
    return {"low": 1 - high, "high": 1 - low} if turned else {"low": low, "high": high}


NO_TEST = "No test of the scores: the file is read in blocks, and the test needs all scores of a case."
NEED_ALL = (
    "groups",
    "missing",
    "sensitivity_at",
    "specificity_at",
    "partial_auc",
    "best",
    "guarantee",
    "threshold",
    "costs",
    "band",
    "plot",
    "csv_file",
)


def roc_in_blocks(
    source: str,
    label: str,
    scores: list[str],
    positive: str | None,
    level: float,
    report: Path | None,
    json_file: Path | None,
) -> None:
    """Print the ROC and PR areas of every score; options that need all scores at once are refused."""
    from trueness.curves.score_counts import ScoreCounts
    from trueness.result.notes import Note

    refused = [name for name in NEED_ALL if given(name)]
    refused += ["level"] if report is not None and level != 0.95 else []  # the report has 95 % limits
    refused += [] if given("format_") in (Format.text, Format.json) else ["format_"]
    if refused:
        raise InputError(
            "This is not available for a folder or a file of this size, which is read in blocks",
            param=refused[0],
            fix="Leave it out, or write a random sample of the rows to a file and use that",
        )
    if turned := [name for name in scores if name.startswith("-")]:
        fix = "Write a column of its negative to the file"
        raise InputError(
            "A score is not turned in a file that is read in blocks", param="score", got=turned[0], fix=fix
        )
    counts = {name: ScoreCounts.read(source, label, name, positive) for name in scores}
    found = {
        "auc": [{"score": name, **c.auc.to_dict(level)} for name, c in counts.items()],
        "pr": [{"score": name, **e.to_dict(level)} for name, c in counts.items() for e in c.pr_areas()],
        "delong": [],
    }
    as_json = json.dumps(found, indent=2, ensure_ascii=False)
    if given("format_", Format.text) == Format.json:
        typer.echo(as_json)
    else:
        for name, c in counts.items():
            page = c.page(level)
            show_page(replace(page, title=f"{name}: {page.title}"))
    if len(counts) > 1:
        say_notes((Note("no-test", NO_TEST),))
    if report is not None:
        write_pages(report, {name: c.report() for name, c in counts.items()})
    if json_file is not None:
        write_and_say(json_file, as_json)


asked = partial(o.option, "Questions")


@command(
    OWN,
    10,
    y="label",
    scores="score",
    s1="score",
    s2="score",
    method="band",
    criterion="best",
    **dict.fromkeys(("tpf", "fpf", "ppv", "confidence"), "guarantee"),
)
def roc(
    scores: o.DataArgument,
    label: o.TrueLabels,
    score: Annotated[
        list[str], o.column("Column with scores, high for the positive class; -NAME where low; repeatable.")
    ],
    positive: o.Positive = None,
    groups: o.Units = None,
    drop_missing: o.DropMissing = False,
    missing: o.Missing = None,
    sensitivity_at: Annotated[
        list[float] | None, asked("NUMBER", "Sensitivity (TPF) at this specificity (1 − FPF); repeatable.")
    ] = None,
    specificity_at: Annotated[
        list[float] | None, asked("NUMBER", "Specificity (1 − FPF) at this sensitivity (TPF); repeatable.")
    ] = None,
    partial_auc: Annotated[
        str | None, asked("RANGE", "Area over a range: specificity=0.9,1 (or fpf=0,0.1), or sensitivity=0.8,1.")
    ] = None,
    best: Annotated[
        str | None,
        asked(
            "RULE",
            f"Choose a threshold: {', '.join(CRITERIA)}, a metric to be best (f1, mcc, …), or at least this much, e.g. "
            "sensitivity=0.9, specificity=0.9.",
        ),
    ] = None,
    guarantee: Annotated[
        str | None,
        asked(
            "RATE", "Threshold at which this is met with confidence --level: sensitivity=0.9, specificity=0.9, ppv=0.8."
        ),
    ] = None,
    threshold: Annotated[
        list[float] | None,
        asked("NUMBER", "Sensitivity, specificity, PPV and NPV of deciding positive from this score on; repeatable."),
    ] = None,
    costs: Annotated[
        str | None,
        asked("MISS,FALSE", "Choose the cheapest threshold: costs of a missed and of a false positive, 5,1."),
    ] = None,
    prevalence: Annotated[
        float | None,
        asked("SHARE", "Of the population, for --threshold, --costs and --best; that of the cases by default."),
    ] = None,
    band: Annotated[
        str | None, asked("NAME", f"Confidence band in the picture and in JSON: {', '.join(BANDS)}.")
    ] = None,
    seed: Annotated[int, o.running("N", "Seed of the resamples of --best, --costs and --band.", min=0)] = 0,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    plot: o.Plot = None,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
) -> None:
    """ROC curves: AUCs with intervals, DeLong's test between them, and the curves as a picture.

    **Examples**

    - trueness roc scores.csv --label y --score a --score b --plot roc.png --band fixed-width
    - trueness roc scores.csv --label y --score a --groups patient --sensitivity-at 0.9 --best youden
    - trueness roc scores.csv --label y --score a --guarantee sensitivity=0.9
    - trueness roc scores.csv --label y --score a --threshold 0.5 --costs 5,1
    - trueness roc scores.csv --label y --score bilirubin --score=-albumin
    """
    from trueness.files.score_file import is_large
    from trueness.files.table_file import column

    check_given(scores)
    _check_columns(label, score, groups)
    if band is not None and plot is None and json_file is None and format_ != o.Format.json:
        raise InputError("A band is drawn or written", param="band", fix="Add --plot FILE or --json FILE")
    questions = Questions.of(
        sensitivity_at, specificity_at, partial_auc, best, band, seed, guarantee, threshold, costs, prevalence
    )
    if is_large(scores):
        from trueness.cli.roc import roc_in_blocks

        if drop_missing:
            raise InputError(f"{scores} is too large for this option", param="drop_missing", fix="Drop the rows first")
        roc_in_blocks(scores, label, score, positive, level, report, json_file)
        return
    named = {label: "label", **dict.fromkeys(score, "score")} | ({} if groups is None else {groups: "groups"})
    table = complete(with_turned(table_of(scores), score), drop_missing, named)
    found_labels = labelled(table, label, positive)
    require_two(found_labels.y)
    units = None if groups is None else column(table, groups, "groups")
    found = _answer(table, found_labels.y, score, found_labels.positive, units, questions, level)
    show(found)
    if plot is not None:
        from trueness.curves.curve import roc_figure

        bands = {name: a.band for name, a in found.answers.items() if a.band is not None}
        draw_and_say(roc_figure(found.curves, bands, level).draw(), plot)
    write_files(found, report, json_file, csv_file)


def with_turned(table: pd.DataFrame, score: list[str]) -> pd.DataFrame:
    """The table with a column "-x", the negative of x, where that is named as a score and is no column itself."""
    import pandas as pd

    turned = {name: name[1:] for name in score if name[:1] == "-" and name not in table and name[1:] in table}
    numbers = {name: own for name, own in turned.items() if pd.api.types.is_numeric_dtype(table[own])}
    for name in turned.keys() - numbers.keys():
        raise InputError(f"Column {turned[name]!r} must be numbers to be turned", param="score", got=repr(name))
    return table.assign(**{name: -table[own].astype(float) for name, own in numbers.items()})


def _check_columns(label: str, score: list[str], groups: str | None) -> None:
    check_different("score", score)
    if label in score:
        raise InputError("A score is the column of the labels", param="score", got=label, fix="Name a column of scores")
    if groups is not None and groups in (label, *score):
        raise InputError("The groups are the labels or a score", param="groups", got=groups)


def _answer(
    table: pd.DataFrame,
    y: pd.Series,
    score: list[str],
    positive: str | None,
    units: pd.Series | None,
    questions: Questions,
    level: float,
) -> RocAnswer:
    """The curve of every score, what was asked of it, and the tests between them."""
    from trueness.cli.roc_answer import RocAnswer
    from trueness.curves.roc import roc as curve_of
    from trueness.files.table_file import column
    from trueness.result.notes import SEVERAL_RULES
    from trueness.result.words import Estimand
    from trueness.sample.left_out import of_several_rules

    curves: dict[str, RocCurve] = {}
    for name in score:
        values = column(table, name, "score")
        try:
            curves[name] = curve_of(y, values, positive=positive, groups=units)
        except InputError as error:
            raise (error.of(f"--score {name}") if error.param == "scores" else error) from None
    areas = {name: _area(curve, table[name], y) for name, curve in curves.items()}
    answers = {name: Replies.to(questions, curve, level) for name, curve in curves.items()}
    if of_several_rules(table):
        areas = {name: e.with_(estimand=Estimand.LEFT_OUT).noting(SEVERAL_RULES) for name, e in areas.items()}
        answers = {name: each.about(Estimand.LEFT_OUT) for name, each in answers.items()}
    return RocAnswer(curves, level=level, noted=areas, answers=answers, seed=questions.seed)


def _area(curve: RocCurve, values: pd.Series, y: pd.Series) -> Estimate:
    """The AUC, with a note where the score is the label itself."""
    from trueness.result.notes import Note

    if not _same_partition(values, y):
        return curve.auc
    copied = Note("score-is-label", "Its two values match the label in every case; is this the label itself?")
    return curve.auc.noting(copied)


def _same_partition(score: pd.Series, y: pd.Series) -> bool:
    """Whether a score equals the target up to names (0/1 for no/yes)."""
    if score.nunique() != y.nunique() or score.isna().any():
        return False
    return bool((y.groupby(score.to_numpy()).nunique() == 1).all())
