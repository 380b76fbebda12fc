"""Plans: frozen recipes for drawing training sets, one file per family of plans."""

from trueness.plans.bootstrap import Bootstrap, CvBootstrap
from trueness.plans.halves import CvHalves, PairedSubsampling
from trueness.plans.plan import Plan
from trueness.plans.splits import Holdout, KFold, LeaveOneOut, MonteCarlo, NestedKFold, Splits
from trueness.sample.design import Kind

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


def plans_of(kind: Kind) -> str:
    """The plans that draw a kind of design, for messages."""
    return " or ".join(sorted(plan.__name__ for plan in PLANS if plan.kind == kind))
