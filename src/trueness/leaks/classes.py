"""L020: labels look like several ways to write one answer. L021: a class of several has few cases."""

from collections.abc import Iterator

import numpy as np

from trueness.leaks.findings import Data, Finding, leak_check
from trueness.sample.labels import listed, same_answers

FEW_CASES = 10  # of a class
MANY_TIMES = 10  # as many cases has the largest class, beside which one of few cases may be a mistake


@leak_check(L020="labels look like several ways to write one answer", L021="a class of several has few cases")
def classes(data: Data) -> Iterator[Finding]:
    """Labels such as Y beside Yes, and classes of few cases beside large ones."""
    labels = data.sample.classes.tolist()
    sizes = np.bincount(data.sample.codes, minlength=len(labels))
    same = same_answers(labels)
    if same:
        each = " and ".join(listed(found) for found in same)
        yield Finding(
            "L020",
            f"Labels {each} look like several ways to write one answer. Write them in one way before anything else.",
            "warning",
            labels=same,
        )
    known = {label for found in same for label in found}
    few = [
        (label, int(n))
        for label, n in zip(labels, sizes, strict=True)
        if 0 < n < FEW_CASES and n * MANY_TIMES <= sizes.max() and label not in known
    ]
    if few and len(labels) > 2:
        each = listed([f"{label!r} ({n})" for label, n in few], str)
        yield Finding(
            "L021",
            f"Classes with fewer than {FEW_CASES} cases: {each}. Correct other spellings and mistakes.",
            "info",
            labels=[label for label, _ in few],
        )
