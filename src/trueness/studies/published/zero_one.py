"""Bias and variance of classifiers under 0–1 loss  (Domingos (2000); Wu (2018), section 4.3)."""

from collections.abc import Callable

import pandas as pd

from trueness.figures.figure import Figure, Line, Panel
from trueness.result.notes import Note
from trueness.studies.bias_and_variance import bias_variance
from trueness.studies.models import lda, nearest_neighbours, qda, tree
from trueness.studies.populations import Population, highleyman, two_gaussians
from trueness.studies.published.error_estimators import exclusive_or
from trueness.studies.registry import study
from trueness.studies.result import Claim, StudyResult
from trueness.studies.runner import Run
from trueness.studies.summary import entry, errors_last
from trueness.tables.bayes import bayes_error
from trueness.typing import Classifier

MODELS: dict[str, Callable[[], Classifier]] = {
    "LDA": lda,
    "QDA": qda,
    "tree": tree,
    "1-NN": lambda: nearest_neighbours(1),
    "5-NN": lambda: nearest_neighbours(5),
    "15-NN": lambda: nearest_neighbours(15),
}
POPULATIONS: dict[str, Population] = {
    "two Gaussians, Δ = 1.5": two_gaussians(2, 1.5),
    "Highleyman": highleyman(),
    "exclusive or": exclusive_or(),
}


@study(
    "zero-one-bias-variance",
    title="Bias and variance of classifiers under 0–1 loss",
    source="Wu (2018), section 4.3; Domingos (2000)",
    trials=100,
    sizes=(25,),
    least=8,  # 15 neighbours
    points=4000,
)
def zero_one(run: Run) -> StudyResult:
    """Trials are training sets of `size` cases per class."""
    rows = []
    for i, (where, population) in enumerate(POPULATIONS.items()):
        best = bayes_error(population, rng=run.shared_seed(i))
        for size in run.sizes:
            for name, make in MODELS.items():
                found = bias_variance(
                    make(),
                    population,
                    (size, size),
                    training_sets=max(run.trials, 2),
                    points=run.options["points"],
                    rng=run.shared_seed(i, size),
                )
                rows.append(
                    {
                        "population": where,
                        "size": size,
                        "model": name,
                        **found.row(),
                        **found.sides,
                        **entry("Bayes error", (best.value, best.mc_se or 0.0)),  # 0: by a formula
                    }
                )
    table = errors_last(pd.DataFrame(rows))
    return StudyResult(
        tables={"decomposition": table},
        claims=_claims(table),
        pictures=(_picture(table),),
        notes=(
            Note(
                "study-columns",
                text="error = bias + variance + noise. variance is that at unbiased points minus that at biased ones, where "
                "variability makes a rule right at times; noise is weighted by how often the rule agrees with the "
                "Bayes rule. Training sets and points are the same for all models of a population, so differences of "
                "rows are more precise than their Monte Carlo errors suggest.",
            ),
        ),
    )


def _claims(table: pd.DataFrame) -> tuple[Claim, ...]:
    rest = (table["bias"] + table["variance"] + table["noise"] - table["error"]).abs().max()
    net = (table["unbiased variance"] - table["biased variance"] - table["variance"]).abs().max()
    at = table.set_index(["population", "size", "model"])["variance"].unstack("model")
    linear = table[(table["population"] == "exclusive or")].set_index("model")["bias"]
    return (
        Claim("error = bias + variance + noise, exactly", bool(rest < 1e-12), f"{rest:.0e}"),
        Claim(
            "variance = variance at unbiased points − variance at biased points, exactly",
            bool(net < 1e-12),
            f"{net:.0e}",
        ),
        Claim(
            "1-NN has a larger variance than 15-NN, on average over the populations",
            bool(at["1-NN"].mean() > at["15-NN"].mean()),
            f"{at['1-NN'].mean():.3f} and {at['15-NN'].mean():.3f}",
        ),
        Claim(
            "LDA has the largest bias where the classes are an exclusive or",
            linear.groupby(level=0).mean().idxmax() == "LDA",
            ", ".join(f"{m} {v:.2f}" for m, v in linear.groupby(level=0, sort=False).mean().items()),
        ),
    )


def _picture(table: pd.DataFrame) -> Figure:
    panels = []
    for where, part in table.groupby("population", sort=False):
        part = part[part["size"] == part["size"].iloc[0]]
        at = [float(i) for i in range(len(part))]
        marks = tuple(
            Line(at, part[name], name, style, color)
            for name, style, color in (
                ("error", "-o", "ink"),
                ("bias", "o", "C0"),
                ("variance", "s", "C1"),
                ("noise", "^", "C2"),
            )
        )
        panels.append(Panel(marks, str(where), "", "0–1 loss", x_ticks=dict(zip(at, part["model"], strict=True))))
    return Figure("parts", tuple(panels))
