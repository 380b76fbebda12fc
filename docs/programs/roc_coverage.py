"""Coverage of the 95 % intervals and bands of trueness.roc where the truth is known: binormal scores.

    python docs/programs/roc_coverage.py              prints the tables of docs/appendix/roc.md (some minutes)
    python docs/programs/roc_coverage.py --trials 50  a quick look

Negatives are N(0, 1), positives N(α/β, 1/β²), so that ROC(t) = Φ(α + βΦ⁻¹(t)) and AUC = Φ(α/√(1 + β²)). The share of
intervals that contain the truth has a Monte-Carlo error of √(.95·.05/trials): .005 for 2000 trials, .007 for 1000, .010
for 500, .013 for 300 and .022 for 100.

Three classes (equal variances only): output c is N(δ, 1) for class c and N(0, 1) for the others, so that Hand and
Till's AUC and each one against the rest are Φ(δ/√2).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from contextlib import suppress

import numpy as np
from scipy.special import ndtr, ndtri

from trueness.curves.empirical import EmpiricalRoc
from trueness.curves.fitted import BinormalRoc, NormalRoc, SemiparametricRoc, SmoothBinormal
from trueness.curves.multiclass import hand_till, one_against_rest
from trueness.errors import UndefinedError
from trueness.sample.scored import Scored

SIZES, AUCS = (30, 100, 1000), (0.6, 0.8, 0.95, 0.99)


class Truth:
    """A binormal population with this AUC and β."""

    def __init__(self, auc: float, beta: float) -> None:
        self.auc, self.beta = auc, beta
        self.alpha = float(ndtri(auc) * np.sqrt(1 + beta**2))
        grid = (np.arange(20000) + 0.5) / 20000
        self.part, self.small_part = (float(self.roc(grid * high).mean() * high) for high in (0.2, 0.05))
        self.upper_part = float(1 - self.inverse(0.8 + 0.2 * grid).mean()) * 0.2
        s = np.linspace(-6, 6 + self.alpha / beta, 200001)
        self.youden_threshold = float(s[np.argmax(ndtr(self.alpha - beta * s) - ndtr(-s))])

    def draw(self, n1: int, n0: int, rng: np.random.Generator) -> Scored:
        up = (self.alpha + rng.standard_normal(n1)) / self.beta
        return Scored(np.concatenate([up, rng.standard_normal(n0)]), np.arange(n1 + n0) < n1)

    def roc(self, t):
        return ndtr(self.alpha + self.beta * ndtri(t))

    def inverse(self, u):
        return ndtr((ndtri(u) - self.alpha) / self.beta)

    def rates(self, threshold: float) -> dict[str, float]:
        return {"tpf": float(ndtr(self.alpha - self.beta * threshold)), "fpf": float(ndtr(-threshold))}

    def outputs(self, n1: int, n0: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Outputs for three classes of n1, n0 and n0 cases."""
        codes = np.repeat([0, 1, 2], [n1, n0, n0])
        return rng.standard_normal((len(codes), 3)) + np.sqrt(2) * ndtri(self.auc) * np.eye(3)[codes], codes


def inside(limits, truth: float) -> bool:
    low, high = limits
    return bool(low - 1e-9 <= truth <= high + 1e-9)


def quick(c: EmpiricalRoc, truth: Truth, hits: dict) -> None:
    """Intervals of the empirical curve that are fast to compute."""
    hits["AUC, default"].append(inside(c.auc.ci(), truth.auc) if c.auc.has_interval else False)
    for se in ("delong", "q1q2", "hanley-mcneil"):
        area = c.auc_with(se)
        if area.se is not None:
            for method in ("logit", "wald"):
                hits[f"AUC, {se}, {method}"].append(inside(area.ci(method=method), truth.auc))
    part = c.partial_auc(fpf=(0, 0.2))
    for method in ("logit", "wald"):
        hits[f"partial AUC, FPF 0 to .2, {method}"].append(inside(part.ci(method=method), truth.part))
    hits["partial AUC, FPF 0 to .05, logit"].append(inside(c.partial_auc(fpf=(0, 0.05)).ci(), truth.small_part))
    hits["partial AUC, TPF .8 to 1, logit"].append(inside(c.partial_auc(tpf=(0.8, 1)).ci(), truth.upper_part))
    for t in (0.01, 0.02):
        hits[f"TPF at FPF = {t:g}, harrell-davis".replace("0.", ".")].append(
            inside(c.tpf_at(t).ci(), float(truth.roc(t)))
        )
    for method in ("harrell-davis", "wilson"):
        hits[f"TPF at FPF = .1, {method}"].append(inside(c.tpf_at(0.1).ci(method=method), float(truth.roc(0.1))))
    hits["FPF at TPF = .9, harrell-davis"].append(inside(c.fpf_at(0.9).ci(), float(truth.inverse(0.9))))
    hits["threshold at FPF = .1, order statistics"].append(inside(c.threshold_at(fpf=0.1).ci(), float(-ndtri(0.1))))
    hits["whole curve, kolmogorov band"].append(_whole(c.band(0.95, "kolmogorov"), truth))
    given(c, truth, hits)
    chosen(c, truth, hits)


def given(c: EmpiricalRoc, truth: Truth, hits: dict) -> None:
    """What a threshold does that was fixed before."""
    s = truth.youden_threshold
    true = truth.rates(s)
    point = c.at(s)
    hits["TPF at a given threshold, Wilson"].append(inside(point.tpf.ci(), true["tpf"]))
    f, t = point.joint_region(0.95)
    hits["(FPF, TPF) at a given threshold, rectangle"].append(inside(f, true["fpf"]) and inside(t, true["tpf"]))


def chosen(c: EmpiricalRoc, truth: Truth, hits: dict) -> None:
    """What a threshold does that was chosen on the same cases."""
    for name, asked in (("best(tpf=.9)", {"tpf": 0.9}), ("best(fpf=.1)", {"fpf": 0.1}), ("best()", {})):
        choice = c.best(**asked, n_resamples=0)
        true = truth.rates(choice.threshold)
        for rate in ("tpf", "fpf"):
            hits[f"{rate.upper()} of the threshold of {name}, Wilson"].append(inside(choice.ci(rate), true[rate]))
    hits["Youden's index of best(), without resamples"].append(inside(choice.ci("merit"), true["tpf"] - true["fpf"]))


def fitted(data: Scored, truth: Truth, hits: dict) -> None:
    """Intervals of the fitted curves."""
    curves: dict[str, SmoothBinormal] = {"normal theory": NormalRoc.of(data)}
    with suppress(UndefinedError):
        curves["binormal ML"] = BinormalRoc.of(data)
    hits["(binormal fit exists)"].append(len(curves) == 2)
    for name, b in curves.items():
        hits[f"AUC, {name}, logit"].append(inside(b.auc.ci(), truth.auc))
        hits[f"alpha, {name}, wald"].append(inside(b.alpha.ci(), truth.alpha))
        for method in ("log", "wald"):
            hits[f"beta, {name}, {method}"].append(inside(b.beta.ci(method=method), truth.beta))
        hits[f"TPF at FPF = .1, {name}, logit"].append(inside(b.tpf_at(0.1).ci(), float(truth.roc(0.1))))
        hits[f"partial AUC, FPF 0 to .2, {name}, logit"].append(inside(b.partial_auc(fpf=(0, 0.2)).ci(), truth.part))
        hits[f"whole curve, {name}, Working–Hotelling band"].append(_whole(b.band(0.95), truth))


def several(truth: Truth, n1: int, n0: int, hits: dict, rng: np.random.Generator) -> None:
    """Three classes."""
    scores, codes = truth.outputs(n1, n0, rng)
    hits["AUC of three classes, Hand–Till, logit"].append(inside(hand_till(codes, scores).ci(), truth.auc))
    hits["AUC of three classes, one against rest, logit"].append(
        inside(one_against_rest(codes, scores).ci(), truth.auc)
    )


def slow(data: Scored, truth: Truth, hits: dict, rng: np.random.Generator) -> None:
    """Intervals that resample."""
    c = EmpiricalRoc.of(data)
    hits["whole curve, fixed-width band"].append(_whole(c.band(0.95, "fixed-width", n_resamples=200, rng=rng), truth))
    hits["TPF at FPF = .1, bootstrap percentiles"].append(
        inside(c.band(0.95, "bootstrap", n_resamples=200, rng=rng).at(0.1), float(truth.roc(0.1)))
    )
    choice = c.best("youden", n_resamples=200, rng=rng)
    hits["Youden's threshold, bootstrap percentiles"].append(inside(choice.ci(), truth.youden_threshold))
    true = truth.rates(choice.threshold)
    hits["Youden's index of best(), with its optimism"].append(inside(choice.ci("merit"), true["tpf"] - true["fpf"]))
    for rate in ("tpf", "fpf"):
        name = f"{rate.upper()} of the threshold of best(), with its optimism"
        hits[name].append(inside(choice.ci(rate), true[rate]))
    area = SemiparametricRoc.of(data).auc
    if area.se:
        hits["AUC, semiparametric, jackknife, logit"].append(inside(area.ci(), truth.auc))


def _whole(band, truth: Truth) -> bool:
    roc = np.concatenate([[0.0], truth.roc(band.fpf[1:-1]), [1.0]])
    return bool(((band.low <= roc + 1e-9) & (roc <= band.high + 1e-9)).all())


def coverage(
    n1: int, n0: int, auc: float, beta: float = 1.0, trials: int = 2000, slow_trials: int = 300, rng: int = 0
) -> dict[str, float]:
    """Share of the intervals that contain the truth."""
    truth, seed = Truth(auc, beta), [rng, n1, n0, int(auc * 1000), int(beta * 1000)]
    generator, others = (np.random.default_rng([*seed, *more]) for more in ((), (1,)))
    hits: dict[str, list[bool]] = defaultdict(list)
    for trial in range(trials):
        data = truth.draw(n1, n0, generator)
        quick(EmpiricalRoc.of(data), truth, hits)
        fitted(data, truth, hits)
        if beta == 1:
            several(truth, n1, n0, hits, others)
        if trial < slow_trials:
            slow(data, truth, hits, generator)
    return {name: float(np.mean(values)) for name, values in sorted(hits.items())}


def table(settings: list[tuple[str, dict[str, float]]]) -> str:
    """A Markdown table with one row per interval and one column per setting."""
    names = sorted({name for _, column in settings for name in column})
    lines = ["| interval | " + " | ".join(head for head, _ in settings) + " |", "|---" * (len(settings) + 1) + "|"]
    for name in names:
        cells = [f"{column[name]:.3f}".lstrip("0") if name in column else "" for _, column in settings]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=2000)
    asked = parser.parse_args()
    for n in SIZES:
        trials = asked.trials if n < 1000 else max(asked.trials // 4, 1)
        few = min(trials, 300 if n < 1000 else 100)
        columns = [(f"AUC {a:g}", coverage(n, n, a, trials=trials, slow_trials=few)) for a in AUCS]
        head = f"{n} cases per class, equal variances ({trials} trials; resampling ones {few})"
        print(f"### {head}\n\n{table(columns)}\n", flush=True)
    trials, few = asked.trials // 2, min(asked.trials // 2, 100)
    columns = [
        (f"{n1} + {n0}, AUC {a:g}", coverage(n1, n0, a, 0.5, trials=trials, slow_trials=few))
        for n1, n0 in ((30, 30), (100, 100), (15, 150))
        for a in (0.8, 0.95, 0.99)
    ]
    head = f"Positives with twice the SD of the negatives, β = ½ ({trials} trials; resampling ones {few})"
    print(f"### {head}\n\n{table(columns)}\n", flush=True)
    columns = [
        (f"150 + 15, AUC {a:g}", coverage(150, 15, a, 2.0, trials=trials, slow_trials=few)) for a in (0.8, 0.95, 0.99)
    ]
    head = f"Negatives with twice the SD of the positives, β = 2 ({trials} trials; resampling ones {few})"
    print(f"### {head}\n\n{table(columns)}")


if __name__ == "__main__":
    main()
