"""Names that help texts list. The registries hold them, but help must not wait for scikit-learn; a test compares."""

from __future__ import annotations

MODELS = ("lda", "qda", "logistic", "naive-bayes", "knn", "ridge", "svm", "forest", "boosting", "tree")
METRICS = (
    "error",
    "accuracy",
    "auc",
    "tpf",
    "fpf",
    "tnf",
    "fnf",
    "ppv",
    "npv",
    "f1",
    "mcc",
    "kappa",
    "balanced_accuracy",
    "youden",
    "average_precision",
    "brier",
    "log_loss",
)
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

MODEL_HELP = f"One of {', '.join(MODELS)} (knn:5 for 5 neighbours)"
METRIC_HELP = f"{', '.join(METRICS)} or a scikit-learn scorer"
DATA_HELP = "CSV, TSV or Parquet file; - reads CSV from standard input."
JOBS_HELP = "Number of parallel workers (results do not depend on it)."
SEED_HELP = "Seed; the same seed gives the same numbers."
UNITS_HELP = "Column with groups (patient, site); only whole groups count as independent."
BANDS = ("fixed-width", "kolmogorov", "binomial", "vertical", "bootstrap")
CRITERIA = ("youden", "closest")
GROUPS_HELP = "Column with groups (patient, site); a group never stands on both sides."
DROP_HELP = "Column that is no feature; repeatable."
STORE_HELP = "File that keeps finished fits; run again to go on."
CLUSTER_HELP = "Address of a dask scheduler, e.g. tcp://host:8786."
FIT_SECONDS_HELP = "Longest time of one fit in seconds; longer ones count as failed."
CHECKS_HELP = "Look for leaks in the data first (karat check)."
