"""The measures that `trueness.diagnose` shows of two classes; d[name] has every metric that is a function of a table."""

from __future__ import annotations

from trueness.metrics.table import Measure, measure_of

SHOWN = (
    "tpf", "fpf", "tnf", "fnf", "ppv", "npv", "dlr_positive", "dlr_negative", "odds_ratio", "accuracy", "error",
    "balanced_accuracy", "youden", "mcc", "kappa", "f1", "prevalence",
)  # fmt: skip

MEASURES: dict[str, Measure] = {name: measure_of(name) for name in SHOWN}
