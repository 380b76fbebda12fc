"""The page of a reader study: the answer, curves, tables, a model among the readers, and the items of the guidelines."""

from dataclasses import replace

from trueness.reading.result import ReaderStudy
from trueness.report.checklists import OF_READERS, GuidelineName, checklist
from trueness.report.page import Section, whole_page
from trueness.report.parts import folded, made_section, methods_section, notes_section, scrolling, small, worded
from trueness.result.shown import Table


def readers_page(r: ReaderStudy) -> str:
    """The whole page."""
    page = r.page()
    means, *others = r.study_tables(r.level)
    sections = [
        _section("means", means),
        Section("figure", "Curves and differences", r.figure().html()),
        *(_section(f"table-{k}", t) for k, t in enumerate(others)),
    ]
    if r.model is not None:
        tables = "".join(scrolling(t) for t in r.model.page(r.level).tables)
        sections.append(Section("model", f"{r.model.name} among the readers", r.model.figure().html() + tables))
    for k, also in enumerate(r.also):
        shown = also.page()
        words = "".join(small(line) for line in (shown.answer, *shown.footer.split("\n")) if line)
        sections.append(Section(f"also-{k}", shown.title, words + "".join(scrolling(t) for t in shown.tables)))
    sections += [Section("items", "Items of the guidelines", "".join(_items(r, name) for name in OF_READERS))]
    sections += [methods_section(r), notes_section(page.notes), made_section(r.provenance, r.level)]
    about = (*page.title.removeprefix("Reader study: ").split("\n"), *page.footer.split("\n"))
    return whole_page("Reader study", page.answer, sections, about, page.notes)


def _section(place: str, table: Table) -> Section:
    """A table; what its title says after a semicolon stands above it."""
    title, _, more = table.title.partition("; ")
    return Section(place, title, (small(f"{more}.") if more else "") + scrolling(replace(table, title=""), about=title))


def _items(r: ReaderStudy, name: GuidelineName) -> str:
    """What a guideline asks for: what the study answers, and what the author must add."""
    found = checklist(name, r)
    rows = [(str(x.item), x.topic, x.known, x.add) for x in found.frame().itertuples()]
    table = worded(("item", "topic", "from the study", "for the author to add"), rows)
    return small(found.page().answer) + folded(found.guideline.title, table)
