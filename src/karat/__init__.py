"""karat: how good is a classifier really, how sure are we, is it better than the other one, and where to set
its threshold.

Importing karat does no work: a name loads its room when it is first used.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

__version__ = "0.1.0"

# public name → the module it lives in
_HOME = {
    "Bootstrap": "karat.plans",
    "CvBootstrap": "karat.plans",
    "CvHalves": "karat.plans",
    "Holdout": "karat.plans",
    "KFold": "karat.plans",
    "LeaveOneOut": "karat.plans",
    "MonteCarlo": "karat.plans",
    "NestedKFold": "karat.plans",
    "PairedSubsampling": "karat.plans",
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
    "ScoreCounts": "karat.curves.score_counts",
    "diagnose": "karat.diagnostic.diagnose",
    "proportion_interval": "karat.diagnostic.proportion",
    "confusion": "karat.diagnostic.confusion",
    "bayes_decision": "karat.diagnostic.bayes",
    "bayes_error": "karat.diagnostic.bayes",
    "compare": "karat.api.compare",
    "seal": "karat.sealed",
    "unseal": "karat.sealed",
    "verify": "karat.sealed",
    "compare_systems": "karat.api.systems",
    "read_evals": "karat.sample.evals",
    "read_model": "karat.fitting.model_file",
    "from_skore": "karat.api.skore",
    "best_of": "karat.hygiene.best_of",
    "stability": "karat.hygiene.stability",
    "selected": "karat.api.selected",
    "cases": "karat.hygiene.cases",
    "learning_curve": "karat.api.learning_curve",
    "checklist": "karat.hygiene.checklist",
    "displays": "",
    "two_sets": "karat.api.two_sets",
    "check": "karat.hygiene.check",
    "comparisons": "",
    "metrics": "",
    "statistics": "",
    "studies": "",
    "bias_variance": "karat.studies.bias_variance",
    "errors": "",
}

__all__ = sorted(_HOME)


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose public names load their module when first used; "" is a module itself."""

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        found = getattr(importlib.import_module(home), name) if home else importlib.import_module(f"{package}.{name}")
        setattr(sys.modules[package], name, found)
        return found

    return load


__getattr__ = lazily(__name__, _HOME)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
