"""The design of a call: the one that was given, or drawn by a plan."""

from __future__ import annotations

from karat.errors import InputError, Setting
from karat.plans import Bootstrap, Plan
from karat.sample import Design, Sample
from karat.typing import Rng


def design_of(plan: Plan | Design | None, sample: Sample, rng: Rng) -> Design:
    """The design itself where one is given, else what the plan draws; `Bootstrap(1000)` by default."""
    if isinstance(plan, Design):
        if rng is not None:
            raise InputError(
                "A design has its own seed", param="rng", fix=("Pass ", Setting("rng"), " to plan.draw instead")
            )
        return plan
    if plan is not None and not isinstance(plan, Plan):
        raise InputError(
            "plan must be a karat plan or design",
            param="plan",
            got=repr(plan),
            fix="Use e.g. karat.KFold(10, repeats=10)",
        )
    return (plan or Bootstrap(1000)).draw(sample, rng=rng)
