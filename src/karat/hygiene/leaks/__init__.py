"""The checks of `karat.check`, one topic per file."""

from collections.abc import Callable, Iterable

from karat.hygiene.data import Data
from karat.hygiene.findings import Finding
from karat.hygiene.leaks import columns, copies, identifiers


def batch_effects(data: Data) -> Iterable[Finding]:
    """K010 and K011, of cases in batches or groups."""
    if data.batch is None and data.sample.groups is None:
        return ()
    from karat.hygiene.leaks import batches

    return batches.batch_effects(data)


CHECKS: dict[tuple[str, ...], Callable[[Data], Iterable[Finding]]] = {  # by the codes of their findings
    ("K001", "K002"): columns.determining,
    ("K003",): identifiers.numbered_rows,
    ("K004",): columns.many_values,
    ("K005",): identifiers.drift,
    ("K006",): copies.duplicates,
    ("K007",): copies.split_groups,
    ("K008",): copies.test_rows,
    ("K009",): columns.standardized,
    ("K010", "K011"): batch_effects,
    ("K012",): columns.misread_numbers,
}
CODES = [code for codes in CHECKS for code in codes]
