"""How often 95 % intervals cover where cases come in groups, with groups given and with groups ignored.

    python docs/programs/groups_coverage.py [trials] [tests]

Prints the tables of docs/appendix/groups.md, or with "tests" the last of them alone. Scores: δ·y + √.3 u_group + √.7 e, so
that two scores of one class and group have the correlation .3. Proportions: beta-binomial with intraclass correlation .3.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator

import numpy as np
from scipy import integrate
from scipy.special import ndtr, ndtri

import trueness
from trueness import comparisons

ICC = 0.3
DELTA = 1.5
PREVALENCE = 0.4
CUT = 0.75


def sizes_of(rng: np.random.Generator, groups: int) -> np.ndarray:
    """(n,) groups of 3 to 8 cases."""
    return np.repeat(np.arange(groups), rng.integers(3, 9, groups))


def scored(rng: np.random.Generator, groups: int, pure: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, scores and groups; `pure`: all cases of a group are of one class."""
    g = sizes_of(rng, groups)
    y = (rng.random(groups) < PREVALENCE).astype(int)[g] if pure else (rng.random(len(g)) < PREVALENCE).astype(int)
    s = DELTA * y + math.sqrt(ICC) * rng.normal(size=groups)[g] + math.sqrt(1 - ICC) * rng.normal(size=len(g))
    return y, s, g


def roc(t: float) -> float:
    return float(ndtr(DELTA + ndtri(t)))


def average_precision() -> float:
    def precision(c: float) -> float:
        up, down = PREVALENCE * ndtr(DELTA - c), (1 - PREVALENCE) * ndtr(-c)
        return float(up / (up + down) * math.exp(-((c - DELTA) ** 2) / 2) / math.sqrt(2 * math.pi))

    return float(integrate.quad(precision, -8, 10)[0])


TPF, FPF = float(ndtr(DELTA - CUT)), float(ndtr(-CUT))
PPV = PREVALENCE * TPF / (PREVALENCE * TPF + (1 - PREVALENCE) * FPF)
ACCURACY = PREVALENCE * TPF + (1 - PREVALENCE) * (1 - FPF)
MCC = (
    (TPF - FPF)
    * math.sqrt(PREVALENCE * (1 - PREVALENCE))
    / math.sqrt((q := PREVALENCE * TPF + (1 - PREVALENCE) * FPF) * (1 - q))
)

Case = tuple[str, float, Callable[[np.ndarray, np.ndarray, np.ndarray | None], trueness.Estimate]]
CASES: list[Case] = [
    ("AUC", float(ndtr(DELTA / math.sqrt(2))), lambda y, s, g: trueness.roc(y, s, groups=g).auc),
    (
        "partial AUC, FPF 0 to .3",
        float(integrate.quad(roc, 0, 0.3)[0]),
        lambda y, s, g: trueness.roc(y, s, groups=g).partial_auc(fpf=(0, 0.3)),
    ),
    ("TPF at FPF .2", roc(0.2), lambda y, s, g: trueness.roc(y, s, groups=g).tpf_at(0.2)),
    ("FPF at TPF .9", 1 - float(ndtr(DELTA - ndtri(0.9))), lambda y, s, g: trueness.roc(y, s, groups=g).fpf_at(0.9)),
    ("average precision", average_precision(), lambda y, s, g: trueness.pr(y, s, groups=g).average_precision),
    ("TPF at a threshold", TPF, lambda y, s, g: trueness.diagnose(y, s > CUT, groups=g).tpf),
    ("FPF at a threshold", FPF, lambda y, s, g: trueness.diagnose(y, s > CUT, groups=g).fpf),
    ("PPV", PPV, lambda y, s, g: trueness.diagnose(y, s > CUT, groups=g).ppv),
    ("accuracy", ACCURACY, lambda y, s, g: trueness.diagnose(y, s > CUT, groups=g).accuracy),
    ("Youden's index", TPF - FPF, lambda y, s, g: trueness.diagnose(y, s > CUT, groups=g).youden),
    ("DLR+", TPF / FPF, lambda y, s, g: trueness.diagnose(y, s > CUT, groups=g).dlr_positive),
    ("MCC", MCC, lambda y, s, g: trueness.diagnose(y, s > CUT, groups=g).mcc),
]


def of_scores(groups: int, pure: bool, trials: int) -> Iterator[str]:
    rng = np.random.default_rng([groups, pure])
    hits = np.zeros((len(CASES), 2))
    for _ in range(trials):
        y, s, g = scored(rng, groups, pure)
        for k, (_, truth, estimate) in enumerate(CASES):
            hits[k] += [estimate(y, s, given).ci().covers(truth) for given in (g, None)]
    for (name, _, _), (given, ignored) in zip(CASES, hits / trials, strict=True):
        yield f"| {name} | {groups} | {'one class' if pure else 'both classes'} | {given:.3f} | {ignored:.3f} |"


def of_proportions(groups: int, p: float, trials: int) -> Iterator[str]:
    rng = np.random.default_rng([groups, int(100 * p)])
    a = (1 - ICC) / ICC  # Beta(p a, (1 − p) a) has the intraclass correlation 1/(1 + a)
    methods = ("wilson", "exact", "jeffreys", "logit")
    hits = np.zeros((len(methods), 2))
    for _ in range(trials):
        n = np.bincount(sizes_of(rng, groups))
        x = rng.binomial(n, rng.beta(p * a, (1 - p) * a, groups))
        for k, method in enumerate(methods):
            hits[k, 0] += trueness.tables.proportion_interval(x, n, method, groups=np.arange(len(n))).covers(p)
            hits[k, 1] += trueness.tables.proportion_interval(int(x.sum()), int(n.sum()), method).covers(p)
    for method, (given, ignored) in zip(methods, hits / trials, strict=True):
        yield f"| {p:g}, {method} | {groups} | | {given:.3f} | {ignored:.3f} |"


def of_tests(groups: int, trials: int) -> Iterator[str]:
    """Type I errors of the tests of two rules that are equally good; each has its own effect of a group."""
    rng = np.random.default_rng(groups)
    wrong = np.zeros((5, 2))
    covered = np.zeros(2)
    for _ in range(trials):
        y, s, g = scored(rng, groups, pure=True)
        own = math.sqrt(ICC) * rng.normal(size=groups)[g] + math.sqrt(1 - ICC) * rng.normal(size=len(g))
        other = DELTA * y + 0.6 * (s - DELTA * y) + 0.8 * own
        one, two = s > CUT, other > CUT
        for k, given in enumerate((g, None)):
            wrong[0, k] += comparisons.delong(y, s, other, groups=given).p_value < 0.05
            test = comparisons.mcnemar(y, one, two, groups=given, method=None if given is not None else "chi2")
            wrong[1, k] += test.p_value < 0.05
            covered[k] += test.difference.ci().covers(0)
            more = {"n_resamples": 200, "rng": rng, "groups": given}
            wrong[2, k] += comparisons.at_fpf(y, s, other, 0.2, **more).p_value < 0.05
            wrong[3, k] += comparisons.partial_auc(y, s, other, fpf=(0, 0.3), **more).p_value < 0.05
            half = (g % 2 == 0, g % 2 == 1)  # two test sets
            sets = {f"{name}{i + 1}": v[of] for i, of in enumerate(half) for name, v in (("y", y), ("s", s))}
            if given is not None:
                sets |= {f"groups{i + 1}": g[of] for i, of in enumerate(half)}
            wrong[4, k] += comparisons.delong_unpaired(**sets).p_value < 0.05
    names = ("DeLong", "McNemar", "TPF at FPF .2", "partial AUC, FPF 0 to .3", "DeLong, two sets of 20 groups")
    for name, (given, ignored) in zip(names, wrong / trials, strict=True):
        yield f"| {name}, type I error at .05 | {groups} | one class | {given:.3f} | {ignored:.3f} |"
    given, ignored = covered / trials
    yield f"| difference of error rates | {groups} | one class | {given:.3f} | {ignored:.3f} |"


if __name__ == "__main__":
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| interval | groups | a group has | groups given | groups ignored |\n|---|---|---|---|---|")
    if "tests" not in sys.argv[2:]:
        for groups, pure in ((40, False), (40, True), (15, False)):
            print(*of_scores(groups, pure, trials), sep="\n", flush=True)
        for groups, p in ((40, 0.3), (40, 0.1), (15, 0.3)):
            print(*of_proportions(groups, p, trials), sep="\n", flush=True)
    print(*of_tests(40, trials), sep="\n", flush=True)
