"""Plans: frozen recipes for drawing training sets, one file per family of plans."""

import re

from trueness.errors import InputError
from trueness.plans.bootstrap import Bootstrap, CvBootstrap
from trueness.plans.halves import CvHalves, PairedSubsampling
from trueness.plans.plan import Plan
from trueness.plans.splits import Holdout, KFold, LeaveOneOut, MonteCarlo, NestedKFold, Splits

__all__ = [
    "Bootstrap",
    "CvBootstrap",
    "CvHalves",
    "Holdout",
    "KFold",
    "LeaveOneOut",
    "MonteCarlo",
    "NestedKFold",
    "PairedSubsampling",
    "Plan",
    "Splits",
]

PLANS: list[type[Plan]] = [
    Bootstrap,
    CvBootstrap,
    CvHalves,
    PairedSubsampling,
    KFold,
    LeaveOneOut,
    NestedKFold,
    MonteCarlo,
    Holdout,
]
"""Those that the command line draws, as their `form` says."""


def plan_of_word(text: str) -> Plan:
    """The plan that a word of the command line stands for, e.g. "bootstrap:1000" or "kfold:10x5"."""
    word, _, numbers = text.partition(":")
    for plan in PLANS:
        if re.split("[ :]", plan.form)[0] == word and (plan.given or not numbers):
            try:
                return plan.of_word(numbers)
            except InputError:
                raise
            except ValueError:
                break
    known = ", ".join(plan.form for plan in PLANS)
    raise InputError("There is no such plan", param="plan", got=repr(text), fix=f"Use {known}")
