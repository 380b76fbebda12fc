"""Plans: frozen recipes for drawing training sets, one file per plan."""

from typing import TYPE_CHECKING

from karat import lazily

if TYPE_CHECKING:
    from karat.plans.bootstrap import Bootstrap as Bootstrap
    from karat.plans.cv_bootstrap import CvBootstrap as CvBootstrap
    from karat.plans.cv_halves import CvHalves as CvHalves
    from karat.plans.holdout import Holdout as Holdout
    from karat.plans.kfold import KFold as KFold
    from karat.plans.leave_one_out import LeaveOneOut as LeaveOneOut
    from karat.plans.monte_carlo import MonteCarlo as MonteCarlo
    from karat.plans.nested import NestedKFold as NestedKFold
    from karat.plans.paired_subsampling import PairedSubsampling as PairedSubsampling
    from karat.plans.plan import Plan as Plan
    from karat.plans.splits import Splits as Splits

_HOME = {
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
}
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)
