"""Metrics: what is measured. One registry for `assess`, `compare`, `estimate`, `diagnose`, `roc(...).best` and the
command line.

A new metric is a class in a file of this folder, with everything that is known of it: `name`, `title`, `aliases`,
`words`, direction, range, interval and value. It needs no line elsewhere. The files are read, not loaded, to find it,
so that a name loads what it needs and help texts load nothing.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from trueness.errors import InputError, near
from trueness.result.words import bare

if TYPE_CHECKING:
    from trueness.metrics.auc import *  # noqa: F403  # noqa: F403
    from trueness.metrics.cost import *  # noqa: F403
    from trueness.metrics.metric import *  # noqa: F403
    from trueness.metrics.metric import Metric
    from trueness.metrics.moments import *  # noqa: F403
    from trueness.metrics.numbers import *  # noqa: F403
    from trueness.metrics.probabilities import *  # noqa: F403
    from trueness.metrics.scorer import *  # noqa: F403
    from trueness.metrics.scorer import ScorerLike
    from trueness.metrics.table import *  # noqa: F403  # noqa: F403

MetricLike: TypeAlias = "str | Metric | ScorerLike"
"""A name, a scikit-learn scorer name or scorer, a function f(y, score), or a Metric."""


@dataclass(frozen=True)
class _Found:
    """What the files of this folder declare."""

    files: dict[str, str]  # class → its file
    metrics: dict[str, str]  # name of a metric → class
    aliases: dict[str, str]  # another name → the name


@cache
def _declared() -> _Found:
    found = _Found({}, {}, {})
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
                continue
            found.files[node.name] = path.stem
            facts = {
                line.target.id: ast.literal_eval(line.value)
                for line in node.body
                if isinstance(line, ast.AnnAssign)
                and isinstance(line.target, ast.Name)
                and line.target.id in ("name", "title", "aliases")
                and line.value is not None
            }
            if "title" in facts:
                found.metrics[facts["name"]] = node.name
                others = facts["aliases"].split(", ") if "aliases" in facts else ()
                found.aliases.update({bare(alias): facts["name"] for alias in others})
    return found


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    files = _declared().files if not name.startswith("_") else {}
    if name not in files:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{files[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted([*_declared().files, "MetricLike", "aliases", "names", "resolve"])


def names() -> list[str]:
    """Names of trueness's own metrics; `aliases` has others, and scikit-learn's scorer names work too."""
    return list(_declared().metrics)


def aliases() -> dict[str, str]:
    """Other names of metrics, without capitals and spaces, and the name that each stands for.

    >>> aliases()["sensitivity"], aliases()["precision"], aliases()["roc_auc"]
    ('tpf', 'ppv', 'auc')
    """
    return dict(_declared().aliases)


def canonical(name: object) -> str | None:
    """trueness's name of a metric under any of its names, in upper or lower case; None where it is unknown."""
    if not isinstance(name, str):
        return None
    found, short = _declared(), bare(name)
    return short.casefold() if short.casefold() in found.metrics else found.aliases.get(short)


MEANT = {
    "prauc": "Did you mean 'average_precision'? trueness.pr(y, scores).auc is the area by the trapezoidal rule. ",
    "aucpr": "Did you mean 'average_precision'? trueness.pr(y, scores).auc is the area by the trapezoidal rule. ",
}
"""What a name of others stands for that is no measure here, or one of two."""


def resolve(metric: MetricLike) -> Metric:
    """The metric that is meant: a Metric as it is, or that of a name, a scorer's name, or a function f(y, score).

    Another name of one of trueness's metrics, as "sensitivity" or "roc_auc", is that metric, under the name that was
    asked for; where scikit-learn turns the sign, under trueness's name.

    >>> resolve("roc_auc").name, type(resolve("roc_auc")).__name__
    ('roc_auc', 'AUC')
    >>> resolve("neg_brier_score").name
    'brier'
    """
    from trueness.metrics.metric import Metric

    if isinstance(metric, Metric):
        return metric
    known = canonical(metric)
    if isinstance(metric, str) and known is not None:
        own: Metric = __getattr__(_declared().metrics[known])()
        return own if metric.casefold() == known or metric.startswith("neg_") else replace(own, called=metric)
    from trueness.metrics.scorer import Scorer, scorer_names

    if isinstance(metric, str):
        if metric in scorer_names():
            return Scorer(metric)
        if len(several := [part.strip() for part in metric.split(",")]) > 1 and all(map(canonical, several)):
            raise InputError("metric is one name", param="metric", got=repr(metric), fix=f"Pass a list: {several}")
        raise InputError(
            f"There is no metric {metric!r}",
            param="metric",
            fix=(
                MEANT.get(bare(metric).replace("_", ""))
                or near(metric, [*names(), *_declared().aliases, *scorer_names()], 3)
            )
            + f"trueness has {', '.join(names())}; scikit-learn's scorer names and functions f(y, score) also work",
        )
    if callable(metric) and not isinstance(metric, type):
        return Scorer(metric)
    raise InputError(
        "metric must be a name, a function f(y, score) or a trueness Metric", param="metric", got=repr(metric)
    )
