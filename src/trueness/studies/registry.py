"""Names of studies: each file in trueness.studies.published declares one with `@study`."""

import importlib
import pkgutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from trueness.checks import check_choice, check_whole, seed_sequence
from trueness.errors import InputError
from trueness.fitting.described import versions
from trueness.studies.result import StudyResult
from trueness.studies.runner import Run
from trueness.typing import Rng

StudyFunction = Callable[[Run], StudyResult]


@dataclass(frozen=True)
class StudyRecord:
    """A declared study: name, title, source, and its settings with their published values as defaults."""

    name: str
    title: str
    source: str
    function: StudyFunction
    trials: int
    sizes: tuple[int, ...] = ()
    least: int = 2
    most: int | None = None
    one_size: bool = False
    options: Mapping[str, int] = field(default_factory=dict)


_BY_NAME: dict[str, StudyRecord] = {}


def study(
    name: str,
    *,
    title: str,
    source: str,
    trials: int = 1,
    sizes: Sequence[int] = (),
    least: int = 2,
    most: int | None = None,
    one_size: bool = False,
    **options: int,
) -> Callable[[StudyFunction], StudyFunction]:
    """Declare a study.

    Parameters
    ----------
    name, title, source : str
        Name, title, and where the original was published.
    trials : int, default 1
        Published number of trials; 1 if the study has none.
    sizes : sequence of int, default ()
        Published sample sizes; empty if the study has none.
    least, most : int
        Smallest size that its models can be fitted on, and largest size that its data allow.
    one_size : bool, default False
        Whether it runs with one size at a time.
    **options : int
        Further settings with their defaults.
    """

    def declare(function: StudyFunction) -> StudyFunction:
        _BY_NAME[name] = StudyRecord(
            name, title, source, function, trials, tuple(sizes), least, most, one_size, options
        )
        return function

    return declare


def names() -> list[str]:
    """Names of all studies.

    Returns
    -------
    list of str
    """
    return list(_all())


def find(name: str) -> StudyRecord:
    """The study of this name."""
    known = _all()
    check_choice("name", name, known, f"Unknown study {name!r}")
    return known[name]


def run(
    name: str,
    *,
    trials: int | None = None,
    sizes: int | Sequence[int] | None = None,
    rng: Rng = 0,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    progress: bool | None = None,
    **options: int,
) -> StudyResult:
    """Run a study.

    Parameters
    ----------
    name : str
        One of `names()`.
    trials : int, optional
        Monte Carlo trials per setting; the published number by default.
    sizes : int or sequence of int, optional
        Sample sizes; the published ones by default.
    rng : int, SeedSequence, Generator or None, default 0
        Seed; None draws a fresh one.
    n_jobs : int, optional
        Number of parallel workers, -1 for all cores (results do not depend on it).
    store : str or Path, optional
        File that keeps the trials: the same call continues after an interruption.
    progress : bool, optional
        Whether to show a progress bar; by default only on a terminal.
    **options : int
        Further settings of the study, e.g. resamples=200.

    Returns
    -------
    StudyResult
        With `.frame()`, `.published()`, `.check()`, `.plot()` and `.write(folder)`.

    Raises
    ------
    InputError
        If the study, an option or a size does not exist, or the store belongs to other settings.

    Examples
    --------
    >>> import trueness
    >>> small = trueness.studies.run("auc-estimators", trials=2, sizes=(20,), rng=0, n_jobs=1)
    >>> small.frame()["estimator"].tolist()
    ['true', 'star', '632', '632+', '632+ clipped', 'apparent']
    """
    chosen = find(name)
    for option, value in options.items():
        if option not in chosen.options:
            known = ", ".join(chosen.options) or "none"
            raise InputError(f"Study {name!r} has no option {option!r}", param=option, fix=f"Available: {known}")
        check_whole(option, value, 1)
    seed = seed_sequence(rng)
    settings = {**chosen.options, **options}
    asked = Run(
        trials=_trials(chosen, trials),
        sizes=_sizes(chosen, sizes),
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
        store=store,
        options=settings,
        recipe={"study": name, "seed": seed_text(seed), "options": settings, "versions": versions()},
    )
    asked.open_store()  # before any work: the file may belong to another study, or the folder may be read-only
    start = time.perf_counter()
    result = chosen.function(asked)
    return replace(
        result,
        name=name,
        title=chosen.title,
        source=chosen.source,
        settings={
            "trials": asked.trials,
            **({"sizes": list(asked.sizes)} if asked.sizes else {}),
            "seed": seed_text(seed),
            **settings,
            **result.settings,
            **versions(),
        },
        seconds=time.perf_counter() - start,
    )


def _trials(chosen: StudyRecord, trials: int | None) -> int:
    if trials is None:
        return chosen.trials
    if chosen.trials == 1:
        raise InputError(f"Study {chosen.name!r} has no trials", param="trials", got=trials, fix="Omit trials")
    check_whole("trials", trials, 2)  # one trial has no Monte Carlo error
    return int(trials)


def _sizes(chosen: StudyRecord, sizes: int | Sequence[int] | None) -> tuple[int, ...]:
    if sizes is None:
        return chosen.sizes
    if not chosen.sizes:
        raise InputError(f"Study {chosen.name!r} has no sizes", param="sizes", got=sizes, fix="Omit sizes")
    given: tuple[int, ...] = tuple(np.atleast_1d(sizes).tolist())
    problem = ""
    if not given or len(set(given)) < len(given):
        problem = "sizes must be different numbers"
    elif chosen.one_size and len(given) > 1:
        problem = f"Study {chosen.name!r} runs with one size at a time"
    elif not all(isinstance(size, int) and not isinstance(size, bool) and size >= chosen.least for size in given):
        problem = f"sizes of study {chosen.name!r} must be whole numbers of at least {chosen.least}"
    elif chosen.most is not None and max(given) > chosen.most:
        problem = f"sizes of study {chosen.name!r} are at most {chosen.most}, the number of cases in its data"
    if problem:
        raise InputError(problem, param="sizes", got=sizes)
    return given


def seed_text(seed: np.random.SeedSequence) -> str:
    """A seed as text, with the spawn key that tells it from its siblings."""
    return f"{seed.entropy}" + (f" {list(seed.spawn_key)}" if seed.spawn_key else "")


def _all() -> dict[str, StudyRecord]:
    from trueness.studies import published

    for module in pkgutil.iter_modules(published.__path__):
        importlib.import_module(f"{published.__name__}.{module.name}")
    order = {name: i for i, name in enumerate(published.ORDER)}
    return dict(sorted(_BY_NAME.items(), key=lambda item: order.get(item[0], len(order))))
