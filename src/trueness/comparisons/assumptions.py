"""Assumptions that several tests share, one sentence each."""

FIXED_RULES = (
    "the rules are fixed: neither was trained or tuned on these cases, nor is the result about other training sets."
)
INDEPENDENT_CASES = "the cases, positive and negative, are independent draws from the population of interest."
INDEPENDENT_GROUPS = "the groups are independent draws; cases of one group may depend on each other in any way."
JUDGED_BY_ALL = "the cases are independent; each is classified by every rule."
LARGE_CLASSES = (
    "each class has enough cases for a mean to be normal (in simulations 10 per class sufficed, docs/comparison.md)."
)
SEPARATE_SETS = "the two test sets have no case in common."

PAIRED_VALUES = "the values are paired: both models on the same data sets, in the same order."
INDEPENDENT_PAIRS = (
    "different pairs are independent: different data sets, not folds or splits of one (use corrected_t for those)."
)
PAIRED_SPLITS = "each split gives one difference, with both models trained and tested on the same cases."

INDEPENDENT_ROWS = "the data sets are independent, each gives one number per model, and all have the same weight."
COMPARABLE_RANKS = "ranks within a data set are comparable, although values of different data sets need not be."

FIXED_AND_UNSEEN = "the rules are fixed and are tested on cases they were not trained on."
