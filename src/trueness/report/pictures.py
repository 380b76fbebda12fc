"""Small pictures of estimates, tests, tables and shares, for notebooks and their reports."""

from __future__ import annotations

import numpy as np

from trueness.report.bars import bars_svg, shares_svg
from trueness.report.checklists import Checklist
from trueness.report.dispatch import picture_of
from trueness.report.dots import Dot, dots_svg
from trueness.report.panel import panel_svg
from trueness.result.digits import with_se
from trueness.result.estimate import Estimate
from trueness.result.joint import JointTest, Simultaneous
from trueness.result.test_result import BayesResult, FriedmanResult, PosthocResult, TestResult
from trueness.selection.best import BestOf
from trueness.selection.hard_cases import Cases
from trueness.selection.stable import Stability
from trueness.studies.bias_and_variance import PARTS, BiasVariance
from trueness.studies.result import StudyResult
from trueness.tables.table_result import TableResult

LEVEL = 0.95
BARS = 20
MOST_FEATURES = 12


@picture_of.register(Estimate)
def estimate_picture(e: Estimate) -> str:
    return dots_svg([Dot.of(e.method, e, LEVEL)], e.metric, f"{e.metric}, 95 % interval") if e.has_interval else ""


@picture_of.register(Simultaneous)
def simultaneous_picture(s: Simultaneous) -> str:
    dots = [Dot.of(name, e, s.each) for name, e in s.estimates.items()]
    return dots_svg(dots, "Simultaneous intervals", f"{100 * s.level:g} % intervals together")


@picture_of.register(BestOf)
def best_picture(b: BestOf) -> str:
    named = {"corrected": b.corrected, "nested": b.nested, "naive": b.naive}
    kinds = {"naive": "hollow"}
    dots = [Dot.of(k, e, b.level, kinds.get(k, "mark"), b.corrected.se) for k, e in named.items() if e is not None]
    return dots_svg(dots, "Best of several models", f"{b.corrected.metric}, {100 * b.level:g} % interval")


@picture_of.register(TestResult)
def test_picture(t: TestResult) -> str:
    if t.difference is None or not t.difference.has_interval:
        return ""
    return dots_svg([Dot.of("first − second", t.difference, LEVEL)], t.test, "difference, 95 % interval", zero=True)


@picture_of.register(JointTest)
def joint_picture(t: JointTest) -> str:
    """The difference in every metric."""
    dots = [Dot.of(name, d, LEVEL) for name, d in t.differences.items()]
    return dots_svg(dots, t.test, "difference, 95 % interval of each alone", zero=True)


@picture_of.register(TableResult)
def table_picture(d: TableResult) -> str:
    """The measures between 0 and 1."""
    some = [e for e in d.shown_estimates() if e.bounds == (0.0, 1.0) and e.has_interval]
    return dots_svg([Dot.of(e.metric, e, d.level) for e in some], "Measures", f"{100 * d.level:g} % interval")


@picture_of.register(FriedmanResult)
@picture_of.register(PosthocResult)
def ranks_picture(t: FriedmanResult | PosthocResult) -> str:
    """Mean ranks; after Nemenyi's test with bars of half the critical difference to each side."""
    half = None if isinstance(t, FriedmanResult) or t.critical_difference is None else t.critical_difference / 2
    ranks = {str(name): float(rank) for name, rank in t.ranks.sort_values(kind="stable").items()}
    dots = [
        Dot(name, r, None if half is None else r - half, None if half is None else r + half, f"{r:.2f}")
        for name, r in ranks.items()
    ]
    axis = "mean rank, 1 is best" + ("" if half is None else "; models whose bars do not overlap differ")
    return dots_svg(dots, "Mean ranks", axis)


@picture_of.register(BayesResult)
def bayes_picture(t: BayesResult) -> str:
    names = {
        "left": ("key", "first lower"),
        "rope": ("rest", "no practical difference"),
        "right": ("key1", "first higher"),
    }
    parts = [(*names[k], p, f"{p:.3f}") for k, p in t.probabilities.items()]
    return shares_svg(parts, "Posterior probabilities")


@picture_of.register(Checklist)
def checklist_picture(c: Checklist) -> str:
    """How many items are filled, filled in part, and left to the author."""
    names = {"filled": ("key", "filled"), "partly": ("bar", "filled in part"), "author": ("rest", "for the author")}
    counts = c.frame()["status"].value_counts()
    parts = [(*names[k], int(counts.get(k, 0)), str(counts.get(k, 0))) for k in names]
    return shares_svg(parts, f"{len(c.guideline.items)} items")


@picture_of.register(Cases)
def cases_picture(c: Cases) -> str:
    """How many cases are misclassified by which share of the rules; without decisions, how much their scores vary."""
    shares = "share_misclassified" in c.table
    column = "share_misclassified" if shares else "score_sd" if "score_sd" in c.table else None
    values = np.asarray([] if column is None else c.table[column].dropna(), dtype=float)
    some = values[values > 0] if shares else values
    if not len(some):
        return ""
    high = 1.0 if shares else float(some.max()) or 1.0
    heights, edges = np.histogram(some, bins=BARS, range=(0.0, high))
    never = f" ({len(values) - len(some)} cases: by none)"
    axis = f"share of the rules that misclassify a case{never}" if shares else "SD of a case's scores over the rules"
    return bars_svg(edges, heights, "Cases", axis, "cases")


@picture_of.register(Stability)
def stability_picture(s: Stability) -> str:
    """In which share of the sets the most frequent features are."""
    top = s.frame().head(MOST_FEATURES)
    dots = [Dot(str(f), v, 0.0, v, f"{v:.0%}") for f, v in zip(top.feature, top.share, strict=True)]
    return dots_svg(dots, "Selected features", "share of the sets that hold the feature")


@picture_of.register(BiasVariance)
def bias_variance_picture(b: BiasVariance) -> str:
    """Of squared loss the mean of the rules over x; of 0–1 loss the parts of the error."""
    if b.loss == "squared":
        return panel_svg(b.panel())
    dots = [Dot(name, b.row()[name], None, None, with_se(b.row()[name], b.row()[f"{name}_mc"])) for name in PARTS]
    return dots_svg(dots, "Parts of the error", "error = bias + variance + noise", zero=True)


@picture_of.register(StudyResult)
def study_picture(r: StudyResult) -> str:
    """The first figure that lines, points and bands make up."""
    panels = [panel for picture in r.pictures for panel in picture.panels]
    return next((svg for panel in panels if (svg := panel_svg(panel))), "")
