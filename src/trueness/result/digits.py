"""Numbers in words: two significant digits of the standard error, and the value to the same place."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trueness.result.estimate import Estimate

# names of metrics; every metric writes its own here (trueness.metrics.metric)
WORDS: dict[str, tuple[str, str]] = {}  # name → before a value; inside a sentence. Others follow the rule of `spoken`
OTHER_NAMES: dict[str, str] = {}  # other name → name, of the metrics that were used

MOST_LETTERS_OF_AN_ABBREVIATION = 3

ROUNDING = 1e-10  # a standard error below this is 0 but for rounding
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
    """ "0.71 to 0.93", rounded to the standard error; a blank where there is no interval."""
    return "" if low is None or high is None else f"{shown(low, se)} to {shown(high, se)}"


class Cells(NamedTuple):
    """An estimate in the cells of a table; blanks where nothing can be said."""

    value: str
    se: str
    limits: str  # of the interval
    mc_se: str


def cells(e: Estimate, level: float) -> Cells:
    """Rounded to the standard error, or to the Monte-Carlo error where there is no other."""
    row = e.row(level)
    scale = e.se if e.se is not None else e.mc_se
    mc_se = "" if e.mc_se is None else f"{e.mc_se:.1g}" if e.mc_se > ROUNDING else "0"
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
    """Without capitals, typographic signs and spaces: "LR−" is "lr-", "Miss rate" is "miss_rate".

    Names of one or two letters keep their capitals: "Se" is the TPF, while "se" is not a measure.
    """
    signs = {"−": "-", "–": "-", " ": "_", "’": "'", "ø": "o"}
    short = name.strip()
    return "".join(signs.get(c, c) for c in (short if len(short) <= 2 else short.casefold()))


def same_metric(name: str, among: Sequence[str]) -> str | None:
    """The one of these names that means the same metric, the name itself first; None where there is none."""

    def own(n: str) -> str:
        return OTHER_NAMES.get(bare(n), bare(n))

    return name if name in among else next((other for other in among if own(other) == own(name)), None)


def spoken(metric: str) -> str:
    """The name of a metric inside a sentence: "AUC", "log loss", "error rate"."""
    if metric in WORDS:
        return WORDS[metric][1]
    return metric.upper() if len(metric) <= MOST_LETTERS_OF_AN_ABBREVIATION else metric.replace("_", " ")


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


def sentence(e: Estimate, level: float, name: str = "") -> str:
    """ "AUC 0.989 (95 % CI 0.977 to 0.995)."; called `name` where that is given."""
    name = name or titled(e.metric)
    name += ":" if name[-1:].isdigit() and "=" in name else ""  # "TPF at FPF = 0.1: 0.62"
    if not e.has_interval:
        return f"{name} {shown(e.value, e.mc_se)}."
    low, high = e.ci(level)
    return f"{name} {shown(e.value, e.se)} ({100 * level:g} % CI {between(low, high, e.se)})."
