"""Reader studies by simulation (Roe & Metz 1997): type-I error of both methods, coverage of the interval of one modality,
what bounds the error of few readers, the power that `size_for_readers` predicts, and both in designs that are not crossed.

    python docs/programs/reader_studies.py --jobs 16  # all tables
    python docs/programs/reader_studies.py --samples 500 --only errors

A score is the sum of independent normal effects of reader, case, modality and their interactions, in each truth state;
negatives have mean 0 and positives mean μ. Variances of cases add up to 1. H and L stand for high and low: first the
correlation of the cases, then the variance of the readers, as in the table of Roe and Metz.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from joblib import Parallel, delayed
from scipy import stats

from trueness.reading.analysis import Analysis
from trueness.reading.merits import Merits
from trueness.reading.readings import Readings
from trueness.reading.sizes import Pilot
from trueness.reading.study import mean_of
from trueness.sample.answers import Answers

CASES = {"H": (0.3, 0.3, 0.2, 0.2), "L": (0.1, 0.1, 0.2, 0.6)}  # case, modality:case, reader:case, rest
READERS = {  # variance of readers, and of modality:readers, by μ
    0.75: {"H": 0.0110, "L": 0.0055},
    1.5: {"H": 0.0300, "L": 0.0055},
    2.5: {"H": 0.0560, "L": 0.0055},
}
DIFFERENCE = 0.05  # of two AUCs, for the power
DESIGNS = ("missing", "cases in readers", "cases in modalities", "readers in modalities", "split-plot")
STRUCTURES = ("HH", "HL", "LH", "LL")
Sizes = tuple[tuple[int, int, int, float], ...]
# readers, positives, negatives, μ (AUC 0.70, 0.85, 0.96): all sizes of Roe and Metz at 0.85, and some others
SIZES: Sizes = (
    *((r, n, n, 1.5) for r in (3, 5, 10) for n in (25, 50, 100)),
    *((5, n, m, mu) for n, m, mu in ((50, 50, 0.75), (25, 75, 0.75), (50, 50, 2.5))),
)


def draw(
    rng: np.random.Generator,
    structure: str,
    readers: int,
    n1: int,
    n0: int,
    mu: float,
    difference: float = 0.0,
    modalities: int = 2,
) -> tuple[np.ndarray, np.ndarray]:
    """Scores (T, R, n) and truth (n,); `difference` is added to μ in the first modality."""
    case, modality_case, reader_case, rest = CASES[structure[0]]
    of_reader, parts = READERS[mu][structure[1]], []
    for n, mean in ((n1, mu), (n0, 0.0)):
        t, r = modalities, readers
        x = rng.normal(0, math.sqrt(of_reader), (1, r, 1)) + rng.normal(0, math.sqrt(of_reader), (t, r, 1))
        x = x + rng.normal(0, math.sqrt(case), (1, 1, n)) + rng.normal(0, math.sqrt(modality_case), (t, 1, n))
        x = x + rng.normal(0, math.sqrt(reader_case), (1, r, n)) + rng.normal(0, math.sqrt(rest), (t, r, n))
        x += mean
        if mean:
            x[0] += difference
        parts.append(x)
    return np.concatenate(parts, axis=2), np.arange(n1 + n0) < n1


def true_auc(structure: str, mu: float) -> float:
    """Mean over readers: Φ(μ/√(2 (1 + 2σ²_R)))."""
    return float(stats.norm.cdf(mu / math.sqrt(2 * (1 + 2 * READERS[mu][structure[1]]))))


def mean_shift(structure: str, mu: float, auc: float) -> float:
    """What must be added to μ for a mean AUC of this size."""
    return float(stats.norm.ppf(auc)) * math.sqrt(2 * (1 + 2 * READERS[mu][structure[1]])) - mu


def analyses(values: np.ndarray, truth: np.ndarray) -> dict[str, Analysis]:
    """By both methods."""
    t, r, n = values.shape
    modality, reader = np.divmod(np.arange(t * r), r)
    flat = values.reshape(-1, 1, n)
    some = ~np.isnan(flat[:, 0]).all(axis=1)  # readings of at least one case
    answers = Answers(tuple(map(str, np.flatnonzero(some))), flat[some], truth)
    readings = Readings(answers, modality[some], reader[some], *(tuple(range(k)) for k in values.shape))
    return {
        "or": Analysis(Merits.of(readings, "auc", None, "delong"), "or", "both"),
        "u": Analysis(Merits.of(readings, "auc", None, "unbiased"), "u", "both"),
    }


def rejected(analysis: Analysis) -> bool:
    found = analysis.equality()
    return found is not None and found.p_value < 0.05


def error_row(samples: int, seed: int, size: tuple[int, int, int, float], structure: str) -> list[float]:
    """Shares of rejections and of covered means, by both methods, and of variances that are not positive."""
    readers, n1, n0, mu = size
    rng = np.random.default_rng([seed, readers, n1, n0, round(100 * mu), STRUCTURES.index(structure)])
    truth, counts = true_auc(structure, mu), np.zeros(7)
    for _ in range(samples):
        both = analyses(*draw(rng, structure, readers, n1, n0, mu))
        means = [mean_of(a, 0) for a in both.values()]
        counts += [
            *(rejected(a) for a in both.values()),
            *(e.ci().covers(truth) for e in means),
            *(e.ci(method="wald").covers(truth) for e in means),
            both["u"].difference(0, 1).truncated,
        ]
    return (counts / samples).tolist()


def errors(samples: int, seed: int, jobs: int, sizes: Sizes = SIZES) -> None:
    """Type-I error of the test of two equal modalities, and coverage of the 95 % interval of the first."""
    places = [(size, structure) for size in sizes for structure in STRUCTURES]
    rows = Parallel(n_jobs=jobs)(delayed(error_row)(samples, seed, *place) for place in places)
    print("                                         | type-I        | coverage      | symmetric     | u-variance")
    print("structure readers positives negatives AUC | or     u      | or     u      | or     u      | not positive")
    for ((readers, n1, n0, mu), structure), row in zip(places, rows, strict=True):
        pairs = " | ".join(f"{a:.4f} {b:.4f}" for a, b in zip(row[0:6:2], row[1:6:2], strict=True))
        auc = true_auc(structure, mu)
        print(f"{structure:>9} {readers:7} {n1:9} {n0:9} {auc:.2f} | {pairs} | {row[6]:.4f}")
    table, error = np.array(rows), math.sqrt(0.05 * 0.95 / samples)
    for name, type_one, coverage in (("or", table[:, 0], table[:, 2]), ("u", table[:, 1], table[:, 3])):
        inside = int(((type_one >= 0.04) & (type_one <= 0.06)).sum())
        print(
            f"{name}: type-I error {type_one.min():.4f} to {type_one.max():.4f}, {inside} of {len(table)} within 4 to 6 %; "
            f"coverage {coverage.min():.4f} to {coverage.max():.4f}, {int((coverage >= 0.93).sum())} at least 0.93"
        )
    print(f"{samples} samples each, simulation error {error:.4f}")
    print("Outside 4 to 6 %:")
    for ((readers, n1, n0, mu), structure), (by_or, by_u, *_) in zip(places, rows, strict=True):
        out = [f"{name} {x:.4f}" for name, x in (("or", by_or), ("u", by_u)) if not 0.04 <= x <= 0.06]
        where = f"{structure}, {readers} readers, {n1} + {n0} cases, AUC {true_auc(structure, mu):.2f}"
        if out:
            print(f"  {where}: {', '.join(out)}")


def bound_row(samples: int, seed: int, size: tuple[int, int, int, float], structure: str) -> list[float]:
    """Shares of rejections by F = MS(T)/D as it is, with the degrees of freedom of the true components, and with the
    true D as well, which is χ²: what the estimated degrees of freedom and the estimated D cost."""
    readers, n1, n0, mu = size
    rng = np.random.default_rng([seed, 1, readers, n1, n0, round(100 * mu), STRUCTURES.index(structure)])
    found = []
    for _ in range(samples):
        c = analyses(*draw(rng, structure, readers, n1, n0, mu))["or"].components
        found.append((c.ms_t, c.ms_tr, max(c.cov2 - c.cov3, 0.0)))
    ms_t, ms_tr, shared = np.array(found).T
    below, true_below = ms_tr + readers * shared, ms_tr.mean() + readers * shared.mean()
    df = (below / ms_tr) ** 2 * (readers - 1), (true_below / ms_tr.mean()) ** 2 * (readers - 1)
    p = (
        stats.f.sf(ms_t / below, 1, df[0]),
        stats.f.sf(ms_t / below, 1, df[1]),
        stats.chi2.sf(ms_t / true_below, 1),
    )
    return [*(float((x < 0.05).mean()) for x in p), df[1], *np.quantile(df[0], (0.05, 0.5, 0.95)).tolist()]


def bounds(samples: int, seed: int, jobs: int) -> None:
    """Three and five readers, all sizes at an AUC of 0.85."""
    places = [((r, n, n, 1.5), structure) for r in (3, 5) for n in (25, 50, 100) for structure in STRUCTURES]
    rows = Parallel(n_jobs=jobs)(delayed(bound_row)(samples, seed, *place) for place in places)
    print("structure readers cases | as it is  true df  true D | true df, estimated: 5 %, 50 %, 95 %")
    for ((readers, n, _, _), structure), (a, b, c, *df) in zip(places, rows, strict=True):
        words = " ".join(f"{x:9.1f}" for x in df)
        print(f"{structure:>9} {readers:7} {2 * n:5} | {a:8.4f} {b:8.4f} {c:7.4f} | {words}")
    print(f"{samples} samples each")


def cut(rng: np.random.Generator, design: str, structure: str, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Scores of a study of another design: 6 readers, of every modality in some, and 50 + 50 cases for each of them."""
    sets = {"cases in readers": 6, "cases in modalities": 2, "split-plot": 2}.get(design, 1)
    doubled = design == "readers in modalities"
    values, truth = draw(rng, structure, 12 if doubled else 6, 50 * sets, 50 * sets, 1.5, shift)
    which, cases = np.arange(len(truth)) % sets, np.full(values.shape, True)
    for m in range(2):
        for j in range(values.shape[1]):
            if design == "cases in readers":
                cases[m, j] = which == j
            elif design == "cases in modalities":
                cases[m, j] = which == m
            elif design == "split-plot":
                cases[m, j] = which == j // 3
            elif doubled:
                cases[m, j] = j // 6 == m
            else:  # missing
                cases[m, j] = rng.random(len(truth)) > 0.15
    return np.where(cases, values, np.nan), truth


def design_row(samples: int, seed: int, design: str, structure: str) -> list[float]:
    """Shares of rejections and of covered means, by both methods."""
    rng = np.random.default_rng([seed, DESIGNS.index(design), STRUCTURES.index(structure)])
    counts, truth = np.zeros(5), true_auc(structure, 1.5)
    for _ in range(samples):
        both = analyses(*cut(rng, design, structure))
        counts += [
            *(rejected(a) for a in both.values()),
            *(mean_of(a, 0).ci().covers(truth) for a in both.values()),
            both["u"].difference(0, 1).truncated,
        ]
    return (counts / samples).tolist()


def designs(samples: int, seed: int, jobs: int) -> None:
    """Type-I error and coverage in studies that are not crossed."""
    places = [(design, structure) for design in DESIGNS for structure in STRUCTURES]
    rows = Parallel(n_jobs=jobs)(delayed(design_row)(samples, seed, *place) for place in places)
    print("design                structure | type-I or u  | coverage or u | u-variance not positive")
    for (design, structure), (a, b, c, d, e) in zip(places, rows, strict=True):
        print(f"{design:>21} {structure:>9} | {a:.4f} {b:.4f} | {c:.4f} {d:.4f} | {e:.4f}")


def mean_components(samples: int, rng: np.random.Generator, structure: str, shift: float) -> dict[str, float]:
    """Of crossed pilots of 5 readers and 100 cases."""
    parts = dict.fromkeys(("var_r", "var_tr", "var", "cov1", "cov2", "cov3"), 0.0)
    for _ in range(samples):
        c = analyses(*draw(rng, structure, 5, 50, 50, 1.5, shift))["or"].components
        parts = {name: value + float(getattr(c, name)) / samples for name, value in parts.items()}
    return {**parts, "n_cases": 100.0}


def power_rows(samples: int, seed: int, structure: str) -> list[tuple[int, int, float, float, float]]:
    """Power predicted from the mean components of pilots of 5 readers and 100 cases, and by simulation."""
    mu, rng, better = 1.5, np.random.default_rng([seed, STRUCTURES.index(structure)]), DIFFERENCE
    shift = mean_shift(structure, mu, true_auc(structure, mu) + better)
    pilot, out = Pilot.of(mean_components(samples, rng, structure, shift)), []
    for readers, n in ((4, 200), (6, 100), (10, 60)):
        found = np.zeros(2)
        for _ in range(samples):
            both = analyses(*draw(rng, structure, readers, n // 2, n // 2, mu, shift))
            found += [rejected(a) for a in both.values()]
        predicted = pilot.power(better, readers, n, 0.95, "both")
        out.append((readers, n, predicted, *(found / samples).tolist()))
    return out


def powers(samples: int, seed: int, jobs: int) -> None:
    """Power for a difference of 0.05."""
    rows = Parallel(n_jobs=jobs)(delayed(power_rows)(samples, seed, structure) for structure in STRUCTURES)
    print("structure readers cases | predicted  simulated or     u")
    for structure, some in zip(STRUCTURES, rows, strict=True):
        for readers, n, predicted, by_or, by_u in some:
            print(f"{structure:>9} {readers:7} {n:5} | {predicted:9.3f} {by_or:13.3f} {by_u:.3f}")
    gaps = np.array([(abs(row[3] - row[2]), abs(row[4] - row[2])) for some in rows for row in some])
    print(f"Largest difference from the prediction: or {gaps[:, 0].max():.3f}, u {gaps[:, 1].max():.3f}")


def planned_row(samples: int, seed: int, design: str, structure: str) -> tuple[float, float, float]:
    """The same for a study of another design, 6 readers (of each modality) and 100 cases of each reading."""
    rng = np.random.default_rng([seed, 2, DESIGNS.index(design), STRUCTURES.index(structure)])
    shift = mean_shift(structure, 1.5, true_auc(structure, 1.5) + DIFFERENCE)
    pilot = Pilot.of(mean_components(samples, rng, structure, shift), design.replace(" ", "-"))
    found = np.zeros(2)
    for _ in range(samples):
        found += [rejected(a) for a in analyses(*cut(rng, design, structure, shift)).values()]
    by_or, by_u = (found / samples).tolist()
    return pilot.power(DIFFERENCE, 6, 100, 0.95, "both"), by_or, by_u


def planned(samples: int, seed: int, jobs: int) -> None:
    """Power for a difference of 0.05 in other designs, from crossed pilots."""
    places = [(design, structure) for design in DESIGNS[1:] for structure in STRUCTURES]
    rows = Parallel(n_jobs=jobs)(delayed(planned_row)(samples, seed, *place) for place in places)
    print("design                structure | predicted  simulated or     u")
    for (design, structure), (predicted, by_or, by_u) in zip(places, rows, strict=True):
        print(f"{design:>21} {structure:>9} | {predicted:9.3f} {by_or:13.3f} {by_u:.3f}")
    print(f"{samples} samples each, simulation error {math.sqrt(0.25 / samples):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    tables = {"errors": errors, "bounds": bounds, "powers": powers, "designs": designs, "planned": planned}
    parser.add_argument("--only", choices=tuple(tables))
    given = parser.parse_args()
    for name, table in tables.items():
        if given.only in (None, name):
            table(given.samples, given.seed, given.jobs)


if __name__ == "__main__":
    main()
