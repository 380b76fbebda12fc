"""What should be known of a file of scores: codes of missing values among them, and several rows per patient."""

from collections.abc import Mapping

import pandas as pd

from trueness.leaks.gaps import code_of_gaps
from trueness.leaks.identifiers import values_of_repeated


def remarks_on(table: pd.DataFrame, scores: Mapping[str, pd.Series], grouped: bool) -> list[str]:
    """A sentence for each score that holds a number which seems to stand for missing values, and, where rows are not in
    groups, for each column that looks like the number of a patient with several rows."""
    found = []
    for name, values in scores.items():
        code = code_of_gaps(values.to_numpy(dtype=float), times=1) if values.dtype.kind in "if" else None
        if code is not None:
            found.append(
                f"Column {name!r} holds {code}, unlike its other values. If it stands for a gap: --missing {code}."
            )
    for name in [] if grouped else table.columns.difference(list(scores)):
        if values_of_repeated(name, table[name].to_numpy()):
            found.append(f"Column {name!r} has several rows per value. If these are not independent: --groups {name}.")
    return found
