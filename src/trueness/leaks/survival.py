"""L022: a follow-up time stands beside a status, so that some cases may be censored."""

import re
from collections.abc import Iterator

import numpy as np

from trueness.leaks.columns import separation
from trueness.leaks.findings import MIN_ROWS, Data, Finding, leak_check, named

TIME = re.compile(r"(.*[_. -])?(fu|s|d|os|pfs|rfs|surv)?(time|days|weeks|months|years)|.*follow.?up.*|time.?to.*", re.I)
STATUS = re.compile(r"(.*[_. -])?(status|events?|died|dead|deaths?|deceased|fustat|cens(or(ed)?)?|relapsed?)", re.I)
BESIDE, ALONE = 0.58, 0.75  # AUC of the time, beside a target called like a status and any other


@leak_check(L022="a follow-up time stands beside a status")
def follow_up(data: Data) -> Iterator[Finding]:
    """Columns without negative numbers, called like a time, that go along with a target of two or three classes."""
    sample = data.sample
    status = STATUS.fullmatch(sample.target)
    if sample.n_classes > 3 or not (status or sample.classes.dtype.kind in "biu"):
        return
    columns = tuple(
        name
        for name, values in data.columns.items()
        if name in data.names
        and TIME.fullmatch(str(name))
        and not (values < 0).any()
        and len(np.unique(values)) >= MIN_ROWS
        and separation(values, data.codes)[0] > (BESIDE if status else ALONE)
    )
    if columns:
        yield Finding(
            "L022",
            f"The target looks like the status at the end of a follow-up time: {named(columns)}. Survival outcomes are "
            "not covered: a censored case is no case without the event. Predict the event within a fixed time, leave "
            "out cases censored before it, and leave out the time.",
            "warning",
            columns=columns,
        )
