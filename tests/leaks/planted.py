"""Clean tables into which the tests plant one leak each."""

import numpy as np
import pandas as pd


def clean(n=200, seed=0, classes=2):
    """(X, y): three normal columns, one of them weakly related to the class, and a category; rows in random order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    X["a"] += 0.8 * y
    X["site"] = rng.choice(["north", "south", "east"], n)
    return X, y
