"""A model among readers: is it better than the mean reader, and than each reader?

The model is one fixed rule. Against the readers it counts as a modality in which every reader gives the model's scores, so
that the difference of each reader is paired case by case, and the mean over readers varies as readers and cases do (Hillis
2007, one modality, of the differences; Hupse et al. 2013 compared a detector with readers so).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.figures.figure import Figure, forest
from trueness.reading.merits import Merits
from trueness.reading.readings import Readings, finite_numbers
from trueness.reading.result import numbers_of
from trueness.result.estimate import Estimate
from trueness.result.json import json_value
from trueness.result.notes import Note
from trueness.result.shown import Drawn, Page, Result, Table, records
from trueness.result.test_result import TestResult
from trueness.result.words import cells, counted, rounded_p, sentence, spoken
from trueness.sample.answers import Answers
from trueness.sample.frame import as_pandas, column_of
from trueness.typing import Floats, Label, Record


@dataclass(frozen=True, eq=False, repr=False)
class ModelAmongReaders(Result, Drawn):
    """A model beside the readers of a study; the `model` of a ReaderStudy.

    Attributes
    ----------
    name : str
        Name of the model.
    alone : Estimate
        The model by itself on all cases (standalone performance).
    minus_mean : mapping of label to Estimate
        Model − mean reader, of each modality; about readers and cases as the study is.
    tests : mapping of label to TestResult
        Of these differences.
    each : DataFrame
        One row per modality and reader: `modality`, `reader`, `value` of the reader, `difference` (model − reader), `se`,
        `low`, `high`, `p_value`, and `p_adjusted` by Holm over all rows.
    level : float
        Level of the intervals.
    """

    name: str
    alone: Estimate
    minus_mean: Mapping[Label, Estimate]
    tests: Mapping[Label, TestResult]
    each: pd.DataFrame
    level: float = 0.95
    notes: tuple[Note, ...] = ()

    def frame(self) -> pd.DataFrame:
        """One row for the model alone, and one per modality for model − mean reader."""
        rows = [{"modality": None, "quantity": "model alone", **numbers_of(self.alone, self.level), "p_value": None}]
        for label, d in self.minus_mean.items():
            p = self.tests[label].p_value if label in self.tests else None
            rows.append(
                {"modality": label, "quantity": "model − mean reader", **numbers_of(d, self.level), "p_value": p}
            )
        return pd.DataFrame(rows)

    def figure(self) -> Figure:
        """Model − mean reader, and model − each reader, with their intervals."""
        several = len(self.minus_mean) > 1
        dots = []
        for label, d in self.minus_mean.items():
            dots.append(d.dot(f"{label}: mean reader" if several else "mean reader", self.level))
            for row in self.each[self.each.modality == label].itertuples():
                one = Estimate(row.difference, row.se)
                dots.append(
                    replace(
                        one.dot(
                            f"{label}: reader {row.reader}" if several else f"reader {row.reader}", self.level, "minor"
                        ),
                        low=row.low,
                        high=row.high,
                    )
                )
        return forest(
            dots, f"{self.name} − readers", f"{self.name} − reader, {100 * self.level:g} % interval", zero=True
        )

    def page(self, level: float | None = None) -> Page:
        level = self.level if level is None else level
        rows = []
        for label, d in self.minus_mean.items():
            p = rounded_p(self.tests[label].p_value) if label in self.tests else ""
            rows.append((f"{self.name} − mean reader", str(label), *cells(d, level)[:3], p))
        each = [
            (
                str(r.modality),
                str(r.reader),
                f"{r.value:.3f}",
                f"{r.difference:.3f}",
                "" if pd.isna(r.low) else f"{r.low:.3f} to {r.high:.3f}",
                "" if pd.isna(r.p_adjusted) else rounded_p(r.p_adjusted),
            )
            for r in self.each.itertuples()
        ]
        interval, of_each = (f"{100 * x:g} % interval" for x in (level, self.level))
        said = [sentence(self.alone, level, f"{self.name} alone:")]
        for label, d in self.minus_mean.items():
            said.append(sentence(d, level, f"{self.name} − mean reader ({label}):"))
        return Page(
            f"{self.name} among readers",
            " ".join(said),
            (
                Table.of(
                    ("difference", "modality", "value", "std. error", interval, "p"),
                    rows,
                    f"{self.name} and the mean reader",
                ),
                Table.of(
                    ("modality", "reader", spoken(self.alone.metric), f"{self.name} − reader", of_each, "p (Holm)"),
                    each,
                    f"{self.name} and each reader",
                ),
            ),
            self.notes,
        )

    def to_dict(self) -> Record:
        return {
            "name": self.name,
            "alone": self.alone.to_dict(self.level),
            "minus_mean": {str(label): d.to_dict(self.level) for label, d in self.minus_mean.items()},
            "p_values": {str(label): json_value(t.p_value) for label, t in self.tests.items()},
            "each": records(self.each),
        }


def model_scores(frame: object, model: object, case: str, readings: Readings, design: str) -> tuple[str, Floats]:
    """The name of the model and its score of each case: from a column with one value per case, or {case: score}."""
    if isinstance(model, str):
        table, name = as_pandas(frame), model
        column = column_of(table, model, "model")
        said: dict[object, object] = {}
        for at, value, gone in zip(table[case].tolist(), column.tolist(), column.isna(), strict=True):
            if not gone and said.setdefault(at, value) != value:
                raise InputError(
                    "The model has more than one score for a case",
                    param="model",
                    got=f"case {at}",
                    fix="It gives one score per case, the same in all rows of the case",
                )
    elif isinstance(model, (Mapping, pd.Series)):
        said, name = dict(model.items()), str(getattr(model, "name", None) or "model")
    else:
        raise InputError(
            "model must be the name of a column, or scores by case", param="model", got=type(model).__name__
        )
    if design in ("cases-in-readers", "cases-in-modalities") and any(isinstance(c, tuple) for c in readings.cases):
        raise InputError(
            "A model needs names of cases that are different for different cases",
            param="design",
            fix="Give every case a name of its own and pass design='crossed'",
        )
    given = [said.get(c) for c in readings.cases]
    lacking = np.array([bool(pd.isna(x)) for x in given])
    if lacking.any():
        raise InputError(
            "The model has no score for some cases",
            param="model",
            got=f"{counted(int(lacking.sum()), 'case')}, e.g. {readings.cases[int(lacking.argmax())]}",
        )
    return name, finite_numbers(given, lacking, "model", f"Model {name!r}")


def with_model(merits: Merits, modality: int, scores: Floats) -> Merits:
    """Two modalities: the model, as if every reader gave its scores, and the readers of one modality."""
    readings, of = merits.readings, merits.readings.of(modality)
    mine = np.where(readings.read[of], scores[None, :], np.nan)
    values = np.concatenate([mine, readings.values[of]])[:, None]
    names = tuple([f"model, {readings.readers[r]}" for r in readings.reader[of]] * 2)
    both = replace(
        readings,
        answers=Answers(names, values, readings.up),
        modality=np.repeat([0, 1], len(of)),
        reader=np.tile(readings.reader[of], 2),
        modalities=("model", readings.modalities[modality]),
    )
    return replace(merits, readings=both)
