"""Messages of the library in the words of the command line: options instead of arguments, columns instead of y."""

from __future__ import annotations

import re
from typing import Any

from karat.errors import FitError, KaratError

# what the library says → what fits the options; longer phrases before their parts
PHRASES = (
    ("rng must be None, a whole number ≥ 0, a SeedSequence or a Generator", "--seed must be a whole number ≥ 0"),
    ("n_jobs must", "--jobs must"),
    ("Pass positive=", "Use --positive "),
    ("Leave positive out, or mend y", "Leave --positive out, or mend the column"),
    ("or give groups= so", "or use --groups so"),
    (" rows of X ", " rows "),
    (", or estimate(..., undefined='skip')", ""),
    ("; karat.estimate gives it when asked", "; in Python karat.estimate gives it when asked"),
    ("; karat.statistics.bootstrap gives", "; in Python karat.statistics.bootstrap gives"),
    ("; a plan with stratified=False takes that into account", ""),
    ("Use stratified=False, or more groups", "Use more groups"),
    ("Use e.g. test_size=0.3", "Use e.g. --plan holdout:0.3"),
    ("test_size must be a share between", "--plan: the share of test cases must lie between"),
    ("n_folds must", "--plan: the number of folds must"),
    ("n_resamples must", "--plan: the number of replicates must"),
    ("n_splits must", "--plan: the number of splits must"),
    ("repeats must", "--plan: the number of repeats must"),
    ("a NestedKFold plan", "the plan nested:K"),
    ("e.g. Bootstrap(1000) or KFold(10, repeats=10)", "e.g. --plan bootstrap:1000 or --plan kfold:10x10"),
    ("Use KFold(k, repeats=10) or MonteCarlo", "Use --plan kfold:10x10 or --plan monte-carlo:100"),
    ("Use KFold(k, repeats=10)", "Use --plan kfold:10x10"),
    ('Use the method "cv", a KFold plan, or, for arrays, repeat=', "Use --plan kfold:10"),
    ("Refit, or use", "Use another --plan, or --method"),
    (" and functions f(y, score)", ""),
    ("that these Fits do not hold", "that the model does not give"),
    (' (with karat.fit: scores="predict_proba"); Fits.from_arrays takes predictions=', ""),
    (' (with karat.fit: scores="predict_proba")', ""),
    ("Use models that have predict_proba", "Use another --model, one that gives probabilities, e.g. logistic"),
    ("Use a model with decision_function or predict_proba", "Use another --model, e.g. logistic"),
    ("give class labels (are y and the scores swapped?)", "name a column that holds class labels"),
    ("margin is the largest", "--margin is the largest"),
    # karat size
    ("Give both, or a pilot (y, s1, s2)", "Give --value twice, or --pilot with --label and two --score"),
    ("Give both, or a pilot (y, p1, p2)", "Give --value twice, or --pilot with --label and two --score"),
    ("auc1 and auc2 are", "two --value are"),
    ("error1 and error2 are", "two --value are"),
    ("Give auc1 and auc2", "Give two different --value"),
    ("half_width must", "--half-width must"),
    ("Leave correlation out", "Leave --correlation out"),
    # karat study
    ("Leave trials out", "Leave --trials out"),
    ("Leave sizes out", "Leave --sizes out"),
)
ARGUMENT = re.compile(r"(?<![\w-])(positive|level|groups|se|margin|metric|method)=")
BARE = re.compile(r"(?<![\w-])(level|power|ratio|trials|sizes) must\b")
VALUE = re.compile(r"(?<![\w-])(?:(?:auc|error)[12]?|p) must lie")
SCORE = re.compile(r"(?<![\w-])[ps]([12])(?= (?:holds|has|must|and)\b)")
LABELS = re.compile(r"(?<![\w-])y (?=(?:has|holds|looks|mixes|must)\b)")
WHY = re.compile(r"(does not fit on all \d+ cases: )(.*)$")
REASON = re.compile(r"(The first reason: )(.*?)\.* Use a stratified plan, a simpler model, or one that copes with .*$")
NO_SETTINGS = "Models have no settings on the command line: use another --model"


def spoken(message: str, column: str | None = None) -> str:
    """A message of the library in the words of the command line; `column` holds the labels."""
    for said, here in PHRASES:
        message = message.replace(said, here)
    message = ARGUMENT.sub(r"--\1 ", message)
    message = BARE.sub(r"--\1 must", message)
    message = VALUE.sub("--value must lie", message)
    message = SCORE.sub(lambda m: f"the {'first' if m[1] == '1' else 'second'} --score", message)
    return message if column is None else LABELS.sub(lambda _: f"the column {column!r} ", message)


def in_words(error: KaratError) -> str:
    """What an error says; where a model cannot be fitted its library's words are quoted, and a cure is named."""
    if not isinstance(error, FitError):
        return str(error)
    said = WHY.sub(rf'\1"\2" {NO_SETTINGS}.', str(error))
    return REASON.sub(rf'\1"\2". {NO_SETTINGS}, or another --plan.', said)


def worded(result: Any) -> str:
    """The text of a result, its notes and warnings in the words of the command line."""
    lines = str(result).split("\n")
    return "\n".join(spoken(line) if line.startswith(("Note: ", "Warning: ")) else line for line in lines)
