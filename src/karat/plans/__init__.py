"""Plans: frozen recipes for drawing training sets, one file per plan."""

from typing import TYPE_CHECKING

from karat import lazily

if TYPE_CHECKING:
    from karat.plans.bootstrap import Bootstrap
    from karat.plans.cv_bootstrap import CvBootstrap
    from karat.plans.cv_halves import CvHalves
    from karat.plans.holdout import Holdout
    from karat.plans.kfold import KFold
    from karat.plans.leave_one_out import LeaveOneOut
    from karat.plans.monte_carlo import MonteCarlo
    from karat.plans.nested import NestedKFold
    from karat.plans.paired_subsampling import PairedSubsampling
    from karat.plans.plan import Plan
    from karat.plans.splits import Splits

__getattr__ = lazily(
    __name__,
    {
        "Bootstrap": "karat.plans.bootstrap",
        "CvBootstrap": "karat.plans.cv_bootstrap",
        "CvHalves": "karat.plans.cv_halves",
        "Holdout": "karat.plans.holdout",
        "KFold": "karat.plans.kfold",
        "LeaveOneOut": "karat.plans.leave_one_out",
        "MonteCarlo": "karat.plans.monte_carlo",
        "NestedKFold": "karat.plans.nested",
        "PairedSubsampling": "karat.plans.paired_subsampling",
        "Plan": "karat.plans.plan",
        "Splits": "karat.plans.splits",
    },
)

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
