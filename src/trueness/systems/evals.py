"""Evaluation logs as one tidy table: lm-evaluation-harness `samples_*.jsonl`, inspect_ai's sample frames, and plain ones with
an item, whether it was answered correctly, and where there are any the run and the system."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from trueness.errors import InputError
from trueness.files.table_file import read_table
from trueness.sample.frame import complete_column
from trueness.systems.items import READ_AS_SCORE, SCORES
from trueness.typing import Array, Floats

Source: TypeAlias = "str | Path | pd.DataFrame"

# fields of a line of lm-evaluation-harness that are no metrics
LOGGED = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash", "task_name", "schema_version",
}  # fmt: skip
ITEMS = ("id", "item", "question_id", "task_id", "instance_id", "doc_id")  # also of HumanEval and SWE-bench
RUNS, SYSTEMS = ("run", "epoch"), ("system", "model", "model_name")  # columns of plain logs
SEEDS = ("seed", "trial", "repeat", "attempt")  # these are runs where rows repeat an item
GRADES = dict.fromkeys(("c", "yes", "true", "correct", "right", "pass", "passed"), 1.0)  # letters as inspect_ai's
GRADES |= dict.fromkeys(("i", "n", "no", "false", "incorrect", "wrong", "fail", "failed"), 0.0) | {"p": 0.5}
PREDICTIONS = ("prediction", "predicted", "pred", "answer", "response", "output", "score")


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
        each; or plain logs, one JSON object or row per answer,
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
        Where a log has several metrics or filters and none is chosen, or where systems answered different documents.

    Examples
    --------
    >>> import trueness
    >>> import pandas as pd
    >>> log = pd.DataFrame({"id": [1, 1, 2, 2], "epoch": [1, 2, 1, 2], "model": "m",
    ...                     "score_match": ["C", "I", "C", "C"]})
    >>> trueness.systems.read_evals(log)["score"].tolist()
    [1.0, 0.0, 1.0, 1.0]
    """
    named = _named([source, *more] if more else source)
    logs = [Log.of(name, given, AskedOfLogs(score, filter, item, run, system, truth)) for name, given in named]
    if filter is not None and any(log.read is not _lm_eval for log in logs):
        raise InputError("Only logs of lm-evaluation-harness have filters", param="filter", got=repr(filter))
    if truth is not None and any(log.read is not _plain for log in logs):
        raise InputError("These logs say which answers are right", param="truth", fix="Leave it out")
    for param, choices in (("filter", _filters), ("score", _metrics)):
        _check_choice([log for log in logs if log.read is _lm_eval], param, choices)
    tables = [log.read(log).assign(task=log.task) for log in logs]
    fields = list(dict.fromkeys(table.attrs[READ_AS_SCORE] for table in tables))
    out = _with_tasks(pd.concat(tables, ignore_index=True))
    if "doc_hash" in out:
        several = out.groupby("id")["doc_hash"].nunique()
        for place in several.index[several > 1][:1]:
            problem = "Documents differ between systems although they have the same doc_id"
            fix = "Run all systems on the same version of the task"
            raise InputError(problem, param="source", got=f"{sum(several > 1)}, e.g. doc_id {place}", fix=fix)
    if "run" in out and out["run"].nunique() == 1:
        out = out.drop(columns="run")
    out = out.drop(columns="doc_hash", errors="ignore")
    out.attrs = {} if score is not None and set(fields) <= {score, f"score_{score}"} else {READ_AS_SCORE: fields}
    return out


@dataclass(frozen=True)
class AskedOfLogs:
    """What was named: a metric, a filter, columns."""

    score: str | None = None
    filter: str | None = None
    item: str | None = None
    run: str | None = None
    system: str | None = None
    truth: str | None = None


@dataclass(frozen=True, eq=False)
class Log:
    """One log as it was written, and how it is read."""

    name: str  # of its system; "" where the rows name it
    table: pd.DataFrame
    task: str | None  # of samples_<task>_<date>.jsonl
    asked: AskedOfLogs
    read: Callable[[Log], pd.DataFrame]

    @classmethod
    def of(cls, name: str, given: Source, asked: AskedOfLogs) -> Log:
        if isinstance(given, pd.DataFrame):
            return cls(name, given, None, asked, format_of(given))
        table, task = read_log(given), re.match(r"samples_(.+?)(_\d{4}-\d.*)?\.json", Path(given).name)
        return cls(name, table, task and task[1], asked, format_of(table))

    def __str__(self) -> str:
        return " of ".join(filter(None, (self.task, self.name))) or "The table"

    @property
    def documents(self) -> str:
        """What is the same in the logs that other systems have of this task."""
        return self.task or min(map(str, self.table.get("doc_hash", [""])))

    def metric(self, found: Sequence[str]) -> str:
        """The one that was asked for, or the only one."""
        if self.asked.score is not None and self.asked.score in found:
            return self.asked.score
        if len(found) != 1 or self.asked.score is not None:
            fix = "Pass score= with the field that says which answers are right, or truth= with that of the true labels"
            raise InputError(f"{self}: which metric?", param="score", got=", ".join(found) or "none", fix=fix)
        return found[0]


def is_plain(table: pd.DataFrame) -> bool:
    """Whether a table is no log of another program."""
    return format_of(table) is _plain


def format_of(table: pd.DataFrame) -> Callable[[Log], pd.DataFrame]:
    """How a log with these columns is read."""
    columns = {str(c) for c in table.columns}
    if "doc_id" in columns and system_column(table) is None:
        return _lm_eval
    if any(c.startswith("score_") for c in columns) and {"id", "sample_id"} & columns:
        return _inspect
    return _plain


def _check_choice(logs: Sequence[Log], param: str, choices: Callable[[Log], list[str]]) -> None:
    """An error where the logs of one task offer several filters or metrics and none that all have was asked for."""
    offered = {log: choices(log) for log in logs}
    anywhere = {None, *(name for names in offered.values() for name in names)}
    for log, names in offered.items():
        asked = getattr(log.asked, param)
        of_task = {name for other in logs if other.documents == log.documents for name in offered[other]}
        if asked not in names and (len(of_task) > 1 or asked not in anywhere):
            fix = f"Pass one that all systems have, e.g. {param}={names[0]!r}"
            raise InputError(f"{log}: which {param}?", param=param, got=", ".join(map(repr, names)), fix=fix)


def _filters(log: Log) -> list[str]:
    return list(log.table.get("filter", pd.Series(["none"])).astype(str).unique())


def _metrics(log: Log) -> list[str]:
    table = log.table
    if "metrics" in table:
        return list(dict.fromkeys(metric for each in table["metrics"] for metric in each if metric in table)) or [""]
    rest = [str(c) for c in table.columns if c not in LOGGED]
    return [c for c in rest if table[c].map(lambda v: isinstance(v, (bool, int, float))).all()] or [""]


def _with_tasks(table: pd.DataFrame) -> pd.DataFrame:
    """doc_id counts from 0 in every task: with several, the task belongs to the item. Of tasks in one file the hash of
    the document tells the items apart."""
    if table.groupby(["system", "task"]).ngroups > table["system"].nunique():
        return table.assign(id=table["task"].astype(str) + " " + table["id"].astype(str))
    table = table.drop(columns="task")
    if "doc_hash" in table and (table.groupby(["system", "id"])["doc_hash"].nunique() > 1).any():
        table = table.assign(id=table["id"].astype(str) + " " + table["doc_hash"].astype(str))
    return table


def _plain(log: Log) -> pd.DataFrame:
    """One row per answer of a log without a format of its own."""
    table, asked = log.table, log.asked
    by = _column(table, asked.system, SYSTEMS, "system")
    if by is not None and log.name and asked.system is None and table[by].nunique() == 1:
        by = None
    item = _column(table, asked.item, (), "item") or item_column(table, by)
    if item is None or not (log.name or by):
        what = "item" if item is None else "system"
        raise _lacking(table, what, f"{log}: which column is the {what}?")
    run = _column(table, asked.run, RUNS, "run") or run_column(table, [c for c in (item, by) if c is not None])
    if asked.truth is None:
        usual = [c for c in map(str, table.columns) if c.casefold() in SCORES]
        chosen = _column(table, asked.score, (), "score") or log.metric(usual)
        values: object = grades(table[chosen])
    else:
        _column(table, asked.truth, (), "truth")
        chosen = _column(table, asked.score, [c for c in PREDICTIONS if c != asked.truth], "score") or ""
        if not chosen:
            raise _lacking(table, "score", "Which column has the predicted labels?")
        values = table[chosen]
    system = log.name if by is None else complete_column(table, by, "system").astype(str)
    columns = {"system": system, "id": table[item], **({} if run is None else {"run": table[run]}), "score": values}
    out = pd.DataFrame(columns, index=table.index)
    out = out.join(table[[c for c in table.columns if c not in (item, run, by, chosen, *out.columns)]])
    out.attrs = {READ_AS_SCORE: chosen}
    return out


def item_column(table: pd.DataFrame, system: str | None = None) -> str | None:
    """The first column of items with a usual name in which systems share a value: "id" may number the rows."""
    usual = [c for c in ITEMS if c in table.columns]
    shared = (c for c in usual if system is not None and (table.groupby(c)[system].nunique() > 1).any())
    return next(shared, next(iter(usual), None))


def system_column(table: pd.DataFrame) -> str | None:
    """The first column of systems with a usual name, if it has several values."""
    return next((c for c in SYSTEMS if c in table.columns and table[c].nunique() > 1), None)


def run_column(table: pd.DataFrame, names: Sequence[str]) -> str | None:
    """The column of runs, seeds or trials that tells rows apart that repeat an item."""
    if not set(names) <= set(table.columns) or not table.duplicated(list(names)).any():
        return None
    return next((c for c in (*RUNS, *SEEDS) if c in table.columns and not table.duplicated([*names, c]).any()), None)


def _column(table: pd.DataFrame, asked: str | None, usual: Sequence[str], param: str) -> str | None:
    """The column that was asked for, or the first usual one that there is."""
    if asked is not None and asked not in table.columns:
        raise _lacking(table, param, f"There is no column {asked!r}")
    return asked or next((c for c in usual if c in table.columns), None)


def _lacking(table: pd.DataFrame, param: str, problem: str) -> InputError:
    got = f"columns {', '.join(map(str, table.columns[:8]))}"
    return InputError(problem, param=param, got=got, fix=f"Name it by {param}=")


def _named(source: object) -> list[tuple[str, Source]]:
    """The logs with the name of their system, which several may share; "" where the rows name the system themselves."""
    if isinstance(source, pd.DataFrame):
        return [("", source)]
    if isinstance(source, Mapping):
        given = [(str(name), one) for name, of in source.items() for one in (of if isinstance(of, list) else [of])]
    else:
        several = source if isinstance(source, (list, tuple)) else [source]
        given = [("", one) for one in several if not isinstance(one, pd.DataFrame)]
    if not given or not all(isinstance(one, (str, Path, pd.DataFrame)) for _, one in given):
        raise InputError("source must be paths or tables", param="source", got=reprlib.repr(source))
    found = [(name, one) for name, of in given for one in ([of] if isinstance(of, pd.DataFrame) else _files(Path(of)))]
    if isinstance(source, Mapping):
        return found
    paths = [path for _, path in found]
    if len({path.absolute() for path in paths}) < len(paths):
        raise InputError("The same file is given twice", param="source", got=", ".join(map(str, paths)))
    return list(zip(_names(paths), paths, strict=True))


def _names(paths: Sequence[Path]) -> list[str]:
    """Of the systems: files of lm-evaluation-harness are named by their folder, others by their own name, or by their
    folder where that differs."""
    folders = [path.absolute().parent for path in paths]
    ways = [[folder.name for folder in folders], list(map(str, folders)), list(map(str, paths))]
    different = len(set(folders))
    if not all(path.name.startswith("samples_") for path in paths):
        ways.insert(0, [path.name.removesuffix(".gz").rsplit(".", 1)[0] for path in paths])
        different = len(paths)
    return next(names for names in ways if len(set(names)) == different)


LOGS = ("samples_*.jsonl*", "*.jsonl*")  # in a folder; the first of which there are any


def _files(path: Path) -> list[Path]:
    """The logs in a folder and those below it; a file as it is."""
    if not path.is_dir():
        return [path]
    found = next((files for pattern in LOGS if (files := sorted(path.rglob(pattern)))), None)
    if found is None:
        raise InputError("There are no logs in this folder", param="source", got=str(path), fix="Name *.jsonl files")
    return found


def read_log(source: str | Path) -> pd.DataFrame:
    """One row per JSON object of a file, or the rows of a table."""
    try:
        return read_table(source)
    except InputError as error:
        error.param = "source"
        raise


def _lm_eval(log: Log) -> pd.DataFrame:
    """One row per document. A task with two filters logs every document once per filter."""
    filters, table = _filters(log), log.table
    if len(filters) > 1:
        table = table[table["filter"].astype(str) == log.asked.filter]
    names = _metrics(log)
    metric = log.asked.score if log.asked.score in names else names[0]
    if not metric:
        raise _lacking(table, "score", f"{log} has no metrics")
    out = pd.DataFrame({"system": log.name, "id": _items(table, log.asked.item, "doc_id"), "score": table[metric]})
    out = out.join(table[[c for c in ("doc_hash",) if c in table]])
    for key, values in _scalars(table).items():
        out[f"doc_{key}"] = values
    out.attrs = {READ_AS_SCORE: metric}
    return out


def _items(table: pd.DataFrame, asked: str | None, usual: str) -> Array:
    """The items: the column that was asked for, which may be a field of the documents, or the usual one."""
    fields = {f"doc_{key}": values for key, values in _scalars(table).items()}
    if asked in fields:
        return np.array(fields[asked])
    return np.asarray(table[_column(table, asked, [usual], "item")])


def _scalars(table: pd.DataFrame) -> dict[str, list[object]]:
    """The fields of the documents that hold one value each."""
    records = [doc if isinstance(doc, dict) else {} for doc in table.get("doc", [])]
    keys = [key for key in dict.fromkeys(key for record in records for key in record) if key not in ("id", "hash")]
    values = {key: [record.get(key) for record in records] for key in keys}
    return {key: of for key, of in values.items() if not any(isinstance(value, (list, dict)) for value in of)}


def _inspect(log: Log) -> pd.DataFrame:
    """One row per sample and epoch. `sample_id` differs between runs; `id` is the item of the data set."""
    table = log.table
    found = [
        c for c in map(str, table.columns) if re.fullmatch(r"score_.*(?<!_answer)(?<!_explanation)(?<!_metadata)", c)
    ]
    chosen = "score_" + log.metric([c.removeprefix("score_") for c in found])
    several = "model" in table and (not log.name or table["model"].nunique() > 1)
    if not log.name and not several:
        raise _lacking(table, "source", "Which column names the systems? Pass {name: table}, or a column model")
    out = pd.DataFrame(
        {
            "system": table["model"].astype(str) if several else log.name,
            "id": _items(table, log.asked.item, "id" if "id" in table else "sample_id"),
            "run": table.get("epoch", 1),
            "score": grades(table[chosen]),
        }
    )
    out = out.join(table[[c for c in table.columns if str(c).startswith("metadata_")]])
    out.attrs = {READ_AS_SCORE: chosen}
    return out


def grades(values: pd.Series) -> Floats:
    """The grades of a column as inspect_ai counts them: letters, yes and no, or numbers; NaN where a sample failed and has
    none."""
    read = [GRADES.get(v.strip().casefold(), v) if isinstance(v, str) else v for v in values.astype(object)]
    try:
        return np.asarray(pd.to_numeric(pd.Series(read, dtype=object)), dtype=float)
    except (TypeError, ValueError):
        problem = f"Column {values.name!r} holds no number per answer"
        raise InputError(problem, param="score", got=reprlib.repr(read)) from None
