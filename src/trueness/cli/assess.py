"""Commands that fit models on tables: trueness assess, compare and two-sets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueness.checks import unwarned
from trueness.cli import options as o
from trueness.cli.left_out import check_two_classes, costs_of, write_scores
from trueness.cli.options import METRIC_HELP, MODEL_HELP
from trueness.cli.output import (
    against_rest,
    assessments_csv,
    assessments_json,
    check_different,
    check_given,
    draw_and_say,
    introduce,
    of_positive,
    progress,
    say,
    seeded,
    show,
    show_assessments,
    show_compared,
    show_page,
    telling,
    write_and_say,
    write_compared,
    write_files,
    write_pages,
)
from trueness.cli.spelling import PLAN, SEED_AND_JOBS, START, STUDIES, command, given, tell
from trueness.errors import InputError, TruenessError, UndefinedError

if TYPE_CHECKING:
    import pandas as pd

    from trueness.api.assessment import Assessment
    from trueness.api.call import PlanLike
    from trueness.api.threshold import ThresholdChoice
    from trueness.files.features import CaseTable
    from trueness.sample.labels import Task
    from trueness.typing import Classifier


DEFAULT_PLAN = "cv+bootstrap"


@command(START, 30, y="target", metrics="metric", **PLAN, **SEED_AND_JOBS)
def assess(
    data: o.DataArgument,
    target: o.Target,
    model: o.Models = None,
    plan: o.PlanWord = DEFAULT_PLAN,
    metric: o.Metrics = None,
    costs: o.Costs = None,
    positive: o.Positive = None,
    groups: o.Groups = None,
    drop: o.Drop = None,
    missing: o.Missing = None,
    by: o.Subgroups = None,
    kind: o.Kind = o.TargetKind.auto,
    checks: o.Checks = True,
    level: o.Level = 0.95,
    every: Annotated[
        bool, typer.Option("--all", help="Show all estimators, not only the recommended.", rich_help_panel=o.OUTPUT)
    ] = False,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    report: o.Reports = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
    scores_file: o.ScoresFile = None,
    jobs: o.Jobs = 1,
    seed: o.Seed = None,
    store: o.Store = None,
    cluster: o.Cluster = None,
    fits: o.FitNumber = None,
    seconds: o.Seconds = None,
    fit_seconds: o.FitSeconds = None,
    engine: o.Engine = o.Fitted.auto,
    undefined: o.Undefined = o.Skipped.failed,
    model_file: Annotated[
        Path | None, o.method("FILE", "Fitted model (.skops, .onnx); the table is its test set.")
    ] = None,
    threshold: Annotated[
        float | None,
        o.method("NUMBER", "Declared threshold of the probability (else of the score); the model's own by default."),
    ] = None,
    trust: Annotated[list[str] | None, o.method("TYPE", "Type in the model file to accept; repeatable.")] = None,
) -> None:
    """Assess models on a table: how good is each, and how sure is that?

    Imputation, scaling and one-hot encoding are fitted inside every resample. Several models share one
    design, so their numbers can be compared; of a bootstrap without a number each takes as many replicates as
    it needs.

    **Examples**

    - trueness assess data.csv --target outcome
    - trueness assess houses.csv --target price --model ols --model forest
    - trueness assess data.csv --target outcome --positive sick --model logistic --model forest
    - trueness assess data.csv.gz --target outcome --drop id --groups patient --report r.html
    - trueness assess data.csv --target outcome --by sex --by site --report r.html
    - trueness assess data.csv --target outcome --model forest --seconds 600
    - trueness assess credit.csv --target status --positive bad --model logistic --costs 5,1 --scores scores.csv
    - trueness assess test.csv --target outcome --model-file device.skops --metric tpf --metric fpf --threshold 0.35
    - trueness assess data.csv --target outcome --format json --quiet > result.json
    """
    from trueness.api.call import design_of, metrics_of, sample_of
    from trueness.api.runs import plan_of
    from trueness.checks import seed_sequence
    from trueness.cli.options import plan_by_name
    from trueness.files.features import in_quarters, read_cases
    from trueness.files.model_file import read_model
    from trueness.fitting.cluster import connected

    if model_file is not None and (model or plan != DEFAULT_PLAN):
        fix = f"Remove {{{'model' if model else 'plan'}=}}"
        raise InputError("The model in the file is fitted: the data are its test set", param="model_file", fix=fix)
    recipe: PlanLike | None = None if plan == DEFAULT_PLAN else plan_by_name(plan)
    recipe = recipe if model_file is None else "prefit"
    if costs is not None and threshold is not None:
        raise InputError("Costs choose the threshold", param="costs", got=costs, fix="Remove --threshold or --costs")
    priced = costs_of(costs)
    check_given(data)
    check_different("model", model or [])
    fitted = {} if model_file is None else {model_file.name: read_model(model_file, trust or ())}
    own = _all_own(model)
    cases = read_cases(
        data, target, groups, drop or (), next(iter(fitted.values()), None), by or (), missing or (), as_they_are=own
    )
    if model_file is None:
        cases, positive = of_positive(cases, positive, kind == o.TargetKind.classification)
    positive = cases.spelled.get(positive or "", positive)
    subgroups = {name: in_quarters(labels) for name, labels in cases.by.items()}
    cases = replace(cases, by=subgroups)
    models: dict[str, Classifier] = fitted or _models(model, cases, kind, positive)
    sample = sample_of(models.values(), cases.X, cases.y, recipe, positive, cases.groups)
    check_two_classes(sample, costs=costs, scores_file=scores_file)
    metrics = metrics_of(metric, sample)  # what is wrong for all models is said once
    bound = [(each.bind(sample), None) for each in metrics]
    shared = plan_of(recipe, models.values(), sample, bound, fits, engine.value, seconds)
    cases = introduce(cases, checks)
    more: dict[str, Any] = {"plan": "prefit"}
    if model_file is None and seconds is None:
        more = {"plan": design_of(shared, sample, seed, store)}
    elif model_file is None and seconds is not None:  # each has its share; they begin with the same training sets
        more = {"plan": recipe, "rng": seed_sequence(seed), "seconds": seconds / len(models)}
    with connected(cluster, jobs) as workers:
        results, chosen, errors = _assess_all(
            models,
            cases,
            every,
            subgroups,
            priced,
            metrics=metrics,
            level=level,
            positive=positive,
            n_jobs=workers,
            store=store,
            fit_seconds=fit_seconds,
            engine=engine.value,
            undefined=undefined.value,
            threshold=threshold,
            **more,
        )
    if results:
        show_assessments(results, chosen, every)
        _write(results, chosen, cases, report, json_file, csv_file)
        if scores_file is not None:
            errors += write_scores(scores_file, {name: a.fits for name, a in results.items() if a.fits}, cases)
    for error in errors:
        tell(error)
    if errors:
        raise typer.Exit(2)


def _models(
    names: list[str] | None, cases: CaseTable, kind: o.TargetKind, positive: str | None
) -> dict[str, Classifier]:
    """The models by name, for labels or for numbers; a model of the user's own is what it is."""
    from trueness.fitting.models import model_by_name

    task = _task(names, cases, kind, positive)
    chosen = names or ["lda" if task == "classification" else "ols"]
    return {short: model_by_name(name, cases.X, task) for short, name in zip(_called(chosen), chosen, strict=True)}


def _all_own(names: list[str] | None) -> bool:
    """Whether all models are the user's own, which get the columns as they are."""
    from trueness.fitting.models import is_own

    return bool(names) and all(map(is_own, names or ()))


def _called(names: list[str]) -> list[str]:
    """What models are called: of module:object the object, where no other model is called so."""
    from trueness.fitting.models import is_own

    short = [name.rpartition(":")[2] if is_own(name) else name for name in names]
    return [own if short.count(own) == 1 else name for own, name in zip(short, names, strict=True)]


def _task(names: list[str] | None, cases: CaseTable, kind: o.TargetKind, positive: str | None) -> Task:
    """What is asked for; else labels where a positive one is named or all models are of classes, else as the column looks."""
    from trueness.fitting.models import MODELS
    from trueness.sample.labels import looks_numeric

    if kind != o.TargetKind.auto:
        return "regression" if kind == o.TargetKind.regression else "classification"
    makers = [MODELS[base] for name in names or () if (base := name.partition(":")[0]) in MODELS]
    if positive is not None or (makers and all(numbers is None for _, numbers, _ in makers)):
        return "classification"
    if makers and all(classes is None for classes, _, _ in makers):
        return "regression"
    return "regression" if looks_numeric(cases.y) else "classification"


def _assess_all(
    models: dict[str, Classifier],
    cases: CaseTable,
    every: bool,
    subgroups: dict[str, pd.Series],
    costs: list[list[float]] | None,
    **asked: Any,
) -> tuple[dict[str, Assessment], dict[str, ThresholdChoice], list[TruenessError]]:
    """The results by model, each shown when it is done, the thresholds that costs choose, and the errors of models that
    failed; columns that make no subgroups are taken out."""
    from trueness.api.assess import assess as assess_model
    from trueness.fitting.progress import called

    results: dict[str, Assessment] = {}
    chosen: dict[str, ThresholdChoice] = {}
    errors: list[TruenessError] = []
    for name, model in models.items():
        try:
            with unwarned(), telling(), called(name):  # they are among the notes
                found = assess_model(
                    model, cases.X, cases.y, groups=cases.groups, progress=progress(), checks=False, name=name, **asked
                )
        except TruenessError as error:  # of one model; the others are still worth having
            errors.append(error.of(name))
            continue
        if given("format_") == o.Format.text:
            say("")
            page = seeded(found.page(all=every), found.provenance)
            show_page(replace(page, title=f"{name}: {found.provenance['design']}"))
            for column, labels in list(subgroups.items()):
                try:
                    groups = found.by(labels).page()
                except UndefinedError as error:  # the rest is still worth having
                    errors.append(error.of(f"--by {column}"))
                    del subgroups[column]
                    continue
                say("")
                show_page(replace(groups, title=f"{name}, by {column}: {groups.title}"))
        if costs is not None:
            try:
                chosen[name] = found.threshold(costs=costs)
            except TruenessError as error:  # the rest is still worth having
                errors.append(error.of(f"{name}: --costs"))
            else:
                if given("format_") == o.Format.text:
                    typer.echo()
                    show_page(replace(chosen[name].page(), title=f"{name}: threshold, {chosen[name].criterion}"))
        results[name] = replace(found, notes=(*cases.notes, *found.notes))
    return results, chosen, errors


def _write(
    results: dict[str, Assessment],
    chosen: dict[str, ThresholdChoice],
    cases: CaseTable,
    report: Path | None,
    json_file: Path | None,
    csv_file: Path | None,
) -> None:
    from trueness.report.pages import html_of

    if report is not None:
        pages = ((name, html_of(a, by=cases.by, chosen=chosen.get(name))) for name, a in results.items())
        write_pages(report, dict(pages))
    if json_file is not None:
        write_and_say(json_file, assessments_json(results, chosen))
    if csv_file is not None:
        write_and_say(csv_file, assessments_csv(results, chosen))


TWO_MODELS = (
    "Use e.g. --model lda --model qda; answers of systems that were run already are compared "
    "by trueness compare-systems"
)


@command(START, 40, y="target", models="model", **PLAN, **SEED_AND_JOBS)
def compare(
    data: o.DataArgument,
    target: o.Target,
    model: Annotated[list[str] | None, o.modelled(f"{MODEL_HELP}; at least two.")] = None,
    plan: o.PlanWord = DEFAULT_PLAN,
    metric: Annotated[str | None, o.measured(f"{METRIC_HELP}.", show_default="auc; of numbers rmse")] = None,
    method: Annotated[
        str | None, o.method("NAME", "lpob, loob, 632+, cv, …; the best for plan and metric by default.")
    ] = None,
    se: Annotated[str | None, o.method("NAME", "Standard error; the best available by default.")] = None,
    margin: Annotated[float | None, o.method("NUMBER", "Largest difference that does not matter.")] = None,
    costs: o.Costs = None,
    baseline: Annotated[
        str | None, o.modelled("Model that the others are compared with; all pairs by default.")
    ] = None,
    positive: o.Positive = None,
    groups: o.Groups = None,
    drop: o.Drop = None,
    missing: o.Missing = None,
    kind: o.Kind = o.TargetKind.auto,
    checks: o.Checks = True,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
    scores_file: o.ScoresFile = None,
    jobs: o.Jobs = 1,
    seed: o.Seed = None,
    store: o.Store = None,
    cluster: o.Cluster = None,
    fits: o.FitNumber = None,
    seconds: o.Seconds = None,
    fit_seconds: o.FitSeconds = None,
    engine: o.Engine = o.Fitted.auto,
    undefined: o.Undefined = o.Skipped.failed,
) -> None:
    """Compare models on a table: is one better, and how sure is that?

    All models are fitted on the same training sets, so their differences are paired. The first line of the answer is
    the verdict; leaks in the data come before it.

    **Examples**

    - trueness compare data.csv --target outcome --model lda --model forest
    - trueness compare data.csv --target outcome --model logistic --model forest --model svm --baseline logistic
    - trueness compare data.csv --target outcome --model logistic --model svm --metric error --margin 0.02
    """
    from trueness.api.call import sample_of
    from trueness.api.compare import compare as compare_models
    from trueness.cli.options import plan_by_name
    from trueness.files.features import read_cases
    from trueness.fitting.cluster import connected

    names = model or []
    check_different("model", names)
    if len(names) < 2:
        got = ", ".join(names) or "none"
        raise InputError("A comparison needs at least two models", param="model", got=got, fix=TWO_MODELS)
    priced = costs_of(costs)
    check_given(data)
    recipe = None if plan == DEFAULT_PLAN else plan_by_name(plan)
    cases = read_cases(data, target, groups, drop or (), missing=missing or (), as_they_are=_all_own(names))
    cases, positive = of_positive(cases, positive, kind == o.TargetKind.classification)
    pipelines = _models(names, cases, kind, positive)
    if costs is not None or scores_file is not None:
        sample = sample_of(pipelines.values(), cases.X, cases.y, recipe, positive, cases.groups)
        check_two_classes(sample, costs=costs, scores_file=scores_file)
    baseline = dict(zip(names, pipelines, strict=True)).get(baseline or "", baseline)  # module:object is the object
    cases = introduce(cases, checks)
    say("")
    with unwarned(), telling(), connected(cluster, jobs) as workers:  # they are among the notes
        k = compare_models(
            pipelines,
            cases.X,
            cases.y,
            metric=metric,
            method=method,
            plan=recipe,
            se=se,
            level=level,
            margin=margin,
            positive=positive,
            groups=cases.groups,
            rng=seed,
            n_jobs=workers,
            progress=progress(),
            store=store,
            fit_seconds=fit_seconds,
            engine=engine.value,
            undefined=undefined.value,
            fits=fits,
            seconds=seconds,
            baseline=baseline,
            checks=False,  # done above
        )
    whole = replace(k, notes=(*cases.notes, *k.notes))
    by_costs = None if priced is None else k.threshold(costs=priced)
    show_compared(k if format_ == o.Format.text else whole, by_costs)  # the notes about the data stand above the text
    write_compared(whole, by_costs, report, json_file, csv_file)
    if scores_file is not None:
        for error in (errors := write_scores(scores_file, k.fits, cases)):
            tell(error)
        if errors:
            raise typer.Exit(2)


@command(START, 45, y="target", n_resamples="replicates", **SEED_AND_JOBS)
def validate(
    data: o.DataArgument,
    target: o.Target,
    model: Annotated[str, o.modelled(f"{MODEL_HELP}. logit is logistic regression by maximum likelihood.")] = "logit",
    replicates: Annotated[int, o.method("N", "Bootstrap samples.")] = 300,
    positive: o.Positive = None,
    groups: o.Groups = None,
    drop: o.Drop = None,
    missing: o.Missing = None,
    checks: o.Checks = True,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    plot: Annotated[Path | None, o.output("FILE", "Draw the corrected calibration curve: .png or .svg.")] = None,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
    jobs: o.Jobs = 1,
    seed: o.Seed = None,
    fit_seconds: o.FitSeconds = None,
) -> None:
    """Correct measures of a model's probabilities for optimism by the bootstrap, as rms::validate of R.

    Apparent value, optimism and corrected value of Dxy, R2, calibration slope and intercept, Brier score and others, with
    intervals.

    **Examples**

    - trueness validate data.csv --target outcome --positive sick
    - trueness validate data.csv --target outcome --replicates 500 --seed 1 --plot calibration.png
    - trueness validate data.csv --target outcome --model forest --groups patient --report r.html
    """
    from trueness.files.features import read_cases
    from trueness.fitting.engine import fit
    from trueness.plans.bootstrap import Bootstrap
    from trueness.probabilities.validation import validate as of

    check_given(data)
    cases = read_cases(data, target, groups, drop or (), missing=missing or ())
    positive = cases.spelled.get(positive or "", positive)
    (chosen,) = _models([model], cases, o.TargetKind.classification, positive).values()
    cases = introduce(cases, checks)
    say("")
    with unwarned(), telling():  # they are among the notes
        fits = fit(
            chosen,
            cases.X,
            cases.y,
            Bootstrap(replicates, stratified=False),
            rng=seed,
            n_jobs=jobs,
            positive=positive,
            groups=cases.groups,
            scores="predict_proba",
            progress=progress(),
            fit_seconds=fit_seconds,
        )
    v = of(fits, level=level)
    whole = replace(v, notes=(*cases.notes, *v.notes))
    show(v if format_ == o.Format.text else whole)  # the notes about the data stand above the text
    if plot is not None:
        draw_and_say(v.curve().plot(), plot)
    write_files(whole, report, json_file, csv_file)


METRICS = ("auc", "error", "fnf", "fpf", "brier", "mse", "mae")


@command(
    STUDIES,
    20,
    X_train="train",
    y_train="train",
    X_test="test",
    y_test="test",
    groups_train="groups",
    groups_test="groups",
    **PLAN,
    **SEED_AND_JOBS,
)
def two_sets(
    train: Annotated[str, typer.Argument(help=f"Training set. {o.DATA_HELP}")],
    test: Annotated[str, typer.Argument(help="Independent test set with the same columns.")],
    target: o.Target,
    model: Annotated[list[str] | None, o.modelled(f"{MODEL_HELP}; twice for a difference.", show_default="lda")] = None,
    metric: Annotated[
        str | None,
        o.method(
            "METRIC", f"One of {', '.join(METRICS)}.", show_default="auc; of several classes error, of numbers mse"
        ),
    ] = None,
    plan: Annotated[
        str, o.method("PLAN", "Bootstrap training sets of each size, e.g. bootstrap:200.")
    ] = "bootstrap:200",
    positive: o.Positive = None,
    groups: o.Groups = None,
    drop: o.Drop = None,
    missing: o.Missing = None,
    kind: o.Kind = o.TargetKind.auto,
    checks: o.Checks = True,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    plot: Annotated[Path | None, o.output("FILE", "Draw the variance against both sizes: .png or .svg.")] = None,
    jobs: o.Jobs = 1,
    seed: o.Seed = None,
    fit_seconds: o.FitSeconds = None,
) -> None:
    """Assess a model on an independent test set: this rule, rules from other training sets, and what more cases buy.

    **Examples**

    - trueness two-sets train.csv test.csv --target y
    - trueness two-sets train.csv test.csv --target y --model lda --model qda --metric error
    """
    import pandas as pd

    from trueness.api.two_sets import two_sets as assess_two_sets
    from trueness.api.two_sets_result import TwoSets
    from trueness.cli.options import plan_by_name
    from trueness.files.features import read_two

    recipe = plan_by_name(plan)
    check_given(train, test)
    check_different("model", model or [])
    if len(model or []) > 2:
        raise InputError("One model, or two for their difference", param="model", got=", ".join(model or []))
    training, testing = read_two(train, test, target, groups, drop or (), missing or ())
    two = against_rest(training.y, training.spelled.get(positive or "", positive))
    training, positive = of_positive(training, positive, kind == o.TargetKind.classification)
    testing = testing if two is None else replace(testing, y=two.of(testing.y))
    training = introduce(training, checks)
    say(f"{testing.words}\n")
    both = pd.concat([training.X, testing.X])  # either set may have missing values
    chosen = _models(model, replace(training, X=both), kind, positive)
    asked: Any = chosen if len(chosen) == 2 else next(iter(chosen.values()))
    with unwarned():  # they are among the notes
        found = assess_two_sets(
            asked,
            training.X,
            training.y,
            testing.X,
            testing.y,
            metric=metric,
            plan=recipe,
            level=level,
            positive=positive,
            rng=seed,
            n_jobs=jobs,
            progress=progress(),
            fit_seconds=fit_seconds,
            groups_train=training.groups,
            groups_test=testing.groups,
        )
    notes = tuple(note for note in training.notes if note not in found.notes)
    whole = replace(found, notes=(*notes, *found.notes)) if isinstance(found, TwoSets) else found
    if format_ == o.Format.text:  # the notes about the data stand above
        page = found.page()
        show_page(replace(page, title=f"{' − '.join(chosen)}: {page.title.partition(chr(10))[2]}"))
    else:
        show(whole)
    write_files(whole, report, json_file)
    if plot is not None:
        draw_and_say(found.plot(), plot)
