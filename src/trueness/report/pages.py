"""`html_of(result)`: the one way to a report. A kind of result has a template, and a function that prepares its values."""

import platform
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import singledispatch
from typing import Any

from trueness.api.assessment import ASSESSED, Assessment
from trueness.api.threshold import ThresholdChoice
from trueness.api.two_sets_result import TwoSets
from trueness.curves.curve import RocCurve, roc_figure
from trueness.curves.empirical import left_out_curves, roc_of_classes
from trueness.curves.roc import RocCurves
from trueness.errors import InputError, UndefinedError
from trueness.figures.figure import forest
from trueness.leaks.check import LOOKED_FOR
from trueness.probabilities.benefit import decision_curve
from trueness.probabilities.calibrated import calibration
from trueness.reading.result import ReaderStudy
from trueness.report.checklists import checklists_of
from trueness.report.methods import bibtex_of, methods_of, software
from trueness.report.numbers import number_values
from trueness.report.page import rendered
from trueness.report.scores import score_values
from trueness.result.learning_curve import LearningCurve
from trueness.result.notes import warnings_first
from trueness.result.pairs import Paired
from trueness.result.shown import Cited, Result, Table, label
from trueness.result.words import spoken
from trueness.sealed.unseal import Opening, subgroups_of
from trueness.typing import Labels, Record

MOST_SLIDERS = 6  # scores of one page whose thresholds are shown
MOST_CURVES = 8  # in one picture


def html_of(result: Result, **options: Any) -> str:
    """A self-contained HTML page of a result; options as `values_of` takes them for its kind."""
    page = result.page()
    title, *about = (page.title or re.sub("(?<=[a-z])(?=[A-Z])", " ", type(result).__name__).capitalize()).split("\n")
    values: Record = {"title": title, "about": (*about, *page.footer.split("\n")), "page": page, "notes": page.notes}
    provenance: Mapping[str, Any] = getattr(result, "provenance", {})
    used = software(provenance, Python=platform.python_version(), on=platform.platform())
    known = {name: value for name, value in provenance.items() if name not in {"checks", "words", "libraries", *used}}
    known |= {"level": getattr(result, "level", None), "software": ", ".join(f"{k} {v}" for k, v in used.items())}
    if sys.argv and sys.argv[0].endswith(("trueness", "trueness.exe")):
        known["command line"] = shlex.join(["trueness", *sys.argv[1:]])
    notes, codes = getattr(result, "notes", ()), provenance.get("checks", ())
    checks = [(code, LOOKED_FOR[code], " ".join(str(n) for n in notes if n.code == code)) for code in codes]
    values |= {"made": _told(known), "checks": Table(("code", "what is looked for", "found"), checks)}
    values |= values_of(result, **options)
    cited = [result, *values.get("cited", ())] * isinstance(result, Cited)
    values["notes"] = Table(("", "code", "note"), [(label(n), n.code, str(n)) for n in warnings_first(values["notes"])])
    if cited:
        values |= {"methods": methods_of(*cited).split("\n\n"), "bibtex": bibtex_of(*cited)}
    values["read"] = [s["read"] for s in values.get("scores", ())]
    return rendered(**values)


@singledispatch
def values_of(result: Result) -> Record:
    """The template of a result and its values; `parts` are results by name that the page shows one below the other."""
    return {"template": "result.html", "parts": {"": result}, "drawn": True}


def _told(known: Mapping[str, Any]) -> Table:
    """What is known, by name."""
    rows = [
        (str(name).replace("_", " "), str(value)) for name, value in known.items() if value not in (None, "None", [])
    ]
    return Table(("what", "value"), rows)


@values_of.register
def _of_assessment(
    a: Assessment,
    whole: Assessment | Opening | None = None,
    learning_curve: LearningCurve | None = None,
    by: Mapping[str, Labels] | None = None,
    chosen: ThresholdChoice | None = None,
) -> Record:
    """`whole` is the opening of a sealed test set; `chosen` is a threshold that costs chose."""
    page = a.page()
    shown = {**getattr(whole, "subgroups", {}), **{k: subgroups_of(a, k, of) for k, of in (by or {}).items()}}
    drawn: Record = {}
    if a.fits is not None and a.fits.sample.numbers is not None:
        drawn = number_values(a.fits)
    elif a.fits is not None and a.fits.sample.n_classes > 2:
        drawn = {"curves": roc_of_classes(a.fits, a.level, MOST_CURVES)}
    elif a.fits is not None and (left_out := a.fits.left_out()) is not None:
        how: Record = {"origin": left_out.origin, "scale": left_out.scale, "own": left_out.own}
        how["called"] = a.fits.decisions or "the model's own threshold"
        if "auc" in a.recommended:
            how["area"] = a.name or ASSESSED, a["auc"]
        if chosen is not None and chosen.costs is not None:
            c = chosen.costs
            costs = float(c[1, 0] - c[1, 1]), float(c[0, 1] - c[0, 0])  # what a wrong decision costs more
            how |= {"own": chosen.threshold.value, "called": "chosen for these costs", "costs": costs}
        drawn = {"scores": [score_values(left_out, a.level, **how)]}
    parts = dict(_parts(a, bool(drawn.get("scores") or drawn.get("curves"))))
    answers = " ".join(f"By {name}: {found[0].answer()}" for name, found in shown.items())
    return {
        "template": "assessment.html",
        "title": f"Assessment: {page.title.partition(chr(10))[0]}",
        "notes": page.notes,
        "a": a,
        "chosen": chosen,
        "parts": parts | {"Learning curve": learning_curve} if learning_curve else parts,
        "by": shown,
        "checklists": checklists_of(whole or a, {"subgroups": answers} if answers else {}),
        "parameters": Table(("parameter", "value"), [(k, v) for k, v in a.parameters.items() if v != "None"]),
        "cited": [*parts.values(), *(s for found in shown.values() for s in found)],
        **drawn,
    }


def _parts(a: Assessment, left_out: bool) -> Iterator[tuple[str, Result]]:
    """Classes, calibration and net benefit, where there are decisions and probabilities."""
    with suppress(InputError, UndefinedError):
        if a.shows_classes:
            yield "Classes", a.by_class()
    with suppress(InputError, UndefinedError):
        if a.fits is not None and left_out and (a.fits.probabilities or a.fits.log_odds):
            yield "Calibration", calibration(a.fits, level=a.level)
            yield "Net benefit", decision_curve(a.fits, level=a.level)


@values_of.register
def _of_opening(o: Opening) -> Record:
    """That of the assessment, with the records in the ledger."""
    about = o.page().title.split("\n")[1:]
    declared = o.declaration.get("declared", {})
    shown = {name: value for name, value in {**o.declaration, **o.record, **declared}.items() if name not in HIDDEN}
    return _of_assessment(o.assessment, o) | {"about": about, "ledger": _told(shown)}


HIDDEN = ("declared", "estimates")  # of a record; what they hold stands elsewhere


@values_of.register
def _of_pairs(k: Paired, priced: Result | None = None) -> Record:
    """`priced` compares the models by their costs."""
    dots = [k.estimates[name].dot(name, k.level) for name in k.ranking()]
    curves = dict(list(left_out_curves(getattr(k, "fits", {}), k.ranking()).items())[:MOST_CURVES])
    areas = k.estimates if k.metric == "auc" else None
    return {
        "template": "comparison.html",
        "title": f"Comparison of {', '.join(k.estimates)}",
        "about": [k.provenance.get("design", "")],
        "k": k,
        "models": forest(dots, f"{k.metric} of each", f"{spoken(k.metric)}, {100 * k.level:g} % interval"),
        "curves": roc_figure(curves, level=k.level, areas=areas) if curves else None,
        "assumptions": list(dict.fromkeys(each for t in k.tests.values() for each in t.assumptions)),
        "priced": priced,
    }


@values_of.register
def _of_readers(r: ReaderStudy) -> Record:
    parts = {"Results": r, **{also.page().title: also for also in r.also}}
    return {"template": "result.html", "parts": parts, "drawn": True, "checklists": checklists_of(r, {})}


@values_of.register
def _of_curve(curve: RocCurve, level: float = 0.95, name: str = "") -> Record:
    """`name` is that of the score."""
    page = curve.page(level)
    about = (page.title, *page.footer.split("\n"))
    title = f"ROC curve of {name}" if name else "ROC curve"
    return {"template": "result.html", "title": title, "about": about, "page": page, "parts": {}} | {
        "scores": [score_values(curve.data, level, fitted=curve)]
    }


@values_of.register
def _of_curves(c: RocCurves) -> Record:
    """The tables and the picture of several curves, and a slider for the threshold of each."""
    scores = []
    for k, (name, curve) in enumerate(c.curves.items() if len(c.curves) <= MOST_SLIDERS else (), 1):
        scores.append(score_values(curve.data, c.level, name=name, at=f"s{k}-"))
    title = f"ROC curves of {', '.join(c.curves)}"
    return {"template": "result.html", "title": title, "parts": {"": c}, "drawn": len(c.curves) != 1} | {
        "scores": scores
    }


@values_of.register
def _of_two_sets(t: TwoSets) -> Record:
    """The tables, and the scores of the test cases by the rule trained on the training set."""
    left_out = None if t.fits is None else t.fits.left_out()
    values = {
        "template": "result.html",
        "title": f"Two sets: {t.page().title.partition(chr(10))[0]}",
        "parts": {"": t},
        "drawn": True,
    }
    if left_out is None:
        return values
    how: Record = {"origin": left_out.origin, "scale": left_out.scale, "own": left_out.own}
    return values | {"scores": [score_values(left_out, t.level, **how)]}
