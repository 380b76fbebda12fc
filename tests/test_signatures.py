"""What the public functions have in common: names, defaults, and what may be passed by position."""

import inspect

import pytest

import trueness
import trueness.curves

ROOMS = ("comparisons", "statistics", "systems", "sealed", "selection", "tables", "studies", "curves")
FUNCTIONS = {
    f"{room.__name__}.{name}": found
    for room in (trueness, *(getattr(trueness, name) for name in ROOMS))
    for name in room.__all__
    if inspect.isfunction(found := getattr(room, name))
}
DEFAULTS = {"rng": None, "n_jobs": None, "positive": None, "groups": None, "progress": None, "level": 0.95}
OTHER_DEFAULTS = {  # and why
    "trueness.sealed.seal": {"rng"},  # the split of a sealed study is on record
    "trueness.studies.run": {"rng"},  # a published table is the same in every run, and a store goes on with it
    "trueness.studies.evaluate": {"rng"},
}
ALWAYS_BY_NAME = {"rng", "n_jobs", "level", "positive", "groups", "progress", "alternative", "se", "undefined", "store"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_name_has_one_default_and_settings_are_passed_by_name(name):
    for param in inspect.signature(FUNCTIONS[name]).parameters.values():
        if param.name in DEFAULTS and param.name not in OTHER_DEFAULTS.get(name, ()):
            assert param.default == DEFAULTS[param.name], param
        if param.name in ALWAYS_BY_NAME:
            assert param.kind is param.KEYWORD_ONLY, param
