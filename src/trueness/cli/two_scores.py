"""What `trueness calibration` and `trueness benefit` answer about two scores: each of them, and their paired difference. A
file of its own, because `--help` of any command must not load what it needs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from trueness.figures.figure import Figure
from trueness.probabilities.benefit import BenefitDifference, DecisionCurve
from trueness.probabilities.calibrated import Calibration, CalibrationDifference
from trueness.report.pages import joined_page
from trueness.result.shown import Drawn, Page, Result, kept
from trueness.typing import Record


class _Joined(Result, Drawn, ABC):
    """Results by name on one page, one below the other."""

    level: float

    @property
    @abstractmethod
    def parts(self) -> Mapping[str, Result]:
        """By name."""

    def page(self, level: float | None = None) -> Page:
        pages = {name: result.page(level) for name, result in self.parts.items()}
        tables = [
            replace(t, title=f"{name}: {t.title}" if t.title else name) for name, p in pages.items() for t in p.tables
        ]
        answer = "\n".join(f"{name}: {p.answer}" for name, p in pages.items() if p.answer)
        notes = tuple(note.about(name) for name, p in pages.items() for note in p.notes)
        (title, footer), *_ = ((p.title, p.footer) for p in pages.values())
        return Page(title, answer, tuple(tables), notes, footer)

    def report(self, path: str | Path | None = None, **options: Any) -> str:
        """One page with the sections of each part."""
        return kept(joined_page(self, self.parts), path)


@dataclass(frozen=True, eq=False, repr=False)
class TwoCalibrations(_Joined):
    """Calibration of two scores on the same cases."""

    scores: Mapping[str, Calibration]
    difference: CalibrationDifference
    level: float

    @property
    def parts(self) -> Mapping[str, Result]:
        return {**self.scores, " − ".join(self.scores): self.difference}

    def figure(self) -> Figure:
        """The curve of each score."""
        panels = [replace(q.figure().panels[0], title=name) for name, q in self.scores.items()]
        return Figure("Calibration", panels)

    def frame(self) -> pd.DataFrame:
        """One row per score and measure; the differences are rows of `score` "first − second"."""
        rows = [q.frame().assign(score=name) for name, q in self.scores.items()]
        between = self.difference.frame().rename(columns={"difference": "value"})
        table = pd.concat([*rows, between.assign(score=" − ".join(self.scores))], ignore_index=True)
        return table[["score", *(c for c in table.columns if c != "score")]]

    def to_dict(self) -> Record:
        return {
            "scores": {name: q.to_dict() for name, q in self.scores.items()},
            "difference": self.difference.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class TwoBenefits(_Joined):
    """Decision curves of two scores on the same cases."""

    curve: DecisionCurve
    difference: BenefitDifference
    level: float

    @property
    def parts(self) -> Mapping[str, Result]:
        return {"Net benefit": self.curve, " − ".join(self.difference.names): self.difference}

    def figure(self) -> Figure:
        """The curves."""
        return self.curve.figure()

    def frame(self) -> pd.DataFrame:
        """As of the curves; the differences are rows of the model "first − second"."""
        between = self.difference.frame().rename(columns={"difference": "net_benefit"})
        return pd.concat(
            [self.curve.frame(), between.assign(model=" − ".join(self.difference.names))], ignore_index=True
        )

    def to_dict(self) -> Record:
        return {**self.curve.to_dict(), "difference": self.difference.to_dict()}
