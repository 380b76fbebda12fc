"""checklist: what a reporting guideline asks for, filled from an assessment."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal

import pandas as pd

from trueness import __version__
from trueness.checks import is_one_of
from trueness.errors import InputError
from trueness.figures import Figure, shares
from trueness.plans import Plan
from trueness.report.checklist_items import BIASES, GUIDELINES, Guideline, Item
from trueness.result import Assessment, Estimate
from trueness.result.digits import counted, titled
from trueness.result.shown import Drawn, Result
from trueness.result.table import Page, Table
from trueness.sample import Fits
from trueness.typing import Record

GuidelineName = Literal["stard", "tripod+ai", "neurips"]
INDEPENDENT = "Cases (with groups: groups) are independent draws from one population."
FOOTER = "Items are paraphrased; the guideline itself decides."


@dataclass(frozen=True, eq=False, repr=False)
class Checklist(Result, Drawn):
    """What `trueness.report.checklist` returns.

    Attributes
    ----------
    guideline : Guideline
        The guideline and its items.
    known : mapping of str to str
        Facts from the assessment, by name.
    model : str
        Description of the model.
    """

    guideline: Guideline
    known: dict[str, str]
    model: str = ""

    def answer_of(self, item: Item) -> str:
        """What trueness knows about an item; empty where it knows nothing."""
        return " ".join(self.known[fact] for fact in item.facts if self.known.get(fact))

    def status_of(self, item: Item) -> str:
        """ "filled", "partly" or "author"."""
        known = self.answer_of(item)
        return ("filled" if not item.add else "partly") if known else "author"

    def figure(self) -> Figure:
        """How many items are filled, filled in part, and left to the author."""
        names = {"filled": ("filled", "C0"), "partly": ("filled in part", "C2"), "author": ("for the author", "soft")}
        counts = self.frame()["status"].value_counts()
        parts = [(name, float(counts.get(k, 0)), str(counts.get(k, 0)), color) for k, (name, color) in names.items()]
        return shares(parts, f"{len(self.guideline.items)} items", "items")

    def frame(self) -> pd.DataFrame:
        """One row per item: `item`, `topic`, `status` ("filled", "partly", "author"), `known`, `add`."""
        rows = [(i.number, i.topic, self.status_of(i), self.answer_of(i), i.add) for i in self.guideline.items]
        return pd.DataFrame(rows, columns=["item", "topic", "status", "known", "add"])

    def page(self, level: float | None = None) -> Page:
        items, counts = self.guideline.items, self.frame()["status"].value_counts()
        filled = [(i.number, i.topic, self.answer_of(i)) for i in items if self.answer_of(i)]
        to_add = [(i.number, i.topic, i.add) for i in items if i.add]
        tables = [
            Table.of(("item", "topic", "from the assessment"), filled, "Filled"),
            Table.of(("item", "topic", "to add"), to_add, "For the author"),
        ]
        if self.guideline.clinical:
            tables.append(Table.of(("bias", "question"), BIASES, "Biases to rule out"))
        answer = (
            f"Of {len(items)} items {counts.get('filled', 0)} are filled, {counts.get('partly', 0)} in part; "
            f"{counted(int(counts.get('author', 0)), 'is', 'are')} left to the author."
        )
        title = f"{self.guideline.title} ({self.guideline.reference})"
        return Page(f"{title}\n{self.model}".strip(), answer, tuple(tables), footer=FOOTER)

    def to_dict(self) -> Record:
        biases = [{"bias": bias, "question": question} for bias, question in BIASES]
        return {
            "guideline": self.guideline.title,
            "reference": self.guideline.reference,
            "model": self.model,
            "items": self.frame().to_dict("records"),
            "biases": biases if self.guideline.clinical else [],
        }


def checklist(name: GuidelineName, assessment: Assessment) -> Checklist:
    """A reporting checklist, filled with what the assessment knows; the rest is listed for the author.

    Parameters
    ----------
    name : {"stard", "tripod+ai", "neurips"}
        STARD 2015 (diagnostic accuracy), TRIPOD+AI (prediction models), or items 4 to 8 of the NeurIPS checklist.
    assessment : Assessment
        From `trueness.assess`.

    Returns
    -------
    Checklist
        With `.frame()`, `.to_markdown()`, `.to_latex()` and an HTML repr.

    References
    ----------
    Bossuyt et al. (2015), BMJ 351: h5527. Collins et al. (2024), BMJ 385: e078378.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> c = trueness.report.checklist("neurips", trueness.assess(GaussianNB(), X, y, metrics="auc", rng=0))
    >>> c.frame()["status"].value_counts().to_dict()
    {'partly': 4, 'filled': 4, 'author': 1}
    """
    if not is_one_of(name, GUIDELINES):
        fix = f"Available: {', '.join(GUIDELINES)}"
        if isinstance(name, Assessment):
            raise InputError("The name of the checklist comes first", param="name", got="an Assessment", fix=fix)
        raise InputError(f"Unknown checklist {name!r}", param="name", fix=fix)
    if not isinstance(assessment, Assessment):
        raise InputError(
            "assessment must be an Assessment",
            param="assessment",
            got=type(assessment).__name__,
            fix="See trueness.assess",
        )
    return Checklist(GUIDELINES[name], facts(assessment), assessment.model)


def facts(a: Assessment) -> dict[str, str]:
    """What an assessment knows, as sentences by name."""
    chosen = [a[metric] for metric in a.recommended]
    out = {
        "model": f"Model: {a.model}.",
        "metrics": a.answer(),
        "uncertainty": " ".join(_how(e, a.level) for e in chosen),
        "estimand": " ".join(["The draw of the cases.", *(f"{titled(e.metric)}: {e.estimand}." for e in chosen)]),
        "assumptions": " ".join([INDEPENDENT, *dict.fromkeys(str(n) for e in chosen for n in e.notes)]),
        "kind": f"{100 * a.level:g} % confidence intervals, which need not be symmetric and stay in the range; ± is "
        "one standard error.",
        "warnings": " ".join(str(n) for n in a.notes if n.severity == "warning"),
        "software": _software(a),
    }
    return out | (_of_fits(a.fits) if a.fits is not None else {})


def _of_fits(fits: Fits) -> dict[str, str]:
    sample, design = fits.sample, fits.design
    sizes = zip(sample.classes.tolist(), sample.sizes.tolist(), strict=True)
    counts = ", ".join(f"{size} of class {label}" for label, size in sizes)
    prefit = fits.engine == "prefit"
    told = design.plan.in_words(design.n_fits) if isinstance(design.plan, Plan) else design.plan
    plan = f"Plan: {told}, {counted(fits.n_fits, 'fit')}."
    rarest = sample.sizes.argmin()
    out = {
        "sample": f"{sample.cases_and_groups}: {counts}.",
        "imbalance": f"{sample.sizes[rarest] / sample.n:.1%} of the cases are of class {sample.classes[rarest]}.",
        "plan": "A test set on which nothing was trained." if prefit else plan,
        "validation": "Evaluation of a fitted model."
        if prefit
        else "Development with internal validation: the whole model is trained again on every resample.",
        "threshold": "Decisions are those of the model's predict method."
        if fits.threshold is None
        else f"Positive where score ≥ {fits.threshold:g}.",
    }
    if sample.groups is not None:
        out["groups"] = f"{int(sample.groups.max()) + 1} groups are kept on one side of every split."
    if sample.positive is not None:
        out["positive"] = f"Positive class: {sample.classes[sample.positive]}."
    return out


def _how(e: Estimate, level: float) -> str:
    if not e.has_interval:
        return f"{titled(e.metric)}: no standard error."
    how = f"standard error {e.se_method!r}" if e.se_method else "without a standard error"
    return f"{titled(e.metric)}: method {e.method!r}, {how}, {100 * level:g} % {e.ci(level).method} interval."


def _software(a: Assessment) -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    seed = a.provenance.get("seed")
    known = f" Seed {seed}." if seed is not None else ""
    return (
        f"trueness {a.provenance.get('trueness', __version__)}, Python {platform.python_version()}, {packages}.{known}"
    )
