"""Reference numbers from Python peers. Run in an environment of its own:

    pip install baycomp scikit-posthocs mlxtend statsmodels
    python tests/reference/comparisons_peers.py > tests/reference/comparisons_peers.json

The tests read the JSON only.
"""

import json
from importlib.metadata import version
from pathlib import Path

import baycomp
import numpy as np
import scikit_posthocs
from mlxtend.evaluate import cochrans_q as mlxtend_q
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.weightstats import ttost_paired

r = json.loads(Path(__file__).with_name("comparisons.json").read_text())
data, values = r["data"], r["values"]
y, p1, p2, p3 = (np.array(data[k]) for k in ("y", "p1", "p2", "p3"))
e1, e2 = np.array(values["e1"]), np.array(values["e2"])
correct = np.stack([p == y for p in (p1, p2, p3)], axis=1).astype(int)
table = np.array(r["friedman"]["table"])

q = cochrans_q(correct)
tost = ttost_paired(e1, e2, -0.03, 0.03)
# baycomp takes differences y − x, and one run of 12 folds: n_test/n_train = 1/11
d = e1 - e2
correlated = baycomp.CorrelatedTTest.probs(np.zeros_like(d), d, rope=0.01, runs=1)
signed = baycomp.SignedRankTest.probs(e2, e1, rope=0.01, prior=0.5, nsamples=200_000, random_state=0)
print(
    json.dumps(
        {
            "versions": {k: version(k) for k in ("baycomp", "scikit-posthocs", "mlxtend", "statsmodels")},
            "cochran_q": {
                "statistic": float(q.statistic),
                "p": float(q.pvalue),
                "mlxtend": float(mlxtend_q(y, p1, p2, p3)[0]),
            },
            "tost": {"p": float(tost[0]), "lower": [float(v) for v in tost[1]], "upper": [float(v) for v in tost[2]]},
            "bayes_correlated_t": [float(v) for v in correlated],
            "bayes_signed_rank": [float(v) for v in signed],
            "nemenyi": np.asarray(scikit_posthocs.posthoc_nemenyi_friedman(table)).tolist(),
            "conover": np.asarray(scikit_posthocs.posthoc_conover_friedman(table)).tolist(),
        }
    )
)
