"""Commands on scores, decisions and answers that you have: roc, calibration, benefit, diagnose, compare-systems, readers and
subgroups; and on how many cases to collect: size."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar

import pandas as pd

from trueness import comparisons as C
from trueness.api.subgroups import as_test_set
from trueness.api.subgroups import subgroups as by_group
from trueness.cli.command import Given, Options, command
from trueness.cli.output import DRAWN, OUTPUT, show
from trueness.curves.promised import guarantee as guaranteed
from trueness.curves.roc import RocCurves
from trueness.curves.roc import roc as curve_of
from trueness.curves.score_counts import ScoreCounts
from trueness.errors import InputError
from trueness.files.answers_file import AnswersTable, read_answers, require_two
from trueness.files.features import in_quarters
from trueness.files.score_file import is_large
from trueness.files.table_file import column
from trueness.leaks.answers import remarks_on
from trueness.metrics.registry import canonical
from trueness.probabilities.benefit import decision_curve
from trueness.probabilities.calibrated import Calibration
from trueness.probabilities.calibrated import calibration as calibrated
from trueness.probabilities.given import fits_of
from trueness.reading.sizes import ReaderSizes, size_for_readers
from trueness.reading.study import readers as analysed
from trueness.result.shown import Result
from trueness.result.test_result import TestResult
from trueness.sample.fits import Fits
from trueness.sample.left_out import marked, of_several_rules
from trueness.systems.compare_systems import compare as compare_answers
from trueness.tables.diagnose import diagnose as diagnosed

Several = Iterator[tuple[str, Result, Mapping[str, Any] | None]]
T = TypeVar("T")

TABLE = "label groups positive drop_missing missing"
SCORES = Options("Data", read_answers, TABLE)


def costs_of(text: str | None) -> list[list[float]] | None:
    """ "5,1" as costs[truth][decision], in the order negative, positive."""
    if text is None:
        return None
    missed, false = numbers(text, "costs", 2)
    return [[0.0, false], [missed, 0.0]]


def numbers(text: str, param: str, count: int | None = None) -> list[float]:
    """Numbers with commas between them."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or count not in (None, len(found)):
        raise InputError("Write numbers with commas between them, e.g. 5,1", param=param, got=repr(text))
    return found


def read(given: Given, source: str, **more: Any) -> AnswersTable:
    """The labels and answers of a table, with what should be known of it."""
    found = given.to(read_answers, source, **more)
    for remark in (*found.said, *remarks_on(found.table, found.scores, grouped=found.groups is not None)):
        given.say(remark)
    return found


def of_each(scores: Mapping[str, pd.Series], make: Callable[[pd.Series], T]) -> dict[str, T]:
    """What is made of each score; an error names the column."""
    found = {}
    for name, values in scores.items():
        try:
            found[name] = make(values)
        except InputError as error:
            raise (error.of(f"--score {name}") if error.param in ("scores", "p", "score") else error) from None
    return found


def rate(text: str, param: str) -> dict[str, Any]:
    """ "specificity=0.9" as {"fpf": 0.1}; of "ppv=0.8" the name stays."""
    name, _, value = text.partition("=")
    known = canonical(name)
    if known not in ("tpf", "tnf", "fpf", "ppv"):
        raise InputError(f"{text!r} names no rate", param=param, fix="Use e.g. sensitivity=0.9 or specificity=0.9")
    (wanted,) = numbers(value, param, 1)
    if not 0 <= wanted <= 1:
        raise InputError("A rate is a number from 0 to 1", param=param, got=text)
    return {"fpf": 1 - wanted} if known == "tnf" else {known: wanted}


@command(
    SCORES,
    Options("Method", calibrated, "level"),
    OUTPUT,
    DRAWN,
    y="label",
    scores="score",
    path="scores",
    criterion="best",
)
def roc(
    given: Given,
    scores: str,
    /,
    *,
    score: list[str],
    best: str | None = None,
    guarantee: str | None = None,
    threshold: list[float] | None = None,
    costs: str | None = None,
    prevalence: float | None = None,
    rng: int = 0,
) -> Several:
    """ROC curves: AUCs with intervals, DeLong's test between them, and the curves as a picture.

    A folder, or a file that is too large for memory, is read in blocks.

    **Examples**

    - trueness roc scores.csv --label y --score a --score b --plot roc.png
    - trueness roc scores.csv --label y --score a --groups patient --best youden
    - trueness roc scores.csv --label y --score a --guarantee sensitivity=0.9
    - trueness roc scores.csv --label y --score a --threshold 0.5 --costs 5,1

    Parameters
    ----------
    scores : str
        Table: CSV or other text (also .gz), or Parquet; - reads standard input.
    score : list of str
        Column with scores, high for the positive class; -NAME where low; repeatable.
    best : str, optional
        Choose a threshold: youden, closest, a metric to be best (f1, mcc, …), or at least this much, e.g.
        sensitivity=0.9.
    guarantee : str, optional
        Threshold at which this is met with confidence --level: sensitivity=0.9, specificity=0.9, ppv=0.8.
    threshold : list of float, optional
        Measures of deciding positive from this score on; repeatable.
    costs : str, optional
        Choose the cheapest threshold: costs of a missed and of a false positive, 5,1.
    prevalence : float, optional
        Of the population, for --threshold, --costs and --best; that of the cases by default.
    rng : int, default 0
        Seed of the resamples of --best and --costs.
    """
    level = given["level"]
    if best is not None and costs is not None:
        raise InputError("One rule chooses the threshold", param="costs", got=costs, fix="Leave --best out")
    if prevalence is not None and best is None and costs is None and not threshold:
        raise InputError("A prevalence belongs to a threshold", param="prevalence", fix="Add --threshold or --costs")
    rule: dict[str, Any] = {"costs": costs_of(costs)}
    if best is not None:
        rule = rate(best, "best") if "=" in best else {"criterion": best}
    promised = {} if guarantee is None else rate(guarantee, "guarantee")
    if is_large(scores):
        allowed = ("label", "score", "positive", "level", "report", "json_file", "format_", "quiet")
        given.only(allowed, "This is not available for a folder or a file that is read in blocks")
        for name in score:
            yield name, ScoreCounts.read(scores, given["label"], name, given["positive"]), {}
        return
    table = read(given, scores, score=score)
    require_two(table.y)
    asked: dict[str, Any] = {"positive": table.positive, "groups": table.groups}
    curves = of_each(table.scores, lambda values: curve_of(table.y, values, "empirical", **asked))
    found = RocCurves(curves, level=level, several_rules=of_several_rules(table.table))
    several = best is not None or costs is not None or guarantee is not None or threshold
    yield "curves" * bool(several), found, {}
    for name, curve in curves.items():
        if best is not None or costs is not None:
            share = prevalence if costs is not None or not threshold else None
            yield f"{name}: best", curve.best(**rule, prevalence=share, rng=rng), None
        if guarantee is not None:
            wanted = guaranteed(table.y, table.scores[name], **promised, confidence=level, **asked)
            yield f"{name}: guarantee", wanted, None
        for at in threshold or ():
            y, decided = curve.data.positive, curve.data.scores >= at
            measured = diagnosed(y, decided, groups=curve.data.groups, prevalence=prevalence, level=level)
            yield f"{name}: threshold {at:g}", measured, None


def _probabilities(given: Given, source: str, score: list[str]) -> dict[str, Fits]:
    """Test sets with probabilities, by name."""
    table = read(given, source, score=score)
    require_two(table.y)
    made = of_each(table.scores, lambda p: fits_of(table.y, p, table.positive, table.groups))
    return {name: marked(fits, table.table) for name, fits in made.items()}


@command(SCORES, Options("Method", calibrated, "level"), OUTPUT, DRAWN, y="label")
def calibration(given: Given, scores: str, /, *, score: list[str]) -> Several:
    """Calibration of predicted probabilities: intercept, slope, O/E, ICI, Brier score; of two scores the differences.

    **Examples**

    - trueness calibration scores.csv --label y --score p --plot calibration.png
    - trueness calibration scores.csv --label y --score p1 --score p2 --groups patient

    Parameters
    ----------
    scores : str
        Table: CSV or other text (also .gz), or Parquet; - reads standard input.
    score : list of str
        Column with the probability of the positive class; repeatable.
    """
    found = {name: given.to(calibrated, fits, **NONE) for name, fits in _probabilities(given, scores, score).items()}
    for name, each in found.items():
        yield name * (len(found) > 1), each, {}
    if len(found) == 2:
        (a, first), (b, second) = found.items()
        assert isinstance(first, Calibration)
        assert isinstance(second, Calibration)
        yield f"{a} − {b}", replace(first.versus(second), names=(a, b)), {}


NONE: dict[str, Any] = {"positive": None, "groups": None}  # fits have their own


@command(SCORES, Options("Method", decision_curve, "prevalence level"), OUTPUT, DRAWN, y="label", p="score")
def benefit(given: Given, scores: str, /, *, score: list[str], thresholds: str | None = None) -> Several:
    """Decision curve: net benefit over thresholds of risk, and where a model is worth using.

    **Examples**

    - trueness benefit scores.csv --label y --score p --plot benefit.png
    - trueness benefit scores.csv --label y --score p --thresholds 0.05:0.3:0.01 --prevalence 0.05

    Parameters
    ----------
    scores : str
        Table: CSV or other text (also .gz), or Parquet; - reads standard input.
    score : list of str
        Column with the probability of the positive class; repeatable.
    thresholds : str, optional
        Thresholds of risk, 0.1,0.2 or from:to:step; by default 0.01 to 0.99.
    """
    at = None if thresholds is None else _thresholds(thresholds)
    fits = _probabilities(given, scores, score)
    found = given.to(decision_curve, fits, thresholds=at, **NONE)
    yield "Net benefit" * (len(fits) == 2), found, {}
    if len(fits) == 2:
        yield " − ".join(fits), found.difference(*fits), {}


def _thresholds(text: str) -> list[float]:
    """0.1,0.2,0.3 or 0.05:0.3:0.01, the last one included."""
    if ":" not in text:
        return numbers(text, "thresholds")
    low, high, step = numbers(text.replace(":", ","), "thresholds", 3)
    if not (step > 0 and low <= high and (high - low) / step < 1e4):
        raise InputError("Write from:to:step, e.g. 0.05:0.3:0.01", param="thresholds", got=repr(text))
    return [round(low + k * step, 12) for k in range(int((high - low) / step + 1e-9) + 1)]


COUNTS = "tp fn fp tn unverified_positive unverified_negative"


@command(
    Options("Data", read_answers, TABLE.removeprefix("label ")),
    Options("Method", diagnosed, f"{COUNTS} interval design level"),
    OUTPUT,
    y="label",
)
def diagnose(
    given: Given,
    data: str | None = None,
    /,
    *,
    label: str = "y",
    prediction: str = "prediction",
    prevalence: str | None = None,
) -> Result:
    """Measures of a table of true and decided classes, with standard errors and intervals.

    **Examples**

    - trueness diagnose --tp 10 --fn 5 --fp 24 --tn 61
    - trueness diagnose decisions.csv --label truth --prediction test --positive sick --groups patient

    Parameters
    ----------
    data : str, optional
        Table of labels and predictions: CSV or other text (also .gz), or Parquet; - reads standard input.
    label : str, default "y"
        Column with the true labels.
    prediction : str, default "prediction"
        Column with the predictions.
    prevalence : str, optional
        Of a case-control study, or of another population: 0.1, or the limits of its 95 % interval, 0.05,0.2.
    """
    share: Any = None if prevalence is None else numbers(prevalence, "prevalence")
    share = share[0] if share and len(share) == 1 else share
    counts = [name for name in COUNTS.split() if given[name] is not None]
    if data is None and (given["groups"] is not None or not counts):
        raise InputError("Give four counts or a file", fix="Pass tp=, fn=, fp= and tn=, or name a file")
    if data is None:
        return given.to(diagnosed, prevalence=share, positive=given["positive"])
    if counts:
        raise InputError("Give either a file or counts, not both", param=counts[0])
    unlabelled = given["design"] == "selected"
    table = read(given, data, label=label, prediction=prediction, unlabelled=unlabelled)
    asked = {"positive": table.positive, "groups": table.groups, "prevalence": share}
    return given.to(diagnosed, table.y, table.predictions, **asked)


@command(
    Options(
        "Method",
        compare_answers,
        "item systems truth cluster run metric score filter positive missing level margin baseline",
    ),
    OUTPUT,
    DRAWN,
    cluster="cluster_by",
    missing="missing_answer",
    frame="items",
    source="items",
)
def compare_systems(given: Given, items: list[str], /) -> Result:
    """Compare systems on the same items. The first line of the answer is the verdict.

    No model is fitted: a table of answers, correctness or scores is enough. Differences are paired item by item.

    **Examples**

    - trueness compare-systems items.csv --system a --system b --truth answer
    - trueness compare-systems a.jsonl b.jsonl
    - trueness compare-systems answers.jsonl --system model --run seed

    Parameters
    ----------
    items : list of str
        A table (CSV, TSV, Parquet), or logs, one file per system: JSON lines with id, run and correct, samples_*.jsonl of
        lm-evaluation-harness, or inspect_ai's sample frames.
    """
    names = given["systems"]
    return given.to(
        compare_answers,
        items[0] if len(items) == 1 else items,
        systems=names[0] if names and len(names) == 1 else names,
    )


@command(
    Options("Data", analysed, "reader case truth score modality model positive"),
    Options("Method", analysed, "design method metric threshold covariance random level"),
    OUTPUT,
    DRAWN,
    frame="data",
    y="truth",
)
def readers(
    given: Given,
    data: str,
    /,
    *,
    margin: float | None = None,
    first: str | None = None,
    detect: float | None = None,
    power: float = 0.8,
) -> Several:
    """Reader studies: several readers, several modalities, the same cases (MRMC).

    **Examples**

    - trueness readers study.csv --modality device --score rating --report study.html
    - trueness readers study.csv --modality device --metric sensitivity --threshold 3 --margin 0.05

    Parameters
    ----------
    data : str
        One row per reader, case and modality: CSV or other text (also .gz), or Parquet; - reads standard input.
    margin : float, optional
        Test that the first modality is not worse by more than this.
    first : str, optional
        The modality that the margin is about, first − other.
    detect : float, optional
        Readers and cases to detect this difference, with this study as the pilot.
    power : float, default 0.8
        Power for --detect.
    """
    table = read_answers(data, given["truth"], positive=given["positive"], unlabelled=True)
    for remark in table.said:
        given.say(remark)
    for name in ("reader", "case", "score", "modality", "model"):
        if given[name] is not None:
            column(table.table, given[name], name)
    frame = table.table.assign(**{given["truth"]: table.y})
    found = given.to(analysed, frame, positive=table.positive)
    more: list[TestResult | ReaderSizes] = []
    if margin is not None:
        more.append(found.non_inferiority(margin, first))
    if detect is not None:
        more.append(found.sizes(detect, power=power, level=given["level"]))
    yield "", found.beside(*more), {}
    if given.format == "text":
        for each in more:
            given.say("")
            show(given, each.page())


@command(
    Options("Data", read_answers, TABLE),
    Options("Method", by_group, "metric threshold level"),
    OUTPUT,
    DRAWN,
    y="label",
    scores="score",
)
def subgroups(
    given: Given,
    scores: str,
    /,
    *,
    by: str,
    score: str | None = None,
    prediction: str | None = None,
    sites: bool = False,
) -> Result:
    """A metric in every group of cases, with intervals that hold together, and a test of equality.

    **Examples**

    - trueness subgroups scores.csv --label y --score s --by sex
    - trueness subgroups scores.csv --label y --score s --by site --sites --plot sites.png
    - trueness subgroups scores.csv --label y --prediction p --metric sensitivity --by age_band

    Parameters
    ----------
    scores : str
        Table: CSV or other text (also .gz), or Parquet; - reads standard input.
    by : str
        Column with the group of each case: sex, age band, site.
    score : str, optional
        Column with scores, high for the positive class.
    prediction : str, optional
        Column with predicted labels, for metrics of decisions.
    sites : bool, default False
        Random-effects mean, and what a new site may have.
    """
    table = read(given, scores, score=[] if score is None else [score], prediction=prediction)
    groups_of = column(table.table, by, "by")
    if not sites:  # which may be numbered
        groups_of = in_quarters(groups_of)
    values, metric = table.scores.get(score or ""), given["metric"]
    asked = (values, metric, table.predictions, given["threshold"], table.positive, table.groups)
    found = by_group(marked(as_test_set(table.y, *asked), table.table), metric, by=groups_of, level=given["level"])
    return found.sites() if sites else found


SIZES: dict[str, tuple[Callable[..., Result], str]] = {
    "auc": (C.size_for_auc, "auc"),
    "proportion": (C.size_for_proportion, "p"),
    "auc-difference": (C.size_for_auc_difference, "auc1 auc2"),
    "error-difference": (C.size_for_error_difference, "error1 error2"),
    "development": (C.size_for_development, "auc"),
    "validation": (C.size_for_validation, "auc"),
    "readers": (size_for_readers, "difference"),
}
"""What the cases are for: the function, and its parameters that are expected values."""
VALUES = dict.fromkeys(("auc", "p", "auc1", "auc2", "error1", "error2", "difference"), "value")


@command(
    Options("Two scores", C.size_for_auc_difference, "power correlation ratio level"),
    Options("Two scores", C.size_for_error_difference, "discordant"),
    Options("A model", C.size_for_development, "r2 mean sd shrinkage"),
    Options("A model", C.size_for_validation, "threshold"),
    Options("Readers", size_for_readers, "readers design groups random"),
    OUTPUT,
    **VALUES,
)
def size(
    given: Given,
    what: Literal["auc", "proportion", "auc-difference", "error-difference", "development", "validation", "readers"],
    /,
    *,
    value: list[float] | None = None,
    half_width: float = 0.05,
    parameters: int | None = None,
    prevalence: float | None = None,
    components: list[str] | None = None,
) -> Result:
    """Number of cases for an interval of a given width, to detect a difference, or for a prediction model.

    **Examples**

    - trueness size auc --value .8 --half-width .05
    - trueness size auc-difference --value .85 --value .8 --correlation .5 --power .9
    - trueness size development --parameters 24 --prevalence .174 --r2 .288
    - trueness size validation --prevalence .018 --value .8
    - trueness size readers --value .05 --component var_tr=2e-4 --component var=8e-4 --component r1=.43 …

    Parameters
    ----------
    what : str
        What the cases are for; a sensitivity or an error is a proportion.
    value : list of float, optional
        Expected value: one number, or two for a difference.
    half_width : float, default 0.05
        Half the length of the interval.
    parameters : int, optional
        Candidate predictor parameters of a model.
    prevalence : float, optional
        Expected share of positives, for a model.
    components : list of str, optional
        Of a reader study: var_tr, var, cov1, cov2, cov3 (or r1, r2, r3) and n_cases, as name=number; repeatable.
    """
    function, names = SIZES[what]
    known = inspect.signature(function).parameters
    given.only({*known, "value", "format_", "quiet", *FILES}, f"The size for {what} does not depend on this option")
    parts = {
        name: numbers(number, "components", 1)[0] for name, _, number in (c.partition("=") for c in components or ())
    }
    own = {"half_width": half_width, "parameters": parameters, "prevalence": prevalence, "components": parts or None}
    own |= dict(zip(names.split(), value or (), strict=False))
    own = {name: each for name, each in own.items() if name in known and each is not None}
    required = [name for name, p in known.items() if p.default is p.empty]
    expected = [] if what == "development" else names.split()
    for name in (*required, *expected):
        if name not in own:
            raise InputError("This is required", param=name, got=f"{len(value or ())} values", fix="See --help")
    if len(value or ()) > len(names.split()):
        raise InputError("These are too many values", param="value", got=f"{len(value or ())}")
    return given.to(function, **own)


FILES = ("report", "json_file", "csv_file")
