"""Notes: what the reader of a number should know.

Every note is of a kind in `CATALOGUE`, which has its sentence once. `Note(code, field=value)` fills it in; nothing
branches on a code: what a program needs to know is a field of a result.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from inspect import currentframe
from string import Formatter
from typing import Any, Literal, NamedTuple, Self

from trueness.checks import SHOWN
from trueness.errors import TruenessWarning, visible
from trueness.result.words import listed, shown
from trueness.typing import Record

Severity = Literal["info", "warning"]
Scope = Literal["estimate", "test", "result", "fits", "run", "data"]


class Kind(NamedTuple):
    """A kind of note.

    Attributes
    ----------
    code : str
        Stable name, e.g. "few-replicates".
    text : str
        One sentence with {fields} as `str.format` has them; a list is "a, b and c", a number is rounded.
    severity : {"info", "warning"}
        "warning" where the number should not be used without reading the note.
    scope : {"estimate", "test", "result", "fits", "run", "data"}
        Who inherits it: nobody, the test of a difference, the result that recommends the estimate, all results of the
        same fits, of the same run, or of the same data.
    """

    code: str
    text: str
    severity: Severity = "info"
    scope: Scope = "estimate"


CATALOGUE = [
    # estimates and their standard errors
    Kind("at-limit", "At the limit of the range; the interval is the exact one for {cases} independent cases."),
    Kind("below-chance", "The AUC is below ½: check that the labels are not swapped.", "warning"),
    Kind("best-of-many", "The best of several values on the same cases, so it is optimistic."),
    Kind(
        "between-groups",
        "The AUC compares cases of different groups: {between:.3f}; within groups {within:.3f}, all pairs "
        "{all_pairs:.3f}.",
        "info",
        "data",
    ),
    Kind("cases-skipped", "Cases that were never left out are skipped: {skipped}."),
    Kind("constant-scores", "All scores are equal: the AUC is ½, without a standard error.", "warning", "data"),
    Kind(
        "experimental-se",
        "Experimental: the influence function of repeated cross-validation is trueness's own and may be too small.",
    ),
    Kind("extreme-quantile", "A limit lies beyond the most extreme resample; use more resamples."),
    Kind("failed-fits", "Fits that failed and are left out: {failed} of {of}. Reasons: {reasons}", "info", "result"),
    Kind(
        "few-cases",
        "The smallest class has {cases} cases; with fewer than {needed} the standard error of an AUC is "
        "usually too small.",
    ),
    Kind(
        "few-cases-decide",
        "Training case {case} alone moves the value by {share:.1f} standard errors, which makes the interval "
        "too short.",
        "info",
        "result",
    ),
    Kind(
        "few-groups",
        "The standard error rests on only {groups} groups and is uncertain; about {needed} or more are needed.",
        "info",
        "data",
    ),
    Kind(
        "few-overlap",
        "Few cases overlap the other class ({positives} positives, {negatives} negatives): the interval uses "
        "Hanley and McNeil's standard error, {model_se:.2g}.",
    ),
    Kind(
        "few-replicates",
        "{replicates} replicates are few for this standard error; about {needed} are needed.",
        "info",
        "result",
    ),
    Kind(
        "first-order-se", "The standard error of this difference is the first-order one, usually too large: {reason}."
    ),
    Kind(
        "fixed-class-sizes",
        "The class sizes count as fixed by design; if they are random, the standard error is {se:.2g} instead"
        " of {fixed_se:.2g} (stratified=True).",
        "info",
        "result",
    ),
    Kind("folds-skipped", "Folds without a value of the metric are skipped: {skipped}."),
    Kind("groups", "{cases} cases in {groups} groups; design effect {design_effect}.", "info", "test"),
    Kind("groups-return", "Groups return in time: they are for the standard error only."),
    Kind(
        "heavy-tails",
        "A few cases decide {metric}: the interval may be too short; mae is less affected than mse.",
        "warning",
        "result",
    ),
    Kind("identical-inputs", "The two inputs are equal in every case."),
    Kind("large-bias", "The bias exceeds three standard errors, so the interval is unreliable.", "warning"),
    Kind(
        "left-out-scores",
        "One left-out score per case, from several rules: the interval is too short.",
        "warning",
        "fits",
    ),
    Kind("metric-of-splits", "{metric} is the mean over the splits; plan=KFold(10, repeats=10) takes it of all cases."),
    Kind("mostly-positive", "More than half of the cases are positive, so the interval may be too short.", "warning"),
    Kind("naive-se", "The standard error ignores the variation of training sets and is too small.", "info", "fits"),
    Kind(
        "negative-component",
        "A variance component is estimated below 0 (training {training:.1g}, testing {testing:.1g}) and counts as 0.",
        "warning",
    ),
    Kind(
        "no-errors-seen",
        "No error in {cases} independent cases: the limit assumes errors no larger than the observed range.",
    ),
    Kind(
        "no-se-by-ranks",
        "No standard error: few cases are tested together. Use plan=KFold(10, repeats=10), or sums='exact'.",
    ),
    Kind("no-se-difference", "No standard error: the method has none for a difference."),
    Kind("no-se-few-cases", "No standard error: about {cases:.2g} cases are too few; {needed} are needed."),
    Kind(
        "no-se-heavy-tails",
        "No standard error: the variance of the losses is apparently infinite; mae is less affected than mse.",
        "warning",
        "result",
    ),
    Kind("no-se-known", "No standard error is known for {metric} by {method}; leave plan= and method= out.", "warning"),
    Kind("no-se-many-cases", "No standard error: the jackknife takes too long for {cases} cases (limit {limit})."),
    Kind("no-se-method", "No standard error: the method does not define one."),
    Kind("no-se-negative-variance", "No standard error: the variance by Q1 and Q2 is negative.", "warning"),
    Kind("no-se-not-smooth", "No standard error: the estimator is not a smooth function of the cases."),
    Kind("no-se-one-case", "No standard error: a class has a single case.", "warning"),
    Kind(
        "no-se-one-pass",
        "One pass of cross-validation gives no standard error for this metric; repeats do, such as "
        "plan=KFold(10, repeats=10).",
        "info",
        "result",
    ),
    Kind("no-se-zero-variance", "No standard error: the formula gives 0, which is no certainty."),
    Kind(
        "not-functional",
        "The statistic is not functional: with every case doubled it is {doubled:.6g} instead of {value:.6g}.",
    ),
    Kind("not-smooth", "The statistic is not a smooth function of the cases; use the bootstrap.", "warning"),
    Kind(
        "not-smooth-in-n",
        "No bias: the statistic is not smooth in n (the jackknife's would be {formula_bias:.4g}); use the bootstrap.",
        "warning",
    ),
    Kind("pairs-by-ranks", "Sums over {pairs:.1e} pairs of cases come from ranks, not pair by pair."),
    Kind("pairs-skipped", "Pairs that no rule left out, or tested, together are skipped: {skipped}."),
    Kind(
        "pooled-scores", "Scores of different rules are pooled; where their levels differ, the AUC is biased downwards."
    ),
    Kind(
        "quantile-interval",
        "The interval holds quantiles of the values per replicate and is not a confidence interval.",
    ),
    Kind("replicates-dropped", "Replicates without a test case of each class are dropped: {dropped} of {of}."),
    Kind(
        "scores-not-comparable",
        "Scores of different folds are not comparable (AUC {pooled:.3f} pooled, {within:.3f} within folds); "
        "replaced by ranks: {ranked}.",
    ),
    Kind(
        "smooth-unknown", "The statistic fails on repeated cases, so it is unknown whether it is smooth and functional."
    ),
    Kind(
        "training-offsets-testing",
        "Training cases take back what test cases add; the standard error is that of one rule.",
        "info",
        "result",
    ),
    Kind(
        "variance-not-positive",
        "The variance of the influence function is nearly 0 or negative; the standard error is that of one rule.",
        "info",
        "result",
    ),
    Kind(
        "very-few-groups",
        "The standard error rests on only {groups} groups; do not rely on it, which needs about {needed} or more.",
        "warning",
        "data",
    ),
    Kind("within-groups", "Every fold is one group, so the AUC compares cases of the same group."),
    Kind("zero-se", "The standard error is 0: no case makes a difference."),
    # comparisons
    Kind("auc-values", "AUCs: {values:.4f}."),
    Kind("cases-not-checked", "Not valid with fewer than {needed} cases, which cannot be checked here."),
    Kind(
        "covariance-estimated",
        "χ² treats the covariance as known; Hotelling's F gives p = {p_value:.2g} with {cases} cases in the "
        "smaller class.",
    ),
    Kind(
        "dependent-splits",
        "Splits of one data set share cases, so the interval of their mean is too short; use corrected_t.",
        "warning",
    ),
    Kind("error-rates", "Error rates: {values:.4f}."),
    Kind("exact-p-value", "The p-value is exact, from permutations of the ranks."),
    Kind(
        "exchange-p-value",
        "About {cases:.2g} cases determine this part of the curve: the p-value comes from {exchanges} "
        "exchanges of the rules.",
    ),
    Kind("exchanges", "The p-value comes from {count} exchanges."),
    Kind(
        "few-discordant", "Cases on which the rules disagree: {discordant}; the χ² approximation needs about {needed}."
    ),
    Kind(
        "few-expected",
        "The p-value of equal shares is approximate: the smallest expected count is {expected:.1f} (needed: {needed}).",
    ),
    Kind("few-pairs", "With only {pairs} pairs the assumptions can hardly be checked."),
    Kind(
        "invalid-for-splits",
        "Splits of one data set share cases, so this t test rejects far too often; use corrected_t.",
        "warning",
    ),
    Kind(
        "negative-correlation",
        "The paired values are negatively correlated; check that they are in the same order.",
        "warning",
    ),
    Kind("no-difference", "All differences are 0, so the p-value is 1."),
    Kind("no-discordant", "No case is classified correctly by one rule and wrongly by another."),
    Kind(
        "not-normal",
        "The differences do not look normal (Shapiro–Wilk p = {p_value:.2g}); consider wilcoxon or sign.",
        "warning",
    ),
    Kind("overlap", "The intervals mean ± SD overlap: {overlap}."),
    Kind("same-test-set", "Both test sets have the same labels and scores; if they are one test set, use delong."),
    Kind("too-few-items", "{items} items are too few: no difference of two systems could be detected."),
    Kind("win-counts", "Higher: {higher}; lower: {lower}; equal: {equal}."),
    Kind("zero-differences-dropped", "Pairs without a difference were dropped: {dropped}."),
    # assessments
    Kind(
        "bootstrap-training-sets",
        "The training variance is that of bootstrap replicates of one training set, usually too large.",
    ),
    Kind("declared-threshold", "Decisions are by a declared threshold: {label} where the {decisions}."),
    Kind(
        "enough-replicates",
        "Stopped after {replicates} replicates: the Monte-Carlo errors are below {until:g} standard errors.",
        "info",
        "run",
    ),
    Kind(
        "first-two-models",
        "The verdict is about the two best models; baseline= compares each of the others with one model.",
    ),
    Kind(
        "function-gets-scores",
        "The second argument of {metric} is named like predicted labels, but it gets scores; pass "
        "make_scorer({metric}).",
        "warning",
    ),
    Kind(
        "guarantee-of-refit",
        "The guarantee is exact for one fitted rule; here it is about the model refitted on all cases.",
    ),
    Kind(
        "no-promise-inside",
        "No TPF or FPF: some training sets have too few cases for the promise.",
        "warning",
        "fits",
    ),
    Kind(
        "interval-of-folds",
        "The interval of {metric} is about rules trained on the folds; plan=CvHalves() has one for all cases.",
    ),
    Kind(
        "no-better-than-majority",
        "The error rate {value:.3f} (up to {high:.3f}) is not clearly below {constant:.3f} of the most frequent class.",
    ),
    Kind(
        "worse-than-chance",
        "Neither the error rate {value:.3f} (up to {high:.3f}) is clearly below {constant:.3f} of the "
        "most frequent class, nor the AUC above ½.",
        "warning",
    ),
    Kind(
        "no-better-than-mean",
        "{metric} {value:.3g} is not clearly below {constant:.3g}, that of always predicting the mean.",
        "warning",
    ),
    Kind(
        "no-cheaper-than-constant",
        "{metric} {value:.3g} (up to {high:.3g}) is not clearly below {constant:.3g} of the best constant prediction.",
    ),
    Kind(
        "dearer-than-constant",
        "{metric} {value:.3g} is above {constant:.3g} of the best constant prediction.",
        "warning",
    ),
    Kind("no-predictions", "There are scores only, so that there is no error rate."),
    Kind("no-scores", "There are predictions only, so that there is no AUC."),
    Kind(
        "stopped-early",
        "Stopped after {replicates} replicates, before the Monte-Carlo errors were below {until:g} standard "
        "errors: {why}.",
        "warning",
        "run",
    ),
    Kind("test-rows-in-training", "Test rows with the features of a training case: {rows}."),
    Kind(
        "test-rows-copied",
        "Test rows with the features of a training case, though training cases differ: {rows}.",
        "warning",
    ),
    Kind("threshold-inside", "Decisions are by a threshold chosen inside each training set.", "info", "fits"),
    Kind(
        "threshold-of-refit",
        "The threshold was chosen on scores of rules trained on parts of the cases, for the model refitted on all.",
    ),
    Kind(
        "thresholds-alike",
        "Training sets of a cross-validation share most cases, so the intervals of TPF and FPF are too short.",
    ),
    Kind(
        "too-many-scores",
        "Skipped {metric}/{method} ({scores:.1e} scores); trueness.estimate computes it.",
    ),
    Kind("training-size-skipped", "Skipped {n_train} training cases: {reason}"),
    Kind(
        "unbalanced-classes",
        "The classes are unbalanced: {share:.1%} of the cases are {label}; a small error rate means little.",
        "warning",
    ),
    Kind("undefined", "{reason}"),
    Kind("undefined-measure", "{metric}: {reason}", "warning"),
    Kind(
        "within-seconds",
        "The fits made in {seconds:g} seconds: {fits}; fits= with the same seed repeats the run.",
        "info",
        "run",
    ),
    # subgroups
    Kind(
        "auc-within-subgroups",
        "The AUC of all cases, {overall:.3f}, is not between those of the subgroups: it compares cases of "
        "different ones, too.",
    ),
    Kind("cases-of-no-site", "Cases without a site, which do not count: {cases}."),
    Kind("group-missing", "Cases without a value, in group {group!r}: {cases}."),
    Kind("many-groups", "Groups by a number with many values: {groups}; cut it into a few bands first."),
    Kind(
        "sites-alike",
        "The variance between sites is estimated as 0; up to {tau2_high:.2g} agrees with the sites as well.",
    ),
    Kind("sites-left-out", "Sites with too few cases, left out: {sites} ({cases} cases)."),
    Kind("sites-share-rules", "Sites were judged by the same rules, which the interval of their mean does not count."),
    Kind(
        "too-few-cases", "Too few independent cases (at least {needed} of each class or decision are needed): {groups}."
    ),
    # data and fits
    Kind(
        "bootstrap-point",
        "A bootstrap training set has about .632 n distinct cases; the power law does not use its value.",
    ),
    Kind(
        "clock-went-back",
        "The time of records is before that of the one before them, or in the future: {records}.",
        "warning",
    ),
    Kind("columns-dropped", "Columns left out: {columns}."),
    Kind(
        "copies-in-inner-split",
        "Copies of a case are on both sides of the split that {estimators} make inside fit; use a plan without copies.",
        "warning",
    ),
    Kind(
        "extrapolation",
        "Extrapolations assume a + b n^(−c); their range is not a confidence interval.",
    ),
    Kind("few-rules-per-case", "Cases left out by fewer than {least} rules: {cases}."),
    Kind("fit-warnings", "Fits with warnings: {fits} of {of}; the first: {first}"),
    Kind(
        "given-predictions",
        "The standard error covers the choice of the model and the test cases, not training cases.",
    ),
    Kind(
        "inner-split-mixes-groups",
        "{estimators} split their training set without the groups; give them a splitter such as "
        "StratifiedGroupKFold(5).",
        "warning",
    ),
    Kind(
        "labels-differ-in-spelling",
        "Labels {labels!r} differ only in case or blanks and count as different classes; write them in one spelling.",
        "warning",
    ),
    Kind("labels-encoded", "The model refuses the labels, and was trained with {codes}."),
    Kind(
        "labels-in-one-spelling", "Labels that count as another one, from which only case or blanks differ: {labels!r}."
    ),
    Kind("long-run", "{label}: {fits} fits are left and take about {seconds:.0f} seconds. {advice}", "warning"),
    Kind(
        "near-chance",
        "The rules are hardly better than chance at some sizes, where the standard error varies strongly.",
    ),
    Kind("no-declared-threshold", "No threshold was declared before the test set was opened."),
    Kind("not-stratified", "Not stratified: some groups have cases of several classes."),
    Kind(
        "opened-again",
        "The test set was opened {openings} times; intervals are at the level {corrected:.4g} instead of {level:g}.",
        "warning",
    ),
    Kind("opening-without-result", "Openings without a result: {openings}. The test set counts as seen.", "warning"),
    Kind("no-se-subsampling", "No standard error: {reason}."),
    Kind("failed-repeats", "Repeats left out because a fit failed in them: {repeats} of {of}.", "warning"),
    Kind("resamples-of-these-cases", "The interval is about more resamples of these cases, not about other samples."),
    Kind("equal-sets", "The interval has no length because all sets contribute equally."),
    Kind(
        "saturated-probabilities",
        "{share:.0%} of the probabilities have rounded to 0 or 1, so that cases tie; use a model with "
        "decision_function.",
        "warning",
    ),
    Kind("scores-look-like-labels", "Scores take only two values and look like class labels.", "warning"),
    Kind("solver-stops-early", "On all cases the solver {solver} stops before the minimum; scale the features."),
    Kind("subsampling-se", "The standard error covers test and training cases."),
    Kind(
        "training-sets-assumed",
        "Each training set is assumed to hold all cases that it does not test; the table does not show them.",
    ),
    Kind("two-valued-target", "The target has two values, {values:.15g}; for classes use a classifier.", "warning"),
    Kind("unlabelled-rows", "Rows without a label are left out: {rows}."),
    # curves
    Kind("all-negative", "This threshold labels every case negative; no other point meets the criterion.", "warning"),
    Kind("all-positive", "This threshold labels every case positive; no other point meets the criterion.", "warning"),
    Kind(
        "criterion-not-met", "An FPF of at most {fpf:g} is attained only by labelling every case negative.", "warning"
    ),
    Kind(
        "few-beyond-threshold",
        "Only {expected:.2g} cases are expected beyond the threshold; the interval may be too short.",
        "warning",
    ),
    Kind("fewer-points", "Distinct outputs allow only {points} of {asked} operating points."),
    Kind(
        "fit-disagrees",
        "The empirical AUC {empirical:.3f} is {standard_errors:.1f} standard errors from the fitted one; use "
        "the empirical curve.",
        "warning",
    ),
    Kind(
        "infinite-top-score",
        "The highest score is +inf, so no threshold labels every case negative; NaN stands for it.",
    ),
    Kind("mean-over-groups", "The promise is about the mean over groups, each counting once."),
    Kind(
        "mean-over-groups-only",
        "The promise is about the mean over groups, each counting once; it does not hold for all cases: {pooled:.3f}.",
        "warning",
    ),
    Kind("perfect-curve", "Every resample of a perfect curve is perfect; use the interval of the area."),
    Kind(
        "prevalence-of-sample",
        "The prevalence is that of these cases, {prevalence:.4g}; pass prevalence= if it differs.",
    ),
    Kind("resamples-agree", "At {points} of {of} FPFs all resamples agree."),
    Kind("resamples-without-curve", "Resamples without a fitted curve are skipped: {failed} of {resamples}."),
    # tables
    Kind("empty-margin", "Undefined: no case is, or was decided, {missing}."),
    Kind(
        "exact-instead",
        "The {method} interval is undefined or has zero length at {x} of {n}; this is the exact interval.",
    ),
    Kind("half-added", "A cell is empty, so ½ was added to every cell."),
    Kind("prevalence-unknown", "Undefined: a case-control study has no prevalence. Pass prevalence=."),
    Kind("quadrature-error", "Numerical integration with an estimated error of {error:.1g}."),
    Kind("se-half-added", "A cell is empty; the standard error is that of the table with ½ added to every cell."),
    # probabilities
    Kind(
        "bootstrap-calibration",
        "No verdict: rules of bootstrap samples are judged together; use trueness.probabilities.validate(fits).",
        "warning",
    ),
    Kind("distance-biased", "The distance is biased upwards: perfectly calibrated, it would be about {expected:.2g}."),
    Kind(
        "probabilities-at-ends", "Probabilities of exactly 0 or 1, which count as 1e-8 from there: {number}.", "warning"
    ),
    Kind(
        "separation",
        "In {separated} of {of} bootstrap samples the probabilities separate the classes; g, Slope, U and Q "
        "are unreliable.",
        "warning",
    ),
    Kind("threshold-ends", "Thresholds of 0 and 1 are left out."),
    # readers and systems
    Kind("design-found", "By the names of the cases and readers the design is {design}."),
    Kind("few-readers", "Only {readers} readers: how readers vary is hardly known."),
    Kind("labels-never-true", "Answers of {system} that are no true label and count as wrong: {answers}.", "warning"),
    Kind("missing-answers", "Answers are missing: {lacking}; how they count: {how}."),
    Kind(
        "missing-readings",
        "Readings are missing: {missing}; read by every reader in every modality: {complete} of {cases} cases.",
    ),
    Kind(
        "negative-covariance",
        "What readers share through the cases is estimated below 0 ({covariance:.2g}) and counts as 0.",
    ),
    Kind(
        "negative-variance",
        "The variance without bias is not positive ({variance:.2g}); the standard error is that of readers.",
        "warning",
    ),
    Kind("read-as-score", "Values are read from {fields!r} of the logs."),
    Kind("readers-left-out", "Readers who did not read in every modality do not count in differences: {readers}."),
    Kind("u-unbalanced", "Readings are missing: the variance is less certain than that of method='or'."),
    Kind("unequal-runs", "Items have from {fewest} to {most} runs; every item counts equally."),
    # studies
    Kind("class-shares-of-samples", "The true {metric} weights the classes as the samples do."),
    Kind("study-columns", "{text}"),
    Kind("study-misprint", "{text}"),
    Kind("study-setting", "{text}"),
    Kind("study-theory", "{text}"),
    Kind(
        "truth-on-test-set",
        "True values of {metric} are measured on one test set and may be off together by about {offset:.2g}.",
    ),
]

KINDS = {kind.code: kind for kind in CATALOGUE}


class Fields(Formatter):
    """Fields of a note in words."""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion and isinstance(value, list | tuple | frozenset):
            return [super(Fields, self).convert_field(each, conversion) for each in value]
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Mapping):
            return listed(f"{name} {self.format_field(each, format_spec)}" for name, each in value.items())
        if isinstance(value, list | tuple | frozenset):
            return listed(self.format_field(each, format_spec) for each in value)
        if value is None:
            return "unknown"
        if isinstance(value, float) and not format_spec:
            return shown(value)
        return str(super().format_field(value, format_spec))


@dataclass(init=False, repr=False, slots=True, unsafe_hash=True)
class Note:
    """A remark of a kind in the catalogue.

    Parameters
    ----------
    code : str
        Of a kind in `CATALOGUE`, e.g. "left-out-scores"; docs/notes.md lists all of them.
    **data
        The fields of its sentence.

    Examples
    --------
    >>> note = Note("left-out-scores")
    >>> note.code, note.severity, note.scope
    ('left-out-scores', 'warning', 'fits')
    """

    code: str
    message: str
    severity: Severity = field(compare=False)
    scope: Scope = field(compare=False)
    data: Mapping[str, Any] = field(compare=False)

    def __init__(self, code: str, message: str = "", severity: Severity = "info", **data: Any) -> None:
        kind = KINDS.get(code) or Kind(code, "")
        self.code, self.severity = code, severity if message else kind.severity
        self.scope = data.pop("scope", kind.scope)
        self.data = data
        self.message = visible(message or Fields().format(kind.text, **data))

    @classmethod
    def from_dict(cls, kept: Record) -> Self:
        """What `to_dict` gave, read from a file."""
        note = cls.__new__(cls)
        note.data = {**kept}
        for name in ("code", "message", "scope", "severity"):
            setattr(note, name, note.data.pop(name))
        return note

    def about(self, *names: str, **data: Any) -> Self:
        """The same note with what it is about in front: "lda − qda: ..."."""
        note = copy(self)
        note.message, note.data = f"{', '.join(names)}: {self.message}", {**self.data, **data}
        return note

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"Note({self.code!r}, {str(self)!r})"

    def to_dict(self) -> Record:
        named = {"code": self.code, "severity": self.severity, "scope": self.scope, "message": self.message}
        return {**named, **self.data}


def inherited(notes: Iterable[Note], *scopes: Scope) -> tuple[Note, ...]:
    """The notes of these scopes."""
    return tuple(note for note in notes if note.scope in scopes)


def warnings_first(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Each once, warnings before the others."""
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: note.severity != "warning"))


def warn_of(*notes: Note | None) -> None:
    """Issue those that are warnings."""
    for note in notes:
        if note is not None and note.severity == "warning":
            warn(note)


def warn(note: Note, category: type[Warning] = TruenessWarning) -> None:
    """Issue the note as a warning, at the line that called trueness; the first argument of the warning is the note."""
    if category is TruenessWarning and not SHOWN.get():
        return
    level, frame = 1, currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("trueness."):
        level, frame = level + 1, frame.f_back
    warnings.warn(category(note), stacklevel=level)


SEVERAL_RULES = Note("left-out-scores")
NO_VARIANCE = Note("no-se-zero-variance")
