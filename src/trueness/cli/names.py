"""Names that help texts list. The registries hold them, but help must not wait for scikit-learn; a test compares."""

from __future__ import annotations

from trueness.metrics import names

MODELS = ("lda", "qda", "logistic", "naive-bayes", "knn", "ridge", "svm", "forest", "boosting", "tree")
METRICS = tuple(names())
INTERVALS = (
    "wald",
    "wilson",
    "exact",
    "agresti-coull",
    "jeffreys",
    "uniform",
    "logit",
    "cloglog",
    "likelihood",
    "mid-p",
)

MODEL_HELP = f"One of {', '.join(MODELS)} (knn:5 for 5 neighbours), or module:object of your own"
METRIC_HELP = f"{', '.join(METRICS)}, another name of these (sensitivity, recall), or a scikit-learn scorer"
BANDS = ("fixed-width", "kolmogorov", "binomial", "vertical", "bootstrap")
CRITERIA = ("youden", "closest")
