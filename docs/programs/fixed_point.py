"""Moments in fixed point: how quick the sums are, and how exact the scores (docs/performance.md).

python docs/programs/fixed_point.py prints both tables.
"""

from __future__ import annotations

import numpy as np
from kernel_profile import seconds
from threadpoolctl import threadpool_limits

from karat.fitting.batched import summands
from karat.fitting.batched.lda import LDA
from karat.fitting.batched.moments import Features
from karat.fitting.batched.naive_bayes import NaiveBayes
from karat.fitting.batched.qda import QDA
from karat.kernels.byte_sums import byte_digits, byte_sums, largest_products, quanta

SIZES = ((1000, 20), (10_000, 50))
RULES = {
    "LDA": lambda X, y: LDA(Features.of(X, y, 2, products=True), 1e-4),
    "QDA": lambda X, y: QDA(Features.of(X, y, 2, products=True), X, 0.0, 1e-4, False),
    "naive Bayes": lambda X, y: NaiveBayes(Features.of(X, y, 2, products=False), 1e-9, False),
}
TABLES = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "t with 3 degrees of freedom": lambda rng, shape: rng.standard_t(3, size=shape),
    "yes or no": lambda rng, shape: rng.integers(0, 2, size=shape).astype(float),
}


def rates() -> None:
    print("| sums of 512 training sets | double precision, ms | 3 digits | 5 digits | 6 digits |")
    print("|---|---|---|---|---|")
    rng = np.random.default_rng(0)
    for n, p in SIZES:
        m = n // 2
        columns = np.ones((1 + p, m))
        columns[1:] = rng.normal(size=(p, m))
        first, second = np.triu_indices(1 + p)
        counts = rng.poisson(1, size=(512, n)).astype(np.uint8)
        cases = np.arange(0, n, 2)
        phi, drawn = columns[first] * columns[second], counts[:, cases].astype(float)
        times = [seconds(lambda phi=phi, drawn=drawn: phi @ drawn.T)]
        for digits in (3, 5, 6):
            quantum = quanta(largest_products(columns, first, second), digits)
            part = byte_digits(columns, first, second, digits, quantum)[0], quantum
            times.append(seconds(lambda part=part, c=counts, i=cases: byte_sums([part], c, i)))
        row = " | ".join(f"{1e3 * t:.3g}" for t in times)
        print(f"| {m:,} cases of a class, {p} features | {row} |", flush=True)


def errors() -> None:
    print("| largest difference of scores, in units of 1e-8 (1 + score) | 4 digits | 5 digits | 6 digits | taken |")
    print("|---|---|---|---|---|")
    n, p = 1000, 20
    summands.byte_sums = byte_sums.reference  # which takes any number of digits
    for table, draw in TABLES.items():
        rng = np.random.default_rng(1)
        y = np.arange(n) % 2
        X = draw(rng, (n, p)) + 0.3 * y[:, None]
        counts = rng.multinomial(n, np.full(n, 1 / n), size=256).astype(np.uint8)
        for name, rule in RULES.items():
            cells = []
            exact = rule(X, y)
            exact.rules.__dict__["fixed"] = []  # in double precision
            truth = exact.margins(counts).values
            for digits in (4, 5, 6):
                engine = rule(X, y)
                tables = [c.rounded((("all", digits, np.inf),)) for c in engine.rules.classes]  # whatever the error
                engine.rules.__dict__["fixed"] = tables
                off = np.abs(engine.margins(counts).values - truth) / (1e-8 + 1e-8 * np.abs(truth))
                cells.append(f"{off.max():.2g}")
            taken = rule(X, y).rules.fixed
            cells.append(f"{taken[0].digits}" if taken else "double precision")
            print(f"| {table}: {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    summands.SMALL = 0
    with threadpool_limits(1):
        rates()
        print()
        errors()
