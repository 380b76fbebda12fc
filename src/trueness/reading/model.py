"""A model among readers: is it better than the mean reader, and than each reader?

The model is one fixed rule. Against the readers it counts as a modality in which every reader gives the model's scores, so
that the difference of each reader is paired case by case, and the mean over readers varies as readers and cases do (Hillis
2007, one modality, of the differences; Hupse et al. 2013 compared a detector with readers so).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.figures.figure import Figure, forest
from trueness.reading.merits import Merits
from trueness.reading.readings import Readings, finite_numbers
from trueness.result.columns import Column, Columns, cells_of
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.shown import Drawn, Result, Table, records
from trueness.result.test_result import TestResult
from trueness.result.words import sentence
from trueness.sample.answers import Answers
from trueness.sample.frame import as_pandas, column_of
from trueness.typing import Floats, Label, Record

EACH: Columns = {
    "modality": Column("modality"),
    "reader": Column("reader"),
    "value": Column("{metric:words}", ".3f"),
    "difference": Column("model − reader", ".3f"),
    "low": Column("from", ".3f"),
    "high": Column("to", ".3f"),
    "p_adjusted": Column("p (Holm)", "p"),
}


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

    columns: ClassVar[Columns] = {
        "modality": Column("modality"),
        "quantity": Column("quantity"),
        "value": Column("{metric:words}", "estimate"),
        "df": Column("df", "df"),
        "p_value": Column("p", "p"),
    }
    heading = "{name} among readers"

    @property
    def metric(self) -> str:
        """The figure of merit."""
        return self.alone.metric

    def rows(self) -> list[Record]:
        """One row for the model alone, and one per modality for model − mean reader."""
        rows = [
            {"modality": None, "quantity": "model alone", "value": self.alone, "df": self.alone.df, "p_value": None}
        ]
        for label, d in self.minus_mean.items():
            p = self.tests[label].p_value if label in self.tests else None
            rows.append({"modality": label, "quantity": "model − mean reader", "value": d, "df": d.df, "p_value": p})
        return rows

    def answer(self) -> str:
        """The model alone, and against the mean reader."""
        said = [sentence(self.alone, self.level, f"{self.name} alone:")]
        for label, d in self.minus_mean.items():
            said.append(sentence(d, self.level, f"{self.name} − mean reader ({label}):"))
        return " ".join(said)

    def _tables(self) -> tuple[Table, ...]:
        each = Table(*cells_of(EACH, records(self.each), self), f"{self.name} − each reader")
        return (*super()._tables(), each)

    def figure(self) -> Figure:
        """Model − mean reader, and model − each reader, with their intervals."""
        dots = [d.dot(f"{label}: mean reader", self.level) for label, d in self.minus_mean.items()]
        for r in self.each.itertuples():
            one = Estimate(r.difference, r.se).dot(f"{r.modality}: reader {r.reader}", self.level, "minor")
            dots.append(replace(one, low=r.low, high=r.high))
        axis = f"{self.name} − reader, {100 * self.level:g} % interval"
        return forest(dots, f"{self.name} − readers", axis, zero=True)


def model_scores(frame: object, model: object, case: str, readings: Readings) -> tuple[str, Floats]:
    """The name of the model and its score of each case: from a column with one value per case, or {case: score}."""
    if isinstance(model, str):
        table, name = as_pandas(frame), model
        column = column_of(table, model, "model")
        said: dict[object, object] = {}
        for at, value, gone in zip(table[case].tolist(), column.tolist(), column.isna(), strict=True):
            if not gone and said.setdefault(at, value) != value:
                raise InputError("The model has more than one score for a case", param="model", got=f"case {at}")
    elif isinstance(model, (Mapping, pd.Series)):
        said, name = dict(model.items()), str(getattr(model, "name", None) or "model")
    else:
        problem = "model must be the name of a column, or scores by case"
        raise InputError(problem, param="model", got=type(model).__name__)
    given = [said.get(c) for c in readings.cases]
    lacking = np.array([bool(pd.isna(x)) for x in given])
    if lacking.any():
        got = f"{lacking.sum()} without, e.g. {readings.cases[int(lacking.argmax())]}"
        raise InputError("The model has no score for some cases", param="model", got=got)
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
