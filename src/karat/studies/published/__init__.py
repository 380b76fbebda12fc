"""One file per published table or figure. A new study is one new file here; the registry finds it."""

# order in lists; a name that is not here comes last
ORDER = (
    "auc-estimators",
    "auc-difference",
    "error-estimators",
    "weak-correlation",
    "smoothness",
    "bootstrap-support",
    "bootstrap-jackknife",
    "no-information",
    "calibration",
    "overfitting",
    "early-stopping",
    "bias-variance",
    "zero-one-bias-variance",
    "least-squares",
    "ridge",
    "stratified-folds",
    "operating-points",
    "three-class-roc",
    "semiparametric-roc",
    "batch-shift",
    "population-lda",
    "decision-surfaces",
    "adaboost",
    "loss-functions",
)
