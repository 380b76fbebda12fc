"""How numbers were computed: `how` for estimates, `facts` for results, and from these the methods for a paper."""

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, singledispatch
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from trueness.api.assessment import Assessment
from trueness.api.by_class import counts_of
from trueness.api.threshold import ThresholdChoice
from trueness.curves.promised import Guarantee, how_promised
from trueness.errors import InputError, UndefinedError
from trueness.fitting.described import versions
from trueness.probabilities.benefit import DecisionCurve
from trueness.probabilities.calibrated import Calibration, SeveralCalibrations
from trueness.probabilities.validation import Validation
from trueness.reading.result import ReaderStudy
from trueness.result.estimate import Estimate
from trueness.result.interval import NAMED
from trueness.result.learning_curve import LearningCurve
from trueness.result.pairs import Paired
from trueness.result.shown import Result
from trueness.result.subgroups import RandomEffects
from trueness.result.test_result import TestResult
from trueness.result.words import Named, capitalized, listed, said_costs, spoken, with_model
from trueness.sample.design import RETURNING
from trueness.sealed.study import size_of
from trueness.sealed.unseal import Opening

METHODS = ("data", "threshold", "costs", "how", "tests", "sources", "answer", "subgroups")
"""The facts that make the methods of a paper, in their order; the software follows."""

SOURCES: dict[type[Result], str] = {
    Calibration: (
        "Intercept and slope are those of logistic recalibration [@cox_1958]; ICI, E50 and E90 [@austin_steyerberg_2019] are "
        "distances from a logistic regression on restricted cubic splines [@harrell_2015]."
    ),
    DecisionCurve: "Net benefit [@vickers_elkin_2006] at all thresholds together: max-t [@hothorn_bretz_westfall_2008].",
    Validation: "Optimism was subtracted from the apparent value [@harrell_2015].",
    RandomEffects: "Scale of the mean [@snell_2018]; prediction interval of a new site [@nagashima_2019].",
    ThresholdChoice: "The threshold was chosen inside every training set, and judged on the cases that it left out.",
}
SOURCES[SeveralCalibrations] = SOURCES[Calibration]


def how(estimates: Iterable[Estimate], level: float) -> str:
    """Method, standard error, interval and estimand of estimates; those made alike are named together."""
    alike: dict[str, dict[str, None]] = {}
    for e in (e for e in estimates if e.method or e.se_method):
        known = {"estimated by {}": e.method, "with {}": e.se_method if e.se is not None else ""}
        if e.has_interval:
            known[f"{100 * level:.4g} % interval ({{}})"] = e.ci(level).method
        known["estimand: {}"] = e.estimand
        said = ", ".join(text.format(_words(name)) for text, name in known.items() if name)
        alike.setdefault(said, {})[spoken(e.metric)] = None
    return " ".join(f"{capitalized(listed(names))}: {said}." for said, names in alike.items() if said)


@singledispatch
def facts(result: Result, estimates: Iterable[Estimate] | None = None) -> dict[str, str]:
    """What a result says about itself, as sentences by name; empty ones are not known. How `estimates` were computed, or
    all that it has."""
    page, provenance = result.page(), getattr(result, "provenance", {})
    tests = getattr(result, "tests", {}).values()
    named = (e for _, e in getattr(result, "_named", tuple)()) if estimates is None else estimates
    about = [*page.title.split("\n"), str(provenance.get("design", ""))]
    used = software(provenance, seed=None)
    made = ", ".join(f"{name} {value}" for name, value in used.items() if value is not None)
    return {
        "data": f"{'; '.join(dict.fromkeys(filter(None, about)))}.",
        "costs": " ".join(said_costs(provenance)),
        "how": how((e for e in named if not math.isnan(e.value)), getattr(result, "level", 0.95)),
        "tests": " ".join(dict.fromkeys(map(test_words, tests))),
        "sources": next((SOURCES[kind] for kind in type(result).__mro__ if kind in SOURCES), ""),
        "answer": page.answer,
        "warnings": " ".join(str(n) for n in page.notes if n.severity == "warning"),
        "software": f"Computed with {made} [@trueness; @pedregosa_2011].",
    }


@facts.register
def _of_assessment(a: Assessment) -> dict[str, str]:
    known = _of_result(a, [a[metric] for metric in a.recommended])
    known |= {
        "data": f"{a.called} was assessed on {a.provenance.get('design', 'given fits')}.",
        "model": f"{a.called}.",
        "assumptions": " ".join(dict.fromkeys(str(n) for metric in a.recommended for n in a[metric].notes)),
    }
    if a.features is not None and (missing := int(np.asarray(pd.isna(a.features)).sum())):
        within = " within each training set" * (not a.fitted)
        known["missing"] = f"Missing values of features: {missing}, handled by the model{within}."
        known["data"] += f" {known['missing']}"
    if a.fits is None:
        return known
    sample = a.fits.sample
    known["sample"] = f"{sample.described}."
    if a.fits.decisions:
        known["threshold"] = f"Positive where the {a.fits.decisions}, a declared threshold."
    if sample.groups is not None:
        known["groups"] = (
            sample.cases_and_groups + "; whole groups were drawn" * (RETURNING not in a.fits.design.notes) + "."
        )
    if sample.positive is not None:
        known["positive"] = f"Positive class: {sample.classes[sample.positive]}."
    with suppress(InputError, UndefinedError):  # without decisions
        cells, c = np.ndenumerate(counts_of(a.fits)), sample.classes
        known["counts"] = "; ".join(f"class {c[i]} called {c[j]}: {n:.5g}" for (i, j), n in cells) + "."
    return known


@facts.register
def _of_opening(o: Opening) -> dict[str, str]:
    known, split = facts(o.assessment), o.manifest["split"]
    known["data"] = (
        f"{o.assessment.called} was trained on {size_of(o.manifest, 'design')} and tested on {known['sample']} The test "
        f"cases ({SPLITS[split['by']].format(split['column'])}) were encrypted when the data were split. Model, metrics, "
        f"threshold and subgroups were on record before opening {o.number} of the test set, at level {o.level:.4g}."
    )
    known["subgroups"] = " ".join(f"By {name}: {s.answer()}" for name, s in o.first.items())
    return known


SPLITS = {  # how the cases of a sealed test set were chosen
    "time": "the latest by {}",
    "groups": "whole groups of {}, drawn at random",
    "class": "drawn at random within classes",
    "chance": "drawn at random",
}


@facts.register
def _of_pairs(k: Paired) -> dict[str, str]:
    fits = getattr(k, "fits", {})
    names = listed(with_model(name, fits[name].model) if name in fits else name for name in k.estimates)
    known = _of_result(k)
    made = [how(k.estimates.values(), k.level), how(k.differences.values(), k.pair_level)]
    together = "Intervals and p-values of all pairs hold together by max-t [@hothorn_bretz_westfall_2008]."
    return known | {
        "data": f"{names} were compared on {k.provenance.get('design') or k.provenance['words']}.",
        "how": " ".join(made),
        "sources": together * (len(k.differences) > 1),
    }


@facts.register
def _of_learning_curve(c: LearningCurve) -> dict[str, str]:
    said = "Larger sizes are extrapolated by a power law [@figueroa_2012]."
    return _of_result(c) | {"sources": said * bool(c.extrapolations)}


@facts.register
def _of_readers(r: ReaderStudy) -> dict[str, str]:
    readings = r.analysis.merits.readings
    known, (_, merit) = _of_result(r), r.page().title.split("\n")
    return known | {
        "data": f"Reader study: {r.provenance['words']}. {merit}",
        "sources": "Adjusted p-values are Holm's [@holm_1979]." * (len(r.differences) > 1),
        "sample": f"{r.provenance['words']}.",
        "design": merit.partition(". ")[0] + ".",
        "positive": f"Positive class: {readings.classes[1]}.",
        "merit": merit.partition(". ")[2],
        "missing": f"{r.provenance['readings']} readings, {readings.gaps} missing.",
    }


@facts.register
def _of_guarantee(g: Guarantee) -> dict[str, str]:
    sources = how_promised(g.rate, g.wanted, g.confidence, g.data.groups is not None)
    return _of_result(g) | {"data": f"Cases: {g.data.described}.", "sources": sources}


@facts.register
def _of_test(t: TestResult) -> dict[str, str]:
    return _of_result(t) | {"data": "", "tests": test_words(t)}


_of_result = facts.dispatch(Result)


def methods_of(*results: Result) -> str:
    """What was done, for the section "Methods" of a paper, one paragraph each; sources as [@key], as `bibtex_of` has them."""
    known = [facts(result) for result in results]
    said = (" ".join(filter(None, map(each.get, METHODS))) for each in known)
    return "\n\n".join([*said, known[0]["software"]]) if len(known) > 1 else f"{next(said)} {known[0]['software']}"


def bibtex_of(*results: Result) -> str:
    """The sources that `methods_of` cites, as BibTeX."""
    cited = re.findall(r"\[(@[^\]]*)\]", methods_of(*results))
    return "\n".join(entries()[key] for key in dict.fromkeys(re.findall(r"@(\w+)", "; ".join(cited))))


@cache
def entries() -> Mapping[str, str]:
    """The entries of references.bib, by key."""
    text = files(__package__).joinpath("references.bib").read_text(encoding="utf-8")
    found = re.finditer(r"^@\w+\{(\w+),.*?^\}$\n?", text, flags=re.MULTILINE | re.DOTALL)
    return {entry[1]: entry[0] for entry in found}


def test_words(t: TestResult) -> str:
    """The name of a test with its sources."""
    return f"Test: {_words(Named(t.test, '', *t.sources))}."


def _words(name: str) -> str:
    """A name in words, with its sources as " [@key; @key]"."""
    known = NAMED.get(name, name)
    keys = "; ".join(f"@{key}" for key in dict.fromkeys(getattr(known, "sources", ())))
    return f"{getattr(known, 'words', known)} [{keys}]".removesuffix(" []")


def software(provenance: Mapping[str, Any], **more: object) -> dict[str, Any]:
    """The versions that computed it, and more, as the provenance has them."""
    used = {**versions(), **provenance.get("libraries", {}), **more}
    return {name: provenance.get(name, version) for name, version in used.items()}
