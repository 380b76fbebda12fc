"""Tables and figure of the accuracy of estimators: Yousef, ML Assessment, table 2, eq. 63 and figure 2."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import pandas as pd

from trueness.figures.figure import Figure, Line, Panel
from trueness.studies.runner import Cell
from trueness.studies.summary import accuracy, constant, decomposition, errors_last, mean

SE = " (se)"  # suffix of the standard error of an estimate in a trial

S = TypeVar("S")


def accuracy_table(cells: Sequence[Cell[S]], frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One row per cell and estimator, as in Yousef, ML Assessment, table 2, with Monte Carlo errors.

    A row summarises the trials in which the estimator is not NaN; `answered` is their share, shown unless it is 1
    everywhere.
    """
    rows = []
    for cell, frame in zip(cells, frames, strict=True):
        truth = frame["true"].to_numpy()
        for name in frame.columns:
            if name.endswith(SE):
                continue
            x = frame[name].to_numpy()
            known = ~np.isnan(x)
            row = {**cell.labels, "estimator": name, "answered": known.mean()}
            row |= accuracy(x[known], truth[known]) if known.sum() > 1 else {}
            if f"{name}{SE}" in frame:
                given = frame[f"{name}{SE}"].dropna().to_numpy()
                row["mean_se"], row["mean_se_mc"] = mean(given) if len(given) else (np.nan, np.nan)
            rows.append(row)
    table = pd.DataFrame(rows).dropna(axis="columns", how="all")
    return errors_last(table.drop(columns="answered") if (table["answered"] == 1).all() else table)


def decomposition_table(cells: Sequence[Cell[S]], frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One row per cell and estimator: the four parts of Yousef, ML Assessment, eq. 63."""
    rows = []
    for cell, frame in zip(cells, frames, strict=True):
        truth = frame["true"].to_numpy()
        for name in frame.columns:
            x = frame[name].to_numpy()
            known = ~np.isnan(x)
            if name == "true" or name.endswith(SE) or known.sum() < 2 or constant(x[known]) or constant(truth[known]):
                continue
            rows.append({**cell.labels, "estimator": name, **decomposition(x[known], truth[known])})
    return pd.DataFrame(rows)


def means_picture(table: pd.DataFrame, metric: str) -> Figure:
    """Mean of every estimator against size, as in Yousef, ML Assessment, figure 2."""
    extra = [c for c in ("population", "model") if c in table]
    panels = []
    for key, part in table.groupby(extra, sort=False) if extra else [((), table)]:
        sizes = list(dict.fromkeys(part["size"]))
        numeric = all(np.isreal(size) for size in sizes)
        at = {size: float(size) if numeric else float(i) for i, size in enumerate(sizes)}
        marks = tuple(
            Line(
                [at[s] for s in rows["size"]],
                rows["mean"],
                label="true mean" if name == "true" else name,
                style="-o",
                color="ink" if name == "true" else None,
                error=rows["mean_mc"],
            )
            for name, rows in part.groupby("estimator", sort=False)
        )
        ticks = {at[s]: str(s) for s in (spaced(sizes) if numeric else sizes)}
        panels.append(
            Panel(
                marks,
                ", ".join(map(str, key)),
                "cases per class",
                f"mean {metric}",
                x_log=numeric,
                x_ticks=ticks,
            )
        )
    return Figure("means", tuple(panels), columns=3)


def spaced(sizes: Sequence[int]) -> list[int]:
    """Sizes with enough room between them for tick labels on a log axis."""
    kept: list[int] = []
    for size in sizes:
        if not kept or size / kept[-1] >= 1.2:
            kept.append(size)
    return kept
