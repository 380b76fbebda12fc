"""trueness: how good is a classifier really, how sure are we, is it better than the other one, and where to set
its threshold.

Importing trueness does no work: a name loads its room when it is first used.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

__version__ = "0.1.0"

# public name → the module it lives in
_HOME = {
    "Bootstrap": "trueness.plans",
    "CvBootstrap": "trueness.plans",
    "CvHalves": "trueness.plans",
    "Holdout": "trueness.plans",
    "KFold": "trueness.plans",
    "LeaveOneOut": "trueness.plans",
    "MonteCarlo": "trueness.plans",
    "NestedKFold": "trueness.plans",
    "PairedSubsampling": "trueness.plans",
    "Splits": "trueness.plans",
    "Sample": "trueness.sample",
    "Design": "trueness.sample",
    "Fits": "trueness.sample",
    "Estimate": "trueness.result",
    "fit": "trueness.fitting",
    "estimate": "trueness.estimators",
    "difference": "trueness.estimators",
    "roc": "trueness.curves.roc",
    "operating_points": "trueness.curves.operating_points",
    "multiclass_roc": "trueness.curves.multiclass",
    "assess": "trueness.api.assess",
    "pr": "trueness.curves.pr",
    "ScoreCounts": "trueness.curves.score_counts",
    "diagnose": "trueness.diagnostic.diagnose",
    "proportion_interval": "trueness.diagnostic.proportion",
    "confusion": "trueness.diagnostic.confusion",
    "bayes_decision": "trueness.diagnostic.bayes",
    "bayes_error": "trueness.diagnostic.bayes",
    "compare": "trueness.api.compare",
    "seal": "trueness.sealed",
    "unseal": "trueness.sealed",
    "verify": "trueness.sealed",
    "compare_systems": "trueness.api.systems",
    "read_evals": "trueness.sample.evals",
    "read_model": "trueness.fitting.model_file",
    "from_skore": "trueness.api.skore",
    "best_of": "trueness.hygiene.best_of",
    "stability": "trueness.hygiene.stability",
    "selected": "trueness.api.selected",
    "cases": "trueness.hygiene.cases",
    "learning_curve": "trueness.api.learning_curve",
    "checklist": "trueness.hygiene.checklist",
    "displays": "",
    "two_sets": "trueness.api.two_sets",
    "check": "trueness.hygiene.check",
    "comparisons": "",
    "metrics": "",
    "statistics": "",
    "studies": "",
    "bias_variance": "trueness.studies.bias_variance",
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
