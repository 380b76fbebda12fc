"""unseal: fit the declared model on the design set, and assess it once on the test set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from pickle import PicklingError
from typing import Any

import pandas as pd
from joblib import hash as hash_of
from sklearn.base import clone

from trueness import __version__
from trueness.api.assess import assess
from trueness.api.call import metrics_of
from trueness.checks import check_level, is_number, refuses_foreign, unwarned
from trueness.errors import FitError, InputError, TruenessError
from trueness.figures import Figure
from trueness.files.features import features_of, split
from trueness.fitting.described import describe
from trueness.metrics import MetricLike
from trueness.metrics.metric import Metric
from trueness.result import Assessment
from trueness.result.shown import Drawn, Page, Result
from trueness.result.words import Note
from trueness.sample import Sample
from trueness.sample.asked import task_of
from trueness.sealed.chain import KNOWN, appended, box, opened, read_bytes, secret_of, write_chain
from trueness.sealed.study import LEDGER, SEALED, Study, locked, read_study, table_of, without_result
from trueness.tables.diagnose import diagnose
from trueness.tables.diagnosis import Diagnosis
from trueness.typing import AnyModel, Classifier, Features, Label, Record

AT_THRESHOLD = ("tpf", "fpf", "ppv", "npv")


@dataclass(frozen=True, repr=False)
class Opening(Result, Drawn):
    """What `trueness.sealed.unseal` returns.

    Attributes
    ----------
    assessment : Assessment
        The fitted model on the test set; intervals at the level corrected for the number of openings.
    diagnosis : Diagnosis, optional
        The decisions at the declared threshold.
    record : mapping
        The record in the ledger.
    number : int
        How many times the test set was opened, this time included.
    receipt : str
        One line to keep elsewhere, for `trueness.sealed.verify(study, head=receipt)`.
    """

    assessment: Assessment
    diagnosis: Diagnosis | None
    record: Mapping[str, Any]
    number: int
    receipt: str = ""

    def figure(self, metric: str | None = None) -> Figure:
        """The figure of the assessment."""
        return self.assessment.figure(metric)

    def page(self, level: float | None = None) -> Page:
        page = self.assessment.page(level)
        times = "once" if self.number == 1 else f"{self.number} times"
        title = f"{page.title}\nSealed test set, opened {times}; ledger head {self.record['hash']}"
        footer = "\n".join(part for part in (page.footer, self.receipt) if part)
        tables = page.tables if self.diagnosis is None else (*page.tables, *self.diagnosis.page().tables)
        return Page(title, page.answer, tables, page.notes, footer)

    def frame(self, *, details: bool = False) -> pd.DataFrame:
        return self.assessment.frame(details=details)

    def to_dict(self) -> Record:
        return {"record": dict(self.record), "assessment": self.assessment.to_dict()}


@refuses_foreign
def unseal(
    study: str | Path,
    model: Classifier | Callable[[Features], Classifier],
    *,
    passphrase: str | None = None,
    key_file: str | Path | None = None,
    metrics: MetricLike | Iterable[MetricLike] | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
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
        As in `trueness.assess`.
    positive : label, optional
        The positive class.
    threshold : float, optional
        Declared threshold of the score (the probability of the positive class where the model gives one): cases at or
        above it are called positive. It enters the ledger before the test set is opened.
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

    A call is the same as another where model (with all parameters), metrics, positive class, threshold, level, columns and
    the version of the model's library are the same. Parameters that cannot be pickled, such as a lambda, make it another.
    """
    _check(model, threshold, level, again)
    level = float(level)  # as the ledger writes it
    secret = secret_of(passphrase, key_file)
    with locked(study):
        found = read_study(study)
        key = found.manifest["key"]
        fernet = box(secret, bytes.fromhex(key["salt"]))
        fix = "Nothing was opened, and nothing was changed"
        assert opened(fernet, key["known"].encode(), "The passphrase or key file is wrong", fix) == KNOWN
        columns = found.manifest["target"], found.manifest["groups"], [drop] if isinstance(drop, str) else list(drop)
        X, y, groups = split(found.design(), *columns)
        features = features_of(X, columns[2]) if prepared else None
        X = X if features is None else features.X
        rule = model if isinstance(model, Classifier) else model(_with_missing(X, found))
        sample = Sample.of(y, X=X, positive=positive, groups=groups, kind=task_of([rule]))
        chosen = metrics_of(metrics, sample)
        declared = _declared(rule, sample, chosen, threshold, level)
        declared["dropped"] = (
            list(dict.fromkeys(columns[2])) if features is None else [d.name for d in features.dropped]
        )
        number = _next(found, declared, again)
        corrected = 1 - (1 - level) / number
        asked = _Asked(chosen, positive, declared["positive"], threshold, corrected)
        with _failing("The model cannot be fitted on the design set"):  # nothing is opened yet
            fitted = clone(rule).fit(X, y)
        with _failing("The model cannot be assessed on the design set"):
            _show(Opening(*asked.of(fitted, X, y, groups), {"hash": ""}, number))
        if number > found.openings:
            about = {"declared": declared, "reason": again, "trueness": __version__}
            records = appended(found.records, "opening", opening=number, **about)
        else:
            records = appended(found.records, "resumed", opening=number, trueness=__version__)
        write_chain(found.folder / LEDGER, records)  # on the disk before any test case is decrypted
        on_record = "The opening is on record, without a result"
        test = opened(fernet, read_bytes(found.folder / SEALED), "The test set cannot be decrypted", on_record)
        suffix = Path(found.manifest["design"]).suffix
        X, y, groups = split(table_of(test, suffix, found.manifest["dtypes"]), *columns)
        with _failing("The fitted model cannot be assessed on the test set"):
            a, d = asked.of(fitted, X if features is None else features.of(X), y, groups)
        decided = [] if d is None else [d[name] for name in AT_THRESHOLD]
        estimates = [e.to_dict(corrected) for e in (*a.estimates.values(), *decided)]
        records = appended(records, "result", opening=number, level=corrected, estimates=estimates)
        write_chain(found.folder / LEDGER, records)
    a = _noting(a, replace(found, records=records), level, corrected, threshold is None and sample.numbers is None)
    return Opening(a, d, records[-1], number, replace(found, records=records).receipt)


@dataclass(frozen=True)
class _Asked:
    """What is asked of the fitted model: first, as a rehearsal, on the design set, then on the test set."""

    metrics: Sequence[Metric]
    positive: Label | None
    class_: Any  # the positive class as it stands in the data
    threshold: float | None
    level: float

    def of(
        self, model: AnyModel, X: pd.DataFrame, y: pd.Series, groups: pd.Series | None
    ) -> tuple[Assessment, Diagnosis | None]:
        """The assessment of a fitted model, and its decisions at the declared threshold."""
        with unwarned():  # they are among the notes, and must not stop the record; leaks were looked for when sealing
            a = assess(
                model,
                X,
                y,
                plan="prefit",
                metrics=self.metrics,
                level=self.level,
                positive=self.positive,
                groups=groups,
                checks=False,
            )
            if self.threshold is None:
                return a, None
            at = list(model.classes_).index(self.class_)
            if hasattr(model, "predict_proba"):
                score = model.predict_proba(X)[:, at]
            else:
                score = model.decision_function(X) * (1 if at == 1 else -1)
            d = diagnose(y == self.class_, score >= self.threshold, level=self.level, groups=groups)
        assert isinstance(d, Diagnosis)
        return a, d


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


def _check(model: object, threshold: float | None, level: float, again: str | None) -> None:
    """Errors of parameters, before anything is read."""
    check_level(level)
    if threshold is not None and not (is_number(threshold) and math.isfinite(threshold)):
        raise InputError("The threshold must be a finite number", param="threshold", got=repr(threshold))
    if again is not None and not (isinstance(again, str) and again.isprintable() and sum(map(str.isalnum, again)) > 2):
        raise InputError("The reason must be one line of text, a word or more", param="again", got=repr(again))
    if isinstance(model, type) or not (isinstance(model, Classifier) or callable(model)):
        problem = "model must be a classifier or a regressor, or a function of X that returns one"
        fix = f"Pass {model.__name__}(), not the class" if isinstance(model, type) else ""
        raise InputError(problem, param="model", got=repr(model), fix=fix)


def _declared(
    rule: Classifier,
    sample: Sample,
    chosen: Sequence[Metric],
    threshold: float | None,
    level: float,
) -> Record:
    """What the ledger keeps of a call; the same declaration completes an opening that was interrupted."""
    if threshold is not None and sample.positive is None:
        raise InputError("A threshold needs a positive class", param="threshold", fix="Pass {positive=}")
    positive: Any = None if sample.positive is None else sample.classes[sample.positive]
    return {
        "model": describe(rule),
        "metrics": [m.name for m in chosen],
        "fingerprint": _fingerprint(rule, chosen),
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
                "completed, open the test set again and say why with {again='reason'}"
            ),
        )
    if study.results and not again:
        raise InputError(
            f"The test set was opened before ({study.results[-1]['time']})",
            param="again",
            fix="If it must be opened again, say why with {again='reason'}. It will be on record",
        )
    return study.openings + 1


def _noting(a: Assessment, study: Study, level: float, corrected: float, undecided: bool) -> Assessment:
    notes, number = [*map(Note.from_dict, study.manifest["findings"]), *a.notes], study.openings
    if number > 1:
        message = (
            f"The test set was opened {number} times. Intervals of this opening are at the level {corrected:.4g} "
            "(Bonferroni), those of earlier openings at lower levels. Read all of them at this level to cover rules "
            "declared beforehand together; no level covers a rule changed because of an earlier opening."
        )
        notes.append(Note("opened-again", message, "warning", openings=number, level=level, corrected=corrected))
    if resumed := study.resumptions(number):
        message = (
            f"This opening was interrupted or failed {'once' if resumed == 1 else f'{resumed} times'} before its "
            "result was recorded, and completed by the same call. It counts as one opening."
        )
        notes.append(Note("opening-resumed", message, opening=number, resumed=resumed))
    notes += [note for note in (without_result(study),) if note is not None]
    if undecided:
        message = "No threshold was declared before the test set was opened; decisions are the model's own."
        notes.append(Note("no-declared-threshold", message))
    return replace(a, notes=tuple(notes))


def _fingerprint(model: AnyModel, metrics: Iterable[Metric]) -> str | None:
    """A hash of all parameters: a description leaves some out. None where one of them cannot be pickled."""
    try:
        return str(hash_of([model, *metrics], hash_name="sha1"))
    except (PicklingError, AttributeError, TypeError):
        return None
