"""A small table that the tests of the command line share."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def table(tmp_path):
    """60 patients: two numbers (one with gaps), text, groups of two, and the label y."""
    rng = np.random.default_rng(0)
    n = 60
    y = np.repeat(["well", "sick"], n // 2)
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n) + 8 * (y == "sick"),
            "dose": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(3)),
            "site": rng.choice(["north", "south", "east"], n),
            "patient": np.arange(n) // 2,
            "y": y,
        }
    )
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path
