"""L020: labels look like several ways to write one answer. L021: a class of several has few cases."""

from collections.abc import Iterator

import numpy as np

from trueness.leaks.findings import Data, Finding, leak_check
from trueness.result.words import counted
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
            f"Labels {each} look like several ways to write one answer, and count as "
            f"{counted(len(labels), 'class', 'classes')}. Write them in one way before anything else.",
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
            f"{'Class' if len(few) == 1 else 'Classes'} {each} {'has' if len(few) == 1 else 'have'} fewer than "
            f"{FEW_CASES} cases, beside classes of many. If it is another spelling or a mistake, correct it; else its "
            "measures are uncertain.",
            "info",
            labels=[label for label, _ in few],
        )
