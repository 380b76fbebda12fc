"""A file of labels with what rules answered to its cases: scores, probabilities or decisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.files.features import CaseTable, listed, spellings
from trueness.files.table_file import column, read_and_describe
from trueness.result.notes import Note
from trueness.sample.labels import looks_numeric, same_answers


@dataclass(frozen=True)
class AnswersTable:
    """What `read_answers` returns: columns of a table, and what was understood of it."""

    table: pd.DataFrame
    y: pd.Series
    scores: Mapping[str, pd.Series]
    predictions: pd.Series | None
    groups: pd.Series | None
    positive: str | None
    said: list[str]


def read_answers(
    source: str,
    label: str,
    score: Sequence[str] = (),
    prediction: str | None = None,
    *,
    groups: str | None = None,
    positive: str | None = None,
    drop_missing: bool = False,
    missing: Sequence[str] = (),
    unlabelled: bool = False,
) -> AnswersTable:
    """Read labels and answers, as the commands do: labels that differ in case or blanks only are one, and those of several
    classes are two where one of them is positive.

    Parameters
    ----------
    source : str
        CSV or other text, or Parquet; "-" reads standard input.
    label : str
        Column with the true labels.
    score : sequence of str, default ()
        Columns with scores, high for the positive class; "-name" is the negative of a column.
    prediction : str, optional
        Column with predicted labels.
    groups : str, optional
        Column with groups (patient, site), where only whole groups are independent.
    positive : str, optional
        The positive label.
    drop_missing : bool, default False
        Leave out rows with a gap in a named column.
    missing : sequence of str, default ()
        Code of missing values in the table, e.g. -999; repeatable.
    unlabelled : bool, default False
        Whether labels may be missing.

    Returns
    -------
    AnswersTable

    Raises
    ------
    InputError
        Where the table cannot be read, lacks a column, has gaps, or uses a column twice.
    """
    table, written = read_and_describe(source, missing)
    named = {**({} if unlabelled else {label: "label"}), **dict.fromkeys(score, "score")}
    named |= {name: param for name, param in ((prediction, "prediction"), (groups, "groups")) if name is not None}
    for name, param in named.items():
        if name == label != param != "label" or list(score).count(name) > 1:
            raise InputError("The same column is named twice", param=param, got=name)
    for name in score:
        if name.startswith("-") and name not in table and pd.api.types.is_numeric_dtype(table.get(name[1:])):
            table[name] = -table[name[1:]].astype(float)
    kept = table.dropna(subset=[name for name in named if name in table], ignore_index=True) if drop_missing else table
    for name, param in named.items():
        if name in kept and kept[name].isna().any():
            gaps = np.flatnonzero(kept[name].isna())
            got = f"{len(gaps)}, the first in row {gaps[0] + 1} below the header"
            fix = "Add drop_missing=, or fill the gaps"
            raise InputError(f"Column {name!r} has missing values", param=param, got=got, fix=fix)
    said = [f"{source}: {written}."] if written else []
    if len(kept) < len(table):
        said.append(f"Rows left out for gaps: {len(table) - len(kept)}.")
    y = column(kept, label, "label")
    predictions = None if prediction is None else column(kept, prediction, "prediction")
    spelled = spellings(y, predictions)
    y, positive = y.replace(spelled), spelled.get(positive or "", positive)
    if predictions is not None:
        predictions = predictions.replace(spelled)
    if spelled:
        said.append(Note("labels-in-one-spelling", labels=list(spelled)).message)
    if (rest := others(y, positive)) is not None:
        y, predictions = against(positive, y), None if predictions is None else against(positive, predictions)
        said.append(f"{positive} against all other classes ({rest}).")
    scores = {name: column(kept, name, "score") for name in score}
    in_groups = None if groups is None else column(kept, groups, "groups")
    return AnswersTable(kept, y, scores, predictions, in_groups, positive, said)


def others(y: pd.Series, positive: str | None) -> str | None:
    """The other classes where one of several is positive; None where nothing changes."""
    texts = y.astype(str)[y.notna()]
    if positive is None or positive not in set(texts) or texts.nunique() < 3:
        return None
    rest = sorted(set(texts) - {positive})
    if same := [labels for labels in same_answers([positive, *rest]) if positive in labels]:
        fix = "Write them in one way in the file: they would count as negative"
        raise InputError(
            "Other labels look like the positive one", param="positive", got=", ".join(map(repr, same[0])), fix=fix
        )
    return listed(rest)


def against(positive: object, labels: pd.Series) -> pd.Series:
    """The labels as two classes."""
    texts = labels.astype(str)
    return texts.where(texts == positive, f"not {positive}").where(labels.notna())


def require_two(y: pd.Series) -> None:
    """An error where labels have more than two values."""
    if (n := y.nunique()) > 2:
        values = sorted(y.dropna().unique().tolist(), key=str)
        got = f"{n} values: {listed(list(map(str, values)))}"
        fix = f"Name the one that the scores are of, e.g. positive={str(values[-1])!r}"
        raise InputError("The labels have more than two values", param="y", got=got, fix=fix)


def of_positive(cases: CaseTable, positive: str | None, numbers: bool = False) -> tuple[CaseTable, str | None]:
    """The cases of a table with the positive label as it is spelled there: of several classes this one against the rest.
    An error where the target holds numbers to predict, unless these may be `numbers` of classes."""
    positive = cases.spelled.get(positive or "", positive)
    if positive is not None and not numbers and looks_numeric(cases.y):
        problem = "The target holds numbers to predict, which have no positive label"
        got = f"{cases.y.nunique()} different numbers"
        raise InputError(problem, param="positive", got=got, fix="Leave positive= out")
    if (rest := others(cases.y, positive)) is None:
        return cases, positive
    words = f"{cases.words} {positive} against all other classes ({rest})."
    return replace(cases, y=against(positive, cases.y), words=words), positive
