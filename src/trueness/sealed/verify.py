"""verify: check every hash of a sealed study, and list what happened to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from trueness.errors import InputError
from trueness.result.shown import Result
from trueness.result.table import Page, Table
from trueness.sealed.study import Study, read_study
from trueness.sealed.unseal import without_result
from trueness.typing import Record


@dataclass(frozen=True, repr=False)
class Ledger(Result):
    """What `trueness.sealed.verify` returns: the records of a study whose hashes all fit.

    Attributes
    ----------
    study : Study
        The study.
    """

    study: Study

    @property
    def openings(self) -> int:
        """How many times the test set was opened, openings without a result included."""
        return self.study.openings

    @property
    def state(self) -> Literal["sealed", "opened without result", "result recorded"]:
        """What the ledger says of the test set: never decrypted; decrypted, and the result of the last opening is not
        recorded; decrypted, and it is."""
        if not self.openings:
            return "sealed"
        return "result recorded" if self.study.pending is None else "opened without result"

    @property
    def head(self) -> str:
        """The last hash: with it, kept elsewhere, records that were cut off are noticed."""
        return str(self.study.records[-1]["hash"])

    def page(self, level: float | None = None) -> Page:
        manifest = self.study.manifest
        cases = manifest["cases"]
        times = {0: "is sealed: it was never opened", 1: "was opened once"}
        state = times.get(self.openings, f"was opened {self.openings} times")
        note = without_result(self.study)
        rows = [(str(r["number"]), r["time"], r["event"], _about(r)) for r in self.study.records]
        return Page(
            title=f"{manifest['source']['name']}: {cases['design']} cases to design, {cases['test']} sealed",
            answer=f"All hashes fit. The test set {state}.",
            tables=(Table.of(("record", "time", "event", "about"), rows),),
            notes=() if note is None else (note,),
            footer=f"Head: {self.head}",
        )

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.study.records)

    def to_dict(self) -> Record:
        return {
            "state": self.state,
            "manifest": dict(self.study.manifest),
            "records": self.study.records,
            "head": self.head,
        }


def verify(study: str | Path, head: str | None = None) -> Ledger:
    """Check a sealed study: manifest, design set, sealed test set and ledger against their hashes.

    Parameters
    ----------
    study : path
        Folder that `trueness.sealed.seal` made.
    head : str, optional
        A hash that was the head of the ledger: it must still be in it. Records cut off the end are found this way only.

    Returns
    -------
    Ledger
        Its records; `openings`, `head`.

    Raises
    ------
    InputError
        Where anything was changed.
    """
    found = read_study(study)
    if head is not None and not any(isinstance(head, str) and head == r["hash"] for r in found.records):
        got = head if isinstance(head, str) else type(head).__name__
        raise InputError("The ledger lacks the record with this hash: it was cut or replaced", param="head", got=got)
    return Ledger(found)


def _about(record: Record) -> str:
    if record["event"] == "opening":
        reason = f"; again: {record['reason']}" if record["reason"] else ""
        threshold = record["declared"]["threshold"]
        return f"{record['declared']['model']}, threshold {'not declared' if threshold is None else threshold}{reason}"
    if record["event"] == "result":
        return ", ".join(_result(e) for e in record["estimates"] if e["method"] != "majority")
    return f"opening {record['opening']}" if record["event"] == "resumed" else ""


def _result(e: Mapping[str, Any]) -> str:
    """With its interval: this is the result, should the screen or the report be lost."""
    value = _shown(e["value"])
    return (
        f"{e['metric']} {value}"
        if e["low"] is None
        else f"{e['metric']} {value} ({_shown(e['low'])} to {_shown(e['high'])})"
    )


def _shown(value: float | None) -> str:
    """A PPV is undefined where no test case is called positive."""
    return "undefined" if value is None else f"{value:.3f}"
