"""The report of an assessment: the answer, the estimates, the threshold, the cases, and how it was made."""

from __future__ import annotations

import platform
import sys
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from karat.report.estimates import intervals_svg
from karat.report.page import Section, whole_page
from karat.report.scores import Scores, score_sections
from karat.result.table import Table, html_table, label

if TYPE_CHECKING:
    from karat.result import Assessment
    from karat.sample import Fits

MOST_CASES = 30  # listed as always misclassified
CV_KINDS = ("cv",)


def assessment_page(a: Assessment) -> str:
    """The whole page as HTML; every name and sentence is escaped."""
    page = a.page()
    sections = [Section("estimates", "Estimates", _estimates(a))]
    data = None
    scores = None if a.fits is None else left_out_scores(a.fits, a.level)
    if scores is not None:
        more, data = score_sections(scores)
        sections += more
    if a.fits is not None:
        wrong = _always_wrong(a.fits)
        sections += [Section("wrong", "Cases that are usually misclassified", wrong)] if wrong else []
    told = [f"<li>{label(n)}: {escape(str(n))}</li>" for n in page.notes if n.severity != "warning"]
    if told:
        sections.append(Section("notes", "Notes", f"<ul>{''.join(told)}</ul>"))
    sections.append(Section("made", "How it was made", _made(a)))
    title, *about = page.title.split("\n")
    return whole_page(f"Assessment: {title}", page.answer, sections, (*about, page.footer), page.notes, data)


def _estimates(a: Assessment) -> str:
    metrics = list(dict.fromkeys(metric for metric, _ in a.estimates))
    pictures = []
    for metric in metrics:
        some = {k: e for k, e in a.estimates.items() if k[0] == metric and k[1] != "majority" and np.isfinite(e.value)}
        chosen = [a.recommended.get(m) == method for m, method in some]
        if some:
            order = sorted(range(len(some)), key=lambda k: not chosen[k])
            values = list(some.values())
            pictures.append(intervals_svg([values[k] for k in order], [chosen[k] for k in order], a.level, metric))
    first, *others = a.page().tables
    rest = "".join(f'<div class="wide">{html_table(t)}</div>' for t in others)
    folded = f"<details><summary>All estimators</summary>{rest}</details>" if rest else ""
    meant = Table.of(
        ("estimate", "what it estimates"),
        [(f"{m} {k}", e.estimand) for (m, k), e in a.estimates.items()],
    )
    what = f'<details><summary>What each one estimates</summary><div class="wide">{html_table(meant)}</div></details>'
    return f'<div class="wide">{html_table(first)}</div>{"".join(pictures)}{folded}{what}'


def left_out_scores(fits: Fits, level: float) -> Scores | None:
    """One score per case of a problem with two classes, by a rule that was not trained on it; None where there is none."""
    if fits.sample.n_classes != 2 or fits.sample.positive is None:
        return None
    names = [str(c) for c in fits.sample.classes]
    positive = fits.sample.positive
    up = fits.sample.codes == positive
    ordered = (names[1 - positive], names[positive])
    pooled = fits.part(CV_KINDS)
    if pooled.design.kind in CV_KINDS:
        block = pooled.pooled()
        if block is not None and block.scores is not None:
            row = np.asarray(block.scores[0], dtype=float)
            said = "One score per case, by the rule of the first repetition of the cross-validation that left it out."
            return Scores(up, row, fits.probabilities, level, ordered, said)
    if fits.design.kind == "holdout" and fits.held is not None and fits.n_fits == 1:
        row = np.asarray(fits.held[0:1][0], dtype=float)
        seen = np.isfinite(row)
        if seen.sum() and 0 < up[seen].sum() < seen.sum():
            return Scores(up[seen], row[seen], fits.probabilities, level, ordered, "Scores of the test cases.")
    if fits.design.kind == "bootstrap" and fits.held is not None:
        return _mean_left_out(fits, up, level, ordered)
    return None


def _mean_left_out(fits: Fits, up: np.ndarray, level: float, names: tuple[str, str]) -> Scores | None:
    total, times = np.zeros(fits.sample.n), np.zeros(fits.sample.n)
    for block in fits.blocks():
        if block.scores is None:
            return None
        out = block.counts == 0
        total += np.where(out, block.scores, 0.0).sum(axis=0)
        times += out.sum(axis=0)
    if (times == 0).any():
        return None
    said = "The mean score of each case over the bootstrap rules that were not trained on it."
    return Scores(up, total / times, fits.probabilities, level, names, said)


def _always_wrong(fits: Fits) -> str:
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
    cases = np.flatnonzero((share >= 0.9) & (times >= 5))
    if not len(cases):
        return ""
    order = cases[np.argsort(-share[cases], kind="stable")][:MOST_CASES]
    rows = [
        (str(i), str(fits.sample.classes[fits.sample.codes[i]]), f"{share[i]:.0%} of {int(times[i])} rules")
        for i in order.tolist()
    ]
    more = f" The first {MOST_CASES} are listed." if len(cases) > MOST_CASES else ""
    said = (
        f"{len(cases)} of {fits.sample.n} cases are misclassified by at least nine of ten rules that were not trained on "
        f"them. Check their labels and what sets them apart.{more}"
    )
    table = html_table(Table.of(("row (from 0)", "label", "misclassified by"), rows))
    return f'<p>{said}</p><div class="wide">{table}</div>'


def _made(a: Assessment) -> str:
    import scipy
    import sklearn

    rows = [(str(k), str(v)) for k, v in a.provenance.items()]
    rows += [("level", f"{a.level:g}"), ("python", platform.python_version()), ("numpy", np.__version__)]
    rows += [("scipy", scipy.__version__), ("scikit-learn", sklearn.__version__)]
    if sys.argv and "karat" in sys.argv[0]:
        rows.append(("command", " ".join(["karat", *sys.argv[1:]])))
    return f'<div class="wide">{html_table(Table.of(("what", "value"), rows))}</div>'
