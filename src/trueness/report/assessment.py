"""The report of an assessment: the answer, the estimates, the threshold, the cases, and how it was made."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trueness.api.assessment import ASSESSED, Assessment
from trueness.api.by_class import AGAINST_REST
from trueness.api.threshold import ThresholdChoice
from trueness.curves.empirical import roc_of_classes
from trueness.errors import InputError, TruenessError, UndefinedError, escape
from trueness.estimators.registry import recommended
from trueness.report.checklists import FOOTER, OF_MODELS, checklist
from trueness.report.numbers import number_sections
from trueness.report.page import Section, whole_page
from trueness.report.parts import (
    CHANCE,
    checks_section,
    folded,
    made_section,
    methods_section,
    notes_section,
    paragraph,
    scrolling,
    small,
    table,
    worded,
)
from trueness.report.scores import probability_sections, score_sections
from trueness.result.learning_curve import LearningCurve
from trueness.result.subgroups import Subgroups
from trueness.result.words import in_words, with_interval
from trueness.sample.fits import Fits
from trueness.sealed.unseal import Opening
from trueness.selection.hard_cases import cases
from trueness.typing import Labels

CHOSEN = "chosen for these costs"
MOST_CASES = 30  # listed as usually misclassified
MOST_CURVES = 8  # of classes in one picture
OF_CLASSES = (
    "Each class against the rest, by its own score; of a cross-validation one score per case, by the rule of the first "
    f"repetition that left it out. The intervals of these areas are DeLong's, for the rules as they were fitted. {CHANCE}"
)
MIN_RULES = 5  # that left a case out, before it can be listed
USUALLY = 0.9
SHOWN_IN = (  # facts, and sections
    ("threshold", "chosen"),
    ("table", "roc"),
    ("counts", "classes"),
    ("curves", "roc"),
    ("curves", "predicted"),
)
DISTINCT = 1 - math.exp(-1)  # share of the cases in a bootstrap training set


def assessment_page(
    a: Assessment,
    learning_curve: LearningCurve | None = None,
    by: Mapping[str, Labels] | None = None,
    chosen: ThresholdChoice | None = None,
) -> str:
    """The whole page as HTML; every name and sentence is escaped. `chosen` is a threshold that costs chose."""
    more = [] if chosen is None else [threshold_section(chosen)]
    return page_with(a, a, more, learning_curve=learning_curve, by=subgroups_shown(a, by or {}), chosen=chosen)


def threshold_section(h: ThresholdChoice) -> Section:
    """What was chosen, what it will achieve, and its methods."""
    page = h.page()
    tables = "".join(map(scrolling, page.tables))
    said = f"{small(' '.join(map(str, page.notes)))}{folded('Methods, for a paper', paragraph(h.methods()))}"
    return Section("chosen", "Threshold for these costs", f"{paragraph(page.answer)}{tables}{h.figure().html()}{said}")


def page_with(
    a: Assessment,
    whole: Assessment | Opening,
    more: list[Section],
    about: tuple[str, ...] = (),
    learning_curve: LearningCurve | None = None,
    by: Mapping[str, Sequence[Subgroups]] | None = None,
    chosen: ThresholdChoice | None = None,
) -> str:
    """The page of an assessment, with `more` sections after the estimates and more lines under the title; methods and
    checklists are those of the `whole` result. The slider starts at a `chosen` threshold, with its costs."""
    page = a.page()
    sections = [Section("estimates", "Estimates", _estimates(a)), *more]
    left_out = None if a.fits is None else a.fits.left_out()
    data = None
    if left_out is not None:
        scale, own = left_out.scale, left_out.own
        area = a["auc"] if "auc" in a.recommended else None
        called, costs = "", (1.0, 1.0)
        if chosen is not None and chosen.costs is not None:
            own, called, c = chosen.threshold.value, CHOSEN, chosen.costs
            costs = float(c[1, 0] - c[1, 1]), float(c[0, 1] - c[0, 0])  # what a wrong decision costs more
        found, data = score_sections(
            left_out.data,
            a.level,
            left_out.origin,
            scale,
            fits=a.fits,
            own=own,
            area=area,
            called=called,
            costs=costs,
            label=a.name or ASSESSED,
        )
        sections += found
    elif a.fits is not None and a.fits.sample.n_classes > 2:
        sections.append(Section("classes", "Classes", _classes(a)))
        curves, n = roc_of_classes(a.fits, a.level, MOST_CURVES), a.fits.sample.n_classes
        said = OF_CLASSES + (f" Drawn are the {MOST_CURVES} of {n} classes with the lowest areas." * (n > MOST_CURVES))
        sections.append(Section("roc", "ROC curves", "" if curves is None else f"{curves.html()}{small(said)}"))
        sections += probability_sections(a.fits, a.level)
    if a.fits is not None:
        sections += number_sections(a.fits, a.level)
    groups = "".join(_subgroups(*each) for each in (by or {}).items())
    of_groups = tuple(s for found in (by or {}).values() for s in found)
    sections.append(Section("subgroups", "Subgroups", groups, of_groups))
    sections.append(Section("learning", "Number of training cases", _learning(a, learning_curve)))
    if a.fits is not None:
        sections.append(Section("wrong", "Cases that are usually misclassified", _usually_wrong(a.fits)))
    sections += [
        checks_section(a.provenance, a.notes),
        Section("checklists", "Reporting checklists", _checklists(whole, a, by or {}, sections)),
        methods_section(whole, sections),
        notes_section(a.page(all=True).notes),
        made_section(a.provenance, a.level, _parameters(a)),
    ]
    title, *lines = page.title.split("\n")
    if a.name and a.name != a.model:
        title, lines = a.name, [a.model, *(line for line in lines if line != a.model)]
    return whole_page(f"Assessment: {title}", page.answer, sections, (*lines, *about, page.footer), page.notes, data)


def _parameters(a: Assessment) -> str:
    """All parameters of the model, folded."""
    if not a.parameters:
        return ""
    return folded(
        "All parameters of the model",
        worded(
            ("parameter", "value"),
            [(name, value) for name, value in a.parameters.items() if value not in (None, "None")],
        ),
    )


def _estimates(a: Assessment) -> str:
    pictures = "".join(f"<div>{a.figure(m).html()}</div>" for m in dict.fromkeys(metric for metric, _ in a.estimates))
    apparent = any(method == "apparent" for _, method in a.estimates)
    said = "Filled: recommended. Hollow: the apparent estimate, on the training cases, which is too good."
    first, *_ = a.page().tables
    every = a.page(all=True).tables[: 1 + (len(a.estimates) > len(a.recommended) > 0)]  # without those of classes
    alike: dict[str, dict[str, list[str]]] = {}  # methods by metric
    for (metric, method), e in a.estimates.items():
        alike.setdefault(e.estimand, {}).setdefault(in_words(metric), []).append(method)
    meant = worded(
        ("estimates", "what they estimate"),
        [("; ".join(f"{m}: {', '.join(k)}" for m, k in of.items()), said) for said, of in alike.items() if said],
    )
    return "".join(
        (
            scrolling(first),
            f'<div class="two dots">{pictures}</div>',
            small(said) if apparent and a.recommended else "",
            folded("All estimators", "".join(scrolling(t, about="All estimators:") for t in every))
            if every[0] != first
            else "",
            folded("What each one estimates", meant),
        )
    )


def _classes(a: Assessment) -> str:
    """The confusion matrix, and each class against the rest; nothing where there are no decisions."""
    try:
        b = a.by_class()
    except (InputError, UndefinedError):
        return ""
    matrix, each, *confused = b.page().tables
    more = "".join(folded(t.title, scrolling(t)) for t in (matrix, *confused))
    return f"{b.figure().short_html()}{scrolling(each)}{more}{small(' '.join((*map(str, b.notes), AGAINST_REST)))}"


def subgroups_shown(a: Assessment, by: Mapping[str, Labels]) -> dict[str, list[Subgroups]]:
    """The recommended metrics in every group of cases, without those that no group has."""
    shown: dict[str, list[Subgroups]] = {}
    for name, labels in by.items():
        found, error = [], None
        for metric in a.recommended or (None,):  # None: the metric of a.by(labels)
            try:
                found.append(replace(a.by(labels, metric), by=name))
            except TruenessError as problem:
                error = error or problem
        if error is not None and not found:
            raise error
        shown[name] = found
    return shown


def _subgroups(name: str, found: Sequence[Subgroups]) -> str:
    """All metrics in the groups; all but the first are folded."""
    pages = [s.page() for s in found]
    first, *others = (
        f"{paragraph(page.answer)}{s.figure().html()}{''.join(map(scrolling, page.tables))}"
        for s, page in zip(found, pages, strict=True)
    )
    more = "".join(folded(page.title.split("\n")[0], html) for page, html in zip(pages[1:], others, strict=True))
    said = dict.fromkeys(line for page in pages for line in (*map(str, page.notes), page.footer.split("\n")[-1]))
    return f"<h3>By {escape(name)}</h3>{first}{more}{small(' '.join(said))}"


def _learning(a: Assessment, curve: LearningCurve | None) -> str:
    """The curve that was given; else two training sizes that the default plan has anyway."""
    if curve is not None:
        tables = "".join(map(scrolling, curve.page().tables))
        return f"{curve.figure().html()}{folded('Points of the curve', tables)}"
    if a.fits is None or a.fits.design.kind != "cv+bootstrap":
        return ""
    n, folds = a.fits.sample.n, a.fits.design.parts[0].n_folds
    rows = []
    for metric in a.recommended:
        smaller = next((a.estimates[metric, k] for k in recommended("bootstrap") if (metric, k) in a.estimates), None)
        if smaller is not None:
            rows.append((metric, with_interval(smaller, a.level), with_interval(a[metric], a.level)))
    heads = (
        "metric",
        f"about {round(DISTINCT * n)} distinct cases (bootstrap)",
        f"about {round(n * (1 - 1 / folds))} cases (cross-validation)",
    )
    said = (
        "Where the two columns differ, the model still gains from more cases. trueness.learning_curve(model, X, y) tries "
        "other sizes; report(path, learning_curve=...) shows them here."
    )
    return table(heads, rows) + small(said) if rows else ""


def _checklists(
    whole: Assessment | Opening, a: Assessment, by: Mapping[str, Sequence[Subgroups]], sections: Sequence[Section]
) -> str:
    """What reporting guidelines ask for, filled in as far as the assessment and the sections of its page know."""
    if a.fits is None:
        return ""
    here = {section.id: f"See {section.title}." for section in sections if section.html}
    declared = whole.first if isinstance(whole, Opening) else {}
    subgroups = [checklist("stard", whole).known["subgroups"]] if declared else []
    later = [f"By {name}: {found[0].answer()}" for name, found in by.items() if name not in declared and found]
    seen = {fact: here[id] for fact, id in SHOWN_IN if id in here}
    if "subgroups" in here:
        seen["subgroups"] = " ".join([*subgroups, *later, here["subgroups"]])
    if "calibration" in here and "benefit" in here:
        seen["utility"] = f"{here['calibration']} {here['benefit']}"
    if later:
        seen["planned"] = ""
    parts = []
    for name in OF_MODELS:
        if name == "stard" and a.fits.sample.numbers is not None:  # of classes alone
            continue
        filled = checklist(name, whole).seeing(seen)
        page = filled.page()
        tables = "".join(scrolling(t, "wide words", filled.guideline.title) for t in page.tables)
        parts.append(folded(f"{filled.guideline.title}: {page.answer}", tables))
    return "".join(parts) + small(FOOTER)


def _usually_wrong(fits: Fits) -> str:
    """Cases that at least nine tenths of the rules that left them out misclassify."""
    try:
        found = cases(fits).table
    except UndefinedError:  # no rule left a case out
        return ""
    if "share_misclassified" not in found:
        return ""
    usually = found[(found["share_misclassified"] >= USUALLY) & (found["times_left_out"] >= MIN_RULES)]
    hardest = usually.sort_values("share_misclassified", ascending=False, kind="stable").head(MOST_CASES)
    rows = [
        (str(r.case), str(r.label), f"{r.share_misclassified:.0%} of {int(r.times_left_out)} rules")
        for r in hardest.itertuples()
    ]
    if not rows:
        return ""
    said = (
        f"{len(usually)} of {fits.sample.n} cases are misclassified by at least nine of ten rules that were not trained "
        "on them. Check their labels, and what sets them apart."
        + (f" The first {MOST_CASES} are listed." if len(usually) > MOST_CASES else "")
    )
    return f"<p>{said}</p>{folded('Cases', table(('row (counting from 0)', 'label', 'misclassified by'), rows))}"


def opening_page(opening: Opening, by: Mapping[str, Labels] | None = None) -> str:
    """The report of a sealed test set that was opened: that of its assessment, with its records in the ledger. Subgroups
    that were not declared are said to be so."""
    a, later = opening.assessment, by or {}
    records = (
        ("What was declared, before the test set was opened", opening.declaration),
        ("The result", opening.record),
    )
    rows = (
        (title, [(str(name), ", ".join(map(str, v)) if isinstance(v, list) else str(v)) for name, v in _plain(record)])
        for title, record in records
    )
    html = "".join(f"<h3>{title}</h3>{worded(('what', 'value'), told)}" for title, told in rows if told)
    about = [f"Sealed test set, opened {opening.times}."]
    if later:
        about.append(f"Subgroups by {', '.join(later)} were not declared before the test set was opened.")
    shown = {**opening.subgroups, **subgroups_shown(a, later)}
    return page_with(a, opening, [Section("ledger", "Records in the ledger", html)], tuple(about), by=shown)


def _plain(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The entries of a record, those of the declaration among them; without the estimates, which the page shows."""
    for name, value in record.items():
        if name == "declared":
            yield from _plain(value)
        elif name != "estimates" and value is not None and value != []:
            yield name, value
