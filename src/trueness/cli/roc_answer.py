"""What `trueness roc` answers: curves of several scores, and what else was asked of each. A file of its own, because `--help`
of any command loads roc.py and must not load curves."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from trueness.cli.roc import Replies
from trueness.curves.roc import RocCurves
from trueness.result.estimate import Estimate
from trueness.result.notes import Note
from trueness.result.shown import Table
from trueness.typing import Record


@dataclass(frozen=True, eq=False, repr=False)
class RocAnswer(RocCurves):
    """Curves of several scores on the same cases."""

    noted: Mapping[str, Estimate] = field(kw_only=True)  # their areas, with notes about the file
    answers: Mapping[str, Replies] = field(kw_only=True)  # what else was asked of each
    seed: int = field(default=0, kw_only=True)

    @property
    def areas(self) -> Mapping[str, Estimate]:
        return self.noted

    @property
    def started(self) -> Mapping[str, tuple[float, str]]:
        return {name: a.start for name, a in self.answers.items() if a.start is not None}

    @property
    def known(self) -> Record:
        return {"seed": self.seed} if self._resampled else {}

    @property
    def _resampled(self) -> bool:
        return any(a.choice is not None or a.band is not None for a in self.answers.values())

    footnote = "{seeded}"

    @property
    def seeded(self) -> str:
        """The seed, where there are resamples."""
        return f"Seed of the resamples: {self.seed}." * self._resampled

    def _tables(self) -> tuple[Table, ...]:
        areas, *pairs = super()._tables()
        rows = [(name, *row) for name, a in self.answers.items() for row in a.rows()]
        heads = ("score", "asked", "value", "std. error", f"{100 * self.level:g} % interval")
        return (areas, *([Table.of(heads, rows, "What was asked")] if rows else []), *pairs)

    @property
    def asked_estimates(self) -> list[Estimate]:
        return [e for a in self.answers.values() for e, _ in a.asked.values()]

    @property
    def said(self) -> list[str]:
        return list(dict.fromkeys(words for a in self.answers.values() for words in a.said(self.level, self.seed)))

    @property
    def notes(self) -> tuple[Note, ...]:
        found = ((name, note) for name, a in self.answers.items() for note in a.notes)
        return (*super().notes, *(note.about(name) for name, note in found if note not in self.noted[name].notes))

    def frame(self) -> pd.DataFrame:
        """One row per score and number asked of it."""
        areas = super().frame().to_dict("records")
        asked = [{"score": name, **row} for name, a in self.answers.items() for row in a.to_dicts()]
        order = list(self.curves)
        return pd.DataFrame(sorted([*areas, *asked], key=lambda row: order.index(row["score"])))

    def _beside(self, level: float) -> Record:
        asked = [{"score": name, **row} for name, a in self.answers.items() for row in a.to_dicts()]
        return {**super()._beside(level), **self.known, "asked": asked}
