"""The measures of a table of two classes: definitions, names used elsewhere, and what each needs."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from trueness.errors import InputError
from trueness.formulas import tables
from trueness.typing import Array, Floats

TableFunction = Callable[[Array], Array]  # (..., C, C) tables → (...) numbers

Cells = tuple[tuple[int, int], ...]  # (truth, decision); 0 negative, 1 positive

TN, FP, FN, TP = (0, 0), (0, 1), (1, 0), (1, 1)


@dataclass(frozen=True)
class Measure:
    """One measure."""

    name: str
    function: TableFunction  # (..., 2, 2) tables → numbers
    title: str  # for the documentation
    formula: str
    aliases: tuple[str, ...] = ()
    hits: Cells = ()  # cells of a share Σ hits / Σ out_of
    out_of: Cells = ()
    # what a share conditions on. The study design determines for which of these a share is a plain binomial proportion.
    given: Literal["truth", "decision", "nothing", ""] = ""
    needs_prevalence: bool = False  # whether a case-control study needs a given prevalence
    bounds: tuple[float, float] = (0.0, 1.0)  # range
    ratio: bool = False  # A ratio: its logarithm is nearly normal, and ½ is added to every cell where one is empty
    # A correlation of truth and decision: its plug-in variance is too small where a cell is empty
    correlation: bool = False
    linear: bool = False  # A mean over the cases, Σ c_ij P(i, j)
    averaged: bool = False  # A mean over classes, in which a class of few cases may have a large weight

    def trials(self, counts: Array) -> tuple[int, int]:
        """x and n of a share."""
        return int(sum(counts[c] for c in self.hits)), int(sum(counts[c] for c in self.out_of))


def _share(hits: Cells, out_of: Cells, t: Array) -> Array:
    share: Array = np.sum([t[..., i, j] for i, j in hits], axis=0) / np.sum([t[..., i, j] for i, j in out_of], axis=0)
    return share


def _of_truth(name: str, hit: tuple[int, int], title: str, formula: str, *aliases: str) -> Measure:
    row = ((hit[0], 0), (hit[0], 1))
    return Measure(name, partial(_share, (hit,), row), title, formula, aliases, (hit,), row, given="truth")


def _of_decision(name: str, hit: tuple[int, int], title: str, formula: str, *aliases: str) -> Measure:
    column = ((0, hit[1]), (1, hit[1]))
    function = partial(_share, (hit,), column)
    return Measure(name, function, title, formula, aliases, (hit,), column, given="decision", needs_prevalence=True)


def _of_all(name: str, hits: Cells, title: str, formula: str, *aliases: str) -> Measure:
    every = (TN, FP, FN, TP)
    function = partial(_share, hits, every)
    return Measure(
        name, function, title, formula, aliases, hits, every, given="nothing", needs_prevalence=True, linear=True
    )


def cost(costs: Floats) -> Measure:
    """Mean cost per case."""
    bounds = (float(costs.min()), float(costs.max()))
    function = partial(tables.mean_cost, costs=costs)
    return Measure("cost", function, "mean cost", "Σ c P", needs_prevalence=True, bounds=bounds, linear=True)


def _ratio(name: str, function: TableFunction, title: str, formula: str, *aliases: str) -> Measure:
    return Measure(name, function, title, formula, aliases, bounds=(0.0, math.inf), ratio=True)


def f_beta(beta: float) -> Measure:
    """F_β for one β in [0, ∞]."""
    if not isinstance(beta, numbers.Real) or not float(beta) >= 0:
        raise InputError("beta must be a number ≥ 0", param="beta", got=repr(beta))
    function = partial(tables.f_beta, beta=float(beta))
    name = "f_beta(inf)" if math.isinf(beta) else f"f{beta:g}"
    return Measure(name, function, f"F{beta:g}", "(1 + β²) PPV TPF / (β² PPV + TPF)", needs_prevalence=True)


_ALL = [
    _of_truth("tpf", TP, "true positive fraction", "TP / (TP + FN)",
              "sensitivity", "Se", "recall", "true positive rate", "TPR", "hit rate", "detection rate", "power"),
    _of_truth("fpf", FP, "false positive fraction", "FP / (FP + TN)",
              "false positive rate", "FPR", "1 − specificity", "false alarm rate", "fall-out", "type I error rate"),
    _of_truth("tnf", TN, "true negative fraction", "TN / (FP + TN)",
              "specificity", "Sp", "true negative rate", "TNR", "selectivity"),
    _of_truth("fnf", FN, "false negative fraction", "FN / (TP + FN)",
              "miss rate", "false negative rate", "FNR", "1 − sensitivity", "type II error rate"),
    _of_decision("ppv", TP, "positive predictive value", "TP / (TP + FP)",
                 "precision", "1 − false discovery rate", "post-test probability after a positive result"),
    _of_decision("npv", TN, "negative predictive value", "TN / (TN + FN)", "1 − false omission rate"),
    _ratio("dlr_positive", tables.dlr_positive, "positive diagnostic likelihood ratio", "TPF / FPF",
           "DLR+", "LR+", "positive likelihood ratio"),
    _ratio("dlr_negative", tables.dlr_negative, "negative diagnostic likelihood ratio", "(1 − TPF) / (1 − FPF)",
           "DLR−", "LR−", "negative likelihood ratio"),
    _ratio("odds_ratio", tables.odds_ratio, "diagnostic odds ratio", "TP TN / (FP FN)",
           "DOR", "OR", "cross-product ratio"),
    _of_all("accuracy", (TN, TP), "accuracy", "(TP + TN) / n",
            "proportion correct", "observed agreement", "micro F1 of several classes"),
    _of_all("error", (FP, FN), "error rate", "(FP + FN) / n",
            "misclassification rate", "pmc", "0–1 loss", "1 − accuracy"),
    Measure("balanced_accuracy", tables.balanced_accuracy, "balanced accuracy", "(TPF + TNF) / 2",
            ("mean accuracy of the classes", "macro recall", "AUC of a single point")),
    Measure("youden", tables.youden, "Youden's index", "TPF − FPF",
            ("J", "informedness", "Peirce's skill score", "true skill statistic", "risk difference"),
            bounds=(-1.0, 1.0)),
    Measure("mcc", tables.mcc, "Matthews' correlation coefficient",
            "(TP TN − FP FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))",
            ("φ coefficient", "Pearson's correlation of truth and decision", "R_K of several classes"),
            needs_prevalence=True, bounds=(-1.0, 1.0), correlation=True),
    Measure("kappa", tables.kappa, "Cohen's kappa", "(p_o − p_e) / (1 − p_e)",
            ("chance-corrected agreement", "Heidke's skill score"), needs_prevalence=True, bounds=(-1.0, 1.0),
            correlation=True),
    Measure("f1", partial(tables.f_beta, beta=1.0), "F1", "2 TP / (2 TP + FP + FN)",
            ("F-measure", "F-score", "Dice's coefficient", "Sørensen–Dice coefficient"), needs_prevalence=True),
    _of_all("prevalence", (FN, TP), "prevalence", "(TP + FN) / n", "prior", "base rate", "pre-test probability"),
]  # fmt: skip

MEASURES: dict[str, Measure] = {m.name: m for m in _ALL}


def _bare(name: str) -> str:
    """Without capitals, typographic signs and spaces: "LR−" is "lr-", "Miss rate" is "miss_rate".

    Names of one or two letters keep their capitals: "Se" is the TPF, while "se" is not a measure.
    """
    signs = {"−": "-", "–": "-", " ": "_", "’": "'", "ø": "o"}
    bare = name.strip()
    return "".join(signs.get(c, c) for c in (bare if len(bare) <= 2 else bare.casefold()))


# names used elsewhere: the last column of the table in docs/diagnostic.md
ALIASES: dict[str, str] = {
    **{_bare(alias): m.name for m in _ALL for alias in m.aliases},
    **{name: name for name in MEASURES},
}


def canonical_name(name: object) -> str | None:
    """trueness's name of a measure given under any of its names; None where it is unknown."""
    return ALIASES.get(_bare(name)) if isinstance(name, str) else None
