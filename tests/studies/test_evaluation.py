"""`evaluate`: the accuracy of estimators on populations with known truth."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

import trueness
from trueness import studies
from trueness.errors import InputError
from trueness.studies.datasets import DataSet

POPULATION = studies.two_gaussians(2, 1.2)
LDA = LinearDiscriminantAnalysis()


def leave_one_out(trial):
    return trueness.estimate(trial.fits(trueness.plans.LeaveOneOut()), "error", "cv_pooled")


def holdout_of_my_own(trial):
    order = trial.rng().permutation(len(trial.y))
    rule = LDA.fit(trial.X[order[:20]], trial.y[order[:20]])
    return float((rule.predict(trial.X[order[20:]]) != trial.y[order[20:]]).mean())


def test_names_pairs_and_functions_are_estimators():
    result = studies.evaluate(
        POPULATION,
        LDA,
        {"632+": ("632+", {"rule": "printed"}), "loob": "loob", "loo": leave_one_out, "mine": holdout_of_my_own},
        metric="error",
        plan=trueness.Bootstrap(50),
        sizes=(15,),
        trials=12,
        n_jobs=1,
    )
    table = result.frame().set_index("estimator")
    assert table.index.tolist() == ["true", "632+", "loob", "loo", "mine"]
    assert table["mean"].between(0, 0.7).all()
    assert table.loc["true", "rms"] == 0
    assert table.loc["loob", "mean_se"] > 0
    assert np.isnan(table.loc["mine", "mean_se"])
    assert result.check()  # no claims
    assert result.published().empty


def test_models_are_compared_on_the_same_samples():
    models = {"one": LDA, "the same": LinearDiscriminantAnalysis(), "1-NN": KNeighborsClassifier(1)}
    result = studies.evaluate(
        {"near": POPULATION, "far": studies.two_gaussians(2, 3.0)},
        models,
        ["star", "apparent"],
        metric="error",
        plan=trueness.Bootstrap(20),
        sizes=(10, (10, 20)),
        trials=3,
        n_jobs=1,
    )
    table = result.frame()
    assert len(table) == 2 * 3 * 2 * 3
    assert table["size"].unique().tolist() == [10, "10+20"]
    means = table.pivot_table(index=["population", "size", "estimator"], columns="model", values="mean")
    assert (means["one"] == means["the same"]).all()
    assert (means["one"] != means["1-NN"]).any()
    near, far = (
        table[(table["population"] == p) & (table["estimator"] == "true")]["mean"].mean() for p in ("near", "far")
    )
    assert far < near


def test_a_data_set_is_a_population_whose_truth_is_the_rest():
    X, y = POPULATION.draw((400, 600), rng=0)
    data = DataSet(X, y)
    a, b, rest = data.split((10, 20), np.random.default_rng(0))
    assert np.bincount(b).tolist() == [10, 20]
    assert np.bincount(rest.y).tolist() == [390, 580]
    assert not set(map(tuple, a)) & set(map(tuple, rest.X))
    result = studies.evaluate(data, LDA, ["loob"], metric="error", sizes=((20, 30),), trials=4, n_jobs=1)
    assert result.frame()["mean"].between(0.1, 0.6).all()
    with pytest.raises(InputError, match="leaves none to test on"):
        data.split((400, 20), np.random.default_rng(0))


def test_same_seed_same_table():
    def once(**options):
        return studies.evaluate(POPULATION, LDA, ["star"], sizes=(10,), trials=4, n_jobs=1, **options).frame()

    assert once(rng=3).equals(once(rng=3))
    assert not once(rng=3).equals(once(rng=4))


def test_what_is_not_accepted():
    with pytest.raises(InputError, match="estimators is empty"):
        studies.evaluate(POPULATION, LDA, {})
    with pytest.raises(InputError, match="trials"):
        studies.evaluate(POPULATION, LDA, ["star"], trials=0)
    with pytest.raises(InputError, match="no metric"):
        studies.evaluate(POPULATION, LDA, ["star"], metric="acuracy")


def test_table_2_computes_what_estimate_gives():
    from trueness.studies.published.auc_estimators import bootstrap_estimates

    for seed in range(6):  # some with star below ½, where the two rules part
        X, y = studies.two_gaussians(5, 0.3).draw((15, 15), rng=seed)
        trial = studies.Trial(
            X, y, QuadraticDiscriminantAnalysis(), trueness.Bootstrap(40), np.random.SeedSequence(seed)
        )
        found = bootstrap_estimates(trial)
        for name, rule in (("632+", "printed"), ("632+ clipped", "clipped")):
            assert np.isclose(found[name], trueness.estimate(trial.fits(), "auc", "632+", rule=rule).value, rtol=1e-14)
        assert np.isclose(found["632"], trueness.estimate(trial.fits(), "auc", "632").value, rtol=1e-14)
