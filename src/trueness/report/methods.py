"""Methods for a paper: what was done, in sentences with the keys of their sources, and these as BibTeX."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, singledispatch
from importlib.resources import files

from trueness.api.assessment import Assessment
from trueness.api.comparison import Comparison
from trueness.api.threshold import ThresholdChoice
from trueness.api.two_sets_result import TwoSets, TwoSetsPair
from trueness.curves.promised import Guarantee, how_promised
from trueness.curves.roc import RocCurves
from trueness.fitting.described import versions
from trueness.plans.plan import Plan, StratifiedPlan
from trueness.probabilities.benefit import DecisionCurve
from trueness.probabilities.calibrated import Calibration, SeveralCalibrations
from trueness.probabilities.validation import Validation
from trueness.reading.result import ReaderStudy
from trueness.result.estimate import Estimate
from trueness.result.interval import NAMED
from trueness.result.learning_curve import LearningCurve
from trueness.result.notes import SEVERAL_RULES
from trueness.result.pairs import Paired
from trueness.result.shown import Cited, Result
from trueness.result.subgroups import RandomEffects, Subgroups
from trueness.result.test_result import TestResult
from trueness.result.words import (
    Estimand,
    Named,
    capitalized,
    counted,
    equal_p,
    listed,
    said_costs,
    sentence,
    spoken,
    titled,
    with_interval,
    with_model,
)
from trueness.sample.design import Design
from trueness.sealed.study import size_of
from trueness.sealed.unseal import Opening
from trueness.systems.compare_systems import SystemsComparison

CLASSES = (
    "Left-out cases were counted by truth and decision (confusion matrix), and each class was compared with the rest by its "
    "TPF (recall), PPV (precision) and F1."
)


COMPUTED = "Computed with trueness"


@singledispatch
def methods_of(result: Result) -> str:
    """What was done, for the section "Methods" of a paper; sources as [@key], the keys of `bibtex_of`."""
    assert isinstance(result, Cited)
    page, level = result.page(), getattr(result, "level", 0.95)
    about = page.title.replace("\n", "; ").replace("  (", " (").replace("  ", ", ")
    estimates = [e for _, e in result._named() if not math.isnan(e.value)]
    return _whole([f"{about}.", *_how(estimates, level), page.answer], getattr(result, "provenance", {}))


@methods_of.register(Assessment)
def _assessment(a: Assessment, tested: str = "", more: Sequence[str] = ()) -> str:
    """`tested` says how, of a test set that was sealed, and `more` what else was done."""
    chosen, said = [a[metric] for metric in a.recommended], []
    if tested:
        said = [tested]
    elif a.fits is not None and a.fits.engine == "prefit":
        said = [f"{a.called} was tested on {a.fits.sample.described}, on which it is taken not to have been trained."]
    elif a.fits is not None:
        said = [f"{a.called} was assessed on {a.fits.sample.described}, by {plan_words(a.fits.design)}."]
        said.append(f"The whole model was trained again on every training set.{_whole_groups(a.fits.design)}")
    if a.fits is not None and a.fits.decisions:
        said.append(
            f"Cases were called positive where the {a.fits.decisions}, a threshold that was declared beforehand."
        )
    of_classes = [CLASSES] if a.shows_classes else []
    said += said_costs(a.provenance)
    numbers = (sentence(e, a.level) for e in chosen)
    return _whole([*said, *_how(chosen, a.level), *of_classes, *numbers, *more], a.provenance)


@methods_of.register(Opening)
def _opening(o: Opening) -> str:
    a, about, split = o.assessment, o.manifest, o.manifest["split"]
    assert a.fits is not None
    known = ["the model", "the metrics"]
    known += ["the threshold"] * bool(a.fits.decisions) + [f"subgroups by {listed(o.subgroups)}"] * bool(o.subgroups)
    tested = (
        f"{a.called} was trained on {size_of(about, 'design')} and tested on {a.fits.sample.described}. The test cases "
        f"({SPLITS[split['by']].format(split['column'])}) were encrypted when the data were split, and "
        f"decrypted after {listed(known)} were on record."
    )
    if o.number > 1:
        tested += (
            f" This was opening {o.number} of this test set, which had been seen by then; its intervals are at the level "
            f"{a.level:.4g} (Bonferroni)."
        )
    return _assessment(a, tested, [f"By {name}: {s.answer()}" for name, s in o.first.items()])


SPLITS = {  # how the cases of a sealed test set were chosen
    "time": "the latest by {}",
    "groups": "whole groups of {}, drawn at random",
    "class": "drawn at random within classes",
    "chance": "drawn at random",
}


@methods_of.register(Comparison)
def _comparison(k: Comparison) -> str:
    names = listed(with_model(name, k.fits[name].model) if name in k.fits else name for name in k.estimates)
    fits = next(iter(k.fits.values()), None)
    said = [f"{names} were compared by their {k.metric}."]
    if fits is not None:
        said = [f"{names} were compared on {fits.sample.described}, by {plan_words(fits.design)}."]
        said.append(f"All models had the same training sets.{_whole_groups(fits.design)}")
    said += (str(note) for note in k.notes if note.code == "threshold-inside")
    said += said_costs(k.provenance)
    return _of_pairs(k, said)


@methods_of.register(ThresholdChoice)
def _threshold(h: ThresholdChoice) -> str:
    assert h.fits is not None
    said = [
        f"A threshold of {h.name or with_model(h.fits.name, h.fits.model) or 'the scores'} was chosen on "
        f"{h.fits.sample.described}, by {plan_words(h.fits.design)}.",
        "It was chosen inside every training set, on left-out scores, and judged on the cases that this training set "
        f"left out.{_whole_groups(h.fits.design)}",
    ]
    measures = [e for e in (h.tpf, h.fpf, h.ppv, h.cost if h.costs is not None else None) if e is not None]
    of_threshold = [f"The interval of the threshold holds those of {100 * h.level:g} % of the bootstrap samples."]
    return _whole(
        [
            *said,
            *([h.promised] if h.promised else []),
            *_how(measures, h.level),
            *(of_threshold if h.threshold.has_interval else []),
            h.answer(),
        ],
        h.provenance,
    )


@methods_of.register(Guarantee)
def _guarantee(g: Guarantee) -> str:
    how = how_promised(g.rate, g.wanted, g.confidence, g.data.groups is not None)
    cases = f"{g.data.described}, none of which trained or tuned the rule"
    return _whole([f"A threshold of a score was chosen on {cases}.", how, g.answer()], {})


@methods_of.register(Calibration)
@methods_of.register(SeveralCalibrations)
def _calibration(q: Calibration | SeveralCalibrations) -> str:
    parts = [q] if isinstance(q, Calibration) else list(q.classes.values())
    fits, level = parts[0].given.fits, parts[0].level
    who = with_model(fits.name, fits.model)
    several = f"{fits.sample.cases_and_groups} of {len(parts)} classes"
    cases = fits.sample.described if isinstance(q, Calibration) else several
    about = f"Calibration {f'of {who} ' if who else ''}was judged on {cases}"
    plan = "" if fits.design.is_test_set else f", by {plan_words(fits.design)}"
    against = "" if isinstance(q, Calibration) else " Each class was taken against the rest."
    estimates = {e.metric: e for part in parts for e in part.estimates.values()}
    return _whole(
        [f"{about}{plan}.{against}", CALIBRATION, *_how(list(estimates.values()), level), q.answer()], q.provenance
    )


@methods_of.register(DecisionCurve)
def _decision_curve(v: DecisionCurve) -> str:
    fits = next(iter(v.given.values())).fits
    each = (with_model(name, g.fits.model) for name, g in v.given.items())
    alone = with_model(fits.name, fits.model) or "the model"
    who = alone if list(v.given) == ["model"] else listed(each)
    plan = "" if fits.design.is_test_set else f", by {plan_words(fits.design)}"
    at = v.provenance.get("thresholds", "")
    prior = f" The prevalence was given as {v.prevalence:.4g}." if v.metrics[0].prevalence is not None else ""
    estimates = [e.with_(metric="net_benefit") for b in v.models.values() for e in b.estimates]
    return _whole(
        [
            f"The net benefit [@vickers_elkin_2006; @vickers_2016] of {who} was judged on {fits.sample.described}{plan}, at "
            f"thresholds of {at}.{prior}",
            *_how(estimates, v.level),
            "Simultaneous intervals and the range in which a model is worth using hold at all thresholds together, by the "
            "distribution of the largest |t| [@hothorn_bretz_westfall_2008].",
            v.answer(),
        ],
        v.provenance,
    )


@methods_of.register(Validation)
def _validation(v: Validation) -> str:
    fits = v.fits
    if fits is None:
        return _whole([f"{v.cases}.", *_how(list(v.estimates.values()), v.level), v.answer()], {})
    who = with_model(fits.name, fits.model) or "The model"
    strata = ", each with the classes in their proportions" if fits.design.stratified else ""
    measures = [e.with_(estimand="") for e in v.estimates.values() if not math.isnan(e.value)]
    return _whole(
        [
            f"{who} was validated on {fits.sample.described}, by {counted(fits.n_fits, 'bootstrap sample')}{strata}.",
            "The whole model was trained again on each of them.",
            "Optimism is the mean over bootstrap samples of the measure on the sample itself less that on all cases; it was "
            "subtracted from the apparent value [@harrell_2015].",
            *_how(measures, v.level),
            "Emax is the largest distance of the linear recalibration by the corrected intercept and slope.",
            v.answer(),
        ],
        v.provenance,
    )


CALIBRATION = (
    "Intercept and slope are those of logistic recalibration [@cox_1958]; ICI, E50 and E90 [@austin_steyerberg_2019] are "
    "distances from a logistic regression on restricted cubic splines of the log-odds [@harrell_2015]."
)


@methods_of.register(SystemsComparison)
def _systems(k: SystemsComparison) -> str:
    whole = all(note.code != "missing-answers" for note in k.notes)
    said = f"{listed(k.estimates)} were compared on {k.provenance['words']}{', which all of them answered' * whole}."
    return _of_pairs(k, [said])


def _of_pairs(k: Paired, said: list[str]) -> str:
    """After what was compared: the method and the tests, and the difference of each pair."""
    said += _how([k.differences[k.pair]], k.level, k.pair_level)
    said += dict.fromkeys(_test_words(t) for t in k.tests.values())
    if len(k.differences) > 1 and k.adjusted:
        how = "by the distribution of the largest |t| [@hothorn_bretz_westfall_2008]"
        said.append(f"Intervals and p-values of {counted(len(k.adjusted), 'pair')} hold together, {how}.")
    ci = f"{100 * k.level:g} % CI"
    each = (f"{name} {with_interval(k.estimates[name], k.level, ci)}" for name in k.ranking()[:MOST_PAIRS])
    said.append(f"{titled(k.metric)}: {', '.join(each)}.")
    leader = k.ranking()[0]
    named = [pair for pair in k.differences if len(k.differences) <= MOST_PAIRS or leader in pair]
    together = "simultaneous " if len(k.differences) > 1 else ""
    for pair in named:
        value = with_interval(k.differences[pair], k.pair_level, f"{together}{100 * k.level:g} % CI")
        p = f", p {equal_p(k.adjusted[pair])}" if pair in k.adjusted else ""
        said.append(f"{' − '.join(pair)}: {value}{p}.")
    if len(named) < len(k.differences):
        said.append(f"The other {counted(len(k.differences) - len(named), 'pair')} are in the table.")
    return _whole(said, k.provenance)


MOST_PAIRS = 10  # of more, only those of the leader are in the text


@methods_of.register(ReaderStudy)
def _readers(r: ReaderStudy) -> str:
    said = [f"Reader study of {r.described()}.", f"{r.counts()}.", *_how(list(r.estimates.values()), r.level)]
    said += _how(list(r.differences.values()), r.level)
    if r.equality is not None:
        said.append(_test_words(r.equality))
    said += [f"Mean of {m}: {with_interval(e, r.level)}." for m, e in r.estimates.items()]
    for (a, b), d in r.differences.items():
        p = f", p {equal_p(r.tests[a, b].p_value)}" if (a, b) in r.tests else ""
        said.append(f"{a} − {b}: {with_interval(d, r.level)}{p}.")
    if len(r.differences) > 1:
        said.append("p-values of single pairs are not adjusted; those adjusted by Holm [@holm_1979] are in the table.")
    if r.model is not None:
        said.append(f"{r.model.name} counted as a fixed rule that gives every reader the same scores [@hillis_2007].")
        said += [
            f"{r.model.name} − mean reader, {m}: {with_interval(d, r.level)}." for m, d in r.model.minus_mean.items()
        ]
    said += [part for t in r.also if isinstance(t, TestResult) for part in (_test_words(t), t.answer())]
    return _whole(said, r.provenance)


@methods_of.register(RocCurves)
def _curves(c: RocCurves) -> str:
    page = c.page()
    several = len(c.areas) > 1
    whose = f"ROC curve{'s' * several} of {listed(c.areas)} {'were compared on' if several else 'on'} {page.title}."
    said = [whose, *_how(list(c.areas.values()), c.level)]
    said += dict.fromkeys(_test_words(t) for t in c.tests.values())
    if len(c.tests) > 1:
        said += [
            f"{' − '.join(pair)}: {with_interval(c.differences[pair], c.pair_level)}, p {equal_p(p)}."
            for pair, p in c.adjusted.items()
        ]
        how = "by the distribution of the largest |t| [@hothorn_bretz_westfall_2008]"
        said.append(f"Intervals and p-values of differences hold for all pairs together, {how}.")
    return _whole([*said, page.answer], {})


@methods_of.register(RandomEffects)
def _sites(r: RandomEffects) -> str:
    page = r.page()
    about = page.title.replace("\n", "; ")
    scale = f"Values of sites were averaged on the {r.scale.name} scale [@snell_2018]."
    new = "The prediction interval of a new site counts that τ² is not known [@nagashima_2019]."
    return _whole([f"{about}.", scale, *_how([r.mean], r.level), new, page.answer], r.provenance)


@methods_of.register(TwoSets)
def _two_sets(t: TwoSets) -> str:
    said = [f"{t.model} was trained on {t.n_train} cases and tested on {t.n_test} independent cases."]
    for e in (t.fixed, t.mean):
        said += [*_how([e], t.level), sentence(e, t.level)]
    return _whole(said, t.provenance)


@methods_of.register(TwoSetsPair)
def _two_sets_pair(t: TwoSetsPair) -> str:
    return "\n\n".join(methods_of(part) for part in t.parts.values())


@methods_of.register(TestResult)
def _test(t: TestResult) -> str:
    return _whole([_test_words(t), *_how([e for _, e in t._named()], 0.95), t.answer()], {})


@methods_of.register(LearningCurve)
def _learning_curve(c: LearningCurve) -> str:
    model, *cases = c.model.split("\n")
    said = [f"{model} was trained on {listed(map(str, c.sizes))} of {''.join(cases)}."]
    said += _how([e.with_(estimand="") for e in c.estimates], c.level)
    if c.extrapolations:
        said.append("Larger sizes are extrapolated by a power law [@figueroa_2012].")
    return _whole([*said, c.answer()], {})


def plan_words(design: Design) -> str:
    """The plan of a design in words."""
    if design.kind == "cv+bootstrap":
        return f"{plan_words(design.parts[0])} and {plan_words(design.parts[1])} of the same cases"
    stratified = "stratified " if design.stratified else ""
    if design.kind == "bootstrap":
        return counted(design.n_fits, f"{stratified}bootstrap replicate")
    if design.kind == "cv" and design.folds is not None:
        if design.leaves_one_out:
            return design.leaves_one_out
        repeats = len(design.folds)
        times = "" if repeats == 1 else f"{repeats} repetitions of "
        return f"{times}{stratified}{design.n_folds}-fold cross-validation"
    plan = design.plan
    told = plan.in_words(design.n_fits) if isinstance(plan, Plan) else str(plan)
    strata = ", classes kept in proportion" if design.stratified and isinstance(plan, Plan) else ""
    return f"{told}{strata} ({counted(design.n_fits, 'fit')})"


def _whole_groups(design: Design) -> str:
    """That no group is on both sides of a split; nothing without groups, or where a splitter of the user drew them."""
    if design.sample.groups is None or not isinstance(design.plan, StratifiedPlan):
        return ""
    return " Groups were kept whole: none was in a training set and among its test cases at once."


def all_methods(results: Sequence[Result]) -> str:
    """A paragraph per result, the software and the model once, all subgroups together."""
    groups = [result for result in results[1:] if isinstance(result, Subgroups)]
    first, *others = (r for r in results if len(groups) < 2 or r not in groups)
    said, made, software = methods_of(first).partition(f" {COMPUTED}")
    more = [methods_of(each).partition(f" {COMPUTED}")[0] for each in others]
    more += [_of_subgroups(groups)] if len(groups) > 1 else []
    known = first.assessment if isinstance(first, Opening) else first
    if isinstance(known, Assessment) and known.fits is not None:  # what the first paragraph has described
        design = known.fits.design
        for known_as, again in (
            (f"{design.sample.described}, by {plan_words(design)}", "the same cases and splits"),
            (f" of {known.called} was ", f" of {known.name or 'the model'} was "),
        ):
            more = [each.replace(known_as, again) for each in more]
    return "\n\n".join([said, *more]) + made + software


def _of_subgroups(groups: Sequence[Subgroups]) -> str:
    """Several columns and metrics in one paragraph, the methods that they share once."""
    by: dict[str, list[str]] = {}
    for s in groups:
        by.setdefault(f"By {s.by}:", []).append(s.answer())
    metrics = listed(dict.fromkeys(spoken(s.metric) for s in groups))
    said = f"{capitalized(metrics)} of subgroups by {listed(dict.fromkeys(s.by for s in groups))}, by the same fits."
    estimates = [e for s in groups for e in s.estimates.values() if e is not None]
    each = (" ".join([name, *answers]) for name, answers in by.items())
    return " ".join([said, *_how(estimates, groups[0].level), *each])


def bibtex_of(*results: Result) -> str:
    """The sources that `methods_of` cites, as BibTeX."""
    return "\n".join(entries()[key] for key in cited_keys(all_methods(results)))


def cited_keys(text: str) -> list[str]:
    """The keys of [@key] in a text, each once, in their order."""
    found = [key for group in re.findall(r"\[(@[^\]]*)\]", text) for key in re.findall(r"@(\w+)", group)]
    return list(dict.fromkeys(found))


@cache
def entries() -> Mapping[str, str]:
    """The entries of references.bib, by key."""
    text = files(__package__).joinpath("references.bib").read_text(encoding="utf-8")
    found = re.finditer(r"^@\w+\{(\w+),.*?^\}$\n?", text, flags=re.MULTILINE | re.DOTALL)
    return {entry[1]: entry[0] for entry in found}


def _test_words(t: TestResult) -> str:
    """The name of a test with its sources."""
    return f"Test: {t.test}{_cited(t.sources)}."


def _how(estimates: Sequence[Estimate], level: float, each: float | None = None) -> list[str]:
    """Method, standard error and interval of each estimate; those made alike in one sentence. Intervals that hold together
    at the level are at the level `each` alone."""
    together = each is not None and each != level
    what = f"a {'simultaneous ' if together else ''}{100 * level:.4g} % interval"
    alone = f", each at {100 * each:.4g} %" if each is not None and together else ""
    alike: dict[str, list[str]] = {}
    about: dict[str, list[str]] = {}
    given = []
    for e in estimates:
        parts = [_words(e.se_method)] if e.se_method and e.se is not None else []
        if e.has_interval:
            parts.append(f"{what} ({_words(e.ci(level).method)}{alone})")
        how = f"by {_words(e.method)}, " if e.method else ""
        how += f"with {' and '.join(parts)}" if parts else "without a standard error"
        of = e.of
        name = f"the difference of the {spoken(of)}" if of != e.metric else spoken(of) or "the estimate"
        if e.estimand == Estimand.GIVEN:
            given.append(f"The {name} was given: {with_interval(e, level)}.")
            continue
        for alike_of in (alike.setdefault(f"estimated {how}.", []), about.setdefault(str(e.estimand), [])):
            alike_of += [name] if name not in alike_of else []
    said = [
        f"{capitalized(listed(names))} {f'was {how}' if len(names) == 1 else f'were {_of_several(how)}'}"
        for how, names in alike.items()
    ]
    about.pop("", None)
    for estimand, names in about.items():
        said.append(f"Estimand{'' if len(about) == 1 else f' of {listed(names)}'}: {estimand}.")
    said += [str(SEVERAL_RULES)] * (Estimand.LEFT_OUT in about)
    return [*said, *given]


def _of_several(how: str) -> str:
    return how.replace(" its value ", " their values ").replace(", as that of ", ", as those of ")


def _words(name: str) -> str:
    """A name in words, with its sources."""
    known = NAMED.get(name, Named.of(name))
    return known.words + _cited(known.sources)


def _cited(keys: Iterable[str]) -> str:
    """ " [@key; @key]"; nothing without keys."""
    some = "; ".join(f"@{key}" for key in dict.fromkeys(keys))
    return f" [{some}]" if some else ""


def _whole(said: Iterable[str], provenance: Mapping[str, object]) -> str:
    known = {name: provenance.get(name, value) for name, value in versions().items()}
    packages = ", ".join(f"{name} {value}" for name, value in known.items() if name != "trueness")
    packages += " [@pedregosa_2011]"
    libraries = provenance.get("libraries", {})
    assert isinstance(libraries, Mapping)
    packages += "".join(f", {name} {value}" for name, value in libraries.items())
    seed = f" (seed {provenance['seed']})" if provenance.get("seed") is not None else ""
    made = f"{COMPUTED} {known['trueness']} [@trueness], {packages}{seed}."
    return " ".join([*(part for part in said if part), made])
