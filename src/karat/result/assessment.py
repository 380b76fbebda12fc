"""Assessment: all estimates of one model, as a table that can be read, printed and kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from karat.errors import InputError, UndefinedError
from karat.result.digits import between, shown
from karat.result.estimate import Estimate
from karat.result.note import Note
from karat.result.shown import Drawn, Result
from karat.result.table import Page, Spell, Table, as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from karat.curves.bands import BandMethod
    from karat.sample import Fits

Key = tuple[str, str]

SCHEMA = "karat/assessment/1"  # of to_dict(), with a version

RECIPE = "These estimates describe the training procedure. Use the model refitted on all data."
FITTED = "These estimates describe the fitted model, on cases that it was not trained on."


@dataclass(frozen=True, eq=False, repr=False)
class Assessment(Result, Drawn):
    """What `karat.assess` returns: `a["auc", "lpob"]` is an Estimate, `a.frame()` a DataFrame.

    Attributes
    ----------
    estimates : mapping of (str, str) to Estimate
        By (metric, method).
    model : str
        Description of the model.
    level : float, default 0.95
        Level of the intervals in tables.
    notes : tuple of Note
        What the reader should know; severity "warning" for what comes before believing a number.
    provenance : mapping
        Design, its fingerprint, seed and version.
    fits : Fits, optional
        The fits behind the estimates, for further questions.
    skipped : mapping of (str, str) to Note
        Why an estimate was not computed, by (metric, method).
    recommended : mapping of str to str
        The method to report, by metric: `a["auc"]` is that estimate.
    """

    estimates: Mapping[Key, Estimate]
    model: str
    level: float = 0.95
    notes: tuple[Note, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    fits: Fits | None = None
    skipped: Mapping[Key, Note] = field(default_factory=dict)
    recommended: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, key: Key | str) -> Estimate:
        """The estimate of a metric by a method; for a metric alone the recommended one.

        Raises
        ------
        UndefinedError
            Where it was skipped; the message says why.
        InputError
            Where there is no such estimate.
        """
        if isinstance(key, str) and key in self.recommended:
            key = key, self.recommended[key]
        if isinstance(key, tuple) and key in self.estimates:
            return self.estimates[key]
        if isinstance(key, tuple) and key in self.skipped:
            raise UndefinedError(f"{_name(key)} was not computed", fix=self.skipped[key].message)
        raise InputError(f"There is no estimate {key!r}", fix=f"Available: {', '.join(map(_name, self.estimates))}")

    def __iter__(self) -> Iterator[Key]:
        return iter(self.estimates)

    def frame(self, level: float | None = None) -> pd.DataFrame:
        """One row per estimate, unrounded; None where nothing can be said.

        Parameters
        ----------
        level : float, optional
            Level of the intervals; that of the assessment by default.

        Returns
        -------
        pandas.DataFrame
        """
        rows = [e.row(level or self.level) for e in self.estimates.values()]
        chosen = [self.recommended.get(metric) == method for metric, method in self.estimates]
        return pd.DataFrame(rows).assign(recommended=chosen)

    def answer(self, level: float | None = None) -> str:
        """The recommended estimates in one or two sentences."""
        said = [sentence(self[metric], level or self.level) for metric in self.recommended]
        majority = self.estimates.get(("error", "majority"))
        if majority is not None and "error" in self.recommended:
            said.append(f"{majority.estimand.capitalize()} has an error of {majority.value:.3f}.")
        return " ".join(said)

    def page(self, level: float | None = None, all: bool = False) -> Page:
        """What is shown: the recommended estimates, and with `all` the others and why some were skipped."""
        level = level or self.level
        interval = f"{100 * level:g}% interval"
        heads = ("metric", "method", "value", "se", interval, "MC error", "standard error, interval")
        answered = {metric for metric in self.recommended if self[metric].has_interval}
        why = (n for (metric, _), n in self.skipped.items() if all or metric not in answered)
        said = dict.fromkeys((*self.notes, *why))
        first = [self[metric] for metric in self.recommended]
        others = [e for e in self.estimates.values() if e not in first]
        about = "; ".join(dict.fromkeys(e.estimand for e in first))
        tables = [Table.of(heads, [_cells(e, level) for e in first], f"Recommended ({about})")] if first else []
        if others and (all or not first):
            title = "Other estimators" if first else ""
            tables.append(Table.of(heads, [_cells(e, level) for e in others], title))
        return Page(
            title=f"{self.model}\n{self.provenance.get('design', '')}".rstrip("\n"),
            answer=self.answer(level),
            tables=tuple(tables),
            notes=tuple(sorted(said, key=lambda note: note.severity != "warning")),
            footer=FITTED if self.fits is not None and self.fits.engine == "prefit" else RECIPE,
        )

    def text(self, spell: Spell = str, all: bool = False) -> str:
        """Plain text: the answer, the recommended estimates and the notes.

        Parameters
        ----------
        spell : callable
            How parameters are spelled; as in Python by default.
        all : bool, default False
            Also the other estimators, and why some were skipped.

        Returns
        -------
        str
        """
        return as_text(self.page(all=all), spell)

    def plot_roc(self, ax: Axes | None = None, band: BandMethod | None = "fixed-width") -> Axes:
        """Draw the ROC curve of the left-out scores with its band.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
        band : str, optional
            As in `curve.band`; None draws none.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        UndefinedError
            Where there is not one left-out score per case of two classes.
        """
        left_out = None if self.fits is None else self.fits.left_out()
        if left_out is None:
            raise UndefinedError(
                "There is no ROC curve: it needs two classes and one left-out score per case",
                fix="karat.multiclass_roc draws several classes",
            )
        return left_out.plot(ax, band=band, level=self.level)

    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON can hold; docs/schema/assessment.json describes it."""
        return {
            "schema": SCHEMA,
            "model": self.model,
            "level": self.level,
            "estimates": [e.to_dict(self.level) for e in self.estimates.values()],
            "notes": [note.to_dict() for note in self.notes],
            "recommended": dict(self.recommended),
            "skipped": [{"metric": m, "method": k, "note": n.to_dict()} for (m, k), n in self.skipped.items()],
            "provenance": dict(self.provenance),
        }


def sentence(e: Estimate, level: float) -> str:
    """ "AUC 0.989 (95 % CI 0.977 to 0.995)."."""
    name = {"auc": "AUC"}.get(e.metric, e.metric.replace("_", " ").capitalize())
    if not e.has_interval:
        return f"{name} {shown(e.value, e.mc_se)}."
    low, high = e.ci(level)
    return f"{name} {shown(e.value, e.se)} ({100 * level:g} % CI {between(low, high, e.se)})."


def _name(key: Key) -> str:
    return "/".join(key)


def _cells(e: Estimate, level: float) -> tuple[str, ...]:
    row = e.row(level)
    scale = e.se if e.se is not None else e.mc_se
    limits = between(row["low"], row["high"], scale)
    mc_se = "" if e.mc_se is None else f"{e.mc_se:.1g}"
    how = " ".join(part for part in (e.se_method, row["interval"]) if part)
    return e.metric, e.method, shown(e.value, scale), shown(e.se, e.se), limits, mc_se, how
