"""Assumptions that several tests share, one sentence each."""

from trueness.result.named import (
    FIXED_RULES as FIXED_RULES,
)
from trueness.result.named import (
    INDEPENDENT_CASES as INDEPENDENT_CASES,
)
from trueness.result.named import (
    INDEPENDENT_GROUPS as INDEPENDENT_GROUPS,
)
from trueness.result.named import (
    LARGE_CLASSES as LARGE_CLASSES,
)

JUDGED_BY_ALL = "the cases are independent; each is classified by every rule."
SEPARATE_SETS = "the two test sets have no case in common."

PAIRED_VALUES = "the values are paired: both models on the same data sets, in the same order."
INDEPENDENT_PAIRS = (
    "different pairs are independent: different data sets, not folds or splits of one (use corrected_t for those)."
)
PAIRED_SPLITS = "each split gives one difference, with both models trained and tested on the same cases."

INDEPENDENT_ROWS = "the data sets are independent, each gives one number per model, and all have the same weight."
COMPARABLE_RANKS = "ranks within a data set are comparable, although values of different data sets need not be."

FIXED_AND_UNSEEN = "the rules are fixed and are tested on cases they were not trained on."
