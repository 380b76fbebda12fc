"""What `trueness roc` is asked besides the area: rates at rates, a partial area, a threshold, a band."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trueness.cli.names import BANDS, CRITERIA
from trueness.errors import InputError, near
from trueness.metrics import canonical

if TYPE_CHECKING:
    from trueness.curves.bands import Band
    from trueness.curves.choice import Choice
    from trueness.curves.curve import RocCurve
    from trueness.result import Estimate, Interval, Note
    from trueness.typing import Record

RATES = ("sensitivity", "specificity", "tpf", "fpf")


@dataclass(frozen=True)
class Questions:
    """The options, checked before any file is read."""

    sensitivity_at: tuple[float, ...] = ()
    specificity_at: tuple[float, ...] = ()
    area: tuple[str, tuple[float, ...]] | None = None  # a rate and its range
    best: tuple[str, tuple[float, ...]] | None = None  # a criterion, or a rate and what it must be
    band: str | None = None
    seed: int | None = None

    @classmethod
    def of(
        cls,
        sensitivity_at: list[float] | None,
        specificity_at: list[float] | None,
        partial_auc: str | None,
        best: str | None,
        band: str | None,
        seed: int | None,
    ) -> Questions:
        """From the values of the options."""
        for param, values in (("sensitivity_at", sensitivity_at), ("specificity_at", specificity_at)):
            for value in values or ():
                if not 0 <= value <= 1:
                    raise InputError("A rate is a number from 0 to 1", param=param, got=value)
        if band is not None and band not in BANDS:
            raise InputError(
                f"There is no band {band!r}", param="band", fix=f"{near(band, BANDS)}Choose one of {', '.join(BANDS)}"
            )
        named = best is not None and (best in CRITERIA or (canonical(best) is not None and best not in RATES))
        chosen = None if best is None else (best, ()) if named else _rate("best", best, 1)
        area = None if partial_auc is None else _rate("partial_auc", partial_auc, 2)
        if area is not None and not area[1][0] < area[1][1]:
            raise InputError("The range must be given as low,high", param="partial_auc", got=partial_auc)
        return cls(tuple(sensitivity_at or ()), tuple(specificity_at or ()), area, chosen, band, seed)


def _rate(param: str, text: str, numbers: int) -> tuple[str, tuple[float, ...]]:
    """ "specificity=0.9,1" as its name and its numbers."""
    name, _, values = text.partition("=")
    example = {1: "sensitivity=0.9", 2: "specificity=0.9,1"}[numbers]
    fix = f"Use e.g. {example}; the rates are {', '.join(RATES)}"
    if name not in RATES:
        more = f", {' or '.join(CRITERIA)}" if param == "best" else ""
        raise InputError(f"{text!r} names no rate", param=param, fix=fix + more)
    try:
        found = tuple(float(part) for part in values.split(","))
    except ValueError:
        found = ()
    if len(found) != numbers or not all(0 <= value <= 1 for value in found):
        what = "a number" if numbers == 1 else "two numbers"
        raise InputError(f"{name} needs {what} from 0 to 1", param=param, got=repr(text), fix=fix)
    return name, found


@dataclass(frozen=True)
class Answers:
    """What one curve answers."""

    asked: dict[str, tuple[Estimate, bool]] = field(default_factory=dict)  # by words; True: 1 − the estimate is asked
    choice: Choice | None = None
    band: Band | None = None
    level: float = 0.95

    @classmethod
    def to(cls, q: Questions, curve: RocCurve, level: float) -> Answers:
        """The answers of this curve."""
        asked = {f"sensitivity at specificity {x:g}": (curve.tpf_at(1 - x), False) for x in q.sensitivity_at}
        asked |= {f"specificity at sensitivity {x:g}": (curve.fpf_at(x), True) for x in q.specificity_at}
        if q.area is not None:
            over = _on_axis(*q.area)
            low, high = q.area[1]
            words = f"partial AUC, {q.area[0]} {low:g} to {high:g} (at most {high - low:g})"
            asked[words] = (curve.partial_auc(fpf=over.get("fpf"), tpf=over.get("tpf")), False)  # type: ignore[arg-type]
        choice = None
        if q.best is not None and not q.best[1]:
            choice = curve.best(q.best[0], rng=q.seed)
        elif q.best is not None:
            ((axis, (wanted,)),) = _on_axis(*q.best).items()
            choice = curve.best(tpf=wanted, rng=q.seed) if axis == "tpf" else curve.best(fpf=wanted, rng=q.seed)
        band = None if q.band is None else curve.band(level, q.band, rng=q.seed)  # type: ignore[arg-type]
        return cls(asked, choice, band, level)

    @property
    def notes(self) -> list[Note]:
        found = [note for e, _ in self.asked.values() for note in e.notes if note.code != "groups"]
        found += self.choice.notes if self.choice is not None else ()
        found += self.band.notes if self.band is not None else ()
        return list(dict.fromkeys(found))

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Words, value, standard error and interval, for the table."""
        from trueness.result.digits import between, shown

        rows = []
        for row in self.to_dicts():
            low, high, se = row["low"], row["high"], row["se"]
            if se is None and low is not None and 0 < high - low < math.inf:
                scale = (high - low) / 4  # about a standard error, for as many digits as its neighbours have
            else:
                scale = se
            value = shown(row["value"], scale) if scale is not None else f"{row['value']:.4g}"
            rows.append((row["asked"], value, shown(se, se), between(low, high, scale)))
        return rows

    def to_dicts(self) -> list[Record]:
        """`asked`, `value`, `se`, `low`, `high` of every answer."""
        out = []
        for words, (e, turned) in self.asked.items():
            interval = e.ci(self.level) if e.has_interval else None
            value = 1 - e.value if turned else e.value
            out.append({"asked": words, "value": value, "se": e.se, **_limits(interval, turned)})
        if self.choice is not None:
            c = self.choice
            asked = (("threshold", c.threshold), ("sensitivity", c.tpf), ("specificity", 1 - c.fpf))
            for words, value in asked:
                named = f"{words}: {c.criterion}" if words == "threshold" else f"{words} at this threshold"
                out.append({"asked": named, "value": value, "se": None, **_limits(c.ci(words, self.level), False)})
        return out


def _on_axis(name: str, values: tuple[float, ...]) -> dict[str, tuple[float, ...]]:
    """A rate on an axis of the curve: specificity 0.9 to 1 is FPF 0 to 0.1."""
    from trueness.curves.common import RATE_NAMES

    axis, turned = RATE_NAMES[name]
    return {axis: tuple(sorted(1 - value for value in values)) if turned else values}


def _limits(interval: Interval | None, turned: bool) -> dict[str, float | None]:
    if interval is None:
        return {"low": None, "high": None}
    low, high = interval
    return {"low": 1 - high, "high": 1 - low} if turned else {"low": low, "high": high}
