"""The public names."""

from trueness import api as api
from trueness import (
    comparisons,
    curves,
    errors,
    metrics,
    plans,
    sealed,
    selection,
    statistics,
    studies,
    systems,
    tables,
)
from trueness import displays as displays
from trueness import figures as figures
from trueness import files as files
from trueness import leaks as leaks
from trueness import probabilities as probabilities
from trueness import reading as reading
from trueness import report as report
from trueness import result as result
from trueness import sample as sample
from trueness.api.assess import assess
from trueness.api.assessment import Assessment
from trueness.api.compare import compare
from trueness.api.comparison import Comparison
from trueness.api.subgroups import subgroups
from trueness.api.two_sets import two_sets
from trueness.curves.pr import pr
from trueness.curves.roc import roc
from trueness.estimators.estimation import difference, estimate
from trueness.fitting.engine import fit
from trueness.leaks.check import check
from trueness.plans.bootstrap import Bootstrap, CvBootstrap
from trueness.plans.splits import Holdout, KFold
from trueness.probabilities.benefit import decision_curve
from trueness.probabilities.calibrated import calibration
from trueness.reading.study import readers
from trueness.result.estimate import Estimate
from trueness.result.json import load
from trueness.sample.fits import Fits
from trueness.selection.learning import learning_curve
from trueness.tables.diagnose import diagnose
from trueness.version import __version__ as __version__

__all__ = [
    "Bootstrap",
    "CvBootstrap",
    "Estimate",
    "Fits",
    "Holdout",
    "KFold",
    "assess",
    "calibration",
    "check",
    "compare",
    "comparisons",
    "curves",
    "decision_curve",
    "diagnose",
    "difference",
    "errors",
    "estimate",
    "fit",
    "learning_curve",
    "load",
    "metrics",
    "plans",
    "pr",
    "readers",
    "roc",
    "sealed",
    "selection",
    "statistics",
    "studies",
    "subgroups",
    "systems",
    "tables",
    "two_sets",
]

vars(result).update(Assessment=Assessment, Comparison=Comparison)  # where users look for them; they are made in api
