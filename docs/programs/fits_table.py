"""How many fits the default interval needs: the table of docs/how-many-fits.md.

    python docs/programs/fits_table.py --samples 100 --out FOLDER       # run; what is in FOLDER is not run again
    python docs/programs/fits_table.py --out FOLDER --print             # the tables of what is there
    python docs/programs/fits_table.py --samples 20 --out FOLDER --forest   # one setting with a forest, up to 400 fits

`NAMES` was written down before anything was run: p near n, heavy tails, unequal classes, nearest neighbours, trees, a
cohort, groups, learners that are exchangeable. In each sample the same designs grow from 60 to 400 fits (in the first
ones to 1600, unless there are trees), so that the rows of the table differ by the fits alone. Coverage is of the mean
performance of the rule at n cases. The first samples are fitted with a second seed: the SD over seeds of a standard
error is that of the logarithm of the ratio of the two, over √2.
"""

from __future__ import annotations

import argparse
import math
import warnings
import zlib
from pathlib import Path

import numpy as np
from default_interval import drawn, learner, truth
from default_settings import FRESH, SECOND, SETTINGS, Setting
from default_tables import QUESTIONS, VALID, path_of

import trueness
from trueness.sample import Fits, Sample

FITS = (60, 100, 200, 400, 1600)
MOST_OF_TREES = 400
NAMES = (
    "lda-nb 25+25 p20 rho.2",
    "lda-logit 40+40 p40",
    "ridge-nb 60+60 p60",
    "nb-lda 250+50 rho.6",
    "lda-nb 60+20 t3",
    "qda-lda 30+30 mvt3",
    "5nn-lda 200+200 p5",
    "1nn-5nn 30+30 p10",
    "lda-qda 30+30 easy",
    "logit-5nn cohort 200 .1",
    "lda-nb groups 40x5",
    "null 5nn 60+60",
    "new lda-logit 60+60 t2",
    "tree-lda 100+100 p5",
    "tree-tree5 100+100 xor",
    "fresh null tree5 80+40",
)
FOREST = "forest-lda 50+50 p5"
EVERY = {s.name: s for s in (*SETTINGS, *FRESH, *SECOND)}
TEST_CASES, TRAINING_SETS = 3000, 100
TWICE, LONG, ROUND = 10, 4, 2  # samples with a second seed, and with 1600 fits; samples between two looks


def slow(s: Setting) -> bool:
    """Whether its rules are fitted one by one."""
    return any(name.partition(".")[0] in ("tree", "tree5", "forest", "boosting") for name in s.learners)


def answers(s: Setting, X: np.ndarray, y: np.ndarray, groups: np.ndarray | None, seed: int, most: int) -> np.ndarray:
    """(fits, questions, 4): value, se, low, high; of at most so many fits."""
    out = np.full((len(FITS), len(QUESTIONS), 4), math.nan)
    sample, earlier = Sample.of(y, groups=groups), dict.fromkeys(s.learners)
    for f, number in enumerate(FITS):
        if number > (min(most, MOST_OF_TREES) if slow(s) else most):
            break
        design = trueness.CvBootstrap.of_fits(number, sample).draw(sample, rng=seed)
        for name in s.learners:
            model, columns = learner(name, X)
            earlier[name] = trueness.fit(model, columns, y, design, progress=False, earlier=earlier[name])
        a, b = (each for each in earlier.values() if isinstance(each, Fits))
        for q, metric in enumerate(("error", "auc", "error", "auc", "error", "auc")):
            try:
                if q > 3:
                    e = trueness.difference(a, b, metric, "cv+training")
                else:
                    e = trueness.estimate((a, b)[q > 1], metric, "cv+training")
            except trueness.errors.InputError:
                continue
            if e.se is not None:
                out[f, q] = e.value, e.se, *e.ci()
    return out


def run(s: Setting, samples: int, out: Path) -> None:
    """Go on until so many samples are stored: the truths, the answers with one seed, and of the first ones with another."""
    path = path_of(s, out)
    first, *seeds = np.random.SeedSequence(zlib.crc32(s.name.encode()) + 2).spawn(1 + samples)
    if path.exists():
        with np.load(path) as kept:
            known, found, again = kept["truth"], [*kept["found"]], [*kept["again"]]
    else:
        rng = np.random.default_rng(first)
        X_test, y_test, _ = drawn(s, rng, TEST_CASES)
        known, found, again = truth(s, rng, X_test, y_test, TRAINING_SETS).mean(axis=0), [], []
    for k in range(len(found), samples):
        rng = np.random.default_rng(seeds[k])
        cases = drawn(s, rng)
        most = 1600 if k < LONG else 400
        found.append(answers(s, *cases, seed=int(rng.integers(2**31)), most=most))
        if k < TWICE:
            again.append(answers(s, *cases, seed=int(rng.integers(2**31)), most=most))
    np.savez(path, truth=known, found=np.array(found), again=np.array(again))


def rows_of(s: Setting, out: Path) -> dict[str, np.ndarray]:
    """(fits, questions) of one setting: coverage, median width against ± 1.96 SD of the value with 400 fits, SD over
    seeds of the se, and of the value in standard errors."""
    with np.load(path_of(s, out)) as kept:
        known, found, again = kept["truth"], kept["found"], kept["again"]
    value = np.where(s.null & (np.arange(len(QUESTIONS)) > 3), 0.0, known)
    low, high = found[..., 2], found[..., 3]
    some = ~np.isnan(low)
    missed = some & ((value < low) | (high < value))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no 1600 fits of a tree
        sd = np.nanstd(found[:, FITS.index(400), :, 0], axis=0, ddof=1)
        pairs = found[: len(again)], again
        of_se = np.sqrt(np.nanmean(np.log(pairs[0][..., 1] / pairs[1][..., 1]) ** 2, axis=0) / 2)
        moved = (pairs[0][..., 0] - pairs[1][..., 0]) / pairs[0][..., 1]
        return {
            "covered": np.where(some.any(axis=0), 1 - missed.sum(axis=0) / np.maximum(some.sum(axis=0), 1), math.nan),
            "width": np.nanmedian(high - low, axis=0) / (2 * 1.96 * sd),
            "of se": of_se,
            "of value": np.sqrt(np.nanmean(moved**2, axis=0) / 2),
            "samples": np.full((len(FITS), len(QUESTIONS)), len(found)),
        }


def table(settings: list[Setting], questions: slice, out: Path) -> str:
    """One row per number of fits, over settings and questions."""
    each = [rows_of(s, out) for s in settings]
    names = [f"{s.name}, {q}" for s in settings for q in QUESTIONS[questions]]
    lines = [
        "| fits | mean coverage | lowest | where | below .93 | median width / ± 1.96 SD "
        "| SD over seeds of the se | of the value, in se |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for f, number in enumerate(FITS):
        all_of = {k: np.concatenate([e[k][f, questions] for e in each]) for k in each[0]}
        used = ~np.isnan(all_of["covered"])
        if not used.any():
            continue
        of, labels = {k: v[used] for k, v in all_of.items()}, [n for n, u in zip(names, used, strict=True) if u]
        lowest = int(np.argmin(of["covered"]))
        lines.append(
            f"| {number} | {of['covered'].mean():.3f} | {of['covered'][lowest]:.3f} | {labels[lowest]} "
            f"| {np.sum(of['covered'] < VALID)} of {len(labels)} | {np.median(of['width']):.2f} "
            f"| {100 * np.median(of['of se']):.1f} % | {np.median(of['of value']):.2f} |"
        )
    return "\n".join(lines)


def by_setting(settings: list[Setting], out: Path) -> str:
    """Coverage of each setting: the mean of its six questions and the lowest, by number of fits."""
    lines = [f"| setting | samples | {' | '.join(map(str, FITS))} |", "|---|---|" + "---|" * len(FITS)]
    for s in settings:
        found = rows_of(s, out)
        cells = [
            "" if np.isnan(row).all() else f"{np.nanmean(row):.3f} ({np.nanmin(row):.2f})" for row in found["covered"]
        ]
        lines.append(f"| {s.name} | {found['samples'][0, 0]:.0f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=NAMES, help="names of settings")
    parser.add_argument("--forest", action="store_true", help=f"run {FOREST} instead")
    parser.add_argument("--print", action="store_true", help="print the tables of what is there, run nothing")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    some = [] if options.print else [FOREST] if options.forest else options.only
    for so_far in range(ROUND, options.samples + ROUND, ROUND):  # all settings have as many samples, wherever it ends
        for name in some:
            run(EVERY[name], min(so_far, options.samples), options.out)
        if some:
            print(f"{min(so_far, options.samples)} samples", flush=True)
    done = [EVERY[name] for name in (*NAMES, FOREST) if path_of(EVERY[name], options.out).exists()]
    for kind, some in (
        ("Closed forms", [s for s in done if not slow(s)]),
        ("With a tree or a forest", [s for s in done if slow(s)]),
    ):
        for what, questions in (("single rules", slice(4)), ("differences", slice(4, None))):
            if some:
                print(f"\n{kind}, {what}:\n\n{table(some, questions, options.out)}", flush=True)
    print(f"\n{by_setting(done, options.out)}")


if __name__ == "__main__":
    main()
