"""Where the time of the leave-pair-out bootstrap and of DeLong's interval goes: the tables of docs/performance.md.

    python docs/programs/kernel_profile.py

CPU time of one thread, the least of several runs. The scores of the replicates are independent noise, or one score a
case with a little noise, as refits of one model give.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import karat
from karat.kernels import pairs
from karat.formulas.delong import delong_influence
from karat.kernels.fast import pair_margins
from karat.sample.scored import Scored

N, B = 2000, 1000


def seconds(function: Callable[[], Any], repeats: int = 7) -> float:
    """The least CPU time of a call, after one that nobody counts."""
    function()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def replicates(alike: bool, n: int = N, b: int = B, effect: float = 0.5) -> karat.Fits:
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], n)
    counts = karat.Bootstrap(b).draw(y, rng=0).counts
    noise = rng.normal(size=(b, 2 * n))
    scores = effect * y + (rng.normal(size=2 * n) + 0.2 * noise if alike else noise)
    return karat.Fits.from_arrays(y, counts, scores, plan="bootstrap", stratified=True)


def tables(fits: karat.Fits) -> tuple[pairs.Orders, np.ndarray, np.ndarray]:
    """The order of the left-out cases, the pairs won, and D."""
    up, block = fits.sample.codes == 1, next(fits.blocks())
    orders = pairs.order_pairs(block.scores, block.left_out, up)
    return orders, pairs.psi_sums_of(orders), pairs.left_out_together(block.left_out, up)


def pair_steps(fits: karat.Fits) -> dict[str, float]:
    """Seconds of the steps of LPOB with its standard error, and of the whole public call."""
    up, block = fits.sample.codes == 1, next(fits.blocks())
    out = block.left_out
    orders, won, times = given = tables(fits)
    sweep = seconds(lambda: pairs.sweep_of(*given))
    columns = seconds(lambda: pair_margins._column_margins(orders, won, times, 1, pair_margins.ONE))
    steps = {
        "order the left-out cases of each replicate": seconds(lambda: pairs.order_pairs(block.scores, out, up)),
        "D: pairs left out together, by bits": seconds(lambda: pairs.left_out_together(out, up)),
        "A: count the pairs won": seconds(lambda: pairs.psi_sums_of(orders)),
        "r of every positive (D − 1) and of every replicate (D)": sweep - columns,
        "r of every negative (D − 1)": columns,
    }
    whole = seconds(lambda: karat.estimate(fits, "auc", "lpob"))
    steps["noise of the replicates, first term, checks"] = whole - sum(steps.values())
    return {**steps, "whole call": whole}


def print_pairs() -> None:
    noise, alike = (pair_steps(replicates(alike)) for alike in (False, True))
    print(f"| step, n1 = n2 = {N}, B = {B} | independent scores, ms | scores of refits, ms |\n|---|---|---|")
    for name in noise:
        print(f"| {name} | {1000 * noise[name]:.0f} | {1000 * alike[name]:.0f} |")
    out = next(replicates(False).blocks()).left_out
    negatives, positives = (out[:, half].sum(axis=1) for half in (slice(0, N), slice(N, None)))
    print(
        f"\nA sweep over the positives compares {positives.sum() * N / 1e9:.2f}·10⁹ pairs: those of a left-out positive"
    )
    print(f"with any negative; in {positives @ negatives / 1e9:.2f}·10⁹ of them the negative was left out too.")
    given = tables(replicates(True))
    parts = {"one": pair_margins.ONE, "three": pair_margins.THREE}
    times = {name: seconds(lambda k=k: pair_margins._column_margins(*given, 1, k)) for name, k in parts.items()}
    with_eight_bytes(lambda: times.update(eight=seconds(lambda: pairs.totals_of(*given, 1))))
    print(f"One sweep with one number of two bytes a weight: {1000 * times['one']:.0f} ms, with three of them")
    print(f"{1000 * times['three']:.0f} ms; with weights of eight bytes {1000 * times['eight']:.0f} ms.")


def with_eight_bytes(function: Callable[[], Any]) -> Any:
    """A call in which all weights have eight bytes."""
    before, pair_margins.NARROW_FROM = pair_margins.NARROW_FROM, 2**62
    found = function()
    pair_margins.NARROW_FROM = before
    return found


def print_accuracy() -> None:
    """By how much two-byte weights change the standard errors."""
    print("\n| n1 = n2 | B | scores | AUC | corrected se | its change | exact se | its change |")
    print("|---|---|---|---|---|---|---|---|")
    settings = [
        (2000, 1000, False, 0.5),
        (2000, 1000, True, 0.5),
        (2000, 1000, True, 4.0),
        (500, 1000, True, 0.5),
        (500, 1000, True, 4.0),
        (1000, 600, True, 2.0),
    ]
    for n, b, alike, effect in settings:
        fits = replicates(alike, n, b, effect)
        found = karat.estimate(fits, "auc", "lpob")
        exact = with_eight_bytes(lambda fits=fits: karat.estimate(fits, "auc", "lpob"))
        assert found.value == exact.value
        of_two, of_eight = np.linalg.norm(found.influence), np.linalg.norm(exact.influence)
        print(
            f"| {n} | {b} | {'refits' if alike else 'independent'} | {found.value:.3f} | {exact.se:.6f} | "
            f"{found.se / exact.se - 1:.0e} | {of_eight:.6f} | {of_two / of_eight - 1:.0e} |"
        )


def print_delong() -> None:
    rng = np.random.default_rng(3)
    n = 100_000
    y = np.arange(n) % 2
    scores = rng.normal(size=n) + 0.5 * y
    data = Scored.of(y, scores)
    print("\n| step, n = 100,000 | ms |\n|---|---|")
    checks, vector = seconds(lambda: Scored.of(y, scores)), seconds(lambda: delong_influence(scores, data.positive))
    whole = seconds(lambda: karat.roc(y, scores).auc)
    print(f"| checks of labels and scores | {1000 * checks:.2f} |\n| DeLong's vector | {1000 * vector:.2f} |")
    print(f"| whole call | {1000 * whole:.2f} |")


if __name__ == "__main__":
    with threadpool_limits(1):
        print_pairs()
        print_accuracy()
        print_delong()
