"""The report of a comparison: verdict, models, differences, curves, assumptions; of models and of systems."""

from __future__ import annotations

from trueness.curves.empirical import EmpiricalRoc
from trueness.report.dispatch import html_of, picture_of
from trueness.report.dots import Dot, dots_svg
from trueness.report.page import Section, whole_page
from trueness.report.parts import (
    checks_section,
    listed,
    made_section,
    methods_section,
    notes_section,
    scrolling,
    small,
    table,
)
from trueness.report.svg import Picture, cut, thinned
from trueness.report.threshold import MOST_POINTS, ROC_AXES
from trueness.result.comparison import Comparison
from trueness.result.digits import spoken, with_interval
from trueness.systems.result import SystemsComparison

MOST_CURVES = 4


@html_of.register(Comparison)
@html_of.register(SystemsComparison)
def comparison_page(k: Comparison | SystemsComparison) -> str:
    """The whole page as HTML; every name and sentence is escaped."""
    page = k.page()
    models, pairs = page.tables[:2]
    assumptions = list(dict.fromkeys(a for t in k.tests.values() for a in t.assumptions))
    what = "Systems" if isinstance(k, SystemsComparison) else "Models"
    sections = [
        Section("models", what, scrolling(models) + _models(k)),
        Section("differences", "Differences", scrolling(pairs) + picture_of(k)),
        *(Section(f"table-{i}", t.title or "More", scrolling(t)) for i, t in enumerate(page.tables[2:], 1)),
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
    return whole_page(f"Comparison of {', '.join(k.estimates)}", k.verdict, sections, about, page.notes)


@picture_of.register(Comparison)
@picture_of.register(SystemsComparison)
def forest_svg(k: Comparison | SystemsComparison) -> str:
    """The differences, with a dashed line at 0 and the band of the margin."""
    several = len(k.differences) > 1
    margin = k.margin if isinstance(k, Comparison) else None
    how = "" if not several else " per pair" if isinstance(k, Comparison) else " for all pairs together"
    dots = [Dot.of(" − ".join(pair), d, k.level_of_pairs) for pair, d in k.differences.items()]
    axis = f"difference of the {spoken(k.metric)}, {100 * k.level:g} % interval{how}"
    return dots_svg(dots, f"Differences of the {k.metric}", axis, margin, zero=True)


def _models(k: Comparison | SystemsComparison) -> str:
    dots = [Dot.of(name, k.estimates[name], k.level) for name in k.ranking()]
    return dots_svg(dots, f"{k.metric} of each", f"{k.metric}, {100 * k.level:g} % interval")


def _curves(k: Comparison) -> str:
    """The ROC curves of the left-out scores."""
    found = {name: k.fits[name].left_out() for name in k.ranking() if name in k.fits}
    known = [(name, EmpiricalRoc.of(left.data), left.origin) for name, left in found.items() if left is not None]
    if not known:
        return ""
    picture = Picture("ROC curves", *ROC_AXES)
    picture.path([(0, 0), (1, 1)], "chance")
    keys = ["", *map(str, range(1, MOST_CURVES))]
    drawn = list(zip(keys, known, strict=False))
    for key, (_, curve, _) in drawn:
        keep = thinned(curve.fpf, curve.tpf, MOST_POINTS)
        picture.line(curve.fpf[keep], curve.tpf[keep], f"curve{key}")
    entries = [(f"key{key}", cut(name, 22)) for key, (name, _, _) in drawn]
    picture.legend(picture.width - 200, picture.height - 60 - 20 * len(drawn), entries)
    picture.axes()
    rows = [(name, with_interval(curve.auc, k.level)) for name, curve, _ in known]
    more = f" The {MOST_CURVES} best are drawn." if len(known) > MOST_CURVES else ""
    areas = table(("model", f"area of these scores ({100 * k.level:g} % interval)"), rows)
    return f'{small(known[0][2] + more)}<div class="two">{picture.svg()}<div>{areas}</div></div>'


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
