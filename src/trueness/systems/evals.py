"""Evaluation logs as one tidy table: lm-evaluation-harness `samples_*.jsonl`, inspect_ai's sample frames, HELM's
`per_instance_stats.json`, and plain ones with an item, whether it was answered correctly, and where there are any the run
and the system."""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from trueness.errors import InputError, near
from trueness.files.table_file import read_table
from trueness.result.words import counted
from trueness.sample.frame import complete_column
from trueness.systems.items import READ_AS_SCORE, SCORES
from trueness.typing import Array, Floats

Source: TypeAlias = "str | Path | pd.DataFrame"

# fields of a line of lm-evaluation-harness that are no metrics
LOGGED = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash", "task_name", "schema_version",
}  # fmt: skip
GRADES_LOOKED_AT = 100
ITEMS = ("id", "item", "question_id", "task_id", "instance_id", "doc_id")  # also of HumanEval and SWE-bench
RUNS, SYSTEMS = ("run", "epoch"), ("system", "model", "model_name")  # columns of plain logs
SEEDS = ("seed", "trial", "repeat", "attempt")  # these are runs where rows repeat an item
SAID = dict.fromkeys(("yes", "true", "correct", "right", "pass", "passed"), 1.0)
SAID |= dict.fromkeys(("no", "false", "incorrect", "wrong", "fail", "failed"), 0.0)
PREDICTIONS = ("prediction", "predicted", "pred", "answer", "response", "output")
TRUTHS = ("gold", "truth", "target", "answer_key", "expected", "label", "ground_truth", "reference", "answer")
WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # inspect_ai's letters: correct, partial, incorrect, no answer


def read_evals(
    source: Source | Mapping[str, Source | Sequence[str | Path]] | Sequence[str | Path],
    *more: str | Path,
    score: str | None = None,
    filter: str | None = None,  # the name of the field in the logs
    item: str | None = None,
    run: str | None = None,
    system: str | None = None,
    truth: str | None = None,
) -> pd.DataFrame:
    """Read the logs of evaluations into one table with one row per answer, for `trueness.systems.compare`.

    Parameters
    ----------
    source : path, DataFrame, list of paths, or mapping of str to path or DataFrame
        `samples_*.jsonl` of lm-evaluation-harness (`--log_samples`), one file per system; or inspect_ai's
        `samples_df()`, as a DataFrame, CSV or Parquet file, with several systems in its column `model`, or one file
        each; or HELM's `per_instance_stats.json`, one file per system; or plain logs, one JSON object or row per answer,
        such as {"id": 7, "run": 1, "correct": true}, with several systems in a column `system` or `model`, or one file
        each. A mapping names the systems; several paths under one name, or several `samples_*.jsonl` in each of several
        folders, are tasks of one system. Without names, files of lm-evaluation-harness are named by their folder, others
        by their own name, or by their folder where that differs.
    *more : path
        More logs: `read_evals("a.jsonl", "b.jsonl")` is `read_evals(["a.jsonl", "b.jsonl"])`.
    score : str, optional
        Which metric, e.g. "acc" or "match", of the tasks that have several. Of plain logs, the field that
        says whether an answer is right, where it has no usual name ("correct", "passed", "score", "acc" and the like).
    filter : str, optional
        Which filter of lm-evaluation-harness, e.g. "strict-match", of the tasks that have several.
    item, run, system : str, optional
        Columns of a plain log; by default "id", "run" and "system" and the like, where it has them, and "seed" for the runs
        where rows repeat an item. `item` also of other logs, e.g. "doc_hash".
    truth : str, optional
        In a plain log, the column with the true labels. Then `score` is that of the predicted ones, by default
        "prediction" and the like; pass the same `truth` to `compare`.

    Returns
    -------
    pandas.DataFrame
        `system`, `id`, `run` (where there are several epochs), `score`, `task` (where there are several), and what may
        serve as cluster: fields of the document as `doc_<field>`, or `metadata_<field>`. Without `score`, `attrs` says
        which fields were read as `score`; `compare` has a note of it.

    Raises
    ------
    InputError
        Where a log has several metrics or filters and none is chosen, where systems answered different documents, or
        where a system answered an item twice in one run.

    Examples
    --------
    >>> import trueness
    >>> import pandas as pd
    >>> log = pd.DataFrame({"id": [1, 1, 2, 2], "epoch": [1, 2, 1, 2], "model": "m",
    ...                     "score_match": ["C", "I", "C", "C"]})
    >>> trueness.systems.read_evals(log)["score"].tolist()
    [1.0, 0.0, 1.0, 1.0]
    """
    logs = [Log.of(name, given) for name, given in _named([source, *more] if more else source)]
    if filter is not None and any(log.kind != "lm-eval" for log in logs):
        raise InputError("Only logs of lm-evaluation-harness have filters", param="filter", got=repr(filter))
    if truth is not None and any(log.kind != "plain" for log in logs):
        raise InputError("These logs say which answers are right", param="truth", fix="Leave it out")
    harness = [log for log in logs if log.kind == "lm-eval"]
    filters = _of_tasks(harness, _filters, filter, "filter")
    metrics = _of_tasks(harness, _metrics, score, "score")
    tables = []
    for log in logs:
        if log.kind == "helm":
            tables.append(_helm(log.table, log.name, score))
        elif log.kind == "lm-eval":
            tables.append(_lm_eval(log, metrics[log], filters[log], item).assign(task=log.task))
        elif log.kind == "inspect":
            tables.append(_inspect(log.table, log.name, score, item))
        else:
            tables.append(_plain(log.table, log.name, score, item, run, system, truth))
    out = _with_tasks(_same_columns(tables, "run"))
    _refuse_other_documents(out)
    _refuse_repeated(out)
    if "run" in out and out["run"].nunique() == 1:
        out = out.drop(columns="run")
    out = out.drop(columns="doc_hash", errors="ignore")
    fields = list(dict.fromkeys(t.attrs[READ_AS_SCORE] for t in tables))
    out.attrs = {} if score is not None and set(fields) <= {score, f"score_{score}"} else {READ_AS_SCORE: fields}
    return out


@dataclass(frozen=True, eq=False)
class Log:
    """One log as it was written."""

    name: str  # of its system; "" where the rows name it
    table: pd.DataFrame
    kind: Literal["helm", "lm-eval", "inspect", "plain"]
    task: str | None  # of samples_<task>_<date>.jsonl

    @classmethod
    def of(cls, name: str, given: Source) -> Log:
        table = given if isinstance(given, pd.DataFrame) else read_log(given)
        columns = {str(c) for c in table.columns}
        kind: Literal["helm", "lm-eval", "inspect", "plain"] = "plain"
        if {"instance_id", "stats"} <= columns:
            kind = "helm"
        elif "doc_id" in columns and system_column(table) is None:
            kind = "lm-eval"
        elif any(c.startswith("score_") for c in columns) and {"id", "sample_id"} & columns:
            kind = "inspect"
        return cls(name, table, kind, None if isinstance(given, pd.DataFrame) else _task(Path(given)))

    def __str__(self) -> str:
        return f"{self.task} of {self.name}" if self.task else self.name or "The table"

    @property
    def documents(self) -> str | None:
        """What is the same in the logs that other systems have of this task."""
        if self.task or "doc_hash" not in self.table:
            return self.task
        return str(min(map(str, self.table["doc_hash"])))


def _of_tasks(
    logs: Sequence[Log], offered: Callable[[Log], list[str]], asked: str | None, param: Literal["filter", "score"]
) -> dict[Log, str | None]:
    """The filter or the metric of each log of lm-evaluation-harness: the only one of its task, or of several the one that
    was asked for."""
    found = {log: offered(log) for log in logs}
    of_task: dict[str | None, dict[str, None]] = {}
    for log, names in found.items():
        of_task.setdefault(log.documents, {}).update(dict.fromkeys(names))
    every = dict.fromkeys(name for names in found.values() for name in names)
    what = {"filter": "filter", "score": "metric"}[param]
    chosen: dict[Log, str | None] = {}
    for log, names in found.items():
        known = list(of_task[log.documents])
        if asked is None or asked in every:
            if len(known) < 2:
                chosen[log] = known[0] if known else None
                continue
            if asked in names:
                chosen[log] = asked
                continue
        got = ", ".join(map(repr, names)) or "none"
        if asked is not None:
            raise InputError(f"{log} has no {what} {asked!r}", param=param, got=got, fix=near(asked, names).strip())
        if len(names) > 1:
            problem = f"{log} has {len(names)} {what}s"
            if param == "filter":
                problem = f"{log} has answers of {len(names)} filters, so every document is logged {len(names)} times"
            raise InputError(problem, param=param, got=got, fix=f"Pass {param}={names[0]!r}")
        others = "; ".join(
            f"{each}: {', '.join(map(repr, found[each]))}" for each in logs if each.documents == log.documents
        )
        raise InputError(
            f"The systems have different {what}s of one task",
            param=param,
            got=others,
            fix=f"Run all with the same {what}",
        )
    return chosen


def _filters(log: Log) -> list[str]:
    return list(map(str, pd.unique(log.table["filter"].astype(str)))) if "filter" in log.table else []


def _metrics(log: Log) -> list[str]:
    table = log.table
    if "metrics" in table.columns:
        return list(dict.fromkeys(metric for each in table["metrics"] for metric in each if metric in table))
    rest = [str(c) for c in table.columns if c not in LOGGED]
    return [c for c in rest if table[c].map(lambda v: isinstance(v, (bool, int, float))).all()]


def _same_columns(tables: Sequence[pd.DataFrame], column: str) -> pd.DataFrame:
    """All in one; an error where only some of them have runs."""
    without = [str(t["system"].iloc[0]) for t in tables if column not in t]
    if 0 < len(without) < len(tables):
        raise InputError(
            "Some logs have a column of runs, others have none",
            param="run",
            got=f"none for {', '.join(without)}",
            fix="Add it there, with the same value in every line where there is one run",
        )
    return pd.concat(tables, ignore_index=True)


def _task(path: Path) -> str | None:
    """The task of samples_<task>_<date>.jsonl."""
    found = re.match(r"samples_(.+?)(_\d{4}-\d.*)?\.json", path.name)
    return found and found[1]


def _with_tasks(table: pd.DataFrame) -> pd.DataFrame:
    """doc_id counts from 0 in every task: with several, the task belongs to the item. Of tasks in one file the hash of
    the document tells the items apart."""
    if "task" in table and table["task"].nunique() > 1:
        of_task = table.groupby(["system", "task"]).ngroups > table["system"].nunique()
    else:
        of_task = False
    if of_task:
        return table.assign(id=table["task"].astype(str) + " " + table["id"].astype(str))
    table = table.drop(columns="task", errors="ignore")
    if "doc_hash" in table and (table.groupby(["system", "id"])["doc_hash"].nunique() > 1).any():
        table = table.assign(id=table["id"].astype(str) + " " + table["doc_hash"].astype(str))
    return table


def _plain(
    table: pd.DataFrame,
    name: str,
    score: str | None,
    item: str | None,
    run: str | None,
    system: str | None,
    truth: str | None,
) -> pd.DataFrame:
    """One row per answer of a log without a format of its own."""
    known = [str(c) for c in table.columns]
    found = {"item": item_column(table, item), "run": _column(known, run, RUNS, "run")}
    by = _column(known, system, SYSTEMS, "system")
    found["system"] = by if system or not name or (by is not None and table[by].nunique() > 1) else None
    if item is None and found["system"] is not None:
        found["item"] = shared_item(table, found["system"])
    if found["run"] is None and found["item"] is not None:
        found["run"] = run_column(table, [c for c in (found["item"], found["system"]) if c is not None])
    if {"eval", "samples"} <= set(known):
        fix = "Write the frame of inspect_ai's samples_df() to CSV or Parquet and name that file"
        raise InputError(
            f"{name} is a whole log of inspect_ai", param="source", got=f"columns {', '.join(known)}", fix=fix
        )
    if found["item"] is None or not (name or found["system"]):
        missing = "the item" if found["item"] is None else "the system"
        raise InputError(
            f"{name or 'The table'} is no log of lm-evaluation-harness (doc_id, …) or inspect_ai (id, epoch, score_…), "
            f"and has no column for {missing}",
            param="source",
            got=f"columns {', '.join(known[:8])}",
            fix="A plain log has one line per answer, with the fields id, run and correct; item= names another one for "
            "the item, and several systems in one file need a column system",
        )
    if truth is not None:
        _column(known, truth, (), "truth")
        score = _column(known, score, [c for c in (*PREDICTIONS, "score") if c != truth], "score")
        if score is None:
            got = f"columns {', '.join(known[:8])}"
            raise InputError("Which column has the predicted labels?", param="score", got=got, fix="Name it by score=")
    values = [c for c in known if c not in found.values() and is_grade(table[c])]
    if score in known:
        chosen = str(score)
    else:
        usual = [c for c in values if c.casefold() in SCORES]
        if score is None and not usual:
            raise _nothing_says_which_are_right(name or "The table", known, values)
        chosen = _chosen(usual if score is None else values, score, name or "The table")
    named = (
        name if found["system"] is None else complete_column(table, found["system"], "system").astype(str).to_numpy()
    )
    out = pd.DataFrame({"system": named}, index=table.index)
    out["id"] = table[found["item"]]
    if found["run"] is not None:
        out["run"] = table[found["run"]]
    out["score"] = table[chosen] if truth is not None else _numbers(table[chosen])
    out = out.join(table[[c for c in known if c not in (*found.values(), *out.columns, chosen)]])
    out.attrs = {READ_AS_SCORE: chosen}
    return out


def item_column(table: pd.DataFrame, asked: str | None = None) -> str | None:
    """The column of the items: the one that was asked for, or the first with a usual name."""
    return _column([str(c) for c in table.columns], asked, ITEMS, "item")


def shared_item(table: pd.DataFrame, system: str) -> str | None:
    """The first column of items with a usual name in which systems share a value: "id" may number the rows."""
    usual = [c for c in ITEMS if c in table.columns]
    if len(usual) < 2:
        return next(iter(usual), None)
    return next((c for c in usual if (table.groupby(c)[system].nunique() > 1).any()), usual[0])


def system_column(table: pd.DataFrame) -> str | None:
    """The first column of systems with a usual name, if it has several values."""
    return next((c for c in SYSTEMS if c in table.columns and table[c].nunique() > 1), None)


def run_column(table: pd.DataFrame, names: Sequence[str]) -> str | None:
    """The column of runs, seeds or trials that tells rows apart that repeat an item."""
    if not set(names) <= set(table.columns) or not table.duplicated(list(names)).any():
        return None
    return next((c for c in (*RUNS, *SEEDS) if c in table.columns and not table.duplicated([*names, c]).any()), None)


def _nothing_says_which_are_right(name: str, known: Sequence[str], values: Sequence[str]) -> InputError:
    """The error of a plain log without a usual name of correctness. Another number is no score: it may be anything."""
    labels = next((c for c in PREDICTIONS if c in known), None)
    gold = next((c for c in TRUTHS if c in known and c != labels), None)
    other = "the field that says whether an answer is right by score=" if set(values) - {labels, gold} else ""
    got = f"columns {', '.join(known[:8])}"
    if labels is None:
        problem = f"{name} has no field with a usual name for correctness, such as correct, passed or score"
        return InputError(problem, param="score", got=got, fix=f"Name {other}" if other else NO_GRADES)
    return InputError(
        f"{name} has predicted labels, and nothing that says which are right",
        param="truth",
        got=got,
        fix=f"Name the column of the true labels by {f'truth={gold!r}' if gold else 'truth='}"
        + (f", or {other}" if other else ""),
    )


def _column(known: Sequence[str], asked: str | None, usual: Sequence[str], param: str) -> str | None:
    """The column that was asked for, or the first usual one that there is."""
    if asked is not None and asked not in known:
        got, fix = f"columns {', '.join(known[:8])}", near(asked, known).strip()
        raise InputError(f"There is no column {asked!r}", param=param, got=got, fix=fix)
    return asked or next((c for c in usual if c in known), None)


def is_grade(values: pd.Series) -> bool:
    """Whether the values are numbers or words that `_number` reads."""
    try:
        return all(math.isfinite(_number(v, "")) for v in values.dropna().head(GRADES_LOOKED_AT))
    except InputError:
        return False


def _named(source: object) -> list[tuple[str, Source]]:
    """The logs with the name of their system, which several may share; "" where the rows name the system themselves."""
    if isinstance(source, Mapping) and source:
        pairs = [
            (str(name), each)
            for name, given in source.items()
            for one in (given if isinstance(given, list) else [given])
            for each in (_files(Path(one)) if isinstance(one, (str, Path)) else [one])
        ]
        if all(isinstance(each, (str, Path, pd.DataFrame)) for _, each in pairs):
            return pairs
    if isinstance(source, pd.DataFrame):
        return [("", source)]
    source = [source] if isinstance(source, (str, Path)) else source
    if not isinstance(source, Sequence) or not source or not all(isinstance(path, (str, Path)) for path in source):
        raise InputError("source must be paths or tables", param="source", got=reprlib.repr(source))
    paths = [file for path in source for file in _files(Path(path))]
    places = [path.absolute() for path in paths]
    if len(set(places)) < len(places):
        raise InputError("The same file is given twice", param="source", got=", ".join(map(str, paths)))
    folders = list(dict.fromkeys(place.parent for place in places))
    stems = [path.name.removesuffix(".gz").rsplit(".", 1)[0] for path in paths]
    whole = any(Path(path).is_dir() for path in source)
    if all(path.name.startswith("samples_") for path in paths) and (whole or len(folders) > 1 or len(paths) == 1):
        stems = [place.parent.name for place in places]
        if len(set(stems)) < len(folders):
            stems = [str(path.parent) for path in paths]
    elif len(set(stems)) < len(stems):
        stems = [place.parent.name for place in places]
        if len(set(stems)) < len(stems):
            stems = [str(path) for path in paths]
    return list(zip(stems, paths, strict=True))


LOGS = ("samples_*.jsonl*", "per_instance_stats.json", "*.jsonl*")  # in a folder; the first of which there are any


def _files(path: Path) -> list[Path]:
    """The logs in a folder and those below it; a file as it is."""
    if not path.is_dir():
        return [path]
    found = next((files for pattern in LOGS if (files := sorted(path.rglob(pattern)))), None)
    if found is None:
        fix = "Logs in a folder are called samples_*.jsonl, per_instance_stats.json or *.jsonl; name other files"
        raise InputError("There are no logs in this folder", param="source", got=str(path), fix=fix)
    return found


def read_log(source: str | Path) -> pd.DataFrame:
    """One row per JSON object of a file, or the rows of a table."""
    try:
        return read_table(source)
    except InputError as error:
        error.param = "source"
        raise


def _lm_eval(log: Log, metric: str | None, filter: str | None, item: str | None) -> pd.DataFrame:
    """One row per document. A task with two filters logs every document once per filter."""
    table = log.table
    if filter is not None and "filter" in table.columns:
        table = table[table["filter"].astype(str) == filter]
    if metric is None:
        raise InputError(f"{log} has no metrics", param="score", fix=NO_GRADES)
    out = pd.DataFrame({"system": log.name, "id": _items(table, item, "doc_id"), "score": table[metric].to_numpy()})
    if "doc_hash" in table.columns:
        out["doc_hash"] = table["doc_hash"].to_numpy()
    for key, values in _scalars(table["doc"] if "doc" in table.columns else pd.Series(dtype=object)).items():
        out[f"doc_{key}"] = values
    out.attrs = {READ_AS_SCORE: metric}
    return out


def _helm(table: pd.DataFrame, name: str, score: str | None) -> pd.DataFrame:
    """One row per instance and trial of HELM's per_instance_stats.json, without the perturbed copies of instances."""
    if "perturbation" in table.columns:
        table = table[table["perturbation"].isna()]
    stats = [
        {s["name"]["name"]: s.get("mean") for s in each if not s["name"].get("perturbation")} for each in table["stats"]
    ]
    found = list(dict.fromkeys(metric for each in stats for metric in each))
    chosen = _chosen([c for c in found if c in SCORES] if score is None else found, score, name)
    out = pd.DataFrame({"system": name, "id": table["instance_id"].to_numpy()})
    if "train_trial_index" in table.columns:
        out["run"] = table["train_trial_index"].to_numpy()
    out["score"] = [_number(each.get(chosen), chosen) for each in stats]
    out.attrs = {READ_AS_SCORE: chosen}
    return out


def _items(table: pd.DataFrame, asked: str | None, usual: str) -> Array:
    """The items: the column that was asked for, which may be a field of the documents, or the usual one."""
    name = asked or usual
    if name not in table.columns and "doc" in table.columns:
        fields = _scalars(table["doc"])
        if name.removeprefix("doc_") in fields:
            return np.array(fields[name.removeprefix("doc_")])
    _column([str(c) for c in table.columns], name, (), "item")
    return np.asarray(table[name])


def _scalars(docs: pd.Series) -> dict[str, list[object]]:
    """The fields of the documents that hold one value each."""
    records = [doc if isinstance(doc, dict) else {} for doc in docs]
    keys = dict.fromkeys(key for record in records for key in record)
    return {
        key: [record.get(key) for record in records]
        for key in keys
        if key not in ("id", "hash") and not any(isinstance(record.get(key), (list, dict)) for record in records)
    }


def _inspect(table: pd.DataFrame, name: str, score: str | None, item: str | None) -> pd.DataFrame:
    """One row per sample and epoch. `sample_id` differs between runs; `id` is the item of the data set."""
    found = [str(c).removeprefix("score_") for c in table.columns if str(c).startswith("score_")]
    found = [c for c in found if not c.endswith(("_answer", "_explanation", "_metadata"))]
    chosen = "score_" + _chosen(found, None if score is None else score.removeprefix("score_"), name or "The table")
    models = table["model"].nunique() if "model" in table.columns else 0
    if not name and not models:
        raise InputError(
            "The table does not name the systems",
            param="source",
            fix="Pass {name: table, ...}, or a table with a column model",
        )
    out = pd.DataFrame(
        {
            "system": name if name and models < 2 else table["model"].astype(str).to_numpy(),
            "id": _items(table, item, "id" if "id" in table.columns else "sample_id"),
            "run": table["epoch"].to_numpy() if "epoch" in table.columns else 1,
            "score": _numbers(table[chosen]),
        }
    )
    for column in table.columns:
        if str(column).startswith("metadata_"):
            out[str(column)] = table[column].to_numpy()
    out.attrs = {READ_AS_SCORE: chosen}
    return out


def _numbers(values: pd.Series) -> Floats:
    """The grades of a column as numbers."""
    if values.dtype.kind in "biuf":
        return np.asarray(values, dtype=float)
    return np.array([_number(value, str(values.name)) for value in values], dtype=float)


def _number(value: object, column: str) -> float:
    """A grade as inspect_ai counts it: letters, yes and no, or a number; NaN where a sample failed and has none."""
    if value is None or value is pd.NA:
        return math.nan
    if isinstance(value, str):
        word = SAID.get(value.strip().lower(), WORDS.get(value))
        try:
            return float(value) if word is None else word
        except ValueError:
            raise InputError(f"Column {column!r} holds text that is no grade", param="score", got=repr(value)) from None
    if isinstance(value, (bool, int, float)) or hasattr(value, "__float__"):
        return float(value)
    raise InputError(f"Column {column!r} holds no single number per sample", param="score", got=repr(value))


NO_GRADES = (
    "Write whether an answer is right (true or false) or its score into a field of its own, outside other objects"
)


def _chosen(found: Sequence[str], score: str | None, name: str) -> str:
    if score is not None:
        if score not in found:
            got = ", ".join(found) or "none"
            raise InputError(f"{name} has no metric {score!r}", param="score", got=got, fix=near(score, found).strip())
        return score
    if len(found) != 1:
        raise InputError(
            f"{name} has {len(found) or 'no'} metrics",
            param="score",
            got=", ".join(found) or None,
            fix=f"Pass score={found[0]!r}" if found else NO_GRADES,
        )
    return found[0]


def _refuse_other_documents(table: pd.DataFrame) -> None:
    """An error where two systems have different documents under one id: the task or its version differs."""
    if "doc_hash" not in table.columns:
        return
    several = table.dropna(subset="doc_hash").groupby("id")["doc_hash"].nunique()
    if (several > 1).any():
        raise InputError(
            f"{int((several > 1).sum())} documents differ between systems although they have the same doc_id",
            param="source",
            got=f"e.g. doc_id {several.index[several > 1][0]}",
            fix="Run all systems on the same version of the task",
        )


def _refuse_repeated(table: pd.DataFrame) -> None:
    """An error where a system answered an item twice in one run: logs of two runs in one table, or a broken log."""
    twice = table.duplicated([c for c in ("system", "id", "run") if c in table.columns])
    if twice.any():
        first = table[twice].iloc[0]
        run = f" in run {first['run']}" if "run" in table.columns else ""
        raise InputError(
            f"{counted(int(twice.sum()), 'row repeats', 'rows repeat')} an item that its system has answered",
            param="source",
            got=f"item {first['id']} again for system {first['system']!r}{run}",
            fix="Keep the log of one evaluation per system; repeated runs need different values of epoch or run",
        )
