"""Reports that compare: models or systems (verdict, differences, curves, assumptions), and the modalities of a reader study
(curves, tables, a model among the readers, the items of the guidelines).
"""

from dataclasses import replace

from trueness.api.comparison import Comparison
from trueness.curves.curve import roc_figure
from trueness.curves.empirical import left_out_curves
from trueness.figures.figure import forest
from trueness.reading.result import ReaderStudy
from trueness.report.checklists import OF_READERS, GuidelineName, checklist
from trueness.report.page import Section, whole_page
from trueness.report.parts import (
    CHANCE,
    checks_section,
    folded,
    listed,
    made_section,
    methods_section,
    notes_section,
    paragraph,
    scrolling,
    small,
    table,
    worded,
)
from trueness.result.shown import Table
from trueness.result.words import spoken, with_interval
from trueness.systems.compare_systems import SystemsComparison

MOST_CURVES = 4


def comparison_page(k: Comparison | SystemsComparison, priced: Comparison | None = None) -> str:
    """The whole page as HTML; every name and sentence is escaped. `priced` compares the models by their costs."""
    page = k.page()
    models, pairs = page.tables[:2]
    assumptions = list(dict.fromkeys(a for t in k.tests.values() for a in t.assumptions))
    what = "Systems" if isinstance(k, SystemsComparison) else "Models"
    sections = [
        Section("models", what, f'<div class="two">{scrolling(models)}{_models(k)}</div>{_described(k)}'),
        Section("differences", "Differences", scrolling(pairs) + k.figure().html()),
        *(Section(f"table-{i}", t.title or "More", scrolling(t)) for i, t in enumerate(page.tables[2:], 1)),
        *([] if priced is None else [Section("costs", "Costs, each model at its cheapest threshold", _priced(priced))]),
        Section("errors", "Standard errors", "" if isinstance(k, SystemsComparison) else _standard_errors(k)),
        Section("curves", "ROC curves", "" if isinstance(k, SystemsComparison) else _curves(k)),
        Section(
            "assumptions",
            "Assumptions",
            listed(assumptions) or "<p>No test: these differences have no standard error.</p>",
        ),
        checks_section(k.provenance, k.notes),
        methods_section(k),
        notes_section(page.notes),
        made_section(k.provenance, k.level),
    ]
    about = (page.title, str(k.provenance.get("design", "")))
    return whole_page(f"Comparison of {', '.join(k.estimates)}", page.answer, sections, about, page.notes)


def _priced(k: Comparison) -> str:
    page = k.page()
    tables = "".join(scrolling(t, about="Costs:") for t in page.tables)
    return f"{paragraph(page.answer)}{tables}{k.figure().html()}{small(' '.join(map(str, page.notes)))}"


def _models(k: Comparison | SystemsComparison) -> str:
    dots = [k.estimates[name].dot(name, k.level) for name in k.ranking()]
    return forest(dots, f"{k.metric} of each", f"{spoken(k.metric)}, {100 * k.level:g} % interval").html()


def _described(k: Comparison | SystemsComparison) -> str:
    """What each model is, where names do not say it."""
    if isinstance(k, SystemsComparison):
        return ""
    rows = [(name, k.fits[name].model) for name in k.ranking() if name in k.fits and k.fits[name].model]
    return worded(("model", "what it is"), rows) if rows else ""


def _curves(k: Comparison) -> str:
    """The ROC curves of the left-out scores."""
    curves = left_out_curves(k.fits, k.ranking())
    if not curves:
        return ""
    more = f"The {MOST_CURVES} best are drawn." if len(curves) > MOST_CURVES else ""
    drawn = dict(list(curves.items())[:MOST_CURVES])
    left_out = k.fits[next(iter(curves))].left_out()
    said = small(" ".join(filter(None, ("" if left_out is None else left_out.origin, CHANCE, more))))
    if k.metric == "auc":  # the table of estimates has them all
        return said + roc_figure(drawn, level=k.level, areas=k.estimates).html()
    rows = [(name, with_interval(curve.auc, k.level)) for name, curve in curves.items()]
    areas = table(("model", f"area of these scores ({100 * k.level:g} % interval)"), rows)
    return f'{said}<div class="two">{roc_figure(drawn, level=k.level).html()}<div>{areas}</div></div>'


def _standard_errors(k: Comparison) -> str:
    """The other standard errors, where there are any."""
    if not any(k.other_se.values()):
        return ""
    rows = []
    for pair, others in k.other_se.items():
        d = k.differences[pair]
        for name, value in {str(d.se_method): d.se, **others}.items():
            rows.append((" − ".join(pair), name, "" if value is None else f"{value:.4f}"))
    said = (
        "The first one is used. The influence function counts interactions of cases more than once and is usually too "
        "large for a difference."
    )
    return table(("difference", "standard error", "value"), rows) + small(said)


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
