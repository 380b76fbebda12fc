"""Numbers as targets at every door: two sets, learning curve, best of many, checks, tables of others, files, sealed sets."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.neighbors import KNeighborsRegressor

import trueness
from trueness.cli.main import run
from trueness.errors import InputError
from trueness.selection import best_of

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")


def data(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X @ [1.0, 2.0, -1.0] + rng.normal(size=n)


def test_the_same_seed_gives_the_same_bits_for_any_number_of_workers():
    X, y = data(40)
    model = RandomForestRegressor(3)
    one, two = (
        trueness.assess(model, X, y, plan=trueness.KFold(4), metrics="mse", rng=1, n_jobs=jobs)["mse"]
        for jobs in (1, 2)
    )
    assert (one.value, one.se) == (two.value, two.se)


def test_a_store_goes_on(tmp_path):
    X, y = data(40)
    how = {"plan": trueness.KFold(4), "metrics": "mae", "rng": 1, "store": tmp_path / "run.db", "engine": "generic"}
    first, again = (trueness.assess(Ridge(), X, y, **how)["mae"] for _ in range(2))
    assert first.value == again.value
    with pytest.raises(InputError, match="labels"):
        trueness.assess(Ridge(), X, y + 1, **how)


def test_a_splitter_and_a_search():
    X, y = data(60)
    a = trueness.assess(Ridge(), X, y, plan=KFold(5), metrics="mse")
    assert a["mse"].value == pytest.approx(
        np.mean(
            [-s for s in cross_validate(Ridge(), X, y, cv=KFold(5), scoring="neg_mean_squared_error")["test_score"]]
        )
    )
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 10.0]}, cv=3)
    assert trueness.assess(search, X, y, plan=trueness.Bootstrap(20), metrics="rmse", rng=0)["rmse"].se > 0


def test_cross_validate_and_tables_of_others():
    X, y = data()
    result = cross_validate(Ridge(), X, y, cv=KFold(4), return_estimator=True, return_indices=True)
    fits = trueness.Fits.from_cv_results(result, X, y)
    same = trueness.fit(Ridge(), X, y, trueness.plans.Splits(KFold(4)), engine="generic")
    assert trueness.estimate(fits, "rmse", "cv").value == trueness.estimate(same, "rmse", "cv").value
    frame = pd.DataFrame(
        {"row": range(80), "truth": y, "response": same.pooled().scores[0], "fold": same.design.folds[0]}
    )
    table = trueness.Fits.from_frame(
        frame, case="row", truth="truth", prediction="response", fold="fold", kind="regression"
    )
    assert trueness.estimate(table, "r2", "cv").value == pytest.approx(trueness.estimate(same, "r2", "cv").value)
    for wrong in ({"threshold": 0.5}, {"predictions": [y]}):
        with pytest.raises(InputError, match="A regression has no classes"):
            trueness.Fits.from_arrays(y, np.zeros((1, 80)), [y], kind="regression", **wrong)


def test_two_sets():
    X, y = data(120)
    how = {"plan": trueness.Bootstrap(20), "rng": 0, "train_sizes": ()}
    t = trueness.two_sets(Ridge(), X[:60], y[:60], X[60:], y[60:], **how)
    losses = (Ridge().fit(X[:60], y[:60]).predict(X[60:]) - y[60:]) ** 2
    assert (t.fixed.value, t.fixed.se) == pytest.approx((losses.mean(), losses.std(ddof=1) / np.sqrt(60)))
    assert t.fixed.se_method == "mean"
    with pytest.raises(InputError, match="for numbers metric='mse'"):
        trueness.two_sets(Ridge(), X[:60], y[:60], X[60:], y[60:], metric="r2", **how)


def test_learning_curve_and_best_of():
    X, y = data(120)
    curve = trueness.learning_curve(Ridge(), X, y, splits=10, rng=0)
    assert curve.estimates[0].metric == "mse"
    assert curve.estimates[0].value > curve.estimates[-1].value
    models = {"ols": LinearRegression(), "knn": KNeighborsRegressor()}
    design = trueness.KFold(5).draw(y, rng=0)
    best = best_of({name: trueness.fit(m, X, y, design) for name, m in models.items()}, n_resamples=100, rng=0)
    assert best.chosen == "ols"


def test_checks_find_the_target_among_the_features():
    X, y = data()
    assert not trueness.check(X, y)
    (found,) = trueness.check(np.column_stack([X, 3 * y - 1]), y)
    assert found.code == "L001"


@pytest.fixture
def houses(tmp_path):
    X, y = data(90)
    path = tmp_path / "houses.csv"
    frame = pd.DataFrame(X, columns=["size", "age", "noise"]).assign(
        price=np.round(y * 100, 1), rooms=np.arange(90) % 4
    )
    frame.to_csv(path, index=False)
    return str(path)


def test_the_command_line_sees_a_number(houses, tmp_path, capsys):
    out = tmp_path / "a.json"
    assert (
        run(
            [
                "assess",
                houses,
                "--target",
                "price",
                "--seed",
                "1",
                "--json",
                str(out),
                "--report",
                str(tmp_path / "r.html"),
            ]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert "RMSE" in said
    assert "Always predicting the mean" in said
    assert "rmse" in json.dumps(json.loads(out.read_text()))
    assert run(["compare", houses, "--target", "price", "--model", "ols", "--model", "knn", "--plan", "kfold:5x2"]) == 0
    assert "RMSE" in capsys.readouterr().out
    assert run(["check", houses, "--target", "price"]) == 0


def test_subgroups_on_the_command_line(houses, tmp_path, capsys):
    line = [
        "assess",
        houses,
        "--target",
        "price",
        "--drop",
        "rooms",
        "--by",
        "rooms",
        "--plan",
        "kfold:5",
        "--seed",
        "1",
    ]
    assert run([*line, "--report", str(tmp_path / "r.html")]) == 0
    assert "ols, by rooms: RMSE by rooms" in capsys.readouterr().out
    assert "<h3>By rooms</h3>" in (tmp_path / "r.html").read_text()
    assert run([*line, "--by", "floor"]) == 2
    assert "floor" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            ["--target", "price", "--model", "lda", "--kind", "regression"],
            "The model is not one for regression. Got 'lda'",
        ),
        (
            ["--target", "rooms", "--model", "ols", "--kind", "classification"],
            "The model is not one for classification. Got 'ols'",
        ),
        (["--target", "price", "--model", "lda"], "y holds numbers that are not labels"),
        (["--target", "price", "--metric", "auc"], "auc is a metric of classes"),
        (["--target", "price", "--kind", "number"], "kind"),
    ],
)
def test_wrong_lines(houses, line, said, capsys):
    assert run(["assess", houses, *line]) == 2
    assert said in capsys.readouterr().err.replace("\n", " ")


def test_whole_numbers_are_labels_or_numbers_as_asked(houses, capsys):
    how = ["--plan", "kfold:5", "--seed", "1", "--no-checks"]
    assert run(["assess", houses, "--target", "rooms", "--model", "knn", *how]) == 0
    assert "Error" in capsys.readouterr().out
    assert run(["assess", houses, "--target", "rooms", "--model", "knn", "--kind", "regression", *how]) == 0
    assert "RMSE" in capsys.readouterr().out


def test_a_sealed_set_of_numbers(houses, tmp_path):
    pytest.importorskip("cryptography")
    from trueness import sealed

    study = tmp_path / "study"
    sealed.seal(houses, target="price", out=study, passphrase="correct horse")
    opened = sealed.unseal(study, Ridge(), passphrase="correct horse")
    assert list(opened.assessment.recommended) == ["rmse", "mae", "r2"]
    assert opened.assessment["rmse"].value > 0
    assert "no-declared-threshold" not in {n.code for n in opened.assessment.notes}


def test_a_comparison_says_why_a_model_has_no_interval():
    X, _ = data(300)
    y = X[:, 0] + np.random.default_rng(1).standard_cauchy(size=300)
    k = trueness.compare({"ols": LinearRegression(), "ridge": Ridge()}, X, y, plan=trueness.KFold(5), rng=0)
    assert any(n.code == "no-se-heavy-tails" and str(n).startswith("ols: ") for n in k.notes)


def test_numbers_without_a_standard_error_have_no_useless_digits():
    from trueness.result.words import shown, significant

    assert [shown(v) for v in (0.123456, 9.87654321, 12.3456789, 104031.6592, -54321.0)] == [
        "0.1235",
        "9.8765",
        "12.346",
        "104032",
        "-54321",
    ]
    assert [significant(v, 4) for v in (0.00012345, 1234.5, 888512.0, -52749.0, 2.5e9, np.inf)] == [
        "0.0001234",
        "1234",
        "888500",
        "-52750",
        "2.5e+09",
        "∞",
    ]
