"""cases: what resampling says about every single case."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from trueness.api.assessment import Assessment
from trueness.errors import UndefinedError
from trueness.result.columns import Column, Columns
from trueness.result.notes import Note
from trueness.result.shown import Result
from trueness.sample.fits import Fits, check_fits
from trueness.typing import Floats, Record

FEW_RULES = 10  # with fewer rules per case, shares and spreads say little


MOST_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Cases(Result):
    """What `trueness.selection.cases` returns.

    Attributes
    ----------
    table : DataFrame
        One row per case; see `trueness.selection.cases`.
    notes : tuple of Note
        What the reader should know.
    """

    table: pd.DataFrame
    notes: tuple[Note, ...] = ()

    @property
    def always_misclassified(self) -> list[int]:
        """Cases that every rule that left them out misclassified."""
        return [int(case) for case in self.table.loc[self.table["always_misclassified"], "case"]]

    def frame(self) -> pd.DataFrame:
        """One row per case, in the order of the data."""
        return self.table.copy()

    columns: ClassVar[Columns] = {
        "case": Column("case"),
        "label": Column("label", "s"),
        "times_left_out": Column("times left out"),
        "share_misclassified": Column("share misclassified", ".3f"),
        "score_mean": Column("score mean", ".3f"),
        "score_sd": Column("score SD", ".3f"),
        "mape": Column("distance from the final model", ".3f"),
    }
    heading = "The hardest cases first"
    template = "Cases that every rule that left them out misclassified: {n_always} of {n}."

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.table)

    @property
    def n_always(self) -> int:
        """How many cases are always misclassified."""
        return len(self.always_misclassified)

    def rows(self) -> list[Record]:
        """The hardest cases; blanks where nothing is known."""
        by = next(c for c in ("share_misclassified", "score_sd", "case") if c in self.table)
        hardest = self.table.sort_values([by, "case"], ascending=[False, True]).head(MOST_SHOWN)
        shown = hardest.assign(label=hardest["label"].astype(str)).astype(object)
        return list(map(dict, shown.where(shown.notna(), None).to_dict("records")))


def cases(fits: Fits | Assessment) -> Cases:
    """Every case, as the rules that were not trained on it see it.

    Parameters
    ----------
    fits : Fits or Assessment
        Of any plan; of the default plan, its bootstrap.

    Returns
    -------
    Cases
        `.frame()` has the columns `case` (position in the data), `label`, `times_left_out` (rules that left it out),
        `share_misclassified` (of these rules), `always_misclassified`; with scores `score_mean` and `score_sd` over
        these rules (of the positive class; with several classes of the case's own class); of a bootstrap with
        probabilities `mape`, the mean over all rules of |p_rule − p_final|.

    Notes
    -----
    A case that every rule misclassifies may have a wrong label, may be of an unusual kind, or may be one of those that
    any rule gets wrong because classes overlap. Look at it; do not delete it for this reason.

    References
    ----------
    Riley & Collins (2023), Biometrical Journal 65: instability of predictions, mean absolute prediction error.

    Examples
    --------
    >>> import trueness
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> c = trueness.selection.cases(trueness.fit(GaussianNB(), X, y, trueness.Bootstrap(50), rng=0))
    >>> len(c.frame()), 10 < len(c.always_misclassified) < 40
    (569, True)
    """
    part = fits_of(fits).part({"bootstrap"}).part({"bootstrap", "cv"}).with_probabilities()
    columns = _columns(part)
    if not (columns["times_left_out"] > 0).any():
        raise UndefinedError("No rule left a case out", param="fits")
    few = int((columns["times_left_out"] < FEW_RULES).sum())
    notes = (Note("few-rules-per-case", cases=few, least=FEW_RULES),) if few else ()
    return Cases(pd.DataFrame(columns), notes)


def fits_of(given: Fits | Assessment, param: str = "fits") -> Fits:
    """Fits, or those of an assessment; an error that names the parameter where there are none."""
    fits = given.fits if isinstance(given, Assessment) else given
    check_fits(fits, param)
    assert fits is not None
    return fits


def _columns(fits: Fits) -> Record:
    """Sums over blocks of rules; scores are centred on those of the first rule that scored a case."""
    n, codes = fits.sample.n, fits.sample.codes
    times, wrong = np.zeros(n), np.zeros(n)
    total, squares, centre = np.zeros(n), np.zeros(n), np.full(n, np.nan)
    scored, moved, asked = np.zeros(n), np.zeros(n), np.zeros(n)
    full = None if fits.full_scores is None or not fits.probabilities else _own(fits.full_scores[None], codes)[0]
    decided = True
    for block in fits.blocks():
        out = block.left_out
        times += out.sum(axis=0)
        if block.predictions is None:
            decided = False
        else:
            wrong += (out & (block.predictions != codes)).sum(axis=0)
        if block.scores is None:
            continue
        own = _own(block.scores, codes)
        known = ~np.isnan(own)
        for row, use in zip(own, out & known, strict=True):
            centre = np.where(np.isnan(centre) & use, row, centre)
        away = np.where(out & known, own - centre, 0.0)
        scored += (out & known).sum(axis=0)
        total += away.sum(axis=0)
        squares += (away**2).sum(axis=0)
        if full is not None and fits.design.kind == "bootstrap":
            moved += np.where(known, np.abs(own - full), 0.0).sum(axis=0)
            asked += known.sum(axis=0)
    columns: Record = {
        "case": np.arange(n),
        "label": fits.sample.classes[codes],
        "times_left_out": times.astype(int),
    }
    with np.errstate(invalid="ignore", divide="ignore"):
        if decided:
            columns |= {"share_misclassified": wrong / times, "always_misclassified": (times > 0) & (wrong == times)}
        if scored.any():
            mean = total / scored
            variance = np.where(scored > 1, (squares - scored * mean**2) / (scored - 1), np.nan)
            columns |= {"score_mean": centre + mean, "score_sd": np.sqrt(np.maximum(variance, 0.0))}
        if asked.any():
            columns["mape"] = moved / asked
    if not decided:
        columns["always_misclassified"] = np.zeros(n, dtype=bool)
    return columns


def _own(scores: Floats, codes: Any) -> Floats:
    """(b, n) the score of the positive class, or of each case's own class where there are several."""
    return scores if scores.ndim == 2 else scores[:, np.arange(len(codes)), codes]
