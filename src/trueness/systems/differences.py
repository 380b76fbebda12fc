"""Systems that answered the same items: values, paired differences, tests, and their joint distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from trueness.comparisons.decision_tests import Tango, mcnemar_counts
from trueness.comparisons.p_values import tail
from trueness.errors import InputError
from trueness.formulas.auc import delong_influence
from trueness.formulas.groups import delong_in_groups
from trueness.formulas.intervals import quantile
from trueness.formulas.max_t import MaxT
from trueness.result import Estimate, Note
from trueness.result.interval import LOGIT, WALD, WILSON
from trueness.result.named import CLUSTERED, DELONG, PAIRED
from trueness.result.test_result import NO_DIFFERENCE, TestResult
from trueness.sample.auc_estimate import auc_of_scores, satterthwaite
from trueness.sample.scored import Scored
from trueness.systems.items import Items, SystemMetric
from trueness.typing import Floats

POWER = 0.8  # of the smallest detectable difference
ROUNDING_ERROR = 1e-12  # a spread this small, relative to the values, is 0
RANGES = {"accuracy": (0.0, 1.0), "error": (0.0, 1.0), "auc": (0.0, 1.0), "score": (-math.inf, math.inf)}

FIXED_SYSTEMS = "the systems are fixed: none was trained, tuned or chosen on these items."
INDEPENDENT = "the {units} are independent draws from those of interest."


@dataclass(frozen=True, eq=False)
class Measured:
    """The values of k systems, and what every item adds to them."""

    items: Items
    metric: SystemMetric
    means: Floats  # (n, k) item means over runs; of an AUC the mean scores
    values: Floats  # (k,)
    influence: Floats  # (n, k): summed within units, the squares add up to the variance

    @property
    def binary(self) -> bool:
        """Whether every value is 0 or 1, of independent items: then McNemar's test applies."""
        one = self.items.clusters is None and self.metric in ("accuracy", "error")
        return one and self.items.n_runs == 1

    def sums(self, influence: Floats) -> Floats:
        """Influence summed within units."""
        return np.asarray(np.bincount(self.items.units, influence), dtype=float)

    def se(self, influence: Floats) -> float:
        return float(np.linalg.norm(self.sums(influence)))


def measure(items: Items, metric: SystemMetric) -> Measured:
    values = 1 - items.values if metric == "error" else items.values
    means = np.nanmean(values, axis=0)
    n, c = items.n, items.n_units
    if metric == "auc":
        return Measured(items, metric, means, *_aucs(items))
    centres = means.mean(axis=0)
    # Var = C/(C − 1) Σ_c (Σ_{i in c} (v_i − v̄))²/n² (Miller 2024, clustered, with C/(C − 1)); C = n: s²/n
    return Measured(items, metric, means, centres, (means - centres) / n * math.sqrt(c / (c - 1)))


def _aucs(items: Items) -> tuple[Floats, Floats]:
    """The mean AUC of a run and its influence: DeLong's, averaged over runs, since runs share their items."""
    assert items.positive is not None
    up = items.positive
    values, influence = np.empty(len(items.systems)), np.empty((items.n, len(items.systems)))
    for k in range(len(items.systems)):
        runs = [scores for scores in items.values[:, :, k] if not np.isnan(scores).any()]
        parts = [delong_influence(scores, up) for scores in runs]
        values[k] = np.mean([value for value, _ in parts])
        influence[:, k] = np.mean([g for _, g in parts], axis=0)
    if np.isnan(influence).any():
        raise InputError("A class has only 1 item; at least 2 are required", param="truth")
    if items.clusters is not None:
        influence = delong_in_groups(influence.T, up.astype(int), items.clusters).T
    return values, influence


def system_estimate(m: Measured, k: int) -> Estimate:
    """One system's own value."""
    items, value = m.items, float(m.values[k])
    if m.metric == "auc" and items.clusters is None and items.n_runs == 1 and items.positive is not None:
        return auc_of_scores(Scored(items.values[0, :, k], items.positive)).with_(estimand=_estimand(m))
    out = _estimate(m, value, m.influence[:, k]).with_(
        metric=m.metric,
        estimand=_estimand(m),
        bounds=RANGES[m.metric],
        interval={"auc": LOGIT, "score": WALD}.get(m.metric, WILSON),
        plain=m.binary,
    )
    inside = not m.binary and value not in out.bounds  # at the ends of the range the interval is exact
    if inside and out.se is not None and out.se < ROUNDING_ERROR * max(abs(value), 1.0):
        message = "No standard error: all items or clusters have the same value, so the formula gives 0."
        return out.with_(se=None, se_method=None).noting(Note("no-se-zero-variance", message))
    return out


def _estimate(m: Measured, value: float, g: Floats) -> Estimate:
    """A value with this influence, its standard error and what that rests on."""
    by = DELONG if m.metric == "auc" else PAIRED
    return Estimate(
        value,
        se=m.se(g),
        influence=g,
        se_method=by if m.items.clusters is None else by.plus(CLUSTERED),
        cases=_independent(m),
        tested=m.items.n,
        df=None if m.binary else _df(m, g),
    )


def _estimand(m: Measured) -> str:
    run = "mean over runs of " if m.items.n_runs > 1 else ""
    return f"{run}this system on all {'items' if m.items.clusters is None else 'clusters'} like these"


def _df(m: Measured, influence: Floats) -> float | None:
    """C − 1 for C clusters, of an AUC those of the class that has fewer; without clusters n − 1, of an AUC
    Satterthwaite's over the classes, where these are small."""
    if m.items.clusters is None and m.items.positive is not None:
        return satterthwaite(influence, m.items.positive.astype(np.intp))
    return float(_independent(m) - 1)


def _independent(m: Measured) -> int:
    """Number of independent units behind a value; of an AUC, of the class that has fewer."""
    up, units = m.items.positive, m.items.units
    return m.items.n_units if up is None else min(len(np.unique(units[of])) for of in (up, ~up))


def paired_difference(m: Measured, i: int, j: int) -> Estimate:
    """first − second, with the standard error of the paired differences."""
    items, (low, high) = m.items, RANGES[m.metric]
    out = _estimate(m, float(m.values[i] - m.values[j]), m.influence[:, i] - m.influence[:, j]).with_(
        metric=f"{m.metric} difference", estimand="these systems", bounds=(low - high, high - low)
    )
    size = max(float(np.abs(m.means[:, [i, j]]).max()), ROUNDING_ERROR)
    if abs(out.value) < ROUNDING_ERROR * size:
        out = out.with_(value=0.0)
    if m.binary:
        gap = m.means[:, i] - m.means[:, j]
        out = out.with_(interval=Tango(int((gap > 0).sum()), int((gap < 0).sum()), items.n))
        return out.with_(se=None) if out.se is not None and out.se < ROUNDING_ERROR else out
    if out.se is not None and out.se < ROUNDING_ERROR * size:
        if np.array_equal(items.values[..., i], items.values[..., j], equal_nan=True):
            return out.with_(value=0.0, se=0.0).noting(
                Note("identical-inputs", "The two inputs are equal in every case.")
            )
        message = "No standard error: the difference is the same in every item or cluster, so the formula gives 0."
        return out.with_(se=None, se_method=None).noting(Note("no-se-zero-variance", message))
    return out


def joint_distribution(m: Measured, differences: Mapping[tuple[int, int], Estimate]) -> MaxT:
    """The joint distribution of all differences over their standard errors."""
    sums = np.stack([m.sums(g) for g in m.influence.T])  # (k, units)
    roots, vectors = np.linalg.eigh(sums @ sums.T)
    factor = vectors * np.sqrt(roots.clip(0))  # (k, k): Σ = factor factorᵀ
    loadings = np.array([factor[i] - factor[j] for i, j in differences])
    lengths = np.linalg.norm(loadings, axis=1, keepdims=True)
    moving = np.array([[bool(d.se)] for d in differences.values()])
    loadings = np.divide(loadings, lengths, out=np.zeros_like(loadings), where=moving & (lengths > 0))
    directions, scales, _ = np.linalg.svd(loadings, full_matrices=False)
    rank = max(int((scales > 1e-9).sum()), 1)
    dfs = [d.df for d in differences.values() if d.df is not None] or [float(m.items.n_units - 1)]
    return MaxT(directions[:, :rank] * scales[:rank], min(dfs))


def paired_test(d: Estimate, m: Measured) -> TestResult | None:
    """McNemar's mid-p of 0/1 values, else value / se by Student's t; None where there is no standard error."""
    units = "items" if m.items.clusters is None else "clusters"
    assumptions = (FIXED_SYSTEMS, INDEPENDENT.format(units=units))
    if isinstance(d.interval, Tango):
        first_better = d.interval.second if m.metric == "error" else d.interval.first
        mcnemar = mcnemar_counts(first_better, d.interval.discordant - first_better, "mid-p", n=d.interval.n)
        return replace(mcnemar, difference=d, assumptions=assumptions)
    if d.se is None:
        return None
    name = ("DeLong, paired" if m.metric == "auc" else "Paired t") + (", clustered" * (m.items.clusters is not None))
    if d.se == 0:
        return TestResult(name, 0.0, 1.0, d.df, difference=d, assumptions=assumptions, notes=(NO_DIFFERENCE,))
    t = d.value / d.se
    return TestResult(name, t, tail(t, "two-sided", d.df), d.df, difference=d, assumptions=assumptions)


def details(m: Measured, i: int, j: int, d: Estimate, pair_level: float) -> dict[str, float | None]:
    """Correlation over items, smallest detectable difference, McNemar's exact p, design effect."""
    a, b = m.influence[:, i], m.influence[:, j]
    spread = float(np.linalg.norm(a) * np.linalg.norm(b))
    out: dict[str, float | None] = {"correlation": float(a @ b) / spread if spread > 0 else None, "detectable": None}
    if d.se:
        # (t_{1−α/2} + t_{power}) se: Bloom (1995); Miller (2024), power analysis
        out["detectable"] = (quantile(pair_level, d.df) + quantile(2 * POWER - 1, d.df)) * d.se
    if isinstance(d.interval, Tango):
        out["p_exact"] = mcnemar_counts(d.interval.first, d.interval.second, "exact").p_value
    if m.items.clusters is not None:
        n, c = m.items.n, m.items.n_units
        alone = float(np.linalg.norm(a - b)) * math.sqrt((c - 1) / c * n / (n - 1))  # as if items were independent
        out["design_effect"] = (d.se / alone) ** 2 if d.se and alone > 0 else None
    return out
