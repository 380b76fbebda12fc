"""The form of the variance of the default interval: how often others cover, from the same fits.

    python docs/programs/default_forms.py --samples 200 --out FOLDER       # run; what is in FOLDER is not run again
    python docs/programs/default_forms.py --out FOLDER --print             # the tables of what is there

For every setting of `default_settings.py` but those with forests and boosting, the limits by each form of the variance
from the same fits. Prints, for single rules and for differences, how often each form covers and how wide it is, and for
each setting how often the default covers.
"""

from __future__ import annotations

import argparse
import math
import warnings
import zlib
from pathlib import Path

import numpy as np
from default_interval import drawn, learner, truth
from default_settings import FRESH, OUTLIERS, SECOND, SETTINGS, Setting
from default_tables import QUESTIONS, VALID, path_of
from joblib import Parallel, delayed

import trueness

TERMS = ("nadeau_bengio", "test", "training", "covariance")
FORMS = {  # NB, b, t, ab; the first is the default
    "max(NB, b + t, 0.9h)": lambda nb, b, t, ab: max(nb, b + t, 0.9 * (b + t + 2 * ab)),
    "max(NB, b + 1.2t, 0.9h)": lambda nb, b, t, ab: max(nb, b + 1.2 * t, 0.9 * (b + t + 2 * ab)),
    "max(NB, b + 1.5t, 0.9h)": lambda nb, b, t, ab: max(nb, b + 1.5 * t, 0.9 * (b + t + 2 * ab)),
    "max(NB, 0.9h)": lambda nb, b, t, ab: max(nb, 0.9 * (b + t + 2 * ab)),
    "h, at least b": lambda nb, b, t, ab: max(b, b + t + 2 * ab),
    "max(b + t, h)": lambda nb, b, t, ab: max(b + t, b + t + 2 * ab),
    "max(b + t, 0.9h)": lambda nb, b, t, ab: max(b + t, 0.9 * (b + t + 2 * ab)),
    "b + t": lambda nb, b, t, ab: b + t,
    "b + 1.5t": lambda nb, b, t, ab: b + 1.5 * t,
    "NB": lambda nb, b, t, ab: nb,
    "b": lambda nb, b, t, ab: b,
}
TREES = ("tree", "tree5")
TEST_CASES, TRAINING_SETS = 6000, 200


def sampled(s: Setting, seed: np.random.SeedSequence) -> tuple[np.ndarray, np.ndarray]:
    """(questions, forms, 2) limits of one sample, and (questions, terms)."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    X, y, groups = drawn(s, rng)
    design = trueness.CvBootstrap().draw(y, groups=groups, rng=int(rng.integers(2**31)))
    fits = []
    for name in s.learners:
        model, columns = learner(name, X)
        fits.append(trueness.fit(model, columns, y, design, progress=False))
    limits, kept = np.full((len(QUESTIONS), len(FORMS), 2), math.nan), np.full((len(QUESTIONS), len(TERMS)), math.nan)
    for q, metric in enumerate(("error", "auc", "error", "auc", "error", "auc")):
        try:
            if q > 3:
                e = trueness.difference(*fits, metric, "cv+training")
            else:
                e = trueness.estimate(fits[q > 1], metric, "cv+training")
        except trueness.errors.InputError:
            continue
        if e.se is None:
            continue
        terms = [e.provenance["variance"][k] for k in TERMS]
        kept[q] = terms
        own = math.sqrt(next(iter(FORMS.values()))(*terms))
        floor = e.se if e.se > own * (1 + 1e-9) else 0.0
        for f, form in enumerate(FORMS.values()):
            limits[q, f] = e.with_(se=max(math.sqrt(form(*terms)), floor)).ci()
    return limits, kept


def run(s: Setting, samples: int, out: Path) -> tuple[np.ndarray, np.ndarray]:
    """The truths, and the limits of all samples."""
    path = path_of(s, out)
    if not path.exists():
        warnings.simplefilter("ignore")
        first, *seeds = np.random.SeedSequence(zlib.crc32(s.name.encode()) + 1).spawn(1 + samples)
        rng = np.random.default_rng(first)
        X_test, y_test, _ = drawn(s, rng, TEST_CASES)
        known = truth(s, rng, X_test, y_test, TRAINING_SETS)
        answers = Parallel(n_jobs=-1, batch_size=4)(delayed(sampled)(s, seed) for seed in seeds)
        limits, terms = (np.array(each) for each in zip(*answers, strict=True))
        np.savez(path, truth=known, limits=limits, terms=terms)
    with np.load(path) as found:
        return found["truth"].mean(axis=0), found["limits"]


def table(settings: list[Setting], questions: range, samples: int, out: Path) -> str:
    """Coverage and width of each form over the settings."""
    covered, width, names = [], [], []
    for s in settings:
        known, limits = run(s, samples, out)
        for q in questions:
            value = 0.0 if s.null and q > 3 else known[q]
            low, high = limits[:, q, :, 0], limits[:, q, :, 1]
            missed, some = (value < low) | (high < value), ~np.isnan(low)
            covered.append(1 - missed.sum(axis=0) / some.sum(axis=0))
            width.append(np.nanmedian(high - low, axis=0))
            names.append(f"{s.name}, {QUESTIONS[q]}")
    shares, widths = np.array(covered), np.array(width)
    lines = [
        "| form | mean coverage | lowest | where | below .93 | median width against the default |",
        "|---|---|---|---|---|---|",
    ]
    for f, name in enumerate(FORMS):
        lowest = int(np.argmin(shares[:, f]))
        lines.append(
            f"| {name} | {shares[:, f].mean():.3f} | {shares[lowest, f]:.3f} | {names[lowest]} "
            f"| {np.sum(shares[:, f] < VALID)} of {len(names)} | {np.median(widths[:, f] / widths[:, 0]):.2f} |"
        )
    return "\n".join(lines)


def by_setting(settings: list[Setting], samples: int, out: Path) -> str:
    """How often the default covers, question by question."""
    lines = [f"| setting | samples | {' | '.join(QUESTIONS)} |", "|---|---|" + "---|" * len(QUESTIONS)]
    for s in settings:
        known, limits = run(s, samples, out)
        truths = [0.0 if s.null and q > 3 else known[q] for q in range(len(QUESTIONS))]
        low, high = limits[:, :, 0, 0], limits[:, :, 0, 1]
        shares = 1 - ((truths < low) | (high < truths)).sum(axis=0) / np.maximum((~np.isnan(low)).sum(axis=0), 1)
        lines.append(f"| {s.name} | {len(limits)} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--print", action="store_true", help="print the tables of what is there, run nothing")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    every = [s for s in (*SETTINGS, *FRESH, *SECOND) if not {"forest", "boosting"} & set(s.learners)]
    kinds = {"Gross outliers": list(OUTLIERS)}
    kinds["With a tree"] = [s for s in every if any(name.partition(".")[0] in TREES for name in s.learners)]
    kinds["Without trees"] = [s for s in every if s not in kinds["With a tree"]]
    if options.print:
        kinds = {name: [s for s in some if path_of(s, options.out).exists()] for name, some in kinds.items()}
    for title, settings in reversed(kinds.items()):
        for kind, questions in (("single rules", range(4)), ("differences", range(4, 6))):
            print(f"\n{title}, {kind}:\n\n{table(settings, questions, options.samples, options.out)}", flush=True)
    for title, settings in reversed(kinds.items()):
        print(f"\n{title}:\n\n{by_setting(settings, options.samples, options.out)}", flush=True)


if __name__ == "__main__":
    main()
