"""A process that opens studies in forked children, so that a test can kill them at any moment.

Reads one line (study, trace) per opening; answers with the child's process id, then with "done" once it has ended.
It runs on one thread, because a fork copies only the thread that called it.
"""

import os
import sys
from pathlib import Path

import pandas as pd
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import trueness

SECRET = "correct horse"


class Numbers(LinearDiscriminantAnalysis):
    """LDA of the numeric columns; to predict cases that it was not fitted on, the test set, leaves a trace."""

    def __init__(self, trace=None):
        super().__init__()
        self.trace = trace

    def fit(self, X, y):
        self.n_fitted_ = len(X)
        return super().fit(X[["a", "b", "c"]], y)

    def decision_function(self, X):
        if self.trace and len(X) != self.n_fitted_:
            Path(self.trace).touch()
        return super().decision_function(X[["a", "b", "c"]] if isinstance(X, pd.DataFrame) else X)

    def predict_proba(self, X):
        return super().predict_proba(X[["a", "b", "c"]] if isinstance(X, pd.DataFrame) else X)


def opened(study, model, **options):
    return trueness.sealed.unseal(study, model, passphrase=SECRET, positive="yes", **options)


def main() -> None:
    for line in sys.stdin:
        study, trace = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            opened(Path(study), Numbers(trace))
            os._exit(0)
        print(child, flush=True)
        os.waitpid(child, 0)
        print("done", flush=True)
