"""The numbers of lpob_numbers.json, printed when this is run as a program.

They were written with the plain NumPy sums over replicates, before the sweep over pairs was compiled and reordered, and
stay as they are: whoever reorders the sums again must get them to 1e-12. Those of groups were written again when pairs
of one group no longer counted; a plain loop has the value, enumeration the influence.
"""

import json
import math

import numpy as np

import trueness
from trueness.estimators.estimation import bind
from trueness.estimators.influence import Contrast, second_order
from trueness.estimators.influence.pair_influence import PairMeans
from trueness.estimators.influence.second_order import orders_of, pade


def fits(case):
    """Bootstrap replicates of made-up scores; `case` names what is special about them."""
    rng = np.random.default_rng(sum(map(ord, case)))
    draws = np.random.default_rng(5)
    classes = 3 if "three classes" in case else 2
    n, b = 30, 300
    y = np.arange(n) % classes
    groups = np.arange(n) // 3 if "groups" in case else None
    unit = np.arange(n) if groups is None else groups
    stratified = "unstratified" not in case and groups is None
    strata = [np.flatnonzero(y == c) for c in range(classes)] if stratified else [np.arange(unit.max() + 1)]
    drawn = np.zeros((b, unit.max() + 1), dtype=int)
    for stratum in strata:
        drawn[:, stratum] = draws.multinomial(len(stratum), np.full(len(stratum), 1 / len(stratum)), size=b)
    counts = drawn[:, unit]
    noise = rng.normal(size=(b, n, classes)) + rng.normal(size=(n, classes))
    scores = noise + 0.8 * np.eye(classes)[y]
    scores = np.round(scores) if "ties" in case else scores
    scores = scores[:, :, 1] if classes == 2 else scores
    if "not scored" in case:
        scores = np.where(counts > 0, np.nan, scores)
    return trueness.Fits.from_arrays(
        y,
        counts,
        scores,
        positive=1 if classes == 2 else None,
        plan="bootstrap",
        groups=groups,
        stratified=stratified and "fixed",
    )


CASES = (
    "plain",
    "ties",
    "unstratified",
    "three classes",
    "three classes, unstratified, ties",
    "groups",
    "not scored",
)


def numbers(estimate):
    return {
        "value": estimate.value,
        "se": estimate.se,
        "mc_se": estimate.mc_se,
        "influence": estimate.influence.tolist(),
        "mc_influence": np.asarray(estimate.mc_influence)[:20].tolist(),
    }


def every_number():
    out = {}
    for case in CASES:
        found = fits(case)
        for se in ("influence-corrected", "influence"):
            out[f"{case}: {se}"] = numbers(trueness.estimate(found, "auc", "lpob", se=se, undefined="skip"))
    a, b = fits("plain"), fits("ties")
    for se in ("influence-corrected", "influence", "second-order"):
        out[f"difference: {se}"] = numbers(trueness.difference(a, b, "auc", "lpob", se=se, undefined="skip"))
    # the sums of the second order over all pairs of cases, whatever their noise
    trusted, second_order.TRUSTED_NOISE = second_order.TRUSTED_NOISE, math.inf
    orders = orders_of(PairMeans.over(Contrast(a, bind(a, "auc"), b, undefined="skip")))
    second_order.TRUSTED_NOISE = trusted
    out["difference: second-order"]["se"] = math.sqrt(pade(orders.v1, orders.v2) + orders.monte_carlo)
    return out


if __name__ == "__main__":
    print(json.dumps(every_number(), indent=0))
