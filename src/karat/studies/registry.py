"""Names of studies: one file each in karat.studies.published, found when first asked for."""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from karat.errors import InputError
from karat.plans.plan import whole
from karat.sample.seeds import seed_sequence
from karat.studies.result import StudyResult
from karat.studies.runner import Run

StudyFunction = Callable[[Run], StudyResult]


@dataclass(frozen=True)
class Study:
    """A declared study: its name, what it is, and its own settings with their defaults."""

    name: str
    title: str
    source: str
    function: StudyFunction
    trials: int
    sizes: tuple[int, ...] = ()
    least: int = 2
    most: int | None = None
    one_size: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


_BY_NAME: dict[str, Study] = {}


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
    **options: Any,
) -> Callable[[StudyFunction], StudyFunction]:
    """Declare a study. `trials`, `sizes` and `options` are the printed settings, and its defaults.

    Parameters
    ----------
    trials
        1: the study has none.
    least, most
        The sizes that its models can be fitted on and its data can give.
    one_size
        It is of one size at a time.
    """

    def declare(function: StudyFunction) -> StudyFunction:
        _BY_NAME[name] = Study(name, title, source, function, trials, tuple(sizes), least, most, one_size, options)
        return function

    return declare


def names() -> list[str]:
    """All studies."""
    return list(_all())


def find(name: str) -> Study:
    """The study of this name; an error that says what there is."""
    known = _all()
    if name not in known:
        near = get_close_matches(name, known, n=3)
        hint = "Did you mean " + " or ".join(near) + "? " if near else ""
        raise InputError(f"there is no study {name!r}", fix=f"{hint}There are {', '.join(known)}")
    return known[name]


def run(
    name: str,
    trials: int | None = None,
    sizes: Any = None,
    rng: Any = 0,
    *,
    n_jobs: int | None = -1,
    store: str | Path | None = None,
    progress: bool | None = None,
    **options: Any,
) -> StudyResult:
    """Run a study.

    Parameters
    ----------
    name
        One of `names()`.
    trials
        Monte-Carlo trials a setting; None: as printed.
    sizes
        Sample sizes; None: as printed.
    rng
        0 unless said otherwise, so that a study is the same every time; None for fresh numbers.
    n_jobs
        Workers; −1: all cores. They never change a number.
    store
        A file that keeps the trials: the same call goes on where it was interrupted.
    options
        The study's own settings, e.g. resamples=.

    Returns
    -------
    StudyResult
        `.table()`, `.published()`, `.check()`, `.plot()`, `.write(folder)`.

    Examples
    --------
    >>> import karat
    >>> small = karat.studies.run("auc-estimators", trials=2, sizes=(20,), rng=0, n_jobs=1)
    >>> small.table()["estimator"].tolist()
    ['true', 'star', '632', '632+', '632+ clipped', 'apparent']
    """
    chosen = find(name)
    strangers = sorted(set(options) - set(chosen.options))
    if strangers:
        raise InputError(
            f"{name} has no setting {', '.join(strangers)}", fix=f"It has {', '.join(chosen.options) or 'none'}"
        )
    trials = _trials(chosen, trials)
    seed = seed_sequence(rng)
    settings = {**chosen.options, **options}
    asked = Run(
        trials=trials,
        sizes=_sizes(chosen, sizes),
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
        store=store,
        options=settings,
        recipe={"study": name, "seed": seed_words(seed), "options": settings, "versions": versions()},
    )
    asked.open_store()  # before any work: the file may be another study's, or the folder closed to us
    start = time.perf_counter()
    result = chosen.function(asked)
    return replace(
        result,
        settings={
            "trials": asked.trials,
            **({"sizes": list(asked.sizes)} if asked.sizes else {}),
            "seed": seed_words(seed),
            **settings,
            **result.settings,
            **versions(),
        },
        seconds=time.perf_counter() - start,
    )


def versions() -> dict[str, str]:
    """What numbers depend on besides the seed."""
    from importlib.metadata import version

    import karat

    packages = ("numpy", "scipy", "scikit-learn")
    return {"karat": karat.__version__} | {package: version(package) for package in packages}


def _trials(chosen: Study, trials: Any) -> int:
    if trials is None:
        return chosen.trials
    if chosen.trials == 1:
        raise InputError(f"{chosen.name} has no trials", got=trials, fix="Leave trials out")
    whole("trials", trials, 2)  # one trial has no Monte-Carlo error
    return int(trials)


def _sizes(chosen: Study, sizes: Any) -> tuple[int, ...]:
    if sizes is None:
        return chosen.sizes
    if not chosen.sizes:
        raise InputError(f"{chosen.name} has no sizes", got=sizes, fix="Leave sizes out")
    given = tuple(np.atleast_1d(sizes).tolist())
    for size in given:
        whole(f"a size of {chosen.name}", size, chosen.least)
        if chosen.most is not None and size > chosen.most:
            raise InputError(f"a size of {chosen.name} is at most {chosen.most}: its data have no more", got=size)
    if len(set(given)) < len(given) or not given:
        raise InputError("sizes must be different numbers", got=sizes)
    if chosen.one_size and len(given) > 1:
        raise InputError(f"{chosen.name} is of one size at a time", got=list(given), fix="Run it once for each")
    return given


def seed_words(seed: np.random.SeedSequence) -> str:
    """A seed as text, with the spawn key that makes it differ from its siblings."""
    return f"{seed.entropy}" + (f" {list(seed.spawn_key)}" if seed.spawn_key else "")


def _all() -> dict[str, Study]:
    from karat.studies import published

    for module in pkgutil.iter_modules(published.__path__):
        importlib.import_module(f"{published.__name__}.{module.name}")
    order = {name: i for i, name in enumerate(published.ORDER)}
    return dict(sorted(_BY_NAME.items(), key=lambda item: order.get(item[0], len(order))))
