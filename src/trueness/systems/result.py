"""SystemsComparison: systems that answered the same items, every pair, their ranks, and the verdict in one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from trueness.errors import InputError
from trueness.result.comparison import Pair, Paired
from trueness.result.shown import Page, Table, json_value, kept_provenance
from trueness.result.test_result import assumes, rounded_p
from trueness.result.words import cells, shown
from trueness.typing import Record


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SystemsComparison(Paired):
    """What `trueness.systems.compare` returns.

    Attributes
    ----------
    verdict : str
        One sentence about two systems; of several, about the best and the next.
    outcome : str
        The verdict as a value: "better", "open", "identical" or "no-test".
    metric : {"accuracy", "error", "score", "auc"}
        What was compared.
    estimates : mapping of str to Estimate
        The Estimate of each system.
    differences : mapping of (str, str) to Estimate
        first − second of every pair.
    tests : mapping of (str, str) to TestResult
        The test of every pair that can be tested, not adjusted.
    adjusted : mapping of (str, str) to float
        p-values of those pairs adjusted for all pairs, by the distribution of the largest |t|.
    ranks : mapping of str to (int, int)
        The best and the worst rank of each system that the data allow; all ranks hold together at `level`.
    details : mapping of (str, str) to mapping
        Of every pair: `correlation` of the two systems over the items, `detectable` (the smallest difference found
        with a power of 80 %), `p_mid` (McNemar's mid-p, of 0/1 values), `design_effect` (with clusters).
    pair : (str, str)
        The pair that `difference`, `p_value` and `verdict` are about.
    level : float
        Level of the intervals together, and 1 − α of the verdict.
    law : MaxT
        The distribution of the largest |t| of all pairs.
    notes : tuple of Note
        What the reader should know.
    provenance : mapping
        `items`, `clusters` and `runs`: how many.
    """

    ranks: Mapping[str, tuple[int, int]]
    details: Mapping[Pair, Mapping[str, float | None]]

    def frame(self, of: Literal["pairs", "systems"] = "pairs") -> pd.DataFrame:
        """The tidy, unrounded table.

        Parameters
        ----------
        of : {"pairs", "systems"}, default "pairs"
            One row per pair, with intervals that hold for all pairs together; or one row per system, best first, each
            with an interval of its own and the ranks that the data allow.

        Returns
        -------
        pandas.DataFrame
        """
        if of == "systems":
            return pd.DataFrame([self._system_row(name) for name in self.ranking()])
        if of != "pairs":
            raise InputError('of must be "pairs" or "systems"', param="of", got=repr(of))
        return pd.DataFrame([self._row(pair) for pair in self.differences])

    def _system_row(self, name: str) -> Record:
        best, worst = self.ranks[name]
        return {"system": name, **self.estimates[name].row(self.level), "rank_low": best, "rank_high": worst}

    def _row(self, pair: Pair) -> Record:
        d, test = self.differences[pair], self.tests.get(pair)
        row = d.row(self.pair_level)
        return {
            **self._pair_row(pair, self.pair_level),
            "p_adjusted": self.adjusted.get(pair),
            "test": None if test is None else test.test,
            "df": d.df,
            **self.details[pair],
            **{name: row[name] for name in ("se_method", "interval", "notes")},
        }

    def to_dict(self) -> Record:
        return {
            "schema": "trueness/systems/1",
            "verdict": self.verdict,
            "outcome": self.outcome,
            "metric": self.metric,
            "level": self.level,
            "pair_level": self.pair_level,
            "systems": {
                name: {**e.to_dict(self.level), "rank_low": self.ranks[name][0], "rank_high": self.ranks[name][1]}
                for name, e in self.estimates.items()
            },
            "pairs": [
                {
                    **self._pair_dict(pair),
                    "p_adjusted": self.adjusted.get(pair),
                    **{name: json_value(value) for name, value in self.details[pair].items()},
                }
                for pair in self.differences
            ],
            "notes": [note.to_dict() for note in self.notes],
            "provenance": kept_provenance(self.provenance),
        }

    def page(self, level: float | None = None) -> Page:
        several, clustered = len(self.differences) > 1, self.provenance["clusters"] is not None
        systems = []
        for name in self.ranking():
            best, worst = self.ranks[name]
            rank = str(best) if best == worst else f"{best} to {worst}"
            systems.append((name, *cells(self.estimates[name], self.level)[:3], rank))
        pairs = []
        for pair, d in self.differences.items():
            pairs.append(
                (
                    " − ".join(pair),
                    *cells(d, self.pair_level)[:3],
                    rounded_p(self.adjusted[pair]) if pair in self.adjusted else "",
                    shown(self.details[pair]["detectable"], d.se),
                    *([f"{self.details[pair]['design_effect'] or 1:.2f}"] if clustered else []),
                )
            )
        together = " for all pairs" if several else ""
        heads = (self.metric, "std. error", f"{100 * self.level:g} % interval")
        pair_heads = ["difference", *heads[:2], heads[2] + together, f"p{together}", "detectable (80 % power)"]
        pair_heads += ["design effect"] if clustered else []
        first = next(iter(self.tests.values()), None)
        return Page(
            answer=self.verdict,
            tables=(
                Table.of(("system", *heads, "rank"), systems),
                Table.of(pair_heads, pairs),
            ),
            notes=self.notes,
            footer=f"{self.provenance['words']}\n{assumes(first.assumptions if first else ())}".strip(),
        )
