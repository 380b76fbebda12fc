"""What other Python packages answer where the right answer is known. Run in an environment of its own:

    pip install mlxtend confidenceinterval scikit-learn
    python tests/reference/wrong_answers.py > tests/reference/wrong_answers.json

tests/test_peers.py reads the JSON: the same input, trueness's answer, and theirs to show that the two differ.
"""

import json
from importlib.metadata import version

import numpy as np
from confidenceinterval import roc_auc_score
from mlxtend.evaluate import BootstrapOutOfBag, bootstrap_point632_score
from sklearn.neighbors import KNeighborsClassifier

# 1-nearest neighbour on pure noise: bootstrap rows, .632 and .632+ of mlxtend (accuracies, one a replicate)
rng = np.random.default_rng(0)
X, y = np.round(rng.normal(size=(20, 5)), 3), np.arange(20) % 2
options = {"n_splits": 200, "random_seed": 1, "clone_estimator": True}
nearest = KNeighborsClassifier(1)
point632 = bootstrap_point632_score(nearest, X, y, method=".632", **options)
plus = bootstrap_point632_score(nearest, X, y, method=".632+", **options)
rows = [train.tolist() for train, _ in BootstrapOutOfBag(200, random_seed=1).split(X)]


# DeLong intervals of confidenceinterval: at an AUC of 1, and near it
def interval(y, scores):
    value, limits = roc_auc_score(y, scores, confidence_level=0.95)
    return {"y": y, "scores": scores, "auc": float(value), "ci": [float(v) for v in limits]}


separated = interval([0] * 6 + [1] * 6, [float(s) for s in range(12)])
nearly = interval([0] * 6 + [1] * 6, [0.0, 1.0, 2.0, 3.0, 4.0, 6.5, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0])

print(
    json.dumps(
        {
            "versions": {name: version(name) for name in ("mlxtend", "confidenceinterval")},
            "noise": {
                "X": X.tolist(),
                "y": y.tolist(),
                "rows": rows,
                "mlxtend_632_error": float(1 - point632.mean()),
                "mlxtend_632plus_accuracies": [float(plus.min()), float(plus.max())],
            },
            "separated": separated,
            "nearly": nearly,
        }
    )
)
