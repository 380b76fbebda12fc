"""karat: how good is a classifier really, how sure are we, is it better than the other one, and where to set
its threshold.

Importing karat does no work: a name loads its room when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# public name → the module it lives in
_HOME = {
    "Bootstrap": "karat.plans",
    "CvBootstrap": "karat.plans",
    "Holdout": "karat.plans",
    "KFold": "karat.plans",
    "LeaveOneOut": "karat.plans",
    "MonteCarlo": "karat.plans",
    "NestedKFold": "karat.plans",
    "Splits": "karat.plans",
    "Sample": "karat.sample",
    "Design": "karat.sample",
    "Fits": "karat.sample",
    "Estimate": "karat.result",
    "fit": "karat.fitting",
    "estimate": "karat.estimators",
    "difference": "karat.estimators",
    "roc": "karat.curves.roc",
    "operating_points": "karat.curves.operating_points",
    "multiclass_roc": "karat.curves.multiclass",
    "assess": "karat.api.assess",
    "pr": "karat.curves.pr",
    "diagnose": "karat.diagnostic.diagnose",
    "proportion_interval": "karat.diagnostic.proportion",
    "confusion": "karat.diagnostic.confusion",
    "bayes_decision": "karat.diagnostic.bayes",
    "bayes_error": "karat.diagnostic.bayes",
    "compare": "karat.api.compare",
    "comparisons": "",
    "metrics": "",
    "statistics": "",
    "studies": "",
    "bias_variance": "karat.studies.bias_variance",
    "errors": "",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'karat' has no attribute {name!r}")
    home = _HOME[name]
    found = importlib.import_module(f"karat.{name}") if not home else getattr(importlib.import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
