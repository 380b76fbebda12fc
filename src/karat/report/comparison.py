"""The page of a comparison: verdict, tables, forest plot, assumptions. One file, no script, no network."""

from __future__ import annotations

from html import escape

from karat.plots.forest import ForestDisplay
from karat.result.comparison import Comparison
from karat.result.table import Table, html_table, label

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 52rem; padding: 0 1rem; color: #1b1b1b; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
.verdict { background: #f2f5f9; border-left: 4px solid #2b5c8a; padding: .8rem 1rem; font-size: 1.1rem; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .25rem .9rem .25rem 0; }
th { border-bottom: 1px solid #999; font-weight: 600; } td { border-bottom: 1px solid #eee; }
svg text { font: 13px system-ui, sans-serif; } .small { color: #555; font-size: .9rem; }
"""


def comparison_page(k: Comparison) -> str:
    """The whole page as HTML; every name and sentence is escaped."""
    models, pairs = map(html_table, k.page().tables)
    names = escape(", ".join(k.estimates))
    assumptions = list(dict.fromkeys(a for t in k.tests.values() for a in t.assumptions))
    notes = [f"{label(n)}: {n}" for n in k.notes]
    made = f"karat; design {k.provenance.get('fingerprint', '')}, seed {k.provenance.get('seed', '')}"
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Comparison of {names}</title><style>{STYLE}</style></head><body>
<h1>Comparison of {names}</h1>
<p class="verdict">{escape(k.verdict)}</p>
<p class="small">{escape(str(k.provenance.get("design", "")))}</p>
<h2>Models</h2>{models}
<h2>Differences</h2>{pairs}
{forest_svg(ForestDisplay.of(k))}
{_standard_errors(k)}
<h2>Assumptions</h2>{_list(assumptions) or "<p>No test: these differences have no standard error.</p>"}
{f"<h2>Notes</h2>{_list(notes)}" if notes else ""}
<p class="small">{escape(made)}</p>
</body></html>
"""


def _list(sentences: list[str]) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def _standard_errors(k: Comparison) -> str:
    """The other standard errors, where there are any."""
    if not any(k.other_se.values()):
        return ""
    rows = []
    for pair, others in k.other_se.items():
        d = k.differences[pair]
        for name, value in {str(d.se_method): d.se, **others}.items():
            rows.append((" − ".join(pair), name, "" if value is None else f"{value:.4f}"))
    return (
        f"<h2>Standard errors</h2>{html_table(Table.of(('difference', 'standard error', 'value'), rows))}"
        '<p class="small">The first one is used. The influence function counts interactions of cases more than once '
        "and is usually too large for a difference.</p>"
    )


def forest_svg(display: ForestDisplay, width: int = 720) -> str:
    """The forest plot as SVG text, without matplotlib."""
    rows = display.frame()
    known: list[float] = [0.0, *rows[["value", "low", "high"]].stack().dropna().tolist()]
    span = max(max(known) - min(known), 1e-9)
    low, high = float(min(known) - 0.08 * span), float(max(known) + 0.08 * span)
    left = 16 + 8 * max(len(name) for name in rows["label"])
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
    for i, row in enumerate(rows.to_dict("records")):
        y = top + line * (i + 0.5)
        parts.append(f'<text x="{left - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(row["label"])}</text>')
        if row["low"] == row["low"]:
            parts.append(f'<path d="M{x(row["low"]):.1f} {y}H{x(row["high"]):.1f}" stroke="#2b5c8a" stroke-width="2"/>')
        parts.append(f'<rect x="{x(row["value"]) - 4:.1f}" y="{y - 4}" width="8" height="8" fill="#2b5c8a"/>')
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
