"""ROC and precision–recall curves, their bands and operating points.

Of given scores: `roc` makes a curve (`curve`: what all have; `empirical` and `fitted`: the kinds), with `rates` (TPF at an
FPF, partial areas), `point` (rates at a threshold, the threshold of a rate), `bands`, `choice` (a point by a criterion)
and `promised` (a threshold with a guarantee). `pr` makes a precision–recall curve; `score_counts` has the areas of more
scores than memory holds. The AUC and its interval are in `trueness.sample.scored`.

Of cross-validation: `averaged_points` (two classes) and `multiclass` (class weights) average measures at identical points
of all folds.
"""

from trueness.curves.averaged_points import operating_points
from trueness.curves.multiclass import multiclass_roc
from trueness.curves.promised import guarantee
from trueness.curves.score_counts import ScoreCounts

__all__ = [
    "ScoreCounts",
    "guarantee",
    "multiclass_roc",
    "operating_points",
]
