"""The register of checks, by code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from karat.hygiene.data import Data
from karat.hygiene.findings import Finding

ALPHA = 0.01  # chance that a check of all columns raises an alarm where they are noise

Function = Callable[[Data], Iterable[Finding]]


@dataclass(frozen=True)
class Check:
    """A check: its codes and the function that makes it."""

    codes: tuple[str, ...]
    function: Function


CHECKS: list[Check] = []


def check_for(*codes: str) -> Callable[[Function], Function]:
    """Register a function that looks for these codes."""

    def register(function: Function) -> Function:
        CHECKS.append(Check(codes, function))
        return function

    return register
