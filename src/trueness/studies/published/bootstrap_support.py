"""How many different cases a bootstrap replicate holds, .632 n or .5 n.

Yousef, AUC: Nonparametric Estimators, figure 7 and lemma 2.
"""

import numpy as np
import pandas as pd

from trueness.checks import child
from trueness.estimators.estimation import estimate
from trueness.figures.figure import Figure, Line, Panel
from trueness.plans.bootstrap import Bootstrap
from trueness.result.notes import Note
from trueness.studies.evaluation import Setting, cells_of, evaluation_trial
from trueness.studies.models import qda
from trueness.studies.populations import two_gaussians
from trueness.studies.published.auc_estimators import DISTANCE, N_FEATURES, printed
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, mean
from trueness.studies.trial import Trial
from trueness.typing import Ints

ORDERED, UNORDERED = 0.632, 0.5
REPLICATES = 50  # per trial of the support
MIN_TRIALS_TO_DISTINGUISH = 300  # trials per size from which the two can be distinguished


def ordered_support(n: int) -> float:
    """Share of cases in a bootstrap replicate of ordered draws: 1 − (1 − 1/n)^n  (Yousef, ML Assessment, eq. 35)."""
    return 1 - (1 - 1 / n) ** n


def unordered_support(n: int) -> float:
    """Share of cases in a multiset drawn uniformly: n/(2n − 1)  (Yousef, AUC: Nonparametric Estimators, lemma 2)."""
    return n / (2 * n - 1)


def support_sd(n: int, ordered: bool) -> float:
    """SD of the share of cases in one replicate.

    Ordered: Var D = n(n − 1)(1 − 2/n)^n + n(1 − 1/n)^n − n²(1 − 1/n)^(2n) for D different cases. Unordered: D is
    hypergeometric, P(D = d) = C(n, d) C(n − 1, d − 1)/C(2n − 1, n), and Var D = n²(n − 1)/(2(2n − 1)²).
    """
    missing = (1 - 1 / n) ** n
    of_draws = n * (n - 1) * (1 - 2 / n) ** n + n * missing - (n * missing) ** 2
    return float(np.sqrt(of_draws if ordered else n**2 * (n - 1) / (2 * (2 * n - 1) ** 2)) / n)


def multiset_counts(rng: np.random.Generator, n: int, rows: int) -> Ints:
    """(rows, n) counts uniform over the C(2n − 1, n) multisets of size n.

    Stars and bars: a multiset is a choice of n − 1 bars among 2n − 1 places; a count is the number of stars between two
    bars (Yousef, AUC: Nonparametric Estimators and Their Smoothness, lemma 2).
    """
    keys = rng.random((rows, 2 * n - 1))
    bars = np.sort(np.argpartition(keys, n - 1, axis=1)[:, : n - 1], axis=1)
    edges = np.concatenate([np.full((rows, 1), -1), bars, np.full((rows, 1), 2 * n - 1)], axis=1)
    return np.diff(edges, axis=1) - 1


def star(trial: Trial) -> float:
    return estimate(trial.fits(), "auc", "star").value


def support_trial(n: int, seed: np.random.SeedSequence) -> dict[str, float]:
    """Share of cases in a replicate of each kind, the mean of REPLICATES."""
    y = np.arange(n) % 2
    design = Bootstrap(REPLICATES, stratified=False).draw(y, rng=child(seed, 0))
    multisets = multiset_counts(np.random.default_rng(child(seed, 1)), n, REPLICATES)
    return {"ordered": float((design.counts > 0).mean()), "unordered": float((multisets > 0).mean())}


@study(
    "bootstrap-support",
    title="The support of the bootstrap: n/.632 and n/.5",
    source="Yousef, AUC: Nonparametric Estimators, figure 7 and lemma 2",
    trials=300,
    sizes=(20, 30, 50, 80),
    least=15,
    resamples=100,
    test_size=20_000,
)
def bootstrap_support(run: Run) -> StudyResult:
    cells = _cells(run)
    frames = dict(zip((c.settings.size[0] for c in cells), run.simulate(cells, evaluation_trial), strict=True))
    table = _rescaled(run.sizes, frames)
    shares = _shares(run)
    return StudyResult(
        tables={"star at larger samples": table, "support": shares},
        printed=_from_table_2(run.sizes),
        claims=_claims(table, shares, run.trials),
        pictures=(_picture(table, shares),),
        notes=(
            Note(
                "study-setting",
                text="Published numbers are those of Yousef, ML Assessment, table 2, at sizes where it has both n and 2n.",
            ),
        ),
    )


def _cells(run: Run) -> list[Cell[Setting]]:
    """n, n/.632 and n/.5 for every size, each once."""
    sizes = sorted({m for n in run.sizes for m in (n, round(n / ORDERED), round(n / UNORDERED))})
    plan = Bootstrap(run.options["resamples"])
    return cells_of(
        run,
        two_gaussians(N_FEATURES, DISTANCE),
        qda(),
        {"star": star},
        "auc",
        plan,
        sizes,
        run.options["test_size"],
        exact=False,
    )


def _rescaled(sizes: tuple[int, ...], frames: dict[int, pd.DataFrame]) -> pd.DataFrame:
    rows = []
    for n in sizes:
        row: dict[str, float] = {"size": n}
        for name, m, column in (
            ("true", n, "true"),
            ("star at n", n, "star"),
            ("star at n/.632", round(n / ORDERED), "star"),
            ("star at n/.5", round(n / UNORDERED), "star"),
        ):
            row |= entry(name, mean(frames[m][column].to_numpy()))
        rows.append(row)
    return pd.DataFrame(rows)


def _shares(run: Run) -> pd.DataFrame:
    sizes = (5, 10, 20, 50, 200)
    frames = run.simulate([Cell({"n": n}, (n, 0), n) for n in sizes], support_trial, chunk=100, label="support")
    rows = []
    for n, frame in zip(sizes, frames, strict=True):
        row: dict[str, float] = {"n": n}
        for kind, exact in (("ordered", ordered_support(n)), ("unordered", unordered_support(n))):
            row[f"{kind}, exact"] = exact
            row |= entry(kind, mean(frame[kind].to_numpy()))
        rows.append(row)
    return pd.DataFrame(rows)


def _from_table_2(sizes: tuple[int, ...]) -> pd.DataFrame:
    table = printed().set_index(["size", "estimator"])["mean"]
    rows = [
        {"size": n, "true": table[n, "true"], "star at n": table[n, "star"], "star at n/.5": table[2 * n, "star"]}
        for n in sizes
        if (n, "true") in table.index and (2 * n, "star") in table.index
    ]
    return pd.DataFrame(rows)


def _claims(table: pd.DataFrame, shares: pd.DataFrame, trials: int) -> tuple[Claim, ...]:
    """Claims over all sizes together: a single size has too few trials to distinguish 79 from 100 cases."""

    def above(upper: str, lower: str) -> tuple[float, float]:
        """Mean difference of two columns over sizes, and the same in Monte Carlo errors."""
        error = np.sqrt((table[f"{upper}_mc"] ** 2 + table[f"{lower}_mc"] ** 2).sum()) / len(table)
        found = float((table[upper] - table[lower]).mean())
        return found, found / float(error)

    below, above_it = above("true", "star at n/.632"), above("star at n/.5", "true")
    apart = above("star at n/.5", "star at n/.632")
    worst = 0.0
    for kind in ("ordered", "unordered"):
        spread = np.array([support_sd(int(n), kind == "ordered") for n in shares["n"]])
        z = (shares[kind] - shares[f"{kind}, exact"]) / (spread / np.sqrt(REPLICATES * trials))
        worst = max(worst, float(z.abs().max()))
    enough = trials >= MIN_TRIALS_TO_DISTINGUISH
    return (
        Claim(
            "over all sizes, star at n/.632 is below the true mean at n and star at n/.5 above it: "
            + (
                "by 2 Monte Carlo errors each, and they are 4 apart"
                if enough
                else "not contradicted with this few trials"
            ),
            below[1] > 2 and above_it[1] > 2 and apart[1] > 4 if enough else min(below[1], above_it[1]) > -3,
            f"below by {below[0]:.4f} ({below[1]:.1f} errors), above by {above_it[0]:.4f} ({above_it[1]:.1f}), apart "
            f"by {apart[0]:.4f} ({apart[1]:.1f})",
        ),
        Claim(
            "the support is 1 − (1 − 1/n)^n for ordered and n/(2n − 1) for unordered draws (within 4 Monte Carlo "
            "errors)",
            worst < 4,
            f"largest {worst:.1f}",
        ),
    )


def _picture(table: pd.DataFrame, shares: pd.DataFrame) -> Figure:
    names = ("true", "star at n", "star at n/.632", "star at n/.5")
    marks = tuple(
        Line(table["size"], table[n], n, "-o", "ink" if n == "true" else None, error=table[f"{n}_mc"]) for n in names
    )
    support = tuple(
        Line(shares["n"], shares[column], column, style)
        for column, style in (("ordered", "o"), ("ordered, exact", "-"), ("unordered", "s"), ("unordered, exact", "--"))
    )
    return Figure(
        "support",
        (
            Panel(
                marks,
                "true mean AUC, and star at larger samples",
                "cases per class n",
                "mean AUC",
                x_log=True,
                x_ticks=_ticks(table["size"]),
            ),
            Panel(support, "share of cases in a replicate", "n", "share", x_log=True, x_ticks=_ticks(shares["n"])),
        ),
    )


def _ticks(sizes: pd.Series) -> dict[float, str]:
    return {float(n): str(int(n)) for n in sizes}
