"""Items of reporting guidelines, in our own words: number, topic, facts that trueness knows, what the author must add.

The guidelines themselves are longer and binding: read them (references in `GUIDELINES`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """One item of a guideline."""

    number: str  # as in the guideline
    topic: str  # what it is about, in a few words
    facts: tuple[
        str, ...
    ] = ()  # names of the facts that answer it, or a part of it (`trueness.report.checklists.facts`)
    add: str = ""  # what the author must add; empty where the facts are enough


@dataclass(frozen=True)
class Guideline:
    """A reporting guideline: its items, and whether a study of patients must rule out biases as well."""

    title: str
    reference: str
    items: tuple[Item, ...]
    clinical: bool


def _items(text: str) -> tuple[Item, ...]:
    """One item per line: number | topic | facts | what to add."""
    found = []
    for line in text.strip().splitlines():
        number, topic, facts, add = (part.strip() for part in line.split("|"))
        found.append(Item(number, topic, tuple(facts.split()), add))
    return tuple(found)


STARD = _items("""
1 | title or abstract names an accuracy measure | metrics | name it there, so that the study can be found
2 | structured abstract | sample metrics | design, methods and conclusions
3 | background |  | intended use of the test and its place in the clinical pathway
4 | objectives |  | objectives and hypotheses
5 | prospective or retrospective |  | whether data collection was planned before or after both tests
6 | eligibility |  | inclusion and exclusion criteria
7 | how participants were identified |  | by symptoms, earlier tests, a registry
8 | where and when |  | setting, places and dates
9 | sampling | groups | consecutive, random or convenience series
10a | index test | model plan | how features were measured, so that the test can be repeated
10b | reference standard | positive | how the true status was determined
11 | why this reference standard |  | the reason, if there are alternatives
12a | cut-off of the index test | threshold | its reason, and whether it was fixed before the data were seen
12b | cut-off of the reference standard |  | definition, reason, prespecified or exploratory
13a | blinding of the index test |  | whether clinical information or the true status was known to those who applied it
13b | blinding of the reference standard |  | whether index results were known to those who determined the true status
14 | how accuracy was estimated | plan uncertainty |
15 | indeterminate results |  | how many there were and how they were counted
16 | missing data |  | how many values were missing, in features and in the true status, and how they were handled
17 | variability of accuracy | groups | subgroups or sites, and whether these analyses were planned
18 | sample size | sample | how it was determined (trueness size)
19 | flow of participants | sample | a diagram from eligible to analysed
20 | characteristics of participants |  | demographic and clinical baseline
21a | severity among those with the condition |  | distribution
21b | other diagnoses among those without |  | distribution
22 | time between the two tests |  | interval, and treatments in between
23 | cross table of test and reference | sample | the table at the cut-off, with counts (trueness.diagnose)
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
12e | measures of performance | metrics uncertainty | calibration and clinical utility beside discrimination
12f | updating |  | if the model was updated: how
12g | predictions of an existing model | validation | formula, code or interface they came from
13 | class imbalance | imbalance | whether and why it was treated, and recalibration afterwards
14 | fairness |  | approaches and their reasons
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
23a | performance | metrics | key subgroups, and plots
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

GUIDELINES = {
    "stard": Guideline("STARD 2015", "Bossuyt et al. (2015), BMJ 351: h5527", STARD, True),
    "tripod+ai": Guideline("TRIPOD+AI", "Collins et al. (2024), BMJ 385: e078378", TRIPOD_AI, True),
    "neurips": Guideline("NeurIPS paper checklist, items 4 to 8", "NeurIPS (2025)", NEURIPS, False),
}
