"""The tables of `default_interval.py` from what it has stored: coverage, width, and the rivals."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from default_settings import FRESH, SETTINGS, SIGN, Setting

QUESTIONS = ("error A", "AUC A", "error B", "AUC B", "error A − B", "AUC A − B")
METHODS = ("cv+training", "cv", "bootstrap")
RIVALS = {1: "the corrected t", 2: "the former default"}
VALID, MAX_WIDTH, ANSWERS = 0.93, 1.25, 0.95  # a rival must cover, and have an interval for nearly all samples
TOTAL, ANY = "any question", "any learner"
FAMILIES = {"a tree, forest or boosting": ("tree", "tree5", "forest", "boosting"), "k-NN": ("knn1", "knn5")}


def path_of(s: Setting, out: Path) -> Path:
    return out / (s.name.replace(" ", "_").replace("+", "-") + ".npz")


@dataclass(frozen=True)
class Answered:
    """What was found of one question in one setting; arrays are over `METHODS`.

    Attributes
    ----------
    covered
        Share of the intervals that contain the truth, among the samples for which a method has one: `answered`.
    width
        Median width.
    noted, silent, very
        Share of samples with the note, that miss without it, that contain the performance of the very rule.
    centre
        ± 1.96 SD of the centre, as a share of the default's width.
    """

    setting: Setting
    q: int
    samples: int
    truth: float
    covered: np.ndarray
    answered: np.ndarray
    width: np.ndarray
    noted: float
    silent: float
    very: float
    centre: float

    @property
    def name(self) -> str:
        return f"{self.setting.name}, {QUESTIONS[self.q]}"

    @property
    def null(self) -> bool:
        return self.setting.null and self.q > 3

    @property
    def least(self) -> float:
        """The least share that two Monte-Carlo standard deviations leave possible for a valid method."""
        return VALID - 2 * math.sqrt(VALID * (1 - VALID) / self.samples)

    def valid(self, method: int, least: float = VALID) -> bool:
        """Whether a method covers at least so often, and has an interval for nearly all samples."""
        return bool(self.covered[method] >= least and self.answered[method] >= ANSWERS)

    def rival(self) -> int | None:
        """The narrowest rival that covers here."""
        return min((m for m in RIVALS if self.valid(m)), key=lambda m: self.width[m], default=None)

    def against(self, method: int | None) -> float:
        """The default's width relative to another's."""
        return math.nan if method is None else float(self.width[0] / self.width[method])


def found(s: Setting, out: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Truths, (samples, methods, 6, 5) answers, and the performance of the very rules; None if there is no file."""
    path = path_of(s, out)
    if not path.exists():
        return None
    with np.load(path) as kept:
        known, rows = kept["truth"].mean(axis=0), kept["rows"]
    return known, rows[:, :-6].reshape(len(rows), len(METHODS), 6, 5), rows[:, -6:]


def answered(settings: tuple[Setting, ...], out: Path) -> list[Answered]:
    """All questions of the settings that were run."""
    every = []
    for s in settings:
        if (kept := found(s, out)) is None:
            continue
        known, answers, own = kept
        for q in range(len(QUESTIONS)):
            value = 0.0 if s.null and q > 3 else float(known[q])
            low, high, noted = answers[:, :, q, 2], answers[:, :, q, 3], answers[:, 0, q, 4] == 1
            some, missed = ~np.isnan(low), (value < low) | (high < value)
            width = np.nanmedian(high - low, axis=0)
            every.append(
                Answered(
                    s,
                    q,
                    len(answers),
                    value,
                    covered=1 - missed.sum(axis=0) / some.sum(axis=0),
                    answered=some.mean(axis=0),
                    width=width,
                    noted=float(noted.mean()),
                    silent=float(np.mean(missed[:, 0] & ~noted)),
                    very=float(np.mean((low[:, 0] <= own[:, q]) & (own[:, q] <= high[:, 0]))),
                    centre=float(2 * 1.96 * np.nanstd(answers[:, 0, q, 0]) / width[0]),
                )
            )
    return every


def signs(out: Path) -> list[str]:
    """How often the wrong model is called better."""
    lines = []
    for s in SIGN:
        if (kept := found(s, out)) is None:
            continue
        known, answers, _ = kept
        low, high = answers[:, 0, 4:, 2].T, answers[:, 0, 4:, 3].T
        wrong = [np.mean(low[0] > 0) if known[4] < 0 else np.mean(high[0] < 0)]
        wrong.append(np.mean(high[1] < 0) if known[5] > 0 else np.mean(low[1] > 0))
        lines.append(f"| {s.name} | {known[4]:+.3f} | {known[5]:+.3f} | {wrong[0]:.3f} | {wrong[1]:.3f} |")
    return lines


def tables(settings: tuple[Setting, ...], out: Path, signs: list[str] | None = None) -> str:
    """The results as Markdown."""
    lines = [
        "| setting | question | samples | truth | covers | noted | corrected t | former default | this very rule "
        "| width / corrected t | / narrowest valid rival |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    every = answered(settings, out)
    for a in every:
        shares = (a.covered[0], a.noted, *a.covered[1:], a.very)
        cells = " | ".join("" if math.isnan(c) else f"{c:.3f}" for c in shares)
        told = "" if a.rival() is None else f"{a.against(a.rival()):.2f}"
        lines.append(
            f"| {a.setting.name} | {QUESTIONS[a.q]} | {a.samples} | {a.truth:.3f} | {cells} | {a.against(1):.2f} "
            f"| {told} |"
        )

    below = [
        f"- {a.name} ({a.samples} samples): {a.covered[0]:.3f}; missed without a note in {a.silent:.3f}"
        for a in sorted(every, key=lambda a: (a.covered[0], a.silent, a.name))
        if a.covered[0] < VALID
    ]
    wide = [
        f"- {a.name}: {a.against(m):.2f} times {RIVALS[m]} (covers {a.covered[0]:.3f}; ± 1.96 SD of its centre: "
        f"{a.centre:.2f} of its width)"
        for a in every
        if (m := a.rival()) is not None and a.against(m) > MAX_WIDTH
    ]
    rejected = [
        f"| {a.setting.name} | {QUESTIONS[a.q]} | {1 - a.covered[0]:.3f} | {1 - a.covered[1]:.3f} |"
        for a in every
        if a.null
    ]
    parts = [
        f"{len(every)} questions in {len({a.setting.name for a in every})} settings: mean coverage "
        f"{np.mean([a.covered[0] for a in every]):.3f}, lowest {min(a.covered[0] for a in every):.3f}; missed without "
        f"a note in more than {1 - VALID:.0%} of samples: {sum(a.silent > 1 - VALID for a in every)} questions; median "
        f"width relative to the corrected t {np.median([a.against(1) for a in every]):.2f}.",
        "Below .93:\n\n" + "\n".join(below) if below else "None is below .93.",
        f"Wider than {MAX_WIDTH:g} times the narrowest rival that covers at least {VALID:g}:\n\n" + "\n".join(wide)
        if wide
        else f"Nowhere wider than {MAX_WIDTH:g} times the narrowest rival that covers at least {VALID:g}.",
        "Rejections of a true null at the level .05:\n\n"
        + "| setting | question | default | corrected t |\n|---|---|---|---|\n"
        + "\n".join(rejected),
    ]
    if signs:
        parts.append(
            "How often the wrong model is called better (LDA − naive Bayes):\n\n"
            "| setting | error difference | AUC difference | wrong by error | wrong by AUC |\n|---|---|---|---|---|\n"
            + "\n".join(signs)
        )
    return "\n\n".join([*parts, "\n".join(lines)])


def kind(a: Answered) -> tuple[str, str]:
    """What a user knows beforehand: the question, and the learner (of two the less smooth one)."""
    names = a.setting.learners if a.q > 3 else (a.setting.learners[a.q // 2],)
    learners = {name.partition(".")[0] for name in names}
    question = ("error", "AUC")[a.q % 2] + (" difference" if a.q > 3 else "")
    return question, next((f for f, of in FAMILIES.items() if learners & set(of)), "linear and Bayes rules")


def rivals(out: Path) -> str:
    """Which methods are valid in all questions of a kind, and how wide the default is against those that are."""
    kinds: dict[tuple[str, str], list[Answered]] = defaultdict(list)
    for a in answered((*SETTINGS, *FRESH), out):
        question, family = kind(a)
        kinds[question, family].append(a)
        kinds[question, ANY].append(a)
        kinds[TOTAL, ANY].append(a)
    lines, misses, sure, wider = [], [], [], []
    for question, family in sorted(kinds, key=lambda k: (k[0] == TOTAL, k[0], k[1] == ANY, k[1])):
        asked = kinds[question, family]
        passed = [sum(a.valid(m, a.least) for a in asked) for m in range(len(METHODS))]
        always = [m for m in RIVALS if passed[m] == len(asked)]
        wide = [(a, m) for a in asked if (m := a.rival()) is not None and a.against(m) > MAX_WIDTH]
        cells = " | ".join(f"{n} ({min(a.covered[m] for a in asked):.3f})" for m, n in enumerate(passed))
        lines.append(f"| {question} | {family} | {len(asked)} | {cells} | {len(wide)} |")
        if family == ANY:
            continue
        sure += [f"{RIVALS[m]} for the {question} of {family}" for m in always]
        for a in asked:
            m = min(always, key=lambda m: a.width[m], default=None)
            if a.against(m) > MAX_WIDTH:
                wider.append(f"- {a.name}: {a.against(m):.2f} times {RIVALS[m]}")
        misses += [
            f"| {a.name} | {a.against(m):.2f} × {RIVALS[m]} | {'yes' if m in always else 'no'} "
            f"| {passed[m]} of {len(asked)} |"
            for a, m in wide
        ]
    return "\n\n".join(
        [
            f"Valid: covers at least {VALID:g}, or less by at most two Monte-Carlo standard deviations, and has an "
            f"interval for {ANSWERS:.0%} of the samples. In how many questions of a kind each method is valid, and its "
            "lowest coverage:",
            "| question | learner | questions | default | corrected t | former default "
            "| wider than 1.25 times a rival valid here |\n|---|---|---|---|---|---|---|\n" + "\n".join(lines),
            "Rivals that are valid in every question of a kind: " + ("; ".join(sure) or "none") + ".",
            f"Wider than {MAX_WIDTH:g} times the narrowest rival that is valid in every question of its kind: "
            f"{len(wider)} questions." + "".join(f"\n{line}" for line in ["", *wider] if wider),
            f"The {len(misses)} questions of the lists above, and whether the rival is valid in every question of its "
            "kind:",
            "| question | width | rival valid throughout | valid in |\n|---|---|---|---|\n" + "\n".join(misses),
        ]
    )
