"""checklist: what a reporting guideline asks for, filled from an assessment."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Literal

import numpy as np
import pandas as pd

from trueness.api.assessment import Assessment
from trueness.api.by_class import counts_of
from trueness.checks import is_one_of
from trueness.errors import InputError, UndefinedError, near
from trueness.figures.figure import Figure, shares
from trueness.plans.plan import Plan
from trueness.reading.analysis import words_of_random
from trueness.reading.readings import DESIGN_WORDS, Readings
from trueness.reading.result import ReaderStudy
from trueness.report.methods import methods_of
from trueness.result.estimate import Estimate
from trueness.result.shown import Drawn, Page, Result, Table
from trueness.result.words import capitalized, counted, titled
from trueness.sample.fits import Fits
from trueness.sealed.study import size_of
from trueness.sealed.unseal import Opening
from trueness.typing import Floats, Label, Record
from trueness.version import __version__


@dataclass(frozen=True)
class Item:
    """One item of a guideline."""

    number: str  # as in the guideline
    topic: str  # what it is about, in a few words
    facts: tuple[str, ...] = ()  # names of the facts that answer it, or a part of it (`facts`)
    add: tuple[tuple[str, str], ...] = ()  # what the author must add, unless a fact is known that says it


@dataclass(frozen=True)
class Guideline:
    """A reporting guideline: its items, and whether a study of patients must rule out biases as well."""

    title: str
    reference: str
    items: tuple[Item, ...]
    clinical: bool


def _items(text: str) -> tuple[Item, ...]:
    """One item per line: number | topic | facts | what to add, in parts; [fact] leaves out the part before it."""
    found = []
    for line in text.strip().splitlines():
        number, topic, facts, add = (part.strip() for part in line.split("|"))
        parts = re.findall(r"([^;\[\]]+?) ?(?:\[(\w+)\])?(?:; |$)", add)
        found.append(Item(number, topic, tuple(facts.split()), tuple(parts)))
    return tuple(found)


STARD = _items("""
1 | title or abstract names an accuracy measure | metrics | name it there, so that the study can be found
2 | structured abstract | sample metrics | design, methods and conclusions
3 | background |  | intended use of the test and its place in the clinical pathway
4 | objectives | hypothesis | objectives and hypotheses
5 | prospective or retrospective |  | whether data collection was planned before or after both tests
6 | eligibility |  | inclusion and exclusion criteria
7 | how participants were identified |  | by symptoms, earlier tests, a registry
8 | where and when |  | setting, places and dates
9 | sampling | groups | consecutive, random or convenience series
10a | index test | model plan | how features were measured, so that the test can be repeated
10b | reference standard | positive | how the true status was determined
11 | why this reference standard |  | the reason, if there are alternatives
12a | cut-off of the index test | threshold | its reason; whether it was fixed before the data were seen [declared]
12b | cut-off of the reference standard |  | definition, reason, prespecified or exploratory
13a | blinding of the index test |  | whether clinical information or the true status was known to those who applied it
13b | blinding of the reference standard |  | whether index results were known to those who determined the true status
14 | how accuracy was estimated | plan uncertainty |
15 | indeterminate results |  | how many there were and how they were counted
16 | missing data | missing | how many values were missing, in features and in the true status, and how they were handled
17 | variability of accuracy | groups random subgroups | subgroups or sites [subgroups]; whether they were planned [planned]
18 | sample size | sample | how it was determined (trueness size)
19 | flow of participants | sample | a diagram from eligible to analysed
20 | characteristics of participants |  | demographic and clinical baseline
21a | severity among those with the condition |  | distribution
21b | other diagnoses among those without |  | distribution
22 | time between the two tests |  | interval, and treatments in between
23 | cross table of test and reference | sample counts table | counts at the cut-off (trueness.diagnose) [counts]
24 | accuracy with its precision | metrics uncertainty |
25 | adverse events |  | of either test
26 | limitations | warnings | sources of bias (questions below), uncertainty, to whom results apply
27 | implications |  | for practice
28 | registration |  | number and registry
29 | protocol |  | where it can be read
30 | funding |  | sources and their role
""")

TRIPOD_AI = _items("""
1 | title |  | say whether a model is developed or evaluated, for whom and which outcome
2 | abstract | sample metrics | as TRIPOD+AI for abstracts asks
3a | context |  | clinical context, and existing models
3b | purpose |  | target population, intended users, place in the pathway
3c | inequalities |  | known differences in care between groups of people
4 | objectives | validation | development, evaluation or both
5a | data sources |  | where data come from and whom they represent
5b | dates |  | of collection and follow-up
6a | setting | groups | kind, number and place of centres
6b | eligibility |  | criteria
6c | treatments |  | which ones, and how they were handled
7 | data preparation | model | steps before this pipeline, quality checks, the same for all groups of people?
8a | outcome | positive | definition, time horizon, how and why measured
8b | outcome assessors |  | if judgement is involved: who they are
8c | blinding of the outcome |  | how it was ensured
9a | choice of predictors |  | how candidates were chosen before modelling
9b | predictors |  | definition, how and when measured, blinding
9c | predictor assessors |  | if judgement is involved: who they are
10 | sample size | sample | how it was arrived at, for development and evaluation (trueness size)
11 | missing data |  | how they were handled, and why any were left out
12a | use of the data | plan validation |
12b | handling of predictors | model | functional form, scaling, standardisation
12c | model and internal validation | model plan | reason for this kind of model; tuning inside the assessed model
12d | heterogeneity between clusters | groups | how it was examined
12e | measures of performance | metrics uncertainty utility | calibration and clinical utility beside discrimination [utility]
12f | updating |  | if the model was updated: how
12g | predictions of an existing model | validation | formula, code or interface they came from
13 | class imbalance | imbalance | whether and why it was treated, and recalibration afterwards
14 | fairness | subgroups | approaches and their reasons
15 | output of the model | threshold | probability or class; reason for thresholds
16 | development and evaluation data | validation | how the two differ
17 | ethics |  | approval and consent
18a | funding |  | sources and their role
18b | conflicts of interest |  | of all authors
18c | protocol |  | where it can be read, or that there was none
18d | registration |  | number, or that there was none
18e | data sharing |  | where the data are
18f | code sharing | software | where the code is
19 | patients and public |  | how they were involved
20a | flow of participants | sample | a diagram, follow-up time
20b | characteristics |  | overall and by source, with missing values
20c | comparison with development data |  | distributions of important predictors
21 | participants and events per analysis | sample |
22 | the full model | model | enough for others to predict: formula, code or object
23a | performance | metrics subgroups curves | key subgroups [subgroups]; plots [curves]
23b | heterogeneity between clusters | groups | results by cluster
24 | results of updating |  | if the model was updated
25 | interpretation |  | overall, with fairness
26 | limitations | warnings | sample, overfitting, missing data; the questions below
27a | poor or missing inputs |  | what happens to them in use
27b | users |  | what they need to know and do
27c | next steps |  | where the model may apply, further research
""")

NEURIPS = _items("""
4 | reproducibility | model plan software | data, and what else another group needs to repeat the result
5 | open data and code | software | where they are, with the command that gives these numbers
6 | experimental setting | model plan | how settings were chosen, inside the assessed model or on other data
7 | error bars: are there any | metrics |
7 | error bars: what varies | estimand |
7 | error bars: how computed | uncertainty |
7 | error bars: what is assumed | assumptions | state dependence between cases, if any
7 | error bars: SD, standard error or interval | kind |
8 | compute |  | machine and hours, also of experiments that are not reported
""")

FDA_READERS = _items("""
1 | objective and hypotheses | hypothesis | which comparison is primary, and the margin, fixed before the study
2 | device and its use |  | version, output shown to readers, intended use, second or concurrent reading
3 | control arm | modalities | how readers work without the device
4 | study design | design | sequential or crossover, order at random, four weeks or more between readings of a case
5 | readers | readers | number, specialty, experience, how chosen, whether they are like those who will use the device
6 | training of readers |  | in the device, the scale and the task, on cases that are not in the study
7 | cases | cases | sites, dates, consecutive or enriched, and why; whether the sites may be pooled
8 | spectrum of disease |  | sizes, types and severity among positives; findings that look alike among negatives
9 | reuse of test data |  | that no case was used to develop the device, and how access is controlled
10 | reference standard | truth | how truth and location were determined, by whom, and blinded to the readings
11 | scoring | scale | rating scale, definition of a positive reading, how locations are matched
12 | primary figure of merit | merit | why it fits the intended use
13 | variability of readers and cases | random |
14 | statistical method | method |
15 | sample size | size | the pilot or published components, difference and power it was planned with
16 | missing and indeterminate readings | missing | why they are missing
17 | result of the comparison | result |
18 | every reader | each | curves, in the report
19 | sensitivity and specificity | operating | with intervals, at the rating that calls for action: metric and threshold
20 | standalone performance | standalone | by subgroups of cases
21 | subgroups |  | by site, scanner, lesion and patient characteristics
22 | several comparisons | multiplicity | the order or adjustment fixed before the study
23 | software | software |
""")

BIASES = (
    (
        "verification",
        "Did every case get the reference standard, whatever its index result? If not, how were they chosen?",
    ),
    ("spectrum", "Are stages, severities and other diagnoses in the data mixed as among those the rule is meant for?"),
    ("gold standard", "How often is the reference standard wrong, and are its errors independent of the rule's?"),
    ("incorporation", "Is the reference standard free of the features that the rule uses?"),
    ("lead time", "Screening: is survival counted from a moment that does not depend on earlier detection?"),
    ("length", "Screening: are slowly progressing cases over-represented among those that were found?"),
    ("overdiagnosis", "Screening: would some of the cases that were found never have become a clinical problem?"),
)
"""Questions about biases that no resampling can see (Popovici; Pepe 2003; Begg & Greenes 1983)."""

GuidelineName = Literal["stard", "tripod+ai", "fda-readers", "neurips"]
GUIDELINES: dict[GuidelineName, Guideline] = {
    "stard": Guideline("STARD 2015", "Bossuyt et al. (2015), BMJ 351: h5527", STARD, True),
    "tripod+ai": Guideline("TRIPOD+AI", "Collins et al. (2024), BMJ 385: e078378", TRIPOD_AI, True),
    "fda-readers": Guideline(
        "Reader studies of computer-assisted detection, FDA (items numbered here)",
        "FDA (2022), Clinical performance assessment: considerations for computer-assisted detection devices",
        FDA_READERS,
        True,
    ),
    "neurips": Guideline("NeurIPS paper checklist, items 4 to 8", "NeurIPS (2025)", NEURIPS, False),
}
OF_MODELS: tuple[GuidelineName, ...] = ("stard", "tripod+ai", "neurips")
OF_READERS: tuple[GuidelineName, ...] = ("stard", "fda-readers")
RATINGS = 10  # a scale with more values has too many operating points
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

    def seeing(self, more: Mapping[str, str]) -> Checklist:
        """With what the page around it shows, by the names of facts."""
        return replace(self, known={**self.known, **more})

    def answer_of(self, item: Item) -> str:
        """What trueness knows about an item; empty where it knows nothing."""
        return " ".join(self.known[fact] for fact in item.facts if self.known.get(fact))

    def add_to(self, item: Item) -> str:
        """What the author must add; empty where trueness knows enough."""
        return "; ".join(part for part, fact in item.add if not self.known.get(fact))

    def status_of(self, item: Item) -> str:
        """ "filled", "partly" or "author"."""
        known = self.answer_of(item)
        return ("filled" if not self.add_to(item) else "partly") if known else "author"

    def figure(self) -> Figure:
        """How many items are filled, filled in part, and left to the author."""
        names = {"filled": ("filled", "C0"), "partly": ("filled in part", "C2"), "author": ("for the author", "soft")}
        counts = self.frame()["status"].value_counts()
        parts = [(name, float(counts.get(k, 0)), str(counts.get(k, 0)), color) for k, (name, color) in names.items()]
        return shares(parts, f"{len(self.guideline.items)} items", "items")

    def frame(self) -> pd.DataFrame:
        """One row per item: `item`, `topic`, `status` ("filled", "partly", "author"), `known`, `add`."""
        rows = [(i.number, i.topic, self.status_of(i), self.answer_of(i), self.add_to(i)) for i in self.guideline.items]
        return pd.DataFrame(rows, columns=["item", "topic", "status", "known", "add"])

    def page(self, level: float | None = None) -> Page:
        items, counts = self.guideline.items, self.frame()["status"].value_counts()
        known = [(i.number, i.topic, self.status_of(i), self.answer_of(i)) for i in items if self.answer_of(i)]
        to_add = [(i.number, i.topic, self.add_to(i)) for i in items if self.add_to(i)]
        tables = [
            Table.of(("item", "topic", "status", "from the assessment"), known, "Known, in whole or in part"),
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


def checklist(name: GuidelineName, assessment: Assessment | Opening | ReaderStudy) -> Checklist:
    """A reporting checklist, filled with what the assessment knows; the rest is listed for the author.

    Parameters
    ----------
    name : {"stard", "tripod+ai", "fda-readers", "neurips"}
        STARD 2015 (diagnostic accuracy), TRIPOD+AI (prediction models), what FDA's guidance asks of reader studies, or
        items 4 to 8 of the NeurIPS checklist.
    assessment : Assessment, Opening or ReaderStudy
        From `trueness.assess`, of a sealed test set from `trueness.sealed.unseal`, or from `trueness.readers` for "stard"
        and "fda-readers".

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
    folded = {re.sub(r"[^a-z]", "", each): each for each in GUIDELINES}
    if isinstance(name, str):
        name = folded.get(re.sub(r"[^a-z]", "", name.lower()), name)
    if not is_one_of(name, GUIDELINES):
        fix = f"{near(name, GUIDELINES)}Available: {', '.join(GUIDELINES)}"
        if isinstance(name, Assessment):
            raise InputError("The name of the checklist comes first", param="name", got="an Assessment", fix=fix)
        raise InputError(f"Unknown checklist {name!r}", param="name", fix=fix)
    if isinstance(assessment, ReaderStudy):
        if name not in OF_READERS:
            fix = f"Use {' or '.join(OF_READERS)}"
            raise InputError(f"Checklist {name!r} is not about reader studies", param="name", fix=fix)
        return Checklist(GUIDELINES[name], reader_facts(assessment), "Reader study")
    if name == "fda-readers":
        raise InputError("This checklist needs a reader study", param="assessment", fix="See trueness.readers")
    if isinstance(assessment, Opening):
        return Checklist(GUIDELINES[name], opening_facts(assessment), assessment.assessment.called)
    if not isinstance(assessment, Assessment):
        raise InputError(
            "A checklist is filled from an Assessment or a ReaderStudy; a table or a curve alone knows too few of its items",
            param="assessment",
            got=type(assessment).__name__,
            fix="Pass what trueness.assess, trueness.sealed.unseal or trueness.readers returned",
        )
    return Checklist(GUIDELINES[name], facts(assessment), assessment.called)


def facts(a: Assessment) -> dict[str, str]:
    """What an assessment knows, as sentences by name."""
    chosen = [a[metric] for metric in a.recommended]
    out = {
        "model": f"Model: {a.called}.",
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


def opening_facts(o: Opening) -> dict[str, str]:
    """What the opening of a sealed test set knows, as sentences by name."""
    known = facts(o.assessment)
    fits, first = o.assessment.fits, o.number == 1
    when = "the test set was opened" if first else f"opening {o.number} of the test set, which had been seen by then"
    seen = "that were encrypted until then" if first else "that had been seen before"
    known |= {
        "plan": f"A test set that was encrypted when the data were split, and opened {o.times}.",
        "validation": f"Evaluation of a fitted model. It was fitted on {size_of(o.manifest, 'design')}, and tested on "
        f"{size_of(o.manifest, 'test')} {seen}.",
    }
    if fits is not None and fits.sample.n_classes == 2:
        known["threshold"] += f" {'It was on record' if fits.decisions else 'No threshold was declared'} before {when}."
    by = f"Declared before {when}: {', '.join(o.subgroups)}."
    if o.subgroups:
        known["subgroups"] = " ".join([by, *(f"By {name}: {s.answer()}" for name, s in o.first.items())])
    if first:  # what is declared later has seen the cases
        known |= {"declared": known["threshold"]} if fits is not None and fits.decisions else {}
        known |= {"planned": by} if o.subgroups else {}
    return known


def reader_facts(r: ReaderStudy) -> dict[str, str]:
    """What a reader study knows, as sentences by name."""
    readings, a, p = r.analysis.merits.readings, r.analysis, r.provenance
    merit = f"Figure of merit: {titled(r.metric)} of each reader."
    if a.merits.threshold is not None:
        merit += f" Positive where score ≥ {a.merits.threshold:g}."
    ratings = np.unique(readings.values[readings.read])
    scale = f"{len(ratings)} different scores, {ratings[0]:g} to {ratings[-1]:g}."
    sizes = f"{counted(len(readings.readers), 'reader')} and {counted(readings.n, 'case')}."
    names = ", ".join(map(str, readings.modalities))
    out = {
        "sample": f"{readings.n} cases: {p['positives']} positive, {p['negatives']} negative.",
        "cases": f"{readings.n} cases: {p['positives']} positive, {p['negatives']} negative.",
        "readers": f"{counted(len(readings.readers), 'reader')}.",
        "design": f"{DESIGN_WORDS[r.design].capitalize()}.",
        "plan": f"{DESIGN_WORDS[r.design].capitalize()}.",
        "truth": f"Positive class: {readings.classes[1]}.",
        "positive": f"Positive class: {readings.classes[1]}.",
        "merit": merit,
        "metrics": r.answer(),
        "result": r.answer(),
        "scale": scale,
        "random": f"Intervals and tests are about {words_of_random(a.random)}.",
        "method": methods_of(r),
        "uncertainty": f"{r.page().title.splitlines()[1]} {100 * r.level:g} % intervals.",
        "size": sizes,
        "missing": f"{r.counts()}.",
        "each": " ".join(
            f"Reader {x.reader}, {x.modality}: {x.value:.3f}."
            for x in r.frame("readers").itertuples()
            if x.minus is None
        ),
        "warnings": " ".join(str(n) for n in r.notes if n.severity == "warning"),
        "software": f"trueness {__version__}, Python {platform.python_version()}.",
    }
    if len(ratings) <= RATINGS and readings.up.any() and not readings.up.all():
        out["operating"] = _operating(readings, ratings)
    if len(readings.modalities) > 1:
        out["modalities"] = f"Modalities: {names}."
        out["hypothesis"] = f"Equality of {names}."
    if len(r.differences) > 1:
        out["multiplicity"] = f"{len(r.differences)} pairs, adjusted by Holm beside the test that all are equal."
    if r.model is not None:
        out["standalone"] = f"{r.model.page().answer}"
    if a.merits.threshold is not None:
        out["threshold"] = f"Positive where score ≥ {a.merits.threshold:g}."
    return out


def _operating(readings: Readings, ratings: Floats) -> str:
    """Mean sensitivity and specificity of the readers at every rating of a short scale."""
    said = []
    for m, label in enumerate(readings.modalities):
        values = readings.values[readings.of(m)]
        of_class = values[:, readings.up], values[:, ~readings.up]
        for cut in ratings[1:]:
            tpf, fpf = (float(np.nanmean(np.where(np.isnan(v), np.nan, v >= cut), axis=1).mean()) for v in of_class)
            said.append(f"{label}, score ≥ {cut:g}: mean sensitivity {tpf:.3f}, mean specificity {1 - fpf:.3f}.")
    return " ".join(said)


def _of_fits(fits: Fits) -> dict[str, str]:
    sample, design = fits.sample, fits.design
    prefit = fits.engine == "prefit"
    told = design.plan.in_words(design.n_fits) if isinstance(design.plan, Plan) else design.plan
    plan = f"Plan: {told}, {counted(fits.n_fits, 'fit')}."
    out = {
        "sample": f"{sample.described}.",
        "plan": "A test set on which nothing was trained." if prefit else plan,
        "validation": "Evaluation of a fitted model."
        if prefit
        else "Development with internal validation: the whole model is trained again on every resample.",
    }
    if sample.numbers is None:
        sizes = zip(sample.classes.tolist(), sample.sizes.tolist(), strict=True)
        counts = ", ".join(f"{size} of class {label}" for label, size in sizes)
        rarest = sample.sizes.argmin()
        share = f"{sample.sizes[rarest] / sample.n:.1%}"
        out |= {
            "sample": f"{sample.cases_and_groups}: {counts}.",
            "imbalance": f"{share} of the cases are of class {sample.classes[rarest]}.",
            "threshold": "Decisions are those of the model's predict method."
            if not fits.decisions
            else f"Positive where the {fits.decisions}.",
        }
    if sample.groups is not None:
        n = int(sample.groups.max()) + 1
        out["groups"] = (
            f"{n} groups, which are the independent units."
            if prefit
            else f"{n} groups are kept on one side of every split."
        )
    if sample.n_classes == 2 and sample.numbers is None:
        with suppress(InputError, UndefinedError):  # without decisions
            out["counts"] = _counted(counts_of(fits), sample.classes.tolist())
    if sample.positive is not None:
        out["positive"] = f"Positive class: {sample.classes[sample.positive]}."
    return out


def _counted(counts: Floats, classes: list[Label]) -> str:
    """Left-out cases by truth and decision, in a sentence."""
    whole, said = np.allclose(counts, counts.round()), []
    for truth, row in zip(classes, counts, strict=True):
        each = (f"{v:.{0 if whole else 1}f} called {label}" for label, v in zip(classes, row, strict=True))
        said.append(f"of {row.sum():.0f} cases of class {truth} {', '.join(each)}")
    mean = "" if whole else " (mean over repetitions)"
    return capitalized(f"{'; '.join(said)}{mean}.")


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
