"""The runner: trials in chunks, one seed per trial, all cores, and a store to continue from."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import pandas as pd

from trueness.checks import check_workers, child
from trueness.errors import InputError
from trueness.fitting.progress import Progress
from trueness.fitting.workers import run_chunks
from trueness.studies.store import TrialStore
from trueness.typing import Floats

SHARED, TRIAL = 0, 1  # first spawn key of what all trials share (a test set), and of the trials

S = TypeVar("S")
TrialFunction = Callable[[S, np.random.SeedSequence], Mapping[str, float]]
"""Settings of a cell and seed of a trial → the numbers of the trial, by name."""

Numbers = tuple[list[str], Floats]
"""Names (K,) and numbers (trials, K)."""


@dataclass(frozen=True)
class Cell(Generic[S]):
    """One setting of a study: a size, a model, a population.

    Attributes
    ----------
    labels : mapping
        How tables name it, e.g. {"size": 20, "model": "qda"}.
    key : tuple of int
        Where the seeds of its trials come from. Cells with the same key see the same cases, so that models are
        compared on them. The numbers of a cell do not depend on the other cells.
    settings
        Passed to the trial function.
    share : float, default 1
        Fraction of the trials of the run that the cell gets: less than 1 where a trial is expensive.
    """

    labels: Mapping[str, object]
    key: tuple[int, ...]
    settings: S
    share: float = 1.0

    @property
    def name(self) -> str:
        return json.dumps(dict(self.labels), sort_keys=True, default=str)


@dataclass(frozen=True, eq=False)
class Run:
    """How a study is run: the arguments of `trueness.studies.run`, checked.

    Attributes
    ----------
    trials : int
        Monte Carlo trials per cell.
    sizes : tuple of int
        Sample sizes, where the study has any.
    seed : SeedSequence
        Parent of all seeds.
    n_jobs : int or None
        Number of parallel workers.
    progress : bool or None
        Whether to show a progress bar.
    store : path or None
        File that keeps the trials.
    options : mapping of str to int
        Further settings of the study.
    recipe : mapping
        What the numbers of a trial depend on; the store compares it.
    """

    trials: int
    sizes: tuple[int, ...]
    seed: np.random.SeedSequence
    n_jobs: int | None = None
    progress: bool | None = None
    store: str | Path | None = None
    options: Mapping[str, int] = field(default_factory=dict)
    recipe: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_workers(self.n_jobs)

    def open_store(self) -> TrialStore | None:
        """The trials done so far; an error where the file belongs to another study or cannot be written."""
        return None if self.store is None else TrialStore(self.store, self.recipe)

    def shared_seed(self, *key: int) -> np.random.SeedSequence:
        """Seed of what all trials share."""
        return child(self.seed, SHARED, *key)

    def trial_seed(self, cell: Cell[S], trial: int) -> np.random.SeedSequence:
        """Seed of one trial; it does not depend on the order of work, on other cells or on the number of trials."""
        return child(self.seed, TRIAL, *cell.key, trial)

    def simulate(
        self, cells: Sequence[Cell[S]], trial: TrialFunction[S], chunk: int = 20, label: str = "trials"
    ) -> list[pd.DataFrame]:
        """One table per cell with one row per trial.

        Parameters
        ----------
        cells : sequence of Cell
            With different labels.
        trial : callable
            Called with the settings of the cell and the seed of the trial. It must be a module-level function, so
            that other processes find it.
        chunk : int, default 20
            Trials that are computed together. Part of the study: n_jobs does not change it.
        label : str, default "trials"
            On the progress bar and in the store; two calls within one study need different labels.
        """
        if len({cell.name for cell in cells}) < len(cells):
            raise InputError("Two cells have the same labels", got=[cell.name for cell in cells])
        store = self.open_store()
        pieces = [piece for cell in cells for piece in self._pieces(cell, chunk)]
        # all cells advance together: the time left is right, and an interrupted run has trials of every cell
        pieces.sort(key=lambda piece: piece[1] / piece[0].share)
        done: dict[tuple[str, int], Numbers] = {}
        if store is not None:
            for cell, start, stop in pieces:
                found = store.get(f"{label} {cell.name}", start, stop)
                if found is not None:
                    done[cell.name, start] = found
        missing = [piece for piece in pieces if (piece[0].name, piece[1]) not in done]
        settings = {cell.name: cell for cell in cells}

        def arguments(piece: tuple[str, int, int]) -> tuple[S, list[np.random.SeedSequence]]:
            cell = settings[piece[0]]
            return cell.settings, [self.trial_seed(cell, g) for g in range(*piece[1:])]

        names = [(cell.name, start, stop) for cell, start, stop in missing]
        with Progress(sum(stop - start for _, start, stop in names), self.progress, label) as bar:
            for (name, start, stop), (columns, numbers) in run_chunks(run_chunk, trial, names, arguments, self.n_jobs):
                bar.advance(stop - start)
                done[name, start] = columns, numbers
                if store is not None:
                    store.put(f"{label} {name}", start, stop, columns, numbers)
        return [_joined([done[cell.name, start] for _, start, _ in self._pieces(cell, chunk)]) for cell in cells]

    def _pieces(self, cell: Cell[S], chunk: int) -> list[tuple[Cell[S], int, int]]:
        """A cell, and the first and last trial of each of its chunks."""
        trials = max(1, round(cell.share * self.trials))
        return [(cell, start, min(start + chunk, trials)) for start in range(0, trials, chunk)]


def run_chunk(trial: TrialFunction[S], settings: S, seeds: Sequence[np.random.SeedSequence]) -> Numbers:
    """Some trials of one cell."""
    rows = [trial(settings, seed) for seed in seeds]
    columns = list(rows[0])
    if any(list(row) != columns for row in rows):
        raise InputError("A trial must return the same names every time", got=[list(row) for row in rows[:2]])
    return columns, np.array([[float(row[name]) for name in columns] for row in rows])


def _joined(chunks: list[Numbers]) -> pd.DataFrame:
    return pd.DataFrame(np.concatenate([numbers for _, numbers in chunks]), columns=chunks[0][0])
