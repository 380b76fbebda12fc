"""trueness compare: is one model better than another, on a table?"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from trueness.checks import unwarned
from trueness.cli import options as o
from trueness.cli.checks import check_different, check_given
from trueness.cli.names import METRIC_HELP, MODEL_HELP
from trueness.cli.output import introduce, progress, say, show, write_files
from trueness.errors import InputError

TWO_MODELS = (
    "Use e.g. {model='lda'} {model='qda'}; answers of systems that were run already are compared "
    "by trueness compare-systems"
)


def compare(
    data: o.DataArgument,
    target: o.Target,
    model: Annotated[list[str] | None, o.modelled(f"{MODEL_HELP}; at least two.")] = None,
    plan: o.PlanWord = "cv+bootstrap",
    metric: Annotated[str, o.measured(f"{METRIC_HELP}.")] = "auc",
    method: Annotated[
        str | None, o.method("NAME", "lpob, loob, 632+, cv, …; the best for plan and metric by default.")
    ] = None,
    se: Annotated[str | None, o.method("NAME", "Standard error; the best available by default.")] = None,
    margin: Annotated[float | None, o.method("NUMBER", "Largest difference that does not matter.")] = None,
    positive: o.Positive = None,
    groups: o.Groups = None,
    drop: o.Drop = None,
    checks: o.Checks = True,
    level: o.Level = 0.95,
    format_: o.FormatOption = o.Format.text,
    quiet: o.Quiet = False,
    report: o.Report = None,
    json_file: o.JsonFile = None,
    csv_file: o.CsvFile = None,
    jobs: o.Jobs = 1,
    seed: o.Seed = None,
    store: o.Store = None,
    cluster: o.Cluster = None,
    fit_seconds: o.FitSeconds = None,
) -> None:
    """Compare models on a table: is one better, and how sure is that?

    All models are fitted on the same training sets, so their differences are paired. The first line of the answer is
    the verdict; leaks in the data come before it.

    **Examples**

    - trueness compare data.csv --target outcome --model lda --model forest
    - trueness compare data.csv --target outcome --model logistic --model svm --metric error --margin 0.02
    """
    from trueness.api.compare import compare as compare_models
    from trueness.cli.plans import plan_by_name
    from trueness.files.features import read_cases
    from trueness.fitting.cluster import connected
    from trueness.fitting.models import model_by_name

    names = model or []
    check_different("model", names)
    if len(names) < 2:
        got = ", ".join(names) or "none"
        raise InputError("A comparison needs at least two models", param="model", got=got, fix=TWO_MODELS)
    check_given(data)
    recipe = plan_by_name(plan)
    cases = read_cases(data, target, groups, drop or ())
    pipelines = {name: model_by_name(name, cases.X) for name in names}
    cases = introduce(cases, checks)
    say("")
    with unwarned(), connected(cluster, jobs) as workers:  # they are among the notes
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
            checks=False,  # done above
        )
    whole = replace(k, notes=(*cases.notes, *k.notes))
    show(k if format_ == o.Format.text else whole)  # the notes about the data stand above the text
    write_files(whole, report, json_file, csv_file)
