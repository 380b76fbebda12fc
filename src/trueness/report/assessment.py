"""The report of an assessment: the answer, the estimates, the threshold, the cases, and how it was made."""

from __future__ import annotations

from typing import get_args

import numpy as np

from trueness.report.checklists import FOOTER, GuidelineName, checklist
from trueness.report.dispatch import html_of, picture_of
from trueness.report.dots import Dot, dots_svg
from trueness.report.learning import learning_html
from trueness.report.page import Section, whole_page
from trueness.report.parts import (
    checks_section,
    folded,
    made_section,
    methods_section,
    notes_section,
    scrolling,
    small,
    table,
    worded,
)
from trueness.report.scores import score_sections
from trueness.result.assessment import Assessment
from trueness.result.estimate import Estimate
from trueness.result.learning_curve import LearningCurve
from trueness.sample.fits import Fits
from trueness.sealed.unseal import Opening

MOST_CASES = 30  # listed as usually misclassified
MIN_RULES = 5  # that left a case out, before it can be listed
USUALLY = 0.9


@html_of.register(Assessment)
def assessment_page(a: Assessment, learning_curve: LearningCurve | None = None) -> str:
    """The whole page as HTML; every name and sentence is escaped."""
    return page_with(a, [], learning_curve=learning_curve)


def page_with(
    a: Assessment, more: list[Section], about: tuple[str, ...] = (), learning_curve: LearningCurve | None = None
) -> str:
    """The page of an assessment, with `more` sections after the estimates and more lines under the title."""
    page = a.page()
    sections = [Section("estimates", "Estimates", _estimates(a)), *more]
    left_out = None if a.fits is None else a.fits.left_out()
    data = None
    if left_out is not None:
        found, data = score_sections(left_out.data, a.level, left_out.origin, left_out.scale)
        sections += found
    sections.append(Section("learning", "Number of training cases", learning_html(a, learning_curve)))
    if a.fits is not None:
        sections.append(Section("wrong", "Cases that are usually misclassified", _usually_wrong(a.fits)))
    sections += [
        checks_section(a.provenance, a.notes),
        Section("checklists", "Reporting checklists", _checklists(a)),
        methods_section(a),
        notes_section(page.notes),
        made_section(a.provenance, a.level),
    ]
    title, *lines = page.title.split("\n")
    return whole_page(f"Assessment: {title}", page.answer, sections, (*lines, *about, page.footer), page.notes, data)


@picture_of.register(Assessment)
def assessment_picture(a: Assessment) -> str:
    """The recommended estimate of each metric, with the apparent one."""
    return "".join(_dots(a, metric, ("apparent",)) for metric in a.recommended)


def _estimates(a: Assessment) -> str:
    pictures = "".join(f"<div>{_dots(a, m)}</div>" for m in dict.fromkeys(metric for metric, _ in a.estimates))
    apparent = any(method == "apparent" for _, method in a.estimates)
    said = "Filled: recommended. Hollow: the apparent estimate, on the training cases, which is too good."
    first, *_ = a.page().tables
    every = a.page(all=True).tables
    meant = worded(
        ("estimate", "what it estimates"), [(f"{m} {k}", e.estimand) for (m, k), e in a.estimates.items() if e.estimand]
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


def _dots(a: Assessment, metric: str, others: tuple[str, ...] | None = None) -> str:
    """The recommended estimate, the apparent one, and the others that have an interval (or those named)."""
    chosen = a.recommended.get(metric)
    some = {k: e for (m, k), e in a.estimates.items() if m == metric and np.isfinite(e.value) and _drawn(k, e, others)}
    if chosen is not None and (metric, chosen) in a.estimates:
        some = {chosen: a.estimates[metric, chosen]} | some
    kinds = {k: "mark" if k == chosen else "hollow" if k == "apparent" else "minor" for k in some}
    se = None if chosen is None else some[chosen].se
    dots = [Dot.of(k, e, a.level, kinds[k], se) for k, e in some.items()]
    name = "AUC" if metric == "auc" else metric.replace("_", " ")
    return dots_svg(
        dots, f"{name}: estimates with {100 * a.level:g} % intervals", f"{name}, {100 * a.level:g} % interval"
    )


def _drawn(method: str, e: Estimate, others: tuple[str, ...] | None) -> bool:
    return method in others if others is not None else method == "apparent" or e.has_interval


def _checklists(a: Assessment) -> str:
    """What reporting guidelines ask for, filled in as far as the assessment knows."""
    if a.fits is None:
        return ""
    parts = []
    for name in get_args(GuidelineName):
        filled = checklist(name, a)
        page = filled.page()
        tables = "".join(scrolling(t, "wide words", filled.guideline.title) for t in page.tables)
        parts.append(folded(f"{filled.guideline.title}: {page.answer}", tables))
    return "".join(parts) + small(FOOTER)


def _usually_wrong(fits: Fits) -> str:
    """Cases that at least nine tenths of the rules that left them out misclassify."""
    wrong, times = np.zeros(fits.sample.n), np.zeros(fits.sample.n)
    for part in fits.parts or (fits,):
        for block in part.blocks():
            if block.predictions is None:
                return ""
            out = (block.counts == 0) & (block.predictions >= 0)
            wrong += (out & (block.predictions != fits.sample.codes)).sum(axis=0)
            times += out.sum(axis=0)
    share = wrong / np.maximum(times, 1)
    cases = np.flatnonzero((share >= USUALLY) & (times >= MIN_RULES))
    order = cases[np.argsort(-share[cases], kind="stable")][:MOST_CASES]
    rows = [
        (str(i), str(fits.sample.classes[fits.sample.codes[i]]), f"{share[i]:.0%} of {int(times[i])} rules")
        for i in order.tolist()
    ]
    if not rows:
        return ""
    said = (
        f"{len(cases)} of {fits.sample.n} cases are misclassified by at least nine of ten rules that were not trained "
        "on them. Check their labels, and what sets them apart."
        + (f" The first {MOST_CASES} are listed." if len(cases) > MOST_CASES else "")
    )
    return f"<p>{said}</p>{folded('Cases', table(('row (from 0)', 'label', 'misclassified by'), rows))}"


@html_of.register(Opening)
def opening_page(opening: Opening) -> str:
    """The report of a sealed test set that was opened: that of its assessment, with the record of the opening."""
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
