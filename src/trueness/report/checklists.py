"""checklist: what a reporting guideline asks for and the facts of a result answer; the guidelines are in checklists.toml."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, Literal

from trueness.api.assessment import Assessment
from trueness.checks import check_choice
from trueness.errors import InputError
from trueness.reading.result import ReaderStudy
from trueness.report.methods import facts
from trueness.result.columns import Column, Columns
from trueness.result.shown import Result
from trueness.sealed.unseal import Opening
from trueness.typing import Record

GuidelineName = Literal["stard", "tripod+ai", "fda-readers", "neurips"]


@cache
def guidelines() -> Mapping[str, Record]:
    """The guidelines by name."""
    return tomllib.loads(files(__package__).joinpath("checklists.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, eq=False, repr=False)
class Checklist(Result):
    """What `trueness.report.checklist` returns.

    Attributes
    ----------
    title : str
        The guideline.
    reference : str
        Where it was published.
    items : int
        How many items it has.
    known : tuple of dict
        The items that are answered: `item`, `topic`, `status`, `known` and `add`.
    """

    title: str
    reference: str
    items: int
    known: tuple[Record, ...]

    heading: ClassVar[str] = "{title} ({reference})"
    template: ClassVar[str] = (
        "Of {items} items {counts[filled]} are filled, {counts[partly]} in part; the others are for the author."
    )
    footnote: ClassVar[str] = "Items are paraphrased; the guideline itself decides."
    columns: ClassVar[Columns] = {
        "item": Column("item"),
        "topic": Column("topic"),
        "status": Column("status"),
        "known": Column("known"),
        "add": Column("for the author to add"),
    }

    @property
    def counts(self) -> Mapping[str, int]:
        """How many items are "filled", so that nothing must be added, and how many "partly"."""
        return Counter(row["status"] for row in self.known)

    def rows(self) -> Iterable[Record]:
        return self.known


def checklist(name: GuidelineName, assessment: Assessment | Opening | ReaderStudy) -> Checklist:
    """The items of a reporting guideline that a result answers, in whole or in part; the others are for the author.

    Parameters
    ----------
    name : {"stard", "tripod+ai", "fda-readers", "neurips"}
        STARD 2015 (diagnostic accuracy), TRIPOD+AI (prediction models), what FDA's guidance asks of reader studies, or
        items 4 to 8 of the NeurIPS checklist.
    assessment : Assessment, Opening or ReaderStudy
        From `trueness.assess`, of a sealed test set from `trueness.sealed.unseal`, or from `trueness.readers` for "stard"
        and "fda-readers".

    Returns
    -------
    Checklist
        With `.frame()`, `.to_markdown()`, `.to_latex()` and an HTML repr.

    References
    ----------
    Bossuyt et al. (2015), BMJ 351: h5527. Collins et al. (2024), BMJ 385: e078378.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> c = trueness.report.checklist("neurips", trueness.assess(GaussianNB(), X, y, metrics="auc", rng=0))
    >>> c.answer()
    'Of 9 items 2 are filled, 3 in part; the others are for the author.'
    """
    check_choice("name", name, guidelines(), "There is no such checklist")
    guideline: Mapping[str, Any] = guidelines()[name]
    if type(assessment).__name__ not in guideline["of"]:
        raise InputError(
            f"Checklist {name!r} is filled from {' or '.join(guideline['of'])}",
            param="assessment",
            got=type(assessment).__name__,
            fix="Pass what trueness.assess, trueness.sealed.unseal or trueness.readers returned",
        )
    return _filled(guideline, facts(assessment))


def _filled(guideline: Mapping[str, Any], known: Mapping[str, str]) -> Checklist:
    rows = []
    for item, topic, names, add in guideline["rows"]:
        said = " ".join(filter(None, map(known.get, names.split())))
        row = {"item": item, "topic": topic, "status": "partly" if add else "filled", "known": said, "add": add}
        rows += [row] * bool(said)
    return Checklist(guideline["title"], guideline["reference"], guideline["items"], tuple(rows))


def checklists_of(result: Result, more: Mapping[str, str]) -> list[Checklist]:
    """All that can be filled from a result, and from what its page has besides."""
    known = {**facts(result), **more}
    found = [each for each in guidelines().values() if type(result).__name__ in each["of"]]
    return [_filled(each, known) for each in found if known.get(each.get("needs", "answer"))]
