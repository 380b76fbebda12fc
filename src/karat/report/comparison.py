"""The page of a comparison: verdict, tables, forest plot, assumptions. One file, no script, no network."""

from __future__ import annotations

from html import escape

import pandas as pd

from karat.plots.forest import ForestDisplay
from karat.result.comparison import Comparison

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 52rem; padding: 0 1rem; color: #1b1b1b; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
.verdict { background: #f2f5f9; border-left: 4px solid #2b5c8a; padding: .8rem 1rem; font-size: 1.1rem; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .25rem .9rem .25rem 0; }
th { border-bottom: 1px solid #999; font-weight: 600; } td { border-bottom: 1px solid #eee; }
svg text { font: 13px system-ui, sans-serif; } .small { color: #555; font-size: .9rem; }
"""


def comparison_page(k: Comparison) -> str:
    """The whole page as text."""
    (models, pairs), (names, gaps) = k.rows(), k.heads()
    notes = "".join(f"<li>{escape(n)}</li>" for n in k.notes)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Comparison of {escape(", ".join(k.estimates))}</title><style>{STYLE}</style></head><body>
<h1>Is one of {escape(", ".join(k.estimates))} better?</h1>
<p class="verdict">{escape(k.verdict)}</p>
<p class="small">{escape(str(k.provenance.get("design", "")))}</p>
<h2>Models</h2>{_table(names, models)}
<h2>Differences</h2>{_table(gaps, pairs)}
{forest_svg(ForestDisplay.of(k))}
{_beside(k)}
<h2>What is taken for granted</h2>{_assumptions(k)}
{f"<h2>Notes</h2><ul>{notes}</ul>" if notes else ""}
<p class="small">karat; design {escape(str(k.provenance.get("fingerprint", "")))}, seed
{escape(str(k.provenance.get("seed", "")))}</p>
</body></html>
"""


def _table(heads: dict[str, str], rows: list[dict[str, str]]) -> str:
    head = "".join(f"<th>{escape(h)}</th>" for h in heads.values())
    body = "".join("<tr>" + "".join(f"<td>{escape(row[k])}</td>" for k in heads) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _beside(k: Comparison) -> str:
    """The other standard errors, where there are any."""
    rows = []
    for pair, others in k.other_se.items():
        d = k.differences[pair]
        for name, value in {str(d.se_method): d.se, **others}.items():
            rows.append({"pair": " − ".join(pair), "name": name, "se": "" if value is None else f"{value:.4f}"})
    if not any(k.other_se.values()):
        return ""
    return (
        "<h2>Standard errors of the difference</h2>"
        + _table({"pair": "difference", "name": "standard error", "se": "value"}, rows)
        + '<p class="small">The first is the one that is used. The influence function counts interactions of cases '
        "more than once and is too large for a difference as a rule.</p>"
    )


def _assumptions(k: Comparison) -> str:
    said = dict.fromkeys(a for t in k.tests.values() for a in t.assumptions)
    if not said:
        return "<p>No test was made: no standard error of these differences can be defended.</p>"
    return "<ul>" + "".join(f"<li>{escape(a)}</li>" for a in said) + "</ul>"


def forest_svg(display: ForestDisplay, width: int = 720) -> str:
    """The forest plot as SVG text."""
    rows = display.frame()
    ends = pd.concat([rows["value"], rows["low"], rows["high"], pd.Series([0.0])]).dropna()
    span = max(float(ends.max() - ends.min()), 1e-9)
    low, high = float(ends.min()) - 0.08 * span, float(ends.max()) + 0.08 * span
    left = 16 + 8 * max(len(label) for label in rows["label"])
    width = max(width, left + 440)  # room for the axis and its name beside long names of models
    line, top = 30, 14
    bottom = top + line * len(rows)

    def x(value: float) -> float:
        return left + (value - low) / (high - low) * (width - left - 20)

    parts = []
    if display.margin is not None:
        a, b = (x(min(max(v, low), high)) for v in (-display.margin, display.margin))
        parts.append(f'<rect x="{a:.1f}" y="{top}" width="{b - a:.1f}" height="{bottom - top}" fill="#eef1f4"/>')
    parts.append(f'<path d="M{x(0):.1f} {top}V{bottom}" stroke="#999" stroke-dasharray="4 3"/>')
    for i, row in enumerate(rows.itertuples()):
        y = top + line * (i + 0.5)
        parts.append(f'<text x="{left - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(row.label)}</text>')
        if row.low == row.low:
            parts.append(f'<path d="M{x(row.low):.1f} {y}H{x(row.high):.1f}" stroke="#2b5c8a" stroke-width="2"/>')
        parts.append(f'<rect x="{x(row.value) - 4:.1f}" y="{y - 4}" width="8" height="8" fill="#2b5c8a"/>')
    parts.append(f'<path d="M{left} {bottom}H{width - 20}" stroke="#333"/>')
    for tick in _ticks(low, high):
        parts.append(f'<path d="M{x(tick):.1f} {bottom}v5" stroke="#333"/>')
        parts.append(f'<text x="{x(tick):.1f}" y="{bottom + 20}" text-anchor="middle">{tick:g}</text>')
    name = escape(f"{display.name}, {display.interval}")
    parts.append(f'<text x="{(left + width - 20) / 2:.1f}" y="{bottom + 40}" text-anchor="middle">{name}</text>')
    return (
        f'<svg viewBox="0 0 {width} {bottom + 50}" width="100%" role="img" aria-label="{name}">{"".join(parts)}</svg>'
    )


def _ticks(low: float, high: float) -> list[float]:
    """About five round numbers within the limits."""
    raw = (high - low) / 5
    power = 10.0 ** int(f"{raw:e}".split("e")[1])
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= raw)
    first = -int(-low // step) if low < 0 else int(low // step) + 1
    return [round(k * step, 12) for k in range(first, int(high // step) + 1) if low <= k * step <= high]
