"""The design of a call: the one that was given, or drawn by a plan."""

from __future__ import annotations

from typing import Any

from karat.errors import InputError
from karat.plans import Bootstrap, Plan
from karat.sample import Design, Sample


def design_of(plan: Any, sample: Sample, rng: Any) -> Design:
    """`Bootstrap(1000)` where no plan is given; an error for what is neither a plan nor a design."""
    if isinstance(plan, Design):
        if rng is not None:
            raise InputError("a design has its own seed", fix="Give rng= to plan.draw instead")
        return plan
    if plan is not None and not isinstance(plan, Plan):
        raise InputError("plan is a karat plan or design", got=repr(plan), fix="Use e.g. karat.KFold(10, repeats=10)")
    return (plan or Bootstrap(1000)).draw(sample, rng=rng)
