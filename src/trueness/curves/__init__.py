"""ROC and precision–recall curves, their bands and operating points.

Of given scores: `roc` makes a curve (`curve`: what all have; `empirical`, `binormal`, `semiparametric`: the kinds),
with `partial_area`, `rate_at_rate` (TPF at an FPF), `point` (rates at a threshold, the threshold of a rate), `bands`,
`hull`, and `choice` (a point by one of the `criteria`). `pr` makes a precision–recall curve, `multiclass_auc` has the
areas of several classes. The AUC and its interval are in `trueness.sample.auc_estimate`.

Of cross-validation: `folds` stacks the outputs; `operating` (two classes) and `multiclass` (class weights, from
`weight_search`) average measures at identical points of all folds (`averaged_points`).
"""

from typing import TYPE_CHECKING

from trueness import lazily

if TYPE_CHECKING:
    from trueness.curves.multiclass import multiclass_roc as multiclass_roc
    from trueness.curves.operating import operating_points as operating_points
    from trueness.curves.score_counts import ScoreCounts as ScoreCounts

_HOME = {
    "ScoreCounts": "trueness.curves.score_counts",
    "multiclass_roc": "trueness.curves.multiclass",
    "operating_points": "trueness.curves.operating",
}
__getattr__ = lazily(__name__, _HOME)
__all__ = sorted(_HOME)
