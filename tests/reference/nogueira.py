"""Stability indices of the authors' own Python package (Nogueira, Sechidis & Brown 2018).

    PYTHONPATH=JMLR2018/python python nogueira.py > nogueira.json

where JMLR2018 is a copy of github.com/nogueirs/JMLR2018.
"""

import json

import numpy as np
from stability import confidenceIntervals, getVarianceofStability


def tables():
    rng = np.random.default_rng(4)
    yield "random", rng.random((30, 12)) < 0.4
    yield "stable", rng.random((50, 20)) < np.linspace(0.02, 0.98, 20)
    yield "one size", np.array([np.isin(np.arange(10), rng.permutation(10)[:3]) for _ in range(25)])
    yield "two sets", np.array([[1, 1, 0, 0, 1], [1, 0, 0, 0, 1]])
    yield "sizes differ", rng.random((40, 15)) < rng.random((40, 1))


def main():
    out = []
    for name, table in tables():
        z = np.asarray(table, dtype=int)
        found, limits = getVarianceofStability(z), confidenceIntervals(z)
        numbers = {"stability": found["stability"], "variance": found["variance"]}
        out.append({"name": name, "table": z.tolist(), **numbers, "limits": [limits["lower"], limits["upper"]]})
    print(json.dumps({"made_with": "nogueirs/JMLR2018, python/stability", "sets": out}))


if __name__ == "__main__":
    main()
