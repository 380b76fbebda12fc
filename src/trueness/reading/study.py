"""readers: several readers, several modalities, the same cases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from trueness.checks import check_choice, check_level
from trueness.comparisons.registry import holm
from trueness.errors import InputError
from trueness.metrics.auc import AUC
from trueness.metrics.metric import CaseLoss
from trueness.metrics.registry import resolve
from trueness.metrics.scorer import MetricLike
from trueness.reading.analysis import METHODS, RANDOM, Analysis, Method
from trueness.reading.anova import Random
from trueness.reading.merits import Covariance, Merits, cases_of, reading_difference, reading_estimate
from trueness.reading.model import ModelAmongReaders, model_scores, with_model
from trueness.reading.readings import DesignName, readings_of
from trueness.reading.result import ReaderStudy
from trueness.result.estimate import Estimate
from trueness.result.interval import LOGIT, WALD
from trueness.result.joint import paired_test, without_zero_se
from trueness.result.notes import Note, warn_of
from trueness.result.words import counted
from trueness.sample.answers import Answers
from trueness.typing import Floats, Label, Record

FEW_READERS = 4


def readers(
    frame: pd.DataFrame,
    *,
    reader: str = "reader",
    case: str = "case",
    truth: str = "truth",
    score: str = "score",
    modality: str | None = None,
    design: DesignName | str = "crossed",
    method: Method = "or",
    metric: MetricLike = "auc",
    covariance: Covariance | None = None,
    random: Random = "both",
    threshold: float | None = None,
    model: str | Mapping[Label, float] | pd.Series | None = None,
    positive: Label | None = None,
    level: float = 0.95,
) -> ReaderStudy:
    """Analyse a reader study (MRMC): several readers score the same cases, in one modality or several.

    Parameters
    ----------
    frame : DataFrame
        One row per reader, case and modality. Rows that are not there, or have no score, are readings that are missing.
    reader, case, truth, score : str
        Columns: who read, which case, its true class, and the score (high for the positive class).
    modality : str, optional
        Column that says how the case was shown (without and with a device); without it there is one modality.
        Differences are first − second in the order of the categories, or sorted.
    design : {"crossed", "cases-in-readers", "cases-in-modalities", "split-plot"}, default "crossed"
        What the name of a case means. "crossed": the same name is the same case everywhere; who read what is seen from
        the table, also where cases are nested or readings are missing. "cases-in-readers" and "cases-in-modalities": the
        same name is another case for another reader, or in another modality. "split-plot": as "crossed", with an error
        where the readers do not form groups that read cases of their own.
    method : {"or", "u"}, default "or"
        Obuchowski and Rockette's analysis of variance with Hillis' degrees of freedom, or the one-shot U-statistics of
        Gallas.
    metric : str, function or Metric, default "auc"
        Figure of merit of a reader: "auc", a measure of decisions at a rating ("tpf", "tnf", "accuracy", …, with
        `threshold`), `trueness.metrics.PartialAUC(fpf=(0, 0.2))`, or any function f(y, score).
    covariance : {"delong", "jackknife", "unbiased"}, optional
        How readings covary over the cases, for method "or": DeLong's (for a mean over cases, the usual covariance),
        the jackknife, or U-statistics. By default "delong", and "jackknife" where the metric is no mean over cases or
        pairs.
    random : {"both", "readers", "cases"}, default "both"
        What another study would draw anew; "cases" is about these readers, "readers" about these cases.
    threshold : float, optional
        A case is called positive where score ≥ threshold, for measures of decisions.
    model : str, mapping or Series, optional
        A model among the readers: a column with its score of each case, or {case: score}.
    positive : label, optional
        The positive class; may be left out where the true labels are 0/1, −1/1, no/yes or booleans.
    level : float, default 0.95
        Level of the intervals.

    Returns
    -------
    ReaderStudy
        `.auc` (an Estimate per modality), `.difference`, `.p_value`, `.df`, `.components`, `.frame()`,
        `.non_inferiority(margin)`, `.sizes(...)`, `.plot()`, `.report(path)`.

    Raises
    ------
    InputError
        Where the table is wrong: one reader, one class, a reader with cases of one class, a repeated reading, a case
        with two true labels.

    See Also
    --------
    trueness.reading.size_for_readers : How many readers and cases.
    trueness.roc : One reader.

    Notes
    -----
    With r readers, t modalities and D = MS(T:R) + r max(Cov2 − Cov3, 0), the test of equality is F = MS(T)/D with
    df₂ = D² (t − 1)(r − 1)/MS(T:R)², and the standard error of a difference is √(2D/r) (Hillis 2007). The mean of one
    modality has se² = MS(R)/r + max(Cov2, 0). Readers who did not read in all modalities count in the mean of each
    modality, not in differences; method "u" uses all readings everywhere. docs/readers.md has all designs.

    References
    ----------
    Obuchowski & Rockette (1995); Hillis (2007, 2014); Gallas (2006); Gallas, Bandos, Samuelson & Wagner (2009);
    Obuchowski, Gallas & Hillis (2012).

    Examples
    --------
    >>> import trueness, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> rows = [(m, j, i, i % 2, 1.2 * (i % 2) + 0.4 * (i % 2) * (m == "with") + rng.normal())
    ...         for m in ("with", "without") for j in range(4) for i in range(60)]
    >>> study = pd.DataFrame(rows, columns=["modality", "reader", "case", "truth", "score"])
    >>> r = trueness.readers(study, modality="modality")
    >>> {name: round(e.value, 3) for name, e in r.auc.items()}
    {'with': 0.904, 'without': 0.828}
    >>> round(r.difference.value, 3), round(r.p_value, 3)
    (0.077, 0.05)
    """
    check_level(level)
    check_choice("method", method, METHODS, "The method is unknown")
    check_choice("random", random, RANDOM, "What is random is unknown")
    readings = readings_of(
        frame, reader=reader, case=case, truth=truth, score=score, modality=modality, design=design, positive=positive
    )
    if method == "u" and covariance not in (None, "unbiased"):
        raise InputError(
            "Method 'u' has covariances without bias only", param="covariance", got=repr(covariance), fix="Leave it out"
        )
    known = resolve(metric)
    if method == "u" and isinstance(known, (AUC, CaseLoss)):
        covariance = "unbiased"
    merits = Merits.of(readings, known, threshold, covariance)
    out = study_of(Analysis(merits, method, random), level)
    if model is not None:
        found = among(out, *model_scores(frame, model, case, readings))
        out = replace(out, model=found, notes=tuple(dict.fromkeys((*out.notes, *found.notes))))
    warn_of(*out.notes)
    return out


def study_of(analysis: Analysis, level: float) -> ReaderStudy:
    """The study as a result."""
    merits, readings = analysis.merits, analysis.merits.readings
    means = {label: mean_of(analysis, m) for m, label in enumerate(readings.modalities)}
    differences, tests = {}, {}
    for i, j in combinations(range(len(readings.modalities)), 2):
        pair = readings.modalities[i], readings.modalities[j]
        d = differences[pair] = _difference(analysis, i, j)
        if (test := paired_test(d, METHODS[analysis.method], assumptions=analysis.assumptions)) is not None:
            tests[pair] = test
    equality = None if any(d.se is None for d in differences.values()) else analysis.equality()
    if equality is not None and len(differences) == 1:
        equality = replace(equality, difference=d)
    named = {" − ".join(map(str, pair)): d for pair, d in differences.items()}
    named |= {str(label): e for label, e in means.items()}
    notes = [note.about(name) for name, e in named.items() for note in e.notes]
    about, t, r = list[Note](), len(readings.modalities), len(readings.readers)
    fewest, (_, common) = min(np.bincount(readings.modality)), readings.table(np.arange(t))
    if fewest < FEW_READERS and analysis.random != "cases":
        about.append(Note("few-readers", readers=int(fewest)))
    if analysis.method == "or" and t > 1 and readings.design != "readers-in-modalities" and len(common) < r:
        left_out = [str(label) for k, label in enumerate(readings.readers) if k not in common]
        about.append(Note("readers-left-out", readers=left_out))
    elif (
        analysis.method == "u"
        and readings.design in ("unbalanced", "mixed")
        and (readings.gaps or len(readings) < t * r)
    ):
        about.append(Note("u-unbalanced"))
    n1, n0 = int(readings.up.sum()), int((~readings.up).sum())
    words = (
        f"{counted(len(readings.readers), 'reader')}, {counted(readings.n, 'case')} ({n1} of class {readings.classes[1]} "
        f"(positive), {n0} of class {readings.classes[0]}), modalities {', '.join(map(str, readings.modalities))}"
    )
    return ReaderStudy(
        analysis=analysis,
        estimates=means,
        differences=differences,
        tests=tests,
        adjusted=dict(zip(tests, holm([t.p_value for t in tests.values()]) if tests else (), strict=True)),
        equality=equality,
        level=level,
        notes=tuple(dict.fromkeys([*readings.notes, *about, *notes])),
        provenance={
            "words": words,
            "readers": len(readings.readers),
            "cases": readings.n,
            "positives": n1,
            "negatives": n0,
            "readings": int(readings.read.sum()),
            "study": readings.design,
            "method": analysis.method,
            "covariance": merits.by,
            "random": analysis.random,
            "threshold": merits.threshold,
        },
    )


def mean_of(analysis: Analysis, m: int) -> Estimate:
    """The mean over readers of a modality."""
    merits = analysis.merits
    cases, bounds = cases_of(merits, merits.readings.of(m)), merits.metric.bounds
    interval = LOGIT if np.isfinite(bounds).all() else WALD
    about = {"interval": interval, "cases": min(cases), "tested": sum(cases)}
    return analysis.estimate(analysis.mean(m), merits.name, bounds, **about)


def _difference(analysis: Analysis, i: int, j: int) -> Estimate:
    merits, readings = analysis.merits, analysis.merits.readings
    low, high = merits.metric.bounds
    out = analysis.estimate(analysis.difference(i, j), f"{merits.name} difference", (low - high, high - low))
    (first, second), common = readings.table(np.array([i, j]))
    same = len(common) == len(readings.of(i)) == len(readings.of(j))
    return without_zero_se(
        out, same and np.array_equal(readings.values[first], readings.values[second], equal_nan=True)
    )


def among(study: ReaderStudy, name: str, scores: Floats) -> ModelAmongReaders:
    """The model against the mean reader and each reader of every modality."""
    analysis, merits, readings = study.analysis, study.analysis.merits, study.analysis.merits.readings
    minus_mean, tests, rows, notes = {}, {}, list[Record](), list[Note]()
    for m, label in enumerate(readings.modalities):
        both = with_model(merits, m, scores)
        d = minus_mean[label] = _difference(Analysis(both, analysis.method, analysis.random), 0, 1)
        notes += d.notes
        if (test := paired_test(d, METHODS[analysis.method], assumptions=analysis.assumptions)) is not None:
            tests[label] = test
        n = len(both.readings) // 2
        for k in range(n):
            d = reading_difference(both, k, n + k)
            test, row = paired_test(d, "DeLong, paired"), d.row(study.level)
            about = {"modality": label, "reader": readings.readers[both.readings.reader[k]]}
            numbers = {"value": float(both.values[n + k]), "difference": d.value}
            numbers |= {part: row[part] for part in ("se", "low", "high")}
            rows.append(about | numbers | {"p_value": math.nan if test is None else test.p_value})
    each = pd.DataFrame(rows).assign(p_adjusted=math.nan)
    known = each["p_value"].notna()
    if known.any():
        each.loc[known, "p_adjusted"] = holm(each.loc[known, "p_value"].to_numpy())
    answers, own = Answers(("model",), scores[None, None, :], readings.up), np.zeros(1, dtype=np.intp)
    model = replace(readings, answers=answers, modality=own, reader=own, modalities=("model",), readers=("model",))
    alone = reading_estimate(replace(merits, readings=model), 0).with_(estimand="this model")
    return ModelAmongReaders(name, alone, minus_mean, tests, each, study.level, tuple(dict.fromkeys(notes)))
