"""One thread per fit: more of them compete for the cores of the workers, and sum in another order."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from threadpoolctl import ThreadpoolController

from trueness.typing import AnyModel

# package → settings that its models get where none of the names is set: threads of their own that threadpoolctl cannot
# hold, and messages and files of every single fit
SETTINGS: dict[str, tuple[tuple[tuple[str, ...], object], ...]] = {
    "xgboost": ((("n_jobs", "nthread"), 1),),
    "lightgbm": (
        (("n_jobs", "nthread", "nthreads", "num_thread", "num_threads"), 1),
        (("verbosity", "verbose"), -1),
    ),
    "catboost": (
        (("thread_count",), 1),
        (("verbose", "verbose_eval", "logging_level", "silent"), False),
        (("allow_writing_files",), False),
    ),
}


@lru_cache(maxsize=1)
def _controller(modules: int) -> ThreadpoolController:
    # looking for the libraries takes milliseconds; new ones come with new modules only
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """`with one_thread(): ...` holds BLAS and OpenMP to one thread."""
    controller = _controller(len(sys.modules))
    if all(library.num_threads == 1 for library in controller.lib_controllers):
        yield  # limiting what is limited takes longer than asking
        return
    with controller.limit(limits=1):
        yield


def _boosters(owners: Iterable[tuple[str, AnyModel]]) -> Iterator[tuple[str, AnyModel, str]]:
    """The models of boosting libraries, each with the prefix of its parameters and its package."""
    for prefix, owner in owners:
        for package in {kind.__module__.partition(".")[0] for kind in type(owner).__mro__} & SETTINGS.keys():
            yield prefix, owner, package


def quiet_settings(owners: Iterable[tuple[str, AnyModel]]) -> dict[str, object]:
    """Parameters that hold boosting libraries to one thread and to silence, where the user has not set them."""
    changes: dict[str, object] = {}
    for prefix, owner, package in _boosters(owners):
        params = owner.get_params(deep=False)
        for names, value in SETTINGS[package]:
            if all(params.get(name) is None for name in names):
                changes[prefix + names[0]] = value
    return changes


def own_threads(owners: Iterable[tuple[str, AnyModel]]) -> list[str]:
    """Settings by which boosting libraries run more than one thread, as the user set them."""
    found = []
    for prefix, owner, package in _boosters(owners):
        params, names = owner.get_params(deep=False), SETTINGS[package][0][0]
        found += [f"{prefix}{name}={params[name]}" for name in names if params.get(name) not in (None, 1)]
    return found
