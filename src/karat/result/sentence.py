"""An estimate in one sentence, for the answer that every result begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.result.digits import between, shown

if TYPE_CHECKING:
    from karat.result.estimate import Estimate

ABBREVIATIONS = ("auc", "fnf", "fpf", "tpf", "tnf", "ppv", "npv", "f1", "mcc")
SCORER_NAMES = {"roc_auc": "ROC AUC", "roc_auc_ovr": "ROC AUC (one class against the rest)"}  # in scikit-learn's words


def sentence(e: Estimate, level: float, name: str = "") -> str:
    """ "AUC 0.989 (95 % CI 0.977 to 0.995)."; called `name` where that is given."""
    words = e.metric.replace("_", " ")
    known = e.metric.upper() if e.metric in ABBREVIATIONS else SCORER_NAMES.get(e.metric, words[:1].upper() + words[1:])
    if not e.has_interval:
        return f"{name or known} {shown(e.value, e.mc_se)}."
    low, high = e.ci(level)
    return f"{name or known} {shown(e.value, e.se)} ({100 * level:g} % CI {between(low, high, e.se)})."
