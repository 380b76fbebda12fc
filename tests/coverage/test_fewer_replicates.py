"""The default interval with ten times fewer bootstrap replicates than 3√n, as of 10⁶ cases: it covers, longer."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.tree import DecisionTreeClassifier

import trueness

N, FEW = 2500, 15  # √n/B is 1/0.3, as with 300 replicates of 10⁶ cases; 3√n are 150 replicates
MODELS = {"lda": (LDA(), 400), "tree": (DecisionTreeClassifier(max_depth=6, random_state=0), 200)}


def cases(rng, n):
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 5)) + 0.3 * y[:, None], y


@pytest.mark.coverage
@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
@pytest.mark.parametrize("name", list(MODELS))
def test_fewer_replicates_cover(name):
    model, samples = MODELS[name]
    test = cases(np.random.default_rng(2**31), 100_000)
    hits, ses = [], {FEW: [], None: []}
    for sample in range(samples):
        X, y = cases(np.random.default_rng(sample), N)
        truth = float(np.mean(model.fit(X, y).predict(test[0]) != test[1]))
        for replicates, found in ses.items():
            if replicates is None and sample >= samples // 10:
                continue  # for the length alone
            plan = trueness.CvBootstrap(n_resamples=replicates)
            e = trueness.assess(model, X, y, plan=plan, metrics="error", rng=sample, checks=False)["error"]
            found.append(e.se)
            if replicates == FEW:
                hits.append(e.ci().low <= truth <= e.ci().high)
    length = np.mean(ses[FEW][: len(ses[None])]) / np.mean(ses[None])
    print(f"{name}: covers {np.mean(hits):.3f} of {samples}; mean se {length:.2f} times that with 3√n replicates")
    assert np.mean(hits) > 0.93
    assert length > 0.99
