"""What a notebook shows of the parts of an assessment: samples, plans, designs, fits, intervals, studies, scores."""

from __future__ import annotations

from dataclasses import fields

from trueness.plans.plan import Plan
from trueness.report.curve import roc_svg
from trueness.report.dispatch import page_of, picture_of
from trueness.result.digits import counted
from trueness.result.interval import Interval
from trueness.result.table import Page, Table
from trueness.sample.design import Design
from trueness.sample.fits import Fits
from trueness.sample.left_out import LeftOut
from trueness.sample.sample import Sample
from trueness.sealed.study import Ledger, Study

WHAT = ("", "")


@page_of.register(Interval)
def interval_page(interval: Interval) -> Page:
    notes = () if interval.note is None else (interval.note,)
    how = f"{100 * interval.level:g} % interval, method {interval.method}"
    return Page(how, f"{interval.low:.6g} to {interval.high:.6g}", notes=notes)


@page_of.register(Sample)
def sample_page(sample: Sample) -> Page:
    sizes = zip(sample.classes.tolist(), sample.sizes.tolist(), strict=True)
    rows = [
        (str(label), str(size), f"{size / sample.n:.1%}", "positive" if code == sample.positive else "")
        for code, (label, size) in enumerate(sizes)
    ]
    shape: tuple[int, ...] = getattr(sample.X, "shape", ())
    features = f", {counted(shape[1], 'feature')}" if len(shape) == 2 else ""
    return Page(
        f"Sample of {sample.cases_and_groups}{features}", tables=(Table.of(("class", "cases", "share", ""), rows),)
    )


@page_of.register(Plan)
def plan_page(plan: Plan) -> Page:
    """Its parameters; what the plan does is the first sentence of its docstring."""
    said = " ".join((type(plan).__doc__ or "").split("\n\n")[0].split())
    rows = [(f.name, repr(getattr(plan, f.name))) for f in fields(plan) if f.repr]
    return Page(f"Plan {type(plan).__name__}: {said}", tables=(Table.of(("parameter", "value"), rows),))


@page_of.register(Design)
def design_page(design: Design) -> Page:
    rows = [
        ("plan", str(design.plan)),
        ("training sets", str(design.n_fits)),
        ("cases", design.sample.cases_and_groups),
        ("drawn class by class", "yes" if design.stratified else "no"),
        ("fingerprint", design.fingerprint[:16]),
    ]
    return Page("Design: which cases enter which training set", tables=(Table.of(WHAT, rows),), notes=design.notes)


@page_of.register(Fits)
def fits_page(fits: Fits) -> Page:
    given = fits.parts[0] if fits.parts else fits
    scores = "probabilities" if fits.probabilities else "log-odds" if fits.log_odds else "scores"
    holds = [scores] if given.held is not None else []
    holds += ["predicted classes"] if given.held_predictions is not None else []
    rows = [
        ("training sets", f"{fits.n_fits}, {len(fits.failed)} failed"),
        ("cases", fits.sample.described),
        ("plan", str(fits.design.plan)),
        ("fitted by", f"{fits.engine} engine"),
        ("holds", " and ".join(holds) or "nothing"),
    ]
    return Page("Fits: answers of the rules of a design", tables=(Table.of(WHAT, rows),), notes=fits.notes)


@page_of.register(Study)
def study_page(study: Study) -> Page:
    return Ledger(study).page()


@page_of.register(LeftOut)
def left_out_page(left: LeftOut) -> Page:
    return Page(f"{left.scale.capitalize()} of {left.data.described}\n{left.origin}")


@picture_of.register(LeftOut)
def left_out_picture(left: LeftOut) -> str:
    return roc_svg(left.data)
