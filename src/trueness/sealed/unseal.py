"""unseal: fit the declared model on the design set, and assess it once on the test set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from pickle import PicklingError
from typing import Any

import pandas as pd
from joblib import hash as hash_of
from sklearn.base import clone

from trueness.api.assess import assess
from trueness.api.assessment import Assessment
from trueness.api.call import metrics_of
from trueness.checks import check_level, unwarned
from trueness.errors import FitError, InputError, TruenessError
from trueness.figures.figure import Figure
from trueness.files.features import features_of, in_quarters, split
from trueness.files.table_file import column
from trueness.fitting.described import describe
from trueness.metrics.metric import Metric
from trueness.metrics.scorer import MetricLike
from trueness.result.estimate import Estimate
from trueness.result.json import json_value
from trueness.result.notes import Note
from trueness.result.shown import Cited, Drawn, Page, Result
from trueness.result.subgroups import Subgroups
from trueness.sample.asked import task_of
from trueness.sample.left_out import check_threshold
from trueness.sample.sample import Sample
from trueness.sealed.chain import KNOWN, appended, box, opened, read_bytes, secret_of, write_chain
from trueness.sealed.study import LEDGER, SEALED, Study, locked, read_study, table_of
from trueness.typing import Classifier, Features, Label, Labels, Record
from trueness.version import __version__

AT_THRESHOLD = ("tpf", "fpf", "ppv", "npv")  # metrics beside the default ones, where a threshold was declared
UNDEFINED = {"value": None, "low": None, "high": None}


@dataclass(frozen=True, repr=False)
class Opening(Result, Drawn, Cited):
    """What `trueness.sealed.unseal` returns.

    Attributes
    ----------
    assessment : Assessment
        The fitted model on the test set; intervals at the level corrected for the number of openings.
    record : mapping
        The record of the result in the ledger.
    number : int
        How many times the test set was opened, this time included.
    receipt : str
        One line to keep elsewhere, for `trueness.sealed.verify(study, head=receipt)`.
    subgroups : mapping of str to tuple of Subgroups
        Every metric in the groups of each declared column; none of a column without a group that has enough cases.
    declaration : mapping
        The record of the opening in the ledger: what was declared, and when.
    manifest : mapping
        What was sealed, and how.
    """

    assessment: Assessment
    record: Mapping[str, Any]
    number: int
    receipt: str = ""
    subgroups: Mapping[str, tuple[Subgroups, ...]] = field(default_factory=dict)
    declaration: Mapping[str, Any] = field(default_factory=dict)
    manifest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def level(self) -> float:
        """Level of the intervals, corrected for the number of openings."""
        return self.assessment.level

    @property
    def provenance(self) -> Mapping[str, Any]:
        """That of the assessment."""
        return self.assessment.provenance

    @property
    def first(self) -> Mapping[str, Subgroups]:
        """Of every declared column the groups of one metric, the AUC where it was asked for; a report has all metrics."""
        return {name: next((s for s in of if s.metric == "auc"), of[0]) for name, of in self.subgroups.items()}

    def _named(self) -> Iterable[tuple[str, Estimate]]:
        return self.assessment._named()

    def figure(self, metric: str | None = None) -> Figure:
        """The figure of the assessment."""
        return self.assessment.figure(metric)

    def page(self, level: float | None = None) -> Page:
        page, first = self.assessment.page(level), [s.page(level) for s in self.first.values()]
        title = f"{page.title}\nSealed test set, opening {self.number}; ledger head {self.record['hash']}"
        tables = [replace(t, title=f"{p.title.partition(chr(10))[0]}. {p.answer}") for p in first for t in p.tables]
        notes = dict.fromkeys(note for each in (page, *first) for note in each.notes)
        return Page(title, page.answer, (*page.tables, *tables), tuple(notes), f"{page.footer}\n{self.receipt}")

    def frame(self, *, details: bool = False) -> pd.DataFrame:
        return self.assessment.frame(details=details)

    def to_dict(self) -> Record:
        by = {name: [s.to_dict() for s in found] for name, found in self.subgroups.items()}
        return {
            "declaration": dict(self.declaration),
            "record": dict(self.record),
            "assessment": self.assessment.to_dict(),
            **({"subgroups": by} if by else {}),
        }


def unseal(
    study: str | Path,
    model: Classifier | Callable[[Features], Classifier],
    *,
    passphrase: str | None = None,
    key_file: str | Path | None = None,
    metrics: MetricLike | Iterable[MetricLike] | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    by: str | Sequence[str] = (),
    level: float = 0.95,
    again: str | None = None,
    drop: Sequence[str] = (),
    prepared: bool = False,
) -> Opening:
    """Open a sealed test set: fit the declared model on the design set and assess it on the test set, once.

    All of it is rehearsed on the design set first: what fails there opens nothing. The opening is written to the ledger
    before the test set is decrypted, the result before it is shown. A run killed in between is completed by the same call,
    which is recorded and counts as the same opening.

    Parameters
    ----------
    study : path
        Folder that `trueness.sealed.seal` made.
    model : estimator, or function of X
        The declared model; a function receives the features of the design set and returns one.
    passphrase, key_file : str, path, optional
        As in `trueness.sealed.seal`.
    metrics : sequence of str, callable or Metric, optional
        As in `trueness.assess`; with a threshold and without metrics also "tpf", "fpf", "ppv" and "npv".
    positive : label, optional
        The positive class.
    threshold : float, optional
        Declared threshold, as in `trueness.assess`: all decisions are positive where the probability of the positive
        class (of a model without probabilities, its decision function) is at least this. It enters the ledger before the
        test set is opened.
    by : str or sequence of str, default ()
        Columns whose values are subgroups, features or not; of more than 12 different numbers their quarters. They enter
        the ledger before the test set is opened, and every metric in every group with the result.
    level : float, default 0.95
        Level of the intervals of a first opening. The k-th opening uses 1 − (1 − level)/k (Bonferroni).
    again : str, optional
        Reason for opening the test set again; without it a second opening is refused.
    drop : sequence of str, default ()
        Columns that are no features, as in `trueness assess --drop`. They enter the ledger.
    prepared : bool, default False
        Whether the model gets the features that `trueness.files.read_cases` makes of the design set, and the commands
        use: columns that no model can learn from are dropped, dates are days. What was dropped enters the ledger.
        Otherwise it gets the columns as they are read.

    Returns
    -------
    Opening

    Notes
    -----
    The correction for k openings covers rules that were declared beforehand. A rule that was changed because of an
    earlier opening has learned from the test set, and no correction of the level repairs that. Earlier openings were
    reported at lower levels: a statement about all k of them needs each at the level of the k-th.

    A call is the same as another where model (with all parameters), metrics, positive class, threshold, subgroups, level,
    columns and the version of the model's library are the same. Parameters that cannot be pickled, such as a lambda, make
    it another.
    """
    _check(model, level, again)
    level = float(level)  # as the ledger writes it
    secret = secret_of(passphrase, key_file)
    with locked(study):
        found = read_study(study)
        key = found.manifest["key"]
        fernet = box(secret, bytes.fromhex(key["salt"]))
        fix = "Nothing was opened, and nothing was changed"
        assert opened(fernet, key["known"].encode(), "The passphrase or key file is wrong", fix) == KNOWN
        columns = found.manifest["target"], found.manifest["groups"], [drop] if isinstance(drop, str) else list(drop)
        table = found.design()
        X, y, groups = split(table, *columns)
        features = features_of(X, columns[2]) if prepared else None
        X = X if features is None else features.X
        rule = model if isinstance(model, Classifier) else model(_with_missing(X, found))
        sample = Sample.of(y, X=X, positive=positive, groups=groups, kind=task_of([rule]))
        chosen = metrics_of(metrics, sample)
        if threshold is not None:
            check_threshold(sample, threshold)
            chosen = metrics_of([*chosen, *AT_THRESHOLD], sample) if metrics is None else chosen
        by = list(dict.fromkeys([by] if isinstance(by, str) else by))
        declared = _declared(rule, sample, chosen, threshold, level) | ({"by": by} if by else {})
        declared["dropped"] = list(dict.fromkeys(columns[2]) if features is None else features.dropped)
        number = _next(found, declared, again)
        corrected = 1 - (1 - level) / number
        settings = {"metrics": chosen, "positive": positive, "threshold": declared["threshold"], "level": corrected}
        ask: Callable[..., Assessment] = partial(assess, plan="prefit", checks=False, **settings)
        with _failing("The model cannot be fitted on the design set"):  # nothing is opened yet
            fitted = clone(rule).fit(X, y)
        with _failing("The model cannot be assessed on the design set"), unwarned():
            a = ask(fitted, X, y, groups=groups)
            subgroups, empty = _subgroups(a, table, by)
            if empty:
                raise empty[0]
            _show(Opening(a, {"hash": ""}, number, "", subgroups, {"declared": declared}, found.manifest))
        event, about = "resumed", dict[str, Any]()
        if number > found.openings:
            event, about = "opening", {"declared": declared, "reason": again}
        records = appended(found.records, event, opening=number, **about, trueness=__version__)
        write_chain(found.folder / LEDGER, records)  # on the disk before any test case is decrypted
        on_record = "The opening is on record, without a result"
        test = opened(fernet, read_bytes(found.folder / SEALED), "The test set cannot be decrypted", on_record)
        table = table_of(test, Path(found.manifest["design"]).suffix, found.manifest["dtypes"])
        X, y, groups = split(table, *columns)
        with _failing("The fitted model cannot be assessed on the test set"), unwarned():  # nothing may stop the record
            a = ask(fitted, X if features is None else features.of(X), y, groups=groups)
            subgroups, empty = _subgroups(a, table, by)
        estimates = list(_numbers(a, subgroups, corrected))
        records = appended(records, "result", opening=number, level=corrected, estimates=estimates)
        write_chain(found.folder / LEDGER, records)
    found = replace(found, records=records)
    skipped = [Note("undefined", reason=f"Skipped subgroups. {error.message()}") for error in empty]
    undecided = threshold is None and sample.n_classes == 2
    a = replace(a, notes=(*_notes(a, found, level, undecided), *skipped))
    opening = [r for r in records if r["event"] == "opening"][-1]
    return Opening(a, records[-1], number, found.receipt, subgroups, opening, found.manifest)


def _notes(a: Assessment, study: Study, level: float, undecided: bool) -> Iterator[Note]:
    """Those of the seal, of the assessment and of the ledger."""
    number = study.openings
    yield from (*map(Note.from_dict, study.manifest["findings"]), *a.notes, *study.notes)
    if number > 1:
        yield Note("opened-again", openings=number, level=level, corrected=a.level)
    if undecided:
        yield Note("no-declared-threshold")


def _numbers(a: Assessment, subgroups: Mapping[str, Iterable[Subgroups]], level: float) -> Iterator[Record]:
    """What the ledger keeps of an opening: every metric, also of every group."""
    known: list[tuple[Estimate, Record]] = [(e, {}) for e in a.estimates.values()]
    known += [
        (e, {"by": name, "group": group})
        for name, found in subgroups.items()
        for s in found
        for group, e in s.estimates.items()
        if e is not None
    ]
    for e, of in known:
        yield {name: json_value(value) for name, value in e.row(level).items()} | {"level": level, **of}
    yield from ({"metric": m, "method": k, **UNDEFINED} for m, k in a.skipped)


def subgroups_of(a: Assessment, name: str, labels: Labels) -> tuple[Subgroups, ...]:
    """Every metric in the groups of a column, of those that some group has; an error where none has."""
    found, errors = list[Subgroups](), list[TruenessError]()
    for metric in a.recommended or (None,):  # None: the metric of a.by(labels)
        try:
            found.append(replace(a.by(labels, metric), by=name))
        except TruenessError as error:  # the rest is still worth having
            errors.append(error)
    if not found:
        raise errors[0]
    return tuple(found)


def _subgroups(
    a: Assessment, table: pd.DataFrame, by: Sequence[str]
) -> tuple[dict[str, tuple[Subgroups, ...]], list[TruenessError]]:
    """Every metric in the groups of each column, and why there are none of a column."""
    known: dict[str, tuple[Subgroups, ...]] = {}
    empty: list[TruenessError] = []
    for name in dict.fromkeys(by):
        try:
            known[name] = subgroups_of(a, name, in_quarters(column(table, name, "by")))
        except TruenessError as error:
            empty.append(error.of(name))
    return known, empty


@contextmanager
def _failing(problem: str) -> Iterator[None]:
    """Whatever the model's library or a metric raises, as one message."""
    try:
        yield
    except TruenessError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise FitError(problem, param="model", reason=reason) from error


def _show(opening: Opening) -> None:
    """Write a result in every form, as its reader may."""
    for form in (str, Opening.to_json, Opening.to_csv, Opening.to_markdown, Opening.to_latex, Opening.report):
        form(opening)


def _check(model: object, level: float, again: str | None) -> None:
    """Errors of parameters, before anything is read."""
    check_level(level)
    if again is not None and not (isinstance(again, str) and again.isprintable() and sum(map(str.isalnum, again)) > 2):
        raise InputError("The reason must be one line of text, a word or more", param="again", got=repr(again))
    if isinstance(model, type) or not (isinstance(model, Classifier) or callable(model)):
        problem = "model must be a classifier or a regressor, or a function of X that returns one"
        raise InputError(problem, param="model", got=repr(model), fix="Pass e.g. LinearDiscriminantAnalysis()")


def _declared(
    rule: Classifier,
    sample: Sample,
    chosen: Sequence[Metric],
    threshold: float | None,
    level: float,
) -> Record:
    """What the ledger keeps of a call; the same declaration completes an opening that was interrupted."""
    positive: Any = None if sample.positive is None else sample.classes[sample.positive]
    try:  # a description leaves some parameters out
        fingerprint = str(hash_of([rule, *chosen], hash_name="sha1"))
    except (PicklingError, AttributeError, TypeError):
        fingerprint = None
    return {
        "model": describe(rule),
        "metrics": [m.name for m in chosen],
        "fingerprint": fingerprint,
        "positive": positive.item() if hasattr(positive, "item") else positive,
        "threshold": None if threshold is None else float(threshold),
        "level": level,
    }


def _with_missing(X: pd.DataFrame, study: Study) -> pd.DataFrame:
    """The design set, with a missing value in each column that has one in either set: a model made for it imputes."""
    missing = [c for c in study.manifest["missing"] if c in X.columns and not X[c].isna().any()]
    if not missing:
        return X
    row = X.iloc[[0]].copy()
    row[missing] = None
    return pd.concat([X, row])


def _next(study: Study, declared: Mapping[str, object], again: str | None) -> int:
    """The number of this opening; an error where it may not happen."""
    pending = study.pending
    if pending is not None and pending["declared"] == declared and declared["fingerprint"] is not None:
        return int(pending["opening"])
    if pending is not None and not again:  # it may be that it cannot be completed: the model fails on the test set
        raise InputError(
            "The last opening has no result, and it declared something else",
            param="model",
            got=declared["model"],
            fix=(
                f"Complete it first with the same call; it declared {pending['declared']}. If it cannot be "
                "completed, open the test set again and say why with again='reason'"
            ),
        )
    if study.results and not again:
        raise InputError(
            f"The test set was opened before ({study.results[-1]['time']})",
            param="again",
            fix="If it must be opened again, say why with again='reason'. It will be on record",
        )
    return study.openings + 1
