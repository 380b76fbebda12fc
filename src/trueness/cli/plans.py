"""Plans by name: bootstrap, bootstrap:1000, kfold:10x5, loo, monte-carlo:100, holdout:0.3, nested:10,
paired:15x10, cv+halves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from trueness.errors import InputError, near

if TYPE_CHECKING:
    from trueness.plans import Plan

FORMS = {
    "cv+bootstrap": "cv+bootstrap",
    "bootstrap": "bootstrap (as many replicates as needed) or bootstrap:B",
    "kfold": "kfold:K or kfold:KxR (R repeats)",
    "loo": "loo",
    "monte-carlo": "monte-carlo:N",
    "holdout": "holdout:SHARE",
    "nested": "nested:K or nested:KxR",
    "paired": "paired:NxH (N splits, H halvings)",
    "cv+halves": "cv+halves",
}
HELP = ", ".join(FORMS.values())


def plan_by_name(text: str) -> Plan:
    """The plan that a word stands for, e.g. "bootstrap:1000" or "kfold:10x5"."""
    from trueness import plans

    makers: dict[str, Callable[[str], Plan]] = {
        "cv+bootstrap": lambda none: plans.CvBootstrap(),
        "bootstrap": lambda b: plans.Bootstrap(int(b) if b else None),
        "kfold": lambda k: plans.KFold(*_times(k or "10", 1)),
        "loo": lambda none: plans.LeaveOneOut(),
        "monte-carlo": lambda n: plans.MonteCarlo(int(n or 100)),
        "holdout": lambda share: plans.Holdout(float(share or 0.3)),
        "nested": lambda k: plans.NestedKFold(*_times(k or "10", 20)),
        "paired": lambda n: plans.PairedSubsampling(*_times(n or "15", 10)),
        "cv+halves": lambda none: plans.CvHalves(),
    }
    name, _, argument = text.partition(":")
    if name not in makers or (name in ("loo", "cv+bootstrap", "cv+halves") and argument):
        raise InputError(f"There is no plan {text!r}", param="plan", fix=f"{near(name, FORMS)}Use {HELP}")
    try:
        return makers[name](argument)
    except InputError:
        raise
    except ValueError:
        raise InputError(f"Cannot read the plan {text!r}", param="plan", fix=f"Use {FORMS[name]}") from None


def _times(argument: str, repeats: int) -> tuple[int, int]:
    """ "10x5" → (10, 5); "10" → (10, repeats)."""
    first, times, second = argument.partition("x")
    return int(first), int(second) if times else repeats


def word_for(plan: Plan) -> str:
    """The word that `plan_by_name` reads as this plan, without options that the command line does not have; a plan
    without a word is written as in Python."""
    from trueness import plans

    if plan in (plans.CvBootstrap(), plans.CvHalves(), plans.Bootstrap()):
        return plan.kind
    if isinstance(plan, plans.PairedSubsampling):
        return f"paired:{plan.n_splits}x{plan.inner}"
    if isinstance(plan, plans.Bootstrap) and plan.n_resamples is not None:
        return f"bootstrap:{plan.n_resamples}"
    if isinstance(plan, plans.NestedKFold):
        return f"nested:{plan.n_folds}x{plan.repeats}"
    if isinstance(plan, plans.KFold):
        return f"kfold:{plan.n_folds}" + (f"x{plan.repeats}" if plan.repeats > 1 else "")
    if isinstance(plan, plans.MonteCarlo):
        return f"monte-carlo:{plan.n_splits}"
    if isinstance(plan, plans.Holdout):
        return f"holdout:{plan.test_size:g}"
    return "loo" if isinstance(plan, plans.LeaveOneOut) else str(plan)
