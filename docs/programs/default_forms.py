"""Why the variance of the default interval has three terms: the interval with some of them left out.

    python docs/programs/default_forms.py --samples 200 --out FOLDER       # run; what is in FOLDER is not run again

For every setting of `default_settings.py` but those with forests and boosting, the limits by each form of the variance
from the same fits. Prints, for single rules and for differences, how often each form covers and how wide it is.
"""

from __future__ import annotations

import argparse
import math
import warnings
import zlib
from pathlib import Path

import numpy as np
from default_interval import drawn, learner, truth
from default_settings import FRESH, SETTINGS, Setting
from default_tables import QUESTIONS, VALID, path_of
from joblib import Parallel, delayed

import trueness

TERMS = ("nadeau_bengio", "test", "training", "together", "trained", "covariance")
FORMS = {
    "max(NB, b + 2t, 0.9h)": lambda nb, b, t, h, tc, ab: max(nb, b + 2 * t, 0.9 * h),
    "max(b, b + t_c + 2ab)": lambda nb, b, t, h, tc, ab: max(b, b + tc + 2 * ab),
    "b + t_c + max(0, 2ab)": lambda nb, b, t, h, tc, ab: b + tc + max(0, 2 * ab),
    "max(b + t_c, b + t_c + ab)": lambda nb, b, t, h, tc, ab: b + tc + max(0, ab),
    "max(NB, 0.9h_c)": lambda nb, b, t, h, tc, ab: max(nb, 0.9 * (b + tc + 2 * ab)),
    "max(NB, b + t_c, 0.9h_c)": lambda nb, b, t, h, tc, ab: max(nb, b + tc, 0.9 * (b + tc + 2 * ab)),
    "max(NB, b + 1.2t_c, 0.9h_c)": lambda nb, b, t, h, tc, ab: max(nb, b + 1.2 * tc, 0.9 * (b + tc + 2 * ab)),
    "max(NB, b + 1.5t_c, 0.9h_c)": lambda nb, b, t, h, tc, ab: max(nb, b + 1.5 * tc, 0.9 * (b + tc + 2 * ab)),
    "max(b + t_c, 0.9h_c)": lambda nb, b, t, h, tc, ab: max(b + tc, 0.9 * (b + tc + 2 * ab)),
    "max(b + t_c, h_c)": lambda nb, b, t, h, tc, ab: max(b + tc, b + tc + 2 * ab),
    "b + t_c": lambda nb, b, t, h, tc, ab: b + tc,
    "b + 1.5t_c": lambda nb, b, t, h, tc, ab: b + 1.5 * tc,
    "max(b + 1.5 t_c, h_c)": lambda nb, b, t, h, tc, ab: max(b + 1.5 * tc, b + tc + 2 * ab),
    "NB": lambda nb, b, t, h, tc, ab: nb,
    "b": lambda nb, b, t, h, tc, ab: b,
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
        own = math.sqrt(FORMS["max(NB, b + 2t, 0.9h)"](*terms))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    every = [s for s in (*SETTINGS, *FRESH) if not {"forest", "boosting"} & set(s.learners)]
    jumping = [s for s in every if any(name.partition(".")[0] in TREES for name in s.learners)]
    smooth = [s for s in every if s not in jumping]
    for title, settings in (("Without trees", smooth), ("With a tree", jumping)):
        for kind, questions in (("single rules", range(4)), ("differences", range(4, 6))):
            print(f"\n{title}, {kind}:\n\n{table(settings, questions, options.samples, options.out)}", flush=True)


if __name__ == "__main__":
    main()
