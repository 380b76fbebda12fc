"""Plans: frozen recipes for drawing training sets, one file per plan."""

from karat.plans.bootstrap import Bootstrap
from karat.plans.cv_bootstrap import CvBootstrap
from karat.plans.holdout import Holdout
from karat.plans.kfold import KFold
from karat.plans.leave_one_out import LeaveOneOut
from karat.plans.monte_carlo import MonteCarlo
from karat.plans.nested import NestedKFold
from karat.plans.plan import Plan
from karat.plans.splits import Splits

__all__ = [
    "Bootstrap",
    "CvBootstrap",
    "Holdout",
    "KFold",
    "LeaveOneOut",
    "MonteCarlo",
    "NestedKFold",
    "Plan",
    "Splits",
]
