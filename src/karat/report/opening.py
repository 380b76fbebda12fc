"""The report of a sealed test set that was opened: that of its assessment, with the record of the opening."""

from __future__ import annotations

from karat.report.assessment import assessment_picture, page_with
from karat.report.dispatch import html_of, picture_of
from karat.report.page import Section
from karat.report.parts import scrolling, worded
from karat.sealed.unseal import Opening


@html_of.register(Opening)
def opening_page(opening: Opening) -> str:
    """The whole page as HTML."""
    decided = "" if opening.diagnosis is None else "".join(map(scrolling, opening.diagnosis.page().tables))
    plain = {name: value for name, value in opening.record.items() if not isinstance(value, (list, dict))}
    record = worded(("what", "value"), [(str(name), str(value)) for name, value in plain.items()])
    more = [
        Section("decisions", "Decisions at the declared threshold", decided),
        Section("ledger", "Record in the ledger", record),
    ]
    times = "once" if opening.number == 1 else f"{opening.number} times"
    return page_with(opening.assessment, more, (f"Sealed test set, opened {times}.",))


@picture_of.register(Opening)
def opening_picture(opening: Opening) -> str:
    return assessment_picture(opening.assessment)
