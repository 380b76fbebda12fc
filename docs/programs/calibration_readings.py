"""The summary under the calibration tables of docs/appendix/studies.md, with numbers from a run of the study.

trueness study calibration --out DIR      makes DIR/all.csv
python docs/programs/calibration_readings.py DIR
"""

# ruff: noqa: E501 - sentences

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pandas as pd

SMOOTH, ROUGH = ["LDA", "QDA", "logistic"], ["1-NN", "tree"]
SMALLER, LARGER = ["10+10", "30+30", "100+100", "20+2", "60+6", "200+20"], ["250+250", "500+50"]


class Table:
    """Rows of all.csv, selected by metric, method, standard error and plan."""

    def __init__(self, rows: pd.DataFrame) -> None:
        self.rows = rows

    def of(self, metric: str, method: str, se: str, plan: str = "bootstrap", **where: list[str]) -> Table:
        keep = self.rows
        asked = {"metric": [metric], "method": [method], "se": [se], "plan": [plan], **where}
        for column, values in asked.items():
            keep = keep[keep[column].isin(values)]
        return Table(keep)

    def __add__(self, other: Table) -> Table:
        return Table(pd.concat([self.rows, other.rows]))

    def ratios(self) -> str:
        return f"{self.rows.ratio.min():.2f} to {self.rows.ratio.max():.2f}"

    def mean(self) -> str:
        return f"{self.rows.ratio.mean():.2f}"

    def percent(self, column: str = "coverage") -> str:
        low, high = (f"{100 * v:.0f}" for v in (self.rows[column].min(), self.rows[column].max()))
        return f"{low} %" if low == high else f"{low} to {high} %"


def sentences(one: Table, two: Table) -> list[str]:
    """The summary of the tables of one rule and of differences."""
    few, six, twenty = ({"n": [n]} for n in ("20+2", "60+6", "200+20"))
    skew, even = {"balance": ["1:10"]}, {"balance": ["1:1"]}
    quantiles = [one.of(m, x, "quantile") for m in ("auc", "error") for x in ("sb", "rb", "632")]
    lpob, loob = ("auc", "lpob", "influence-corrected"), ("error", "loob", "influence-corrected")
    delong, scaled = ("auc", "holdout", "delong", "holdout"), ("error", "632+", "scaled")
    large = {**skew, "n": ["200+20", "500+50"], "model": SMOOTH}
    counted = (
        one.of("error", "holdout", "binomial", "holdout", **large)
        + one.of("error", "cv", "naive", "K-fold", **large)
        + one.of("error", "nested_cv", "nested", "nested", **large)
    )
    exact = one.of("error", "loob", "influence") + one.of("auc", "lpob", "influence")
    second, first = ("auc", "lpob", "second-order"), ("auc", "lpob", "influence")
    naive = ("error", "cv", "naive", "K-fold")
    return [
        f"**Intervals by quantiles of the replicates** (sb, rb, .632) cover {sum(quantiles[1:], quantiles[0]).percent()}: "
        "they are not confidence intervals, as a note says.",
        "**An AUC from two positives** (20 + 2). The corrected standard error of LPOB is "
        f"{one.of(*lpob, **few).ratios()} of the true SD and its interval covers {one.of(*lpob, **few).percent()}, Nadeau "
        f"and Bengio's {one.of('auc', 'cv', 'nadeau-bengio', '5 × K-fold', **few).percent()}, cv_pairs "
        f"{one.of('auc', 'cv_pairs', 'influence-corrected', '50 × 2-fold', **few).percent()}. Only the second-order form, "
        f"with one degree of freedom, is near its level: {one.of(*second, **few).percent()}. Every AUC of fewer than ten "
        f"cases of a class has a note. With six positives (60 + 6) LPOB covers {one.of(*lpob, **six).percent()}, with "
        f"twenty {one.of(*lpob, **twenty).percent()}.",
        "**DeLong on a holdout** is undefined where a class has one test case (20 + 2: never answered), and where few test cases "
        "of a class all have the same rank (1-NN and trees at 60 + 6, two test positives: "
        f"{one.of(*delong, **six, model=ROUGH).percent('answered')} answered); below 20 test cases of a class its quantiles "
        f"are Student's. Where defined it covers {one.of(*delong).percent()}.",
        "**Differences on a holdout** by `trueness.difference` assume a normal law for few discordant cases: where the formula "
        "is not 0 (otherwise there is no standard error), the interval of an error difference covers "
        f"{two.of('error', 'holdout', 'binomial', 'holdout').percent()}, of an AUC difference {two.of(*delong).percent()}. "
        "`trueness.compare` uses Tango's interval and McNemar's exact test for errors instead.",
        f"**632+ with the scaled se**: ratio {one.of(*scaled, model=SMOOTH).ratios()} for LDA, QDA and logistic regression, "
        f"{one.of(*scaled, model=ROUGH).ratios()} for 1-NN and trees; these estimates are biased, and at 250 + 250 "
        f"its interval covers {one.of(*scaled, n=['250+250'], model=ROUGH).percent()}.",
        f"**1 : 10.** The corrected intervals of LOOB cover {one.of(*loob, **skew).percent()} (balanced "
        f"{one.of(*loob, **even).percent()}): the estimate is skewed, and biased towards the smaller training set. "
        f"Binomial, naive and nested standard errors of the error are {counted.ratios()} times too large for LDA, QDA and "
        "logistic regression from 200 + 20 on: they include the variability of class sizes, which are fixed in these samples.",
        f"**The exact influence function** at 200 bootstraps is up to {exact.rows.ratio.max():.1f} times too large "
        "(n = 500): it includes the noise of the replicates. The corrected one, the default, has a mean ratio of "
        f"{one.of(*loob, **even).mean()} (LOOB) and {one.of(*lpob, **even).mean()} (LPOB) where classes are balanced.",
        "**Second-order** standard errors with Student's quantiles cover "
        f"{one.of('error', 'loob', 'second-order').percent()} (LOOB) and {one.of(*second).percent()} (LPOB): the "
        f"most reliable here. For a difference their mean ratio is {two.of(*second, n=SMALLER).mean()} up to n = 220 and "
        f"{two.of(*second, n=LARGER).mean()} at n = 500 and 550, where 200 replicates are too few (a note says so), "
        f"against {two.of(*first, n=SMALLER).mean()} and {two.of(*first, n=LARGER).mean()} of the exact influence function; "
        f"they cover {two.of(*second).percent()}.",
        "**Cross-validation**: Nadeau and Bengio's se of the error with 5 × K folds covers "
        f"{one.of('error', 'cv', 'nadeau-bengio', '5 × K-fold').percent()}, from 50 × 2 folds it is "
        f"{one.of('error', 'cv', 'nadeau-bengio', '50 × 2-fold').mean()} times the SD on average. The naive se of one pass "
        f"is, balanced, {one.of(*naive, **even, model=SMOOTH).mean()} of the SD for LDA, QDA and logistic regression and "
        f"{one.of(*naive, **even, model=ROUGH).mean()} for 1-NN and trees. The influence form for cross-validation "
        "(experimental) is no better than either.",
    ]


def main(folder: str) -> None:
    rows = pd.read_csv(Path(folder) / "all.csv")
    two = rows.model.str.contains("−")
    for sentence in sentences(Table(rows[~two]), Table(rows[two])):
        print(
            textwrap.fill(f"- {sentence}", 126, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        )


if __name__ == "__main__":
    main(sys.argv[1])
