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
from karat.kernels.delong import delong_influence
from karat.kernels.fast import pair_margins, pair_orders
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


def replicates(alike: bool) -> karat.Fits:
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], N)
    counts = karat.Bootstrap(B).draw(y, rng=0).counts
    noise = rng.normal(size=(B, 2 * N))
    scores = 0.5 * y + (rng.normal(size=2 * N) + 0.2 * noise if alike else noise)
    return karat.Fits.from_arrays(y, counts, scores, plan="bootstrap", stratified=True)


def pair_steps(fits: karat.Fits) -> dict[str, float]:
    """Seconds of the steps of LPOB with its standard error, and of the whole public call."""
    up = fits.sample.codes == 1
    block = next(fits.blocks())
    out = block.left_out
    orders = pairs.order_pairs(block.scores, out, up)
    times = pairs.left_out_together(out[:, up], out[:, ~up])
    mean = pairs.psi_sums_of(orders) / times
    sweep = seconds(lambda: pairs.sweep_of(orders, mean, times))
    columns = seconds(lambda: pairs.margins_of(orders, mean, times, 1)) - seconds(
        lambda: pairs.totals_of(orders, mean, times, 1)
    )
    steps = {
        "order the left-out cases of each replicate": seconds(lambda: pairs.order_pairs(block.scores, out, up)),
        "D: pairs left out together, by bits": seconds(lambda: pairs.left_out_together(out[:, up], out[:, ~up])),
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
    fits = replicates(True)
    narrow = karat.estimate(fits, "auc", "lpob").se
    before, pair_margins.NARROW_FROM = pair_margins.NARROW_FROM, 2**62
    wide = karat.estimate(fits, "auc", "lpob").se
    wide_sweep = _row_sweep(fits, 2048)
    pair_margins.NARROW_FROM = before
    tiles = {width: _row_sweep(fits, width) for width in (256, 512, 1024, 2048)}
    print("One weighted sweep over the positives, in tiles of so many negatives:")
    print(", ".join(f"{width}: {1000 * t:.0f} ms" for width, t in tiles.items()) + ";")
    print(f"with weights of eight bytes: {1000 * wide_sweep:.0f} ms.")
    left_out, weights = out[:, :N].astype(float), np.random.default_rng(0).random((N, N))
    product = seconds(lambda: left_out @ weights)
    print(f"A matrix product of the left-out negatives and n2 × n1 weights: {1000 * product:.0f} ms.")
    print(f"Standard error with weights of four bytes {narrow:.10f}, of eight bytes {wide:.10f}.")


def _row_sweep(fits: karat.Fits, width: int) -> float:
    """Seconds of one weighted sweep over the positives, in tiles of this width."""
    up, block = fits.sample.codes == 1, next(fits.blocks())
    orders = pairs.order_pairs(block.scores, block.left_out, up)
    times = pairs.left_out_together(block.left_out[:, up], block.left_out[:, ~up])
    mean = pairs.psi_sums_of(orders) / times
    before, pair_orders.WIDTH = pair_orders.WIDTH, width
    taken = seconds(lambda: pairs.totals_of(orders, mean, times, 1))
    pair_orders.WIDTH = before
    return taken


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
        print_delong()
