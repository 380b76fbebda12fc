"""The checks of `trueness.check`, one topic per file."""

from collections.abc import Callable, Iterable

from trueness.leaks import columns, copies, identifiers
from trueness.leaks.data import Data
from trueness.leaks.findings import Finding


def batch_effects(data: Data) -> Iterable[Finding]:
    """L010 and L011, of cases in batches or groups."""
    if data.batch is None and data.sample.groups is None:
        return ()
    from trueness.leaks import batches

    return batches.batch_effects(data)


CHECKS: dict[tuple[str, ...], Callable[[Data], Iterable[Finding]]] = {  # by the codes of their findings
    ("L001", "L002"): columns.determining,
    ("L003",): identifiers.numbered_rows,
    ("L004",): columns.many_values,
    ("L005",): identifiers.drift,
    ("L006",): copies.duplicates,
    ("L007",): copies.split_groups,
    ("L008",): copies.test_rows,
    ("L009",): columns.standardized,
    ("L010", "L011"): batch_effects,
    ("L012",): columns.misread_numbers,
}
CODES = [code for codes in CHECKS for code in codes]
