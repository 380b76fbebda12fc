"""Commands on tables of cases: check, assess, compare, validate and two-sets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from trueness.api.assess import assess as assess_model
from trueness.api.compare import compare as compare_models
from trueness.api.two_sets import two_sets as assess_two_sets
from trueness.api.two_sets_result import TwoSets
from trueness.checks import seed_sequence
from trueness.cli.answers import costs_of
from trueness.cli.command import Given, Options, command
from trueness.cli.output import DRAWN, OUTPUT, introduce, show, written
from trueness.errors import InputError, TruenessError, UndefinedError
from trueness.files.answers_file import of_positive
from trueness.files.features import CaseTable, in_quarters, read_cases, read_two, spellings, split
from trueness.files.model_file import read_model
from trueness.files.numbers import with_numbers
from trueness.files.table_file import column, read_and_describe
from trueness.fitting.cluster import connected
from trueness.fitting.engine import fit
from trueness.fitting.models import is_own, models_by_name
from trueness.leaks.check import check as check_data
from trueness.plans import Bootstrap, Plan, plan_of_word
from trueness.probabilities.validation import validate as validated
from trueness.result.notes import SEVERAL_RULES
from trueness.result.shown import Result, csv_text
from trueness.sample.fits import Fits
from trueness.sample.left_out import COLUMN, table_of
from trueness.typing import Classifier

Kind = Literal["classification", "regression"]
Several = Iterator[tuple[str, Result, Mapping[str, Any] | None]]

DATA = Options("Data", read_cases, "target groups drop missing")
OF_FITS = "level positive rng n_jobs store fit_seconds engine undefined fits seconds"


@command(DATA, Options("Data", check_data, "ignore"), OUTPUT, y="target", X_test="test")
def check(given: Given, data: str, /, *, batch: str | None = None, test: str | None = None) -> Result:
    """Look for leaks: columns that give the target away, identifiers, copies of rows, batches, …

    Every finding has a code; trueness help CODE explains it.

    **Examples**

    - trueness check data.csv --target outcome
    - trueness check train.csv --target outcome --test test.csv --groups patient --ignore L003

    Parameters
    ----------
    data : str
        Table: CSV or other text (also .gz), or Parquet; - reads standard input.
    batch : str, optional
        Column with batches (plate, scanner, day).
    test : str, optional
        Table with the test set: rows that the first table has, too, are found.
    """
    target, groups = given["target"], given["groups"]
    table, _ = read_and_describe(data, given["missing"] or ())
    known = column(table, target, "target").notna()
    if not known.all() and known.any():
        given.say(f"Rows without a label, left out: {(~known).sum()}.")
        table = with_numbers(table[known].reset_index(drop=True))[0]
    batches = None if batch is None else column(table, batch, "batch")
    beside = [] if batch is None or batch == groups else [batch]
    X, y, in_groups = split(table, target, groups, [*(given["drop"] or ()), *beside])
    X_test = None
    if test is not None:
        X_test, _ = read_and_describe(test)
        if lacking := [str(c) for c in X.columns if c not in X_test.columns]:
            raise InputError("The test set lacks columns of the data", param="test", got=", ".join(lacking))
        X_test = X_test[X.columns]
    return given.to(check_data, X, y.replace(spellings(y)), groups=in_groups, X_test=X_test, batch=batches)


def _read(
    given: Given, data: str, names: Sequence[str], kind: Kind | None, fitted: object = None
) -> tuple[CaseTable, dict[str, Classifier]]:
    """The cases of a table, and the models by name; the positive label is spelled as there."""
    own = bool(names) and all(map(is_own, names))
    cases = given.to(read_cases, data, fitted=fitted, as_they_are=own)
    cases = replace(cases, by={name: in_quarters(labels) for name, labels in cases.by.items()})
    if fitted is None:
        cases, given.values["positive"] = of_positive(cases, given["positive"], kind == "classification")
        return cases, models_by_name(names, cases.X, cases.y, kind, given["positive"])
    return cases, {}


def _plan(given: Given) -> Plan | None:
    """The plan that was named; None for the default one."""
    return None if given["plan"] in (None, "cv+bootstrap") else plan_of_word(given["plan"])


def _two_classes(cases: CaseTable, **options: object) -> None:
    """An error where an option needs a score of two classes, and there are others."""
    for param, value in options.items():
        if value is not None and (n := cases.y.nunique()) != 2:
            raise InputError("This option needs two classes", param=param, got=f"{n} values of the target")


def _write_scores(given: Given, path: Path | None, fits: Mapping[str, Fits], cases: CaseTable) -> None:
    """One left-out score per case."""
    if path is None:
        return
    table = table_of(fits, label=cases.y, groups=cases.groups, **cases.by)
    for name in fits:
        if name not in table and (len(fits) > 1 or "score" not in table):
            error = InputError("There is no left-out score to write", fix="Use another plan, or a model with scores")
            given.fail(error.of(f"{name}: --scores"))
    if table.empty:
        return
    table.insert(0, "row", table.index if cases.rows is None else cases.rows[table.index])
    written(given, path, csv_text(table))
    if COLUMN in table:
        given.say(str(SEVERAL_RULES))


@command(
    DATA,
    Options("Data", read_cases, "by"),
    Options("Method", assess_model, f"plan metrics threshold {OF_FITS}"),
    OUTPUT,
    y="target",
)
def assess(
    given: Given,
    data: str,
    /,
    *,
    model: list[str] | None = None,
    costs: str | None = None,
    kind: Kind | None = None,
    checks: bool = True,
    scores_file: Path | None = None,
    cluster: str | None = None,
    model_file: Path | None = None,
    trust: list[str] | None = None,
) -> Several:
    """Assess models on a table: how good is each, and how sure is that?

    Imputation, scaling and one-hot encoding are fitted inside every resample. Several models have the same training sets.

    **Examples**

    - trueness assess data.csv --target outcome
    - trueness assess houses.csv --target price --model ols --model forest
    - trueness assess data.csv --target outcome --positive sick --model logistic --drop id --groups patient --report r.html
    - trueness assess data.csv --target outcome --by sex --costs 5,1 --scores scores.csv
    - trueness assess test.csv --target outcome --model-file device.skops --metric tpf --metric fpf --threshold 0.35

    Parameters
    ----------
    data : str
        Table: CSV or other text (also .gz), or Parquet; - reads standard input.
    model : list of str, optional
        lda, qda, logistic, logit, naive-bayes, ols, knn, ridge, svm, forest, boosting, tree (knn:5 for 5 neighbours), or
        module:object of your own; repeatable.
    costs : str, optional
        Costs of a missed and of a false positive, 5,1: the cheapest threshold, chosen in each training set.
    kind : {"classification", "regression"}, optional
        What the target holds; by default numbers to predict are those with fractions, or more than 20 different ones.
    checks : bool, default True
        Look for leaks in the data first.
    scores_file : path, optional
        Write one left-out score per case, as CSV, for roc, calibration, benefit and subgroups.
    cluster : str, optional
        Address of a dask scheduler, e.g. tcp://host:8786.
    model_file : path, optional
        Fitted model (.skops, .onnx); the table is its test set.
    trust : list of str, optional
        Type in the model file to accept; repeatable.
    """
    if model_file is not None and (model or given["plan"]):
        problem = "The model in the file is fitted: the data are its test set"
        raise InputError(problem, param="model_file", fix="Leave model= and plan= out")
    plan: Any = _plan(given)
    priced = costs_of(costs)
    fitted = {} if model_file is None else {model_file.name: read_model(model_file, trust or ())}
    cases, models = _read(given, data, model or (), kind, next(iter(fitted.values()), None))
    _two_classes(cases, costs=costs, scores_file=scores_file)
    cases = introduce(given, cases, checks)
    models = models or fitted
    same: dict[str, Any] = {"plan": "prefit" if fitted else plan, "rng": given["rng"]}
    if len(models) > 1 and given["store"] is None:
        same["rng"] = seed_sequence(given["rng"])
    if given["seconds"] is not None:
        same["seconds"] = given["seconds"] / len(models)
    fits: dict[str, Fits] = {}
    failed: dict[str, TruenessError] = {}
    with connected(cluster, given["n_jobs"]) as workers:
        for name, chosen_model in models.items():
            same |= {"groups": cases.groups, "checks": False, "n_jobs": workers, "progress": given.progress}
            try:
                found = given.to(assess_model, chosen_model, cases.X, cases.y, name=name, **same)
                chosen = None if priced is None else found.threshold(costs=priced)
            except TruenessError as error:  # of one model; the others are still worth having
                failed[name] = error
                continue
            groups = {}
            for by, labels in cases.by.items():
                try:
                    groups[by] = found.by(labels)
                except UndefinedError as error:  # the rest is still worth having
                    given.fail(error.of(f"--by {by}"))
            options = {"by": {by: cases.by[by] for by in groups}, "chosen": chosen}
            yield name, replace(found, notes=(*cases.notes, *found.notes)), options
            if chosen is not None:
                yield f"{name}: threshold", chosen, None
            if given.format == "text":
                for by, each in groups.items():
                    given.say("")
                    show(given, replace(each.page(), title=f"{name}, by {by}: {each.page().title}"))
            if found.fits is not None:
                fits[name] = found.fits
    _write_scores(given, scores_file, fits, cases)
    alike = len(failed) == len(models) and len({error.message() for error in failed.values()}) == 1
    for name, wrong in list(failed.items())[: 1 if alike else None]:
        given.fail(wrong if alike and wrong.param not in (None, "model") else wrong.of(name))


@command(
    DATA,
    Options("Method", compare_models, f"plan metric method se margin baseline {OF_FITS}"),
    OUTPUT,
    y="target",
    models="model",
)
def compare(
    given: Given,
    data: str,
    /,
    *,
    model: list[str] | None = None,
    costs: str | None = None,
    kind: Kind | None = None,
    checks: bool = True,
    scores_file: Path | None = None,
    cluster: str | None = None,
) -> Several:
    """Compare models on a table: is one better, and how sure is that?

    All models are fitted on the same training sets, so their differences are paired. The first line of the answer is the
    verdict; leaks in the data come before it.

    **Examples**

    - trueness compare data.csv --target outcome --model lda --model forest
    - trueness compare data.csv --target outcome --model logistic --model forest --model svm --baseline logistic
    - trueness compare data.csv --target outcome --model logistic --model svm --metric error --margin 0.02

    Parameters
    ----------
    data : str
        Table: CSV or other text (also .gz), or Parquet; - reads standard input.
    model : list of str, optional
        At least two models, by the names of trueness assess; repeatable.
    costs : str, optional
        Costs of a missed and of a false positive, 5,1: the costs of each model at its cheapest threshold.
    kind : {"classification", "regression"}, optional
        What the target holds; by default numbers to predict are those with fractions, or more than 20 different ones.
    checks : bool, default True
        Look for leaks in the data first.
    scores_file : path, optional
        Write one left-out score per case and model, as CSV.
    cluster : str, optional
        Address of a dask scheduler, e.g. tcp://host:8786.
    """
    names = model or []
    if len(names) < 2:
        fix = "Pass it twice, e.g. lda and qda; systems that were run already are for trueness compare-systems"
        raise InputError("A comparison needs at least two models", param="model", got=", ".join(names), fix=fix)
    priced = costs_of(costs)
    plan = _plan(given)
    cases, models = _read(given, data, names, kind)
    _two_classes(cases, costs=costs, scores_file=scores_file)
    baseline = dict(zip(names, models, strict=True)).get(given["baseline"] or "", given["baseline"])
    cases = introduce(given, cases, checks)
    with connected(cluster, given["n_jobs"]) as workers:
        asked: dict[str, Any] = {"plan": plan, "baseline": baseline, "groups": cases.groups, "n_jobs": workers}
        k = given.to(compare_models, models, cases.X, cases.y, checks=False, progress=given.progress, **asked)
    by_costs = None if priced is None else k.threshold(costs=priced)
    yield "" if by_costs is None else k.metric, replace(k, notes=(*cases.notes, *k.notes)), {"priced": by_costs}
    if by_costs is not None:
        yield "costs", by_costs, None
    _write_scores(given, scores_file, k.fits, cases)


@command(
    DATA,
    Options("Method", fit, "positive rng n_jobs fit_seconds"),
    Options("Method", validated, "level"),
    OUTPUT,
    DRAWN,
    y="target",
    n_resamples="replicates",
)
def validate(given: Given, data: str, /, *, model: str = "logit", replicates: int = 300, checks: bool = True) -> Result:
    """Correct measures of a model's probabilities for optimism by the bootstrap, as rms::validate of R.

    Apparent value, optimism and corrected value of Dxy, R2, calibration slope and intercept, Brier score and others, with
    intervals.

    **Examples**

    - trueness validate data.csv --target outcome --positive sick
    - trueness validate data.csv --target outcome --replicates 500 --seed 1 --plot calibration.png

    Parameters
    ----------
    data : str
        Table: CSV or other text (also .gz), or Parquet; - reads standard input.
    model : str, default "logit"
        A model by the names of trueness assess; logit is logistic regression by maximum likelihood.
    replicates : int, default 300
        Bootstrap samples.
    checks : bool, default True
        Look for leaks in the data first.
    """
    cases, models = _read(given, data, [model], "classification")
    cases = introduce(given, cases, checks)
    (chosen,) = models.values()
    plan = Bootstrap(replicates, stratified=False)
    more: dict[str, Any] = {"groups": cases.groups, "scores": "predict_proba", "progress": given.progress}
    v = given.to(validated, given.to(fit, chosen, cases.X, cases.y, plan, **more))
    return replace(v, notes=(*cases.notes, *v.notes))


@command(
    Options("Data", read_two, "target groups drop missing"),
    Options("Method", assess_two_sets, "metric plan level positive rng n_jobs fit_seconds"),
    OUTPUT,
    DRAWN,
)
def two_sets(
    given: Given,
    train: str,
    test: str,
    /,
    *,
    model: list[str] | None = None,
    kind: Kind | None = None,
    checks: bool = True,
) -> Several:
    """Assess a model on an independent test set: this rule, rules from other training sets, and what more cases buy.

    **Examples**

    - trueness two-sets train.csv test.csv --target y
    - trueness two-sets train.csv test.csv --target y --model lda --model qda --metric error

    Parameters
    ----------
    train : str
        Training set: CSV or other text, or Parquet.
    test : str
        Independent test set with the same columns.
    model : list of str, optional
        A model by the names of trueness assess; twice for a difference.
    kind : {"classification", "regression"}, optional
        What the target holds; by default numbers to predict are those with fractions, or more than 20 different ones.
    checks : bool, default True
        Look for leaks in the training set first.
    """
    if len(model or ()) > 2:
        raise InputError("One model, or two for their difference", param="model", got=", ".join(model or ()))
    plan = _plan(given)
    training, testing = given.to(read_two, train, test)
    training, positive = of_positive(training, given["positive"], kind == "classification")
    testing, _ = of_positive(testing, positive, True)
    cases = introduce(given, training, checks)
    given.say(f"{testing.words}\n")
    both = pd.concat([training.X, testing.X])  # either set may have missing values
    models = models_by_name(model or (), both, training.y, kind, positive)
    found: Result = given.to(
        assess_two_sets,
        models if len(models) == 2 else next(iter(models.values())),
        training.X,
        training.y,
        testing.X,
        testing.y,
        plan=plan,
        positive=positive,
        progress=given.progress,
        groups_train=training.groups,
        groups_test=testing.groups,
    )
    if isinstance(found, TwoSets):
        found = replace(found, notes=tuple(dict.fromkeys((*cases.notes, *found.notes))))
    yield "", found, {}
