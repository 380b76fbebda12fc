"""Comparison: two or more models on one design, every pair, and the verdict in one sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from karat.errors import InputError
from karat.result.digits import places, shown
from karat.result.estimate import Estimate
from karat.result.test_result import TestResult, shown_p

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `karat.compare` returns.

    Attributes
    ----------
    verdict
        One sentence about two models; of several, about the best and the next.
    estimates
        Each model's own Estimate.
    differences
        first − second of every pair.
    tests
        The TestResult of every pair that can be tested, not adjusted.
    adjusted
        Holm-adjusted p-value of those pairs.
    other_se
        Of every pair, the standard errors beside the one that was used.
    higher_is_better
        None where nobody has said it of the metric.
    pair
        The pair that `difference`, `p_value` and `verdict` are about.
    """

    verdict: str
    metric: str
    method: str
    higher_is_better: bool | None
    estimates: Mapping[str, Estimate]
    differences: Mapping[Pair, Estimate]
    tests: Mapping[Pair, TestResult]
    adjusted: Mapping[Pair, float]
    other_se: Mapping[Pair, Mapping[str, float]]
    pair: Pair
    level: float = 0.95
    margin: float | None = None
    notes: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    fits: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def difference(self) -> Estimate:
        """first − second of `pair`, in the order given: of two models, or of several the two that come first."""
        return self.differences[self.pair]

    @property
    def p_value(self) -> float | None:
        """Of that difference, Holm-adjusted where there are several pairs; None where no test can be made."""
        return self.adjusted.get(self.pair)

    def __getitem__(self, pair: Pair) -> Estimate:
        if pair in self.differences:
            return self.differences[pair]
        if isinstance(pair, tuple) and pair[::-1] in self.differences:
            d = self.differences[pair[::-1]]
            influence = None if d.influence is None else -d.influence
            return d.with_(value=-d.value, influence=influence)
        raise InputError("there is no such pair", got=repr(pair), fix=f"Models: {', '.join(self.estimates)}")

    def table(self, level: float | None = None) -> pd.DataFrame:
        """A row a pair: difference with se and interval, p-values, and the other standard errors beside.

        low, high and p_value are of each pair for itself; p_holm is adjusted for all pairs.
        """
        rows = []
        for pair, d in self.differences.items():
            low, high, interval = d._limits(level or self.level)
            test = self.tests.get(pair)
            rows.append(
                {
                    "first": pair[0],
                    "second": pair[1],
                    "difference": d.value,
                    "se": d.se,
                    "low": low,
                    "high": high,
                    "p_value": None if test is None else test.p_value,
                    "p_holm": self.adjusted.get(pair),
                    "df": d.df,
                    "se_method": d.se_method,
                    "interval": interval,
                    "mc_se": d.mc_se,
                    **{f"se_{k.replace('-', '_')}": v for k, v in self.other_se.get(pair, {}).items()},
                    "notes": " ".join(d.notes),
                }
            )
        return pd.DataFrame(rows)

    def models(self, level: float | None = None) -> pd.DataFrame:
        """A row a model, best first."""
        rows = [{"model": name, **self.estimates[name].row(level or self.level)} for name in self.ranking()]
        return pd.DataFrame(rows)

    def ranking(self) -> list[str]:
        """Models, best first; highest first where nobody has said which is better."""
        sign = 1 if self.higher_is_better is False else -1
        return sorted(self.estimates, key=lambda name: sign * self.estimates[name].value)

    @property
    def extreme(self) -> str:
        """What the first of `ranking` has."""
        return "highest" if self.higher_is_better is None else "best"

    def to_dict(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "metric": self.metric,
            "method": self.method,
            "level": self.level,
            "margin": self.margin,
            "models": {name: e.to_dict(self.level) for name, e in self.estimates.items()},
            "pairs": [
                {
                    "first": pair[0],
                    "second": pair[1],
                    "difference": d.to_dict(self.level),
                    "test": self.tests[pair].to_dict() if pair in self.tests else None,
                    "p_holm": self.adjusted.get(pair),
                    "other_se": dict(self.other_se.get(pair, {})),
                }
                for pair, d in self.differences.items()
            ],
            "notes": list(self.notes),
            "provenance": dict(self.provenance),
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text, written to `path` where one is given."""
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def report(self, path: str | Path) -> Path:
        """A page of its own: verdict, tables, forest plot, assumptions."""
        from karat.report.comparison import comparison_page

        out = Path(path)
        out.write_text(comparison_page(self), encoding="utf-8")
        return out

    def plot(self, ax: Any = None) -> Any:
        """The forest plot of the differences."""
        from karat.plots.forest import ForestDisplay

        return ForestDisplay.of(self).plot(ax)

    def rows(self) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
        """Models and pairs as text, digits where the standard errors say."""
        models = [{"model": n, **_shown(self.estimates[n], self.level)} for n in self.ranking()]
        pairs = []
        for pair, d in self.differences.items():
            p = self.adjusted.get(pair)
            pairs.append(
                {
                    "difference": f"{pair[0]} − {pair[1]}",
                    **_shown(d, self.level),
                    "p": "" if p is None else shown_p(p).removeprefix("p ").removeprefix("= "),
                    "how": d.se_method or "",
                }
            )
        return models, pairs

    def heads(self) -> tuple[dict[str, str], dict[str, str]]:
        """Heads of the columns of `rows`; of several pairs the p-values are adjusted and the intervals are not."""
        several = len(self.differences) > 1
        heads = {"value": f"{self.metric} {self.method}", "se": "se", "limits": f"{self.level:.0%} interval"}
        pairs = {**heads, "limits": f"{heads['limits']}{' per pair' if several else ''}"}
        p = {"p": "p (Holm)" if several else "p", "how": "standard error"}
        return {"model": "model", **heads}, {"difference": "difference", **pairs, **p}

    def __str__(self) -> str:
        models, pairs = self.rows()
        head, pair_head = self.heads()
        lines = [self.verdict, "", str(self.provenance.get("design", "")), ""]
        lines += [*_columns([head, *models]), "", *_columns([pair_head, *pairs])]
        return "\n".join([*lines, *(f"Note: {n}" for n in self.notes)])

    def _repr_html_(self) -> str:
        def table(heads: dict[str, str], rows: list[dict[str, str]]) -> str:
            head = "".join(f"<th>{escape(h)}</th>" for h in heads.values())
            body = "".join("<tr>" + "".join(f"<td>{escape(v)}</td>" for v in row.values()) + "</tr>" for row in rows)
            return f"<table><tr>{head}</tr>{body}</table>"

        tables = "".join(table(*both) for both in zip(self.heads(), self.rows(), strict=True))
        return f"<p><b>{escape(self.verdict)}</b></p>{tables}"


def _shown(e: Estimate, level: float) -> dict[str, str]:
    low, high, _ = e._limits(level)
    digits = places(e.se if e.se is not None else e.mc_se)
    limits = "" if low is None or high is None else f"{low:.{digits}f} to {high:.{digits}f}"
    return {"value": f"{e.value:.{digits}f}", "se": shown(e.se, e.se), "limits": limits}


def _columns(rows: list[dict[str, str]]) -> list[str]:
    widths = {k: max(len(r[k]) for r in rows) for k in rows[0]}
    lines = ["  ".join(r[k].ljust(widths[k]) for k in widths).rstrip() for r in rows]
    return [lines[0], "  ".join("─" * w for w in widths.values()), *lines[1:]]
