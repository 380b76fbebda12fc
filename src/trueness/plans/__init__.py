"""Plans: frozen recipes for drawing training sets, one file per plan."""

from typing import TYPE_CHECKING

from trueness import lazily
from trueness.sample.design import Kind

if TYPE_CHECKING:
    from trueness.plans.bootstrap import Bootstrap as Bootstrap
    from trueness.plans.cv_bootstrap import CvBootstrap as CvBootstrap
    from trueness.plans.cv_halves import CvHalves as CvHalves
    from trueness.plans.holdout import Holdout as Holdout
    from trueness.plans.kfold import KFold as KFold
    from trueness.plans.leave_one_out import LeaveOneOut as LeaveOneOut
    from trueness.plans.monte_carlo import MonteCarlo as MonteCarlo
    from trueness.plans.nested import NestedKFold as NestedKFold
    from trueness.plans.paired_subsampling import PairedSubsampling as PairedSubsampling
    from trueness.plans.plan import Plan as Plan
    from trueness.plans.splits import Splits as Splits

_HOME = {
    "Bootstrap": "trueness.plans.bootstrap",
    "CvBootstrap": "trueness.plans.cv_bootstrap",
    "CvHalves": "trueness.plans.cv_halves",
    "Holdout": "trueness.plans.holdout",
    "KFold": "trueness.plans.kfold",
    "LeaveOneOut": "trueness.plans.leave_one_out",
    "MonteCarlo": "trueness.plans.monte_carlo",
    "NestedKFold": "trueness.plans.nested",
    "PairedSubsampling": "trueness.plans.paired_subsampling",
    "Plan": "trueness.plans.plan",
    "Splits": "trueness.plans.splits",
}
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)


def plans_of(kind: Kind) -> str:
    """The plans that draw a kind of design, for messages."""
    *others, last = [name for name in __all__ if getattr(__getattr__(name), "kind", None) == kind and name != "Splits"]
    return f"{', '.join(others)} or {last}" if others else last
