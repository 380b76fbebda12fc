"""Numbers, notes and names in words.

A number has two significant digits of its standard error. A note is a remark with a code. A name carries what is known
about it: methods, standard errors and intervals with words and sources, and what an estimate is about; it is a string,
so that tables, JSON and `e.se_method == "delong"` need nothing else, and a value: no sentence is read to learn what was
done.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from trueness.typing import Record

if TYPE_CHECKING:
    from trueness.result.estimate import Estimate


# names of metrics; every metric writes its own here (trueness.metrics.metric)
WORDS: dict[str, tuple[str, str]] = {}  # name → before a value; inside a sentence. Others follow the rule of `spoken`
OTHER_NAMES: dict[str, str] = {}  # other name → name, of the metrics that were used

MOST_LETTERS_OF_AN_ABBREVIATION = 3
ABBREVIATION = re.compile(r"\b(ae|auc|dlr|fnf|fpf|ici|mape|mcc|npv|ppv|pr|r2|rmse|roc|tnf|tpf)\b")  # in longer names

ROUNDING = 1e-10  # a standard error below this is 0 but for rounding
TINY = 1e-7  # standard errors below this do not show in eight decimal places
NOISE = (1e-18, 1e-14)  # what rounding leaves of numbers around 1
SMALLEST_SHOWN = 5e-5  # in four decimal places
HUGE = 1e15  # whole numbers beyond this are not exact
USUAL_LENGTH = 40  # standard errors; an interval that is longer does not rest on them
SMALLEST_P = sys.float_info.min  # a p-value that rounds to 0 becomes this: no test can prove the impossible


def places(se: float | None, value: float = 0.0) -> int:
    """Decimal places that show two significant digits of the standard error; where there is none four, fewer of a value of
    10 or more."""
    if se is None or not math.isfinite(se) or se < ROUNDING:
        large = math.isfinite(value) and abs(value) >= 10
        return max(0, 4 - math.floor(math.log10(abs(value)))) if large else 4
    return max(0, min(8, 1 - math.floor(math.log10(se))))


def shown(value: float | None, se: float | None = None) -> str:
    """The value, rounded to its standard error; a blank for None."""
    if value is None:
        return ""
    if math.isnan(value):
        return "undefined"
    size, tiny = max(abs(value), se or 0.0), abs(value) < SMALLEST_SHOWN
    if se:
        tiny = se < TINY and abs(value) < 1000 * TINY
    if tiny and size > 0 and not NOISE[0] < size < NOISE[1]:
        return significant(value, 3)  # of numbers in tiny units
    if HUGE <= abs(value) < math.inf:
        return significant(value, 5 if not se else max(3, 2 + math.floor(math.log10(abs(value) / se))))
    return f"{value:z.{places(se, value)}f}"  # z: never -0.00


def significant(value: float, digits: int) -> str:
    """A number of any size, such as a threshold, to so many significant digits; below a billion without an exponent."""
    if 10**digits <= abs(value) < 1e9:
        return f"{round(value, digits - 1 - math.floor(math.log10(abs(value)))):.0f}"
    return f"{value:z.{digits}g}".replace("inf", "∞").replace("nan", "undefined")


def with_se(value: float, se: float | None) -> str:
    """ "0.812 ± 0.012"."""
    return shown(value) if se is None else f"{shown(value, se)} ± {shown(se, se)}"


def between(low: float | None, high: float | None, se: float | None = None) -> str:
    """ "0.71 to 0.93", rounded to the standard error, or to a quarter of an interval that is much longer than usual; a
    blank where there is no interval."""
    if low is None or high is None:
        return ""
    se = scale_of(se, low, high)
    return f"{shown(low, se)} to {shown(high, se)}"


def scale_of(se: float | None, low: float | None, high: float | None) -> float | None:
    """What a value and its limits are rounded to: the standard error, or a quarter of an interval that is much longer than
    usual, which does not rest on it."""
    if se is not None and low is not None and high is not None and USUAL_LENGTH * se < high - low < math.inf:
        return (high - low) / 4
    return se


def equal_p(p: float) -> str:
    """ "= 0.031", "< 0.0001"."""
    text = rounded_p(p)
    return text if text.startswith("<") else f"= {text}"


def rounded_p(p: float) -> str:
    """A p-value in a table: "0.031", "< 0.0001"."""
    if p < 1e-4:
        return "< 0.0001"
    return f"{p:.2g}" if p < 0.0995 else f"{p:.2f}"


def shown_p(p: float) -> str:
    """A p-value in a sentence: "p = 0.031", "p < 0.0001"."""
    return f"p {equal_p(p)}"


def p_between(limits: tuple[float, float]) -> str:
    """ "0.01 to 0.03"; one number where both are rounded to it."""
    return " to ".join(dict.fromkeys(map(rounded_p, limits)))


def shown_df(df: float | tuple[float, float] | None) -> str:
    """Degrees of freedom: "3", "3 and 39", or nothing."""
    if df is None:
        return ""
    return " and ".join(f"{v:.4g}" for v in (df if isinstance(df, tuple) else (df,)))


class Cells(NamedTuple):
    """An estimate in the cells of a table; blanks where nothing can be said."""

    value: str
    se: str
    limits: str  # of the interval
    mc_se: str


def cells(e: Estimate, level: float) -> Cells:
    """Rounded to the standard error, or to the Monte-Carlo error where there is no other."""
    row = e.row(level)
    scale = scale_of(e.se if e.se is not None else e.mc_se, row["low"], row["high"])
    mc_se = "" if e.mc_se is None else f"{e.mc_se:.1g}" if e.mc_se > ROUNDING * min(1.0, abs(e.value)) else "0"
    return Cells(shown(e.value, scale), shown(e.se, scale), between(row["low"], row["high"], scale), mc_se)


def how(e: Estimate, level: float, known: str = "") -> str:
    """The names of the standard error and of the interval; `known` is not repeated."""
    by = None if e.se is None else e.se_method
    return " ".join(name for name in (by, e.row(level)["interval"]) if name and name != known)


def with_interval(e: Estimate, level: float, named: str = "") -> str:
    """ "0.91 (0.85 to 0.95)", or with a name "0.91 (95 % CI 0.85 to 0.95)"; the value alone where there is no
    interval."""
    value, _, limits, _ = cells(e, level)
    return f"{value} ({f'{named} {limits}'.strip()})" if limits else value


def capitalized(words: str) -> str:
    """The first letter a capital, the others as they are."""
    return words[:1].upper() + words[1:]


def bare(name: str) -> str:
    """Without capitals, typographic signs and spaces: "LR−" is "lr-", "Miss rate" and "miss-rate" are "miss_rate".

    Names of one or two letters keep their capitals: "Se" is the TPF, while "se" is not a measure.
    """
    signs = {"−": "-", "–": "-", " ": "_", "’": "'", "ø": "o"}
    short = name.strip()
    plain = "".join(signs.get(c, c) for c in (short if len(short) <= 2 else short.casefold()))
    return re.sub(r"(?<=[^\W_])-(?=[^\W_])", "_", plain)


def same_metric(name: str, among: Sequence[str]) -> str | None:
    """The one of these names that means the same metric, the name itself first; None where there is none."""

    def own(n: str) -> str:
        return OTHER_NAMES.get(bare(n), bare(n))

    return name if name in among else next((other for other in among if own(other) == own(name)), None)


def spoken(metric: str) -> str:
    """The name of a metric inside a sentence: "AUC", "log loss", "error rate".

    >>> spoken("auc"), spoken("auc difference"), spoken("roc-auc"), spoken("log_loss"), titled("median_ae")
    ('AUC', 'AUC difference', 'ROC-AUC', 'log loss', 'Median absolute error')
    """
    if metric in WORDS:
        return WORDS[metric][1]
    if len(metric) <= MOST_LETTERS_OF_AN_ABBREVIATION:
        return metric.upper()
    return ABBREVIATION.sub(lambda found: found[0].upper(), metric.replace("_", " "))


def titled(metric: str) -> str:
    """The name of a metric at the beginning of a sentence."""
    if metric in WORDS:
        return WORDS[metric][0]
    return capitalized(spoken(metric))


def shortened(text: str, most: int) -> str:
    """At most so many characters; what is left out is "…"."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def counted(n: int, one: str, many: str = "") -> str:
    """ "1 case", "2 cases"; "1 case was", "2 cases were"."""
    return f"{n} {one if n == 1 else many or f'{one}s'}"


def listed(names: Iterable[str]) -> str:
    """ "a, b and c"."""
    words = [str(name) for name in names]
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def sentence(e: Estimate, level: float, name: str = "") -> str:
    """ "AUC 0.989 (95 % CI 0.977 to 0.995)."; called `name` where that is given."""
    name = name or titled(e.metric)
    name += ":" * (name[-1:].isdigit() and "=" in name)  # "TPF at FPF = 0.1: 0.62"
    return f"{name} {with_interval(e, level, f'{100 * level:g} % CI')}."


def with_model(name: str, model: str) -> str:
    """The name of a model and, in brackets, what it is; one of them where the other is not known or says no more.

    >>> with_model("xgb", "XGBClassifier(n_estimators=50)"), with_model("GaussianNB", "GaussianNB()")
    ('xgb (XGBClassifier(n_estimators=50))', 'GaussianNB()')
    """
    if not name or not model or name in (model, model.partition("(")[0], without_parameters(model).split(" → ")[-1]):
        return model or name
    return f"{name} ({model})"


MOST_OF_TITLE = 60  # letters of a model
INNERMOST = re.compile(r"(\w?)\([^()]*\)")


def headed(name: str, model: str) -> str:
    """`with_model` as a title; where that is long the name alone, or the steps of the model without their parameters,
    with the model in a second line.

    >>> print(headed("", "StandardScaler() → LogisticRegression(C=0.1, class_weight='balanced', max_iter=1000)"))
    StandardScaler → LogisticRegression
    StandardScaler() → LogisticRegression(C=0.1, class_weight='balanced', max_iter=1000)
    """
    whole = with_model(name, model)
    if len(whole) <= MOST_OF_TITLE or whole == name:
        return whole
    short = without_parameters(model) if whole == model else name
    return whole if short == model else f"{short}\n{model}"


def without_parameters(model: str) -> str:
    """The classes of the steps of a model.

    >>> without_parameters("(SimpleImputer() → StandardScaler() | OneHotEncoder()) → LogisticRegression(C=0.5)")
    'ColumnTransformer → LogisticRegression'
    """
    while (shorter := INNERMOST.sub(lambda found: found[1] or "ColumnTransformer", model)) != model:
        model = shorter
    return model


def said_costs(provenance: Mapping[str, object]) -> tuple[str, ...]:
    """What decisions cost, in a sentence; none where the result is not about costs."""
    return (f"Costs: {provenance['costs']}.",) if "costs" in provenance else ()


FIXED_RULES = (
    "the rules are fixed: neither was trained or tuned on these cases, nor is the result about other training sets."
)
INDEPENDENT_CASES = "the cases are independent draws from the population of interest."
INDEPENDENT_GROUPS = "the groups are independent draws; cases of one group may depend on each other in any way."
LARGE_CLASSES = (
    "each class has enough cases for a mean to be normal (10 per class sufficed in simulations; trueness help "
    "comparison)."
)


class Named(str):
    """A name with the words for it inside a sentence, which are the name itself by default, and its sources.

    Examples
    --------
    >>> loob = Named("loob", "the leave-one-out bootstrap", "efron_tibshirani_1997")
    >>> loob, loob.words, loob.sources
    ('loob', 'the leave-one-out bootstrap', ('efron_tibshirani_1997',))
    """

    words: str
    sources: tuple[str, ...]  # keys of report/references.bib

    def __new__(cls, name: str, words: str = "", *sources: str, **more: Any) -> Self:
        self = super().__new__(cls, name)
        self.__dict__.update(words=words or name, sources=sources, **more)
        return self

    def to_dict(self) -> Record:
        """The name, and what it carries."""
        return {"name": str(self), **vars(self)}

    @classmethod
    def from_dict(cls, kept: Record) -> Self:
        """What `to_dict` gave, read from a file."""
        self = str.__new__(cls, kept["name"])
        self.__dict__.update((key, value) for key, value in kept.items() if key != "name")
        return self

    def __reduce__(self) -> tuple[Any, ...]:  # so that it pickles and copies
        return type(self).from_dict, (self.to_dict(),)

    @classmethod
    def of(cls, name: str) -> Self:
        """A plain name has no words and no sources."""
        return name if isinstance(name, cls) else cls(name)


class StandardError(Named):
    """Which standard error it is. One with parts (`plus`) has their names, words and sources together.

    Examples
    --------
    >>> error = DELONG.plus(GROUPS_BY_CLASS)
    >>> error, error.words, error.sources
    ('delong, groups', "DeLong's standard error, groups as the independent units", ('delong_1988', 'obuchowski_1997'))
    """

    assumes: tuple[str, ...]  # sentences that continue "Assumes: ", for a test of a difference
    ignores_training: bool  # whether it is too small because training sets do not vary in it
    parts: tuple[str, ...]  # names

    def __new__(
        cls, name: str, words: str = "", *sources: str, assumes: tuple[str, ...] = (), ignores_training: bool = False
    ) -> Self:
        return super().__new__(
            cls, name, words, *sources, assumes=assumes, ignores_training=ignores_training, parts=(name,)
        )

    def plus(self, part: StandardError) -> StandardError:
        """With a part that is added to it, or a correction."""
        assumes = dict.fromkeys((*self.assumes, *part.assumes))
        if INDEPENDENT_GROUPS in assumes:
            assumes.pop(INDEPENDENT_CASES, None)
        out = StandardError(f"{self}, {part}", f"{self.words}, {part.words}", *self.sources, *part.sources)
        out.__dict__.update(
            assumes=tuple(assumes), ignores_training=self.ignores_training, parts=(*self.parts, *part.parts)
        )
        return out


class Estimand(StrEnum):
    """What an estimate is about, where something depends on it; elsewhere it is any sentence."""

    def __repr__(self) -> str:
        return repr(self.value)

    RULE = "this rule, trained on all cases"
    TRAINED = "the rule trained on the training part"
    FITTED = "this rule, as it was fitted"
    LEFT_OUT = "these left-out scores of several rules, on cases like these"
    N_CASES = "mean over training sets of n cases"
    FOLD_SETS = "mean over training sets of the folds, smaller than n"
    BOOTSTRAP_SETS = "mean over bootstrap training sets (about 63 % distinct cases)"
    # the same of a function of the table of truth and decision
    N_CASES_TABLE = "measure of the mean table over training sets of n cases"
    FOLD_TABLES = "measure of the mean table over training sets of the folds, smaller than n"
    BOOTSTRAP_TABLES = "measure of the mean table over bootstrap training sets (about 63 % distinct cases)"
    # the same of a function of means over cases, such as R²
    N_CASES_MEANS = "function of the means over cases and training sets of n cases"
    FOLD_MEANS = "function of the means over cases and training sets of the folds, smaller than n"
    BOOTSTRAP_MEANS = "function of the means over cases and bootstrap training sets (about 63 % distinct cases)"
    # the same of a metric of a set of scores
    N_CASES_SET = "metric of the pooled left-out scores of a repetition, mean over training sets of n cases"
    FOLD_SETS_SET = (
        "metric of the pooled left-out scores of a repetition, mean over training sets of the folds, smaller than n"
    )
    # the same of a functional of outcome and probability
    N_CASES_POOLED = "measure of the left-out probabilities, pooled over training sets of n cases"
    FOLD_POOLED = "measure of the left-out probabilities, pooled over training sets of the folds, smaller than n"
    BOOTSTRAP_POOLED = "measure of the left-out probabilities, pooled over bootstrap training sets"
    GIVEN = "given"  # a number that the user gave

    @property
    def of_bootstrap_sets(self) -> bool:
        """Whether it is about training sets that repeat cases, so that more cases change what is estimated."""
        return self in (
            Estimand.BOOTSTRAP_SETS,
            Estimand.BOOTSTRAP_TABLES,
            Estimand.BOOTSTRAP_MEANS,
            Estimand.BOOTSTRAP_POOLED,
        )


EMPIRICAL = Named("empirical", "the empirical curve")

# Standard errors that several rooms give; others stand in the file of their estimator.
OF_FIXED_RULES = (FIXED_RULES, INDEPENDENT_CASES, LARGE_CLASSES)
BINOMIAL = StandardError("binomial", "the binomial standard error", assumes=OF_FIXED_RULES)
BOOTSTRAP = StandardError("bootstrap", "the standard deviation over bootstrap resamples")
DELONG = StandardError("delong", "DeLong's standard error", "delong_1988", assumes=OF_FIXED_RULES)
DELTA = StandardError("delta", "the standard error of the delta method", assumes=OF_FIXED_RULES)
INFLUENCE = StandardError("influence", "the standard error of the influence function", "efron_tibshirani_1997")
JACKKNIFE = StandardError("jackknife", "the jackknife", "efron_1982", assumes=OF_FIXED_RULES)
NADEAU_BENGIO = StandardError(
    "nadeau-bengio",
    "Nadeau and Bengio's corrected standard error",
    "nadeau_bengio_2003",
    assumes=(
        INDEPENDENT_CASES,
        "two splits are correlated by n_test/n, a convention that works in practice and not a theorem.",
    ),
)
OF_A_MEAN = StandardError("mean", "the standard error of a mean", assumes=OF_FIXED_RULES)
SANDWICH = StandardError("delta", "the sandwich standard error", "huber_1967", assumes=OF_FIXED_RULES)
PAIRED = StandardError("paired", "the standard error of paired differences")
POSITIVES = StandardError("positives", "the binomial standard error of the positives", "boyd_2013")
# parts
CLASS_SIZES = StandardError("class sizes", "the variance of the class sizes added")
OF_GROUPS = "groups", "groups as the independent units"
GROUPS = StandardError(*OF_GROUPS, "rao_scott_1992", assumes=(INDEPENDENT_GROUPS,))  # of means and shares
GROUPED_SHARE = StandardError(
    "groups", f"the standard error of a share, {OF_GROUPS[1]}", "rao_scott_1992", assumes=(INDEPENDENT_GROUPS,)
)
GROUPS_BY_CLASS = StandardError(*OF_GROUPS, "obuchowski_1997", assumes=(INDEPENDENT_GROUPS,))  # of AUCs
HALF_ADDED = StandardError("½ added", "½ added to every cell")
