"""The runner: trials in chunks, one seed child a trial, all cores, and a store to go on from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from karat.errors import InputError
from karat.fitting.tasks import ordered
from karat.sample.seeds import child
from karat.sample.workers import check_workers
from karat.studies.store import TrialStore

SHARED, TRIAL = 0, 1  # the first spawn key of what all trials share (a test set) and of the trials

# settings of a cell, seed of the trial → the numbers of one trial, by name
TrialFunction = Callable[[Any, np.random.SeedSequence], Mapping[str, float]]


@dataclass(frozen=True)
class Cell:
    """One setting of a study: a size, a model, a population.

    Attributes
    ----------
    labels
        What tables call it, e.g. {"size": 20, "model": "qda"}.
    key
        Whole numbers that its trials' seeds come from. Cells with the same key see the same cases, so that
        models are compared on them; a cell has the same numbers whichever other cells run beside it.
    settings
        What the trial function gets.
    share
        The part of the run's trials that it gets: less than 1 where a trial is dear.
    """

    labels: Mapping[str, Any]
    key: tuple[int, ...]
    settings: Any = None
    share: float = 1.0

    @property
    def name(self) -> str:
        return json.dumps(dict(self.labels), sort_keys=True, default=str)


@dataclass(frozen=True, eq=False)
class Run:
    """How a study is to be run: what `karat.studies.run` was asked for.

    Attributes
    ----------
    trials
        G, Monte-Carlo trials a cell.
    sizes
        Sample sizes, where the study has any.
    seed
        Where all seeds come from.
    options
        The study's own settings.
    recipe
        What the numbers of a trial depend on, for the store.
    """

    trials: int
    sizes: tuple[int, ...]
    seed: np.random.SeedSequence
    n_jobs: int | None = None
    progress: bool | None = None
    store: str | Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    recipe: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_workers(self.n_jobs)

    def open_store(self) -> TrialStore | None:
        """The trials done so far; an error where the file is another study's or cannot be written."""
        return None if self.store is None else TrialStore(self.store, self.recipe)

    def shared_seed(self, *key: int) -> np.random.SeedSequence:
        """The seed of what all trials share."""
        return child(self.seed, SHARED, *key)

    def trial_seed(self, cell: Cell, trial: int) -> np.random.SeedSequence:
        """The seed of one trial: no order of work, no other cell and no number of trials changes it."""
        return child(self.seed, TRIAL, *cell.key, trial)

    def simulate(
        self, cells: Sequence[Cell], trial: TrialFunction, chunk: int = 20, label: str = "trials"
    ) -> list[pd.DataFrame]:
        """One table a cell, a row a trial.

        Parameters
        ----------
        trial
            Called with the cell's settings and the trial's seed; it must be a function of a module, so that
            other processes find it.
        chunk
            Trials that travel together. A constant of the study: n_jobs never changes what is computed together.
        label
            On the progress bar, and in the store: two calls of one study need two labels.
        """
        twice = len({cell.name for cell in cells}) < len(cells)
        if twice:
            raise InputError("two cells have the same labels", got=[cell.name for cell in cells])
        store = self.open_store()
        pieces = [piece for cell in cells for piece in self._pieces(cell, chunk)]
        # all cells advance together: the time left is honest, and what an interruption leaves is of use
        pieces.sort(key=lambda piece: piece[1] / piece[0].share)
        done: dict[tuple[str, int], tuple[list[str], np.ndarray]] = {}
        if store is not None:
            for cell, start, stop in pieces:
                found = store.get(f"{label} {cell.name}", start, stop)
                if found is not None:
                    done[cell.name, start] = found
        missing = [piece for piece in pieces if (piece[0].name, piece[1]) not in done]
        tasks = [
            (trial, cell.settings, [self.trial_seed(cell, g) for g in range(start, stop)])
            for cell, start, stop in missing
        ]
        results = ordered(
            run_chunk,
            tasks,
            n_jobs=self.n_jobs,
            progress=self.progress,
            label=label,
            weights=[stop - start for _, start, stop in missing],
        )
        for (cell, start, stop), (columns, numbers) in zip(missing, results, strict=True):
            done[cell.name, start] = columns, numbers
            if store is not None:
                store.put(f"{label} {cell.name}", start, stop, columns, numbers)
        return [_joined([done[cell.name, start] for _, start, _ in self._pieces(cell, chunk)]) for cell in cells]

    def _pieces(self, cell: Cell, chunk: int) -> list[tuple[Cell, int, int]]:
        """A cell and the first and last trial of each of its chunks."""
        trials = max(1, round(cell.share * self.trials))
        return [(cell, start, min(start + chunk, trials)) for start in range(0, trials, chunk)]


def run_chunk(
    trial: TrialFunction, settings: Any, seeds: Sequence[np.random.SeedSequence]
) -> tuple[list[str], np.ndarray]:
    """Names (K,) and numbers (trials, K) of some trials of one cell."""
    rows = [trial(settings, seed) for seed in seeds]
    columns = list(rows[0])
    if any(list(row) != columns for row in rows):
        raise InputError("a trial must give the same names every time", got=[list(row) for row in rows[:2]])
    return columns, np.array([[float(row[name]) for name in columns] for row in rows])


def _joined(chunks: list[tuple[list[str], np.ndarray]]) -> pd.DataFrame:
    return pd.DataFrame(np.concatenate([numbers for _, numbers in chunks]), columns=chunks[0][0])
