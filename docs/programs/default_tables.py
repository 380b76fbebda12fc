"""The tables of docs/appendix/default-interval.md and docs/how-many-fits.md, from what `default_interval.py` has kept.

python docs/programs/default_tables.py            # prints all
python docs/programs/default_tables.py --write    # puts them into the pages, between their marks
"""

from __future__ import annotations

import argparse
import math
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from default_interval import COLUMNS, LEVELS, RESULTS, SLOWEST, one_by_one, path_of
from default_settings import EVERY, FAMILIES, LADDER, SIGN, Setting
from scipy.stats import norm

METHODS = ("default", "former", "corrected t")
LIMITS = (2, 4, 6)  # first column of the limits of each method
VALID, VALID_OF_OUTLIERS, LEVEL = 0.93, 0.90, 0.05
FEWEST = 8  # samples for an SD of the values
LISTED = 15  # samples of a question that is listed by itself
Kind = tuple[str, Callable[["Question"], bool]]
KINDS: tuple[Kind, ...] = (("single", lambda q: q.q < 4), ("differences", lambda q: q.q > 3))


@dataclass(frozen=True, eq=False)
class Question:
    """One question in one setting; shares are over (methods,)."""

    setting: Setting
    q: int
    truth: float
    found: np.ndarray  # (samples, columns)

    @property
    def name(self) -> str:
        return f"{self.setting.name}, {what(self.setting, self.q)}"

    @property
    def null(self) -> bool:
        return self.setting.null and self.q > 3

    @property
    def outliers(self) -> bool:
        return any(self.setting in FAMILIES[name] for name in FAMILIES if "outliers" in name)

    def column(self, name: str) -> np.ndarray:
        return self.found[:, COLUMNS.index(name)]

    def limits(self, method: int) -> tuple[np.ndarray, np.ndarray]:
        low, high = self.found[:, LIMITS[method] : LIMITS[method] + 2].T
        return low[~np.isnan(low)], high[~np.isnan(low)]

    def missed(self, method: int) -> np.ndarray:
        """Number of intervals, those that end below the truth, and those that begin above it."""
        low, high = self.limits(method)
        return np.array([len(low), (high < self.truth).sum(), (low > self.truth).sum()])

    def covered(self, method: int = 0) -> float:
        n, below, above = self.missed(method)
        return 1 - (below + above) / n if n else math.nan

    @property
    def ideal(self) -> float:
        """± 1.96 SD of the value over samples."""
        value = self.column("value")
        return 3.92 * float(np.nanstd(value, ddof=1)) if np.count_nonzero(~np.isnan(value)) >= FEWEST else math.nan

    def width(self, method: int) -> float:
        """Median width against the ideal."""
        low, high = self.limits(method)
        return float(np.median(high - low)) / self.ideal if len(low) and self.ideal > 0 else math.nan


def what(s: Setting, q: int) -> str:
    return f"{s.metrics[q % 2]} of {' − '.join(s.learners) if q > 3 else s.learners[q // 2]}"


def questions(settings: Iterable[Setting], out: Path) -> list[Question]:
    """Of the settings that were run; those without an interval are left out."""
    every = []
    for s in settings:
        if not path_of(s, out).exists():
            continue
        with np.load(path_of(s, out)) as kept:
            truth, found = kept["truth"][0], kept["found"].astype(float)
        for q in range(6):
            if not np.isnan(found[:, q, 0]).all():
                every.append(Question(s, q, 0.0 if s.null and q > 3 else float(truth[q]), found[:, q]))
    return every


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """As Markdown."""
    names = list(head)
    lines = [names, ["---"] * len(names), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def share(value: float, digits: int = 3) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def by_method(some: list[Question], method: int) -> list[str]:
    """Coverage with the misses on each side, and median width against the ideal."""
    n, below, above = np.sum([q.missed(method) for q in some], axis=0)
    if not n:
        return ["–", "–"]
    widths = [q.width(method) for q in some]
    width = np.nanmedian(widths) if not np.isnan(widths).all() else math.nan
    return [f"{1 - (below + above) / n:.3f} ({below / n:.3f}, {above / n:.3f})", share(width, 2)]


def family_row(name: str, some: list[Question]) -> list[str]:
    sizes = [len(q.found) for q in some]
    noise = np.concatenate([q.column("se_mc_se") / q.column("se") for q in some])
    return [
        name,
        f"{len(some)}",
        f"{min(sizes)} to {max(sizes)}",
        *(cell for m in (1, 0, 2) for cell in by_method(some, m)),
        share(float(np.nanmean(np.concatenate([q.column("noted") for q in some]))), 2),
        "–" if np.isnan(noise).all() else f"{100 * np.nanmedian(noise):.0f} %",
    ]


def families(out: Path) -> str:
    """The one table."""
    rows = []
    every = {name: questions(settings, out) for name, settings in FAMILIES.items()}
    for name, asked in every.items():
        for kind, of in KINDS:
            if some := [q for q in asked if of(q) and not q.null]:
                rows.append(family_row(f"{name}, {kind}", some))
    for name, of in (("without outliers", False), ("with outliers and t2", True)):
        if some := [q for asked in every.values() for q in asked if q.null and q.outliers == of]:
            rows.append(family_row(f"true nulls {name}", some))
    head = ["family", "questions", "samples"]
    for name in ("former", "default", "corrected t"):
        head += [f"{name} covers (too low, too high)", "width"]
    return table([*head, "noted", "SD over seeds, as reported"], rows)


IN_SHORT = {
    "ordinary data": ("ordinary settings", "fresh", "new, chosen by", "new, held back"),
    "rules that find a structure or miss it (exclusive-or)": ("exclusive-or",),
    "groups that hold both classes": ("sites", "sites, held back", "mixed groups, rare class"),
    "average precision, TPF at an FPF": ("average precision, TPF at FPF .1",),
    "log loss, Brier score, F1, a selected feature": ("other metrics, selected features",),
    "gross outliers, features with infinite variance": ("gross outliers and t2", "gross outliers and t2, held back"),
}


def in_short(out: Path) -> str:
    """The table of docs/default-interval.md."""
    rows, nulls = [], []
    for name, parts in IN_SHORT.items():
        asked = [q for part in parts for q in questions(FAMILIES[part], out)]
        nulls += [q for q in asked if q.null]
        cells: list[object] = []
        for method in (0, 2):
            for _, of in KINDS:
                n, below, above = np.sum([q.missed(method) for q in asked if of(q) and not q.null], axis=0)
                cells.append(share(1 - (below + above) / n))
        some = [q for q in asked if not q.null]
        low = sum(q.covered() < (VALID_OF_OUTLIERS if q.outliers else VALID) - 1e-9 for q in some)
        width = float(np.nanmedian([q.width(0) for q in some if q.q < 4]))
        rows.append(
            [name, sum(len(q.found) for q in asked), *cells[:2], share(width, 2), f"{low} of {len(some)}", *cells[2:]]
        )
    for name, of in (("equal rules", False), ("equal rules, with outliers", True)):
        some = [q for q in nulls if q.outliers == of]
        found = [np.sum([q.missed(m) for q in some], axis=0) for m in (0, 2)]
        shares = [share(1 - (x[1] + x[2]) / x[0]) for x in found]
        low = sum(q.covered() < (VALID_OF_OUTLIERS if of else VALID) - 1e-9 for q in some)
        rows.append([name, sum(len(q.found) for q in some), "", shares[0], "", f"{low} of {len(some)}", "", shares[1]])
    head = ["data", "intervals", "single numbers", "differences", "width, single", "low questions"]
    return table([*head, "corrected t, single", "corrected t, differences"], rows)


def low_ones(out: Path) -> str:
    """Questions below what is asked for, and whether simulation error alone may explain it."""
    rows = []
    for q in questions(EVERY.values(), out):
        asked = VALID_OF_OUTLIERS if q.outliers else VALID
        n, below, above = q.missed(0)
        if n >= LISTED and q.covered() < asked - 1e-9:
            sure = q.covered() < asked - 2 * math.sqrt(asked * (1 - asked) / n)
            rows.append(
                (q.covered(), [q.name, n, below, above, share(q.covered()), share(q.width(0), 2), sure and "yes"])
            )
    rows = [[*cells[:-1], cells[-1] or ""] for _, cells in sorted(rows, key=lambda row: row[0])]
    return table(["question", "samples", "too low", "too high", "covers", "width", "by more than 2 SD"], rows)


def rejections(out: Path) -> str:
    """Of true nulls at the level .05."""
    nulls = [q for q in questions(EVERY.values(), out) if q.null]
    rows = [
        [q.setting.name, q.setting.metrics[q.q % 2], len(q.found), *(share(1 - q.covered(m)) for m in (1, 0, 2))]
        for q in nulls
    ]
    for name, of in (("all without outliers", False), ("all with outliers and t2", True)):
        some = [q for q in nulls if q.outliers == of]
        if some:
            totals = [np.sum([q.missed(m) for q in some], axis=0) for m in (1, 0, 2)]
            rows.append(
                [name, "", int(totals[0][0]), *(share((t[1] + t[2]) / t[0] if t[0] else math.nan) for t in totals)]
            )
    return table(["null", "metric", "samples", "former", "default", "corrected t"], rows)


def power(out: Path) -> str:
    """Of differences with groups, beside that of a z-test that knows the SD."""
    rows = []
    for q in questions(EVERY.values(), out):
        if q.q < 4 or q.null or (q.setting.sites is None and q.setting.groups == 1) or math.isnan(q.ideal):
            continue
        ratio = abs(q.truth) / (q.ideal / 3.92)
        formula = norm.cdf(ratio - 1.96) + norm.cdf(-ratio - 1.96)
        shares = [np.mean((low > 0) | (high < 0)) if len(low) else math.nan for low, high in map(q.limits, (1, 0, 2))]
        rows.append([q.name, len(q.found), f"{q.truth:+.3f}", f"{q.ideal / 3.92:.3f}", share(formula, 2)])
        rows[-1] += [share(float(s), 2) for s in (*shares, found_without_floor(q))]
    head = ["difference", "samples", "truth", "SD", "z-test with this SD", "former", "default", "corrected t"]
    return table([*head, "default without its floor"], rows)


def found_without_floor(q: Question) -> float:
    """The power of the default if its standard error were that of the terms alone."""
    value, se, low, high = (q.column(name) for name in ("value", "se", "low", "high"))
    terms = FORMS["max(NB, b + t, 0.9h)"](
        *(q.column(name) for name in ("nadeau_bengio", "test", "training", "covariance", "first order"))
    )
    factor = np.sqrt(terms) / se
    known = ~np.isnan(factor)
    down, up = value - (value - low) * factor, value + (high - value) * factor
    return float(np.mean((down > 0)[known] | (up < 0)[known])) if known.any() else math.nan


def signs(out: Path) -> str:
    """How often the wrong one of two rules is called better."""
    rows = []
    for q in questions(SIGN, out):
        if q.q > 3:
            low, high = q.limits(0)
            wrong = np.mean(low > 0) if q.truth < 0 else np.mean(high < 0)
            rows.append([q.name, len(q.found), f"{q.truth:+.3f}", share(float(wrong))])
    return table(["difference", "samples", "truth", "called better wrongly"], rows)


def sites(out: Path) -> str:
    """AUCs of sites that hold both classes, beside the truth for new sites."""
    rows = []
    for q in questions(EVERY.values(), out):
        if q.setting.sites is not None and q.q in (1, 3):
            means = [share(float(np.nanmean(q.column(name)))) for name in ("value", "within", "all pairs")]
            rows.append([q.name, len(q.found), share(q.truth), *means, share(q.covered(), 2), share(q.width(0), 2)])
    head = ["AUC", "samples", "truth for new sites", "between sites", "within", "all pairs", "covers", "width"]
    return table(head, rows)


def by_setting(out: Path) -> str:
    """Coverage of the default, question by question."""
    rows = []
    for family, settings in FAMILIES.items():
        for s in settings:
            cells = {q.q: q.covered() for q in questions([s], out)}
            if cells:
                n = len(questions([s], out)[0].found)
                rows.append([s.name, family, n, *(share(cells.get(q, math.nan), 2) for q in range(6))])
    head = ["setting", "family", "samples", "first A", "second A", "first B", "second B", "first A − B", "second A − B"]
    return table(head, rows)


def spread_of(gaps: np.ndarray) -> float:
    """The SD of one of two draws from their differences, by the median: a rule without errors in one of them has hardly any
    standard error there."""
    return 1.4826 * float(np.median(np.abs(gaps))) / math.sqrt(2)


def ladder_rows(settings: list[Setting], some: slice, out: Path) -> list[list[object]]:
    """One row per number of fits, over the samples that have this number and 200 (of a forest 100); ratios are to these in
    the same samples."""
    rows, usual = [], LEVELS.index(100 if one_by_one(settings[0], SLOWEST) else 200)
    found, again, truths, sd = [], [], [], []
    for s in settings:
        with np.load(path_of(s, out)) as kept:
            ladder, second = kept["ladder"].astype(float), kept["again"].astype(float)
            truth = np.where(s.null & (np.arange(6) > 3), 0.0, kept["truth"][0])
        found.append(ladder[:, :, some])
        again.append((ladder[: len(second), :, some], second[:, :, some]))
        truths.append(np.broadcast_to(truth[some], ladder[:, 0, some].shape[:2]))
        sd.append(np.broadcast_to(np.nanstd(ladder[:, usual, some, 0], axis=0, ddof=1), truths[-1].shape))
    x, truth, spread = np.concatenate(found), np.concatenate(truths), np.concatenate(sd)
    pairs = [np.concatenate([a[k] for a in again]) for k in range(2)]
    for level, number in enumerate(LEVELS):
        low, high = x[:, level, :, 2], x[:, level, :, 3]
        some_of = ~np.isnan(low) & ~np.isnan(x[:, usual, :, 2])
        if not some_of.any():
            continue
        covered = [
            np.mean((x[:, k, :, 2] <= truth)[some_of] & (truth <= x[:, k, :, 3])[some_of]) for k in (level, usual)
        ]
        width = (high - low)[some_of]
        se, value = (pairs[0][:, level, :, k] for k in (1, 0))
        other, moved = (pairs[1][:, level, :, k] for k in (1, 0))
        known = (other > 0) & (se > 0)
        rows.append(
            [
                number,
                int(some_of.sum()),
                share(float(covered[0])),
                share(float(covered[1])),
                share(float(np.median(width / (3.92 * spread[some_of]))), 2),
                share(float(np.median(width / (x[:, usual, :, 3] - x[:, usual, :, 2])[some_of])), 2),
                f"{100 * spread_of(np.log(se[known] / other[known])):.1f} %" if known.any() else "–",
                share(spread_of(((value - moved) / se)[known]), 2) if known.any() else "–",
            ]
        )
    return rows


def ladder(out: Path) -> str:
    """The table of docs/how-many-fits.md."""
    head = [
        "models",
        "fits",
        "answers",
        "covers",
        "200 fits (forest: 100) cover there",
        "width / ± 1.96 SD",
        "width / that of these",
    ]
    head += ["SD over seeds of the se", "of the value, in se"]
    done, rows = [EVERY[name] for name in LADDER if path_of(EVERY[name], out).exists()], []
    kinds = {"closed form": [], "tree": [], "forest": []}
    for s in done:
        kinds["forest" if one_by_one(s, SLOWEST) else "tree" if one_by_one(s) else "closed form"].append(s)
    for kind, settings in kinds.items():
        for question, some in (("single", slice(4)), ("differences", slice(4, None))):
            if settings:
                rows += [[f"{kind}, {question}", *row] for row in ladder_rows(settings, some, out)]
    return table(head, rows)


Form = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def less_curvature(t: np.ndarray, first: np.ndarray) -> np.ndarray:
    """t without what the curvature of the performance adds to it: where the performance is a quadratic function of normal
    parameters, t is three times the variance over training sets and its first order two thirds of t."""
    return np.clip(np.maximum(t - first, 2 * first - t), t / 3, t)


FORMS: dict[str, Form] = {  # of NB, b, t, the covariance of both parts, and the first order of t
    "max(NB, b + t, 0.9h)": lambda nb, b, t, ab, _: np.maximum(np.maximum(nb, b + t), 0.9 * (b + t + 2 * ab)),
    "h = b + t + 2ab, at least b": lambda nb, b, t, ab, _: np.maximum(b, b + t + 2 * ab),
    "max(b + t, 0.9h)": lambda nb, b, t, ab, _: np.maximum(b + t, 0.9 * (b + t + 2 * ab)),
    "max(NB, b + t)": lambda nb, b, t, ab, _: np.maximum(nb, b + t),
    "max(NB, b + 1.5t, 0.9h)": lambda nb, b, t, ab, _: np.maximum(np.maximum(nb, b + 1.5 * t), 0.9 * (b + t + 2 * ab)),
    "max(NB, b + t', 0.9h'), t' without curvature": lambda nb, b, t, ab, first: FORMS["max(NB, b + t, 0.9h)"](
        nb, b, less_curvature(t, first), ab, first
    ),
    "former: max(NB, b + 2 first order of t, 0.9h)": lambda nb, b, t, ab, first: np.maximum(
        np.maximum(nb, b + 2 * np.maximum(first, 0)), 0.9 * (b + first + 2 * ab)
    ),
}


def by_form(q: Question) -> dict[str, tuple[int, int, float]] | None:
    """Of each form samples, how many of them it covers, and its median width; limits are as far from the value as the root
    of the variance says. None of questions without all terms."""
    columns = [q.column(name) for name in ("nadeau_bengio", "test", "training", "covariance", "first order")]
    now = FORMS["max(NB, b + t, 0.9h)"](*columns)
    known = ~np.isnan(now) & (now > 0) & ~np.isnan(columns[-1])
    if known.sum() < FEWEST or not q.ideal > 0:
        return None
    value, low, high = (q.column(name)[known] for name in ("value", "low", "high"))
    out = {}
    for name, form in FORMS.items():
        factor = np.sqrt(np.maximum(form(*(c[known] for c in columns)), 0) / now[known])
        down, up = value - (value - low) * factor, value + (high - value) * factor
        hits = int(((down <= q.truth) & (q.truth <= up)).sum())
        out[name] = (int(known.sum()), hits, float(np.median(up - down)) / q.ideal)
    return out


def other_forms(out: Path) -> str:
    """Coverage and width of other forms of the variance, from the same samples."""
    every = [q for q in questions(EVERY.values(), out) if q.setting.sites is None]
    rows = []
    kinds: dict[str, Callable[[Question], bool]] = {
        "without trees": lambda q: not q.outliers and not one_by_one(q.setting),
        "with a tree": lambda q: not q.outliers and one_by_one(q.setting),
        "gross outliers and t2": lambda q: q.outliers,
    }
    for kind, of in kinds.items():
        for number, single in (("single", True), ("differences", False)):
            found = [x for q in every if of(q) and (q.q < 4) == single and (x := by_form(q)) is not None]
            for name in FORMS if found else ():
                n, hits, widths = np.array([x[name] for x in found]).T
                lows = int((hits / n < (VALID_OF_OUTLIERS if "outliers" in kind else VALID) - 1e-9).sum())
                cells = [share(float(hits.sum() / n.sum())), f"{lows} of {len(n)}", share(float(np.median(widths)), 2)]
                rows.append([f"{kind}, {number}", name, *cells])
    return table(["settings", "variance", "covers", "questions below what is asked for", "width"], rows)


TABLES: dict[str, Callable[[Path], str]] = {
    "in short": in_short,
    "all families": families,
    "below what is asked for": low_ones,
    "rejections of true nulls": rejections,
    "power of differences with groups": power,
    "the wrong one called better": signs,
    "sites": sites,
    "how many fits": ladder,
    "by setting": by_setting,
    "other forms": other_forms,
}
DOCS = Path(__file__).resolve().parents[1]
PAGES = (DOCS / "default-interval.md", DOCS / "appendix" / "default-interval.md", DOCS / "how-many-fits.md")
MARK = re.compile(r"(<!-- table: ([^>]+) -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)


def filled(text: str, out: Path = RESULTS) -> str:
    """A page with its tables as they are now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # settings with few samples
        return MARK.sub(lambda m: m[1] + TABLES[m[2]](out) + m[3], text)


def main(out: Path = RESULTS) -> None:
    print(filled("\n\n".join(f"<!-- table: {name} -->\n\n\n\n<!-- end -->" for name in TABLES), out))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    if parser.parse_args().write:
        for page in PAGES:
            page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        main()
