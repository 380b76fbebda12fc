"""apparent, sb, rb and star: rules tested on the cases they were trained on, on all, and on those they left out."""

from __future__ import annotations

from typing import Literal

import numpy as np

from trueness.errors import UndefinedError
from trueness.estimators.registry import ANY, Method, Undefined
from trueness.metrics.metric import Metric
from trueness.result import Estimate
from trueness.result.digits import counted
from trueness.result.interval import QUANTILES, RULES
from trueness.result.named import Estimand
from trueness.result.note import Note
from trueness.sample.fits import Fits
from trueness.sample.rows import Block
from trueness.typing import Floats

APPARENT = Method("apparent", "its value on the training cases", kinds=ANY, estimand=Estimand.RULE, order=40)
SB = Method(
    "sb",
    "the mean over bootstrap replicates on all cases",
    "yousef_assessment",
    kinds={"bootstrap"},
    estimand=Estimand.BOOTSTRAP_SETS,
    order=100,
)
RB = Method("rb", "the refined bootstrap", "yousef_assessment", kinds={"bootstrap"}, estimand=Estimand.RULE, order=110)
STAR = Method(
    "star",
    "the mean over bootstrap replicates",
    "yousef_auc",
    kinds={"bootstrap"},
    estimand=Estimand.BOOTSTRAP_SETS,
    order=140,
    recommended={"bootstrap"},
)
NO_SE_OF_APPARENT = Note(
    "no-se-apparent", "No standard error: the apparent value is optimistic, and an error bar would not show the bias."
)
NO_SE_OF_SB = Note("no-se-known", "No standard error is known for the simple bootstrap.", method="sb")
NO_SE_OF_RB = Note("no-se-known", "No standard error is known for the refined bootstrap.", method="rb")
NO_SE_OF_STAR = Note(
    "no-se-not-smooth",
    "No standard error: star is not a smooth function of the cases; loob and lpob estimate the same with one.",
    method="star",
)

Cases = Literal["left out", "all", "as drawn"]
"""Which cases a replicate is tested on: those it left out, all once, or its own training set."""


@APPARENT.on()
def apparent(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """The rule trained on all cases, tested on the same cases (Yousef, ML Assessment, eq. 27): optimistic."""
    return Estimate(apparent_value(fits, metric)).noting(NO_SE_OF_APPARENT)


def apparent_value(fits: Fits, metric: Metric) -> float:
    """The metric of the rule trained on all cases, on all cases."""

    def compute() -> float:
        full = fits.full()
        return float(metric.rows(full, full.ones)[0])

    return fits.cached(("apparent", metric.key), compute)


def replicate_values(fits: Fits, metric: Metric, cases: Cases) -> Floats:
    """(B,) the metric of each fit that did not fail; NaN where it is undefined."""
    return fits.cached(
        ("replicates", metric.key, cases),
        lambda: np.concatenate([metric.rows(block, _weights(block, cases)) for block in fits.blocks()]),
    )


def _weights(block: Block, cases: Cases) -> Floats:
    if cases == "all":
        return block.ones
    return block.left_out.astype(float) if cases == "left out" else block.counts.astype(float)


def mean_of_replicates(values: Floats) -> Estimate:
    """Mean over replicates; those without a value are dropped, with a note.

    A replicate has no value where it has no test case, or none of a class that the metric needs.
    """
    kept = ~np.isnan(values)
    if not kept.any():
        raise UndefinedError(
            "No replicate has test cases of every class that the metric needs",
            param="plan",
            got=counted(len(values), "replicate"),
        )
    b = int(kept.sum())
    mean = float(values[kept].mean())
    out = Estimate(mean, fold_sd=float(values[kept].std(ddof=1)) if b > 1 else None)
    if b > 1:
        mc = np.where(kept, values - mean, 0.0) / np.sqrt(b * (b - 1))
        out = out.with_(mc_influence=mc, mc_se=float(np.linalg.norm(mc)))  # SD / √B
    dropped = len(values) - b
    if dropped:
        are = "is" if dropped == 1 else "are"
        message = f"{counted(dropped, 'replicate')} with no test case, or none of a class, {are} dropped."
        out = out.noting(Note("replicates-dropped", message, dropped=dropped, of=len(values)))
    return out


def with_quantiles(result: Estimate, values: Floats) -> Estimate:
    """With the interval of quantiles of the values per replicate."""
    return result.with_(replicates=values[~np.isnan(values)], interval=RULES["quantile"]).noting(QUANTILES)


def _averaged(values: Floats, se: str | None, no_se: Note) -> Estimate:
    out = mean_of_replicates(values)
    return with_quantiles(out, values) if se == "quantile" else out.noting(no_se)


@SB.on(se=("none", "quantile"))
def sb(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean over replicates of the metric on all cases, trained on or not (Yousef, ML Assessment, eqs. 30 and 53)."""
    return _averaged(replicate_values(fits, metric, "all"), se, NO_SE_OF_SB)


@RB.on(se=("none", "quantile"))
def rb(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """apparent + mean over replicates of (metric on all cases − metric on the replicate's own training set).

    Yousef, ML Assessment, eqs. 34 and 55.
    """
    optimism = replicate_values(fits, metric, "as drawn")
    values = apparent_value(fits, metric) + replicate_values(fits, metric, "all") - optimism
    return _averaged(values, se, NO_SE_OF_RB)


@STAR.on(se=("none", "quantile"))
def star(fits: Fits, metric: Metric, *, se: str | None, undefined: Undefined) -> Estimate:
    """Mean over replicates of the metric on the left-out cases (Yousef, ML Assessment, eqs. 51b and 54b).

    A replicate that leaves out nothing (or nothing of a class) is dropped; the divisor is the number kept.
    """
    return _averaged(replicate_values(fits, metric, "left out"), se, NO_SE_OF_STAR)
