"""K007: given splits have a group on both sides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karat.errors import Setting
from karat.hygiene.data import Data
from karat.hygiene.findings import Finding
from karat.hygiene.registry import check_for
from karat.result.digits import counted


@check_for("K007")
def split_groups(data: Data) -> Iterator[Finding]:
    """Groups that some split trains on and tests."""
    groups = data.sample.groups
    if data.design is None or groups is None:
        return
    both: set[int] = set()
    splits = 0
    for f in range(data.design.n_fits):
        trained = groups[data.design.rows(slice(f, f + 1))[0] > 0]
        shared = np.intersect1d(trained, groups[data.design.tested(f)]).tolist()
        both.update(shared)
        splits += bool(shared)
    if both:
        yield Finding(
            "K007",
            (
                f"{counted(splits, 'split')} of {data.design.n_fits} train and test on cases of the same group "
                f"({len(both)} of {int(groups.max()) + 1} groups). A model may recognize the group instead of the "
                "class. Use a splitter that keeps groups together, e.g. StratifiedGroupKFold, or let a karat plan "
                "draw the splits with ",
                Setting("groups"),
                ".",
            ),
            "warning",
            groups=len(both),
            splits=splits,
        )
