"""Every public function under hypothesis: valid inputs obey the laws of their kind, wrong ones raise trueness's errors.

`make test` runs a fixed set of examples; `make fuzz` draws about 100,000 fresh ones. TARGETS says how many cheap calls
one call of a function is worth; expensive functions get fewer examples.
"""

from __future__ import annotations

import math
import signal
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from inputs import LAWS, SAME, TURNED, Arguments, wrong, wrong_values
from targets import NOT_FUZZED, TARGETS, Target, public

from trueness import Estimate
from trueness.errors import TruenessError
from trueness.result import Interval
from trueness.result.test_result import TestResult

mpl.use("Agg")

SECONDS = 20  # of CPU time; no call takes longer, also on a busy machine
FUZZ = settings.get_current_profile_name() == "fuzz"
EXAMPLES = 620 if FUZZ else 5  # of each test of a cheap function


def examples(cost: int) -> int:
    return max(EXAMPLES // cost, 12 if FUZZ else 2)


def sized(name: str) -> settings:
    return settings(
        max_examples=examples(TARGETS[name].cost),
        suppress_health_check=list(HealthCheck),
        phases=settings.default.phases if FUZZ else (Phase.explicit, Phase.generate),  # a failure is shown as it is
    )


@contextmanager
def limited():
    """No warning counts, and an error after some seconds."""

    def stop(*_: object) -> None:
        raise AssertionError(f"no answer within {SECONDS} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        if "matplotlib.pyplot" in __import__("sys").modules:
            mpl.pyplot.close("all")


def sane(result: Any) -> None:
    """What holds for every answer: intervals contain their value and stay in range, p > 0, and it can be shown."""
    if isinstance(result, Estimate):
        if result.has_interval:
            ci = result.ci(0.9)
            low, high = result.bounds
            room = 1e-9 * (1 + abs(result.value))
            assert low <= ci.low <= ci.high <= high, ci
            if ci.method != "percentile":  # those of two resamples may both lie on one side
                assert math.isnan(result.value) or ci.low - room <= result.value <= ci.high + room, (result, ci)
        assert result.se is None or not result.se < 0
        str(result), result.to_dict(), result._repr_html_()
    if isinstance(result, TestResult):
        assert 0 < result.p_value <= 1
        if result.difference is not None:
            sane(result.difference)
    if isinstance(result, Interval):
        assert result.low <= result.high
    if hasattr(result, "to_json") and not isinstance(result, pd.DataFrame):
        str(result), result.to_json(), result.frame()
    for name in ("auc", "average_precision"):
        if hasattr(type(result), name):
            sane(getattr(result, name))


def found(function: Callable[..., Any], arguments: Arguments) -> dict[str, float] | str:
    """The numbers of the answer, or the name of trueness's error."""
    try:
        with limited():
            result = function(**arguments)
            sane(result)
            return numbers_of(result)
    except TruenessError as error:
        return type(error).__name__ if str(error) else "an error without a message"


def numbers_of(result: Any) -> dict[str, float]:
    if isinstance(result, Estimate):
        low, high = result.ci() if result.has_interval else (math.nan, math.nan)
        return {"value": result.value, "se": math.nan if result.se is None else result.se, "low": low, "high": high}
    if isinstance(result, TestResult):
        inner = {} if result.difference is None else numbers_of(result.difference)
        return inner | {"p": result.p_value, "statistic": result.statistic}
    if hasattr(type(result), "auc"):
        return numbers_of(result.auc)
    if hasattr(result, "frame") and not isinstance(result, pd.DataFrame):
        result = result.frame()
    if isinstance(result, pd.DataFrame):
        columns = [c for c in ("value", "se", "low", "high") if c in result] or list(result.select_dtypes("number"))
        return {f"{c} {i}": v for c in columns for i, v in enumerate(result[c].astype(float))}
    if isinstance(result, (tuple, np.ndarray)):
        return {str(i): v for i, v in enumerate(np.asarray(result, dtype=float).ravel())}
    return {}


def values(found: dict[str, float]) -> dict[str, float]:
    return {k: v for k, v in found.items() if k.startswith("value")}


def turned(found: dict[str, float]) -> dict[str, float]:
    """Numbers of the same two models in the other order."""
    swap = {
        "value": ("value", -1),
        "low": ("high", -1),
        "high": ("low", -1),
        "statistic": ("statistic", 0),
        "se": ("se", 1),
        "p": ("p", 1),
    }
    return {k: found[swap[k][0]] * swap[k][1] for k in found if swap[k][0] in found}


def close(a: dict[str, float] | str, b: dict[str, float] | str) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return a.keys() == b.keys() and all(v == pytest.approx(b[k], rel=1e-6, abs=1e-8, nan_ok=True) for k, v in a.items())


def obeys(target: Target, arguments: Arguments, law: str) -> None:
    """Ask twice, before and after the change of the law."""
    before = found(target.function, arguments)
    if not law:
        return
    change, effect = LAWS[law]
    changed = change(arguments)
    if changed is None:
        return
    after = found(target.function, changed)
    if isinstance(before, str) != isinstance(after, str) and law == "double":
        return  # twice the cases may be enough where half of them are not
    if isinstance(before, dict) and isinstance(after, dict) and effect != SAME:
        before, after = (turned(before), turned(turned(after))) if effect == TURNED else (values(before), values(after))
    assert close(before, after), (law, before, after)


@pytest.mark.parametrize("name", list(TARGETS))
def test_valid_inputs_obey_the_laws(name):
    target = TARGETS[name]

    @sized(name)
    @given(target.kind, st.sampled_from(target.laws or ("",)))
    def holds(arguments, law):
        obeys(target, arguments, law)

    holds()


@pytest.mark.parametrize("name", list(TARGETS))
def test_wrong_inputs_raise_errors_of_trueness_only(name):
    target = TARGETS[name]

    @sized(name)
    @given(target.kind.flatmap(lambda a: wrong(a, target.parameters)))
    def answers(arguments):
        found(target.function, arguments)

    answers()


@pytest.mark.parametrize("name", list(TARGETS) if FUZZ else [])  # 100,000 calls
def test_each_wrong_value_of_each_parameter_raises_errors_of_trueness_only(name):
    target, examples = TARGETS[name], []

    @settings(max_examples=3, derandomize=True, database=None, phases=[Phase.generate])
    @given(target.kind)
    def collect(arguments):
        examples.append(arguments)

    collect()
    for arguments in examples[-2:]:  # the first is the smallest of all
        for parameter, value in wrong_values(arguments, target.parameters):
            try:
                found(target.function, {**arguments, parameter: value})
            except Exception as error:
                error.add_note(f"with {parameter}={value!r}")
                raise


def test_every_public_callable_is_fuzzed_or_has_a_reason():
    names = {name for name, _ in public()}
    known = {name for name in TARGETS if name in names} | set(NOT_FUZZED)
    assert names - known == set(), "add a line to TARGETS in targets.py"
    assert set(NOT_FUZZED) <= names
    rooms = {name.split(".")[0] for name in names} | {"api", "figures", "displays", "files", "report", "sample"}
    assert {name.split(".")[0] for name in TARGETS} <= rooms


def test_the_laws_are_laws_of_these_kinds():
    assert {law for t in TARGETS.values() for law in t.laws} <= set(LAWS)


@pytest.mark.skipif(not FUZZ, reason="counts the examples of make fuzz")
def test_make_fuzz_draws_a_hundred_thousand_examples(capsys):
    total = sum(2 * examples(t.cost) for t in TARGETS.values())
    with capsys.disabled():
        print(f"\n{total} examples of {len(TARGETS)} targets; {len(NOT_FUZZED)} public names need none")
    assert total > 90_000
