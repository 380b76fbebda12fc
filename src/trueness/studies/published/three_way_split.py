"""The three-way split into training, validation and test cases, for k of k-NN, and how it fails with few cases
(Wu (2018), sections 1.3 and 1.4)."""

import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors

from trueness.checks import child
from trueness.figures.figure import Figure, Line, Panel
from trueness.plans.splits import KFold
from trueness.result.notes import Note
from trueness.studies.populations import two_gaussians
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Cell, Run
from trueness.studies.summary import entry, errors_last, mean, sd
from trueness.typing import Floats, Ints

NEIGHBOURS = (1, 3, 5, 7, 9)
POPULATION = two_gaussians(2, 1.5)
N_TRUTH = 2000  # test cases that measure the true error, new ones in every trial
SPLITS = {"1/10": (0.1, 0.1), "1/2": (0.5, 0.1)}  # shares of the validation and test set


def errors_of_k(train: tuple[Floats, Ints], test: tuple[Floats, Ints]) -> Floats:
    """(5,) error of k-NN for each k on a test set; all k share one search for neighbours."""
    (X, y), (X_test, y_test) = train, test
    most = min(max(NEIGHBOURS), len(y))
    nearest = NearestNeighbors(n_neighbors=most).fit(X).kneighbors(X_test, return_distance=False)
    votes = np.cumsum(y[nearest], axis=1)  # of class 1 among the first k
    return np.array([np.mean((votes[:, k - 1] > k / 2) != y_test) for k in np.minimum(NEIGHBOURS, most)])


def split_trial(size: int, seed: np.random.SeedSequence) -> dict[str, float]:
    """What each way of choosing k gives: the true error of its rule, and the error that it reports."""
    rng = np.random.default_rng(child(seed, 0))
    X, y = POPULATION.draw([size // 2, size - size // 2], rng)
    fresh = POPULATION.draw([N_TRUTH // 2] * 2, rng)
    order = rng.permutation(size)
    out: dict[str, float] = {}
    for name, (validation, test) in SPLITS.items():
        n_test, n_validation = round(test * size), round(validation * size)
        parts = np.split(order, [n_test, n_test + n_validation])
        held, check, train = ((X[part], y[part]) for part in parts)
        validated = errors_of_k(train, check)
        best = int(validated.argmin())
        true = errors_of_k(train, fresh)
        out |= {
            f"{name} true": float(true[best]),
            f"{name} regret": float(true[best] - true.min()),
            f"{name} validation": float(validated[best]),
            f"{name} test": float(errors_of_k(train, held)[best]),
        }
    folds = KFold(10).draw(y, rng=child(seed, 1)).folds
    assert folds is not None
    each = [errors_of_k((X[folds[0] != k], y[folds[0] != k]), (X[folds[0] == k], y[folds[0] == k])) for k in range(10)]
    pooled = np.mean(each, axis=0)
    best, true = int(pooled.argmin()), errors_of_k((X, y), fresh)
    return out | {
        "10-fold true": float(true[best]),
        "10-fold regret": float(true[best] - true.min()),
        "10-fold validation": float(pooled[best]),
        "10-fold test": np.nan,
    }


@study(
    "three-way-split",
    title="Training, validation and test set for k of k-NN, with few and with many cases",
    source="Wu (2018), sections 1.3 and 1.4",
    trials=200,
    sizes=(100, 1000, 10000),
    least=40,
)
def three_way_split(run: Run) -> StudyResult:
    cells = [Cell({"size": size}, (size,), size) for size in run.sizes]
    rows = []
    for size, frame in zip(run.sizes, run.simulate(cells, split_trial, chunk=10), strict=True):
        for name in (*SPLITS, "10-fold"):
            true = frame[f"{name} true"].to_numpy()
            row = {"size": size, "validation": name, **entry("true error", mean(true))}
            row |= entry("regret", mean(frame[f"{name} regret"].to_numpy()))
            row |= entry("optimism", mean(true - frame[f"{name} validation"].to_numpy()))
            if name in SPLITS:
                row |= entry("SD of test error", sd(frame[f"{name} test"].to_numpy() - true))
            rows.append(row)
    table = errors_last(pd.DataFrame(rows))
    return StudyResult(
        tables={"choice of k": table},
        claims=_claims(table, run.sizes),
        pictures=(_picture(table),),
        notes=(
            Note(
                "study-columns",
                text="true error: of the chosen rule. regret: by how much it is above that of the best k. optimism: true "
                "error − validation error of the chosen k. SD of test error: of test error − true error.",
            ),
            Note(
                "study-setting",
                text="k ∈ {1, 3, 5, 7, 9}; two normal classes in two dimensions, 1.5 apart. A tenth of the cases tests, a "
                "tenth or a half validates. 10-fold chooses k by cross-validation of all cases and has no test set.",
            ),
        ),
    )


def _claims(table: pd.DataFrame, sizes: tuple[int, ...]) -> tuple[Claim, ...]:
    at = table.set_index(["size", "validation"])
    small, large = min(sizes), max(sizes)
    few = at.loc[small, "1/10"]
    claims = [
        Claim(
            f"with {small} cases the validation error of the chosen k is optimistic",
            bool(few["optimism"] > 4 * few["optimism_mc"]),
            f"{few['optimism']:.3f} ± {few['optimism_mc']:.3f}",
        ),
        Claim(
            f"with {small} cases cross-validation gives a better rule than either split",
            all(at.loc[small, "10-fold"]["true error"] < at.loc[small, name]["true error"] for name in SPLITS),
            ", ".join(f"{name} {at.loc[small, name]['true error']:.3f}" for name in (*SPLITS, "10-fold")),
        ),
    ]
    if large >= 10 * small:
        many = at.loc[large, "1/10"]
        claims.append(
            Claim(
                f"with {large} cases optimism and noise of the split are less than a third of those with {small}",
                bool(many["optimism"] < few["optimism"] / 3 and many["SD of test error"] < few["SD of test error"] / 3),
                f"{many['optimism']:.3f}, {many['SD of test error']:.3f}",
            )
        )
    return tuple(claims)


def _picture(table: pd.DataFrame) -> Figure:
    names = (*SPLITS, "10-fold")
    of = {name: table[table["validation"] == name] for name in names}
    panels = tuple(
        Panel(
            tuple(Line(of[n]["size"], of[n][column], n, "o-", error=of[n][f"{column}_mc"]) for n in names),
            column,
            "cases",
            column,
        )
        for column in ("true error", "optimism")
    )
    return Figure("choice", panels, columns=2)
